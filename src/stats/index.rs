//! What was read of traces before, so that those that did not change need not be read again: `.rebut/stats/index`, which can be
//! deleted at any time. What is damaged in it is read again from the traces.
//!
//! A file counts as unchanged while its size and its time of modification are the same: a change that keeps both is not seen.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::facts::{Facts, Names};
use crate::files::{self, FileError};

/// The version of the meaning of [`Facts`]: to be raised when a field or what is put into it changes.
const FACTS_VERSION: u32 = 5;

/// The directory that the index stands in, below the output directory.
const DIRECTORY: &str = ".rebut/stats";

/// The largest record that is believed: a longer one is damage.
const MOST_BYTES: u32 = 16 << 20;

/// How many bytes of records are read ahead, for threads to share.
const AHEAD: usize = 1 << 20;

/// How many traces' facts are written at a time.
const BATCH: usize = 512;

/// How old a file must be to be put into the index, in nanoseconds. One that was written just now may be written again within
/// what the file system takes for the same time (two seconds on FAT), and nobody would see it.
const SETTLED_NS: u64 = 2_000_000_000;

/// What tells that a file did not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    size: u64,
    modified_ns: u64,
}

impl Stamp {
    /// That of a file, where its time can be told.
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        Some(Self {
            size: metadata.len(),
            modified_ns: nanoseconds(metadata.modified().ok()?)?,
        })
    }

    /// Whether a file with this stamp can be told from a later one; `now` is a time before it was read.
    pub(super) fn settled(self, now: SystemTime) -> bool {
        nanoseconds(now).is_some_and(|now| self.modified_ns.saturating_add(SETTLED_NS) < now)
    }
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// What was read of one trace.
#[derive(Debug)]
pub(super) struct Record {
    /// Its path below the output directory.
    path: PathBuf,
    stamp: Stamp,
    /// Path, stamp and facts, as they stand in the file.
    bytes: Vec<u8>,
    /// Where the facts begin.
    head: usize,
    /// The sum of the bytes.
    sum: u64,
}

impl Record {
    fn of(path: PathBuf, stamp: Stamp, facts: &Facts) -> io::Result<Self> {
        let name = path.to_str().unwrap_or_default();
        let bytes = postcard::to_allocvec(&(name, stamp)).map_err(io::Error::other)?;
        let head = bytes.len();
        let bytes = postcard::to_extend(facts, bytes).map_err(io::Error::other)?;
        Ok(Self {
            path,
            stamp,
            head,
            sum: checksum(&bytes),
            bytes,
        })
    }

    /// The record that these bytes are, if they are whole.
    fn parse(sum: u64, bytes: Vec<u8>) -> Option<Self> {
        (checksum(&bytes) == sum).then_some(())?;
        let ((path, stamp), facts) = postcard::take_from_bytes::<(&str, Stamp)>(&bytes).ok()?;
        Some(Self {
            path: PathBuf::from(path),
            stamp,
            head: bytes.len() - facts.len(),
            sum,
            bytes,
        })
    }

    /// The facts, if the file did not change and they can be read; their names are among `names`.
    pub(super) fn facts(&self, stamp: Stamp, names: &mut Names) -> Option<Facts> {
        (self.stamp == stamp).then_some(())?;
        Facts::known(&self.bytes[self.head..], names)
    }

    fn put(&self, file: &mut dyn Write) -> io::Result<()> {
        let length = u32::try_from(self.bytes.len()).map_err(io::Error::other)?;
        file.write_all(&length.to_le_bytes())?;
        file.write_all(&self.sum.to_le_bytes())?;
        file.write_all(&self.bytes)
    }
}

/// The index of one output directory, read from its beginning to its end.
#[derive(Debug)]
pub(super) struct Index {
    root: PathBuf,
    /// The directories that are read, below the output directory.
    asked: Vec<PathBuf>,
    records: Records,
    next: Option<Record>,
    /// Whether it holds something that it should not hold any more.
    stale: bool,
}

impl Index {
    /// The index of the output directory `root`, of which the directories `asked` are read.
    pub(super) fn open(root: &Path, asked: &[PathBuf]) -> Self {
        let below = asked.iter().filter_map(|dir| dir.strip_prefix(root).ok());
        let mut records = Records::open(root);
        Self {
            root: root.to_path_buf(),
            asked: below.map(Path::to_path_buf).collect(),
            next: records.next(),
            records,
            stale: false,
        }
    }

    /// What it holds of a trace. To be asked in order of paths.
    pub(super) fn of(&mut self, path: &Path) -> Option<Record> {
        let path = self.below(path)?;
        self.pass(|record| record.path < path);
        if self.next.as_ref()?.path != path {
            return None;
        }
        std::mem::replace(&mut self.next, self.records.next())
    }

    /// A path below the output directory; none where it cannot be written down.
    fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let path = path.strip_prefix(&self.root).ok()?;
        path.to_str().map(Path::new)
    }

    /// Passes over records that nobody asked for.
    fn pass(&mut self, passed: impl Fn(&Record) -> bool) {
        while let Some(record) = self.next.take_if(|record| passed(record)) {
            self.stale |= is_below(&record, &self.asked);
            self.next = self.records.next();
        }
    }

    /// Whether it holds what it should not hold: files that are gone, or damage.
    pub(super) fn is_stale(&mut self) -> bool {
        self.pass(|_| true);
        self.stale || self.records.damaged
    }

    /// The records of what was read, but for paths that cannot be written down.
    fn records_of(&self, read: Vec<(PathBuf, Stamp, &Facts)>) -> io::Result<Vec<Record>> {
        read.into_par_iter()
            .filter_map(|(path, stamp, facts)| {
                let path = self.below(&path)?.to_path_buf();
                Some(Record::of(path, stamp, facts))
            })
            .collect()
    }

    /// Writes it anew: what was read just now, in order of paths, and of other directories what it held.
    pub(super) fn write<'a>(
        &self,
        read: impl Iterator<Item = (PathBuf, Stamp, &'a Facts)>,
    ) -> Result<(), FileError> {
        let path = path_below(&self.root);
        files::own_dirs(&self.root, Path::new(DIRECTORY))?;
        files::sweep_for(&path)?;
        let other = |record: &Record| !is_below(record, &self.asked);
        let mut kept = Records::open(&self.root).filter(other).peekable();
        files::replace_unsynced(&path, |file| {
            file.write_all(header().as_bytes())?;
            for some in in_batches(read) {
                for record in self.records_of(some)? {
                    while let Some(other) = kept.next_if(|other| other.path < record.path) {
                        other.put(file)?;
                    }
                    record.put(file)?;
                }
            }
            kept.try_for_each(|record| record.put(file))
        })
    }
}

/// The items of an iterator, so many at a time that threads can share the work on them.
fn in_batches<T>(mut all: impl Iterator<Item = T>) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || {
        let some: Vec<T> = all.by_ref().take(BATCH).collect();
        (!some.is_empty()).then_some(some)
    })
}

fn is_below(record: &Record, dirs: &[PathBuf]) -> bool {
    dirs.iter().any(|dir| record.path.starts_with(dir))
}

fn path_below(root: &Path) -> PathBuf {
    root.join(DIRECTORY).join("index")
}

fn header() -> String {
    let rebut = env!("CARGO_PKG_VERSION");
    format!("rebut {rebut}, statistics index {FACTS_VERSION}\n")
}

/// The records of a file: what is damaged is passed over, where its end can be told.
#[derive(Debug, Default)]
struct Records {
    /// None where there is no index, or none of this version, or nothing more to be read.
    file: Option<BufReader<File>>,
    /// What was read ahead: a record, or damage.
    ready: std::vec::IntoIter<Option<Record>>,
    damaged: bool,
}

impl Records {
    fn open(root: &Path) -> Self {
        let none = Self::default();
        let Ok(file) = files::open_own(&path_below(root)) else {
            return none;
        };
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut first = Vec::new();
        let expected = header();
        let read = (&mut file)
            .take(expected.len() as u64)
            .read_until(b'\n', &mut first);
        if read.is_err() || first != expected.as_bytes() {
            return none;
        }
        Self {
            file: Some(file),
            ..none
        }
    }

    /// The next record's bytes and their sum, `Ok(None)` at the end of the file.
    fn block(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        if file.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let (mut length, mut sum) = ([0; 4], [0; 8]);
        file.read_exact(&mut length)?;
        file.read_exact(&mut sum)?;
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(Some((u64::from_le_bytes(sum), bytes)))
    }

    /// Reads ahead; nothing where the file has no more.
    fn more(&mut self) -> Option<()> {
        let (mut blocks, mut size) = (Vec::new(), 0);
        while self.file.is_some() && size < AHEAD {
            match self.block() {
                Ok(Some((sum, bytes))) => {
                    size += bytes.len();
                    blocks.push((sum, bytes));
                }
                end => {
                    self.damaged |= end.is_err();
                    self.file = None;
                }
            }
        }
        let parse = |(sum, bytes)| Record::parse(sum, bytes);
        let ready: Vec<_> = blocks.into_par_iter().map(parse).collect();
        (!ready.is_empty()).then(|| self.ready = ready.into_iter())
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            match self.ready.next() {
                Some(Some(record)) => return Some(record),
                Some(None) => self.damaged = true,
                None => self.more()?,
            }
        }
    }
}

/// A sum that damage changes: FNV-1a by words of eight bytes, folded so that every bit reaches every other. It keeps nobody
/// from writing a false index on purpose.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        mixed ^ (mixed >> 29)
    };
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let start = step(0xcbf2_9ce4_8422_2325, bytes.len() as u64);
    words.fold(start, step)
}
