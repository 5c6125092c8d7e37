use std::path::PathBuf;

/// What goes wrong with a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be opened, read, written or removed.
    #[error("{action} the journal {}: {source}", path.display())]
    Io {
        /// What was tried, as in "cannot open".
        action: &'static str,
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not what it should be. The last one may be torn, which is no damage.
    #[error("line {line} of the journal {} is damaged: {reason}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer program wrote it.
    #[error("the journal {} has format {found}, and this version reads formats up to {known}", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// No run has this name.
    #[error("there is no run `{name}`")]
    NoRun {
        /// As asked.
        name: String,
    },
    /// There are no runs at all.
    #[error("no run is kept in {} yet", folder.display())]
    NoRuns {
        /// Where they would be.
        folder: PathBuf,
    },
    /// Several runs begin with this.
    #[error("`{name}` may mean {}", runs.join(", "))]
    Ambiguous {
        /// As asked.
        name: String,
        /// Some of them.
        runs: Vec<String>,
    },
    /// Another process writes it.
    #[error("the run {run} is under way in another process")]
    Running {
        /// Its id.
        run: String,
    },
    /// There is nothing to go on with.
    #[error("the run {run} is finished")]
    Finished {
        /// Its id.
        run: String,
    },
    /// Another model would answer what is still to be asked.
    #[error("the run {run} asked {had}, and the settings now name {has}")]
    OtherModel {
        /// Its id.
        run: String,
        /// The models that it asked.
        had: String,
        /// Those in force.
        has: String,
    },
    /// There is no report yet.
    #[error("the run {run} has no report{}", why.as_ref().map(|why| format!(": it ended with “{why}”")).unwrap_or_default())]
    NoReport {
        /// Its id.
        run: String,
        /// How it ended, where it did.
        why: Option<String>,
    },
    /// A replay asks for what the run did not ask for.
    #[error("the run cannot be replayed: this program, or the prompts in use, ask for other things than it did")]
    Astray,
    /// There are not so many steps.
    #[error("the run {run} has {steps} steps, so it cannot be forked from step {asked}")]
    NoStep {
        /// Its id.
        run: String,
        /// How many it has.
        steps: usize,
        /// As asked.
        asked: usize,
    },
}
