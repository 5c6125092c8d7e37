use std::time::Instant;

use serde::Serialize;

use crate::app::{App, ChosenModel};
use crate::cli::args::DoctorArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, Terminal, counted, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::config::Settings;
use crate::llm::purpose::DescribeInput;
use crate::llm::{ChatRequest, Input, Message, Purpose, Role};

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Finding {
    Good,
    Failed,
    Skipped,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    finding: Finding,
    detail: String,
    hint: Option<String>,
}

impl Check {
    fn of(name: &'static str, outcome: Result<String, CliError>) -> Self {
        match outcome {
            Ok(detail) => Check { name, finding: Finding::Good, detail, hint: None },
            Err(error) => Check { name, finding: Finding::Failed, detail: error.message, hint: error.hint },
        }
    }

    fn skipped(name: &'static str, why: &str) -> Self {
        Check { name, finding: Finding::Skipped, detail: why.to_owned(), hint: None }
    }
}

/// Checks everything that a run needs, and goes on after what fails.
pub(super) fn run(args: &DoctorArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let settings = context.settings(Vec::new());
    let mut checks = Vec::new();
    match settings {
        Err(error) => {
            checks.push(Check::of("settings", Err(error)));
            checks.push(Check::skipped("the rest", "the settings cannot be used"));
        }
        Ok(settings) => {
            checks.push(Check::of("settings", Ok(files(&settings))));
            let app = App::new(settings.config, context.surroundings()?);
            checks.extend(context.block_on(async { Ok(examine(&app, args.offline).await) })?);
        }
    }
    if args.json {
        write_json(&checks)?;
    } else {
        let lines: Vec<String> = checks.iter().map(|check| line(check, &context.terminal)).collect();
        write_result(&lines.concat())?;
    }
    let failed = checks.iter().any(|check| check.finding == Finding::Failed);
    Ok(if failed { ExitStatus::Failed } else { ExitStatus::Done })
}

fn line(check: &Check, terminal: &Terminal) -> String {
    let (ink, word) = match check.finding {
        Finding::Good => (Ink::Good, "good   "),
        Finding::Failed => (Ink::Error, "failed "),
        Finding::Skipped => (Ink::Faint, "skipped"),
    };
    let hint = check.hint.as_ref().map(|hint| format!("{:29}hint: {hint}\n", "")).unwrap_or_default();
    format!("{}  {:18}  {}\n{hint}", terminal.paint_result(ink, word), check.name, check.detail)
}

fn files(settings: &Settings) -> String {
    match settings.files.as_slice() {
        [] => "defaults; no settings file".to_owned(),
        files => files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", "),
    }
}

async fn examine(app: &App, offline: bool) -> Vec<Check> {
    let mut checks = vec![
        Check::of("data folder", data_folder(app)),
        Check::of("store", store(app).await),
        Check::of("embedding model", embedder(app).await),
    ];
    match app.model() {
        Err(error) => checks.push(Check::of("language model", Err(error.into()))),
        Ok(chosen) => {
            checks.push(Check::of("language model", Ok(described(&chosen))));
            checks.push(match (offline, chosen.endpoint.is_empty()) {
                (true, _) => Check::skipped("endpoint", "--offline"),
                (_, true) => Check::skipped("endpoint", "none is needed"),
                _ => Check::of("endpoint", ask(&chosen).await),
            });
        }
    }
    checks
}

fn data_folder(app: &App) -> Result<String, CliError> {
    let path = app.data_dir()?;
    let state = match std::fs::metadata(&path) {
        Ok(metadata) if metadata.permissions().readonly() => " (read-only: nothing can be loaded)",
        Ok(_) => "",
        Err(_) => " (not there yet)",
    };
    Ok(format!("{}{state}", path.display()))
}

async fn store(app: &App) -> Result<String, CliError> {
    match app.existing_store().await? {
        None => Ok("nothing loaded yet".to_owned()),
        Some(store) => {
            let collections = store.collections().await?;
            let documents = collections.iter().map(|collection| collection.documents).sum();
            Ok(format!("{}, {}", counted(collections.len() as u64, "collection"), counted(documents, "document")))
        }
    }
}

async fn embedder(app: &App) -> Result<String, CliError> {
    let Some(embedder) = app.configured_embedder().await? else {
        return Ok("none: keyword search only".to_owned());
    };
    let started = Instant::now();
    let vectors = embedder
        .queries(vec!["Is anybody there?".to_owned()])
        .await
        .map_err(|error| CliError::from(crate::app::AppError::from(error)))?;
    let identity = embedder.identity();
    let length = vectors.first().map_or(0, |query| query.embedding.len());
    if length != identity.dimension {
        let message = format!("{} gave {length} dimensions where {} were expected", identity.name, identity.dimension);
        return Err(CliError::new(ExitStatus::Failed, message));
    }
    let milliseconds = started.elapsed().as_millis();
    Ok(format!("{}, {} dimensions, first answer in {milliseconds} ms", identity.name, identity.dimension))
}

fn described(chosen: &ChosenModel) -> String {
    let model = chosen.model.name(Purpose::Write);
    let key = match chosen.key_source.as_str() {
        "" => String::new(),
        source => format!(", key from {source}"),
    };
    let why = if chosen.no_key_found { " (no key is set: quotes and does not reason)" } else { "" };
    let model = if model == chosen.provider { String::new() } else { format!(" {model}") };
    format!("{}{model}{key}{why}", chosen.provider)
}

/// The smallest request that shows that the endpoint answers, takes the key and has the model.
async fn ask(chosen: &ChosenModel) -> Result<String, CliError> {
    let input =
        DescribeInput { name: "check".to_owned(), titles: Vec::new(), vocabulary: Vec::new(), samples: Vec::new() };
    let request = ChatRequest {
        messages: vec![Message::text(Role::User, "Reply with the word yes.")],
        input: Input::Describe(input),
        schema: None,
        tools: Vec::new(),
        max_tokens: Some(16),
    };
    let reply = chosen
        .model
        .chat(&request, &mut |_| {})
        .await
        .map_err(|error| CliError::from(crate::app::AppError::from(error)))?;
    Ok(format!("{} answered as {} in {:.1} s", chosen.endpoint, reply.model, reply.elapsed.as_secs_f64()))
}
