//! Ctrl-C: once to finish what is paid for, twice to stop.

use tokio_util::sync::CancellationToken;

use super::ExitStatus;
use super::terminal::Terminal;

/// Watches for Ctrl-C until the process ends. The first one cancels the token that is given back, after `notice` was
/// shown; the second ends the process, which the store survives at any moment.
pub(super) fn watch(terminal: &Terminal, notice: &'static str) -> CancellationToken {
    let token = CancellationToken::new();
    let (cancelled, terminal) = (token.clone(), terminal.clone());
    tokio::spawn(async move {
        if let Err(error) = tokio::signal::ctrl_c().await {
            terminal.warn(&format!("Ctrl-C cannot be caught, and ends the program at once: {error}"));
            return;
        }
        cancelled.cancel();
        terminal.note(notice);
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(ExitStatus::Interrupted as i32);
        }
    });
    token
}
