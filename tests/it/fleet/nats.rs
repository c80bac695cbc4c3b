//! A real NATS server beside a test. The unit tests of the fleet include this file as well.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The variable that names the binary; else it is looked for where `tests/fleet/nats.sh` puts it, and on PATH. That script puts one
/// there if there is none on PATH, or one that is too old.
const BINARY: &str = "NATS_SERVER";

const SKIPPED: &str = "SKIPPED: tests of the fleet need nats-server: put it on PATH, name it with NATS_SERVER, or run tests/fleet/nats.sh\n";

/// A server on a port of loopback, which ends with the test.
pub(super) struct Nats {
    child: Child,
    dir: TempDir,
    port: u16,
    setup: Setup,
}

/// What is in the place of the shipped configuration, or added to it.
#[derive(Default)]
pub(super) struct Setup {
    /// The longest message; 8 MB if empty.
    pub(super) max_payload: &'static str,
    /// Further settings.
    pub(super) more: String,
}

/// A server with the shipped configuration; none, told loudly, where there is no binary.
pub(super) fn server() -> Option<Nats> {
    server_with(Setup::default())
}

/// A server with another configuration.
pub(super) fn server_with(setup: Setup) -> Option<Nats> {
    let Some(binary) = binary() else {
        // Past what the test runner captures.
        let _ = io::stderr().write_all(SKIPPED.as_bytes());
        return None;
    };
    let dir = TempDir::new().expect("a directory");
    let (child, port) = start(&binary, dir.path(), -1, &setup);
    Some(Nats { child, dir, port, setup })
}

impl Nats {
    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Kills it and starts it again over what it has on disk.
    pub(super) fn kill_and_restart(&mut self) {
        self.kill();
        let binary = binary().expect("it was there before");
        (self.child, _) = start(&binary, self.dir.path(), self.port.into(), &self.setup);
    }

    fn kill(&mut self) {
        self.child.kill().expect("a kill");
        self.child.wait().expect("an end");
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

fn binary() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BINARY).map(PathBuf::from) {
        assert!(named.is_file(), "{BINARY} names no file: {}", named.display());
        return Some(named);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|dir| dir.join("nats-server"));
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/nats/nats-server");
    let mut all = [installed].into_iter().chain(on_path);
    all.find(|file| file.is_file())
}

fn start(binary: &Path, dir: &Path, port: i32, setup: &Setup) -> (Child, u16) {
    let config = dir.join("nats.conf");
    let store = dir.join("store").display().to_string();
    let longest = match setup.max_payload {
        "" => "8MB",
        longest => longest,
    };
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/guide/nats.conf");
    let mut text = fs::read_to_string(shipped).expect("the shipped configuration");
    for (shipped, ours) in [
        ("127.0.0.1:4222", format!("127.0.0.1:{port}").as_str()),
        ("8MB", longest),
        ("/var/lib/nats", &store),
    ] {
        assert!(text.contains(shipped), "{shipped}");
        text = text.replace(shipped, ours);
    }
    text += &setup.more;
    fs::write(&config, text).expect("room");
    let mut command = Command::new(binary);
    command.arg("-c").arg(&config).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the server starts");
    let mut log = BufReader::new(child.stderr.take().expect("a log"));
    let port = listening(&mut log);
    // What follows is not looked at: it must not fill the pipe.
    std::thread::spawn(move || io::copy(&mut log, &mut io::sink()));
    (child, port)
}

/// Reads until the server is ready; returns its port.
fn listening(log: &mut impl BufRead) -> u16 {
    let (mut port, mut all) = (None, String::new());
    loop {
        let mut line = String::new();
        assert!(log.read_line(&mut line).expect("a line") > 0, "{all}");
        if line.contains("Listening for client connections") {
            let number = line.trim().rsplit(':').next();
            port = number.and_then(|it| it.parse().ok());
        }
        if line.contains("Server is ready") {
            return port.expect("a port");
        }
        all += &line;
    }
}
