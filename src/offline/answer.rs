//! The report on a question that asks for one thing: the answer in its source's words, statements that support it,
//! other answers of other documents, and a few more passages. If nothing answers, the report says so.
//!
//! The reader decides which passage answers, and with which words. If it does not know the language, the report tells
//! the statements nearest to the question. Accounts of a topic are written in [`super::write`].

mod written;

use std::collections::BTreeSet;

use super::account;
use super::brief;
use super::candidates::{Asked, Candidate, best_cards, candidates, standing};
use super::change::holds;
use super::clauses::clauses_of;
use super::entities::name_terms;
use super::force::{
    amendment_in_document, at_asked_time, deleted_clauses, is_replaced, retain_asked_versions, successor,
};
use super::joined::split_joined_question;
use super::lookup::total::{Total, names_total};
use super::lookup::{Asking, asks_for_whole_table};
use super::namesakes::are_namesakes;
use super::prose::is_context_dependent;
use super::render::{heading_text, searched_for};
use super::statements::{Form, Statement, points_ahead, statements_in};
use super::tables::{Place, tables};
use super::terms::{compact, content_set, question_terms, same, word_count};
use super::wanted::AskedTime;
use crate::base::text::{Language, is_cjk, is_hiragana, is_kana};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::cite::fence::with_levels;
use crate::report::{Words, are_parallel_documents, is_amendment_of, stated_changes};

use written::{AnswerText, LISTED};

/// Most words of the text before the sources.
const WORDS: usize = 105;

/// Most words of the answer to one part of a brief.
const PART_WORDS: usize = 160;

/// Most statements that support the answer, and the most words that they may have together.
const SUPPORT: usize = 3;
const SUPPORT_WORDS: usize = 45;

/// Most other answers, and most other passages, that are listed.
const OTHERS: usize = 5;

/// Words within a statement that point to the one before it.
const POINTING: [&str; 3] = [" in this ", " to this ", " of this "];

/// From this score on, the answer is told as certain; below it as probable.
const SURE: f32 = 10.5;

/// How many of the nearest document's best statements decide whether it speaks of what is asked, and the lowest mean of
/// their scores, by the reader and shared words alone, at which it does.
const NEAREST_READ: usize = 4;
const SPEAKS: f32 = -2.5;

/// Below this score nothing answers the question.
const PROBABLE: f32 = 9.8;

/// Words of the statements nearest to the question, if no reader knows the language.
const NEAREST: usize = 75;

/// The lowest score of another answer that is shown, and the most that it may fall behind the best one.
const ANOTHER: f32 = 6.5;
const CLOSE: f32 = 8.0;

/// The lowest score of other passages that are listed; they may also not fall behind the answer by more than [`CLOSE`].
const WORTH: f32 = 4.5;

/// How far ahead in `order` a candidate in another language than the question's must be to lead.
const OWN: f32 = 2.0;

/// The share of the question's words in the best statement that another one must hold to be on the same subject.
const SUBJECT: f32 = 0.75;

/// If its words alone make the best answer this sure, it stands alone.
const CERTAIN: f32 = 7.5;

/// If the next best candidate's score comes this close to the best one's, the opening tells it as well.
const SECOND: f32 = 5.0;

/// The opening of an account.
pub(super) struct Opening {
    /// The answer, if there is a sure one.
    pub text: String,
    /// Whether the documents speak of what is asked.
    pub speaks: bool,
    /// Whether the answer is all that is asked for: the value of one cell of a table.
    pub is_all: bool,
}

/// Writes the opening of an account of the question.
pub(super) fn opening(input: &WriteInput, language: Language, phrases: &Words) -> Opening {
    let asked = Asked { question: &input.question, search: 0, language };
    let found = candidates(input, asked);
    let best = found.iter().max_by(|a, b| a.order.total_cmp(&b.order));
    let is_all = best.is_some_and(|best| best.looked_up);
    let speaks = speaks(input, &found);
    Opening { text: one_answer(input, asked, found, SURE, 0, phrases), speaks, is_all }
}

/// Whether the documents speak of what is asked: in the one that the search ranks highest, the reader takes several
/// statements for answers.
fn speaks(input: &WriteInput, found: &[Candidate]) -> bool {
    let card = |one: &Candidate| &input.evidence[one.card];
    let is_own = |one: &Candidate| is_wide(one) == input.question.contains(is_cjk);
    let near = |one: &Candidate| standing(card(one), 0);
    let nearest = found.iter().max_by(|a, b| is_own(a).cmp(&is_own(b)).then(near(a).total_cmp(&near(b))));
    let Some(nearest) = nearest else { return false };
    let of_it = found.iter().filter(|one| card(one).path == card(nearest).path);
    let mut read: Vec<f32> = of_it.flat_map(|one| &one.read).copied().collect();
    read.sort_by(|a, b| b.total_cmp(a));
    read.truncate(NEAREST_READ);
    read.iter().sum::<f32>() >= SPEAKS * read.len() as f32
}

/// Returns the report in pieces: one answer, or one below the heading of each part of a brief.
pub(super) fn answer(input: &WriteInput, language: Language, phrases: &Words) -> Vec<String> {
    let parts = brief::parts(&input.question, language);
    if parts.is_empty() {
        let asked = Asked { question: &input.question, search: 0, language };
        return vec![one_answer(input, asked, candidates(input, asked), PROBABLE, WORDS, phrases)];
    }
    let searches: Vec<usize> =
        parts.iter().map(|part| input.asked.iter().position(|asked| asked.text == part.query).unwrap_or(0)).collect();
    let told = account::parts(input, &parts, &searches, language, PART_WORDS);
    let mut pieces = Vec::new();
    for ((part, &search), told) in parts.iter().zip(&searches).zip(told) {
        let answer = if told.is_empty() {
            let asked = Asked { question: &part.query, search, language };
            one_answer(input, asked, candidates(input, asked), PROBABLE, PART_WORDS, phrases)
        } else {
            told
        };
        pieces.push(format!("## {}\n\n{}", heading_text(&part.text), with_levels(&answer, |level| Some(level + 1))));
    }
    pieces
}

/// Writes the answer if its score is at least `least`, with other passages while the text has fewer than `words` words.
fn one_answer(
    input: &WriteInput,
    asked: Asked<'_>,
    mut found: Vec<Candidate>,
    least: f32,
    words: usize,
    phrases: &Words,
) -> String {
    found.sort_by(|a, b| b.order.total_cmp(&a.order).then(a.card.cmp(&b.card)));
    let mut said = BTreeSet::new();
    found.retain(|one| said.insert(compact(&one.statement.shown())));
    // An account tells passages in other languages among the rest.
    let elsewhere =
        || if words > 0 { account::nearest_in_other_language(input, asked, NEAREST, phrases) } else { None };
    if found.is_empty() {
        if let Some(total) = total(input, asked, None) {
            return total;
        }
        let words = if words > 0 { NEAREST } else { SUPPORT_WORDS };
        // Of a document with versions, the one that applied at the time asked for.
        let then = at_asked_time(input, asked).filter(|then| {
            let best = best_cards(input, asked.search).first().map(|&best| &input.evidence[best]);
            let applied = |card: &&EvidenceCard| !card.text.trim().is_empty();
            best.is_some_and(|best| then.evidence.iter().filter(applied).any(|card| is_replaced(card, best)))
        });
        let (input, asked) = match &then {
            Some(then) => (then, Asked { question: &then.question, ..asked }),
            None => (input, asked),
        };
        let nearest = account::nearest(input, asked, words, phrases, elsewhere);
        return nearest.unwrap_or_else(|| not_found(input, asked, &found, phrases));
    }
    tracing::debug!(best = ?found.iter().take(3).map(|one| (one.score, one.sure, &one.answer)).collect::<Vec<_>>(), "answers");
    let answers = |one: &Candidate| one.score >= least;
    let time = AskedTime::of(asked.question);
    let takes_effect_later =
        |one: &Candidate| time.as_ref().is_some_and(|time| time.is_before_effect_of(&one.statement.shown()));
    if (!answers(&found[0]) || takes_effect_later(&found[0]))
        && let Some(then) = at_asked_time(input, asked)
    {
        let asked = Asked { question: &then.question, ..asked };
        let held = candidates(&then, asked);
        if held.iter().max_by(|a, b| a.order.total_cmp(&b.order)).is_some_and(answers) {
            return one_answer(&then, asked, held, least, words, phrases);
        }
    }
    found.retain(|one| !takes_effect_later(one));
    retain_asked_versions(&mut found, &input.evidence, asked, answers);
    prefer_question_language(&mut found, asked.question, answers);
    let row = found.first().filter(|one| one.statement.form == Form::Row);
    if (row.is_some() || !found.first().is_some_and(answers))
        && let Some(total) = total(input, asked, row)
    {
        return total;
    }
    if !found.first().is_some_and(answers) {
        return elsewhere().unwrap_or_else(|| not_found(input, asked, &found, phrases));
    }
    let InForce { mut found, repeal, old } = replace_superseded(found, input, asked);
    let mut written = AnswerText::behind(String::new(), &input.evidence);
    // Which row has the most or the least cannot be told without its column.
    let lead = &found[0];
    let is_guess = lead.statement.form == Form::Row && !lead.looked_up && asks_for_whole_table(asked.question);
    if lead.score < SURE || is_guess {
        written.introduce(phrases.probably);
    }
    let mut lead: Vec<&Candidate> = [&found[0]].into_iter().chain(&repeal).collect();
    // In the order of their document.
    lead.sort_by_key(|one| (one.card, one.statement.range.start));
    for one in lead {
        written.statement(one);
    }
    if let Some(old) = &old {
        written.introduce(phrases.before);
        written.more(old.card, &old.statement, "");
    }
    for other in found.iter_mut().skip(1).take(OTHERS) {
        if let Some(current) = amendment_in_document(other, &input.evidence, asked) {
            *other = current;
        }
    }
    let alike = same_subject_flags(&found, old.as_ref(), input, asked);
    support(&mut written, &found, &alike, old.as_ref());
    // In an account several things may be asked for, of which one document tells some and another one others.
    let different = if words == 0 { Vec::new() } else { different(&found, &alike, input) };
    let second = second(&found, &alike, &different, &written.shown);
    if let Some(second) = second.filter(|&second| shares_words(&found[0], &found[second], asked)) {
        written.statement(&found[second]);
    }
    written.push("\n\n");
    let (namesakes, different): (Vec<usize>, Vec<usize>) = different.into_iter().partition(|&other| {
        are_namesakes(asked.question, &input.evidence[found[0].card], &input.evidence[found[other].card])
    });
    written.list(phrases.different, &found, &different, usize::MAX, phrases);
    written.list(phrases.namesakes, &found, &namesakes, usize::MAX, phrases);
    let asks_for_more = split_joined_question(asked.question).is_some() || asked.question.contains([':', '：']);
    let least = if asks_for_more { WORTH } else { WORTH.max(found[0].score - CLOSE) };
    let others = others(&found, &written.shown, least);
    written.list(phrases.further, &found, &others, words, phrases);
    written.text
}

/// Writes the total that the question asks for, if it has to be added up from the rows of a table: the one to which the
/// best candidate belongs, or else the only one that has it.
fn total(input: &WriteInput, asked: Asked<'_>, lead: Option<&Candidate>) -> Option<String> {
    if !names_total(asked.question) {
        return None;
    }
    let evidence = &input.evidence;
    let asking = Asking::new(asked.question, asked.language);
    let stated: Vec<Vec<Statement>> = (0..evidence.len()).map(|card| statements_in(evidence, card)).collect();
    let tables = tables(&evidence.iter().collect::<Vec<_>>(), &stated);
    let rows = |table: &[Place]| table.iter().map(|&(card, index)| &stated[card][index]).collect::<Vec<_>>();
    let has_lead = |table: &&Vec<Place>| {
        lead.is_none_or(|lead| {
            table.iter().any(|&(card, at)| card == lead.card && stated[card][at].range == lead.statement.range)
        })
    };
    let of_table = |table: &Vec<Place>| {
        let card = &evidence[table[0].0];
        let total = Total::of(&asking, &rows(table), &format!("{} {}", card.title, card.file_name()))?;
        let cited: BTreeSet<usize> = total.parts.iter().map(|&(row, ..)| table[row].0).collect();
        let mut written = AnswerText::behind(String::new(), evidence);
        written.total(&total, &cited);
        Some(written.text)
    };
    let mut found = tables.iter().filter(has_lead).filter_map(of_table);
    found.next().filter(|_| found.next().is_none())
}

/// Puts the best candidate in the question's own language first if it answers about as well: another language is not
/// needed then.
fn prefer_question_language(found: &mut [Candidate], question: &str, answers: impl Fn(&Candidate) -> bool) {
    let is_wide = question.contains(is_cjk);
    if let Some(own) = found.iter().position(|one| answers(one) && one.statement.shown().contains(is_cjk) == is_wide)
        && found[own].order >= found[0].order - OWN
    {
        found[..=own].rotate_right(1);
    }
}

/// The candidates that are in force today.
struct InForce {
    /// The first one is in force and replaces none of the others.
    found: Vec<Candidate>,
    /// The statement in which its document repeals the older one.
    repeal: Option<Candidate>,
    /// The statement that was in force in its place before.
    old: Option<Candidate>,
}

/// Puts the statement that is in force in the place of the first candidate, and drops the others that it replaces.
fn replace_superseded(mut found: Vec<Candidate>, input: &WriteInput, asked: Asked<'_>) -> InForce {
    let mut rest = found.split_off(1);
    let mut first = found.remove(0);
    let (mut old, mut repeal) = (None, None);
    // The values that were replaced on the way, each as the old and the new words.
    let mut changes: Vec<[String; 2]> = Vec::new();
    let mut note_changes = |one: &Candidate| {
        let shown = one.statement.shown();
        let own = stated_changes(&shown).into_iter().filter(|[_, new]| one.answer == *new);
        changes.extend(own.map(|change| change.map(str::to_owned)));
    };
    note_changes(&first);
    let card = |one: &Candidate| &input.evidence[one.card];
    // What replaces it may be replaced in turn.
    let mut documents = BTreeSet::new();
    while documents.insert(&card(&first).path)
        && let Some(current) = successor(&first, input, asked)
    {
        repeal = current.repeal;
        note_changes(&current.lead);
        old = Some(std::mem::replace(&mut first, current.lead));
    }
    let is_deleted =
        |one: &Candidate| !clauses_of(&one.statement).is_disjoint(&deleted_clauses(card(one), &input.evidence));
    let is_old_value = |one: &Candidate| changes.iter().any(|[old, _]| holds(&one.answer, old));
    // An amendment may be the best candidate itself; what it amends may stand beside it.
    let is_amended = |one: &Candidate| {
        let is_first =
            |current: Candidate| (current.card, current.statement.range) == (first.card, first.statement.range.clone());
        is_amendment_of(&card(&first).edition(), &card(one).edition())
            && successor(one, input, asked).is_some_and(|current| is_first(current.lead))
    };
    rest.retain(|one| !is_replaced(card(one), card(&first)) && !is_deleted(one) && !is_old_value(one));
    let (amended, rest): (Vec<Candidate>, Vec<Candidate>) = rest.into_iter().partition(is_amended);
    let old = old.or(amended.into_iter().next());
    let old = old.filter(|old| compact(&old.statement.text) != compact(&first.statement.text));
    InForce { found: std::iter::once(first).chain(rest).collect(), repeal, old }
}

/// Adds statements that support the first candidate's answer: the one that it leans on, unless that is `old` and told
/// already, and then the list that it introduces, or else those of other documents with the same answer.
fn support(written: &mut AnswerText<'_>, found: &[Candidate], alike: &[bool], old: Option<&Candidate>) {
    let (lead, evidence) = (&found[0], written.evidence);
    let mut room = SUPPORT_WORDS;
    let mut told = 0;
    let all = statements_in(evidence, lead.card);
    let place = all.iter().position(|one| one.range == lead.statement.range);
    if let Some(place) = place
        && (is_context_dependent(&lead.statement.text)
            || POINTING.iter().any(|word| lead.statement.text.contains(word)))
        && let Some(before) = place.checked_sub(1).and_then(|before| all.get(before))
        && lead.behind.as_ref().is_none_or(|(card, one)| *card != lead.card || one.range != before.range)
        && old.is_none_or(|old| old.card != lead.card || old.statement.range != before.range)
        && word_count(&before.shown()) <= room
    {
        room -= word_count(&before.shown());
        told += 1;
        written.more(lead.card, before, "");
    }
    if let Some(after) = place.map(|place| &all[place + 1..]) {
        let (introduces, ahead) = (&lead.statement.text, points_ahead(&lead.statement.text));
        let is_listed =
            |one: &&Statement| one.form == Form::Item && (one.lead == *introduces || ahead && one.lead.is_empty());
        let items = after.iter().take_while(is_listed).take(OTHERS + SUPPORT);
        let items: Vec<(usize, &Statement)> = items.map(|item| (lead.card, item)).collect();
        if !items.is_empty() {
            written.items(&items, LISTED);
            return;
        }
    }
    if lead.answer.is_empty() {
        return;
    }
    for (other, _) in found.iter().zip(alike).skip(1).filter(|(_, alike)| **alike) {
        let words = word_count(&other.statement.shown());
        let says_same = !other.answer.is_empty() && same(&other.answer, &lead.answer) && other.score >= SURE;
        let repeats = evidence[other.card].path == evidence[lead.card].path
            || compact(&other.statement.text) == compact(&lead.statement.text);
        if told < SUPPORT && says_same && !repeats && words <= room {
            room -= words;
            told += 1;
            written.more(other.card, &other.statement, &other.answer);
        }
    }
}

/// Returns the next best candidate if it is nearly as good as the best one, so that the opening holds both.
fn second(found: &[Candidate], alike: &[bool], different: &[usize], shown: &BTreeSet<usize>) -> Option<usize> {
    let next = (1..found.len()).find(|&index| found[index].card != found[0].card)?;
    // The second of two rows is mostly about something else.
    let are_rows = [&found[0], &found[next]].iter().all(|one| one.statement.form == Form::Row);
    if are_rows && !alike[next] {
        return None;
    }
    let unsure = !found[0].looked_up && found[0].sure < CERTAIN && found[0].score - found[next].score < SECOND;
    let new =
        !different.contains(&next) && !shown.contains(&found[next].card) && is_wide(&found[0]) == is_wide(&found[next]);
    (unsure && !is_context_dependent(&found[next].statement.text) && new && found[next].score >= PROBABLE)
        .then_some(next)
}

/// Whether another statement holds some of the question's words, figures aside, if the first one does.
fn shares_words(lead: &Candidate, other: &Candidate, asked: Asked<'_>) -> bool {
    let mut wanted = question_terms(asked.question, asked.language);
    wanted.retain(|term| is_word(term) && !term.contains(char::is_numeric));
    let lacks = |one: &Candidate| {
        let held = format!("{} {}", one.statement.headings(), one.statement.shown());
        wanted.is_disjoint(&content_set(&held, asked.language))
    };
    lacks(lead) || !lacks(other)
}

/// Whether each candidate is on the same subject as the first: it holds the names and numbers of the question that the
/// first one, or `old`, the statement in its place before, holds, and most of the other words that these hold.
fn same_subject_flags(found: &[Candidate], old: Option<&Candidate>, input: &WriteInput, asked: Asked<'_>) -> Vec<bool> {
    let held = |one: &Candidate| -> BTreeSet<String> {
        let card = &input.evidence[one.card];
        let around = format!("{} {} {} {}", card.title, card.place, one.statement.headings(), one.statement.shown());
        content_set(&around, asked.language)
    };
    let mut sets: Vec<BTreeSet<String>> = found.iter().map(held).collect();
    sets[0].extend(old.into_iter().flat_map(held));
    let by_lead = &sets[0];
    let of_lead = |terms: BTreeSet<String>| -> BTreeSet<String> {
        terms.into_iter().filter(|term| by_lead.contains(term) && is_word(term)).collect()
    };
    let wanted = of_lead(question_terms(asked.question, asked.language));
    let mut needed: BTreeSet<String> = wanted.iter().filter(|term| term.contains(char::is_numeric)).cloned().collect();
    for name in name_terms(asked.question, asked.language) {
        let (of_name, held) = (name.len(), of_lead(name));
        // A lesser part of a name counts as ordinary words.
        if held.len() * 2 >= of_name {
            needed.extend(held);
        }
    }
    let is_on = |held: &BTreeSet<String>| {
        let shared = wanted.intersection(held).count();
        shared > 0 && needed.is_subset(held) && shared as f32 >= SUBJECT * wanted.len() as f32
    };
    sets.iter().map(is_on).collect()
}

/// Whether a term says what something is about. In scripts without spaces only single ideographs and pairs of katakana
/// do: other pairs of characters depend on what stands beside a word.
fn is_word(term: &str) -> bool {
    let is_pair = term.chars().nth(1).is_some();
    !term.contains(|c: char| is_hiragana(c) || is_pair && is_cjk(c) && !is_kana(c))
}

/// Returns candidates of other documents with other answers, one for each answer. They must be on the same subject and
/// not be another issue of the lead's series.
fn different(found: &[Candidate], alike: &[bool], input: &WriteInput) -> Vec<usize> {
    let lead = &found[0];
    let card = |one: &Candidate| &input.evidence[one.card];
    let mut answers = vec![lead.answer.as_str()];
    let mut different = Vec::new();
    if lead.answer.is_empty() {
        return different;
    }
    for (index, other) in found.iter().enumerate() {
        let sure = other.score >= ANOTHER && lead.score - other.score <= CLOSE && !other.answer.is_empty();
        let new = input.evidence[other.card].path != input.evidence[lead.card].path
            && !answers.iter().any(|answer| same(answer, &other.answer));
        let fits = alike[index] && alike_in_kind(&lead.answer, &other.answer);
        let fits = fits && !are_parallel_documents(&card(lead).edition(), &card(other).edition());
        if sure && new && fits && different.len() < OTHERS {
            answers.push(&other.answer);
            different.push(index);
        }
    }
    different
}

/// Returns candidates that are not told yet and may add something, in the script of what is told, best first.
fn others(found: &[Candidate], shown: &BTreeSet<usize>, least: f32) -> Vec<usize> {
    let adds = |one: &Candidate| one.score >= least && is_wide(one) == is_wide(&found[0]) && !shown.contains(&one.card);
    (0..found.len()).filter(|index| adds(&found[*index])).take(OTHERS).collect()
}

/// Whether a candidate holds text in a script without spaces.
fn is_wide(one: &Candidate) -> bool {
    one.statement.text.contains(is_cjk)
}

/// Whether both answers have figures, or neither has: a year does not contradict a name, and neither does a count such
/// as 三社.
fn alike_in_kind(one: &str, other: &str) -> bool {
    let counts = |(digit, counter): (char, char)| {
        "一二三四五六七八九十百千".contains(digit) && "社人名件個台店回枚冊".contains(counter)
    };
    let figures =
        |text: &str| text.contains(|c: char| c.is_numeric()) || text.chars().zip(text.chars().skip(1)).any(counts);
    figures(one) == figures(other)
}

/// Writes the report if nothing answers: what was searched for, and the nearest passage found.
fn not_found(input: &WriteInput, asked: Asked<'_>, found: &[Candidate], phrases: &Words) -> String {
    let mut text = format!("{}\n\n", phrases.not_found);
    // Searches for names that passages brought in say nothing of what is missing.
    let wanted = content_set(asked.question, asked.language);
    let searched = input.asked.iter().enumerate().filter(|(index, search)| {
        *index == asked.search || asked.search == 0 && content_set(&search.text, asked.language).is_subset(&wanted)
    });
    let searched: Vec<&str> = searched.map(|(_, search)| search.text.as_str()).collect();
    if !searched.is_empty() {
        text.push_str(&format!("{}\n\n", searched_for(&searched, phrases)));
    }
    let mut written = AnswerText::behind(text, &input.evidence);
    // A passage that shares no word with the question is not near to it, unless it is in another script.
    let shares = |one: &Candidate| {
        let card = &input.evidence[one.card];
        let held = format!("{} {} {} {}", card.title, card.place, card.text, one.statement.headings());
        one.statement.text.contains(is_cjk) != asked.question.contains(is_cjk)
            || !wanted.is_disjoint(&content_set(&held, asked.language))
    };
    if found.first().is_some_and(shares) {
        written.list(phrases.nearest, found, &[0], usize::MAX, phrases);
    }
    written.text
}

#[cfg(test)]
mod tests;
