//! The job of research, as the commands ask for it.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel};
use crate::agent::journal::RunSettings;
use crate::agent::{
    AgeOptions, AgentOptions, Engine, FollowUp, Steering, describe, journaled, preview, search_question,
};
use crate::config::Config;
use crate::domain::{DocumentFilter, EventSink, Outline, Preview, Report, Strategy, SubQuery, Usage};
use crate::llm::purpose::DescribeInput;
use crate::offline::{OpenPoint, open_points};
use crate::prompt::Prompts;
use crate::retrieval::Corpus;

/// The part of a collection that a model is shown to describe it.
const DESCRIBED_TITLES: usize = 40;
const DESCRIBED_SAMPLES: usize = 6;
const DESCRIBED_WORDS: usize = 40;
const SAMPLE_BYTES: usize = 4000;
/// Passages of each collection in which the points that a question leaves open are looked for.
const LOOKED_THROUGH: usize = 40;

/// A question, and where to look.
#[derive(Clone, Debug, Default)]
pub struct ResearchRequest {
    /// The question as asked.
    pub question: String,
    /// Names of collections; empty means all, chosen by the planner.
    pub collections: Vec<String>,
    /// Which documents may be found.
    pub filter: DocumentFilter,
    /// Documents of a later day are left out.
    pub as_of: Option<jiff::civil::Date>,
    /// The weight of a document's age, from 0 to 1.
    pub recency: f64,
    /// The strategy; `None` for the one in the settings.
    pub strategy: Option<Strategy>,
    /// Whether the run neither reads nor writes the memory, whatever the settings say.
    pub without_memory: bool,
    /// About how many words the report should have.
    pub length: Option<usize>,
    /// The headings that the report should have.
    pub outline: Outline,
    /// The first searches, if a person has decided them; empty: the model plans. The strategy must be `deep`, the only
    /// one that follows a plan.
    pub plan: Vec<SubQuery>,
    /// The report that the question follows ([`App::following`]).
    pub follow_up: Option<FollowUp>,
    /// The points that the user settled before the run, for the report's account.
    pub settled: Vec<String>,
    /// Decides between the rounds; `None` if nobody does.
    pub steering: Option<Steering>,
    /// Whatever a load before the run could not read, for the report's account.
    pub unreadable: Vec<String>,
}

/// The settings of a run that its journal keeps.
fn settings(request: &ResearchRequest, engine: &Engine) -> RunSettings {
    let ResearchRequest { question, collections, filter, .. } = request.clone();
    let Engine { limits, options, .. } = engine.clone();
    RunSettings { question, collections, filter, limits, options }
}

impl App {
    /// Answers a question with a report. Cancelling `interrupt` ends the search; the report is then written from what
    /// was found.
    pub async fn research(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let engine = self.research_engine(request, chosen).await?;
        let journal = self.begin_journal(&settings(request, &engine), chosen, &sink)?;
        Ok(journaled(&engine, &journal, &request.question, &request.collections, sink, interrupt).await?)
    }

    /// Creates the journal of a run that [`App::resume`] begins later; returns its id.
    pub async fn create_pending_run(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
    ) -> Result<String, AppError> {
        let engine = self.research_engine(request, chosen).await?;
        let (id, _) = self.runs()?.begin(&settings(request, &engine), chosen.model.as_ref(), self.clock()?)?;
        Ok(id)
    }

    /// Makes the plan of a run, and estimates what the run would cost.
    pub async fn preview(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Preview, AppError> {
        let engine = self.research_engine(request, chosen).await?;
        Ok(preview(&engine, &request.question, &request.collections, sink, interrupt).await?)
    }

    /// The points that a question leaves open, judged by the documents. No model is asked.
    pub async fn open_points(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
    ) -> Result<Vec<OpenPoint>, AppError> {
        let engine = self.research_engine(request, chosen).await?;
        let found = search_question(&engine, &request.question, &request.collections, LOOKED_THROUGH).await?;
        Ok(open_points(&request.question, &found))
    }

    /// Checks that the limits can be enforced with this model; nothing is read or asked.
    pub fn check_limits(&self, chosen: &ChosenModel) -> Result<(), AppError> {
        self.check_limits_of(self.config().agent.strategy, chosen)
    }

    fn check_limits_of(&self, asked: Strategy, chosen: &ChosenModel) -> Result<(), AppError> {
        let agent = &self.config().agent;
        let limits = super::options::limits(agent);
        let prices = super::model::prices(self.config(), chosen);
        // `auto` may become any strategy.
        let may_be = |strategy: &Strategy| asked == Strategy::Auto || asked == *strategy;
        for strategy in Strategy::ALL.into_iter().filter(may_be) {
            super::model::check_prices(limits.of(strategy), &prices, chosen)?;
        }
        Ok(())
    }

    /// The engine that answers a request.
    pub(super) async fn research_engine(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
    ) -> Result<Engine, AppError> {
        let strategy = request.strategy.unwrap_or(self.config().agent.strategy);
        self.check_limits_of(strategy, chosen)?;
        let mut warnings = Vec::new();
        let scope = self.scope(&request.collections).await?;
        warnings.extend(scope.warning);
        let corpus = if scope.only_web {
            self.corpus_without_collections(&mut warnings).await?
        } else {
            let opened = match self.corpus(&scope.own).await {
                Err(
                    error @ (AppError::Embed(_)
                    | AppError::Key(_)
                    | AppError::NoEmbedKey { .. }
                    | AppError::Offline { .. }),
                ) => {
                    warnings.push(format!("{error}; searching by keywords alone"));
                    self.keyword_corpus(&scope.own).await?
                }
                Err(AppError::NoCollections { .. }) if scope.web.is_some() => {
                    self.corpus_without_collections(&mut warnings).await?
                }
                opened => opened?,
            };
            self.restricted(opened, &scope.own, &request.filter).await?
        };
        let memory = match self.remembers() && !request.without_memory {
            false => None,
            true => match self.memory_for(corpus.embedder()).await {
                Ok(memory) => Some(memory),
                Err(error) => {
                    warnings.push(format!("the run goes on without a memory: {error}"));
                    None
                }
            },
        };
        let age = AgeOptions { as_of: request.as_of, recency: request.recency, unit: self.memory_options().unit };
        let mut engine = self.engine(corpus, chosen)?;
        let web = scope.web.map(|search| self.web_source(search, request.filter.clone()));
        let has_web = web.is_some();
        engine.corpus = engine.corpus.with_web(web);
        let remembers = memory.is_some();
        let mut unread = request.unreadable.clone();
        match self.unread(&scope.own).await {
            Ok(earlier) => unread.extend(earlier),
            Err(error) => warnings.push(format!("it is not known what could not be read: {error}")),
        }
        unread.sort();
        unread.dedup();
        engine.memory = memory;
        engine.steering = request.steering.clone();
        let (length, outline, settled) = (request.length, request.outline.clone(), request.settled.clone());
        let (plan, follow_up) = (request.plan.clone(), request.follow_up.clone());
        let max_sub_queries = engine.options.max_sub_queries.max(plan.len());
        engine.options = AgentOptions {
            strategy,
            unread,
            settled,
            warnings,
            remembers,
            age,
            web: has_web,
            covers: true,
            length,
            outline,
            plan,
            follow_up,
            max_sub_queries,
            ..engine.options
        };
        Ok(engine)
    }

    /// The engine for runs over `corpus`, by the settings in force; they neither recall nor remember.
    pub fn engine(&self, corpus: Corpus, chosen: &ChosenModel) -> Result<Engine, AppError> {
        let agent = &self.config().agent;
        Ok(Engine {
            corpus: corpus.into(),
            model: Arc::clone(&chosen.model),
            prompts: Arc::new(self.prompts()?),
            clock: self.clock()?,
            memory: None,
            steering: None,
            limits: super::options::limits(agent),
            options: AgentOptions {
                prices: super::model::prices(self.config(), chosen),
                working_dir: Some(self.cwd().to_owned()),
                ..super::options::agent_options(agent)
            },
        })
    }

    /// The model's description of a collection, with its usage and the seconds it took.
    pub async fn description_by_model(&self, name: &str) -> Result<(String, Usage, f64), AppError> {
        let store = self.store().await?;
        let documents = store.documents(store.collection(name).await?.name.as_str()).await?;
        let start = Instant::now();
        // Documents from all over the collection, since neighbours by path are often alike.
        let step = documents.len().div_ceil(DESCRIBED_TITLES).max(1);
        let chosen: Vec<_> = documents.iter().step_by(step).collect();
        let mut samples = Vec::new();
        for document in chosen.iter().step_by(chosen.len().div_ceil(DESCRIBED_SAMPLES).max(1)) {
            samples.push(store.text(document.id, 0..SAMPLE_BYTES).await?);
        }
        let input = DescribeInput {
            name: name.to_owned(),
            titles: chosen.iter().map(|document| document.title.clone()).collect(),
            vocabulary: store.vocabulary(name, DESCRIBED_WORDS).await?,
            samples,
        };
        let (text, usage) = describe(self.model()?.model.as_ref(), &self.prompts()?, input).await?;
        Ok((text, usage, start.elapsed().as_secs_f64()))
    }

    /// The prompts that the settings name.
    pub(super) fn prompts(&self) -> Result<Prompts, AppError> {
        Ok(match Config::set_path(&self.config().prompts.folder) {
            Some(folder) => Prompts::with_folder(folder)?,
            None => Prompts::builtin()?,
        })
    }
}
