use super::*;
use crate::llm::Schema;
use crate::llm::purpose::{Input, Plan, PlanInput, PlannedQuery};
use crate::llm::structured::ask;
use crate::llm::testing::request;

fn mock(script: &str) -> MockModel {
    MockModel::from_toml(script, Path::new("script.toml")).unwrap()
}

fn plan() -> ChatRequest {
    let (question, language, today) = ("q".to_owned(), "English".to_owned(), "2025-01-01".to_owned());
    let input = PlanInput { question, language, collections: vec![], max_sub_queries: 3, known: vec![], today };
    ChatRequest { input: Input::Plan(input), ..request("plan it") }
}

async fn say(model: &MockModel, request: &ChatRequest) -> (Result<ChatReply, LlmError>, String) {
    let mut seen = String::new();
    let outcome = model
        .chat(request, &mut |delta: Delta<'_>| match delta {
            Delta::Text(words) | Delta::Reasoning(words) => seen.push_str(words),
            Delta::Restart => seen.push('|'),
            Delta::Sending => {}
        })
        .await;
    (outcome, seen)
}

#[tokio::test]
async fn replies_are_taken_in_order_by_purpose_and_words() {
    let script = r#"
        [[reply]]
        purpose = "plan"
        text = "a plan"
        [[reply]]
        contains = "cats"
        text = "of cats"
        [[reply]]
        purpose = "describe"
        text = "first"
        usage = { prompt_tokens = 3, completion_tokens = 2, usd = 0.5 }
        [[reply]]
        text = "always"
        repeat = true
    "#;
    let model = mock(script);
    let mut told = Vec::new();
    for words in ["dogs", "cats", "cats", "dogs"] {
        told.push(say(&model, &request(words)).await.0.unwrap());
    }
    assert_eq!(
        told.iter().map(|reply| reply.text.as_str()).collect::<Vec<_>>(),
        ["first", "of cats", "always", "always"]
    );
    let expected = Usage { calls: 1, prompt_tokens: 3, completion_tokens: 2, usd: Some(0.5), ..Usage::default() };
    assert_eq!(told[0].usage, expected);
    assert!(told[1].usage.estimated);
    assert_eq!(model.remaining(), 1);
}

#[tokio::test]
async fn a_missing_reply_names_script_and_purpose() {
    let error =
        say(&mock("[[reply]]\npurpose = \"plan\"\ntext = \"x\""), &request("日本")).await.0.unwrap_err().to_string();
    for part in ["script.toml", "describe", "日本", "1 entries"] {
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn cuts_follow_the_real_clients_rules() {
    let script = "[[reply]]\ntext = \"日本語です\"\ncut = 3\n[[reply]]\ntext = \"whole\"";
    let (reply, seen) = say(&mock(script), &request("x")).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), seen.as_str(), reply.finish), ("日本語", "日本語", Finish::Interrupted));
    let bound = ChatRequest { schema: Some(Schema { name: "s", schema: Value::Bool(true) }), ..request("x") };
    let (reply, seen) = say(&mock(script), &bound).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), seen.as_str(), reply.usage.calls), ("whole", "日本語|whole", 2));
}

#[test]
fn bad_scripts_are_refused_with_their_place() {
    let check = |error: ScriptError, expected: &[&str]| {
        let error = error.to_string();
        expected.iter().for_each(|part| assert!(error.contains(part), "{error}"));
    };
    let toml = |text: &str| MockModel::from_toml(text, Path::new("s.toml")).unwrap_err();
    check(toml("[[reply]]\ntxt = \"x\""), &["s.toml", "txt"]);
    check(toml("[[reply]]\npurpose = \"dance\"\ntext = \"\""), &["dance", "plan"]);
    check(toml("[[reply]]\ntext = \"x\"\n[[reply]]\n"), &["reply 2", "s.toml"]);
    check(toml("[[reply]]\ntext = \"x\"\njson = 1"), &["reply 1"]);
    let jsonl = "# words\n{\"text\": \"x\"}\n\n{\"text\": 1}\n";
    check(MockModel::from_jsonl(jsonl, Path::new("s.jsonl")).unwrap_err(), &["line 4", "s.jsonl"]);
}

#[test]
fn text_is_split_on_character_borders() {
    for text in ["", "a", "日本語です", "ab日c"] {
        for pieces in 1..9 {
            assert_eq!(split_evenly(text, pieces).concat(), text);
            assert_eq!(split_evenly(text, pieces).len(), pieces);
        }
    }
}

#[tokio::test]
async fn a_bad_structured_reply_is_shown_to_the_model_once() {
    let good = r#"{"reason": "r", "sub_queries": [{"query": "q", "collections": []}]}"#;
    let ask_with = async |first: &str, second: &str| {
        let lines = [("plan it", first), ("cannot be used", second)]
            .map(|(contains, text)| serde_json::json!({"contains": contains, "text": text}).to_string());
        let model = MockModel::from_jsonl(&lines.join("\n"), Path::new("s")).unwrap();
        ask::<Plan>(&model, &plan(), &mut |_: Delta<'_>| {}).await
    };
    let expected =
        Plan { reason: "r".into(), sub_queries: vec![PlannedQuery { query: "q".into(), collections: vec![] }] };
    let (found, usage) = ask_with(good, "not asked").await.unwrap();
    assert_eq!((&found, usage.calls), (&expected, 1));
    let (found, usage) = ask_with("I would rather not.", good).await.unwrap();
    assert_eq!((&found, usage.calls), (&expected, 2));
    match ask_with("no", r#"{"reason": 5, "sub_queries": []}"#).await.unwrap_err() {
        LlmError::Unusable { usage, reason, .. } => {
            assert_eq!(usage.calls, 2);
            assert!(reason.contains("reason: "), "{reason}");
        }
        other => panic!("{other}"),
    }
}
