//! The output directory as a store of debates, through the functions that `run` calls: claim, journal, commit.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use super::{DebateStore, conforms};
use crate::artifacts::Artifact;
use crate::clock::Clock;
use crate::files::{self, Claim};
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::sent::SentRequests;
use crate::shared::Shared;
use crate::store::commit::{self, Committer, DebateParts, Standing};
use crate::store::layout::OutputDir;
use crate::store::resume;

/// How long a lock is waited for.
const FORK: Duration = Duration::from_secs(10);

struct Directory {
    output: OutputDir,
    committer: Committer,
    clock: Clock,
    _dir: TempDir,
}

/// One who holds the claim of a debate. The journal is let go first.
struct Holder {
    journal: Shared<Journal>,
    id: DebateId,
    claim: Claim,
}

fn directory() -> Option<Directory> {
    let dir = TempDir::new().expect("a directory");
    let output = OutputDir::at(dir.path());
    output.prepare().expect("an output directory");
    Some(Directory {
        committer: Committer::new(&output),
        output,
        clock: Clock::fixed(chrono::DateTime::UNIX_EPOCH),
        _dir: dir,
    })
}

/// An index that says which debate it is.
fn index(id: &DebateId) -> Artifact {
    let fields = json!({
        "id": &**id, "status": "done", "job": "job", "rehearsal": true, "topic": "t", "outcome": null, "cause": null,
    });
    let fields = fields.as_object().expect("an object");
    let lines: String = fields.iter().map(|(key, it)| format!("{key}: {it}\n")).collect();
    artifact("index.md", &format!("---\n{lines}---\n"))
}

fn artifact(path: &str, content: &str) -> Artifact {
    Artifact { path: path.to_owned(), content: content.to_owned() }
}

impl Directory {
    /// The journal of a debate, wherever it stands.
    fn journal(&self, id: &DebateId) -> Vec<Entry> {
        let places = [self.output.running_journal(id), self.output.finished_journal(id)];
        let there = places.iter().find(|path| path.exists());
        let load = |path: &Path| journal::load(path, id).expect("a journal").entries;
        there.map_or(Vec::new(), |path| load(path))
    }

    /// The journal of a debate whose claim is held. A child that another test has forked may hold the lock of its last writer until
    /// it runs its own program, which is a matter of milliseconds.
    fn opened(&self, id: &DebateId) -> Journal {
        let began = Instant::now();
        loop {
            match Journal::open(&self.output.running_journal(id), id) {
                Err(JournalError::Locked(_)) if began.elapsed() < FORK => thread::yield_now(),
                opened => break opened.expect("a journal").1,
            }
        }
    }

    fn header(&self, id: &DebateId) -> Header {
        match self.journal(id).into_iter().next() {
            Some(Entry::Debate(header)) => header,
            other => panic!("{other:?} begins no journal"),
        }
    }
}

impl DebateStore for Directory {
    type Writer = Holder;

    fn load(&self, id: &DebateId) -> Vec<Entry> {
        self.journal(id)
    }

    fn continue_debate(&self, id: &DebateId) -> Option<Holder> {
        let claim = self.output.claim(id, "a test").expect("a claim").ok()?;
        let found = resume::finished_since(&self.output, id).expect("a look");
        let standing = || commit::settle(&self.output, id, &self.clock).expect("a look");
        if found.is_some() && standing() == Standing::Finished {
            return None;
        }
        Some(Holder { journal: Shared::new(self.opened(id)), id: id.clone(), claim })
    }

    fn append(&self, writer: &Holder, entry: &Entry) -> bool {
        writer.journal.lock().append(entry).is_ok()
    }

    fn commit(&self, writer: &Holder, text: &str) -> bool {
        let debate = DebateParts {
            header: &self.header(&writer.id),
            artifacts: &[index(&writer.id), artifact("summary.md", text)],
            facts: None,
            sent: &SentRequests::default(),
        };
        let committed = self.committer.commit(&writer.claim, &debate, &self.clock);
        committed.is_ok()
    }

    fn committed(&self, id: &DebateId) -> Option<String> {
        let found = resume::finished_since(&self.output, id).expect("a look")?;
        files::read_text(&found.path.join("summary.md")).ok()
    }
}

conforms!(directory());
