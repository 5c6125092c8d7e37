//! `deepsearch serve` over real connections: who is let in, what runs tell, and what is left of them after a kill.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::harness::{QUESTION, TestDir};

/// The example corpus in a folder that a test may change.
pub fn loaded() -> TestDir {
    let dir = TestDir::with_examples();
    dir.run(&["-q", "load", "examples/simpsons", "--collection-per-dir", "--embedder", "none"]).ends_with(0);
    dir
}

pub struct Server {
    pub child: Child,
    address: String,
    pub token: String,
    /// What it said on standard error until it listened.
    said: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub struct Reply {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }
}

impl Server {
    pub fn start(dir: &TestDir, arguments: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = dir.run(&all).into_command();
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut said, mut address) = (String::new(), String::new());
        while address.is_empty() {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "it does not listen: {said}");
            let listens = line.trim().strip_prefix("listening on ").and_then(|base| base.split_once("://"));
            if let Some((_, found)) = listens {
                address = found.to_owned();
            }
            said.push_str(&line);
        }
        // Nobody may be held up by a full pipe.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let token = std::fs::read_to_string(dir.data().join("served/token")).unwrap().trim().to_owned();
        Server { child, address, token, said }
    }

    fn offline(dir: &TestDir) -> Self {
        Server::start(dir, &["--offline"])
    }

    /// Sends bytes and reads to the end of the connection.
    fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // A server that has refused need not read on.
        drop(stream.write_all(request));
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(body) } else { body.to_owned() };
        Reply { status, head: head.to_lowercase(), body }
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[("host", &self.address), ("authorization", &self.bearer())], "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let headers = [("host", self.address.as_str()), ("authorization", &self.bearer())];
        self.request("POST", path, &headers, &body.to_string())
    }

    pub fn ask(&self, question: &str) -> String {
        let reply = self.post("/api/runs", &json!({"question": question}));
        assert_eq!(reply.status, 202, "{}", reply.body);
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    /// Reads the run's story until it says `words`.
    #[cfg(unix)]
    fn wait_for(&self, id: &str, words: &str) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, right) = (&self.address, self.bearer());
        let head = format!("GET /api/runs/{id}/events HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(words)), "the story ended without `{words}`");
    }

    /// The run's events from `after` on to its end, as number and data.
    pub fn events(&self, id: &str, after: usize) -> Vec<(usize, Value)> {
        let reply = self.get(&format!("/api/runs/{id}/events?after={after}"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        numbered(&reply.body)
    }
}

fn unchunked(body: &str) -> String {
    let (mut text, mut rest) = (String::new(), body);
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        if length == 0 || after.len() < length {
            break;
        }
        text.push_str(&after[..length]);
        rest = after[length..].trim_start_matches("\r\n");
    }
    text
}

/// The numbered events of a stream.
fn numbered(stream: &str) -> Vec<(usize, Value)> {
    let one = |event: &str| {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        Some((field("id:")?.parse().unwrap(), serde_json::from_str(field("data:")?).unwrap()))
    };
    stream.split("\n\n").filter_map(one).collect()
}

/// The report that events tell.
fn report(events: &[(usize, Value)]) -> String {
    let mut text = String::new();
    for (_, data) in events {
        match data["event"]["event"].as_str() {
            Some("text") => text.push_str(data["event"]["markdown"].as_str().unwrap()),
            Some("rewritten") => text.clear(),
            _ => {}
        }
    }
    text
}

#[test]
fn nobody_without_the_token_learns_anything() {
    let dir = loaded();
    let server = Server::offline(&dir);
    // A pipe may lead to a log.
    assert!(server.said.contains("served/token") && !server.said.contains(&server.token), "{}", server.said);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(dir.data().join("served/token")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let host = server.address.clone();
    let status = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        let reply = server.request(method, path, headers, body);
        assert!(reply.status == 200 || reply.json()["error"]["message"].is_string(), "{}", reply.body);
        reply.status
    };
    assert_eq!(status("GET", "/health", &[("host", &host)], ""), 200);
    let wrong = format!("Bearer {}x", &server.token[..server.token.len() - 1]);
    for path in ["/api/collections", "/v1/models", "/metrics", "/openapi.json", "/api/runs", "/nothing", "/mcp"] {
        assert_eq!(status("GET", path, &[("host", &host)], ""), 401, "{path}");
        assert_eq!(status("GET", path, &[("host", &host), ("authorization", &wrong)], ""), 401, "{path}");
    }
    let right = server.bearer();
    let all = |extra: (&'static str, &'static str)| {
        server.request("GET", "/v1/models", &[("host", &host), ("authorization", &right), extra], "").status
    };
    assert_eq!(all(("accept", "*/*")), 200);
    assert_eq!(all(("origin", "http://evil.example")), 403);
    assert_eq!(all(("origin", "null")), 403);
    assert_eq!(status("GET", "/v1/models", &[("host", "evil.example"), ("authorization", &right)], ""), 403);
    assert_eq!(status("GET", "/health", &[("host", "evil.example:80")], ""), 403);
    drop(server);
    assert!(!Server::offline(&dir).said.contains("token"), "the second start has nothing to say of it");
}

#[test]
fn requests_that_make_no_sense_are_refused_with_the_reason() {
    let dir = loaded();
    let server = Server::offline(&dir);
    let (host, right) = (server.address.clone(), server.bearer());
    let headers = [("host", host.as_str()), ("authorization", right.as_str())];
    let check = |path: &str, body: &str, status: u16, told: &str| {
        let reply = server.request("POST", path, &headers, body);
        assert_eq!(reply.status, status, "{path} {}", reply.body);
        let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(told), "{path}: {message}");
    };
    check("/api/search", "{", 400, "not understood");
    check("/api/search", "{\"query\": \"x\"} x", 400, "not one JSON value");
    check("/api/search", "{\"query\": 5}", 400, "query");
    check("/api/search", "\u{0}", 400, "not understood");
    check("/api/search", "{\"query\": \"x\", \"collections\": [\"histroy\"]}", 404, "history");
    check("/api/runs", "{\"question\": \"?\"}", 400, "empty");
    check("/api/runs", "{\"question\": \"x\", \"strategy\": \"magic\"}", 400, "deep");
    check("/api/runs", "{\"question\": \"x\", \"follows\": \"20260101-000000-0000\"}", 404, "no run");
    check("/api/runs", "{\"question\": \"x\", \"plan\": [{\"query\": \"?\"}]}", 400, "empty");
    check(
        "/api/runs",
        "{\"question\": \"x\", \"strategy\": \"naive\", \"plan\": [{\"query\": \"y\"}]}",
        400,
        "no plan",
    );
    check("/v1/chat/completions", "{\"model\": \"gpt-5\", \"messages\": []}", 404, "deepsearch-react");
    check("/v1/chat/completions", "{\"model\": \"deepsearch\", \"messages\": []}", 400, "no question");
    check("/api/runs/..%2ftoken/cancel", "", 404, "no run");
    check("/api/collections", "", 405, "method");
    let large = format!("{{\"query\": \"{}\"}}", "x".repeat(2 << 20));
    check("/api/search", &large, 413, "larger");
    for path in ["/api/read?id=../../etc/passwd", "/api/read?id=d999999", "/api/runs/x", "/v1/responses/resp_x"] {
        let reply = server.get(path);
        assert_eq!(reply.status, 404, "{path} {}", reply.body);
    }
    // A length beside chunks is how one request is hidden in another.
    let smuggled = format!(
        "POST /api/search HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\ncontent-length: 6\r\ntransfer-encoding: \
         chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    );
    let reply = server.raw(smuggled.as_bytes());
    assert!(!reply.body.contains("deepsearch-react"), "{}", reply.body);
    let twice = format!("GET /health HTTP/1.1\r\nhost: {host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
    assert_eq!(server.raw(twice.as_bytes()).status, 400);
    assert_eq!(server.raw(b"\x16\x03\x01 no http\r\n\r\n").status, 400);
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn a_conversation_is_answered_with_links_that_lead_to_the_passages() {
    let dir = loaded();
    let server = Server::offline(&dir);
    let ask = json!({"model": "deepsearch-naive", "messages": [{"role": "user", "content": QUESTION}]});
    let whole = server.post("/v1/chat/completions", &ask);
    assert_eq!(whole.status, 200, "{}", whole.body);
    let message = whole.json()["choices"][0]["message"].clone();
    let text = message["content"].as_str().unwrap();
    let link = format!("\n[1]: <http://{}/#read/d", server.address);
    assert!(text.contains(&link), "{text}");
    assert!(message["annotations"][0]["url_citation"]["url"].as_str().unwrap().starts_with("http://"));

    let mut streamed = ask.clone();
    streamed["stream"] = json!(true);
    let reply = server.post("/v1/chat/completions", &streamed);
    assert!(reply.head.contains("text/event-stream"), "{}", reply.head);
    let chunks: Vec<&str> = reply.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(chunks.last(), Some(&"[DONE]"));
    let deltas: Vec<Value> = chunks.iter().filter_map(|chunk| serde_json::from_str(chunk).ok()).collect();
    let joined = |name: &str| {
        deltas.iter().filter_map(|chunk: &Value| chunk["choices"][0]["delta"][name].as_str()).collect::<String>()
    };
    let without_times = |text: &str| {
        text.lines()
            .filter(|line| !line.contains("**Cost**") && !line.contains("\"written\":"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(without_times(&joined("content")), without_times(text));
    assert!(joined("reasoning_content").contains("Round 1"), "{}", joined("reasoning_content"));
}

#[test]
fn a_plan_is_shown_changed_and_followed_and_a_question_follows_the_report() {
    let dir = loaded();
    let endpoint = Endpoint::start();
    let server = with_endpoint(&dir, &endpoint, &[]);
    let shown = server.post("/api/plan", &json!({"question": QUESTION, "strategy": "deep"})).json();
    let planned = shown["plan"].as_array().unwrap();
    assert!(!planned.is_empty() && shown["cost"]["least"]["calls"].as_u64() > Some(0), "{shown}");
    endpoint.take_seen();

    let plan =
        json!([{"query": "Who voiced Apu?", "collections": ["characters"]}, {"query": "box office of the film"}]);
    let reply = server.post("/api/runs", &json!({"question": QUESTION, "plan": plan}));
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    server.events(&id, 0);
    let run = server.get(&format!("/api/runs/{id}")).json();
    let first = run["report"]["rounds"][0]["sub_queries"].as_array().unwrap().iter();
    let first: Vec<Value> = first.map(|one| json!([one["text"], one["collections"], one["place"]])).collect();
    let expected = [json!(["Who voiced Apu?", ["characters"], [1]]), json!(["box office of the film", [], [2]])];
    assert_eq!(first, expected, "{run}");
    let sent = endpoint.take_seen();
    let planned_again = sent.iter().any(|body| body["response_format"]["json_schema"]["name"] == "plan");
    assert!(!sent.is_empty() && !planned_again, "the plan was there already");

    let reply = server.post("/api/runs", &json!({"question": "And in 1990?", "follows": id}));
    assert_eq!(reply.status, 202, "{}", reply.body);
    let next = reply.json()["id"].as_str().unwrap().to_owned();
    assert_ne!(next, id);
    server.events(&next, 0);
    let run = server.get(&format!("/api/runs/{next}")).json();
    assert_eq!((run["status"].clone(), run["question"].clone()), (json!("completed"), json!("And in 1990?")));
    let told = |body: &Value| [QUESTION, "And in 1990?"].iter().all(|words| body.to_string().contains(words));
    assert!(endpoint.take_seen().iter().any(told), "the model is not told what the question follows");
}

#[test]
fn what_is_loaded_and_remembered_is_told() {
    let dir = loaded();
    let server = Server::start(&dir, &["--offline", "--set", "memory.enabled=on"]);
    let id = server.ask(QUESTION);
    server.events(&id, 0);
    let found = server.get("/api/collections/history").json();
    assert_eq!(found["documents"].as_array().unwrap().len(), 5, "{found}");
    let document = format!("d{}", found["documents"][0]["id"]);
    let text = server.get(&format!("/api/read?id={document}")).json();
    assert_eq!(text["title"], found["documents"][0]["title"]);
    let memory = server.get("/api/memory").json();
    let kinds: Vec<&Value> = memory["events"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert!(kinds.contains(&&json!("question")) && kinds.contains(&&json!("finding")), "{kinds:?}");
    assert!(memory["picture"].as_str().unwrap().starts_with("<svg"));
}

/// Holds a model's endpoint until it is told to go on.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn wait(&self) {
        let (open, changed) = &*self.0;
        let mut open = open.lock().unwrap();
        while !*open {
            open = changed.wait(open).unwrap();
        }
    }

    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

pub fn with_endpoint(dir: &TestDir, endpoint: &Endpoint, more: &[&str]) -> Server {
    let settings = endpoint.settings();
    let arguments: Vec<&str> = more.iter().copied().chain(settings.iter().map(String::as_str)).collect();
    Server::start(dir, &arguments)
}

#[test]
fn questions_wait_for_their_turn_in_the_order_in_which_they_came() {
    let dir = loaded();
    let endpoint = Endpoint::start();
    let gate = Gate::default();
    let waits = gate.clone();
    endpoint.at_moment(move |_| waits.wait());
    let server = with_endpoint(&dir, &endpoint, &["--runs", "1"]);
    let ids: Vec<String> = ["What is first?", "What is second?", "What is third?"].map(|one| server.ask(one)).to_vec();
    let state = |id: &str| server.get(&format!("/api/runs/{id}")).json();
    assert_eq!(state(&ids[0])["status"], "running");
    assert_eq!((state(&ids[1])["status"].clone(), state(&ids[1])["ahead"].clone()), (json!("queued"), json!(1)));
    assert_eq!(state(&ids[2])["ahead"], 2);
    assert!(server.get("/metrics").body.contains("deepsearch_runs_waiting 2\n"));
    server.post(&format!("/api/runs/{}/cancel", ids[1]), &json!({}));
    assert_eq!(state(&ids[1])["status"], "cancelled");
    assert_eq!(state(&ids[2])["ahead"], 1);
    gate.open();
    for id in [&ids[0], &ids[2]] {
        server.events(id, 0);
        assert_eq!(state(id)["status"], "completed");
    }
    let ended = |id: &str| state(id)["ended"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(ended(&ids[0]) < ended(&ids[2]));
    assert!(server.events(&ids[1], 0).is_empty(), "a question that never had its turn tells nothing");
}

#[test]
fn a_server_that_is_killed_goes_on_where_it_was_and_pays_for_nothing_twice() {
    let endpoint = Endpoint::start();
    let calm = loaded();
    let whole = {
        let server = with_endpoint(&calm, &endpoint, &[]);
        let id = server.ask(QUESTION);
        let events = server.events(&id, 0);
        (events.len(), report(&events), endpoint.take_seen().len())
    };
    assert!(whole.1.contains("The show changed a lot"), "{}", whole.1);
    // In the first call, in the second, and in the midst of the report.
    for moment in [0, 8, 22] {
        let dir = loaded();
        let (reached, gate) = (Gate::default(), Gate::default());
        let (reaches, waits) = (reached.clone(), gate.clone());
        endpoint.at_moment(move |now| {
            if now == moment {
                reaches.open();
                waits.wait();
            }
        });
        let mut server = with_endpoint(&dir, &endpoint, &[]);
        let id = server.ask(QUESTION);
        reached.wait();
        let seen = server.get(&format!("/api/runs/{id}")).json()["events"].as_u64().unwrap();
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        gate.open();
        let paid = endpoint.take_seen().len();
        endpoint.at_moment(|_| ());
        let server = with_endpoint(&dir, &endpoint, &[]);
        assert!(server.said.contains("listening"), "{}", server.said);
        let events = server.events(&id, 0);
        let numbers: Vec<usize> = events.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (1..=events.len()).collect::<Vec<_>>());
        let rest = server.events(&id, usize::try_from(seen).unwrap());
        assert_eq!(rest, events[usize::try_from(seen).unwrap()..], "a client that comes back hears the rest");
        let costless = |text: &str| {
            text.lines()
                .filter(|line| !line.contains("**Cost**") && !line.contains("\"written\":"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(costless(&report(&events)), costless(&whole.1), "killed at {moment}");
        let told = |name: &str| events.iter().filter(|(_, data)| data["event"]["event"] == name).count();
        assert_eq!((told("planned"), told("writing"), told("begun")), (1, 1, 1), "killed at {moment}: {events:?}");
        // Only the call that was cut off is made again.
        assert_eq!(paid + endpoint.take_seen().len(), whole.2 + 1, "killed at {moment}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_runs_or_lets_them_write_their_reports() {
    let dir = loaded();
    let script = |delay: u32| {
        let text = format!(
            "[[reply]]\npurpose = \"plan\"\njson = {{ reason = \"One side.\", sub_queries = [{{ query = \"Who drew the \
             show?\", collections = [] }}] }}\n[[reply]]\npurpose = \"reflect\"\ndelay_ms = {delay}\njson = {{ reason = \
             \"Enough.\", helpful = [1], enough = true, sub_queries = [] }}\n[[reply]]\npurpose = \"write\"\ntext = \"Film \
             Roman drew the show [1].\"\n"
        );
        format!("llm.mock.script={}", dir.write(&format!("work/script-{delay}.toml"), text).display())
    };
    let start = |delay: u32, what: &str| {
        let set = ["--set", "llm.provider=mock", "--set", &script(delay), "--on-stop", what];
        Server::start(&dir, &set)
    };
    for (what, stopped) in [("finish", "interrupted"), ("keep", "enough")] {
        let mut server = start(600_000, what);
        let id = server.ask(QUESTION);
        server.wait_for(&id, "Round 1");
        let kill = format!("kill -INT {}", server.child.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert!(server.child.wait().unwrap().success(), "{what}");
        let server = start(0, what);
        server.events(&id, 0);
        let run = server.get(&format!("/api/runs/{id}")).json();
        assert_eq!(
            (&run["status"], &run["report"]["stopped"]),
            (&json!("completed"), &json!(stopped)),
            "{what}: {run}"
        );
        assert!(run["report"]["markdown"].as_str().unwrap().contains("Film Roman drew the show"), "{run}");
    }
}

#[test]
fn a_narrow_token_sees_its_collections_and_its_runs_alone() {
    let dir = loaded();
    let first = Server::offline(&dir);
    let id = first.ask(QUESTION);
    first.events(&id, 0);
    drop(first);
    let path = dir.data().join("served/tokens.toml");
    std::fs::write(
        &path,
        "[[token]]\nname = \"team\"\ntoken = \"team-token-0123456789\"\ncollections = [\"history\"]\nruns_a_day = 2\n",
    )
    .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let mut server = Server::offline(&dir);
    let full = std::mem::replace(&mut server.token, "team-token-0123456789".to_owned());
    let names = server.get("/api/collections").json();
    assert_eq!(names["collections"].as_array().unwrap().len(), 1, "{names}");
    let found = server.post("/api/search", &json!({"query": "Homer", "k": 50})).json();
    let found = found["results"].as_array().unwrap();
    assert!(!found.is_empty() && found.iter().all(|one| one["collection"] == "history"), "{found:?}");
    assert_eq!(server.post("/api/search", &json!({"query": "x", "collections": ["audience"]})).status, 404);
    assert_eq!(server.get(&format!("/api/runs/{id}")).status, 404);
    assert_eq!(server.get("/api/runs").json()["runs"], json!([]));
    let own = server.ask("How did the critics change?");
    server.events(&own, 0);
    let report = server.get(&format!("/api/runs/{own}")).json()["report"].clone();
    let cited = report["citations"].as_array().unwrap();
    assert!(cited.iter().all(|one| one["collection"] == "history"), "{cited:?}");
    assert_eq!(server.get("/api/runs").json()["runs"].as_array().unwrap().len(), 1);
    assert_eq!(server.post("/api/runs", &json!({"question": "And then?", "follows": id})).status, 404);
    assert_eq!(server.get("/api/collections/audience").status, 404);
    assert_eq!(server.get("/api/memory").status, 403);
    // A plan widens nothing.
    let plan = json!([{"query": "box office", "collections": ["audience"]}]);
    let planned = server.post("/api/runs", &json!({"question": "What did it earn?", "plan": plan})).json();
    let planned = planned["id"].as_str().unwrap();
    server.events(planned, 0);
    let report = server.get(&format!("/api/runs/{planned}")).json()["report"].clone();
    let found = report["found"].as_array().unwrap();
    assert!(found.iter().all(|one| one["collection"] == "history"), "{found:?}");
    // Two were begun, and the refused one does not count.
    let spent = server.post("/api/runs", &json!({"question": "And now?"}));
    assert!(spent.status == 429 && spent.body.contains("ask again after"), "{} {}", spent.status, spent.body);
    server.token = full;
    let outside = server.post("/api/search", &json!({"query": "box office", "collections": ["audience"]})).json();
    let outside = outside["results"][0]["id"].as_str().unwrap().replace('#', "%23");
    assert_eq!(server.get(&format!("/api/read?id={outside}")).status, 200);
    server.token = "team-token-0123456789".to_owned();
    assert_eq!(server.get(&format!("/api/read?id={outside}")).status, 404);
}

#[test]
fn a_certificate_makes_it_speak_tls() {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName};

    let dir = loaded();
    let pem = include_str!("../serve/tls/certificate.pem");
    dir.write("work/tls/certificate.pem", pem);
    dir.write("work/tls/key.pem", include_str!("../serve/tls/key.pem"));
    let (certificate, key) = ("tls/certificate.pem", "tls/key.pem");
    let server = Server::start(&dir, &["--offline", "--tls-cert", certificate, "--tls-key", key]);
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let client = rustls::ClientConnection::new(config, ServerName::try_from("localhost").unwrap()).unwrap();
    let mut stream = rustls::StreamOwned::new(client, TcpStream::connect(&server.address).unwrap());
    let head = "GET /api/collections HTTP/1.1\r\nconnection: close\r\nhost: localhost\r\n";
    write!(stream, "{head}authorization: {}\r\n\r\n", server.bearer()).unwrap();
    let mut answer = Vec::new();
    // The end of a connection may come without a farewell.
    drop(stream.read_to_end(&mut answer));
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("history"), "{answer}");
    // Who speaks plainly hears nothing, and holds nobody up.
    assert_eq!(server.get("/health").status, 0);
    drop(server);
    let refused = |arguments: &[&str], expected: &str| {
        let run = dir.run(&[&["serve", "--offline", "--listen", "127.0.0.1:0"], arguments].concat());
        run.ends_with(2).stderr_has(expected);
    };
    refused(&["--tls-cert", certificate], "--tls-key");
    refused(&["--tls-cert", key, "--tls-key", key], "BEGIN CERTIFICATE");
    refused(&["--tls-cert", certificate, "--tls-key", certificate], "a private key");
    refused(&["--tls-cert", "none.pem", "--tls-key", key], "none.pem cannot be used as a certificate");
}
