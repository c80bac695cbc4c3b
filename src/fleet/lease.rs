//! One debate in a worker's hands, from the message that brought it to the answer to that message.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use tokio::task::spawn_blocking;

use super::error::{FleetError, Result, unusable};
use super::journal::{self, DebateJournal, MOST_DEATHS, Replayed};
use super::models::Pulled;
use super::names::RunDebate;
use super::nats::Nats;
use super::work_item::WorkItem;
use super::{archive, done, inputs, local, runs};
use crate::journal::{Contents, Entry, Header, Replica, line};
use crate::model::contexts::Contexts;
use crate::plan::Plan;
use crate::run::debate::{self, End, RunContext};
use crate::shared::Shared;
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::store::snapshot;

/// How long a debate is left to others that this worker cannot run now.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(30);

/// How a debate left a worker's hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It is committed: its outcome in a line.
    Done(String),
    /// It was done before.
    Known,
    /// Nobody tries it any more, and why.
    GivenUp(String),
    /// Its run was cancelled.
    Cancelled,
    /// Another worker continues it.
    Lost,
    /// It is given back, for others or for later, and why.
    Back(String),
    /// It is given back because this worker stops.
    Stopped,
}

/// What all debates of a worker stand on.
pub(super) struct Stage {
    pub(super) nats: Nats,
    /// Of debates that this worker runs.
    pub(super) context: RunContext,
    pub(super) contexts: Contexts,
    pub(super) pulled: Shared<Pulled>,
    /// What the worker is called in journals.
    pub(super) name: String,
}

/// The message that a debate came with, which may come again.
pub(super) struct Held {
    message: Shared<Message>,
    /// Of the debate; the worker's stops it too.
    pub(super) stop: Stop,
    is_cancelled: AtomicBool,
}

impl Held {
    pub(super) fn new(message: Message, worker: &Stop) -> Self {
        Self {
            message: Shared::new(message),
            stop: worker.of_part(),
            is_cancelled: AtomicBool::new(false),
        }
    }

    /// The server has forgotten that the debate is in our hands: the newest message is the one to answer.
    pub(super) fn again(&self, message: Message) {
        *self.message.lock() = message;
    }

    /// Stops the debate before its next call.
    pub(super) fn cancel(&self) {
        if !self.is_cancelled.swap(true, Ordering::Relaxed) {
            self.stop.request("`rebut cancel`");
        }
    }

    fn message(&self) -> Message {
        self.message.lock().clone()
    }
}

/// A debate in a worker's hands.
pub(super) struct Lease {
    pub(super) stage: Arc<Stage>,
    pub(super) debate: RunDebate,
    pub(super) held: Arc<Held>,
    /// How often the server wants to hear that someone is at it.
    pub(super) beat: Duration,
}

/// What a debate continues from.
struct Begun {
    plan: Plan,
    header: Header,
    is_new: bool,
}

impl Lease {
    /// Runs the debate as far as it goes, and answers its message.
    pub(super) async fn run(self) -> Ended {
        let worked = tokio::select! {
            worked = self.work() => worked,
            never = self.beats() => match never {},
        };
        let ended = worked.unwrap_or_else(|error| Ended::Back(error.to_string()));
        self.answer(&ended).await;
        ended
    }

    /// Tells the server again and again that someone is at the debate.
    async fn beats(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(self.beat).await;
            // A beat that is lost is followed by the next; where all are, the debate is someone else's.
            let _ = self.held.message().ack_with(AckKind::Progress).await;
        }
    }

    /// An answer that is lost has the debate come again, and then it is known how it ended.
    async fn answer(&self, ended: &Ended) {
        let message = self.held.message();
        let _ = match ended {
            Ended::Done(_) | Ended::Known | Ended::GivenUp(_) => message.double_ack().await,
            Ended::Cancelled => message.ack_with(AckKind::Term).await,
            Ended::Back(_) => message.ack_with(AckKind::Nak(Some(LEFT_TO_OTHERS))).await,
            Ended::Stopped => message.double_ack_with(AckKind::Nak(None)).await,
            // It is not ours to answer any more.
            Ended::Lost => return,
        };
    }

    async fn work(&self) -> Result<Ended> {
        let nats = &self.stage.nats;
        if done::has(nats, &self.debate).await? {
            return Ok(Ended::Known);
        }
        if runs::is_cancelled(nats, &self.debate.run).await? {
            return Ok(Ended::Cancelled);
        }
        let replayed = Replayed::read(nats, &self.debate).await?;
        if replayed.is_closed {
            return Ok(Ended::Known);
        }
        if replayed.deaths >= MOST_DEATHS {
            return self.give_up(POISON).await;
        }
        let begun = self.begun(&replayed.lines).await?;
        let journal = DebateJournal::after(nats, &self.debate, &replayed, &self.held.stop);
        if !journal.begin(&self.stage.name).await? {
            return Ok(Ended::Lost);
        }
        match self.play(&journal, begun, replayed.lines).await {
            Err(error) => self.failed(error, &journal).await,
            ended => ended,
        }
    }

    /// After an error of ours or of the server's. Where it would come again at every worker the debate is given up; else it is given
    /// back, which is no death.
    async fn failed(&self, error: FleetError, journal: &DebateJournal) -> Result<Ended> {
        if let FleetError::TooLong { .. } = error {
            return self.give_up(&format!("{error}: {}", error.remedy())).await;
        }
        journal.release().await?;
        Err(error)
    }

    /// What asks this worker to stop.
    fn stop(&self) -> &Stop {
        &self.stage.context.stop
    }

    fn output(&self) -> &OutputDir {
        &self.stage.context.output
    }

    /// What the debate continues from.
    async fn begun(&self, lines: &[String]) -> Result<Begun> {
        let item = WorkItem::read(&self.held.message().payload)?;
        let so_far = journal::parse(lines, &self.debate.id)?;
        let known = so_far.header().cloned();
        let is_new = known.is_none();
        let mut header = known.unwrap_or_else(|| item.header(&self.stage.context.clock));
        self.check_fit(&header, &so_far)?;
        inputs::fetch(&self.stage.nats, &header, self.output()).await?;
        if is_new {
            header.inputs = snapshot::digest_in(self.output(), &item.snapshot)?;
        }
        let plan = snapshot::inputs(self.output(), &header)?.plan;
        if is_new {
            header.directory = OutputDir::directory_of(&plan, header.started_at);
        }
        Ok(Begun { plan, header, is_new })
    }

    /// Whether this worker can continue a debate that another began.
    fn check_fit(&self, header: &Header, so_far: &Contents) -> Result<()> {
        let (this, other) = (env!("CARGO_PKG_VERSION"), &header.rebut);
        if other != this {
            return Err(FleetError::Unfit(format!(
                "rebut {other} began it, but this is {this}: start a worker with that version"
            )));
        }
        match self.stage.pulled.lock().differs(so_far) {
            None => Ok(()),
            Some(model) => Err(FleetError::Unfit(format!(
                "it began with weights of {model} that differ from those pulled here"
            ))),
        }
    }

    /// Runs the debate from its journal.
    async fn play(
        &self,
        journal: &Arc<DebateJournal>,
        begun: Begun,
        mut lines: Vec<String>,
    ) -> Result<Ended> {
        let Begun { plan, header, .. } = begun;
        if begun.is_new {
            lines.push(line(&Entry::Debate(header.clone())));
            if !journal.line(&lines[0]).await? {
                return Ok(Ended::Lost);
            }
        }
        local::lay_out(self.output(), &header, &lines)?;
        let end = debate::run(&self.context(journal, &plan), &plan, None).await;
        let ended = self.ended(end, journal).await;
        local::clear(self.output(), &header)?;
        ended
    }

    fn context(&self, journal: &Arc<DebateJournal>, plan: &Plan) -> RunContext {
        let common = &self.stage.context;
        let servers = common.servers.clone().filter(|_| !plan.rehearsal);
        let grown = self.stage.contexts.want(plan.contexts());
        if let Some(servers) = &servers {
            grown.iter().for_each(|model| servers.reload(model));
        }
        RunContext {
            servers,
            stop: self.held.stop.clone(),
            replica: Some(Arc::clone(journal) as Arc<dyn Replica>),
            ..common.clone()
        }
    }

    async fn ended(&self, end: End, journal: &DebateJournal) -> Result<Ended> {
        if journal.is_fenced() {
            return Ok(Ended::Lost);
        }
        if let Some(error) = journal.refused.lock().take() {
            return Err(error);
        }
        let ended = match end {
            End::Committed { path, trace } => {
                let line = trace.line().unwrap_or_default();
                return self.commit(path, line, journal).await;
            }
            End::Stuck(cause) => return self.give_up(&cause).await,
            // Another worker's server may have another model of that name.
            End::Parked(cause)
            | End::Outdated(cause)
            | End::Unfit(cause)
            | End::Short(cause)
            | End::Full(cause) => Ended::Back(cause),
            _ if self.held.is_cancelled.load(Ordering::Relaxed) => Ended::Cancelled,
            End::Stopped(_) | End::NotBegun => Ended::Stopped,
            other => Ended::Back(format!("it ended unexpectedly: {other:?}")),
        };
        if journal.release().await? { Ok(ended) } else { Ok(Ended::Lost) }
    }

    async fn commit(&self, dir: PathBuf, line: String, journal: &DebateJournal) -> Result<Ended> {
        let (output, id) = (self.output().clone(), self.debate.id.clone());
        let packed = spawn_blocking(move || archive::pack(&output, &id, &dir))
            .await
            .map_err(unusable("a debate's archive"))??;
        let (nats, nonce) = (&self.stage.nats, journal.nonce());
        let committed = done::commit(nats, &self.debate, nonce, packed, self.stop());
        Ok(if committed.await? { Ended::Done(line) } else { Ended::Known })
    }

    async fn give_up(&self, cause: &str) -> Result<Ended> {
        done::give_up(&self.stage.nats, &self.debate, cause, self.stop()).await?;
        Ok(Ended::GivenUp(cause.to_owned()))
    }
}

/// Why a debate is given up on which workers died.
const POISON: &str = "three workers in a row died on it at the same place";
