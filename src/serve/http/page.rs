//! The page in the browser: one file, which uses the interface like any client.

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::serve::Refusal;

/// Serves the page. It contains no stored data, so it needs no token; it requests what it shows with one.
pub(super) async fn page() -> Result<Response, Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Refusal::failed(format!("no random numbers: {error}")))?;
    let nonce = BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let mut response = Html(include_str!("page.html").replace("{nonce}", &nonce)).into_response();
    // A script injected into a report would not run.
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}
