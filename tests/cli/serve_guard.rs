//! Tests whom `deepsearch serve` answers, what it refuses, and who may read what it stores.

use std::io::{Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::harness::{QUESTION, TestDir};
use crate::serve::{Server, loaded};

#[test]
fn nobody_without_the_token_learns_anything() {
    let dir = loaded();
    let server = Server::offline(&dir);
    // Standard error may go to a log, so the token is not shown there.
    assert!(
        server.said.contains("a token was made; it is kept in the file served/token")
            && !server.said.contains(&server.token),
        "{}",
        server.said
    );
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
    // With a misspelt field, a search would be wider than intended.
    check("/api/search", "{\"query\": \"x\", \"colections\": [\"history\"]}", 400, "unknown field `colections`");
    check("/api/plan", "{\"question\": \"x\", \"stategy\": \"deep\"}", 400, "unknown field `stategy`");
    check("/api/runs", "{\"question\": \"x\", \"plan\": [{\"query\": \"y\", \"in\": []}]}", 400, "unknown field `in`");
    let plan = "{\"question\": \"x\", \"plan\": [{\"query\": \"y\", \"collections\": [\"histroy\"]}]}";
    check("/api/runs", plan, 404, "histroy");
    check("/api/verify", "{\"report\": \"x\", \"files\": []}", 400, "unknown field `files`");
    check("/api/search", "{\"query\": \"x\", \"k\": 0}", 400, "k is 0");
    check("/api/search", "{\"query\": \"x\", \"k\": 101}", 400, "from 1 to 100");
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
    for (path, told) in [
        ("/api/read", "missing field `id`"),
        ("/api/runs/x/events?after=y", "invalid digit"),
        ("/api/collections/%ff", "Invalid UTF-8"),
    ] {
        let reply = server.get(path);
        let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(reply.status == 400 && message.contains(told), "{path} {message}");
    }
    // A content length beside chunked encoding is used to hide one request in another.
    let smuggled = format!(
        "POST /api/search HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\ncontent-length: 6\r\ntransfer-encoding: \
         chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    );
    let reply = server.raw(smuggled.as_bytes());
    assert!(!reply.body.contains("deepsearch-react"), "{}", reply.body);
    let twice = format!("GET /health HTTP/1.1\r\nhost: {host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
    assert_eq!(server.raw(twice.as_bytes()).status, 400);
    // A target that names a host must name the one in the host header.
    for (target, status) in [
        (format!("http://{host}/v1/models"), 200),
        ("http://evil.example/v1/models".to_owned(), 400),
        (format!("http://me@{host}/v1/models"), 400),
        ("http://localhost/v1/models".to_owned(), 400),
    ] {
        let head =
            format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nauthorization: {right}\r\nconnection: close\r\n\r\n");
        assert_eq!(server.raw(head.as_bytes()).status, status, "{target}");
    }
    let mcp = |kind: &str, body: &str| {
        let accept = ("accept", "application/json, text/event-stream");
        server.request("POST", "/mcp", &[&headers[..], &[accept, ("content-type", kind)]].concat(), body)
    };
    for (body, code) in [("{", -32700), ("\u{0}", -32700), ("[]", -32600), ("{\"jsonrpc\": \"1.0\"}", -32600)] {
        let reply = mcp("application/json; charset=utf-8", body);
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(code)), "{body}: {}", reply.body);
    }
    assert_eq!(mcp("text/plain", "{}").status, 415);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let pinged = mcp("application/json", &ping);
    assert_eq!(pinged.status, 200, "{}", pinged.body);
    assert_eq!(server.raw(b"\x16\x03\x01 no http\r\n\r\n").status, 400);
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn a_narrow_token_sees_its_collections_and_its_runs_alone() {
    let dir = loaded();
    let first = Server::offline(&dir);
    let id = first.ask(QUESTION);
    first.events(&id, 0);
    drop(first);
    let path = dir.data().join("served/tokens.toml");
    // One of these collections is not loaded yet.
    std::fs::write(
        &path,
        "[[token]]\nname = \"team\"\ntoken = \"team-token-0123456789\"\ncollections = [\"history\", \"audiences\"]\n\
         runs_a_day = 2\n",
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
    for missing in ["audience", "audiences"] {
        let refused = [
            server.post("/api/search", &json!({"query": "x", "collections": [missing]})),
            server.post("/api/runs", &json!({"question": "x?", "collections": [missing]})),
            server.post("/api/verify", &json!({"report": "# x", "collections": [missing]})),
            server.get(&format!("/api/collections/{missing}")),
        ];
        for refused in refused {
            let told = refused.body.replace(&format!("`{missing}`"), "");
            assert!(refused.status == 404 && !told.contains("audience"), "{told}");
        }
    }
    assert_eq!(server.get(&format!("/api/runs/{id}")).status, 404);
    assert_eq!(server.get("/api/runs").json()["runs"], json!([]));
    let own = server.ask("How did the critics change?");
    server.events(&own, 0);
    let report = server.get(&format!("/api/runs/{own}")).json()["report"].clone();
    let cited = report["citations"].as_array().unwrap();
    assert!(cited.iter().all(|one| one["collection"] == "history"), "{cited:?}");
    assert_eq!(server.get("/api/runs").json()["runs"].as_array().unwrap().len(), 1);
    assert_eq!(server.post("/api/runs", &json!({"question": "And then?", "follows": id})).status, 404);
    assert_eq!(server.get("/api/memory").status, 403);
    // A plan does not widen the token's rights.
    let begin = |plan| server.post("/api/runs", &json!({"question": "What did it earn?", "plan": plan}));
    assert_eq!(begin(json!([{"query": "box office", "collections": ["audience"]}])).status, 404);
    let planned = begin(json!([{"query": "box office"}])).json();
    let planned = planned["id"].as_str().unwrap();
    server.events(planned, 0);
    let report = server.get(&format!("/api/runs/{planned}")).json()["report"].clone();
    let found = report["found"].as_array().unwrap();
    assert!(found.iter().all(|one| one["collection"] == "history"), "{found:?}");
    // Two runs were begun; the refused one does not count.
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
    // The connection may end without a TLS close notification.
    drop(stream.read_to_end(&mut answer));
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("history"), "{answer}");
    // A client that does not speak TLS gets no answer, and blocks nobody.
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

#[cfg(unix)]
#[test]
fn what_a_server_keeps_is_its_owners_alone() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let dir = TestDir::with_examples();
    let (data, served) = (dir.data(), dir.data().join("served"));
    let mode = |path: &Path| metadata(path).unwrap().permissions().mode() & 0o777;
    let server = Server::offline(&dir);
    assert_eq!((mode(&data), mode(&served), mode(&served.join("token"))), (0o700, 0o700, 0o600));
    drop(server);
    dir.run(&["-q", "load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    let server = Server::offline(&dir);
    let id = server.ask(QUESTION);
    server.events(&id, 0);
    let run = served.join(format!("{id}.jsonl"));
    assert_eq!((mode(&data), mode(&served), mode(&run)), (0o700, 0o700, 0o600));
    drop(server);
    // Permissions as an earlier version left them.
    let tokens = dir.write("data/served/tokens.toml", "");
    for (path, mode) in [(&data, 0o755), (&served, 0o755), (&run, 0o644), (&tokens, 0o644)] {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    // Others may have read the tokens already, so the server refuses to start instead of only tightening the
    // permissions.
    let start = ["serve", "--offline", "--listen", "127.0.0.1:0"];
    dir.run(&start).ends_with(1).stderr_has("chmod 600");
    assert_eq!((mode(&data), mode(&served), mode(&run), mode(&tokens)), (0o700, 0o700, 0o600, 0o644));
}

#[test]
fn on_a_taken_port_nothing_is_begun() {
    let dir = loaded();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = dir.run(&["serve", "--offline", "--listen", &address]);
    run.ends_with(1).stderr_has(&format!("cannot serve on {address}"));
    // No token is created, as nobody would be shown it.
    assert!(!dir.data().join("served").exists());
}
