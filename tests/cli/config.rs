//! Tests settings: their sources, errors in them, and the files that hold them.

use crate::harness::TestDir;

const DEFAULTS: &str = include_str!("../../src/config/defaults.toml");

fn origin_of_rounds(dir: &TestDir, arguments: &[&str], variable: Option<&str>, expected: &str) {
    let mut run = dir.run(&[arguments, &["config", "show"]].concat());
    if let Some(value) = variable {
        run = run.env("DEEPSEARCH_AGENT__MAX_ROUNDS", value);
    }
    let shown = run.ends_with(0).stderr_is("");
    let line = shown.stdout.lines().find(|line| line.starts_with("agent.max_rounds")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn show_names_the_place_of_each_value() {
    let dir = TestDir::new();
    origin_of_rounds(&dir, &[], None, "agent.max_rounds = 4 # default");
    dir.write("home/.config/deepsearch/config.toml", "[agent]\nmax_rounds = 5\n");
    origin_of_rounds(&dir, &[], None, "agent.max_rounds = 5 # DIR/home/.config/deepsearch/config.toml:2");
    dir.write("work/deepsearch.toml", "\n[agent]\nmax_rounds = 3\n");
    origin_of_rounds(&dir, &[], None, "agent.max_rounds = 3 # DIR/work/deepsearch.toml:3");
    origin_of_rounds(&dir, &[], Some("7"), "agent.max_rounds = 7 # DEEPSEARCH_AGENT__MAX_ROUNDS");
    let set = ["--set", "agent.max_rounds=8"];
    origin_of_rounds(&dir, &set, Some("7"), "agent.max_rounds = 8 # --set agent.max_rounds");
    let other = dir.write("other.toml", "agent.max_rounds = 9");
    let named = ["--config", other.to_str().unwrap()];
    origin_of_rounds(&dir, &named, None, "agent.max_rounds = 9 # DIR/other.toml:1");
}

#[test]
fn settings_before_and_behind_a_command_hold_together_and_the_last_wins() {
    let dir = TestDir::new();
    let arguments = ["--set", "agent.max_rounds=1", "--set", "search.k=3", "config", "--set", "agent.max_rounds=2"];
    let shown =
        dir.run(&[&arguments[..], &["show", "--changed", "--set", "search.candidates=7"]].concat()).ends_with(0);
    for line in ["agent.max_rounds = 2", "search.k = 3", "search.candidates = 7"] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.stdout.lines().any(|shown| words(shown).starts_with(line)), "{line} in {}", shown.stdout);
    }
}

#[test]
fn show_lists_every_setting() {
    let dir = TestDir::new();
    let shown = dir.run(&["config", "show"]).ends_with(0);
    let settings = DEFAULTS.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase())).count();
    assert_eq!(shown.stdout.lines().count(), settings);
    let changed = dir.run(&["config", "show", "--changed"]).ends_with(0);
    changed.stdout_is("store.data_dir = \"DIR/data\"  # DEEPSEARCH_DATA_DIR\n");
    dir.run(&["config", "show", "--json"]).ends_with(0).stdout_has("\"key\": \"llm.provider\"");
}

#[test]
fn no_settings_are_needed() {
    let dir = TestDir::new();
    dir.run(&["config", "show"]).without_env("HOME").without_env("DEEPSEARCH_DATA_DIR").ends_with(0).stderr_is("");
}

#[test]
fn an_unknown_name_is_told_with_line_and_nearest_name() {
    let dir = TestDir::new();
    dir.write("work/deepsearch.toml", "[llm]\nprovider = \"openai\"\nmodle = \"gpt\"\n");
    let expected = "error: DIR/work/deepsearch.toml:3: there is no setting `llm.modle`; did you mean `llm.model`?\n\
                    hint: `deepsearch config show` lists all settings\n";
    for arguments in [&["config", "show"][..], &["collections"], &["search", "x"], &["query", "x"], &["load", "x"]] {
        dir.run(arguments).ends_with(2).stdout_is("").stderr_is(expected);
    }
}

#[test]
fn a_wrong_type_is_told_with_its_line() {
    let dir = TestDir::new();
    dir.write("work/deepsearch.toml", "[agent]\n\nmax_rounds = \"three\"\n");
    dir.run(&["config", "show"]).ends_with(2).stderr_is(
        "error: DIR/work/deepsearch.toml:3: `agent.max_rounds` must be a whole number, and this is a text\n",
    );
}

#[test]
fn a_key_in_a_settings_file_is_refused_and_not_repeated() {
    let dir = TestDir::new();
    dir.write("work/deepsearch.toml", "[llm]\napi_key = \"sk-secret\"\n");
    let ended = dir.run(&["doctor"]).ends_with(1);
    let told = dir.run(&["config", "show"]).ends_with(2).stderr_has("name the variable that holds the key");
    for text in [ended.stdout, ended.stderr, told.stdout, told.stderr] {
        assert!(!text.contains("sk-secret"), "{text}");
    }
}

#[test]
fn broken_toml_and_a_missing_file_are_told() {
    let dir = TestDir::new();
    dir.run(&["--config", "absent.toml", "config", "show"]).ends_with(2).stderr_has("absent.toml");
    dir.write("work/deepsearch.toml", "[llm\n");
    dir.run(&["config", "show"]).ends_with(2).stderr_has("DIR/work/deepsearch.toml:1: ");
}

#[test]
fn init_writes_a_file_once() {
    let dir = TestDir::new();
    let file = dir.path("home/.config/deepsearch/config.toml");
    dir.run(&["config", "init"]).ends_with(0).stdout_is("DIR/home/.config/deepsearch/config.toml\n");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("\n[llm]\n") && written.contains("\n# provider = \"auto\"\n"));
    // Every setting is commented out, so the file changes nothing.
    let changed = dir.run(&["config", "show", "--changed"]).ends_with(0);
    changed.stdout_is("store.data_dir = \"DIR/data\"  # DEEPSEARCH_DATA_DIR\n");

    std::fs::write(&file, "mine").unwrap();
    dir.run(&["config", "init"]).ends_with(1).stderr_has("exists already").stderr_has("--force");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    dir.run(&["config", "init", "--force"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    dir.run(&["config", "init", "deepsearch.toml"]).ends_with(0).stdout_is("deepsearch.toml\n");
    assert_eq!(std::fs::read_to_string(dir.path("work/deepsearch.toml")).unwrap(), written);
}

#[test]
fn path_names_the_files_in_their_order() {
    let dir = TestDir::new();
    dir.write("work/deepsearch.toml", "");
    dir.run(&["config", "path"])
        .ends_with(0)
        .stdout_is("DIR/work/deepsearch.toml\nDIR/home/.config/deepsearch/config.toml  (not there)\n");
}
