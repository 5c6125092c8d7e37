//! Ctrl-C: once to finish what is paid for, twice to stop.

use tokio_util::sync::CancellationToken;

use super::ExitStatus;
use super::terminal::Terminal;

/// Watches for Ctrl-C until the process ends. The first one cancels the token that is given back, after `notice` was
/// shown; the second ends the process, which the store survives at any moment.
///
/// The watch has a thread and a small runtime of its own: it must hear the second Ctrl-C while every thread of the
/// command's runtime is busy, and also after that runtime has ended.
pub(super) fn watch(terminal: &Terminal, notice: &'static str) -> CancellationToken {
    let token = CancellationToken::new();
    let (cancelled, watching) = (token.clone(), terminal.clone());
    let cannot = |terminal: &Terminal, error: std::io::Error| {
        terminal.warn(&format!("Ctrl-C cannot be caught, and ends the program at once: {error}"));
    };
    let watch = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
            Ok(runtime) => runtime,
            Err(error) => return cannot(&watching, error),
        };
        runtime.block_on(async {
            if let Err(error) = tokio::signal::ctrl_c().await {
                return cannot(&watching, error);
            }
            cancelled.cancel();
            watching.note(notice);
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(ExitStatus::Interrupted as i32);
            }
        });
    };
    if let Err(error) = std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(watch) {
        cannot(terminal, error);
    }
    token
}
