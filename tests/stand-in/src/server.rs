//! The server as a test holds it: start, script, watch, stop, resume.

use crate::log::lock;
use crate::ollama::Ollama;
use crate::{Answer, Call, Card, connection};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{self, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Chooses models before the server starts.
#[derive(Debug)]
pub struct Builder {
    cards: Vec<Card>,
}

impl Builder {
    /// The installed models, in the order of `/api/tags`; `llama3` and `mistral` by default.
    #[must_use]
    pub fn models(self, cards: impl IntoIterator<Item = Card>) -> Self {
        let cards = cards.into_iter().collect();
        Self { cards }
    }

    /// Starts the server; it listens when this returns.
    pub fn start(self) -> StandIn {
        let ollama = Arc::new(Ollama::new(self.cards));
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("stand-in")
            .enable_all()
            .build()
            .expect("the system gives two threads");
        let socket = bind(SocketAddr::from(([127, 0, 0, 1], 0)));
        let address = socket.local_addr().expect("a bound socket has an address");
        let door = Mutex::new(Door {
            reserved: Some(socket),
            serving: None,
        });
        let handle = runtime.handle().clone();
        let server = StandIn {
            ollama,
            address,
            door,
            handle,
            runtime: Some(runtime),
        };
        server.resume();
        server
    }
}

/// A running server, on threads of its own until it is dropped.
///
/// Its methods block; in a tokio test whose client shares the thread, wait in `spawn_blocking`.
pub struct StandIn {
    ollama: Arc<Ollama>,
    address: SocketAddr,
    door: Mutex<Door>,
    handle: Handle,
    /// There until dropped.
    runtime: Option<Runtime>,
}

/// Open while serving; otherwise a socket that is bound but does not listen keeps the port.
struct Door {
    serving: Option<Serving>,
    reserved: Option<TcpSocket>,
}

struct Serving {
    stop: oneshot::Sender<()>,
    /// Disconnected once the listener and all connections are gone.
    stopped: mpsc::Receiver<()>,
}

/// Life.
impl StandIn {
    /// A server with the default models and behaviour.
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// A server to be described first.
    pub fn builder() -> Builder {
        Builder {
            cards: vec![Card::new("llama3"), Card::new("mistral")],
        }
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Scripting.
impl StandIn {
    /// Sets what answers chats with messages, from now on; it may block.
    pub fn script(&self, script: impl Fn(&Call) -> Answer + Send + Sync + 'static) {
        *lock(&self.ollama.script) = Arc::new(script);
    }

    /// Sets what is asked first about every request, whatever its path; none means "as usual".
    pub fn intercept(&self, hook: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) {
        *lock(&self.ollama.intercept) = Arc::new(hook);
    }

    /// Goes away: drops the listener, all connections and loaded models; connects are refused.
    pub fn stop(&self) {
        let mut door = lock(&self.door);
        if let Some(serving) = door.serving.take() {
            // Bound before the other is closed, so that nobody else gets the port in between.
            door.reserved = Some(bind(self.address));
            serving.end();
            self.ollama.loaded.clear();
        }
    }

    /// Comes back on the same port.
    pub fn resume(&self) {
        let mut door = lock(&self.door);
        if let Some(socket) = door.reserved.take() {
            door.serving = Some(self.serve(socket));
        }
    }

    fn serve(&self, socket: TcpSocket) -> Serving {
        let _inside = self.handle.enter();
        let listener = socket
            .listen(1024)
            .expect("nobody else listens on our port");
        let (stop, stopping) = oneshot::channel();
        let (running, stopped) = mpsc::channel();
        self.handle
            .spawn(accept(listener, self.ollama.clone(), stopping, running));
        Serving { stop, stopped }
    }
}

/// Watching.
impl StandIn {
    /// All requests so far, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.ollama.log.calls()
    }

    /// The chats with messages among them.
    pub fn chats(&self) -> Vec<Call> {
        self.calls().into_iter().filter(Call::is_chat).collect()
    }

    /// Blocks until `n` requests have arrived.
    pub fn wait_for(&self, n: usize) {
        self.wait_until(|calls| calls.len() >= n);
    }

    /// Blocks until `n` chats with messages have arrived.
    pub fn wait_for_chats(&self, n: usize) {
        self.wait_until(|calls| calls.iter().filter(|call| call.is_chat()).count() >= n);
    }

    /// Blocks until the log satisfies `condition`; after 60 seconds panics with the log.
    /// The log is locked meanwhile: `condition` must not ask the server for it.
    pub fn wait_until(&self, condition: impl Fn(&[Call]) -> bool) {
        self.ollama.log.wait_until(condition);
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        if let Some(serving) = lock(&self.door).serving.take() {
            serving.end();
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Serving {
    /// Returns when all sockets are closed, or after 5 seconds if a script blocks.
    fn end(self) {
        drop(self.stop);
        self.stopped.recv_timeout(Duration::from_secs(5)).ok();
    }
}

fn bind(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("the system gives a socket");
    socket
        .set_reuseaddr(true)
        .expect("a new socket takes options");
    #[cfg(unix)]
    socket
        .set_reuseport(true)
        .expect("a new socket takes options");
    socket
        .bind(address)
        .expect("the port is free or was ours until now");
    socket
}

/// Serves connections until `stop` is dropped; `_running` goes when they are gone.
async fn accept(
    listener: TcpListener,
    ollama: Arc<Ollama>,
    stop: oneshot::Receiver<()>,
    _running: mpsc::Sender<()>,
) {
    let mut connections = JoinSet::new();
    let accepting = async {
        loop {
            if let Ok((stream, _)) = listener.accept().await {
                let ollama = ollama.clone();
                connections.spawn(async move { connection::serve(stream, &ollama).await });
            }
            while connections.try_join_next().is_some() {}
        }
    };
    tokio::select! {
        _ = stop => {}
        () = accepting => {}
    }
    drop(listener);
    connections.shutdown().await;
}
