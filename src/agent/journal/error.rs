use std::path::PathBuf;

/// A problem with a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be opened, read, written or removed.
    #[error("{action} the journal {}: {source}", path.display())]
    Io {
        /// What was tried, as in "cannot open".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line is not what it should be. A torn last line is no damage.
    #[error("line {line} of the journal {} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer program wrote the journal.
    #[error("the journal {} has format {found}, and this version reads formats up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The file's format.
        found: u32,
        /// The newest format that this version reads.
        known: u32,
    },
    /// No run has this name.
    #[error("there is no run `{name}`")]
    NoRun {
        /// The name as given.
        name: String,
    },
    /// There are no runs at all.
    #[error("no run is kept in {} yet", folder.display())]
    NoRuns {
        /// The folder where they would be.
        folder: PathBuf,
    },
    /// The ids of several runs begin with this name.
    #[error("`{name}` may mean {}", runs.join(", "))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// Some of those runs.
        runs: Vec<String>,
    },
    /// Another process writes the run's journal.
    #[error("the run {run} is under way in another process")]
    Running {
        /// The run's id.
        run: String,
    },
    /// The run is finished, so there is nothing to resume.
    #[error("the run {run} is finished")]
    Finished {
        /// The run's id.
        run: String,
    },
    /// Another model would answer the calls that are still to be made.
    #[error("the run {run} asked {had}, and the settings now name {has}")]
    OtherModel {
        /// The run's id.
        run: String,
        /// The models that the run asked.
        had: String,
        /// The models that the settings name.
        has: String,
    },
    /// The run has no report yet.
    #[error("the run {run} has no report{}", why.as_ref().map(|why| format!(": it ended with “{why}”")).unwrap_or_default())]
    NoReport {
        /// The run's id.
        run: String,
        /// The error that it ended with, if it ended.
        why: Option<String>,
    },
    /// A replay asks for something that the run did not ask for.
    #[error("the run cannot be replayed: this program, or the prompts in use, ask for other things than it did")]
    Astray,
    /// The run has fewer steps.
    #[error("the run {run} has {steps} steps, so it cannot be forked from step {asked}")]
    NoStep {
        /// The run's id.
        run: String,
        /// The number of its steps.
        steps: usize,
        /// The step that was asked for.
        asked: usize,
    },
}
