//! Reading a live file while it grows, and the log of a finished debate. Either may come from someone else, so anything
//! unexpected ends the reading.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::cursor::{Cursor, RunningSum};
use super::place::{LiveHeader, VERSION, is_one_line};
use crate::files;

/// Maximum bytes of a line, and of a single read.
const MOST_LINE: u64 = 4 << 20;
/// Maximum bytes of the first line.
const MOST_HEADER: u64 = 64 << 10;
/// Maximum bytes of a finished debate's log.
const MOST_LOG: u64 = 64 << 20;

/// An event as written in a file.
#[derive(Debug, Clone)]
pub struct LiveLine {
    /// The line without its end.
    pub text: String,
    /// The event's name.
    pub name: String,
    /// The position after it in the log; `None` for a live event, which is not in the log.
    pub cursor: Option<Cursor>,
    metadata: Map<String, Value>,
    content: Value,
}

/// The parts of an event that are read.
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
    /// Whether the run leaves the debate unfinished with it.
    pub fn is_left(&self) -> bool {
        self.name == "left"
    }

    /// Whether a call has failed with it, so that the text of the attempt is void.
    pub fn ends_in_vain(&self) -> bool {
        self.name == "call_end" && self.content("error") != Some(&Value::Null)
    }

    /// The next line of a log; `None` if it is not an event, or not the next one.
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

    /// A value from its metadata.
    pub fn metadata(&self, key: &str) -> Option<&Value> {
        self.metadata.get(key)
    }

    /// A value from its content.
    pub fn content(&self, key: &str) -> Option<&Value> {
        self.content.get(key)
    }

    /// The call it belongs to.
    pub fn call(&self) -> Option<&str> {
        self.metadata("call").and_then(Value::as_str)
    }

    /// Whether it repeats an event under another name.
    pub fn is_alias(&self) -> bool {
        self.metadata.contains_key("alias_of")
    }
}

/// A live file, read as it grows.
#[derive(Debug)]
pub struct LiveTail {
    path: PathBuf,
    header: Vec<u8>,
    offset: u64,
    sum: RunningSum,
    damaged: bool,
    /// Whether a line came that is too long. Nothing after it is read.
    stopped: bool,
}

/// The result of reading on in a live file.
#[derive(Debug)]
pub enum Grown {
    /// The new lines; none if nothing happened.
    By(Vec<LiveLine>),
    /// The next line is longer than 4 MB, so nothing after it is read. Said once.
    TooLong,
    /// The file is gone, damaged or replaced by another one, so it is not read any further.
    No,
}

impl LiveTail {
    /// Begins to read a live file; `None` if there is none.
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
            stopped: false,
        };
        (parsed.live == VERSION).then_some((tail, parsed))
    }

    /// Reads the new lines.
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
        let mut bytes = Vec::new();
        if self.stopped {
            return Some(bytes);
        }
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        file.take(MOST_LINE).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The whole lines; the rest of the last one is still being written.
    fn lines(&mut self, bytes: &[u8]) -> Grown {
        let whole = files::whole_lines(bytes);
        self.offset += whole.len() as u64;
        if whole.is_empty() && bytes.len() as u64 == MOST_LINE {
            self.stopped = true;
            return Grown::TooLong;
        }
        let all = whole.split_inclusive(|b| *b == b'\n');
        let sum = &mut self.sum;
        let sound: Vec<LiveLine> =
            all.clone().map_while(|line| LiveLine::parse(&line[..line.len() - 1], sum)).collect();
        self.damaged = sound.len() < all.count();
        Grown::By(sound)
    }
}

/// The events in the log of a finished debate, up to any damage.
pub fn logged_lines(path: &Path) -> Vec<LiveLine> {
    let Ok(bytes) = files::read_own_at_most(path, MOST_LOG) else { return Vec::new() };
    let mut sum = RunningSum::default();
    let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines
        .take_while(|line| line.len() < MOST_LINE as usize)
        .map_while(|line| LiveLine::parse(line, &mut sum))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_a_line_that_is_too_long_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("live.jsonl");
        let header = "{\"live\":1,\"debate\":\"D\",\"run\":\"x\",\"pid\":1,\"n\":0}\n"
            .replace('D', &"0".repeat(64));
        let long = "x".repeat(MOST_LINE as usize);
        std::fs::write(&path, format!("{header}{long}\n")).unwrap();
        let (mut tail, _) = LiveTail::open(&path).unwrap();
        assert!(matches!(tail.read(), Grown::TooLong));
        for _ in 0..2 {
            assert!(matches!(tail.read(), Grown::By(lines) if lines.is_empty()));
        }
        // It is still seen that the file is another.
        std::fs::write(&path, header.replacen("\"n\":0", "\"n\":1", 1)).unwrap();
        assert!(matches!(tail.read(), Grown::No));
    }
}
