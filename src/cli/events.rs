//! Shows a research run on the terminal: its story on standard error, its report on standard output.

use std::io::IsTerminal;
use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use super::CliError;
use super::progress::Waiting;
use super::terminal::{Ink, Terminal, Verbosity, counted, write_result, write_text};
use crate::base::locked;
use crate::base::text::{Language, excerpt, one_line, short_line, thousands};
use crate::domain::{Event, EventSink, SubQuery, Usage};
use crate::report::cite::is_sources_heading;
use crate::report::{Record, is_account_heading, is_folded_list, words};

/// Shows events as they arrive. Pieces of the report are written and flushed at once: a report is far smaller than a
/// pipe's buffer, so a slow reader does not delay the run.
pub(super) struct RunDisplay {
    terminal: Terminal,
    /// Whether pieces of the report go to standard output as they arrive.
    streams: bool,
    /// Whether a screen shows only the words of the answer, since its sources can be asked for.
    is_conversation: bool,
    /// Whether the story is the requested result.
    is_result: bool,
    /// Ends the run when its report is no longer read.
    interrupt: CancellationToken,
    waiting: Waiting,
    state: Mutex<DisplayState>,
}

#[derive(Default)]
struct DisplayState {
    failure: Option<CliError>,
    tally: Tally,
    /// Told before anything else.
    opening: Option<&'static str>,
    /// The id of the run's journal.
    run: Option<String>,
    /// Whether the words have ended, and sources and account follow.
    words_are_over: bool,
}

/// Counts of what a run did, for comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    searches: u64,
    hits: u64,
    rounds: u64,
}

impl RunDisplay {
    /// With `streams`, the report goes to standard output as it arrives.
    pub fn new(terminal: Terminal, streams: bool, interrupt: CancellationToken) -> Self {
        let waiting = Waiting::new(&terminal);
        RunDisplay {
            terminal,
            streams,
            is_conversation: false,
            is_result: false,
            interrupt,
            waiting,
            state: Mutex::default(),
        }
    }

    /// Sets words to show before the first event; if the run is refused before it begins, they are not shown.
    pub fn opening(self, words: Option<&'static str>) -> Self {
        self.lock().opening = words;
        self
    }

    /// For a story that is itself the result: it goes to standard output in full.
    pub fn as_result(terminal: Terminal) -> Self {
        let display = RunDisplay::new(terminal, false, CancellationToken::new());
        RunDisplay { is_result: true, ..display }
    }

    /// For an answer in a conversation.
    pub fn in_conversation(terminal: Terminal, interrupt: CancellationToken) -> Self {
        RunDisplay { is_conversation: true, ..RunDisplay::new(terminal, true, interrupt) }
    }

    /// The failure to write the report, if there was one, and the tally.
    pub fn finish(&self) -> (Option<CliError>, Tally) {
        self.waiting.end();
        let mut state = self.lock();
        (state.failure.take(), state.tally)
    }

    /// The id under which the run is kept; `None` if it is not kept.
    pub fn run(&self) -> Option<String> {
        self.lock().run.clone()
    }

    /// Does something at the terminal while the sign of life is hidden.
    pub fn with_bar_hidden(&self, what: impl FnOnce()) {
        self.waiting.tell(what);
    }

    /// Whether a piece of a report is only for files and pipes: the record and the folded list, and in a conversation
    /// everything after the words.
    fn is_noise(&self, piece: &str) -> bool {
        let heading = piece.trim_start().lines().next().and_then(|line| line.strip_prefix("## ")).map(str::trim);
        if self.is_conversation
            && heading.is_some_and(|heading| is_sources_heading(heading) || is_account_heading(heading))
        {
            self.lock().words_are_over = true;
        }
        Record::is_comment(piece) || is_folded_list(piece) || self.lock().words_are_over
    }

    fn say(&self, line: &str) {
        if !self.is_result {
            self.waiting.tell(|| self.terminal.note(line));
        } else if let Err(error) = write_result(&format!("{line}\n")) {
            self.lock().failure.get_or_insert(error);
        }
    }

    fn paint(&self, ink: Ink, text: &str) -> String {
        if self.is_result { self.terminal.paint_result(ink, text) } else { self.terminal.paint(ink, text) }
    }

    fn is_verbose(&self) -> bool {
        self.is_result || self.terminal.verbosity == Verbosity::Verbose
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, DisplayState> {
        // A panic in another thread leaves the counters correct.
        locked(&self.state)
    }

    fn list(&self, sub_queries: &[SubQuery]) {
        for sub_query in sub_queries {
            self.say(&format!("  · {}{}", one_line(&sub_query.text), self.scope(sub_query)));
        }
    }

    fn scope(&self, sub_query: &SubQuery) -> String {
        match sub_query.collections.as_slice() {
            [] => String::new(),
            names => self.paint(Ink::Faint, &format!("  [{}]", names.join(", "))),
        }
    }

    fn head(&self, head: &str, reason: &str) {
        let reason = one_line(reason);
        let colon = if reason.is_empty() { "" } else { ": " };
        self.say(&format!("{}{colon}{}", self.paint(Ink::Strong, head), excerpt(&reason, 400)));
    }
}

impl EventSink for RunDisplay {
    fn emit(&self, event: &Event) {
        let opening = self.lock().opening.take();
        if let Some(words) = opening {
            self.say(words);
        }
        match event {
            Event::Begun { .. } | Event::Chosen { .. } | Event::Recalled { .. } => self.waiting.begin("planning"),
            Event::Planned { .. } => self.waiting.begin("searching"),
            Event::Reflected { enough: false, .. } => self.waiting.begin("searching"),
            Event::Searched { .. } | Event::ToolCalled { .. } | Event::Followed { .. } => {
                self.waiting.begin("reading what was found");
            }
            Event::Writing { .. } => self.waiting.begin("writing"),
            Event::Text { .. } => self.waiting.end(),
            Event::Reflected { .. } | Event::Called { .. } | Event::Warning { .. } => {}
        }
        match event {
            Event::Begun { run } => {
                self.lock().run = Some(run.clone());
                if self.is_verbose() {
                    self.say(&self.paint(Ink::Faint, &format!("  run {run}")));
                }
            }
            Event::Chosen { strategy, reason } => self.head(&format!("strategy {}", strategy.name()), reason),
            Event::Planned { sub_queries, reason } => {
                self.head("plan", reason);
                self.list(sub_queries);
            }
            Event::Recalled { events, .. } => {
                self.head("recalled", &counted(*events as u64, "earlier event"));
            }
            Event::Searched { round, sub_query, hits, new } => {
                let mut state = self.lock();
                state.tally.searches += sub_query.collections.len().max(1) as u64;
                state.tally.hits += *hits as u64;
                state.tally.rounds = state.tally.rounds.max(*round as u64);
                drop(state);
                let query = one_line(&sub_query.text);
                self.say(&format!("round {round}: {}, {new} new  {query}", counted(*hits as u64, "hit")));
            }
            Event::Reflected { enough, reason, next, .. } => {
                self.head(if *enough { "enough" } else { "more" }, reason);
                self.list(next);
            }
            Event::ToolCalled { step, tool, arguments, found, tokens } => {
                let arguments = one_line(arguments);
                let found = counted(*found as u64, "passage");
                let tokens = counted(*tokens, "token");
                self.say(&format!("step {step}: {tool} {}: {found}, {tokens}", excerpt(&arguments, 200)));
            }
            Event::Followed { question, answer, next, .. } => {
                self.head(&short_line(question, 200), answer);
                self.list(next.as_slice());
            }
            Event::Called { purpose, model, usage, seconds } => {
                if self.is_verbose() {
                    let bill = bill(usage, *seconds);
                    self.say(&self.paint(Ink::Faint, &format!("  {purpose} ({model}): {bill}")));
                }
            }
            Event::Writing { stopped, evidence } => {
                self.head(
                    "writing",
                    &format!(
                        "{}; {}",
                        counted(*evidence as u64, "passage"),
                        words(Language::ENGLISH).stop_reason(*stopped)
                    ),
                );
            }
            Event::Text { markdown } => {
                if self.streams
                    && !(std::io::stdout().is_terminal() && self.is_noise(markdown))
                    && let Err(error) = write_text(markdown)
                {
                    // The output is no longer read, so nothing more is to be paid for.
                    self.interrupt.cancel();
                    self.lock().failure.get_or_insert(error);
                }
            }
            Event::Warning { message } => self.say(&format!("{} {message}", self.paint(Ink::Warning, "warning:"))),
        }
    }
}

/// Shows the cost of calls, labelled with `name`.
pub(super) fn say_bill(terminal: &Terminal, name: &str, usage: &Usage, seconds: f64) {
    terminal.note(&format!("{}: {}", terminal.paint(Ink::Strong, name), bill(usage, seconds)));
}

/// The cost of calls, on one line.
pub(super) fn bill(usage: &Usage, seconds: f64) -> String {
    if usage.calls == 0 && usage.unanswered == 0 {
        return format!("no model was asked, {seconds:.1} s");
    }
    let about = if usage.estimated { "about " } else { "" };
    let cached = match usage.cached_tokens {
        0 => String::new(),
        tokens => format!(" ({} cached)", thousands(tokens)),
    };
    let money = match usage.usd {
        Some(usd) if usd > 0.0 => format!(", ${usd:.4}"),
        _ => String::new(),
    };
    let unanswered = match usage.unanswered {
        0 => String::new(),
        1 => "; 1 call was under way when the run was cut off, and may have been paid for".to_owned(),
        many => format!("; {many} calls were under way when the run was cut off, and may have been paid for"),
    };
    format!(
        "{}, {about}{} tokens in{cached}, {} out, {seconds:.1} s{money}{unanswered}",
        counted(usage.calls, "call"),
        thousands(usage.prompt_tokens),
        thousands(usage.completion_tokens)
    )
}

impl Tally {
    /// The number of calls that the same searches would cost if the model were asked once per search for its route and
    /// once per passage for its relevance.
    pub fn calls_one_at_a_time(self) -> u64 {
        // One plan, one reflection per round, one report.
        1 + self.searches + self.hits + self.rounds + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_says_what_is_known() {
        let usage = Usage {
            calls: 5,
            prompt_tokens: 12_345,
            cached_tokens: 1_000,
            completion_tokens: 678,
            usd: Some(0.0123),
            ..Usage::default()
        };
        let told = "5 calls, 12,345 tokens in (1,000 cached), 678 out, 3.2 s, $0.0123";
        assert_eq!(bill(&usage, 3.21), told);
        let killed = "; 1 call was under way when the run was cut off, and may have been paid for";
        assert_eq!(bill(&Usage { unanswered: 1, ..usage }, 3.21), format!("{told}{killed}"));
        let free = Usage { calls: 1, estimated: true, ..Usage::default() };
        assert_eq!(bill(&free, 0.0), "1 call, about 0 tokens in, 0 out, 0.0 s");
    }
}
