//! Converts the client's errors to [`StoreError`]: a server that is gone, that refuses, that is full, that wants fewer
//! calls or that partly fails each has its own kind.

use std::time::Duration;

use qdrant_client::QdrantError;
use tonic::{Code, Status};

use crate::store::StoreError;

/// The engine's name in messages.
pub(super) const ENGINE: &str = "Qdrant";

/// Converts the error of a failed call.
pub(super) fn store_error(url: &str, action: &'static str, error: QdrantError) -> StoreError {
    let status = match error {
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            let (url, reason) = (url.to_owned(), status.message().to_owned());
            let after = Some(Duration::from_secs(retry_after_seconds));
            return StoreError::RateLimited { url, action, reason, after };
        }
        QdrantError::ResponseError { status } => status,
        QdrantError::Io(source) => {
            return StoreError::Unreachable { url: url.to_owned(), action, reason: source.to_string() };
        }
        other => return StoreError::Engine { engine: ENGINE, action, reason: format!("{url}: {other}") },
    };
    let (url, reason) = (url.to_owned(), status.message().to_owned());
    let lower = reason.to_lowercase();
    if ["no space left", "disk space", "out of memory", "out of disk"].iter().any(|sign| lower.contains(sign)) {
        return StoreError::ServerFull { url, reason };
    }
    // The client words every failure to connect like this.
    if lower.starts_with("failed to connect") || lower.starts_with("failed to create tls") {
        let of_tls = ["certificate", "tls", "invalidcontenttype", "handshake", "corruptmessage"];
        return match url.starts_with("https") && of_tls.iter().any(|sign| lower.contains(sign)) {
            true => StoreError::Tls { url, reason: with_hint(reason, &lower) },
            false => StoreError::Unreachable { url, action, reason: system_message(reason) },
        };
    }
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => StoreError::Refused { url, action, reason },
        // No time to wait is given: this single call is more than the server ever accepts.
        Code::ResourceExhausted => StoreError::RateLimited { url, action, reason, after: None },
        // The server answers but cannot do it now, because some of its copies or nodes are missing.
        Code::Internal => StoreError::Failing { url, action, reason },
        Code::Unavailable if lower.starts_with("shard temporarily unavailable") => {
            StoreError::Failing { url, action, reason }
        }
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Unknown | Code::Aborted => {
            let reason = if reason.is_empty() { status.code().to_string() } else { reason };
            StoreError::Unreachable { url, action, reason }
        }
        code => StoreError::Engine { engine: ENGINE, action, reason: format!("{url}: {reason} ({code})") },
    }
}

/// Extracts the system's message from a failure to connect, which the client wraps in the names of its own types.
fn system_message(reason: String) -> String {
    let said = reason.rsplit_once("message: \"").and_then(|(_, said)| said.split_once('"'));
    let said = said.map(|(said, _)| said.to_owned()).filter(|_| reason.contains("tonic::transport::Error"));
    said.unwrap_or(reason)
}

/// Adds a hint if the port answers without encryption, which shows in how the answer begins.
fn with_hint(reason: String, lower: &str) -> String {
    match lower.contains("invalidcontenttype") || lower.contains("corruptmessage") {
        true => format!("the port answers without encryption; write http:// in `store.url` ({reason})"),
        false => reason,
    }
}

/// Whether the same call may succeed a moment later.
pub(super) fn is_transient(error: &StoreError) -> bool {
    matches!(error, StoreError::Unreachable { .. } | StoreError::Failing { .. })
}

/// Whether the requested object does not exist.
pub(super) fn is_absent(error: &QdrantError) -> bool {
    matches!(error, QdrantError::ResponseError { status } if is_not_found(status))
}

fn is_not_found(status: &Status) -> bool {
    status.code() == Code::NotFound
}

/// Returns the error for a row that does not hold what it should.
pub(super) fn damaged(url: &str, what: &str) -> StoreError {
    let reason = format!("{what}; load the file again, or restore the server's data from a backup");
    StoreError::Damaged { path: url.into(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(url: &str, status: Status) -> &'static str {
        match store_error(url, "searching", QdrantError::ResponseError { status }) {
            StoreError::Unreachable { .. } => "unreachable",
            StoreError::Refused { .. } => "refused",
            StoreError::Tls { .. } => "tls",
            StoreError::ServerFull { .. } => "full",
            StoreError::RateLimited { .. } => "limited",
            StoreError::Failing { .. } => "failing",
            StoreError::Engine { .. } => "engine",
            _ => "another",
        }
    }

    #[test]
    fn a_connection_that_fails_is_told_in_the_systems_words() {
        let reason = "Failed to connect to http://a/: tonic::transport::Error(Transport, ConnectError(\"tcp connect \
                      error\", Os { code: 111, kind: ConnectionRefused, message: \"Connection refused\" }))";
        let status = Status::new(Code::Internal, reason);
        let error = store_error("http://a", "searching", QdrantError::ResponseError { status });
        assert_eq!(error.to_string(), "the server http://a does not answer while searching: Connection refused");
    }

    #[test]
    fn a_limit_says_how_long_to_wait() {
        let mut status = Status::new(Code::ResourceExhausted, "Rate limiting exceeded: Write rate limit exceeded");
        status.metadata_mut().insert("retry-after", "7".parse().unwrap());
        let error = store_error("http://a", "writing points", QdrantError::from(status));
        let StoreError::RateLimited { after, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*after, Some(Duration::from_secs(7)));
    }

    #[test]
    fn each_failure_has_its_kind() {
        fn check(url: &str, code: Code, message: &str, expected: &str) {
            assert_eq!(kind(url, Status::new(code, message)), expected, "{code:?} {message}");
        }
        check("http://a", Code::Unavailable, "tcp connect error", "unreachable");
        check("http://a", Code::Cancelled, "Timeout expired", "unreachable");
        check("http://a", Code::Internal, "Failed to connect to http://a: refused", "unreachable");
        check("https://a", Code::Internal, "Failed to connect to https://a: InvalidCertificate(UnknownIssuer)", "tls");
        check("http://a", Code::Unauthenticated, "Must provide an API key", "refused");
        check("http://a", Code::PermissionDenied, "Global manage access is required", "refused");
        check("http://a", Code::Internal, "Service internal error: No space left on device", "full");
        check("http://a", Code::ResourceExhausted, "Rate limiting exceeded: Read rate limit exceeded", "limited");
        check("http://a", Code::Internal, "Service internal error: 1 of 1 read operations failed", "failing");
        check("http://a", Code::Unavailable, "Shard temporarily unavailable: shard 1", "failing");
        check("http://a", Code::InvalidArgument, "Wrong input", "engine");
    }
}
