//! Reading a live file while it grows, and the log of a finished debate. Both may come from someone else: anything
//! unexpected ends the reading.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::cursor::{Cursor, RunningSum};
use super::place::{LiveHeader, VERSION, is_one_line};
use crate::files;

/// Maximum bytes of a line; a look reads no more at once.
const MOST_LINE: u64 = 4 << 20;
/// Maximum bytes of the first line.
const MOST_HEADER: u64 = 64 << 10;
/// Maximum bytes of a finished debate's log.
const MOST_LOG: u64 = 64 << 20;

/// An event as it is in a file.
#[derive(Debug, Clone)]
pub struct LiveLine {
    /// The line without its end.
    pub text: String,
    /// Its name.
    pub name: String,
    /// Where the log is with it; live-only events are not in the log.
    pub cursor: Option<Cursor>,
    metadata: Map<String, Value>,
    content: Value,
}

/// What is read of an event.
#[derive(Deserialize)]
struct Parts {
    event: String,
    seq: Option<u64>,
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    content: Value,
}

impl LiveLine {
    /// A line of a log that is read so far; `None` if it is not an event, or not the next one.
    fn parse(line: &[u8], sum: &mut RunningSum) -> Option<Self> {
        let read: Parts = serde_json::from_slice(line).ok()?;
        let is_name = |b: u8| b.is_ascii_lowercase() || b == b'_';
        if !is_one_line(line) || !read.event.bytes().all(is_name) {
            return None;
        }
        let cursor = match read.seq {
            Some(seq) => Some(sum.take(seq, line)?),
            None => None,
        };
        Some(Self {
            text: String::from_utf8(line.to_vec()).ok()?,
            name: read.event,
            cursor,
            metadata: read.metadata,
            content: read.content,
        })
    }

    /// What its producers added under a key.
    pub fn metadata(&self, key: &str) -> Option<&Value> {
        self.metadata.get(key)
    }

    /// What happened, by key.
    pub fn content(&self, key: &str) -> Option<&Value> {
        self.content.get(key)
    }

    /// The call it belongs to.
    pub fn call(&self) -> Option<&str> {
        self.metadata("call").and_then(Value::as_str)
    }

    /// Whether it is another name of an event.
    pub fn is_alias(&self) -> bool {
        self.metadata.contains_key("alias_of")
    }
}

/// A live file that is read as it grows.
#[derive(Debug)]
pub struct LiveTail {
    path: PathBuf,
    header: Vec<u8>,
    offset: u64,
    sum: RunningSum,
    damaged: bool,
}

/// What a look at a live file showed.
#[derive(Debug)]
pub enum Grown {
    /// These lines are new; none if nothing happened.
    By(Vec<LiveLine>),
    /// Its next line has more than 4 MB: nothing behind it is read.
    TooLong,
    /// It is gone, damaged, or another one is in its place: it is not read on.
    No,
}

impl LiveTail {
    /// Begins to read a live file; `None` where none stands.
    pub fn open(path: &Path) -> Option<(Self, LiveHeader)> {
        let header = files::first_line(path, MOST_HEADER).ok()?;
        let line = header.strip_suffix(b"\n")?;
        let parsed: LiveHeader = serde_json::from_slice(line).ok()?;
        let tail = Self {
            path: path.to_path_buf(),
            offset: header.len() as u64,
            header,
            sum: RunningSum::default(),
            damaged: false,
        };
        (parsed.live == VERSION).then_some((tail, parsed))
    }

    /// The lines that are new.
    pub fn read(&mut self) -> Grown {
        match self.bytes() {
            Some(bytes) if !self.damaged => self.lines(&bytes),
            _ => Grown::No,
        }
    }

    /// The new bytes, if the file is still the one that was opened.
    fn bytes(&self) -> Option<Vec<u8>> {
        let mut file = files::open_own(&self.path).ok()?;
        let mut header = vec![0; self.header.len()];
        file.read_exact(&mut header).ok()?;
        if header != self.header || file.metadata().ok()?.len() < self.offset {
            return None;
        }
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST_LINE).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Whole lines; the rest of the last one is still being written.
    fn lines(&mut self, bytes: &[u8]) -> Grown {
        let whole = files::whole_lines(bytes);
        self.offset += whole.len() as u64;
        if whole.is_empty() && bytes.len() as u64 == MOST_LINE {
            return Grown::TooLong;
        }
        let all = whole.split_inclusive(|b| *b == b'\n');
        let sum = &mut self.sum;
        let sound = all.clone();
        let sound = sound.map_while(|line| LiveLine::parse(&line[..line.len() - 1], sum));
        let sound: Vec<LiveLine> = sound.collect();
        self.damaged = sound.len() < all.count();
        Grown::By(sound)
    }
}

/// The events in the log of a finished debate, as far as it is sound.
pub fn logged_lines(path: &Path) -> Vec<LiveLine> {
    let Ok(bytes) = files::read_own_at_most(path, MOST_LOG) else {
        return Vec::new();
    };
    let mut sum = RunningSum::default();
    let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines
        .take_while(|line| line.len() < MOST_LINE as usize)
        .map_while(|line| LiveLine::parse(line, &mut sum))
        .collect()
}
