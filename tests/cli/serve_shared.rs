//! Tests several servers over one folder or one store, and tokens used by many clients at once.

use std::thread;

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::harness::{QUESTION, TestDir};
use crate::serve::{Gate, Server, loaded, with_endpoint};
use crate::stand_in::StandIn;

const TEAM: &str = "team-token-0123456789";

/// Writes a token beside the server's own, with further lines of its table.
fn with_token(dir: &TestDir, lines: &str) {
    let path = dir.data().join("served/tokens.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let table = format!("[[token]]\nname = \"team\"\ntoken = \"{TEAM}\"\ncollections = [\"history\"]\n{lines}\n");
    std::fs::write(&path, table).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// Asks `server` a question whose run is held in its third call until the gate is opened.
fn held(server: &Server, endpoint: &Endpoint) -> (String, Gate) {
    let (reached, gate) = (Gate::default(), Gate::default());
    let (reaches, waits) = (reached.clone(), gate.clone());
    endpoint.at_moment(move |now| {
        if now == 14 {
            reaches.open();
            waits.wait();
        }
    });
    let id = server.ask(QUESTION);
    reached.wait();
    (id, gate)
}

/// The numbers of events; each event must come once.
fn numbers(events: &[(usize, Value)]) -> Vec<usize> {
    events.iter().map(|(number, _)| *number).collect()
}

#[test]
fn two_servers_over_one_folder_tell_of_every_run_and_do_none_twice() {
    let (dir, endpoint) = (loaded(), Endpoint::start());
    let mut first = with_endpoint(&dir, &endpoint, &[]);
    let (id, gate) = held(&first, &endpoint);
    let second = with_endpoint(&dir, &endpoint, &[]);
    assert_eq!(second.get(&format!("/api/runs/{id}")).json()["status"], "running");
    let refused = second.post(&format!("/api/runs/{id}/cancel"), &json!({}));
    assert!(refused.status == 503 && refused.body.contains("cancel it there"), "{} {}", refused.status, refused.body);
    let heard = thread::scope(|scope| {
        let listener = scope.spawn(|| second.events(&id, 0));
        gate.open();
        listener.join().unwrap()
    });
    assert_eq!(heard, first.events(&id, 0), "whoever listens at the other server hears the same");
    let calls = first.get(&format!("/api/runs/{id}")).json()["report"]["usage"]["calls"].as_u64().unwrap();
    assert_eq!(endpoint.take_seen().len() as u64, calls);

    // The process of the run is killed while a client listens at the other server.
    let (id, gate) = held(&first, &endpoint);
    let heard = thread::scope(|scope| {
        let listener = scope.spawn(|| second.events(&id, 0));
        first.child.kill().unwrap();
        first.child.wait().unwrap();
        gate.open();
        listener.join().unwrap()
    });
    assert_eq!(numbers(&heard), (1..=heard.len()).collect::<Vec<_>>());
    assert_eq!(second.get(&format!("/api/runs/{id}")).json()["status"], "completed");
    // Only the interrupted call is made again.
    assert_eq!(endpoint.take_seen().len() as u64, calls + 1);
}

#[test]
fn servers_over_one_store_find_the_same_and_keep_their_own_runs() {
    let store = StandIn::start(None);
    let (dir, other) = (TestDir::with_examples(), TestDir::new());
    let url = format!("store.url={}", store.url());
    let on_store = ["--set", "store.backend=qdrant", "--set", &url];
    let load = ["load", "examples/simpsons", "--embedder", "none"];
    dir.run(&[load.as_slice(), &on_store].concat()).ends_with(0);
    let arguments = [["--offline"].as_slice(), &on_store].concat();
    let (first, second) = (Server::start(&dir, &arguments), Server::start(&other, &arguments));
    let found = |server: &Server| server.post("/api/search", &json!({"query": "What did the film earn?"})).json();
    let here = found(&first);
    assert!(!here["results"].as_array().unwrap().is_empty());
    assert_eq!(here, found(&second));
    let id = first.ask(QUESTION);
    assert_eq!(second.get(&format!("/api/runs/{id}")).status, 404);
    assert!(!first.events(&id, 0).is_empty());
    assert_eq!(second.get("/api/runs").json()["runs"], json!([]));
}

#[test]
fn questions_that_come_at_once_do_not_pass_the_budget() {
    let dir = loaded();
    with_token(&dir, "runs_a_day = 2");
    let mut server = Server::start(&dir, &["--offline"]);
    server.token = TEAM.to_owned();
    let asked = thread::scope(|scope| {
        let ask = || server.post("/api/runs", &json!({"question": "How did the critics change?"})).status;
        let askers: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        let mut statuses: Vec<u16> = askers.into_iter().map(|asker| asker.join().unwrap()).collect();
        statuses.sort();
        statuses
    });
    assert_eq!(asked, [202, 202, 429, 429, 429, 429, 429, 429]);
}

#[test]
fn tokens_of_a_model_are_counted_over_a_start_of_the_server() {
    let (dir, endpoint) = (loaded(), Endpoint::start());
    with_token(&dir, "tokens_a_day = 1");
    let start = || {
        let mut server = with_endpoint(&dir, &endpoint, &[]);
        server.token = TEAM.to_owned();
        server
    };
    let server = start();
    let id = server.ask(QUESTION);
    server.events(&id, 0);
    drop(server);
    let spent = start().post("/api/runs", &json!({"question": QUESTION}));
    assert_eq!(spent.status, 429);
    for words in ["this token may use 1 tokens within 24 hours", "ask again after"] {
        assert!(spent.body.contains(words), "{}", spent.body);
    }
}
