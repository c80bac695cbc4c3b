//! No test waits for ever, and nothing that a test has started outlives it.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use super::say;

/// What takes longer hangs: the longest run takes less than a minute, and minutes where other work has most of the machine.
/// Only what does hang waits for so long.
const PATIENCE: Duration = Duration::from_secs(900);

/// Kills a process when it hangs or the watch is dropped, unless it has ended by then. Whoever waits for it or reads what
/// it prints comes to an end so.
pub(super) struct Watch {
    process: Process,
    struck: Arc<AtomicBool>,
    /// Dropped with the watch, which ends the thread that waits.
    _holds: Sender<()>,
}

impl Watch {
    pub(super) fn over(id: u32) -> Self {
        let process = Process::of(id);
        let (holds, dropped) = mpsc::channel();
        let watch = Self { process: process.clone(), struck: Arc::default(), _holds: holds };
        let struck = Arc::clone(&watch.struck);
        std::thread::spawn(move || {
            let waited = dropped.recv_timeout(PATIENCE);
            if waited == Err(RecvTimeoutError::Timeout) && process.is_there() {
                // Before the kill, which lets others go on.
                struck.store(true, Ordering::SeqCst);
                say(&format!("process {id} hangs and is killed"));
                process.kill();
            }
        });
        watch
    }

    /// Whether the process hung and was killed.
    pub(super) fn struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// A process that somebody else may wait for, after which its number may be another's: when it began tells them apart.
#[derive(Clone)]
struct Process {
    id: u32,
    /// None where there is no `/proc`: what hangs is not killed there.
    begun: Option<String>,
}

impl Process {
    fn of(id: u32) -> Self {
        Self { id, begun: begun(id) }
    }

    fn is_there(&self) -> bool {
        self.begun.is_some() && begun(self.id) == self.begun
    }

    /// Kills it if it is still there.
    fn kill(&self) {
        if self.is_there() {
            let mut kill = Command::new("kill");
            kill.args(["-KILL", &self.id.to_string()]);
            // It may have ended just now, which is as good.
            let _ = kill.stderr(Stdio::null()).status();
        }
    }
}

/// When a process began, in ticks of the system's clock.
fn begun(id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The second field is the program's name in parentheses, with whatever that holds; this is the 22nd.
    let (_, behind_name) = stat.rsplit_once(") ")?;
    behind_name.split(' ').nth(19).map(str::to_owned)
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_started_ends_with_its_test() {
    let place = super::with_job(super::TINY_JOB);
    place.server.script(|_| mock_ollama::Answer::hang());
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_for_chats(1);
    drop(place);
    assert_eq!(child.wait().expect("an end").code(), None);
}
