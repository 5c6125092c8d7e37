//! Tests `eval retrieval` on a set of three passages, intact and broken.

use crate::harness::TestDir;

const CORPUS: &str = "{\"_id\":\"a\",\"title\":\"Orchards\",\"text\":\"apples grow on trees in the valley\"}\n\
                      {\"_id\":\"b\",\"text\":\"pears are picked when they are still green\"}\n\
                      {\"_id\":\"c\",\"text\":\"plums are dried in the sun\"}\n";
const QUERIES: &str =
    "{\"_id\":\"q1\",\"text\":\"where do apples grow\"}\n{\"_id\":\"q2\",\"text\":\"when are pears picked\"}\n";
const JUDGEMENTS: &str = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n";

/// A set in `work/set`, with one of its files replaced or removed.
fn set(changed: &str, content: Option<&[u8]>) -> TestDir {
    let dir = TestDir::new();
    for (name, text) in [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", JUDGEMENTS)] {
        let text = if name == changed { content } else { Some(text.as_bytes()) };
        match text {
            Some(text) => drop(dir.write(&format!("work/set/{name}"), text)),
            None => std::fs::create_dir_all(dir.path("work/set/qrels")).unwrap(),
        }
    }
    dir
}

const EVAL: [&str; 6] = ["eval", "retrieval", "--data", "set", "--embedder", "none"];

#[test]
fn the_result_has_every_measure_with_its_interval() {
    let dir = set("", None);
    let result = dir.json(&EVAL);
    for measure in ["map", "mrr", "all_gold@10", "ndcg@10"] {
        for part in ["value", "low", "high"] {
            assert_eq!(result[measure][part], 1.0, "{measure} {part}: {result}");
        }
    }
    let cuts: Vec<&String> = result["recall"].as_object().unwrap().keys().collect();
    assert_eq!(cuts, ["1", "2", "5", "10"]);
    assert_eq!((result["queries"].as_u64(), result["passages"].as_u64()), (Some(2), Some(3)));
    assert_eq!((result["dataset"].as_str(), result["embedder"].as_str()), (Some("set"), Some("none")));
    assert_eq!(result["rerank"], "none", "nothing was re-ranked without an embedder");
    assert!(result["latency_ms"]["p50"].is_f64() && result["latency_ms"]["p95"].is_f64() && result["load_s"].is_f64());
}

#[test]
fn a_kept_set_is_loaded_once_and_anew_when_it_changed() {
    let dir = set("", None);
    let keep = [&EVAL[..], &["--keep", "kept"]].concat();
    let check = |loaded: bool| assert_eq!(dir.json(&keep)["load_s"].is_f64(), loaded);
    check(true);
    check(false);
    dir.write("work/set/corpus.jsonl", format!("{CORPUS}{{\"_id\":\"d\",\"text\":\"figs\"}}\n"));
    check(true);
    check(false);
    dir.run(&[&keep[..], &["--set", "chunk.target_bytes=900"]].concat()).ends_with(0).stdout_has("load ");

    // A folder that is not a kept set is left alone.
    dir.write("work/notes/a.txt", "some notes");
    dir.run(&["load", "notes", "--embedder", "none"]).ends_with(0);
    let data = dir.data();
    let refused = dir.run(&[&EVAL[..], &["--keep", data.to_str().unwrap()]].concat()).ends_with(2);
    refused.stderr_has("holds another collection, `notes`\nhint: name a folder that is empty or was kept before");
    assert_eq!(dir.json(&["collections", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_broken_set_is_refused_by_file_line_and_reason() {
    let check = |changed: &str, content: Option<&str>, expected: &str| {
        let dir = set(changed, content.map(str::as_bytes));
        let ended = dir.run(&EVAL).ends_with(2).stdout_is("");
        ended.stderr_has(expected).stderr_has("hint: a set is a folder with corpus.jsonl, queries.jsonl and qrels");
    };
    for file in ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"] {
        check(file, None, &format!("error: cannot read set/{file}: "));
    }
    let twice = |lines: &str| format!("{lines}{lines}");
    check("corpus.jsonl", Some(&twice(CORPUS)), "error: set/corpus.jsonl: the id `a` occurs twice");
    check("queries.jsonl", Some(&twice(QUERIES)), "error: set/queries.jsonl: the id `q1` occurs twice");
    check("corpus.jsonl", Some("{\"_id\":1,\"text\":\"\"}"), "error: set/corpus.jsonl, line 1: invalid type: integer");
    check("qrels/test.tsv", Some("q1 a 1\n"), "line 1: three fields separated by tabs are needed");
    check("qrels/test.tsv", Some("q1\ta\t1\nq1\tb\tgood\n"), "line 2: `good` is no grade");
    check("qrels/test.tsv", Some("q1\tzz\t1\n"), "no query has a relevant passage in the corpus");
}

#[test]
fn what_is_left_out_is_said() {
    let dir = set("qrels/test.tsv", Some(format!("{JUDGEMENTS}q1\tzz\t1\nq9\ta\t1\nq3\tc\t1\n").as_bytes()));
    dir.write("work/set/queries.jsonl", format!("{QUERIES}{{\"_id\":\"q3\",\"text\":\" \"}}\n"));
    let ended = dir.run(&EVAL).ends_with(0).stdout_has("set: 2 queries over 3 passages");
    ended
        .stderr_has("1 judgements name passages that the corpus does not have (`zz`)")
        .stderr_has("1 queries are empty and are left out (`q3`)")
        .stderr_has("1 judged queries are not among the queries (`q9`)");
}
