use std::ops::Range;

use minijinja::context;

use super::AgentError;
use super::call::{ask_for_value, request};
use crate::base::text::{one_line, short_line};
use crate::domain::{StoredChunk, Usage};
use crate::llm::purpose::{Quiz, QuizInput, QuizQuestion};
use crate::llm::{ChatModel, Input};
use crate::prompt::{Prompts, fenced};

/// The most characters of a question.
const MAX_QUESTION_CHARS: usize = 400;

/// A question and the place of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PosedQuestion {
    /// The question.
    pub question: String,
    /// The byte range of the answer in the passage.
    pub answer: Range<usize>,
}

/// Asks for at most `questions` questions that a passage answers. Also returns the number of the model's questions that
/// were dropped because their answers are not where it says, and the cost.
pub async fn quiz(
    model: &dyn ChatModel,
    prompts: &Prompts,
    chunk: &StoredChunk,
    questions: usize,
) -> Result<(Vec<PosedQuestion>, usize, Usage), AgentError> {
    let variables = context! {
        title => one_line(&chunk.title),
        headings => one_line(&chunk.headings.shared.join(" › ")),
        questions => questions,
        passage => fenced("passage", &chunk.text),
    };
    let (title, headings, text) = (chunk.title.clone(), chunk.headings.shared.clone(), chunk.text.clone());
    let input = Input::Quiz(QuizInput { title, headings, text, questions });
    let request = request(prompts, variables, input)?;
    let (reply, usage): (Quiz, Usage) = ask_for_value(model, &request).await?;
    let asked = reply.questions.len().min(questions);
    let posed: Vec<PosedQuestion> =
        reply.questions.iter().take(questions).filter_map(|question| placed(&chunk.text, question)).collect();
    let dropped = asked - posed.len();
    Ok((posed, dropped, usage))
}

/// A question whose sentence is in the passage and whose answer is in the sentence; else `None`.
fn placed(text: &str, question: &QuizQuestion) -> Option<PosedQuestion> {
    let (sentence, answer) = (question.sentence.trim(), question.answer.trim());
    if answer.is_empty() || question.question.trim().is_empty() {
        return None;
    }
    let start = text.find(sentence)? + sentence.find(answer)?;
    let asked = short_line(&question.question, MAX_QUESTION_CHARS);
    Some(PosedQuestion { question: asked, answer: start..start + answer.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, answer: &str, expected: Option<Range<usize>>) {
        let text = "It grew in 1894. The harbour grew in 1911.";
        let question = QuizQuestion {
            question: " When did\nit grow? ".to_owned(),
            sentence: sentence.to_owned(),
            answer: answer.to_owned(),
        };
        let expected = expected.map(|answer| PosedQuestion { question: "When did it grow?".to_owned(), answer });
        assert_eq!(placed(text, &question), expected);
    }

    #[test]
    fn only_answers_that_stand_in_the_passage_are_taken() {
        check("The harbour grew in 1911.", "1911", Some(37..41));
        check("The harbour grew in 1911.", "grew", Some(29..33));
        check("The harbour grew in 1911.", "1894", None);
        check("The port grew in 1911.", "1911", None);
        check("The harbour grew in 1911.", " ", None);
    }
}
