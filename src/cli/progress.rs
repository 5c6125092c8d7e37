//! Shows the progress of loads and re-embeddings on a terminal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::CliError;
use super::ExitStatus;
use super::terminal::Terminal;
use crate::app::{LoadEvent, ReembedEvent};
use crate::base::locked;
use crate::base::text::thousands;

/// How often a load reports its progress when no bar is shown.
const SILENT: Duration = Duration::from_secs(30);

/// A bar of files with the number of chunks and their rate. In a pipe and in CI an occasional line replaces it.
pub(super) struct LoadProgress {
    files: ProgressBar,
    chunks: AtomicU64,
    /// When the last line was written; `None` if the bar is shown.
    told: Option<Mutex<Instant>>,
}

impl LoadProgress {
    /// A bar that appears when the first files are found.
    pub fn new(terminal: &Terminal) -> Result<Self, CliError> {
        let files = bar(terminal, "{bar:30} {human_pos}/{human_len} files  {msg}  {elapsed}")?;
        let told = (!terminal.watched).then(|| Mutex::new(Instant::now()));
        Ok(LoadProgress { files, chunks: AtomicU64::new(0), told })
    }

    /// Writes a line on the progress if no bar is shown and the last line is long ago.
    fn tell(&self, terminal: &Terminal) {
        let Some(told) = &self.told else { return };
        let mut told = locked(told);
        if told.elapsed() >= SILENT {
            *told = Instant::now();
            let (done, all) = (self.files.position(), self.files.length().unwrap_or_default());
            let chunks = thousands(self.chunks.load(Ordering::Relaxed));
            terminal.note(&format!("loading: {} of {} files, {chunks} chunks", thousands(done), thousands(all)));
        }
    }

    /// Shows one event.
    pub fn show(&self, event: &LoadEvent, terminal: &Terminal) {
        match event {
            LoadEvent::Found { files, .. } => self.files.set_length(*files),
            LoadEvent::MoreFound { files } => self.files.inc_length(*files),
            LoadEvent::File { .. } => {
                self.files.inc(1);
                self.tell(terminal);
            }
            LoadEvent::Committed { chunks, .. } => {
                let total = self.chunks.fetch_add(*chunks, Ordering::Relaxed) + chunks;
                let seconds = self.files.elapsed().as_secs_f64().max(0.001);
                let rate = (total as f64 / seconds) as u64;
                self.files.set_message(format!("{} chunks, {}/s", thousands(total), thousands(rate)));
            }
            LoadEvent::Embedded { .. } => {}
            LoadEvent::Warning { message } => self.files.suspend(|| terminal.warn(message)),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.files.finish_and_clear();
    }
}

/// A bar of passages with the remaining time; hidden where [`LoadProgress`] is.
pub(super) struct ReembedProgress {
    passages: ProgressBar,
}

impl ReembedProgress {
    /// A bar that appears when the amount of work is known.
    pub fn new(terminal: &Terminal) -> Result<Self, CliError> {
        let template = "{bar:30} {human_pos}/{human_len} passages  {per_sec}  {elapsed}, {eta} left";
        Ok(ReembedProgress { passages: bar(terminal, template)? })
    }

    /// Shows one event.
    pub fn show(&self, event: ReembedEvent) {
        match event {
            ReembedEvent::Begun { chunks } => self.passages.set_length(chunks),
            ReembedEvent::Kept { chunks } => self.passages.inc(chunks),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.passages.finish_and_clear();
    }
}

/// A sign of life while a run waits, with what it waits for and for how long; hidden where a bar would be.
pub(super) struct Waiting {
    sign: ProgressBar,
    watched: bool,
    begun: Once,
}

impl Waiting {
    /// Waits for nothing yet.
    pub fn new(terminal: &Terminal) -> Self {
        // The template is fixed; should it fail, there is no sign of life.
        let sign = still(terminal, "{spinner} {msg} {elapsed}").unwrap_or_else(|_| ProgressBar::hidden());
        Waiting { sign, watched: terminal.watched, begun: Once::new() }
    }

    /// Waits for `what` from now on.
    pub fn begin(&self, what: &'static str) {
        self.sign.reset_elapsed();
        self.sign.set_message(what);
        // If it were drawn earlier, it would overwrite questions to the user.
        self.begun.call_once(|| tick(&self.sign, self.watched));
    }

    /// Writes a line beside the sign of life.
    pub fn tell(&self, line: impl FnOnce()) {
        self.sign.suspend(line);
    }

    /// Ends the waiting.
    pub fn end(&self) {
        self.sign.finish_and_clear();
    }
}

/// A bar that appears at once.
fn bar(terminal: &Terminal, template: &str) -> Result<ProgressBar, CliError> {
    let bar = still(terminal, template)?;
    tick(&bar, terminal.watched);
    Ok(bar)
}

fn tick(bar: &ProgressBar, watched: bool) {
    if watched {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// A bar that appears with the first progress.
pub(super) fn still(terminal: &Terminal, template: &str) -> Result<ProgressBar, CliError> {
    let target = if terminal.watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template(template)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("the progress bar is misshapen: {error}")))?;
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style))
}
