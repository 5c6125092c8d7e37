//! Which of two answers holds now, where documents that are no versions of each other give them.

use crate::llm::purpose::EvidenceCard;
use crate::offline::statements::Statement;
use crate::offline::terms::has_word;
use crate::report::facts::days;

/// Words that ask for what holds now.
const NOW: [&str; 32] = [
    "now",
    "today",
    "currently",
    "nowadays",
    "jetzt",
    "heute",
    "derzeit",
    "aktuell",
    "zurzeit",
    "maintenant",
    "actuellement",
    "ahora",
    "hoy",
    "actualmente",
    "adesso",
    "oggi",
    "attualmente",
    "agora",
    "hoje",
    "atualmente",
    "momenteel",
    "teraz",
    "obecnie",
    "сейчас",
    "теперь",
    "现在",
    "目前",
    "当前",
    "現在",
    "現時点",
    "지금",
    "현재",
];

/// What may stand behind 今 or いま where it is that word, and no part of 今年 or います.
const BEHIND_NOW: [char; 5] = ['の', 'は', 'も', '、', 'で'];

/// Characters of a statement in which the day may stand that it begins with.
const BEGINNING: usize = 20;

/// How many months before its document a day may lie that tells no year; an earlier one is of the next year.
const PAST: u32 = 6;

/// Whether a question asks for what holds now.
pub(super) fn asks_for_now(question: &str) -> bool {
    let begins = question.trim_start().strip_prefix("いま").is_some_and(|rest| !rest.starts_with(['す', 'せ', 'し']));
    let stands = |at: usize| question[at + '今'.len_utf8()..].starts_with(BEHIND_NOW);
    begins || has_word(question, &NOW) || question.match_indices('今').any(|(at, _)| stands(at))
}

/// The day from which a statement holds, its year first: the one that it begins with, as "From 1 April", else that of its
/// document. Its year may stand in the title.
pub(super) fn day_of(statement: &Statement, card: &EvidenceCard) -> Option<(i32, u32, u32)> {
    let own = days(&card.date).iter().find_map(|day| Some((day.year?, day.month?, day.day?)));
    let beginning: String = statement.text.chars().take(BEGINNING).collect();
    let begins = days(&beginning).iter().find_map(|day| Some((day.year, day.month?, day.day?)));
    let Some((year, month, day)) = begins else { return own };
    let next = |(year, of, _): (i32, u32, u32)| if month + PAST < of { year + 1 } else { year };
    let of_title = || days(&card.title).iter().find_map(|day| day.year);
    let year = year.or_else(|| own.map(next)).or_else(of_title);
    year.map(|year| (year, month, day)).or(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn what_holds_now_is_asked_for() {
        let check = |question: &str, expected: bool| assert_eq!(asks_for_now(question), expected, "{question}");
        check("How long may visitors stay now?", true);
        check("How long may visitors stay?", false);
        check("Did he know?", false);
        check("いま何分まで会えますか", true);
        check("今の料金はいくらですか", true);
        check("現在の料金はいくらですか", true);
        check("今年の料金はいくらですか", false);
        check("いますぐ会えますか", false);
        check("誰がいますか", false);
    }

    #[test]
    fn a_statement_holds_from_the_day_that_it_begins_with() {
        let check = |title: &str, date: &str, text: &str, expected: Option<(i32, u32, u32)>| {
            let passage = EvidenceCard { date: date.to_owned(), ..card(1, title, "", text) };
            assert_eq!(day_of(&statements(&passage)[0], &passage), expected, "{title} {date} {text}");
        };
        check("Notice", "2025-01-24", "Visitors may stay for 20 minutes.", Some((2025, 1, 24)));
        check("Notice", "2025-01-24", "From 1 April visitors may stay for 30 minutes.", Some((2025, 4, 1)));
        check("Notice", "2024-12-06", "From 1 February visitors may stay for 30 minutes.", Some((2025, 2, 1)));
        check("便り 第58号（令和7年春）", "", "4月1日からは、時間を30分とします。", Some((2025, 4, 1)));
        check("Notice", "", "Visitors may stay for 20 minutes.", None);
        check("Notice", "", "From 1 April visitors may stay for 30 minutes.", None);
    }
}
