//! Replies of a given form: ask for it, check it, show the model its mistake once, then give up.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{ChatModel, ChatReply, ChatRequest, DeltaSink, Finish, LlmError, Message, Role, Schema};
use crate::base::text::excerpt;
use crate::domain::Usage;

/// Asks `model` for a `T`. A reply that is not a `T` is shown to the model once, with what is wrong with it; a second
/// such reply ends in [`LlmError::Unusable`]. The usage, also in the error, is that of both calls.
pub async fn ask<T: DeserializeOwned + JsonSchema>(
    model: &dyn ChatModel,
    request: &ChatRequest,
    sink: DeltaSink<'_>,
) -> Result<(T, Usage), LlmError> {
    let purpose = request.purpose().name();
    let mut request = request.clone();
    request.schema.get_or_insert_with(|| Schema { name: purpose, schema: strict_schema::<T>() });
    let mut usage = Usage::default();

    let first = model.chat(&request, &mut *sink).await?;
    usage += first.usage;
    let mistake = match read(&first) {
        Ok(value) => return Ok((value, usage)),
        Err(mistake) => mistake,
    };
    tracing::info!(purpose, model = first.model, mistake, "showing the model its mistake");
    request.messages.extend(correction(&first, &mistake));
    let unusable =
        |reason: String, usage: Usage| LlmError::Unusable { model: first.model.clone(), purpose, reason, usage };
    let second = match model.chat(&request, sink).await {
        Ok(second) => second,
        // A limit is not the model's fault.
        Err(error @ LlmError::Limit { .. }) => return Err(error),
        // The cost of the first call must not vanish with the second.
        Err(error) => return Err(unusable(format!("{mistake}; asked again, {error}"), usage)),
    };
    usage += second.usage;
    read(&second).map(|value| (value, usage)).map_err(|mistake| unusable(mistake, usage))
}

/// Returns the JSON Schema of `T` in the form that strict endpoints take: one piece without references, every object
/// closed with all its properties required, and without the keywords that they refuse.
pub fn strict_schema<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    make_strict(&mut schema);
    schema
}

fn make_strict(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for keyword in ["$schema", "title", "format", "default", "minimum", "maximum"] {
                // A property may have the name of a keyword; its value is then a schema, which a keyword's value never
                // is.
                if fields.get(keyword).is_some_and(|value| !value.is_object()) {
                    fields.remove(keyword);
                }
            }
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let names = properties.keys().cloned().map(Value::String).collect();
                fields.insert("required".to_owned(), Value::Array(names));
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            fields.values_mut().for_each(make_strict);
        }
        Value::Array(items) => items.iter_mut().for_each(make_strict),
        _ => {}
    }
}

/// The two messages that ask for a better reply.
fn correction(reply: &ChatReply, mistake: &str) -> [Message; 2] {
    const MOST_CHARS: usize = 4000;
    let shown = if reply.text.trim().is_empty() { "(nothing)".into() } else { excerpt(&reply.text, MOST_CHARS) };
    let shorter = match reply.finish {
        // Some endpoints break off every reply that takes too long.
        Finish::Length | Finish::Interrupted => " Be much shorter.",
        Finish::Stop | Finish::ToolCalls | Finish::ContentFilter => "",
    };
    let words = format!(
        "Your last reply cannot be used: {mistake}.{shorter}\nReply again, with the corrected JSON object and nothing \
         else."
    );
    [Message::text(Role::Assistant, shown), Message::text(Role::User, words)]
}

/// Reads a reply; an error is worded for the model and for people.
fn read<T: DeserializeOwned>(reply: &ChatReply) -> Result<T, String> {
    find_object(&reply.text).map_err(|mistake| match reply.finish.cut() {
        Some(cut) => format!("it {cut} ({mistake})"),
        None => mistake,
    })
}

/// Returns the first JSON object in `text` that is a `T`, whatever surrounds it: words, code fences, other objects.
/// Nothing is repaired; the error tells the model which field is wrong.
pub fn find_object<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let (mut misfit, mut unparsed) = (None, None);
    for object in objects(text) {
        match object.map(|object| fitted(Value::Object(object))) {
            Ok(Ok(fitting)) => return Ok(fitting),
            Ok(Err(error)) => drop(misfit.get_or_insert(error)),
            Err(error) => drop(unparsed.get_or_insert(error)),
        }
    }
    // The first object that failed to parse is the one meant; objects found after it are probably parts of it.
    Err(unparsed.or(misfit).unwrap_or_else(|| "it holds no JSON object".to_owned()))
}

/// Returns the outermost JSON objects in a text; for those that do not parse, the reason.
pub(super) fn objects(text: &str) -> impl Iterator<Item = Result<Map<String, Value>, String>> {
    /// A reply has its JSON near the beginning; a text full of braces is not searched endlessly.
    const MOST_TRIES: usize = 64;
    let mut from = 0;
    let next = move || {
        let at = from + text[from..].find('{')?;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        let object = values.next()?;
        from = at + if object.is_ok() { values.byte_offset() } else { 1 };
        Some(object.map_err(|error| format!("it is not valid JSON: {error} (counted from its first brace)")))
    };
    std::iter::from_fn(next).take(MOST_TRIES)
}

/// Returns `value` as a `T`, or which field is wrong and how.
fn fitted<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    const MOST_CHARS: usize = 300;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "at the top" } else { &path };
        format!("{place}: {}", excerpt(&error.inner().to_string(), MOST_CHARS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::{Plan, Reflection};
    use serde_json::json;

    #[test]
    fn a_schema_is_closed_and_in_one_piece() {
        let schema = strict_schema::<Plan>();
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$schema") && !text.contains("\"title\""), "{text}");
        assert_eq!(schema["required"], json!(["reason", "sub_queries"]));
        let item = &schema["properties"]["sub_queries"]["items"];
        assert_eq!(item["required"], json!(["query", "collections"]));
        assert_eq!(item["additionalProperties"], json!(false));
        assert!(!strict_schema::<Reflection>().to_string().contains("uint"));
    }

    #[test]
    fn a_field_too_many_or_one_that_is_not_needed_costs_no_reply() {
        let check = |text: &str, expected: &[(&str, &[&str])]| {
            let plan = find_object::<Plan>(text).unwrap_or_else(|mistake| panic!("{text}: {mistake}"));
            let queries = plan.sub_queries.iter();
            let found: Vec<(&str, Vec<&str>)> =
                queries.map(|one| (one.query.as_str(), one.collections.iter().map(String::as_str).collect())).collect();
            let expected: Vec<(&str, Vec<&str>)> =
                expected.iter().map(|(query, names)| (*query, names.to_vec())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            r#"{"thoughts": "x", "reason": "r", "sub_queries": [{"query": "a", "id": 1, "collections": ["c"]}]}"#,
            &[("a", &["c"])],
        );
        check(r#"{"sub_queries": [{"query": "a"}]}"#, &[("a", &[])]);
        assert!(find_object::<Plan>(r#"{"reason": "r"}"#).unwrap_err().contains("missing field `sub_queries`"));
        assert!(find_object::<Reflection>(r#"{"helpful": [], "sub_queries": []}"#).unwrap_err().contains("`enough`"));
    }

    #[test]
    fn advice_for_the_model_is_not_part_of_its_mistake() {
        let check = |finish: Finish, mistake: &str, advised: bool| {
            let usage = Usage::default();
            let (text, reasoning, tool_calls, model) = ("{".to_owned(), String::new(), vec![], "m".to_owned());
            let elapsed = std::time::Duration::ZERO;
            let reply = ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed };
            let found = read::<Plan>(&reply).unwrap_err();
            assert!(found.starts_with(mistake) && !found.contains("shorter"), "{found}");
            let [_, told] = correction(&reply, &found);
            assert_eq!(told.content.contains("Be much shorter."), advised, "{}", told.content);
        };
        check(Finish::Stop, "it is not valid JSON", false);
        check(Finish::Length, "it ends at the model's limit on output (it is not", true);
        check(Finish::Interrupted, "it was broken off by the endpoint (it is not", true);
        check(Finish::ContentFilter, "it ends where the endpoint withheld the rest", false);
    }

    #[test]
    fn a_property_may_have_a_keywords_name() {
        let mut schema =
            json!({"properties": {"title": {"type": "string", "title": "T"}, "format": {"type": "string"}}});
        make_strict(&mut schema);
        assert_eq!(schema["properties"], json!({"title": {"type": "string"}, "format": {"type": "string"}}));
        assert_eq!(schema["required"], json!(["title", "format"]));
    }

    #[test]
    fn the_object_is_found_whatever_stands_around_it() {
        #[derive(Debug, serde::Deserialize)]
        struct Inner {
            a: u32,
        }
        let check = |text: &str, expected: Result<u32, &str>| match (find_object::<Inner>(text), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.a, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, _) => panic!("{text}: {found:?}"),
        };
        check(r#"{"a": 1}"#, Ok(1));
        check("Sure!\n```json\n{\"a\": 2}\n```\nHope {it} helps", Ok(2));
        check(r#"For {x} and {"b": 1} I say {"a": 3}"#, Ok(3));
        check(r#"「{"a": 4}」"#, Ok(4));
        check(r#"{"a": 5}{"a": 6}"#, Ok(5));
        check(r#"{"a": "x"}"#, Err("a: "));
        check(r#"{}"#, Err("missing field `a`"));
        check(r#"{"a": 1,}"#, Err("not valid JSON"));
        check(r#"{"a": 1"#, Err("not valid JSON"));
        check("[1]", Err("no JSON object"));
        check("", Err("no JSON object"));
        check(&"{\"a\":".repeat(20_000), Err("not valid JSON"));
    }
}
