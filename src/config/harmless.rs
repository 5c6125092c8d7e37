//! Decides what a project's settings file may set before its user trusts it.
//!
//! Such a file comes with a folder that anybody may have made, so this is a list of what is harmless, and everything
//! else needs trust, including a setting that is added later, until it is listed here. A value that changes nothing
//! needs no trust. Who is trusted, and how that is remembered, is decided in `trust`.

use std::collections::BTreeMap;

use toml::Value;

use super::Origin;
use super::layer::{Entry, PRICES};
use super::rules::number;

/// Values by name, as layers merge them.
pub(super) type Merged = BTreeMap<Vec<String>, Entry>;

/// The meaning of 0 for a number that limits something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// Nothing of it.
    Nothing,
    /// No limit.
    NoLimit,
    /// The limit of the table above; no limit if that is 0.
    AsAbove,
}

/// What an untrusted file may do with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// Any value.
    Free,
    /// One of these.
    Only(&'static [&'static str]),
    /// A value of at most what is in force without the file.
    AtMost(Zero),
    /// A value of at least what is in force without the file.
    AtLeast,
    /// An embedder that needs no service, or another model of the service that the user has chosen: the part before the
    /// colon stays the same.
    SameKind,
    /// Nothing.
    Nothing,
}

/// The list of harmless settings. Anything not on it needs trust.
pub(super) fn leave(path: &[&str]) -> Permission {
    use Permission::{AtLeast, AtMost, Free, Only, SameKind};
    match path {
        // How documents are searched and cut.
        [
            "search",
            "k" | "candidates" | "semantic_weight" | "rerank" | "rerank_top" | "rerank_weight" | "rerank_local"
            | "neighbour_weight" | "coverage_weight" | "link_weight" | "reader",
        ]
        | ["chunk", "target_bytes" | "overlap_bytes"]
        | ["load", "watch_wait_ms"] => Free,

        // Models of the service that the user has chosen.
        ["llm", "model" | "temperature"]
        | ["llm", "plan" | "reflect" | "act" | "follow" | "choose" | "write" | "describe" | "quiz", "model"] => Free,
        ["embed", "embedder"] => SameKind,

        // Values that disclose less, ask less or cost less.
        ["llm", "provider"] => Only(&["extractive"]),
        ["agent", "strategy"] => Only(&["naive"]),
        ["memory", "enabled"] => Only(&["off"]),
        ["journal", "enabled"] | ["sources", "web", "enabled"] => Only(&["false"]),
        ["net", "offline"] => Only(&["true"]),
        ["memory", "k"] | ["crawl", "delay_ms"] => AtLeast,

        // Limits that may be lowered.
        ["agent", "max_rounds" | "max_calls" | "max_tokens" | "max_time_s" | "max_usd"]
        | ["llm", "requests_per_minute" | "call_timeout_s"]
        | ["crawl", "max_minutes" | "max_alike"] => AtMost(Zero::NoLimit),
        [
            "agent",
            "deep" | "react" | "chain" | "naive",
            "max_rounds" | "max_calls" | "max_tokens" | "max_time_s" | "max_usd",
        ]
        | [
            "llm",
            "plan" | "reflect" | "act" | "follow" | "choose" | "write" | "describe" | "quiz",
            "max_output_tokens",
        ] => AtMost(Zero::AsAbove),
        ["agent", "max_sub_queries" | "hits_per_query" | "evidence_tokens"]
        | ["memory", "most"]
        | [
            "llm",
            "max_output_tokens"
            | "concurrency"
            | "retries"
            | "connect_timeout_s"
            | "first_byte_timeout_s"
            | "idle_timeout_s",
        ]
        | [
            "load",
            "max_file_mb" | "in_flight_mb" | "ocr_timeout_s" | "archive_members" | "archive_mb" | "archive_ratio"
            | "archive_depth" | "render_timeout_s",
        ]
        | ["crawl", "depth" | "max_pages" | "per_host" | "max_page_mb" | "timeout_s" | "idle_timeout_s" | "retries"]
        | ["sources", "web", "results" | "max_pages" | "max_page_mb" | "max_mb" | "timeout_s"] => AtMost(Zero::Nothing),
        _ => Permission::Nothing,
    }
}

/// Why `entry` of an untrusted file cannot be applied: what it would do, worded to follow its name in a message. `None`
/// if it can be applied. `weaker` are the values of weaker layers, `others` those of all other layers.
pub(super) fn objection(entry: &Entry, weaker: &Merged, others: &Merged) -> Option<String> {
    let same = |values: &Merged| values.get(&entry.path).is_some_and(|other| other.value == entry.value);
    if same(weaker) || same(others) {
        return None;
    }
    let names: Vec<&str> = entry.path.iter().map(String::as_str).collect();
    // If a flag or a variable overrides the entry, it may stay within that value's limit or within that of the weaker
    // layers.
    let decides = others.get(&entry.path).is_none_or(|other| !is_stronger(&other.origin));
    let within = |fits: &dyn Fn(&Merged) -> bool| fits(others) || (!decides && fits(weaker));
    match leave(&names) {
        Permission::Free => None,
        Permission::Only(harmless) => {
            let text = entry.value.as_str().map_or_else(|| entry.value.to_string(), str::to_owned);
            (!harmless.contains(&text.as_str())).then(|| does(&names))
        }
        Permission::SameKind => {
            let kind = kind_of(&entry.value);
            let is_chosen =
                |values: &Merged| values.get(&entry.path).is_some_and(|other| kind_of(&other.value) == kind);
            let needs_nothing = matches!(entry.value.as_str(), Some("minilm" | "none"));
            let fits = needs_nothing || (matches!(kind, Some("openai" | "fastembed")) && within(&is_chosen));
            (!fits).then(|| does(&names))
        }
        Permission::AtMost(zero) => {
            let fits = |values: &Merged| {
                limit(&entry.path, Some(&entry.value), zero, values) <= limit(&entry.path, None, zero, values)
            };
            (!within(&fits)).then(|| format!("raises a limit above {}", shown_limit(&entry.path, zero, others)))
        }
        Permission::AtLeast => {
            let of = |values: &Merged| values.get(&entry.path).and_then(|other| number(&other.value));
            let fits = |values: &Merged| number(&entry.value) >= of(values);
            (!within(&fits)).then(|| format!("goes below {}", of(others).unwrap_or_default()))
        }
        Permission::Nothing => Some(does(&names)),
    }
}

fn is_stronger(origin: &Origin) -> bool {
    matches!(origin, Origin::Variable(_) | Origin::Flag(_))
}

/// The part of an embedder's name before the colon, or the whole name.
fn kind_of(value: &Value) -> Option<&str> {
    value.as_str().map(|name| name.split_once(':').map_or(name, |(kind, _)| kind))
}

/// The limit in force under `values`, with `value`, if given, in place of its own.
fn limit(path: &[String], value: Option<&Value>, zero: Zero, values: &Merged) -> f64 {
    let value = value.or_else(|| values.get(path).map(|entry| &entry.value));
    match (value.and_then(number).unwrap_or_default(), zero) {
        (0.0, Zero::NoLimit) => f64::INFINITY,
        (0.0, Zero::AsAbove) => match path {
            [table, _, key] => limit(&[table.clone(), key.clone()], None, Zero::NoLimit, values),
            _ => f64::INFINITY,
        },
        (number, _) => number,
    }
}

fn shown_limit(path: &[String], zero: Zero, values: &Merged) -> String {
    // Only a file that says "no limit" exceeds every number, so there is a number to show.
    limit(path, None, zero, values).to_string()
}

/// What a setting that needs trust does, worded to follow its name in a message.
fn does(path: &[&str]) -> String {
    match path {
        ["load", "ocr" | "render"] => "starts a program",
        [.., "base_url" | "url" | "azure_api_version"] => "says where documents, questions and keys are sent",
        [.., "api_key_env" | "api_key_file"] => "names a key that is sent",
        ["llm", "provider"] | ["sources", "web", "provider" | "enabled"] | ["store", "backend"] => {
            "chooses a service that documents or questions are sent to"
        }
        ["embed", "embedder"] => "chooses a service that documents are sent to, or a model from elsewhere",
        ["net", "offline"] => "lets the program ask the network",
        ["crawl", "allow_addresses"] => "opens addresses that are not public",
        ["crawl", "user_agent"] => "says what servers are told of you",
        ["llm", "mock", ..] => "puts made-up replies in the place of the model's",
        ["store", "data_dir"] => "says which folder is read and written",
        ["store", ..] => "changes how collections are kept",
        ["prompts", ..] => "replaces what the model is told",
        [PRICES, ..] | [.., "usd_per_search"] => "changes what calls count as costing",
        ["agent", "strategy"] => "chooses a strategy that may make more calls",
        ["memory", ..] | ["journal", ..] => "changes what is kept of your questions, or told of earlier ones",
        _ => "is not among the settings that every project may set",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DEFAULT;
    use crate::config::layer::KnownSettings;

    /// Every setting that a project's file may not set freely or within a limit. A new setting belongs here, or on the
    /// list above if no value of it can start a program, reach an address, send or replace a word, touch a file, or
    /// cost more.
    const NEEDING_TRUST: &[&str] = &[
        "llm.base_url",
        "llm.api_key_env",
        "llm.api_key_file",
        "llm.azure_api_version",
        "llm.mock.script",
        "embed.base_url",
        "embed.api_key_env",
        "embed.api_key_file",
        "load.ocr",
        "load.render",
        "crawl.user_agent",
        "crawl.allow_addresses",
        "sources.web.provider",
        "sources.web.base_url",
        "sources.web.api_key_env",
        "sources.web.api_key_file",
        "sources.web.usd_per_search",
        "memory.unit",
        "store.data_dir",
        "store.backend",
        "store.url",
        "store.api_key_env",
        "store.api_key_file",
        "store.prefix",
        "store.shards",
        "store.replication_factor",
        "store.write_consistency",
        "store.connect_timeout_s",
        "store.timeout_s",
        "store.retries",
        "store.takeover_s",
        "prompts.folder",
    ];

    #[test]
    fn every_setting_is_on_one_of_the_lists() {
        let (known, _) = KnownSettings::new(DEFAULT).unwrap();
        let needing: Vec<&str> = known
            .names
            .iter()
            .map(String::as_str)
            .filter(|name| leave(&name.split('.').collect::<Vec<_>>()) == Permission::Nothing)
            .collect();
        assert_eq!(needing, NEEDING_TRUST, "see the comment at NEEDING_TRUST");
        assert_eq!(leave(&["prices", "m", "input"]), Permission::Nothing);
        assert_eq!(leave(&["nothing", "known"]), Permission::Nothing);
        for name in NEEDING_TRUST {
            let said = does(&name.split('.').collect::<Vec<_>>());
            assert!(!said.starts_with("is not among"), "{name} has no words of its own");
        }
    }

    /// Checks `setting` against a weaker and a stronger layer, which may have their own values.
    fn check(setting: &str, weaker: &[&str], stronger: &[&str], allowed: bool) {
        let (known, defaults) = KnownSettings::new(DEFAULT).unwrap();
        let entries = |texts: &[&str], origin: &Origin| -> Vec<Entry> {
            let read = |text: &&str| known.file(text, "x.toml".as_ref(), &crate::config::Surroundings::default());
            let entries = texts.iter().flat_map(|text| read(text).unwrap());
            entries.map(|entry| Entry { origin: origin.clone(), ..entry }).collect()
        };
        let merged = |entries: Vec<Entry>| entries.into_iter().map(|entry| (entry.path.clone(), entry));
        let file = Origin::File { path: "own.toml".into(), line: 1 };
        let mut below: Merged = merged(defaults).collect();
        below.extend(merged(entries(weaker, &file)));
        let mut others = below.clone();
        others.extend(merged(entries(stronger, &Origin::Flag("--set".to_owned()))));
        let entry = entries(&[setting], &file).remove(0);
        let found = objection(&entry, &below, &others);
        assert_eq!(found.is_none(), allowed, "{setting} over {weaker:?} below {stronger:?}: {found:?}");
    }

    #[test]
    fn limits_may_only_be_lowered() {
        check("agent.max_rounds = 3", &[], &[], true);
        check("agent.max_rounds = 4", &[], &[], true);
        check("agent.max_rounds = 5", &[], &[], false);
        check("agent.max_rounds = 0", &[], &[], false);
        check("agent.max_rounds = 5", &["agent.max_rounds = 0"], &[], true);
        check("agent.max_usd = 1000000.0", &[], &[], true);
        check("llm.retries = 0", &[], &[], true);
        check("crawl.depth = 0", &["crawl.depth = 1"], &[], true);
        check("crawl.delay_ms = 499", &[], &[], false);
        // A strategy's own limit overrides the common one, and 0 defers to the common one.
        check("agent.deep.max_usd = 2", &["agent.max_usd = 1"], &[], false);
        check("agent.deep.max_usd = 1", &["agent.max_usd = 1"], &[], true);
        check("agent.deep.max_usd = 0", &["agent.max_usd = 1", "agent.deep.max_usd = 2"], &[], true);
        check("agent.deep.max_usd = 0", &["agent.max_usd = 3", "agent.deep.max_usd = 2"], &[], false);
        check("agent.deep.max_usd = 0", &["agent.deep.max_usd = 2"], &[], false);
        check("agent.deep.max_usd = 2", &[], &["agent.max_usd = 1"], false);
        check("llm.plan.max_output_tokens = 8193", &[], &[], false);
        check("llm.plan.max_output_tokens = 8192", &[], &[], true);
    }

    #[test]
    fn what_a_flag_overrides_is_held_to_what_it_would_change() {
        check("agent.max_rounds = 3", &[], &["agent.max_rounds = 2"], true);
        check("agent.max_rounds = 9", &[], &["agent.max_rounds = 2"], false);
        check("agent.max_rounds = 9", &[], &["agent.max_rounds = 10"], true);
        check("llm.provider = \"openai\"", &[], &["llm.provider = \"openai\""], true);
        check("llm.provider = \"openai\"", &[], &["llm.provider = \"ollama\""], false);
        check("embed.embedder = \"openai:a\"", &[], &["embed.embedder = \"openai:b\""], true);
        check(
            "embed.embedder = \"openai:a\"",
            &["embed.embedder = \"openai:b\""],
            &["embed.embedder = \"none\""],
            true,
        );
        check("embed.embedder = \"causal:a\"", &["embed.embedder = \"causal:b\""], &[], false);
        check("embed.embedder = \"fastembed:a\"", &["embed.embedder = \"fastembed:b\""], &[], true);
        check("embed.embedder = \"fastembed:a\"", &["embed.embedder = \"openai:b\""], &[], false);
    }
}
