//! Tests search, read, collections and doctor on the example corpus.

use serde_json::Value;

use crate::harness::TestDir;

fn ending(hit: &Value) -> String {
    hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn a_search_finds_the_passage_and_says_why() {
    let dir = TestDir::simpsons();
    let check = |query: &str, mode: &str, expected: &str, parts: [bool; 2]| {
        let hits = dir.json(&["search", query, "--mode", mode, "-k", "3"]);
        let hits = hits.as_array().unwrap();
        assert!(!hits.is_empty() && hits.len() <= 3, "{query}: {hits:?}");
        assert_eq!(ending(&hits[0]), expected, "{query}, {mode}");
        let known = ["lexical", "semantic"].map(|part| !hits[0]["parts"][part].is_null());
        assert_eq!(known, parts, "{}", hits[0]);
        let scores: Vec<f64> = hits.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    };
    check("Kondabolu", "keyword", "04-apu-and-the-changing-joke.md", [true, false]);
    check("pay dispute of the actors", "semantic", "03-voices-and-contracts.txt", [false, true]);
    check("Which studios animated the show?", "hybrid", "02-drawing-springfield.html", [true, true]);
}

#[test]
fn a_search_stays_in_its_collections() {
    let dir = TestDir::simpsons();
    let hits = dir.json(&["search", "Homer", "-c", "history", "-c", "audience"]);
    let hits = hits.as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["collection"] != "characters") && !hits.is_empty());
    let shown = dir.run(&["search", "box office", "-k", "2"]).ends_with(0).stderr_is("");
    let shown = shown.stdout_has("536 million").stdout_has("527 million").stdout_has("lexical").stdout_has("re-rank");
    assert!(!shown.stdout.contains('\x1b'), "{}", shown.stdout);
    dir.run(&["search", "zzyzx", "--mode", "keyword"]).ends_with(4).stdout_is("").stderr_is("nothing was found\n");
    let unknown = dir.run(&["search", "x", "-c", "histroy"]).ends_with(1);
    unknown.stdout_is("").stderr_has("error: there is no collection `histroy`\nhint: did you mean history");
}

#[test]
fn a_document_is_read_by_path_end_id_and_passage() {
    let dir = TestDir::simpsons();
    let file = dir.path("work/examples/simpsons/characters/01-bart-to-homer.md");
    let source = std::fs::read_to_string(&file).unwrap();
    for name in ["01-bart-to-homer.md", "characters/01-bart-to-homer.md", file.to_str().unwrap()] {
        dir.run(&["read", name]).ends_with(0).stdout_is(&source).stderr_has("How Homer took the show from Bart");
    }
    let whole = dir.json(&["read", "01-bart-to-homer.md"]);
    let id = format!("d{}", whole["document"]["id"]);
    dir.run(&["-q", "read", &id]).ends_with(0).stdout_is(&source).stderr_is("");

    let passage = dir.json(&["read", &format!("{id}#1")]);
    let bytes = |one: &Value| [0, 1].map(|end| one["bytes"][end].as_u64().unwrap() as usize);
    let [start, end] = bytes(&passage);
    assert_eq!(passage["text"].as_str().unwrap(), &source[start..end]);
    let [wider, _] = bytes(&dir.json(&["read", &format!("{id}#1"), "--neighbours", "1"]));
    assert!(wider < start, "{wider} {start}");

    dir.run(&["read", &format!("{id}#99")]).ends_with(4).stdout_is("").stderr_has("its passages are #0 to #");
    dir.run(&["read", "09-bart-to-homer.md"]).ends_with(4).stdout_is("").stderr_has("collections show NAME");
    dir.run(&["read", "d999"]).ends_with(4).stdout_is("");
}

#[test]
fn every_format_is_read_as_text() {
    let dir = TestDir::simpsons();
    for (name, words) in [
        ("01-early-ratings.md", "Cosby"),
        ("02-ratings-1990-2024.pdf", "14.7 million viewers"),
        ("03-box-office-and-money.csv", "536 million dollars"),
        ("05-words-and-prophecies.txt", "embiggen"),
        ("02-the-writers-room.html", "writers"),
        ("05-deaths-divorces-time.jsonl", "Maude Flanders"),
    ] {
        let run = dir.run(&["read", name]).ends_with(0).stdout_has(words);
        for markup in ["<p>", "<script", "%PDF", "{\""] {
            assert!(!run.stdout.contains(markup), "{name} shows {markup}");
        }
    }
}

#[test]
fn collections_are_listed_and_shown() {
    let dir = TestDir::simpsons();
    let list = dir.run(&["collections"]).ends_with(0).stderr_is("");
    for name in ["audience", "characters", "history"] {
        assert!(list.stdout.contains(&format!("{name}  5 documents, ")), "{}", list.stdout);
    }
    let shown = dir.run(&["collections", "show", "history"]).ends_with(0).stderr_is("");
    shown.stdout_has("05-the-movie.md").stdout_has("2007-12-15").stdout_has("The film that took eighteen years");
    let unknown = dir.run(&["collections", "show", "charakters"]).ends_with(1).stdout_is("");
    unknown.stderr_has("there is no collection `charakters`").stderr_has("did you mean characters");
}

#[test]
fn collections_are_described_renamed_and_dropped() {
    let dir = TestDir::with_examples();
    let load = |folder: &str| {
        dir.run(&["load", &format!("examples/simpsons/{folder}"), "--embedder", "none"]).ends_with(0);
    };
    load("history");
    load("audience");
    for command in ["collections", "sources"] {
        assert_eq!(dir.json(&[command]), dir.json(&[command, "list"]), "the list is the default");
    }
    dir.run(&["collections", "describe", "history", "How it was made"]).ends_with(0);
    let said = |json: &str| {
        let script = dir.write("script.toml", format!("[[reply]]\nrepeat = true\n{json}\n"));
        let script = format!("llm.mock.script={}", script.display());
        dir.run(&["--set", "llm.provider=mock", "--set", &script, "collections", "describe", "history", "--auto"])
    };
    said("text = \"I'm sorry, but I can't help with that.\"").ends_with(1).stderr_has("no usable reply for describe");
    let shown = dir.json(&["collections", "show", "history"]);
    assert_eq!(shown["collection"]["description"], "How it was made", "a refusal describes nothing");
    said("json = { description = \"On the\\nstudio.\" }").ends_with(0);
    assert_eq!(dir.json(&["collections", "show", "history"])["collection"]["description"], "On the studio.");
    dir.run(&["collections", "rename", "history", "audience"]).ends_with(1).stderr_has("exists already");
    dir.run(&["collections", "rename", "nothing", "history"]).ends_with(1).stderr_has("no collection `nothing`");
    dir.run(&["collections", "rename", "history", " "]).ends_with(2).stderr_has("cannot name a collection");
    dir.run(&["collections", "rename", "history", "making"]).ends_with(0).stdout_is("");
    assert_eq!(dir.json(&["collections", "show", "making"])["collection"]["documents"], 5);
    assert_eq!(dir.json(&["search", "Klasky", "-c", "making", "-k", "1"])[0]["collection"], "making");

    dir.run(&["collections", "drop", "making"]).ends_with(2).stdout_is("").stderr_has("add --yes");
    assert_eq!(dir.json(&["collections", "show", "making"])["collection"]["documents"], 5);
    dir.run(&["collections", "drop", "making", "--yes"]).ends_with(0).stdout_is("");
    dir.run(&["collections", "show", "making"]).ends_with(1);
    dir.run(&["search", "Klasky"]).ends_with(4).stdout_is("");
    assert_eq!(dir.json(&["collections", "list"]).as_array().unwrap().len(), 1);
    // The name is free again, and everything loaded under it is searchable.
    load("history");
    assert_eq!(dir.json(&["search", "Klasky", "-k", "1"])[0]["collection"], "history");
}

#[test]
fn doctor_finds_a_sound_store_and_says_what_fails() {
    let dir = TestDir::simpsons();
    let sound = dir.run(&["doctor"]).ends_with(0).stderr_is("");
    sound.stdout_has("3 collections, 15 documents").stdout_has("minilm, 384 dimensions").stdout_has("extractive");
    let checks = dir.json(&["doctor", "--offline"]);
    let failed = checks.as_array().unwrap().iter().filter(|check| check["finding"] == "failed").count();
    assert_eq!((failed, checks.as_array().unwrap().len()), (0, 6), "{checks}");

    let check = |arguments: &[&str], told: &str| {
        dir.run(&[arguments, &["doctor"]].concat()).ends_with(1).stdout_has("failed").stdout_has(told);
    };
    check(&["--set", "llm.provider=openai"], "OPENAI_API_KEY");
    check(&["--set", "embed.embedder=minlm"], "minlm");
    let broken = TestDir::new();
    broken.write("data/catalog.sqlite", "this is no database, it only looks like one. ".repeat(100));
    broken.run(&["doctor"]).ends_with(1).stdout_has("damaged");
    broken.run(&["search", "x"]).ends_with(1).stdout_is("").stderr_has("catalog.sqlite is damaged");
}
