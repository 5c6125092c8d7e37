//! The lines with a name and a value above a paper or a saved mail: its number, its day, its author, who was there.
//! They are about the paper and not about its matter.

use std::collections::BTreeSet;
use std::ops::Range;

use super::prose::is_prose;
use super::statements::{Form, Statement};
use super::terms::{content_set, word_count, words_of};
use crate::base::text::{Language, is_mail_header, is_sender_header};
use crate::documents::parse::{date_of_dateline, names_minutes};
use crate::llm::purpose::EvidenceCard;
use crate::report::facts::{Day, days, states_amount};
use crate::report::{amends, repeats_title};

/// A line of this many words, or a whole sentence, does not stand above a paper.
const HEADLESS: usize = 8;

/// The lines of a mail among which its sender's stands.
const MAIL_LINES: usize = 4;

/// The most words of a day.
const DAY: usize = 6;

/// Returns how many of a passage's statements stand above its paper, including the values in its head; 0 if nothing
/// follows them.
fn head_statement_count(card: &EvidenceCard, all: &[Statement]) -> usize {
    let is_body = |one: &Statement| match one.form {
        Form::Pair => !one.heading.is_empty() && !repeats_title(&one.heading, &card.title),
        Form::Sentence => is_prose(&one.text) && (word_count(&one.text) >= HEADLESS || one.text.ends_with(['.', '。'])),
        _ => true,
    };
    if card.at > 0 { 0 } else { all.iter().position(is_body).unwrap_or(0) }
}

/// Returns the ranges of the values in the head of a passage's paper that are not on what is asked: their names are not
/// asked for, and they hold no asked word that is missing below.
pub(super) fn of_paper(
    card: &EvidenceCard,
    all: &[Statement],
    asked: &BTreeSet<String>,
    language: Language,
) -> Vec<Range<usize>> {
    let (head, body) = all.split_at(head_statement_count(card, all));
    // "Rent: 900 euros" and "Section 3 now reads: …" are what the paper is about.
    let is_matter = |one: &Statement| states_amount(&one.text) || amends(&one.text);
    let of_head = head.iter().filter(|one| one.form == Form::Pair && !is_matter(one));
    let mut of_paper = of_head.chain(body.iter().filter(|one| is_own_day(one, card))).peekable();
    if of_paper.peek().is_none() {
        return Vec::new();
    }
    let below: BTreeSet<String> = body.iter().flat_map(|one| content_set(&one.text, language)).collect();
    let is_asked = |one: &Statement| {
        !content_set(one.name(), language).is_disjoint(asked)
            || content_set(&one.text, language).iter().any(|term| asked.contains(term) && !below.contains(term))
    };
    of_paper.filter(|one| !is_asked(one)).map(|one| one.range.clone()).collect()
}

/// Returns the ranges of the lines at the beginning of a saved mail that are only about the mail; empty if it is not a
/// mail.
pub(super) fn mail_head_ranges(all: &[Statement]) -> Vec<Range<usize>> {
    let is_mail = all.iter().any(|one| one.is_named(is_sender_header));
    all.iter().filter(|one| is_mail && one.is_named(is_mail_header)).map(|one| one.range.clone()).collect()
}

/// Returns the ranges of the lines of the passage at `index` of `cards` that only say when its paper was written, or sign
/// it: nothing if that is asked. A date line with words below it is that of a paper only if the paper tells of later
/// days: else it may be the day of what is announced.
pub(super) fn dateline_ranges(
    cards: &[EvidenceCard],
    index: usize,
    all: &[Statement],
    question: &str,
    language: Language,
) -> Vec<Range<usize>> {
    let card = &cards[index];
    // Minutes are of the day of their meeting.
    if card.title.split_whitespace().any(names_minutes) || asks_when_written(question) {
        return Vec::new();
    }
    // Several days on lines of their own are those of a diary.
    let mut lines = all.iter().filter_map(|one| date_of_dateline(&one.text));
    let first = lines.next();
    if lines.any(|other| Some(other) != first) {
        return Vec::new();
    }
    let asked = content_set(question, language);
    // A heading right above the line may ask for it: "Next meeting".
    let is_below_asked = |at: usize| {
        let heading = &all[at].heading;
        at.checked_sub(1).is_none_or(|before| all[before].heading != *heading)
            && !repeats_title(heading, &card.title)
            && !content_set(heading, language).is_disjoint(&asked)
    };
    let is_told = |one: &Statement| is_prose(&one.text) && one.text.ends_with(['.', '。']);
    let is_of_paper = |(at, one): &(usize, &Statement)| {
        let is_line = one.form == Form::Sentence && one.lead.is_empty() && !is_below_asked(*at);
        let Some(day) = Some(&one.text).filter(|_| is_line).and_then(|line| date_of_dateline(line)) else {
            return false;
        };
        let signs = all[..*at].iter().any(is_told) && !all[at + 1..].iter().any(is_told);
        let part = |number: i8| u32::from(number.unsigned_abs());
        let own = (i32::from(day.year()), part(day.month()), part(day.day()));
        let is_later = |other: &Day| {
            other.month.is_some_and(|month| (other.year.unwrap_or(own.0), month, other.day.unwrap_or(0)) > own)
        };
        let of_document = || cards.iter().filter(|other| other.path == card.path);
        signs || of_document().any(|other| days(&other.text).iter().any(is_later))
    };
    all.iter().enumerate().filter(is_of_paper).map(|(_, one)| one.range.clone()).collect()
}

/// Whether a question asks for the day on which a paper was written, signed or published.
fn asks_when_written(question: &str) -> bool {
    const WIDE: [&str; 17] = [
        "日付",
        "発行",
        "作成",
        "締結",
        "署名",
        "調印",
        "発信",
        "発表",
        "公表",
        "出され",
        "書かれ",
        "公開",
        "掲載",
        "制定",
        "改定",
        "起案",
        "送ら",
    ];
    const STEMS: &str = "date dated issue sign written wrote write publish sent made conclude announce datum datiert \
        unterschrieb unterzeichnet geschrieben veröffentlicht geschlossen verfasst ausgestellt daté signé écrit publié \
        conclu rédigé fecha firm escrit publica data assinad escrit getekend ondertekend geschreven gepubliceerd \
        podpisan napisan opublikowan zawart дата подписан написан опубликован заключ";
    let lower = question.to_lowercase();
    let is_stem = |word: &str| STEMS.split_whitespace().any(|stem| word.starts_with(stem));
    WIDE.iter().any(|word| lower.contains(word)) || words_of(&lower).any(is_stem)
}

/// Whether a passage is the beginning of a saved mail: the name of its sender stands there.
pub(super) fn begins_mail(card: &EvidenceCard) -> bool {
    let names_sender = |line: &str| line.split_once([':', '：']).is_some_and(|(name, _)| is_sender_header(name));
    card.at == 0 && card.text.lines().take(MAIL_LINES).any(names_sender)
}

/// Writes a day as dates of documents are kept: `2025-03-01`.
fn iso_date(day: &Day) -> Option<String> {
    Some(format!("{:04}-{:02}-{:02}", day.year?, day.month?, day.day?))
}

/// Whether a value is only the day of its own document.
fn is_own_day(one: &Statement, card: &EvidenceCard) -> bool {
    one.form == Form::Pair
        && one.text.split_once([':', '：']).is_some_and(|(_, value)| word_count(value) <= DAY)
        && matches!(days(&one.text).as_slice(), [day] if iso_date(day).as_ref() == Some(&card.date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn the_day_of_a_paper_tells_nothing_of_its_matter() {
        let check = |text: &str, asked: &str, expected: &[&str]| {
            let card = EvidenceCard { date: "2021-03-08".to_owned(), ..card(1, "Rules", "", text) };
            let asked = content_set(asked, Language::ENGLISH);
            let untold = of_paper(&card, &statements(&card), &asked, Language::ENGLISH);
            assert_eq!(untold.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected, "{asked:?}");
        };
        let text = "RULES\n\nIssued: 8 March 2021\nDeposit: 30 pounds\nPaid on: 9 March 2021";
        check(text, "deposit", &["Issued: 8 March 2021"]);
        check(text, "issued", &[]);
        let text =
            "RULES\n\nNumber: 12/2022\nTerm: 24 months\nRent: 900 euros\n\nThe tenant keeps the garden in order.";
        check(text, "lease", &["Number: 12/2022"]);
    }

    #[test]
    fn a_date_line_says_when_its_paper_was_written() {
        let check = |title: &str, text: &str, question: &str, expected: &[&str]| {
            let cards = [card(1, title, "", text)];
            let found = dateline_ranges(&cards, 0, &statements(&cards[0]), question, Language::ENGLISH);
            assert_eq!(found.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected, "{question} {text}");
        };
        let notice = "# Dress code\n\n21 April 2025\n\nIt applies from 1 May 2025 to 31 October 2025.";
        check("Dress code", notice, "When does the dress code apply?", &["21 April 2025"]);
        check("Dress code", notice, "When was the notice issued?", &[]);
        let fair = "# Summer fair\n\n12 July 2025\n\nStalls have to be booked by 1 July 2025.";
        check("Summer fair", fair, "When is the summer fair?", &[]);
        let signed = "# 契約書\n\n## 支払\n\n委託料は、翌月末日に支払う。\n\n2023年6月15日";
        check("契約書", signed, "委託料の支払はいつですか", &["2023年6月15日"]);
        let contract = "# 契約書\n\n委託料は、翌月末日に支払う。\n\n2023年6月15日\n\n甲　田中浩";
        check("契約書", contract, "委託料の支払はいつですか", &["2023年6月15日"]);
        check("契約書", contract, "契約はいつ締結されましたか", &[]);
        let diary = "# Pump\n\n3 May 2024\n\nThe pump failed at noon.\n\n4 May 2024\n\nIt was mended at noon.";
        check("Pump", diary, "When did the pump fail?", &[]);
        let minutes = "# Minutes of the board\n\n3 October 2022\n\nThe board meets again on 7 November 2022.";
        check("Minutes of the board", minutes, "When did the board meet?", &[]);
        let below = "# Board\n\n## Next meeting\n\n18 March 2025\n\nThe fair is on 3 May 2025.";
        check("Board", below, "When is the next meeting?", &[]);
    }

    #[test]
    fn the_beginning_of_a_mail() {
        let check =
            |text: &str, expected: bool| assert_eq!(begins_mail(&card(1, "Pump", "", text)), expected, "{text}");
        check("Pump\nFrom: Ann <ann@a.example>\nTo: Bo <bo@a.example>\n\nIt runs again.", true);
        check("差出人：大野\n件名：ポンプ\n\n直りました。", true);
        check("Pump\n\nIt runs again: see below.", false);
    }

    #[test]
    fn a_head_ends_where_the_matter_begins() {
        let check = |text: &str, expected: usize| {
            let card = card(1, "Report", "", text);
            assert_eq!(head_statement_count(&card, &statements(&card)), expected, "{text}");
        };
        check("# Report\n\nNumber: 12\nDate: 3 May\n\nThe rope was worn out at its upper end in June.", 2);
        check("# Report\n\nNumber: 12\n\n## Rope\n\nLength: 12 m", 1);
        check("# Report\n\nNumber: 12\nLength: 12 m", 0);
        check("The rope was worn out at its upper end in June.\n\nLength: 12 m", 0);
    }
}
