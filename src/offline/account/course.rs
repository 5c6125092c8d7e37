//! The account of a question that asks how something went: what each document tells of it, in the order of their days. Of one
//! or two documents there is no course.

use super::{Account, MAIN_WORDS};
use crate::base::text::folded;
use crate::offline::render::{heading_text, title_of};
use crate::offline::terms::content_set;

/// Fewest and most documents of a course.
const LEAST: usize = 3;
const MOST: usize = 7;

/// Words of a document beside the one that is most on what is asked.
const WORDS: usize = 60;

/// A document is a part of the course where the search thinks this share of it of what it thinks of the best one.
const NEAR: f32 = 0.15;

/// A statement of it is on the subject where it holds this share of what the one holds that holds most.
const SPEAKS: f32 = 0.5;

/// How questions ask how something went.
const ASKING: &str = "what has happened|what happened|come about|came about|course of|develop|unfold|evolve|history of|\
    was ist passiert|was geschah|wie kam es|verlauf|wie ging es|wie lief|entwickelt|que s'est-il passé|déroul|histoire d|évolu|\
    qué pasó|qué ha pasado|qué ha ocurrido|cómo ha ido|transcur|historia de|cosa è successo|com'è andat|si è svolt|andament|\
    o que aconteceu|o que se passou|como decorreu|como correu|história d|wat is er gebeurd|wat gebeurde|verloop|hoe verliep|\
    co się stało|co się wydarzyło|przebieg|что произошло|что случилось|как прошл|как проходил|история |\
    経緯|経過|その後どうなり|いきさつ|顛末|经过|进展|来龙去脉|前前后后|发生了什么|怎么回事";

/// Whether a question asks how something went.
pub(in crate::offline) fn asks_for_course(question: &str) -> bool {
    let question = folded(question);
    ASKING.split('|').any(|words| question.contains(words))
}

impl Account<'_> {
    /// What the documents that the search thinks most of tell of it, each below its title, in the order of their days; `None`
    /// where they are few.
    pub(super) fn course(&mut self, relevant: &[usize]) -> Option<String> {
        let documents = self.documents(relevant);
        let (best, main) = *documents.first()?;
        let near = documents.into_iter().take(MOST).take_while(|(standing, _)| *standing >= NEAR * best);
        let parts: Vec<(usize, Vec<usize>)> =
            near.map(|(_, document)| (document, self.part_on_subject(document))).collect();
        if parts.len() < LEAST {
            return None;
        }
        let mut chosen: Vec<Vec<usize>> = Vec::new();
        for (document, part) in parts {
            let (part, words) = if document == main { (part, MAIN_WORDS) } else { (self.speaking(part), WORDS) };
            let mut part = self.choose(&part, words).chosen;
            part.sort_by_key(|&index| {
                let one = &self.told[index];
                (self.input.evidence[one.card].at, one.statement.range.start)
            });
            chosen.push(part);
        }
        chosen.retain(|part| !part.is_empty());
        let card = |part: &[usize]| &self.input.evidence[self.told[part[0]].card];
        chosen.sort_by_key(|part| (card(part).date.is_empty(), card(part).date.clone()));
        let tell = |part: &Vec<usize>| {
            let card = card(part);
            let title = title_of(card, &self.input.evidence);
            let dated = if card.date.is_empty() { title } else { format!("{title} ({})", card.date) };
            format!("## {}\n\n{}", heading_text(&dated), self.paragraphs(part, ""))
        };
        Some(chosen.iter().map(tell).collect())
    }

    /// Of a document's statements those that hold about as much of the subject as the one that holds most, themselves or in
    /// the headings above them.
    fn speaking(&self, part: Vec<usize>) -> Vec<usize> {
        let subject = self.subject();
        let coverage = |index: usize| {
            let one = &self.told[index];
            let mut held = content_set(&one.statement.headings(), self.language);
            held.extend(one.terms.iter().cloned());
            self.rarity.coverage(&subject, &held)
        };
        let best = part.iter().map(|&index| coverage(index)).fold(0.0, f32::max);
        part.into_iter().filter(|&index| coverage(index) >= SPEAKS * best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_a_course() {
        let check = |question: &str, expected: bool| assert_eq!(asks_for_course(question), expected, "{question}");
        check("What has happened so far with the weir?", true);
        check("Wie war der Verlauf der Sanierung?", true);
        check("How did the fire start?", false);
        check("勤怠システムの入れ替えはどんな経緯で進んできましたか？", true);
        check("How high is the weir?", false);
        check("修理はいくらですか", false);
    }
}
