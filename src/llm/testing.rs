//! A request that the tests of several models send.

use super::purpose::{DescribeInput, Input};
use super::{ChatRequest, Message, Role};

/// A request of one message, without limits.
pub(super) fn request(words: &str) -> ChatRequest {
    let input = DescribeInput { name: "n".into(), titles: vec![], vocabulary: vec![], samples: vec![] };
    let messages = vec![Message::text(Role::User, words)];
    ChatRequest {
        messages,
        input: Input::Describe(input),
        schema: None,
        tools: vec![],
        max_tokens: None,
        max_requests: None,
        time_left: None,
    }
}
