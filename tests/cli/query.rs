//! Tests a question answered offline: the report and everything that it promises.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::{QUESTION, TestDir};

/// The report's text, without sources and account.
fn body(markdown: &str) -> &str {
    markdown.split("\n## Sources\n").next().unwrap()
}

/// The numbers that a text cites.
fn cited(text: &str) -> BTreeSet<usize> {
    text.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.parse().ok()).collect()
}

fn question(dir: &TestDir) -> Value {
    dir.json(&["query", QUESTION])
}

#[test]
fn the_report_is_long_and_draws_on_every_folder() {
    let report = question(TestDir::simpsons());
    let markdown = report["markdown"].as_str().unwrap();
    let words = body(markdown).split_whitespace().count();
    assert!(words >= 600, "{words} words");
    let citations = report["citations"].as_array().unwrap();
    let paths: BTreeSet<&str> = citations.iter().map(|citation| citation["path"].as_str().unwrap()).collect();
    assert!(paths.len() >= 8, "{paths:?}");
    for folder in ["audience", "characters", "history"] {
        assert!(paths.iter().any(|path| path.contains(&format!("/{folder}/"))), "{folder}: {paths:?}");
    }
    let calls = report["usage"]["calls"].as_u64().unwrap();
    assert!(calls <= 5, "{calls} calls");
    assert!(markdown.contains("## How this was researched") && markdown.contains("no language model was used"));
}

#[test]
fn every_citation_leads_to_its_words() {
    let dir = TestDir::simpsons();
    let report = question(dir);
    let markdown = report["markdown"].as_str().unwrap();
    let citations = report["citations"].as_array().unwrap();
    let numbers: BTreeSet<usize> = citations.iter().map(|one| one["number"].as_u64().unwrap() as usize).collect();
    assert_eq!(numbers, (1..=citations.len()).collect());
    assert_eq!(cited(body(markdown)), numbers, "what the text cites is what is listed");
    for citation in citations {
        let listed = format!("\n{}. **", citation["number"]);
        assert!(markdown.split("\n## Sources\n").nth(1).unwrap().contains(&listed), "{citation}");
        let path = citation["path"].as_str().unwrap();
        let [start, end] = [0, 1].map(|at| citation["bytes"][at].as_u64().unwrap() as usize);
        let text = dir.json(&["read", path])["text"].as_str().unwrap().to_owned();
        assert_eq!(Some(citation["quote"].as_str().unwrap()), text.get(start..end), "{path}");
        if path.ends_with(".md") || path.ends_with(".txt") {
            assert_eq!(text, std::fs::read_to_string(path).unwrap(), "{path}");
        }
    }
}

#[test]
fn the_disagreement_is_shown() {
    let report = TestDir::simpsons().json(&["query", "What is known about The Simpsons Movie?"]);
    let markdown = report["markdown"].as_str().unwrap();
    let (_, disagreement) = markdown.split_once("## Where the sources disagree").unwrap();
    for figure in ["527 million", "536 million"] {
        assert!(body(disagreement).contains(figure), "{figure}: {disagreement}");
    }
}

#[test]
fn one_report_in_every_form() {
    let dir = TestDir::simpsons();
    let fixed = |arguments: &[&str]| {
        let run = dir.run(&[&["query", QUESTION], arguments].concat());
        run.env("DEEPSEARCH_NOW", "2026-01-31T12:00:00Z").ends_with(0)
    };
    let streamed = fixed(&[]).stderr_has("plan: ").stderr_has("round 1: ").stderr_has("bill: ");
    let streamed = streamed.stderr_has("no key is set");
    let quiet = fixed(&["--quiet"]).stderr_is("");
    assert_eq!(quiet.stdout, streamed.stdout);
    assert!(!streamed.stdout.contains('\x1b') && !streamed.stderr.contains('\x1b'));

    let own = TestDir::new();
    let (file, json) = (own.path("report.md"), own.path("report.json"));
    fixed(&["-o", file.to_str().unwrap()]).stdout_is("");
    let plain = |text: String| text.replace(&*dir.path("").to_string_lossy(), "DIR/");
    assert_eq!(plain(std::fs::read_to_string(&file).unwrap()), streamed.stdout);
    fixed(&["--json", "-o", json.to_str().unwrap()]).stdout_is("");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(plain(written["markdown"].as_str().unwrap().to_owned()), streamed.stdout);
    let printed = fixed(&["--json"]).json();
    assert_eq!(printed["markdown"], streamed.stdout);
    assert_eq!((&printed["question"], &printed["seconds"]), (&QUESTION.into(), &0.0.into()));
}

#[test]
fn only_the_named_collections_are_searched() {
    let dir = TestDir::simpsons();
    let report = dir.json(&["query", QUESTION, "--collection", "history"]);
    assert!(report["citations"].as_array().unwrap().iter().all(|citation| citation["collection"] == "history"));
    let limited =
        dir.run(&["query", "Who directed The Simpsons Movie?", "--max-rounds", "1", "--json"]).ends_with(3).json();
    assert_eq!((limited["rounds"].as_array().unwrap().len(), &limited["stopped"]), (1, &"round-limit".into()));
    let unknown = dir.run(&["query", QUESTION, "-c", "histroy"]).ends_with(1).stdout_is("");
    unknown.stderr_has("there is no collection `histroy`").stderr_has("did you mean history");
}

#[test]
fn without_a_collection_it_says_what_to_do() {
    let dir = TestDir::new();
    let run = dir.run(&["-q", "query", "What?"]).ends_with(4).stdout_is("");
    run.stderr_has("deepsearch load ./docs").stderr_has("--load");
    assert!(!dir.data().exists());
}

#[test]
fn a_question_that_nothing_answers() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "Quinces are fruit.\n");
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    for question in ["Tell me about xylophones in Zzyzx", "Tell me about the fruit of Zzyzx"] {
        let run = dir.run(&["query", question]).ends_with(4).stdout_has("Not found in these documents");
        run.stderr_has("do not answer").stderr_has("load more of them");
    }
    dir.run(&["query", "Zzyzxのシロホンはどこですか"]).ends_with(4).stdout_has("見つかりません");
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let dir = TestDir::simpsons();
    for arguments in [&["-q", "query", QUESTION][..], &["-q", "query", QUESTION, "--json"], &["search", "Homer"]] {
        let mut child =
            dir.run(arguments).into_command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Three rounds: one plan, three reflections, one report.
#[test]
fn three_rounds_take_five_calls() {
    let dir = TestDir::simpsons();
    let own = TestDir::new();
    let pace = "delay_ms = 200\nms_per_token = 1.0\n";
    let more = |query: &str| {
        format!(
            "[[reply]]\npurpose = \"reflect\"\n{pace}json = {{ reason = \"More.\", helpful = [1], enough = false, \
             sub_queries = [{{ query = \"{query}\", collections = [] }}] }}\n"
        )
    };
    let script = [
        format!(
            "[[reply]]\npurpose = \"plan\"\n{pace}json = {{ reason = \"Sides.\", sub_queries = [{{ query = \"Who drew \
             the show?\", collections = [\"history\"] }}, {{ query = \"Who watched it?\", collections = [] }}] }}\n"
        ),
        more("What did the film earn?"),
        more("Why is Apu silent?"),
        format!(
            "[[reply]]\npurpose = \"reflect\"\n{pace}json = {{ reason = \"Enough.\", helpful = [1], enough = true, \
             sub_queries = [] }}\n"
        ),
        format!("[[reply]]\npurpose = \"write\"\n{pace}text = \"Film Roman drew the show from 1992 [1].\"\n"),
    ];
    let script = own.write("script.toml", script.concat());
    let set = format!("llm.mock.script={}", script.display());
    let report = dir.json(&["--set", "llm.provider=mock", "--set", &set, "query", QUESTION]);
    assert_eq!((&report["usage"]["calls"], report["rounds"].as_array().unwrap().len()), (&5.into(), 3));
    assert_eq!(report["stopped"], "enough");
    // The calls take this long one after the other; the overhead is measured, not tested.
    let tokens = report["usage"]["completion_tokens"].as_f64().unwrap();
    assert!(report["seconds"].as_f64().unwrap() >= (5.0 * 200.0 + tokens) / 1000.0 - 0.001, "{report}");
}

#[test]
fn without_a_terminal_nobody_is_asked_about_the_plan() {
    let dir = TestDir::with_examples();
    dir.run(&["-q", "load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    let run = dir.run(&["--offline", "query", QUESTION, "--interactive"]).ends_with(0);
    run.stderr_has("nobody is there to be asked about the plan").stdout_has("## Sources");
}

/// `script` of util-linux gives the program a terminal and passes on what is typed.
#[cfg(target_os = "linux")]
#[test]
fn a_plan_is_changed_at_the_terminal_before_it_is_searched() {
    use std::io::Write;
    let dir = TestDir::with_examples();
    dir.run(&["-q", "load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    let of_program = dir.run(&[]).into_command();
    let typed = |keys: &str| {
        let program = env!("CARGO_BIN_EXE_deepsearch");
        let line = format!("{program} --offline query '{QUESTION}' -i -o report.md; echo \"ended $?\"");
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(dir.path("work"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(of_program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = started else {
            println!("skipped: `script` is not installed");
            return None;
        };
        child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(said) = typed("- 2\n+ Who paid for the film?\n- 99\n\n") else { return };
    assert!(said.contains("there is no search `99`") && said.contains("ended 0"), "{said}");
    let report = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    assert!(report.contains("Who paid for the film?"), "the search that was added is in the account: {report}");
    std::fs::remove_file(dir.path("work/report.md")).unwrap();
    for keys in ["q\n", "\u{4}", "\u{3}"] {
        let said = typed(keys).unwrap();
        assert!(said.contains("ended 130") || said.contains("^C"), "{keys:?}: {said}");
        assert!(!dir.path("work/report.md").exists(), "{keys:?}");
    }
}

#[test]
fn a_question_that_may_be_in_several_languages_is_in_that_of_what_it_finds() {
    let dir = TestDir::new();
    dir.write(
        "work/both/ja.txt",
        "退職金は勤続三年以上の社員に払う。定年は満六十五歳の年度末である。届は一か月前に出す。\n",
    );
    dir.write("work/both/zh.txt", "退休年龄按国家规定执行。离职手续须提前三十天书面提出。证明在最后工作日发给本人。\n");
    dir.run(&["load", "both"]).ends_with(0);
    for (asked, sources) in [("定年", "\n## 出典\n"), ("提出", "\n## 来源\n")] {
        let report = dir.json(&["query", asked, "--no-memory"]);
        let markdown = report["markdown"].as_str().unwrap();
        assert!(markdown.contains(sources), "{asked}: {markdown}");
    }
}

#[test]
fn two_versions_are_compared_whole_and_not_as_far_as_they_were_found() {
    const RULES: [&str; 20] = [
        "parking",
        "lockers",
        "printers",
        "visitors",
        "badges",
        "keys",
        "lunch",
        "bicycles",
        "phones",
        "laptops",
        "heating",
        "lifts",
        "post",
        "cleaning",
        "plants",
        "meetings",
        "music",
        "pets",
        "smoking",
        "recycling",
    ];
    let handbook = |year: &str, fee: &str, hour: &str| {
        let section = |(number, of): (usize, &&str)| {
            let own = match *of {
                "parking" => format!("Parking costs {fee} a month."),
                "recycling" => format!("Paper is collected at {hour} o'clock."),
                of => format!("The office decides on {of} in its weekly round."),
            };
            let rest = format!(
                "Whoever has a question on {of} asks the desk on floor {number}, where the list of {of} is kept. "
            );
            format!("## {number} {of}\n\n{own} {}\n", rest.repeat(8))
        };
        let sections: String = RULES.iter().enumerate().map(section).collect();
        format!("# Staff handbook {year}\n\nIn force from 1 April {year}.\n\n{sections}")
    };
    let dir = TestDir::new();
    dir.write("work/docs/handbook-2021.md", handbook("2021", "£20", "ten"));
    dir.write("work/docs/handbook-2024.md", handbook("2024", "£25", "four"));
    dir.run(&["load", "docs"]).ends_with(0);
    let told = dir.run(&["query", "What changed in the staff handbook?"]).ends_with(0).stdout;
    let told = body(&told);
    for words in ["£25 a month", "Before: Parking costs £20", "at four o'clock", "Before: Paper is collected at ten"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("New:") && !told.contains("No longer there:"), "{told}");
}
