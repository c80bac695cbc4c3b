//! A debate's journal: one JSON object per line, each with a checksum. A torn last line never happened; any other damage
//! is an error that names the file and the line.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest;
use crate::files::{self, Appender, FileError};
use crate::id::DebateId;
use crate::model::permit::Permit;
use crate::model::{Durations, Fault, Reply, Tokens};

/// The version of the journal's format.
pub const VERSION: u32 = 1;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The first line: which debate this is.
    Debate(Header),
    /// A reply that was taken.
    Reply(ReplyEntry),
    /// An attempt without a usable reply.
    Failure(FailureEntry),
    /// Any other value from outside.
    #[serde(rename = "reading")]
    External(ExternalEntry),
}

impl Entry {
    /// The call, the number and the request's digest of an attempt.
    fn attempted(&self) -> Option<(&str, u32, &str)> {
        match self {
            Entry::Reply(it) => Some((&it.call, it.attempt, &it.digest)),
            Entry::Failure(it) => Some((&it.call, it.attempt, &it.digest)),
            Entry::External(_) | Entry::Debate(_) => None,
        }
    }

    /// The call that it is an attempt of.
    pub fn call(&self) -> Option<&str> {
        self.attempted().map(|(call, ..)| call)
    }

    /// The digest of the request that an attempt made.
    pub fn digest(&self) -> Option<&str> {
        self.attempted().map(|(.., digest)| digest)
    }

    /// The value from outside that it is.
    pub fn external(&self) -> Option<&ExternalEntry> {
        match self {
            Entry::External(value) => Some(value),
            Entry::Debate(_) | Entry::Reply(_) | Entry::Failure(_) => None,
        }
    }

    /// The tokens of an attempt, as far as they are known, but at least one.
    pub fn tokens(&self) -> Option<u64> {
        let tokens = match self {
            Entry::Reply(it) => it.reply.tokens,
            Entry::Failure(it) => it.spent.unwrap_or_default().tokens,
            Entry::Debate(_) | Entry::External(_) => return None,
        };
        Some(tokens.prompt.saturating_add(tokens.reply).max(1))
    }

    /// Which attempt of its call it is, from 1.
    pub fn attempt(&self) -> Option<u32> {
        self.attempted().map(|(_, attempt, _)| attempt)
    }
}

/// Which debate a journal belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub journal: u32,
    /// The debate's id.
    pub id: DebateId,
    /// The version of `rebut` that began it.
    pub rebut: String,
    /// The digest of the snapshot of inputs.
    pub inputs: String,
    /// Where the parts of the snapshot of a debate are; a judging has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotParts>,
    /// The directory that the debate gets at its commit, below the output directory.
    pub directory: String,
    /// When it began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub started_at: DateTime<Utc>,
}

impl Header {
    /// Of a debate that this version begins.
    pub fn new(
        id: &DebateId,
        inputs: String,
        snapshot: Option<SnapshotParts>,
        directory: String,
        started_at: DateTime<Utc>,
    ) -> Self {
        Self {
            journal: VERSION,
            id: id.clone(),
            rebut: env!("CARGO_PKG_VERSION").to_owned(),
            inputs,
            snapshot,
            directory,
            started_at,
        }
    }
}

/// Where the parts of a debate's snapshot of inputs are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotParts {
    /// The digest of the templates, in a file that debates share.
    pub templates: String,
    /// The digest of the plan without the fields below, in a file that debates share.
    pub plan: String,
    /// The fields of the plan that are this debate's own.
    pub own: Map<String, Value>,
}

/// A reply that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyEntry {
    /// The call's name.
    pub call: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The request's digest.
    pub digest: String,
    /// When it was complete.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// The model that answered.
    pub model: String,
    /// What it answered.
    #[serde(flatten)]
    pub reply: Reply,
}

/// An attempt without a usable reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureEntry {
    /// The call's name.
    pub call: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The request's digest.
    pub digest: String,
    /// When it failed.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// The model.
    pub model: String,
    /// What went wrong.
    pub error: Fault,
    /// In words.
    pub message: String,
    /// What it took, if a whole reply came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
}

/// What a whole reply took that could not be used, as far as its server's counts can be right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Its tokens.
    pub tokens: Tokens,
    /// Its durations.
    pub ns: Durations,
}

impl Spent {
    /// What this reply took.
    pub(crate) fn on(reply: &Reply) -> Self {
        Self { tokens: reply.tokens, ns: reply.ns }
    }
}

/// A value from outside other than a reply, such as a model's card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExternalEntry {
    /// Its name, unique among externals and calls.
    pub name: String,
    /// When it was read.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// The value.
    pub value: Value,
}

/// A journal that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// It belongs to another debate than its name says.
    #[error("{} is the journal of another debate, {found}", path.display())]
    Foreign {
        /// The journal.
        path: PathBuf,
        /// The debate that its first line names.
        found: DebateId,
    },
    /// Another process writes to it, although nobody else has claimed the debate.
    #[error("{} is being written by another process", .0.display())]
    Locked(PathBuf),
    /// The journal's replica did not take an entry.
    #[error("{0}")]
    Replica(String),
    /// A line before the last is damaged.
    #[error("{}:{line}: the journal is damaged here: {reason}", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// What a journal file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// Its entries in order.
    pub entries: Vec<Entry>,
    /// How many bytes of the file they take; anything after them is a torn line.
    pub whole_bytes: u64,
}

/// One entry as its line, without the line end.
pub fn line(entry: &Entry) -> String {
    // Entries hold strings, numbers and JSON values only: writing them as JSON cannot fail.
    let mut value = serde_json::to_value(entry).expect("an entry is JSON");
    value["sum"] = checksum(&value).into();
    value.to_string()
}

/// A checksum over an entry without its `sum`: 16 digits of SHA-256 over canonical JSON.
fn checksum(value: &Value) -> String {
    digest::of_json(value)[..16].to_owned()
}

impl Contents {
    /// The names of the calls, in the order in which they were first answered.
    pub fn calls(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let calls = self.entries.iter().filter_map(Entry::call);
        calls.filter(|name| seen.insert(*name)).collect()
    }

    /// The first line, unless there is none yet.
    pub fn header(&self) -> Option<&Header> {
        match self.entries.first() {
            Some(Entry::Debate(header)) => Some(header),
            _ => None,
        }
    }

    /// Refuses the journal of another debate than `id`.
    fn of_debate(self, path: &Path, id: &DebateId) -> Result<Self, JournalError> {
        match self.header() {
            Some(header) if header.id != *id => {
                Err(JournalError::Foreign { path: path.to_path_buf(), found: header.id.clone() })
            }
            _ => Ok(self),
        }
    }
}

/// Reads the journal of a debate; a file that is not there is empty.
pub fn load(path: &Path, id: &DebateId) -> Result<Contents, JournalError> {
    let bytes = match files::read_own(path) {
        Err(e) if e.source.kind() == ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    parse(path, &bytes)?.of_debate(path, id)
}

/// A journal's first line; `None` if it cannot be read.
pub fn header_of(path: &Path) -> Option<Header> {
    let line = files::first_line(path, u64::MAX).ok()?;
    let first = parse(path, &line).ok()?;
    first.header().cloned()
}

/// Reads a journal's bytes; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Contents, JournalError> {
    let mut entries = Vec::new();
    let mut whole_bytes = 0;
    for (i, raw) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        let last = whole_bytes + raw.len() == bytes.len();
        match parse_line(raw) {
            Ok(entry) => entries.push(entry),
            Err(BadLine::Torn(_)) if last => break,
            Err(BadLine::Torn(reason) | BadLine::Foreign(reason)) => {
                return Err(JournalError::Damaged {
                    path: path.to_path_buf(),
                    line: i + 1,
                    reason,
                });
            }
        }
        whole_bytes += raw.len();
    }
    check_first(path, &entries)?;
    Ok(Contents { entries, whole_bytes: whole_bytes as u64 })
}

fn check_first(path: &Path, entries: &[Entry]) -> Result<(), JournalError> {
    let damaged = |line, reason: &str| {
        Err(JournalError::Damaged { path: path.to_path_buf(), line, reason: reason.to_owned() })
    };
    let [first, rest @ ..] = entries else { return Ok(()) };
    let Entry::Debate(Header { journal, .. }) = first else {
        return damaged(1, "the first line does not say which debate this is");
    };
    if *journal != VERSION {
        let versions = format!("it has version {journal}, but this program reads {VERSION}");
        return damaged(1, &versions);
    }
    let second = rest.iter().position(|entry| matches!(entry, Entry::Debate(_)));
    second.map_or(Ok(()), |at| damaged(at + 2, "a second debate begins"))
}

/// A line that is not an entry.
enum BadLine {
    /// Its bytes are not what was written.
    Torn(String),
    /// Its bytes are whole, but this program does not know what they say.
    Foreign(String),
}

fn parse_line(raw: &[u8]) -> Result<Entry, BadLine> {
    let torn = |reason: &str| BadLine::Torn(reason.to_owned());
    let text = raw.strip_suffix(b"\n").ok_or_else(|| torn("the line is incomplete"))?;
    let mut value: Value = serde_json::from_slice(text).map_err(|e| torn(&e.to_string()))?;
    let fields = value.as_object_mut();
    let sum =
        fields.and_then(|fields| fields.remove("sum")).ok_or_else(|| torn("it has no checksum"))?;
    if sum != checksum(&value) {
        return Err(torn("its checksum does not match"));
    }
    serde_json::from_value(value).map_err(|e| BadLine::Foreign(e.to_string()))
}

/// Where every entry stands as well before it counts as written, so that another machine can continue from it.
pub trait Replica: Permit {
    /// Appends an entry's line, without a line end. It is kept there when this returns; else the error says why not.
    fn append(&self, line: &str) -> Result<(), String>;
}

/// A journal open for writing: every append is on disk when it returns.
#[derive(Debug)]
pub struct Journal {
    file: Appender,
    replica: Option<Arc<dyn Replica>>,
}

impl Journal {
    /// Opens the journal of a debate, or makes it, and reads what it holds; a torn last line is dropped.
    pub fn open(path: &Path, id: &DebateId) -> Result<(Contents, Self), JournalError> {
        let (bytes, mut appender) = Appender::open(path).map_err(|e| match e.source.kind() {
            ErrorKind::WouldBlock => JournalError::Locked(path.to_path_buf()),
            _ => e.into(),
        })?;
        let contents = parse(path, &bytes)?.of_debate(path, id)?;
        appender.keep(contents.whole_bytes)?;
        Ok((contents, Self { file: appender, replica: None }))
    }

    /// Has a replica, which holds the same so far, take every entry before the file does.
    pub fn replicate(&mut self, replica: Arc<dyn Replica>) {
        self.replica = Some(replica);
    }

    /// Appends one entry and syncs it.
    pub fn append(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let line = line(entry);
        if let Some(replica) = &self.replica {
            replica.append(&line).map_err(JournalError::Replica)?;
        }
        Ok(self.file.append(&line)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(n: u32) -> Entry {
        let at = DateTime::UNIX_EPOCH;
        Entry::External(ExternalEntry {
            name: format!("reading/{n}"),
            at,
            value: json!({"x": n, "t": "é\u{1f600}"}),
        })
    }

    fn header() -> Entry {
        Entry::Debate(Header {
            journal: VERSION,
            id: DebateId::from_identity(&json!("a")),
            rebut: "0".into(),
            inputs: "i".into(),
            snapshot: None,
            directory: "d".into(),
            started_at: DateTime::UNIX_EPOCH,
        })
    }

    fn bytes(entries: &[Entry]) -> Vec<u8> {
        entries.iter().flat_map(|e| (line(e) + "\n").into_bytes()).collect()
    }

    #[test]
    fn a_last_line_torn_at_any_byte_is_dropped() {
        let entries = [header(), entry(1), entry(2)];
        let whole = bytes(&entries);
        let kept = bytes(&entries[..2]).len();
        for length in kept..whole.len() {
            let contents = parse(Path::new("j"), &whole[..length]).unwrap();
            assert_eq!(
                (contents.entries.len(), contents.whole_bytes),
                (2, kept as u64),
                "{length}"
            );
        }
        assert_eq!(parse(Path::new("j"), &whole).unwrap().entries, entries);
    }

    #[test]
    fn damage_before_the_last_line_names_file_and_line() {
        let mut damaged = bytes(&[header(), entry(1), entry(2)]);
        let at = String::from_utf8(damaged.clone()).unwrap().find("reading/1").unwrap() + 8;
        damaged[at] = b'7';
        let error = parse(Path::new("out/j.jsonl"), &damaged).unwrap_err().to_string();
        assert_eq!(
            error,
            "out/j.jsonl:2: the journal is damaged here: its checksum does not match"
        );
    }

    #[derive(Debug, Default)]
    struct Kept {
        lines: crate::shared::Shared<Vec<String>>,
        is_full: bool,
    }

    impl Permit for Kept {
        fn may_ask(&self) -> futures_util::future::BoxFuture<'_, bool> {
            Box::pin(async { true })
        }
    }

    impl Replica for Kept {
        fn append(&self, line: &str) -> Result<(), String> {
            self.lines.lock().push(line.to_owned());
            if self.is_full { Err("full".to_owned()) } else { Ok(()) }
        }
    }

    #[test]
    fn f2_an_entry_that_the_replica_refuses_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        let id = DebateId::from_identity(&json!("a"));
        let (_, mut journal) = Journal::open(&path, &id).unwrap();
        let replica = Arc::new(Kept::default());
        journal.replicate(Arc::clone(&replica) as Arc<dyn Replica>);
        journal.append(&header()).unwrap();
        assert_eq!(*replica.lines.lock(), [line(&header())]);
        journal.replicate(Arc::new(Kept { is_full: true, ..Kept::default() }));
        let refused = journal.append(&entry(1)).unwrap_err();
        assert_eq!(refused.to_string(), "full");
        assert_eq!(load(&path, &id).unwrap().entries, [header()]);
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let mut value = json!({"kind": "surprise"});
        value["sum"] = checksum(&value).into();
        let mut damaged = bytes(&[header()]);
        damaged.extend_from_slice(format!("{value}\n").as_bytes());
        let error = parse(Path::new("j"), &damaged).unwrap_err().to_string();
        assert!(error.contains("j:2") && error.contains("surprise"), "{error}");
    }
}
