//! Taking the results of a run into an output directory, as `rebut merge` takes those of another one.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::TryStreamExt;
use tokio::task::block_in_place;

use super::done::DebateResult;
use super::error::{FleetError, Result, refused, unusable};
use super::names::RunDebate;
use super::nats::{Nats, fetch};
use super::{archive, done, inputs, journal, local, runs};
use crate::clock::Clock;
use crate::files::StagedDir;
use crate::id::{DebateId, RunName};
use crate::store::layout::OutputDir;
use crate::store::merge::{Merged, Merger};
use crate::store::resume;

/// How long the server is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// After how long a result is delivered again whose collector is gone.
const ACK_WAIT: Duration = Duration::from_secs(60);

/// Why a result is left where it is.
const UNUSABLE: &str = "what the server has of it is damaged, or is not from rebut";

/// What collecting a result came to.
#[derive(Debug)]
pub enum Collected {
    /// The debate was looked at.
    Debate(DebateId, Merged),
    /// The debate was given up, and why.
    GivenUp(DebateId, String),
    /// It was collected before.
    Before,
}

/// Collects the results of one run. Only one process does that for a run at a time.
pub struct Collector<'o> {
    nats: &'o Nats,
    run: RunName,
    output: &'o OutputDir,
    merger: Merger<'o>,
    /// Where results are unpacked; it goes with the collector.
    scratch: OutputDir,
    _scratch: StagedDir,
    consumer: Consumer<pull::Config>,
    /// Results that stay on the server: debates that were given up, or cannot be taken.
    left: Vec<Message>,
}

impl<'o> Collector<'o> {
    /// Into this output directory, which is prepared.
    pub async fn new(
        nats: &'o Nats,
        run: &RunName,
        output: &'o OutputDir,
        clock: &Clock,
    ) -> Result<Self> {
        runs::known(nats, run).await?;
        let staged = StagedDir::create(&output.staged().join("collect"))?;
        let scratch = OutputDir::at(staged.path());
        scratch.make()?;
        Ok(Self {
            nats,
            run: run.clone(),
            output,
            merger: Merger::new(output, clock)?,
            scratch,
            _scratch: staged,
            consumer: consumer(nats, run).await?,
            left: Vec::new(),
        })
    }

    /// The next result; `None` if there is none for now.
    pub async fn next(&mut self) -> Result<Option<Collected>> {
        let message = fetch(&self.consumer, "give a result", PATIENCE).await?;
        let Some(message) = message else { return Ok(None) };
        self.take(message).await.map(Some)
    }

    async fn take(&mut self, message: Message) -> Result<Collected> {
        let Some(RunDebate { id, .. }) = RunDebate::of_subject(&message.subject) else {
            return Err(unusable("a result")("its subject names no debate"));
        };
        let collected = match self.collect(&id, &message).await {
            Err(FleetError::Unusable { .. }) => {
                Collected::Debate(id, Merged::Left(UNUSABLE.to_owned()))
            }
            collected => collected?,
        };
        self.settle(&collected, message).await?;
        Ok(collected)
    }

    async fn collect(&mut self, id: &DebateId, message: &Message) -> Result<Collected> {
        Ok(match done::read(self.nats, message).await? {
            DebateResult::Collected => Collected::Before,
            DebateResult::GivenUp(cause) => Collected::GivenUp(id.clone(), cause),
            DebateResult::Finished(archive) => {
                let merged = self.merge(&archive, id).await?;
                Collected::Debate(id.clone(), merged)
            }
        })
    }

    /// What is on our disk is no longer needed on the server; what is not stays there.
    async fn settle(&mut self, collected: &Collected, message: Message) -> Result<()> {
        if let Collected::Debate(id, Merged::Taken | Merged::Known { .. }) = collected {
            let debate = self.run.debate(id);
            done::collected(self.nats, &debate, &message).await?;
            journal::close(self.nats, &debate).await?;
        }
        match collected {
            Collected::GivenUp(..) | Collected::Debate(_, Merged::Left(_)) => {
                self.left.push(message);
                Ok(())
            }
            _ => message.double_ack().await.map_err(refused("note a result")),
        }
    }

    async fn merge(&mut self, archive: &[u8], id: &DebateId) -> Result<Merged> {
        if resume::finished_since(self.output, id)?.is_some() {
            return Ok(Merged::Known { has_more: false });
        }
        let (header, dir) = block_in_place(|| archive::unpack(archive, id, &self.scratch))?;
        inputs::fetch(self.nats, &header, &self.scratch).await?;
        let merged = block_in_place(|| self.merger.take(&self.scratch, &dir))?;
        local::clear(&self.scratch, &header)?;
        Ok(merged)
    }

    /// Whether no more results can come: nothing waits, nothing is in progress, and all that is done was looked at.
    pub async fn is_over(&mut self) -> Result<bool> {
        if waiting(self.nats, &self.run).await? > 0 {
            return Ok(false);
        }
        let info = self.consumer.info().await.map_err(refused("say how many results there are"))?;
        Ok(info.num_pending == 0 && info.num_ack_pending <= self.left.len())
    }

    /// Ends: what stays on the server can be looked at again.
    pub async fn end(self) {
        for message in self.left {
            // It comes again by itself, a little later.
            let _ = message.ack_with(AckKind::Nak(None)).await;
        }
    }
}

async fn consumer(nats: &Nats, run: &RunName) -> Result<Consumer<pull::Config>> {
    let config = pull::Config {
        durable_name: Some(format!("collect-{run}")),
        filter_subject: run.all_done(),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_ack_pending: 100_000,
        ..pull::Config::default()
    };
    nats.done.create_consumer(config).await.map_err(refused("make a consumer"))
}

/// How many debates of a run wait or are in progress.
pub(super) async fn waiting(nats: &Nats, run: &RunName) -> Result<u64> {
    count(&nats.work, &run.all_work()).await
}

/// How many subjects of a stream match.
pub(super) async fn count(
    stream: &async_nats::jetstream::stream::Stream,
    filter: &str,
) -> Result<u64> {
    let listed = stream.info_with_subjects(filter).await.map_err(refused("count messages"))?;
    let counted = listed.try_fold(0, |sum, _| async move { Ok(sum + 1) });
    counted.await.map_err(refused("count messages"))
}
