//! Prompts for common uses, which clients offer as commands.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

/// The name, the description, the arguments with their descriptions, and the text with their placeholders.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const PROMPTS: &[Row] = &[
    (
        "research",
        "Research a question in the documents and write a report with citations",
        &[("question", "What you want to know")],
        "Research this question in my documents: {question}\n\nStart it with research_start, ask research_status until \
         it is done, and show me what research_result gives, with its citations. Do not add anything that the \
         documents do not say.",
    ),
    (
        "answer",
        "Answer a question from the best passages, at once",
        &[("question", "What you want to know")],
        "Answer from my documents: {question}\n\nUse search, read the best results with fetch, and answer in a few \
         sentences. Give the title and url of the passage behind each statement. Say so if the documents do not tell.",
    ),
    (
        "compare",
        "Compare what the documents say about two things",
        &[("first", "The one"), ("second", "The other")],
        "Compare what my documents say about {first} with what they say about {second}.\n\nUse search for both, read \
         the best results with fetch, and list what is alike, what differs, and where the documents contradict each \
         other, each with the title and url of its passage.",
    ),
];

pub(super) fn all() -> Vec<Prompt> {
    let one = |(name, description, arguments, _): &Row| {
        let argument = |(name, description): &(&str, &str)| {
            PromptArgument::new(*name).with_description(*description).with_required(true)
        };
        Prompt::new(*name, Some(*description), Some(arguments.iter().map(argument).collect()))
    };
    PROMPTS.iter().map(one).collect()
}

pub(super) fn get(name: &str, given: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some((_, description, arguments, text)) = PROMPTS.iter().find(|(known, ..)| *known == name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|(name, ..)| *name).collect();
        return Err(ErrorData::invalid_params(
            format!("there is no such prompt; there are {}", names.join(", ")),
            None,
        ));
    };
    let mut filled = String::new();
    let mut rest = *text;
    // The placeholders come in the order of the arguments, so that a value that looks like one is not replaced.
    for (argument, _) in *arguments {
        let value = given.get(*argument).and_then(|value| value.as_str()).map(str::trim).unwrap_or_default();
        if value.is_empty() {
            return Err(ErrorData::invalid_params(
                format!("the prompt `{name}` needs the argument `{argument}`"),
                None,
            ));
        }
        if let Some((before, after)) = rest.split_once(&format!("{{{argument}}}")) {
            filled.push_str(before);
            filled.push_str(value);
            rest = after;
        }
    }
    filled.push_str(rest);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, filled)]).with_description(*description))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_prompt_takes_its_arguments_as_they_are() {
        for (name, _, arguments, _) in PROMPTS {
            let given: JsonObject =
                arguments.iter().map(|(name, _)| ((*name).to_owned(), json!("{second} {question}"))).collect();
            let text = serde_json::to_string(&get(name, &given).unwrap()).unwrap();
            assert_eq!(text.matches("{second} {question}").count(), arguments.len(), "{name}: {text}");
            assert!(get(name, &JsonObject::new()).is_err(), "{name}");
        }
    }
}
