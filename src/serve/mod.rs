//! The program as a server for clients of other programs, over standard input and output or over HTTP.
//!
//! [`Library`] finds and reads passages. [`Desk`] takes questions, limits the number of runs under way, and keeps their
//! events, so that a client that returns, or a process started after a kill, continues where it left off. `mcp` offers
//! both through the Model Context Protocol, and `http` to OpenAI clients and to one's own programs. Every request comes
//! with an [`Access`]: what its sender may see.

mod access;
mod desk;
mod http;
mod kept;
mod library;
mod mcp;
mod progress;
mod refusal;
mod run;
mod turns;

pub use access::{Access, Budget};
pub use desk::{Desk, DeskOptions};
pub use http::{HttpOptions, Tls, TlsError, TokenError, Tokens, serve};
pub use kept::forget;
pub use library::Library;
pub use mcp::{McpServer, over_stdio};
pub use refusal::{Explain, Refusal, RefusalKind};
