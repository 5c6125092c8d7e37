//! The only part that speaks HTTP. Everything above it names URLs, headers and JSON; what a connection is, how long to
//! wait for it, when to try again and how much to accept is decided here.
//!
//! Three rules hold for every request: a wait has an end (to connect, for the first byte, between two bytes), a body
//! has a largest size, and a key is neither printed nor part of an error. Endpoints that the user names are asked by
//! [`HttpClient`]; pages that anybody may have written by [`web::WebClient`], which looks at addresses first.

mod client;
mod error;
mod limit;
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
mod names;
mod retry;
mod secret;
mod sse;
#[cfg(test)]
pub(crate) mod testing;
pub mod web;

pub use client::{Auth, HttpClient, HttpOptions, JsonPost, Response};
pub use error::{Awaited, NetError, shown_url};
pub use limit::{LimitOptions, Limiter, Permit};
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
pub use names::look_up_without_plugins;
pub use retry::{Backoff, Retry, parse_retry_after, with_retry};
pub use secret::{Secret, SecretError};
pub use sse::EventStream;
