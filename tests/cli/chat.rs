//! Tests conversations: line by line from a pipe, with Ctrl-C, and with a person at a terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use crate::harness::{TestDir, Typing};

fn documents() -> TestDir {
    let dir = TestDir::new();
    let texts = [
        (
            "ratings",
            "The ratings of the show fell after the year 2000. In 1990 twenty million people watched the show.",
        ),
        ("film", "The film of the show earned 536 million dollars."),
        ("boats", "Salt came down the river in flat boats. The salt trade paid for the walls of Arles."),
        ("料金", "利用料金は月額千円である。料金は2019年に改定された。"),
    ];
    for (name, text) in texts {
        dir.write(&format!("work/docs/{name}.md"), format!("# On {name}\n\n{text}\n"));
    }
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir
}

#[test]
fn a_pipe_is_answered_line_by_line() {
    let dir = documents();
    let lines = "How did the ratings of the show change?\n\n/sources\nWho paid for the walls of Arles?\n/open 1\n\
                 /save answer.html\n/new 利用料金はいつ改定されましたか\n/open 9\n";
    let ended = dir.run(&["chat"]).stdin(lines).ends_with(2);
    let order =
        ["fell after the year 2000", "[1] On ratings  docs/ratings.md", "salt trade", "# On boats", "2019年に改定"];
    let mut from = 0;
    for part in order {
        let at = ended.stdout[from..].find(part).unwrap_or_else(|| panic!("{part} is not behind {from} in {ended:?}"));
        from += at;
    }
    let ended = ended.stderr_has("ask a question").stderr_has("wrote answer.html").stderr_has("has no source [9]");
    assert_eq!(ended.stdout.matches("<!-- deepsearch-record").count(), 3);
    dir.run(&["verify", "answer.html"]).ends_with(0);
    // Each answer is a run, and a conversation can go on from the last one. A follow-up is understood in the light of
    // the last answer only.
    let runs = dir.json(&["runs", "list"]);
    assert_eq!(runs.as_array().map(Vec::len), Some(3), "{runs}");
    let again = dir.run(&["chat", "last"]).stdin("/sources").ends_with(0);
    again.stdout_has("料金.md").stderr_has("asking on after: 利用料金はいつ改定されましたか");
    dir.run(&["chat"]).stdin("").ends_with(0).stdout_is("");
}

#[test]
fn what_cannot_be_done_is_said_and_the_next_line_is_read() {
    let dir = documents();
    let lines = "/sources\n/opne 1\n???\n/save nowhere/x.md\nWho paid for the walls of Arles?\n/save nowhere/x.md\n/quit\nnever asked\n";
    let ended = dir.run(&["chat"]).stdin(lines).ends_with(2).stdout_has("salt trade");
    ended
        .stderr_has("nothing was answered yet")
        .stderr_has("did you mean /open?")
        .stderr_has("there is no folder nowhere");
    dir.run(&["chat", "nothing"]).stdin("x").ends_with(1).stderr_has("there is no run");
    dir.run(&["chat"]).stdin(vec![b'x', 0xff, b'\n']).ends_with(2).stderr_has("UTF-8");
    dir.run(&["chat"]).stdin(vec![b'x'; 1 << 20]).ends_with(2).stderr_has("too long");
    dir.run(&["--set", "journal.enabled=false", "chat"]).stdin("x").ends_with(2).stderr_has("journal");
}

#[test]
fn ctrl_c_stops_the_answer_and_not_the_conversation() {
    let dir = documents();
    let slow = "[[reply]]\npurpose = \"plan\"\njson = { reason = \"r\", sub_queries = [{ query = \"walls of Arles\", \
                collections = [] }] }\n[[reply]]\npurpose = \"reflect\"\ndelay_ms = 600000\njson = { reason = \"r\", helpful \
                = [1], enough = true, sub_queries = [] }\n[[reply]]\npurpose = \"write\"\ntext = \"The salt trade did [1].\"\n";
    let set = format!("llm.mock.script={}", dir.write("script.toml", slow).display());
    let mut command = dir.run(&["--set", "llm.provider=mock", "--set", &set, "chat"]).into_command();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = child.stdin.take().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.write_all(b"Who paid for the walls of Arles?\n").unwrap();
    assert!(stderr.any(|line| line.starts_with("round 1: ")));
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
    assert!(stderr.any(|line| line.starts_with("bill: ")));
    lines.write_all(b"/sources\n").unwrap();
    drop(lines);
    stderr.for_each(drop);
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert!(stdout.starts_with("The salt trade did [1]."), "{stdout}");
    assert!(stdout.trim_end().ends_with("docs/boats.md"), "{stdout}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn somebody_at_a_terminal_edits_completes_and_ends() {
    let dir = documents();
    let mut typing = Typing::start(dir.run(&["chat"]));
    let mut after = |mark: &str, typed: &str| typing.after(mark, typed);
    after("> ", "\u{3}");
    after("ends the conversation", "");
    after("> ", "Who paid for the walls of docs/b\t?\r");
    after("no model was asked", "");
    after("> ", "/so\t\r");
    after("docs/boats.md", "");
    after("> ", "\u{4}");
    let shown = typing.ends_with(0);
    assert!(shown.contains("docs/boats.md") && !shown.contains("How this was researched"), "{shown}");
}
