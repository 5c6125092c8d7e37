//! A small store, an engine over it, and dice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use crate::agent::{AgentOptions, Engine, Limits};
use crate::base::text::Language;
use crate::base::{Clock, ContentHash};
use crate::domain::{Chunk, CollectionSpec, Document, Event, EventSink, Format, Headings, Price, Usage};
use crate::llm::{ChatModel, Purpose};
use crate::prompt::Prompts;
use crate::retrieval::{Corpus, SearchOptions};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::{NewDocument, Store};

/// The source of all random numbers of a trial, derived from its seed.
pub(super) struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// SplitMix64.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, sides: u64) -> u64 {
        self.roll() % sides.max(1)
    }

    pub fn one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// A store shared by all trials of a test.
pub(super) struct Setting {
    corpus: Corpus,
    prompts: Arc<Prompts>,
    _folder: TempDir,
}

pub(super) const QUESTION: &str = "How did the harbour and the salt trade change?";

/// The topic that only document `number` is about.
pub(super) fn topic(number: usize) -> String {
    format!("topic{number}x")
}

impl Setting {
    /// Creates documents of about `words` words each, in two collections.
    pub async fn new(documents: usize, words: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap());
        let corpus = Corpus::new(store, None, SearchOptions::default());
        let setting = Setting { corpus, prompts: Arc::new(Prompts::builtin().unwrap()), _folder: folder };
        for (name, parity) in [("harbour", 0), ("salt", 1)] {
            let own = (0..documents).filter(|number| number % 2 == parity);
            let own = own.map(|number| document(number, name, words)).collect();
            setting.create(name, &format!("On {name}."), own).await;
        }
        setting
    }

    /// Adds a collection of one document.
    pub async fn collection(&self, name: &str, description: &str, number: usize) {
        self.create(name, description, vec![document(number, name, 20)]).await;
    }

    async fn create(&self, name: &str, description: &str, documents: Vec<Document>) {
        let store = self.corpus.store();
        let spec = CollectionSpec { name: name.to_owned(), description: description.to_owned(), embedder: None };
        store.create(spec).await.unwrap();
        let new = |document| NewDocument { document, vectors: Vec::new() };
        store.put(name, documents.into_iter().map(new).collect()).await.unwrap();
        store.flush().await.unwrap();
    }

    pub fn engine(&self, model: Arc<dyn ChatModel>, limits: Limits, clock: Clock, options: AgentOptions) -> Engine {
        Engine {
            corpus: self.corpus.clone().into(),
            model,
            prompts: Arc::clone(&self.prompts),
            clock,
            memory: None,
            steering: None,
            limits: limits.into(),
            options,
        }
    }
}

fn document(number: usize, collection: &str, words: usize) -> Document {
    let filler = ["grew", "slowly", "with", "the", "trade", "of", "the", "north", "and", "its", "ships"];
    let body: Vec<&str> = (0..words).map(|at| filler[(at * 7 + number) % filler.len()]).collect();
    let text = format!("In {} the {collection} of {} {}.", 1800 + number, topic(number), body.join(" "));
    let range = 0..text.len();
    Document {
        title: format!("Title {number}"),
        path: format!("/docs/{number}.txt"),
        format: Format::Text,
        language: Language::ENGLISH,
        date: None,
        authorship: crate::domain::Authorship::default(),
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 0,
        cut: None,
        text,
        chunks: vec![Chunk {
            range,
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: Language::ENGLISH,
        }],
    }
}

/// The same price for every purpose.
pub(super) fn prices(price: Price) -> HashMap<Purpose, Price> {
    Purpose::ALL.into_iter().map(|purpose| (purpose, price)).collect()
}

/// Records a run's report and its bill.
#[derive(Default)]
pub(super) struct ReportAndBill {
    text: Mutex<String>,
    bill: Mutex<Usage>,
}

impl ReportAndBill {
    pub fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    pub fn bill(&self) -> Usage {
        *self.bill.lock().unwrap()
    }
}

impl EventSink for ReportAndBill {
    fn emit(&self, event: &Event) {
        match event {
            Event::Text { markdown } => self.text.lock().unwrap().push_str(markdown),
            Event::Called { usage, .. } => *self.bill.lock().unwrap() += *usage,
            _ => {}
        }
    }
}
