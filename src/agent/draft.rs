//! The text of a report on its way from the model to the listener.
//!
//! Nothing is emitted until the text cites something, so that a reply that is no report (a refusal, an apology, data of
//! some format, two characters before the stream stalled) can still be replaced by the evidence.

use std::collections::BTreeMap;

use super::ledger::Ledger;
use super::run::Run;
use crate::domain::{Event, EventSink};
use crate::llm::purpose::EvidenceCard;
use crate::report;
use crate::report::cite::{CheckedCitations, CitationChecker, fence};
use crate::report::facts::Source;

/// A text that a model is writing.
pub(super) struct Draft<'r> {
    run: &'r Run<'r>,
    cards: &'r [EvidenceCard],
    checker: CitationChecker,
    /// Everything that the model said.
    said: String,
    /// The checked text: emitted, or held back until something is cited.
    checked: String,
    tells: bool,
}

/// The result of a draft.
pub(super) struct FinishedDraft {
    /// The text that was emitted; empty if it is no report.
    pub markdown: String,
    /// Its citations.
    pub found: CheckedCitations,
    /// Everything that the model said.
    pub said: String,
}

impl<'r> Draft<'r> {
    /// A draft from the evidence of `cards`. If the model only quotes, the text is emitted as it comes: where it cites
    /// nothing, it says that nothing was found.
    pub fn new(run: &'r Run<'r>, cards: &'r [EvidenceCard]) -> Self {
        let tells = !run.engine.model.reasons();
        let (said, checked) = (String::new(), String::new());
        Draft { run, cards, checker: checker(run, cards), said, checked, tells }
    }

    /// Everything that the model has said so far.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Adds the next piece of text.
    pub fn push(&mut self, piece: &str) {
        // Many models emit empty lines before their first word.
        let piece = if self.said.is_empty() { piece.trim_start_matches(['\n', '\r']) } else { piece };
        self.said.push_str(piece);
        let checked = self.checker.push(piece);
        self.take(&checked);
    }

    /// Starts anew, as the model does. Text that was emitted stays.
    pub fn restart(&mut self) {
        if !self.tells {
            *self = Draft::new(self.run, self.cards);
        }
    }

    fn take(&mut self, checked: &str) {
        if self.tells {
            push_text(self.run.events.sink.as_ref(), &mut self.checked, checked);
            return;
        }
        self.checked.push_str(checked);
        if self.checker.cites() && !is_data(&self.said) {
            self.tells = true;
            let held = std::mem::take(&mut self.checked);
            push_text(self.run.events.sink.as_ref(), &mut self.checked, &held);
        }
    }

    /// Checks the rest of the text and returns the result.
    pub fn finish(self) -> FinishedDraft {
        let Draft { run, cards, checker: open, said, mut checked, tells } = self;
        let (rest, found) = open.finish();
        let sink = run.events.sink.as_ref();
        if tells {
            push_text(sink, &mut checked, &rest);
            return FinishedDraft { markdown: checked, found, said };
        }
        let mut whole = (checked + &rest, found);
        if whole.1.cited.is_empty()
            && let Some(inside) = fence::inside(&said)
        {
            let mut again = checker(run, cards);
            let text = again.push(inside);
            let (rest, found) = again.finish();
            whole = (text + &rest, found);
        }
        let (text, found) = whole;
        let mut markdown = String::new();
        if found.cited.is_empty() || is_data(&said) {
            return FinishedDraft { markdown, found: CheckedCitations::default(), said };
        }
        push_text(sink, &mut markdown, &text);
        FinishedDraft { markdown, found, said }
    }
}

/// Whether a reply is JSON or the beginning of it, where numbers in brackets cite nothing.
pub(super) fn is_data(said: &str) -> bool {
    said.trim_start().starts_with('{')
}

/// The citation checker for a report written from `cards`. The report may link to the addresses of these passages.
pub(super) fn checker(run: &Run<'_>, cards: &[EvidenceCard]) -> CitationChecker {
    let ledger = &run.evidence.ledger;
    let paths = cards.iter().filter_map(|card| Some(ledger.get(card.number)?.chunk.path.as_str()));
    let checker = CitationChecker::new(sources(ledger, cards), run.question.language).linking(paths);
    if run.engine.model.reasons() { checker } else { checker.unmarked() }
}

/// The passages that may be cited, in full.
fn sources(ledger: &Ledger, cards: &[EvidenceCard]) -> BTreeMap<usize, Source> {
    let passage = |card: &EvidenceCard| {
        let chunk = &ledger.get(card.number)?.chunk;
        let about = report::about(&chunk.title, &chunk.path, chunk.date, &chunk.headings.shared);
        Some((card.number, Source::new(chunk.text.clone(), about)))
    };
    cards.iter().filter_map(passage).collect()
}

/// Appends a piece to the report and emits it; the emitted pieces together are the report.
pub(super) fn push_text(sink: &dyn EventSink, markdown: &mut String, text: &str) {
    if !text.is_empty() {
        markdown.push_str(text);
        sink.emit(&Event::Text { markdown: text.to_owned() });
    }
}
