//! What a document says of its own publication: who wrote it, where it appeared, and the names under which it is known.

use super::xml::{self, Node};
use crate::base::text::one_line;
use crate::domain::Authorship;

/// The most authors that are kept; a longer list is not a list of authors.
const MOST_AUTHORS: usize = 200;
/// The length in bytes above which a name is not a name.
const LONGEST_NAME: usize = 120;
/// The length in bytes at which a DOI is cut off, so that the search for one takes time linear in the text.
const LONGEST_DOI: usize = 300;

/// The fields of Dublin Core and PRISM that are read.
const FIELDS: [&str; 5] = ["creator", "publisher", "publicationName", "doi", "identifier"];

/// Adds the value of a field.
pub(super) fn take(said: &mut Authorship, field: &str, text: &str) {
    let words = Some(one_line(text)).filter(|words| !words.is_empty());
    match (field, words) {
        // Some documents repeat each author in several variants of the field.
        ("creator", Some(words)) if said.authors.len() < MOST_AUTHORS => {
            let new: Vec<String> = names(&words).into_iter().filter(|name| !said.authors.contains(name)).collect();
            said.authors.extend(new);
        }
        ("publisher", Some(words)) => said.publisher = said.publisher.take().or(Some(words)),
        ("publicationName", Some(words)) => said.journal = said.journal.take().or(Some(words)),
        ("doi" | "identifier", Some(words)) => said.doi = said.doi.take().or_else(|| doi_in(&words)),
        _ => {}
    }
}

/// Reads the XML of a PDF or an EPUB, in the vocabularies of Dublin Core and PRISM. Broken XML yields nothing.
pub(super) fn authorship_in_xml(bytes: Vec<u8>) -> Authorship {
    let mut said = Authorship::default();
    // The open field, empty outside of one, and the words so far in it or in an item of its list.
    let (mut field, mut text) = (String::new(), String::new());
    let broken = xml::walk(bytes, "XML", |node| {
        match node {
            Node::Open(element) if FIELDS.contains(&element.name()) => {
                field = element.name().to_owned();
                text.clear();
            }
            Node::Open(element) if element.name() == "li" => text.clear(),
            Node::Text(words) if !field.is_empty() => text.push_str(words),
            Node::Close(name) if name == field || name == "li" => {
                take(&mut said, &field, &text);
                text.clear();
                if name == field {
                    field.clear();
                }
            }
            Node::Open(_) | Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    });
    if broken.is_err() { Authorship::default() } else { said }
}

/// The authors in one field: `A. One and B. Two`, `One, A.; Two, B.`, `A. One, B. Two`.
pub(super) fn names(field: &str) -> Vec<String> {
    let line = one_line(&field.replace('\0', "").replace(['、', '，', '；'], ";"));
    let by = |mark: &str| line.split(mark).map(str::to_owned).collect::<Vec<String>>();
    let pieces = if line.contains(';') {
        by(";")
    } else if line.contains(" and ") || line.contains(" & ") {
        let line = line.replace(" & ", " and ");
        let parts: Vec<&str> = line.split(" and ").collect();
        // In `One, A. and Two, B.` the commas are within names; in `A. One, B. Two and C. Three` they separate names.
        let within = parts.iter().all(|part| part.matches(',').count() == 1 && is_family_first(part));
        if within {
            parts.into_iter().map(str::to_owned).collect()
        } else {
            parts.iter().flat_map(|part| part.split(',')).map(str::to_owned).collect()
        }
    } else if line.matches(',').count() == 1 && is_family_first(&line) {
        vec![line.clone()]
    } else {
        by(",")
    };
    pieces.iter().filter_map(|name| one_name(name)).take(MOST_AUTHORS).collect()
}

/// The name in a field that holds one person; `None` if it names nobody.
pub(super) fn one_name(field: &str) -> Option<String> {
    let name = field.trim().trim_end_matches(',').trim_end();
    let words = name.trim_matches(['.', ',']).to_lowercase();
    let is_usable = !matches!(
        words.as_str(),
        "" | "anonymous" | "unknown" | "author" | "user" | "admin" | "administrator" | "root"
    ) && name.chars().any(char::is_alphabetic)
        && name.len() <= LONGEST_NAME;
    is_usable.then(|| name.to_owned())
}

/// Whether the part before the comma is one family name and the part after it given names.
fn is_family_first(name: &str) -> bool {
    name.split_once(',').is_some_and(|(family, given)| {
        !family.trim().contains(' ') && given.split_whitespace().count() <= 3 && !given.trim().is_empty()
    })
}

/// The first DOI of a text.
pub(super) fn doi_in(text: &str) -> Option<String> {
    for (at, _) in text.match_indices("10.") {
        if text[..at].ends_with(|before: char| before.is_ascii_digit() || before == '.') {
            continue;
        }
        let rest = &text[at..text.floor_char_boundary(at + LONGEST_DOI)];
        let end = rest
            .find(|one: char| one.is_whitespace() || matches!(one, '"' | '<' | '>' | '{' | '}' | ',' | ';' | '|'))
            .unwrap_or(rest.len());
        let doi = rest[..end].trim_end_matches(['.', ')', ']', '\'', ':']);
        let Some((registrant, suffix)) = doi.get(3..).and_then(|rest| rest.split_once('/')) else { continue };
        if (4..=9).contains(&registrant.len())
            && registrant.bytes().all(|byte| byte.is_ascii_digit())
            && !suffix.is_empty()
        {
            return Some(doi.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_told_apart() {
        let check = |field: &str, expected: &[&str]| assert_eq!(names(field), expected, "{field}");
        check("Ada Lovelace", &["Ada Lovelace"]);
        check("Ada Lovelace and Charles Babbage", &["Ada Lovelace", "Charles Babbage"]);
        check(
            "Ada Lovelace, Charles Babbage and Mary Somerville",
            &["Ada Lovelace", "Charles Babbage", "Mary Somerville"],
        );
        check("Lovelace, A.; Babbage, C.", &["Lovelace, A.", "Babbage, C."]);
        check("Lovelace, Ada and Babbage, Charles", &["Lovelace, Ada", "Babbage, Charles"]);
        check("Lovelace, Ada", &["Lovelace, Ada"]);
        check("A. One, B. Two, C. Three", &["A. One", "B. Two", "C. Three"]);
        check("山田太郎", &["山田太郎"]);
        check("山田 太郎、鈴木花子；王伟", &["山田 太郎", "鈴木花子", "王伟"]);
        check("Administrator", &[]);
        check(" \0, 12", &[]);
    }

    #[test]
    fn xml_of_a_paper_is_read() {
        let xmp = "<x:xmpmeta xmlns:x='a' xmlns:rdf='b' xmlns:dc='c' xmlns:prism='d'><rdf:RDF><rdf:Description>\
                   <dc:creator><rdf:Seq><rdf:li>Ada Lovelace</rdf:li><rdf:li>Charles Babbage</rdf:li></rdf:Seq></dc:creator>\
                   <prism:doi>10.1000/182</prism:doi><prism:publicationName>Annals</prism:publicationName>\
                   </rdf:Description></rdf:RDF></x:xmpmeta>";
        let said = authorship_in_xml(xmp.as_bytes().to_vec());
        assert_eq!(said.authors, ["Ada Lovelace", "Charles Babbage"]);
        assert_eq!((said.doi.as_deref(), said.journal.as_deref()), (Some("10.1000/182"), Some("Annals")));
        assert_eq!(authorship_in_xml(b"<dc:creator>A".to_vec()), Authorship::default());
    }
}
