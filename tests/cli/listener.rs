//! A server on the loopback address that keeps everything sent to it, and gives every request the same answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

/// Counts connections and keeps what is sent over them.
pub struct Listener {
    /// Host and port.
    pub address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    /// Starts a listener that refuses in a way that clients do not retry.
    pub fn start() -> Self {
        Self::answering("HTTP/1.1 404 X", "{}")
    }

    /// Starts a listener that answers with this status line (and further header lines) and this body.
    pub fn answering(head: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let reply = format!(
            "{head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (kept, reply) = (Arc::clone(&kept), reply.clone());
                thread::spawn(move || {
                    let mut reader = BufReader::new(&connection);
                    let (mut text, mut length) = (String::new(), 0);
                    loop {
                        let mut line = Vec::new();
                        // Data that is not HTTP ends here, and is kept as a connection without text.
                        if !matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
                            break;
                        }
                        let line = String::from_utf8_lossy(&line).into_owned();
                        if let Some(bytes) = line.to_lowercase().strip_prefix("content-length: ") {
                            length = bytes.trim().parse().unwrap_or(0);
                        }
                        text.push_str(&line);
                        if line.trim_end().is_empty() || text.len() > 65_536 {
                            break;
                        }
                    }
                    let mut body = vec![0; length];
                    // If the body breaks off, only the head is kept.
                    if reader.read_exact(&mut body).is_ok() {
                        text.push_str(&String::from_utf8_lossy(&body));
                    }
                    kept.lock().unwrap().push(text);
                    // The program may have gone.
                    drop((&connection).write_all(reply.as_bytes()));
                });
            }
        });
        Listener { address, seen }
    }

    /// What was sent since the last call of this function.
    pub fn take_seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}
