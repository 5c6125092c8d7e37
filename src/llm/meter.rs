//! Adds up what calls cost. Enforces nothing: budgets are the caller's, who reads the sums.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;

use super::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, LlmError, Purpose};
use crate::base::text::estimate_tokens;
use crate::domain::{Event, EventSink, Usage};

/// Wraps a model and counts every call: finished, failed, and dropped half-way. Each is also told to the sink, as
/// [`Event::Called`].
///
/// A failed call counts the requests it sent. A dropped one counts its prompt and what had been delivered, estimated.
pub struct Meter {
    inner: Arc<dyn ChatModel>,
    sink: Arc<dyn EventSink>,
    spent: Mutex<[Usage; Purpose::ALL.len()]>,
}

impl Meter {
    /// A meter at zero.
    pub fn new(inner: Arc<dyn ChatModel>, sink: Arc<dyn EventSink>) -> Self {
        Meter { inner, sink, spent: Mutex::default() }
    }

    /// The sum of all calls so far.
    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        for (_, usage) in self.by_purpose() {
            total += usage;
        }
        total
    }

    /// The sums so far, of every purpose, in the order of [`Purpose::ALL`].
    pub fn by_purpose(&self) -> Vec<(Purpose, Usage)> {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        Purpose::ALL.into_iter().zip(*spent).collect()
    }

    fn charge(&self, purpose: Purpose, model: &str, usage: Usage, started: Instant) {
        if usage == Usage::default() {
            return;
        }
        {
            let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
            for (slot, known) in spent.iter_mut().zip(Purpose::ALL) {
                if known == purpose {
                    *slot += usage;
                }
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        self.sink.emit(&Event::Called { purpose: purpose.name(), model: model.to_owned(), usage, seconds });
    }
}

/// What a call has cost so far; charges it if the call is dropped.
struct Open<'a> {
    meter: &'a Meter,
    purpose: Purpose,
    started: Instant,
    so_far: Usage,
    settled: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.settled {
            let model = self.meter.inner.name(self.purpose);
            self.meter.charge(self.purpose, model, self.so_far, self.started);
        }
    }
}

#[async_trait]
impl ChatModel for Meter {
    fn name(&self, purpose: Purpose) -> &str {
        self.inner.name(purpose)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let purpose = request.purpose();
        let prompt_tokens = request.messages.iter().map(|message| estimate_tokens(&message.content)).sum();
        let so_far = Usage { calls: 1, prompt_tokens, estimated: true, ..Usage::default() };
        let mut open = Open { meter: self, purpose, started: Instant::now(), so_far, settled: false };
        let outcome = {
            let delivered = &mut open.so_far.completion_tokens;
            let mut counting = |delta: Delta<'_>| {
                if let Delta::Text(words) | Delta::Reasoning(words) = delta {
                    *delivered += estimate_tokens(words);
                }
                sink(delta);
            };
            self.inner.chat(request, &mut counting).await
        };
        open.settled = true;
        match &outcome {
            Ok(reply) => self.charge(purpose, &reply.model, reply.usage, open.started),
            Err(error) => self.charge(purpose, self.inner.name(purpose), cost_of(error), open.started),
        }
        outcome
    }

    fn reasons(&self) -> bool {
        self.inner.reasons()
    }
}

/// What a failed call cost, as far as its error tells: requests were sent, and refused ones are not billed by token.
fn cost_of(error: &LlmError) -> Usage {
    let calls = match error {
        LlmError::Unusable { usage, .. } => return *usage,
        LlmError::Unavailable { attempts, .. } => u64::from(*attempts),
        LlmError::Key { .. } | LlmError::Refused { .. } | LlmError::ContextOverflow { .. } => 1,
        LlmError::Limit { .. } | LlmError::Unscripted { .. } => 0,
    };
    Usage { calls, usd: (calls > 0).then_some(0.0), ..Usage::default() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::llm::mock::MockModel;
    use crate::llm::purpose::{DescribeInput, Input};
    use crate::llm::{Message, Role};

    #[derive(Default)]
    struct Kept(Mutex<Vec<Event>>);

    impl EventSink for Kept {
        fn emit(&self, event: &Event) {
            self.0.lock().unwrap().push(event.clone());
        }
    }

    fn request() -> ChatRequest {
        let input = DescribeInput { name: "n".into(), titles: vec![], vocabulary: vec![], samples: vec![] };
        let messages = vec![Message::text(Role::User, "12345678")];
        ChatRequest { messages, input: Input::Describe(input), schema: None, tools: vec![], max_tokens: None }
    }

    fn meter(script: &str) -> (Meter, Arc<Kept>) {
        let kept = Arc::new(Kept::default());
        let mock = MockModel::from_jsonl(script, Path::new("s")).unwrap();
        (Meter::new(Arc::new(mock), kept.clone()), kept)
    }

    #[tokio::test]
    async fn finished_and_failed_calls_are_counted_and_told() {
        let usage = r#""usage": {"prompt_tokens": 3, "completion_tokens": 2, "usd": 0.5}"#;
        let script = format!(
            "{{\"text\": \"a\", {usage}}}\n{{\"error\": {{\"kind\": \"refused\"}}}}\n{{\"text\": \"b\", {usage}}}"
        );
        let (meter, kept) = meter(&script);
        for _ in 0..4 {
            drop(meter.chat(&request(), &mut |_: Delta<'_>| {}).await);
        }
        let expected = Usage { calls: 3, prompt_tokens: 6, completion_tokens: 4, usd: Some(1.0), ..Usage::default() };
        assert_eq!(meter.total(), expected);
        assert_eq!(meter.by_purpose()[3], (Purpose::Describe, expected));
        assert_eq!(kept.0.lock().unwrap().len(), 3, "a call that was never made is not told");
    }

    #[test]
    fn a_dropped_call_is_charged_by_estimate() {
        use std::task::{Context, Waker};
        let (meter, kept) = meter("{\"text\": \"a\", \"delay_ms\": 600000}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _inside = runtime.enter();
        {
            let request = request();
            let mut sink = |_: Delta<'_>| {};
            let mut call = meter.chat(&request, &mut sink);
            assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        let total = meter.total();
        assert_eq!((total.calls, total.prompt_tokens, total.estimated), (1, 2, true));
        assert_eq!(kept.0.lock().unwrap().len(), 1);
    }
}
