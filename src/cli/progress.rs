//! Progress of loads and re-embeddings, where somebody watches.

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

/// How long a load is silent where nobody watches a bar.
const SILENT: Duration = Duration::from_secs(30);

/// A bar of files with the number of chunks and their rate. In a pipe and in CI it is a line now and then.
pub(super) struct LoadProgress {
    files: ProgressBar,
    chunks: AtomicU64,
    /// When a line was told; `None` where the bar is seen.
    told: Option<Mutex<Instant>>,
}

impl LoadProgress {
    /// A bar that shows itself when the first files are found.
    pub fn new(terminal: &Terminal) -> Result<Self, CliError> {
        let files = bar(terminal, "{bar:30} {human_pos}/{human_len} files  {msg}  {elapsed}")?;
        let told = (!terminal.watched).then(|| Mutex::new(Instant::now()));
        Ok(LoadProgress { files, chunks: AtomicU64::new(0), told })
    }

    /// Tells how far the load is, where there is no bar and it was silent for long.
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

    /// Takes the bar away.
    pub fn finish(&self) {
        self.files.finish_and_clear();
    }
}

/// A bar of passages with the time that is left; invisible where [`LoadProgress`] is.
pub(super) struct ReembedProgress {
    passages: ProgressBar,
}

impl ReembedProgress {
    /// A bar that shows itself when it is known what there is to do.
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

    /// Takes the bar away.
    pub fn finish(&self) {
        self.passages.finish_and_clear();
    }
}

/// A sign of life while a run waits for something, with what that is and for how long; invisible where a bar is.
pub(super) struct Waiting {
    sign: ProgressBar,
    watched: bool,
    begun: Once,
}

impl Waiting {
    /// Nothing is waited for yet.
    pub fn new(terminal: &Terminal) -> Self {
        // The template is fixed; without it the line is only plainer.
        let sign = still(terminal, "{spinner} {msg} {elapsed}").unwrap_or_else(|_| ProgressBar::hidden());
        Waiting { sign, watched: terminal.watched, begun: Once::new() }
    }

    /// From now on it is this.
    pub fn begin(&self, what: &'static str) {
        self.sign.reset_elapsed();
        self.sign.set_message(what);
        // Before, it would be drawn over what somebody is asked.
        self.begun.call_once(|| tick(&self.sign, self.watched));
    }

    /// Tells something beside it.
    pub fn tell(&self, line: impl FnOnce()) {
        self.sign.suspend(line);
    }

    /// Nothing is waited for any more.
    pub fn end(&self) {
        self.sign.finish_and_clear();
    }
}

/// A bar that shows itself at once.
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

/// A bar that shows itself with the first progress.
pub(super) fn still(terminal: &Terminal, template: &str) -> Result<ProgressBar, CliError> {
    let target = if terminal.watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template(template)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("the progress bar is misshapen: {error}")))?;
    Ok(ProgressBar::with_draw_target(Some(0), target).with_style(style))
}
