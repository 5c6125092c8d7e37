//! Passages named by a good hit. A question about the country where a river flows finds the river's passage, which
//! names the country; the country's own passage shares few words with the question. If the text of a hit holds the
//! title of another document, the best passage of that document is moved up towards the hit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::fuse::Candidate;
use super::late::inverse_document_frequency;
use crate::base::text::Language;
use crate::base::text::analysis::for_each_term;
use crate::domain::{ChunkId, DocumentId, StoredChunk};
use crate::store::{Store, StoreError};

/// The number of best hits that are searched for titles.
pub(super) const READ_HITS: usize = 3;

/// The maximum number of named passages that are considered.
const MOST: usize = 32;

/// A title is not a name if its rarest word is in more than about one in twenty passages: `Introduction`, `Notes`.
const LEAST_RARITY: f32 = 3.0;

/// A candidate whose document title occurs in the text of a hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The passage of the named document.
    pub candidate: Candidate,
    /// The title of its document.
    pub title: Arc<str>,
    /// The score of the best hit that names the title.
    pub hit_score: f32,
}

/// The candidates of `fused` whose document title one of `hits` names, in the order of `fused`. `titles` are the titles
/// of the documents; each hit comes with its score.
pub(super) async fn links(
    store: &dyn Store,
    fused: &[Candidate],
    titles: BTreeMap<DocumentId, Arc<str>>,
    hits: &[(&StoredChunk, f32)],
) -> Result<Vec<Link>, StoreError> {
    let texts: Vec<HitText> = hits.iter().map(|&(chunk, score)| HitText::of(chunk, score)).collect();
    // Each title is analysed once per language of the hits.
    let languages: HashSet<Language> = hits.iter().map(|(chunk, _)| chunk.language).collect();
    // For each named document: its title, the terms of its name, and the score of the best hit that names it.
    let mut named: BTreeMap<DocumentId, (Arc<str>, Vec<String>, f32)> = BTreeMap::new();
    for (document, title) in titles {
        let names: HashMap<Language, Vec<String>> =
            languages.iter().map(|&language| (language, words(name_in(&title), language))).collect();
        let naming = texts.iter().filter_map(|hit| {
            let name = names.get(&hit.chunk.language)?;
            hit.names(document, &title, name).then_some((name, hit.score))
        });
        if let Some((name, score)) = naming.reduce(|a, b| if b.1 > a.1 { b } else { a }) {
            named.insert(document, (title, name.clone(), score));
        }
    }
    let words: BTreeSet<&String> = named.values().flat_map(|(_, words, _)| words).collect();
    let words: Vec<String> = words.into_iter().cloned().collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let (holding, chunks) = store.document_frequencies(&[], &words).await?;
    let rare: BTreeSet<&str> = words
        .iter()
        .zip(holding)
        .filter(|&(_, holding)| inverse_document_frequency(holding, chunks) >= LEAST_RARITY)
        .map(|(word, _)| word.as_str())
        .collect();
    named.retain(|_, (_, words, _)| words.iter().any(|word| rare.contains(word.as_str())));
    let link = |candidate: &Candidate| {
        let (title, _, hit_score) = named.get(&candidate.id.document)?;
        Some(Link { candidate: *candidate, title: Arc::clone(title), hit_score: *hit_score })
    };
    Ok(fused.iter().filter_map(link).take(MOST).collect())
}

/// A hit prepared for the search for titles.
struct HitText<'h> {
    chunk: &'h StoredChunk,
    score: f32,
    terms: Vec<String>,
    /// The positions of each term, since most titles begin with a word that the text lacks.
    places: HashMap<String, Vec<usize>>,
}

impl<'h> HitText<'h> {
    fn of(chunk: &'h StoredChunk, score: f32) -> Self {
        let terms = words(&chunk.text, chunk.language);
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, term) in terms.iter().enumerate() {
            places.entry(term.clone()).or_default().push(place);
        }
        HitText { chunk, score, terms, places }
    }

    /// Whether the text holds `title`, whose name has the terms `name`, and it belongs to another document.
    fn names(&self, document: DocumentId, title: &str, name: &[String]) -> bool {
        let first = name.first().and_then(|first| self.places.get(first)).map_or(&[][..], Vec::as_slice);
        document != self.chunk.id.document
            && title != self.chunk.title
            && first.iter().any(|&place| self.terms[place..].starts_with(name))
    }
}

fn words(text: &str, language: Language) -> Vec<String> {
    let mut words = Vec::new();
    for_each_term(text, language, |term, _, _| words.push(term.to_owned()));
    words
}

/// A title without a disambiguation in parentheses at its end: `Mercury (planet)`.
fn name_in(title: &str) -> &str {
    match title.trim_end().strip_suffix([')', '）']).and_then(|inner| inner.rfind(['(', '（'])) {
        Some(opening) if opening > 0 => title[..opening].trim_end(),
        _ => title,
    }
}

/// Moves the candidate of each link up: `weight` of the way from its own score to the score of the hit that names it,
/// so never above the hit. Of several passages with one title, only the best is moved. `candidates` are in order of
/// falling score, before and after; a candidate that is not among them is added.
pub fn raise(candidates: &mut Vec<Candidate>, links: &[Link], weight: f32) {
    let mut best: BTreeMap<&str, Candidate> = BTreeMap::new();
    for link in links {
        let own = link.candidate.score;
        let raised = Candidate { score: own + weight * (link.hit_score - own), ..link.candidate };
        if raised.score > own && best.get(&*link.title).is_none_or(|best| raised.score > best.score) {
            best.insert(&link.title, raised);
        }
    }
    let moved: BTreeSet<ChunkId> = best.values().map(|candidate| candidate.id).collect();
    candidates.retain(|candidate| !moved.contains(&candidate.id));
    for raised in best.into_values() {
        let place = candidates.partition_point(|candidate| {
            candidate.score > raised.score || (candidate.score == raised.score && candidate.id < raised.id)
        });
        candidates.insert(place, raised);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Headings, ScoreParts};

    fn hit(title: &str, text: &str) -> StoredChunk {
        StoredChunk {
            id: ChunkId { document: DocumentId(1), ordinal: 0 },
            collection: "c".to_owned(),
            path: "/1".to_owned(),
            title: title.to_owned(),
            date: None,
            by: None,
            range: 0..text.len(),
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: crate::base::text::detect_language(text),
            text: text.to_owned(),
        }
    }

    fn check_named(text: &str, title: &str, expected: bool) {
        let chunk = hit("Bubye River", text);
        let found = HitText::of(&chunk, 1.0).names(DocumentId(2), title, &words(name_in(title), chunk.language));
        assert_eq!(found, expected, "{title:?} in {text:?}");
    }

    #[test]
    fn a_title_is_named_where_its_words_follow_each_other() {
        let text = "The Bubye River is a river of southern Zimbabwe, and flows into the Limpopo at Beitbridge.";
        check_named(text, "Zimbabwe", true);
        check_named(text, "Limpopo (river)", true);
        check_named(text, "River (album)", true);
        check_named(text, "Southern Zimbabwe", true);
        check_named(text, "Zimbabwe River", false);
        check_named(text, "Zambia", false);
        check_named(text, "", false);
        check_named(text, "The", false);
        check_named("東大寺は奈良県奈良市にある寺院である。", "奈良市", true);
    }

    #[test]
    fn a_hit_does_not_name_itself() {
        let chunk = hit("Bubye River", "The Bubye River is a river.");
        let hit = HitText::of(&chunk, 1.0);
        let names = |document, title| hit.names(DocumentId(document), title, &words(title, chunk.language));
        assert!(!names(1, "River"), "its own document");
        assert!(!names(2, "Bubye River"), "a part of the same");
        assert!(names(2, "River"), "another");
    }

    #[test]
    fn what_tells_a_title_from_others_is_left_out() {
        for (title, expected) in [
            ("Mercury (planet)", "Mercury"),
            ("(untitled)", "(untitled)"),
            ("f(x) (x)", "f(x)"),
            ("a (b) c", "a (b) c"),
        ] {
            assert_eq!(name_in(title), expected);
        }
    }

    /// Candidates by falling score; links as (candidate, its score, title, score of the hit).
    fn check_raise(given: &[(u64, f32)], links: &[(u64, f32, &str, f32)], expected: &[(u64, f32)]) {
        let candidate = |document, score| Candidate {
            id: ChunkId { document: DocumentId(document), ordinal: 0 },
            score,
            parts: ScoreParts::default(),
        };
        let mut candidates: Vec<Candidate> = given.iter().map(|&(id, score)| candidate(id, score)).collect();
        let links: Vec<Link> = links
            .iter()
            .map(|&(id, own, title, hit_score)| Link { candidate: candidate(id, own), title: title.into(), hit_score })
            .collect();
        raise(&mut candidates, &links, 0.5);
        let found: Vec<(u64, f32)> = candidates.iter().map(|hit| (hit.id.document.0, hit.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_named_passage_goes_half_the_way_to_the_hit() {
        let given = [(1, 10.0), (2, 7.0), (3, 4.0), (4, 2.0)];
        check_raise(&given, &[(4, 2.0, "Four", 10.0)], &[(1, 10.0), (2, 7.0), (4, 6.0), (3, 4.0)]);
        check_raise(&given, &[(9, 0.0, "Nine", 10.0)], &[(1, 10.0), (2, 7.0), (9, 5.0), (3, 4.0), (4, 2.0)]);
        check_raise(&given, &[], &given);
    }

    #[test]
    fn a_passage_above_the_hit_stays() {
        let given = [(1, 10.0), (2, 7.0)];
        check_raise(&given, &[(1, 10.0, "One", 7.0)], &given);
    }

    #[test]
    fn of_one_title_only_the_best_is_moved() {
        let given = [(1, 10.0), (2, 7.0), (3, 4.0), (4, 2.0)];
        let links = [(4, 2.0, "Same", 10.0), (3, 4.0, "Same", 10.0)];
        check_raise(&given, &links, &[(1, 10.0), (2, 7.0), (3, 7.0), (4, 2.0)]);
    }
}
