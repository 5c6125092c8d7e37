//! Fetching pages from untrusted URLs: addresses and redirects are checked, sizes and times are bounded.
//!
//! A page names the next URL, which may lead into the user's own network. So every URL is checked before it is
//! requested, and every address that a name resolves to before it is connected to: check and connection use the same
//! answer of the resolver, so it cannot change between them. Addresses outside the public Internet are refused unless
//! the settings allow them by name, address or network.
//!
//! No proxy is used, even if the environment sets one: a proxy resolves names itself, and reaches addresses that this
//! guard must refuse.

mod address;
mod client;
mod error;
mod render;
mod resolver;

pub use address::{AllowedAddresses, BadAddress, refusal};
pub use client::{Conditions, Fetched, Hop, WebClient, WebOptions};
pub use error::WebError;
pub use url::Url;
