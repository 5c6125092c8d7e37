//! The server's counters, for Prometheus.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Server;
use crate::serve::kept::EndStatus;

pub(super) struct Metrics {
    started: Instant,
    pub requests: AtomicU64,
    /// Response counts by the first digit of their status, from 1.
    answers: [AtomicU64; 5],
    pub connections: AtomicI64,
}

impl Metrics {
    pub fn new() -> Self {
        Metrics {
            started: Instant::now(),
            requests: AtomicU64::new(0),
            answers: Default::default(),
            connections: AtomicI64::new(0),
        }
    }

    pub fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5);
        if let Some(counter) = self.answers.get(class - 1) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The counters in the text format of Prometheus.
pub(super) async fn metrics(State(server): State<Server>) -> Response {
    let counts = server.0.desk.counts();
    let metrics = &server.0.metrics;
    let mut text = String::new();
    let mut table = |name: &str, kind: &str, help: &str, rows: &[(String, f64)]| {
        text.push_str(&format!("# HELP deepsearch_{name} {help}\n# TYPE deepsearch_{name} {kind}\n"));
        for (labels, value) in rows {
            text.push_str(&format!("deepsearch_{name}{labels} {value}\n"));
        }
    };
    let one = |value: f64| vec![(String::new(), value)];
    table("up_seconds", "gauge", "Seconds since the start.", &one(metrics.started.elapsed().as_secs_f64()));
    table("connections", "gauge", "Open connections.", &one(metrics.connections.load(Ordering::Relaxed) as f64));
    let requests = metrics.requests.load(Ordering::Relaxed) as f64;
    table("http_requests_total", "counter", "Requests that came.", &one(requests));
    let answers: Vec<(String, f64)> = (1..)
        .zip(&metrics.answers)
        .map(|(class, count)| (format!("{{class=\"{class}xx\"}}"), count.load(Ordering::Relaxed) as f64))
        .collect();
    table("http_answers_total", "counter", "Answers by the class of their status.", &answers);
    table("runs_waiting", "gauge", "Questions that wait for their turn.", &one(counts.waiting as f64));
    table("runs_running", "gauge", "Researches under way.", &one(counts.running as f64));
    let ended = EndStatus::ALL.map(|status| {
        let count = counts.ended.get(&status).copied().unwrap_or_default();
        (format!("{{status=\"{}\"}}", status.name()), count as f64)
    });
    table("runs_ended_total", "counter", "Researches that ended since the start.", &ended);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
