//! Enqueueing debates: their inputs first, then each debate once, whatever was enqueued before.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::Stream;
use futures_util::future::try_join_all;
use futures_util::stream::TryStreamExt;
use tokio::task::{JoinError, JoinSet};

use super::error::{FleetError, Result, refused};
use super::names::RunDebate;
use super::nats::{Nats, bytes};
use super::pools::Pool;
use super::sequenced_message::Record;
use super::work_item::WorkItem;
use super::{atomic_publish, done, inputs, journal, runs};
use crate::id::{DebateId, RunName};
use crate::plan::Plan;
use crate::store::shared_snapshots::SharedSnapshots;
use crate::templates::Templates;

/// Batches of debates that are on their way at a time.
const BATCHES: usize = 3;
/// How often it is looked whether the run is cancelled in the meantime.
const LOOK_EVERY: Duration = Duration::from_secs(1);

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
    /// After how long without a word from its worker a debate is given to another.
    ack_wait: Duration,
    /// Whether debates that were given up are tried once more.
    again: bool,
    nonce: String,
    done: HashSet<DebateId>,
    waiting: HashSet<DebateId>,
    shared: SharedSnapshots<'n>,
    looked_at: Instant,
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
    ) -> Result<Self> {
        runs::set(nats, run, true).await?;
        Ok(Self {
            done: debates_in(&nats.done, run.all_done()).await?,
            waiting: debates_in(&nats.work, run.all_work()).await?,
            nats,
            run: run.clone(),
            ack_wait,
            again,
            nonce: nats.nonce(),
            shared: SharedSnapshots::new(templates),
            looked_at: Instant::now(),
            enqueued: Enqueued::default(),
        })
    }

    /// Enqueues debates. While some are on their way, the next are got ready.
    pub async fn all(mut self, plans: impl Iterator<Item = Plan>) -> Result<Enqueued> {
        let (mut ready, mut sent) = (Vec::new(), JoinSet::new());
        for plan in plans {
            self.look().await?;
            ready.extend(self.prepare(plan).await?);
            if ready.len() >= atomic_publish::MOST {
                if sent.len() >= BATCHES {
                    self.count(sent.join_next().await)?;
                }
                sent.spawn(send(self.nats.clone(), std::mem::take(&mut ready)));
            }
        }
        sent.spawn(send(self.nats.clone(), ready));
        while !sent.is_empty() {
            self.count(sent.join_next().await)?;
        }
        Ok(self.enqueued)
    }

    /// Breaks off where the run was cancelled since.
    async fn look(&mut self) -> Result<()> {
        if self.looked_at.elapsed() < LOOK_EVERY {
            return Ok(());
        }
        self.looked_at = Instant::now();
        if runs::is_cancelled(self.nats, &self.run).await? {
            Err(FleetError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Gets a debate ready to be sent, with all that must be there before it; nothing if it is done or waits.
    async fn prepare(&mut self, plan: Plan) -> Result<Option<Record>> {
        let debate = self.run.debate(&plan.id);
        if self.done.contains(&plan.id) && !self.may_be_tried_again(&debate).await? {
            self.enqueued.done += 1;
            return Ok(None);
        }
        let pool = Pool::of(&plan);
        let key = pool.key();
        if !self.enqueued.pools.contains(&pool) {
            pool.open(self.nats, self.ack_wait).await?;
            self.enqueued.pools.insert(pool);
        }
        if self.waiting.contains(&plan.id) {
            self.enqueued.waiting += 1;
            return Ok(None);
        }
        let id = plan.id.clone();
        let (snapshot, new) = self.shared.divide(plan);
        for (digest, part) in new {
            inputs::put(self.nats, &digest, &part).await?;
        }
        let nonce = format!("{}-{}", self.nonce, id.short());
        Ok(Some(Record {
            payload: bytes(&WorkItem { id, snapshot }),
            ..Record::new(debate.work(&key), "debate", nonce)
        }))
    }

    /// Whether a debate that was given up is tried once more; then nothing is in its way.
    async fn may_be_tried_again(&self, debate: &RunDebate) -> Result<bool> {
        if !self.again || done::given_up(self.nats, debate).await?.is_none() {
            return Ok(false);
        }
        journal::pardon(self.nats, debate).await?;
        let purged = self.nats.done.purge().filter(debate.done()).await;
        purged.map_err(refused("forget that a debate was given up"))?;
        Ok(true)
    }

    /// Counts debates that were sent.
    fn count(&mut self, sent: Option<SendEnd>) -> Result<()> {
        let sent = sent.transpose().map_err(refused("take debates"))?;
        let (new, waiting) = sent.transpose()?.unwrap_or_default();
        self.enqueued.new += new;
        self.enqueued.waiting += waiting;
        Ok(())
    }
}

/// How many debates of a batch are new, and how many are refused because they wait already.
type Delivered = (u64, u64);

/// How sending one ended.
type SendEnd = Result<Result<Delivered>, JoinError>;

async fn send(nats: Nats, records: Vec<Record>) -> Result<Delivered> {
    let all = records.len() as u64;
    if atomic_publish::publish(&nats, &records).await {
        return Ok((all, 0));
    }
    let sent = records.iter().map(|it| it.publish(&nats, &nats.work, 0, None));
    let new = try_join_all(sent).await?.iter().flatten().count() as u64;
    Ok((new, all - new))
}

/// The debates that a stream has messages of.
async fn debates_in(stream: &Stream, filter: String) -> Result<HashSet<DebateId>> {
    let listed = stream.info_with_subjects(filter).await.map_err(refused("list debates"))?;
    let debates = listed.try_fold(HashSet::new(), |mut debates, (subject, _)| async move {
        debates.extend(RunDebate::of_subject(&subject).map(|debate| debate.id));
        Ok(debates)
    });
    debates.await.map_err(refused("list debates"))
}
