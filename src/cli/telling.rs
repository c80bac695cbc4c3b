//! What a run says of itself to those who look on from elsewhere: at most once per second, and only what is new.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::invocation::{arguments, without_notify};
use super::progress::Progress;
use crate::machine;
use crate::servers::ServerPool;
use crate::store::state::{COMMAND, StateFile};
use crate::text::{self, shell};

/// The least time between two states.
const EVERY: Duration = Duration::from_secs(1);

/// Says how far a run is, as long as this lives.
pub(super) struct Telling {
    /// Dropped to end it.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Telling {
    /// Begins on a thread of its own: a slow disk holds no debate up. Without one there is nothing to look at.
    pub(super) fn start(
        file: StateFile,
        progress: &Arc<Progress>,
        servers: Option<&Arc<ServerPool>>,
    ) -> Self {
        let (end, ended) = channel();
        let command = shell::command(without_notify(arguments()));
        let (command, host) = (text::shorten(&command, COMMAND), machine::host_name());
        let (progress, servers) = (Arc::clone(progress), servers.cloned());
        let tell = move || {
            let mut told = None;
            loop {
                let revision = progress.revision();
                if told != Some(revision) {
                    let servers = servers.iter().flat_map(|pool| pool.view());
                    file.write(&progress.state(&command, &host, servers.collect()));
                    told = Some(revision);
                }
                if ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("state".to_owned());
        Self {
            end: Some(end),
            thread: thread.spawn(tell).ok(),
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        drop(self.end.take());
        // Its file goes with it, before the run is announced no more.
        self.thread.take().map(JoinHandle::join);
    }
}
