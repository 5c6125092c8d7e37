//! What a document calls those that it is about: `Northgate Cycles Ltd (the "Tenant")`, 「三浦製薬株式会社（以下「乙」という。）」.
//! Its clauses speak of the tenant, and a question of Northgate.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::statements::{Form, Statement, statements};
use super::terms::content_set;
use crate::base::text::{Language, is_cjk, names_sender, sentences};
use crate::llm::purpose::EvidenceCard;
use crate::report::stand_beside;

/// Most characters of a name, and most words of what somebody is called.
const NAME: usize = 80;
const ROLE_WORDS: usize = 3;

/// What parties are called in brackets without quotation marks.
const ROLES: &str = "landlord tenant lessor lessee employer employee company supplier customer client contractor \
    subcontractor licensor licensee seller buyer vendor purchaser borrower lender guarantor claimant defendant plaintiff \
    appellant respondent applicant discloser recipient provider consultant principal agent owner operator insurer insured";

/// What the documents call those whom a question names.
#[derive(Default)]
pub(super) struct Definitions {
    by_path: BTreeMap<String, Vec<Defined>>,
}

struct Defined {
    role: String,
    name: String,
    terms: BTreeSet<String>,
}

impl Definitions {
    /// Those among the passages' definitions whose name begins with a word of `wanted` or has half of its words there.
    pub(super) fn of(cards: &[EvidenceCard], wanted: &BTreeSet<String>, language: Language) -> Self {
        let mut by_path: BTreeMap<String, Vec<Defined>> = BTreeMap::new();
        for card in cards {
            for (name, role) in definitions(&card.text) {
                let terms = content_set(&name, language);
                let known = by_path.get(&card.path).is_some_and(|all| all.iter().any(|one| one.role == role));
                if !known && is_named(&name, &terms, wanted, language) {
                    by_path.entry(card.path.clone()).or_default().push(Defined { role, name, terms });
                }
            }
        }
        Definitions { by_path }
    }

    /// The names in a passage's document.
    pub(super) fn names(&self, card: &EvidenceCard) -> impl Iterator<Item = &str> {
        self.in_document(card).iter().map(|one| one.name.as_str())
    }

    fn in_document(&self, card: &EvidenceCard) -> &[Defined] {
        self.by_path.get(&card.path).map_or(&[], Vec::as_slice)
    }

    /// "Tenant: Northgate Cycles Ltd", as the document of a passage has it, of those for whom `text` has no word; empty where
    /// it defines nobody else.
    pub(super) fn told(&self, card: &EvidenceCard, text: &str) -> String {
        let unnamed = |one: &&Defined| place_of(text, &(0..text.len()), &one.role).is_none();
        let all = self.in_document(card).iter().filter(unnamed).map(|one| format!("{}: {}", one.role, one.name));
        all.collect::<Vec<_>>().join("; ")
    }

    /// A text of a document with the name behind the first word for it in each sentence: "The Tenant, Northgate Cycles Ltd,
    /// shall not sublet".
    pub(super) fn expanded(&self, card: &EvidenceCard, text: &str) -> Expanded {
        let defined = self.in_document(card);
        let mut inserted: BTreeMap<usize, String> = BTreeMap::new();
        for range in if defined.is_empty() { Vec::new() } else { sentences(text).collect() } {
            for one in defined {
                let names = |(at, end): (usize, usize)| (end, if text[at..end].contains(is_cjk) { "（" } else { ", " });
                let Some((end, opens)) = place_of(text, &range, &one.role).map(names) else { continue };
                let closes = if opens == "（" { "）" } else { "," };
                inserted.insert(end, format!("{opens}{}{closes}", one.name));
            }
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (at, name) in &inserted {
            out.push_str(&text[from..*at]);
            out.push_str(name);
            from = *at;
        }
        out.push_str(&text[from..]);
        Expanded { text: out, inserted: inserted.iter().map(|(at, name)| (*at, name.len())).collect() }
    }

    /// The terms of a statement with those of the names for which it has another word.
    pub(super) fn with_names<'s>(
        &self,
        card: &EvidenceCard,
        text: &str,
        own: &'s BTreeSet<String>,
    ) -> Cow<'s, BTreeSet<String>> {
        let mut terms = Cow::Borrowed(own);
        for one in self.in_document(card).iter().filter(|one| place_of(text, &(0..text.len()), &one.role).is_some()) {
            terms.to_mut().extend(one.terms.iter().cloned());
        }
        terms
    }
}

/// Whether the documents of two passages each tell of their own time or party, so that they may well say something else.
pub(super) fn are_apart(one: &EvidenceCard, other: &EvidenceCard, cards: &[EvidenceCard]) -> bool {
    let parties = |card: &EvidenceCard| -> Vec<(String, String)> {
        cards.iter().filter(|other| other.path == card.path).flat_map(|card| definitions(&card.text)).collect()
    };
    stand_beside(&one.edition(), &other.edition()) || {
        let others = parties(other);
        let is_other = |(name, role): &(String, String)| others.iter().any(|(of, as_)| as_ == role && of != name);
        parties(one).iter().any(is_other)
    }
}

/// Who wrote the letter of a passage where the answer in it calls them "I", with the passage that says so.
pub(super) fn sender_of(answer: &str, card: usize, cards: &[EvidenceCard]) -> Option<(usize, Statement)> {
    const SENDERS: [&str; 6] = ["i", "we", "私", "我々", "弊社", "当社"];
    let who = answer.to_lowercase();
    if !SENDERS.contains(&who.split(' ').next().unwrap_or_default()) {
        return None;
    }
    let own = (0..cards.len()).filter(|&other| cards[other].path == cards[card].path);
    own.flat_map(|card| statements(&cards[card]).into_iter().map(move |one| (card, one)))
        .find(|(_, one)| one.form == Form::Pair && names_sender(one.name()))
}

/// Whether a question names somebody: by the first word of the name, where words are not spaced by half of it. What kind of
/// firm it is tells nothing.
fn is_named(name: &str, terms: &BTreeSet<String>, wanted: &BTreeSet<String>, language: Language) -> bool {
    const KINDS: &str = "ltd limited plc inc llc gmbh ag co company corporation 株式 会社 株式会社 有限 有限会社 合同";
    let kinds = content_set(KINDS, language);
    let own: BTreeSet<&String> = terms.difference(&kinds).collect();
    let first = name.split_whitespace().next().unwrap_or_default();
    let begins = !name.contains(is_cjk) && !content_set(first, language).is_disjoint(wanted);
    let held = own.iter().filter(|term| wanted.contains(**term)).count();
    held > 0 && (begins || held * 2 >= own.len())
}

/// A text with names in it that it does not have.
pub(super) struct Expanded {
    pub text: String,
    /// Where each was put in, and how many bytes it has.
    inserted: Vec<(usize, usize)>,
}

impl Expanded {
    /// Where a byte of the text stands without them.
    pub(super) fn place(&self, byte: usize) -> usize {
        let mut before = 0;
        for &(at, length) in &self.inserted {
            if byte <= at + before {
                break;
            }
            before += length.min(byte - at - before);
        }
        byte - before
    }
}

/// The first place of a word in a part of a text, in its case and not in quotation marks; where words are not spaced it may be
/// a part of another one.
fn place_of(text: &str, part: &Range<usize>, word: &str) -> Option<(usize, usize)> {
    let is_bound = |c: Option<char>, quotes: &str| {
        !c.is_some_and(|c| quotes.contains(c)) && (word.contains(is_cjk) || !c.is_some_and(char::is_alphanumeric))
    };
    let mut places =
        text[part.clone()].match_indices(word).map(|(at, _)| (part.start + at, part.start + at + word.len()));
    places.find(|&(at, end)| {
        is_bound(text[..at].chars().last(), "\"“「(（") && is_bound(text[end..].chars().next(), "\"”」")
    })
}

/// Each name with what its document calls it from there on.
fn definitions(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        for (open, bracket) in line.match_indices(['(', '（']) {
            let inner = &line[open + bracket.len()..];
            let Some(close) = inner.find([')', '）']).filter(|_| open >= from) else { continue };
            let Some(role) = role(&inner[..close]) else { continue };
            if let Some(name) = name_before(&line[from..open]) {
                found.push((name, role));
            }
            from = open + bracket.len() + close;
        }
    }
    found
}

/// What somebody is called by the words in a bracket: `the "Tenant"`, 以下「乙」という, `Claimant`.
fn role(inner: &str) -> Option<String> {
    let quoted = |open: &[char], close: &[char]| {
        let (_, rest) = inner.split_once(open)?;
        rest.split_once(close).map(|(role, _)| role.trim())
    };
    if inner.contains(is_cjk) {
        let is_named = inner.contains("以下") || inner.contains("という") || inner.contains('称');
        return quoted(&['「', '“'], &['」', '”'])
            .filter(|_| is_named)
            .filter(|role| !role.is_empty())
            .map(str::to_owned);
    }
    let bare = inner.trim().trim_start_matches("the ");
    let is_role = ROLES.split(' ').any(|role| role == bare.to_lowercase());
    let role = quoted(&['"', '“', '\''], &['"', '”', '\'']).or(is_role.then_some(bare))?;
    let role = role.trim_start_matches("the ");
    let is_name = role.starts_with(char::is_uppercase) && role.split(' ').count() <= ROLE_WORDS;
    is_name.then(|| role.to_owned())
}

/// The name at the end of `before`, or its first one where something is said of it in between: "Northgate Cycles Ltd, a
/// company registered in England".
fn name_before(before: &str) -> Option<String> {
    const OPENING: [&str; 6] = ["between", "and", "parties", "this", "by", "with"];
    if before.contains(is_cjk) {
        let last = before.trim_end().rsplit(['、', '。', '：', ':', 'と', '）', '\u{3000}', ' ']).next()?;
        let name = last.trim_start_matches("及び").trim_start_matches("および");
        return Some(name.to_owned()).filter(|name| (2..NAME).contains(&name.chars().count()));
    }
    let clean = before.replace(['*', '_', '#'], "");
    let words: Vec<&str> = clean.split_whitespace().collect();
    let is_opening =
        |word: &str| OPENING.contains(&word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase().as_str());
    let is_own = |word: &&&str| {
        word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '&') && !is_opening(word)
    };
    let start = words.iter().position(|word| is_own(&word))?;
    let first = words[start..].iter().take_while(is_own).count();
    // The name ends with its first comma.
    let comma = words[start..start + first].iter().position(|word| word.ends_with(','));
    let at_end = words.iter().rev().take_while(is_own).count();
    let run = match comma {
        Some(comma) if comma > 0 => &words[start..=start + comma],
        _ if at_end == 0 => &words[start..start + first],
        _ => &words[words.len() - at_end..],
    };
    let name = run.join(" ").trim_matches(|c: char| c != ')' && !c.is_alphanumeric()).to_owned();
    Some(name).filter(|name| !name.is_empty() && name.len() <= NAME && name.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    #[test]
    fn a_document_says_whom_it_calls_what() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = definitions(text);
            let found: Vec<(&str, &str)> = found.iter().map(|(name, role)| (name.as_str(), role.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "Between **Calder Estates Limited** (the \"Landlord\") and **Northgate Cycles Ltd** (the \"Tenant\").",
            &[("Calder Estates Limited", "Landlord"), ("Northgate Cycles Ltd", "Tenant")],
        );
        check(
            "Northgate Cycles Ltd, a company registered in England (company number 123) (hereinafter “Tenant”)",
            &[("Northgate Cycles Ltd", "Tenant")],
        );
        check("BETWEEN ORRIN FOODS PLC (Claimant)", &[("ORRIN FOODS PLC", "Claimant")]);
        check(
            "株式会社オリン（以下「甲」という。）と三浦製薬株式会社（以下「乙」という。）は、次のとおり契約する。",
            &[("株式会社オリン", "甲"), ("三浦製薬株式会社", "乙")],
        );
        check("The depot in Portbury (Bristol) was closed (see above).", &[]);
        check("東京（本社）と大阪（支社）", &[]);
        check("(the \"Tenant\") (", &[]);
    }

    #[test]
    fn clauses_speak_of_whom_the_question_names() {
        let lease = card(1, "Lease", "", "Between Calder Ltd (Landlord) and Northgate Cycles Ltd (Tenant).");
        let wanted = content_set("May Northgate sublet?", Language::ENGLISH);
        let definitions = Definitions::of(std::slice::from_ref(&lease), &wanted, Language::ENGLISH);
        assert_eq!(definitions.told(&lease, ""), "Tenant: Northgate Cycles Ltd");
        let own = BTreeSet::new();
        assert!(
            definitions
                .with_names(&lease, "The Tenant shall not sublet.", &own)
                .is_superset(&content_set("Northgate", Language::ENGLISH))
        );
        assert!(definitions.with_names(&lease, "The Tenants' Association met.", &own).is_empty());
        assert_eq!(definitions.told(&lease, "Rent is paid."), "Tenant: Northgate Cycles Ltd");
    }

    #[test]
    fn a_text_is_read_with_the_names_and_cited_without_them() {
        let lease = card(1, "Lease", "", "Between Calder Ltd (Landlord) and Northgate Ltd (Tenant).");
        let wanted = content_set("Northgate", Language::ENGLISH);
        let definitions = Definitions::of(std::slice::from_ref(&lease), &wanted, Language::ENGLISH);
        let text = "The Tenant shall pay. The Landlord and the Tenant agree.";
        let expanded = definitions.expanded(&lease, text);
        let expected = "The Tenant, Northgate Ltd, shall pay. The Landlord and the Tenant, Northgate Ltd, agree.";
        assert_eq!(expanded.text, expected);
        let placed = |part: &str| {
            let at = expanded.text.find(part).unwrap();
            &text[expanded.place(at)..expanded.place(at + part.len())]
        };
        assert_eq!(placed("The Tenant"), "The Tenant");
        assert_eq!(placed("Northgate Ltd"), "");
        assert_eq!(placed("Tenant, Northgate Ltd, shall"), "Tenant shall");
        assert_eq!(placed("agree"), "agree");
        assert_eq!(expanded.place(expanded.text.len()), text.len());
    }

    #[test]
    fn a_word_of_a_name_does_not_name_it() {
        let check = |name: &str, question: &str, expected: bool| {
            let language = if name.is_ascii() { Language::ENGLISH } else { Language::from_code("jpn") };
            let (terms, wanted) = (content_set(name, language), content_set(question, language));
            assert_eq!(is_named(name, &terms, &wanted, language), expected, "{name} / {question}");
        };
        check("Brightwater Coffee Roasters Ltd", "How may Brightwater end the lease?", true);
        check("Brightwater Coffee Roasters Ltd", "How much coffee do we buy?", false);
        check("三浦製薬株式会社", "三浦製薬との契約はいつ終わりますか。", true);
        check("株式会社東和清掃サービス", "清掃の委託先の社長は誰ですか。", false);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[a-zA-Z（）()「」\"“” 、と以下A-Z,]{0,60}") {
            definitions(&text);
        }
    }
}
