//! Tests `deepsearch serve` over real connections: the events of runs, and what is left of runs after a kill.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::harness::{QUESTION, TestDir};

/// The example corpus, loaded in a folder that a test may change.
pub fn loaded() -> TestDir {
    let dir = TestDir::with_examples();
    dir.run(&["-q", "load", "examples/simpsons", "--collection-per-dir", "--embedder", "none"]).ends_with(0);
    dir
}

pub struct Server {
    pub child: Child,
    pub address: String,
    pub token: String,
    /// Its standard error up to the line with its address.
    pub said: String,
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
        #[cfg(unix)]
        // SAFETY: `umask` takes a number, cannot fail, and may be called between fork and exec.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut command, || {
                libc::umask(0o022);
                Ok(())
            });
        }
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
        // Drains standard error, so that a full pipe does not block the server.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let token = std::fs::read_to_string(dir.data().join("served/token")).unwrap().trim().to_owned();
        Server { child, address, token, said }
    }

    pub fn offline(dir: &TestDir) -> Self {
        Server::start(dir, &["--offline"])
    }

    /// Sends bytes and reads to the end of the connection.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // A server that refuses a request need not read the rest.
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

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    pub fn bearer(&self) -> String {
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

    /// Reads the run's events until one contains `words`.
    #[cfg(unix)]
    fn wait_for(&self, id: &str, words: &str) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, right) = (&self.address, self.bearer());
        let head = format!("GET /api/runs/{id}/events HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(words)), "the story ended without `{words}`");
    }

    /// The run's first `count` events, read while it is under way.
    fn first_events(&self, id: &str, count: usize) -> Vec<(usize, Value)> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, right) = (&self.address, self.bearer());
        let head = format!("GET /api/runs/{id}/events HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut heard = String::new();
        let mut lines = BufReader::new(stream).lines();
        while heard.matches("\ndata: ").count() < count {
            heard.push_str(&lines.next().unwrap().unwrap());
            heard.push('\n');
        }
        numbered(&(heard + "\n"))
    }

    /// The run's events after number `after` until its end, as number and data.
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

/// The report that the events add up to.
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
fn a_conversation_is_answered_with_links_that_lead_to_the_evidence() {
    let dir = loaded();
    let server = Server::offline(&dir);
    let ask = json!({"model": "deepsearch-naive", "messages": [{"role": "user", "content": QUESTION}]});
    let whole = server.post("/v1/chat/completions", &ask);
    assert_eq!(whole.status, 200, "{}", whole.body);
    let message = whole.json()["choices"][0]["message"].clone();
    let text = message["content"].as_str().unwrap();
    let run = whole.json()["id"].as_str().unwrap().replace("chatcmpl-", "");
    let link = format!("[[1]](http://{}/#run/{run}/1)", server.address);
    assert!(text.contains(&link) && text.contains("## Sources") && !text.contains("<!--"), "{text}");
    let passage = format!("http://{}/#read/d", server.address);
    assert!(message["annotations"][0]["url_citation"]["url"].as_str().unwrap().starts_with(&passage), "{message}");

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
    let again = deltas[0]["id"].as_str().unwrap().replace("chatcmpl-", "");
    let without_times =
        |text: &str| text.lines().filter(|line| !line.contains("**Cost**")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_times(&joined("content").replace(&again, &run)), without_times(text));
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

/// Blocks a model's endpoint until it is opened.
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
    // Prices with so many digits that not every JSON parser returns the dollars unchanged.
    let prices = calm.write("work/prices.toml", "[prices.m]\ninput = 0.1234567\noutput = 0.7654321\n");
    let priced = ["--config", prices.to_str().unwrap()];
    let whole = {
        let server = with_endpoint(&calm, &endpoint, &priced);
        let id = server.ask(QUESTION);
        let events = server.events(&id, 0);
        (events.len(), report(&events), endpoint.take_seen().len())
    };
    assert!(whole.1.contains("The show changed a lot"), "{}", whole.1);
    // In the first call, in the second, and in the middle of the report.
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
        let mut server = with_endpoint(&dir, &endpoint, &priced);
        let id = server.ask(QUESTION);
        reached.wait();
        let seen = usize::try_from(server.get(&format!("/api/runs/{id}")).json()["events"].as_u64().unwrap()).unwrap();
        let heard = server.first_events(&id, seen);
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        gate.open();
        let paid = endpoint.take_seen().len();
        endpoint.at_moment(|_| ());
        let server = with_endpoint(&dir, &endpoint, &priced);
        assert!(server.said.contains("listening"), "{}", server.said);
        let events = server.events(&id, 0);
        let numbers: Vec<usize> = events.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (1..=events.len()).collect::<Vec<_>>());
        assert_eq!(heard, events[..seen], "what was heard before the kill stays so");
        assert_eq!(server.events(&id, seen), events[seen..], "a client that comes back hears the rest");
        let costless = |text: &str| {
            text.lines()
                .filter(|line| !line.contains("**Cost**") && !line.contains("\"written\":"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(costless(&report(&events)), costless(&whole.1), "killed at {moment}");
        let told = |name: &str| events.iter().filter(|(_, data)| data["event"]["event"] == name).count();
        assert_eq!((told("planned"), told("writing"), told("begun")), (1, 1, 1), "killed at {moment}: {events:?}");
        assert_eq!(told("called"), whole.2, "killed at {moment}: {events:?}");
        // Only the interrupted call is made again.
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
