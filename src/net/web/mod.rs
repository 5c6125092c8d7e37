//! Pages that nobody vouches for: addresses are checked, redirects looked at, sizes and times bounded.
//!
//! A page names the next address, and may name one inside the user's own network. So every URL is checked before it is
//! asked for, and every address that a name resolves to before it is connected to: the check and the connection use the
//! same answer of the resolver, which leaves no time between them. What is not on the public Internet is refused unless
//! the settings allow it by name, address or network.
//!
//! No proxy is used, whatever the environment says: a proxy resolves names itself, and reaches what this guard must not.

mod address;
mod client;
mod error;
mod render;
mod resolver;

pub use address::{AllowedAddresses, BadAddress, refusal};
pub use client::{Conditions, Fetched, Hop, WebClient, WebOptions};
pub use error::WebError;
pub use url::Url;
