use std::path::Path;

use serde_json::json;

use crate::cli::args::ConfigCommand;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::config::{Origin, PROJECT_FILE, Setting, write_template};

/// Shows, writes and finds settings.
pub(super) fn run(command: &ConfigCommand, context: &Context) -> Result<ExitStatus, CliError> {
    match command {
        ConfigCommand::Init { file, force } => init(file.as_deref(), *force, context)?,
        ConfigCommand::Show { json, changed } => show(*json, *changed, context)?,
        ConfigCommand::Path => path(context)?,
    }
    Ok(ExitStatus::Done)
}

fn init(file: Option<&Path>, force: bool, context: &Context) -> Result<(), CliError> {
    let path = match file {
        Some(file) => file.to_owned(),
        None => context.surroundings()?.user_file()?,
    };
    write_template(&path, force)?;
    write_result(&format!("{}\n", path.display()))
}

fn show(json: bool, changed: bool, context: &Context) -> Result<(), CliError> {
    let settings = context.settings(Vec::new())?;
    let shown: Vec<&Setting> =
        settings.values.iter().filter(|setting| !changed || setting.origin != Origin::Default).collect();
    if json {
        let list: Vec<_> = shown
            .iter()
            .map(|setting| json!({"key": setting.key, "value": setting.value, "origin": setting.origin.to_string()}))
            .collect();
        return write_json(&list);
    }
    let width = shown.iter().map(|setting| setting.key.len() + setting.value.chars().count() + 3).max().unwrap_or(0);
    let mut text = String::new();
    for setting in shown {
        let line = format!("{} = {}", setting.key, setting.value);
        let gap = " ".repeat(width.min(60).saturating_sub(line.chars().count()));
        let origin = context.terminal.paint_result(Ink::Faint, &format!("# {}", setting.origin));
        text.push_str(&format!("{line}{gap}  {origin}\n"));
    }
    write_result(&text)
}

fn path(context: &Context) -> Result<(), CliError> {
    let around = context.surroundings()?;
    let named = context.global.config.clone().or_else(|| around.variable("DEEPSEARCH_CONFIG").map(Into::into));
    let candidates = match named {
        Some(named) => vec![named],
        None => [Some(around.cwd.join(PROJECT_FILE)), around.user_file().ok()].into_iter().flatten().collect(),
    };
    let mut text = String::new();
    for candidate in candidates {
        let state = if candidate.is_file() { "" } else { "  (not there)" };
        text.push_str(&format!("{}{}\n", candidate.display(), context.terminal.paint_result(Ink::Faint, state)));
    }
    write_result(&text)
}
