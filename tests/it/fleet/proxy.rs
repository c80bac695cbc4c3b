//! What stands between a worker and the NATS server, and kills the worker at a place of the protocol.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

/// Where a worker is killed: at the `nth` message that the bytes `what` are part of, from 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) what: &'static str,
    pub(super) nth: usize,
    /// Whether the server still gets the message.
    pub(super) is_sent: bool,
}

/// Stands between one worker and the server.
pub(super) struct Proxy {
    port: u16,
    /// The worker's process, once it is known.
    worker: Arc<AtomicU32>,
}

impl Proxy {
    pub(super) fn new(server: u16, step: Step) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let worker = Arc::new(AtomicU32::new(0));
        let (its, seen) = (Arc::clone(&worker), Arc::new(AtomicUsize::new(0)));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", server)).expect("the server");
                let (its, seen) = (Arc::clone(&its), Arc::clone(&seen));
                serve(client, server, step, its, seen);
            }
        });
        Self { port, worker }
    }

    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Whom to kill. Until this is called, nothing passes that is to be killed at: the worker has to be enqueued for later.
    pub(super) fn kills(&self, worker: u32) {
        self.worker.store(worker, Ordering::SeqCst);
    }
}

fn serve(
    client: TcpStream,
    server: TcpStream,
    step: Step,
    worker: Arc<AtomicU32>,
    seen: Arc<AtomicUsize>,
) {
    let (mut from_server, mut to_client) = both(&server, &client);
    thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let (mut from_client, mut to_server) = both(&client, &server);
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(n @ 1..) = from_client.read(&mut bytes) {
            let before = seen.fetch_add(count(&bytes[..n], step.what), Ordering::SeqCst);
            let is_there = (before..seen.load(Ordering::SeqCst)).contains(&(step.nth - 1));
            if is_there && !step.is_sent {
                kill(worker.load(Ordering::SeqCst));
                return;
            }
            if to_server.write_all(&bytes[..n]).is_err() {
                return;
            }
            if is_there {
                kill(worker.load(Ordering::SeqCst));
                return;
            }
        }
        let _ = to_server.shutdown(Shutdown::Both);
    });
}

fn both(from: &TcpStream, to: &TcpStream) -> (TcpStream, TcpStream) {
    let copy = |it: &TcpStream| it.try_clone().expect("a socket");
    (copy(from), copy(to))
}

fn count(bytes: &[u8], what: &str) -> usize {
    let windows = bytes.windows(what.len());
    windows.filter(|it| *it == what.as_bytes()).count()
}

fn kill(process: u32) {
    assert_ne!(process, 0, "a message came too early");
    let mut kill = std::process::Command::new("kill");
    let killed = kill.args(["-KILL", &process.to_string()]).status();
    assert!(killed.expect("a command").success());
}
