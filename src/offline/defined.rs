//! What a document calls those that it is about: `Northgate Cycles Ltd (the "Tenant")`, 「三浦製薬株式会社（以下「乙」という。）」.
//! Its clauses speak of the tenant, and a question of Northgate: it is read as the document would put it, which need not say
//! either what its title, its first lines and its day say.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::statements::{Form, statements};
use super::terms::{content_set, is_function_word};
use crate::base::text::{Language, is_cjk, is_listed};
use crate::llm::purpose::EvidenceCard;

/// Most characters of a name, and most words of what somebody is called.
const NAME: usize = 80;
const ROLE_WORDS: usize = 3;

/// Most lines with a name and a value above a paper.
const HEAD_LINES: usize = 8;

/// The fewest characters of what names a document where words are not spaced.
const NAME_WIDE: usize = 4;

/// What parties are called in brackets without quotation marks.
const ROLES: &str = "landlord tenant lessor lessee employer employee company supplier customer client contractor \
    subcontractor licensor licensee seller buyer vendor purchaser borrower lender guarantor claimant defendant plaintiff \
    appellant respondent applicant discloser recipient provider consultant principal agent owner operator insurer insured";

/// What the documents call those whom a question names, and what they say in their first lines that they are on.
#[derive(Default)]
pub(super) struct Definitions {
    by_path: BTreeMap<String, Vec<Defined>>,
    heads: BTreeMap<String, String>,
}

struct Defined {
    role: String,
    name: String,
    terms: BTreeSet<String>,
    /// Whether the question names them.
    is_named: bool,
}

impl Definitions {
    /// The definitions of the passages, with whether the name begins with a word of `wanted` or has half of its words there.
    pub(super) fn of(cards: &[EvidenceCard], wanted: &BTreeSet<String>, language: Language) -> Self {
        let mut by_path: BTreeMap<String, Vec<Defined>> = BTreeMap::new();
        let mut heads: BTreeMap<String, String> = BTreeMap::new();
        for card in cards {
            if card.at == 0 {
                // A form is values alone, and the first ones say what it is on.
                let first = statements(card).into_iter().take_while(|one| one.form == Form::Pair).take(HEAD_LINES);
                let values: Vec<String> =
                    first.filter_map(|one| Some(one.text.split_once([':', '：'])?.1.to_owned())).collect();
                heads.insert(card.path.clone(), values.join(" "));
            }
            for (name, role) in definitions(&card.text) {
                let terms = content_set(&name, language);
                let known = by_path.get(&card.path).is_some_and(|all| all.iter().any(|one| one.role == role));
                if !known {
                    let is_named = is_named(&name, &terms, wanted, language);
                    by_path.entry(card.path.clone()).or_default().push(Defined { role, name, terms, is_named });
                }
            }
        }
        Definitions { by_path, heads }
    }

    /// The names that the question and a passage's document have.
    pub(super) fn names(&self, card: &EvidenceCard) -> impl Iterator<Item = &str> {
        self.named(card).map(|one| one.name.as_str())
    }

    fn named(&self, card: &EvidenceCard) -> impl Iterator<Item = &Defined> {
        self.in_document(card).iter().filter(|one| one.is_named)
    }

    fn in_document(&self, card: &EvidenceCard) -> &[Defined] {
        self.by_path.get(&card.path).map_or(&[], Vec::as_slice)
    }

    /// What a passage's document says in its first lines that it is on: "Product: VX-200".
    fn head(&self, card: &EvidenceCard) -> &str {
        self.heads.get(&card.path).map_or("", String::as_str)
    }

    /// The question as a passage's document would put it, which calls Dana Marlow "the Employee" and need not say that it is
    /// the lease of Unit 14: "How much notice must the Employee give?", "What is the rent?".
    pub(super) fn as_put_in<'q>(&self, card: &EvidenceCard, question: &'q str, language: Language) -> Cow<'q, str> {
        let mut put = Cow::Borrowed(question);
        for one in self.named(card) {
            if let Some(called) = called_by_role(&put, one) {
                put = called.into();
            }
        }
        let file = card.file_name().replace(['_', '-', '.'], " ");
        let about = format!("{} {file} {} {}", card.title, self.head(card), in_words(&card.date));
        let mut above = content_set(&about, language);
        // Two parties name what is between them.
        if self.named(card).nth(1).is_some() {
            above.extend(self.named(card).flat_map(|one| content_set(&one.role, language)));
        }
        let of_document = |words: &str| content_set(words, language).is_subset(&above);
        match without_document(&put, of_document) {
            Some(short) if !content_set(short.as_ref(), language).is_empty() => short.into(),
            _ => put,
        }
    }

    /// The terms of a statement with those of the names for which it has another word, or of all where it speaks of nobody.
    pub(super) fn with_names<'s>(
        &self,
        card: &EvidenceCard,
        text: &str,
        own: &'s BTreeSet<String>,
    ) -> Cow<'s, BTreeSet<String>> {
        let is_said = |one: &&Defined| says(text, &one.role);
        let is_of_nobody = || self.in_document(card).iter().all(|one| !is_said(&one));
        let mut terms = Cow::Borrowed(own);
        for one in self.named(card).filter(|one| is_said(one) || is_of_nobody()) {
            terms.to_mut().extend(one.terms.iter().cloned());
        }
        terms
    }
}

/// A day as it is written in Japanese: 2025年5月27日 of `2025-05-27`.
pub(super) fn in_words(date: &str) -> String {
    let numbers: Vec<&str> = date.split('-').map(|number| number.trim_start_matches('0')).collect();
    if let [year, month, day] = numbers.as_slice() { format!("{year}年{month}月{day}日") } else { String::new() }
}

/// A question with what its document calls somebody in place of the name; `None` where it does not have the name.
fn called_by_role(question: &str, defined: &Defined) -> Option<String> {
    let Defined { role, name, .. } = defined;
    let (range, role) = if name.contains(is_cjk) {
        (shared_run(question, name)?, role.clone())
    } else {
        let parts: BTreeSet<String> = name.split_whitespace().map(|part| core(part).to_lowercase()).collect();
        let words: Vec<Range<usize>> = words(question).collect();
        let is_part = |word: &&Range<usize>| {
            let word = core(&question[(*word).clone()]).to_lowercase();
            !is_function_word(&word) && parts.contains(&word)
        };
        let start = words.iter().position(|word| is_part(&word))?;
        let last = words[start..].iter().take_while(is_part).last()?;
        let start = words[start].start;
        let end = last.start + core(&question[last.clone()]).len();
        // "The Northgate lease" is the lease.
        let is_of_noun =
            question[..start].trim_end().to_lowercase().ends_with("the") && question[end..].starts_with(' ');
        if is_of_noun { (start..end + 1, String::new()) } else { (start..end, format!("the {role}")) }
    };
    Some(format!("{}{role}{}", &question[..range.start], &question[range.end..]))
}

/// Whether a text has a word, in its case and not in quotation marks; where words are not spaced it may be a part of another.
fn says(text: &str, word: &str) -> bool {
    let is_bound = |c: Option<char>, quotes: &str| {
        !c.is_some_and(|c| quotes.contains(c)) && (word.contains(is_cjk) || !c.is_some_and(char::is_alphanumeric))
    };
    text.match_indices(word).any(|(at, word)| {
        let (before, after) = (text[..at].chars().last(), text[at + word.len()..].chars().next());
        is_bound(before, "\"“「(（") && is_bound(after, "\"”」")
    })
}

/// A word without marks around it, and without the mark of the genitive.
fn core(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// The places of the words between spaces, from their first letter or figure on.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(move |word| {
        let from = at(word) + word.find(char::is_alphanumeric).unwrap_or(0);
        from..at(word) + word.len()
    })
}

/// Where the longest run of characters of a name stands in a text, of at least two.
fn shared_run(text: &str, name: &str) -> Option<Range<usize>> {
    const KINDS: [&str; 4] = ["株式会社", "有限会社", "合同会社", "会社"];
    let bare = KINDS.iter().fold(name.to_owned(), |name, kind| name.replace(kind, ""));
    let places: Vec<usize> = bare.char_indices().map(|(at, _)| at).chain([bare.len()]).collect();
    let runs = (2..places.len()).rev().flat_map(|length| {
        let bare = &bare;
        let places = &places;
        (0..places.len() - length).map(move |start| &bare[places[start]..places[start + length]])
    });
    let mut found = runs.filter_map(|run| text.find(run).map(|at| at..at + run.len()));
    found.next()
}

/// A question without the part that names the document which is read: words with a name or a number among them, or with a
/// preposition before them, and in Japanese those at its beginning. `None` where it has none.
fn without_document(question: &str, of_document: impl Fn(&str) -> bool) -> Option<String> {
    if question.contains(is_cjk) {
        const BEHIND: [&str; 6] = ["では", "において", "における", "での", "で", "の"];
        let ends = BEHIND.iter().flat_map(|end| question.match_indices(end).map(|(at, end)| (at, at + end.len())));
        // A word or two name a subject rather than a document.
        let is_name = |at: usize| question[..at].chars().nth(NAME_WIDE - 1).is_some();
        let own = ends.filter(|&(at, _)| is_name(at) && of_document(&question[..at]));
        return own.max_by_key(|&(_, end)| end).map(|(_, end)| question[end..].trim_start_matches('、').to_owned());
    }
    const BEFORE: &str = "of in for at on from by to with under about";
    let words: Vec<Range<usize>> = words(question).collect();
    let word = |at: usize| core(&question[words[at].clone()]);
    let is_before = |at: usize| is_listed(BEFORE, word(at));
    let is_bare = |at: &usize| is_function_word(word(*at));
    let is_name = |at: usize| word(at).starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    // Each run of words of the document begins with a preposition or a name, and ends with a word that tells something.
    let own: Vec<usize> = (1..words.len()).filter(|&at| of_document(word(at))).collect();
    let runs = own.chunk_by(|one, next| one + 1 == *next).filter_map(|run| {
        let end = run.iter().rposition(|at| !is_bare(at))? + 1;
        let start = run[..end].iter().position(|&at| is_before(at) || !is_bare(&at))?;
        let run = &run[start..end];
        // "Unit 16" is no unit of the lease of Unit 14.
        let goes_on = run.last().is_some_and(|last| last + 1 < words.len() && is_name(last + 1));
        let telling = run.iter().filter(|at| !is_bare(at)).count();
        let is_told = run.iter().any(|&at| is_name(at)) || telling > 1 && is_before(run[0]);
        (is_told && !goes_on).then_some((run[0], run[run.len() - 1]))
    });
    let (first, last) = runs.max_by_key(|(first, last)| last - first)?;
    let end = words[last].start + word(last).len();
    Some(format!("{}{}", question[..words[first].start].trim_end(), &question[end..]))
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
    let is_role = is_listed(ROLES, &bare.to_lowercase());
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
        let own = BTreeSet::new();
        let check = |text: &str, expected: bool| {
            let terms = definitions.with_names(&lease, text, &own);
            assert_eq!(terms.is_superset(&content_set("Northgate", Language::ENGLISH)), expected, "{text}");
        };
        check("The Tenant shall not sublet.", true);
        check("The rent is £910.", true);
        check("The Landlord shall keep the roof in repair.", false);
    }

    #[test]
    fn a_question_is_put_in_the_words_of_the_document() {
        let check = |title: &str, text: &str, question: &str, expected: &str| {
            let language = if question.is_ascii() { Language::ENGLISH } else { Language::from_code("jpn") };
            let lease = card(1, title, "", text);
            let wanted = content_set(question, language);
            let definitions = Definitions::of(std::slice::from_ref(&lease), &wanted, language);
            assert_eq!(definitions.as_put_in(&lease, question, language), expected);
        };
        let (title, parties) =
            ("Lease of Unit 14", "Between Calder Ltd (the \"Landlord\") and Northgate Cycles Ltd (the \"Tenant\").");
        check(title, parties, "May Northgate Cycles sublet Unit 14?", "May the Tenant sublet?");
        check(title, parties, "What is the rent of Unit 14?", "What is the rent?");
        check(title, parties, "What is the rent of Unit 16?", "What is the rent of Unit 16?");
        check(title, parties, "What is Northgate's rent?", "What is the Tenant's rent?");
        check(title, parties, "When does the Northgate lease end?", "When does the lease end?");
        check(title, parties, "When was the hearing in Calder v Northgate?", "When was the hearing?");
        check(title, parties, "Which lease?", "Which lease?");
        let head = "Product: Harvest Lentil Soup 600 g\n\nThe pots were recalled in June.";
        check("Report 7", head, "How many pots of lentil soup were recalled?", "How many pots were recalled?");
        let form = "Subject: clinic, Eastmere\nParking: 110 places";
        check(
            "Tender",
            form,
            "How many places are planned for the clinic in Eastmere?",
            "How many places are planned?",
        );
        let parties = "株式会社オリン（以下「甲」という。）と三浦製薬株式会社（以下「乙」という。）は、契約する。";
        check("委託契約書", parties, "三浦製薬は何を納めますか。", "乙は何を納めますか。");
        check("横浜倉庫の賃貸借契約書", parties, "横浜倉庫の賃料はいくらですか。", "賃料はいくらですか。");
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
            let cards = [card(1, "Lease", "", &text)];
            let wanted = content_set(&text, Language::ENGLISH);
            Definitions::of(&cards, &wanted, Language::ENGLISH).as_put_in(&cards[0], &text, Language::ENGLISH);
        }
    }
}
