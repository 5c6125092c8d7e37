//! The program as a server: what clients of other programs ask of it, over standard input and output or over HTTP.
//!
//! [`Library`] finds and reads passages. [`Desk`] takes questions, lets so many runs be under way at once, and keeps what
//! they told, so that a client that comes back, or a process that was killed, goes on where it was. `mcp` words both for
//! the Model Context Protocol, and `http` for clients of OpenAI and for programs of one's own. Every request comes with an [`Access`]: what its sender may see.

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
