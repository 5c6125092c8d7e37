//! The client for every endpoint that speaks OpenAI's chat completions.
//!
//! Every request asks for a stream; an endpoint that answers with one JSON object is understood as well. A reply passes
//! through these stages: events → chunks → reasoning separated from the answer → [`ChatReply`].
//!
//! # When a stream is cut
//!
//! Nothing that was paid for is lost, and nobody reads a sentence twice:
//! - Before any of the answer was delivered, the request is sent again, after [`Delta::Restart`].
//! - Afterwards, a reply bound to a schema is requested again as well, since nobody reads half of it.
//! - A free reply (the report) ends there, and so does a bound one if no attempt is left: the text so far is returned
//!   with [`Finish::Interrupted`], and its cost is estimated.
//!
//! # When a call takes too long
//!
//! Signs of life do not keep a request alive forever: a call has a deadline that covers its retries. The part of a free
//! reply that has come by then is returned as if the stream had been cut. An endpoint that does not begin to answer
//! within its time is not asked again; this, and an endpoint that cannot be connected to, gives
//! [`LlmError::Unreachable`]. A reply far longer than its limit is cut here.
//!
//! # What a reply costs
//!
//! `usage.calls` counts all requests sent for a reply, refused and failed ones included; the tokens of a stream that
//! was cut are estimated and added.

mod assembly;
mod refusal;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::base::locked;
use crate::base::text::excerpt;
use crate::domain::{Price, Usage};
use crate::llm::presets::{Preset, Route};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, LlmError, Purpose};
use crate::net::{
    Auth, Awaited, HttpClient, HttpOptions, JsonPost, LimitOptions, Limiter, NetError, Retry, Secret, misread,
    shown_url,
};

use assembly::{Assembly, Chunk};
use refusal::Refusal;
use wire::{CallSettings, Parameter};

/// The settings that one purpose has for itself; an absent field takes the general value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PurposeOptions {
    /// The model for this purpose.
    pub model: Option<String>,
    /// The most output tokens for this purpose; a lower limit of the request takes precedence.
    pub max_tokens: Option<u64>,
}

/// How to reach and use an endpoint.
#[derive(Clone, Debug)]
pub struct OpenAiOptions {
    /// The facts known about the provider.
    pub preset: &'static Preset,
    /// Takes precedence over the preset's URL; given without `/chat/completions`. For Azure the resource's URL.
    pub base_url: Option<String>,
    /// The key; `None` where none is needed.
    pub key: Option<Secret>,
    /// Where the key came from, for messages: a variable or a path.
    pub key_source: String,
    /// The model for every purpose that names no other. For Azure the deployment's name.
    pub model: String,
    /// The most output tokens where the purpose sets no limit; a lower limit of the request takes precedence.
    pub max_tokens: Option<u64>,
    /// Temperature; `None` leaves it to the endpoint.
    pub temperature: Option<f64>,
    /// The settings of single purposes.
    pub purposes: HashMap<Purpose, PurposeOptions>,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// Azure's `api-version`.
    pub api_version: String,
    /// Timeouts and sizes.
    pub http: HttpOptions,
    /// When to try again, and how often.
    pub retry: Retry,
    /// The longest that a call may take, including retries and the waits between them; `None` means no limit.
    pub call_timeout: Option<Duration>,
    /// How many requests may be made at once and per minute.
    pub limits: LimitOptions,
}

impl OpenAiOptions {
    /// The preset's own values, without key, prices or limits on requests.
    pub fn new(preset: &'static Preset) -> Self {
        OpenAiOptions {
            preset,
            base_url: None,
            key: None,
            key_source: preset.key_variable.unwrap_or("no key").to_owned(),
            model: preset.default_model.unwrap_or_default().to_owned(),
            max_tokens: None,
            temperature: None,
            purposes: HashMap::new(),
            prices: BTreeMap::new(),
            api_version: "2024-10-21".to_owned(),
            http: HttpOptions::default(),
            retry: Retry::default(),
            call_timeout: Some(Duration::from_secs(600)),
            limits: LimitOptions::default(),
        }
    }
}

/// Why a client cannot be made from its options.
#[derive(Debug, thiserror::Error)]
pub enum OpenAiError {
    /// The preset has no URL and none was given.
    #[error("provider {provider} needs a base_url in the config")]
    NoBaseUrl {
        /// The preset's name.
        provider: &'static str,
    },
    /// The preset has no model and none was given.
    #[error("provider {provider} needs a model in the config")]
    NoModel {
        /// The preset's name.
        provider: &'static str,
    },
    /// The HTTP client cannot be made.
    #[error(transparent)]
    Net(#[from] NetError),
}

/// An endpoint that speaks OpenAI's chat completions, with everything learned about it during the run.
#[derive(Debug)]
pub struct OpenAiModel {
    options: OpenAiOptions,
    base_url: String,
    auth: Auth,
    http: HttpClient,
    limiter: Limiter,
    requests: AtomicU64,
    quirks: Mutex<Quirks>,
}

/// The peculiarities learned about an endpoint, by model.
#[derive(Debug, Default)]
struct Quirks {
    refused: BTreeMap<String, Vec<Parameter>>,
    begins_inside_thought: BTreeMap<String, bool>,
}

/// The failure of one attempt.
enum Failure {
    Net(NetError),
    /// The endpoint refused in a reply whose status meant success.
    Refused {
        status: u16,
        body: String,
    },
}

impl OpenAiModel {
    /// Makes a client; sends nothing.
    pub fn new(options: OpenAiOptions) -> Result<Self, OpenAiError> {
        let provider = options.preset.name;
        let base_url = options.base_url.as_deref().or(options.preset.base_url);
        let base_url = base_url.ok_or(OpenAiError::NoBaseUrl { provider })?.trim_end_matches('/').to_owned();
        if options.model.is_empty() {
            return Err(OpenAiError::NoModel { provider });
        }
        let auth = match (&options.key, options.preset.route) {
            (None, _) => Auth::None,
            (Some(key), Route::Standard) => Auth::Bearer(key.clone()),
            (Some(key), Route::AzureDeployment) => Auth::Header("api-key", key.clone()),
        };
        Ok(OpenAiModel {
            http: HttpClient::new(options.http.clone())?,
            limiter: Limiter::new(options.limits),
            base_url,
            auth,
            requests: AtomicU64::new(0),
            quirks: Mutex::default(),
            options,
        })
    }

    /// Returns the names of the models that the endpoint offers, sorted. One request without retries, to check the
    /// setup.
    pub async fn offered_models(&self) -> Result<Vec<String>, NetError> {
        let url = match self.options.preset.route {
            Route::Standard => format!("{}/models", self.base_url),
            Route::AzureDeployment => {
                format!("{}/openai/models?api-version={}", self.base_url, self.options.api_version)
            }
        };
        let list: serde_json::Value = self.http.get(&url, &self.auth).await?.json().await?;
        // Most endpoints wrap the list in `data`; Together sends it bare.
        let entries = list.get("data").unwrap_or(&list).as_array().ok_or_else(|| NetError::Malformed {
            url: shown_url(&url),
            reason: "it is no list of models".to_owned(),
        })?;
        let mut names: Vec<String> = entries
            .iter()
            .filter_map(|entry| entry["id"].as_str())
            .map(|id| id.trim_start_matches("models/").to_owned())
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the endpoint as messages show it.
    pub fn endpoint(&self) -> String {
        shown_url(&self.base_url)
    }

    fn settings(&self, request: &ChatRequest) -> CallSettings<'_> {
        let own = self.options.purposes.get(&request.purpose());
        CallSettings {
            model: self.name(request.purpose()),
            max_tokens: [request.max_tokens, own.and_then(|own| own.max_tokens).or(self.options.max_tokens)]
                .into_iter()
                .flatten()
                .min(),
            temperature: self.options.temperature,
        }
    }

    fn url(&self, model: &str) -> String {
        match self.options.preset.route {
            Route::Standard => format!("{}/chat/completions", self.base_url),
            Route::AzureDeployment => {
                let (base, version) = (&self.base_url, &self.options.api_version);
                format!("{base}/openai/deployments/{model}/chat/completions?api-version={version}")
            }
        }
    }

    fn with_quirks<T>(&self, look: impl FnOnce(&mut Quirks) -> T) -> T {
        look(&mut locked(&self.quirks))
    }

    /// Sends one request and reads as much of its reply as comes into `assembly`.
    async fn attempt(
        &self,
        url: &str,
        body: &serde_json::Value,
        most: Option<u64>,
        assembly: &mut Assembly,
        sink: DeltaSink<'_>,
    ) -> Result<(), Failure> {
        let post = JsonPost { url, auth: &self.auth, accept: "text/event-stream, application/json", body };
        let response = self.http.post_json(post).await.map_err(Failure::Net)?;
        if response.content_type().starts_with("application/json") {
            let chunk = response.json().await.map_err(Failure::Net)?;
            return self.take_chunk(chunk, assembly, sink).and_then(|()| finished(url, assembly, true));
        }
        let mut events = response.events();
        let mut done = false;
        while let Some(data) = events.next_data().await {
            let data = match data {
                Ok(data) => data,
                // The model had finished; only the count of tokens is missing.
                Err(error) if assembly.finish.is_some() => {
                    tracing::debug!(%error, "the stream was cut after the end of the reply");
                    break;
                }
                Err(error) => return Err(Failure::Net(error)),
            };
            if data.trim() == "[DONE]" {
                done = true;
                break;
            }
            let chunk: Chunk = serde_json::from_str(&data).map_err(|error| {
                let reason = misread(&error, data.as_bytes(), &self.auth);
                Failure::Net(NetError::Interrupted { url: shown_url(url), reason })
            })?;
            self.take_chunk(chunk, assembly, sink)?;
            if most.is_some_and(|most| assembly.exceeds(most)) {
                tracing::warn!(url = shown_url(url), "the reply is longer than it may be, and is cut");
                assembly.finish = Some(Finish::Length);
                break;
            }
        }
        finished(url, assembly, done)
    }

    /// Takes a chunk, or the error that some endpoints send in its place.
    fn take_chunk(&self, mut chunk: Chunk, assembly: &mut Assembly, sink: DeltaSink<'_>) -> Result<(), Failure> {
        if let Some(error) = chunk.error.take().filter(|error| !error.is_null()) {
            let code = error["code"].as_u64().or(error["status"].as_u64()).and_then(|code| u16::try_from(code).ok());
            let status = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
            let body = self.auth.blank(&serde_json::json!({ "error": error }).to_string());
            return Err(Failure::Refused { status, body });
        }
        assembly.add(chunk, sink);
        Ok(())
    }

    fn reply(&self, assembly: Assembly, model: &str, usage: Usage, started: Instant) -> ChatReply {
        let finish = match assembly.finish {
            // Several endpoints report `stop` even if the model calls tools.
            Some(Finish::Stop) if !assembly.tool_calls.is_empty() => Finish::ToolCalls,
            Some(finish) => finish,
            None => Finish::Stop,
        };
        ChatReply {
            text: assembly.text,
            reasoning: assembly.reasoning,
            tool_calls: assembly.tool_calls,
            finish,
            usage: self.priced(usage, model, assembly.model.as_deref()),
            model: assembly.model.unwrap_or_else(|| model.to_owned()),
            elapsed: started.elapsed(),
        }
    }

    /// Adds the cost, by the price for the configured model name, or else for the name that the endpoint gives.
    fn priced(&self, usage: Usage, model: &str, answered: Option<&str>) -> Usage {
        let prices = &self.options.prices;
        let price = prices.get(model).or_else(|| prices.get(answered?));
        Usage { usd: price.map(|price| price.of(&usage)), ..usage }
    }
}

#[async_trait]
impl ChatModel for OpenAiModel {
    fn name(&self, purpose: Purpose) -> &str {
        let own = self.options.purposes.get(&purpose).and_then(|own| own.model.as_deref());
        own.unwrap_or(&self.options.model)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let started = Instant::now();
        let settings = self.settings(request);
        let model = settings.model.to_owned();
        let url = self.url(&model);
        let mut backoff = self.options.retry.backoff(self.requests.fetch_add(1, Ordering::Relaxed));
        let mut spent = Usage::default();
        loop {
            let (refused, inside) = self.with_quirks(|quirks| {
                let inside = quirks.begins_inside_thought.get(&model).copied().unwrap_or(false);
                (quirks.refused.get(&model).cloned().unwrap_or_default(), inside)
            });
            let body = wire::body(self.options.preset, settings, request, &refused);
            let mut assembly = Assembly::new(inside);
            let permit = self.limiter.acquire().await;
            sink(Delta::Sending);
            spent.calls += 1;
            let attempt = self.attempt(&url, &body.json, settings.max_tokens, &mut assembly, &mut *sink);
            let outcome = match self.options.call_timeout {
                None => attempt.await,
                Some(after) => {
                    tokio::time::timeout(after.saturating_sub(started.elapsed()), attempt).await.unwrap_or_else(|_| {
                        Err(Failure::Net(NetError::Timeout {
                            url: shown_url(&url),
                            awaited: Awaited::WholeReply,
                            after,
                        }))
                    })
                }
            };
            drop(permit);
            if assembly.began_inside_thought {
                self.with_quirks(|quirks| quirks.begins_inside_thought.insert(model.clone(), true));
            }
            let failure = match outcome {
                Ok(()) => {
                    assembly.end(sink);
                    add_tokens(&mut spent, assembly.usage(request));
                    return Ok(self.reply(assembly, &model, spent, started));
                }
                Err(failure) => failure,
            };
            let judged = self.judge(failure, &url, &model, &body.parameters);
            let error = match judged.map_err(|error| self.with_spent_usage(error, spent, &model))? {
                Next::Without(parameter) => {
                    tracing::info!(?parameter, model, "the endpoint does not take this parameter; going on without it");
                    self.with_quirks(|quirks| quirks.refused.entry(model.clone()).or_default().push(parameter));
                    if !request.may_retry(spent.calls) {
                        let name = parameter.names().first().unwrap_or(&"a parameter");
                        let reason = format!("it does not take {name}; {NO_REQUEST_LEFT}");
                        return Err(self.with_spent_usage(unavailable(&url, &model, reason), spent, &model));
                    }
                    continue;
                }
                Next::Again(error) => error,
            };
            if assembly.has_begun() {
                add_tokens(&mut spent, assembly.usage(request));
            }
            let delivered = !assembly.text.is_empty() || !assembly.tool_calls.is_empty();
            let is_over = request.schema.is_none() && delivered;
            let ends = [self.options.call_timeout, request.time_left].into_iter().flatten().min();
            let left = ends.map(|after| after.saturating_sub(started.elapsed()));
            let over = error.awaited() == Some(Awaited::WholeReply);
            // Half of a reply to a schema is useless.
            let half = over && request.schema.is_some();
            // An endpoint that was silent for this long is not waited for again.
            let silent = error.awaited() == Some(Awaited::FirstByte);
            let in_time = |wait: &Duration| left.is_none_or(|left| *wait < left) && !silent;
            let wait = backoff.next_wait(&error).filter(|wait| !is_over && in_time(wait));
            let forbidden = wait.is_some() && !request.may_retry(spent.calls);
            let wait = wait.filter(|_| !forbidden);
            match wait {
                Some(wait) => {
                    tracing::debug!(%error, ?wait, model, attempt = backoff.attempts(), "asking again");
                    sink(Delta::Restart);
                    tokio::time::sleep(wait).await;
                }
                None if !assembly.text.is_empty() && !half => {
                    // The caller reports that the reply ends early.
                    tracing::info!(%error, model, "the reply was cut; what came of it is kept");
                    assembly.end(sink);
                    assembly.finish = Some(Finish::Interrupted);
                    // A tool call that was cut cannot be made.
                    assembly.tool_calls.clear();
                    return Ok(self.reply(assembly, &model, spent, started));
                }
                None if (over || silent || matches!(error, NetError::Connect { .. })) && !forbidden => {
                    return Err(self.with_spent_usage(unreachable(&url, &model, error.to_string()), spent, &model));
                }
                None => {
                    let reason = if forbidden { format!("{error}; {NO_REQUEST_LEFT}") } else { error.to_string() };
                    return Err(self.with_spent_usage(unavailable(&url, &model, reason), spent, &model));
                }
            }
        }
    }
}

/// Why a retry that the failure would allow is not made.
const NO_REQUEST_LEFT: &str = "the limit on calls leaves no further request";

/// How to continue after a failure that is not final.
enum Next {
    /// The same request without this parameter.
    Without(Parameter),
    /// The same request, if an attempt is left.
    Again(NetError),
}

fn unavailable(url: &str, model: &str, reason: String) -> LlmError {
    LlmError::Unavailable {
        url: shown_url(url),
        model: model.to_owned(),
        attempts: 1,
        reason,
        usage: Usage::free(1).into(),
    }
}

fn unreachable(url: &str, model: &str, reason: String) -> LlmError {
    let (url, model, usage) = (shown_url(url), model.to_owned(), Usage::free(1).into());
    LlmError::Unreachable { url, model, attempts: 1, reason, usage }
}

impl OpenAiModel {
    /// Returns the error with the cost of all attempts.
    fn with_spent_usage(&self, mut error: LlmError, spent: Usage, model: &str) -> LlmError {
        if let LlmError::Unavailable { attempts, usage, .. } | LlmError::Unreachable { attempts, usage, .. } =
            &mut error
        {
            *attempts = u32::try_from(spent.calls).unwrap_or(u32::MAX);
            **usage = match spent.prompt_tokens + spent.completion_tokens {
                0 => Usage::free(spent.calls),
                _ => self.priced(spent, model, None),
            };
        }
        error
    }

    fn judge(&self, failure: Failure, url: &str, model: &str, sent: &[Parameter]) -> Result<Next, LlmError> {
        let (status, body, retry_after) = match failure {
            Failure::Net(NetError::Status { status, body, retry_after, .. }) => (status, body, retry_after),
            Failure::Net(error) if error.is_transient() => return Ok(Next::Again(error)),
            Failure::Net(error) => {
                return Err(unavailable(url, model, error.to_string()));
            }
            Failure::Refused { status, body } => (status, body, None),
        };
        let (url, model, reason) = (shown_url(url), model.to_owned(), said(&body));
        match refusal::judge(status, &body, sent) {
            Refusal::Key => {
                let provider = self.options.preset.name.to_owned();
                Err(LlmError::Key { provider, key_source: self.options.key_source.clone(), reason })
            }
            Refusal::Overflow => Err(LlmError::ContextOverflow { model, reason }),
            Refusal::Unsupported(parameter) => Ok(Next::Without(parameter)),
            Refusal::Lasting => Err(LlmError::Refused { url, model, status, reason }),
            Refusal::Transient => Ok(Next::Again(NetError::Status { url, status, retry_after, body: reason })),
        }
    }
}

/// Returns the message in a refusal's body, or else the body.
fn said(body: &str) -> String {
    const MOST_CHARS: usize = 500;
    let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let places = ["/error/message", "/0/error/message", "/message", "/error", "/detail"];
    let message = places.iter().find_map(|place| value.pointer(place)?.as_str());
    excerpt(message.unwrap_or(body), MOST_CHARS).into_owned()
}

/// Checks that a reply is complete: the endpoint has said so, by a reason or by `[DONE]`. A connection that only ends
/// counts as cut.
fn finished(url: &str, assembly: &Assembly, done: bool) -> Result<(), Failure> {
    match done || assembly.finish.is_some() {
        true => Ok(()),
        false => {
            let reason = "the stream ended before the reply did".to_owned();
            Err(Failure::Net(NetError::Interrupted { url: shown_url(url), reason }))
        }
    }
}

fn add_tokens(spent: &mut Usage, more: Usage) {
    spent.prompt_tokens += more.prompt_tokens;
    spent.cached_tokens += more.cached_tokens;
    spent.completion_tokens += more.completion_tokens;
    spent.estimated |= more.estimated;
}

#[cfg(test)]
mod tests;
