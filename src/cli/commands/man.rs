use crate::cli::args::ManArgs;
use crate::cli::context::Context;
use crate::cli::terminal::write_result;
use crate::cli::{CliError, ExitStatus, command};

/// Writes the manual: the main page to standard output, or a page for each command into a folder.
pub(super) fn run(args: &ManArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let failed = |what: String, error: std::io::Error| {
        CliError::new(ExitStatus::Failed, format!("cannot write the manual{what}: {error}"))
    };
    match &args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command()).render(&mut page).map_err(|error| failed(String::new(), error))?;
            write_result(&String::from_utf8_lossy(&page))?;
        }
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .and_then(|()| clap_mangen::generate_to(command(), dir))
                .map_err(|error| failed(format!(" to {}", dir.display()), error))?;
            context.terminal.note(&format!("wrote the manual pages to {}", dir.display()));
        }
    }
    Ok(ExitStatus::Done)
}
