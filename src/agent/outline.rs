use minijinja::context;

use super::call::{self, Reply, request};
use super::run::Run;
use super::{AgentError, review};
use crate::base::text::short_line;
use crate::domain::OutlineSection;
use crate::llm::purpose::{OutlineInput, Outlined};
use crate::llm::{ChatRequest, Input};
use crate::prompt::{PromptError, fenced};

/// The lines about the passages take one part in this many of the evidence that a prompt may hold.
const LINES: u64 = 4;
/// The most characters of a heading; a longer one is a sentence.
const HEADING_CHARS: usize = 120;
/// The most characters of a question; a longer one is cut.
const QUESTION_CHARS: usize = 300;

/// A section with the numbers of the passages that its planner named for it.
pub(super) type Planned = (OutlineSection, Vec<usize>);

/// Asks the model for at most `most` sections of a report of `words` words. `None` if there is no outline.
pub(super) async fn outline(run: &mut Run<'_>, most: usize, words: usize) -> Result<Option<Vec<Planned>>, AgentError> {
    let reply = call::structured::<Outlined>(run, |run, tokens| outline_request(run, tokens, most, words)).await?;
    let outlined = match reply {
        Reply::Done(outlined) => outlined,
        Reply::Stop(_) => return Ok(None),
        Reply::Failed(error) => {
            run.warn(format!("there is no outline, so the report is written in one call: {error}"));
            return Ok(None);
        }
    };
    let sections = outlined.sections.into_iter().map(|section| {
        let short = |text: &str, most: usize| short_line(text.trim().trim_start_matches('#').trim(), most);
        let (heading, question) = (short(&section.heading, HEADING_CHARS), short(&section.question, QUESTION_CHARS));
        (OutlineSection { level: 2, heading, question }, section.evidence)
    });
    let sections: Vec<Planned> = sections.filter(|(section, _)| !section.heading.is_empty()).take(most).collect();
    Ok((sections.len() > 1).then_some(sections))
}

fn outline_request(run: &Run<'_>, evidence_tokens: u64, most: usize, words: usize) -> Result<ChatRequest, PromptError> {
    let evidence = run.evidence.ledger.cards(u64::MAX);
    let lines = review::lines(run, evidence.iter().map(|card| card.number), evidence_tokens / LINES);
    let input = OutlineInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        evidence,
        max_sections: most,
        words,
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        max_sections => input.max_sections,
        words => input.words,
        evidence => fenced("passages, a line each", &lines),
    };
    request(&run.engine.prompts, variables, Input::Outline(input))
}
