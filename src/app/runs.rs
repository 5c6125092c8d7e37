//! Runs that go on, are gone through again, or go another way.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::journal::{OpenedRun, RunSettings, Runs};
use crate::agent::{Engine, Journal, JournalError, Limits, journaled};
use crate::domain::{Event, EventSink, Report};

/// A way that leaves an earlier run's.
#[derive(Clone, Debug)]
pub struct ForkRequest {
    /// The earlier run: an id, the beginning of one, or `last`.
    pub run: String,
    /// How many of its steps are kept.
    pub steps: usize,
    /// Limits in place of its own; `None` keeps one.
    pub limits: Limits,
}

impl App {
    /// The journals of all runs.
    pub fn runs(&self) -> Result<Runs, AppError> {
        Ok(Runs::of(&self.data_dir()?))
    }

    /// Goes on with a run that did not come to its end, with what was paid for; of one that did, gives the report again.
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
            // Killed after its last word, or once more: there is nothing to go on with but its report.
            Err(JournalError::Finished { .. }) => return Ok(self.replay(&id, sink).await?.0),
            opened => opened?,
        };
        self.go_on(opened, chosen, sink, interrupt).await
    }

    /// Goes another way from a step of a run.
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
        self.go_on(opened, chosen, sink, interrupt).await
    }

    async fn go_on(
        &self,
        opened: OpenedRun,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let OpenedRun { id, settings, journal, .. } = opened;
        let request = ResearchRequest {
            question: settings.question.clone(),
            collections: settings.collections.clone(),
            filter: settings.filter.clone(),
            as_of: settings.options.age.as_of,
            recency: settings.options.age.recency,
            strategy: Some(settings.options.strategy),
            without_memory: !settings.options.remembers,
            ..ResearchRequest::default()
        };
        let engine = self.research_engine(&request, chosen).await?;
        sink.emit(&Event::Begun { run: id });
        // What went wrong today is told, and is not part of the run.
        for message in &engine.options.warnings {
            sink.emit(&Event::Warning { message: message.clone() });
        }
        let engine = Engine { limits: settings.limits, options: settings.options.clone(), ..engine };
        Ok(journaled(&engine, &journal, &settings.question, &settings.collections, sink, interrupt).await?)
    }

    /// Goes through a finished run again with nothing but its journal. Whether the report is the one that was written
    /// is told too: a newer program may word it otherwise.
    pub async fn replay(&self, run: &str, sink: Arc<dyn EventSink>) -> Result<(Report, bool), AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let expected = opened.report_hash.clone();
        let report = self.go_through(opened, sink).await?;
        let same = expected.is_some_and(|expected| expected == report.hash());
        Ok((report, same))
    }

    /// Tells the story of a run, as far as its journal reaches.
    pub async fn retell(&self, run: &str, sink: Arc<dyn EventSink>) -> Result<(), AppError> {
        let runs = self.runs()?;
        let opened = runs.retell(&runs.find(run)?)?;
        match self.go_through(opened, sink).await {
            // A run that was broken off asks for what it never got; one that failed fails again.
            Ok(_) | Err(AppError::Agent(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn go_through(&self, opened: OpenedRun, sink: Arc<dyn EventSink>) -> Result<Report, AppError> {
        let OpenedRun { settings, journal, .. } = opened;
        let engine = Engine::recorded(&journal, Arc::new(self.prompts()?), &settings);
        let never = CancellationToken::new();
        Ok(journaled(&engine, &journal, &settings.question, &settings.collections, sink, never).await?)
    }

    /// A journal for a new run, where the settings want one. A run without is worth more than none.
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
