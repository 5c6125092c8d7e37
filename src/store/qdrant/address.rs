//! Checks the server's address: for mistakes before any request is sent, and for what answers there if it is not a
//! server's gRPC port.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::transport::Uri;

use crate::store::StoreError;

/// How long an answer is waited for.
const LISTENED: Duration = Duration::from_secs(2);

/// The bytes of an answer that are examined.
const LOOKED_AT: usize = 1024;

/// The first byte of the alert with which an encrypted port answers unencrypted data.
const TLS_ALERT: u8 = 0x15;

/// Refuses text that is not an address.
pub(super) fn check(url: &str) -> Result<(), StoreError> {
    let bad = |reason: String| Err(StoreError::BadAddress { url: url.to_owned(), reason });
    let Some((scheme, rest)) = url.split_once("://") else {
        return bad(format!("it has no scheme; write `http://{url}`, or `https://{url}` where the port is encrypted"));
    };
    if !matches!(scheme, "http" | "https") {
        return bad(format!("it begins with `{scheme}://`; write `http://{rest}` or `https://{rest}`"));
    }
    match url.parse::<Uri>() {
        Ok(uri) if uri.host().is_some_and(|host| !host.is_empty()) => Ok(()),
        Ok(_) => bad("it names no machine; write `http://HOST:6334`".to_owned()),
        Err(error) => bad(format!("{error}; write `http://HOST:6334`")),
    }
}

/// Whether an address is on this machine, judged by its text alone: no name is looked up.
pub(super) fn is_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let Some(host) = uri.host() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Describes what answers at an address that does not behave like a gRPC port; `None` if that cannot be determined.
pub(super) async fn what_answers(url: &str, limit: Duration) -> Option<String> {
    let uri = url.parse::<Uri>().ok()?;
    let host = uri.host()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    if uri.scheme_str() != Some("http") {
        return None;
    }
    let port = uri.port_u16().unwrap_or(80);
    let answer = async {
        let mut stream = TcpStream::connect((host.as_str(), port)).await.ok()?;
        stream
            .write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())
            .await
            .ok()?;
        let mut answer = Vec::new();
        let mut part = [0; LOOKED_AT];
        while answer.len() < LOOKED_AT {
            match stream.read(&mut part).await {
                Ok(0) | Err(_) => break,
                Ok(read) => answer.extend_from_slice(&part[..read]),
            }
        }
        Some(answer)
    };
    let answer = tokio::time::timeout(limit.min(LISTENED), answer).await.ok().flatten()?;
    reading(url, &host, port, &answer)
}

fn reading(url: &str, host: &str, port: u16, answer: &[u8]) -> Option<String> {
    if answer.first() == Some(&TLS_ALERT) {
        return Some(format!("the port is encrypted; write `{}`", url.replacen("http:", "https:", 1)));
    }
    if !answer.starts_with(b"HTTP/1.") {
        return None;
    }
    let said = String::from_utf8_lossy(answer).to_lowercase();
    if said.contains("http request was sent to https") || said.contains("http request to an https server") {
        return Some(format!("the port is encrypted; write `{}`", url.replacen("http:", "https:", 1)));
    }
    let what = if said.contains("qdrant") { "the server's REST interface" } else { "a web server" };
    let other =
        if port == 6334 { "the gRPC port".to_owned() } else { format!("the gRPC port, mostly `http://{host}:6334`") };
    Some(format!("{what} answers at port {port}; name {other}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_told() {
        fn refused(url: &str, expected: &str) {
            let error = check(url).expect_err(url).to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(check("http://localhost:6334").is_ok() && check("https://[::1]:6334/").is_ok());
        refused("localhost:6334", "write `http://localhost:6334`");
        refused("grpc://a:6334", "write `http://a:6334` or `https://a:6334`");
        refused("http://", "write `http://HOST:6334`");
        refused("", "no scheme");
        refused("http://a b", "write `http://HOST:6334`");
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for url in
            ["http://localhost:1", "http://LOCALHOST", "https://127.0.0.1:6334", "http://127.9.9.9", "http://[::1]:2"]
        {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "http://10.0.0.1",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "nothing",
            "http://0.0.0.0",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }

    #[test]
    fn what_answers_is_named() {
        fn read(answer: &[u8], expected: Option<&str>) {
            let found = reading("http://h:6333", "h", 6333, answer);
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
        read(b"HTTP/1.1 200 OK\r\n\r\n{\"title\":\"qdrant - vector search engine\"}", Some("`http://h:6334`"));
        read(b"HTTP/1.1 404 Not Found\r\n\r\n", Some("a web server"));
        read(&[TLS_ALERT, 3, 3, 0, 2, 2, 70], Some("`https://h:6333`"));
        read(
            b"HTTP/1.1 400 Bad Request\r\n\r\nThe plain HTTP request was sent to HTTPS port",
            Some("`https://h:6333`"),
        );
        read(&[0, 0, 18, 4, 0], None);
        read(b"", None);
    }
}
