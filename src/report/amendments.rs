//! Which sentences of a document change the wording of places in another one. An amendment names the document that it
//! amends in its title and leaves the rest of it in force: it is not a newer version, and does not replace a document
//! as a whole.

use std::collections::BTreeSet;

use super::changes::quoted_pairs;
use super::clauses::clauses;
use super::edition::{Edition, edition_words, figures, is_later, tail};
use super::facts::days;
use crate::base::text::sentences;

/// Names of amendments.
const AMENDMENTS: [&str; 39] = [
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
];

/// Words with which amendments change the wording of a place.
const AMENDING: [&str; 102] = [
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
    "queda redactad",
    "quedan redactad",
    "se sustituye",
    "se modifica",
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
    const PARTS: &str = "word|sentence|figure|paragraph|absatz|satz|wörter|worte|angabe|alinéa|phrase|mots|párrafo|apartado|\
        palabras|comma|frase|parole|palavra|woord|volzin| lid |項|号|ただし書|字句|の文|のうち|中「";
    let lower = sentence.to_lowercase();
    let has = |words: &str| words.split('|').any(|word| lower.contains(word));
    has(DELETING) && !has(PARTS) && quoted_pairs(sentence).is_empty()
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
    let of_amendments = edition_words(&format!("{name} deed of no the first second third letter"));
    if !edition_words(amendment.title).is_subset(&of_amendments) {
        return false;
    }
    amendment.text.is_empty() || sentences(amendment.text).any(|range| names_document(&amendment.text[range], older))
}

/// Whether a sentence names a document: by most words and all numbers of its title, or by a word of it and its day.
fn names_document(sentence: &str, document: &Edition<'_>) -> bool {
    let (words, numbers, dated) = (edition_words(document.title), figures(document.title), days(document.date));
    let is_dated = || {
        let told = days(sentence);
        !dated.is_empty()
            && dated.iter().all(|day| told.iter().any(|other| other.day.is_some() && other.is_within(day)))
    };
    let shared = edition_words(sentence).intersection(&words).count();
    let told = figures(sentence);
    let is_whole = shared > 1 && shared * 5 >= words.len() * 4 && numbers.iter().all(|number| told.contains(number));
    // "A lease dated 1 April 2022".
    is_whole || shared > 0 && is_dated()
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
    // The lease of Unit 14 is not that of Unit 16.
    let numbered = |text: &str| -> Vec<(String, String)> {
        let words: Vec<&str> = text.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let pairs =
            words.windows(2).filter(|pair| is_word(&pair[0]) && pair[1].chars().all(|one| one.is_ascii_digit()));
        pairs.map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
    };
    let titled = numbered(&title);
    let is_other = |(word, number): &(String, String)| titled.iter().any(|(one, other)| one == word && other != number);
    words.len() > 1 && words.iter().all(has) && !numbered(rest).iter().any(is_other)
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
        let text = "La cláusula tercera queda redactada así.";
        check(("Adenda n.º 1 al contrato 2021/038", text), "Contrato administrativo n.º 2021/038", true);
        check(("Adenda n.º 1 al contrato 2021/039", text), "Contrato administrativo n.º 2021/038", false);
    }
}
