//! Writing live files on a separate thread, so that a slow or full disk delays no debate. A file that cannot be written is
//! given up.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use super::left::LEFT;
use super::place::{LiveHeader, ShortId, VERSION, all, is_running, is_watched, path};
use super::tail::LiveTail;
use crate::clock::Clock;
use crate::event::{Event, EventKind};
use crate::files::{self, OpenPath};
use crate::id::DebateId;
use crate::shared::Shared;
use crate::store::layout::OutputDir;
use crate::templates::inert_json;

/// Maximum events waiting for the disk.
const WAITING: usize = 20_000;
/// How long events are collected. Pieces of one text that arrive within that time become one.
const GATHER: Duration = Duration::from_millis(50);
/// Maximum files held open from one write to the next.
const HELD: usize = 8;
/// How often to check whether someone is watching.
const LOOK: Duration = Duration::from_millis(250);
/// Maximum time that the end of a run waits for the disk.
const CLOSING: Duration = Duration::from_secs(1);

/// The live files of a run.
pub struct LiveFiles {
    send: Shared<Option<SyncSender<Message>>>,
    /// Disconnected once the thread has ended.
    ended: Shared<Receiver<()>>,
    watched: Arc<AtomicBool>,
    overrun: Arc<AtomicBool>,
}

enum Message {
    Event(Box<Event>),
    End(DebateId),
    Leave(DebateId),
}

impl LiveFiles {
    /// Starts the thread. If that fails, viewers see nothing.
    pub fn start(output: &OutputDir, run: &str, clock: &Clock) -> Self {
        let (send, received) = sync_channel(WAITING);
        let (watched, overrun) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let writer = Writer {
            output: output.clone(),
            clock: clock.clone(),
            run: run.to_owned(),
            begun: 0,
            open: HashMap::new(),
            held: HashMap::new(),
            watched: Arc::clone(&watched),
            overrun: Arc::clone(&overrun),
        };
        let (ends, ended) = channel();
        let thread = std::thread::Builder::new().name("live".to_owned());
        let _ = thread.spawn(move || writer.run(&received, ends));
        Self { send: Shared::new(Some(send)), ended: Shared::new(ended), watched, overrun }
    }

    /// Queues an event.
    pub fn see(&self, event: &Event) {
        self.send(Message::Event(Box::new(event.clone())));
    }

    /// Ends the file of a debate that is committed and so complete elsewhere.
    pub fn end(&self, id: &DebateId) {
        self.send(Message::End(id.clone()));
    }

    /// Says in the file of a debate that the run leaves it unfinished.
    pub fn leave(&self, id: &DebateId) {
        self.send(Message::Leave(id.clone()));
    }

    fn send(&self, message: Message) {
        let send = self.send.lock();
        if let Some(send) = send.as_ref()
            && send.try_send(message).is_err()
        {
            self.overrun.store(true, Ordering::Relaxed);
        }
    }

    /// Whether someone is watching.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Writes what is waiting, and ends. Waits up to a second for a disk that does not respond, and then leaves it to the
    /// thread.
    pub fn close(&self) {
        drop(self.send.lock().take());
        let _ = self.ended.lock().recv_timeout(CLOSING);
    }
}

struct Writer {
    output: OutputDir,
    clock: Clock,
    run: String,
    /// Number of files begun.
    begun: u64,
    /// What waits to be added to each file that was not given up.
    open: HashMap<DebateId, Waiting>,
    /// Files written to lately, which were ours when they were opened.
    held: HashMap<DebateId, OpenPath>,
    watched: Arc<AtomicBool>,
    overrun: Arc<AtomicBool>,
}

/// What waits to be added to a file.
struct Waiting {
    /// The file's first line, which shows that the file is ours.
    header: LiveHeader,
    lines: String,
    /// A piece of text that the next one may continue.
    piece: Option<Box<Event>>,
}

impl Waiting {
    fn add(&mut self, event: Box<Event>) {
        if let Some(piece) = self.piece.as_mut() {
            if goes_on(piece, &event) {
                return;
            }
            self.flush();
        }
        match event.kind {
            EventKind::StatementChunk { .. } => self.piece = Some(event),
            _ => self.push(&event),
        }
    }

    fn flush(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.push(&piece);
        }
    }

    fn leave(&mut self) {
        self.flush();
        self.lines.push_str(LEFT);
    }

    fn push(&mut self, event: &Event) {
        self.lines.push_str(&inert_json(&event.line()));
        self.lines.push('\n');
    }
}

/// Appends a piece of text to the one before it, if it continues that one.
fn goes_on(piece: &mut Event, next: &Event) -> bool {
    let same = piece.metadata.call == next.metadata.call
        && piece.metadata.attempt == next.metadata.attempt;
    match (&mut piece.kind, &next.kind) {
        (
            EventKind::StatementChunk { to, text, .. },
            EventKind::StatementChunk { from, to: end, text: more },
        ) if same && to == from => {
            text.push_str(more);
            *to = *end;
            true
        }
        _ => false,
    }
}

impl Writer {
    /// Writes until the senders are gone, and then drops `_ends`.
    fn run(mut self, received: &Receiver<Message>, _ends: Sender<()>) {
        self.sweep();
        let mut looked = Instant::now();
        self.look();
        loop {
            let first = match received.recv_timeout(LOOK) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if let Some(first) = first {
                std::thread::sleep(GATHER);
                self.take(first);
                received.try_iter().for_each(|message| self.take(message));
                self.write();
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.look();
            }
        }
    }

    fn look(&self) {
        let watched = is_watched(&self.output, &self.clock);
        self.watched.store(watched, Ordering::Relaxed);
    }

    /// Removes files of debates that have been finished since. They are listed before the unfinished debates, so that a debate
    /// begun by another run meanwhile counts as unfinished.
    fn sweep(&self) {
        let left = all(&self.output);
        let Ok(begun) = self.output.begun() else { return };
        for id in left {
            if !begun.iter().any(|begun| ShortId::of(begun) == id) {
                self.remove(&id, None);
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Event(event) => self.event(event),
            Message::End(id) => self.end(&id),
            Message::Leave(id) => self.open.get_mut(&id).into_iter().for_each(Waiting::leave),
        }
    }

    /// Writes the end of a file before removing it, for readers who look in time.
    fn end(&mut self, id: &DebateId) {
        let mut waiting = self.open.remove(id);
        if let Some(waiting) = &mut waiting
            && !self.overrun.load(Ordering::Relaxed)
        {
            self.append(id, waiting);
        }
        self.held.remove(id);
        let own = waiting.map(|waiting| waiting.header);
        self.remove(&ShortId::of(id), own.as_ref());
    }

    fn event(&mut self, event: Box<Event>) {
        if event.seq == Some(1) {
            self.open.remove(&event.debate);
            self.held.remove(&event.debate);
            let begun = self.begin(&event.debate);
            self.open.extend(begun.map(|begun| (event.debate.clone(), begun)));
        }
        if let Some(waiting) = self.open.get_mut(&event.debate) {
            waiting.add(event);
        }
    }

    /// Begins a file anew, because opening a debate emits all of its events again.
    fn begin(&mut self, id: &DebateId) -> Option<Waiting> {
        let header = LiveHeader {
            live: VERSION,
            debate: id.clone(),
            run: self.run.clone(),
            pid: std::process::id(),
            n: self.begun,
        };
        self.begun += 1;
        let path = path(&self.output, &ShortId::of(id));
        let _ = files::remove_file(&path);
        let line = format!("{}\n", inert_json(&serde_json::to_string(&header).ok()?));
        files::write_new(&path, line.as_bytes()).ok()?;
        Some(Waiting { header, lines: String::new(), piece: None })
    }

    /// Writes what is waiting. A file is given up if it would have a gap or if another process has replaced it.
    fn write(&mut self) {
        let overrun = self.overrun.swap(false, Ordering::Relaxed);
        let mut open = std::mem::take(&mut self.open);
        open.retain(|id, waiting| {
            let is_written = !overrun && self.append(id, waiting);
            if !is_written {
                self.remove(&ShortId::of(id), Some(&waiting.header));
            }
            is_written
        });
        self.open = open;
    }

    /// Adds what is waiting to our own file; returns whether that was possible.
    fn append(&mut self, id: &DebateId, waiting: &mut Waiting) -> bool {
        waiting.flush();
        let lines = std::mem::take(&mut waiting.lines);
        lines.is_empty()
            || self.file(id, &waiting.header).is_some_and(|file| file.add(lines.as_bytes()).is_ok())
    }

    /// Our file of a debate; `None` if it was replaced or is gone.
    fn file(&mut self, id: &DebateId, own: &LiveHeader) -> Option<&OpenPath> {
        if !self.held.get(id).is_some_and(OpenPath::is_there) {
            if self.held.len() >= HELD {
                let one = self.held.keys().next().cloned();
                one.and_then(|one| self.held.remove(&one));
            }
            let path = path(&self.output, &ShortId::of(id));
            let file = files::to_append(&path).ok()?;
            let (_, found) = LiveTail::open(&path)?;
            if found != *own {
                return None;
            }
            self.held.insert(id.clone(), file);
        }
        self.held.get(id)
    }

    /// Removes a file if it is ours or its process is gone: another run may have begun the debate anew.
    fn remove(&self, id: &ShortId, own: Option<&LiveHeader>) {
        let path = path(&self.output, id);
        let found = LiveTail::open(&path).map(|(_, header)| header);
        let is_others = |found: &LiveHeader| Some(found) != own && is_running(&self.output, found);
        if !found.as_ref().is_some_and(is_others) {
            let _ = files::remove_file(&path);
        }
    }
}
