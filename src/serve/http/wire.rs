//! Request bodies and error responses.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::ErrorData;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::json;

use crate::serve::{Refusal, RefusalKind};

/// The result of a handler.
pub(super) type Answer = Result<Response, Refusal>;

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refusal_response(&self)
    }
}

/// A part of the path, like axum's own `Path`. Errors are reported like any other refusal.
pub(super) struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(found)) => Ok(Path(found)),
            Err(error) => Err(Refusal::bad(error.body_text())),
        }
    }
}

/// The query string of a URL; errors are reported in the same way.
pub(super) struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(found)) => Ok(Query(found)),
            Err(error) => Err(Refusal::bad(error.body_text())),
        }
    }
}

/// Parses a JSON body. The types of the program's own interface refuse unknown fields, which are likely misspelt; the
/// others ignore them, since their clients send fields meant for other servers.
pub(super) fn body<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Refusal> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| Refusal::bad(format!("the body is not understood: {error}")))?;
    reader.end().map_err(|error| Refusal::bad(format!("the body is not one JSON value: {error}")))?;
    Ok(value)
}

/// Answers a body that is not an MCP message with 400 and the reason; `rmcp` would say unsupported media type.
pub(super) async fn understood(parts: Parts, body: Bytes, next: Next) -> Response {
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_json = kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    let response = next.run(Request::from_parts(parts, Body::from(body.clone()))).await;
    if !is_json || response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    let error = match serde_json::from_slice::<IgnoredAny>(&body) {
        Ok(_) => ErrorData::invalid_request("the body is no message of MCP", None),
        Err(error) => ErrorData::parse_error(format!("the body is no JSON: {error}"), None),
    };
    let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
    (StatusCode::BAD_REQUEST, axum::Json(error)).into_response()
}

pub(super) fn refusal_response(refusal: &Refusal) -> Response {
    let status = match refusal.kind {
        RefusalKind::Bad => StatusCode::BAD_REQUEST,
        RefusalKind::NotFound => StatusCode::NOT_FOUND,
        RefusalKind::Forbidden => StatusCode::FORBIDDEN,
        RefusalKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        RefusalKind::Spent => StatusCode::TOO_MANY_REQUESTS,
        RefusalKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    };
    error_response(status, &refusal.message, refusal.hint.as_deref())
}

/// A message and its hint as one text.
pub(super) fn with_hint(message: &str, hint: Option<&str>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message}; {hint}"))
}

/// An error in the format of OpenAI clients; they show only the message, so the hint is in it too.
pub(super) fn error_response(status: StatusCode, message: &str, hint: Option<&str>) -> Response {
    let kind = match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        _ if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    };
    let message = with_hint(message, hint);
    let error = json!({"error": {"message": message, "type": kind, "param": null, "code": null, "hint": hint}});
    let mut response = (status, axum::Json(error)).into_response();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
    }
    response
}
