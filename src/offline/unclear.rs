//! What a question leaves open, as the documents show it: a name that several things have, or a document with several
//! versions. A point is worth a question back only where another reading would search other documents.

use std::collections::{BTreeMap, BTreeSet};

use super::change::asks_for_change;
use super::entities::{entities, years};
use super::namesakes::bearer;
use super::split::compares;
use super::terms::{content_set, detect_languages, has_stem};
use crate::base::text::{Language, is_cjk, one_line, sentences, short_line};
use crate::bundled::answer_language;
use crate::domain::StoredChunk;
use crate::report::{Edition, is_newer_version};

/// The most points to ask back about.
const MOST: usize = 3;
/// Versions are asked about if they are among this many documents that the question finds first in each collection.
const FIRST: usize = 10;
/// The most meanings of one name that are offered.
const MEANINGS: usize = 6;
/// The most characters of a meaning.
const LABEL_CHARS: usize = 60;
/// Two groups of documents tell of different things if the names they share are at most one in this many of the smaller
/// group's names.
const SHARED: usize = 3;

/// Something that a question leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPoint {
    /// The name, or the title of the document, that is ambiguous.
    pub name: String,
    /// Whether its meanings are versions of one document, the newest first.
    pub versions: bool,
    /// The possible meanings; at least two.
    pub meanings: Vec<Meaning>,
}

/// One of the things that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The meaning in the documents' words.
    pub label: String,
    /// The path, as stored, of the document that the label comes from.
    pub path: String,
    /// The paths, as stored, of all documents found about it.
    pub paths: Vec<String>,
}

/// A document among the findings, with the texts of its chunks.
struct Document<'c> {
    collection: &'c str,
    path: &'c str,
    title: &'c str,
    date: String,
    text: String,
    /// Its rank among the documents found in its collection, from 0.
    rank: usize,
}

/// The points that the question leaves open; `found` has the chunks found in each collection, the best first.
pub fn open_points(question: &str, found: &[Vec<StoredChunk>]) -> Vec<OpenPoint> {
    let documents: Vec<Document<'_>> = found.iter().flat_map(|found| documents(found)).collect();
    let spoken = detect_languages(documents.iter().map(|document| document.text.as_str()));
    let language = match answer_language(question, &spoken) {
        Language::UNKNOWN => Language::ENGLISH,
        found => found,
    };
    let mut points: Vec<OpenPoint> = Vec::new();
    for name in names(question, language) {
        let found = bearers(&name, question, &documents).or_else(|| subjects(&name, &documents, language));
        if let Some(meanings) = found {
            points.push(OpenPoint { name, versions: false, meanings });
        }
    }
    if !asks_for_change(question) && !compares(question) && !names_versions(question) && years(question).is_empty() {
        points.extend(versions(&documents));
    }
    points.truncate(MOST);
    points
}

/// The names in a question, each once. A word in capitals is a name wherever it stands.
fn names(question: &str, language: Language) -> Vec<String> {
    let is_acronym = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let words = question.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_acronym).map(str::to_owned);
    let mut names: Vec<String> = Vec::new();
    for name in entities(question, language).into_iter().map(|entity| entity.text).chain(words) {
        if !names.iter().any(|other| other.contains(&name)) {
            names.push(name);
        }
    }
    names
}

fn documents(found: &[StoredChunk]) -> Vec<Document<'_>> {
    let mut documents: Vec<Document<'_>> = Vec::new();
    for chunk in found {
        match documents.iter_mut().find(|document| document.path == chunk.path) {
            Some(document) => document.text.push_str(&format!("\n\n{}", chunk.text)),
            None => documents.push(Document {
                collection: &chunk.collection,
                path: &chunk.path,
                title: &chunk.title,
                date: chunk.date.map(|date| date.date.to_string()).unwrap_or_default(),
                text: chunk.text.clone(),
                rank: documents.len(),
            }),
        }
    }
    documents
}

/// The bearers of a name that the titles tell apart by the words in brackets behind it.
fn bearers(name: &str, question: &str, documents: &[Document<'_>]) -> Option<Vec<Meaning>> {
    let mut meanings: BTreeMap<String, Meaning> = BTreeMap::new();
    for document in documents.iter().filter(|document| mentions(document.title, name)) {
        let Some(inside) = bearer(question, document.title) else { continue };
        let (label, path) = (one_line(inside), document.path.to_owned());
        let new = || Meaning { label, path: path.clone(), paths: Vec::new() };
        meanings.entry(inside.to_lowercase()).or_insert_with(new).paths.push(document.path.to_owned());
    }
    several(meanings.into_values().collect())
}

/// The things that documents of different folders call by one name: their definitions share no word, and their
/// documents share few names.
fn subjects(name: &str, documents: &[Document<'_>], language: Language) -> Option<Vec<Meaning>> {
    let place = |document: &Document<'_>| format!("{}\n{}", document.collection, folder(document.path));
    let mut defined: BTreeMap<String, (String, String)> = BTreeMap::new();
    for document in documents {
        if let Some(label) = definition(&document.text, name) {
            defined.entry(place(document)).or_insert_with(|| (label, document.path.to_owned()));
        }
    }
    let mut meanings: Vec<(Meaning, BTreeSet<String>, BTreeSet<String>)> = Vec::new();
    for (at, (label, path)) in defined {
        let of_it: Vec<&Document<'_>> =
            documents.iter().filter(|document| place(document) == at && mentions(&document.text, name)).collect();
        let words = content_set(&label, language);
        let names = of_it.iter().flat_map(|document| name_words(&document.text, language));
        let names: BTreeSet<String> = names.filter(|word| !mentions(name, word)).collect();
        let is_another = |(_, other_words, other_names): &(Meaning, BTreeSet<String>, BTreeSet<String>)| {
            let shared = names.intersection(other_names).count();
            words.is_disjoint(other_words) && shared * SHARED <= names.len().min(other_names.len())
        };
        if !meanings.iter().all(is_another) {
            return None;
        }
        let paths = of_it.iter().map(|document| document.path.to_owned()).collect();
        meanings.push((Meaning { label, path, paths }, words, names));
    }
    several(meanings.into_iter().map(|(meaning, _, _)| meaning).collect())
}

/// The versions of one document that rank among the first documents found.
fn versions(documents: &[Document<'_>]) -> Option<OpenPoint> {
    let first: Vec<&Document<'_>> = documents.iter().filter(|document| document.rank < FIRST).collect();
    fn edition<'d>(document: &'d Document<'_>) -> Edition<'d> {
        Edition { title: document.title, path: document.path, date: &document.date, text: &document.text }
    }
    let is_newer = |one: &Document<'_>, other: &Document<'_>| is_newer_version(&edition(one), &edition(other));
    // The best document that has versions decides which document is asked about.
    let of_one = first.iter().find_map(|one| {
        let mut all: Vec<&Document<'_>> =
            first.iter().copied().filter(|other| is_newer(one, other) || is_newer(other, one)).collect();
        all.push(one);
        (all.len() > 1).then_some(all)
    });
    let mut all = of_one?;
    let rank = |one: &Document<'_>| all.iter().filter(|other| is_newer(other, one)).count();
    let ranks: BTreeMap<&str, usize> = all.iter().map(|one| (one.path, rank(one))).collect();
    all.sort_by_key(|one| (ranks.get(one.path).copied(), one.path));
    let label = |one: &Document<'_>| match one.date.as_str() {
        "" => one_line(one.title),
        date => format!("{}, {date}", one_line(one.title)),
    };
    let meaning = |one: &&Document<'_>| Meaning {
        label: label(one),
        path: one.path.to_owned(),
        paths: vec![one.path.to_owned()],
    };
    let meanings = several(all.iter().map(meaning).collect())?;
    Some(OpenPoint { name: one_line(all.first()?.title), versions: true, meanings })
}

fn several(mut meanings: Vec<Meaning>) -> Option<Vec<Meaning>> {
    meanings.truncate(MEANINGS);
    (meanings.len() > 1).then_some(meanings)
}

/// What a sentence of the text says that a name is: `ACME is a customer of ours`, `ACMEは取引先である`.
fn definition(text: &str, name: &str) -> Option<String> {
    const IS: [&str; 12] =
        [" is ", " was ", " are ", " were ", " ist ", " war ", " est ", " es ", " è ", "とは", "は、", "は"];
    const ARTICLES: [&str; 21] = [
        "a", "an", "the", "our", "one", "their", "its", "ein", "eine", "der", "die", "das", "un", "une", "le", "la",
        "una", "el", "il", "lo", "unser",
    ];
    const BEING: [&str; 5] = ["であった", "である", "でした", "です", "だ"];
    const ENDS: [char; 9] = ['.', '。', ',', '、', ';', '(', '（', ':', '\n'];
    sentences(text).find_map(|range| {
        let sentence = text[range].trim_start_matches(['#', '*', '-', ' ', '\n']);
        let sentence = sentence.strip_prefix("The ").unwrap_or(sentence);
        let after = sentence.strip_prefix(name)?;
        let said = IS.iter().find_map(|verb| after.strip_prefix(verb))?;
        let said = said.trim_start_matches(['、', ' ']).split(ENDS).next()?.trim();
        let said = BEING.iter().find_map(|being| said.strip_suffix(being)).unwrap_or(said);
        let first = said.split_whitespace().next()?;
        let is_thing = said.chars().any(is_cjk) || (ARTICLES.contains(&first) && first.len() < said.len());
        is_thing.then(|| short_line(said, LABEL_CHARS))
    })
}

/// The words of the names in a text, in lower case.
fn name_words(text: &str, language: Language) -> Vec<String> {
    let of = |name: &str| -> Vec<String> {
        let words = name.split_whitespace().filter(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()));
        words.map(str::to_lowercase).collect()
    };
    entities(text, language).iter().flat_map(|entity| of(&entity.text)).collect()
}

fn mentions(text: &str, name: &str) -> bool {
    text.to_lowercase().contains(&name.to_lowercase())
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a question speaks of versions, so that it wants several.
fn names_versions(question: &str) -> bool {
    let lower = question.to_lowercase().replace("復旧", "");
    ["version", "old", "earlier", "previous"].iter().any(|stem| has_stem(&lower, stem)) || lower.contains(['版', '旧'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChunkId, DateOrigin, DocumentDate, DocumentId, Headings};

    fn chunk(path: &str, title: &str, date: Option<&str>, text: &str) -> StoredChunk {
        StoredChunk {
            id: ChunkId { document: DocumentId(path.len() as u64), ordinal: 0 },
            collection: "c".to_owned(),
            path: path.to_owned(),
            title: title.to_owned(),
            date: date.map(|date| DocumentDate { date: date.parse().unwrap(), origin: DateOrigin::Metadata }),
            by: None,
            range: 0..text.len(),
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: Language::ENGLISH,
            text: text.to_owned(),
        }
    }

    #[test]
    fn questions_that_name_versions() {
        let check = |question: &str, expected: bool| assert_eq!(names_versions(question), expected, "{question}");
        check("What did the old rules say?", true);
        check("旧規程の内容は", true);
        check("How many households hold gold?", false);
        check("いつ復旧しましたか", false);
    }

    /// Checks the open points, each written as its name and its meanings with their documents.
    fn check(question: &str, found: &[StoredChunk], expected: &[&str]) {
        let meaning = |one: &Meaning| format!("{} = {}", one.label, one.paths.join(" "));
        let told = |point: &OpenPoint| {
            let meanings: Vec<String> = point.meanings.iter().map(meaning).collect();
            format!("{}: {}", point.name, meanings.join(" | "))
        };
        let points: Vec<String> = open_points(question, &[found.to_vec()]).iter().map(told).collect();
        assert_eq!(points, expected, "{question}");
    }

    #[test]
    fn one_name_of_two_things_is_asked_about() {
        let customer = chunk(
            "/contracts/2021/acme.md",
            "ACME",
            None,
            "ACME is a customer of ours since 2019. Its buyer is Petra Lang in Bremen.",
        );
        let more = chunk("/contracts/2021/terms.md", "Terms", None, "What we promise ACME: delivery within a week.");
        let project = chunk(
            "/wiki/acme/start.md",
            "Start",
            None,
            "ACME is the project that replaces the billing. Tomás Ruiz leads it from Madrid.",
        );
        let expected = "ACME: a customer of ours since 2019 = /contracts/2021/acme.md /contracts/2021/terms.md | the \
                        project that replaces the billing = /wiki/acme/start.md";
        let all = [customer.clone(), more.clone(), project];
        check("What did we promise ACME?", &all, &[expected]);
        check("What was promised in Bremen?", &all, &[]);
        // Two documents on one thing are no ambiguity, whatever each calls it.
        let same = chunk("/mail/a.md", "Mail", None, "ACME is our best customer. Petra Lang writes from Bremen again.");
        check("What did we promise ACME?", &[customer.clone(), more.clone(), same], &[]);
        let about = chunk("/mail/b.md", "Mail", None, "ACME is large. Petra Lang and Bremen are known to all.");
        check("What did we promise ACME?", &[customer, more, about], &[]);
    }

    #[test]
    fn bearers_are_told_apart_by_the_brackets_of_their_titles() {
        let album = chunk("/a.md", "Harbour Nights (Tilda Marsh album)", None, "An album.");
        let film = chunk("/b.md", "Harbour Nights (1949 film)", None, "A film.");
        let expected = "Harbour Nights: 1949 film = /b.md | Tilda Marsh album = /a.md";
        check("Who made Harbour Nights?", &[album.clone(), film], &[expected]);
        check("Who made Harbour Nights?", &[album], &[]);
    }

    #[test]
    fn versions_are_asked_about_unless_the_question_says_which() {
        let old = chunk("/rules-2021.md", "Travel rules", Some("2021-01-01"), "Hotels cost 90 euros.");
        let new = chunk("/rules-2023.md", "Travel rules", Some("2023-01-01"), "Hotels cost 120 euros.");
        let all = [old, new];
        let expected = "Travel rules: Travel rules, 2023-01-01 = /rules-2023.md | Travel rules, 2021-01-01 = \
                        /rules-2021.md";
        check("What may a hotel cost?", &all, &[expected]);
        check("What did a hotel cost in 2021?", &all, &[]);
        check("How did the price of a hotel change?", &all, &[]);
    }

    #[test]
    fn japanese_names_are_asked_about() {
        let firm = chunk("/契約/一.md", "契約", None, "ACMEは横浜の取引先である。担当は鈴木一郎。");
        let plan = chunk("/社内/二.md", "計画", None, "ACMEとは請求を置き換える計画である。佐藤花子が率いる。");
        let expected = "ACME: 横浜の取引先 = /契約/一.md | 請求を置き換える計画 = /社内/二.md";
        check("ACMEに何を約束しましたか", &[firm, plan], &[expected]);
    }
}
