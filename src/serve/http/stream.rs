//! Runs as streams of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, stream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::serve::Desk;
use crate::serve::kept::{ClientEvent, End};
use crate::serve::run::{Phase, ServedRun};

/// The interval of keep-alive messages; proxies close silent streams.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The maximum time between checks; a new event ends the wait.
const LOOK: Duration = Duration::from_secs(30);

/// Converts the events of a run for an interface.
pub(super) trait Wording: Send + 'static {
    /// The events sent before those of the run.
    fn begin(&mut self) -> Vec<Event> {
        Vec::new()
    }
    /// The events sent for the run's event with this number.
    fn told(&mut self, number: usize, told: &ClientEvent) -> Vec<Event>;
    /// The events sent last.
    fn end(&mut self, end: &End) -> Vec<Event>;
}

/// Ends a run when dropped, that is, when the client that requested it has gone.
pub(super) struct EndsWithClient {
    desk: Arc<Desk>,
    run: Arc<ServedRun>,
}

impl EndsWithClient {
    pub fn new(desk: Arc<Desk>, run: Arc<ServedRun>) -> Self {
        EndsWithClient { desk, run }
    }
}

impl Drop for EndsWithClient {
    fn drop(&mut self) {
        if !matches!(self.run.phase(), Phase::Ended(_))
            && let Err(refusal) = self.desk.cancel(&self.run, false)
        {
            tracing::info!("the run of a client that has gone goes on: {}", refusal.message);
        }
    }
}

struct Follower<W> {
    run: Arc<ServedRun>,
    wording: W,
    seen: usize,
    begun: bool,
    ended: bool,
    stop: CancellationToken,
    _guard: Option<EndsWithClient>,
}

/// The stream of a run from its first event to its end. A client that reads slowly delays only itself: what it has not
/// read is kept in the run, once for all clients.
pub(super) fn answer<W: Wording>(
    run: Arc<ServedRun>,
    wording: W,
    stop: CancellationToken,
    guard: Option<EndsWithClient>,
) -> Response {
    let follower = Follower { run, wording, seen: 0, begun: false, ended: false, stop, _guard: guard };
    let events = stream::unfold(follower, |mut follower| async move {
        let events = follower.next().await?;
        Some((events, follower))
    });
    sse(events.map(stream::iter).flatten())
}

impl<W: Wording> Follower<W> {
    async fn next(&mut self) -> Option<Vec<Event>> {
        if !self.begun {
            self.begun = true;
            return Some(self.wording.begin());
        }
        if self.ended {
            return None;
        }
        let (told, phase) = tokio::select! {
            () = self.stop.cancelled() => return None,
            news = self.run.wait_after(self.seen, LOOK) => news,
        };
        let mut events = Vec::new();
        for one in &told {
            self.seen += 1;
            events.extend(self.wording.told(self.seen, one));
        }
        if let Phase::Ended(end) = phase {
            self.ended = true;
            events.extend(self.wording.end(&end));
        }
        Some(events)
    }
}

fn sse(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let events = events.map(Ok::<Event, Infallible>);
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    // Otherwise nginx would buffer the stream.
    response.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    response
}

/// An event whose data is a JSON value.
pub(super) fn json_event(value: &Value) -> Event {
    Event::default().data(value.to_string())
}
