//! A scripted HTTP server on the loopback address that records the requests it receives.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// One reply of the script.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A whole reply with a `Content-Length`.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// A chunked event stream, written in these pieces; if `cut`, it is closed without the last chunk.
    Stream { pieces: Vec<Vec<u8>>, cut: bool },
    /// Accepts the request and sends nothing until the client disconnects.
    Silence,
    /// Sends the head and these bytes, then nothing until the client disconnects.
    Drip(Vec<u8>),
    /// Sends the head, then these bytes over and over until the client disconnects.
    Endless(Vec<u8>),
    /// Sends exactly these bytes.
    Raw(Vec<u8>),
    /// Accepts the request and closes the connection.
    HangUp,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Reply::Whole { status, headers, body: body.to_string() }
    }

    /// Returns a stream of these events' data, one piece per event.
    pub(crate) fn events<S: AsRef<str>>(data: &[S]) -> Self {
        let pieces = data.iter().map(|data| format!("data: {}\n\n", data.as_ref()).into_bytes()).collect();
        Reply::Stream { pieces, cut: false }
    }
}

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) line: String,
    /// The lines of the head, with names in lower case.
    pub(crate) head: Vec<String>,
    pub(crate) body: Value,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Answers each request with the next reply of its script, and with 599 once the script is over.
pub(crate) struct Server {
    address: String,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    pub(crate) fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let script = Arc::new(Mutex::new(script.into_iter()));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&kept));
                thread::spawn(move || {
                    let Some(request) = read_request(&connection) else { return };
                    seen.lock().unwrap().push(request);
                    let over = Reply::Whole { status: 599, headers: vec![], body: "the script is over".to_owned() };
                    let reply = script.lock().unwrap().next().unwrap_or(over);
                    // The client may have disconnected, which some tests want.
                    drop(answer(connection, reply));
                });
            }
        });
        Server { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap().clone()
    }
}

fn read_request(connection: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let line = lines.remove(0);
    let head: Vec<String> = lines
        .iter()
        .map(|line| {
            line.split_once(": ").map_or(line.clone(), |(name, value)| format!("{}: {value}", name.to_lowercase()))
        })
        .collect();
    let length =
        head.iter().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Some(ReceivedRequest { line, head, body })
}

fn answer(mut connection: TcpStream, reply: Reply) -> std::io::Result<()> {
    const STREAM_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    let chunk = |piece: &[u8]| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
    connection.set_nodelay(true)?;
    match reply {
        Reply::Whole { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            connection.write_all(format!("{head}\r\n{body}").as_bytes())?;
        }
        Reply::Stream { pieces, cut } => {
            connection.write_all(STREAM_HEAD)?;
            for piece in pieces {
                connection.write_all(&chunk(&piece))?;
            }
            if !cut {
                connection.write_all(b"0\r\n\r\n")?;
            }
        }
        Reply::Silence => wait_for_the_client_to_go(&connection),
        Reply::Drip(piece) => {
            connection.write_all(STREAM_HEAD)?;
            connection.write_all(&chunk(&piece))?;
            wait_for_the_client_to_go(&connection);
        }
        Reply::Endless(piece) => {
            connection.write_all(STREAM_HEAD)?;
            loop {
                connection.write_all(&chunk(&piece))?;
            }
        }
        Reply::Raw(bytes) => connection.write_all(&bytes)?,
        Reply::HangUp => {}
    }
    connection.shutdown(Shutdown::Write)?;
    wait_for_the_client_to_go(&connection);
    Ok(())
}

/// Reads to the end, which also keeps the system from resetting a connection whose last bytes the client has yet to
/// read.
fn wait_for_the_client_to_go(mut connection: &TcpStream) {
    let mut rest = [0; 512];
    while matches!(connection.read(&mut rest), Ok(read) if read > 0) {}
}
