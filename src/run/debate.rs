//! One debate: loaded, run on its floor, committed.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::spawn_blocking;

use super::audience::Viewers;
use super::earlier_attempts::EarlierAttempts;
use crate::artifacts;
use crate::clock::Clock;
use crate::event::{Allotted, Event, Status};
use crate::facts::Facts;
use crate::files::Claim;
use crate::floor::{Floor, FloorParts, Halt, Watch};
use crate::formats;
use crate::id::DebateId;
use crate::job::models::model_name::same_model;
use crate::journal::{Entry, Header, JournalError, Replica};
use crate::machine;
use crate::model::Model;
use crate::model::permit::Permit;
use crate::model::rehearsal::Rehearsal;
use crate::model::stoppable::StoppableModel;
use crate::plan::Plan;
use crate::servers::{PoolHandle, ServerPool};
use crate::stop::Stop;
use crate::store::amend::{self, Note};
use crate::store::commit::{self, Committer, DebateParts, Standing};
use crate::store::control_readiness::{self, Readiness, Unmatched};
use crate::store::error::{Result, StoreError};
use crate::store::finished::FinishedDebate;
use crate::store::layout::{OutputDir, holder};
use crate::store::rate::Rating;
use crate::store::regrade::AnswerKey;
use crate::store::resume::{self, Opened};
use crate::store::snapshot::{self, Snapshots};
use crate::store::{labels, panel_judging, reopen};
use crate::templates::Templates;
use crate::trace::Trace;

/// Sees the events of a panel that reads a finished debate, with that debate's id.
pub type PanelWatch = Arc<dyn Fn(&DebateId, &Event) + Send + Sync>;

/// What the debates of a run have in common.
#[derive(Clone)]
pub struct RunContext {
    /// The output directory.
    pub output: OutputDir,
    /// The snapshots with which debates of this run begin.
    pub snapshots: Arc<Snapshots>,
    /// Commits finished debates.
    pub committer: Arc<Committer>,
    /// The name of this process in its claims.
    pub holder: String,
    /// The templates of this run. A debate that has already begun uses its own.
    pub templates: Arc<Templates>,
    /// The server pool; `None` if every debate is a rehearsal.
    pub servers: Option<Arc<ServerPool>>,
    /// The time.
    pub clock: Clock,
    /// The pause before a call's second attempt.
    pub retry_delay: Duration,
    /// The observer.
    pub watch: Watch,
    /// That of the panels that read debates after their ends.
    pub panel_watch: PanelWatch,
    /// Stops one debate, independently of the others.
    pub stop: Stop,
    /// A second place for the debate's journal; `None` on a single machine.
    pub replica: Option<Arc<dyn Replica>>,
    /// What of its debates this run has not made itself.
    pub(crate) earlier: Arc<EarlierAttempts>,
}

impl RunContext {
    /// A context for this output directory. Unless changed, its debates are rehearsals that nobody watches.
    pub fn new(
        output: &OutputDir,
        templates: Templates,
        clock: Clock,
        retry_delay: Duration,
    ) -> Self {
        Self {
            output: output.clone(),
            snapshots: Arc::new(Snapshots::new(output)),
            committer: Arc::new(Committer::new(output)),
            holder: holder(&clock),
            templates: Arc::new(templates),
            servers: None,
            clock,
            retry_delay,
            watch: Watch::new(|_| {}),
            panel_watch: Arc::new(|_, _| {}),
            stop: Stop::default(),
            replica: None,
            earlier: Arc::default(),
        }
    }

    /// Whether its debates are rehearsals.
    pub fn is_rehearsal(&self) -> bool {
        self.servers.is_none()
    }
}

/// How a debate ended, or how far it got.
#[derive(Debug)]
pub enum End {
    /// It was committed.
    Committed {
        /// Its directory.
        path: PathBuf,
        /// Its trace.
        trace: Box<Trace>,
    },
    /// It was finished before this run.
    Skipped(Status),
    /// Another process has finished it since.
    Finished(Status),
    /// Another process runs it; with that process's name.
    Elsewhere(String),
    /// It was stopped, by this if it is known; the next run continues it.
    Stopped(Option<&'static str>),
    /// It stays unfinished, for this reason.
    Parked(String),
    /// It stays unfinished, for this reason: a model that it began with was updated.
    Outdated(String),
    /// It stays unfinished, and running it again would not help. The reason says what would.
    Stuck(String),
    /// It stays unfinished, and running it again would not help with this job and these models. The reason says what would.
    Unfit(String),
    /// This machine was short of open files or memory. It can be tried again at once.
    Short(String),
    /// The disk is full. It can be tried again once there is room.
    Full(String),
    /// It is a control, and a debate that it is matched to keeps it from beginning.
    Unmatched(Unmatched),
    /// It is a control whose debates have changed. It was reopened and will run in its turn.
    Stale,
    /// No server could serve it, or the run was stopped before its turn.
    NotBegun,
}

/// Runs one debate as far as possible; `found` is its dated directory, if it is known to have one.
pub async fn run(context: &RunContext, plan: &Plan, found: Option<FinishedDebate>) -> End {
    let ended = AssertUnwindSafe(claimed(context, plan, found)).catch_unwind();
    match ended.await {
        Ok(Ok(end)) => end,
        Ok(Err(error)) => refused(&error, plan),
        Err(panic) => End::Parked(internal_error(&panic)),
    }
}

/// Runs a debate under its claim, without which nothing of it is written. What is known about it is looked up again once it is
/// claimed.
async fn claimed(context: &RunContext, plan: &Plan, found: Option<FinishedDebate>) -> Result<End> {
    let claim = match context.output.claim(&plan.id, &context.holder)? {
        Ok(claim) => Arc::new(claim),
        Err(holder) => return Ok(End::Elsewhere(holder)),
    };
    let (its, own) = (context.clone(), plan.clone());
    let is_rebuilt = match aside(&claim, move || take_up(&its, &own, found)).await? {
        ControlFlow::Continue(is_rebuilt) => is_rebuilt,
        ControlFlow::Break(status) => return Ok(End::Finished(status)),
    };
    // What is rebuilt asks nothing, so that it does not matter which weights are there now.
    let servers = context.servers.as_deref().filter(|_| !is_rebuilt);
    attempt(context, &claim, plan, servers).await
}

/// Takes up a claimed debate, unless it is finished; whether it is rebuilt from its journal.
fn take_up(
    context: &RunContext,
    plan: &Plan,
    found: Option<FinishedDebate>,
) -> Result<ControlFlow<Status, bool>> {
    let found = match found {
        Some(found) => FinishedDebate::find(&found.path)?,
        None => resume::finished_since(&context.output, &plan.id)?,
    };
    let Some(found) = found else {
        return Ok(ControlFlow::Continue(resume::take_up(&context.output, &plan.id)?));
    };
    Ok(match commit::settle(&context.output, &plan.id, &context.clock)? {
        Standing::Finished => ControlFlow::Break(found.status),
        _ => ControlFlow::Continue(false),
    })
}

/// Runs work that waits for the disk on a thread of its own, so that it holds up no other debate's stream. The work continues
/// even if the debate is dropped meanwhile, so the claim is held until it ends.
pub(super) async fn aside<T: Send + 'static>(
    claim: &Arc<Claim>,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let claim = Arc::clone(claim);
    let done = spawn_blocking(move || {
        let done = work();
        drop(claim);
        done
    });
    done.await.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// Why a debate could not be loaded or committed, and what would help if running it again would not.
pub(super) fn refused(error: &StoreError, plan: &Plan) -> End {
    match error {
        _ if machine::is_short(error) => End::Short(error.to_string()),
        _ if machine::is_full(error) => End::Full(error.to_string()),
        // Only if someone removed the claims of a living process, which continues or lets go.
        StoreError::Journal(JournalError::Locked(_)) => {
            End::Elsewhere("whose claim was removed".to_owned())
        }
        StoreError::Journal(JournalError::Foreign { .. }) => {
            stuck(error, "Restore its own journal, or start the debate over", plan)
        }
        StoreError::Journal(JournalError::Damaged { .. }) | StoreError::Inputs { .. } => {
            stuck(error, "Restore a sound copy of that file, or start the debate over", plan)
        }
        StoreError::OtherPlan { .. } => stuck(error, "Start the debate over", plan),
        _ => End::Parked(error.to_string()),
    }
}

/// The remedy for a wrong template in a debate's snapshot, which fixing the file alone does not change. It may be an earlier
/// build's own, which this one gives other values.
const ILL_MADE: &str = "The debate keeps the templates it began with: if they are an earlier build's, continue with that build; if not, fix the template. Or start it over";

fn stuck(error: &dyn Display, remedy: &str, plan: &Plan) -> End {
    let id = plan.short_id();
    End::Stuck(format!("{error}. {remedy} with --restart --only {id}"))
}

/// Whether a debate can begin. A control that has begun has its budget in its journal, whatever became of its debates.
fn readiness(context: &RunContext, plan: &Plan) -> Result<Readiness> {
    let Some(control) = &plan.control else { return Ok(Readiness::NoBudget) };
    let has_begun = context.output.running_journal(&plan.id).exists();
    Ok(match control_readiness::readiness(&context.output, control)? {
        Readiness::Lacking(_) if has_begun => Readiness::NoBudget,
        readiness => readiness,
    })
}

async fn attempt(
    context: &RunContext,
    claim: &Arc<Claim>,
    plan: &Plan,
    servers: Option<&ServerPool>,
) -> Result<End> {
    let (its, own) = (context.clone(), plan.clone());
    match aside(claim, move || readiness(&its, &own)).await? {
        Readiness::Budget(allotted) => play(context, claim, plan, (Some(allotted), servers)).await,
        Readiness::NoBudget => play(context, claim, plan, (None, servers)).await,
        Readiness::Lacking(why) => Ok(End::Unmatched(why)),
    }
}

/// Opens a debate, runs it and commits it; a control that begins has a budget. `servers` are those whose weights must not have
/// been replaced meanwhile.
async fn play(
    context: &RunContext,
    claim: &Arc<Claim>,
    plan: &Plan,
    (allotted, servers): (Option<Allotted>, Option<&ServerPool>),
) -> Result<End> {
    let (its, of) = (context.clone(), plan.clone());
    let mut opened = aside(claim, move || opened(&its, &of)).await?;
    if let Some(replica) = &context.replica {
        opened.journal.replicate(Arc::clone(replica));
    }
    context.earlier.note(&plan.id, &opened.past);
    let header = opened.header.clone();
    let notes = LaterNotes::of(&opened.past);
    let plan = Arc::new(opened.plan.clone());
    let floor = floor(context, Arc::clone(&plan), opened, allotted);
    match guarded(&floor).await {
        Ok(()) => commit(context, claim, &floor, (&header, notes), servers).await,
        Err(Halt::Stopped) => Ok(End::Stopped(context.stop.by())),
        Err(Halt::Changed(cause)) => {
            let (output, id) = (context.output.clone(), plan.id.clone());
            aside(claim, move || reopen::cancel(&output, &id)).await?;
            Ok(End::Parked(cause))
        }
        Err(Halt::Journal(error)) => Err(error.into()),
        Err(Halt::File(error)) => Err(error.into()),
        Err(Halt::Template(error)) => Ok(stuck(&error, ILL_MADE, &plan)),
        Err(halt) => {
            forget(context, claim, floor).await;
            let cause = halt.to_string();
            Ok(match halt {
                Halt::Unfit(_) => End::Unfit(cause),
                Halt::Outdated(_) => End::Outdated(cause),
                _ => End::Parked(cause),
            })
        }
    }
}

/// Forgets a debate that cannot continue, if no model was asked. One with a second journal is another machine's, too.
async fn forget(context: &RunContext, claim: &Arc<Claim>, floor: Floor) {
    if context.replica.is_some() {
        return;
    }
    let (output, id) = (context.output.clone(), floor.plan().id.clone());
    // Closes the journal, which is then nobody's.
    drop(floor);
    // One that cannot be forgotten is continued by the next run.
    let _ = aside(claim, move || resume::forget(&output, &id)).await;
}

fn opened(context: &RunContext, plan: &Plan) -> Result<Opened> {
    let templates = snapshot::templates(&context.templates, plan);
    resume::open(&context.snapshots, plan, &templates, &context.clock)
}

/// A floor for a debate or for the judging of one.
pub(super) fn floor(
    context: &RunContext,
    plan: Arc<Plan>,
    opened: Opened,
    allotted: Option<Allotted>,
) -> Floor {
    let answering: Arc<dyn Model> = match &context.servers {
        Some(pool) => {
            let permit = context.replica.clone().map(|it| it as Arc<dyn Permit>);
            let handle = PoolHandle::new(pool).until(&context.stop);
            Arc::new(handle.with_permit(permit))
        }
        None => Arc::new(Rehearsal::new(&plan, &opened.templates)),
    };
    let audience = Viewers::of(&context.output, &plan.id, &context.clock, &context.stop);
    Floor::new(FloorParts {
        audience: Some(audience),
        model: Arc::new(StoppableModel::new(answering, context.stop.clone())),
        plan,
        templates: Arc::new(opened.templates),
        journal: Some(opened.journal),
        past: opened.past,
        allotted,
        header: opened.header,
        clock: context.clock.clone(),
        retry_delay: context.retry_delay,
        watch: context.watch.clone(),
    })
}

/// Runs the format. A panic in it fails only this debate.
async fn guarded(floor: &Floor) -> Result<(), Halt> {
    match AssertUnwindSafe(formats::run(floor)).catch_unwind().await {
        Ok(ended) => ended,
        Err(panic) => {
            floor.fail(internal_error(&panic));
            Ok(())
        }
    }
}

/// A panic's message.
pub(super) fn internal_error(panic: &Box<dyn std::any::Any + Send>) -> String {
    let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("internal error (please report): {}", said.unwrap_or_default())
}

/// Notes made after a debate's end, if it was finished before and is now retried or has lost its directory.
struct LaterNotes {
    rating: Option<Rating>,
    key: Option<AnswerKey>,
}

impl LaterNotes {
    fn of(past: &[Entry]) -> Self {
        Self { rating: amend::last(past), key: amend::last(past) }
    }

    fn put_into(&self, trace: &mut Trace) {
        self.rating.iter().for_each(|it| it.put_into(trace));
        self.key.iter().for_each(|it| it.put_into(trace));
    }
}

/// Which weights that a debate was asked of have been replaced. It would otherwise name those it began with for the last replies
/// of the new ones.
async fn replaced(servers: Option<&ServerPool>, trace: &Trace) -> Option<String> {
    let servers = servers?;
    for model in &trace.models {
        let is_asked = trace.calls.iter().any(|call| same_model(&call.model, &model.name));
        if let Some(digest) = model.card.digest.as_ref().filter(|_| is_asked)
            && let Some(cause) = servers.replaced(&model.name, digest).await
        {
            return Some(cause);
        }
    }
    None
}

async fn commit(
    context: &RunContext,
    claim: &Arc<Claim>,
    floor: &Floor,
    (header, notes): (&Header, LaterNotes),
    servers: Option<&ServerPool>,
) -> Result<End> {
    let (events, plan) = (floor.events(), floor.plan().clone());
    let folded = aside(claim, move || (formats::trace(&plan, &events), events)).await;
    let (mut trace, events) = match folded {
        (Ok(trace), events) => (trace, events),
        (Err(error), _) => return Ok(End::Parked(format!("cannot write the debate: {error}"))),
    };
    if let Some(cause) = replaced(servers, &trace).await {
        return Ok(End::Outdated(cause));
    }
    let (its, held, header) = (context.clone(), Arc::clone(claim), header.clone());
    let sent = floor.take_sent();
    let commit = move || -> Result<End> {
        notes.put_into(&mut trace);
        panel_judging::restore(&its.output, &mut trace, &its.clock)?;
        labels::restore(&its.output, &mut trace)?;
        let files = artifacts::all(&trace, &events, &header.directory, &its.templates)?;
        let facts = Facts::from_trace(&trace).ok();
        let debate =
            DebateParts { header: &header, artifacts: &files, facts: facts.as_ref(), sent: &sent };
        let path = its.committer.commit(&held, &debate, &its.clock)?;
        Ok(End::Committed { path, trace: Box::new(trace) })
    };
    aside(claim, commit).await
}
