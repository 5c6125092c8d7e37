use minijinja::context;

use super::AgentError;
use super::call::{ask_for_value, request};
use crate::base::text::{excerpt, one_line, short_line};
use crate::domain::Usage;
use crate::llm::purpose::{DescribeInput, Described};
use crate::llm::{ChatModel, Input, LlmError, Purpose};
use crate::prompt::{Prompts, fenced};

/// The most characters of a description; a longer one would not help the planner.
const MAX_CHARS: usize = 600;
/// The most characters of each sample that the model sees.
const MAX_SAMPLE_CHARS: usize = 800;

/// Asks for a sentence or two on what a collection holds.
pub async fn describe(
    model: &dyn ChatModel,
    prompts: &Prompts,
    input: DescribeInput,
) -> Result<(String, Usage), AgentError> {
    let samples: Vec<String> =
        input.samples.iter().map(|sample| fenced("document", &excerpt(sample, MAX_SAMPLE_CHARS))).collect();
    let variables = context! {
        name => one_line(&input.name),
        titles => fenced("titles", &input.titles.iter().map(|title| one_line(title)).collect::<Vec<_>>().join("\n")),
        vocabulary => fenced("vocabulary", &one_line(&input.vocabulary.join(", "))),
        samples => samples.join("\n"),
    };
    let request = request(prompts, variables, Input::Describe(input))?;
    // The description is a field of its own: a reply given in its place, such as a refusal, lacks the field.
    let (reply, usage): (Described, Usage) = ask_for_value(model, &request).await?;
    let description = short_line(&reply.description, MAX_CHARS);
    if description.is_empty() {
        let (model, reason) = (model.name(Purpose::Describe).to_owned(), "the description is empty".to_owned());
        return Err(LlmError::Unusable { model, purpose: Purpose::Describe.name(), reason, usage }.into());
    }
    Ok((description, usage))
}
