//! Handles Ctrl-C and SIGTERM: the first one finishes what is paid for, the second one stops.

use tokio_util::sync::CancellationToken;

use super::ExitStatus;
use super::terminal::Terminal;

/// Returns on Ctrl-C, and when a supervisor, such as a service manager or a time limit, asks the process to end.
#[cfg(unix)]
async fn stop_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

/// Returns on Ctrl-C.
#[cfg(not(unix))]
async fn stop_signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

fn cannot(terminal: &Terminal, error: &std::io::Error) {
    terminal.warn(&format!("Ctrl-C cannot be caught, and ends the program at once: {error}"));
}

/// Returns once the process is asked to end. If such requests cannot be received, it warns and never returns.
pub(super) async fn asked_to_stop(terminal: &Terminal) {
    if let Err(error) = stop_signal().await {
        cannot(terminal, &error);
        std::future::pending::<()>().await;
    }
}

/// Watches for Ctrl-C until the process ends. The first one shows `notice` and cancels the returned token; the second
/// ends the process, which the store survives at any moment.
///
/// The watch has a thread and a small runtime of its own: it must notice the second Ctrl-C while every thread of the
/// command's runtime is busy, and after that runtime has ended.
pub(super) fn watch(terminal: &Terminal, notice: &'static str) -> CancellationToken {
    let token = CancellationToken::new();
    let (cancelled, watching) = (token.clone(), terminal.clone());
    let watch = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().build() {
            Ok(runtime) => runtime,
            Err(error) => return cannot(&watching, &error),
        };
        runtime.block_on(async {
            asked_to_stop(&watching).await;
            cancelled.cancel();
            watching.note(notice);
            asked_to_stop(&watching).await;
            std::process::exit(ExitStatus::Interrupted as i32);
        });
    };
    if let Err(error) = std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(watch) {
        cannot(terminal, &error);
    }
    token
}
