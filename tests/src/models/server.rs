//! The server: real sockets on 127.0.0.1, a queue of plans, and what it was asked.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::serve::ListenerExt as _;
use futures_util::stream;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use super::doors;
use super::plan::{ENDLESS, End, Plan, Wait};
use super::{Protocol, Said};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The protocol of its path, if it has one.
    pub protocol: Option<Protocol>,
    /// `POST`, as it should be.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body; a string if it is no JSON.
    pub body: Value,
    /// When it was there as a whole.
    pub at: Instant,
    /// How many bytes of the answer's body were given to the connection.
    pub sent: u64,
    /// When the client closed the connection before the answer was complete.
    pub gone: Option<Instant>,
}

impl Recorded {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

/// A server. It runs in a thread of its own, so tests may block, and it ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one that takes any key.
    pub fn start() -> Self {
        Self::launch(None)
    }

    /// Starts one that takes only this key.
    pub fn with_key(key: &str) -> Self {
        Self::launch(Some(key.to_owned()))
    }

    fn launch(key: Option<String>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("the socket is ours");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared { key, kept: Mutex::default(), changed: watch::Sender::new(()) });
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve(listener, served, stopped));
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT`.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for settings, with the version: a client adds `/messages`, `/chat/completions`, `/responses`, or
    /// `/models/ID:streamGenerateContent`.
    pub fn base_url(&self, protocol: Protocol) -> String {
        let version = if protocol == Protocol::Gemini { "v1beta" } else { "v1" };
        format!("{}/{version}", self.root())
    }

    /// Puts a plan at the end of the queue. Requests that the server refuses itself, or that ask for the list of models,
    /// take none.
    pub fn push(&self, plan: Plan) {
        self.shared.kept().queue.push_back(plan);
    }

    /// Puts an answer at the end of the queue.
    pub fn say(&self, protocol: Protocol, said: &Said) {
        self.push(Plan::whole(protocol, said));
    }

    /// What is answered when the queue is empty. Without it, a short text.
    pub fn always(&self, plan: Plan) {
        self.shared.kept().always = Some(plan);
    }

    /// How many plans are left.
    pub fn left(&self) -> usize {
        self.shared.kept().queue.len()
    }

    /// All requests so far, those too that were refused.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.kept().requests.clone()
    }

    /// The body of a request, from 0.
    pub fn body(&self, request: usize) -> Value {
        self.shared.kept().requests[request].body.clone()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, requests: usize) {
        self.until(|kept| (kept.requests.len() >= requests).then_some(())).await;
    }

    /// Waits until so much of the body of the answer to a request was sent.
    pub async fn sent(&self, request: usize, bytes: u64) {
        self.until(|kept| (kept.requests.get(request)?.sent >= bytes).then_some(())).await;
    }

    /// Waits until the client has closed the connection of a request whose answer is not complete. Gives when it did.
    pub async fn gone(&self, request: usize) -> Instant {
        self.until(|kept| kept.requests.get(request)?.gone).await
    }

    async fn until<T>(&self, ready: impl Fn(&Kept) -> Option<T>) -> T {
        let mut changes = self.shared.changed.subscribe();
        loop {
            if let Some(found) = ready(&self.shared.kept()) {
                return found;
            }
            changes.changed().await.expect("the server is there");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            // A second panic would hide the first.
            assert!(ended.is_ok() || std::thread::panicking(), "the server failed");
        }
    }
}

struct Shared {
    key: Option<String>,
    kept: Mutex<Kept>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Kept {
    queue: VecDeque<Plan>,
    always: Option<Plan>,
    requests: Vec<Recorded>,
}

impl Kept {
    /// The plan for the next request.
    fn next(&mut self, protocol: Protocol) -> Plan {
        let plan = self.queue.pop_front().or_else(|| self.always.clone());
        plan.unwrap_or_else(|| Plan::whole(protocol, &Said::text("That is all.")))
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        let changed = change(&mut self.kept());
        self.changed.send_replace(());
        changed
    }
}

fn serve(listener: std::net::TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).expect("the socket is ready").tap_io(|socket| {
            // A piece leaves when it is written.
            let _sooner = socket.set_nodelay(true);
        });
        let router = Router::new().fallback(answer).with_state(shared);
        tokio::select! {
            served = async { axum::serve(listener, router).await } => served.expect("it serves"),
            _ = stopped => {}
        }
    });
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let body = to_bytes(body, 256 << 20).await.unwrap_or_default();
    let recorded = Recorded {
        protocol: Protocol::at(&path),
        method: head.method.to_string(),
        path,
        headers: headers(&head.headers),
        body: serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into()),
        at: Instant::now(),
        sent: 0,
        gone: None,
    };
    let key = shared.key.as_deref();
    let at_the_door = doors::lists(&recorded, key).or_else(|| doors::refuses(&recorded, key));
    let protocol = recorded.protocol.unwrap_or(Protocol::Chat);
    let (plan, request) = shared.change(|kept| {
        kept.requests.push(recorded);
        (at_the_door.unwrap_or_else(|| kept.next(protocol)), kept.requests.len() - 1)
    });
    played(plan, Connection { shared, request, complete: false }).await
}

fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}

/// The connection of a request whose answer is under way. It is dropped when the client closes it.
struct Connection {
    shared: Arc<Shared>,
    request: usize,
    complete: bool,
}

impl Connection {
    fn sent(&self, bytes: usize) {
        self.shared.change(|kept| kept.requests[self.request].sent += bytes as u64);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.complete {
            self.shared.change(|kept| kept.requests[self.request].gone = Some(Instant::now()));
        }
    }
}

async fn played(plan: Plan, connection: Connection) -> Response {
    match plan.wait {
        Wait::No => {}
        Wait::For(wait) => tokio::time::sleep(wait).await,
        Wait::Forever => pending().await,
    }
    let mut response = Response::builder().status(plan.status);
    for (name, value) in &plan.headers {
        response = response.header(name, value);
    }
    let sending = Sending { pieces: plan.pieces.into(), end: plan.end, endless: 0, connection };
    let body = stream::unfold(sending, |mut sending| async {
        let piece = sending.next().await?;
        Some((piece, sending))
    });
    response.body(Body::from_stream(body)).expect("the plan's head is HTTP")
}

/// A body under way.
struct Sending {
    pieces: VecDeque<(Duration, Bytes)>,
    end: End,
    endless: u64,
    connection: Connection,
}

impl Sending {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if let Some((delay, piece)) = self.pieces.pop_front() {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            self.connection.sent(piece.len());
            return Some(Ok(piece));
        }
        match &self.end {
            End::Clean => {}
            End::Cut => {
                // What was sent has to leave before the connection does.
                tokio::time::sleep(Duration::from_millis(20)).await;
                self.connection.complete = true;
                return Some(Err(io::Error::other("cut")));
            }
            End::Hang => pending().await,
            End::Endless(_) if self.endless >= ENDLESS => {}
            End::Endless(piece) => {
                self.endless += piece.len() as u64;
                self.connection.sent(piece.len());
                return Some(Ok(piece.clone()));
            }
        }
        self.connection.complete = true;
        None
    }
}
