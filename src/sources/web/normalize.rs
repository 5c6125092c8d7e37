//! One form of each address, so that each page is met once.

use url::Url;

/// Parameters that tell a site where a visitor came from and do not change the page.
const TRACKING: [&str; 19] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "twclid",
    "wbraid",
    "yclid",
];
/// Parameters that identify a session.
const SESSION: [&str; 8] =
    ["cfid", "cftoken", "jsessionid", "osadcampaign", "phpsessid", "sessionid", "session_id", "zenid"];

/// The normal form of a URL, under which a page is known: without fragment, user, tracking parameters and session ids,
/// and with uniform escapes. `None` for addresses that are not on a web server (`mailto:`, `javascript:`).
pub(super) fn normalize(url: &Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut url = url.clone();
    url.set_fragment(None);
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let host = url.host_str()?;
    if let Some(bare) = host.strip_suffix('.') {
        let bare = bare.to_owned();
        url.set_host(Some(&bare)).ok()?;
    }
    let path = escapes(&without_session(url.path()));
    url.set_path(&path);
    let query = url.query().map(|query| {
        let kept: Vec<String> = query.split('&').filter(|pair| !is_dropped(pair)).map(escapes).collect();
        kept.join("&")
    });
    url.set_query(query.as_deref().filter(|query| !query.is_empty()));
    Some(url)
}

fn is_dropped(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    pair.is_empty()
        || name.starts_with("utm_")
        || name.starts_with("aspsessionid")
        || TRACKING.contains(&name.as_str())
        || SESSION.contains(&name.as_str())
}

/// A path without `;jsessionid=…` and similar parameters.
fn without_session(path: &str) -> String {
    let part = |part: &str| {
        let mut pieces = part.split(';');
        let mut kept = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let name = piece.split('=').next().unwrap_or_default().to_ascii_lowercase();
            if !SESSION.contains(&name.as_str()) {
                kept.push(';');
                kept.push_str(piece);
            }
        }
        kept
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Writes escapes in capitals, and unescapes characters that need no escape.
fn escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            out.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        match char::from(byte) {
            plain if plain.is_ascii_alphanumeric() || "-._~".contains(plain) => out.push(plain),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        let normal = normalize(&Url::parse(url).expect("a URL"));
        assert_eq!(normal.as_ref().map(Url::as_str), expected, "{url}");
        if let Some(normal) = normal {
            assert_eq!(normalize(&normal), Some(normal.clone()), "twice is as once: {url}");
        }
    }

    #[test]
    fn one_page_has_one_url() {
        check("HTTP://Example.ORG:80", Some("http://example.org/"));
        check("https://example.org./a/../b#part", Some("https://example.org/b"));
        check("https://u:p@example.org/", Some("https://example.org/"));
        check("https://example.org/?utm_source=x&q=1&fbclid=z", Some("https://example.org/?q=1"));
        check("https://example.org/?UTM_Medium=x", Some("https://example.org/"));
        check("https://example.org/?", Some("https://example.org/"));
        check("https://example.org/a;jsessionid=1F?b", Some("https://example.org/a?b"));
        check("https://example.org/a;v=1/b;PHPSESSID=2", Some("https://example.org/a;v=1/b"));
        check("https://example.org/%7euser/%c3%a9?q=%2f", Some("https://example.org/~user/%C3%A9?q=%2F"));
        check("https://example.org/100%", Some("https://example.org/100%"));

        check("https://example.org/?b=1&a=2", Some("https://example.org/?b=1&a=2"));
        check("mailto:a@example.org", None);
        check("javascript:void(0)", None);
        check("data:text/html,x", None);
    }
}
