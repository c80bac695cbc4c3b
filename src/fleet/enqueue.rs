//! Enqueueing debates: their inputs first, then each debate once, whatever was enqueued before.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::try_join_all;

use super::error::{FleetError, refused};
use super::names::{RunDebate, RunName};
use super::pools::Pool;
use super::record::Record;
use super::server::{Nats, bytes};
use super::work::WorkItem;
use super::{done, inputs, journal, runs};
use crate::id::DebateId;
use crate::plan::Plan;
use crate::run::debate;
use crate::store::snapshot::Inputs;
use crate::templates::Templates;

/// Debates that are sent at a time.
const AT_A_TIME: usize = 200;

/// What became of the debates that were to be enqueued.
#[derive(Debug, Default)]
pub struct Enqueued {
    /// They wait now.
    pub new: u64,
    /// They waited before, or are in progress.
    pub waiting: u64,
    /// They are done.
    pub done: u64,
    /// The pools of those that wait.
    pub pools: BTreeSet<Pool>,
}

/// Enqueues the debates of a run.
pub struct Enqueuer<'n> {
    nats: &'n Nats,
    run: RunName,
    templates: &'n Templates,
    /// After how long without a word from its worker a debate is given to another.
    ack_wait: Duration,
    /// Whether debates that were given up are tried once more.
    again: bool,
    nonce: String,
    done: HashSet<DebateId>,
    /// The parts of snapshots that are there.
    parts: HashSet<String>,
    enqueued: Enqueued,
}

impl<'n> Enqueuer<'n> {
    /// Begins a run, or takes it up again.
    pub async fn begin(
        nats: &'n Nats,
        run: &RunName,
        templates: &'n Templates,
        ack_wait: Duration,
        again: bool,
    ) -> Result<Self, FleetError> {
        runs::set(nats, run, true).await?;
        Ok(Self {
            done: done_of(nats, run).await?,
            nats,
            run: run.clone(),
            templates,
            ack_wait,
            again,
            nonce: nats.nonce(),
            parts: HashSet::new(),
            enqueued: Enqueued::default(),
        })
    }

    /// Enqueues debates.
    pub async fn all(mut self, plans: impl Iterator<Item = Plan>) -> Result<Enqueued, FleetError> {
        let mut plans = plans.peekable();
        while plans.peek().is_some() {
            if runs::is_cancelled(self.nats, &self.run).await? {
                return Err(FleetError::Cancelled);
            }
            let mut ready = Vec::new();
            for plan in plans.by_ref().take(AT_A_TIME) {
                ready.extend(self.prepare(&plan).await?);
            }
            self.send(ready).await?;
        }
        Ok(self.enqueued)
    }

    /// Gets a debate ready to be sent, with all that must be there before it; nothing if it is done.
    async fn prepare(&mut self, plan: &Plan) -> Result<Option<Record>, FleetError> {
        let debate = self.run.debate(&plan.id);
        if self.done.contains(&plan.id) && !self.may_be_tried_again(&debate).await? {
            self.enqueued.done += 1;
            return Ok(None);
        }
        let divided = Inputs::of(plan, &debate::templates(self.templates, plan)).divided();
        for (digest, part) in divided.shared() {
            if self.parts.insert(digest.to_owned()) {
                inputs::put(self.nats, digest, part).await?;
            }
        }
        let pool = Pool::of(plan);
        if self.enqueued.pools.insert(pool.clone()) {
            pool.open(self.nats, self.ack_wait).await?;
        }
        let item = WorkItem {
            id: plan.id.clone(),
            inputs: divided.digest,
            snapshot: divided.parts,
        };
        let nonce = format!("{}-{}", self.nonce, plan.short_id());
        Ok(Some(Record {
            payload: bytes(&item),
            ..Record::new(debate.work(&pool.key()), "debate", nonce)
        }))
    }

    /// Whether a debate that was given up is tried once more; then nothing is in its way.
    async fn may_be_tried_again(&self, debate: &RunDebate) -> Result<bool, FleetError> {
        let is_given_up = done::given_up(self.nats, debate).await?.is_some();
        if !self.again || !is_given_up {
            return Ok(false);
        }
        journal::pardon(self.nats, debate).await?;
        let purged = self.nats.done.purge().filter(debate.done()).await;
        purged.map_err(refused("forget that a debate was given up"))?;
        Ok(true)
    }

    /// Sends debates; those are refused that wait already.
    async fn send(&mut self, ready: Vec<Record>) -> Result<(), FleetError> {
        let sent = ready
            .iter()
            .map(|it| it.publish(self.nats, &self.nats.work, 0, None));
        let sent = try_join_all(sent).await?;
        let new = sent.iter().flatten().count() as u64;
        self.enqueued.new += new;
        self.enqueued.waiting += sent.len() as u64 - new;
        Ok(())
    }
}

/// The debates of a run that are done.
async fn done_of(nats: &Nats, run: &RunName) -> Result<HashSet<DebateId>, FleetError> {
    let listed = nats.done.info_with_subjects(run.all_done()).await;
    let listed = listed.map_err(refused("list results"))?;
    let subjects: Vec<(String, usize)> = listed
        .try_collect()
        .await
        .map_err(refused("list results"))?;
    let debates = subjects
        .iter()
        .filter_map(|(subject, _)| RunDebate::of_subject(subject));
    Ok(debates.map(|debate| debate.id).collect())
}
