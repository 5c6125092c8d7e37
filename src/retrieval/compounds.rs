//! Query words that occur in no passage are supplemented with words that do: a word in a language that the documents do
//! not use by its translations into theirs; a compound by its parts; a German noun, or any word of a query none of
//! whose words occurs, by compounds and other longer words that contain it; a word of a highly inflected language by
//! likely other forms of it. A word that occurs in some passage is left as it is, since nothing tells more than the
//! word itself.

use std::ops::Range;

use crate::base::text::analysis::terms;
use crate::base::text::{Compound, Language, Spoken};
use crate::bundled::{translations, words_of};
use crate::store::{Store, StoreError, TermRelation};

/// The minimum number of characters of a word that is replaced (LEAST), and the maximum number of replacements (MOST).
const LEAST: usize = 4;
const MOST: usize = 3;

/// The maximum number of query words that are replaced: each may cost a walk through all terms.
const WORDS: usize = 8;

/// Returns `query` with replacements added after each word that no passage of the collections holds; `None` if there
/// are none. `spoken` are the languages of the collections: if one has compounds, a short query may be in it.
pub(super) async fn expand_unknown_words(
    query: &str,
    (language, spoken): (Language, &Spoken),
    collections: &[String],
    store: &dyn Store,
) -> Result<Option<String>, StoreError> {
    let joins = spoken.counts().any(|(language, _)| language.has_compounds());
    let is_foreign = language != Language::UNKNOWN && spoken.counts().all(|(spoken, _)| spoken != language);
    let is_long = |text: &str| text.chars().nth(LEAST - 1).is_some() && text.chars().all(char::is_alphabetic);
    let words: Vec<(Range<usize>, String)> = if is_foreign {
        let term = |word: &Range<usize>| terms(&query[word.clone()], language).into_iter().next();
        let words = words_of(query, language).into_iter();
        words.filter_map(|word| Some((word.clone(), term(&word)?.text))).collect()
    } else {
        let words = terms(query, language).into_iter().map(|term| (term.range, term.text));
        words.filter(|(word, _)| is_long(&query[word.clone()])).collect()
    };
    let wholes: Vec<String> = words.iter().map(|(_, term)| term.clone()).collect();
    // The count over all collections is available at no cost.
    let counted = if joins { collections } else { &[] };
    let (holding, _) = store.document_frequencies(counted, &wholes).await?;
    let is_held = holding.iter().any(|holding| *holding > 0);
    let mut text = String::new();
    let mut copied = 0;
    for ((word, term), _) in words.iter().zip(holding).filter(|(_, holding)| *holding == 0).take(WORDS) {
        // The parts of a camel-case name lie within it.
        if word.start < copied {
            continue;
        }
        let written = &query[word.clone()];
        let mut instead =
            if is_foreign { translated(written, language, spoken, collections, store).await? } else { Vec::new() };
        let is_open = instead.is_empty() && is_long(written);
        if is_open && let Some(compound) = Compound::of(written, language) {
            instead = parts(&compound, collections, store).await?;
        }
        // Both parts of a compound say what the compound says; one part alone says less than a longer word. Next to
        // words that do occur, something that only looks like a part would outweigh them.
        if instead.len() < 2 && is_open && (language.marks_noun(written) || !is_held) {
            let longer =
                like(term, language, if joins { TermRelation::Part } else { TermRelation::Longer }, store).await?;
            if !longer.is_empty() {
                instead = longer;
            }
        }
        if instead.is_empty() && is_open && language.inflects() {
            instead = like(term, language, TermRelation::Form, store).await?;
        }
        text.push_str(&query[copied..word.end]);
        copied = word.end;
        for part in instead {
            text.push(' ');
            text.push_str(&part);
        }
    }
    text.push_str(&query[copied..]);
    Ok((text != query).then_some(text))
}

/// Translations of a word into the languages of the documents, as far as they occur in passages.
async fn translated(
    word: &str,
    language: Language,
    spoken: &Spoken,
    collections: &[String],
    store: &dyn Store,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for (other, _) in spoken.counts() {
        let of_word = |word: String| terms(&word, other).into_iter().map(move |term| (word.clone(), term.text));
        let (mut words, stems): (Vec<_>, Vec<_>) =
            translations(word, language, other).into_iter().flat_map(of_word).unzip();
        let (holding, _) = store.document_frequencies(collections, &stems).await?;
        let mut holding = holding.into_iter();
        words.retain(|_| holding.next() > Some(0));
        words.dedup();
        found.extend(words.into_iter().take(MOST));
    }
    Ok(found)
}

/// Terms in the passages that are like a given term.
async fn like(
    term: &str,
    language: Language,
    like: TermRelation,
    store: &dyn Store,
) -> Result<Vec<String>, StoreError> {
    let mut found = store.like_terms(term, like, MOST).await?;
    // Anything that is not a single term of its own would be searched for as another word.
    found.retain(|other| matches!(terms(other, language).as_slice(), [only] if only.text == *other));
    Ok(found)
}

/// The parts of a compound that occur in passages.
async fn parts(compound: &Compound<'_>, collections: &[String], store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let terms: Vec<String> = compound.terms().into_iter().map(str::to_owned).collect();
    let (holding, _) = store.document_frequencies(collections, &terms).await?;
    let count = |term: &str| terms.binary_search_by(|one| one.as_str().cmp(term)).map_or(0, |at| holding[at]);
    Ok(compound.parts(count).into_iter().map(|(part, _)| part.to_owned()).collect())
}
