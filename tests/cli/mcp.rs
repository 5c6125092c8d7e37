//! Tests `deepsearch mcp`: only the protocol on standard output, whatever a client sends.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::harness::{QUESTION, TestDir};
use crate::serve::{Gate, loaded};

/// A client with an open session.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(dir: &TestDir, arguments: &[&str]) -> Self {
        Client::with(dir, &[&["--offline"], arguments].concat(), json!({}))
    }

    /// Starts a client with these `capabilities`.
    fn with(dir: &TestDir, arguments: &[&str], capabilities: Value) -> Self {
        let mut command = dir.run(&[&["mcp"], arguments].concat()).into_command();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, input, output, next: 0 };
        let begun = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": "t", "version": "1"},
            }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "deepsearch", "{begun}");
        client.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        client
    }

    fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// Returns the answer to a request; every line before it must belong to the protocol.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "no answer to {method}");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = answer["result"].clone();
        let content = result["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(content.len(), 1, "{answer}");
        if result["isError"] == false {
            let text: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["structuredContent"]);
        }
        result
    }

    fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes standard input, which ends the program.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn passages_are_found_read_and_researched() {
    let dir = loaded();
    let mut client = Client::start(&dir, &[]);
    let found = client.ok("search", json!({"query": "box office of the film"}));
    let first = &found["results"][0];
    assert!(first["url"].as_str().unwrap().starts_with("file:///"), "{found}");
    let passage = client.ok("fetch", json!({"id": first["id"]}));
    assert!(passage["text"].as_str().unwrap().contains("million"), "{passage}");
    let document = client.ok("fetch", json!({"id": passage["metadata"]["document"]}));
    assert!(document["text"].as_str().unwrap().contains(passage["text"].as_str().unwrap()));

    let begun = client.ok("research_start", json!({"question": QUESTION, "strategy": "naive"}));
    let id = begun["id"].clone();
    while !matches!(client.ok("research_status", json!({"id": id}))["status"].as_str(), Some("completed")) {}
    let result = client.ok("research_result", json!({"id": id}));
    assert!(result["report"].as_str().unwrap().contains("- **Strategy**: naive"), "{result}");
    let cited = client.ok("fetch", json!({"id": result["citations"][0]["id"]}));
    assert!(!cited["text"].as_str().unwrap().is_empty());
    client.end();
}

#[test]
fn nonsense_is_answered_or_passed_over_and_never_ends_the_program() {
    let dir = loaded();
    let mut client = Client::start(&dir, &[]);
    client.send(b"nonsense");
    client.send(b"\xff\xfe{\"jsonrpc\":1}");
    client.send(b"[1, 2]");
    client.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}");
    client.send(&vec![b'x'; 5 << 20]);
    assert!(client.ask("no/such", json!({}))["error"].is_object());
    for id in ["../../etc/passwd", "d1/../d2", "d999999#0", "d", "", "d1#99999", "file:///etc/passwd"] {
        let told = client.refused("fetch", json!({"id": id}));
        assert!(told.contains("hint: search again"), "{told}");
    }
    for id in ["../token", "../../data/served/token", "", "20260101-000000-0000", "."] {
        assert!(client.refused("research_result", json!({"id": id})).contains("there is no run"));
    }
    assert!(client.refused("search", json!({"query": " ?"})).contains("the question is empty"));
    assert!(client.refused("search", json!({"query": "x", "collections": ["histroy"]})).contains("history"));
    assert!(client.refused("search", json!({"query": "x", "colection": "a"})).contains("collections"));
    assert!(client.refused("research_start", json!({"question": "x", "strategy": "magic"})).contains("deep"));
    assert!(client.refused("load", json!({"path": "."})).contains("there is no tool `load`"));
    let read = client.ask("resources/read", json!({"uri": "deepsearch://document/..%2f..%2fx"}));
    assert!(read["error"]["message"].as_str().unwrap().contains("no document"), "{read}");
    client.ok("collections", json!({}));
    assert!(client.refused("verify", json!({"report": "   "})).contains("report"));
    client.end();
}

#[test]
fn a_report_is_verified() {
    let dir = loaded();
    let mut client = Client::start(&dir, &[]);
    dir.run(&["-q", "query", QUESTION, "--offline", "-o", "report.md"]).ends_with(0);
    let written = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    let told = client.ok("verify", json!({"report": written}));
    assert!(told["holds"] == true && told["text"].as_str().unwrap().contains("citation"), "{told}");
    let changed = written.replacen("[1]", "with 4,711 elephants [1]", 1);
    assert_eq!(client.ok("verify", json!({"report": changed}))["holds"], false);
    client.end();
}

#[test]
fn files_are_loaded_from_the_named_folder_alone() {
    let dir = TestDir::new();
    dir.write("work/notes/tea.md", "# Tea\n\nTea is picked by hand in spring.\n");
    dir.write("work/secret.md", "# Secret\n\nNobody may read this.\n");
    let mut client = Client::start(&dir, &["--allow-load", "notes"]);
    assert!(client.refused("load", json!({"path": "../secret.md"})).contains("only files in the folder"));
    assert!(client.refused("load", json!({"path": dir.path("work/secret.md")})).contains("only files in the folder"));
    let loaded = client.ok("load", json!({"path": ".", "collection": "notes"}));
    assert_eq!(loaded["new"], 1, "{loaded}");
    let found = client.ok("search", json!({"query": "Tea in spring"}));
    assert!(found["results"][0]["url"].as_str().unwrap().ends_with("/notes/tea.md"), "{found}");
    client.end();
}

#[test]
fn a_client_that_takes_tasks_gets_the_report_as_one() {
    let dir = loaded();
    let endpoint = Endpoint::start();
    let gate = Gate::default();
    let waits = gate.clone();
    endpoint.at_moment(move |_| waits.wait());
    let settings = endpoint.settings();
    let arguments: Vec<&str> = settings.iter().map(String::as_str).collect();
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::with(&dir, &arguments, capabilities);
    let begin = |client: &mut Client| client.ok("research_start", json!({"question": QUESTION}))["id"].clone();
    let (first, second) = (begin(&mut client), begin(&mut client));
    let call = json!({"name": "research_result", "arguments": {"id": first}});
    let task = client.ask("tools/call", call)["result"].clone();
    assert_eq!((&task["taskId"], &task["status"]), (&first, &json!("working")), "{task}");
    client.ask("tasks/cancel", json!({"taskId": second}));
    gate.open();
    let ended = |client: &mut Client, id: &Value| loop {
        let task = client.ask("tasks/get", json!({"taskId": id}))["result"].clone();
        if task["status"] != "working" {
            return task;
        }
    };
    assert_eq!(ended(&mut client, &second)["status"], "cancelled");
    let task = ended(&mut client, &first);
    let report = task["result"]["structuredContent"]["report"].as_str().unwrap_or_else(|| panic!("{task}"));
    assert!(report.contains("The show changed a lot"), "{report}");
    assert!(client.ask("tasks/get", json!({"taskId": "../token"}))["error"].is_object());
    client.end();
}

#[test]
fn a_client_that_says_nothing_is_no_failure() {
    let dir = TestDir::new();
    dir.run(&["mcp", "--offline"]).ends_with(0).stdout_is("");
    dir.run(&["mcp", "--allow-load", "missing"]).ends_with(2).stderr_has("--allow-load needs a folder");
}
