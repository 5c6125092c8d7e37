//! Tests Ctrl-C: once for a report from what was found, twice to stop at once.

use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::harness::{QUESTION, TestDir};

/// A run whose model takes ten minutes to reflect, and as long to write if `slow_report` is set.
struct Slow {
    child: Child,
    stderr: Lines<BufReader<ChildStderr>>,
    _script: TestDir,
}

impl Slow {
    fn start(slow_report: bool) -> Self {
        let own = TestDir::new();
        let pause = if slow_report { "delay_ms = 600000\n" } else { "" };
        let script = format!(
            "[[reply]]\npurpose = \"plan\"\njson = {{ reason = \"One side.\", sub_queries = [{{ query = \"Who drew the \
             show?\", collections = [] }}] }}\n[[reply]]\npurpose = \"reflect\"\ndelay_ms = 600000\njson = {{ reason = \
             \"Enough.\", helpful = [1], enough = true, sub_queries = [] }}\n[[reply]]\npurpose = \"write\"\n{pause}text \
             = \"Film Roman drew the show [1].\"\n"
        );
        let script = own.write("script.toml", script);
        let set = format!("llm.mock.script={}", script.display());
        let mut command =
            TestDir::simpsons().run(&["--set", "llm.provider=mock", "--set", &set, "query", QUESTION]).into_command();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        Slow { child, stderr, _script: own }
    }

    /// Reads standard error until a line begins with `beginning`.
    fn wait_for(&mut self, beginning: &str) {
        let found = self.stderr.by_ref().map(Result::unwrap).any(|line| line.starts_with(beginning));
        assert!(found, "standard error ended without `{beginning}`");
    }

    fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for the end; returns the exit code and standard output.
    fn ended(mut self) -> (Option<i32>, String) {
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.stderr.by_ref().for_each(|line| drop(line.unwrap()));
        (self.child.wait().unwrap().code(), stdout)
    }
}

#[test]
fn once_writes_the_report_from_what_was_found() {
    let mut run = Slow::start(false);
    run.wait_for("round 1: ");
    run.interrupt();
    let (code, report) = run.ended();
    assert_eq!(code, Some(130), "{report}");
    assert!(report.starts_with("Film Roman drew the show [1]."), "{report}");
    assert!(report.contains("## Sources") && report.contains("## How this was researched"), "{report}");
}

#[test]
fn twice_stops_at_once() {
    let mut run = Slow::start(true);
    run.wait_for("round 1: ");
    run.interrupt();
    run.wait_for("writing: ");
    run.interrupt();
    assert_eq!(run.ended(), (Some(130), String::new()));
}

#[test]
fn an_interrupted_load_keeps_what_it_stored_and_is_completed() {
    stopped_by("INT");
}

#[test]
fn a_load_that_is_terminated_stays_among_the_sources() {
    let dir = stopped_by("TERM");
    let sources = dir.json(&["sources"]);
    assert_eq!(sources.as_array().map(Vec::len), Some(1), "{sources}");
}

/// Stops a load by a signal, and completes it with another load.
fn stopped_by(signal: &str) -> TestDir {
    let dir = TestDir::new();
    for number in 0..60 {
        let text = format!("Document {number} speaks of quinces. ").repeat(40);
        dir.write(&format!("work/docs/{:02}/{number}.md", number % 12), text);
    }
    let load = ["load", "docs", "--collection-per-dir"];
    let mut child = dir.run(&load).into_command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The lock is taken before the first document is stored; from then on any moment will do.
    while !dir.data().join("writer.lock").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    assert!(Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    // On a fast machine the load may have finished before the signal.
    assert!(matches!(output.status.code(), Some(130 | 0)), "{:?} {told}", output.status);
    let stopped = output.status.code() == Some(130);
    assert!(!stopped || told.contains("run the same command again to load the rest"), "{told}");
    dir.run(&load).ends_with(0);
    let summary = dir.json(&load);
    assert_eq!((&summary["unchanged"], &summary["new"]), (&60.into(), &0.into()));
    dir
}
