use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::base::locked;

/// The files of a folder that were read in full and compared with their checksums, by their names in it. Files do not
/// change, so one comparison is enough.
#[derive(Default)]
pub(super) struct Checks {
    sound: Mutex<HashSet<PathBuf>>,
    damaged: Mutex<HashSet<PathBuf>>,
}

impl Checks {
    /// Compares a file, unless it is already known to be sound, and remembers the result.
    pub(super) fn check<E>(&self, file: &Path, compare: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        if self.is_sound(file) {
            return Ok(());
        }
        let result = compare();
        let verdict = if result.is_ok() { &self.sound } else { &self.damaged };
        locked(verdict).insert(file.to_owned());
        result
    }

    pub(super) fn is_sound(&self, file: &Path) -> bool {
        locked(&self.sound).contains(file)
    }

    pub(super) fn is_damaged(&self, file: &Path) -> bool {
        locked(&self.damaged).contains(file)
    }

    /// Whether a file that is still in `folder` is known to be damaged.
    pub(super) fn found_damage(&self, folder: &Path) -> bool {
        let mut damaged = locked(&self.damaged);
        damaged.retain(|file| folder.join(file).exists());
        !damaged.is_empty()
    }
}
