//! A run's progress, written for other processes: at most once per second, and only after a change.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::cli::process::invocation::{again, arguments, resume_command, told_command};
use crate::cli::terminal::progress::Progress;
use crate::run::batch_summary::Origin;
use crate::store::state::{ORPHANED, RunState, StateFile};

/// Minimum time between two states.
const EVERY: Duration = Duration::from_secs(1);

/// Writes a run's progress until dropped.
pub(in crate::cli) struct StateWriter {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StateWriter {
    /// Starts on its own thread, so that a slow disk delays no debate. If there is none, nothing is written.
    pub(in crate::cli) fn start(
        file: StateFile,
        progress: &Arc<Progress>,
        origin: &Origin,
        rehearsal: bool,
    ) -> Self {
        let (end, ended) = channel();
        let (command, next) = (told_command(arguments()), resume_command(again()));
        let orphaned = origin.orphaned.iter().take(ORPHANED).map(|id| id.short().to_owned());
        let begun = RunState {
            made_from: origin.made_from.clone(),
            orphaned: orphaned.collect(),
            rehearsal,
            ..RunState::new(&command, &next)
        };
        let progress = Arc::clone(progress);
        let tell = move || {
            let mut told = None;
            loop {
                // A server may fail and be tried again without an event of a debate.
                let seen = (progress.revision(), progress.servers());
                if told.as_ref() != Some(&seen) {
                    file.write(&progress.state(begun.clone(), seen.1.clone()));
                    told = Some(seen);
                }
                if ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("state".to_owned());
        Self { end: Some(end), thread: thread.spawn(tell).ok() }
    }
}

impl Drop for StateWriter {
    fn drop(&mut self) {
        drop(self.end.take());
        // Removes its file before the run is no longer announced.
        self.thread.take().map(JoinHandle::join);
    }
}
