//! The client of chat endpoints, against a server that follows a script and records the requests.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::llm::presets::StructuredOutput;
use crate::llm::{Message, Role, Schema, ToolCall, ToolSpec, testing};
use crate::net::testing::{Reply, Server};

const KEY: &str = "sk-very-secret-key-0001";

fn request() -> ChatRequest {
    let messages = vec![Message::text(Role::System, "be brief"), Message::text(Role::User, "describe")];
    ChatRequest { messages, max_tokens: Some(100), ..testing::request("describe") }
}

fn with_schema() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    ChatRequest { schema: Some(Schema { name: "describe", schema }), ..request() }
}

fn options(server: &Server, preset: &str) -> OpenAiOptions {
    OpenAiOptions {
        base_url: Some(server.url()),
        key: Some(Secret::new(KEY)),
        key_source: "TEST_KEY".into(),
        model: "m".into(),
        temperature: Some(0.5),
        prices: [("m".to_owned(), Price { input: 1.0, cached_input: None, output: 2.0 })].into(),
        http: HttpOptions { idle_timeout: Duration::from_millis(200), ..HttpOptions::default() },
        retry: Retry { attempts: 3, base: Duration::from_millis(1), ..Retry::default() },
        ..OpenAiOptions::new(Preset::find(preset).unwrap())
    }
}

fn model(server: &Server) -> OpenAiModel {
    OpenAiModel::new(options(server, "openai")).unwrap()
}

/// Returns the outcome, and what the sink received: text, `<reasoning>`, and `|` for a restart.
async fn chat(model: &OpenAiModel, request: &ChatRequest) -> (Result<ChatReply, LlmError>, String) {
    let mut seen = String::new();
    let outcome = model
        .chat(request, &mut |delta: Delta<'_>| match delta {
            Delta::Text(words) => seen.push_str(words),
            Delta::Reasoning(words) => seen.push_str(&format!("<{words}>")),
            Delta::Restart => seen.push('|'),
            Delta::Sending => {}
        })
        .await;
    (outcome, seen)
}

fn delta(delta: Value) -> String {
    json!({"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}).to_string()
}

fn words(text: &str) -> String {
    delta(json!({"content": text}))
}

fn stop(reason: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}

fn usage() -> String {
    json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}})
        .to_string()
}

fn cut(events: &[String]) -> Reply {
    let pieces = events.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect();
    Reply::Stream { pieces, cut: true }
}

fn refusal(status: u16, message: &str) -> Reply {
    Reply::json(status, &json!({"error": {"message": message}}))
}

fn good() -> Reply {
    Reply::events(&[words("yes"), stop("stop"), usage(), "[DONE]".to_owned()])
}

#[tokio::test]
async fn a_streamed_reply_is_joined_counted_and_priced() {
    let server = Server::start(vec![Reply::events(&[
        delta(json!({"role": "assistant", "content": null, "reasoning_content": "hm"})),
        words("日本"),
        words("語"),
        stop("length"),
        usage(),
        "[DONE]".to_owned(),
    ])]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str(), seen.as_str()), ("日本語", "hm", "<hm>日本語"));
    assert_eq!((reply.finish, reply.model.as_str()), (Finish::Length, "m-1"));
    let expected = Usage {
        calls: 1,
        prompt_tokens: 10,
        cached_tokens: 4,
        completion_tokens: 5,
        usd: Some(2e-5),
        estimated: false,
        ..Usage::default()
    };
    assert_eq!(reply.usage, expected);

    let sent = &server.seen()[0];
    assert!(sent.line.starts_with("POST /v1/chat/completions "), "{}", sent.line);
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let expected = json!({
        "model": "m",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "describe"}],
        "stream": true, "stream_options": {"include_usage": true},
        "max_completion_tokens": 100, "temperature": 0.5,
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn a_plain_json_reply_is_understood_and_its_tokens_estimated() {
    let message = json!({"role": "assistant", "content": "<think>so</think>\n\nyes"});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    let server = Server::start(vec![Reply::json(200, &body)]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str(), seen.as_str()), ("yes", "so", "<so>yes"));
    assert!(reply.usage.estimated && reply.usage.prompt_tokens > 0 && reply.usage.completion_tokens > 0);
}

#[tokio::test]
async fn tool_calls_are_put_together_by_index() {
    let call = |index: usize, id: Value, name: Value, arguments: &str| {
        delta(json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}))
    };
    let server = Server::start(vec![Reply::events(&[
        call(0, json!("x"), json!("search"), ""),
        call(1, json!("y"), json!("read"), "{\"b\""),
        call(0, Value::Null, Value::Null, "{\"a\""),
        call(0, Value::Null, Value::Null, ":1}"),
        call(1, json!(""), Value::Null, ":2}"),
        stop("stop"),
    ])]);
    let reply = chat(&model(&server), &request()).await.0.unwrap();
    let expected = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    assert_eq!(reply.tool_calls, [expected("x", "search", "{\"a\":1}"), expected("y", "read", "{\"b\":2}")]);
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn tool_calls_are_told_apart_whatever_their_index() {
    let call = |id: Value, name: Value, arguments: &str| json!({"index": 0, "id": id, "function": {"name": name, "arguments": arguments}});
    let unindexed =
        |id: &str, name: Value, arguments: &str| json!({"id": id, "function": {"name": name, "arguments": arguments}});
    let check = async |pieces: Vec<Value>, expected: &[(&str, &str)]| {
        let mut events: Vec<String> = pieces.iter().map(|piece| delta(json!({"tool_calls": [piece]}))).collect();
        events.push(stop("tool_calls"));
        let reply = chat(&model(&Server::start(vec![Reply::events(&events)])), &request()).await.0.unwrap();
        let called: Vec<(&str, &str)> =
            reply.tool_calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(called, expected, "{pieces:?}");
    };
    let (search, read, null) = (json!("search"), json!("read"), Value::Null);
    let two = [("search", "{\"a\":1}"), ("search", "{\"b\":2}")];
    // Every call has the index 0: ids tell them apart, or else that the call before is complete.
    for (first, second) in [(json!("x"), json!("y")), (json!(""), json!("")), (null.clone(), null.clone())] {
        let whole =
            vec![call(first.clone(), search.clone(), "{\"a\":1}"), call(second.clone(), search.clone(), "{\"b\":2}")];
        check(whole, &two).await;
    }
    let cut = vec![
        call(json!("x"), search.clone(), ""),
        call(null.clone(), null.clone(), "{\"a\":1}"),
        call(json!("y"), search.clone(), "{\"b\""),
        call(json!("y"), null.clone(), ":2}"),
    ];
    check(cut, &two).await;
    let others = vec![call(null.clone(), search.clone(), "{\"a\":1}"), call(null.clone(), read.clone(), "")];
    check(others, &[("search", "{\"a\":1}"), ("read", "")]).await;
    check(vec![unindexed("x", search.clone(), "{\"a\":1}"), unindexed("y", search.clone(), "{\"b\":2}")], &two).await;
    // The name, or another id, in every piece of one call.
    for ids in [[json!("x"), json!("x"), json!("x")], [null.clone(), null.clone(), null.clone()]] {
        let repeated = ids.iter().zip(["{\"a\"", ":1}", ""]).map(|(id, part)| call(id.clone(), search.clone(), part));
        check(repeated.collect(), &two[..1]).await;
    }
    let renamed = vec![call(json!("x"), search.clone(), "{\"a\""), call(json!("y"), null.clone(), ":1}")];
    check(renamed, &two[..1]).await;
    // A name in two pieces.
    check(vec![call(json!("x"), json!("sea"), ""), call(null.clone(), json!("rch"), "{\"a\":1}")], &two[..1]).await;
}

#[tokio::test]
async fn a_message_beside_a_delta_repeats_it() {
    let both = |delta: Value, message: &str| {
        json!({"choices": [{"index": 0, "delta": delta, "message": {"role": "assistant", "content": message}}]})
            .to_string()
    };
    let events = [both(json!({"content": "ye"}), ""), both(json!({"content": "s"}), "yes"), both(json!({}), "yes")];
    let server = Server::start(vec![Reply::events(&[events.as_slice(), &[stop("stop")]].concat())]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    assert_eq!((reply.unwrap().text.as_str(), seen.as_str()), ("yes", "yes"));
}

#[tokio::test]
async fn no_retry_is_waited_for_that_comes_too_late() {
    let headers = vec![("retry-after", "3600".to_owned())];
    let busy = Reply::Whole { status: 429, headers, body: "slow down".to_owned() };
    let server = Server::start(vec![busy, good()]);
    let request = ChatRequest { time_left: Some(Duration::from_secs(20)), ..request() };
    let error = chat(&model(&server), &request).await.0.unwrap_err();
    assert!(matches!(error, LlmError::Unavailable { attempts: 1, .. }), "{error:?}");
}

#[tokio::test]
async fn a_refused_parameter_is_dropped_once_and_remembered() {
    let server = Server::start(vec![
        refusal(400, "Unsupported value: 'temperature' does not support 0.5 with this model."),
        refusal(400, "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead."),
        good(),
        good(),
    ]);
    let model = model(&server);
    assert_eq!(chat(&model, &request()).await.0.unwrap().usage.calls, 3);
    assert_eq!(chat(&model, &request()).await.0.unwrap().usage.calls, 1);
    let seen = server.seen();
    let fields = |at: usize| {
        ["temperature", "max_completion_tokens", "max_tokens"].map(|name| seen[at].body.get(name).is_some())
    };
    assert_eq!(fields(0), [true, true, false]);
    assert_eq!(fields(1), [false, true, false]);
    assert_eq!(fields(2), [false, false, true]);
    assert_eq!(fields(3), [false, false, true]);
}

#[tokio::test]
async fn structured_output_steps_down_to_words() {
    let no = || refusal(400, "This response_format type is unavailable now");
    let server = Server::start(vec![no(), no(), good()]);
    chat(&model(&server), &with_schema()).await.0.unwrap();
    let seen = server.seen();
    let format = |at: usize| seen[at].body.pointer("/response_format/type").and_then(Value::as_str).map(str::to_owned);
    assert_eq!([format(0), format(1), format(2)], [Some("json_schema".into()), Some("json_object".into()), None]);
    let system = |at: usize| seen[at].body.pointer("/messages/0/content").unwrap().as_str().unwrap().to_owned();
    assert_eq!(system(0), "be brief");
    assert!(system(1).contains("JSON Schema") && system(2).contains("\"properties\""));
    assert_eq!(seen[0].body.pointer("/response_format/json_schema/strict"), Some(&json!(true)));
}

#[tokio::test]
async fn failures_end_as_what_the_caller_does_next() {
    let check = async |script: Vec<Reply>, expected: &str, requests: usize| {
        let server = Server::start(script);
        let error = chat(&model(&server), &request()).await.0.unwrap_err();
        let shown = format!("{error:?} {error}");
        assert!(shown.starts_with(expected), "{shown}");
        assert!(!shown.contains(KEY), "{shown}");
        assert_eq!(server.seen().len(), requests, "{shown}");
    };
    let in_stream =
        |code: u16, message: &str| Reply::events(&[json!({"error": {"code": code, "message": message}}).to_string()]);
    check(vec![refusal(401, &format!("Incorrect API key provided: {KEY}"))], "Key", 1).await;
    // Endpoints quote the key in whatever they say, also where the status means success.
    let quoted = format!("upstream broke Bearer {KEY}");
    let in_json = Reply::json(200, &json!({"error": {"code": 402, "message": quoted}}));
    check(vec![in_json], "Refused", 1).await;
    check(vec![in_stream(402, &quoted)], "Refused", 1).await;
    check(vec![Reply::events(&[format!("{{ {quoted}")]); 3], "Unavailable", 3).await;
    check(vec![Reply::events(&[json!({"choices": quoted}).to_string()]); 3], "Unavailable", 3).await;
    check(vec![Reply::json(200, &json!({"choices": quoted}))], "Unavailable", 1).await;
    check(vec![refusal(404, "no such model")], "Refused", 1).await;
    check(vec![refusal(400, "maximum context length is 10 tokens")], "ContextOverflow", 1).await;
    check(vec![refusal(413, "too large")], "ContextOverflow", 1).await;
    check(vec![in_stream(400, "prompt is too long: 3 > 2")], "ContextOverflow", 1).await;
    check(vec![refusal(500, "a"), in_stream(502, "b"), refusal(503, "c")], "Unavailable", 3).await;
    check(vec![Reply::HangUp, Reply::HangUp, Reply::HangUp], "Unavailable", 3).await;
}

#[tokio::test]
async fn transient_failures_are_retried_and_all_requests_counted() {
    let headers = vec![("retry-after", "0".to_owned())];
    let busy = Reply::Whole { status: 429, headers, body: "slow down".to_owned() };
    let server = Server::start(vec![busy, refusal(500, "oops"), good()]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    assert_eq!((reply.unwrap().usage.calls, seen.as_str()), (3, "||yes"));
}

#[tokio::test]
async fn no_request_is_sent_beyond_those_allowed() {
    let check = async |most: u64, first: Reply, sent: usize, reason: &str| {
        let server = Server::start(vec![first, refusal(500, "oops"), good()]);
        let request = ChatRequest { max_requests: Some(most), ..request() };
        let error = chat(&model(&server), &request).await.0.unwrap_err();
        assert_eq!((server.seen().len(), error.usage()), (sent, Usage::free(sent as u64)), "{error}");
        assert!(
            error.to_string().ends_with(&format!("{reason}; the limit on calls leaves no further request")),
            "{error}"
        );
    };
    check(1, refusal(429, "slow down"), 1, "slow down").await;
    check(2, refusal(429, "slow down"), 2, "oops").await;
    check(1, Reply::HangUp, 1, "").await;
    check(1, refusal(400, "Unsupported value: 'temperature' does not support 0.5."), 1, "it does not take temperature")
        .await;
    let server = Server::start(vec![refusal(429, "slow down"), refusal(500, "oops"), good()]);
    let request = ChatRequest { max_requests: Some(3), ..request() };
    assert_eq!(chat(&model(&server), &request).await.0.unwrap().usage.calls, 3);
}

#[tokio::test]
async fn a_cut_before_the_answer_is_asked_again() {
    let thinking = delta(json!({"reasoning": "hm"}));
    let server = Server::start(vec![cut(&[thinking]), good()]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str(), seen.as_str()), ("yes", "", "<hm>|yes"));
    assert_eq!((reply.usage.calls, reply.usage.estimated), (2, true));
    assert!(reply.usage.prompt_tokens > 10, "the cut stream is charged too");
}

#[tokio::test]
async fn what_failed_for_good_has_been_paid_for() {
    let thinking = || cut(&[delta(json!({"reasoning": "hm hm hm hm"}))]);
    let server = Server::start(vec![thinking(), thinking(), thinking()]);
    let error = chat(&model(&server), &request()).await.0.unwrap_err();
    let LlmError::Unavailable { attempts, usage, .. } = &error else { panic!("{error}") };
    assert_eq!((*attempts, usage.calls, usage.estimated, error.usage()), (3, 3, true, **usage));
    let usd = Price { input: 1.0, cached_input: None, output: 2.0 }.of(usage);
    assert!(usage.completion_tokens >= 9 && usage.prompt_tokens >= 9, "{usage:?}");
    assert_eq!(usage.usd, Some(usd));

    let server = Server::start((0..3).map(|_| refusal(503, "busy")).collect());
    let error = chat(&model(&server), &request()).await.0.unwrap_err();
    assert_eq!(error.usage(), Usage::free(3), "what was refused costs nothing");
}

#[tokio::test]
async fn cached_tokens_have_their_own_price() {
    let server = Server::start(vec![Reply::events(&[words("yes"), stop("stop"), usage(), "[DONE]".to_owned()])]);
    let price = Price { input: 1.0, cached_input: Some(0.25), output: 2.0 };
    let prices = [("m".to_owned(), price)].into();
    let model = OpenAiModel::new(OpenAiOptions { prices, ..options(&server, "openai") }).unwrap();
    // Of the 10 input tokens 4 were cached, and 5 came out.
    assert_eq!(chat(&model, &request()).await.0.unwrap().usage.usd, Some((6.0 + 4.0 * 0.25 + 5.0 * 2.0) / 1e6));
}

#[tokio::test]
async fn a_requests_own_limit_on_the_reply_lowers_that_of_the_settings() {
    let check = async |asked: Option<u64>, settings: Option<u64>, expected: serde_json::Value| {
        let server = Server::start(vec![good()]);
        let options = OpenAiOptions { max_tokens: settings, ..options(&server, "azure") };
        let request = ChatRequest { max_tokens: asked, ..request() };
        chat(&OpenAiModel::new(options).unwrap(), &request).await.0.unwrap();
        assert_eq!(server.seen()[0].body["max_completion_tokens"], expected);
    };
    check(Some(5), Some(9), json!(5)).await;
    check(Some(9), Some(5), json!(5)).await;
    check(Some(9), None, json!(9)).await;
    check(None, None, json!(null)).await;
}

#[tokio::test]
async fn a_cut_within_a_free_answer_keeps_what_came() {
    let server = Server::start(vec![cut(&[words("half <thi")]), good()]);
    let (reply, seen) = chat(&model(&server), &request()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), seen.as_str(), reply.finish), ("half <thi", "half <thi", Finish::Interrupted));
    assert_eq!((server.seen().len(), reply.usage.estimated), (1, true));
}

#[tokio::test]
async fn a_cut_or_silent_bound_answer_is_asked_again() {
    let quiet = Reply::Drip(format!("data: {}\n\n", words("{\"a\"")).into_bytes());
    let server = Server::start(vec![cut(&[words("{")]), quiet, good()]);
    let (reply, seen) = chat(&model(&server), &with_schema()).await;
    assert_eq!((reply.unwrap().text.as_str(), seen.as_str()), ("yes", "{|{\"a\"|yes"));
}

#[tokio::test]
async fn a_cut_after_the_reason_to_end_is_no_cut() {
    let server = Server::start(vec![cut(&[words("all"), stop("stop")])]);
    let reply = chat(&model(&server), &request()).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish, reply.usage.calls), ("all", Finish::Stop, 1));
}

#[tokio::test]
async fn a_model_that_begins_inside_its_thought_is_learned() {
    let thought = || Reply::events(&[words("so\n</thi"), words("nk>\n\nyes"), stop("stop")]);
    let server = Server::start(vec![thought(), thought()]);
    let model = model(&server);
    let first = chat(&model, &request()).await;
    assert_eq!((first.0.unwrap().text.as_str(), first.1.as_str()), ("yes", "so\n|<so\n>yes"));
    let second = chat(&model, &request()).await;
    assert_eq!((second.0.unwrap().text.as_str(), second.1.as_str()), ("yes", "<so\n>yes"));
}

#[tokio::test]
async fn azure_and_purposes_choose_url_header_and_model() {
    let server = Server::start(vec![good()]);
    let own = PurposeOptions { model: Some("dep".into()), max_tokens: Some(9) };
    let options = OpenAiOptions { purposes: [(Purpose::Describe, own)].into(), ..options(&server, "azure") };
    let model = OpenAiModel::new(options).unwrap();
    assert_eq!((model.name(Purpose::Describe), model.name(Purpose::Plan)), ("dep", "m"));
    chat(&model, &ChatRequest { max_tokens: None, ..request() }).await.0.unwrap();
    let sent = &server.seen()[0];
    assert!(sent.line.starts_with("POST /v1/openai/deployments/dep/chat/completions?api-version="), "{}", sent.line);
    assert_eq!((sent.header("api-key"), sent.header("authorization")), (Some(KEY), None));
    assert_eq!((&sent.body["temperature"], &sent.body["max_completion_tokens"]), (&json!(0.5), &json!(9)));
}

#[tokio::test]
async fn the_models_on_offer_are_listed() {
    let server = Server::start(vec![Reply::json(200, &json!({"data": [{"id": "b"}, {"id": "models/a"}]}))]);
    assert_eq!(model(&server).offered_models().await.unwrap(), ["a", "b"]);
    assert!(server.seen()[0].line.starts_with("GET /v1/models "));
}

#[test]
fn options_without_a_url_or_model_are_refused() {
    let check = |preset: &str, expected: &str| {
        let error = OpenAiModel::new(OpenAiOptions::new(Preset::find(preset).unwrap())).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(preset), "{error}");
    };
    check("custom", "base_url");
    check("azure", "base_url");
    check("ollama", "model");
}

#[test]
fn every_preset_makes_a_body_of_what_it_takes() {
    for preset in crate::llm::presets::PRESETS {
        let call = CallSettings { model: "m", max_tokens: Some(5), temperature: Some(0.1) };
        let body = wire::body(preset, call, &with_schema(), &[]).json;
        assert_eq!(body.get("stream_options").is_some(), preset.streaming_usage, "{}", preset.name);
        assert_eq!(
            body.get("response_format").is_some(),
            preset.structured > StructuredOutput::None,
            "{}",
            preset.name
        );
        let in_words = body["messages"][0]["content"].as_str().unwrap().contains("JSON Schema");
        assert_eq!(in_words, preset.structured < StructuredOutput::JsonSchema, "{}", preset.name);
    }
}

#[test]
fn an_endpoint_without_tools_is_told_of_them_in_words() {
    let tool = ToolSpec { name: "find".to_owned(), description: "D".to_owned(), parameters: json!({"type": "object"}) };
    let request = ChatRequest { tools: vec![tool], schema: None, ..with_schema() };
    let call = CallSettings { model: "m", max_tokens: None, temperature: None };
    let preset = Preset::find("openai").unwrap();
    let check = |refused: &[wire::Parameter], in_words: bool| {
        let body = wire::body(preset, call, &request, refused).json;
        assert_eq!(body.get("tools").is_some(), !in_words);
        assert_eq!(body.get("response_format").is_some(), in_words);
        assert_eq!(body["messages"].to_string().contains("You call tools by replying"), in_words);
    };
    check(&[], false);
    check(&[wire::Parameter::Tools], true);
}

/// A reply with this usage, as the endpoint writes it.
fn with_usage(usage: &str) -> Reply {
    let last = format!(r#"{{"choices": [], "usage": {usage}}}"#);
    Reply::events(&[words("yes"), stop("stop"), last, "[DONE]".to_owned()])
}

#[tokio::test]
async fn a_count_of_tokens_of_any_form_costs_no_reply() {
    let check = async |usage: &str, expected: Option<(u64, u64)>| {
        let server = Server::start(vec![with_usage(usage)]);
        let reply = chat(&model(&server), &request()).await.0.unwrap();
        let counted = (reply.usage.prompt_tokens, reply.usage.completion_tokens);
        assert_eq!((reply.text.as_str(), reply.usage.calls, reply.finish), ("yes", 1, Finish::Stop), "{usage}");
        assert_eq!((!reply.usage.estimated).then_some(counted), expected, "{usage}");
        assert!(counted.0 < 1_000 && counted.1 < 1_000, "{usage}");
    };
    check(r#"{"prompt_tokens": 10.0, "completion_tokens": 5.4}"#, Some((10, 5))).await;
    check(r#"{"prompt_tokens": "10", "completion_tokens": " 5 "}"#, Some((10, 5))).await;
    check(r#"{"prompt_tokens": -1, "completion_tokens": 5}"#, None).await;
    check(r#"{"prompt_tokens": 18446744073709551615, "completion_tokens": 18446744073709551615}"#, None).await;
    check(r#"{"prompt_tokens": 1e308, "completion_tokens": 5}"#, None).await;
    check(r#"{"prompt_tokens": null, "completion_tokens": [5]}"#, None).await;
    check(r#"{"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": "none"}"#, Some((10, 5))).await;
    check(r#""none""#, None).await;
    check("[]", None).await;
}

#[tokio::test]
async fn a_field_of_another_type_is_as_if_it_were_absent() {
    let odd = json!({"model": 7, "x_groq": 1, "choices": [{"index": "0", "finish_reason": {}, "usage": true,
        "delta": {"content": "yes", "reasoning": 3, "refusal": []}}]});
    let server = Server::start(vec![Reply::events(&[odd.to_string(), stop("stop")])]);
    let reply = chat(&model(&server), &request()).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.model.as_str(), reply.usage.calls), ("yes", "m", 1));
}

#[tokio::test]
async fn the_arguments_of_a_tool_may_be_an_object() {
    let call =
        json!({"tool_calls": [{"index": 0, "id": 5, "function": {"name": "search", "arguments": {"query": "a"}}}]});
    let server = Server::start(vec![Reply::events(&[delta(call), stop("stop")])]);
    let reply = chat(&model(&server), &request()).await.0.unwrap();
    let expected = ToolCall { id: "call_0".into(), name: "search".into(), arguments: r#"{"query":"a"}"#.into() };
    assert_eq!(reply.tool_calls, [expected]);
}

#[tokio::test]
async fn a_reply_without_end_is_cut_near_its_limit() {
    let check = async |piece: Value| {
        let server = Server::start(vec![Reply::Endless(format!("data: {}\n\n", delta(piece)).into_bytes())]);
        let request = ChatRequest { max_tokens: Some(50), ..request() };
        let reply = chat(&model(&server), &request).await.0.unwrap();
        assert_eq!((reply.finish, server.seen().len()), (Finish::Length, 1));
        assert!((100..200).contains(&reply.usage.completion_tokens), "{:?}", reply.usage);
    };
    check(json!({"content": "word "})).await;
    check(json!({"reasoning": "hmm "})).await;
    check(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "", "arguments": "[[[["}}]})).await;
}

/// A client that never waits long.
fn impatient(server: &Server) -> OpenAiModel {
    let short = Duration::from_millis(100);
    let http = HttpOptions { first_byte_timeout: short, ..HttpOptions::default() };
    let call_timeout = Some(Duration::from_millis(150));
    OpenAiModel::new(OpenAiOptions { http, call_timeout, max_tokens: None, ..options(server, "openai") }).unwrap()
}

#[tokio::test]
async fn signs_of_life_keep_no_call_alive_for_ever() {
    let check = async |reply: Reply, request: ChatRequest, reason: &str| {
        let server = Server::start(vec![reply, good()]);
        let error = chat(&impatient(&server), &request).await.0.unwrap_err();
        assert!(matches!(error, LlmError::Unreachable { attempts: 1, .. }), "{error:?}");
        let shown = error.to_string();
        assert!(shown.contains("(m, 1 attempt)") && shown.ends_with(reason), "{shown}");
        assert_eq!(server.seen().len(), 1, "what does not answer is not asked again");
    };
    let free = || ChatRequest { max_tokens: None, ..request() };
    let bound = || ChatRequest { max_tokens: None, ..with_schema() };
    let text = || Reply::Endless(format!("data: {}\n\n", words("{")).into_bytes());
    check(Reply::Endless(b": alive\n\n".to_vec()), free(), "gave no whole reply for 0.15 s").await;
    check(text(), bound(), "gave no whole reply for 0.15 s").await;
    check(Reply::Silence, free(), "gave no first byte for 0.1 s").await;

    let server = Server::start(vec![text(), good()]);
    let reply = chat(&impatient(&server), &free()).await.0.unwrap();
    assert_eq!((reply.finish, server.seen().len()), (Finish::Interrupted, 1));
    assert!(reply.text.starts_with("{{{"), "what came is kept");
}

#[tokio::test]
async fn a_place_where_nobody_listens_is_told_apart() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(vec![]);
    let options = OpenAiOptions { base_url: Some(format!("http://{address}/v1")), ..options(&server, "openai") };
    let error = chat(&OpenAiModel::new(options).unwrap(), &request()).await.0.unwrap_err();
    let LlmError::Unreachable { attempts: 3, usage, reason, .. } = &error else { panic!("{error:?}") };
    assert_eq!(**usage, Usage::free(3));
    assert!(reason.starts_with("cannot connect to"), "{reason}");
}
