//! The conversation of the strategy `react`: what the model said and called, and how much of that the next prompt
//! shows. The calls are carried out in `tool_use.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text::{estimate_tokens, excerpt};
use crate::domain::{ChunkId, Hit};
use crate::llm::purpose::ToolResult;
use crate::llm::{Message, Role, ToolCall};

/// The most characters kept of what the model says beside its calls.
const MAX_SAID_CHARS: usize = 2_000;
/// The most characters kept of it in turns whose results are no longer shown.
const MAX_OLD_SAID_CHARS: usize = 200;
/// The number of newest turns that a prompt shows; older ones are left out altogether.
const MAX_TURNS: usize = 30;

/// One message of the model, with the answers to its calls.
#[derive(Debug)]
pub(super) struct Turn {
    /// Counted from 1.
    pub step: usize,
    /// What the model said beside its calls.
    pub said: String,
    /// Its calls, each with its result.
    pub calls: Vec<(ToolCall, String)>,
    /// What the model is told if it called nothing.
    pub remark: Option<String>,
}

impl Turn {
    fn tokens(&self) -> u64 {
        let results =
            self.calls.iter().map(|(call, result)| estimate_tokens(&call.arguments) + estimate_tokens(result));
        estimate_tokens(&self.said) + results.sum::<u64>()
    }
}

/// A conversation with a model that has the tools, and what the tools have returned so far.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    turns: Vec<Turn>,
    /// Every call with its result, as typed data.
    pub taken: Vec<ToolResult>,
    /// The step at which each passage was read.
    pub read: BTreeMap<ChunkId, usize>,
    /// The searches that found each passage, as indices into the list of all searches.
    pub found_by: BTreeMap<ChunkId, BTreeSet<usize>>,
    /// Each search with its hits, of which the model was shown sentences.
    pub shown: Vec<(usize, Vec<Hit>)>,
    /// Whether the model was told that it must search or read before it answers.
    pub urged: bool,
    /// The number of replies in a row that were neither calls nor an answer.
    pub broken: usize,
}

impl Conversation {
    /// The next turn's number.
    pub fn next_step(&self) -> usize {
        self.turns.last().map_or(1, |turn| turn.step + 1)
    }

    pub fn push(&mut self, mut turn: Turn) {
        turn.said = excerpt(turn.said.trim(), MAX_SAID_CHARS).into_owned();
        self.turns.push(turn);
    }

    /// The step at which a passage was read, if the prompt still shows it there.
    pub fn seen_at(&self, chunk: ChunkId, max_tokens: u64) -> Option<usize> {
        let whole_from = self.turns.get(self.first_whole(max_tokens)).map_or(0, |turn| turn.step);
        self.read.get(&chunk).copied().filter(|step| *step >= whole_from)
    }

    /// The messages after the question. The newest results that fit into `max_tokens` are shown in full, and those of
    /// the last turn always. Each older one is replaced by a line, so that the prompts of a long run do not grow.
    pub fn messages(&self, max_tokens: u64) -> Vec<Message> {
        let first_whole = self.first_whole(max_tokens);
        let oldest = self.turns.len().saturating_sub(MAX_TURNS);
        let mut messages = Vec::new();
        for (index, turn) in self.turns.iter().enumerate().skip(oldest) {
            let whole = index >= first_whole;
            let said = if whole { turn.said.as_str().into() } else { excerpt(&turn.said, MAX_OLD_SAID_CHARS) };
            let calls = turn.calls.iter().map(|(call, _)| call.clone()).collect();
            // Several endpoints refuse a message without words and without calls.
            let said = if said.is_empty() && turn.calls.is_empty() { "(nothing)".into() } else { said };
            messages.push(Message { tool_calls: calls, ..Message::text(Role::Assistant, said) });
            for (call, result) in &turn.calls {
                let result = match whole {
                    true => result.clone(),
                    false => format!("(shown at step {}; search or read again if it is needed)", turn.step),
                };
                messages.push(Message { tool_call_id: Some(call.id.clone()), ..Message::text(Role::Tool, result) });
            }
            messages.extend(turn.remark.as_ref().map(|remark| Message::text(Role::User, remark)));
        }
        messages
    }

    /// The index of the first turn that is shown in full.
    fn first_whole(&self, max_tokens: u64) -> usize {
        let mut left = max_tokens;
        let mut first = self.turns.len();
        for (index, turn) in self.turns.iter().enumerate().rev() {
            let tokens = turn.tokens();
            if tokens > left && first < self.turns.len() {
                break;
            }
            left = left.saturating_sub(tokens);
            first = index;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DocumentId;

    fn turn(step: usize, words: usize) -> Turn {
        let name = "keyword_search".to_owned();
        let call = ToolCall { id: format!("call_{step}"), name, arguments: "{}".to_owned() };
        Turn { step, said: String::new(), calls: vec![(call, "word ".repeat(words))], remark: None }
    }

    /// Checks how many results of a conversation are shown in full.
    fn check(turns: &[usize], max_tokens: u64, expected: usize) {
        let mut talk = Conversation::default();
        for (index, words) in turns.iter().enumerate() {
            talk.push(turn(index + 1, *words));
            talk.read.insert(ChunkId { document: DocumentId(index as u64), ordinal: 0 }, index + 1);
        }
        let messages = talk.messages(max_tokens);
        let whole = messages.iter().filter(|message| message.content.starts_with("word ")).count();
        assert_eq!(whole, expected);
        let seen = (0..turns.len()).map(|document| ChunkId { document: DocumentId(document as u64), ordinal: 0 });
        assert_eq!(seen.filter(|chunk| talk.seen_at(*chunk, max_tokens).is_some()).count(), expected);
    }

    #[test]
    fn old_results_are_left_to_a_line() {
        check(&[100, 100, 100], 1_000, 3);
        check(&[100, 100, 100], 260, 2);
        check(&[100, 100, 100], 10, 1);
        check(&[10, 1_000, 10], 100, 1);
        check(&[], 100, 0);
    }

    #[test]
    fn a_long_conversation_has_an_end() {
        let mut talk = Conversation::default();
        for step in 1..=500 {
            talk.push(turn(step, 50));
        }
        let tokens: u64 = talk.messages(1_000).iter().map(|message| estimate_tokens(&message.content)).sum();
        assert!(tokens < 1_000 + 30 * 20, "{tokens}");
    }
}
