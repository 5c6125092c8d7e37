//! Turns panics of a library into errors, without output on the terminal.
//!
//! A caught panic still prints its message, which would run through the progress display. The whole process has one
//! hook, so this module installs its own once: it passes everything on to the previous hook, and keeps silent only on a
//! thread that is inside [`catch`]. A hook that someone sets later replaces it: then the message is seen again, and
//! nothing else changes.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::text;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

static INSTALL: Once = Once::new();

/// Runs `work`; a panic in it becomes an error that holds its message.
///
/// Whatever `work` borrows mutably must still be usable if `work` stops halfway.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    INSTALL.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                previous(info);
            }
        }));
    });
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.map_err(|panic| message(&*panic))
}

/// The message of a panic, on one line.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a library failed without a reason");
    text::excerpt(&text::one_line(said), 200).into_owned()
}
