//! Which addresses may be connected to if a third party named them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Destinations that may be reached although they are not on the public Internet: host names, addresses, networks such
/// as `10.1.0.0/16`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedAddresses {
    hosts: Vec<String>,
    networks: Vec<Network>,
}

/// An entry that is neither a host name nor an address nor a network.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{entry}` is neither a host's name nor an address nor a network such as 10.1.0.0/16")]
pub struct BadAddress {
    /// The entry as written.
    pub entry: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

impl AllowedAddresses {
    /// Parses the entries of a list.
    pub fn parse<S: AsRef<str>>(entries: &[S]) -> Result<Self, BadAddress> {
        let mut allowed = AllowedAddresses::default();
        for entry in entries {
            let entry = entry.as_ref().trim();
            match entry.parse::<Network>() {
                Ok(network) => allowed.networks.push(network),
                Err(NotANetwork) if is_host(entry) => allowed.hosts.push(entry.to_ascii_lowercase()),
                Err(NotANetwork) => return Err(BadAddress { entry: entry.to_owned() }),
            }
        }
        Ok(allowed)
    }

    /// Whether all addresses that a host name resolves to are allowed.
    pub(super) fn has_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    /// Returns why an address must not be connected to, or `None` if it may be.
    pub(super) fn refusal(&self, address: IpAddr) -> Option<&'static str> {
        let reason = refusal(address)?;
        let plain = address.to_canonical();
        (!self.networks.iter().any(|network| network.holds(plain))).then_some(reason)
    }
}

fn is_host(entry: &str) -> bool {
    !entry.is_empty()
        && entry.split('.').all(|label| !label.is_empty())
        && entry.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '.' | '_'))
        // An entry without letters that failed to parse as an address is a mistake, not a host name.
        && entry.contains(|char: char| char.is_ascii_alphabetic())
}

struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(entry: &str) -> Result<Self, NotANetwork> {
        let (address, bits) = match entry.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| NotANetwork)?)),
            None => (entry, None),
        };
        let address: IpAddr = address.trim_matches(['[', ']']).parse().map_err(|_| NotANetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        if bits <= most { Ok(Network { address, bits }) } else { Err(NotANetwork) }
    }
}

impl Network {
    fn holds(&self, address: IpAddr) -> bool {
        let differs = match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => u128::from(own.to_bits() ^ other.to_bits()) << 96,
            (IpAddr::V6(own), IpAddr::V6(other)) => own.to_bits() ^ other.to_bits(),
            _ => return false,
        };
        differs.leading_zeros() >= u32::from(self.bits)
    }
}

/// Returns why an address is not on the public Internet, in a word for messages, or `None` if it is. Addresses that
/// embed another one (IPv4 in IPv6, in several ways) are judged by the embedded one.
pub fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    match address.octets() {
        [127, ..] => Some("loopback"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some("private"),
        // Clouds serve their machines' secrets at these addresses; 168.63.129.16 is Azure's, the only one outside
        // reserved networks.
        [169, 254, ..] | [168, 63, 129, 16] => Some("link-local or metadata"),
        [100, 64..=127, ..] => Some("shared (carrier-grade NAT)"),
        [224..=239, ..] => Some("multicast"),
        [0, ..]
        | [192, 0, 0, _]
        | [192, 0, 2, _]
        | [192, 88, 99, _]
        | [198, 18..=19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [240..=255, ..] => Some("reserved"),
        _ => None,
    }
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    let carried = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("reserved"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("loopback"),
        // IPv4-mapped, IPv4-compatible, IPv4-translated (SIIT), NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => refusal_v4(carried(high, low)),
        // NAT64 of the local network: only that network knows where the embedded address stands.
        [0x64, 0xff9b, 1, ..] => Some("private"),
        [0xfc00..=0xfdff, ..] => Some("private"),
        [0xfe80..=0xfebf, ..] => Some("link-local or metadata"),
        [0xfec0..=0xfeff, ..] => Some("private"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        // Teredo tunnels, protocol assignments, documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("reserved"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("reserved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: Option<&str>) {
        assert_eq!(refusal(address.parse().expect("an address")), expected, "{address}");
    }

    #[test]
    fn what_is_not_public_is_refused() {
        check("127.0.0.1", Some("loopback"));
        check("127.255.255.254", Some("loopback"));
        check("10.0.0.1", Some("private"));
        check("172.15.255.255", None);
        check("172.16.0.1", Some("private"));
        check("172.31.255.255", Some("private"));
        check("172.32.0.1", None);
        check("192.168.1.1", Some("private"));
        check("169.254.169.254", Some("link-local or metadata"));
        check("168.63.129.16", Some("link-local or metadata"));
        check("168.63.129.17", None);
        check("100.63.255.255", None);
        check("100.64.0.1", Some("shared (carrier-grade NAT)"));
        check("100.100.100.200", Some("shared (carrier-grade NAT)"));
        check("100.128.0.1", None);
        check("0.0.0.0", Some("reserved"));
        check("0.1.2.3", Some("reserved"));
        check("192.0.0.192", Some("reserved"));
        check("198.18.0.1", Some("reserved"));
        check("224.0.0.1", Some("multicast"));
        check("255.255.255.255", Some("reserved"));
        check("93.184.216.34", None);
    }

    #[test]
    fn an_address_is_judged_by_the_one_it_carries() {
        check("::1", Some("loopback"));
        check("::", Some("reserved"));
        check("::ffff:127.0.0.1", Some("loopback"));
        check("::ffff:169.254.169.254", Some("link-local or metadata"));
        check("::ffff:93.184.216.34", None);
        check("::10.0.0.1", Some("private"));
        check("::ffff:0:10.0.0.1", Some("private"));
        check("64:ff9b::10.0.0.1", Some("private"));
        check("64:ff9b::93.184.216.34", None);
        check("64:ff9b:1::93.184.216.34", Some("private"));
        check("2002:7f00:1::", Some("loopback"));
        check("2002:5db8:d822::1", None);
        check("2001:0:1::1", Some("reserved"));
        check("2001:db8::1", Some("reserved"));
        check("fd00:ec2::254", Some("private"));
        check("fe80::1", Some("link-local or metadata"));
        check("ff02::1", Some("multicast"));
        check("4000::1", Some("reserved"));
        check("2606:2800:220:1::1", None);
    }

    #[test]
    fn only_what_is_named_is_allowed() {
        let allowed = AllowedAddresses::parse(&["127.0.0.1", "10.1.0.0/16", "fd00::/8", "Wiki.intranet"]);
        let allowed = allowed.expect("a good list");
        let check = |address: &str, expected: bool| {
            assert_eq!(allowed.refusal(address.parse().expect("an address")).is_none(), expected, "{address}");
        };
        check("127.0.0.1", true);
        check("127.0.0.2", false);
        check("::ffff:127.0.0.1", true);
        check("::1", false);
        check("10.1.255.1", true);
        check("10.2.0.1", false);
        check("fd12::1", true);
        check("fe80::1", false);
        check("93.184.216.34", true);
        assert!(allowed.has_host("wiki.intranet.") && !allowed.has_host("intranet"));
        for entry in ["10.0.0.0/33", "10.0.0", "", "a b", "..", "http://x"] {
            assert_eq!(AllowedAddresses::parse(&[entry]), Err(BadAddress { entry: entry.to_owned() }));
        }
    }
}
