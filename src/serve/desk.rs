//! The runs that clients request: they wait, begin in order of arrival, and end or are cancelled. What a client is told
//! of a run is in `run.rs`; the research itself is in `app`.

mod budget;
mod left;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::kept::{End, EndStatus, RunFiles, Ticket};
use super::library::{asked, narrowed};
use super::run::{Phase, ServedRun};
use super::{Access, Explain, Refusal, RefusalKind};
use crate::agent::FollowUp;
use crate::app::{App, AppError, ChosenModel, ResearchRequest};
use crate::base::locked;
use crate::base::text::excerpt;
use crate::domain::{EventSink, NullSink, Outline, Preview, Report, Strategy, SubQuery, WEB};

/// The maximum number of waiting questions.
const MAX_WAITING: usize = 1000;

/// The maximum number of searches in a plan: nobody has read a longer one.
const MAX_PLANNED: usize = 20;

/// How runs are served.
#[derive(Clone, Copy, Debug)]
pub struct DeskOptions {
    /// The number of runs under way at once; the others wait in order of arrival.
    pub at_once: usize,
}

/// Takes questions, and knows every run that was ever requested here.
pub struct Desk {
    app: Arc<App>,
    chosen: ChosenModel,
    explain: Explain,
    kept: RunFiles,
    at_once: usize,
    queue: Mutex<Queue>,
    /// Notified when a run has ended.
    ended: Notify,
}

#[derive(Default)]
struct Queue {
    /// The runs of this process that have not ended.
    live: BTreeMap<String, Arc<ServedRun>>,
    /// The runs of other processes that clients here listen to.
    others: BTreeMap<String, Weak<ServedRun>>,
    waiting: VecDeque<Arc<ServedRun>>,
    running: usize,
    /// Whether no more runs begin.
    closed: bool,
    /// The number of runs that ended in this process, by status.
    ended: BTreeMap<EndStatus, u64>,
}

/// A question, as received by an interface.
#[derive(Clone, Debug, Default)]
pub(super) struct Question {
    /// The question in the asker's own words.
    pub asked: String,
    pub collections: Vec<String>,
    /// The strategy by name; `None`: as in the settings.
    pub strategy: Option<String>,
    /// The first searches; empty: the model plans.
    pub plan: Vec<SubQuery>,
    /// The id of a finished run that this one follows: it uses the documents and strategy of that run.
    pub follows: Option<String>,
    /// What the question carries over from a conversation that a client told; `None` if it stands alone.
    pub follow_up: Option<FollowUp>,
    /// Whether the run ends with the connection that requested it.
    pub attached: bool,
    /// The part of the request that the interface needs later.
    pub request: Value,
}

/// A run as shown in lists.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Listed {
    pub id: String,
    pub status: &'static str,
    pub question: String,
    pub collections: Vec<String>,
    pub strategy: Strategy,
    pub created: Timestamp,
}

/// The numbers of waiting, running and ended runs.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub waiting: usize,
    pub running: usize,
    pub ended: BTreeMap<EndStatus, u64>,
}

impl Desk {
    /// Opens the runs of the data folder. The model is chosen now, so that a missing key is reported at the start.
    pub fn open(app: Arc<App>, explain: Explain, options: DeskOptions) -> Result<Arc<Self>, AppError> {
        let chosen = app.model()?;
        app.check_limits(&chosen)?;
        let kept = RunFiles::of(&app.data_dir()?);
        let (queue, ended) = (Mutex::default(), Notify::new());
        Ok(Arc::new(Desk { app, chosen, explain, kept, at_once: options.at_once.max(1), queue, ended }))
    }

    /// Whether a language model answers, rather than the program that quotes.
    pub(super) fn reasons(&self) -> bool {
        self.chosen.model.reasons()
    }

    /// Takes a question. Once this returns, the question is kept, whatever becomes of the process.
    pub(super) async fn ask(self: &Arc<Self>, question: Question, access: &Access) -> Result<Arc<ServedRun>, Refusal> {
        if !self.app.config().journal.enabled {
            return Err(Refusal::bad("no run can be served, since journals are switched off (journal.enabled)")
                .with_hint("start the server without --set journal.enabled=false"));
        }
        {
            let queue = self.lock();
            if queue.closed || queue.waiting.len() >= MAX_WAITING {
                let message = format!("{} questions are waiting, and no more are taken now", queue.waiting.len());
                return Err(Refusal::new(RefusalKind::Busy, message).with_hint("ask again later"));
            }
        }
        // Of two simultaneous questions, here or at another server over the folder, the second one counts the first.
        let _turn = if access.budget.is_limited() {
            let kept = self.kept.clone();
            let turn = tokio::task::spawn_blocking(move || kept.lock_for_counting()).await;
            let turn = turn.map_err(|error| Refusal::failed(error.to_string()))?.map_err(cannot_read)?;
            self.check_budget(access)?;
            Some(turn)
        } else {
            None
        };
        let request = self.request(&question, access).await?;
        let strategy = request.strategy.unwrap_or(self.app.config().agent.strategy);
        let collections = request.collections.clone();
        let id = self.app.create_pending_run(&request, &self.chosen).await.map_err(|error| (self.explain)(&error))?;
        let ticket = Ticket {
            deepsearch_served: Ticket::VERSION,
            id,
            created: Timestamp::now(),
            asked: question.asked,
            collections,
            strategy,
            owner: access.owner.clone(),
            attached: question.attached,
            request: question.request,
        };
        let file = self.kept.begin(&ticket).map_err(|error| {
            Refusal::failed(format!("the question cannot be kept: {error}")).with_hint("see that the disk is not full")
        })?;
        let run = Arc::new(ServedRun::new(ticket, Some(file)));
        self.enqueue(&run);
        Ok(run)
    }

    /// The first searches for a question, and the expected cost.
    pub(super) async fn plan(self: &Arc<Self>, question: &Question, access: &Access) -> Result<Preview, Refusal> {
        let request = self.request(question, access).await?;
        let preview = self.app.preview(&request, &self.chosen, Arc::new(NullSink), CancellationToken::new()).await;
        preview.map_err(|error| (self.explain)(&error))
    }

    async fn request(self: &Arc<Self>, question: &Question, access: &Access) -> Result<ResearchRequest, Refusal> {
        let words = asked(&question.asked, self.explain)?;
        let strategy = match &question.strategy {
            None => self.app.config().agent.strategy,
            Some(name) => strategy_of(name)?,
        };
        let (plan, strategy) = match question.plan.as_slice() {
            [] => (Vec::new(), strategy),
            plan => (checked_plan(plan, strategy, self.explain)?, Strategy::Deep),
        };
        let named = question.plan.iter().flat_map(|search| &search.collections).filter(|name| *name != WEB);
        let named: BTreeSet<String> = named.cloned().collect();
        if !named.is_empty() {
            let named = narrowed(&self.app, self.explain, named.into_iter().collect(), access).await?;
            // This reports which of them do not exist.
            self.app.keyword_corpus(&named).await.map_err(|error| (self.explain)(&error))?;
        }
        // Someone who may not see everything must not see what others asked and found.
        let without_memory = !access.can_see_all();
        let request = match &question.follows {
            Some(run) => {
                if !matches!(self.find(run, access)?.phase(), Phase::Ended(end) if end.report.is_some()) {
                    return Err(Refusal::bad(format!("run `{}` has no report yet", excerpt(run, 60)))
                        .with_hint("ask on once it has ended"));
                }
                self.app.following(run, &words).await.map_err(|error| (self.explain)(&error))?
            }
            None => ResearchRequest {
                question: question.follow_up.as_ref().map_or(words, |follow_up| follow_up.query.clone()),
                collections: narrowed(&self.app, self.explain, question.collections.clone(), access).await?,
                strategy: Some(strategy),
                outline: Outline {
                    title: question.follow_up.as_ref().map(|follow_up| follow_up.asked.clone()).unwrap_or_default(),
                    ..Outline::default()
                },
                follow_up: question.follow_up.clone(),
                ..ResearchRequest::default()
            },
        };
        Ok(ResearchRequest { plan, without_memory, ..request })
    }

    /// Finds a run that `access` may see, whoever requested it. A run that an earlier process left is continued.
    pub(super) fn find(self: &Arc<Self>, id: &str, access: &Access) -> Result<Arc<ServedRun>, Refusal> {
        let unknown = || {
            Refusal::not_found(format!("there is no run `{}`", excerpt(id, 60)))
                .with_hint("the id is the one that was given when the run was started")
        };
        let run = match self.live(id) {
            Some(run) => run,
            None => self.left(id)?.ok_or_else(unknown)?,
        };
        match &access.owner {
            Some(_) if run.ticket.owner != access.owner => Err(unknown()),
            _ => Ok(run),
        }
    }

    /// The runs that `access` may see, newest first.
    pub(super) fn list(self: &Arc<Self>, access: &Access, most: usize) -> Result<Vec<Listed>, Refusal> {
        let mut ids = self.kept.ids().map_err(cannot_read)?;
        ids.reverse();
        let mut listed = Vec::new();
        for id in ids {
            // One unreadable file is no reason to show no runs.
            let Some((ticket, end)) = self.glance(&id) else { continue };
            if access.owner.is_some() && ticket.owner != access.owner {
                continue;
            }
            let phase = match end {
                Some(end) => Phase::Ended(Arc::new(end)),
                None => match self.find(&id, access) {
                    Ok(run) => run.phase(),
                    Err(_) => continue,
                },
            };
            let Ticket { asked, collections, strategy, created, .. } = ticket;
            listed.push(Listed { id, status: status_name(&phase), question: asked, collections, strategy, created });
            if listed.len() == most {
                break;
            }
        }
        Ok(listed)
    }

    /// Ends a run, either at once or after its report is written from what was found so far.
    pub(super) fn cancel(&self, run: &Arc<ServedRun>, write_report: bool) -> Result<(), Refusal> {
        if let Phase::Ended(_) = run.phase() {
            return Ok(());
        }
        if !run.is_ours() {
            let message = format!("run {} is with another process", run.ticket.id);
            return Err(Refusal::new(RefusalKind::Busy, message).with_hint("cancel it there"));
        }
        let waits = {
            let mut queue = self.lock();
            let before = queue.waiting.len();
            queue.waiting.retain(|waiting| !Arc::ptr_eq(waiting, run));
            before > queue.waiting.len()
        };
        if waits {
            self.end(run, cancelled(None));
            self.tell_places();
        } else if write_report {
            run.finish.cancel();
        } else {
            run.abort.cancel();
        }
        Ok(())
    }

    /// Takes no more questions and begins no more runs. With `finish`, those under way write their reports from what
    /// they have; otherwise they are left for the next start.
    pub async fn close(&self, finish: bool) {
        let running: Vec<Arc<ServedRun>> = {
            let mut queue = self.lock();
            queue.closed = true;
            let waiting: Vec<String> = queue.waiting.iter().map(|run| run.ticket.id.clone()).collect();
            queue.live.iter().filter(|(id, _)| !waiting.contains(id)).map(|(_, run)| Arc::clone(run)).collect()
        };
        if !finish {
            return;
        }
        running.iter().for_each(|run| run.finish.cancel());
        loop {
            let ended = self.ended.notified();
            if self.lock().running == 0 {
                return;
            }
            ended.await;
        }
    }

    /// The number of researches under way.
    pub fn running(&self) -> usize {
        self.lock().running
    }

    pub(super) fn counts(&self) -> Counts {
        let queue = self.lock();
        Counts { waiting: queue.waiting.len(), running: queue.running, ended: queue.ended.clone() }
    }

    /// What was asked and how it ended; `None` if that cannot be read.
    fn glance(&self, id: &str) -> Option<(Ticket, Option<End>)> {
        match self.live(id) {
            // On Windows, only the handle that locks the file of a run can read it.
            Some(run) => Some((run.ticket.clone(), None)),
            None => self.kept.glance(id).ok().flatten(),
        }
    }

    fn live(&self, id: &str) -> Option<Arc<ServedRun>> {
        self.lock().live.get(id).cloned()
    }

    fn enqueue(self: &Arc<Self>, run: &Arc<ServedRun>) {
        {
            let mut queue = self.lock();
            queue.live.insert(run.ticket.id.clone(), Arc::clone(run));
            queue.waiting.push_back(Arc::clone(run));
        }
        self.begin_next();
    }

    /// Begins as many of the waiting runs as may run at once.
    fn begin_next(self: &Arc<Self>) {
        loop {
            let run = {
                let mut queue = self.lock();
                if queue.closed || queue.running >= self.at_once {
                    break;
                }
                let Some(run) = queue.waiting.pop_front() else { break };
                queue.running += 1;
                run
            };
            run.set_phase(Phase::Running);
            let desk = Arc::clone(self);
            tokio::spawn(async move {
                let (to, with) = (Arc::clone(&desk), Arc::clone(&run));
                let work = tokio::spawn(async move { to.conduct(&with).await });
                // A bug in the program ends one run without blocking the others.
                let end = work.await.unwrap_or_else(|error| failed(Refusal::failed(format!("the run broke: {error}"))));
                desk.end(&run, end);
                desk.lock().running -= 1;
                desk.begin_next();
                desk.ended.notify_waiters();
            });
        }
        self.tell_places();
    }

    fn tell_places(&self) {
        let waiting: Vec<Arc<ServedRun>> = self.lock().waiting.iter().cloned().collect();
        for (place, run) in waiting.iter().enumerate() {
            run.set_phase(Phase::Queued(place + self.at_once));
        }
    }

    async fn conduct(&self, run: &Arc<ServedRun>) -> End {
        let sink = Arc::clone(run) as Arc<dyn EventSink>;
        let outcome = tokio::select! {
            biased;
            () = run.abort.cancelled() => return cancelled(None),
            outcome = self.research(run, sink) => outcome,
        };
        match outcome {
            Err(error) => failed((self.explain)(&error)),
            Ok(report) => match serde_json::to_value(&report) {
                Err(error) => failed(Refusal::failed(format!("the report cannot be written as JSON: {error}"))),
                Ok(mut value) => {
                    // The end of the report's text, for clients that show citations in their own way.
                    value["written"] = json!(report.written);
                    let (status, at) = (EndStatus::Completed, Timestamp::now());
                    End { status, at, error: None, hint: None, report: Some(value) }
                }
            },
        }
    }

    async fn research(&self, run: &ServedRun, sink: Arc<dyn EventSink>) -> Result<Report, AppError> {
        let id = &run.ticket.id;
        // If a process was killed after its journal was complete but before this run's file was, the run is replayed.
        self.app.resume(id, &self.chosen, sink, run.finish.clone()).await
    }

    fn end(&self, run: &ServedRun, end: End) {
        let status = end.status;
        run.end(end);
        let mut queue = self.lock();
        queue.live.remove(&run.ticket.id);
        *queue.ended.entry(status).or_default() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Every change of the queue is complete before anything could panic.
        locked(&self.queue)
    }
}

/// The state of a run in one word.
pub(super) fn status_name(phase: &Phase) -> &'static str {
    match phase {
        Phase::Queued(_) => "queued",
        Phase::Running => "running",
        Phase::Ended(end) => end.status.name(),
    }
}

fn strategy_of(name: &str) -> Result<Strategy, Refusal> {
    let names = Strategy::ALL.map(Strategy::name);
    Strategy::ALL.into_iter().find(|strategy| strategy.name() == name).ok_or_else(|| {
        Refusal::bad(format!("there is no strategy `{}`", excerpt(name, 60)))
            .with_hint(format!("the strategies are {}", names.join(", ")))
    })
}

/// The first searches, as decided by a person.
fn checked_plan(plan: &[SubQuery], strategy: Strategy, explain: Explain) -> Result<Vec<SubQuery>, Refusal> {
    if !matches!(strategy, Strategy::Deep | Strategy::Auto) {
        return Err(Refusal::bad(format!("the strategy `{}` follows no plan", strategy.name()))
            .with_hint("leave out the plan, or take the strategy `deep`"));
    }
    if plan.len() > MAX_PLANNED {
        return Err(Refusal::bad(format!(
            "a plan has at most {MAX_PLANNED} searches, and this one has {}",
            plan.len()
        )));
    }
    let words = |query: &SubQuery| Ok(SubQuery { text: asked(&query.text, explain)?, ..query.clone() });
    plan.iter().map(words).collect()
}

fn failed(refusal: Refusal) -> End {
    let Refusal { message, hint, .. } = refusal;
    End { status: EndStatus::Failed, at: Timestamp::now(), error: Some(message), hint, report: None }
}

fn cancelled(error: Option<String>) -> End {
    End { status: EndStatus::Cancelled, at: Timestamp::now(), error, hint: None, report: None }
}

fn cannot_read(error: std::io::Error) -> Refusal {
    Refusal::failed(format!("the runs that are kept cannot be read: {error}"))
}
