use crate::llm::purpose::{ChangedSentence, ReviseInput, Revised, RevisedSentence};

/// Each sentence as the words that stand in the place of the first that changed.
pub(super) fn revise(input: &ReviseInput) -> Revised {
    let anew = |sentence: &ChangedSentence| {
        let changed = sentence.sources.iter().find(|source| source.now != source.was && !source.now.is_empty());
        RevisedSentence { number: sentence.number, text: changed.map(|source| source.now.clone()).unwrap_or_default() }
    };
    Revised { sentences: input.sentences.iter().map(anew).collect() }
}
