//! Which sentences of a document change the wording of places in another one. An amendment names the document that it
//! amends in its title and leaves the rest of it in force: it is not a newer version, and does not replace a document
//! as a whole.

use std::collections::BTreeSet;
use std::ops::Range;

use super::changes::{quoted_pairs, stated_changes};
use super::clauses::clauses;
use super::edition::{Edition, edition_words, figures, is_later, is_year, tail};
use super::facts::{Day, days, differ_in_facts};
use crate::base::text::{place_of, sentences, share_of_words};

/// Names of amendments.
const AMENDMENTS: [&str; 41] = [
    "amendment",
    "addendum",
    "supplemental agreement",
    "deed of variation",
    "variation agreement",
    "supplemental deed",
    "nachtrag",
    "änderungsvereinbarung",
    "änderungsvertrag",
    "ergänzungsvereinbarung",
    "avenant",
    "adenda",
    "addenda",
    "modificación",
    "novación",
    "aditamento",
    "termo aditivo",
    "atto aggiuntivo",
    "atto modificativo",
    "allonge",
    "wijziging",
    "aneks",
    "дополнительное соглашение",
    "допсоглашение",
    "ek protokol",
    "zeyilname",
    "act adițional",
    "変更契約",
    "覚書",
    "一部を改正",
    "一部改正",
    "一部改定",
    "一部変更",
    "改正通知",
    "改定通知",
    "変更に関する",
    "补充协议",
    "변경계약",
    "변경 계약",
    "변경 합의",
    "변경합의",
];

/// Words with which amendments change the wording of a place.
const AMENDING: [&str; 106] = [
    "are deleted",
    "are inserted",
    "are added",
    "omitted",
    " read “",
    " read \"",
    " read ‘",
    "substitute ",
    "is substituted",
    "zu lesen",
    "leggasi",
    "leia-se",
    "is replaced",
    "are replaced",
    "is amended",
    "are amended",
    "shall read",
    "now reads",
    " reads:",
    "becomes",
    "is raised",
    "is lowered",
    "is moved to",
    "is changed",
    "is deleted",
    "is inserted",
    "is added",
    "is increased",
    "is reduced",
    "folgt gefasst",
    "folgende fassung",
    "ersetzt",
    "geändert",
    "gestrichen",
    "eingefügt",
    "gesenkt",
    "aufgehoben",
    "festgesetzt",
    "lautet künftig",
    "erhöht",
    "remplacé",
    "modifié",
    "supprimé",
    "est ajouté",
    "est porté",
    "sont porté",
    "passe de",
    "passent de",
    "est fixé",
    "sont fixé",
    "désormais rédigé",
    "au lieu de «",
    "queda redactad",
    "quedan redactad",
    "se sustituye",
    "se modifica",
    "donde dice",
    "queda sin efecto",
    "se suprime",
    "se añade",
    "pasa a ser",
    "pasa de",
    "se eleva a",
    "è sostituit",
    "è modificat",
    "è soppress",
    "è aggiunt",
    "è elevat",
    "è portat",
    "passa da",
    "passa a ter",
    "é substituíd",
    "é alterad",
    "wordt vervangen",
    "komt te luiden",
    "wordt gewijzigd",
    "wordt verhoogd",
    "wordt verlaagd",
    "otrzymuje brzmienie",
    "następujące brzmienie",
    "otrzymują brzmienie",
    "zastępuje się",
    "zmienia się",
    "следующей редакции",
    "заменить",
    "заменяется",
    "изложить",
    "değiştirilmiştir",
    "aşağıdaki şekilde",
    "se modifică",
    "se înlocuiește",
    "に改め",
    "を改め",
    "に引き上げ",
    "に引き下げ",
    "に延長す",
    "に短縮す",
    "を新設",
    "変更する",
    "に変更し",
    "を加える",
    "を削る",
    "を削除する",
    "修改为",
    "变更为",
    "변경한다",
];

/// The fewest digits of an amount that is not expected in two places of a document.
const AMOUNT: usize = 3;

/// The share of a statement's words in a new sentence that takes its place among others of its article.
const ALIKE: f64 = 0.5;

/// The bytes at the beginning of a document in which its parties, its days and its number stand.
const HEAD: usize = 600;

/// The fewest characters of a number that identifies a document.
const NUMBER: usize = 5;
/// The fewest characters of a word that names a document.
const WORD: usize = 4;

/// The first of the names of amendments that `text` contains.
pub fn amendment_named(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    AMENDMENTS.into_iter().find(|name| lower.contains(name))
}

/// Whether a sentence changes the wording of a place, or deletes an article.
pub fn amends(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    AMENDING.iter().any(|words| lower.contains(words)) || deletes(sentence) && !clauses(sentence).is_empty()
}

/// Whether a sentence deletes the places that it names, and not only words or a part of one.
pub fn deletes(sentence: &str) -> bool {
    const DELETING: &str = "deleted|repealed|revoked|rescinded|is omitted|are omitted|gestrichen|aufgehoben|supprimé|\
        abrogé|se suprime|derogad|soppress|abrogat|revogad|suprimid|geschrapt|vervalt|skreśla|uchyla|исключ|çıkarıl|\
        se abrogă|se elimină|を削る|を削除|は削除|を廃止|は廃止|删去|删除|废止|삭제";
    let lower = sentence.to_lowercase();
    DELETING.split('|').any(|word| lower.contains(word)) && !names_part(&lower) && quoted_pairs(sentence).is_empty()
}

/// Whether a sentence, in lower case, names a part of an article.
fn names_part(sentence: &str) -> bool {
    const PARTS: &str = "word|sentence|figure|paragraph|absatz|satz|wörter|worte|angabe|alinéa|phrase|mots|párrafo|apartado|\
        palabras|comma|frase|parole|palavra|woord|volzin| lid |項|号|ただし書|字句|の文|のうち|中「";
    PARTS.split('|').any(|word| sentence.contains(word))
}

/// Returns the sentence of an amendment that deletes a statement's place, one of `places`, or gives it other words.
/// `quotes` are the statement and what an earlier amendment says in its place.
pub fn amending_sentence(text: &str, quotes: [&str; 2], places: &BTreeSet<String>) -> Option<Range<usize>> {
    let holds = |quote: &str, value: &str| place_of(quote, value, |c| c.is_ascii_digit()).is_some();
    let is_old = |[old, new]: &[&str; 2]| quotes.iter().any(|quote| holds(quote, old) && !holds(quote, new));
    sentences(text).find(|range| {
        let sentence = &text[range.clone()];
        let (named, changes) = (clauses(sentence), stated_changes(sentence));
        if named.is_disjoint(places) {
            // The old words tell what is meant if no number does: quoted ones, or an amount that stands for one thing.
            let is_unplaced = named.is_empty() || places.is_empty();
            let is_amount = |[old, _]: &&[&str; 2]| old.chars().filter(|c| c.is_numeric()).count() >= AMOUNT;
            return is_unplaced
                && (amends(sentence) && quoted_pairs(sentence).iter().any(is_old)
                    || changes.iter().filter(is_amount).any(is_old));
        }
        let is_of_statement = || !names_part(&sentence.to_lowercase()) || share_of_words(quotes[0], sentence) >= ALIKE;
        changes.iter().any(is_old)
            || deletes(sentence)
            || changes.is_empty() && amends(sentence) && differ_in_facts(quotes[0], sentence) && is_of_statement()
    })
}

/// Whether `newer` amends `older`: its title names that document, by most words of its title or by its number, or its
/// text does. A later amendment of the same document also counts as amending the earlier one.
pub fn is_amendment_of(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    if amendment_named(newer.title).is_none() || newer.path == older.path || is_later(older, newer) {
        return false;
    }
    if amendment_named(older.title).is_some() && !is_later(newer, older) {
        return false;
    }
    if have_other_numbers(newer.title, older.title) {
        return false;
    }
    let own = edition_words(newer.title);
    let is_named = |title: &str| {
        let named = edition_words(title);
        let shared = named.intersection(&own).count();
        shared > 0 && shared * 5 >= named.len() * 4
    };
    is_named(older.title)
        || is_named(tail(older.title))
        || names_whole(newer.title, older.title)
        || !numbers(newer.title).is_disjoint(&numbers(older.title))
        || names_in_text(newer, older)
}

/// Whether an amendment whose title names no document names one in a sentence of its text. A text that was not read may.
fn names_in_text(amendment: &Edition<'_>, older: &Edition<'_>) -> bool {
    let name = amendment_named(amendment.title).unwrap_or_default();
    // "Deed of Amendment No. 2" names nothing.
    let of_amendments = edition_words(&format!("{name} deed of no n nº n.º nr the first second third letter"));
    let own = edition_words(amendment.title);
    let names_nothing = own.is_subset(&of_amendments);
    if !names_nothing && own.is_disjoint(&edition_words(older.title)) {
        return false;
    }
    let names = |sentence: &str| names_by_words(sentence, older.title) || names_by_day(sentence, older);
    amendment.text.is_empty() || sentences(amendment.text).any(|range| names(&amendment.text[range]))
}

/// Whether a sentence names a document by most words and all numbers of its title.
fn names_by_words(sentence: &str, title: &str) -> bool {
    let (words, told) = (edition_words(title), figures(sentence));
    let shared = edition_words(sentence).intersection(&words).count();
    shared > 1 && shared * 4 >= words.len() * 3 && figures(title).iter().all(|number| told.contains(number))
}

/// Whether a sentence names a document by a word of its title and its day, another day at its beginning or its number:
/// "a lease dated 1 April 2022".
fn names_by_day(sentence: &str, document: &Edition<'_>) -> bool {
    if edition_words(sentence).is_disjoint(&edition_words(document.title)) {
        return false;
    }
    let (told, named) = (days(sentence), numbers(sentence));
    let told: Vec<Day> = told.into_iter().filter(|day| day.day.is_some()).collect();
    if told.is_empty() && named.is_empty() {
        return false;
    }
    let head = &document.text[..document.text.floor_char_boundary(HEAD)];
    let is_told = |day: &Day| day.day.is_some() && told.iter().any(|other| other.is_within(day));
    days(document.date).iter().any(is_told) || days(head).iter().any(is_told) || !named.is_disjoint(&numbers(head))
}

/// Whether all words behind an amendment's name in its title, two or more, stand in `title`, which may have more.
fn names_whole(amendment: &str, title: &str) -> bool {
    let lower = amendment.to_lowercase();
    let named = amendment_named(&lower).and_then(|name| lower.split_once(name));
    let rest = named.map_or("", |(_, rest)| rest);
    let is_word = |word: &&str| word.chars().nth(WORD - 1).is_some();
    let words: Vec<&str> = rest.split(|one: char| !one.is_alphabetic()).filter(is_word).collect();
    let title = title.to_lowercase();
    let has = |word: &&str| title.split(|one: char| !one.is_alphabetic()).any(|one| one == *word);
    words.len() > 1 && words.iter().all(has)
}

/// Whether two titles have another number behind the same word, and neither a year nor the number of an amendment: the
/// lease of Unit 14 is not that of Unit 16.
fn have_other_numbers(one: &str, other: &str) -> bool {
    let numbered = |text: &str| -> Vec<(String, String)> {
        let words: Vec<String> = text
            .split(|one: char| !one.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let is_word = |word: &str| word.chars().nth(WORD - 1).is_some() && amendment_named(word).is_none();
        let is_number = |word: &str| word.parse().is_ok_and(|number: u64| !is_year(number));
        let pairs = words.windows(2).filter(|pair| is_word(&pair[0]) && is_number(&pair[1]));
        pairs.map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    };
    let others = numbered(other);
    let is_other = |(word, number): &(String, String)| others.iter().any(|(one, other)| one == word && other != number);
    numbered(one).iter().any(is_other)
}

/// The numbers that identify documents, as `2021/038` and `RV-2021-117`.
fn numbers(title: &str) -> BTreeSet<&str> {
    let words = title.split_whitespace().map(|word| word.trim_matches(|one: char| !one.is_alphanumeric()));
    words.filter(|word| word.len() >= NUMBER && word.contains(|one: char| one.is_ascii_digit())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_words_give_a_place_others() {
        let check = |sentence: &str, expected: bool| assert_eq!(amends(sentence), expected, "{sentence}");
        check("L'article 9 du bail est remplacé par ceci : Rien.", true);
        check("Le reste demeure.", false);
        check("Clause 5 is deleted.", true);
        check("Clause 5 is revoked.", true);
        check("L'article 9 est abrogé.", true);
        check("第6条を廃止する。", true);
        check("The Act is repealed.", false);
        check("La cláusula tercera queda redactada así.", true);
    }

    #[test]
    fn an_amendment_gives_a_place_other_words() {
        let check = |text: &str, expected: Option<&str>| {
            let quote = "Either party may terminate by giving 90 days' notice.";
            let found =
                amending_sentence(text, [quote, ""], &BTreeSet::from(["7".to_owned()])).map(|range| &text[range]);
            assert_eq!(found, expected, "{text}");
        };
        let changed = "In clause 7, the notice is changed from 90 days to 180 days.";
        check(changed, Some(changed));
        check("Clause 6 is deleted.\n\nClause 7 is deleted.", Some("Clause 7 is deleted."));
        check("Clause 6 is deleted.", None);
        check("In clause 7, the fee is changed from £5 to £6.", None);
        let replaced = "Clause 7 is replaced by: Either party may terminate by giving 120 days' notice.";
        check(replaced, Some(replaced));
        let unplaced = "„drei Monate“ wird durch „sechs Monate“ ersetzt.";
        let found = amending_sentence(unplaced, ["Die Frist beträgt drei Monate.", ""], &BTreeSet::new());
        assert!(found.is_some());
    }

    #[test]
    fn a_part_of_an_article_is_the_one_with_its_words() {
        let text = "§ 3 Satz 1 erhält folgende Fassung: „Die Miete beträgt 5.650 Euro zuzüglich Steuer.“";
        let check = |quote: &str, expected: bool| {
            let found = amending_sentence(text, [quote, ""], &BTreeSet::from(["3".to_owned()]));
            assert_eq!(found.is_some(), expected, "{quote}");
        };
        check("Die Miete beträgt 5.200 Euro zuzüglich Steuer.", true);
        check("Sie ist bis zum 3. Werktag eines Monats zu zahlen.", false);
    }

    #[test]
    fn a_place_is_deleted_as_a_whole() {
        let check = |sentence: &str, expected: bool| assert_eq!(deletes(sentence), expected, "{sentence}");
        check("Clause 5 is deleted.", true);
        check("第6条を削る。", true);
        check("Paragraph 2 of clause 5 is deleted.", false);
        check("第6条第2項を削る。", false);
        check("Clause 5 is replaced.", false);
    }

    #[test]
    fn an_amendment_names_what_it_amends() {
        let check = |newer: (&str, &str), older: &str, expected: bool| {
            let edition = |title, text, path| Edition { title, path, date: "", text };
            let found = is_amendment_of(&edition(newer.0, newer.1, "/a/new.md"), &edition(older, "", "/a/old.md"));
            assert_eq!(found, expected, "{} / {older}", newer.0);
        };
        let text = "L'article 9 du bail est remplacé par ceci : Rien. Le reste demeure.";
        check(("Avenant n° 1 au bail commercial", text), "Bail commercial", true);
        check(("Avenant n° 1 au bail commercial", text), "Règlement intérieur", false);
        check(("Avenant n° 1 au bail commercial", text), "Bail commercial – Local du 4, rue Haute, Vitry", true);
        check(("Un bail commercial", text), "Bail commercial", false);
        let deed = "Clause 5 is deleted.";
        check(("Deed of variation — Unit 14, Quay Street", deed), "Lease of Unit 14, Quay Street, Bristol", true);
        check(("Deed of variation — Unit 14, Quay Street", deed), "Lease of Unit 16, Quay Street, Bristol", false);
        let deed = "This deed varies the Tenancy Agreement of Unit 3, Old Foundry. Clause 5 is deleted.";
        check(("Deed of Variation", deed), "Tenancy Agreement – Unit 3, Old Foundry", true);
        let second = "The parties entered into a Service Agreement. Clause 4 is deleted.";
        check(("Deed of Amendment No. 2", second), "Service Agreement", true);
        check(("Deed of Variation", deed), "Tenancy Agreement – Unit 4, Old Foundry", false);
        check(("Deed of Variation", ""), "Tenancy Agreement – Unit 4, Old Foundry", true);
        check(("Deed of Variation of the lease of a shed", ""), "Tenancy Agreement – Unit 4, Old Foundry", false);
        let dated = "The parties to the lease dated 1 April 2022 agree as follows.";
        let check_head = |newer: &str, title: &str, head: &str, expected: bool| {
            let edition = |title, text, path| Edition { title, path, date: "", text };
            let found = is_amendment_of(&edition(newer, dated, "/a/new.md"), &edition(title, head, "/a/old.md"));
            assert_eq!(found, expected, "{newer} / {title}");
        };
        check_head("Addendum to the lease at the harbour", "Lease of a shed", "Begins on 1 April 2022.", true);
        check_head("Addendum to the lease at the harbour", "Lease of a shed", "Begins on 1 May 2022.", false);
        check_head("Addendum to the lease of Unit 14", "Lease of Unit 16", "Begins on 1 April 2022.", false);
        let text = "La cláusula tercera queda redactada así.";
        check(("Adenda n.º 1 al contrato 2021/038", text), "Contrato administrativo n.º 2021/038", true);
        check(("Adenda n.º 1 al contrato 2021/039", text), "Contrato administrativo n.º 2021/038", false);
    }
}
