use minijinja::context;

use super::AgentError;
use super::call::request;
use crate::base::text::{excerpt, one_line};
use crate::domain::Usage;
use crate::llm::purpose::DescribeInput;
use crate::llm::{ChatModel, Delta, Input};
use crate::prompt::{Prompts, fenced};

/// A longer description would not help the planner.
const MAX_CHARS: usize = 600;
/// What the model sees of each sample.
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
    let mut unheard = |_: Delta<'_>| {};
    let reply = model.chat(&request, &mut unheard).await?;
    Ok((excerpt(&one_line(&reply.text), MAX_CHARS).into_owned(), reply.usage))
}
