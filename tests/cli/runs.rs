//! Tests journals of runs: kills at any moment and resuming after them, replays, forks, lists.

use std::process::Stdio;
use std::sync::mpsc;

use serde_json::Value;

use crate::endpoint::{Endpoint, PIECES};
use crate::harness::{Run, TestDir, files_below};

const ASKED: &str = "How did the show change?";
const KEY: &str = "sk-never-to-be-written-down";

/// Some documents, loaded into a data folder of their own.
fn documents() -> TestDir {
    let dir = TestDir::new();
    let texts = [
        "The show premiered in December 1989.",
        "The ratings of the show fell after the year 2000.",
        "Critics praised the early seasons of the show. 批評家は称賛した。",
        "The film of 2007 earned 536 million dollars.",
    ];
    for (number, text) in texts.iter().enumerate() {
        dir.write(&format!("work/docs/{number}.md"), format!("{text}\n"));
    }
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir
}

/// A command that asks the endpoint. The clock stands still, so that reports do not depend on the machine's speed.
fn command(dir: &TestDir, endpoint: &Endpoint, arguments: &[&str]) -> Run {
    let settings = endpoint.settings();
    let mut all: Vec<&str> = settings.iter().map(String::as_str).collect();
    all.extend(["--set", "llm.api_key_env=THE_KEY"]);
    all.extend(arguments);
    dir.run(&all).env("DEEPSEARCH_NOW", "2026-01-31T12:00:00Z").env("THE_KEY", KEY)
}

/// The number of lines in the journal of the latest run.
fn lines_of_last(dir: &TestDir) -> usize {
    let journals = files_below(&dir.data().join("runs"));
    let Some(last) = journals.last() else { return 0 };
    std::fs::read(last).unwrap().iter().filter(|byte| **byte == b'\n').count()
}

/// The moment at which a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// During the endpoint's replies.
    Reply(usize),
    /// Once the journal has this many lines.
    Line(usize),
}

/// Starts a run and kills it at a moment. Returns the number of requests that it sent.
fn query_and_kill(dir: &TestDir, endpoint: &Endpoint, moment: Moment) -> usize {
    let (reached, wait) = mpsc::channel();
    let (killed, go_on) = mpsc::channel::<()>();
    let go_on = std::sync::Mutex::new(go_on);
    endpoint.at_moment(move |now| {
        if matches!(moment, Moment::Reply(at) if at == now) {
            // The test may be over.
            let _ = reached.send(());
            let _ = go_on.lock().unwrap().recv();
        }
    });
    let query = command(dir, endpoint, &["query", ASKED]);
    let mut child = query.into_command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    match moment {
        Moment::Reply(_) => wait.recv().unwrap(),
        Moment::Line(lines) => {
            while lines_of_last(dir) < lines && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Nobody receives what the endpoint sends from now on.
    drop(killed);
    endpoint.at_moment(|_| ());
    endpoint.take_seen().len()
}

/// The number of answered calls in the journal of the last run.
fn answered(dir: &TestDir) -> usize {
    let shown = dir.json(&["runs", "show", "last"]);
    let steps = shown["steps"].as_array().unwrap();
    steps.iter().filter(|step| step["step"] == "call").count()
}

/// `DEEPSEARCH_TEST_KILLS` sets how many of the moments are tried.
#[test]
fn a_killed_run_is_resumed_without_paying_again() {
    let kills: usize = std::env::var("DEEPSEARCH_TEST_KILLS").map_or(5, |kills| kills.parse().unwrap());
    let dir = documents();
    let endpoint = Endpoint::start();
    let undisturbed = command(&dir, &endpoint, &["query", ASKED]).ends_with(0).stdout;
    let all = endpoint.take_seen().len();
    assert_eq!(all, 4);
    let lines = lines_of_last(&dir);
    // For every reply: when the request has arrived, before each piece, and at the end.
    let replies = (0..all * (PIECES + 2)).map(Moment::Reply);
    let moments: Vec<Moment> = replies.chain((1..lines).map(Moment::Line)).collect();
    assert!(moments.len() >= 30, "{} moments", moments.len());

    for number in 0..kills.min(moments.len()) {
        let moment = moments[number * moments.len() / kills.min(moments.len())];
        dir.run(&["-q", "runs", "rm", "--all"]).ends_with(0);
        let sent = query_and_kill(&dir, &endpoint, moment);
        if lines_of_last(&dir) == 0 {
            // Killed before the first line: nothing can be resumed, and nothing was paid for.
            assert_eq!(sent, 0, "{moment:?}");
            continue;
        }
        let kept = answered(&dir);
        // An answer is stored before the next request goes out.
        assert!(kept + 1 >= sent, "{moment:?}: {sent} sent, {kept} kept");
        let finished = dir.json(&["runs", "show", "last"])["state"] == "finished";
        if !finished {
            let resumed = command(&dir, &endpoint, &["query", "--resume", "last"]).ends_with(0);
            assert_eq!(resumed.stdout, undisturbed, "{moment:?}");
            if sent > kept {
                resumed.stderr_has("; 1 call was under way when the run was cut off, and may have been paid for");
            }
        }
        // The endpoint may receive a request that was under way only after its sender is gone.
        let late = usize::from(matches!(moment, Moment::Line(_)) && sent == kept);
        let asked = endpoint.take_seen().len();
        assert!(
            (all - kept..=all - kept + late).contains(&asked),
            "{moment:?}: {sent} sent, {kept} kept, {asked} after"
        );
        // A replay does not use the endpoint.
        let replayed = dir.run(&["runs", "replay", "last"]).ends_with(0).stdout;
        assert_eq!(replayed, undisturbed, "{moment:?}");
    }
}

/// A single run, killed again and again until it finishes.
#[test]
fn a_run_survives_many_kills() {
    let dir = documents();
    let endpoint = Endpoint::start();
    let undisturbed = command(&dir, &endpoint, &["query", ASKED]).ends_with(0).stdout;
    endpoint.take_seen();
    let mut sent = query_and_kill(&dir, &endpoint, Moment::Reply(0));
    let mut kills = 1;
    for _ in 0..3 {
        let (reached, wait) = mpsc::channel();
        let (killed, go_on) = mpsc::channel::<()>();
        let go_on = std::sync::Mutex::new(go_on);
        // Killed in the middle of the second reply each time, so that one more reply is kept each time.
        endpoint.at_moment(move |now| {
            if now == PIECES + 4 {
                let _ = reached.send(());
                let _ = go_on.lock().unwrap().recv();
            }
        });
        let resume = command(&dir, &endpoint, &["query", "--resume", "last"]);
        let mut child = resume.into_command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait.recv().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        drop(killed);
        kills += 1;
        endpoint.at_moment(|_| ());
        sent += endpoint.take_seen().len();
    }
    let resumed = command(&dir, &endpoint, &["query", "--resume", "last"]).ends_with(0).stdout;
    assert_eq!(resumed, undisturbed);
    sent += endpoint.take_seen().len();
    assert_eq!(sent, 4 + kills, "each kill cost the call under way");
}

#[test]
fn a_finished_run_is_shown_replayed_and_forked() {
    let dir = documents();
    let endpoint = Endpoint::start();
    let report = command(&dir, &endpoint, &["query", ASKED]).ends_with(0);
    let id = "20260131-120000-0001";
    dir.run(&["runs"]).ends_with(0).stdout_is(&format!("{id}  done, no further search was planned  {ASKED}\n"));
    let replayed = dir.run(&["runs", "replay", id]).ends_with(0);
    assert_eq!(replayed.stdout, report.stdout);
    assert_eq!(dir.run(&["runs", "replay", "2026", "--json"]).ends_with(0).json()["markdown"], report.stdout);
    let file = dir.path("again.md");
    dir.run(&["-q", "runs", "replay", "last", "-o", file.to_str().unwrap()]).ends_with(0).stdout_is("").stderr_is("");
    assert_eq!(std::fs::read_to_string(file).unwrap(), report.stdout);
    // If the run was killed after its last word, or is resumed once more, its report is there and nothing is paid.
    endpoint.take_seen();
    let again = command(&dir, &endpoint, &["query", "--resume", "last", "--no-memory"]).ends_with(0);
    assert_eq!((again.stdout, endpoint.count()), (report.stdout.clone(), 0));

    let shown = dir.run(&["runs", "show", "last"]).ends_with(0);
    let shown = shown.stdout_has("  1  collections  docs\n").stdout_has("plan         m answered: 1000 in, ");
    let step = |text: &str| {
        let line = shown.stdout.lines().find(|line| line.contains(text)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    let events = dir.run(&["runs", "show", "last", "--events"]).ends_with(0);
    events.stdout_has("plan: Both sides.").stdout_has("more: The film is missing.").stdout_has("enough: ");
    let events = dir.run(&["runs", "show", "last", "--events", "--json"]).ends_with(0).json();
    assert_eq!(events[0]["event"], "called", "{events}");

    endpoint.take_seen();
    let plan = step("plan         m");
    let other = ["runs", "fork", "last", "--from", &plan, "--model", "n", "--max-rounds", "1"];
    let forked = command(&dir, &endpoint, &other).ends_with(3).stdout_has("n\n").stdout_has("## Sources");
    let asked: Vec<Value> = endpoint.take_seen();
    let models: Vec<&Value> = asked.iter().map(|request| &request["model"]).collect();
    assert_eq!(models, ["n", "n"], "one reflection and the report");
    assert_eq!(dir.run(&["runs", "replay", "last"]).ends_with(0).stdout, forked.stdout);
    dir.run(&["runs", "show", "last"]).ends_with(0).stdout_has(&format!("{plan} steps from {id}\n"));
    command(&dir, &endpoint, &["runs", "fork", id, "--from", "99"]).ends_with(2).stderr_has("steps, so it cannot");

    dir.run(&["runs", "rm", "20260131-120000-0002"]).ends_with(0).stderr_is("removed 1 run\n");
    dir.run(&["runs", "rm", "--before", "2026-01-31"]).ends_with(0).stderr_is("removed 0 runs\n");
    dir.run(&["runs", "rm", "--before", "2026-02-01"]).ends_with(0).stderr_is("removed 1 run\n");
    dir.run(&["runs"]).ends_with(0).stdout_is("").stderr_has("no run is kept in DIR/data/runs yet");
    dir.run(&["runs", "show", "last"]).ends_with(1).stderr_has("no run is kept");
}

#[test]
fn keys_never_reach_a_journal_and_no_journal_is_kept_unasked() {
    let dir = documents();
    let endpoint = Endpoint::start();
    command(&dir, &endpoint, &["query", ASKED, "--no-journal"]).ends_with(0);
    assert!(!dir.data().join("runs").exists());
    command(&dir, &endpoint, &["--set", "journal.enabled=false", "query", ASKED]).ends_with(0);
    assert!(!dir.data().join("runs").exists());
    command(&dir, &endpoint, &["query", ASKED]).ends_with(0);
    let journals = files_below(&dir.data().join("runs"));
    assert_eq!(journals.len(), 1);
    for journal in journals {
        let text = std::fs::read_to_string(journal).unwrap();
        assert!(text.contains("Both sides.") && !text.contains(KEY) && !text.contains("sk-"), "{text}");
    }
}

#[test]
fn a_refused_key_is_mended_and_the_run_resumed() {
    let dir = documents();
    let endpoint = Endpoint::start();
    let script =
        dir.write("script.toml", "[[reply]]\npurpose = \"plan\"\nerror = { kind = \"key\", message = \"no\" }\n");
    let mock = format!("llm.mock.script={}", script.display());
    let mock = ["--set", "llm.provider=mock", "--set", &mock];
    let failed = dir.run(&[&mock[..], &["query", ASKED]].concat()).ends_with(1);
    failed.stderr_has("what was done is kept: deepsearch query --resume ");
    dir.run(&["runs"]).ends_with(0).stdout_has("failed: ");
    dir.run(&["runs", "replay", "last"]).ends_with(1).stderr_has("has no report: it ended with");
    // Another model does not replace the first one unless that is asked for.
    command(&dir, &endpoint, &["query", "--resume", "last"]).ends_with(1).stderr_has("the settings now name m");
    assert_eq!(endpoint.count(), 0);
}

#[test]
fn an_offline_run_is_replayed_too() {
    let dir = documents();
    let report = dir.run(&["query", "When did the ratings of the show fall?"]).ends_with(0);
    assert_eq!(dir.run(&["runs", "replay", "last"]).ends_with(0).stdout, report.stdout);
    let size = files_below(&dir.data().join("runs"))[0].metadata().unwrap().len();
    assert!(size < 40_000, "{size} bytes");
}
