//! Output that nobody reads, or only slowly, holds up no run: threads of their own write what was printed. A terminal that is
//! frozen and a pipe that is full block the thread that writes, for as long as it takes.
//!
//! What a program expects on stdout is kept for a reader that reads on; messages, and the picture of what moves, are left
//! out for one that does not. Where stdout and stderr lead to the same file, one thread writes both, in their order.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::shared::Shared;
use crate::text;

/// Bytes for stdout that wait for their reader. With more, what prints waits too, unless nobody reads.
const MOST_RESULTS: usize = 64 << 20;
/// Bytes for stderr that wait for their reader. With more, messages are left out.
const MOST_MESSAGES: usize = 1 << 20;
/// Bytes written at a time. A reader that took these does read.
const PART: usize = 4096;
/// After this much time in which nothing was taken, nobody reads.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is left of that once a user insists on the end, whatever is taken meanwhile.
const HURRY: Duration = Duration::from_millis(500);

/// Where a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Stream {
    Out,
    Err,
}

/// Writes to a stream, however long that takes.
pub(super) type Write = fn(Stream, &[u8]);

/// What a thread writes, in order.
struct Spool {
    write: Write,
    queue: Shared<Queue>,
    changed: Condvar,
}

struct Queue {
    waiting: VecDeque<(Stream, Vec<u8>)>,
    /// Bytes that wait or are being written.
    results: usize,
    messages: usize,
    /// Texts left out since the last one that was taken in.
    unread_messages: u64,
    /// Bytes for stdout that were left out. After the first of them all others are: what arrives is a beginning.
    unread_results: usize,
    /// The lines that move, and whether they have changed.
    picture: Vec<String>,
    is_changed: bool,
    is_writing: bool,
    /// When the reader last took something, or was first asked to.
    taken: Instant,
    /// When the user insisted on the end.
    hurried: Option<Instant>,
}

struct Spools {
    out: Arc<Spool>,
    err: Arc<Spool>,
}

impl Spools {
    fn start(write: Write) -> io::Result<Self> {
        let is_one = is_one_file();
        let out = Spool::start(write)?;
        let both = is_one.then(|| Arc::clone(&out));
        Ok(Self { out, err: both.map_or_else(|| Spool::start(write), Ok)? })
    }
}

/// The threads of this process; none in commands that have nothing to do but print.
static SPOOLS: OnceLock<Spools> = OnceLock::new();

/// Whether nothing is left to do but to print.
static IS_LAST: AtomicBool = AtomicBool::new(false);

/// From now on, printing waits for no reader. Without threads it continues to.
pub(in crate::cli) fn start(write: Write) {
    if let Ok(spools) = Spools::start(write) {
        // Who calls this twice has what it wants.
        let _ = SPOOLS.set(spools);
    }
}

/// Puts a text in line; gives it back where nothing is put in line.
pub(in crate::cli) fn put(stream: Stream, text: Vec<u8>) -> Result<(), Vec<u8>> {
    let Some(spools) = SPOOLS.get() else { return Err(text) };
    match stream {
        Stream::Out => spools.out.put_result(text),
        Stream::Err => spools.err.put_message(text),
    }
    Ok(())
}

/// Shows these lines below all others on stderr, in place of those shown before.
pub(in crate::cli) fn show(lines: Vec<String>) {
    if let Some(spools) = SPOOLS.get() {
        let mut queue = spools.err.queue.lock();
        queue.is_changed |= queue.picture != lines;
        queue.picture = lines;
        spools.err.changed.notify_all();
    }
}

/// Waits for readers no longer: the user insists on the end.
pub(in crate::cli) fn hurry() {
    for spool in all() {
        spool.queue.lock().hurried.get_or_insert_with(Instant::now);
        spool.changed.notify_all();
    }
}

/// Whether the user insists on the end.
pub(super) fn is_hurried() -> bool {
    all().any(|spool| spool.queue.lock().hurried.is_some())
}

/// Notes that nothing is left to do but to print.
pub(super) fn only_prints() {
    IS_LAST.store(true, Ordering::Relaxed);
}

/// Whether nothing is left to do but to print.
pub(in crate::cli) fn is_last() -> bool {
    IS_LAST.load(Ordering::Relaxed)
}

/// Waits until all is written to a stream, as long as it is read; returns how many bytes for stdout did not arrive.
pub(in crate::cli) fn end(stream: Stream) -> usize {
    SPOOLS.get().map_or(0, |spools| match stream {
        Stream::Out => spools.out.end(),
        Stream::Err => spools.err.end(),
    })
}

fn all() -> impl Iterator<Item = &'static Arc<Spool>> {
    let spools = SPOOLS.get().into_iter();
    spools.flat_map(|spools| [&spools.out, &spools.err])
}

/// Whether stdout and stderr lead to the same file, whose lines have to keep their order.
#[cfg(unix)]
fn is_one_file() -> bool {
    let of = |file: rustix::io::Result<rustix::fs::Stat>| file.map(|it| (it.st_dev, it.st_ino));
    let both = [rustix::fs::fstat(io::stdout()), rustix::fs::fstat(io::stderr())];
    matches!(both.map(of), [Ok(out), Ok(err)] if out == err)
}

/// Elsewhere nothing tells, and the order matters more.
#[cfg(not(unix))]
fn is_one_file() -> bool {
    true
}

impl Spool {
    fn new(write: Write) -> Self {
        Self { write, queue: Shared::new(Queue::new()), changed: Condvar::new() }
    }

    fn start(write: Write) -> io::Result<Arc<Self>> {
        let spool = Arc::new(Self::new(write));
        let its = Arc::clone(&spool);
        let thread = thread::Builder::new().name("output".to_owned());
        thread.spawn(move || its.run())?;
        Ok(spool)
    }

    fn wait<'q>(&self, queue: MutexGuard<'q, Queue>, most: Duration) -> MutexGuard<'q, Queue> {
        let waited = self.changed.wait_timeout(queue, most);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Puts a text for stdout in line, unless one before it was left out. If too much waits there already, it waits for a
    /// reader that reads.
    fn put_result(&self, text: Vec<u8>) {
        let mut queue = self.queue.lock();
        while !queue.has_gap() && queue.has_too_much() && queue.is_read() {
            queue = self.wait(queue, PATIENCE);
        }
        if queue.has_gap() || queue.has_too_much() {
            queue.unread_results += text.len();
        } else {
            queue.push(Stream::Out, text);
        }
        self.changed.notify_all();
    }

    /// Puts a text for stderr in line, unless too much waits there already.
    fn put_message(&self, text: Vec<u8>) {
        let mut queue = self.queue.lock();
        if queue.messages > MOST_MESSAGES {
            queue.unread_messages += 1;
            return;
        }
        let left_out = std::mem::take(&mut queue.unread_messages);
        if left_out > 0 {
            let lines = text::count(left_out, "line");
            let note = format!("… nobody read this: {lines} left out\n");
            queue.push(Stream::Err, note.into_bytes());
        }
        queue.push(Stream::Err, text);
        self.changed.notify_all();
    }

    /// Waits until all is written or nobody reads; returns how many bytes for stdout did not arrive.
    fn end(&self) -> usize {
        let begun = Instant::now();
        let mut queue = self.queue.lock();
        while !queue.is_empty() && queue.is_awaited(begun) {
            queue = self.wait(queue, HURRY);
        }
        queue.unread_results + queue.results
    }

    /// Writes what is in line, for ever.
    fn run(&self) {
        let mut drawn = 0;
        loop {
            let (texts, picture) = self.next();
            self.write_part(Stream::Err, erased(drawn).as_bytes());
            for (stream, text) in texts {
                let parts = text.chunks(PART);
                parts.for_each(|part| self.write_part(stream, part));
            }
            drawn = picture.len();
            let picture: String = picture.iter().map(|line| format!("{line}\n")).collect();
            self.write_part(Stream::Err, picture.as_bytes());
        }
    }

    /// What is to be written next, once there is something, and the picture below it.
    fn next(&self) -> (VecDeque<(Stream, Vec<u8>)>, Vec<String>) {
        let mut queue = self.queue.lock();
        queue.is_writing = false;
        self.changed.notify_all();
        while queue.waiting.is_empty() && !queue.is_changed {
            queue = self.wait(queue, PATIENCE);
        }
        (queue.is_writing, queue.is_changed) = (true, false);
        queue.taken = Instant::now();
        (std::mem::take(&mut queue.waiting), queue.picture.clone())
    }

    fn write_part(&self, stream: Stream, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        (self.write)(stream, part);
        self.queue.lock().took(stream, part.len());
        self.changed.notify_all();
    }
}

impl Queue {
    fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            results: 0,
            messages: 0,
            unread_messages: 0,
            unread_results: 0,
            picture: Vec::new(),
            is_changed: false,
            is_writing: false,
            taken: Instant::now(),
            hurried: None,
        }
    }

    fn push(&mut self, stream: Stream, text: Vec<u8>) {
        *self.bytes(stream) += text.len();
        self.waiting.push_back((stream, text));
    }

    fn bytes(&mut self, stream: Stream) -> &mut usize {
        match stream {
            Stream::Out => &mut self.results,
            Stream::Err => &mut self.messages,
        }
    }

    fn took(&mut self, stream: Stream, bytes: usize) {
        let waiting = self.bytes(stream);
        // The picture is not counted among what waits.
        *waiting = waiting.saturating_sub(bytes);
        self.taken = Instant::now();
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && !self.is_changed && !self.is_writing
    }

    /// Whether a text for stdout was left out.
    fn has_gap(&self) -> bool {
        self.unread_results > 0
    }

    /// Whether too much waits for another text for stdout.
    fn has_too_much(&self) -> bool {
        self.results > MOST_RESULTS
    }

    /// Whether a reader took something a moment ago, and the user wants to wait for it.
    fn is_read(&self) -> bool {
        self.hurried.is_none() && self.taken.elapsed() < PATIENCE
    }

    /// Whether a reader may still take what is left at the end.
    fn is_awaited(&self, since: Instant) -> bool {
        match self.hurried {
            Some(hurried) => hurried.max(since).elapsed() < HURRY,
            None => self.taken.max(since).elapsed() < PATIENCE,
        }
    }
}

/// What removes so many lines above the cursor from a terminal, and what was typed behind them. Line by line: tmux copies a screen
/// that is erased from its top left corner into its history, once per change.
fn erased(lines: usize) -> String {
    match lines {
        0 => String::new(),
        n => format!("\r\u{1b}[K{}", "\u{1b}[A\u{1b}[K".repeat(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_behind_a_result_that_was_left_out_none_is_printed() {
        let spool = Spool::new(|_, _| {});
        spool.queue.lock().hurried = Some(Instant::now());
        spool.put_result(vec![b'.'; MOST_RESULTS + 1]);
        spool.put_result(b"left out".to_vec());
        spool.queue.lock().took(Stream::Out, MOST_RESULTS + 1);
        spool.put_result(b"too".to_vec());
        let queue = spool.queue.lock();
        assert_eq!(queue.waiting.len(), 1);
        assert_eq!((queue.results, queue.unread_results), (0, 11));
    }
}
