//! Decides what a refused request means for the next step. Endpoints agree on little but the shape `{"error":
//! {"message", "type", "param", "code"}}`, and not always on that, so the words decide.

use serde_json::Value;

use super::wire::Parameter;

/// What to do after a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The key is missing or wrong.
    Key,
    /// The prompt is too long: the caller sends less.
    Overflow,
    /// This parameter is not supported: send the request without it.
    Unsupported(Parameter),
    /// The same request can never succeed.
    Lasting,
    /// The failure may pass.
    Transient,
}

/// Phrases, in lower case, that occur only in answers to a prompt longer than the model's context.
const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "model's context length",
    "model's maximum context",
    "context length exceeded",
    "context window",
    "context size",
    "than the context length",
    "context the overflows",
    "context overflow",
    "prompt is too long",
    "prompt too long",
    "prompt exceeds max length",
    "prompt 超长",
    "maximum prompt length",
    "input is too long",
    "input length should be",
    "input token count",
    "maximum number of tokens",
    "exceeded model token limit",
    "exceed max message tokens",
    "token limit exceeded",
    "too many tokens",
    "too large for model",
    "reduce the length of the messages",
    "reduce your prompt",
    "request too large for",
    "inputs tokens + max_new_tokens",
    "tokens must have less than",
];

/// Phrases for a used-up quota, which no waiting restores.
const USED_UP: &[&str] = &["insufficient_quota", "insufficient balance", "exceeded your current quota, please check"];

/// Judges a reply by its status, its body, and the parameters of the request.
pub(super) fn judge(status: u16, body: &str, sent: &[Parameter]) -> Refusal {
    let words = body.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    match status {
        401 | 403 => Refusal::Key,
        // Some endpoints, Google's among them, answer a wrong key with status 400.
        400 if says(&["api key not valid", "invalid api key", "api_key_invalid", "incorrect api key"]) => Refusal::Key,
        413 => Refusal::Overflow,
        _ if says(OVERFLOW) => Refusal::Overflow,
        429 if says(USED_UP) => Refusal::Lasting,
        400 | 422 | 501 => match unsupported(body, &words, sent) {
            Some(parameter) => Refusal::Unsupported(parameter),
            None => Refusal::Lasting,
        },
        408 | 409 | 429 | 500..=599 => Refusal::Transient,
        _ => Refusal::Lasting,
    }
}

/// Returns the parameter that a refusal names: in its `param` field, or else the first one in its words.
fn unsupported(body: &str, words: &str, sent: &[Parameter]) -> Option<Parameter> {
    let named = serde_json::from_str::<Value>(body).ok().and_then(|value| {
        let param = value.pointer("/error/param").or_else(|| value.pointer("/param"))?.as_str()?.to_lowercase();
        sent.iter().copied().find(|parameter| parameter.names().iter().any(|name| find_word(&param, name).is_some()))
    });
    named.or_else(|| {
        let places = sent.iter().filter_map(|parameter| {
            let at = parameter.names().iter().filter_map(|name| find_word(words, name)).min()?;
            Some((at, *parameter))
        });
        places.min().map(|(_, parameter)| parameter)
    })
}

/// Finds `name` in `text` as a whole word: `tools` is not found in `toolset`, nor `max_tokens` in `my_max_tokens`.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(part_of_word) && !text[at + name.len()..].starts_with(part_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[Parameter] = &[
        Parameter::JsonSchema,
        Parameter::MaxTokens,
        Parameter::MaxCompletionTokens,
        Parameter::StreamOptions,
        Parameter::Temperature,
        Parameter::Tools,
    ];

    #[test]
    fn providers_words_for_an_overflow() {
        for (status, body) in [
            (
                400,
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
            ),
            (
                400,
                r#"{"error":{"message":"Your input exceeds the context window of this model","code":"context_length_exceeded"}}"#,
            ),
            (400, "prompt is too long: 213462 tokens > 200000 maximum"),
            (400, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
            (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
            (400, "Please reduce the length of the messages or completion."),
            (400, "the request exceeds the available context size, try increasing it"),
            (400, "Trying to keep the first 9000 tokens when context the overflows."),
            (400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"),
            (400, "Prompt 超长"),
            (400, "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens"),
            (413, "Request Entity Too Large"),
            (429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 34561."),
            (500, "too many tokens"),
        ] {
            assert_eq!(judge(status, body, ALL), Refusal::Overflow, "{status} {body}");
        }
    }

    #[test]
    fn a_named_parameter_is_found_and_nothing_else() {
        let check = |body: &str, sent: &[Parameter], expected: Refusal| {
            assert_eq!(judge(400, body, sent), expected, "{body}");
        };
        use Parameter::*;
        check(
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#,
            ALL,
            Refusal::Unsupported(MaxTokens),
        );
        check(
            "Unsupported: 'max_tokens', use 'max_completion_tokens'",
            &[MaxTokens, Tools],
            Refusal::Unsupported(MaxTokens),
        );
        check("`temperature` is not supported with this model", ALL, Refusal::Unsupported(Temperature));
        check("This response_format type is unavailable now", ALL, Refusal::Unsupported(JsonSchema));
        check("Unrecognized request argument: stream_options.include_usage", ALL, Refusal::Unsupported(StreamOptions));
        check("body.tools: Extra inputs are not permitted", ALL, Refusal::Unsupported(Tools));
        check("the limit was exceeded", ALL, Refusal::Lasting);
        check("`temperature` is not supported", &[Tools], Refusal::Lasting);
        check("model `x` does not exist", ALL, Refusal::Lasting);
    }

    #[test]
    fn other_refusals_by_status() {
        let check = |status: u16, body: &str, expected: Refusal| assert_eq!(judge(status, body, ALL), expected);
        check(401, "maximum context length", Refusal::Key);
        check(403, "", Refusal::Key);
        check(400, "API key not valid. Please pass a valid API key.", Refusal::Key);
        check(402, "Insufficient Balance", Refusal::Lasting);
        check(404, "The model does not exist", Refusal::Lasting);
        check(429, "Rate limit reached for temperature", Refusal::Transient);
        check(429, r#"{"error":{"code":"insufficient_quota"}}"#, Refusal::Lasting);
        check(503, "overloaded", Refusal::Transient);
        check(301, "", Refusal::Lasting);
    }
}
