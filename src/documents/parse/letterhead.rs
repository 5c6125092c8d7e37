//! The lines above the title of a letter or an office paper that was saved as plain text: its sender, number, day and
//! addressee.

use super::{Parsed, dateline};
use crate::base::text::{is_cjk, is_one_of};

/// Last words of the names of organisations that send letters.
const SENDERS: &str = "ltd|limited|inc|llc|llp|plc|corp|corporation|company|gmbh|ag|kg|ev|sarl|sas|spa|srl|bv|nv|oy|ab|trust|\
    association|society|council|club|department|office|university|institute|foundation|union|authority|agency|hospital|\
    cooperative|co-operative|verein|stiftung|verband|amt|abteilung";

/// The same in Japanese, where the name of an office may follow; the forms of firms may also begin a name.
const FIRMS: [&str; 10] =
    ["株式会社", "有限会社", "合同会社", "(株)", "（株）", "法人", "組合", "協会", "連合会", "委員会"];

/// Legal forms with which the names of public and other bodies begin.
const BODIES: [&str; 8] =
    ["財団法人", "社団法人", "学校法人", "医療法人", "行政法人", "福祉法人", "大学法人", "NPO法人"];
/// Last characters of the names of papers.
const PAPER_ENDS: [char; 13] = ['款', '書', '程', '則', '録', '表', '告', '綱', '領', '針', '画', '案', '集'];

/// First words of the titles of papers other than minutes; such titles may name a place and a day after commas.
const KINDS: &str = "report|agreement|contract|policy|rules|regulations|notice|memorandum|memo|agenda|statement|\
    bulletin|guidelines|manual|procedure|bericht|vertrag|richtlinie|satzung|compte|rapport|contrat|règlement|informe|\
    contrato|reglamento|relazione|contratto|regolamento|relatório|regulamento|verslag|umowa|regulamin|raport|rapor|\
    отчёт|отчет|договор";

/// The same for minutes, whose day is that of their meeting.
const MINUTES: &str = "minutes|protokoll|niederschrift|procès-verbal|compte-rendu|acta|verbale|ata|notulen|protokół|tutanak|протокол|\
    محضر";

/// The first two words of such titles.
const MINUTES_OF_TWO_WORDS: [&str; 2] = ["compte rendu", "biên bản"];

/// Words for minutes behind the words for their meeting.
const MINUTES_AT_END: &str = "tutanağı|tutanaği";

/// Lines that name only the form of a paper.
const GENRES: [&str; 14] = [
    "obituary",
    "press release",
    "news release",
    "media release",
    "for immediate release",
    "nachruf",
    "pressemitteilung",
    "communiqué de presse",
    "nota de prensa",
    "comunicato stampa",
    "プレスリリース",
    "ニュースリリース",
    "報道発表資料",
    "訃報",
];
/// Words that may follow, on when and where the paper may be published.
const PUBLISHING: [&str; 3] = ["distribution", "publication", "release"];

/// Ranks with which people sign.
const RANKS: [&str; 26] = [
    "社長",
    "部長",
    "課長",
    "所長",
    "室長",
    "局長",
    "会長",
    "理事長",
    "市長",
    "施設長",
    "院長",
    "園長",
    "校長",
    "館長",
    "店長",
    "組長",
    "班長",
    "議長",
    "委員長",
    "学長",
    "駅長",
    "町長",
    "村長",
    "区長",
    "工場長",
    "事務長",
];

/// The most characters of a person's surname or given name.
const PART_OF_NAME: usize = 3;

/// Endings of lines that name the addressee, wherever the line stands.
const ADDRESSEES: [&str; 5] = ["各位", "御中", "님께", "귀하", "귀중"];
/// Such endings that names and titles also have.
const PERSONS: [&str; 9] = ["様", "殿", "先生", "関係者", "様へ", "皆さまへ", "皆さんへ", "みなさまへ", "みなさんへ"];
/// First words of a line that names the addressee.
const GREETINGS: &str =
    "to|dear|liebe|lieber|sehr|chers|chère|cher|madame|monsieur|estimado|estimada|estimados|gentile|egregio";

/// First words of a salutation that also begin titles, so that the mark at the end has to decide.
const SALUTATIONS: &str = "liebes|werte|werter|hallo|chères|messieurs|mesdames|estimadas|querido|querida|queridos|queridas|\
    gentili|gentilissimo|gentilissima|egregia|egregi|spett|spettabile|caro|cara|cari|care|exmo|exma|exmos|exmas|prezado|\
    prezada|prezados|prezadas|caros|caras|уважаемый|уважаемая|уважаемые|дорогой|дорогая|дорогие|шановний|шановна|шановні|\
    geachte|beste|szanowny|szanowna|szanowni|sayın|kära|kære|kjære";
/// Marks at the end of a salutation.
const AFTER_SALUTATION: [char; 3] = [',', ':', '!'];

/// Beginnings of a line that names the addressee, in lower case and with straight apostrophes.
const ATTENTION: [&str; 11] = [
    "for the attention of",
    "attn",
    "à l'attention d",
    "all'attenzione d",
    "alla cortese attenzione",
    "a la atención de",
    "à atenção d",
    "ao cuidado d",
    "z. hd.",
    "zu händen",
    "t.a.v.",
];

/// Whether the first line of a text opens a letter, and so is not its title.
pub(super) fn opens_letter(line: &str) -> bool {
    // "Minutes, 3 April 2025" names the paper where a letter names a place.
    dateline::alone(line).is_some() && !names_paper(line)
        || is_number(line)
        || is_sender(line)
        || ADDRESSEES.iter().any(|ending| line.ends_with(ending))
        || is_salutation(line)
        || names_addressee(line)
}

/// Whether a line is a salutation and nothing else: `Уважаемые соседи!`
fn is_salutation(line: &str) -> bool {
    let first = first_word(line);
    let greets = is_one_of(first, SALUTATIONS) || is_one_of(first, GREETINGS) && !first.eq_ignore_ascii_case("to");
    greets && line.ends_with(AFTER_SALUTATION)
}

fn names_addressee(line: &str) -> bool {
    let low = line.chars().take(30).collect::<String>().to_lowercase().replace('’', "'");
    ATTENTION.iter().any(|opening| low.starts_with(opening))
}

fn first_word(line: &str) -> &str {
    line.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// Whether a line below one that opens a letter still stands above the title.
pub(super) fn stands_above(line: &str) -> bool {
    opens_letter(line) || PERSONS.iter().any(|ending| line.ends_with(ending)) || is_one_of(first_word(line), GREETINGS)
}

/// Whether a line above a title is an address or says when somebody can be reached.
pub(super) fn is_address(line: &str) -> bool {
    if names_paper(line) {
        return false;
    }
    let mut digits = line.match_indices([':', '：']).map(|(at, mark)| (&line[..at], &line[at + mark.len()..]));
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_time =
        |(before, after): (&str, &str)| is_digit(before.chars().next_back()) && is_digit(after.chars().next());
    line.contains([',', '@', '〒', '℡', '☎']) || digits.any(is_time)
}

/// Whether a line begins with a kind of paper, as the title of one does.
pub(super) fn names_paper(line: &str) -> bool {
    names_minutes(line) || is_one_of(line.split_whitespace().next().unwrap_or_default(), KINDS)
}

/// Whether a line is the title of minutes.
pub fn names_minutes(line: &str) -> bool {
    const MOST_BEFORE: usize = 4;
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let low = line.to_lowercase();
    is_one_of(first, MINUTES)
        || MINUTES_OF_TWO_WORDS.iter().any(|two| low.starts_with(two))
        || words.take(MOST_BEFORE).any(|word| is_one_of(word.trim_end_matches([',', ':', '.']), MINUTES_AT_END))
}

/// The title of minutes, with the body that met appended if a line above names it and the title does not.
pub(super) fn with_body_name(title: &str, body: Option<&str>) -> String {
    let is_named = |body: &str| title.to_lowercase().contains(&body.to_lowercase());
    match body {
        Some(body) if names_minutes(title) && !is_named(body) => format!("{title} – {body}"),
        _ => title.to_owned(),
    }
}

/// The title of a document whose first heading names the issuer, and whose next one, above all others, names the paper.
pub(super) fn title_below_sender(parsed: &Parsed) -> Option<String> {
    let [first, second, rest @ ..] = parsed.headings.as_slice() else { return None };
    let is_titled = parsed.title.as_deref() == Some(first.text.as_str());
    let is_of_all = rest.iter().all(|other| other.level > second.level);
    let is_below = is_titled && is_of_all && is_sender(&first.text) && names_paper(&second.text);
    is_below.then(|| with_body_name(&second.text, Some(&first.text)))
}

/// Whether a line names only the form of its paper: "Obituary", "PRESS RELEASE - not for distribution abroad".
pub(super) fn is_genre(line: &str) -> bool {
    let lower = line.to_lowercase();
    let rest = GENRES.iter().find_map(|genre| lower.strip_prefix(genre));
    rest.is_some_and(|rest| {
        let said = rest.trim_start_matches(|one: char| !one.is_alphanumeric());
        let is_apart = !rest.trim_start().starts_with(char::is_alphabetic);
        said.is_empty()
            || dateline::alone(line.get(line.len().saturating_sub(said.len())..).unwrap_or(said)).is_some()
            || is_apart && PUBLISHING.iter().any(|word| said.contains(word))
    })
}

/// Whether a line is the number under which a letter is filed, as `営発第25-007号` or `総務通達　第２５－０３号`.
pub(super) fn is_number(line: &str) -> bool {
    let number = line.split_once('第').map(|(_, number)| number);
    number.is_some_and(|number| number.ends_with('号') && !number.contains(char::is_whitespace))
}

/// Whether a line is only the name of a firm, a public body, one of their offices or a person there.
pub(super) fn is_sender(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    if line.contains(|c: char| c >= '\u{2e80}') {
        let is_body =
            || BODIES.iter().any(|body| first.contains(body)) && !first.ends_with(PAPER_ENDS) && !first.contains('の');
        let is_firm = FIRMS.iter().any(|firm| first.starts_with(firm) || first.ends_with(firm)) || is_body();
        let is_signed = words.iter().any(|word| RANKS.iter().any(|rank| word.ends_with(rank)));
        // 庶務課　森　健一
        let is_part = |word: &&str| word.chars().all(is_cjk) && word.chars().count() <= PART_OF_NAME;
        let is_person = words.len() == 3 && dateline::is_office(first) && words[1..].iter().all(is_part);
        return is_firm && (words.len() == 1 || dateline::is_office(last)) || is_signed || is_person;
    }
    // A line with small words is a title: "History of the Company".
    let is_capital =
        |word: &&str| !word.starts_with(char::is_lowercase) && !is_one_of(word, "of|the|to|for|on|a|in|by");
    let bare = last.trim_matches(|c: char| !c.is_alphanumeric());
    words.len() > 1 && words.iter().all(is_capital) && is_one_of(bare, SENDERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_above_titles() {
        let check = |line: &str, expected: bool| assert_eq!(stands_above(line), expected, "{line}");
        check("HALLBROOK COLDWORKS LTD - SERVICE DEPARTMENT", true);
        check("Ouvel Ferry Trust", true);
        check("Müller & Söhne GmbH", true);
        check("20 February 2025", true);
        check("To all households in Block B", true);
        check("営発第25-007号", true);
        check("総務通達　第２５－０３号", true);
        check("令和7年1月20日", true);
        check("お得意先各位", true);
        check("寮に住む皆さまへ", true);
        check("庶務課　森　健一", true);
        check("庶務課　浴室の改修", false);
        check("穂積野食品株式会社 品質保証部", true);
        check("業務用営業本部長　瀬名波 徹", true);
        check("特別養護老人ホームみのり　施設長　古賀 信夫", true);
        check("公益財団法人汐待海洋文化財団", true);
        check("公益財団法人汐待海洋文化財団定款", false);
        check("History of the Company", false);
        check("RULES OF THE CLUB", false);
        check("Trust", false);
        check("Minutes of the 282nd meeting of the board", false);
        check("霧ノ瀬鉄道株式会社 就業規則", false);
        check("第3号議案の説明", false);
        check("令和6年度の事業報告", false);
        check("An overview of the ferries", false);
        check("À l’attention de Mme Perrin", true);
        check("Дорогие соседи!", true);
        check("박영희 선생님께", true);
        check("Care homes of the town", false);
    }

    #[test]
    fn minutes_have_the_name_of_the_body_that_met() {
        let check = |title: &str, body: Option<&str>, expected: &str| assert_eq!(with_body_name(title, body), expected);
        check(
            "Minutes of the meeting of 4 May",
            Some("Ouvel Town Council"),
            "Minutes of the meeting of 4 May – Ouvel Town Council",
        );
        check("Minutes of Ouvel Town Council", Some("OUVEL TOWN COUNCIL"), "Minutes of Ouvel Town Council");
        check("Compte rendu du 4 mai", Some("Mairie d'Ouvel"), "Compte rendu du 4 mai – Mairie d'Ouvel");
        check("Compte de résultat", Some("Mairie d'Ouvel"), "Compte de résultat");
        check("Report on the pier", Some("Ouvel Town Council"), "Report on the pier");
        check("Minutes of 4 May", None, "Minutes of 4 May");
    }

    #[test]
    fn forms_of_papers() {
        let check = |line: &str, expected: bool| assert_eq!(is_genre(line), expected, "{line}");
        check("OBITUARY", true);
        check("Press release - not for distribution abroad", true);
        check("For immediate release: 3 May 2024", true);
        check("プレスリリース", true);
        check("Obituary: Ann Reed", false);
        check("Press release policy", false);
        check("Obituary of a railway", false);
    }

    #[test]
    fn addresses() {
        let check = |line: &str, expected: bool| assert_eq!(is_address(line), expected, "{line}");
        check("Board office, Block B, ground floor", true);
        check("Open Mondays 17:00-19:00", true);
        check("Minutes of the meeting held in the hall, Tuesday 14 November 2023, 7 pm", false);
        check("飼育作業規程(平成31年4月1日施行)", false);
    }

    #[test]
    fn what_may_be_a_title_opens_no_letter() {
        let check = |line: &str, expected: bool| assert_eq!(opens_letter(line), expected, "{line}");
        check("To Kill a Mockingbird", false);
        check("Toplantı Tutanağı, 3 Nisan 2025", false);
        check("Boston, 3 April 2025", true);
        check("Dear Diary", false);
        check("紫宸殿", false);
        check("お得意先各位", true);
        check("20 February 2025", true);
    }
}
