//! Tests `train`, from a set with answers and from a collection, and the use of a trained model.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::TestDir;

const TOWNS: [(&str, &str, &str, &str); 8] = [
    ("Altdorf", "Anna Keller", "1871", "Reuss"),
    ("Brugg", "Martin Vogt", "1925", "Aare"),
    ("Chur", "Lea Simmen", "1902", "Plessur"),
    ("Davos", "Paul Ammann", "1888", "Landwasser"),
    ("Erlach", "Ruth Zahnd", "1934", "Zihl"),
    ("Flims", "Jon Caduff", "1957", "Segnes"),
    ("Glarus", "Vera Tschudi", "1861", "Linth"),
    ("Horgen", "Karl Stauber", "1911", "Sihl"),
];

fn passage(town: &(&str, &str, &str, &str)) -> String {
    let (name, builder, year, river) = town;
    format!("The old bridge of {name} was built by {builder} from {year} on. It crosses the {river} below the mill.")
}

/// Writes a set in SQuAD's format: for each town, who built its bridge and when. If `misplaced`, one answer has a wrong
/// position.
fn set(dir: &TestDir, misplaced: bool) {
    let question = |town: &(&str, &str, &str, &str), words: &str, answer: &str| {
        let start = passage(town).find(answer).unwrap();
        let id = format!("{}-{answer}", town.0);
        json!({"id": id, "question": words, "answers": [{"text": answer, "answer_start": start}]})
    };
    let article = |town: &(&str, &str, &str, &str)| {
        let mut asked = vec![
            question(town, &format!("Who built the bridge of {}?", town.0), town.1),
            question(town, &format!("When was the bridge of {} built?", town.0), town.2),
        ];
        if misplaced && town.0 == "Brugg" {
            let answers = [json!({"text": "Aare", "answer_start": 3})];
            asked.push(json!({"id": "misplaced", "question": "Which river?", "answers": answers}));
        }
        json!({"title": town.0, "paragraphs": [{"context": passage(town), "qas": asked}]})
    };
    let articles: Vec<Value> = TOWNS.iter().map(article).collect();
    dir.write("work/set.json", json!({"data": articles}).to_string());
}

const TRAIN: [&str; 9] = ["train", "answer", "--data", "set.json", "--folds", "3", "--epochs", "2", "--out"];

#[test]
fn a_model_is_trained_listed_used_and_removed() {
    let dir = TestDir::new();
    set(&dir, true);
    let train = |name: &str| dir.run(&[&TRAIN[..], &[name]].concat()).ends_with(0);
    let told = train("towns")
        .stdout_has("towns  used by no collection\n  trained on set")
        .stderr_has("warning: 1 questions have answers that do not stand at their offsets and are left out: misplaced");
    told.stderr_has("fold 3 epoch 1: loss ").stderr_has("use it with `deepsearch train activate towns --collection");
    train("again");
    let file = |name: &str| std::fs::read(dir.data().join(format!("answers/{name}.answer"))).unwrap();
    assert_eq!(file("towns"), file("again"), "a seed decides all");
    assert!(!dir.data().join("answers/towns.training.json").exists(), "a finished training leaves no checkpoint");
    dir.run(&["train", "rm", "again"]).ends_with(0);

    for town in &TOWNS {
        dir.write(&format!("work/docs/{}.txt", town.0), passage(town));
    }
    dir.run(&["load", "docs", "--collection", "towns"]).ends_with(0);
    dir.run(&["load", "docs", "--collection", "words", "--embedder", "none"]).ends_with(0);
    let refused = dir.run(&["train", "activate", "towns", "--collection", "words"]).ends_with(1);
    refused.stderr_has("trained on the states of minilm").stderr_has("`deepsearch train answer --collection words`");
    dir.run(&["train", "activate", "towns", "--collection", "nowhere"])
        .ends_with(1)
        .stderr_has("no collection `nowhere`");
    dir.run(&["train", "activate", "towns", "--collection", "towns"]).ends_with(0);
    assert_eq!(dir.json(&["train", "list"])[0]["collections"], json!(["towns"]));
    assert_eq!(dir.json(&["train", "show", "towns"])["figures"]["questions"], 16);
    let shown = dir.json(&["collections", "show", "towns"]);
    assert_eq!(shown["answer_model"], "towns");
    // One bit for each of the 384 dimensions of a token.
    assert!(shown["state_bytes"].as_u64().unwrap() > 8 * 20 * 48, "{shown}");
    dir.run(&["collections", "show", "towns"])
        .ends_with(0)
        .stdout_has("of token states, ")
        .stdout_has("answer model towns");

    let search = ["search", "Who built the bridge of Chur?", "--collection", "towns"];
    let hits = dir.json(&search);
    let first = &hits[0];
    let place: Vec<usize> = serde_json::from_value(first["answer"].clone()).unwrap();
    assert!(first["text"].as_str().unwrap().is_char_boundary(place[1]) && place[0] < place[1], "{first}");
    assert!(first["parts"]["answer"].is_f64(), "{first}");
    dir.run(&search).ends_with(0).stdout_has("   answer: ");
    let plain = dir.json(&[&search[..], &["--set", "search.rerank=late", "--set", "search.reader=false"]].concat());
    assert_eq!((&plain[0]["answer"], &plain[0]["parts"]["answer"]), (&Value::Null, &Value::Null));

    dir.run(&["collections", "rename", "towns", "places"]).ends_with(0);
    assert_eq!(dir.json(&["train", "list"])[0]["collections"], json!(["places"]));
    dir.run(&["train", "activate", "--none", "--collection", "places"]).ends_with(0);
    assert_eq!(dir.json(&["train", "list"])[0]["collections"], json!([]));
    dir.run(&["train", "rm", "towns"]).ends_with(0);
    dir.run(&["train", "show", "towns"]).ends_with(1).stderr_has("there is no answer model `towns`; known are: none");
}

#[test]
fn settings_are_compared_question_by_question() {
    let dir = TestDir::new();
    set(&dir, false);
    let train = |name: &str, more: &[&str]| {
        let told = dir.run(&[&TRAIN[..], &["towns", "--json"], more].concat()).ends_with(0);
        let told = told.stderr_has("trained and measured for ");
        dir.write(&format!("work/{name}.json"), &told.stdout);
        serde_json::from_str::<Value>(&told.stdout).unwrap()
    };
    let adaptive = train("adaptive", &["--alone", "--patience", "0"]);
    let alone: Vec<f64> =
        adaptive["questions"].as_array().unwrap().iter().map(|ranks| ranks["alone"].as_f64().unwrap()).collect();
    let mean = alone.iter().sum::<f64>() / 16.0;
    assert!(
        alone.len() == 16 && (adaptive["alone"]["map"]["value"].as_f64().unwrap() - mean).abs() < 1e-9,
        "{adaptive}"
    );
    let plain = train("plain", &["--negatives", "all", "--adaptive", "off"]);
    assert_eq!(plain["alone"], Value::Null);
    train("all", &["--negatives", "all", "--adaptive", "off", "--alone"]);
    let zero = "+0.00 [+0.00, +0.00] over 16 questions";
    dir.run(&["train", "compare", "adaptive.json", "adaptive.json"]).ends_with(0).stdout_is(&format!(
        "MAP difference with the answer score {zero}\nMAP difference by the matrix alone {zero}\n"
    ));
    let compared = dir.json(&["train", "compare", "all.json", "adaptive.json"]);
    assert_eq!(compared["questions"], 16);
    let all: Value = serde_json::from_str(&std::fs::read_to_string(dir.path("work/all.json")).unwrap()).unwrap();
    let difference = mean - all["alone"]["map"]["value"].as_f64().unwrap();
    assert!((compared["alone"]["value"].as_f64().unwrap() - difference).abs() < 1e-9, "{compared}");
    assert_eq!(dir.json(&["train", "compare", "plain.json", "adaptive.json"])["alone"], Value::Null);
    dir.run(&["train", "compare", "set.json", "all.json"]).ends_with(2).stderr_has("set.json: not a result of `train");
}

#[test]
fn what_cannot_be_trained_on_is_told() {
    let dir = TestDir::new();
    let check = |set: Value, code: i32, expected: &str| {
        dir.write("work/set.json", set.to_string());
        dir.run(&[&TRAIN[..], &["x"]].concat()).ends_with(code).stdout_is("").stderr_has(expected);
    };
    let set = |asked: Value| json!({"data": [{"title": "T", "paragraphs": [{"context": "A mill stands here.", "qas": asked}]}]});
    let asked =
        json!([{"id": "a", "question": "What stands here?", "answers": [{"text": "A mill", "answer_start": 0}]}]);
    check(set(asked.clone()), 1, "none of the 1 questions can be learned from: there are fewer of them than parts");
    let many: Vec<Value> = (0..6)
        .map(|number| {
            let mut one = asked[0].clone();
            one["id"] = json!(format!("q{number}"));
            one
        })
        .collect();
    check(set(json!(many)), 1, "no search finds both a passage that answers and one that does not");
    let elsewhere = json!([{"id": "a", "question": "What?", "answers": [{"text": "mill", "answer_start": 0}]}]);
    check(set(elsewhere), 1, "answers that do not stand at their offsets and are left out: a");
    dir.run(&["train", "answer", "--data", "missing.json"]).ends_with(2).stderr_has("missing.json");
    dir.run(&["train", "answer"]).ends_with(2).stderr_has("--data");
    dir.run(&[&TRAIN[..], &["../x"]].concat()).ends_with(2).stderr_has("`../x` cannot name an answer model");
}

#[test]
fn a_collection_asks_about_itself() {
    let dir = TestDir::new();
    for town in &TOWNS {
        dir.write(&format!("work/docs/{}.txt", town.0), passage(town));
    }
    dir.run(&["load", "docs", "--collection", "towns"]).ends_with(0);
    let train = ["train", "answer", "--collection", "towns", "--folds", "3", "--epochs", "1"];
    let offline = dir.run(&train).ends_with(0).stderr_has("questions about `towns` by extractive; dropped: 0 whose");
    assert!(
        offline.stderr.contains("do not get better by more than chance")
            || offline.stderr.contains("now use the answer"),
        "{offline:?}"
    );

    // For each passage: a question whose answer is there, one whose answer is not, and a repeated one.
    let mut script = String::new();
    for town in &TOWNS {
        let sentence = format!("The old bridge of {} was built by {} from {} on.", town.0, town.1, town.2);
        let question = |words: &str, answer: &str| json!({"question": words, "sentence": sentence, "answer": answer});
        let who = question(&format!("Who made the crossing at {}?", town.0), town.1);
        let where_else = question(&format!("Where is {}?", town.0), "in Italy");
        let reply = json!({"questions": [who, where_else, who]});
        let line = json!({"purpose": "quiz", "contains": town.1, "json": reply});
        writeln!(script, "{line}").unwrap();
    }
    let script = dir.write("script.jsonl", script);
    let mock = format!("llm.mock.script={}", script.display());
    let by_model = [&train[..], &["--set", "llm.provider=mock", "--set", &mock]].concat();
    dir.run(&by_model).ends_with(0).stderr_has(
        "8 questions about `towns` by mock; dropped: 8 whose answer does not stand where it should, 8 that were asked before",
    );
    dir.run(&["train", "answer", "--collection", "nowhere"])
        .ends_with(1)
        .stderr_has("there is no collection `nowhere`");
}

#[cfg(not(feature = "causal"))]
#[test]
fn a_causal_model_is_refused_by_a_program_without_them() {
    let dir = TestDir::new();
    dir.write("work/docs/a.txt", "A mill stands here.");
    dir.run(&["load", "docs", "--embedder", "causal:/models/qwen"])
        .ends_with(1)
        .stderr_has("cannot load the embedding model causal:/models/qwen: this program was built without")
        .stderr_has("--features causal");
    dir.run(&["load", "docs", "--embedder", "causal:"]).ends_with(2).stderr_has("openai:MODEL, causal:FOLDER");
}
