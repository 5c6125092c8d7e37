//! A report as chat programs show it: its citations are links, and told apart from its words too.

use serde_json::{Value, json};

use crate::domain::DocumentId;
use crate::serve::library::address;

/// Keeps neighbouring citations apart while a text streams: Markdown reads `[1][2]` as one link.
#[derive(Debug, Default)]
pub(super) struct Spacer {
    /// Whether the text so far ends in a citation.
    after: Bracket,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Bracket {
    #[default]
    Outside,
    Open,
    Digits,
    Closed,
}

impl Spacer {
    /// The next piece of the text, as it is shown.
    pub fn piece(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for sign in piece.chars() {
            if sign == '[' && self.after == Bracket::Closed {
                shown.push(' ');
            }
            shown.push(sign);
            self.after = match (self.after, sign) {
                (_, '[') => Bracket::Open,
                (Bracket::Open | Bracket::Digits, sign) if sign.is_ascii_digit() => Bracket::Digits,
                (Bracket::Digits, ']') => Bracket::Closed,
                _ => Bracket::Outside,
            };
        }
        shown
    }
}

/// A source of a report, with its link.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    pub number: u64,
    pub title: String,
    pub url: String,
}

/// The sources of a report. What lies on this machine is read through the server's own interface, since browsers do not
/// follow links from a page to a file.
pub(super) fn sources(report: &Value, base: &str) -> Vec<Source> {
    let one = |citation: &Value| {
        let document = DocumentId(citation["chunk"]["document"].as_u64().unwrap_or_default());
        let path = citation["path"].as_str().unwrap_or_default();
        let url = match document.page() {
            Some(_) => address(path, None, document),
            None if crate::app::is_url(path) => path.to_owned(),
            None => format!("{base}/#read/{document}/{}", citation["chunk"]["ordinal"]),
        };
        Source {
            number: citation["number"].as_u64().unwrap_or_default(),
            title: citation["title"].as_str().unwrap_or_default().to_owned(),
            url,
        }
    };
    report["citations"].as_array().into_iter().flatten().map(one).collect()
}

/// What makes links of the citations in a text of Markdown; stands at its end, and shows nothing itself.
pub(super) fn definitions(sources: &[Source]) -> String {
    let mut text = String::new();
    for source in sources {
        let title: String = source
            .title
            .chars()
            .map(|sign| if matches!(sign, '"' | '\\' | '\n' | '\r') { ' ' } else { sign })
            .collect();
        let space = if text.is_empty() { "\n\n" } else { "\n" };
        text.push_str(&format!("{space}[{}]: <{}> \"{}\"", source.number, source.url, title.trim()));
    }
    text
}

/// Where the citations stand in a shown text, in characters, as OpenAI's clients count.
pub(super) fn annotations(text: &str, sources: &[Source]) -> Vec<Value> {
    let mut found = Vec::new();
    let signs: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(length) = signs.get(at..).and_then(|rest| rest.iter().position(|sign| *sign == '[')) {
        let start = at + length;
        let digits: String = signs.iter().skip(start + 1).take(7).take_while(|sign| sign.is_ascii_digit()).collect();
        let end = start + 1 + digits.len();
        at = start + 1;
        // What follows a definition's brackets is no citation.
        if signs.get(end) != Some(&']') || signs.get(end + 1) == Some(&':') {
            continue;
        }
        let Some(source) = digits.parse().ok().and_then(|number: u64| sources.iter().find(|one| one.number == number))
        else {
            continue;
        };
        found.push(json!({
            "type": "url_citation",
            "start_index": start,
            "end_index": end + 1,
            "url": source.url,
            "title": source.title,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_side_by_side_stay_two_links_however_the_text_is_cut() {
        let check = |text: &str, expected: &str| {
            let signs: Vec<String> = text.chars().map(String::from).collect();
            let mut spacer = Spacer::default();
            let by_sign: String = signs.iter().map(|sign| spacer.piece(sign)).collect();
            assert_eq!(by_sign, expected);
            assert_eq!(Spacer::default().piece(text), expected);
        };
        check("It grew [1][2], then fell[3] [4].", "It grew [1] [2], then fell[3] [4].");
        check("[a][1] [link](url)[2]", "[a][1] [link](url)[2]");
        check("批評[1][12][3]。", "批評[1] [12] [3]。");
    }

    #[test]
    fn annotations_stand_where_the_citations_do() {
        let source = |number| Source { number, title: "A \"b\"".to_owned(), url: "http://h/x".to_owned() };
        let text = "批評家 praised [1] it [9], [2].";
        let found = annotations(text, &[source(1), source(2)]);
        let cut = |one: &Value| {
            let range = |name: &str| one[name].as_u64().unwrap() as usize;
            text.chars().take(range("end_index")).skip(range("start_index")).collect::<String>()
        };
        assert_eq!(found.iter().map(cut).collect::<Vec<_>>(), ["[1]", "[2]"]);
        let all = format!("{text}{}", definitions(&[source(1)]));
        assert_eq!(annotations(&all, &[source(1), source(2)]).len(), 2);
        assert!(all.ends_with("\n\n[1]: <http://h/x> \"A  b\""), "{all}");
    }
}
