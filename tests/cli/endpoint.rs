//! A model behind HTTP on the loopback address that records its requests and reports every moment of its replies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Called at each moment of a reply; moments are counted over all requests, from 0.
type AtMoment = dyn Fn(usize) + Send + Sync;

/// Answers plans, reflections and reports by their content, regardless of who asks and how often.
pub struct Endpoint {
    address: String,
    seen: Arc<Mutex<Vec<Value>>>,
    at_moment: Arc<Mutex<(usize, Arc<AtMoment>)>>,
}

impl Endpoint {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let nothing: Arc<AtMoment> = Arc::new(|_| ());
        let endpoint = Endpoint { address, seen: Arc::default(), at_moment: Arc::new(Mutex::new((0, nothing))) };
        let (seen, at_moment) = (Arc::clone(&endpoint.seen), Arc::clone(&endpoint.at_moment));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (seen, at_moment) = (Arc::clone(&seen), Arc::clone(&at_moment));
                thread::spawn(move || {
                    let moment = || {
                        let mut state = at_moment.lock().unwrap();
                        let (now, act) = (state.0, Arc::clone(&state.1));
                        state.0 += 1;
                        drop(state);
                        act(now);
                    };
                    let Some(request) = read_request(&connection) else { return };
                    let reply = reply_to(&request);
                    seen.lock().unwrap().push(request);
                    moment();
                    // The program may have been killed; that is the purpose of some tests.
                    drop(stream(connection, &reply, moment));
                });
            }
        });
        endpoint
    }

    /// The settings that select it.
    pub fn settings(&self) -> Vec<String> {
        let set = ["provider=custom".to_owned(), format!("base_url=http://{}/v1", self.address), "model=m".to_owned()];
        set.into_iter().flat_map(|setting| ["--set".to_owned(), format!("llm.{setting}")]).collect()
    }

    /// The requests since the last call of this function.
    pub fn take_seen(&self) -> Vec<Value> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// The number of requests since they were last taken.
    pub fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// From now on calls `act` at every moment, counted from 0 again.
    pub fn at_moment(&self, act: impl Fn(usize) + Send + Sync + 'static) {
        *self.at_moment.lock().unwrap() = (0, Arc::new(act));
    }
}

/// The number of pieces of a reply. It has moments when the request has arrived, before each piece, and at the end.
pub const PIECES: usize = 4;

fn reply_to(request: &Value) -> String {
    let asked = request["messages"].to_string();
    let query = "What did the film earn?";
    match request["response_format"]["json_schema"]["name"].as_str() {
        Some("plan") => json!({"reason": "Both sides.", "sub_queries": [
            {"query": "When did the show premiere?", "collections": []},
            {"query": "What did critics say?", "collections": []}]})
        .to_string(),
        Some("reflect") if asked.contains(query) => {
            json!({"reason": "All is known.", "helpful": [1], "enough": true, "sub_queries": []}).to_string()
        }
        Some("reflect") => json!({"reason": "The film is missing.", "helpful": [1], "enough": false,
            "sub_queries": [{"query": query, "collections": []}]})
        .to_string(),
        _ => "# Ratings\n\nThe show changed a lot [1]. Critics praised it, and 批評家 did too [2].\n".to_owned(),
    }
}

fn read_request(connection: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(text) = line.strip_prefix("content-length: ") {
            length = text.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn stream(mut connection: TcpStream, reply: &str, moment: impl Fn()) -> std::io::Result<()> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    connection.set_nodelay(true)?;
    connection.write_all(head.as_bytes())?;
    let mut say = |data: &str| {
        let event = format!("data: {data}\n\n");
        connection.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
    };
    let letters: Vec<char> = reply.chars().collect();
    for piece in letters.chunks(letters.len().div_ceil(PIECES)) {
        moment();
        let content: String = piece.iter().collect();
        say(&json!({"model": "m", "choices": [{"index": 0, "delta": {"content": content}}]}).to_string())?;
    }
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": letters.len()});
    say(&json!({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage})
        .to_string())?;
    say("[DONE]")?;
    connection.write_all(b"0\r\n\r\n")?;
    moment();
    // Reading to the end keeps the system from resetting a connection whose last bytes the client has not read yet.
    let mut rest = [0; 512];
    while matches!(connection.read(&mut rest), Ok(read) if read > 0) {}
    Ok(())
}
