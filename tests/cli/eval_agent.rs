//! Tests whole questions of a tiny set in the real loop.

use serde_json::{Value, json};

use crate::harness::TestDir;

/// Passages for a question with two hops, and others that share its words.
const CORPUS: [(&str, &str, &str); 6] = [
    ("river", "Bubye River", "The Bubye River is a tributary of the Limpopo in Zimbabwe."),
    ("falls", "Victoria Falls", "Victoria Falls is the best known waterfall of Zimbabwe."),
    ("angel", "Angel Falls", "Angel Falls is a waterfall in Venezuela, and the highest of all."),
    ("nile", "Nile", "The Nile is a river that flows through eleven countries."),
    ("bread", "Bread", "Bread is baked of flour and water in most countries."),
    ("salt", "Salt", "Salt was carried along the river in flat boats."),
];

const QUESTION: &str = "Which waterfall is in the country of the Bubye River?";

/// A set in the working folder; `metadata` is attached to each question.
fn set(metadata: &Value) -> TestDir {
    let questions = [("q1", QUESTION), ("q2", "What is bread baked of?")];
    written(&CORPUS, &questions, metadata, &[("q1", "river"), ("q1", "falls"), ("q2", "bread")])
}

/// Writes a set of passages and questions, with pairs of a question and a passage that answers it.
fn written(
    passages: &[(&str, &str, &str)],
    questions: &[(&str, &str)],
    metadata: &Value,
    gold: &[(&str, &str)],
) -> TestDir {
    let dir = TestDir::new();
    let line = |value: Value| format!("{value}\n");
    let corpus = passages.iter().map(|(id, title, text)| line(json!({ "_id": id, "title": title, "text": text })));
    let queries = questions.iter().map(|(id, text)| line(json!({ "_id": id, "text": text, "metadata": metadata })));
    let judged = gold.iter().map(|(question, passage)| format!("{question}\t{passage}\t1\n"));
    dir.write("work/set/corpus.jsonl", corpus.collect::<String>());
    dir.write("work/set/queries.jsonl", queries.collect::<String>());
    dir.write("work/set/qrels/test.tsv", format!("query\tpassage\tgrade\n{}", judged.collect::<String>()));
    dir
}

fn decomposed() -> Value {
    json!({
        "answers": [{ "text": "Victoria Falls" }],
        "decomposition": [
            { "question": "Bubye River >> country", "answer": "Zimbabwe" },
            { "question": "best known waterfall of #1 ?", "answer": "Victoria Falls" },
        ],
    })
}

/// One passage per search, by keywords only.
const NARROW: [&str; 8] =
    ["eval", "agent", "--data", "set", "--set", "embed.embedder=none", "--set", "agent.hits_per_query=1"];

fn measured(outcome: &Value, name: &str) -> f64 {
    let measured = &outcome[name];
    assert!(measured["low"].is_number() && measured["high"].is_number(), "{name}: {measured}");
    measured["value"].as_f64().unwrap()
}

#[test]
fn the_gold_planner_finds_what_its_hops_ask_for() {
    let dir = set(&decomposed());
    let outcome =
        dir.json(&[&NARROW[..], &["--model", "gold", "--queries", "1", "--per-query", "runs.jsonl"]].concat());
    assert_eq!((outcome["model"].as_str(), outcome["queries"].as_u64()), (Some("gold"), Some(1)));
    let found = ["recall", "all_gold", "recall_planned", "searches", "calls"].map(|name| measured(&outcome, name));
    // A plan, a reflection after each hop, and the report.
    assert_eq!(found, [1.0, 1.0, 1.0, 2.0, 4.0]);
    assert!(measured(&outcome, "new_chunks_per_search") <= 1.0, "{outcome}");
    assert!(measured(&outcome, "retrieved_tokens") > 10.0, "{outcome}");
    assert_eq!(measured(&outcome, "answer_contained"), 1.0, "{outcome}");
    let line: Value =
        serde_json::from_str(std::fs::read_to_string(dir.path("work/runs.jsonl")).unwrap().trim()).unwrap();
    assert_eq!(line["searches"], json!(["Bubye River >> country", "best known waterfall of Zimbabwe ?"]));
}

#[test]
fn a_set_without_hops_has_no_gold_planner() {
    let dir = set(&json!({ "type": "bridge" }));
    let refused = dir.run(&[&NARROW[..], &["--model", "gold"]].concat()).ends_with(2);
    refused.stdout_is("").stderr_has("the set set has no gold decomposition for the query q1");
}

#[test]
fn a_set_is_kept_and_an_evaluation_goes_on() {
    let dir = set(&Value::Null);
    let arguments =
        [&NARROW[..], &["--model", "extractive", "--collection", "kept", "--per-query", "runs.jsonl"]].concat();
    let first = dir.json(&[&arguments[..], &["--queries", "1"]].concat());
    assert_eq!(first["queries"], 1);
    assert!(dir.run(&["collections"]).ends_with(0).stdout.contains("kept"));

    // The finished question is not run again: its line is trusted. A truncated line does not count.
    let path = dir.path("work/runs.jsonl");
    let mut line: Value = serde_json::from_str(std::fs::read_to_string(&path).unwrap().trim()).unwrap();
    line["wall_s"] = json!(1000.0);
    dir.write("work/runs.jsonl", format!("{line}\n{{\"id\":\"q2\",\"ques"));
    let both = dir.json(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(both["queries"], 2);
    assert!(measured(&both, "wall_s") >= 500.0, "{both}");
    let ids: Vec<Value> = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, ["q1", "q2"]);
    let other = dir.run(&[&arguments[..], &["--resume", "--passages", "3"]].concat()).ends_with(2);
    other.stderr_has(
        "cannot go on from runs.jsonl: line 1 was measured with the model extractive, the strategy deep and 15 passages",
    );
    let other = dir.run(&[&arguments[..], &["--resume", "--set", "agent.strategy=naive"]].concat()).ends_with(2);
    other.stderr_has("not with the model extractive, the strategy naive and 15 passages");
}

#[test]
fn the_table_is_for_people() {
    let dir = set(&Value::Null);
    let shown = dir.run(&[&NARROW[..], &["--model", "extractive", "--queries", "1"]].concat()).ends_with(0);
    shown
        .stdout_has("set: 1 questions, model extractive, the first 15 passages count as evidence")
        .stdout_has("recall ");
}

/// The passage of the second step shares no word with the question, while other passages do.
#[test]
fn what_a_name_leads_to_is_evidence_without_a_model() {
    let passages = [
        ("comet", "The Last Comet", "The Last Comet is a film directed by Arno Veld. It was shown first in Turin."),
        ("veld", "Arno Veld", "Arno Veld lived by the lake with Mina Torres, a singer."),
        ("guild", "Guild", "The spouse of a director may enter the guild of the film."),
        ("law", "Law", "The director of an office tells the name of a spouse."),
        ("prize", "Prize", "The prize for the film goes to its director and the spouse."),
        ("ball", "Ball", "Each director of a film comes to the ball with a spouse."),
    ];
    let question = "Who is the spouse of the director of the film The Last Comet?";
    let dir = written(&passages, &[("q", question)], &Value::Null, &[("q", "comet"), ("q", "veld")]);
    let outcome = dir.json(&[
        "eval",
        "agent",
        "--data",
        "set",
        "--set",
        "embed.embedder=none",
        "--model",
        "extractive",
        "--passages",
        "3",
    ]);
    assert_eq!(measured(&outcome, "recall"), 1.0, "{outcome}");
}
