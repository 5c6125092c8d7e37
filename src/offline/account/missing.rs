//! The words of a question that stand in no passage, as a report tells them where nobody has read whether a passage answers.

use std::collections::BTreeSet;

use whatlang::Lang;

use super::Account;
use crate::base::text::analysis::Term;
use crate::base::text::formula::{formula, is_within};
use crate::base::text::{chinese_words, is_cjk, is_thai, korean_nouns};
use crate::offline::terms::{content_set, content_terms, unknown_words};
use crate::report::Words;

/// A word with spaces around it that has no more characters is not told: it mostly only asks.
const SHORT: usize = 4;

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
            words => [phrases.missing, phrases.colon, &words.join(phrases.comma), "\n\n"].concat(),
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
            false => word.chars().nth(SHORT).is_some() && !word.contains(is_thai),
        });
        words
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
            let expected = match expected {
                "" => String::new(),
                expected => format!("{}{}{expected}\n\n", phrases.missing, phrases.colon),
            };
            assert_eq!(told, expected, "{question}");
        };
        let fire = "Der Brand in der Werkstatt entstand am Abend, weil ein Kabel an der Drehbank nicht mehr isoliert war und \
                    niemand es bemerkt hatte.";
        check("deu", "Woran lag der Brand in der Werkstatt, und wer haftet zurzeit?", fire, "haftet");
        let painters = "Les peintres ont perdu une semaine entière parce que la peinture de la façade ne séchait pas et que la \
                        pluie tombait chaque jour.";
        check("fra", "Pourquoi les peintres ont-ils perdu une semaine ?", painters, "");
        let store = "지난 금요일 밤 창고 안의 낡은 전선에서 불이 시작되어 선반 두 개가 탔습니다. 소방서가 곧 도착하여 불을 껐습니다.";
        check("kor", "창고에서 불이 난 원인은 무엇인가요, 보험은 있었나요?", store, "보험");
        let library = "图书馆每天上午九点开门，晚上八点关门，读者凭借书证入馆，每人每次可以借五本书。";
        check("cmn", "图书馆附近有停车场吗？", library, "停车场");
    }
}
