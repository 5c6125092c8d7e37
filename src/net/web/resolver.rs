use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::AllowedAddresses;

/// The system's resolver, without the addresses that must not be connected to. The connection is made to one of the
/// addresses returned here, so no second answer can slip in between check and connection.
#[derive(Debug)]
pub(super) struct GuardedResolver {
    pub(super) allowed: AllowedAddresses,
}

/// The error if all addresses of a name are refused.
#[derive(Debug, thiserror::Error)]
#[error("{address} is a {kind} address")]
pub(super) struct RefusedAddress {
    pub(super) address: IpAddr,
    pub(super) kind: &'static str,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.allowed.clone();
        Box::pin(async move {
            let name = name.as_str();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
            if allowed.has_host(name) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            let mut refused = None;
            let mut open = Vec::with_capacity(found.len());
            for address in found {
                match allowed.refusal(address.ip()) {
                    Some(kind) => refused = refused.or(Some(RefusedAddress { address: address.ip(), kind })),
                    None => open.push(address),
                }
            }
            match refused {
                Some(refused) if open.is_empty() => Err(refused.into()),
                _ => Ok(Box::new(open.into_iter()) as Addrs),
            }
        })
    }
}
