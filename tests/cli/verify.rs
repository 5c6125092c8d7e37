//! Tests checking a report against the documents as they are now.

use serde_json::Value;

use crate::harness::{QUESTION, TestDir};

/// A report on the examples, in `work/report.md` of a folder with a copy of them.
fn reported() -> TestDir {
    let dir = TestDir::with_examples();
    dir.run(&["load", "examples/simpsons"]).ends_with(0);
    dir.run(&["query", QUESTION, "-o", "report.md"]).ends_with(0);
    dir
}

fn text(dir: &TestDir, name: &str) -> String {
    std::fs::read_to_string(dir.path(name)).unwrap()
}

/// The citations whose verdict is not `unchanged`.
fn changed(result: &Value) -> Vec<(u64, String)> {
    let citations = result["citations"].as_array().unwrap().iter();
    let verdicts = citations.map(|one| (one["number"].as_u64().unwrap(), one["verdict"].as_str().unwrap().to_owned()));
    verdicts.filter(|(_, verdict)| verdict != "unchanged").collect()
}

#[test]
fn an_untouched_report_holds_in_every_form() {
    let dir = reported();
    let report = text(&dir, "work/report.md");
    let unseen = "whether files have changed since they were loaded";
    dir.run(&["verify", "report.md"]).ends_with(0).stderr_is("").stdout_has(unseen);
    let read = dir.run(&["verify", "report.md", "--files", "examples/simpsons"]).ends_with(0);
    assert!(!read.stdout.contains(unseen), "{read:?}");
    let json = dir.json(&["verify", "report.md"]);
    assert_eq!(changed(&json), []);
    assert!(json["sentences"].as_array().unwrap().len() > 20);

    let (visible, _) = report.split_once("<!-- deepsearch-record").unwrap();
    dir.write("work/stripped.md", visible);
    let stripped = dir.run(&["verify", "stripped.md"]).ends_with(0);
    let words: Vec<&str> = stripped.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains("the visible list of sources was used"), "{}", stripped.stdout);
    for line in stripped.stdout.lines() {
        assert!(line.chars().count() <= 80 || !line.trim_start_matches(['-', ' ']).contains(' '), "{line}");
    }

    dir.run(&["query", QUESTION, "--json", "-o", "report.json"]).ends_with(0);
    dir.run(&["verify", "report.json"]).ends_with(0);
    dir.run(&["verify", "-"]).stdin(report).ends_with(0);
}

#[test]
fn what_changed_in_the_documents_is_told() {
    let dir = reported();
    let film = "work/examples/simpsons/history/05-the-movie.md";
    let before = text(&dir, film);
    dir.write(film, before.replace("527 million", "572 million"));
    let files = &["verify", "report.md", "--files", "examples/simpsons"];
    let edited = dir.run(files).ends_with(5);
    assert!(edited.stdout.contains("**edited**") && edited.stdout.contains("~~527~~"), "{}", edited.stdout);
    assert!(edited.stdout.contains("**572**"), "{}", edited.stdout);

    dir.write(film, format!("An introduction.\n\n{before}"));
    let moved = dir.run(&[files.as_slice(), &["--json"]].concat()).ends_with(0).json();
    assert!(changed(&moved).iter().all(|(_, verdict)| verdict == "moved") && !changed(&moved).is_empty(), "{moved}");

    std::fs::remove_file(dir.path(film)).unwrap();
    dir.write("work/examples/simpsons/other/film.md", &before);
    let renamed = dir.run(files).ends_with(0);
    assert!(renamed.stdout.contains("other/film.md"), "{}", renamed.stdout);

    std::fs::remove_file(dir.path("work/examples/simpsons/other/film.md")).unwrap();
    let gone = dir.run(files).ends_with(5);
    assert!(gone.stdout.contains("**vanished**"), "{}", gone.stdout);
    // The loaded documents are unchanged.
    dir.run(&["verify", "report.md"]).ends_with(0);
}

#[test]
fn what_the_report_says_wrong_is_told() {
    let dir = reported();
    let report = text(&dir, "work/report.md");
    let edit = |from: &str, to: &str| {
        assert!(report.contains(from), "{from}");
        dir.write("work/edited.md", report.replacen(from, to, 1));
        dir.run(&["verify", "edited.md"])
    };
    edit("opened on July 27, 2007", "opened on July 29, 2007").ends_with(5);
    edit("The film that took eighteen years", "On the film").ends_with(0);
    let unknown = edit("# How", "A new claim of 1990 [77].\n\n# How").ends_with(5);
    assert!(unknown.stdout.contains("[77]"), "{}", unknown.stdout);
}

#[test]
fn what_is_no_report_gets_a_clear_answer() {
    let dir = TestDir::with_examples();
    dir.run(&["verify", "missing.md"]).ends_with(2).stderr_has("cannot read the report missing.md");
    dir.write("work/empty.md", "");
    dir.run(&["verify", "empty.md"]).ends_with(2).stderr_has("the report is empty");
    dir.write("work/other.md", "# Notes\n\nIt began in 1989 [1].\n");
    dir.run(&["verify", "other.md"]).ends_with(2).stderr_has("no report of deepsearch");
    let newer = "# A\n\n<!-- deepsearch-record {\"format\":9} -->\n";
    dir.write("work/newer.md", newer);
    dir.run(&["verify", "newer.md"]).ends_with(1).stderr_has("update deepsearch");
    dir.write("work/list.md", "It began in 1989 [1].\n\n## Sources\n\n1. **T**, `t.md`: “It began in 1989.”\n");
    dir.run(&["verify", "list.md"]).ends_with(4).stderr_has("there is no collection");
    dir.write("work/docs/t.md", "It began in 1989.");
    dir.run(&["verify", "list.md", "--files", "docs"]).ends_with(0);
}

#[test]
fn an_update_writes_only_what_changed() {
    let dir = reported();
    let report = text(&dir, "work/report.md");
    let film = "work/examples/simpsons/history/05-the-movie.md";
    let before = text(&dir, film);
    dir.write(film, before.replace("opened on July 27, 2007", "opened on July 29, 2007"));
    let files = ["--files", "examples/simpsons"];
    let dry = dir.run(&[&["update", "report.md", "--dry-run"], files.as_slice()].concat()).ends_with(0);
    assert!(dry.stdout.contains("July 27") && dry.stdout.contains("July 29"), "{}", dry.stdout);
    assert_eq!(text(&dir, "work/report.md"), report);

    dir.run(&[&["update", "report.md"], files.as_slice()].concat()).ends_with(0).stderr_has("1 sentence changed");
    let updated = text(&dir, "work/report.md");
    let body = |text: &str| text.split("\n## Sources\n").next().unwrap().to_owned();
    assert_eq!(body(&updated).replace("July 29", "July 27"), body(&report));
    assert!(updated.contains("## Updated on "), "{updated}");
    dir.run(&[&["verify", "report.md"], files.as_slice()].concat()).ends_with(0);
    dir.run(&[&["update", "report.md"], files.as_slice()].concat()).ends_with(0).stderr_has("0 sentences changed");
    assert_eq!(text(&dir, "work/report.md"), updated);

    std::fs::remove_file(dir.path(film)).unwrap();
    dir.run(&[&["update", "report.md", "-o", "struck.md"], files.as_slice()].concat()).ends_with(0);
    assert!(text(&dir, "work/struck.md").contains("~~"));
    assert_eq!(text(&dir, "work/report.md"), updated);
    dir.run(&[&["verify", "struck.md"], files.as_slice()].concat()).ends_with(0);
    dir.run(&["update", "-"]).ends_with(2).stderr_has("needs a file");
}

#[test]
fn a_newer_version_that_says_otherwise_supersedes() {
    let dir = TestDir::new();
    let policy = |year: u32, euros: u32| {
        let text = format!(
            "---\ndate: {year}-01-01\n---\n# Travel policy {year}\n\nHotels are paid up to {euros} euros a night. Trains are \
             booked in second class. Receipts are handed in within 30 days.\n"
        );
        dir.write(&format!("work/docs/travel-{year}.md"), text);
    };
    policy(2021, 90);
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", "How much is paid for a hotel?", "-o", "report.md"]).ends_with(0);
    policy(2025, 90);
    dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(0);
    policy(2025, 120);
    let superseded = dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(5);
    for told in ["**superseded**", "docs/travel-2025.md", "~~90~~", "**120**"] {
        assert!(superseded.stdout.contains(told), "{told}: {}", superseded.stdout);
    }
    dir.run(&["update", "report.md", "--files", "docs"]).ends_with(0);
    assert!(text(&dir, "work/report.md").contains("1. **Travel policy 2025**, `docs/travel-2025.md`, 2025-01-01"));
    dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(0);
}

#[test]
fn a_document_that_repeals_another_by_name_supersedes_it() {
    fn check(repeal: &str, rest: &str, code: i32) {
        let dir = TestDir::new();
        let write = |name: &str, day: &str, text: String| {
            dir.write(&format!("work/docs/{name}"), format!("---\ndate: {day}\n---\n{text}"));
        };
        let old = "# Parking policy\n\nStaff park behind the mill free of charge. Visitors pay two pounds an hour.\n";
        write("parking.md", "2021-03-01", old.to_owned());
        dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
        dir.run(&["query", "Where do staff park?", "-o", "report.md"]).ends_with(0);
        write("visitors.md", "2025-06-01", format!("# Parking and access rules\n\n{repeal} {rest}\n"));
        let verified = dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(code);
        let words = verified.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = words.contains("2025-06-01 says that it takes the place of this document");
        assert_eq!(told, code == 5, "{}", verified.stdout);
    }
    let repeal = "These rules replace the old ones: the parking policy is repealed.";
    check(repeal, "Everybody leaves the car at the station.", 5);
    check(repeal, "Staff park behind the mill free of charge.", 0);
    check("The parking policy goes on.", "Everybody leaves the car at the station.", 0);
}

#[test]
fn copies_are_one_source_and_can_be_thought_away() {
    let dir = TestDir::new();
    let release = "The plant at Harlow was opened in 1990 by its founder. It employs 300 people in two shifts. Each year it \
                   mills forty thousand tonnes of wheat for the bakeries of the county.";
    dir.write("work/docs/press.md", release);
    dir.write("work/docs/reprint.md", format!("News in brief\n\n{release}\n\nReprinted with thanks."));
    dir.write("work/docs/sale.md", "The plant was sold in 2001 to a firm from Leeds, which closed one of its lines.");
    let report = "# The plant\n\nThe plant at Harlow was opened in 1990 [1][2]. It employs 300 people [1]. The plant was sold in \
                  2001 [3].\n\n## Sources\n\n1. **P**, `docs/press.md`: “The plant at Harlow was opened in 1990 by its founder. \
                  It employs 300 people in two shifts.”\n2. **R**, `docs/reprint.md`: “The plant at Harlow was opened in 1990 by \
                  its founder.”\n3. **S**, `docs/sale.md`: “The plant was sold in 2001 to a firm from Leeds”\n";
    dir.write("work/report.md", report);
    let verify = ["verify", "report.md", "--files", "docs"];
    let told = dir.run(&verify).ends_with(0);
    dir.run(&["load", "docs"]).ends_with(0);
    // Without tokens for the report, it lists the passages found.
    let listed = dir.run(&["query", "--max-tokens", "10", "When was the plant at Harlow opened?"]).ends_with(3).stdout;
    assert_eq!(listed.matches(", same origin as ").count(), 1, "{listed}");
    for line in
        ["## Of one origin", "- [1], [2]\n", "line 3 hangs on one origin: “The plant at Harlow was opened in 1990"]
    {
        assert!(told.stdout.contains(line), "{line} is not in {}", told.stdout);
    }
    assert!(!told.stdout.contains("sold in 2001"), "{}", told.stdout);
    let without = |path: &str| {
        let json = dir.run(&[verify.as_slice(), &["--json", "--without", path]].concat()).ends_with(0).json();
        let texts = |list: &str| -> Vec<String> {
            let all = json["without"][0][list].as_array().unwrap().iter();
            all.map(|one| one["text"].as_str().unwrap().to_owned()).collect()
        };
        (texts("lost"), texts("copies_only"))
    };
    let (people, opened) = ("It employs 300 people.".to_owned(), "The plant at Harlow was opened in 1990.".to_owned());
    assert_eq!(without("docs/press.md"), (vec![people], vec![opened]));
    assert_eq!(without("sale.md"), (vec!["The plant was sold in 2001.".to_owned()], vec![]));
    assert_eq!(without("nothing.md"), (vec![], vec![]));
    dir.run(&[verify.as_slice(), &["--without", "nothing.md"]].concat())
        .ends_with(0)
        .stdout_has("no document has this path");
    dir.run(&["verify", "report.md", "--without", "[", "--files", "docs"])
        .ends_with(2)
        .stderr_has("is no pattern of paths");
}

#[test]
fn what_was_approved_stays_so_until_its_evidence_changes() {
    let dir = TestDir::new();
    let policy = |euros: u32| {
        let text =
            format!("# Travel policy\n\nHotels are paid up to {euros} euros a night. Trains are second class.\n");
        dir.write("work/docs/travel.md", text);
    };
    policy(90);
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", "How much is paid for a hotel?", "-o", "report.md"]).ends_with(0);
    let report = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    // A person adds a sentence in their own words, with a figure of their own.
    let own = "With breakfast that makes 102 euros [1].";
    let edited = report.replacen("\n## Sources", &format!("\n{own}\n\n## Sources"), 1);
    dir.write("work/edited.md", &edited);
    dir.run(&["verify", "edited.md", "--files", "docs"]).ends_with(5).stdout_has("102 euros");
    let end = edited.rfind("} -->").unwrap();
    let approved = format!("{},\"approved\":[{own:?}]{}", &edited[..end], &edited[end..]);
    dir.write("work/approved.md", &approved);
    dir.run(&["verify", "approved.md", "--files", "docs"]).ends_with(0).stdout_has("1 sentence stays approved");

    // The approval survives a word processor, and an update that does not concern its sentence.
    dir.run(&["export", "approved.md", "-o", "report.docx"]).ends_with(0);
    dir.run(&["verify", "report.docx", "--files", "docs"]).ends_with(0).stdout_has("1 sentence stays approved");
    dir.run(&["export", "report.docx", "-o", "back.md"]).ends_with(0);
    let told = dir.run(&["verify", "back.md", "--files", "docs"]).ends_with(0);
    told.stdout_has("approved, though the check");
    std::fs::rename(dir.path("work/docs/travel.md"), dir.path("work/docs/rules.md")).unwrap();
    dir.run(&["update", "back.md", "--files", "docs"]).ends_with(0);
    dir.run(&["verify", "back.md", "--files", "docs"]).ends_with(0).stdout_has("1 sentence stays approved");
    std::fs::rename(dir.path("work/docs/rules.md"), dir.path("work/docs/travel.md")).unwrap();

    policy(120);
    let lost =
        dir.run(&["verify", "report.docx", "--files", "docs"]).ends_with(5).stdout_has("0 sentences stay approved");
    lost.stdout_has("approved before what");
    dir.run(&["update", "approved.md", "--files", "docs"]).ends_with(0);
    let updated = std::fs::read_to_string(dir.path("work/approved.md")).unwrap();
    assert!(!updated.contains("\"approved\""), "{updated}");
}

#[test]
fn files_in_archives_are_read_and_reports_support_nothing() {
    let dir = TestDir::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats/archives/lighthouse.txt.gz");
    dir.write("work/docs/lighthouse.txt.gz", std::fs::read(archive).unwrap());
    dir.write("work/docs/limits.md", "# Limits\n\nThe login limit is five tries an hour for every account.\n");
    dir.run(&["load", "docs"]).ends_with(0);
    let verify = ["verify", "docs/report.md", "--files", "docs"];
    for question in ["When was the lighthouse lit?", "What is the login limit?"] {
        dir.run(&["query", question, "-o", "docs/report.md"]).ends_with(0);
        dir.run(&verify).ends_with(0);
    }
    std::fs::remove_file(dir.path("work/docs/limits.md")).unwrap();
    dir.run(&verify).ends_with(5).stdout_has("vanished");
}
