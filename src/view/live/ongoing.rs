//! A debate in progress: its live file is read once and from there on, for all who watch it and all who ask for its pages.

use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

use super::sse::{self, Told};
use super::trace_so_far::{Pages, TraceSoFar};
use crate::shared::Shared;
use crate::store::live::{CallsInFlight, Cursor, Grown, LiveHeader, LiveLine, LiveTail};

/// Events that a reader may be behind.
const BEHIND: usize = 256;
/// Maximum bytes of a log that are kept, and shown.
const MOST_LOG: usize = 64 << 20;

/// A debate in progress.
pub(in crate::view) struct Ongoing {
    pub(in crate::view) header: LiveHeader,
    public: bool,
    read: Shared<Read>,
    pages: Shared<Pages>,
    /// Told when someone begins to watch.
    pub(in crate::view) joined: Notify,
}

/// What was read of its file.
struct Read {
    tail: LiveTail,
    log: Vec<Told>,
    /// The lines of the log that pages do not have yet, and where the log is with each.
    new: Vec<(Cursor, String)>,
    /// Bytes of the log.
    bytes: usize,
    /// What was logged since people can vote, while they can: ballots of judges would sway them.
    held: Option<Vec<LiveLine>>,
    calls: CallsInFlight,
    /// Whether the process that writes it was there when that was looked at.
    runs: bool,
    /// Whether its run has left it, and continues with others.
    left: bool,
    /// Whether anything came that is not logged: the run has told again what it had before.
    asks: bool,
    /// Said in place of what cannot be read.
    unreadable: Option<Bytes>,
    /// Gone once the file is not read on.
    send: Option<broadcast::Sender<Told>>,
    /// When someone asked for it last.
    asked: Instant,
}

/// What a reader begins with.
pub(in crate::view) struct Joined {
    /// The log so far.
    pub(in crate::view) log: Vec<Told>,
    /// What is in progress behind it.
    pub(in crate::view) now: Bytes,
    /// Whether a model is asked, or was.
    pub(in crate::view) asks: bool,
    /// What is said in place of what follows, if that cannot be read.
    pub(in crate::view) unreadable: Option<Bytes>,
    /// What comes next.
    pub(in crate::view) next: broadcast::Receiver<Told>,
    /// Kept as long as it is read.
    pub(in crate::view) _watched: Arc<Ongoing>,
}

/// How reading goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::view) enum Next {
    AtOnce,
    Later,
    Never,
}

impl Ongoing {
    pub(in crate::view) fn new(tail: LiveTail, header: LiveHeader, public: bool) -> Self {
        let read = Read {
            tail,
            log: Vec::new(),
            new: Vec::new(),
            bytes: 0,
            held: None,
            calls: CallsInFlight::default(),
            runs: true,
            left: false,
            asks: false,
            unreadable: None,
            send: Some(broadcast::Sender::new(BEHIND)),
            asked: Instant::now(),
        };
        Self {
            header,
            public,
            read: Shared::new(read),
            pages: Shared::default(),
            joined: Notify::new(),
        }
    }

    /// Reads all that is new, for someone who asks; whether the file can be read on. Waits for the disk.
    pub(in crate::view) fn is_read_on(&self) -> bool {
        let mut read = self.read.lock();
        read.asked = Instant::now();
        loop {
            match read.on(self.public) {
                Next::AtOnce => {}
                next => return next == Next::Later,
            }
        }
    }

    /// Reads the next piece.
    pub(in crate::view) fn read(&self) -> Next {
        self.read.lock().on(self.public)
    }

    /// Takes in whether its run is there, of whose file all was read. Once it is gone, those who watch are told.
    pub(in crate::view) fn note(&self, runs: bool) {
        self.read.lock().note(runs);
    }

    /// Whether its run has left it unfinished, as far as was read.
    pub(in crate::view) fn is_left(&self) -> bool {
        self.read.lock().left
    }

    /// Joins those who watch it; `None` if its file is not read on. Between the log and what comes next nothing is lost and nothing
    /// comes twice.
    pub(in crate::view) fn join(self: Arc<Self>) -> Option<Joined> {
        let read = self.read.lock();
        let joined = Joined {
            log: read.log.clone(),
            now: read.now(),
            asks: read.asks,
            unreadable: read.unreadable.clone(),
            next: read.send.as_ref()?.subscribe(),
            _watched: Arc::clone(&self),
        };
        drop(read);
        self.joined.notify_one();
        Some(joined)
    }

    /// What has been read of it; `None` if that is no debate.
    pub(in crate::view) fn so_far(&self) -> Option<TraceSoFar> {
        let mut pages = self.pages.lock();
        let mut read = self.read.lock();
        let new = std::mem::take(&mut read.new);
        let is_cut = read.unreadable.is_some();
        drop(read);
        new.iter().for_each(|(after, line)| pages.add(*after, line));
        pages.so_far(self.public, is_cut)
    }

    pub(in crate::view) fn is_watched(&self) -> bool {
        self.read.lock().is_watched()
    }

    /// When someone asked for it last, and the bytes of its log; `None` while it is read.
    pub(in crate::view) fn weight(&self) -> Option<(Instant, usize)> {
        let read = self.read.try_lock()?;
        (!read.is_watched()).then_some((read.asked, read.bytes))
    }

    /// Tells the rest of a debate that was committed in the meantime.
    pub(in crate::view) fn finish(&self, log: &[Told]) {
        self.read.lock().finish(log);
    }

    /// Lets streams end.
    pub(in crate::view) fn end(&self) {
        self.read.lock().send = None;
    }
}

impl Read {
    fn is_watched(&self) -> bool {
        let send = self.send.as_ref();
        send.is_some_and(|send| send.receiver_count() > 0)
    }

    fn now(&self) -> Bytes {
        if self.runs { sse::now(&self.calls) } else { sse::stopped() }
    }

    fn on(&mut self, public: bool) -> Next {
        if self.send.is_none() {
            return Next::Never;
        }
        match self.tail.read() {
            Grown::By(lines) if lines.is_empty() => Next::Later,
            Grown::By(lines) => {
                lines.into_iter().for_each(|line| self.take(line, public));
                Next::AtOnce
            }
            Grown::TooLong => {
                self.tell_unreadable();
                Next::Later
            }
            Grown::No => Next::Never,
        }
    }

    fn note(&mut self, runs: bool) {
        let runs = runs && !self.left;
        if std::mem::replace(&mut self.runs, runs) && !runs {
            self.tell(sse::aside(sse::stopped(), false));
        }
    }

    fn take(&mut self, line: LiveLine, public: bool) {
        if line.is_left() {
            self.left = true;
            return self.note(false);
        }
        // What follows is passed over: the file is watched for its end.
        if self.bytes >= MOST_LOG {
            return self.tell_unreadable();
        }
        match line.cursor {
            Some(_) => self.bytes += line.text.len(),
            None => self.asks = true,
        }
        self.calls.take(&line);
        if ["audience", "complete"].contains(&&*line.name) {
            let held = self.held.take().into_iter().flatten();
            held.for_each(|line| self.add(line, public));
        }
        match &mut self.held {
            Some(held) if line.cursor.is_some() => held.push(line),
            _ => self.add(line, public),
        }
    }

    fn add(&mut self, line: LiveLine, public: bool) {
        // Where nobody is there to vote, the window is closed as soon as it is open.
        if line.name == "audience_open" && line.content("opened_at") != line.content("closes_at") {
            self.held = Some(Vec::new());
        }
        if let Some(told) = sse::told(&line, public) {
            self.tell(told);
        }
        if let Some(cursor) = line.cursor {
            self.new.push((cursor, line.text));
        }
    }

    /// Tells what the log of the finished debate has beyond what is told, if both are of one course.
    fn finish(&mut self, log: &[Told]) {
        let told = self.log.len();
        let last = self.log.last().and_then(|told| told.cursor);
        let is_same = told == 0 || log.get(told - 1).is_some_and(|it| it.cursor == last);
        for told in log.get(told..).into_iter().flatten().filter(|_| is_same) {
            self.tell(told.clone());
        }
    }

    /// Says once that the rest is too long.
    fn tell_unreadable(&mut self) {
        if self.unreadable.is_some() {
            return;
        }
        let text = sse::unreadable();
        self.unreadable = Some(text.clone());
        self.tell(sse::aside(text, true));
    }

    fn tell(&mut self, told: Told) {
        if told.cursor.is_some() {
            self.log.push(told.clone());
        }
        if let Some(send) = &self.send {
            // Nobody may be there yet.
            let _ = send.send(told);
        }
    }
}
