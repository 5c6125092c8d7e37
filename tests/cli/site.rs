//! A web site on the loopback address, full of traps. Its pages are generated from their paths, so it has no end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The site's answer to a request.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

/// The body of an answer.
pub enum Body {
    Whole(Vec<u8>),
    /// A piece repeated for as long as the client accepts it, optionally announced as ten thousand million bytes.
    Endless {
        piece: Vec<u8>,
        announced: bool,
    },
    /// These bytes, then nothing until the client disconnects.
    Drip(Vec<u8>),
}

impl Answer {
    pub fn html(body: &str) -> Self {
        Answer { status: 200, headers: vec![], body: Body::Whole(body.as_bytes().to_vec()) }
            .with("content-type", "text/html; charset=utf-8")
    }

    /// A page with a title, a paragraph and links.
    pub fn page(title: &str, links: &[&str]) -> Self {
        Answer::html(&page(title, links))
    }

    pub fn status(status: u16) -> Self {
        Answer { status, headers: vec![], body: Body::Whole(format!("status {status}").into_bytes()) }
    }

    pub fn redirect(to: &str) -> Self {
        Answer::status(302).with("location", to)
    }

    pub fn bytes(content_type: &str, body: &[u8]) -> Self {
        Answer { status: 200, headers: vec![], body: Body::Whole(body.to_vec()) }.with("content-type", content_type)
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// The source of [`Answer::page`].
pub fn page(title: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">to {link}</a></li>")).collect();
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body><nav><ul>{links}</ul></nav>\
         <main><h1>{title}</h1><p>This page is about {title}, and about nothing else but {title}.</p></main></body></html>"
    )
}

/// A request as the site saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Path and query.
    pub path: String,
    /// The header lines, with names in lower case.
    pub head: Vec<String>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A site that answers until the test is over.
pub struct Site {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let Some(request) = read_request(&connection) else { return };
                    seen.lock().unwrap().push(request.clone());
                    // The client may disconnect at any time; some tests rely on that.
                    drop(write(connection, answer(&request)));
                });
            }
        });
        Site { url, asked }
    }

    /// The paths asked for since the last call, sorted.
    pub fn asked(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.requests().into_iter().map(|asked| asked.path).collect();
        paths.sort();
        paths
    }

    /// The requests since the last call.
    pub fn requests(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn read_request(connection: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(connection).lines();
    let first = lines.next()?.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let head = lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .map(|line| {
            line.split_once(": ").map_or(line.clone(), |(name, value)| format!("{}: {value}", name.to_lowercase()))
        })
        .collect();
    Some(Asked { path, head })
}

fn write(mut connection: TcpStream, answer: Answer) -> std::io::Result<()> {
    let length = match &answer.body {
        Body::Whole(body) => Some(body.len() as u64),
        Body::Endless { announced: true, .. } => Some(10_000_000_000),
        Body::Endless { .. } | Body::Drip(_) => None,
    };
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", answer.status);
    for (name, value) in
        answer.headers.into_iter().chain(length.map(|length| ("content-length".into(), length.to_string())))
    {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    connection.write_all(format!("{head}\r\n").as_bytes())?;
    match answer.body {
        Body::Whole(body) => connection.write_all(&body)?,
        Body::Endless { piece, .. } => loop {
            connection.write_all(&piece)?;
        },
        Body::Drip(piece) => {
            connection.write_all(&piece)?;
            wait_for_the_client_to_go(&connection);
        }
    }
    connection.shutdown(Shutdown::Write)?;
    wait_for_the_client_to_go(&connection);
    Ok(())
}

fn wait_for_the_client_to_go(mut connection: &TcpStream) {
    let mut rest = [0; 512];
    while matches!(connection.read(&mut rest), Ok(read) if read > 0) {}
}
