//! The journal of a debate on the server: one message per line, each after the one that its writer knows. The first of a worker
//! says that it goes on from here; whoever wrote before is refused from then on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_nats::jetstream::message::StreamMessage;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::error::{FleetError, Result, unusable};
use super::names::{KIND, RunDebate};
use super::nats::Nats;
use super::sequenced_message::{self, Record};
use crate::id::DebateId;
use crate::journal::{self, Contents, Replica};
use crate::model::permit::Permit;
use crate::shared::Shared;
use crate::stop::Stop;

/// A line of the journal.
pub(super) const ENTRY: &str = "entry";
/// A worker continues from here.
const ATTEMPT: &str = "attempt";
/// A worker has given the debate back in good order.
const RELEASED: &str = "released";
/// Whoever enqueues it again gives it another chance.
const PARDONED: &str = "pardoned";
/// The debate is collected: nothing follows.
pub(super) const CLOSED: &str = "closed";
/// How many workers in a row may die at one place of a debate.
pub(super) const MOST_DEATHS: u32 = 3;

/// What the journal of a debate holds.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// The sequence of its last message.
    pub(super) last: u64,
    /// Attempts since the last line, none of which came further or was given back.
    pub(super) deaths: u32,
    pub(super) is_closed: bool,
}

impl Replayed {
    /// Reads a journal.
    pub(super) async fn read(nats: &Nats, debate: &RunDebate) -> Result<Self> {
        let (mut replayed, subject) = (Self::default(), debate.journal());
        while let Some(message) =
            sequenced_message::next(&nats.journals, &subject, replayed.last + 1).await?
        {
            replayed.take(&message);
        }
        Ok(replayed)
    }

    fn take(&mut self, message: &StreamMessage) {
        self.last = message.sequence;
        let kind = sequenced_message::header(&message.headers, KIND).unwrap_or_default();
        self.deaths = deaths_after(self.deaths, kind);
        self.is_closed |= kind == CLOSED;
        if kind == ENTRY {
            let line = String::from_utf8_lossy(&message.payload);
            self.lines.push(line.into_owned());
        }
    }
}

/// Attempts in a row up to a record of this kind with nothing between: neither a line nor a word that it was given back.
fn deaths_after(deaths: u32, kind: &str) -> u32 {
    if kind == ATTEMPT { deaths + 1 } else { 0 }
}

/// The journal of a debate that this worker continues.
#[derive(Debug)]
pub(super) struct DebateJournal {
    nats: Nats,
    subject: String,
    nonce: String,
    last: Mutex<u64>,
    is_fenced: AtomicBool,
    /// Of this debate alone.
    stop: Stop,
    /// Why a line was not taken.
    pub(super) refused: Shared<Option<FleetError>>,
    runtime: Handle,
}

impl DebateJournal {
    /// The journal of a debate after what was read of it. `stop` is the debate's own: it is requested when another worker continues it.
    pub(super) fn after(
        nats: &Nats,
        debate: &RunDebate,
        replayed: &Replayed,
        stop: &Stop,
    ) -> Arc<Self> {
        Arc::new(Self {
            nats: nats.clone(),
            subject: debate.journal(),
            nonce: nats.nonce(),
            last: Mutex::new(replayed.last),
            is_fenced: AtomicBool::new(false),
            stop: stop.clone(),
            refused: Shared::default(),
            runtime: Handle::current(),
        })
    }

    /// What tells this attempt from any other.
    pub(super) fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Whether another worker continues the debate.
    pub(super) fn is_fenced(&self) -> bool {
        self.is_fenced.load(Ordering::Relaxed)
    }

    /// Says that this worker continues from here. False where another was quicker.
    pub(super) async fn begin(&self, worker: &str) -> Result<bool> {
        self.append_as(ATTEMPT, worker.into()).await
    }

    /// Gives the debate back in good order.
    pub(super) async fn release(&self) -> Result<bool> {
        self.append_as(RELEASED, Vec::new()).await
    }

    /// Appends a line. False where another worker continues the debate.
    pub(super) async fn line(&self, line: &str) -> Result<bool> {
        self.append_as(ENTRY, line.into()).await
    }

    async fn append_as(&self, kind: &'static str, payload: Vec<u8>) -> Result<bool> {
        let mut last = self.last.lock().await;
        if self.is_fenced() {
            return Ok(false);
        }
        let record =
            Record { payload, ..Record::new(self.subject.clone(), kind, self.nonce.clone()) };
        let published = record.publish(&self.nats, &self.nats.journals, *last, Some(&self.stop));
        match published.await? {
            Some(sequence) => *last = sequence,
            None => self.fence(),
        }
        Ok(!self.is_fenced())
    }

    /// Another worker continues the debate: nothing more is asked for it here.
    fn fence(&self) {
        if !self.is_fenced.swap(true, Ordering::Relaxed) {
            self.stop.request("another worker");
        }
    }

    /// Looks whether another worker has begun since.
    async fn look(&self) {
        let last = self.last.lock().await;
        // A server that is away says nothing; the reply waits for it. A replica may be behind, but is never ahead.
        let found = sequenced_message::last(&self.nats.journals, &self.subject).await;
        if found.is_ok_and(|it| it.is_some_and(|it| it.sequence > *last)) {
            self.fence();
        }
    }
}

impl Permit for DebateJournal {
    fn may_ask(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            self.look().await;
            !self.stop.is_requested()
        })
    }
}

impl Replica for DebateJournal {
    fn append(&self, line: &str) -> Result<(), String> {
        // A journal is written to on a thread that may wait.
        match self.runtime.block_on(self.line(line)) {
            Ok(true) => Ok(()),
            Ok(false) => Err("another worker continues this debate".to_owned()),
            Err(error) => {
                let cause = error.to_string();
                *self.refused.lock() = Some(error);
                Err(cause)
            }
        }
    }
}

/// A journal from its lines.
pub(super) fn parse(lines: &[String], id: &DebateId) -> Result<Contents> {
    let bytes: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    let contents = journal::parse(Path::new("the journal on the server"), bytes.as_bytes())?;
    match contents.header() {
        Some(header) if header.id != *id => Err(unusable("a journal")("it is another debate's")),
        _ => Ok(contents),
    }
}

/// Gives a debate another chance on which workers died.
pub(super) async fn pardon(nats: &Nats, debate: &RunDebate) -> Result<()> {
    let replayed = Replayed::read(nats, debate).await?;
    let pardon = Record::new(debate.journal(), PARDONED, nats.nonce());
    let published = pardon.publish(nats, &nats.journals, replayed.last, None);
    // Where something else is there by now, a worker is at it, which is as good.
    published.await.map(drop)
}

/// Puts one word in the place of a journal whose debate is collected. A worker that was asleep since finds it there.
pub(super) async fn close(nats: &Nats, debate: &RunDebate) -> Result<()> {
    let last = sequenced_message::last(&nats.journals, &debate.journal()).await?;
    let closing = Record::new(debate.journal(), CLOSED, nats.nonce()).in_place_of_all();
    let expected = last.map_or(0, |it| it.sequence);
    let published = closing.publish(nats, &nats.journals, expected, None);
    // Who wrote meanwhile is a worker that will find the debate done.
    published.await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_poison(kinds: &[&str]) -> bool {
        let deaths = kinds.iter().fold(0, |deaths, kind| deaths_after(deaths, kind));
        let replayed = Replayed { deaths, ..Replayed::default() };
        replayed.deaths >= MOST_DEATHS
    }

    #[test]
    fn f2_only_attempts_in_a_row_without_a_call_between_are_poison() {
        assert!(is_poison(&[ENTRY, ATTEMPT, ATTEMPT, ATTEMPT]));
        for between in [ENTRY, RELEASED, PARDONED] {
            assert!(!is_poison(&[ATTEMPT, ATTEMPT, between, ATTEMPT, ATTEMPT]));
            assert!(!is_poison(&[ATTEMPT, ATTEMPT, ATTEMPT, between]));
        }
    }
}
