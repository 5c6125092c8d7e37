//! The plan: the question itself, its parts, and for a broad question the facets that the collections offer.

use std::collections::BTreeSet;
use std::ops::Range;

use super::asking::{asks_for_account, opens_as_question};
use super::brief;
use super::change::asks_for_change;
use super::entities::entities;
use super::route::Routes;
use super::split;
use super::terms::{Rarity, asked_set, content_set, content_terms, has_word, language_of, spoken_by, word_count};
use crate::base::text::formula::formula;
use crate::base::text::{Language, is_cjk};
use crate::llm::purpose::{CollectionCard, Plan, PlanInput, PlannedQuery};
use crate::report::readable_title;

/// Longest facet, in words.
const FACET_WORDS: usize = 9;

/// Sub-queries for `input`, the question itself first.
pub(super) fn plan(input: &PlanInput) -> Plan {
    let samples = input.collections.iter().flat_map(|card| card.samples.iter().map(|sample| sample.text.as_str()));
    let language = language_of(&input.language, &input.question, samples);
    let question = brief::without_instructions(&input.question);
    let routes = Routes::new(&input.collections, language);
    let room = input.max_sub_queries.max(1) - 1;

    let brief: Vec<String> = brief::parts(&input.question, language).into_iter().map(|part| part.query).collect();
    let broad = brief.is_empty() && is_broad(&question, language);
    let parts = if brief.is_empty() { split::parts(&question, language) } else { brief };
    let mut texts: Vec<String> = Vec::new();
    if broad {
        let samples = input.collections.iter().flat_map(|card| card.samples.iter().map(|sample| sample.text.as_str()));
        let spoken = spoken_by(samples).most();
        let foreign = spoken != Language::UNKNOWN && spoken != language;
        // Documents in another language do not know the topic's words.
        let topic = if foreign { String::new() } else { topic(&question, language) };
        texts.extend(facets(&topic, &question, &input.collections, language, room));
    }
    // A broad question's only name is its topic, which every facet carries.
    let split = if broad { parts.iter().filter(|part| word_count(part) > 4).count() } else { parts.len() };
    if !broad || split > 1 {
        texts.splice(0..0, parts.iter().cloned());
    }
    texts.truncate(room);

    let reason = match (texts.is_empty(), broad) {
        (true, _) => "The question is searched as it stands; it has no parts to take apart.".to_owned(),
        (_, true) => "The question is broad: it is searched as it stands, and by the subjects that the collections \
                      offer on it."
            .to_owned(),
        (_, false) => {
            "The question names several things: it is searched as it stands, and each part on its own.".to_owned()
        }
    };
    let mut sub_queries = vec![PlannedQuery { query: question, collections: Vec::new() }];
    sub_queries.extend(texts.into_iter().map(|query| {
        let collections = routes.of(&query, language);
        PlannedQuery { query, collections }
    }));
    Plan { reason, sub_queries }
}

/// What asks for an account in languages that are written without spaces, anywhere in the question.
const ACCOUNTS_WIDE: &str = "概要|経緯|歴史|変遷|まとめて|説明して|述べて|紹介して|比較して|比べて|要約して|总结|介绍|历史|概述|\
     概括|归纳|梳理|讲讲|的经过|的情况|进展|前前后后|来龙去脉";

/// Japanese nouns for what takes more than a few words to tell.
const TOLD_WIDE: [&str; 9] = ["理由", "背景", "影響", "状況", "内容", "対策", "業績", "特徴", "課題"];

/// What asks for one thing in languages that are written without spaces.
const NARROW_WIDE: [&str; 15] = [
    "誰",
    "なぜ",
    "いつ",
    "どこ",
    "いくつ",
    "いくら",
    "どれ",
    "どの人",
    "を教えて",
    "谁",
    "哪",
    "几",
    "多少",
    "吗",
    "什么",
];

/// A longer text, in words, is a brief, even where its parts are not numbered.
const BRIEF_WORDS: usize = 24;

/// What a text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// One thing, as "Who wrote it?".
    OneThing,
    /// An account of a subject: it says so, it asks how something became what it is, or it is a brief.
    Account,
    /// Nothing, but it names something of something, as "golden age" or "hotel limit in London".
    Subject,
}

/// Whether a report on the question is an account and not an answer.
pub(super) fn is_broad(question: &str, language: Language) -> bool {
    wish(question, language) != Wish::OneThing
}

/// What a question asks for.
pub(super) fn wish(question: &str, language: Language) -> Wish {
    let lower = question.trim_start_matches(['¿', '¡', ' ']).to_lowercase();
    if content_terms(question, language).is_empty() || asks_within(&lower) {
        return Wish::OneThing;
    }
    if asks_for_account(question, language) || asks_how_it_stands(&lower) {
        return Wish::Account;
    }
    let asks = lower.trim_end().ends_with(['?', '？']);
    // One word alone names no part of anything.
    let of = |account: bool, subject: bool| match (account, subject) {
        (false, true) if relates(question) => Wish::Subject,
        (false, false) => Wish::OneThing,
        _ => Wish::Account,
    };
    if question.chars().any(is_cjk) {
        // "…の上限は" leaves the asking word out; "…の理由は" and "…の状況を教えて" still ask for an account.
        let lower_end = lower.trim_end_matches(['。', ' ', '?', '？']);
        let of_what =
            ["は", "を教えて", "を教えてください", "を教えて下さい"].iter().find_map(|end| lower_end.strip_suffix(end));
        let told = of_what.filter(|rest| TOLD_WIDE.iter().any(|noun| rest.ends_with(noun)));
        let asks = (asks || lower_end.ends_with(['か', 'は'])) && told.is_none();
        let lower = told.unwrap_or(&lower);
        let changes = asks_for_change(question);
        let wishes = ["たい", "たいです", "たいのですが"].iter().any(|end| lower.trim_end_matches('。').ends_with(end));
        let narrow = NARROW_WIDE.iter().any(|mark| lower.contains(mark))
            || lower.contains('何') && !changes
            || wishes && !lower.contains("について");
        // "How" asks for an account of a change, and else for a way.
        let wide = ACCOUNTS_WIDE.split('|').any(|mark| lower.contains(mark)) || lower.contains("について教えて");
        let account = wide || lower.contains("どのように") && changes;
        return of(account && !lower.contains("なぜ"), !asks && !narrow);
    }
    let became = lower.starts_with("how did ") && asks_for_change(question);
    let is_brief = !asks && word_count(question) > BRIEF_WORDS;
    let names_subject = !asks && !opens_as_question(question, language) && entities(question, language).len() <= 1;
    of(asks_what_is_said(&lower) || became || is_brief, names_subject && word_count(question) <= 10)
}

/// Whether a question asks for the state of something, as "How does the project stand?".
fn asks_how_it_stands(lower: &str) -> bool {
    let opens = |openings: &[&str]| openings.iter().any(|opening| lower.starts_with(opening));
    opens(&["how does ", "how do ", "where do we "]) && has_word(lower, &["stand"])
        || opens(&["how is ", "how are ", "how has ", "how have "])
            && has_word(lower, &["going", "progressing", "progressed", "proceeding"])
}

/// Whether a phrase names something of something else: it has several words, or a particle between two.
fn relates(phrase: &str) -> bool {
    phrase.trim().contains(char::is_whitespace) || phrase.contains(['の', 'が'])
}

/// Whether a question that is not broad is answered by several statements: it asks for several things, or how something is
/// done or meant.
pub(super) fn asks_for_several(question: &str) -> bool {
    const WIDE: &str = "どのような|どんな|何があり|違いは|どう違|どのように|何が決|何を決|何が話|何を話|何が挙|何が報告|何を報告|\
        何が予定|何をしなければ|何をすれば|何をすべき|何をいつまで";
    const REPORTED: &str = "decide agree discuss conclude decided agreed discussed concluded recommended raised reported planned proposed ordered";
    // Nouns, too, so only behind "did".
    const REPORT: &str = "recommend raise report plan propose order";
    let lower = question.trim().to_lowercase();
    if question.contains(is_cjk) {
        return WIDE.split('|').any(|words| lower.contains(words));
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_plural = |word: &&str| word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    let has = |all: &[&str]| words.iter().any(|word| all.contains(word));
    let has_any = |verbs: &str| verbs.split_whitespace().any(|verb| words.contains(&verb));
    let is_reported = || has_any(REPORTED) || words.get(1) == Some(&"did") && has_any(REPORT);
    let is_to_do = || ["have to do", "need to do"].iter().any(|words| lower.contains(words));
    match words.as_slice() {
        ["what", "are" | "were", ..] => true,
        ["what", ..] if is_reported() || is_to_do() => true,
        ["who", "are" | "were", "the", rest @ ..] => rest.iter().any(is_plural),
        ["which", noun, ..] if is_plural(noun) => true,
        ["what", "is", "the", "difference", ..] => true,
        ["what", "is", .., "for"] => true,
        ["how", verb, subject, ..] => {
            ["do", "does", "should", "must", "may", "can", "are", "is"].contains(verb)
                && !["i", "you", "we", "one"].contains(subject)
                && !has(&["many", "much", "often", "long", "old"])
        }
        _ => false,
    }
}

/// Whether a question asks for all that somebody says of a subject, as in "what does the contract require of suppliers".
fn asks_what_is_said(lower: &str) -> bool {
    let Some(rest) = ["what does ", "what do "].iter().find_map(|opening| lower.strip_prefix(opening)) else {
        return false;
    };
    let words: Vec<&str> = rest.trim_end_matches(['?', ' ']).split_whitespace().collect();
    words.last().is_some_and(|last| *last == "say")
        || words.windows(2).any(|pair| {
            ["say", "require", "demand", "recommend"].contains(&pair[0])
                && ["of", "about", "on", "for"].contains(&pair[1])
        })
}

/// Whether a question that opens otherwise asks for one thing further on, as in "was born in what year" and "at the census,
/// what was".
fn asks_within(lower: &str) -> bool {
    const BEFORE: [&str; 9] = ["in", "on", "at", "by", "of", "from", "for", "to", "with"];
    const AMOUNTS: [&str; 4] = ["many", "much", "old", "long"];
    let words: Vec<&str> = lower.split_whitespace().collect();
    // "From which" and "to where" open a question; further on "in which" opens a clause.
    if let [before, word, ..] = words.as_slice()
        && BEFORE.contains(before)
        && ["which", "where", "whose", "when"].contains(word)
    {
        return true;
    }
    words.windows(2).any(|pair| {
        let [before, word] = *pair else { return false };
        let word = word.trim_end_matches(['?', '.', ',']);
        (["what", "whom", "who"].contains(&word) && BEFORE.contains(&before))
            || (word == "what" && before.ends_with(','))
            || (before == "how" && AMOUNTS.contains(&word))
    })
}

/// What a broad question is about: the name in it, else its content words; both where it asks how that has changed. Empty
/// where it only asks for a change of what the documents are about.
pub(super) fn topic(question: &str, language: Language) -> String {
    let names = entities(question, language);
    let changing = asks_for_change(question);
    if let Some(name) = names.iter().max_by_key(|entity| entity.words()).filter(|_| !changing) {
        return name.text.clone();
    }
    let asks = formula(question, language);
    if question.chars().any(is_cjk) {
        let end = asks.last().filter(|last| changing && last.start > 0).map_or(question.len(), |last| last.start);
        return question[..end].trim_end_matches(['?', '？', '。']).to_owned();
    }
    let words = content_terms(question, language).into_iter().map(|term| term.range).filter(|word| {
        !asks.iter().any(|asks| split::overlaps(asks, word))
            && !names.iter().any(|name| split::overlaps(&name.range, word))
    });
    let mut parts: Vec<Range<usize>> = words.chain(names.iter().map(|name| name.range.clone())).collect();
    parts.sort_by_key(|part| part.start);
    parts.into_iter().map(|part| &question[part]).collect::<Vec<_>>().join(" ")
}

/// A subject that a document or a collection offers.
struct Offer {
    text: String,
    /// Where it comes from: the offers of one folder do not crowd out the others.
    group: String,
    /// How well its document answers the question, from 0 to 1.
    score: f32,
    /// What it is about, beyond what is asked.
    terms: BTreeSet<String>,
    /// What its document is about.
    about: BTreeSet<String>,
}

/// Searches for the subjects that the collections offer: titles of documents that differ from each other, then headings,
/// then the words that stand out, one folder after the other so that none is left out.
fn facets(topic: &str, question: &str, collections: &[CollectionCard], language: Language, most: usize) -> Vec<String> {
    let asked: BTreeSet<String> =
        content_set(question, language).union(&content_set(topic, language)).cloned().collect();
    let mut taken: Vec<Offer> = Vec::new();
    let (mut titles, headings) = (titles(collections, topic, language), headings(collections, topic, language));
    // Most documents of a collection on the topic need not name it; of others only those are on it that do.
    let on_topic = asked_set(topic, language);
    let names_it = |offer: &Offer| on_topic.intersection(&offer.about).count() * 2 > on_topic.len();
    let naming = titles.iter().filter(|offer| names_it(offer)).count();
    if naming > 0 && naming * 2 < titles.len() {
        titles.retain(names_it);
    }
    for mut offers in [titles, headings] {
        for offer in &mut offers {
            offer.terms = offer.terms.difference(&asked).cloned().collect();
        }
        let rarity = Rarity::of(offers.iter().map(|offer| &offer.about));
        while taken.len() < most {
            let news = |offer: &Offer| {
                let alike = taken.iter().map(|other| rarity.overlap(&offer.about, &other.about));
                let crowd = taken.iter().filter(|other| other.group == offer.group).count();
                0.5 * offer.score - alike.max_by(f32::total_cmp).unwrap_or(0.0) - 0.5 * crowd as f32
            };
            let says_more = |offer: &Offer| {
                let known = |other: &Offer| offer.terms.intersection(&other.terms).count() * 2 >= offer.terms.len();
                !offer.terms.is_empty() && !taken.iter().any(known)
            };
            let best = (0..offers.len())
                .filter(|&index| says_more(&offers[index]))
                .max_by(|&a, &b| news(&offers[a]).total_cmp(&news(&offers[b])).then(b.cmp(&a)));
            let Some(best) = best else { break };
            taken.push(offers.swap_remove(best));
        }
    }
    let mut facets: Vec<String> = taken.iter().map(|offer| joined(topic, &offer.text)).collect();
    for card in collections {
        if facets.len() >= most {
            break;
        }
        facets.extend(own_words(card, collections, &asked, language).map(|words| joined(topic, &words)));
    }
    facets.truncate(most);
    facets
}

fn joined(topic: &str, facet: &str) -> String {
    if topic.is_empty() { facet.to_owned() } else { split::join(topic, &[facet]) }
}

fn titles(collections: &[CollectionCard], topic: &str, language: Language) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for card in collections {
        let best = card.samples.iter().map(|sample| sample.score).max_by(f32::total_cmp).unwrap_or(0.0);
        let mut seen = BTreeSet::new();
        for sample in card.samples.iter().filter(|sample| seen.insert(sample.path.as_str())) {
            let title = readable_title(&sample.title, card.samples.iter().map(|sample| sample.text.as_str()));
            let Some(text) = facet_of(&title, topic, language) else { continue };
            let folder = sample.path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
            offers.push(Offer {
                terms: content_set(&text, language),
                about: content_set(&format!("{title} {}", sample.text), language),
                group: format!("{}\n{folder}", card.name),
                score: if best > 0.0 { (sample.score / best).clamp(0.0, 1.0) } else { 0.0 },
                text,
            });
        }
    }
    offers
}

fn headings(collections: &[CollectionCard], topic: &str, language: Language) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for card in collections {
        for sample in &card.samples {
            let Some(text) = facet_of(last_heading(&sample.place), topic, language) else { continue };
            offers.push(Offer {
                terms: content_set(&text, language),
                about: content_set(&format!("{text} {}", sample.text), language),
                group: format!("{}\n{}", card.name, sample.path),
                score: 0.0,
                text,
            });
        }
    }
    offers
}

/// The words that this collection has and no other, without those that were asked.
fn own_words(
    card: &CollectionCard,
    collections: &[CollectionCard],
    asked: &BTreeSet<String>,
    language: Language,
) -> Option<String> {
    let elsewhere: BTreeSet<String> = collections
        .iter()
        .filter(|other| other.name != card.name)
        .flat_map(|other| content_set(&other.vocabulary.join(" "), language))
        .collect();
    let own: Vec<&str> = card
        .vocabulary
        .iter()
        .filter(|word| {
            let terms = content_set(word, language);
            !terms.is_empty()
                && terms.is_disjoint(&elsewhere)
                && terms.is_disjoint(asked)
                && word.chars().all(|c| c.is_alphabetic() || c == ' ')
        })
        .map(String::as_str)
        .take(3)
        .collect();
    (own.len() > 1).then(|| own.join(", "))
}

/// A title as a facet: its telling part, short enough to search for. A part that says what of the topic it treats is
/// the most telling one.
pub(super) fn facet_of(title: &str, topic: &str, language: Language) -> Option<String> {
    let parts: Vec<&str> = title.split([':', '：', '–', '—', '|']).map(str::trim).collect();
    let treats = parts.iter().find_map(|part| {
        let before = part.strip_suffix(topic).filter(|_| !topic.is_empty())?.trim_end();
        ["of", "about", "on", "in"].iter().find_map(|word| before.strip_suffix(word)?.strip_suffix(' '))
    });
    let telling = |part: &&&str| content_set(part, language).len() > 1 || part.chars().any(is_cjk);
    let short = match treats {
        Some(treats) => treats,
        None if parts.len() > 1 => parts.iter().find(telling).unwrap_or(&title),
        None => title,
    };
    let letters = short.chars().filter(|c| c.is_alphabetic()).count();
    let mut first = short.chars();
    let capital: String = first.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    (letters >= 3 && word_count(short) <= FACET_WORDS + 3).then(|| format!("{capital}{}", first.as_str()))
}

/// The innermost heading of a place such as `p. 3 · History › Production`.
fn last_heading(place: &str) -> &str {
    let last = place.rsplit(['›', '>', '»', '·', '|', '→']).next().unwrap_or_default().trim();
    let is_page = last.chars().filter(|c| c.is_alphabetic()).count() <= 4 && last.chars().any(|c| c.is_ascii_digit());
    if is_page { "" } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::{card, collection};

    fn input(question: &str, collections: Vec<CollectionCard>, max: usize) -> PlanInput {
        PlanInput {
            known: Vec::new(),
            question: question.to_owned(),
            language: "English".to_owned(),
            collections,
            max_sub_queries: max,
            today: "2026-01-01".to_owned(),
        }
    }

    fn queries(input: &PlanInput) -> Vec<String> {
        plan(input).sub_queries.into_iter().map(|query| query.query).collect()
    }

    #[test]
    fn the_question_itself_comes_first_and_the_limit_holds() {
        let check = |question: &str, max: usize| {
            let found = queries(&input(question, vec![], max));
            assert_eq!(found[0], question);
            assert!(found.len() <= max.max(1), "{found:?}");
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{found:?}");
        };
        let long = "Which of Anna Blume, Peter Holm, Max Frisch and Jane Doe wrote Red Sea, Blue Sea or Green Sea?";
        for max in 0..7 {
            check(long, max);
            check("How has The Simpsons changed over time?", max);
        }
    }

    #[test]
    fn broad_questions_take_their_facets_from_every_collection() {
        let mut audience = collection("audience", "ratings viewers households");
        audience.samples.push(card(0, "The first two years in numbers", "Against Cosby", "It had many viewers."));
        let mut history = collection("history", "studio cels broadcast");
        history.samples.push(card(0, "Drawing Springfield", "p. 2", "It was drawn by hand."));
        let found = queries(&input("How has The Simpsons changed over time?", vec![audience, history], 5));
        assert_eq!(
            found,
            [
                "How has The Simpsons changed over time?",
                "The Simpsons: The first two years in numbers",
                "The Simpsons: Drawing Springfield",
                "The Simpsons: Against Cosby",
                "The Simpsons: ratings, viewers, households",
            ]
        );
    }

    #[test]
    fn a_topic_is_what_changes() {
        let check =
            |question: &str, expected: &str| assert_eq!(topic(question, Language::ENGLISH), expected, "{question}");
        check("How has The Simpsons changed over time?", "The Simpsons");
        check("How have the ratings of The Simpsons changed?", "ratings The Simpsons");
        check("How has the show changed over time?", "");
        check("What is known about coral bleaching?", "coral bleaching");
    }

    #[test]
    fn several_statements_answer_what_asks_for_several_things() {
        let check = |question: &str, expected: bool| assert_eq!(asks_for_several(question), expected, "{question}");
        check("Who were the showrunners of The Simpsons?", true);
        check("Which words did the show bring into English?", true);
        check("How must debian/changelog be written?", true);
        check("What is the Replaces field for?", true);
        check("What did the board decide in June?", true);
        check("会議で何が決まりましたか。", true);
        check("入札までに何をしなければなりませんか。", true);
        check("What does a bidder have to do before the deadline?", true);
        check("What did we order from the supplier?", true);
        check("What will the board decide in June?", true);
        check("What is the order of the speakers?", false);
        check("What does the hall have?", false);
        check("弁室で何をしている人ですか。", false);
        check("どのような権限が必要ですか。", true);
        check("Who was the first mayor?", false);
        check("Which bus goes there?", false);
        check("How do I undo a commit?", false);
        check("How many seasons are there?", false);
        check("権限は何ですか。", false);
    }

    #[test]
    fn broad_is_one_topic_without_a_narrow_opening() {
        let check = |question: &str, expected: bool| {
            assert_eq!(is_broad(question, Language::ENGLISH), expected, "{question}");
        };
        check("How has The Simpsons changed over time?", true);
        check("What is known about coral bleaching?", true);
        check("school visit to Dunmore - what do we know about it?", true);
        check("What is the name of the waterfall in the country of the Bubye River?", false);
        check("How many seasons are there?", false);
        check("Who wrote Hamlet?", false);
        check("What did Anna Blume write about Peter Holm?", false);
        check("The state where Henry Worrall died has how many districts?", false);
        check("The soundtrack of the film was produced by a man born in what year?", false);
        check("At the census of 2011, what was the population of the city?", false);
        check("Tell me of the founder, who began in Maine, and the company", true);
        check("Describe the way in which The Simpsons changed", true);
        check("Tell me what is known about coral bleaching", true);
        check("", false);
        check("How did the harbour of Arles grow?", true);
        check("Who ran the harbour over the years?", true);
        check("What does the contract require of suppliers?", true);
        check("What does the laundry contract say?", true);
        check("How does the renewal of the lift stand in June?", true);
        check("Where do we stand with the tender?", true);
        check("Where does the statue stand?", false);
        check("How do I get the pump going?", false);
        check("What does the Company Law Directive article 11 require?", false);
        check("What are the rules for log files?", true);
        check("What changed at the harbour under Anna Blume?", true);
        check("東京に出張するときの宿泊費の上限は", false);
        check("計画未達の理由は", true);
        check("8月末の工事の状況を教えてください。", true);
        check("計画未達の責任者を教えてください。", false);
        check("The golden age of The Simpsons", true);
        check("How do I undo a commit but keep the changes?", false);
        check("What does the Pro plan cost?", false);
        check("Am I allowed to use private USB sticks?", false);
        check("How loud is the pump?", false);
        let check = |question: &str, expected: bool| {
            assert_eq!(is_broad(question, Language::from_code("jpn")), expected, "{question}");
        };
        check("東京はどのように発展したか", true);
        check("宿泊費", true);
        check("大阪支社の電話番号は？", false);
        check("第二工場の操業開始はいつですか。", false);
        check("産業医の先生の名前を教えてください。", false);
        check("東京について教えてください", true);
        check("返品は何台でしたか", false);
        check("会議室の予約を取り消したい。", false);
        check("休暇をどのように申請しますか。", false);
        check("東京の歴史について調べたい", true);
        let check = |question: &str, expected: Wish| {
            assert_eq!(wish(question, Language::from_code("jpn")), expected, "{question}");
        };
        check("本社の電話番号", Wish::Subject);
        check("宿泊費", Wish::Account);
        check("装置が故障したときの連絡先と対応の条件、契約の内容", Wish::Subject);
        check("東京の歴史の概要", Wish::Account);
        check("産業医の先生の名前は", Wish::OneThing);
    }

    #[test]
    fn places_give_headings_but_not_pages() {
        let check = |place: &str, expected: &str| assert_eq!(last_heading(place), expected, "{place}");
        check("p. 3 · History › Production", "Production");
        check("p. 3", "");
        check("", "");
    }
}
