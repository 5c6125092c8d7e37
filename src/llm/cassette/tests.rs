use super::*;
use crate::llm::mock::MockModel;
use crate::llm::testing::request;

async fn say(model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatReply, LlmError> {
    model.chat(request, &mut |_: Delta<'_>| {}).await
}

async fn recorded(path: &Path, asked: &[&str]) -> Vec<ChatReply> {
    let script = "{\"text\": \"one\", \"reasoning\": \"hm\"}\n{\"text\": \"two\"}\n{\"text\": \"三\"}";
    let mock = Arc::new(MockModel::from_jsonl(script, Path::new("s")).unwrap());
    let recorder = Recorder::open(mock, path).unwrap();
    let mut replies = Vec::new();
    for words in asked {
        replies.push(say(&recorder, &request(words)).await.unwrap());
    }
    replies
}

#[tokio::test]
async fn what_was_recorded_is_replayed_by_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let mut replies = recorded(&path, &["a", "b", "a"]).await;
    for reply in &mut replies {
        reply.elapsed = Duration::from_millis(reply.elapsed.as_millis() as u64);
    }
    let replay = Replay::open(&path).unwrap();
    assert_eq!(replay.name(Purpose::Describe), "mock");
    assert_eq!(say(&replay, &request("b")).await.unwrap(), replies[1]);
    assert_eq!(say(&replay, &request("a")).await.unwrap(), replies[0]);
    assert_eq!(say(&replay, &request("a")).await.unwrap(), replies[2]);
    assert!(matches!(say(&replay, &request("a")).await, Err(LlmError::Unscripted { .. })));
    let other = ChatRequest { max_tokens: Some(1), ..request("b") };
    assert!(matches!(say(&replay, &other).await, Err(LlmError::Unscripted { .. })));
}

#[tokio::test]
async fn a_cassette_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    recorded(&path, &["a"]).await;
    recorded(&path, &["b"]).await;
    let (_, entries) = load(&path).unwrap();
    assert_eq!(entries.len(), 2);
}

#[tokio::test]
async fn damaged_edited_and_newer_cassettes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    recorded(&path, &["a"]).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let check = |content: String, expected: &str| {
        std::fs::write(&path, content).unwrap();
        let error = Replay::open(&path).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(text.replace("\"content\":\"a\"", "\"content\":\"b\""), "line 2 of");
    check(text[..text.len() - 9].to_owned(), "line 2 of");
    check(text.replace("cassette\":1", "cassette\":2"), "version 2");
    check(String::new(), "line 1 of");
    check("{\"a\":1}\n".to_owned(), "no cassette");
}

/// Refuses in one way or another.
struct Refusing(fn() -> LlmError);

#[async_trait]
impl ChatModel for Refusing {
    fn name(&self, _purpose: Purpose) -> &str {
        "refusing"
    }

    async fn chat(&self, _request: &ChatRequest, _sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        Err((self.0)())
    }
}

#[tokio::test]
async fn lasting_refusals_are_replayed_and_passing_faults_are_not_recorded() {
    let check = async |error: fn() -> LlmError, recorded: bool| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        let recorder = Recorder::open(Arc::new(Refusing(error)), &path).unwrap();
        let told = say(&recorder, &request("a")).await.unwrap_err().to_string();
        assert_eq!(told, error().to_string());
        let replayed = say(&Replay::open(&path).unwrap(), &request("a")).await.unwrap_err();
        match recorded {
            true => assert_eq!(replayed.to_string(), told),
            false => assert!(matches!(replayed, LlmError::Unscripted { .. }), "{replayed}"),
        }
    };
    check(|| LlmError::ContextOverflow { model: "m".into(), reason: "too long".into() }, true).await;
    check(|| LlmError::Refused { url: "u".into(), model: "m".into(), status: 404, reason: "no".into() }, true).await;
    let gone = || {
        let (url, model, reason) = ("u".into(), "m".into(), "gone".into());
        LlmError::Unavailable { url, model, attempts: 2, reason, usage: Usage::free(2).into() }
    };
    check(gone, false).await;
}
