use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::domain::Usage;
use crate::llm::{ChatModel, ChatReply, ChatRequest, DeltaSink, LlmError, Message, Role, Schema};

/// Asks for a `T`. A reply that is none is shown to the model once with what is wrong with it, then the call fails
/// typed. The usage is that of both.
pub(super) async fn ask<T: DeserializeOwned + JsonSchema>(
    model: &dyn ChatModel,
    request: &ChatRequest,
    sink: DeltaSink<'_>,
) -> Result<(T, Usage), LlmError> {
    let purpose = request.purpose().name();
    let mut request = request.clone();
    request.schema = Some(Schema { name: purpose, schema: schemars::schema_for!(T).to_value() });
    let first = model.chat(&request, &mut *sink).await?;
    let mut usage = first.usage;
    let mistake = match serde_json::from_str(&first.text) {
        Ok(value) => return Ok((value, usage)),
        Err(mistake) => mistake,
    };
    let correction =
        format!("That is not the JSON that was asked for: {mistake}. Reply with the corrected JSON alone.");
    request.messages.push(Message::text(Role::Assistant, first.text));
    request.messages.push(Message::text(Role::User, correction));
    let unusable = |model: String, reason: String, usage| LlmError::Unusable { model, purpose, reason, usage };
    match model.chat(&request, sink).await {
        Ok(ChatReply { text, model, usage: more, .. }) => {
            usage += more;
            let value = serde_json::from_str(&text).map_err(|mistake| unusable(model, mistake.to_string(), usage))?;
            Ok((value, usage))
        }
        Err(error) => Err(unusable(first.model, format!("{mistake}; asked again: {error}"), usage)),
    }
}
