//! Tool calls for models without tools, written as JSON in the reply's text. A request with tools becomes one with a
//! schema, and the reply's text is searched for calls. Replies of models that have tools are read here too, since some
//! write their calls as text all the same.

use serde_json::{Map, Value, json};

use super::structured::objects;
use super::{ChatReply, ChatRequest, Message, Role, Schema, ToolCall, ToolSpec};

/// The outcome of a reply to a request with tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelTurn {
    /// Tools are to be called, in this order.
    Calls(Vec<ToolCall>),
    /// Text without a call.
    Words(String),
    /// Neither; the text says what is wrong, worded for the model.
    Broken(String),
}

/// Reads a reply: its own tool calls, or else those that its text holds as JSON.
pub fn said(reply: &ChatReply, tools: &[ToolSpec]) -> ModelTurn {
    if !reply.tool_calls.is_empty() {
        return ModelTurn::Calls(reply.tool_calls.clone());
    }
    let text = reply.text.trim();
    if text.is_empty() {
        return ModelTurn::Broken("the reply is empty".to_owned());
    }
    let mut calls = Vec::new();
    let mut unparsed = None;
    for object in objects(text) {
        match object {
            Ok(object) => add_calls(&object, tools, &mut calls),
            Err(reason) => drop(unparsed.get_or_insert(reason)),
        }
    }
    let names_a_tool = tools.iter().any(|tool| text.contains(&format!("\"{}\"", tool.name)));
    if !calls.is_empty() {
        ModelTurn::Calls(calls)
    } else if names_a_tool || text.starts_with('{') || text.contains("\"calls\"") {
        let reason = unparsed.unwrap_or_else(|| "its JSON holds no call of a tool".to_owned());
        ModelTurn::Broken(format!("no tool was called: {reason}"))
    } else {
        ModelTurn::Words(text.to_owned())
    }
}

/// Rewrites a request for a model without tools: tools are described in words, earlier calls and results become text,
/// and the reply is bound to a schema.
pub fn without_tool_api(request: &ChatRequest) -> ChatRequest {
    let mut messages: Vec<Message> = Vec::new();
    for message in &request.messages {
        match message.role {
            Role::Tool => {
                let result =
                    format!("Result of {}:\n{}", message.tool_call_id.as_deref().unwrap_or("a call"), message.content);
                match messages.last_mut() {
                    Some(last) if last.role == Role::User && last.content.starts_with("Result of ") => {
                        last.content = format!("{}\n\n{result}", last.content);
                    }
                    _ => messages.push(Message::text(Role::User, result)),
                }
            }
            Role::Assistant if !message.tool_calls.is_empty() => {
                let calls: Vec<Value> = message.tool_calls.iter().map(as_json).collect();
                let said = json!({"thought": message.content, "calls": calls});
                messages.push(Message::text(Role::Assistant, said.to_string()));
            }
            _ => messages.push(message.clone()),
        }
    }
    let words = instructions(&request.tools);
    match messages.first_mut() {
        Some(first) if first.role == Role::System => first.content = format!("{}\n\n{words}", first.content),
        _ => messages.insert(0, Message::text(Role::System, words)),
    }
    let schema = Schema { name: "calls", schema: schema(&request.tools) };
    ChatRequest { messages, schema: Some(schema), tools: Vec::new(), ..request.clone() }
}

fn instructions(tools: &[ToolSpec]) -> String {
    let tool = |tool: &ToolSpec| format!("- {}: {} Arguments: {}", tool.name, tool.description, tool.parameters);
    let tools: Vec<String> = tools.iter().map(tool).collect();
    format!(
        "You call tools by replying with one JSON object and nothing else:\n\
         {{\"thought\": \"one sentence\", \"calls\": [{{\"tool\": \"a tool's name\", \"arguments\": {{}}}}]}}\n\
         The results come with the next message, in the order of the calls. The tools:\n{}",
        tools.join("\n")
    )
}

fn schema(tools: &[ToolSpec]) -> Value {
    let call = |tool: &ToolSpec| {
        json!({
            "type": "object",
            "properties": {"tool": {"type": "string", "enum": [tool.name]}, "arguments": tool.parameters},
            "required": ["tool", "arguments"],
            "additionalProperties": false,
        })
    };
    let calls: Vec<Value> = tools.iter().map(call).collect();
    json!({
        "type": "object",
        "properties": {
            "thought": {"type": "string", "description": "One sentence: what is looked for, and why."},
            "calls": {"type": "array", "items": {"anyOf": calls}},
        },
        "required": ["thought", "calls"],
        "additionalProperties": false,
    })
}

fn as_json(call: &ToolCall) -> Value {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    json!({"tool": call.name, "arguments": arguments})
}

/// Adds the calls of an object: a list under `calls`, or the object itself, under the names that models use.
fn add_calls(object: &Map<String, Value>, tools: &[ToolSpec], calls: &mut Vec<ToolCall>) {
    let listed = ["calls", "tool_calls"].iter().find_map(|name| object.get(*name)?.as_array());
    if let Some(listed) = listed {
        for one in listed.iter().filter_map(Value::as_object) {
            add_calls(one.get("function").and_then(Value::as_object).unwrap_or(one), tools, calls);
        }
        return;
    }
    let name = ["tool", "name", "action", "function"].iter().find_map(|name| object.get(*name)?.as_str());
    let arguments = ["arguments", "parameters", "args", "input"].iter().find_map(|name| object.get(*name));
    let (Some(name), Some(arguments)) = (name, arguments) else { return };
    // An object with a name and text arguments may be anything; it is a call if it names a tool or its arguments are an
    // object.
    if arguments.is_object() || tools.iter().any(|tool| tool.name == name) {
        let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        // The caller that continues the conversation assigns the ids.
        calls.push(ToolCall { id: String::new(), name: name.to_owned(), arguments });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::DescribeInput;
    use crate::llm::{Finish, Input};

    fn tools() -> Vec<ToolSpec> {
        let parameters = json!({"type": "object", "properties": {"q": {"type": "string"}}});
        ["find", "finish"]
            .map(|name| ToolSpec {
                name: name.to_owned(),
                description: "D.".to_owned(),
                parameters: parameters.clone(),
            })
            .to_vec()
    }

    fn read(text: &str) -> ModelTurn {
        let reply = ChatReply {
            text: text.to_owned(),
            reasoning: String::new(),
            tool_calls: Vec::new(),
            finish: Finish::Stop,
            usage: crate::domain::Usage::default(),
            model: String::new(),
            elapsed: std::time::Duration::ZERO,
        };
        said(&reply, &tools())
    }

    fn check_calls(text: &str, expected: &[(&str, &str)]) {
        let ModelTurn::Calls(calls) = read(text) else { panic!("{text}: {:?}", read(text)) };
        let found: Vec<(&str, &str)> = calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn calls_are_read_in_every_form_that_models_write() {
        check_calls(
            r#"{"thought": "x", "calls": [{"tool": "find", "arguments": {"q": "a"}}, {"tool": "finish", "arguments": {}}]}"#,
            &[("find", r#"{"q":"a"}"#), ("finish", "{}")],
        );
        check_calls(
            "Sure:\n```json\n{\"tool\": \"find\", \"arguments\": {\"q\": \"日本\"}}\n```",
            &[("find", "{\"q\":\"日本\"}")],
        );
        check_calls(
            "<tool_call>\n{\"name\": \"find\", \"arguments\": {\"q\": \"a\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"find\", \"parameters\": {\"q\": \"b\"}}\n</tool_call>",
            &[("find", r#"{"q":"a"}"#), ("find", r#"{"q":"b"}"#)],
        );
        check_calls(r#"{"action": "find", "args": "{\"q\": \"a\"}"}"#, &[("find", r#"{"q": "a"}"#)]);
        check_calls(r#"{"calls": [{"tool": "fnd", "arguments": {"q": 1}}]}"#, &[("fnd", r#"{"q":1}"#)]);
    }

    #[test]
    fn words_are_words_and_what_is_meant_as_a_call_is_not() {
        assert_eq!(read(" It fell in 2000 {so it is}. "), ModelTurn::Words("It fell in 2000 {so it is}.".to_owned()));
        let broken = |text: &str, part: &str| match read(text) {
            ModelTurn::Broken(reason) => assert!(reason.contains(part), "{text}: {reason}"),
            other => panic!("{text}: {other:?}"),
        };
        broken("  ", "empty");
        broken(r#"{"calls": [{"tool": "find", "arguments": {"q": "a"}"#, "not valid JSON");
        broken(r#"{"thought": "hm", "calls": []}"#, "no call of a tool");
        broken(r#"I call "find" with a"#, "no call of a tool");
        broken(&"{\"calls\": [".repeat(10_000), "not valid JSON");
    }

    #[test]
    fn a_conversation_with_tools_is_told_in_words() {
        let input = DescribeInput { name: String::new(), titles: vec![], vocabulary: vec![], samples: vec![] };
        let call =
            |id: &str| ToolCall { id: id.to_owned(), name: "find".to_owned(), arguments: "{\"q\":1}".to_owned() };
        let result = |id: &str| Message { tool_call_id: Some(id.to_owned()), ..Message::text(Role::Tool, "found") };
        let calling = Message { tool_calls: vec![call("a"), call("b")], ..Message::text(Role::Assistant, "I look.") };
        let messages =
            vec![Message::text(Role::System, "S"), Message::text(Role::User, "Q"), calling, result("a"), result("b")];
        let request = ChatRequest {
            messages,
            input: Input::Describe(input),
            schema: None,
            tools: tools(),
            max_tokens: Some(7),
            max_requests: None,
            time_left: None,
        };
        let told = without_tool_api(&request);
        let shown: Vec<(Role, &str)> =
            told.messages.iter().map(|message| (message.role, message.content.as_str())).collect();
        assert!(
            shown[0].1.starts_with("S\n\nYou call tools by replying") && shown[0].1.contains("- find: D. Arguments: {")
        );
        assert_eq!(
            shown[2],
            (
                Role::Assistant,
                r#"{"thought":"I look.","calls":[{"tool":"find","arguments":{"q":1}},{"tool":"find","arguments":{"q":1}}]}"#
            )
        );
        assert_eq!(shown[3], (Role::User, "Result of a:\nfound\n\nResult of b:\nfound"));
        assert_eq!((shown.len(), told.tools.len(), told.max_tokens), (4, 0, Some(7)));
        let schema = &told.schema.as_ref().unwrap().schema;
        assert_eq!(schema["properties"]["calls"]["items"]["anyOf"][1]["properties"]["tool"]["enum"], json!(["finish"]));
    }
}
