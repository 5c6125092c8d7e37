//! Tests the memory: notes, recalled findings, findings whose sources have changed, and processes that run at once or
//! are killed.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::{Ended, Run, TestDir};

/// A run with the memory on, as outside of continuous integration, at a fixed time.
fn at(dir: &TestDir, now: &str, arguments: &[&str]) -> Run {
    dir.run(arguments).without_env("CI").env("DEEPSEARCH_NOW", now)
}

const NOW: &str = "2023-10-28T09:00:00Z";

fn done(dir: &TestDir, now: &str, arguments: &[&str]) -> Ended {
    at(dir, now, arguments).ends_with(0)
}

fn listed(dir: &TestDir, arguments: &[&str]) -> Vec<Value> {
    let all = [&["memory", "list", "--json"], arguments].concat();
    done(dir, NOW, &all).json().as_array().unwrap().clone()
}

fn texts(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["text"].as_str().unwrap()).collect()
}

#[test]
fn nothing_is_remembered_of_nothing() {
    let dir = TestDir::new();
    for command in [&["memory", "list"][..], &["memory", "timeline"]] {
        dir.run(command).ends_with(0).stdout_is("").stderr_is("nothing is remembered yet\n");
    }
    dir.run(&["memory", "search", "What?"]).ends_with(4).stderr_is("nothing is remembered yet\n");
    dir.run(&["memory", "export"]).ends_with(0).stdout_is("{\"deepsearch_memory\":1}\n");
    assert!(!dir.data().exists());
}

#[test]
fn notes_are_kept_shown_and_forgotten() {
    let dir = TestDir::new();
    done(&dir, NOW, &["memory", "add", "ACME promised delivery in May"]).stderr_is("remembered as 1\n");
    done(&dir, NOW, &["memory", "add", "The bridge was closed", "--at", "2023-03-01"]);
    done(&dir, NOW, &["memory", "list"]).stdout_is(
        "    2  2023-03-01  note              The bridge was closed\n    \
         1  2023-10-28 09:00  note              ACME promised delivery in May\n",
    );
    let found = done(&dir, NOW, &["memory", "search", "When did ACME promise to deliver?", "--json"]).json();
    assert_eq!((&found[0]["event"]["id"], &found[0]["passes"]), (&Value::from(1), &Value::from(true)), "{found}");
    assert_eq!(found[1]["passes"], false);
    // Half a year later it has faded.
    let later = ["memory", "search", "When did ACME promise to deliver?", "--at", "2024-06-01"];
    dir.run(&later).ends_with(4).stdout_has("faded: p below 0.9");
    // A note is not recalled at a time before it was made.
    let earlier = ["memory", "search", "When did ACME promise to deliver?", "--at", "2023-06-01"];
    let found = dir.run(&earlier).ends_with(4);
    assert!(found.stdout.contains("The bridge was closed") && !found.stdout.contains("ACME"), "{found:?}");
    let drawn = done(&dir, NOW, &["memory", "timeline"]).stdout_has("ACME promised deliver");
    assert!(drawn.stdout.lines().all(|line| line.chars().count() <= 80), "{drawn:?}");
    dir.run(&["memory", "forget", "9"]).ends_with(1).stderr_has("there is no event 9");
    dir.run(&["memory", "forget", "--before", "2023-06-01"]).ends_with(2).stderr_has("add --yes");
    dir.run(&["memory", "forget", "--before", "2023-06-01", "--yes"]).ends_with(0).stderr_is("forgot 1 event\n");
    dir.run(&["memory", "forget", "1"]).ends_with(0);
    assert!(listed(&dir, &[]).is_empty());
}

#[test]
fn what_compares_nothing_opens_no_embedder() {
    let dir = TestDir::new();
    done(&dir, "2020-01-01T00:00:00Z", &["memory", "add", "The key was lost."]);
    let remote = ["--set", "embed.embedder=openai:text-embedding-3-small"];
    let keyless = |arguments: &[&str]| dir.run(&[&["memory"], arguments, &remote[..]].concat());
    keyless(&["list"]).ends_with(0).stdout_has("The key was lost.");
    keyless(&["timeline"]).ends_with(0);
    keyless(&["export"]).ends_with(0).stdout_has("The key was lost.");
    keyless(&["search", "which key"]).ends_with(1).stderr_has("OPENAI_API_KEY");
    keyless(&["forget", "1"]).ends_with(0);
}

#[test]
fn an_export_is_imported_once() {
    let dir = TestDir::new();
    done(&dir, NOW, &["memory", "add", "ACME promised delivery in May"]);
    done(&dir, NOW, &["memory", "export", "memory.jsonl"]);
    let other = dir.path("other").to_string_lossy().into_owned();
    let import = ["--data-dir", &other, "memory", "import", "memory.jsonl"];
    dir.run(&import).ends_with(0).stderr_is("1 event imported\n");
    dir.run(&import).ends_with(0).stderr_is("0 events imported; 1 known already\n");
    let export = dir.run(&["--data-dir", &other, "memory", "export"]).ends_with(0).stdout;
    assert_eq!(export, std::fs::read_to_string(dir.path("work/memory.jsonl")).unwrap());
    dir.run(&["memory", "import", "-"]).stdin("no export").ends_with(2).stderr_has("line 1 of the import");
}

#[test]
fn the_timeline_is_drawn_into_files() {
    let dir = TestDir::new();
    done(&dir, NOW, &["memory", "add", "A <note> & more"]);
    done(&dir, NOW, &["memory", "timeline", "--svg", "t.svg", "--html", "t.html"]).stdout_is("");
    let svg = std::fs::read_to_string(dir.path("work/t.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("A &lt;note&gt; &amp; more"), "{svg}");
    let html = std::fs::read_to_string(dir.path("work/t.html")).unwrap();
    assert!(html.contains("prefers-color-scheme:dark") && html.contains(&svg), "{html}");
    dir.run(&["memory", "timeline", "--from", "2023-02-01", "--to", "2023-01-01"]).ends_with(2);
}

/// Documents that each answer a question of their own.
fn library() -> TestDir {
    let dir = TestDir::new();
    dir.write(
        "work/docs/bridge.md",
        "---\ndate: 2022-05-01\n---\n# The Alder bridge\n\nThe Alder bridge was closed to lorries in March 2022 because its northern pier had sunk by \
         four centimetres.\n",
    );
    dir.write(
        "work/docs/bakery.md",
        "# The bakery\n\nThe bakery on Mill Street was founded by Anna Krüger in 1954 and sells rye bread.\n",
    );
    done(&dir, "2023-10-01T08:00:00Z", &["load", "docs"]);
    dir
}

const BRIDGE: &str = "Why was the Alder bridge closed to lorries?";

#[test]
fn a_load_is_remembered() {
    let dir = library();
    assert_eq!(texts(&listed(&dir, &[])), ["2 new documents in docs: bakery.md, bridge.md"]);
    done(&dir, NOW, &["load", "docs"]);
    assert_eq!(listed(&dir, &[]).len(), 1);
    dir.write("work/docs/bakery.md", "# The bakery\n\nThe bakery is closed.\n");
    done(&dir, NOW, &["load", "docs"]);
    let changed = listed(&dir, &["--kind", "document-changed"]);
    assert_eq!(texts(&changed), ["1 changed document in docs: bakery.md"]);
}

#[test]
fn a_finding_comes_to_mind_and_is_cited_with_its_day() {
    let dir = library();
    let first = done(&dir, "2023-10-10T08:00:00Z", &["query", BRIDGE]);
    assert!(!first.stdout.contains("known since"), "{first:?}");
    let finding = listed(&dir, &["--kind", "finding"]).remove(0);
    assert!(finding["text"].as_str().unwrap().contains("northern pier"), "{finding}");
    assert!(finding["citations"][0]["path"].as_str().unwrap().ends_with("bridge.md"), "{finding}");
    assert_eq!(texts(&listed(&dir, &["--kind", "question"])), [BRIDGE]);

    let again = "What was the reason for closing the Alder bridge to lorries?";
    let second = done(&dir, "2023-10-20T08:00:00Z", &["query", again]);
    second.stdout_has("2022-05-01, known since 2023-10-10").stderr_has("recalled");
    let finding = listed(&dir, &["--kind", "finding"]).remove(0);
    let recalls = finding["recalls"].as_array().unwrap();
    assert_eq!(recalls.len(), 1, "{finding}");
    assert_eq!(recalls[0]["at"], "2023-10-20T08:00:00Z");
}

#[test]
fn without_memory_nothing_is_used_or_written() {
    let dir = library();
    done(&dir, NOW, &["query", BRIDGE]);
    let before = listed(&dir, &[]);
    let runs = [
        at(&dir, NOW, &["query", BRIDGE, "--no-memory"]),
        at(&dir, NOW, &["query", BRIDGE]).env("CI", "true"),
        at(&dir, NOW, &["query", BRIDGE, "--set", "memory.enabled=off"]),
        at(&dir, NOW, &["query", BRIDGE, "--as-of", "2023-10-28"]),
    ];
    for run in runs {
        let ended = run.ends_with(0);
        assert!(!ended.stdout.contains("known since") && !ended.stderr.contains("recalled"), "{ended:?}");
    }
    assert_eq!(listed(&dir, &[]), before);
    // In continuous integration the memory is used only if asked for.
    let asked = at(&dir, "2023-10-29T09:00:00Z", &["query", BRIDGE, "--set", "memory.enabled=on"]).env("CI", "true");
    asked.ends_with(0).stdout_has("known since 2023-10-28");
}

#[test]
fn a_finding_whose_source_changed_never_enters_a_report() {
    let dir = library();
    done(&dir, "2023-10-10T08:00:00Z", &["query", BRIDGE]);
    dir.write(
        "work/docs/bridge.md",
        "# The Alder bridge\n\nThe Alder bridge was never closed to lorries, whatever the newspapers of that year wrote about it.\n",
    );
    done(&dir, "2023-10-12T08:00:00Z", &["load", "docs"]);
    let report = done(&dir, "2023-10-20T08:00:00Z", &["query", BRIDGE]);
    assert!(!report.stdout.contains("northern pier") && !report.stdout.contains("known since"), "{report:?}");
    report.stdout_has("its source does not say so any more");
    let stale = listed(&dir, &["--stale"]);
    assert_eq!(stale.len(), 1);
    assert!(stale[0]["text"].as_str().unwrap().contains("northern pier"), "{stale:?}");
    // The same holds if the document is removed.
    std::fs::remove_file(dir.path("work/docs/bridge.md")).unwrap();
    done(&dir, "2023-10-21T08:00:00Z", &["load", "docs", "--prune"]);
    at(&dir, "2023-10-22T08:00:00Z", &["query", "Why was the Alder bridge never closed to lorries?"]);
    done(&dir, "2023-10-22T08:00:00Z", &["memory", "list", "--stale"]).stdout_has("stale since 2023-10-20 08:00");
}

#[test]
fn a_finding_follows_a_file_that_moves() {
    let dir = library();
    done(&dir, "2023-10-10T08:00:00Z", &["query", BRIDGE]);
    std::fs::rename(dir.path("work/docs/bridge.md"), dir.path("work/docs/crossing.md")).unwrap();
    done(&dir, "2023-10-12T08:00:00Z", &["load", "docs"]).stdout_has("1 moved");
    let report = done(&dir, "2023-10-20T08:00:00Z", &["query", BRIDGE]);
    report.stdout_has("crossing.md").stdout_has("known since 2023-10-10");
    assert_eq!(listed(&dir, &["--stale"]), Vec::<Value>::new());
    let after = listed(&dir, &["--kind", "finding"]);
    let mut told = texts(&after);
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), after.len(), "what was found again is what was known: {after:?}");
    assert!(after[0]["citations"][0]["path"].as_str().unwrap().ends_with("crossing.md"), "{after:?}");
}

#[test]
fn each_collection_has_its_own_memory() {
    let dir = library();
    dir.write("work/other/x.md", "# Other\n\nThe Alder is a river, and the Alder bridge crosses it near the mill.\n");
    done(&dir, NOW, &["load", "other"]);
    done(&dir, NOW, &["query", BRIDGE, "--collection", "docs"]);
    // The answer says that nothing was found and shows the nearest passage, which does not become a finding.
    let elsewhere = at(&dir, NOW, &["query", BRIDGE, "--collection", "other", "--json"]).ends_with(4).json();
    assert_eq!((&elsewhere["answered"], elsewhere["citations"].as_array().unwrap().len()), (&false.into(), 1));
    assert!(!elsewhere["markdown"].as_str().unwrap().contains("known since"), "{elsewhere}");
    let search = |name: &str| at(&dir, NOW, &["memory", "search", BRIDGE, "--collection", name, "--json"]);
    let found = search("other").ends_with(0).json();
    assert!(
        found.as_array().unwrap().iter().all(|one| {
            one["event"]["collections"] == serde_json::json!(["other"]) && one["event"]["kind"] == "question"
        }),
        "{found}"
    );
    done(&dir, NOW, &["collections", "rename", "docs", "papers"]);
    let found = search("papers").ends_with(0).json();
    assert!(found[0]["event"]["kind"] == "question" || found[0]["event"]["kind"] == "finding", "{found}");
    let again = done(&dir, "2023-10-30T09:00:00Z", &["query", BRIDGE, "--collection", "papers"]);
    again.stdout_has("known since 2023-10-28");
}

#[test]
fn later_documents_are_left_out_and_new_ones_preferred() {
    let dir = TestDir::new();
    for year in [2019, 2021, 2023] {
        dir.write(
            &format!("work/docs/{year}.md"),
            format!(
                "---\ndate: {year}-10-31\n---\n# Report\n\nOn Halloween the police of Shibuya counted {} thousand visitors around the \
                 scramble crossing.\n",
                year - 1990
            ),
        );
    }
    dir.run(&["load", "docs"]).ends_with(0);
    let question = "How many visitors did the police count in Shibuya on Halloween?";
    let report = dir.run(&["query", question, "--as-of", "2021-12-31"]).ends_with(0);
    assert!(!report.stdout.contains("33 thousand"), "{report:?}");
    report.stdout_has("31 thousand").stdout_has("- **As of**: 2021-12-31; ").stdout_has("2021-10-31: “");
    dir.run(&["query", question, "--as-of", "2001-01-01"]).ends_with(4);
    let newest =
        at(&dir, "2023-11-15T00:00:00Z", &["query", question, "--recency", "1", "--no-memory", "--json"]).ends_with(0);
    assert!(newest.json()["citations"][0]["path"].as_str().unwrap().ends_with("2023.md"), "{newest:?}");
    dir.run(&["query", question, "--recency", "2"]).ends_with(2).stderr_has("from 0 to 1");
}

/// Runs at the same time: every note of every process is kept once.
#[test]
fn processes_at_once_lose_nothing() {
    let dir = TestDir::new();
    let note = |name: &str| {
        let mut command = dir.run(&["--set", "embed.embedder=none", "memory", "add", name]).into_command();
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let names: Vec<String> = (0..12).map(|number| format!("note {number}")).collect();
    let children: Vec<_> = names.iter().map(|name| note(name)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let events = listed(&dir, &[]);
    let found: BTreeSet<&str> = texts(&events).into_iter().collect();
    assert_eq!((events.len(), found), (12, names.iter().map(String::as_str).collect()));
}

/// Kills questions at random moments. A recall is counted at most once per run, nothing that was there is lost, and the
/// memory can still be read and written. `DEEPSEARCH_TEST_KILLS` sets the number of kills.
#[test]
fn a_killed_run_leaves_a_whole_memory() {
    let kills: usize = std::env::var("DEEPSEARCH_TEST_KILLS").map_or(6, |kills| kills.parse().unwrap());
    let dir = library();
    done(&dir, "2023-10-10T08:00:00Z", &["query", BRIDGE]);
    let before = listed(&dir, &[]);
    for kill in 0..kills {
        let now = format!("2023-10-11T08:{:02}:00Z", kill % 60);
        let mut child = at(&dir, &now, &["query", BRIDGE])
            .into_command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let memory = dir.data().join("memory.sqlite-wal");
        let length = || memory.metadata().map_or(0, |metadata| metadata.len());
        // A run first writes the recall: it is killed around that write, or around those at its end.
        let (start, changes) = (length(), 1 + kill % 3);
        let mut seen = (start, 0);
        while child.try_wait().unwrap().is_none() {
            let now = length();
            if now != seen.0 {
                seen = (now, seen.1 + 1);
            }
            if seen.1 >= changes {
                break;
            }
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let events = listed(&dir, &[]);
        for event in &before {
            let now = events.iter().find(|one| one["id"] == event["id"]).unwrap();
            assert_eq!(now["text"], event["text"]);
        }
        let findings = |events: &[Value]| events.iter().filter(|event| event["kind"] == "finding").count();
        assert_eq!(findings(&events), findings(&before), "{events:?}");
        for event in &events {
            let recalls = event["recalls"].as_array().unwrap();
            let runs: BTreeSet<&str> = recalls.iter().map(|recall| recall["run"].as_str().unwrap()).collect();
            assert_eq!(runs.len(), recalls.len(), "{event}");
            assert!(recalls.len() <= kill + 1, "{event}");
        }
    }
    let last = done(&dir, "2023-10-12T08:00:00Z", &["query", BRIDGE]);
    last.stdout_has("known since 2023-10-10");
}

/// Three findings from different days about one thing. The first is a year old and the most similar to the question;
/// the second is the newest; the third is older than that, but was needed again this morning.
#[test]
fn what_was_needed_again_comes_to_mind_before_the_similar_and_the_new() {
    let dir = TestDir::new();
    let documents = [
        ("count", "Shibuya was crowded on Halloween, as in the years before."),
        ("police", "The Halloween crowd in Shibuya is so large that the police close the streets."),
        ("mayor", "A large Halloween crowd will come to Shibuya, and the mayor asks visitors to stay away."),
    ];
    for (name, text) in documents {
        dir.write(&format!("work/{name}/{name}.md"), format!("# The {name}\n\n{text}\n"));
        dir.run(&["load", name]).ends_with(0);
    }
    let ask = |now: &str, question: &str, collection: &str| {
        done(&dir, now, &["query", question, "--collection", collection]);
    };
    ask("2022-11-01T09:00:00Z", "Was Shibuya crowded on Halloween?", "count");
    ask("2023-08-05T09:00:00Z", "Why does the mayor ask visitors to stay away?", "mayor");
    ask("2023-09-10T09:00:00Z", "Why do the police close the streets?", "police");
    ask("2023-10-28T08:00:00Z", "Why does the mayor ask visitors to stay away?", "mayor");

    let question = "How crowded is Shibuya on Halloween?";
    let judged = done(&dir, NOW, &["memory", "search", question, "-n", "100", "--json"]).json();
    let findings: Vec<&Value> =
        judged.as_array().unwrap().iter().filter(|one| one["event"]["kind"] == "finding").collect();
    assert_eq!(findings.len(), 3, "{judged}");
    let collection = |one: &Value| one["event"]["collections"][0].as_str().unwrap().to_owned();
    let number = |one: &Value, key: &str| one[key].as_f64().unwrap();
    let best = |weigh: &dyn Fn(&Value) -> f64| {
        collection(findings.iter().max_by(|a, b| weigh(a).total_cmp(&weigh(b))).unwrap())
    };
    assert_eq!(best(&|one| number(one, "r")), "count", "similarity alone");
    // The `made` times are strings that sort by time.
    let newest = findings.iter().max_by_key(|one| one["event"]["made"].as_str().unwrap().to_owned()).unwrap();
    assert_eq!(collection(newest), "police", "forgetting alone: e^(−t) since it was made is largest for the newest");
    assert_eq!(best(&|one| number(one, "p")), "mayor");
    let passing: Vec<String> = findings.iter().filter(|one| one["passes"] == true).map(|one| collection(one)).collect();
    assert_eq!(passing, ["mayor"], "{judged}");

    let report = done(&dir, NOW, &["query", question, "--json"]).json();
    let known: Vec<(&str, &str)> = report["citations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|citation| Some((citation["collection"].as_str()?, citation["known_since"].as_str()?)))
        .collect();
    assert_eq!(known, [("mayor", "2023-08-05")], "{report}");
    assert_eq!(report["citations"][0]["collection"], "mayor", "{report}");
}
