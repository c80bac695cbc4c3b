//! The server as a test holds it: start, script, watch, stop, resume.

use crate::call::Naming;
use crate::log::lock;
use crate::ollama::{Ollama, Settings};
use crate::{Answer, Call, Card, Machine, Served, connection};
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{self, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// How long is waited for sockets to close.
const PATIENCE: Duration = Duration::from_secs(60);

/// Chooses models and behaviour before the server starts.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    settings: Settings,
    port: u16,
}

impl Builder {
    fn new() -> Self {
        let settings = Settings {
            installed: vec![Card::new("llama3"), Card::new("mistral")],
            pullable: Vec::new(),
            machine: Machine::unlimited(),
            reply: Answer::shaped(),
            checks_host: false,
            keeps_log: true,
            log_file: None,
        };
        Self { settings, port: 0 }
    }

    /// The installed models, in the order of `/api/tags`; `llama3` and `mistral` by default.
    pub fn models(mut self, cards: impl IntoIterator<Item = Card>) -> Self {
        self.settings.installed = cards.into_iter().collect();
        self
    }

    /// The models that `/api/pull` can get; none by default.
    pub fn pullable(mut self, cards: impl IntoIterator<Item = Card>) -> Self {
        self.settings.pullable = cards.into_iter().collect();
        self
    }

    /// The machine it runs on: slots, loads, memory, times. By default one without limits on which time stands.
    pub fn machine(mut self, machine: Machine) -> Self {
        self.settings.machine = machine;
        self
    }

    /// What answers as long as there is no script; [`Answer::shaped`] by default.
    pub fn reply(mut self, reply: Answer) -> Self {
        self.settings.reply = reply;
        self
    }

    /// Refuses hosts that are neither this machine nor its network with 403, as Ollama does when bound to loopback.
    pub fn check_host(mut self) -> Self {
        self.settings.checks_host = true;
        self
    }

    /// Keeps no log, so that memory stays flat: `calls` and `served` stay empty, `attempt_of_same_body` stays 1.
    pub fn without_log(mut self) -> Self {
        self.settings.keeps_log = false;
        self
    }

    /// Writes what became of each request that needed a model to `file`, one JSON line when it ends.
    pub fn log_to(mut self, file: File) -> Self {
        self.settings.log_file = Some(file);
        self
    }

    /// The port of 127.0.0.1; by default one that is free.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Starts the server; it listens when this returns.
    pub fn start(self) -> MockOllama {
        let ollama = Arc::new(Ollama::new(self.settings));
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("mock-ollama")
            .enable_all()
            .build()
            .expect("the system gives two threads");
        let socket = bind(SocketAddr::from(([127, 0, 0, 1], self.port)));
        let address = socket.local_addr().expect("a bound socket has an address");
        let door = Mutex::new(Door { reserved: Some(socket), serving: None });
        let handle = runtime.handle().clone();
        let server = MockOllama { ollama, address, door, handle, runtime: Some(runtime) };
        server.resume();
        server
    }
}

/// A running server, on threads of its own until it is dropped.
///
/// Its methods block; in a tokio test whose client shares the thread, wait in `spawn_blocking`.
pub struct MockOllama {
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
    /// There until the listener is told to go.
    listening: Option<oneshot::Sender<()>>,
    /// Disconnected once the listener is gone.
    unheard: mpsc::Receiver<()>,
    stop: oneshot::Sender<()>,
    /// Disconnected once the listener and all connections are gone.
    stopped: mpsc::Receiver<()>,
}

/// Life.
impl MockOllama {
    /// A server with the default models and behaviour.
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// A server to be described first.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Scripting.
impl MockOllama {
    /// Sets what answers chats with messages from now on; it may block.
    pub fn script(&self, script: impl Fn(&Call) -> Answer + Send + Sync + 'static) {
        *lock(&self.ollama.script) = Some(Arc::new(script));
    }

    /// Sets what is asked first about every request, whatever its path; none means "as usual".
    pub fn intercept(&self, hook: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) {
        *lock(&self.ollama.intercept) = Some(Arc::new(hook));
    }

    /// Sets how requests that arrive from now on are named, each when its name is asked for.
    pub fn name_calls(&self, name: impl Fn(&Call) -> String + Send + Sync + 'static) {
        *lock(&self.ollama.log.naming) = Naming(Some(Arc::new(name)));
    }

    /// Begins to go away: drops the listener, so that connects are refused; open connections go on until
    /// [`stop`](Self::stop).
    pub fn stop_listening(&self) {
        let door = &mut *lock(&self.door);
        if let Some(serving) = &mut door.serving {
            // Bound before the other is closed, so that nobody else gets the port in between.
            door.reserved.get_or_insert_with(|| bind(self.address));
            serving.stop_listening();
        }
    }

    /// Goes away: drops the listener, all connections and loaded models; connects are refused.
    pub fn stop(&self) {
        self.stop_listening();
        if let Some(serving) = lock(&self.door).serving.take() {
            serving.end();
            self.ollama.runners.clear();
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
        let listener = socket.listen(1024).expect("nobody else listens on our port");
        let (listening, deaf) = oneshot::channel();
        let (hearing, unheard) = mpsc::channel();
        let (stop, stopping) = oneshot::channel();
        let (running, stopped) = mpsc::channel();
        let ollama = self.ollama.clone();
        self.handle.spawn(async move {
            let mut connections = JoinSet::new();
            tokio::select! {
                _ = deaf => {}
                () = accept(listener, &mut connections, ollama) => {}
            }
            drop(hearing);
            stopping.await.ok();
            connections.shutdown().await;
            drop(running);
        });
        Serving { listening: Some(listening), unheard, stop, stopped }
    }
}

/// Watching.
impl MockOllama {
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
        self.ollama.log.wait_until(|calls, _| condition(calls));
    }

    /// What became of each request that needed a model, in order of arrival.
    pub fn served(&self) -> Vec<Served> {
        self.ollama.log.served()
    }

    /// Like `wait_until`, of [`served`](Self::served).
    pub fn wait_until_served(&self, condition: impl Fn(&[Served]) -> bool) {
        self.ollama.log.wait_until(|_, served| condition(served));
    }
}

impl Drop for MockOllama {
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
    /// Returns when the listener is closed, or when patience ends because a script blocks.
    fn stop_listening(&mut self) {
        if self.listening.take().is_some() {
            self.unheard.recv_timeout(PATIENCE).ok();
        }
    }

    /// Returns when all sockets are closed, or when patience ends because a script blocks.
    fn end(self) {
        drop((self.listening, self.stop));
        self.stopped.recv_timeout(PATIENCE).ok();
    }
}

fn bind(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("the system gives a socket");
    socket.set_reuseaddr(true).expect("a new socket takes options");
    #[cfg(unix)]
    socket.set_reuseport(true).expect("a new socket takes options");
    socket.bind(address).expect("the port is free or was ours until now");
    socket
}

/// Takes connections, and the listener with it when it is dropped.
async fn accept(
    listener: TcpListener,
    connections: &mut JoinSet<io::Result<()>>,
    ollama: Arc<Ollama>,
) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            let ollama = ollama.clone();
            connections.spawn(async move { connection::serve(stream, &ollama).await });
        }
        while connections.try_join_next().is_some() {}
    }
}
