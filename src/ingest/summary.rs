use serde::Serialize;

/// A file that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Its path.
    pub path: String,
    /// Why, and what to do where something can be done.
    pub reason: String,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadSummary {
    /// The collections that were loaded into, by name.
    pub collections: Vec<String>,
    /// How many files were found.
    pub files: u64,
    /// Documents that were not there before.
    pub new: u64,
    /// Documents that replaced an older version.
    pub changed: u64,
    /// Files that the store knows as they are.
    pub unchanged: u64,
    /// Documents removed because their files are gone.
    pub removed: u64,
    /// Files left out unread because their names say that they hold no text (pictures, archives, …).
    pub skipped: u64,
    /// Files and folders that could not be read, in the order of the load.
    pub failed: Vec<FailedFile>,
    /// Chunks committed.
    pub chunks: u64,
    /// Bytes of source files whose documents were committed.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether it was stopped before the end; what is counted here is kept.
    pub interrupted: bool,
}

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Parsed, and on its way into the store.
    Parsed,
    /// The store has it as it is.
    Unchanged,
    /// It cannot be loaded.
    Failed,
}

/// What happens during a load, as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadEvent {
    /// All files are known.
    Found {
        /// How many.
        files: u64,
        /// How many of them are new or may have changed, and will be read.
        to_read: u64,
        /// How long those are together.
        bytes: u64,
    },
    /// One file was looked at; files come in their order.
    File {
        /// Its path.
        path: String,
        /// What became of it.
        outcome: FileOutcome,
        /// Its length in bytes.
        bytes: u64,
    },
    /// Passages were embedded.
    Embedded {
        /// How many.
        passages: u64,
    },
    /// A batch is in the store for good.
    Committed {
        /// Of which collection.
        collection: String,
        /// How many documents.
        documents: u64,
        /// How many chunks.
        chunks: u64,
    },
    /// Something that the user should know; the load goes on.
    Warning {
        /// What, on what, and what follows.
        message: String,
    },
}
