//! Compounds of a query that no passage holds are searched for by their parts. One that some passage holds is left whole:
//! nothing tells more than the word itself.

use crate::base::text::analysis::terms;
use crate::base::text::{Compound, Language};
use crate::store::{Store, StoreError};

/// `query` with the parts of each compound behind it that no passage of the collections holds; `None` where there is none.
pub(super) async fn with_parts(
    query: &str,
    language: Language,
    collections: &[String],
    store: &dyn Store,
) -> Result<Option<String>, StoreError> {
    let words = terms(query, language);
    let compounds = words.iter().filter_map(|word| Some((word, Compound::of(&query[word.range.clone()], language)?)));
    let compounds: Vec<_> = compounds.collect();
    if compounds.is_empty() {
        return Ok(None);
    }
    let wholes: Vec<String> = compounds.iter().map(|(word, _)| word.text.clone()).collect();
    let (holding, _) = store.document_frequencies(collections, &wholes).await?;
    let mut text = String::new();
    let mut copied = 0;
    for ((word, compound), _) in compounds.iter().zip(holding).filter(|(_, holding)| *holding == 0) {
        let terms: Vec<String> = compound.terms().into_iter().map(str::to_owned).collect();
        let (holding, _) = store.document_frequencies(collections, &terms).await?;
        let count = |term: &str| terms.binary_search_by(|one| one.as_str().cmp(term)).map_or(0, |at| holding[at]);
        text.push_str(&query[copied..word.range.end]);
        copied = word.range.end;
        for (part, _) in compound.parts(count) {
            text.push(' ');
            text.push_str(part);
        }
    }
    text.push_str(&query[copied..]);
    Ok((text != query).then_some(text))
}
