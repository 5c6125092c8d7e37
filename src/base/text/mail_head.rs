//! The names of the lines above a mail, as written by programs that save mails as text, and the greetings and closing
//! words of letters.

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

/// Greetings and closing words of letters, in lower case; a name may follow.
const COURTESIES: &str = "hello|hi|dear|good morning|good afternoon|kind regards|best regards|warm regards|with kind regards|regards|\
best wishes|with best wishes|yours sincerely|yours faithfully|sincerely|many thanks|thank you|thanks|thanks in advance|\
sehr geehrte damen und herren|hallo|guten tag|guten morgen|mit freundlichen grüßen|mit freundlichem gruß|freundliche grüße|\
viele grüße|beste grüße|liebe grüße|herzliche grüße|mit besten grüßen|vielen dank|vielen dank im voraus|danke|hochachtungsvoll|\
bonjour|bonsoir|cordialement|bien cordialement|bien à vous|salutations distinguées|sincères salutations|merci|merci d'avance|\
hola|estimado|estimada|estimados|estimadas|buenos días|buenas tardes|un saludo|saludos|saludos cordiales|atentamente|cordialmente|gracias|muchas gracias|\
buongiorno|buonasera|cordiali saluti|distinti saluti|saluti|grazie|olá|bom dia|boa tarde|atenciosamente|cumprimentos|\
com os melhores cumprimentos|abraços|obrigado|obrigada|goedemorgen|goedemiddag|met vriendelijke groet|\
met vriendelijke groeten|vriendelijke groet|groeten|bedankt|dzień dobry|z poważaniem|pozdrawiam|dziękuję|bună ziua|cu stimă|\
cu respect|mulțumesc|здравствуйте|добрый день|с уважением|спасибо|merhaba|saygılarımla|saygılarımızla|teşekkürler|\
您好|你好|此致|敬礼|祝好|谢谢|안녕하세요|안녕하십니까|감사합니다|고맙습니다";

/// The same in Japanese, where the words that matter end the sentence.
const CLOSING: [&str; 14] = [
    "お疲れ様です",
    "お疲れさまです",
    "お疲れ様でした",
    "お疲れさまでした",
    "お世話になっております",
    "お世話になります",
    "おはようございます",
    "こんにちは",
    "よろしくお願いいたします",
    "よろしくお願い致します",
    "よろしくお願いします",
    "よろしくお願い申し上げます",
    "宜しくお願いいたします",
    "ありがとうございます",
];
/// The most characters of such a sentence: more of them say what is to be done.
const COURTEOUS_CHARACTERS: usize = 20;

/// Whether a sentence is only a greeting or a closing of a letter, as "Kind regards, Ann" and "よろしくお願いいたします。"
pub fn is_courtesy(sentence: &str) -> bool {
    let text = sentence.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
    if text.contains(char::is_numeric) {
        return false;
    }
    let ends = CLOSING.iter().any(|closing| text.ends_with(closing));
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    let opens = |courtesy: &str| {
        let count = courtesy.split(' ').count();
        let is_name = |word: &&str| word.starts_with(|c: char| !c.is_lowercase());
        let opening = words.get(..count).map(|opening| opening.join(" ").to_lowercase());
        opening.as_deref() == Some(courtesy) && words.iter().skip(count).all(is_name)
    };
    ends && text.chars().count() <= COURTEOUS_CHARACTERS || COURTESIES.split('|').any(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_and_closings() {
        let check = |sentence: &str, expected: bool| assert_eq!(is_courtesy(sentence), expected, "{sentence}");
        check("Kind regards, Isla Drummond", true);
        check("Best wishes.", true);
        check("Dear Ms Lee:", true);
        check("Buenos días:", true);
        check("Mit freundlichen Grüßen", true);
        check("お疲れさまです。", true);
        check("ご確認のほど、よろしくお願いいたします。", true);
        check("9月26日までのご回答をよろしくお願いいたします。", false);
        check("Thanks to the new pump.", false);
        check("Regards to the board were sent in May.", false);
        check("Highland cattle graze there.", false);
    }
}
