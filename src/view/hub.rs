//! The debates that someone watches. Each is read once, however many do: its log is kept, what is new goes to all.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::broadcast;

use super::archive::Archive;
use super::aside::look_aside;
use super::lists::Lists;
use super::sse::{self, Told};
use crate::clock::Clock;
use crate::shared::Shared;
use crate::store::layout::OutputDir;
use crate::store::live::{self, CallsInFlight, Grown, LiveTail, ShortId};

/// How often a watched file is looked at.
const POLL: Duration = Duration::from_millis(20);
/// After this many looks it is said again that someone is watching: every three seconds.
const LOOKS: u32 = 150;
/// Events that a reader may be behind.
const BEHIND: usize = 256;
/// Maximum bytes of a log that are kept.
const MOST_LOG: usize = 64 << 20;

/// The debates that are watched.
pub(super) struct Hub {
    pub(super) output: OutputDir,
    pub(super) clock: Clock,
    pub(super) public: bool,
    pub(super) lists: Arc<Lists>,
    pub(super) archive: Arc<Archive>,
    pub(super) watched: Shared<HashMap<ShortId, Weak<Watched>>>,
}

/// A debate that is watched.
pub(super) type Watched = Shared<State>;

#[derive(Default)]
pub(super) struct State {
    log: Vec<Told>,
    bytes: usize,
    calls: CallsInFlight,
    /// Whether anything came that is not logged: the run has told again what it had before.
    asks: bool,
    /// Said in place of what cannot be read.
    unreadable: Option<Bytes>,
    /// Gone once the file is not read on.
    send: Option<broadcast::Sender<Told>>,
}

/// What a reader begins with.
pub(super) struct Joined {
    /// The log so far.
    pub(super) log: Vec<Told>,
    /// What is in progress behind it.
    pub(super) now: Bytes,
    /// Whether a model is asked, or was.
    pub(super) asks: bool,
    /// What is said in place of what follows, if that cannot be read.
    pub(super) unreadable: Option<Bytes>,
    /// What comes next.
    pub(super) next: broadcast::Receiver<Told>,
    /// Kept as long as it is read.
    pub(super) _watched: Arc<Watched>,
}

impl Hub {
    /// Joins those who watch a debate; `None` if no live file is there to be read. Waits for the disk.
    pub(super) fn join(self: &Arc<Self>, id: &ShortId) -> Option<Joined> {
        let mut all = self.watched.lock();
        let known = all.get(id).and_then(Weak::upgrade);
        if let Some(joined) = known.and_then(join) {
            return Some(joined);
        }
        all.retain(|_, watched| watched.strong_count() > 0);
        let watched = self.watch(id)?;
        all.insert(*id, Arc::downgrade(&watched));
        join(watched)
    }

    fn watch(self: &Arc<Self>, id: &ShortId) -> Option<Arc<Watched>> {
        let (tail, _) = LiveTail::open(&live::path(&self.output, id))?;
        let watched = Arc::new(Watched::new(State {
            send: Some(broadcast::Sender::new(BEHIND)),
            ..State::default()
        }));
        let mut reading = Reading {
            hub: Arc::clone(self),
            id: *id,
            tail,
            watched: Arc::downgrade(&watched),
            looks: 0,
        };
        while reading.read() == Next::AtOnce {}
        tokio::runtime::Handle::current().spawn(follow(reading));
        Some(watched)
    }
}

/// Between the log and what comes next nothing is lost and nothing comes twice.
fn join(watched: Arc<Watched>) -> Option<Joined> {
    let state = watched.lock();
    let joined = Joined {
        log: state.log.clone(),
        now: sse::now(&state.calls),
        asks: state.asks,
        unreadable: state.unreadable.clone(),
        next: state.send.as_ref()?.subscribe(),
        _watched: Arc::clone(&watched),
    };
    drop(state);
    Some(joined)
}

/// Reads a file as long as someone watches.
struct Reading {
    hub: Arc<Hub>,
    id: ShortId,
    tail: LiveTail,
    watched: Weak<Watched>,
    looks: u32,
}

#[derive(PartialEq, Eq)]
enum Next {
    AtOnce,
    Later,
    Never,
}

async fn follow(mut reading: Reading) {
    loop {
        let read = look_aside(move || {
            let next = reading.read();
            (reading, next)
        });
        let Some((goes_on, next)) = read.await else {
            return;
        };
        reading = goes_on;
        match next {
            Next::AtOnce => {}
            Next::Later => tokio::time::sleep(POLL).await,
            Next::Never => return reading.end().await,
        }
    }
}

impl Reading {
    fn read(&mut self) -> Next {
        let Some(watched) = self.watched.upgrade() else {
            return Next::Never;
        };
        if self.looks.is_multiple_of(LOOKS) {
            live::look(&self.hub.output, &self.hub.clock);
        }
        self.looks += 1;
        let grown = self.tail.read();
        let mut state = watched.lock();
        let lines = match grown {
            Grown::By(lines) if state.bytes < MOST_LOG => lines,
            Grown::TooLong => {
                state.tell_unreadable();
                return Next::Never;
            }
            _ => return Next::Never,
        };
        for line in &lines {
            state.asks |= line.cursor.is_none();
            state.calls.take(line);
            if let Some(told) = sse::told(line, self.hub.public) {
                state.tell(told);
            }
        }
        match lines.is_empty() {
            true => Next::Later,
            false => Next::AtOnce,
        }
    }

    /// Tells the rest of a debate that was committed in the meantime. Then readers see their stream end, and come back for what is
    /// there then.
    async fn end(self) {
        let hub = &self.hub;
        let is_committed = LiveTail::open(&live::path(&hub.output, &self.id)).is_none();
        if is_committed && let Some(row) = hub.lists.find(&self.id).await {
            let found = hub.archive.with_log(&row.path(&hub.output)).await;
            if let (Some(found), Some(watched)) = (found, self.watched.upgrade()) {
                watched.lock().finish(found.log());
            }
        }
        if let Some(watched) = self.watched.upgrade() {
            watched.lock().send = None;
        }
    }
}

impl State {
    /// Tells what the log of the finished debate has beyond what is told, if both are of one course.
    fn finish(&mut self, log: &[Told]) {
        let told = self.log.len();
        let last = self.log.last().and_then(|told| told.cursor);
        let is_same = told == 0 || log.get(told - 1).is_some_and(|it| it.cursor == last);
        for told in log.get(told..).into_iter().flatten().filter(|_| is_same) {
            self.tell(told.clone());
        }
    }

    fn tell_unreadable(&mut self) {
        let text = sse::unreadable();
        self.unreadable = Some(text.clone());
        self.tell(Told {
            cursor: None,
            ends: true,
            text,
        });
    }

    fn tell(&mut self, told: Told) {
        if told.cursor.is_some() {
            self.bytes += told.text.len();
            self.log.push(told.clone());
        }
        if let Some(send) = &self.send {
            // Nobody may be there yet.
            let _ = send.send(told);
        }
    }
}
