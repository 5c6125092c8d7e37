//! The only module that speaks HTTP. Callers give URLs, headers and JSON; connections, timeouts, retries and the limits
//! on replies are decided here.
//!
//! Three rules hold for every request: every wait has a limit (to connect, for the first byte, between two bytes),
//! every body has a largest size, and a key is never printed or part of an error. Endpoints that the user names are
//! reached by [`HttpClient`]; pages that anybody may have written by [`web::WebClient`], which checks addresses first.

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

pub use client::{Auth, HttpClient, HttpOptions, JsonPost, Response, misread};
pub use error::{Awaited, NetError, shown_url};
pub use limit::{LimitOptions, Limiter, Permit};
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
pub use names::look_up_without_plugins;
pub use retry::{Backoff, Retry, parse_retry_after, with_retry};
pub use secret::{Secret, SecretError};
pub use sse::EventStream;
