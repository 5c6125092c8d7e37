//! Which statements are on what is asked: those below the number that the question names, those on the change that it
//! asks for, and none of a document that a newer one replaces. Their relevance is not judged here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Account, those_or_all};
use crate::base::text::is_listed;
use crate::llm::purpose::EvidenceCard;
use crate::offline::asking::{orders_account, relates};
use crate::offline::candidates::standing;
use crate::offline::clauses::clauses_of;
use crate::offline::entities::{is_named, name_terms, years};
use crate::offline::force::{deleted_clauses, is_replaced};
use crate::offline::head::begins_mail;
use crate::offline::named::{NamedDocuments, title_and_file};
use crate::offline::plan::topic;
use crate::offline::prose::{innermost, plain};
use crate::offline::split::compares;
use crate::offline::statements::are_minutes;
use crate::offline::terms::{content_set, is_informative_term, question_terms, word_count};
use crate::offline::wanted::Demands;
use crate::read;
use crate::report::{clauses, is_newer_version};

/// A question of at most this many words may be only a name.
const NAME_WORDS: usize = 5;

/// The share of the question's words that some passage must hold for an answer to exist.
const FLOOR: f32 = 0.3;

/// If a change is asked for, a statement that holds this share of the subject is on it.
const ON_SUBJECT: f32 = 0.3;

/// A statement is on the change if its likeness in meaning to the question is at least this share of the best one's.
const MEANT: f32 = 0.6;

/// A document has to do with the subject if one of its passages holds at least this share of what the best one holds of
/// it.
const RELATED: f32 = 0.3;

/// The number of passages of a document that count in choosing the main one.
const MAIN_PASSAGES: usize = 3;
/// The bonus in that choice if the title or the file's name holds the whole subject, as a share of the search's scores
/// of these passages.
const TITLED: f32 = 0.5;
/// The bonus in that choice if the passages hold the whole subject, as the same share.
const HELD: f32 = 1.0;

/// Of a document whose title says nothing of the subject, the sections are told that hold at least this share of what
/// the best one holds of it.
const SPEAKS: f32 = 0.5;

/// The share of the subject that the title of minutes must hold for the minutes to be what is asked about.
const OF_MEETING: f32 = 0.5;

/// What stands before the name of a meeting at the head of its minutes.
const MEETING: &str = "会议名称 会议 会議名 会議名称 회의명 회의 meeting sitzung besprechung réunion reunión riunione reunião \
vergadering zebranie posiedzenie совещание заседание toplantı";

/// Chinese characters that join words: a pair with one of them names nothing.
const PARTICLES: [char; 6] = ['的', '之', '了', '是', '在', '和'];

/// Words for an amount.
const AMOUNTS: &str = "amount montant importe importo betrag höhe bedrag kwota сумма размер tutar";

impl Account<'_> {
    /// Returns the statements on the subject in the main document: the one whose best passages the search scores
    /// highest, among those of the relevant statements. Empty for a change or a comparison, which several documents
    /// tell, and for a question that is only a name: there all statements on it are told, and not one document.
    pub(super) fn main_document(&self, relevant: &[usize]) -> Vec<usize> {
        let question = &self.input.question;
        let names_only = self.is_name() && !question.trim_end().ends_with(['?', '？']);
        if self.changing || names_only || compares(question) {
            return Vec::new();
        }
        self.nearest_document(relevant).map_or_else(Vec::new, |document| self.document_part_on_subject(document))
    }

    /// Returns the document whose best passages the search scores highest, among those of the relevant statements.
    fn nearest_document(&self, relevant: &[usize]) -> Option<usize> {
        let mut cards: Vec<(usize, usize)> =
            relevant.iter().map(|&index| (self.told[index].document, self.told[index].card)).collect();
        cards.sort_unstable();
        cards.dedup();
        let subject = self.subject();
        let held = |card: &EvidenceCard| content_set(&format!("{} {}", card.title, card.text), self.language);
        // Several good passages count for more than one, but the length of a document does not.
        let standing_of = |cards: &[(usize, usize)]| {
            // A passage found by a search for its own title is not on the question for that alone.
            let is_of_asked =
                |search: usize, title: &str| self.input.asked.get(search).is_some_and(|asked| asked.text != title);
            let is_found = |&(_, card): &(usize, usize)| {
                let card = &self.input.evidence[card];
                card.found_by.is_empty() || card.found_by.iter().any(|&search| is_of_asked(search, &card.title))
            };
            let cards: Vec<(usize, usize)> = those_or_all(cards.to_vec(), is_found);
            let mut standings: Vec<f32> =
                cards.iter().map(|&(_, card)| standing(&self.input.evidence[card], 0)).collect();
            standings.sort_by(|a, b| b.total_cmp(a));
            let held: BTreeSet<String> = cards.iter().flat_map(|&(_, card)| held(&self.input.evidence[card])).collect();
            let held = self.rarity.coverage(&subject, &held);
            let titled = cards.first().map_or(0.0, |&(_, card)| {
                let names = title_and_file(&self.input.evidence[card]);
                self.rarity.coverage(&subject, &content_set(&names, self.language))
            });
            (1.0 + TITLED * titled + HELD * held)
                * standings.iter().zip(1..=MAIN_PASSAGES).map(|(standing, rank)| standing / rank as f32).sum::<f32>()
        };
        let documents = cards.chunk_by(|a, b| a.0 == b.0).map(|cards| {
            let standing = standing_of(cards);
            tracing::trace!(standing, path = self.input.evidence[cards[0].1].path, "document");
            (standing, cards[0].0)
        });
        documents.min_by(|a, b| b.0.total_cmp(&a.0)).map(|(_, document)| document)
    }

    /// Returns the statements of a document that are on what is asked: all, or those of the sections that are.
    fn document_part_on_subject(&self, document: usize) -> Vec<usize> {
        let beside = self.sibling_rows();
        let is_of_it = |index: &usize| self.told[*index].document == document && !beside.contains(index);
        let all = self.filter_by_asked_number((0..self.told.len()).filter(is_of_it).collect());
        self.drop_deleted(self.filter_relevant_sections(all))
    }

    /// If a document's title says nothing of the subject, as that of the minutes of a meeting on many, keeps only the
    /// statements of the sections that hold about as much of the subject as the best one. In minutes, a titled or numbered
    /// item is a section.
    fn filter_relevant_sections(&self, all: Vec<usize>) -> Vec<usize> {
        let subject = self.subject();
        let card = |index: usize| &self.input.evidence[self.told[index].card];
        let title = all.first().map_or("", |&index| &card(index).title);
        let mut titled = content_set(title, self.language);
        let are_minutes = are_minutes(title);
        if are_minutes {
            let head = all.iter().map(|&index| &self.told[index]);
            let of_meeting = head.filter(|one| is_listed(MEETING, &one.statement.name().to_lowercase()));
            titled.extend(of_meeting.flat_map(|one| one.terms.iter().cloned()));
        }
        let is_on = |subject: &BTreeSet<String>| match are_minutes {
            true => self.rarity.coverage(subject, &titled) >= OF_MEETING,
            false => !subject.is_disjoint(&titled),
        };
        // The title may hold a compound that no statement holds.
        if is_on(&subject) || is_on(&self.asked_terms()) {
            return all;
        }
        let section = |&index: &usize| match are_minutes {
            true => {
                (self.section_heading(index).to_owned() + &self.told[index].statement.headings(), self.told[index].item)
            }
            false => (self.section_heading(index).to_owned(), 0),
        };
        let sections: Vec<(String, usize)> = all.iter().map(section).collect();
        let mut held: BTreeMap<&(String, usize), BTreeSet<String>> = BTreeMap::new();
        for (&index, section) in all.iter().zip(&sections) {
            held.entry(section).or_default().extend(self.terms_below_headings(index));
        }
        let covered: BTreeMap<&(String, usize), f32> =
            held.into_iter().map(|(section, held)| (section, self.rarity.coverage(&subject, &held))).collect();
        let best = covered.values().copied().fold(0.0, f32::max);
        let on_it = all.into_iter().zip(&sections).filter(|(_, section)| covered[section] >= SPEAKS * best);
        on_it.map(|(index, _)| index).collect()
    }

    /// Returns the innermost heading of the document above a statement; the label of a clause or a paragraph does not
    /// make a section.
    fn section_heading(&self, index: usize) -> &str {
        let (one, card) = (&self.told[index], &self.input.evidence[self.told[index].card]);
        let is_line =
            |heading: &str| card.text.lines().any(|line| plain(line.trim_start_matches(['#', ' '])) == heading);
        let is_own = |heading: &&str| card.headings.all().any(|own| plain(own) == **heading) || is_line(heading);
        let outwards = [one.statement.heading.as_str(), innermost(&one.statement.above)];
        outwards
            .into_iter()
            .filter(|heading| !heading.is_empty())
            .find(is_own)
            .unwrap_or_else(|| innermost(&card.place))
    }

    /// The innermost heading above a statement.
    pub(super) fn heading(&self, index: usize) -> &str {
        let one = &self.told[index];
        let (own, place) = (one.statement.heading.as_str(), self.input.evidence[one.card].place.as_str());
        innermost(if own.is_empty() { place } else { own })
    }

    /// The terms of each passage with its title and its headings.
    pub(super) fn terms_of_passages(&self) -> &[BTreeSet<String>] {
        let of_passage = |(card, context): (&EvidenceCard, &BTreeSet<String>)| {
            content_set(&card.text, self.language).union(context).cloned().collect()
        };
        self.passages.get_or_init(|| self.input.evidence.iter().zip(&self.contexts).map(of_passage).collect())
    }

    /// Whether some passage holds enough of what the question asks about. If no passage holds a name of the question,
    /// they are about something else, however many common words they share.
    pub(super) fn has_passage_on_question(&self) -> bool {
        if self.foreign {
            return true;
        }
        let sets = self.terms_of_passages();
        let question = &self.input.question;
        let apart = |terms| self.rarity.split_compounds(terms, question, self.language);
        let names = self.asked_names();
        if !names.is_empty() && read::knows(self.language) {
            return sets.iter().any(|held| is_named(&names, held));
        }
        let wanted = apart(question_terms(question, self.language));
        // A request for an account may name a document by its file.
        let orders = orders_account(question, self.asked_in);
        let held = sets.iter().zip(&self.input.evidence).map(|(set, card)| {
            let file = if orders { content_set(&title_and_file(card), self.language) } else { BTreeSet::new() };
            wanted.iter().filter(|term| set.contains(*term) || file.contains(*term)).count()
        });
        let held = held.max().unwrap_or(0);
        // Without a reader to tell what answers, one shared word makes a passage near enough.
        let floor = if read::knows(self.language) { FLOOR * wanted.len() as f32 } else { 1.0 };
        held as f32 >= floor
    }

    /// The names that the question asks about, each as its terms.
    fn asked_names(&self) -> Vec<BTreeSet<String>> {
        let question = &self.input.question;
        let apart = |terms| self.rarity.split_compounds(terms, question, self.language);
        name_terms(question, self.language).into_iter().map(apart).collect()
    }

    /// The terms that the account is about. Words for a change do not count, since statements that tell of one seldom
    /// use them.
    pub(super) fn subject(&self) -> BTreeSet<String> {
        self.rarity.split_compounds(self.asked_terms(), self.question(), self.language)
    }

    /// The same with the compounds of the question as they are.
    fn asked_terms(&self) -> BTreeSet<String> {
        let question = self.question();
        if self.changing {
            content_set(&topic(question, self.language), self.language)
        } else {
            question_terms(question, self.language)
        }
    }

    /// Of the statements worth quoting, returns those on what is asked about: below its number, on its change, and none
    /// of a document that another one replaces.
    pub(super) fn filter_on_topic(&self, relevant: Vec<usize>) -> Vec<usize> {
        let relevant = self.filter_by_asked_number(self.filter_by_named_documents(relevant));
        if self.changing {
            return self.filter_by_changed_subject(relevant);
        }
        self.drop_superseded(self.filter_by_only_word(relevant))
    }

    /// Returns the statements of documents that the question names, or of passages that speak of those documents; all
    /// if there are none.
    fn filter_by_named_documents(&self, relevant: Vec<usize>) -> Vec<usize> {
        let cards = &self.input.evidence;
        let named = NamedDocuments::of(&self.input.question, cards, self.language);
        let concerned: BTreeSet<usize> =
            (0..cards.len()).filter(|&card| named.concerns(&cards[card], self.language)).collect();
        those_or_all(relevant, |&index| concerned.contains(&self.told[index].card))
    }

    /// Returns the statements below a title or heading with the number that the question names, such as "2.0" or "第3条";
    /// all if there are none.
    fn filter_by_asked_number(&self, relevant: Vec<usize>) -> Vec<usize> {
        let named = clauses(self.question());
        let is_of_it = |&index: &usize| !clauses_of(&self.told[index].statement).is_disjoint(&named);
        if !named.is_empty() && relevant.iter().any(is_of_it) {
            return relevant.into_iter().filter(is_of_it).collect();
        }
        // The numbers of a brief's parts are in none of the parts.
        let wanted = Demands::of(self.question(), self.language);
        those_or_all(relevant, |&index| {
            let card = &self.input.evidence[self.told[index].card];
            let headings = self.told[index].statement.headings();
            wanted.is_numbered_in(&format!("{} {} {headings}", card.title, card.place))
        })
    }

    /// Removes the statements of documents that others among them replace, unless the question names a year or
    /// compares.
    pub(super) fn drop_superseded(&self, relevant: Vec<usize>) -> Vec<usize> {
        self.drop_older(relevant, is_replaced)
    }

    /// Removes the statements of documents of which others among them are newer versions, unless the question asks for a
    /// change, names a year or compares.
    pub(super) fn drop_old_versions(&self, relevant: Vec<usize>) -> Vec<usize> {
        if self.changing {
            return relevant;
        }
        self.drop_older(relevant, |older, newer| is_newer_version(&newer.edition(), &older.edition()))
    }

    fn drop_older(
        &self,
        mut relevant: Vec<usize>,
        is_replaced: impl Fn(&EvidenceCard, &EvidenceCard) -> bool,
    ) -> Vec<usize> {
        let question = &self.input.question;
        if !years(question).is_empty() || compares(question) {
            return relevant;
        }
        let told: BTreeSet<usize> = relevant.iter().map(|&index| self.told[index].card).collect();
        let cards = &self.input.evidence;
        // A reply does not repeat the mail that it answers.
        let mails = cards.iter().filter(|card| begins_mail(card));
        let mut replaced: BTreeMap<&str, bool> = mails.map(|card| (card.path.as_str(), false)).collect();
        for &card in &told {
            let older = &cards[card];
            let is_replaced = |&newer: &usize| cards[newer].path != older.path && is_replaced(older, &cards[newer]);
            replaced.entry(older.path.as_str()).or_insert_with(|| told.iter().any(is_replaced));
        }
        let is_replaced = |index: usize| {
            let path = cards[self.told[index].card].path.as_str();
            replaced.get(path).copied().unwrap_or(false)
        };
        relevant.retain(|&index| !is_replaced(index));
        self.drop_deleted(relevant)
    }

    /// Removes the statements of articles that an amendment deletes.
    fn drop_deleted(&self, mut all: Vec<usize>) -> Vec<usize> {
        let cards = &self.input.evidence;
        let mut deleted: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        all.retain(|&index| {
            let one = &self.told[index];
            let card = &cards[one.card];
            let deleted = deleted.entry(&card.path).or_insert_with(|| deleted_clauses(card, cards));
            clauses_of(&one.statement).is_disjoint(deleted)
        });
        all
    }

    /// Removes the statements that have nothing to do with what is asked, whatever length is asked for: those of documents
    /// without the names that the question asks about, if some others have them; those of documents of which no passage
    /// holds much of the subject or comes near to it in meaning; and the items of minutes on other things.
    pub(super) fn drop_unrelated(&self, relevant: Vec<usize>) -> Vec<usize> {
        if self.foreign {
            return relevant;
        }
        let (mut subject, sets, names) = (self.subject(), self.terms_of_passages(), self.asked_names());
        let documents = |is_of_it: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
            let those = (0..self.told.len()).filter(|&index| is_of_it(index));
            those.map(|index| self.told[index].document).collect()
        };
        let mut named = documents(&|index| is_named(&names, &sets[self.told[index].card]));
        if named.len() * 2 > documents(&|_| true).len() {
            // Where most documents are on it, the others need not name it.
            named.clear();
            subject.retain(|term| names.iter().all(|name| !name.contains(term)));
        }
        let covered: Vec<f32> = sets.iter().map(|held| self.rarity.coverage(&subject, held)).collect();
        let best = covered.iter().copied().fold(0.0, f32::max);
        let closest = self.meant.iter().copied().fold(0.0, f32::max);
        let related = documents(&|index| {
            covered[self.told[index].card] >= RELATED * best || closest > 0.0 && self.meant[index] >= MEANT * closest
        });
        let minutes = documents(&|index| are_minutes(&self.input.evidence[self.told[index].card].title));
        let items: BTreeSet<usize> =
            minutes.iter().flat_map(|&document| self.document_part_on_subject(document)).collect();
        tracing::trace!(?named, ?related, ?covered, "related");
        those_or_all(relevant, |&index| {
            let document = self.told[index].document;
            (named.is_empty() || named.contains(&document))
                && related.contains(&document)
                && (!minutes.contains(&document) || items.contains(&index))
        })
    }

    /// If the subject of the change is one of many in the documents, keeps the statements that hold its words or come
    /// near to it in meaning. Versions of one document say the same of everything else, so of them only such statements
    /// are kept in any case.
    fn filter_by_changed_subject(&self, mut relevant: Vec<usize>) -> Vec<usize> {
        let subject = self.subject();
        let closest = relevant.iter().map(|&index| self.meant[index]).fold(0.0, f32::max);
        let is_on = |index: &usize| {
            self.coverage(&subject, *index) >= ON_SUBJECT || closest > 0.0 && self.meant[*index] >= MEANT * closest
        };
        if !self.subject_is_common && relevant.iter().any(is_on) {
            relevant.retain(is_on);
        }
        let versions = self.versions();
        let is_of_version = |index: &usize| versions.contains(&self.told[*index].document);
        let holds = |index: &usize| self.coverage(&subject, *index) >= ON_SUBJECT;
        if relevant.iter().any(|index| is_of_version(index) && holds(index)) {
            relevant.retain(|index| !is_of_version(index) || holds(index));
        }
        relevant
    }

    /// The documents of which another one is an older or a newer version.
    fn versions(&self) -> BTreeSet<usize> {
        let documents: BTreeMap<usize, &EvidenceCard> =
            self.told.iter().map(|one| (one.document, &self.input.evidence[one.card])).collect();
        let is_version = |one: &EvidenceCard, other: &EvidenceCard| {
            is_newer_version(&one.edition(), &other.edition()) || is_newer_version(&other.edition(), &one.edition())
        };
        let has_other = |card: &EvidenceCard| documents.values().any(|other| is_version(card, other));
        documents.iter().filter(|(_, card)| has_other(card)).map(|(&document, _)| document).collect()
    }

    /// Whether most documents are on what is asked about, so that naming it tells little.
    pub(super) fn is_common_subject(&self) -> bool {
        let subject = self.subject();
        let documents: BTreeSet<usize> = self.told.iter().map(|one| one.document).collect();
        let holding: BTreeSet<usize> = (0..self.told.len())
            .filter(|&index| self.coverage(&subject, index) >= ON_SUBJECT)
            .map(|index| self.told[index].document)
            .collect();
        subject.is_empty() || holding.len() * 2 >= documents.len()
    }

    /// Whether the question is short and only names its subject. One that tells somebody to tell is more than a name if
    /// the rest of it is a subject of the passages: "Tell me everything" names none.
    pub(super) fn is_name(&self) -> bool {
        let question = &self.input.question;
        let has_subject = || {
            let subject = self.subject();
            let holds = |held: &BTreeSet<String>| !held.is_disjoint(&subject);
            let mut cards = self.input.evidence.iter();
            self.terms_of_passages().iter().any(holds)
                || cards.any(|card| holds(&content_set(&title_and_file(card), self.language)))
        };
        let is_order = || orders_account(question, self.asked_in) && has_subject();
        !self.changing && !self.foreign && word_count(question) <= NAME_WORDS && !is_order()
    }

    /// If the question is a single word, keeps only the statements of passages that hold it; all if none does.
    fn filter_by_only_word(&self, relevant: Vec<usize>) -> Vec<usize> {
        if relates(&self.input.question) || !self.is_name() {
            return relevant;
        }
        let (subject, sets) = (self.subject(), self.terms_of_passages());
        let holds = |index: &usize| subject.is_subset(&sets[self.told[*index].card]);
        if subject.is_empty() { relevant } else { those_or_all(relevant, holds) }
    }

    /// The share of `subject` that a statement holds, together with its headings and its passage's title and headings.
    fn coverage(&self, subject: &BTreeSet<String>, index: usize) -> f32 {
        self.rarity.coverage(subject, &self.held(index))
    }

    /// The terms of a statement, of its headings, and of its passage's title and headings.
    fn held(&self, index: usize) -> BTreeSet<String> {
        let mut held = self.terms_below_headings(index);
        held.extend(self.contexts[self.told[index].card].iter().cloned());
        held
    }

    /// Whether one of these statements holds all words that say what is asked. A statement with a figure need not call
    /// it an amount.
    pub(super) fn holds_all_asked(&self, chosen: &[usize]) -> bool {
        let mut asked = self.subject();
        asked.retain(|term| is_informative_term(term) && !term.contains(PARTICLES));
        let amounts = content_set(AMOUNTS, self.language);
        let has_figure = |index: usize| self.told[index].text.contains(|c: char| c.is_numeric());
        chosen.iter().any(|&index| {
            let held = self.held(index);
            let is_held = asked.difference(&held).all(|term| has_figure(index) && amounts.contains(term));
            is_held && !asked.is_subset(&amounts)
        })
    }

    /// The terms of a statement and of the headings above it within its passage.
    fn terms_below_headings(&self, index: usize) -> BTreeSet<String> {
        let one = &self.told[index];
        let mut terms = content_set(&one.statement.headings(), self.language);
        terms.extend(one.terms.iter().cloned());
        terms
    }
}

#[cfg(test)]
mod tests;
