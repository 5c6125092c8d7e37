//! Progress of loads and re-embeddings, where somebody watches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::CliError;
use super::ExitStatus;
use super::terminal::Terminal;
use crate::app::{LoadEvent, ReembedEvent};
use crate::base::text::thousands;

/// A bar of files with the number of chunks and their rate; invisible in a pipe, in CI and when quiet.
pub(super) struct LoadProgress {
    files: ProgressBar,
    chunks: AtomicU64,
}

impl LoadProgress {
    /// A bar that shows itself when the first files are found.
    pub fn new(terminal: &Terminal) -> Result<Self, CliError> {
        let files = bar(terminal, "{bar:30} {human_pos}/{human_len} files  {msg}  {elapsed}")?;
        Ok(LoadProgress { files, chunks: AtomicU64::new(0) })
    }

    /// Shows one event.
    pub fn show(&self, event: &LoadEvent, terminal: &Terminal) {
        match event {
            LoadEvent::Found { files, .. } => self.files.set_length(*files),
            LoadEvent::MoreFound { files } => self.files.inc_length(*files),
            LoadEvent::File { .. } => self.files.inc(1),
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

fn bar(terminal: &Terminal, template: &str) -> Result<ProgressBar, CliError> {
    let target = if terminal.watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template(template)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("the progress bar is misshapen: {error}")))?;
    let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
    if terminal.watched {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    Ok(bar)
}
