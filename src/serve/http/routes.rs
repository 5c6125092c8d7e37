//! The handlers of all paths.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodFilter, any_service, on};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::wire::{error_response, understood};
use super::{Server, api, chat, guard, metrics, page, responses};
use crate::serve::McpServer;

/// The routes, and a list of them that is compared with the API description.
struct Routes {
    router: Router<Server>,
    listed: Vec<(Method, &'static str)>,
}

impl Routes {
    fn with<H, T>(mut self, method: Method, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Server>,
        T: 'static,
    {
        let filter = if method == Method::POST { MethodFilter::POST } else { MethodFilter::GET };
        self.router = self.router.route(path, on(filter, handler));
        self.listed.push((method, path));
        self
    }
}

fn routes() -> Routes {
    let (get, post) = (Method::GET, Method::POST);
    Routes { router: Router::new(), listed: Vec::new() }
        .with(get.clone(), "/", page::page)
        .with(get.clone(), "/health", api::health)
        .with(get.clone(), "/metrics", metrics::metrics)
        .with(get.clone(), "/openapi.json", api::openapi)
        .with(get.clone(), "/api/collections", api::collections)
        .with(get.clone(), "/api/collections/{name}", api::collection)
        .with(get.clone(), "/api/memory", api::memory)
        .with(post.clone(), "/api/plan", api::plan)
        .with(post.clone(), "/api/search", api::search)
        .with(get.clone(), "/api/read", api::read)
        .with(post.clone(), "/api/verify", api::verify)
        .with(get.clone(), "/api/runs", api::runs)
        .with(post.clone(), "/api/runs", api::start)
        .with(get.clone(), "/api/runs/{id}", api::run)
        .with(get.clone(), "/api/runs/{id}/events", api::events)
        .with(post.clone(), "/api/runs/{id}/cancel", api::cancel)
        .with(get.clone(), "/v1/models", chat::models)
        .with(get.clone(), "/v1/models/{id}", chat::one_model)
        .with(post.clone(), "/v1/chat/completions", chat::complete)
        .with(post.clone(), "/v1/responses", responses::create)
        .with(get, "/v1/responses/{id}", responses::retrieve)
        .with(post, "/v1/responses/{id}/cancel", responses::cancel)
}

/// All routes, behind the guard.
pub(super) fn router(server: Server, mcp: McpServer) -> Router {
    // Without sessions, the server keeps nothing of a client between calls, so no client notices a restart. The guard
    // has already checked host and origin.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_cancellation_token(server.0.stop.clone());
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(mcp.clone()), manager, config);
    routes()
        .router
        .route("/mcp", any_service(mcp).layer(from_fn(understood)))
        .fallback(async || error_response(StatusCode::NOT_FOUND, "there is nothing here", Some("see /openapi.json")))
        .method_not_allowed_fallback(async || {
            error_response(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method", Some("see /openapi.json"))
        })
        // The guard has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(server.clone(), guard::guard))
        .with_state(server)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn the_description_names_every_route_and_no_other() {
        let described: Value = serde_json::from_str(include_str!("openapi.json")).unwrap();
        let mut named = BTreeSet::new();
        for (path, methods) in described["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                named.insert((method.to_uppercase(), path.clone()));
                assert!(operation["summary"].is_string() && operation["responses"].is_object(), "{method} {path}");
                // Every part of the path in braces is described.
                for part in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
                    let parameters = operation["parameters"].as_array().unwrap();
                    assert!(parameters.iter().any(|one| one["name"] == part && one["in"] == "path"), "{path}");
                }
                let open = operation["security"].as_array().is_some_and(Vec::is_empty);
                assert_eq!(open, guard::PUBLIC.contains(&path.as_str()), "{path}");
            }
        }
        let mut there: BTreeSet<(String, String)> =
            routes().listed.into_iter().map(|(method, path)| (method.to_string(), path.to_owned())).collect();
        there.insert(("POST".to_owned(), "/mcp".to_owned()));
        assert_eq!(named, there);
    }
}
