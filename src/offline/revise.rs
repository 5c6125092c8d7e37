use crate::llm::purpose::{ChangedSentence, ReviseInput, Revised, RevisedSentence};

/// Rewrites each sentence to the words that replace its first source that changed.
pub(super) fn revise(input: &ReviseInput) -> Revised {
    let anew = |sentence: &ChangedSentence| {
        let changed = sentence.sources.iter().find(|source| source.now != source.was && !source.now.is_empty());
        RevisedSentence { number: sentence.number, text: changed.map(|source| source.now.clone()).unwrap_or_default() }
    };
    Revised { sentences: input.sentences.iter().map(anew).collect() }
}
