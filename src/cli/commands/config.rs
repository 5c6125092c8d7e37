//! Shows, writes and finds settings, and manages trust in those of a project. The rules of trust are in `config`.

use std::path::Path;

use serde_json::json;

use crate::base::text::visible;
use crate::cli::args::ConfigCommand;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::config::{
    FileRole, NAMING, Origin, PROJECT_FILE, Project, Setting, Settings, SettingsFile, TrustState, trusted_files,
    untrust, write_template,
};

/// Shows, writes, finds and trusts settings.
pub(super) fn run(command: &ConfigCommand, context: &Context) -> Result<ExitStatus, CliError> {
    match command {
        ConfigCommand::Init { file, force } => init(file.as_deref(), *force, context)?,
        ConfigCommand::Show { json, changed } => show(*json, *changed, context)?,
        ConfigCommand::Path => path(context)?,
        ConfigCommand::Trust { list: true, .. } => list_trusted(context)?,
        ConfigCommand::Trust { yes, .. } => trust(*yes, context)?,
        ConfigCommand::Untrust { folder } => distrust(folder, context)?,
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
    let request = context.settings_request(Vec::new())?;
    let settings = Settings::examine(&request)?;
    settings.notices.iter().for_each(|notice| context.terminal.warn(notice));
    let shown: Vec<&Setting> =
        settings.values.iter().filter(|setting| !changed || setting.origin != Origin::Default).collect();
    if json {
        let as_json = |setting: &Setting| json!({"key": setting.key, "value": setting.value, "origin": setting.origin.to_string()});
        let refused = settings.refused.iter().map(|refused| {
            let mut object = as_json(&refused.setting);
            object["not_trusted"] = refused.does.clone().into();
            object
        });
        write_json(&shown.iter().map(|setting| as_json(setting)).chain(refused).collect::<Vec<_>>())?;
    } else {
        let mut text = lines(&shown, context);
        if !settings.refused.is_empty() {
            text.push_str(
                &context.terminal.paint_result(Ink::Warning, "# not in force, since their file is not trusted:"),
            );
            text.push('\n');
            let refused: Vec<&Setting> = settings.refused.iter().map(|refused| &refused.setting).collect();
            text.extend(lines(&refused, context).lines().map(|line| format!("# {line}\n")));
        }
        write_result(&text)?;
    }
    // Settings that no other command would accept are an error here too.
    Settings::load(&request)?;
    Ok(())
}

/// One line for each setting, followed by its origin.
fn lines(settings: &[&Setting], context: &Context) -> String {
    let written: Vec<String> =
        settings.iter().map(|setting| format!("{} = {}", setting.key, visible(&setting.value))).collect();
    let width = written.iter().map(|line| line.chars().count()).max().unwrap_or(0).min(60);
    let line = |(setting, line): (&&Setting, &String)| {
        let gap = " ".repeat(width.saturating_sub(line.chars().count()));
        let origin = context.terminal.paint_result(Ink::Faint, &format!("# {}", setting.origin));
        format!("{line}{gap}  {origin}\n")
    };
    settings.iter().zip(&written).map(line).collect()
}

fn path(context: &Context) -> Result<(), CliError> {
    let request = context.settings_request(Vec::new())?;
    let around = &request.around;
    let named = request.file.clone().or_else(|| around.variable(NAMING).map(Into::into));
    let candidates = match named {
        Some(named) => vec![named],
        None => [Some(around.cwd.join(PROJECT_FILE)), around.user_file().ok()].into_iter().flatten().collect(),
    };
    // The files are listed even if some cannot be used.
    let settings = Settings::examine(&request).ok();
    let read = settings.as_ref().map(|settings| settings.files.as_slice()).unwrap_or_default();
    let mut text = String::new();
    for candidate in candidates {
        let role = read.iter().find(|file| file.path == candidate).map(|file| file.role);
        let needs_trust = settings.as_ref().is_some_and(|settings| !settings.refused.is_empty());
        let state = match role {
            Some(FileRole::Project(TrustState::Trusted)) => "  (trusted)",
            Some(FileRole::Project(_)) if needs_trust => "  (not trusted)",
            Some(_) => "",
            None if candidate.is_file() => "",
            None => "  (not there)",
        };
        text.push_str(&format!("{}{}\n", candidate.display(), context.terminal.paint_result(Ink::Faint, state)));
    }
    write_result(&text)
}

/// The settings file and its role for the user.
pub(super) fn described(file: &SettingsFile) -> String {
    let role = match file.role {
        FileRole::Named => "named for this run",
        FileRole::User => "your own",
        FileRole::Project(TrustState::Trusted) => "this folder's, trusted",
        FileRole::Project(TrustState::Changed) => "this folder's, changed since it was trusted",
        FileRole::Project(TrustState::Unknown) => "this folder's, not trusted",
    };
    format!("{} ({role})", file.path.display())
}

/// Shows what the project's file sets, and asks before trusting it. If nobody can answer, nothing is asked.
fn trust(yes: bool, context: &Context) -> Result<(), CliError> {
    if context.global.config.is_some() {
        return Err(CliError::usage("a file that --config names needs no trust")
            .with_hint("`deepsearch config trust` without it is about the deepsearch.toml of the working folder"));
    }
    let request = context.settings_request(Vec::new())?;
    let Some(project) = Project::find(&request)? else {
        return Err(CliError::usage(format!("there is no {PROJECT_FILE} in {}", request.around.cwd.display()))
            .with_hint("change to the folder whose settings you want to trust"));
    };
    write_result(&contents(&project, context))?;
    if project.standing == TrustState::Trusted {
        return write_result("It is trusted already.\n");
    }
    if !yes {
        let message = format!("{} was not trusted: nobody is there to confirm it", project.path.display());
        let unasked = CliError::usage(message).with_hint("read what it sets, and add --yes");
        let question = "Trust this file, as long as it stays as it is?";
        if !context.terminal.agreed(question, "it is not trusted", unasked)? {
            return Ok(());
        }
    }
    let path = project.trust(&request.around)?;
    write_result(&format!("Trusted: {}\n", path.display()))
}

/// All that a project's file sets, and which settings in it need trust. Nothing is cut short: the end of a long value
/// may be what matters.
fn contents(project: &Project, context: &Context) -> String {
    let line =
        |setting: &Setting| format!("  {}: {} = {}\n", setting.origin.line(), setting.key, visible(&setting.value));
    let (mut needing, mut harmless) = (String::new(), String::new());
    for (setting, does) in &project.settings {
        match does {
            Some(does) => {
                needing.push_str(&line(setting));
                needing.push_str(&format!("    {}\n", context.terminal.paint_result(Ink::Warning, does)));
            }
            None => harmless.push_str(&line(setting)),
        }
    }
    let path = project.path.display();
    let changed = if project.standing == TrustState::Changed { ", changed since it was trusted," } else { "" };
    let mut text = match (needing.is_empty(), harmless.is_empty()) {
        (true, true) => format!("{path}{changed} sets nothing.\n"),
        (true, false) => format!("{path}{changed} sets nothing that needs trust.\n"),
        (false, _) => format!("{path}{changed} sets, by line, what needs trust:\n{needing}"),
    };
    if !harmless.is_empty() {
        text.push_str(&format!("By line, what it may set in any case:\n{harmless}"));
    }
    text
}

fn list_trusted(context: &Context) -> Result<(), CliError> {
    let files = trusted_files(&context.surroundings()?)?;
    if files.is_empty() {
        context.terminal.note("no settings file is trusted");
    }
    let mut text = String::new();
    for file in &files {
        let state = match file.unchanged {
            Some(true) => "",
            Some(false) => "  (changed since, not trusted)",
            None => "  (not there)",
        };
        text.push_str(&format!("{}{}\n", file.path.display(), context.terminal.paint_result(Ink::Faint, state)));
    }
    write_result(&text)
}

fn distrust(folder: &Path, context: &Context) -> Result<(), CliError> {
    match untrust(folder, &context.surroundings()?)? {
        Some(path) => write_result(&format!("Not trusted any more: {}\n", path.display())),
        None => {
            let message = format!("no settings file of {} was trusted", folder.display());
            Err(CliError::new(ExitStatus::NothingFound, message)
                .with_hint("`deepsearch config trust --list` shows those that are"))
        }
    }
}
