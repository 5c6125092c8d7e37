//! Tests settings in files, variables and flags: which layer wins, what is refused, and that the documentation names
//! them all.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::config::{EXAMPLE, template};

/// Settings from a project's file, a user's file, variables and flags.
struct Case<'a> {
    user: &'a str,
    project: &'a str,
    variables: &'a [(&'a str, &'a str)],
    flags: &'a [(&'a str, &'a str)],
}

const EMPTY: Case<'static> = Case { user: "", project: "", variables: &[], flags: &[] };

fn load(case: &Case<'_>) -> (tempfile::TempDir, Result<Settings, ConfigError>) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("home/deepsearch")).unwrap();
    fs::create_dir_all(dir.path().join("work")).unwrap();
    for (place, text) in [("home/deepsearch/config.toml", case.user), ("work/deepsearch.toml", case.project)] {
        if !text.is_empty() {
            fs::write(dir.path().join(place), text).unwrap();
        }
    }
    let around = Surroundings {
        variables: case.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        cwd: dir.path().join("work"),
        home: Some(dir.path().join("home")),
        config_dir: Some(dir.path().join("home")),
        data_dir: None,
    };
    let flags = case
        .flags
        .iter()
        .map(|(key, value)| Flag { flag: format!("--{key}"), key: (*key).to_owned(), value: (*value).to_owned() })
        .collect();
    let settings = Settings::load(&SettingsRequest { around, file: None, flags });
    (dir, settings)
}

/// Checks the error's text, with the temporary folder written as `DIR`.
fn check_error(case: &Case<'_>, expected: &str) {
    let (dir, settings) = load(case);
    let text = settings.unwrap_err().to_string().replace(&*dir.path().to_string_lossy(), "DIR");
    assert_eq!(text, expected);
}

#[test]
fn the_default_file_fits_the_types() {
    let (_dir, settings) = load(&EMPTY);
    let settings = settings.unwrap();
    assert_eq!(settings.config.llm.provider, "auto");
    assert_eq!(settings.config.prices, BTreeMap::new());
    assert!(settings.values.iter().all(|setting| setting.origin == Origin::Default));
    assert!(settings.files.is_empty());
    assert_eq!(settings.values[0].key, "llm.provider", "in the order of the file");
}

#[test]
fn the_example_explains_every_provider() {
    for provider in crate::config::rules::PROVIDERS {
        let explained = EXAMPLE.lines().any(|line| {
            line.starts_with('#') && line.split(|c: char| !c.is_alphanumeric()).any(|word| word == *provider)
        });
        assert!(explained, "{provider}");
    }
}

#[test]
fn the_template_sets_nothing_and_uncommenting_it_gives_the_defaults() {
    let (_dir, untouched) = load(&EMPTY);
    let (_dir, commented) = load(&Case { project: &template(), ..EMPTY });
    let (_dir, spelt_out) = load(&Case { project: EXAMPLE, ..EMPTY });
    let (untouched, commented, spelt_out) = (untouched.unwrap(), commented.unwrap(), spelt_out.unwrap());
    assert_eq!(untouched.config, commented.config);
    assert_eq!(untouched.config, spelt_out.config);
    assert!(commented.values.iter().all(|setting| setting.origin == Origin::Default));
    let set = spelt_out.values.iter().filter(|setting| setting.origin != Origin::Default).count();
    assert_eq!(set, EXAMPLE.lines().filter(|line| is_assignment(line)).count());
    assert_eq!(set, template().lines().filter(|line| line.strip_prefix("# ").is_some_and(is_assignment)).count());
}

fn is_assignment(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_lowercase()) && line.contains(" = ")
}

/// Rarely used settings are listed only in the reference.
#[test]
fn the_example_can_be_read_in_one_sitting() {
    let assignments = EXAMPLE.lines().filter(|line| is_assignment(line.trim_start_matches(['#', ' ']))).count();
    assert!(assignments <= 60, "{assignments} settings; list the rare ones in docs/settings.md alone");
}

/// Compares the rows of the tables: names in backticks in the first cell, their common default in the second.
#[test]
fn the_reference_has_every_setting_with_its_default() {
    let mut shown = Vec::new();
    for row in include_str!("../../docs/settings.md").lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let names = cells[0].split('`').skip(1).step_by(2);
        shown.extend(names.map(|name| (name.to_owned(), cells[1].trim_matches('`').to_owned())));
    }
    let (_dir, settings) = load(&EMPTY);
    let values = settings.unwrap().values.into_iter();
    let mut expected: Vec<(String, String)> = values.map(|setting| (setting.key, setting.value)).collect();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
}

#[test]
fn each_layer_overrides_the_ones_below_it() {
    let mut case = EMPTY;
    let check = |case: &Case<'_>, rounds: usize, origin: &str| {
        let (dir, settings) = load(case);
        let settings = settings.unwrap();
        assert_eq!(settings.config.agent.max_rounds, rounds);
        let setting = settings.values.iter().find(|setting| setting.key == "agent.max_rounds").unwrap();
        assert_eq!(setting.origin.to_string().replace(&*dir.path().to_string_lossy(), "DIR"), origin);
    };
    check(&case, 4, "default");
    case.user = "[agent]\nmax_rounds = 5";
    check(&case, 5, "DIR/home/deepsearch/config.toml:2");
    case.project = "# one\n\nagent.max_rounds = 3";
    check(&case, 3, "DIR/work/deepsearch.toml:3");
    case.variables = &[("DEEPSEARCH_AGENT__MAX_ROUNDS", " 7")];
    check(&case, 7, "DEEPSEARCH_AGENT__MAX_ROUNDS");
    case.flags = &[("agent.max_rounds", "8"), ("agent.max_rounds", "9")];
    check(&case, 9, "--agent.max_rounds");
}

#[test]
fn layers_merge_key_by_key() {
    let case = Case { user: "[llm]\nmodel = \"a\"\nretries = 3", project: "[llm]\nretries = 2", ..EMPTY };
    let (_dir, settings) = load(&case);
    let llm = settings.unwrap().config.llm;
    assert_eq!((llm.model.as_str(), llm.retries, llm.concurrency), ("a", 2, 4));
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    let project = |project| Case { project, ..EMPTY };
    check_error(
        &project("[llm]\nprovider = \"auto\"\nmodle = \"x\""),
        "DIR/work/deepsearch.toml:3: there is no setting `llm.modle`; did you mean `llm.model`?",
    );
    check_error(
        &project("max_rounds = 3"),
        "DIR/work/deepsearch.toml:1: there is no setting `max_rounds`; did you mean `agent.max_rounds`?",
    );
    check_error(
        &project("[lmm]\nmodel = \"x\""),
        "DIR/work/deepsearch.toml:2: there is no setting `lmm.model`; did you mean `llm.model`?",
    );
    check_error(
        &project("[agent]\nreader = \"off\""),
        "DIR/work/deepsearch.toml:2: there is no setting `agent.reader`; did you mean `search.reader`?",
    );
    check_error(
        &project("\n[serach]"),
        "DIR/work/deepsearch.toml:2: there is no setting `serach`; did you mean `search`?",
    );
    check_error(&project("zzz = 1"), "DIR/work/deepsearch.toml:1: there is no setting `zzz`");
    check_error(
        &project("[llm.model]\nname = \"x\""),
        "DIR/work/deepsearch.toml:2: there is no setting `llm.model.name`; did you mean `llm.model`?",
    );
    check_error(
        &Case { variables: &[("DEEPSEARCH_LLM__MODLE", "x")], ..EMPTY },
        "DEEPSEARCH_LLM__MODLE: there is no setting `llm.modle`; did you mean `llm.model`?",
    );
    check_error(
        &Case { flags: &[("agent.max_round", "1")], ..EMPTY },
        "--agent.max_round: there is no setting `agent.max_round`; did you mean `agent.max_rounds`?",
    );
}

#[test]
fn a_key_in_the_file_is_refused_without_repeating_it() {
    check_error(
        &Case { project: "[llm]\napi_key = \"sk-secret\"", ..EMPTY },
        "DIR/work/deepsearch.toml:2: there is no setting `llm.api_key`; did you mean `llm.api_key_env`?",
    );
    check_error(
        &Case { project: "[llm]\nretries = \"sk-secret\"", ..EMPTY },
        "DIR/work/deepsearch.toml:2: `llm.retries` must be a whole number, and this is a text",
    );
}

#[test]
fn wrong_types_and_values_are_refused() {
    check_error(
        &Case { project: "[agent]\nmax_rounds = 2.5", ..EMPTY },
        "DIR/work/deepsearch.toml:2: `agent.max_rounds` must be a whole number, and this is a number (2.5)",
    );
    check_error(
        &Case { project: "[llm]\nmodel = 4", ..EMPTY },
        "DIR/work/deepsearch.toml:2: `llm.model` must be a text in quotes, and this is a whole number (4)",
    );
    check_error(
        &Case { project: "llm = 4", ..EMPTY },
        "DIR/work/deepsearch.toml:1: there is no setting `llm`; did you mean `llm.model`?",
    );
    check_error(
        &Case { variables: &[("DEEPSEARCH_AGENT__MAX_ROUNDS", "two")], ..EMPTY },
        "DEEPSEARCH_AGENT__MAX_ROUNDS: `agent.max_rounds` must be a whole number, and this is a text",
    );
    check_error(
        &Case { project: "[search]\nrerank = \"lat\"", ..EMPTY },
        "DIR/work/deepsearch.toml:2: `search.rerank = \"lat\"` cannot be used: it is one of late+answer, late, answer, none; did you mean \"late\"?",
    );
    check_error(
        &Case { flags: &[("embed.embedder", "fastembed:")], ..EMPTY },
        "--embed.embedder: `embed.embedder = \"fastembed:\"` cannot be used: it is one of minilm, none, fastembed:MODEL, openai:MODEL, causal:FOLDER",
    );
    let (_dir, settings) = load(&Case { flags: &[("llm.provider", "opnai")], ..EMPTY });
    assert!(settings.unwrap_err().to_string().ends_with("did you mean \"openai\"?"));
    check_error(
        &Case { flags: &[("agent.max_rounds", "-1")], ..EMPTY },
        "--agent.max_rounds: `agent.max_rounds = -1` cannot be used: it is 0 or more",
    );
    check_error(
        &Case { flags: &[("llm.temperature", "nan")], ..EMPTY },
        "--llm.temperature: `llm.temperature = nan` cannot be used: it lies between 0 and 2",
    );
    check_error(
        &Case { project: "[chunk]\noverlap_bytes = 900", ..EMPTY },
        "DIR/work/deepsearch.toml:2: `chunk.overlap_bytes = 900` cannot be used: chunk.overlap_bytes is at most half of chunk.target_bytes",
    );
}

#[test]
fn broken_toml_is_told_with_its_line() {
    let (dir, settings) = load(&Case { project: "[llm]\nmodel = \n", ..EMPTY });
    let text = settings.unwrap_err().to_string();
    let place = format!("{}:2: ", dir.path().join("work/deepsearch.toml").display());
    assert!(text.starts_with(&place), "{text}");
}

#[test]
fn prices_are_tables_of_the_users_names() {
    let (_dir, settings) = load(&Case {
        user: "[prices.\"gpt-4.1\"]\ninput = 2\noutput = 8.0",
        flags: &[("prices.\"gpt-4.1\".cached_input", "0.5")],
        ..EMPTY
    });
    let price = settings.unwrap().config.prices["gpt-4.1"];
    assert_eq!((price.input, price.cached_input, price.output), (2.0, Some(0.5), 8.0));
    check_error(
        &Case { user: "[prices.m]\ninput = 1", ..EMPTY },
        "DIR/home/deepsearch/config.toml:2: `prices.m.input = 1.0` cannot be used: the price of `m` also needs `output`",
    );
    check_error(
        &Case { user: "[prices.m]\ninptu = 1", ..EMPTY },
        "DIR/home/deepsearch/config.toml:2: there is no setting `prices.m.inptu`; did you mean `prices.m.input`?",
    );
}

#[test]
fn relative_paths_belong_to_the_file_that_names_them() {
    let (dir, settings) = load(&Case {
        user: "[prompts]\nfolder = \"mine\"\n[store]\ndata_dir = \"~/data\"",
        variables: &[("DEEPSEARCH_LLM__MOCK__SCRIPT", "here.toml")],
        ..EMPTY
    });
    let config = settings.unwrap().config;
    assert_eq!(config.prompts.folder, dir.path().join("home/deepsearch/mine"));
    assert_eq!(config.store.data_dir, dir.path().join("home/data"));
    assert_eq!(config.llm.mock.script, dir.path().join("work/here.toml"));
}

#[test]
fn the_data_folder_has_a_short_variable() {
    let (dir, settings) = load(&Case { variables: &[("DEEPSEARCH_DATA_DIR", "d"), ("DEEPSEARCH_KEY", "k")], ..EMPTY });
    assert_eq!(settings.unwrap().config.store.data_dir, dir.path().join("work/d"));
}

#[test]
fn a_named_file_replaces_the_found_ones_and_must_exist() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("deepsearch.toml"), "nonsense").unwrap();
    fs::write(dir.path().join("other.toml"), "[search]\nk = 3").unwrap();
    let around = Surroundings { cwd: dir.path().to_owned(), ..Surroundings::default() };
    let load = |name: &str| {
        let file = Some(dir.path().join(name));
        Settings::load(&SettingsRequest { around: around.clone(), file, flags: Vec::new() })
    };
    assert_eq!(load("other.toml").unwrap().config.search.k, 3);
    assert!(matches!(load("absent.toml"), Err(ConfigError::Unreadable { .. })));
}
