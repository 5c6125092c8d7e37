//! What the words of a question demand of an answer, whatever it is about: the figures and numbers that the question names,
//! and a figure where it asks for one.

use super::candidates::stands_alone;
use super::statements::Statement;
use crate::base::text::{half_width, is_cjk};
use crate::llm::purpose::EvidenceCard;

/// What a question demands.
pub(super) struct Wanted {
    /// Words of the question with a digit, as `12月`, `MX-25` and `2019`, folded.
    named: Vec<String>,
    /// Whether it asks for a figure or a time.
    figure: bool,
}

impl Wanted {
    pub(super) fn of(question: &str) -> Self {
        Wanted { named: named(&folded(question)), figure: asks_for_figure(question) }
    }

    /// How much of it a statement of a passage lacks, from 0 to 2. What is named may stand anywhere in a passage of running
    /// text; of a table, which holds many, in the row itself.
    pub(super) fn lacks(&self, statement: &Statement, card: &EvidenceCard) -> usize {
        let shown = statement.shown();
        let figure = self.figure && !shown.contains(is_figure);
        let named = !self.named.is_empty() && {
            let around = if stands_alone(statement) { "" } else { card.text.as_str() };
            let held = [&shown, &statement.heading, &card.title, &card.place, &card.path, around].join(" ");
            let held = folded(&held);
            !self.named.iter().all(|name| held.contains(name.as_str()))
        };
        usize::from(figure) + usize::from(named)
    }
}

fn is_figure(c: char) -> bool {
    c.is_numeric() || "一二三四五六七八九十百千万".contains(c)
}

/// Lower case, with letters and digits of half width.
fn folded(text: &str) -> String {
    text.chars().map(half_width).flat_map(char::to_lowercase).collect()
}

/// The words with a digit: of a run of ideographs only the unit behind the number belongs to it.
fn named(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in question.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.' || is_cjk(c))) {
        let mut rest = word;
        while let Some(digit) = rest.find(|c: char| c.is_ascii_digit()) {
            let is_latin = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
            let start = rest[..digit]
                .rfind(|c| !is_latin(c))
                .map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
            let end = digit + rest[digit..].find(|c| !is_latin(c)).unwrap_or(rest.len() - digit);
            let unit = rest[end..].chars().next().filter(|c| "年月日時回期条号階".contains(*c));
            let end = end + unit.map_or(0, char::len_utf8);
            found.push(rest[start..end].trim_matches(['-', '.']).to_owned());
            rest = &rest[end..];
        }
    }
    found
}

/// Whether a question asks when, how much or how many.
fn asks_for_figure(question: &str) -> bool {
    const OPENINGS: [&str; 16] = [
        "when ",
        "how many ",
        "how much ",
        "how long ",
        "how old ",
        "how far ",
        "how high ",
        "what year ",
        "which year ",
        "in what year ",
        "in which year ",
        "wann ",
        "wie viel",
        "quand ",
        "combien ",
        "cuándo ",
    ];
    const WIDE: [&str; 24] = [
        "いつ",
        "いくら",
        "いくつ",
        "何年",
        "何月",
        "何日",
        "何時",
        "何人",
        "何名",
        "何円",
        "何台",
        "何回",
        "何件",
        "何本",
        "何個",
        "何か月",
        "何ヶ月",
        "何週間",
        "何パーセント",
        "何％",
        "何歳",
        "何割",
        "何キロ",
        "何メートル",
    ];
    let lower = question.trim_start_matches(['¿', ' ']).to_lowercase();
    OPENINGS.iter().any(|opening| lower.starts_with(opening)) || WIDE.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_names_by_number() {
        let check = |question: &str, expected: &[&str]| assert_eq!(named(&folded(question)), expected, "{question}");
        check("12月の売上はいくらですか。", &["12月"]);
        check("What does the MX-25 cost in 2026?", &["mx-25", "2026"]);
        check("ＢＸ-200の返品は何台でしたか", &["bx-200"]);
        check("2025年度の第3条", &["2025年", "3条"]);
        check("Who runs it?", &[]);
    }

    #[test]
    fn when_and_how_much_ask_for_figures() {
        let check = |question: &str, expected: bool| assert_eq!(asks_for_figure(question), expected, "{question}");
        check("When did the film open?", true);
        check("How much does it cost?", true);
        check("支払いはいつですか。", true);
        check("How do I undo a commit?", false);
        check("誰ですか", false);
    }
}
