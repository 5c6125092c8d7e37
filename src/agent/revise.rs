use std::collections::BTreeMap;

use minijinja::context;

use super::AgentError;
use super::call::{ask_for_value, request};
use crate::base::text::one_line;
use crate::domain::Usage;
use crate::llm::purpose::{ChangedSentence, ReviseInput, Revised};
use crate::llm::{ChatModel, Input};
use crate::prompt::{Prompts, fenced};

/// Asks in one call for the sentences of a report as they are true now. Returns the new sentences by number, empty if
/// no source says anything of the kind any more, and the cost. Sentences with other numbers are left out.
pub async fn revise(
    model: &dyn ChatModel,
    prompts: &Prompts,
    input: ReviseInput,
) -> Result<(BTreeMap<usize, String>, Usage), AgentError> {
    let numbers: Vec<usize> = input.sentences.iter().map(|sentence| sentence.number).collect();
    let shown: Vec<String> = input.sentences.iter().map(shown).collect();
    let variables = context! {
        question => one_line(&input.question),
        language => input.language.as_str(),
        today => input.today.as_str(),
        sentences => shown.join("\n"),
    };
    let request = request(prompts, variables, Input::Revise(input))?;
    let (reply, usage): (Revised, Usage) = ask_for_value(model, &request).await?;
    let revised = reply.sentences.into_iter().filter(|one| numbers.contains(&one.number));
    Ok((revised.map(|one| (one.number, one_line(one.text.trim()))).collect(), usage))
}

fn shown(sentence: &ChangedSentence) -> String {
    let mut text = format!("sentence: {}\n", one_line(&sentence.text));
    for source in &sentence.sources {
        let now = if source.now.is_empty() { "(gone)".to_owned() } else { one_line(&source.now) };
        text.push_str(&format!("source: {}\n  was: {}\n  now: {now}\n", one_line(&source.name), one_line(&source.was)));
    }
    fenced(&format!("sentence {}", sentence.number), &text)
}
