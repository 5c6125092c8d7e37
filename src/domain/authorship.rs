use serde::{Deserialize, Serialize};

use crate::base::text::{NAME_PARTICLES, is_cjk};

/// Who wrote a document and where it appeared, as far as the document, or a library beside it, says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authorship {
    /// The title in a reference manager; a document's own title is kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The year in which it appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<String>,
    /// The authors, in the document's order and spelling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The journal or the proceedings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// The publisher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The DOI, as in `10.1000/182`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The number at arXiv, as in `2301.01234`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<String>,
}

impl Authorship {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Authorship::default()
    }

    /// Fills the empty fields from another.
    pub fn or(self, other: Authorship) -> Authorship {
        Authorship {
            title: self.title.or(other.title),
            year: self.year.or(other.year),
            authors: if self.authors.is_empty() { other.authors } else { self.authors },
            journal: self.journal.or(other.journal),
            publisher: self.publisher.or(other.publisher),
            doi: self.doi.or(other.doi),
            arxiv: self.arxiv.or(other.arxiv),
        }
    }

    /// Author and year as in a list of sources, such as `Lovelace & Babbage (1843)`, if they come from a library: the
    /// author that a file names is often a program or an office.
    pub fn cited_as(&self) -> Option<String> {
        self.title.as_ref()?;
        let families: Vec<String> =
            self.authors.iter().map(|name| parted(name).0).filter(|name| !name.is_empty()).collect();
        let names = match families.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [one, other] => format!("{one} & {other}"),
            [one, ..] => format!("{one} et al."),
        };
        // The comma divides the parts of an entry, so none may contain it.
        let names = names.replace(',', "");
        Some(self.year.as_ref().map_or_else(|| names.clone(), |year| format!("{names} ({year})")))
    }
}

/// Splits a name into family name and given names. Names in Chinese, Japanese and Korean letters begin with the family
/// name; without a space they are not split.
pub fn parted(name: &str) -> (String, String) {
    if let Some((family, given)) = name.split_once(',') {
        return (family.trim().to_owned(), given.trim().replace(',', ""));
    }
    let words: Vec<&str> = name.split(' ').collect();
    if name.contains(is_cjk) {
        return (words[0].to_owned(), words[1..].join(" "));
    }
    let mut family = words.len().saturating_sub(1);
    while family > 1 && NAME_PARTICLES.contains(&words[family - 1]) {
        family -= 1;
    }
    (words[family..].join(" "), words[..family].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_sources_names_authors_that_a_library_told() {
        let check = |title: Option<&str>, authors: &[&str], year: Option<&str>, expected: Option<&str>| {
            let one = Authorship {
                title: title.map(str::to_owned),
                year: year.map(str::to_owned),
                authors: authors.iter().map(|name| (*name).to_owned()).collect(),
                ..Authorship::default()
            };
            assert_eq!(one.cited_as().as_deref(), expected, "{authors:?}");
        };
        check(Some("T"), &["Lovelace, Ada"], Some("1843"), Some("Lovelace (1843)"));
        check(Some("T"), &["Ada Lovelace", "Ludwig van Beethoven"], None, Some("Lovelace & van Beethoven"));
        check(
            Some("T"),
            &["\u{5c71}\u{7530} \u{592a}\u{90ce}", "B, C", "D, E"],
            Some("1999"),
            Some("\u{5c71}\u{7530} et al. (1999)"),
        );
        check(Some("T"), &[], Some("1999"), None);
        check(None, &["Ada Lovelace"], Some("1843"), None);
    }
}
