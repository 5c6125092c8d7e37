use std::io::IsTerminal;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::cli::args::{OnStop, ServeArgs};
use crate::cli::context::Context;
use crate::cli::error::refusal;
use crate::cli::interrupt::asked_to_stop;
use crate::cli::terminal::{Ink, Terminal, counted};
use crate::cli::{CliError, ExitStatus};
use crate::serve::{Desk, DeskOptions, HttpOptions, Library, Tls, Tokens, serve};

/// Serves over HTTP until it is told to stop.
pub(super) fn run(args: &ServeArgs, context: &Context) -> Result<ExitStatus, CliError> {
    if let Some(folder) = args.allow_load.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(CliError::usage(format!("--allow-load needs a folder, and {} is none", folder.display())));
    }
    if let Some(url) = args.public_url.as_ref().filter(|url| !matches!(url.scheme(), "http" | "https")) {
        return Err(CliError::usage(format!("--public-url must begin with http:// or https://, and {url} does not")));
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => {
            Some(Tls::of(certificate, key).map_err(|error| CliError::usage(error.to_string()))?)
        }
        _ => None,
    };
    let app = Arc::new(context.app(Vec::new())?);
    let failed = |error: &dyn std::fmt::Display| CliError::new(ExitStatus::Failed, error.to_string());
    context.block_on(async {
        let cannot_listen = |error: std::io::Error| {
            CliError::new(ExitStatus::Failed, format!("cannot serve on {}: {error}", args.listen))
                .with_hint("choose another address or port with --listen")
        };
        // Binds first: a server that cannot be reached creates no token and pays for no research.
        let listener = TcpListener::bind(args.listen).await.map_err(cannot_listen)?;
        let options = HttpOptions {
            listen: listener.local_addr().map_err(cannot_listen)?,
            public_url: args.public_url.clone(),
            hosts: args.allow_host.clone(),
            origins: args.allow_origin.clone(),
            load_from: args.allow_load.clone(),
            tls,
        };
        let (tokens, made) = Tokens::of(&app.data_dir()?).map_err(|error| failed(&error))?;
        let desk = Desk::open(Arc::clone(&app), refusal, DeskOptions { at_once: usize::from(args.runs) })?;
        let stop = CancellationToken::new();
        tokio::spawn(watch(context.terminal.clone(), Arc::clone(&desk), args.on_stop, stop.clone()));
        let left = desk.take_up().map_err(|refusal| failed(&refusal.message))?;
        let address = options.address();
        if let Some(token) = &made {
            say_token(&context.terminal, token, &address);
        }
        if left > 0 {
            context.terminal.note(&format!("going on with {} of before", counted(left as u64, "run")));
        }
        context.terminal.note(&format!("listening on {address}"));
        serve(listener, Library::new(app, refusal), desk, tokens, options, stop).await;
        Ok(ExitStatus::Done)
    })
}

/// Shows the token once, to a person only: a stream that is not a terminal may be a log.
fn say_token(terminal: &Terminal, token: &str, base: &str) {
    if std::io::stderr().is_terminal() {
        terminal.note(&format!(
            "the token, which every request needs in its header `Authorization: Bearer TOKEN`:\n  {}\nthe page in the \
             browser:\n  {base}/#token={token}",
            terminal.paint(Ink::Strong, token)
        ));
    }
    let shown = if std::io::stderr().is_terminal() { "the token" } else { "a token was made; it" };
    terminal.note(&format!("{shown} is kept in the file served/token of the data folder"));
}

/// Waits for Ctrl-C or a service manager's request to stop. The second one ends the process, which loses nothing.
async fn watch(terminal: Terminal, desk: Arc<Desk>, on_stop: OnStop, stop: CancellationToken) {
    asked_to_stop(&terminal).await;
    let running = desk.running();
    match on_stop {
        OnStop::Finish if running > 0 => {
            terminal.note("writing the reports from what was found; Ctrl-C again keeps the researches and stops now");
            tokio::select! {
                () = desk.close(true) => {}
                () = asked_to_stop(&terminal) => {}
            }
        }
        OnStop::Finish | OnStop::Keep => {
            desk.close(false).await;
            if running > 0 {
                terminal.note("stopping; the next start goes on with the researches");
            }
        }
    }
    stop.cancel();
}
