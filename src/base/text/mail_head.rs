//! The names of the lines above a mail, as written by programs that save mails as text.

/// The names of the sender's line, in lower case.
const SENDER: &str =
    "from|von|de|da|van|od|de la|kimden|gönderen|от|від|från|差出人|送信者|发件人|寄件人|보낸 사람|보낸사람";

/// The names of the subject line.
const SUBJECT: &str =
    "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|subiect|konu|тема|ämne|件名|主题|主旨|제목";

/// The names of the other lines.
const OTHERS: &str = "to|cc|bcc|date|sent|reply-to|an|datum|gesendet|kopie|à|envoyé|cci|para|fecha|enviado|enviada|data|a|inviato|\
aan|verzonden|do|wysłano|dw|către|trimis|kime|tarih|gönderildi|кому|дата|копия|отправлено|till|skickat|宛先|送信日時|日時|日付|\
收件人|抄送|日期|时间|发送时间|받는 사람|받는사람|날짜|참조";

/// Whether a name is one of `names`, which are in lower case and separated by `|`.
pub fn is_one_of(name: &str, names: &str) -> bool {
    let name = name.trim().to_lowercase();
    names.split('|').any(|one| one == name)
}

/// Whether a line of this name gives the sender of a mail; a text is recognised as a mail by it.
pub fn is_sender_header(name: &str) -> bool {
    is_one_of(name, SENDER)
}

/// Whether a line of this name gives the subject of a mail.
pub fn names_subject(name: &str) -> bool {
    is_one_of(name, SUBJECT)
}

/// The marks that programs put before the subject of a reply or a forwarded mail, in lower case.
const REPLIES: &str = "re|aw|sv|vs|fw|fwd|wg|tr|rv|rif|res|enc|antw|odp|ynt|rép|回复|答复|转发|返信|転送";

/// The subject of a mail without the marks of replies: "Re: Re: Budget" is about the budget.
pub fn bare_subject(subject: &str) -> &str {
    let rest =
        subject.split_once([':', '：']).filter(|(mark, _)| is_one_of(mark, REPLIES)).map(|(_, rest)| rest.trim());
    rest.filter(|rest| !rest.is_empty()).map_or(subject, bare_subject)
}

/// Whether a line of this name stands above a mail. Elsewhere many of these names mean something else.
pub fn is_mail_header(name: &str) -> bool {
    is_sender_header(name) || names_subject(name) || is_one_of(name, OTHERS)
}
