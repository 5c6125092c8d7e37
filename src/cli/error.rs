//! Maps errors to what the process prints and returns, in one table.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use crate::agent::{AgentError, JournalError};
use crate::app::{AnswerStoreError, AppError};
use crate::base;
use crate::config::ConfigError;
use crate::embed::EmbedError;
use crate::form::FormError;
use crate::ingest::register::RegisterError;
use crate::ingest::{LoadCause, LoadError, ReembedError};
use crate::llm::LlmError;
use crate::llm::openai::OpenAiError;
use crate::memory::MemoryError;
use crate::net::web::WebError;
use crate::report::RecordError;
use crate::retrieval::RetrievalError;
use crate::serve::{Refusal, RefusalKind};
use crate::sources::web::CrawlError;
use crate::store::StoreError;
use crate::verify::VerifyError;

/// How a command ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything was done.
    Done = 0,
    /// The command failed.
    Failed = 1,
    /// The arguments or the settings are wrong.
    Usage = 2,
    /// Done in part: a limit was reached, the model failed, or some files could not be read.
    Partial = 3,
    /// Nothing was found.
    NothingFound = 4,
    /// A report contains what the documents do not say, or no longer say.
    Unverified = 5,
    /// The answer to a watched question has not changed.
    NoNews = 6,
    /// The user stopped the command.
    Interrupted = 130,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status as u8)
    }
}

/// What a user is told about a failure.
#[derive(Debug)]
pub struct CliError {
    /// The exit status of the process.
    pub status: ExitStatus,
    /// What failed.
    pub message: String,
    /// The causes, from the nearest to the first.
    pub causes: Vec<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// Set if nobody can be told: the reader of the output has closed it, which is not a failure.
    pub silent: bool,
}

impl CliError {
    /// A failure with only a message.
    pub fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        CliError { status, message: message.into(), causes: Vec::new(), hint: None, silent: false }
    }

    /// An error in the arguments.
    pub fn usage(message: impl Into<String>) -> Self {
        CliError::new(ExitStatus::Usage, message)
    }

    /// Adds advice on what to do.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        CliError { hint: Some(hint.into()), ..self }
    }

    /// A failure to write the result. A closed pipe ends the command as if everything had been read.
    pub fn output(what: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CliError { silent: true, ..CliError::new(ExitStatus::Done, "the output was closed") };
        }
        CliError::new(ExitStatus::Failed, format!("cannot write {what}: {error}"))
    }

    fn of(error: &(dyn Error + 'static), status: ExitStatus, hint: Option<String>) -> Self {
        let message = error.to_string();
        let mut causes: Vec<String> = Vec::new();
        for text in base::causes(error).map(ToString::to_string) {
            // Many messages already end with their cause.
            if !message.contains(&text) && !causes.contains(&text) {
                causes.push(text);
            }
        }
        CliError { status, message, causes, hint, silent: false }
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        let (status, hint) = config(&error);
        CliError::of(&error, status, hint)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        AppError::Store(error).into()
    }
}

impl From<MemoryError> for CliError {
    fn from(error: MemoryError) -> Self {
        AppError::Memory(error).into()
    }
}

impl From<AppError> for CliError {
    fn from(error: AppError) -> Self {
        let (status, hint) = app(&error);
        CliError::of(&error, status, hint)
    }
}

/// What clients of a server are told: the same words, without the exit code.
pub(super) fn refusal(error: &AppError) -> Refusal {
    let (status, hint) = app(error);
    let kind = match (status, error) {
        (_, AppError::Store(StoreError::NoCollection { .. })) | (ExitStatus::NothingFound, _) => RefusalKind::NotFound,
        (ExitStatus::Usage, _) => RefusalKind::Bad,
        (
            ExitStatus::Done
            | ExitStatus::Failed
            | ExitStatus::Partial
            | ExitStatus::Unverified
            | ExitStatus::NoNews
            | ExitStatus::Interrupted,
            _,
        ) => RefusalKind::Failed,
    };
    let CliError { message, causes, hint, .. } = CliError::of(error, status, hint);
    let message = causes.into_iter().fold(message, |message, cause| format!("{message}: {cause}"));
    Refusal { kind, message, hint }
}

type Verdict = (ExitStatus, Option<String>);

fn failed(hint: impl Into<String>) -> Verdict {
    (ExitStatus::Failed, Some(hint.into()))
}

fn load(cause: &LoadCause) -> Verdict {
    match cause {
        LoadCause::Store(error) => store(error),
        LoadCause::Embed(error) => embed_in_load(error),
        LoadCause::Crawl(
            CrawlError::BadUrl { .. } | CrawlError::Pattern { .. } | CrawlError::Web(WebError::BadUrl { .. }),
        ) => (ExitStatus::Usage, None),
        LoadCause::Crawl(_) | LoadCause::Worker { .. } => (ExitStatus::Failed, None),
    }
}

fn app(error: &AppError) -> Verdict {
    match error {
        AppError::Config(error) => config(error),
        AppError::Store(error) | AppError::Retrieval(RetrievalError::Store(error)) => store(error),
        AppError::Load(LoadError::Failed { source, .. }) => load(source),
        AppError::Load(LoadError::OtherEmbedder { collection, asked, .. }) => {
            failed(reembed_command(collection, asked))
        }
        AppError::Load(LoadError::ManyDescribed { .. } | LoadError::BadName(_)) => (ExitStatus::Usage, None),
        AppError::Reembed(ReembedError::Store(error)) => store(error),
        AppError::Reembed(ReembedError::Embed(error)) => embed_in_load(error),
        AppError::Load(_) => (ExitStatus::Failed, None),
        AppError::Register(RegisterError::NewerFormat { .. }) => {
            failed("update deepsearch, or use another folder with --data-dir")
        }
        AppError::Register(_) | AppError::Crawls(_) | AppError::Watch(_) => (ExitStatus::Failed, None),
        AppError::NoSources => (ExitStatus::Usage, Some("name a folder: deepsearch load ./docs".to_owned())),
        AppError::NoSource { .. } => {
            (ExitStatus::NothingFound, Some("`deepsearch sources list` shows them".to_owned()))
        }
        AppError::Memory(error) => memory(error),
        AppError::Verify(VerifyError::Record(RecordError::Newer { .. })) => failed("update deepsearch"),
        AppError::NoJournal => (ExitStatus::Usage, Some("leave out --set journal.enabled=false".to_owned())),
        AppError::NotDated | AppError::NoSourceList => (
            ExitStatus::Usage,
            Some("ask the question again with `deepsearch query`, which searches all documents".to_owned()),
        ),
        AppError::RunUnknown => (
            ExitStatus::Usage,
            Some("name the run before the question; `deepsearch runs list` shows what is kept".to_owned()),
        ),
        AppError::NoneCitedHere => (
            ExitStatus::NothingFound,
            Some(
                "name their folder with --files, or the data folder that they were loaded into with --data-dir"
                    .to_owned(),
            ),
        ),
        AppError::ManyNew(_) => failed("ask the question again with `deepsearch query`"),
        AppError::Form(FormError::Report(VerifyError::Record(RecordError::Newer { .. }))) => {
            failed("update deepsearch")
        }
        // The error says what to do.
        AppError::Verify(VerifyError::Several { .. })
        | AppError::Form(FormError::Report(VerifyError::Several { .. })) => (ExitStatus::Usage, None),
        AppError::Form(FormError::Template(_)) => {
            (ExitStatus::Usage, Some("docs/reports.md lists what a template is told, with examples".to_owned()))
        }
        AppError::Form(FormError::Page { .. }) => (ExitStatus::Unverified, None),
        #[cfg(feature = "pdf")]
        AppError::Form(FormError::Font { .. }) => {
            failed("the packages are those of Debian and Ubuntu; or write it as .html")
        }
        #[cfg(feature = "pdf")]
        AppError::Form(FormError::Typeset { .. }) => failed("write the report as .html"),
        AppError::Verify(_) | AppError::Form(_) => {
            (ExitStatus::Usage, Some("name a report that `deepsearch query` wrote, as in report.md".to_owned()))
        }
        AppError::Stopped { .. } => (ExitStatus::Failed, None),
        AppError::Embed(error) => embed_in_load(error),
        AppError::Retrieval(RetrievalError::Embed(error)) => embed(error),
        AppError::Llm(error) => llm(error),
        AppError::Client(OpenAiError::NoBaseUrl { .. }) => {
            (ExitStatus::Usage, Some("set it, as in --set llm.base_url=https://…/v1".to_owned()))
        }
        AppError::Client(OpenAiError::NoModel { .. }) => {
            (ExitStatus::Usage, Some("set it, as in --set llm.model=NAME".to_owned()))
        }
        AppError::Client(OpenAiError::Net(_)) | AppError::Key(_) | AppError::Script(_) => (ExitStatus::Failed, None),
        AppError::Retrieval(RetrievalError::NoEmbedder) => {
            (ExitStatus::Usage, Some("search with --mode keyword".to_owned()))
        }
        AppError::Retrieval(
            RetrievalError::NoChunk { .. } | RetrievalError::Stopped(_) | RetrievalError::Recorded { .. },
        ) => (ExitStatus::Failed, None),
        AppError::KeyWithoutProvider => {
            (ExitStatus::Usage, Some("set it too, as in --set llm.provider=openai".to_owned()))
        }
        AppError::NoKey { .. } => failed("set it, or work offline with --set llm.provider=extractive"),
        AppError::KeyElsewhere { .. } => (
            ExitStatus::Usage,
            Some(
                "name the variable that holds the key for that address in llm.api_key_env, or set \
                 llm.provider=custom for an endpoint that takes none"
                    .to_owned(),
            ),
        ),
        AppError::NoStoreKey { .. } => {
            failed("put the key into the variable that store.api_key_env names, or name a file in store.api_key_file")
        }
        AppError::NotCopied { .. } => failed("run the same command again; what was copied so far is kept"),
        AppError::NoEmbedKey { .. } => {
            failed("set it, name another with embed.api_key_env, or search with --mode keyword")
        }
        AppError::MissingSetting { key, .. } => (ExitStatus::Usage, Some(format!("set it, as in --set {key}=…"))),
        AppError::NoPrice { model } => (ExitStatus::Usage, Some(set_price(model))),
        AppError::NoDataFolder => failed("name one with --data-dir DIR or DEEPSEARCH_DATA_DIR"),
        AppError::DataFolderIsFile { .. } => failed("name a folder with --data-dir DIR or DEEPSEARCH_DATA_DIR"),
        AppError::NoCollections { .. } => (
            ExitStatus::NothingFound,
            Some("load something first: deepsearch load ./docs, or add --load ./docs to a query".to_owned()),
        ),
        AppError::FilterExcludesAll { .. } => (
            ExitStatus::NothingFound,
            Some("`deepsearch collections show NAME --json` tells every document's path, language and date".to_owned()),
        ),
        AppError::SeveralEmbedders { .. } => (
            ExitStatus::Usage,
            Some(
                "search fewer of them with --collection NAME, or give them one embedder with `deepsearch collections \
                 reembed NAME --embedder EMBEDDER`"
                    .to_owned(),
            ),
        ),
        AppError::Prompt(_) => (ExitStatus::Usage, Some("see prompts.folder in `deepsearch config show`".to_owned())),
        AppError::BadTime { .. } => (ExitStatus::Usage, Some("write it as in 2026-01-31T12:00:00Z".to_owned())),
        AppError::AllowedAddresses { .. } => (ExitStatus::Usage, None),
        AppError::Offline { .. } => failed("leave out --offline, or choose something that needs no network"),
        AppError::WebOff => (ExitStatus::Usage, Some("switch it on: --set sources.web.enabled=true".to_owned())),
        AppError::WebIsCollection => (
            ExitStatus::Usage,
            Some(
                "rename it with `deepsearch collections rename web NAME`, or --set sources.web.enabled=false"
                    .to_owned(),
            ),
        ),
        AppError::NoWebKey { .. } => {
            failed("set it, name another with sources.web.api_key_env, or --set sources.web.enabled=false")
        }
        AppError::Web(_) => (ExitStatus::Failed, None),
        AppError::Agent(error) => agent(error),
        AppError::Journal(error) => journal(error),
        AppError::Answer(AnswerStoreError::NoModel { .. }) => failed("see `deepsearch train list`"),
        AppError::Answer(AnswerStoreError::BadName { .. }) => (ExitStatus::Usage, None),
        AppError::Answer(_) => (ExitStatus::Failed, None),
    }
}

fn set_price(model: &str) -> String {
    format!(
        "set what a million tokens cost in US dollars, as in --set 'prices.\"{model}\".input=0.40' --set \
         'prices.\"{model}\".output=1.60' (0 for a model that costs nothing), or limit --max-tokens instead"
    )
}

fn agent(error: &AgentError) -> Verdict {
    match error {
        AgentError::EmptyQuestion => (ExitStatus::Usage, Some("ask something, as in: What has changed?".to_owned())),
        AgentError::QuestionTooLong => {
            (ExitStatus::Usage, Some("load the long text as a document, and ask a question about it".to_owned()))
        }
        AgentError::NoCollections => {
            (ExitStatus::NothingFound, Some("load documents first: deepsearch load ./docs".to_owned()))
        }
        AgentError::Interrupted | AgentError::Withdrawn => (ExitStatus::Interrupted, None),
        AgentError::Retrieval(RetrievalError::Store(error)) => store(error),
        AgentError::Retrieval(RetrievalError::Embed(error)) => embed(error),
        AgentError::Retrieval(_) | AgentError::Prompt(_) => (ExitStatus::Failed, None),
        AgentError::Journal(error) => journal(error),
        AgentError::Llm(error) => llm(error),
    }
}

fn journal(error: &JournalError) -> Verdict {
    match error {
        JournalError::NoRun { .. } | JournalError::NoRuns { .. } => failed("`deepsearch runs list` shows what is kept"),
        JournalError::Ambiguous { .. } => (ExitStatus::Usage, Some("write more of it".to_owned())),
        JournalError::NoStep { .. } => (ExitStatus::Usage, Some("`deepsearch runs show RUN` counts them".to_owned())),
        JournalError::Running { .. } => failed("wait until it is done"),
        JournalError::Finished { run } => failed(format!("show its report again with `deepsearch runs replay {run}`")),
        JournalError::NoReport { run, .. } => failed(format!("go on with `deepsearch query --resume {run}`")),
        JournalError::Newer { .. } => failed("update deepsearch"),
        JournalError::OtherModel { run, .. } => failed(format!(
            "choose that model, as in --set llm.model=NAME, or go on with this one: deepsearch runs fork {run} --from STEP"
        )),
        JournalError::Damaged { .. } => failed("remove it with `deepsearch runs rm`"),
        JournalError::Astray | JournalError::Io { .. } => (ExitStatus::Failed, None),
    }
}

fn memory(error: &MemoryError) -> Verdict {
    match error {
        MemoryError::Store(error) => store(error),
        MemoryError::Embed(error) => embed_in_load(error),
        MemoryError::NewerFormat { .. } => failed("update deepsearch, or use another folder with --data-dir"),
        MemoryError::NoSpace { .. } => failed("free some space and run the same command again"),
        MemoryError::NotWritable { .. } | MemoryError::Folder { .. } | MemoryError::Unreadable { .. } => {
            failed("choose another folder with --data-dir DIR, or change its permissions")
        }
        MemoryError::NoEvent { .. } => failed("`deepsearch memory list` shows the numbers"),
        MemoryError::Import { .. } => (ExitStatus::Usage, Some("nothing was imported".to_owned())),
        MemoryError::Damaged { .. } | MemoryError::Engine { .. } | MemoryError::Stopped(_) => {
            (ExitStatus::Failed, None)
        }
    }
}

fn config(error: &ConfigError) -> Verdict {
    match error {
        ConfigError::UnknownKey { nearest, .. } if nearest.as_deref() == Some("llm.api_key_env") => {
            (ExitStatus::Usage, Some("name the variable that holds the key, never the key itself".to_owned()))
        }
        ConfigError::UnknownKey { .. } => {
            (ExitStatus::Usage, Some("`deepsearch config show` lists all settings".to_owned()))
        }
        ConfigError::Syntax { .. } | ConfigError::WrongType { .. } | ConfigError::BadValue { .. } => {
            (ExitStatus::Usage, None)
        }
        ConfigError::Untrusted { .. } => (
            ExitStatus::Usage,
            Some(
                "if you want all that it sets, `deepsearch config trust` shows it and asks; for one run name the file \
                 with --config"
                    .to_owned(),
            ),
        ),
        ConfigError::BadRecord { .. } => {
            (ExitStatus::Usage, Some("remove it, and run `deepsearch config trust` again where you need it".to_owned()))
        }
        ConfigError::Exists { .. } => failed("use --force to replace it"),
        ConfigError::NoHome { .. } => failed("name a file, or set HOME"),
        ConfigError::Unreadable { .. } => (ExitStatus::Usage, None),
        ConfigError::NotWritable { .. } | ConfigError::Inconsistent { .. } => (ExitStatus::Failed, None),
    }
}

fn store(error: &StoreError) -> Verdict {
    match error {
        StoreError::NoCollection { nearest, .. } => match nearest.as_slice() {
            [] => failed("load something first: deepsearch load ./docs"),
            names => failed(format!("did you mean {}?", names.join(", "))),
        },
        StoreError::CollectionExists { .. } => failed("choose another name, or drop that one first"),
        StoreError::BadName { .. } => (ExitStatus::Usage, None),
        StoreError::OtherEmbedder { collection, asked, .. } => failed(reembed_command(collection, asked)),
        StoreError::Locked { .. } => failed("wait until it is done; searching is possible meanwhile"),
        StoreError::NewerFormat { .. } => failed("update deepsearch, or use another folder with --data-dir"),
        StoreError::NoSpace { .. } => {
            failed("free some space and run the same command again; what was stored so far is kept")
        }
        StoreError::NotWritable { .. } => {
            failed("choose another folder with --data-dir DIR, or change its permissions")
        }
        StoreError::Unreachable { .. } => {
            failed("check store.url and the network with `deepsearch doctor`, and run the same command again")
        }
        StoreError::Refused { .. } => {
            failed("name a variable with a key that may do this in store.api_key_env, and see `deepsearch doctor`")
        }
        StoreError::Tls { .. } => {
            failed("store.url begins with https only where the server has a certificate that this machine trusts")
        }
        StoreError::ServerVersion { .. } => failed("update the server"),
        StoreError::RateLimited { after, .. } => failed(match after {
            Some(_) => "run the same command again later, or raise the limit of the server's strict mode",
            None => "the one call is more than the server takes at once; raise the limit of its strict mode",
        }),
        StoreError::Failing { .. } => failed(
            "nodes or copies of shards may be down: `deepsearch doctor` says which; then run the same command again",
        ),
        StoreError::BadAddress { .. } => failed("set `store.url`, and see `deepsearch doctor`"),
        StoreError::ServerFull { .. } => {
            failed("give the server more space and run the same command again; what was stored so far is kept")
        }
        StoreError::Damaged { .. }
        | StoreError::OlderFormat { .. }
        | StoreError::Io { .. }
        | StoreError::Engine { .. } => (ExitStatus::Failed, None),
    }
}

/// The hint with the command that gives a collection another embedder's vectors. `asked` is the embedder's name,
/// possibly followed by what distinguishes it from another of the same name.
fn reembed_command(collection: &str, asked: &str) -> String {
    let embedder = asked.split_once(" (").map_or(asked, |(name, _)| name);
    let embedder = if embedder.contains(' ') { "NAME" } else { embedder };
    let plain = |name: &str| name.chars().all(|char| char.is_alphanumeric() || "-_./:".contains(char));
    let collection =
        if plain(collection) { collection.to_owned() } else { format!("'{}'", collection.replace('\'', "'\\''")) };
    format!("give it that embedder's vectors: deepsearch collections reembed {collection} --embedder {embedder}")
}

fn embed(error: &EmbedError) -> Verdict {
    match error {
        EmbedError::Unknown { .. } => (ExitStatus::Usage, None),
        EmbedError::Dimension { .. } => {
            failed("the model of that name has changed: drop the collections that it made, and load them again")
        }
        EmbedError::Load { .. } | EmbedError::Run { .. } => {
            failed("search with --mode keyword, or see [embed] in `deepsearch config show`")
        }
    }
}

fn embed_in_load(error: &EmbedError) -> Verdict {
    match error {
        EmbedError::Load { .. } | EmbedError::Run { .. } => {
            failed("see [embed] in `deepsearch config show`; `--embedder none` does without, with keyword search only")
        }
        other => embed(other),
    }
}

fn llm(error: &LlmError) -> Verdict {
    match error {
        LlmError::Key { .. } => {
            failed("check the key with `deepsearch doctor`, or work offline with --set llm.provider=extractive")
        }
        LlmError::Unavailable { .. } | LlmError::Unreachable { .. } => {
            failed("check llm.base_url and the network with `deepsearch doctor`")
        }
        LlmError::Refused { .. } => failed("check llm.model and llm.base_url with `deepsearch doctor`"),
        LlmError::ContextOverflow { .. } => {
            failed("lower agent.evidence_tokens, or choose a model with a larger context")
        }
        LlmError::Unusable { .. } => {
            failed("try again, or choose a more capable model for this step, as in [llm.plan]")
        }
        LlmError::Limit { .. } => (ExitStatus::Partial, Some("raise the limit".to_owned())),
        LlmError::Unscripted { .. } => (ExitStatus::Failed, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is() {
        let check = |kind: io::ErrorKind, status, silent| {
            let error = CliError::output("the report", &io::Error::from(kind));
            assert_eq!((error.status, error.silent), (status, silent));
        };
        check(io::ErrorKind::BrokenPipe, ExitStatus::Done, true);
        check(io::ErrorKind::StorageFull, ExitStatus::Failed, false);
    }

    #[test]
    fn the_same_fault_ends_alike_whichever_floor_it_came_through() {
        let fault = || StoreError::NoCollection { name: "a".to_owned(), nearest: vec!["b".to_owned()] };
        let direct = CliError::from(fault());
        let wrapped = CliError::from(AppError::Retrieval(RetrievalError::Store(fault())));
        assert_eq!(direct.message, wrapped.message);
        assert_eq!(direct.hint.as_deref(), Some("did you mean b?"));
        assert_eq!(direct.hint, wrapped.hint);
        assert_eq!(direct.status, wrapped.status);
    }

    #[test]
    fn another_embedder_is_answered_with_the_command_that_changes_it() {
        fn check(collection: &str, asked: &str, expected: &str) {
            let text = String::new();
            let (collection, asked) = (collection.to_owned(), asked.to_owned());
            let error = CliError::from(StoreError::OtherEmbedder { collection, has: text, asked });
            let hint = error.hint.unwrap_or_default();
            assert!(hint.ends_with(&format!(": deepsearch collections reembed {expected}")), "{hint}");
        }
        check("docs", "minilm", "docs --embedder minilm");
        check("資料 室", "fastembed:x", "'資料 室' --embedder fastembed:x");
        check("it's", "minilm (384 dimensions, prefix \"\", states \"\")", "'it'\\''s' --embedder minilm");
        check("docs", "one of 3 dimensions", "docs --embedder NAME");
    }

    #[test]
    fn a_cause_is_told_once() {
        let source = io::Error::other("the disk is on fire");
        let error = CliError::from(StoreError::Io { action: "cannot open", path: PathBuf::from("/x"), source });
        assert_eq!(error.message, "cannot open /x: the disk is on fire");
        assert!(error.causes.is_empty());
    }
}
