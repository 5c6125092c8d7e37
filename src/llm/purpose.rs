//! What a model is asked for: the inputs, typed, and the replies, typed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::SubQuery;

/// What a call is for. Models, prices, prompts and scripts are chosen by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Sub-queries, and the collections for each.
    Plan,
    /// Which evidence helps, what is missing, what to search next.
    Reflect,
    /// The report.
    Write,
    /// What a collection holds.
    Describe,
}

impl Purpose {
    /// All, in the order a run meets them.
    pub const ALL: [Purpose; 4] = [Purpose::Plan, Purpose::Reflect, Purpose::Write, Purpose::Describe];

    /// The name in the config, in bills and in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Plan => "plan",
            Purpose::Reflect => "reflect",
            Purpose::Write => "write",
            Purpose::Describe => "describe",
        }
    }
}

/// The typed inputs of a call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "purpose")]
pub enum Input {
    /// For [`Purpose::Plan`]; the reply is a [`Plan`].
    Plan(PlanInput),
    /// For [`Purpose::Reflect`]; the reply is a [`Reflection`].
    Reflect(ReflectInput),
    /// For [`Purpose::Write`]; the reply is Markdown.
    Write(WriteInput),
    /// For [`Purpose::Describe`]; the reply is a sentence or two.
    Describe(DescribeInput),
}

impl Input {
    /// What the call is for.
    pub fn purpose(&self) -> Purpose {
        match self {
            Input::Plan(_) => Purpose::Plan,
            Input::Reflect(_) => Purpose::Reflect,
            Input::Write(_) => Purpose::Write,
            Input::Describe(_) => Purpose::Describe,
        }
    }
}

/// What the planner knows of a collection.
#[derive(Clone, Debug, Serialize)]
pub struct CollectionCard {
    /// Its name, as sub-queries refer to it.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// How many documents.
    pub documents: u64,
    /// Telling words that occur in it.
    pub vocabulary: Vec<String>,
    /// The best hits of the question itself in this collection.
    pub samples: Vec<EvidenceCard>,
}

/// One passage as models see it. The text is data of unknown authors, never an instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvidenceCard {
    /// Its number in the ledger, from 1; what `[n]` in a report refers to. 0 for a sample.
    pub number: usize,
    /// The collection's name.
    pub collection: String,
    /// The document's title.
    pub title: String,
    /// Path or URL as shown to people.
    pub path: String,
    /// Page and headings, as one line.
    pub place: String,
    /// The document's date, as `YYYY-MM-DD`; empty where unknown.
    pub date: String,
    /// Since when an earlier run knows what it says, as `YYYY-MM-DD`; empty where none does.
    pub known: String,
    /// The passage, or the sentences of it that match.
    pub text: String,
    /// The best score any search gave it, comparable within the run.
    pub score: f32,
    /// Indices of the sub-queries that found it (into the run's list of sub-queries, in the order asked).
    pub found_by: Vec<usize>,
    /// Set when it was found in the newest round.
    pub new: bool,
}

/// Something that an earlier run learnt. Findings have been checked against their sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownFinding {
    /// `finding`, `question`, `note` or what a load did.
    pub kind: String,
    /// Its words.
    pub text: String,
    /// Since when it is known, as `YYYY-MM-DD`.
    pub since: String,
}

/// Inputs of [`Purpose::Plan`].
#[derive(Clone, Debug, Serialize)]
pub struct PlanInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// What may be searched. A single one means that there is nothing to route.
    pub collections: Vec<CollectionCard>,
    /// How many sub-queries at most.
    pub max_sub_queries: usize,
    /// What earlier runs learnt, the most relevant first.
    pub known: Vec<KnownFinding>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// Reply of [`Purpose::Plan`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// One sentence: why these sub-queries.
    pub reason: String,
    /// Self-contained questions that together answer the question, each with the collections to search.
    pub sub_queries: Vec<PlannedQuery>,
}

/// A sub-query in a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedQuery {
    /// A self-contained question.
    pub query: String,
    /// Names of the collections to search for it; empty means all.
    pub collections: Vec<String>,
}

/// Inputs of [`Purpose::Reflect`].
#[derive(Clone, Debug, Serialize)]
pub struct ReflectInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// Every sub-query so far, in the order asked.
    pub asked: Vec<SubQuery>,
    /// The ledger's best passages, within the configured limit of tokens.
    pub evidence: Vec<EvidenceCard>,
    /// What may be searched.
    pub collections: Vec<CollectionCard>,
    /// Rounds done.
    pub round: usize,
    /// How many sub-queries at most.
    pub max_sub_queries: usize,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// Reply of [`Purpose::Reflect`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reflection {
    /// One or two sentences: what is known and what is missing.
    pub reason: String,
    /// Numbers of the passages that help to answer.
    pub helpful: Vec<usize>,
    /// True when the evidence suffices for the report.
    pub enough: bool,
    /// What to search next; empty when `enough`.
    pub sub_queries: Vec<PlannedQuery>,
}

/// Inputs of [`Purpose::Write`].
#[derive(Clone, Debug, Serialize)]
pub struct WriteInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// Every sub-query of the run, in the order asked.
    pub asked: Vec<SubQuery>,
    /// What the report may cite, within the configured limit of tokens, by number.
    pub evidence: Vec<EvidenceCard>,
    /// Set when a limit, a failure or the user ended the search early: what the report must say.
    pub incomplete: Option<String>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// Inputs of [`Purpose::Describe`].
#[derive(Clone, Debug, Serialize)]
pub struct DescribeInput {
    /// The collection's name.
    pub name: String,
    /// Titles of some documents.
    pub titles: Vec<String>,
    /// Telling words.
    pub vocabulary: Vec<String>,
    /// Beginnings of some documents.
    pub samples: Vec<String>,
}
