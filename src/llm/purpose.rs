//! What a model is asked for: the inputs, typed, and the replies, typed.
//!
//! Fields of a reply that nobody asked for are ignored, and those that a run can do without default to nothing: a reply
//! costs more than either. The schemas that are sent demand and allow exactly the fields here all the same
//! (`structured::strict_schema`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::text::Language;
use crate::domain::{Headings, Outline, Strategy, SubQuery};
use crate::prompt::Purpose;
use crate::report::Edition;

/// The typed inputs of a call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "purpose")]
pub enum Input {
    /// For [`Purpose::Plan`]; the reply is a [`Plan`].
    Plan(PlanInput),
    /// For [`Purpose::Reflect`]; the reply is a [`Reflection`].
    Reflect(ReflectInput),
    /// For [`Purpose::Act`]; the reply is tool calls.
    Act(ActInput),
    /// For [`Purpose::Follow`]; the reply is a [`Followed`].
    Follow(FollowInput),
    /// For [`Purpose::Choose`]; the reply is a [`Choice`].
    Choose(ChooseInput),
    /// For [`Purpose::Outline`]; the reply is an [`Outlined`].
    Outline(OutlineInput),
    /// For [`Purpose::Write`]; the reply is Markdown.
    Write(WriteInput),
    /// For [`Purpose::Describe`]; the reply is a sentence or two.
    Describe(DescribeInput),
    /// For [`Purpose::Quiz`]; the reply is a [`Quiz`].
    Quiz(QuizInput),
    /// For [`Purpose::Revise`]; the reply is a [`Revised`].
    Revise(ReviseInput),
}

impl Input {
    /// What the call is for.
    pub fn purpose(&self) -> Purpose {
        match self {
            Input::Plan(_) => Purpose::Plan,
            Input::Reflect(_) => Purpose::Reflect,
            Input::Act(_) => Purpose::Act,
            Input::Follow(_) => Purpose::Follow,
            Input::Choose(_) => Purpose::Choose,
            Input::Outline(_) => Purpose::Outline,
            Input::Write(_) => Purpose::Write,
            Input::Describe(_) => Purpose::Describe,
            Input::Quiz(_) => Purpose::Quiz,
            Input::Revise(_) => Purpose::Revise,
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
    /// Path or URL as shown to people; as stored where nobody is shown the card.
    pub path: String,
    /// Page and headings, as one line.
    pub place: String,
    /// The document's date, as `YYYY-MM-DD`; empty where unknown.
    pub date: String,
    /// Since when an earlier run knows what it says, as `YYYY-MM-DD`; empty where none does.
    pub known: String,
    /// Words of the passage where an answer model says that an answer begins; empty where none looked.
    pub answer: String,
    /// The passage, or the sentences of it that match.
    pub text: String,
    /// Its language, as the store knows it from the whole document.
    #[serde(skip)]
    pub language: Language,
    /// Those above its words, and those among its lines.
    #[serde(skip)]
    pub headings: Headings,
    /// Where it begins in its document's text, in bytes.
    #[serde(skip)]
    pub at: usize,
    /// The best score any search gave it, comparable within the run.
    pub score: f32,
    /// Indices of the sub-queries that found it (into the run's list of sub-queries, in the order asked).
    pub found_by: Vec<usize>,
    /// How well it stands in each search of `found_by`, the best of a search being 1 and the others less.
    pub standings: Vec<f32>,
    /// How far its score is below the best one of each search of `found_by`.
    #[serde(skip)]
    pub behind: Vec<f32>,
    /// Set when it was found in the newest round.
    pub new: bool,
}

impl EvidenceCard {
    /// How well it stands in one search, by the search's index; `None` where that did not find it.
    pub fn score_in(&self, search: usize) -> Option<f32> {
        self.told_by(search, &self.standings)
    }

    /// How far its score is below the best one of a search; `None` where that did not find it.
    pub fn score_gap_in(&self, search: usize) -> Option<f32> {
        self.told_by(search, &self.behind)
    }

    /// What one search says, of what each of `found_by` says.
    fn told_by(&self, search: usize, told: &[f32]) -> Option<f32> {
        let place = self.found_by.iter().position(|&query| query == search)?;
        told.get(place).copied()
    }

    /// The name of its document's file.
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    /// What tells it from other versions of its document.
    pub fn edition(&self) -> Edition<'_> {
        Edition { title: &self.title, path: &self.path, date: &self.date, text: &self.text }
    }
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
#[derive(Clone, Debug, Default, Serialize)]
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

/// A plan of the first searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// One sentence: why these sub-queries.
    #[serde(default)]
    pub reason: String,
    /// Self-contained questions that together answer the question, each with the collections to search.
    pub sub_queries: Vec<PlannedQuery>,
}

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedQuery {
    /// A self-contained question.
    pub query: String,
    /// Names of the collections to search for it; empty means all.
    #[serde(default)]
    pub collections: Vec<String>,
}

impl From<SubQuery> for PlannedQuery {
    fn from(SubQuery { text, collections }: SubQuery) -> Self {
        PlannedQuery { query: text, collections }
    }
}

impl From<PlannedQuery> for SubQuery {
    fn from(PlannedQuery { query, collections }: PlannedQuery) -> Self {
        SubQuery { text: query, collections }
    }
}

/// Inputs of [`Purpose::Reflect`].
#[derive(Clone, Debug, Default, Serialize)]
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

/// A judgement on what the searches have found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reflection {
    /// One or two sentences: what is known and what is missing.
    #[serde(default)]
    pub reason: String,
    /// Numbers of the passages that help to answer, the most helpful first.
    pub helpful: Vec<usize>,
    /// True when the evidence suffices for the report.
    pub enough: bool,
    /// What to search next; empty when `enough`.
    pub sub_queries: Vec<PlannedQuery>,
}

/// Inputs of [`Purpose::Act`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct ActInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// What may be searched, without samples.
    pub collections: Vec<CollectionCard>,
    /// What the tools were asked so far and what they gave, in order.
    pub taken: Vec<ToolResult>,
    /// Turns done; several calls of one turn share its number, which counts from 1.
    pub step: usize,
    /// Turns allowed; `None` without a limit.
    pub max_steps: Option<usize>,
    /// What earlier runs learnt that comes to mind, the heaviest first.
    pub known: Vec<KnownFinding>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

impl ActInput {
    /// All passages that the tools gave so far, in order.
    pub fn passages(&self) -> impl Iterator<Item = &ToolPassage> {
        self.taken.iter().flat_map(|result| &result.passages)
    }
}

/// One tool call and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolResult {
    /// The turn, from 1.
    pub step: usize,
    /// The tool's name, as called.
    pub tool: String,
    /// The arguments, as called: JSON text.
    pub arguments: String,
    /// The passages it gave; empty where the call was mistaken or found nothing.
    pub passages: Vec<ToolPassage>,
}

/// One passage as a tool gave it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolPassage {
    /// What `chunk_read` takes as `doc_id`.
    pub doc_id: String,
    /// What `chunk_read` takes as `chunk_id`.
    pub chunk_id: u32,
    /// Whether this is the whole passage; else its matching sentences.
    pub whole: bool,
    /// Title, place and text; the number is the passage's in the ledger, 0 while it was not read.
    pub card: EvidenceCard,
}

impl ToolPassage {
    /// What tells it from others: what `chunk_read` takes.
    pub fn key(&self) -> (&str, u32) {
        (self.doc_id.as_str(), self.chunk_id)
    }
}

/// Inputs of [`Purpose::Follow`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct FollowInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// The questions answered so far, in order.
    pub steps: Vec<ChainStep>,
    /// The question that was searched last, and is to be answered now; at first the whole one.
    pub asked: String,
    /// What that search found, within the configured limit of tokens.
    pub evidence: Vec<EvidenceCard>,
    /// What may be searched, without samples.
    pub collections: Vec<CollectionCard>,
    /// Follow-up questions that may still be asked; `None` without a limit.
    pub left: Option<usize>,
    /// What earlier runs learnt that comes to mind, the heaviest first.
    pub known: Vec<KnownFinding>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// One question of a chain with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainStep {
    /// What was asked.
    pub question: String,
    /// What the evidence says to it.
    pub answer: String,
    /// Numbers of the passages that say so.
    pub evidence: Vec<usize>,
}

/// An answer to the last question, and the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Followed {
    /// What the passages say to the question that was searched last, in a sentence or two; or that they do not say it.
    pub answer: String,
    /// Numbers of the passages that help.
    pub helpful: Vec<usize>,
    /// True when the whole question can be answered, or cannot be answered from these documents.
    pub done: bool,
    /// The next question to search for, with its collections; an empty query when `done`.
    pub next: PlannedQuery,
}

/// Inputs of [`Purpose::Choose`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct ChooseInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// What may be searched.
    pub collections: Vec<CollectionCard>,
}

/// The choice of a way to research the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// One sentence: why this strategy.
    #[serde(default)]
    pub reason: String,
    /// Which strategy.
    pub strategy: ChosenStrategy,
}

/// The strategies that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChosenStrategy {
    /// Several searches at once, round by round.
    Deep,
    /// The model holds the tools.
    React,
    /// One follow-up question after the other.
    Chain,
    /// One search.
    Naive,
}

impl From<ChosenStrategy> for Strategy {
    fn from(chosen: ChosenStrategy) -> Self {
        match chosen {
            ChosenStrategy::Deep => Strategy::Deep,
            ChosenStrategy::React => Strategy::React,
            ChosenStrategy::Chain => Strategy::Chain,
            ChosenStrategy::Naive => Strategy::Naive,
        }
    }
}

/// Inputs of [`Purpose::Outline`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct OutlineInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// What was found, best first.
    pub evidence: Vec<EvidenceCard>,
    /// How many sections at most.
    pub max_sections: usize,
    /// About how many words the report is to have.
    pub words: usize,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// The headings of a long report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outlined {
    /// The sections, in order.
    pub sections: Vec<OutlinedSection>,
}

/// A section of an [`Outlined`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutlinedSection {
    /// Its heading.
    pub heading: String,
    /// The question that it answers.
    pub question: String,
    /// Numbers of the passages that belong to it.
    pub evidence: Vec<usize>,
}

/// Inputs of [`Purpose::Write`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct WriteInput {
    /// As asked.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// Every sub-query of the run, in the order asked.
    pub asked: Vec<SubQuery>,
    /// What the report may cite, within the configured limit of tokens, by number.
    pub evidence: Vec<EvidenceCard>,
    /// What the researcher noted on the answer before writing, where the strategy makes notes: a hint, never a source.
    pub plan: Option<String>,
    /// Set when a limit, a failure or the user ended the search early: what the report must say.
    pub incomplete: Option<String>,
    /// About how many words it is to have; `None` for as many as the evidence deserves.
    pub words: Option<usize>,
    /// The headings that it is to have; none where they are for the writer to choose.
    pub outline: Outline,
    /// What it follows; of a question that stands alone nothing.
    pub earlier: EarlierQuestion,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// What was asked before a question that leans on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierQuestion {
    /// The earlier question, or several.
    pub question: String,
    /// What the report on it sets in bold; empty where it sets nothing so.
    pub answer: String,
}

/// Inputs of [`Purpose::Describe`].
#[derive(Clone, Debug, Default, Serialize)]
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

/// What a collection holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Described {
    /// A sentence or two on what the collection holds.
    pub description: String,
}

/// Inputs of [`Purpose::Quiz`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct QuizInput {
    /// The document's title.
    pub title: String,
    /// The headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// The passage.
    pub text: String,
    /// How many questions at most.
    pub questions: usize,
}

/// Questions that a document answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quiz {
    /// Questions that the passage answers.
    pub questions: Vec<QuizQuestion>,
}

/// A question of a [`Quiz`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuizQuestion {
    /// A question that stands alone.
    pub question: String,
    /// The sentence that answers it, copied from the passage.
    pub sentence: String,
    /// The words of that sentence that are the answer.
    pub answer: String,
}

/// Inputs of [`Purpose::Revise`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReviseInput {
    /// What the report answers.
    pub question: String,
    /// Its language's English name, or `unknown`.
    pub language: String,
    /// What is to be written anew.
    pub sentences: Vec<ChangedSentence>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
}

/// A sentence of a report that rests on words that have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedSentence {
    /// What it is known by in the reply.
    pub number: usize,
    /// Its words, without citations.
    pub text: String,
    /// All that it cites.
    pub sources: Vec<ChangedSource>,
}

/// A source of a sentence, as it was and as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedSource {
    /// The document's path, with what is known of what became of it.
    pub name: String,
    /// The words that the sentence rested on.
    pub was: String,
    /// The words that stand in their place; the same where they have not changed, empty where they are gone.
    pub now: String,
}

/// Sentences that are written anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Revised {
    /// Each sentence anew.
    pub sentences: Vec<RevisedSentence>,
}

/// A sentence of a [`Revised`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisedSentence {
    /// Which one.
    pub number: usize,
    /// Its words as they are true now; empty where nothing says anything of the kind any more.
    pub text: String,
}
