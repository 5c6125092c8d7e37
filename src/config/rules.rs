//! Conditions on values beyond their type.

use toml::Value;

use crate::base::text::alike;

/// A condition on a value.
enum Rule {
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// One of the first, or one of the second with its part after the colon replaced by a name.
    OneOfOrNamed(&'static [&'static str], &'static [&'static str]),
    /// A number from the first to the second, both included.
    Within(f64, f64),
}

/// Keys that name a file or a folder.
const PATHS: [&str; 7] = [
    "llm.api_key_file",
    "llm.mock.script",
    "embed.api_key_file",
    "sources.web.api_key_file",
    "store.data_dir",
    "store.api_key_file",
    "prompts.folder",
];

/// The possible values of `llm.provider`.
pub const PROVIDERS: &[&str] = &[
    "auto",
    "openai",
    "deepseek",
    "sambanova",
    "anthropic",
    "gemini",
    "xai",
    "groq",
    "together",
    "openrouter",
    "mistral",
    "siliconflow",
    "dashscope",
    "zhipu",
    "volcengine",
    "novita",
    "azure",
    "ollama",
    "llamacpp",
    "vllm",
    "lmstudio",
    "custom",
    "extractive",
    "mock",
];

/// The largest count that is reasonable anywhere; it keeps sums and conversions far from overflow.
const MANY: f64 = 1e12;

/// Whether a setting names a file or a folder.
pub(super) fn is_path(key: &str) -> bool {
    PATHS.contains(&key)
}

/// Whether a value is an address that contains a name or a password.
fn names_user(key: &str, value: &Value) -> bool {
    let is_address = matches!(key.rsplit('.').next(), Some("base_url" | "url"));
    let address = value.as_str().filter(|_| is_address).unwrap_or_default();
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '\\', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

/// `value` as it may be shown in a message.
pub(super) fn shown(key: &str, value: &Value) -> String {
    if names_user(key, value) { "\"…\"".to_owned() } else { value.to_string() }
}

/// Why `value` cannot be used for `key`; `None` if it can.
pub(super) fn violation(key: &str, value: &Value) -> Option<String> {
    if names_user(key, value) {
        // The credentials would be sent in place of the key, and could not be kept out of messages.
        let reason = "it holds a name or a password before the `@`: leave them out, and give the key by `api_key_env` or \
                      `api_key_file`";
        return Some(reason.to_owned());
    }
    if let Value::Array(items) = value {
        return list_violation(key, items);
    }
    match rule(key, value)? {
        Rule::OneOf(names) => {
            let text = value.as_str()?;
            (!names.contains(&text)).then(|| format!("it is one of {}{}", names.join(", "), hint(text, names)))
        }
        Rule::OneOfOrNamed(names, kinds) => {
            let text = value.as_str()?;
            let mut prefixes = kinds.iter().filter_map(|kind| kind.split_inclusive(':').next());
            let named = prefixes.any(|kind| text.strip_prefix(kind).is_some_and(|name| !name.is_empty()));
            (!named && !names.contains(&text))
                .then(|| format!("it is one of {}, {}{}", names.join(", "), kinds.join(", "), hint(text, names)))
        }
        Rule::Within(least, most) => {
            let number = number(value)?;
            (!(least..=most).contains(&number)).then(|| match most {
                MANY => format!("it is {least} or more"),
                _ => format!("it lies between {least} and {most}"),
            })
        }
    }
}

fn hint(text: &str, names: &[&str]) -> String {
    nearest(text, names.iter().copied()).map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default()
}

/// The value as a number, whether it is whole or a fraction.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Like [`violation`], for a list.
fn list_violation(key: &str, items: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let Some(texts) = texts else { return Some("it is a list of texts".to_owned()) };
    let names_url = texts.iter().skip(1).any(|argument| argument.contains("{url}"));
    (key == "load.render" && !texts.is_empty() && !names_url)
        .then(|| "it is a program and its arguments, one of which holds {url}".to_owned())
}

fn rule(key: &str, value: &Value) -> Option<Rule> {
    Some(match key {
        "llm.provider" => Rule::OneOf(PROVIDERS),
        "embed.embedder" => {
            Rule::OneOfOrNamed(&["minilm", "none"], &["fastembed:MODEL", "openai:MODEL", "causal:FOLDER"])
        }
        "agent.strategy" => Rule::OneOf(&["deep", "react", "chain", "naive", "auto"]),
        "memory.enabled" => Rule::OneOf(&["auto", "on", "off"]),
        "memory.unit" => Rule::OneOf(&["hours", "days", "weeks", "months", "years"]),
        "memory.k" => Rule::Within(0.0, 1.0),
        "memory.most" => Rule::Within(1.0, 1000.0),
        "search.rerank" => Rule::OneOf(&["late+answer", "late", "answer", "none"]),
        "store.backend" => Rule::OneOf(&["embedded", "qdrant"]),
        "store.replication_factor" | "store.write_consistency" => Rule::Within(1.0, 100.0),
        "store.shards" => Rule::Within(0.0, 10_000.0),
        "store.retries" => Rule::Within(0.0, 20.0),
        "store.connect_timeout_s" | "store.timeout_s" => Rule::Within(1.0, 86_400.0),
        "store.takeover_s" => Rule::Within(0.0, 86_400.0),
        "llm.temperature" => Rule::Within(0.0, 2.0),
        "llm.concurrency" => Rule::Within(1.0, 1024.0),
        "llm.retries" => Rule::Within(0.0, 20.0),
        "llm.requests_per_minute" => Rule::Within(0.0, 1e6),
        "llm.connect_timeout_s" | "llm.first_byte_timeout_s" | "llm.idle_timeout_s" => Rule::Within(1.0, 86_400.0),
        "llm.call_timeout_s" => Rule::Within(0.0, 86_400.0),
        "llm.max_output_tokens" | "search.k" | "search.candidates" => Rule::Within(1.0, 1e7),
        "search.link_weight" | "search.rerank_local" | "search.neighbour_weight" => Rule::Within(0.0, 1.0),
        "search.semantic_weight" | "search.rerank_weight" | "search.coverage_weight" => Rule::Within(0.0, 1e6),
        "chunk.target_bytes" => Rule::Within(100.0, 1e6),
        "chunk.overlap_bytes" => Rule::Within(0.0, 1e6),
        "load.ocr_timeout_s" => Rule::Within(1.0, 86_400.0),
        "load.max_file_mb" | "load.in_flight_mb" | "load.archive_mb" => Rule::Within(1.0, 1e6),
        "load.archive_members" | "load.archive_ratio" => Rule::Within(1.0, 1e9),
        "load.archive_depth" => Rule::Within(1.0, 8.0),
        "load.watch_wait_ms" => Rule::Within(0.0, 3.6e6),
        "crawl.max_pages" | "crawl.max_page_mb" => Rule::Within(1.0, 1e6),
        "crawl.per_host" => Rule::Within(1.0, 64.0),
        "crawl.retries" => Rule::Within(0.0, 20.0),
        "crawl.timeout_s" | "crawl.idle_timeout_s" => Rule::Within(1.0, 86_400.0),
        "crawl.depth" | "crawl.delay_ms" | "crawl.max_minutes" => Rule::Within(0.0, 1e6),
        "sources.web.provider" => Rule::OneOf(&["searxng", "brave", "tavily", "serper"]),
        "sources.web.results" => Rule::Within(1.0, 20.0),
        "sources.web.max_pages" => Rule::Within(1.0, 1000.0),
        "sources.web.max_page_mb" | "sources.web.max_mb" => Rule::Within(1.0, 1e4),
        "sources.web.timeout_s" | "load.render_timeout_s" => Rule::Within(1.0, 86_400.0),
        "sources.web.usd_per_search" => Rule::Within(0.0, 1000.0),
        "agent.max_sub_queries" | "agent.hits_per_query" => Rule::Within(1.0, 1000.0),
        "agent.evidence_tokens" => Rule::Within(200.0, 1e7),
        _ if key.ends_with(".max_time_s") => Rule::Within(0.0, 1e9),
        _ if matches!(value, Value::Integer(_) | Value::Float(_)) => Rule::Within(0.0, MANY),
        _ => return None,
    })
}

/// Tables of removed settings, each with what replaces it.
const RETIRED: [(&str, &str); 1] = [(
    "llm.cassette",
    "every run keeps its replies in a journal, and `deepsearch runs replay RUN` answers from it without a model",
)];

/// What replaces a removed setting; `None` for any other.
pub(super) fn retired(path: &[String]) -> Option<&'static str> {
    let is_below = |table: &str| table.split('.').eq(path.iter().map(String::as_str).take(table.split('.').count()));
    RETIRED.iter().find(|(table, _)| is_below(table)).map(|&(_, instead)| instead)
}

/// The name that `name` was most likely meant to be.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    alike(name, known).into_iter().next()
}
