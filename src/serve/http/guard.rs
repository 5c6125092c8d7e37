//! The checks on every request before a handler reads it: its host, origin and token, and the size of its body.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use url::Url;

use super::tokens::Tokens;
use super::wire::{error_response, refusal_response};
use super::{HttpOptions, Server};
use crate::serve::{Refusal, RefusalKind};

/// The maximum size of a body.
const MAX_BODY_BYTES: usize = 1 << 20;
/// How much of a larger body is read before it is refused.
const MAX_READ_BYTES: usize = 8 << 20;
/// The time limit for receiving a body.
const MAX_BODY_TIME: Duration = Duration::from_secs(15);

/// Paths that need no token, since they reveal nothing of what is stored.
pub(super) const PUBLIC: &[&str] = &["/", "/health"];

/// The hosts, origins and tokens that the server accepts.
pub(super) struct Guarded {
    tokens: Tokens,
    /// Host names without ports, in lower case.
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Guarded {
    pub fn new(tokens: Tokens, options: &HttpOptions) -> Self {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec();
        if !options.listen.ip().is_unspecified() {
            hosts.push(host_of(options.listen));
        }
        hosts.extend(options.public_url.iter().filter_map(Url::host_str).map(str::to_lowercase));
        hosts.extend(options.hosts.iter().map(|host| host.to_lowercase()));
        let plain = |origin: &String| origin.trim_end_matches('/').to_lowercase();
        Guarded { tokens, hosts, origins: options.origins.iter().map(plain).collect() }
    }

    /// Refuses unknown host names. A page of another site whose name resolves to this server would send that name: this
    /// is how DNS rebinding works. A request target may name a host too, and an intermediary that reads it gives it
    /// precedence over the header.
    fn check_host(&self, headers: &HeaderMap, target: &Uri) -> Result<(), Refusal> {
        let mut given = headers.get_all(header::HOST).iter();
        let host = match (given.next().map(HeaderValue::to_str), given.next()) {
            (Some(Ok(host)), None) => host.to_lowercase(),
            _ => return Err(Refusal::bad("the request needs one Host header")),
        };
        if target.authority().is_some_and(|named| named.as_str().to_lowercase() != host) {
            return Err(Refusal::bad("the request's target names another host than its Host header"));
        }
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host.as_str(),
        };
        if self.hosts.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(Refusal::new(RefusalKind::Forbidden, "the server does not answer to the name in the Host header")
            .with_hint("start it with --allow-host NAME, or --public-url URL"))
    }

    /// The origin, if the request comes from a page of an allowed one; an error for other pages except the server's
    /// own.
    fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
        let text = origin.to_str().unwrap_or_default().to_lowercase();
        if self.origins.contains(&text) {
            return Ok(Some(origin.clone()));
        }
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default().to_lowercase();
        let own = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        if own.is_some_and(|own| !own.is_empty() && own == host) {
            return Ok(None);
        }
        Err(Refusal::new(RefusalKind::Forbidden, "pages of this origin may not use the server")
            .with_hint("start it with --allow-origin ORIGIN, as in --allow-origin http://localhost:3000"))
    }
}

/// The address without its port, in the form of a `Host` header.
fn host_of(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

/// Passes a request on, or answers why it is refused.
pub(super) async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    server.0.metrics.requests.fetch_add(1, Ordering::Relaxed);
    let (origin, response) = match admit(&server, request).await {
        Ok((origin, Some(request))) => (origin, next.run(request).await),
        Ok((origin, None)) => (origin, StatusCode::NO_CONTENT.into_response()),
        Err(response) => (None, *response),
    };
    server.0.metrics.count(response.status());
    with_common_headers(response, origin)
}

type Admitted = (Option<HeaderValue>, Option<Request>);

/// The origin to allow in the CORS headers, and the request; no request if it was a preflight.
async fn admit(server: &Server, request: Request) -> Result<Admitted, Box<Response>> {
    let guarded = &server.0.guarded;
    let refused = |refusal: Refusal| Box::new(refusal_response(&refusal));
    guarded.check_host(request.headers(), request.uri()).map_err(refused)?;
    let origin = guarded.check_origin(request.headers()).map_err(refused)?;
    if origin.is_some() && request.method() == Method::OPTIONS {
        return Ok((origin, None));
    }
    let (mut parts, body) = request.into_parts();
    if !PUBLIC.contains(&parts.uri.path()) {
        let token = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = token.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let Some(access) = guarded.tokens.access(token.unwrap_or_default()) else {
            return Err(Box::new(unauthorized()));
        };
        parts.extensions.insert(access.clone());
        // No log in the layers below can show it.
        parts.headers.remove(header::AUTHORIZATION);
    }
    let body = whole(body).await.map_err(Box::new)?;
    Ok((origin, Some(Request::from_parts(parts, Body::from(body)))))
}

/// The body, if it arrives in time and is not too large. The body of a request without a token is not read.
async fn whole(body: Body) -> Result<Bytes, Response> {
    let read = async {
        let mut pieces = body.into_data_stream();
        let (mut whole, mut seen) = (Vec::new(), 0);
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            seen += piece.len();
            // Reads on for a while if the body is too large: a client that is still sending would not see the refusal.
            if seen > MAX_READ_BYTES {
                break;
            }
            if seen <= MAX_BODY_BYTES {
                whole.extend_from_slice(&piece);
            }
        }
        Ok::<_, axum::Error>((seen <= MAX_BODY_BYTES).then_some(whole))
    };
    let (status, message) = match tokio::time::timeout(MAX_BODY_TIME, read).await {
        Ok(Ok(Some(whole))) => return Ok(Bytes::from(whole)),
        Ok(Ok(None)) => (StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {MAX_BODY_BYTES} bytes")),
        Ok(Err(_)) => (StatusCode::BAD_REQUEST, "the body broke off".to_owned()),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "the request's body took too long to come".to_owned()),
    };
    Err(error_response(status, &message, None))
}

fn unauthorized() -> Response {
    let mut response = error_response(
        StatusCode::UNAUTHORIZED,
        "a token is needed, and this is none",
        Some("send the header `Authorization: Bearer TOKEN`; the token is in the file served/token of the data folder"),
    );
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Adds the headers that every response has.
fn with_common_headers(mut response: Response, origin: Option<HeaderValue>) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(
                "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
            ),
        );
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(hosts: &[&str], origins: &[&str]) -> Guarded {
        let folder = tempfile::tempdir().unwrap();
        let (tokens, _) = Tokens::of(folder.path()).unwrap();
        let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let options = HttpOptions {
            listen: "192.168.1.5:80".parse().unwrap(),
            public_url: Some(Url::parse("https://search.example.org/x").unwrap()),
            hosts: all(hosts),
            origins: all(origins),
            load_from: None,
            tls: None,
        };
        Guarded::new(tokens, &options)
    }

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_known_hosts_are_answered() {
        let guarded = guarded(&["Box.lan"], &[]);
        let check = |hosts: &[&str], expected: bool| {
            let pairs: Vec<_> = hosts.iter().map(|&host| (header::HOST, host)).collect();
            assert_eq!(guarded.check_host(&headers(&pairs), &Uri::from_static("/")).is_ok(), expected, "{hosts:?}");
        };
        for good in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "192.168.1.5", "box.lan:99"] {
            check(&[good], true);
        }
        check(&["search.example.org"], true);
        for bad in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", ":80", "[::1", "a@localhost"]
        {
            check(&[bad], false);
        }
        check(&[], false);
        check(&["localhost", "evil.example"], false);
    }

    #[test]
    fn pages_of_other_origins_are_refused_unless_they_are_named() {
        let guarded = guarded(&[], &["https://chat.example.org/"]);
        let check = |origin: &str, expected: Option<bool>| {
            let headers = headers(&[(header::HOST, "127.0.0.1:8080"), (header::ORIGIN, origin)]);
            assert_eq!(guarded.check_origin(&headers).ok().map(|named| named.is_some()), expected, "{origin}");
        };
        check("http://127.0.0.1:8080", Some(false));
        check("https://chat.example.org", Some(true));
        for bad in ["http://127.0.0.1:3000", "null", "http://evil.example", "", "127.0.0.1:8080", "http://"] {
            check(bad, None);
        }
    }
}
