//! A server on loopback that answers the calls which the store makes of a Qdrant server, from memory, and fails when it is told to.
//! It stands on the service traits that the client's crate generates, so requests and answers are the real ones on a
//! real connection.
//!
//!
//! It refuses what the real server refuses (`rules.rs`; `RULES.md` lists the rules, and what each rests on). Collections
//! lie in shards that count and search alone, with copies on nodes that can be lost.
//!
//! What it does not prove: that a real server finds what an exact scan finds (it follows a graph), how copies get
//! behind each other and are brought up to date, how long anything takes, and how much memory it needs. For that the same
//! suite runs against a real server where `QDRANT_URL` names one.

mod calls;
mod points;
mod rules;

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use qdrant_client::qdrant::collections_server::CollectionsServer;
use qdrant_client::qdrant::points_server::PointsServer;
use qdrant_client::qdrant::qdrant_server::QdrantServer;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tonic::{Request, Status};

use points::Points;

/// What becomes of a call.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is answered.
    Answer,
    /// It is refused, and nothing is done.
    Refuse(Status),
    /// It is done, and all connections break before the answer.
    DoAndBreak,
    /// All connections break, and nothing is done.
    Break,
    /// It is never answered.
    Hang,
}

/// Decides on each call, by its name and its number.
type Plan = Box<dyn FnMut(&str, usize) -> Fate + Send>;

/// What the calls share.
pub struct Shared {
    points: Mutex<Points>,
    plan: Mutex<Option<Plan>>,
    calls: Mutex<Vec<String>>,
    key: Option<String>,
    version: Mutex<String>,
    connections: Mutex<Vec<std::net::TcpStream>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Servers before 1.15 counted rarities over all points of a shard, also those without the vector.
    fn counts_all(&self) -> bool {
        let version = lock(&self.version);
        let mut numbers = version.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
        (numbers.next(), numbers.next()) < (Some(1), Some(15))
    }

    fn break_connections(&self) {
        for connection in lock(&self.connections).drain(..) {
            // One that is closed already need not be.
            drop(connection.shutdown(std::net::Shutdown::Both));
        }
    }

    /// Checks the key, decides what becomes of a call, and makes it.
    async fn call<Q: rules::Checked, A>(
        &self,
        name: &str,
        request: Request<Q>,
        answer: impl FnOnce(&mut Points, Q) -> Result<A, Status>,
    ) -> Result<tonic::Response<A>, Status> {
        let given = request.metadata().get("api-key").and_then(|key| key.to_str().ok());
        if self.key.is_some() && given != self.key.as_deref() {
            return Err(Status::unauthenticated("Must provide an API key or an Authorization bearer token"));
        }
        let number = {
            let mut calls = lock(&self.calls);
            calls.push(name.to_owned());
            calls.len() - 1
        };
        let fate = lock(&self.plan).as_mut().map_or(Fate::Answer, |plan| plan(name, number));
        let answer = |request: Request<Q>| {
            rules::check(request.get_ref())?;
            answer(&mut lock(&self.points), request.into_inner())
        };
        match fate {
            Fate::Answer => answer(request).map(tonic::Response::new),
            Fate::Refuse(status) => Err(status),
            Fate::DoAndBreak => {
                answer(request)?;
                self.break_connections();
                Err(Status::unavailable("broken"))
            }
            Fate::Break => {
                self.break_connections();
                Err(Status::unavailable("broken"))
            }
            Fate::Hang => std::future::pending().await,
        }
    }
}

/// A server that runs until it is dropped.
pub struct StandIn {
    shared: Arc<Shared>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl StandIn {
    /// Starts an empty server, which wants `key` if there is one.
    pub fn start(key: Option<&str>) -> Self {
        StandIn::with_nodes(1, key)
    }

    /// Starts an empty cluster, of which the first node answers.
    pub fn cluster(nodes: usize) -> Self {
        StandIn::with_nodes(nodes, None)
    }

    fn with_nodes(nodes: usize, key: Option<&str>) -> Self {
        let shared = Shared {
            points: Mutex::new(Points::new(nodes)),
            plan: Mutex::default(),
            calls: Mutex::default(),
            key: key.map(str::to_owned),
            version: Mutex::new("1.15.0".to_owned()),
            connections: Mutex::default(),
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(shared);
        let runtime = Some(serve(&shared, listener));
        StandIn { shared, address, runtime }
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Says what becomes of calls from now on.
    pub fn plan(&self, plan: impl FnMut(&str, usize) -> Fate + Send + 'static) {
        *lock(&self.shared.plan) = Some(Box::new(plan));
        lock(&self.shared.calls).clear();
    }

    /// Answers all calls again.
    pub fn heal(&self) {
        *lock(&self.shared.plan) = None;
    }

    /// The names of the calls since the last [`StandIn::plan`].
    pub fn calls(&self) -> Vec<String> {
        lock(&self.shared.calls).clone()
    }

    /// Loses a node, with the copies that it holds; it is never the one that answers.
    pub fn lose(&self, node: usize) {
        assert!(node > 0, "the first node answers");
        lock(&self.shared.points).lost.insert(node);
    }

    /// What a server says that limits its calls.
    pub fn too_many(seconds: Option<u32>) -> Status {
        let mut status = Status::resource_exhausted(
            "Rate limiting exceeded: Read rate limit exceeded: Operation requires 1 tokens but only 0.0 were available",
        );
        if let Some(seconds) = seconds {
            status.metadata_mut().insert("retry-after", seconds.into());
        }
        status
    }

    /// Says that it is of another version.
    pub fn set_version(&self, version: &str) {
        version.clone_into(&mut lock(&self.shared.version));
    }

    /// Goes away: connections break, and nobody listens.
    pub fn stop(&mut self) {
        self.shared.break_connections();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Comes back where it was, with what it had.
    pub fn restart(&mut self) {
        let listener = TcpListener::bind(self.address).expect("the port is still free");
        self.runtime = Some(serve(&self.shared, listener));
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(shared: &Arc<Shared>, listener: TcpListener) -> Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("threads can be made");
    let server = Arc::clone(shared);
    runtime.spawn(async move {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let accepting = (listener, Arc::clone(&server));
        let incoming = futures::stream::unfold(accepting, |(listener, server)| async move {
            let accepted = accept(&listener, &server).await;
            Some((accepted, (listener, server)))
        });
        let any_size = usize::MAX;
        let calls = calls::Calls(server);
        tonic::transport::Server::builder()
            .add_service(QdrantServer::new(calls.clone()))
            .add_service(CollectionsServer::new(calls.clone()).max_decoding_message_size(any_size))
            .add_service(PointsServer::new(calls).max_decoding_message_size(any_size))
            .serve_with_incoming(Box::pin(incoming))
            .await
            .map_err(std::io::Error::other)
    });
    runtime
}

/// Takes a connection, and keeps a second handle by which it can be broken.
async fn accept(listener: &tokio::net::TcpListener, server: &Shared) -> std::io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let stream = stream.into_std()?;
    lock(&server.connections).push(stream.try_clone()?);
    TcpStream::from_std(stream)
}
