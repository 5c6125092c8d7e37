//! Asks a question again when the loaded documents change, and tells how its answer differs from the earlier one.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

use super::{App, AppError, ChosenModel, ResearchRequest, VerifyRequest};
use crate::agent::journal::{RunSettings, SeenDocuments};
use crate::agent::{AgentError, JournalError, repeat_searches};
use crate::base::day_of;
use crate::base::text::{one_line, sentences};
use crate::domain::{Citation, DocumentId, DocumentName, NullSink, Outline, Report, StoredChunk};
use crate::report::{Words, shown_path, wording, words};
use crate::verify::{ReadReport, Verdict, Verification, read};

/// The decision whether a question is to be asked.
#[derive(Debug)]
pub enum WatchDecision {
    /// It was never answered, or its answer cannot be used any more.
    First {
        /// Why an answer is not used.
        unusable: Option<String>,
    },
    /// It was answered so recently that nothing is checked yet.
    TooSoon {
        /// The day of the answer.
        asked: Date,
        /// The first day on which it is checked again.
        again: Date,
    },
    /// The answer's sources are unchanged, and what was loaded since says nothing new on the question.
    Same {
        /// The answer's run.
        run: String,
        /// When that run began.
        since: Timestamp,
        /// The documents that changed since.
        documents: ChangedDocuments,
    },
    /// It is to be asked again.
    Ask(Box<EarlierAnswer>),
}

/// Documents that changed; paths are as reports show them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangedDocuments {
    /// New or changed.
    pub loaded: Vec<String>,
    /// No longer there. Left empty if the documents were too many to be named in the earlier run.
    pub gone: Vec<String>,
}

/// An earlier answer, and what changed since.
#[derive(Debug)]
pub struct EarlierAnswer {
    /// What its run saw.
    seen: SeenDocuments,
    /// Its check against the present documents.
    verification: Verification,
    new: NewDocuments,
    documents: ChangedDocuments,
    /// The wordings of all sentences of its passages, quotes and text.
    known: BTreeSet<String>,
}

/// The documents that a run did not see.
#[derive(Debug)]
enum NewDocuments {
    /// All but these.
    But(BTreeSet<DocumentId>),
    /// Those at these paths.
    At(BTreeSet<String>),
}

/// How an answer differs from the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerChanges {
    /// The earlier run.
    pub earlier_run: String,
    /// When it began.
    pub since: Timestamp,
    /// The documents that changed since, whether or not they bear on the answer.
    pub documents: ChangedDocuments,
    /// What the earlier report said and its sources no longer say.
    pub no_longer: Vec<UnsupportedSentence>,
    /// Sentences of the new report, with their citations, that rest on words that were not in the documents before.
    pub newly: Vec<String>,
}

/// A sentence that its sources no longer support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnsupportedSentence {
    /// Its text, without citations.
    pub sentence: String,
    /// The documents that changed.
    pub sources: Vec<String>,
}

impl App {
    /// Decides whether a question is to be asked again. Makes no model call: the documents are compared with those that
    /// the earlier run saw; if they differ, what its report cites is looked up, and its searches are made again. With
    /// `every`, nothing is checked within that many days of the last answer.
    pub async fn decide_rerun(
        &self,
        request: &ResearchRequest,
        every: Option<u32>,
        chosen: &ChosenModel,
    ) -> Result<WatchDecision, AppError> {
        if !self.config().journal.enabled {
            return Err(AppError::NoJournal);
        }
        let runs = self.runs()?;
        let asked = request.clone();
        let newest = move || runs.newest_answer(|settings| is_same(settings, &asked));
        let newest = tokio::task::spawn_blocking(newest).await;
        let newest = newest.map_err(|source| AppError::Stopped { what: "reading the journals", source })?;
        let Some(seen) = newest? else { return Ok(WatchDecision::First { unusable: None }) };
        if let Some(look) = self.too_soon(&seen, every)? {
            return Ok(look);
        }
        let (new, documents) = self.changed_since(&seen, request).await?;
        if documents == ChangedDocuments::default() {
            return Ok(WatchDecision::Same { run: seen.run, since: seen.started, documents });
        }
        let report = match self.replay_recorded(self.runs()?.replay(&seen.run)?, std::sync::Arc::new(NullSink)).await {
            Ok(report) => report,
            Err(AppError::Agent(error @ AgentError::Journal(JournalError::Astray))) => {
                return Ok(WatchDecision::First {
                    unusable: Some(format!("the answer of {} is not used: {error}", seen.run)),
                });
            }
            Err(error) => return Err(error),
        };
        let collections = request.collections.clone();
        let verification = self.checked(read(&report.markdown)?, &collections).await?;
        let known = report.citations.iter().map(|citation| citation.quote.as_str()).chain([report.markdown.as_str()]);
        let known = known.chain(seen.passages.iter().map(String::as_str)).flat_map(wordings).collect();
        let earlier = EarlierAnswer { seen, verification, new, documents, known };
        let rests_on_changed = earlier.verification.sentences.iter().any(|sentence| sentence.rests_on_changed());
        if rests_on_changed {
            return Ok(WatchDecision::Ask(Box::new(earlier)));
        }
        let engine = self.research_engine(request, chosen).await?;
        let found = repeat_searches(&engine, &report, &collections).await?;
        if found.iter().any(|chunk| earlier.has_new_content(chunk)) {
            return Ok(WatchDecision::Ask(Box::new(earlier)));
        }
        Ok(WatchDecision::Same { run: earlier.seen.run, since: earlier.seen.started, documents: earlier.documents })
    }

    /// How a report differs from the earlier one, compared by what both cite, since a model words the same answer
    /// differently each time. `None` if it says the same.
    pub async fn compare_answers(
        &self,
        earlier: &EarlierAnswer,
        report: &Report,
        collections: &[String],
    ) -> Result<Option<AnswerChanges>, AppError> {
        let now = self.checked(read(&report.markdown)?, collections).await?;
        let fresh: BTreeSet<usize> = report
            .citations
            .iter()
            .filter(|citation| earlier.is_fresh(citation))
            .map(|citation| citation.number)
            .collect();
        let said: BTreeSet<String> =
            earlier.verification.sentences.iter().map(|sentence| wording(&sentence.text)).collect();
        let says: BTreeSet<String> = now.sentences.iter().map(|sentence| wording(&sentence.text)).collect();
        let newly: Vec<String> = now
            .sentences
            .iter()
            .filter(|one| one.citations.iter().any(|number| fresh.contains(number)))
            .filter(|one| !said.contains(&wording(&one.text)))
            .filter_map(|one| report.markdown.get(one.range.clone()))
            .map(|text| one_line(text.trim_start_matches(['-', '*', ' '])))
            .collect();
        let no_longer = earlier.verification.sentences.iter().filter(|one| one.rests_on_changed());
        let no_longer: Vec<UnsupportedSentence> = no_longer
            .filter(|one| !says.contains(&wording(&one.text)))
            .map(|one| UnsupportedSentence {
                sentence: one_line(&one.text),
                sources: earlier.changed_sources(&one.changed),
            })
            .collect();
        if newly.is_empty() && no_longer.is_empty() {
            return Ok(None);
        }
        let SeenDocuments { run, started, .. } = &earlier.seen;
        let (documents, since) = (earlier.documents.clone(), *started);
        Ok(Some(AnswerChanges { earlier_run: run.clone(), since, documents, no_longer, newly }))
    }

    fn too_soon(&self, seen: &SeenDocuments, every: Option<u32>) -> Result<Option<WatchDecision>, AppError> {
        let Some(every) = every else { return Ok(None) };
        // Calendar days, since a job that runs each morning does not always begin in the same second.
        let asked = day_of(seen.started);
        let again = asked.saturating_add(i64::from(every).days());
        Ok((day_of(self.clock()?.now()) < again).then_some(WatchDecision::TooSoon { asked, again }))
    }

    async fn checked(&self, report: ReadReport, collections: &[String]) -> Result<Verification, AppError> {
        let request = VerifyRequest { collections: collections.to_vec(), ..VerifyRequest::default() };
        self.check_report(report, &request).await
    }

    /// Compares the documents with those that the run saw. A server's collections may have been loaded by another
    /// machine, so the documents themselves are compared; if they were too many to be named, what this machine has
    /// loaded counts.
    async fn changed_since(
        &self,
        seen: &SeenDocuments,
        request: &ResearchRequest,
    ) -> Result<(NewDocuments, ChangedDocuments), AppError> {
        let shown = |paths: BTreeSet<String>| paths.iter().map(|path| shown_path(path, Some(self.cwd()))).collect();
        let Some(before) = &seen.documents else {
            let paths: BTreeSet<String> =
                self.loaded_since(seen.started, &request.collections).await?.into_iter().collect();
            let documents = ChangedDocuments { loaded: shown(paths.clone()), gone: Vec::new() };
            return Ok((NewDocuments::At(paths), documents));
        };
        let (store, searched) = self.searched(&request.collections).await?;
        let mut now: BTreeMap<DocumentName, DocumentId> = BTreeMap::new();
        for collection in &searched {
            for record in store.documents(&collection.name).await? {
                if request.filter.admits(&record.path, record.language, record.date.map(|date| date.date)) {
                    now.insert(DocumentName { collection: record.collection, path: record.path }, record.id);
                }
            }
        }
        let old: BTreeMap<&DocumentName, DocumentId> = before.iter().map(|(id, name)| (name, *id)).collect();
        let loaded = now.iter().filter(|(name, id)| old.get(name) != Some(id)).map(|(name, _)| name.path.clone());
        let gone = old.keys().filter(|name| !now.contains_key(**name)).map(|name| name.path.clone());
        let documents = ChangedDocuments { loaded: shown(loaded.collect()), gone: shown(gone.collect()) };
        Ok((NewDocuments::But(old.into_values().collect()), documents))
    }
}

impl EarlierAnswer {
    /// The documents that changed since.
    pub fn documents(&self) -> &ChangedDocuments {
        &self.documents
    }

    /// Whether a passage is of a new document and says something new.
    fn has_new_content(&self, chunk: &StoredChunk) -> bool {
        self.new.has(chunk.id.document, &chunk.path) && wordings(&chunk.text).any(|one| !self.known.contains(&one))
    }

    /// Whether a citation is of a new document and its words are new.
    fn is_fresh(&self, citation: &Citation) -> bool {
        self.new.has(citation.chunk.document, &citation.path)
            && wordings(&citation.quote).any(|one| !self.known.contains(&one))
    }

    /// The documents of these citations, each with what became of it.
    fn changed_sources(&self, numbers: &[usize]) -> Vec<String> {
        let changed = self.verification.citations.iter().filter(|one| numbers.contains(&one.number));
        let told = changed.map(|one| match one.verdict {
            Verdict::Edited => format!("{} (edited)", one.path),
            Verdict::Superseded => format!("{} (superseded)", one.path),
            Verdict::Unchanged | Verdict::Moved | Verdict::Vanished | Verdict::Unchecked => {
                format!("{} (gone)", one.path)
            }
        });
        told.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl NewDocuments {
    fn has(&self, id: DocumentId, path: &str) -> bool {
        match self {
            NewDocuments::But(old) => !old.contains(&id),
            NewDocuments::At(paths) => paths.contains(path),
        }
    }
}

/// Puts the changes since the earlier answer at the beginning of a report, after its title if it has one.
pub fn with_changes(report: &str, changes: &AnswerChanges) -> String {
    let language = read(report).map(|report| report.language).unwrap_or(crate::base::text::Language::ENGLISH);
    let words = words(language);
    let day = day_of(changes.since);
    let mut section = format!("## {}{day}\n\n", Words::spaced(words.changed_since));
    let mut list = |label: &str, items: Vec<String>| {
        if !items.is_empty() {
            section.push_str(&format!("{label}{}\n\n", words.colon.trim_end()));
            items.iter().for_each(|item| section.push_str(&format!("- {item}\n")));
            section.push('\n');
        }
    };
    let no_longer = |one: &UnsupportedSentence| format!("{} — {}", one.sentence, one.sources.join(", "));
    list(words.no_longer, changes.no_longer.iter().map(no_longer).collect());
    list(words.newly, changes.newly.clone());
    let title = report.split_inclusive("\n\n").next().filter(|first| first.starts_with("# ")).unwrap_or_default();
    format!("{title}{section}{}", &report[title.len()..])
}

/// Whether a run asked this question, of the same documents and for the same kind of report.
fn is_same(settings: &RunSettings, asked: &ResearchRequest) -> bool {
    let options = &settings.options;
    settings.question.trim() == asked.question.trim()
        && settings.collections == asked.collections
        && settings.filter == asked.filter
        && options.age.as_of.is_none()
        && options.age.recency == 0.0
        && options.length.is_none()
        && options.outline == Outline::default()
        && options.follow_up.is_none()
}

/// The wordings of the sentences of a text.
fn wordings(text: &str) -> impl Iterator<Item = String> {
    sentences(text).map(|range| wording(&text[range])).filter(|wording| !wording.is_empty())
}
