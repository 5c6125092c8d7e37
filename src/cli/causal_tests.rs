//! Tests a causal model as the encoder of a collection, from training on judged data to the answer in a hit.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::{App, LoadRequest};
use crate::config::{RerankConfig, Settings, SettingsRequest, Surroundings};
use crate::domain::{CollectionSpec, SearchMode};
use crate::embed::causal::testing;
use crate::eval::{Dataset, gather, load_set, located_questions};
use crate::retrieval::SearchRequest;
use crate::retrieval::answer::{AnswerModel, Figures};
use crate::train::{FitOptions, Hooks, cross_validate};

const TOWNS: [(&str, &str, &str, &str); 8] = [
    ("Altdorf", "Keller", "1871", "Reuss"),
    ("Brugg", "Vogt", "1925", "Aare"),
    ("Chur", "Simmen", "1902", "Plessur"),
    ("Davos", "Ammann", "1888", "Landwasser"),
    ("Erlach", "Zahnd", "1934", "Zihl"),
    ("Flims", "Caduff", "1957", "Segnes"),
    ("Glarus", "Tschudi", "1861", "Linth"),
    ("Horgen", "Stauber", "1911", "Sihl"),
];

fn passage((name, builder, year, river): &(&str, &str, &str, &str)) -> String {
    format!("The old bridge of {name} was built by {builder} from {year} on. It crosses the {river} below the mill.")
}

/// SQuAD's format: who built each town's bridge, and when.
fn set() -> Value {
    let question = |town: &(&str, &str, &str, &str), words: String, answer: &str| {
        let start = passage(town).find(answer);
        json!({"id": format!("{}-{answer}", town.0), "question": words,
            "answers": [{"text": answer, "answer_start": start}]})
    };
    let article = |town: &(&str, &str, &str, &str)| {
        let asked = [
            question(town, format!("Who built the bridge of {}?", town.0), town.1),
            question(town, format!("When was the bridge of {} built?", town.0), town.2),
        ];
        json!({"title": town.0, "paragraphs": [{"context": passage(town), "qas": asked}]})
    };
    json!({"data": TOWNS.iter().map(article).collect::<Vec<_>>()})
}

/// A tiny model that knows the words of the passages.
fn model(folder: &Path, family: &str) -> PathBuf {
    let text: Vec<String> = TOWNS.iter().map(passage).collect();
    let words = format!("{} who when", text.join(" ")).to_lowercase().replace('.', " ");
    let mut config = testing::config(family);
    config["vocab_size"] = json!(128);
    let path = folder.join(family);
    testing::write(&path, &config, &testing::tokenizer(words.split_whitespace()));
    path
}

/// An app that keeps everything in `folder`, with a model in it as the embedder.
fn app(folder: &Path, model: &Path) -> App {
    let mut config = Settings::load(&SettingsRequest::default()).unwrap().config;
    config.store.data_dir = folder.join("data");
    config.embed.embedder = format!("causal:{}", model.display());
    config.search.rerank = RerankConfig::Answer;
    App::new(config, Surroundings { cwd: folder.to_owned(), ..Surroundings::default() })
}

/// Trains an answer model as `train answer --data` does.
async fn train(app: &App, set: &Path) -> AnswerModel {
    let set = Dataset::read(set).unwrap();
    let scratch = app.scratch(None).await.unwrap();
    let corpus = &scratch.corpus;
    let embedder = corpus.embedder().unwrap();
    let identity = embedder.identity().clone();
    let spec = CollectionSpec { name: "set".to_owned(), description: String::new(), embedder: Some(identity.clone()) };
    corpus.store().create(spec).await.unwrap();
    load_set(corpus.store(), Some(embedder), "set", &set, &app.chunk_options(), &|_| {}).await.unwrap();
    let (asked, _) = located_questions(&set);
    let gathered = gather(corpus, "set", &asked, &|_| {}).await.unwrap();
    assert_eq!((gathered.set.examples.len(), gathered.warnings.len()), (16, 0));
    assert!(gathered.set.examples.iter().all(|example| example.question.vector.len() == identity.dimension));
    // The state of the answer's first token stands for the answer's word.
    let first = &gathered.set.examples[0];
    let ranges = embedder.state_ranges(&format!("{}\n{}", TOWNS[0].0, passage(&TOWNS[0])));
    assert_eq!(gathered.set.passages[first.answers[0].passage].len(), ranges.len() * identity.dimension / 8);
    let options = FitOptions { epochs: 2, outputs: 48, ..FitOptions::default() };
    let hooks =
        Hooks { done: &mut |_| None, begun: &mut |_| None, on_epoch: &mut |_, _, _| true, on_fold: &mut |_, _| true };
    let trained = cross_validate(&gathered.set, embedder.as_ref(), 3, &options, hooks).unwrap();
    assert_eq!(trained.ranks.len(), 16);
    let figures = Figures {
        data: "set".to_owned(),
        questions: 16,
        map: [0.0; 2],
        first: [0.0; 2],
        gain: [0.0; 3],
        located: trained.located,
    };
    let (matrix, weights) = (trained.fitted.matrix, trained.fitted.weights);
    AnswerModel { encoder: identity, outputs: options.outputs, matrix, weights, figures }
}

#[tokio::test]
async fn a_causal_model_is_trained_on_searched_with_and_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.json");
    std::fs::write(&path, set().to_string()).unwrap();
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for town in &TOWNS {
        std::fs::write(docs.join(format!("{}.txt", town.0)), passage(town)).unwrap();
    }
    let (qwen, llama) = (model(folder.path(), "qwen2"), model(folder.path(), "llama"));
    let app = app(folder.path(), &qwen);
    let trained = train(&app, &path).await;
    app.keep_answer_model("towns", &trained).unwrap();
    assert_eq!(app.answer_model("towns").unwrap().encoder.name, format!("causal:{}", qwen.display()));

    let load = async |app: &App, collection: &str| {
        let paths = vec![docs.to_string_lossy().into_owned()];
        let request = LoadRequest { paths, collection: Some(collection.to_owned()), ..LoadRequest::default() };
        app.load(&request, &|_| {}, CancellationToken::new()).await.unwrap();
        app.collections().await.unwrap().into_iter().find(|found| found.name == collection).unwrap()
    };
    let towns = load(&app, "towns").await;
    app.activate_answer(&towns, Some("towns")).unwrap();
    let request = SearchRequest {
        query: "Who built the bridge of Chur?".to_owned(),
        collections: vec!["towns".to_owned()],
        mode: SearchMode::Hybrid,
        k: 3,
    };
    let search = async |app: &App| {
        let corpus = app.corpus(&["towns".to_owned()]).await.map_err(|error| error.to_string())?;
        corpus.search(std::slice::from_ref(&request)).await.remove(0).map_err(|error| error.to_string())
    };
    let hits = search(&app).await.unwrap();
    assert!(hits.iter().all(|hit| hit.parts.answer.is_some()), "{hits:?}");
    let words: Vec<&str> =
        hits.iter().map(|hit| &hit.chunk.text[hit.answer.clone().expect("a place is found")]).collect();
    assert!(words.iter().all(|word| word.chars().all(char::is_alphanumeric)), "whole words: {words:?}");

    // The states of another model are refused.
    drop(app);
    let other = self::app(folder.path(), &llama);
    let others = load(&other, "others").await;
    let refused = other.activate_answer(&others, Some("towns")).unwrap_err().to_string();
    assert!(refused.contains("trained on the states of causal:"), "{refused}");
    assert!(refused.contains("`deepsearch train answer --collection others`"), "{refused}");

    drop(other);

    // So are those of another model in the folder of the one it was trained on.
    std::fs::remove_dir_all(&qwen).unwrap();
    std::fs::rename(&llama, &qwen).unwrap();
    let refused = search(&self::app(folder.path(), &qwen)).await.unwrap_err();
    assert!(refused.contains("the collection `towns` was embedded with causal:"), "{refused}");
}
