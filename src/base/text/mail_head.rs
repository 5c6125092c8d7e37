//! The names of the lines above a mail, as programs write them that save a mail as text, and above minutes.

use super::is_cjk;

/// Of the line with the sender, in lower case.
const SENDER: &str =
    "from|von|de|da|van|od|de la|kimden|gönderen|от|від|från|差出人|送信者|发件人|寄件人|보낸 사람|보낸사람";

/// Of the line with what it is about.
const SUBJECT: &str =
    "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|subiect|konu|тема|ämne|件名|主题|主旨|제목";

/// Of the other lines.
const OTHERS: &str = "to|cc|bcc|date|sent|reply-to|an|datum|gesendet|kopie|à|envoyé|cci|para|fecha|enviado|enviada|data|a|inviato|\
aan|verzonden|do|wysłano|dw|către|trimis|kime|tarih|gönderildi|кому|дата|копия|отправлено|till|skickat|宛先|送信日時|日時|日付|\
收件人|抄送|日期|时间|发送时间|받는 사람|받는사람|날짜|참조";

/// Of the lines above minutes on who was there.
const WHO_WAS_THERE: &str = "present|in attendance|apologies|anwesend|entschuldigt|présents|excusés|asistentes|\
presentes|presenti|assenti|excusé|excusée|excusées|anwesende|abwesend|gäste|teilnehmer|teilnehmende|excusados|\
disculpados|aanwezig|afwezig|afwezig met kennisgeving|obecni|nieobecni|prezenți|absenți|katılanlar|присутствовали|出席者|欠席者|出席|欠席";

/// Of the others above minutes: the meeting, its day and place, and who led it.
const OF_MINUTES: &str = "attending|absent|chair|minutes|venue|place|location|date|time|protokoll|ort|datum|zeit|\
absents|lieu|heure|président de séance|secrétaire de séance|sitzungsleitung|vorsitz|protokollführung|protokollführer|\
preside|secretario|secretaria|presidente|segretario|voorzitter|notulist|protokolant|przewodniczący|ausentes|lugar|hora|fecha|luogo|data|ora|会議名|日時|場所|議長|書記|記録|記録者|司会|作成者|作成";

/// Of the lines by which an office keeps its papers.
const OF_PAPERS: &str = "reference|ref|our ref|ref no|document no|document number|report no|author|written by|\
prepared by|compiled by|approved by|reviewed by|classification|distribution|circulation|status|version|revision|\
issue|owner|document owner|policy owner|aktenzeichen|az|dokument|dokumentnummer|berichtsnummer|verfasser|verfasserin|autor|autorin|erstellt von|\
bearbeiter|freigegeben von|verteiler|fassung|référence|réf|auteur|rédacteur|rédigé par|diffusion|referencia|\
elaborado por|redactado por|distribución|riferimento|autore|redatto da|distribuzione|referência|kenmerk|\
opgesteld door|文書番号|管理番号|作成|作成者|作成部署|報告者|報告日|発行日|発行|所管|担当|担当部署|承認|承認者|宛先|\
宛|配布先|版数|版";

/// Whether an office keeps a paper by a line of this name, or the line tells who was there.
pub fn is_of_papers(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    is_one_of(name, OF_PAPERS) || is_one_of(name, WHO_WAS_THERE)
}

/// Of the lines with the day of a paper, which elsewhere is one of what it is about.
const DAY_OF_PAPER: &str =
    "date|issued|issue date|last updated|updated|next review|datum|stand|fecha|data|日付|作成日|更新日|改訂日|改定日";

/// Whether a line of this name tells the day of a paper that has other such lines.
pub fn dates_paper(name: &str) -> bool {
    is_one_of(name.trim_end_matches('.'), DAY_OF_PAPER)
}

/// Whether a line of this name stands above minutes; in Japanese its name may be spaced out.
pub fn is_of_minutes(name: &str) -> bool {
    let is_named = |name: &str| is_one_of(name, OF_MINUTES) || is_one_of(name, WHO_WAS_THERE);
    is_named(name) || name.contains(is_cjk) && is_named(&name.replace(char::is_whitespace, ""))
}

/// Whether a name is one of `names`, which are in lower case with `|` between.
pub fn is_one_of(name: &str, names: &str) -> bool {
    let name = name.trim().to_lowercase();
    names.split('|').any(|one| one == name)
}

/// Whether a line of this name tells who sent a mail: by it a text is known for one.
pub fn names_sender(name: &str) -> bool {
    is_one_of(name, SENDER)
}

/// Whether a line of this name tells what a mail is about.
pub fn names_subject(name: &str) -> bool {
    is_one_of(name, SUBJECT)
}

/// What programs write before the subject of a mail that answers another or passes it on, in lower case.
const REPLIES: &str = "re|aw|sv|vs|fw|fwd|wg|tr|rv|rif|res|enc|antw|odp|ynt|rép|回复|答复|转发|返信|転送";

/// The subject of a mail without the marks of answers: "Re: Re: Budget" is about the budget.
pub fn bare_subject(subject: &str) -> &str {
    let rest =
        subject.split_once([':', '：']).filter(|(mark, _)| is_one_of(mark, REPLIES)).map(|(_, rest)| rest.trim());
    rest.filter(|rest| !rest.is_empty()).map_or(subject, bare_subject)
}

/// Whether a line of this name stands above a mail. Elsewhere many of them name something else.
pub fn is_of_mail_head(name: &str) -> bool {
    names_sender(name) || names_subject(name) || is_one_of(name, OTHERS)
}
