//! Recorded conversations with a model. A cassette is a JSONL file: a line that names the format, then a line for each
//! request with its reply. A reply is found again by what was asked, never by its place in the file alone.
//!
//! A refusal is a reply too, since a run goes on after it: without it the run could not be repeated. What may pass, such
//! as a lost connection, is not recorded.
//!
//! Keys cannot get in: a request as this floor sees it has none, and what an endpoint said comes with them blanked.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, LlmError, Message, Purpose, ToolCall};
use crate::base::ContentHash;
use crate::domain::Usage;

/// The newest version that this program reads, and the one it writes.
const VERSION: u32 = 1;

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be opened, read or written.
    #[error("{action} the cassette {}: {source}", path.display())]
    Io {
        /// What was tried, as in "cannot open".
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("line {line} of the cassette {} is damaged: {reason}; record it anew", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// A newer program wrote it.
    #[error("the cassette {} has version {found}, and this program reads versions up to {VERSION}; record it anew or update", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    deepsearch_cassette: u32,
    /// Whether the recorded model reasons; replays say the same.
    reasons: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Hash of `request` in its serialized form.
    key: String,
    /// For people who read the file, and for the hash.
    request: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<StoredReply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<StoredRefusal>,
}

/// How an endpoint refused, for good.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum StoredRefusal {
    ContextOverflow { model: String, reason: String },
    Refused { url: String, model: String, status: u16, reason: String },
}

impl StoredRefusal {
    fn of(error: &LlmError) -> Option<Self> {
        match error {
            LlmError::ContextOverflow { model, reason } => {
                Some(StoredRefusal::ContextOverflow { model: model.clone(), reason: reason.clone() })
            }
            LlmError::Refused { url, model, status, reason } => Some(StoredRefusal::Refused {
                url: url.clone(),
                model: model.clone(),
                status: *status,
                reason: reason.clone(),
            }),
            LlmError::Key { .. }
            | LlmError::Unavailable { .. }
            | LlmError::Unusable { .. }
            | LlmError::Limit { .. }
            | LlmError::Unscripted { .. } => None,
        }
    }
}

impl From<StoredRefusal> for LlmError {
    fn from(stored: StoredRefusal) -> Self {
        match stored {
            StoredRefusal::ContextOverflow { model, reason } => LlmError::ContextOverflow { model, reason },
            StoredRefusal::Refused { url, model, status, reason } => LlmError::Refused { url, model, status, reason },
        }
    }
}

/// What came of a request.
type Outcome = Result<StoredReply, StoredRefusal>;

/// A reply as the file has it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReply {
    text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reasoning: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    finish: Finish,
    usage: Usage,
    model: String,
    elapsed_ms: u64,
}

impl From<&ChatReply> for StoredReply {
    fn from(reply: &ChatReply) -> Self {
        StoredReply {
            text: reply.text.clone(),
            reasoning: reply.reasoning.clone(),
            tool_calls: reply.tool_calls.clone(),
            finish: reply.finish,
            usage: reply.usage,
            model: reply.model.clone(),
            elapsed_ms: u64::try_from(reply.elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<StoredReply> for ChatReply {
    fn from(stored: StoredReply) -> Self {
        ChatReply {
            text: stored.text,
            reasoning: stored.reasoning,
            tool_calls: stored.tool_calls,
            finish: stored.finish,
            usage: stored.usage,
            model: stored.model,
            elapsed: Duration::from_millis(stored.elapsed_ms),
        }
    }
}

/// What a reply depends on: everything that an endpoint is sent but for the key. The model counts by its name for the
/// purpose.
pub(crate) fn canonical(model: &str, request: &ChatRequest) -> Value {
    #[derive(Serialize)]
    struct Canonical<'a> {
        purpose: Purpose,
        model: &'a str,
        messages: &'a [Message],
        schema: Option<&'a Value>,
        tools: &'a [super::ToolSpec],
        max_tokens: Option<u64>,
    }
    let schema = request.schema.as_ref().map(|schema| &schema.schema);
    json!(Canonical {
        purpose: request.purpose(),
        model,
        messages: &request.messages,
        schema,
        tools: &request.tools,
        max_tokens: request.max_tokens,
    })
}

fn key_of(request: &Value) -> String {
    ContentHash::of(request.to_string().as_bytes()).to_string()
}

/// Passes requests on to a model, and appends each with its reply or its refusal to a cassette.
pub struct Recorder {
    inner: Arc<dyn ChatModel>,
    path: PathBuf,
    file: Arc<Mutex<File>>,
}

impl Recorder {
    /// Begins a cassette, or goes on with one.
    pub fn open(inner: Arc<dyn ChatModel>, path: &Path) -> Result<Self, CassetteError> {
        let failed = |source| CassetteError::Io { action: "cannot open", path: path.into(), source };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() == 0 {
            let header = json!(Header { deepsearch_cassette: VERSION, reasons: inner.reasons() });
            writeln!(file, "{header}").map_err(failed)?;
        } else {
            // Whatever is wrong with what is there is found before it grows.
            load(path)?;
        }
        Ok(Recorder { inner, path: path.into(), file: Arc::new(Mutex::new(file)) })
    }

    async fn append(&self, entry: Entry) -> Result<(), CassetteError> {
        let file = Arc::clone(&self.file);
        let written = tokio::task::spawn_blocking(move || {
            let line = format!("{}\n", json!(entry));
            // One write, so that a line is there whole or not at all unless the disk is full.
            file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
        });
        let written = written.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        written.map_err(|source| CassetteError::Io { action: "cannot write to", path: self.path.clone(), source })
    }
}

#[async_trait]
impl ChatModel for Recorder {
    fn name(&self, purpose: Purpose) -> &str {
        self.inner.name(purpose)
    }

    /// A reply that cannot be recorded is still given back, since it was paid for; the failure is logged as an error.
    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let asked = canonical(self.name(request.purpose()), request);
        let outcome = self.inner.chat(request, sink).await;
        let (reply, refusal) = match &outcome {
            Ok(reply) => (Some(StoredReply::from(reply)), None),
            Err(error) => (None, StoredRefusal::of(error)),
        };
        if reply.is_some() || refusal.is_some() {
            let entry = Entry { key: key_of(&asked), request: asked, reply, refusal };
            if let Err(error) = self.append(entry).await {
                tracing::error!(%error, "a reply was not recorded");
            }
        }
        outcome
    }

    fn reasons(&self) -> bool {
        self.inner.reasons()
    }
}

/// Answers from a cassette. Requests that were asked several times get their replies in the order recorded, each once.
pub struct Replay {
    path: PathBuf,
    reasons: bool,
    /// The recorded model's name, by purpose.
    names: BTreeMap<&'static str, String>,
    replies: Mutex<BTreeMap<String, VecDeque<Outcome>>>,
}

impl Replay {
    /// Reads a cassette.
    pub fn open(path: &Path) -> Result<Self, CassetteError> {
        let (header, entries) = load(path)?;
        let mut names = BTreeMap::new();
        let mut replies: BTreeMap<String, VecDeque<Outcome>> = BTreeMap::new();
        for (key, request, outcome) in entries {
            let purpose = Purpose::ALL.into_iter().find(|purpose| request["purpose"] == purpose.name());
            if let (Some(purpose), Some(model)) = (purpose, request["model"].as_str()) {
                names.entry(purpose.name()).or_insert_with(|| model.to_owned());
            }
            replies.entry(key).or_default().push_back(outcome);
        }
        Ok(Replay { path: path.into(), reasons: header.reasons, names, replies: Mutex::new(replies) })
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn name(&self, purpose: Purpose) -> &str {
        self.names.get(purpose.name()).map_or("replay", String::as_str)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let purpose = request.purpose();
        let key = key_of(&canonical(self.name(purpose), request));
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stored) = replies.get_mut(&key).and_then(VecDeque::pop_front) else {
            let script = self.path.display().to_string();
            let reason = format!("no reply is left for the request with hash {key}; record it anew");
            return Err(LlmError::Unscripted { script, purpose: purpose.name(), reason });
        };
        drop(replies);
        let stored = stored?;
        if !stored.reasoning.is_empty() {
            sink(Delta::Reasoning(&stored.reasoning));
        }
        if !stored.text.is_empty() {
            sink(Delta::Text(&stored.text));
        }
        Ok(stored.into())
    }

    fn reasons(&self) -> bool {
        self.reasons
    }
}

/// A request's hash, the request, and what came of it.
type Recorded = (String, Value, Outcome);

fn load(path: &Path) -> Result<(Header, Vec<Recorded>), CassetteError> {
    let failed = |action| move |source| CassetteError::Io { action, path: path.into(), source };
    let file = File::open(path).map_err(failed("cannot open"))?;
    let damaged = |line: usize, reason: String| CassetteError::Damaged { path: path.into(), line, reason };
    let mut lines = BufReader::new(file).lines();
    let first = lines.next().transpose().map_err(failed("cannot read"))?.unwrap_or_default();
    // The version first: a newer header may have other fields.
    let header: Value = serde_json::from_str(&first).map_err(|error| damaged(1, error.to_string()))?;
    match header["deepsearch_cassette"].as_u64().and_then(|version| u32::try_from(version).ok()) {
        Some(found) if found > VERSION => return Err(CassetteError::Newer { path: path.into(), found }),
        Some(_) => {}
        None => return Err(damaged(1, "it is no cassette's first line".to_owned())),
    }
    let header = serde_json::from_value(header).map_err(|error| damaged(1, error.to_string()))?;
    let mut entries = Vec::new();
    for (index, line) in lines.enumerate() {
        let line = line.map_err(failed("cannot read"))?;
        let entry: Entry = serde_json::from_str(&line).map_err(|error| damaged(index + 2, error.to_string()))?;
        if entry.key != key_of(&entry.request) {
            return Err(damaged(index + 2, "its request was changed after it was recorded".to_owned()));
        }
        let outcome = match (entry.reply, entry.refusal) {
            (Some(reply), None) => Ok(reply),
            (None, Some(refusal)) => Err(refusal),
            _ => return Err(damaged(index + 2, "it has neither a reply nor a refusal, or both".to_owned())),
        };
        entries.push((entry.key, entry.request, outcome));
    }
    Ok((header, entries))
}

#[cfg(test)]
mod tests;
