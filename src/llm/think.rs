//! Separates `<think>…</think>` from the answer in a stream, however the stream is split.
//!
//! What counts as reasoning:
//! - `<think>` preceded by nothing but white space: everything up to its `</think>`, or to the end if there is none
//!   (the model ran out of tokens while thinking).
//! - `<think>` later on: only if its `</think>` follows; otherwise both stay part of the answer, which may be about the
//!   tag itself.
//! - Everything before a `</think>` at the beginning of a line, if no `<think>` opened it and it is the first tag:
//!   some chat templates open the thought in the prompt, and the model only closes it. This is noticed late, so the
//!   caller is told ([`Piece::ThoughtSoFar`]) and may start the next reply with [`ThinkSplitter::inside`].

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A classified piece of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Part of the answer.
    Text(&'a str),
    /// Part of the reasoning.
    Reasoning(&'a str),
    /// All text so far was reasoning.
    ThoughtSoFar,
}

/// Separates a stream into answer and reasoning; keeps its state between pieces.
#[derive(Clone, Debug)]
pub struct ThinkSplitter {
    mode: Mode,
    /// Text that is read but not yet classified, since it may be the beginning of a tag.
    pending: String,
    /// A thought that counts as reasoning only if it is closed, without its opening tag.
    held: String,
    /// Whether any tag was acted on.
    tagged: bool,
    /// Whether anything but white space was emitted as text.
    has_text: bool,
    /// Whether the text so far ends a line.
    at_line_start: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// In the answer.
    Answer,
    /// In a thought, whether or not it will be closed.
    Thought,
    /// In a thought that is held back until it is closed. `opened`: by a tag in the reply.
    Held { opened: bool },
}

impl Default for ThinkSplitter {
    fn default() -> Self {
        ThinkSplitter::with(Mode::Answer)
    }
}

impl ThinkSplitter {
    /// For a model known to begin inside a thought. If no `</think>` comes, everything is the answer after all.
    pub fn inside() -> Self {
        ThinkSplitter::with(Mode::Held { opened: false })
    }

    fn with(mode: Mode) -> Self {
        ThinkSplitter {
            mode,
            pending: String::new(),
            held: String::new(),
            tagged: false,
            has_text: false,
            at_line_start: true,
        }
    }

    /// Takes the next piece of the stream.
    pub fn push(&mut self, delta: &str, emit: &mut dyn FnMut(Piece<'_>)) {
        self.pending.push_str(delta);
        while self.step(emit) {}
    }

    /// Takes the end of the stream.
    pub fn finish(&mut self, emit: &mut dyn FnMut(Piece<'_>)) {
        let rest = std::mem::take(&mut self.pending);
        match self.mode {
            Mode::Answer => self.emit_text(&rest, emit),
            Mode::Thought => emit_reasoning(&rest, emit),
            Mode::Held { opened } => {
                let held = std::mem::take(&mut self.held);
                if opened {
                    self.emit_text(OPEN, emit);
                }
                self.emit_text(&held, emit);
                self.emit_text(&rest, emit);
            }
        }
    }

    /// Classifies the pending text up to and including the first tag; returns false when more is needed.
    fn step(&mut self, emit: &mut dyn FnMut(Piece<'_>)) -> bool {
        let tags: &[&str] = match self.mode {
            Mode::Answer => &[OPEN, CLOSE],
            Mode::Thought | Mode::Held { .. } => &[CLOSE],
        };
        let first = tags.iter().filter_map(|tag| Some((self.pending.find(tag)?, *tag))).min();
        let (end, tag) = match first {
            Some((at, tag)) => (at, Some(tag)),
            None => (self.pending.len() - held_back(&self.pending, tags), None),
        };
        let head: String = self.pending.drain(..end).collect();
        match self.mode {
            Mode::Answer => self.emit_text(&head, emit),
            Mode::Thought => emit_reasoning(&head, emit),
            Mode::Held { .. } => self.held.push_str(&head),
        }
        let Some(tag) = tag else { return false };
        self.pending.drain(..tag.len());
        self.act_on(tag, emit);
        true
    }

    fn act_on(&mut self, tag: &str, emit: &mut dyn FnMut(Piece<'_>)) {
        let first = !std::mem::replace(&mut self.tagged, true);
        match (self.mode, tag) {
            (Mode::Answer, OPEN) if self.has_text => self.mode = Mode::Held { opened: true },
            (Mode::Answer, OPEN) => self.mode = Mode::Thought,
            (Mode::Answer, _) if first && self.at_line_start => {
                emit(Piece::ThoughtSoFar);
                self.has_text = false;
            }
            (Mode::Answer, _) => self.emit_text(tag, emit),
            (Mode::Thought, _) => self.mode = Mode::Answer,
            (Mode::Held { opened }, _) => {
                let held = std::mem::take(&mut self.held);
                let thought = match opened {
                    true => held.as_str(),
                    false => held.trim_start().strip_prefix(OPEN).unwrap_or(&held),
                };
                emit_reasoning(thought, emit);
                self.mode = Mode::Answer;
            }
        }
    }

    /// Emits text of the answer, without its leading white space.
    fn emit_text(&mut self, text: &str, emit: &mut dyn FnMut(Piece<'_>)) {
        let text = if self.has_text { text } else { text.trim_start() };
        if let Some(last) = text.chars().next_back() {
            self.has_text = true;
            self.at_line_start = last == '\n';
            emit(Piece::Text(text));
        }
    }
}

fn emit_reasoning(text: &str, emit: &mut dyn FnMut(Piece<'_>)) {
    if !text.is_empty() {
        emit(Piece::Reasoning(text));
    }
}

/// Returns the length of the longest end of `text` that is a proper prefix of one of `tags`.
fn held_back(text: &str, tags: &[&str]) -> usize {
    let beginning = |tag: &&str| (1..tag.len()).rev().find(|length| text.ends_with(&tag[..*length])).unwrap_or(0);
    tags.iter().map(beginning).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the text and reasoning of a stream that comes in these pieces.
    fn split(mut splitter: ThinkSplitter, pieces: &[&str]) -> (String, String) {
        let (mut text, mut reasoning) = (String::new(), String::new());
        let mut emit = |piece: Piece<'_>| match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Reasoning(piece) => reasoning.push_str(piece),
            Piece::ThoughtSoFar => reasoning.push_str(&std::mem::take(&mut text)),
        };
        pieces.iter().for_each(|piece| splitter.push(piece, &mut emit));
        splitter.finish(&mut emit);
        (text, reasoning)
    }

    #[test]
    fn answers_and_thoughts_are_told_apart() {
        let check = |input: &str, text: &str, reasoning: &str| {
            let expected = (text.to_owned(), reasoning.to_owned());
            assert_eq!(split(ThinkSplitter::default(), &[input]), expected, "{input:?}");
        };
        check("answer", "answer", "");
        check("<think>a</think>\n\nb", "b", "a");
        check(" \n<think>a</think>b", "b", "a");
        check("<think></think>b", "b", "");
        check("<think>a", "", "a");
        check("<think>a</thin", "", "a</thin");
        check("x <think>a</think> y", "x  y", "a");
        check("<think>a</think>x<think>b</think>y", "xy", "ab");
        check("the tag <think> opens", "the tag <think> opens", "");
        check("a < b <thin", "a < b <thin", "");
        check("<<think>a</think>b", "<b", "a");
        check("so\n</think>\n\nb", "b", "so\n");
        check("write `</think>` here", "write `</think>` here", "");
        check("<think>a</think>b\n</think>\nc", "b\n</think>\nc", "a");
        check("<think>日本</think>語", "語", "日本");
    }

    #[test]
    fn a_model_known_to_begin_inside_a_thought() {
        let check = |input: &str, text: &str, reasoning: &str| {
            let expected = (text.to_owned(), reasoning.to_owned());
            assert_eq!(split(ThinkSplitter::inside(), &[input]), expected, "{input:?}");
        };
        check("a</think>b", "b", "a");
        check("\n<think>a</think>b", "b", "a");
        check("an answer after all", "an answer after all", "");
        check("a</think>b</think>", "b</think>", "a");
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_result(
            parts in prop::collection::vec(
                prop::sample::select(vec!["<think>", "</think>", "<", "</", "think>", "\n", " ", "a", "語", "<thi"]), 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            inside in any::<bool>(),
        ) {
            let text = parts.concat();
            let mut borders: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
            borders.extend([0, text.len()]);
            borders.sort_unstable();
            let pieces: Vec<&str> = borders.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let start = if inside { ThinkSplitter::inside() } else { ThinkSplitter::default() };
            prop_assert_eq!(split(start.clone(), &pieces), split(start, &[&text]));
        }
    }
}
