//! Resumes, replays, retells and forks runs.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::collections::present_names;
use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::journal::{OpenedRun, RunSettings, Runs};
use crate::agent::{Engine, Journal, JournalError, Limits, journaled};
use crate::domain::{Event, EventSink, Report};

/// A fork of an earlier run.
#[derive(Clone, Debug)]
pub struct ForkRequest {
    /// The earlier run: an id, the beginning of one, or `last`.
    pub run: String,
    /// The number of its steps that are kept.
    pub steps: usize,
    /// Limits in place of its own; those that are `None` keep theirs.
    pub limits: Limits,
}

impl App {
    /// The journals of all runs.
    pub fn runs(&self) -> Result<Runs, AppError> {
        Ok(Runs::of(&self.data_dir()?))
    }

    /// Resumes an unfinished run, reusing what was paid for; of a finished run, returns the report again.
    pub async fn resume(
        &self,
        run: &str,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let runs = self.runs()?;
        let id = runs.find(run)?;
        let opened = match runs.resume(&id, chosen.model.as_ref(), self.clock()?) {
            // The run was killed after its last word, or is resumed once more: only its report is left.
            Err(JournalError::Finished { .. }) => return Ok(self.replay(&id, sink).await?.0),
            opened => opened?,
        };
        let engine = self.engine_for(&opened, chosen).await?;
        self.go_on(opened, engine, sink, interrupt).await
    }

    /// Forks a run: goes another way from one of its steps.
    pub async fn fork(
        &self,
        request: &ForkRequest,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let runs = self.runs()?;
        let id = runs.find(&request.run)?;
        let prices = super::model::prices(self.config(), chosen);
        let change = |settings: &mut RunSettings| {
            settings.limits = settings.limits.with(request.limits);
            settings.options.prices = prices.clone();
        };
        super::model::check_prices(request.limits, &prices, chosen)?;
        let opened = runs.fork(&id, request.steps, change, chosen.model.as_ref(), self.clock()?)?;
        match self.engine_for(&opened, chosen).await {
            Ok(engine) => self.go_on(opened, engine, sink, interrupt).await,
            Err(error) => {
                // A run that could not begin must not be the last one.
                let fork = opened.id.clone();
                drop(opened);
                runs.remove(&fork)?;
                Err(error)
            }
        }
    }

    /// The engine that continues a run.
    async fn engine_for(&self, opened: &OpenedRun, chosen: &ChosenModel) -> Result<Engine, AppError> {
        let OpenedRun { begun, settings, .. } = opened;
        // The journal has the names of its time.
        let renamed = self.renamed_since(&settings.collections, *begun).await?;
        let request = ResearchRequest {
            question: settings.question.clone(),
            collections: present_names(&settings.collections, &renamed),
            filter: settings.filter.clone(),
            as_of: settings.options.age.as_of,
            recency: settings.options.age.recency,
            strategy: Some(settings.options.strategy),
            without_memory: !settings.options.remembers,
            ..ResearchRequest::default()
        };
        let engine = self.research_engine(&request, chosen).await?;
        Ok(Engine { corpus: engine.corpus.with_former_names(renamed), ..engine })
    }

    async fn go_on(
        &self,
        opened: OpenedRun,
        engine: Engine,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let OpenedRun { id, settings, journal, .. } = opened;
        sink.emit(&Event::Begun { run: id });
        // Present problems are reported, and are not part of the run.
        for message in &engine.options.warnings {
            sink.emit(&Event::Warning { message: message.clone() });
        }
        let engine = Engine { limits: settings.limits, options: settings.options.clone(), ..engine };
        Ok(journaled(&engine, &journal, &settings.question, &settings.collections, sink, interrupt).await?)
    }

    /// Replays a finished run with nothing but its journal. Also returns whether the report is the one that was
    /// written: a newer program may word it differently.
    pub async fn replay(&self, run: &str, sink: Arc<dyn EventSink>) -> Result<(Report, bool), AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let expected = opened.report_hash.clone();
        let report = self.replay_recorded(opened, sink).await?;
        let same = expected.is_some_and(|expected| expected == report.hash());
        Ok((report, same))
    }

    /// Retells the events of a run, as far as its journal reaches.
    pub async fn replay_events(&self, run: &str, sink: Arc<dyn EventSink>) -> Result<(), AppError> {
        let runs = self.runs()?;
        let opened = runs.replay_events(&runs.find(run)?)?;
        match self.replay_recorded(opened, sink).await {
            // A run that was cut off asks for an answer that it never got; one that failed fails again.
            Ok(_) | Err(AppError::Agent(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn replay_recorded(
        &self,
        opened: OpenedRun,
        sink: Arc<dyn EventSink>,
    ) -> Result<Report, AppError> {
        let OpenedRun { settings, journal, .. } = opened;
        let engine = Engine::recorded(&journal, Arc::new(self.prompts()?), &settings);
        let never = CancellationToken::new();
        Ok(journaled(&engine, &journal, &settings.question, &settings.collections, sink, never).await?)
    }

    /// Begins a journal for a new run if the settings want one. If that fails, the run goes on without a journal.
    pub(super) fn begin_journal(
        &self,
        settings: &RunSettings,
        chosen: &ChosenModel,
        sink: &Arc<dyn EventSink>,
    ) -> Result<Journal, AppError> {
        let clock = self.clock()?;
        if !self.config().journal.enabled {
            return Ok(Journal::off(clock));
        }
        Ok(match self.runs()?.begin(settings, chosen.model.as_ref(), clock) {
            Ok((run, journal)) => {
                sink.emit(&Event::Begun { run });
                journal
            }
            Err(error) => {
                let message = format!("{error}; the run goes on, and cannot be resumed or replayed");
                sink.emit(&Event::Warning { message });
                Journal::off(clock)
            }
        })
    }
}
