//! `doctor`: checks everything that a run needs, and continues after a failure.

use std::time::Instant;

use serde::Serialize;

use super::config::described as described_file;
use crate::app::{App, AppError, ChosenModel};
use crate::base::text::sort_by_similarity;
use crate::cli::args::DoctorArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, Terminal, counted, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::config::{Origin, Refused, Setting, Settings, SettingsFile};
use crate::llm::{ChatRequest, Input, LlmError, Message, Purpose, Role};
use crate::store::qdrant::ServerReport;

/// Why a check that needs the network is skipped.
const OFFLINE: &str = "--offline";

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Finding {
    Good,
    /// It works, but perhaps not as intended.
    Doubtful,
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

/// Checks everything that a run needs, and continues after a failure.
pub(super) fn run(args: &DoctorArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let settings = context.settings_request(Vec::new()).and_then(|request| Ok(Settings::examine(&request)?));
    for notice in settings.iter().flat_map(|settings| &settings.notices) {
        context.terminal.warn(notice);
    }
    let mut checks = Vec::new();
    match settings {
        Err(error) => {
            checks.push(Check::of("settings", Err(error)));
            checks.push(Check::skipped("the rest", "the settings cannot be used"));
        }
        Ok(settings) if !settings.refused.is_empty() => {
            checks.extend(files(&settings));
            checks.extend(settings.refused.iter().map(not_trusted));
            if let Some(last) = checks.last_mut() {
                last.hint = Some("`deepsearch config trust` shows all that the file sets, and asks".to_owned());
            }
            checks.push(Check::skipped("the rest", "the settings cannot be used"));
        }
        Ok(mut settings) => {
            checks.extend(files(&settings));
            // The checks report the present state, so they do not retry.
            settings.config.llm.retries = 0;
            let app = App::new(settings.config, context.surroundings()?);
            checks.extend(context.block_on(async { Ok(examine(&app).await) })?);
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
        Finding::Doubtful => (Ink::Warning, "doubt  "),
        Finding::Failed => (Ink::Error, "failed "),
        Finding::Skipped => (Ink::Faint, "skipped"),
    };
    let hint = check.hint.as_ref().map(|hint| format!("{:29}hint: {hint}\n", "")).unwrap_or_default();
    format!("{}  {:18}  {}\n{hint}", terminal.paint_result(ink, word), check.name, check.detail)
}

/// The most settings named on one line.
const MOST_NAMED: usize = 6;

/// Each settings file, and which settings it decides.
fn files(settings: &Settings) -> Vec<Check> {
    if settings.files.is_empty() {
        return vec![Check::of("settings", Ok("defaults; no settings file".to_owned()))];
    }
    let check = |file: &SettingsFile| {
        let is_here = |setting: &&Setting| matches!(&setting.origin, Origin::File { path, .. } if *path == file.path);
        let keys: Vec<&str> = settings.values.iter().filter(is_here).map(|setting| setting.key.as_str()).collect();
        let decides = match (keys.len(), keys.len().saturating_sub(MOST_NAMED)) {
            (0, _) => "decides nothing".to_owned(),
            (_, 0) => format!("decides {}", keys.join(", ")),
            (_, more) => format!("decides {} and {more} more", keys[..MOST_NAMED].join(", ")),
        };
        Check::of("settings", Ok(format!("{} {decides}", described_file(file))))
    };
    settings.files.iter().map(check).collect()
}

/// A setting of a project's file that needs trust.
fn not_trusted(refused: &Refused) -> Check {
    let Refused { setting, does } = refused;
    Check {
        name: "settings",
        finding: Finding::Failed,
        detail: format!("{}: {} {does}, and the file is not trusted", setting.origin, setting.key),
        hint: None,
    }
}

async fn examine(app: &App) -> Vec<Check> {
    let offline = app.config().net.offline;
    let mut checks = vec![Check::of("data folder", data_folder(app)), Check::of("store", store(app).await)];
    match app.server_report().await {
        Ok(None) => {}
        Err(error) => checks.push(Check::of("server", Err(error.into()))),
        Ok(Some(report)) => checks.push(server(&report)),
    }
    checks.push(match offline && app.config().embed.embedder.starts_with(crate::embed::openai::PREFIX) {
        true => Check::skipped("embedding model", OFFLINE),
        false => Check::of("embedding model", embedder(app).await),
    });
    match app.model() {
        Err(AppError::Offline { what }) => {
            checks.push(Check::skipped("language model", &format!("{what}, and the program is offline")));
        }
        Err(error) => checks.push(Check::of("language model", Err(error.into()))),
        Ok(chosen) => {
            checks.push(Check::of("language model", Ok(described(&chosen))));
            match (offline, chosen.endpoint.is_empty()) {
                (true, _) => checks.push(Check::skipped("endpoint", OFFLINE)),
                (_, true) => checks.push(Check::skipped("endpoint", "none is needed")),
                _ => checks.extend(endpoint(&chosen).await),
            }
        }
    }
    if app.config().sources.web.enabled {
        checks.push(match offline {
            true => Check::skipped("web search", OFFLINE),
            false => web_search(app).await,
        });
    }
    checks
}

/// Searches with the engine for something that it must know. No page is fetched.
async fn web_search(app: &App) -> Check {
    const NAME: &str = "web search";
    let search = match app.web_search() {
        Ok(Some(search)) => search,
        Ok(None) => return Check::skipped(NAME, "switched off"),
        Err(error) => return Check::of(NAME, Err(error.into())),
    };
    let engine = search.engine();
    let (name, url) = (engine.provider().name(), engine.shown_url());
    match engine.search("Wikipedia", 1).await {
        Ok(pages) if pages.is_empty() => Check {
            name: NAME,
            finding: Finding::Doubtful,
            detail: format!("{name} at {url} answers and finds nothing for “Wikipedia”"),
            hint: (name == "searxng")
                .then(|| "see which engines the instance asks, and whether they answer it".to_owned()),
        },
        Ok(_) => Check::of(NAME, Ok(format!("{name} at {url} answers"))),
        Err(error) => Check { name: NAME, finding: Finding::Failed, detail: error.to_string(), hint: None },
    }
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

fn server(report: &ServerReport) -> Check {
    let held = counted(report.collections as u64, "collection");
    let searched = match report.searched {
        0 => "answers a search".to_owned(),
        some => format!("answers a search in {}", counted(some as u64, "collection")),
    };
    let copies = if report.copies > 1 { format!(", {} copies of each shard", report.copies) } else { String::new() };
    let detail = format!("Qdrant {}, {held} of points{copies}, may be written, {searched}", report.version);
    let doubtful =
        |detail, hint: &str| Check { name: "server", finding: Finding::Doubtful, detail, hint: Some(hint.to_owned()) };
    match (report.lost.as_slice(), report.ailing.as_slice()) {
        ([], []) => Check::of("server", Ok(detail)),
        ([], ailing) => doubtful(
            format!("{detail}; a copy is not active in {}", ailing.join(", ")),
            "searches and loads go on with the copies that are left; bring the node back, or another one in its place",
        ),
        (lost, _) => doubtful(
            format!("{detail}; a shard has no active copy in {}", lost.join(", ")),
            "what it holds is neither found nor loaded until the cluster has recovered",
        ),
    }
}

async fn embedder(app: &App) -> Result<String, CliError> {
    let Some(embedder) = app.configured_embedder().await? else {
        return Ok("none: keyword search only".to_owned());
    };
    let started = Instant::now();
    let vectors = embedder
        .queries(vec!["Is anybody there?".into()])
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

/// Asks each model that the settings name, and looks it up in the endpoint's list. One model may serve all purposes.
async fn endpoint(chosen: &ChosenModel) -> Vec<Check> {
    let offered = match chosen.offered_models().await {
        Some(Ok(names)) => names,
        // Not every endpoint has a list; a request shows whether it answers.
        Some(Err(error)) => {
            tracing::debug!(%error, "the endpoint lists no models");
            Vec::new()
        }
        None => Vec::new(),
    };
    let mut asked: Vec<&str> = Vec::new();
    let mut checks = Vec::new();
    for purpose in Purpose::ALL {
        let name = chosen.model.name(purpose);
        if !asked.contains(&name) {
            asked.push(name);
            checks.push(answer(chosen, purpose, &offered).await);
        }
    }
    checks
}

/// Sends the smallest request that shows that the endpoint answers, accepts the key and has the model.
async fn answer(chosen: &ChosenModel, purpose: Purpose, offered: &[String]) -> Check {
    const NAME: &str = "endpoint";
    let request = ChatRequest {
        messages: vec![Message::text(Role::User, "Reply with the word yes.")],
        input: nothing(purpose),
        schema: None,
        tools: Vec::new(),
        max_tokens: Some(16),
        max_requests: None,
        time_left: None,
    };
    let model = chosen.model.name(purpose);
    let offer = (!offered.is_empty() && !offered.iter().any(|name| name == model)).then(|| told(model, offered));
    match chosen.model.chat(&request, &mut |_| {}).await {
        Ok(reply) => {
            let seconds = reply.elapsed.as_secs_f64();
            let detail = format!("{} answered as {} in {seconds:.1} s", chosen.endpoint, reply.model);
            match offer.filter(|_| reply.model != model) {
                // Servers that run one model answer to any name; prices and the report use the configured name.
                Some(offer) => Check {
                    name: NAME,
                    finding: Finding::Doubtful,
                    detail: format!("{detail}, not as {model}"),
                    hint: Some(offer),
                },
                None => Check::of(NAME, Ok(detail)),
            }
        }
        Err(error) => {
            let hint = match &error {
                LlmError::Unavailable { .. } | LlmError::Unreachable { .. } => {
                    Some("see whether the server runs, the network is there, and llm.base_url is right".to_owned())
                }
                LlmError::Refused { status: 404, .. } if offered.is_empty() => {
                    Some("llm.base_url mostly ends in /v1, without /chat/completions".to_owned())
                }
                LlmError::Refused { .. } => offer,
                _ => None,
            };
            Check { name: NAME, finding: Finding::Failed, detail: error.to_string(), hint }
        }
    }
}

/// Lists the models that an endpoint offers instead of `model`, the most similar names first.
fn told(model: &str, offered: &[String]) -> String {
    const MOST: usize = 5;
    let mut near = sort_by_similarity(model, offered.iter().map(String::as_str));
    let rest = match near.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    near.truncate(MOST);
    format!("it offers {}{rest}; llm.model chooses", near.join(", "))
}

/// Empty inputs that only give a request its purpose.
fn nothing(purpose: Purpose) -> Input {
    match purpose {
        Purpose::Plan => Input::Plan(Default::default()),
        Purpose::Reflect => Input::Reflect(Default::default()),
        Purpose::Act => Input::Act(Default::default()),
        Purpose::Follow => Input::Follow(Default::default()),
        Purpose::Choose => Input::Choose(Default::default()),
        Purpose::Outline => Input::Outline(Default::default()),
        Purpose::Write => Input::Write(Default::default()),
        Purpose::Describe => Input::Describe(Default::default()),
        Purpose::Quiz => Input::Quiz(Default::default()),
        Purpose::Revise => Input::Revise(Default::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_models_are_offered_first() {
        let check = |offered: &[&str], expected: &str| {
            let offered: Vec<String> = offered.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(told("gpt-4.1-mini", &offered), expected);
        };
        check(&["whisper", "gpt-4.1"], "it offers gpt-4.1, whisper; llm.model chooses");
        check(&["a", "b", "c", "d", "e", "f", "h"], "it offers a, b, c, d, e and 2 more; llm.model chooses");
    }

    #[test]
    fn the_smallest_request_is_for_its_purpose() {
        for purpose in Purpose::ALL {
            assert_eq!(nothing(purpose).purpose(), purpose);
        }
    }
}
