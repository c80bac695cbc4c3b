//! The debate's named calls: looked up in the journal, or made, written, synced, and only then returned.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::call::Attempted;
use super::echo::{self, Theirs};
use super::halt::{Halt, Result};
use super::live::Live;
use super::plausible_counts::believed;
use super::recorded_times::RecordedTimes;
use crate::call_id::CallId;
use crate::clock::Clock;
use crate::digest;
use crate::journal::{Entry, ExternalEntry, FailureEntry, Header, Journal, ReplyEntry, Spent};
use crate::model::reply_fault::checked;
use crate::model::{Model, NoReply, Reply, Request};
use crate::sent::SentRequests;
use crate::shared::Shared;

/// The calls of one debate and their journal.
pub(super) struct Calls {
    pub(super) model: Arc<dyn Model>,
    journal: Option<Arc<Shared<Journal>>>,
    /// Attempts that were in the journal at the start, by call and attempt.
    past: HashMap<(String, u32), Attempted>,
    /// Externals that were in the journal at the start, by name.
    externals: HashMap<String, ExternalEntry>,
    pub(super) header: Header,
    clock: Clock,
    times: Arc<Shared<RecordedTimes>>,
    names: Shared<HashSet<String>>,
    pub(super) sent: Shared<SentRequests>,
}

impl Calls {
    pub(super) fn new(
        model: Arc<dyn Model>,
        journal: Option<Journal>,
        past: Vec<Entry>,
        header: Header,
        clock: Clock,
    ) -> Self {
        let (mut attempts, mut externals) = (HashMap::new(), HashMap::new());
        let mut times = RecordedTimes::since(header.started_at);
        for entry in past {
            times.take(&entry);
            match entry {
                Entry::Debate(_) => {}
                Entry::Reply(it) => drop(attempts.insert((it.call.clone(), it.attempt), Ok(it))),
                Entry::Failure(it) => drop(attempts.insert((it.call.clone(), it.attempt), Err(it))),
                Entry::External(it) => drop(externals.insert(it.name.clone(), it)),
            }
        }
        Self {
            model,
            journal: journal.map(|journal| Arc::new(Shared::new(journal))),
            past: attempts,
            externals,
            header,
            clock,
            times: Arc::new(Shared::new(times)),
            names: Shared::default(),
            sent: Shared::default(),
        }
    }

    /// Whether replies are journaled. Only rehearsals in memory do without.
    pub(super) fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// Takes a name for a call. No name is used twice in a debate.
    pub(super) fn take_name(&self, name: &str) -> Result<()> {
        if self.names.lock().insert(name.to_owned()) {
            return Ok(());
        }
        Err(Halt::Failed(format!("internal error (please report): the call {name} was made twice")))
    }

    /// The current time, which may enter a debate only as an external.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Each time that the clock was set back before an attempt was journaled, in words.
    pub(super) fn set_back_before(&self, call: &str, attempt: u32) -> Vec<String> {
        self.times.lock().set_back_before(call, attempt).to_vec()
    }

    /// Whether the journal has the first attempt of a call.
    pub(super) fn has(&self, name: &str) -> bool {
        self.past.contains_key(&(name.to_owned(), 1))
    }

    /// The result of an attempt: the journal's, or else a new one. What its prompt has of others is no echo.
    pub(super) async fn attempt(
        &self,
        request: &Request,
        pause: Duration,
        live: &Live<'_>,
        theirs: Theirs<'_>,
    ) -> Result<Attempted> {
        let journaled = self.journaled(request)?;
        self.sent.lock().add(request);
        if let Some(attempted) = journaled {
            return Ok(attempted.clone());
        }
        self.check_place(request)?;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        live.start();
        let answered = self.model.chat(request, &|chunk| live.chunk(chunk)).await;
        let whole = answered.as_ref().ok().map(|reply| believed(reply.clone(), request).0);
        let fit = |reply| echo::checked(checked(reply, request)?, request, theirs);
        let mut attempted = self.attempted(request, answered.and_then(|reply| Ok(fit(reply)?)))?;
        if let Err(failure) = &mut attempted {
            failure.spent = whole.as_ref().map(Spent::on);
        }
        self.append(match attempted.clone() {
            Ok(reply) => Entry::Reply(reply),
            Err(failure) => Entry::Failure(failure),
        })
        .await?;
        live.end(&attempted, whole.as_ref());
        Ok(attempted)
    }

    /// The journal's entry for an attempt. If its request differs, this program asks something else than the one that began the
    /// debate.
    pub(super) fn journaled(&self, request: &Request) -> Result<Option<&Attempted>> {
        let attempted = self.past.get(&(request.call.clone(), request.attempt));
        if let Some(Ok(ReplyEntry { digest, .. }) | Err(FailureEntry { digest, .. })) = attempted {
            let what = format!("the call {} (attempt {})", request.call, request.attempt);
            self.check_same(&what, digest, &request.digest())?;
        }
        Ok(attempted)
    }

    /// The journal's external of that name.
    pub(super) fn external(&self, name: &str) -> Option<&ExternalEntry> {
        self.externals.get(name)
    }

    /// The journal's external of that name, or else a new one, which is journaled.
    pub(super) async fn read(
        &self,
        name: &str,
        now: impl Future<Output = Result<Value>>,
    ) -> Result<ExternalEntry> {
        match self.external(name) {
            Some(entry) => Ok(entry.clone()),
            None => self.keep(name, now.await?).await,
        }
    }

    /// Journals an external.
    pub(super) async fn keep(&self, name: &str, value: Value) -> Result<ExternalEntry> {
        let entry = ExternalEntry { name: name.to_owned(), at: self.clock.now(), value };
        self.append(Entry::External(entry.clone())).await?;
        Ok(entry)
    }

    /// Refuses a new call while the journal has calls that the debate has not made yet: they would be dropped silently, or come
    /// in another place. A call about another call counts with that one, since other calls may run beside it.
    fn check_place(&self, request: &Request) -> Result<()> {
        let names = self.names.lock();
        let is_made = |name: &str| names.contains(name) || names.contains(CallId::principal(name));
        let unmade = |(name, _): &&(String, u32)| !is_made(name);
        match self.past.keys().filter(unmade).min() {
            None => Ok(()),
            Some((name, _)) => Err(self.changed(&format!(
                "the call {name} is in the journal but would no longer be made before {}",
                request.call
            ))),
        }
    }

    /// Refuses to continue if `what` differs from when the debate began.
    pub(super) fn check_same(&self, what: &str, journaled: &str, now: &str) -> Result<()> {
        if journaled == now {
            return Ok(());
        }
        Err(self.changed(&format!(
            "{what} would now be a different request ({} instead of {})",
            digest::brief(now),
            digest::brief(journaled),
        )))
    }

    fn changed(&self, difference: &str) -> Halt {
        let (began, this) = (&self.header.rebut, env!("CARGO_PKG_VERSION"));
        let (who, remedy) = if began == this {
            (
                format!("its journal was changed, or written by another build of rebut {this}"),
                "Restore the journal, continue with that build",
            )
        } else {
            (
                format!("rebut {began} began this debate, but this is {this}"),
                "Continue with the version that began it",
            )
        };
        Halt::Changed(format!("{difference}: {who}. {remedy}, or start over with --restart"))
    }

    fn attempted(&self, request: &Request, answered: Result<Reply, NoReply>) -> Result<Attempted> {
        let (call, attempt, digest) = (request.call.clone(), request.attempt, request.digest());
        let (at, model) = (self.clock.now(), request.model.clone());
        match answered {
            Ok(reply) => Ok(Ok(ReplyEntry { call, attempt, digest, at, model, reply })),
            Err(NoReply::Failed(error)) => Ok(Err(FailureEntry {
                call,
                attempt,
                digest,
                at,
                model,
                error: error.fault,
                message: error.message,
                spent: None,
            })),
            Err(other) => Err(other.into()),
        }
    }

    /// Appends to the journal and returns once the entry is on disk.
    async fn append(&self, entry: Entry) -> Result<()> {
        let Some(journal) = self.journal.clone() else {
            return Ok(());
        };
        let times = Arc::clone(&self.times);
        let append = move || {
            // Held for both, so that the times come in the order of the file.
            let mut journal = journal.lock();
            journal.append(&entry).inspect(|()| times.lock().take(&entry))
        };
        let written = tokio::task::spawn_blocking(append).await;
        written
            .map_err(|e| Halt::Parked(format!("the journal's writer broke: {e}")))?
            .map_err(Halt::from)
    }
}
