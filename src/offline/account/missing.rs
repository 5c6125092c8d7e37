//! The words of a question that stand in no passage, as a report tells them where nobody has read whether a passage answers.

use std::collections::BTreeSet;

use whatlang::Lang;

use super::Account;
use crate::base::text::analysis::Term;
use crate::base::text::formula::{formula, is_within};
use crate::base::text::{chinese_words, is_cjk, is_thai, korean_nouns, may_be_forms};
use crate::offline::terms::{content_set, content_terms, unknown_words, words_of};
use crate::report::Words;

/// A word with spaces around it that has no more characters is not told: it mostly only asks.
const SHORT: usize = 4;

/// The fewest characters of a word that is held where a longer one begins or ends with it.
const PART: usize = 5;

/// Words that mostly only ask, or help a verb or a number, and seldom stand in what answers: "how much does it cost", "how long".
const ASKING: [(Lang, &str); 13] = [
    (
        Lang::Deu,
        "kostet kosten beträgt betragen dauert dauern lautet lauten heißt heißen blieb blieben bleibt bleiben wenige \
         wenigen einige einigen",
    ),
    (Lang::Fra, "coûte coûtent coûter temps longtemps durent appelle appellent devient deviennent reste restent"),
    (Lang::Spa, "cuesta cuestan costar tiempo duran llama llaman queda quedan"),
    (Lang::Ita, "costa costano tempo durano chiama chiamano verrà verranno verrebbe saranno resta restano"),
    (Lang::Por, "custa custam custar tempo duram chama chamam demora demoram"),
    (Lang::Nld, "kosten duurt duren heten bedraagt bedragen wordt worden blijft blijven lange"),
    (
        Lang::Pol,
        "wynosi wynoszą kosztuje kosztują nazywa nazywają trwają długo czasu został została zostało zostały zostaną",
    ),
    (
        Lang::Rus,
        "стоит стоят стоить зовут называется называются длится длятся долго времени составляет составляют находится \
         находятся",
    ),
    (Lang::Ukr, "коштує коштують звати називається називаються триває тривають довго становить становлять міститься"),
    (Lang::Ron, "costă numește numesc durează"),
    (Lang::Swe, "kostar heter varar länge"),
    (Lang::Tur, "sürer tutar tutuyor denir"),
    (Lang::Ell, "κοστίζει κοστίζουν διαρκεί διαρκούν λέγεται λέγονται ονομάζεται"),
];

/// What joins the parts of a word.
const JOINTS: [char; 5] = ['-', '\u{2010}', '\u{2011}', '\'', '’'];

impl Account<'_> {
    /// Tells the words of a question that stand in no passage, in whatever form; nothing where all do. Those in which it only
    /// asks do not count.
    pub(super) fn missing(&self, question: &str, phrases: &Words) -> String {
        let words = match self.language.0 {
            Some(Lang::Cmn) => self.unheld(&chinese_words(question, &formula(question, self.language))),
            Some(Lang::Kor) => self.unheld(&korean_nouns(question)),
            _ => self.missing_words(question),
        };
        match words.as_slice() {
            [] => String::new(),
            words => {
                let told = phrases.agreeing(&phrases.missing, words.len() as u64);
                [told, phrases.colon, &words.join(phrases.comma), "\n\n"].concat()
            }
        }
    }

    /// Of words in pairs of characters those of which no passage holds a pair, each once. One ideograph stands in many words.
    fn unheld(&self, words: &[&str]) -> Vec<String> {
        let mut unheld: Vec<String> = Vec::new();
        for &word in words {
            let mut pairs = content_set(word, self.language);
            pairs.retain(|term| term.chars().nth(1).is_some());
            let is_told = pairs.is_empty() || unheld.iter().any(|other| other == word);
            if !is_told && !pairs.iter().any(|pair| self.is_in_passage(pair)) {
                unheld.push(word.to_owned());
            }
        }
        unheld
    }

    fn missing_words(&self, question: &str) -> Vec<String> {
        let asks = formula(question, self.language);
        let terms = content_terms(question, self.language);
        let in_other_form = |term: &Term| {
            let apart = self.rarity.taken_apart(BTreeSet::from([term.text.clone()]), question, self.language);
            apart.iter().any(|part| self.is_in_passage(part))
        };
        let is_held =
            |term: &Term| is_within(&term.range, &asks) || self.is_in_passage(&term.text) || in_other_form(term);
        // What is joined stands where its parts do; those of "ont-ils" and "a-t-il" name nothing.
        let in_parts = |term: &Term| {
            let whole = std::slice::from_ref(&term.range);
            question[term.range.clone()].contains(JOINTS)
                && terms.iter().filter(|part| part.range != term.range && is_within(&part.range, whole)).all(is_held)
        };
        let known: BTreeSet<String> =
            terms.iter().filter(|term| is_held(term) || in_parts(term)).map(|term| term.text.clone()).collect();
        let mut words = unknown_words(question, &known, self.language);
        // Of a run in a script without spaces a part may be a word that is held, and in Thai nobody can tell which part is a
        // word.
        words.retain(|word| match word.contains(is_cjk) {
            true => content_set(word, self.language).is_disjoint(&known),
            false => word.chars().nth(SHORT).is_some() && !word.contains(is_thai) && !self.only_asks(word),
        });
        if !words.is_empty() {
            let written = self.written();
            words.retain(|word| !self.is_part_or_form(word, &written));
        }
        words
    }

    fn only_asks(&self, word: &str) -> bool {
        let listed = ASKING.iter().find(|(language, _)| Some(*language) == self.language.0);
        let lower = word.to_lowercase();
        // "Kosten" is a noun, "kosten" asks.
        !self.language.marks_noun(word)
            && listed.is_some_and(|(_, words)| words.split_ascii_whitespace().any(|known| known == lower))
    }

    /// The words of all passages, their titles and their headings, in small letters.
    fn written(&self) -> BTreeSet<String> {
        let texts = self.input.evidence.iter().flat_map(|card| card.headings.all().chain([&card.title, &card.text]));
        texts.flat_map(|text| words_of(text)).map(str::to_lowercase).collect()
    }

    /// Whether one of the words that are written begins or ends with `word`, or may be another form of it. Their stems may be
    /// unlike where their letters are not.
    fn is_part_or_form(&self, word: &str, written: &BTreeSet<String>) -> bool {
        let word = word.to_lowercase();
        let is_long = word.chars().nth(PART - 1).is_some();
        let inflects = self.language.inflects();
        written.iter().any(|other| {
            is_long && (other.starts_with(&word) || other.ends_with(&word)) || inflects && may_be_forms(&word, other)
        })
    }

    fn is_in_passage(&self, term: &str) -> bool {
        self.terms_of_passages().iter().any(|held| held.contains(term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::domain::{Outline, SubQuery};
    use crate::llm::purpose::WriteInput;
    use crate::offline::testing::card;
    use crate::report::words;

    #[test]
    fn words_that_name_nothing_are_not_told_to_be_missing() {
        let check = |code: &str, question: &str, text: &str, expected: &str| {
            let language = Language::from_code(code);
            let input = WriteInput {
                question: question.to_owned(),
                language: language.english_name().to_owned(),
                asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
                evidence: vec![card(1, "", "", text)],
                plan: None,
                incomplete: None,
                words: None,
                outline: Outline::default(),
                today: "2026-01-01".to_owned(),
            };
            let phrases = words(language);
            let told = Account::new(&input, language).missing(question, phrases);
            let several = 1 + expected.matches(phrases.comma).count() as u64;
            let expected = match expected {
                "" => String::new(),
                expected => {
                    format!("{}{}{expected}\n\n", phrases.agreeing(&phrases.missing, several), phrases.colon)
                }
            };
            assert_eq!(told, expected, "{question}");
        };
        let fire = "Der Brand in der Werkstatt entstand am Abend, weil ein Kabel an der Drehbank nicht mehr isoliert war und \
                    niemand es bemerkt hatte.";
        check("deu", "Woran lag der Brand in der Werkstatt, und wer haftet zurzeit?", fire, "haftet");
        let painters = "Les peintres ont perdu une semaine entière parce que la peinture de la façade ne séchait pas et que la \
                        pluie tombait chaque jour.";
        check("fra", "Pourquoi les peintres ont-ils perdu une semaine ?", painters, "");
        let heating = "Was kostet die Heizung, und warum blieb der Lack nach wenigen Tagen feucht?";
        check("deu", heating, fire, "Heizung, Tagen, feucht");
        let garden = "De Tuinbouwvereniging Zonneveld verhuurt percelen aan haar leden, en het bestuur onderhoudt samen met \
                      hen de paden en de heg langs het water.";
        check("nld", "Zijn er geiten bij de tuinbouw?", garden, "geiten");
        let clinic =
            "Cardiologica: la dottoressa riceve ogni lunedì mattina al secondo piano, e la visita costa cento euro.";
        check("ita", "Quanto tempo riceve la cardiologa?", clinic, "");
        let well =
            "На собрании решили пробурить колодец у ворот, чтобы вода была у всех, и покрасить забор до конца лета.";
        check("rus", "Сколько стоит бурить колодец весной?", well, "весной");
        let store = "지난 금요일 밤 창고 안의 낡은 전선에서 불이 시작되어 선반 두 개가 탔습니다. 소방서가 곧 도착하여 불을 껐습니다.";
        check("kor", "창고에서 불이 난 원인은 무엇인가요, 보험은 있었나요?", store, "보험");
        let library = "图书馆每天上午九点开门，晚上八点关门，读者凭借书证入馆，每人每次可以借五本书。";
        check("cmn", "图书馆附近有停车场吗？", library, "停车场");
    }
}
