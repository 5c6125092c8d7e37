use std::pin::Pin;

use eventsource_stream::{EventStreamError, Eventsource};
use futures::{Stream, StreamExt};

use super::{NetError, Response};

type Events = dyn Stream<Item = Result<String, NetError>> + Send;

/// The data of server-sent events, one by one. Comments and empty events are skipped but count as signs of life; the
/// client's idle timeout and size limit hold for the bytes beneath.
pub struct EventStream {
    events: Pin<Box<Events>>,
}

impl EventStream {
    pub(super) fn new(response: Response) -> Self {
        let url = response.url().to_owned();
        let pieces = futures::stream::unfold(Some(response), |response| async {
            let mut response = response?;
            match response.piece().await {
                Ok(None) => None,
                Ok(Some(piece)) => Some((Ok(piece), Some(response))),
                Err(error) => Some((Err(error), None)),
            }
        });
        let events = pieces.eventsource().map(move |event| match event {
            Ok(event) => Ok(event.data),
            Err(EventStreamError::Transport(error)) => Err(error),
            Err(EventStreamError::Utf8(error)) => {
                Err(NetError::Malformed { url: url.clone(), reason: format!("the events are not UTF-8: {error}") })
            }
            Err(EventStreamError::Parser(error)) => {
                Err(NetError::Malformed { url: url.clone(), reason: format!("not server-sent events: {error}") })
            }
        });
        EventStream { events: Box::pin(events) }
    }

    /// The next event's data; `None` at the end of the reply. Not to be called again after an error. Cancel-safe.
    pub async fn next_data(&mut self) -> Option<Result<String, NetError>> {
        self.events.next().await
    }
}
