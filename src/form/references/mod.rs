//! The cited documents as a list of references, each once, in a style that journals and universities ask for. The list
//! of sources stays beside it: that one has the quotes, and this one has the works.

mod line;

use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use self::line::line;
use super::bibliography::{Entry, entries};
use super::model::{Block, Evidence, FormedReport, Inline, Sentence};
use crate::domain::{Authorship, parted};

/// The style in which references are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// American Psychological Association, 7th edition.
    Apa,
    /// The Chicago Manual of Style, author-date system.
    Chicago,
    /// The author-date style of British universities.
    Harvard,
    /// Institute of Electrical and Electronics Engineers.
    Ieee,
    /// Modern Language Association, 9th edition.
    Mla,
    /// The style of medical journals.
    Vancouver,
}

const STYLES: [(&str, Style); 6] = [
    ("apa", Style::Apa),
    ("chicago", Style::Chicago),
    ("harvard", Style::Harvard),
    ("ieee", Style::Ieee),
    ("mla", Style::Mla),
    ("vancouver", Style::Vancouver),
];

/// A style that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are the styles {}", STYLES.map(|(name, _)| name).join(", "))]
pub struct UnknownStyle;

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(name: &str) -> Result<Self, UnknownStyle> {
        let known = STYLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, style)| *style).ok_or(UnknownStyle)
    }
}

impl Style {
    /// Whether the list is sorted by author; otherwise it is in the order of first citation.
    fn is_sorted(self) -> bool {
        !matches!(self, Style::Ieee | Style::Vancouver)
    }
}

/// The documents that a report cites, as a list. Each ends with the numbers under which the report cites it. Empty if
/// it cites none. `authorship` returns what is known of a document.
pub fn references(report: &FormedReport, style: Style, authorship: impl FnMut(&Evidence) -> Authorship) -> Vec<Block> {
    let mut entries = entries(&report.evidence, report.language, authorship);
    if style.is_sorted() {
        entries.sort_by_cached_key(|entry| {
            let first = entry.said.authors.first().map(|name| parted(name));
            let names = first.map_or_else(|| entry.title.clone(), |(family, given)| format!("{family} {given}"));
            [names, entry.year().unwrap_or_default(), entry.title.clone()].map(|text| sortable(&text))
        });
    }
    let item = |entry: &Entry| {
        let mut words = line(entry, style);
        words.push(Inline::Text(" ".to_owned()));
        words.extend(entry.numbers.iter().map(|number| Inline::Cite(*number)));
        vec![Block::Paragraph(vec![Sentence { words, cites: Vec::new() }])]
    };
    let items: Vec<Vec<Block>> = entries.iter().map(item).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List { first: None, items }] }
}

/// The text without accents, in lower case, for sorting.
fn sortable(text: &str) -> String {
    text.nfd().filter(|one| !is_combining_mark(*one)).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::model::plain;

    fn said(authors: &[&str], year: Option<&str>) -> Authorship {
        Authorship {
            authors: authors.iter().map(|name| (*name).to_owned()).collect(),
            year: year.map(str::to_owned),
            ..Authorship::default()
        }
    }

    fn article() -> Entry {
        let said = said(&["Ada King Lovelace", "Babbage, Jean-Paul", "山田 太郎"], Some("1843"));
        Entry {
            title: "Notes on the Engine".to_owned(),
            path: "papers/a.pdf".to_owned(),
            date: Some("1843-09-01".to_owned()),
            said: Authorship { journal: Some("Annals".to_owned()), doi: Some("10.1000/x_1".to_owned()), ..said },
            ..Entry::default()
        }
    }

    fn preprint() -> Entry {
        let said = Authorship { arxiv: Some("1706.03762".to_owned()), ..said(&["Ashish van Aaswani"], None) };
        Entry { title: "Is it all?".to_owned(), path: "b.pdf".to_owned(), said, ..Entry::default() }
    }

    fn page() -> Entry {
        let path = "https://a.example/x".to_owned();
        Entry { title: "A page".to_owned(), path, accessed: Some(" 2026-03-04".to_owned()), ..Entry::default() }
    }

    fn book() -> Entry {
        let said = Authorship { publisher: Some("Blue & Co.".to_owned()), ..said(&["Knuth, Donald E."], Some("1968")) };
        Entry { title: "The Art".to_owned(), path: "art.epub".to_owned(), said, ..Entry::default() }
    }

    fn note() -> Entry {
        Entry { title: "The plan".to_owned(), path: "plan.md".to_owned(), ..Entry::default() }
    }

    /// The text of a reference, with emphasized parts between stars.
    fn told(entry: &Entry, style: Style) -> String {
        let word = |word: &Inline| match word {
            Inline::Emphasis(inner) => format!("*{}*", plain(inner)),
            other => plain(std::slice::from_ref(other)),
        };
        line(entry, style).iter().map(word).collect()
    }

    #[test]
    fn each_style_writes_each_kind() {
        let check = |style: Style, expected: [&str; 5]| {
            let entries = [article(), preprint(), page(), book(), note()];
            let found: Vec<String> = entries.iter().map(|entry| told(entry, style)).collect();
            assert_eq!(found, expected, "{style:?}");
        };
        check(
            Style::Apa,
            [
                "Lovelace, A. K., Babbage, J.-P., & 山田太郎. (1843). Notes on the Engine. *Annals*. https://doi.org/10.1000/x_1",
                "van Aaswani, A. (2017). *Is it all?* (arXiv:1706.03762). https://arxiv.org/abs/1706.03762",
                "*A page*. (n.d.). Retrieved March 4, 2026, from https://a.example/x",
                "Knuth, D. E. (1968). *The Art*. Blue & Co.",
                "*The plan*. (n.d.).",
            ],
        );
        check(
            Style::Chicago,
            [
                "Lovelace, Ada King, Jean-Paul Babbage, and 山田太郎. 1843. “Notes on the Engine.” *Annals*. https://doi.org/10.1000/x_1.",
                "van Aaswani, Ashish. 2017. “Is it all?” arXiv:1706.03762. https://arxiv.org/abs/1706.03762.",
                "“A page.” n.d. Accessed March 4, 2026. https://a.example/x.",
                "Knuth, Donald E. 1968. *The Art*. Blue & Co.",
                "“The plan.” n.d.",
            ],
        );
        check(
            Style::Harvard,
            [
                "Lovelace, A. K., Babbage, J.-P. and 山田太郎 (1843) ‘Notes on the Engine’, *Annals*. Available at: https://doi.org/10.1000/x_1.",
                "van Aaswani, A. (2017) *Is it all?* arXiv:1706.03762. Available at: https://arxiv.org/abs/1706.03762.",
                "*A page* (no date). Available at: https://a.example/x (Accessed: 4 March 2026).",
                "Knuth, D. E. (1968) *The Art*. Blue & Co.",
                "*The plan* (no date).",
            ],
        );
        check(
            Style::Ieee,
            [
                "A. K. Lovelace, J.-P. Babbage, and 山田太郎, “Notes on the Engine,” *Annals*, Sep. 1843, doi: 10.1000/x_1.",
                "A. van Aaswani, “Is it all?” 2017, arXiv:1706.03762. [Online]. Available: https://arxiv.org/abs/1706.03762",
                "“A page.” Accessed: Mar. 04, 2026. [Online]. Available: https://a.example/x",
                "D. E. Knuth, *The Art*. Blue & Co., 1968.",
                "“The plan.”",
            ],
        );
        check(
            Style::Mla,
            [
                "Lovelace, Ada King, et al. “Notes on the Engine.” *Annals*, 1 Sept. 1843, https://doi.org/10.1000/x_1.",
                "van Aaswani, Ashish. “Is it all?” arXiv:1706.03762, 2017, https://arxiv.org/abs/1706.03762.",
                "“A page.” https://a.example/x. Accessed 4 Mar. 2026.",
                "Knuth, Donald E. *The Art*. Blue & Co., 1968.",
                "“The plan.”",
            ],
        );
        check(
            Style::Vancouver,
            [
                "Lovelace AK, Babbage JP, 山田太郎. Notes on the Engine. Annals. 1843. doi:10.1000/x_1",
                "van Aaswani A. Is it all? [Internet]. 2017. Available from: https://arxiv.org/abs/1706.03762",
                "A page [Internet]. [cited 2026 Mar 4]. Available from: https://a.example/x",
                "Knuth DE. The Art. Blue & Co. 1968.",
                "The plan.",
            ],
        );
    }

    #[test]
    fn many_authors_are_cut_as_each_style_has_it() {
        let check = |style: Style, count: usize, expected: &str| {
            let names: Vec<String> = (0..count).map(|at| format!("F{at}, G")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let entry = Entry { said: said(&names, None), ..note() };
            let told = told(&entry, style);
            assert!(told.starts_with(expected), "{told}");
        };
        check(Style::Apa, 2, "F0, G., & F1, G. (");
        check(Style::Apa, 21, "F0, G., F1, G., ");
        let many: String = (0..19).map(|at| format!("F{at}, G., ")).collect();
        check(Style::Apa, 21, &format!("{many}. . . F20, G. ("));
        check(Style::Chicago, 11, "F0, G, G F1, G F2, G F3, G F4, G F5, G F6, et al. n.d. “");
        check(Style::Harvard, 4, "F0, G. et al. (");
        check(Style::Ieee, 2, "G. F0 and G. F1, “");
        check(Style::Ieee, 7, "G. F0 et al., “");
        check(Style::Mla, 2, "F0, G, and G F1. “");
        check(Style::Vancouver, 7, "F0 G, F1 G, F2 G, F3 G, F4 G, F5 G, et al. The");
    }

    #[test]
    fn each_work_is_listed_once_with_its_numbers_and_nothing_in_it_acts() {
        let list = "1. **Zebra**, `z.md`: “It began in 1989.”\n2. **Äpfel**, `a.md`: “So it was.”\n3. **Zebra**, `z.md`: “And on.”\n";
        let report =
            crate::form::parse_report(&format!("# T\n\nIt began in 1989 [1][2][3].\n\n## Sources\n\n{list}")).unwrap();
        let check = |style: Style, attack: &str, expected: [&str; 2]| {
            let said = |_: &Evidence| Authorship { doi: Some(attack.to_owned()), ..Authorship::default() };
            let blocks = references(&report, style, said);
            let [Block::List { first: None, items }] = blocks.as_slice() else { panic!("{blocks:?}") };
            let told = items.iter().map(|item| match item.as_slice() {
                [Block::Paragraph(sentences)] => {
                    let mark = |word: &Inline| match word {
                        Inline::Cite(number) => format!("[{number}]"),
                        Inline::Link { to, .. } => format!("<{to}>"),
                        other => plain(std::slice::from_ref(other)),
                    };
                    sentences[0].words.iter().map(mark).collect()
                }
                other => panic!("{other:?}"),
            });
            assert_eq!(told.collect::<Vec<String>>(), expected);
        };
        check(
            Style::Apa,
            "10.1/\"><x>",
            [
                "Äpfel. (n.d.). <https://doi.org/10.1/%22%3E%3Cx%3E> [2]",
                "Zebra. (n.d.). <https://doi.org/10.1/%22%3E%3Cx%3E> [1][3]",
            ],
        );
        check(Style::Ieee, "1", ["“Zebra,” doi: 1. [1][3]", "“Äpfel,” doi: 1. [2]"]);
    }
}
