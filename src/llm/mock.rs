//! A model that reads its replies from a script: for tests, demonstrations and smoke runs.
//!
//! The script is TOML, a table for each reply,
//!
//! ```toml
//! [[reply]]
//! purpose = "plan"              # or reflect, act, follow, choose, outline, write, describe, quiz, revise; absent: any
//! contains = "Simpsons"         # only where the last user message contains this; absent: always
//! json = { reason = "…", sub_queries = [{ query = "…", collections = [] }] }
//!
//! [[reply]]
//! purpose = "write"
//! text = "The show changed [1]."
//! delay_ms = 200                # before the first word
//! ms_per_token = 1.0            # for each token out
//! usage = { prompt_tokens = 900, completion_tokens = 40 }   # absent: estimated
//!
//! [[reply]]
//! purpose = "act"
//! tool_calls = [{ id = "1", name = "keyword_search", arguments = '{"query": "Apu", "k": 5}' }]
//!
//! [[reply]]
//! purpose = "reflect"
//! error = { kind = "refused", status = 400, message = "no" }
//! ```
//!
//! or JSONL, one such table a line (blank lines and lines that begin with `#` are skipped).
//!
//! Every call takes the first entry that matches it and was not taken before; `repeat = true` keeps an entry in place.
//! Further fields: `reasoning`, `tool_calls` (`id`, `name`, `arguments`), `finish` (`stop`, `length`, `tool_calls`,
//! `content_filter`), and `cut = n`, which cuts the stream after `n` characters. As with a real endpoint, a cut call
//! that is bound to a schema is restarted and takes its next entry; any other ends with the text so far and
//! [`Finish::Interrupted`]. `error.kind` is `key`, `unavailable`, `refused` or `overflow`. To script malformed output, use a
//! `text` that is not JSON.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, LlmError, Purpose, Role, ToolCall};
use crate::base::locked;
use crate::base::text::{estimate_tokens, excerpt};
use crate::domain::Usage;

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("cannot read the mock script {}: {source}", path.display())]
    Read {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not TOML or JSONL, or has an unknown field.
    #[error("the mock script {}{} is not understood: {reason}", path.display(), line.map(|line| format!(", line {line},")).unwrap_or_default())]
    Syntax {
        /// The file's path.
        path: PathBuf,
        /// In JSONL: the line's number, from 1.
        line: Option<usize>,
        /// The parser's message.
        reason: String,
    },
    /// An entry has none of `text`, `json`, `tool_calls` and `error`, or several.
    #[error("reply {number} of the mock script {} must have one of text, json, tool_calls and error", path.display())]
    NotOneReply {
        /// The file's path.
        path: PathBuf,
        /// The entry's number, from 1.
        number: usize,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    reply: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    purpose: Option<Purpose>,
    contains: Option<String>,
    text: Option<String>,
    json: Option<Value>,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    ms_per_token: f64,
    error: Option<ScriptedError>,
    cut: Option<usize>,
    finish: Option<Finish>,
    usage: Option<ScriptedUsage>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    kind: ErrorKind,
    status: Option<u16>,
    #[serde(default)]
    message: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorKind {
    Key,
    Unavailable,
    Refused,
    Overflow,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    #[serde(default)]
    cached_tokens: u64,
    usd: Option<f64>,
}

/// A model that answers from a script.
#[derive(Debug)]
pub struct MockModel {
    script: PathBuf,
    entries: Mutex<Vec<Entry>>,
}

impl MockModel {
    /// The model's name in bills.
    pub const NAME: &'static str = "mock";

    /// Reads a script: JSONL if the name ends in `.jsonl`, otherwise TOML.
    pub fn from_file(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Read { path: path.into(), source })?;
        match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
            true => MockModel::from_jsonl(&text, path),
            false => MockModel::from_toml(&text, path),
        }
    }

    /// Takes a script in TOML; messages name it by `path`.
    pub fn from_toml(text: &str, path: &Path) -> Result<Self, ScriptError> {
        let script: Script = toml::from_str(text).map_err(|error| ScriptError::Syntax {
            path: path.into(),
            line: None,
            reason: error.to_string(),
        })?;
        MockModel::new(script.reply, path)
    }

    /// Takes a script in JSONL; messages name it by `path`.
    pub fn from_jsonl(text: &str, path: &Path) -> Result<Self, ScriptError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let entries = lines.map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| ScriptError::Syntax {
                path: path.into(),
                line: Some(index + 1),
                reason: error.to_string(),
            })
        });
        MockModel::new(entries.collect::<Result<_, _>>()?, path)
    }

    fn new(entries: Vec<Entry>, path: &Path) -> Result<Self, ScriptError> {
        for (index, entry) in entries.iter().enumerate() {
            let said = [entry.text.is_some(), entry.json.is_some(), entry.error.is_some()];
            let said = said.into_iter().filter(|given| *given).count();
            // Tool calls may come with text; without it they are a reply as well.
            if said > 1 || (said == 0 && entry.tool_calls.is_empty()) {
                return Err(ScriptError::NotOneReply { path: path.into(), number: index + 1 });
            }
        }
        Ok(MockModel { script: path.into(), entries: Mutex::new(entries) })
    }

    /// Returns the number of entries that were not taken; repeating ones do not count.
    pub fn remaining(&self) -> usize {
        let entries = locked(&self.entries);
        entries.iter().filter(|entry| !entry.repeat).count()
    }

    fn take(&self, request: &ChatRequest) -> Result<Entry, LlmError> {
        let purpose = request.purpose();
        let asked = request.messages.iter().rfind(|message| message.role == Role::User);
        let asked = asked.map_or("", |message| message.content.as_str());
        let mut entries = locked(&self.entries);
        let fits = |entry: &Entry| {
            entry.purpose.is_none_or(|wanted| wanted == purpose)
                && entry.contains.as_deref().is_none_or(|words| asked.contains(words))
        };
        match entries.iter().position(fits) {
            Some(at) if entries[at].repeat => Ok(entries[at].clone()),
            Some(at) => Ok(entries.remove(at)),
            None => Err(LlmError::Unscripted {
                script: self.script.display().to_string(),
                purpose: purpose.name(),
                reason: format!(
                    "{} entries are left and none is for this purpose with a message that begins {:?}",
                    entries.len(),
                    excerpt(asked, 80)
                ),
            }),
        }
    }

    fn fail(&self, error: ScriptedError) -> LlmError {
        let (url, model, reason) = (self.script.display().to_string(), Self::NAME.to_owned(), error.message);
        match error.kind {
            ErrorKind::Key => LlmError::Key { provider: model, key_source: url, reason },
            ErrorKind::Unavailable => {
                LlmError::Unavailable { url, model, attempts: 1, reason, usage: Usage::free(1).into() }
            }
            ErrorKind::Refused => LlmError::Refused { url, model, status: error.status.unwrap_or(400), reason },
            ErrorKind::Overflow => LlmError::ContextOverflow { model, reason },
        }
    }
}

#[async_trait]
impl ChatModel for MockModel {
    fn name(&self, _purpose: Purpose) -> &str {
        Self::NAME
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let started = Instant::now();
        let mut spent = Usage { usd: Some(0.0), ..Usage::default() };
        loop {
            let entry = self.take(request)?;
            let begun = Instant::now() + Duration::from_millis(entry.delay_ms);
            if entry.delay_ms > 0 {
                tokio::time::sleep_until(begun).await;
            }
            if let Some(error) = entry.error {
                return Err(self.fail(error));
            }
            let whole = entry.text.or_else(|| entry.json.map(|json| json.to_string())).unwrap_or_default();
            let cut_at = entry.cut.and_then(|cut| Some(whole.char_indices().nth(cut)?.0));
            let text = &whole[..cut_at.unwrap_or(whole.len())];
            let usage = charge(request, text, &entry.reasoning, entry.usage);
            spent += usage;

            if !entry.reasoning.is_empty() {
                sink(Delta::Reasoning(&entry.reasoning));
            }
            let pieces = usage.completion_tokens.max(1) as usize;
            let step = Duration::try_from_secs_f64(entry.ms_per_token / 1000.0).unwrap_or_default();
            for (index, piece) in split_evenly(text, pieces).into_iter().enumerate() {
                // Counted from the beginning, so that the coarseness of timers does not add up.
                if !step.is_zero() {
                    tokio::time::sleep_until(begun + step.mul_f64((index + 1) as f64)).await;
                }
                if !piece.is_empty() {
                    sink(Delta::Text(piece));
                }
            }
            if cut_at.is_some() && request.schema.is_some() && request.may_retry(spent.calls) {
                sink(Delta::Restart);
                continue;
            }
            let finish = match entry.finish {
                _ if cut_at.is_some() => Finish::Interrupted,
                Some(finish) => finish,
                None if !entry.tool_calls.is_empty() => Finish::ToolCalls,
                None => Finish::Stop,
            };
            return Ok(ChatReply {
                text: text.to_owned(),
                reasoning: entry.reasoning,
                tool_calls: entry.tool_calls,
                finish,
                usage: spent,
                model: Self::NAME.to_owned(),
                elapsed: started.elapsed(),
            });
        }
    }
}

fn charge(request: &ChatRequest, text: &str, reasoning: &str, scripted: Option<ScriptedUsage>) -> Usage {
    match scripted {
        Some(scripted) => Usage {
            calls: 1,
            prompt_tokens: scripted.prompt_tokens,
            cached_tokens: scripted.cached_tokens,
            completion_tokens: scripted.completion_tokens,
            usd: Some(scripted.usd.unwrap_or(0.0)),
            estimated: false,
            ..Usage::default()
        },
        None => request.free_usage(estimate_tokens(text) + estimate_tokens(reasoning)),
    }
}

/// Splits `text` into this many pieces of about the same length; some are empty if there are fewer characters.
fn split_evenly(text: &str, pieces: usize) -> Vec<&str> {
    let border =
        |index: usize| text.floor_char_boundary((text.len() as u128 * index as u128 / pieces as u128) as usize);
    (0..pieces).map(|index| &text[border(index)..border(index + 1)]).collect()
}

#[cfg(test)]
mod tests;
