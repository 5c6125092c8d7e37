//! Tests a server under many clients: each client has its own connection and takes its turn at searching, so that all
//! clients together make a given number of searches a second.
//!
//! ```text
//! deepsearch serve --listen 127.0.0.1:7433
//! cargo run --release --example load_test -- 127.0.0.1:7433 TOKEN QUERIES.txt 200 100 60
//! ```
//!
//! The numbers are the clients, the searches a second, and the seconds. Each search is due at a fixed time, whether or
//! not the earlier ones were answered, and its duration counts from that time, so that a server that falls behind
//! shows. `QUERIES.txt` has one query per line.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The settings that all clients share.
struct Load {
    address: String,
    token: String,
    queries: Vec<String>,
    clients: usize,
    /// The time between two searches.
    step: Duration,
    searches: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, token, queries, clients, rate, seconds] = arguments.as_slice() else {
        return Err("usage: load_test ADDRESS TOKEN QUERIES CLIENTS RATE SECONDS".into());
    };
    let queries: Vec<String> = std::fs::read_to_string(queries)?.lines().map(str::to_owned).collect();
    let (rate, seconds): (f64, f64) = (rate.parse()?, seconds.parse()?);
    if queries.is_empty() || rate <= 0.0 {
        return Err("there must be a query, and a rate above 0".into());
    }
    let load = Arc::new(Load {
        address: address.clone(),
        token: token.clone(),
        queries,
        clients: clients.parse::<usize>()?.max(1),
        step: Duration::from_secs_f64(1.0 / rate),
        searches: (rate * seconds) as usize,
    });
    // All connections are open before the first search.
    let mut connections = Vec::new();
    for _ in 0..load.clients {
        connections.push(BufReader::new(TcpStream::connect(&load.address).await?));
    }
    let start = Instant::now();
    let clients: Vec<_> = connections
        .into_iter()
        .enumerate()
        .map(|(client, connection)| tokio::spawn(search_in_turn(Arc::clone(&load), client, connection, start)))
        .collect();
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    for client in clients {
        for outcome in client.await? {
            match outcome {
                Ok(time) => times.push(time),
                Err(error) => errors.push(error),
            }
        }
    }
    let took = start.elapsed().as_secs_f64();
    times.sort();
    let at = |part: f64| {
        let place = ((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, Duration::as_secs_f64) * 1e3
    };
    println!(
        "{} clients, {} answers in {took:.1} s ({:.1} a second), {} errors",
        load.clients,
        times.len(),
        times.len() as f64 / took,
        errors.len()
    );
    println!("p50 {:.0} ms, p95 {:.0} ms, p99 {:.0} ms, longest {:.0} ms", at(0.5), at(0.95), at(0.99), at(1.0));
    for error in errors.iter().take(3) {
        println!("error: {error}");
    }
    if errors.is_empty() { Ok(()) } else { Err(format!("{} searches failed", errors.len()).into()) }
}

/// Makes the searches of one client. Each duration counts from the moment when the search was due.
async fn search_in_turn(
    load: Arc<Load>,
    client: usize,
    mut connection: BufReader<TcpStream>,
    start: Instant,
) -> Vec<Outcome<Duration>> {
    let mut outcomes = Vec::new();
    for search in (client..load.searches).step_by(load.clients) {
        let due = start + load.step * search as u32;
        tokio::time::sleep_until(due.into()).await;
        let answered = search_once(&load, &mut connection, &load.queries[search % load.queries.len()]).await;
        let broken = answered.is_err();
        outcomes.push(answered.map(|()| due.elapsed()));
        if broken {
            // The rest of the data on the connection belongs to no answer.
            match TcpStream::connect(&load.address).await {
                Ok(another) => connection = BufReader::new(another),
                Err(error) => {
                    outcomes.push(Err(error.into()));
                    break;
                }
            }
        }
    }
    outcomes
}

async fn search_once(load: &Load, connection: &mut BufReader<TcpStream>, query: &str) -> Outcome<()> {
    let body = serde_json::json!({ "query": query }).to_string();
    let request = format!(
        "POST /api/search HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
        load.address,
        load.token,
        body.len()
    );
    connection.write_all(request.as_bytes()).await?;
    let (mut status, mut length) = (String::new(), 0);
    connection.read_line(&mut status).await?;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).await? == 0 {
            return Err(format!("the connection was closed after {status:?}").into());
        }
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer).await?;
    let answer = String::from_utf8(answer)?;
    let good = status.contains(" 200 ") && answer.starts_with("{\"results\":[{");
    if good { Ok(()) } else { Err(format!("{} {answer}", status.trim()).into()) }
}
