//! Connections: their number, their time limits, and how they are closed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

use super::guard::Guarded;
use super::metrics::Metrics;
use super::routes::router;
use super::tls::Tls;
use super::tokens::Tokens;
use super::{HttpOptions, Parts, Server};
use crate::serve::{Desk, Library, McpServer};

/// The maximum number of open connections; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 4096;
/// The time limit for the head of a request, also on a reused connection.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The maximum size of the head of a request.
const HEAD_BYTES: usize = 32 * 1024;
/// The time after which a client that does not read its response is dropped.
const WRITE_TIME: Duration = Duration::from_secs(60);
/// The time limit for open responses to end when the server stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// Answers all connections to `listener` until `stop` is cancelled.
pub async fn serve(
    listener: TcpListener,
    library: Library,
    desk: Arc<Desk>,
    tokens: Tokens,
    options: HttpOptions,
    stop: CancellationToken,
) {
    let base = options.base();
    let guarded = Guarded::new(tokens, &options);
    let mcp = McpServer::new(library.clone(), Arc::clone(&desk), options.load_from);
    let server = Server(Arc::new(Parts { library, desk, guarded, metrics: Metrics::new(), base, stop: stop.clone() }));
    let router = router(server.clone(), mcp);
    accept(&listener, &router, &server, options.tls.as_ref(), &stop).await;
}

async fn accept(listener: &TcpListener, router: &Router, server: &Server, tls: Option<&Tls>, stop: &CancellationToken) {
    let (places, mut open) = (Arc::new(Semaphore::new(MAX_CONNECTIONS)), JoinSet::new());
    loop {
        let next = async {
            // The semaphore is never closed.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = stop.cancelled() => break,
            next = next => next,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Usually too many files are open, and a moment later there are fewer.
                tracing::warn!("a connection cannot be accepted: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Removes connections that have ended.
        while open.try_join_next().is_some() {}
        let (router, server, tls, stop) = (router.clone(), server.clone(), tls.cloned(), stop.clone());
        open.spawn(async move {
            server.0.metrics.connections.fetch_add(1, Ordering::Relaxed);
            answer(stream, tls, router, &stop).await;
            server.0.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
    // A client that does not read the end of its response in time loses it.
    drop(tokio::time::timeout(FAREWELL, async { while open.join_next().await.is_some() {} }).await);
}

async fn answer(stream: TcpStream, tls: Option<Tls>, router: Router, stop: &CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("a connection is slower than it need be: {error}");
    }
    let stream = Impatient::new(stream);
    let Some(Tls(acceptor)) = tls else { return converse(stream, router, stop).await };
    // The handshake comes before any request, so it gets the same time limit as the head of one.
    match tokio::time::timeout(HEAD_TIME, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => converse(stream, router, stop).await,
        Ok(Err(error)) => tracing::debug!("a connection that is not TLS: {error}"),
        Err(_) => tracing::debug!("a connection that does not say what it wants"),
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    stop: &CancellationToken,
) {
    let io = TokioIo::new(stream);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(io, TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection broke: {error}");
    }
}

/// A connection that fails if the other end does not read for too long.
struct Impatient {
    stream: TcpStream,
    /// Runs while a write is pending.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream) -> Self {
        Impatient { stream, patience: None }
    }

    fn watch<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.patience = None;
            return polled;
        }
        let patience =
            self.patience.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + WRITE_TIME)));
        match patience.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, polled)
    }
}
