//! One debate: loaded, run on its floor, published.

use std::borrow::Cow;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::spawn_blocking;

use super::audience::Viewers;
use crate::artifacts;
use crate::clock::Clock;
use crate::event::{Allotted, Status};
use crate::facts::Facts;
use crate::files::Claim;
use crate::floor::{Floor, FloorParts, Halt, Watch};
use crate::formats;
use crate::job::script;
use crate::journal::{Header, JournalError, Replica};
use crate::machine;
use crate::model::Model;
use crate::model::permit::Permit;
use crate::model::rehearsal::Rehearsal;
use crate::model::stoppable::StoppableModel;
use crate::plan::Plan;
use crate::servers::{PoolHandle, ServerPool};
use crate::stop::Stop;
use crate::store::error::StoreError;
use crate::store::finished::FinishedDebate;
use crate::store::layout::{OutputDir, holder};
use crate::store::matched;
use crate::store::noted::{self, Note};
use crate::store::publish::{self, Publication, Publisher, Standing};
use crate::store::rate::Rating;
use crate::store::regrade::AnswerKey;
use crate::store::resume::{self, Opened};
use crate::store::snapshot::Snapshots;
use crate::store::{judging, labels, reopen};
use crate::templates::Templates;
use crate::trace::Trace;

/// What every debate of a run stands on.
#[derive(Clone)]
pub struct RunContext {
    /// Where debates are kept.
    pub output: OutputDir,
    /// What debates of this run begin with.
    pub snapshots: Arc<Snapshots>,
    /// Publishes them.
    pub publisher: Arc<Publisher>,
    /// What this process is called in its claims.
    pub holder: String,
    /// The templates of this run; a debate that has begun uses its own.
    pub templates: Arc<Templates>,
    /// `None` where every debate is a rehearsal.
    pub servers: Option<Arc<ServerPool>>,
    /// The time.
    pub clock: Clock,
    /// The pause before a call's second attempt.
    pub retry_delay: Duration,
    /// Who looks on.
    pub watch: Watch,
    /// Stops one debate, whatever the others do.
    pub stop: Stop,
    /// Where the debate's journal stands as well; none on one machine.
    pub replica: Option<Arc<dyn Replica>>,
}

impl RunContext {
    /// For debates of this output directory: rehearsals that nobody watches, unless something else is put in its place.
    pub fn new(
        output: &OutputDir,
        templates: Templates,
        clock: Clock,
        retry_delay: Duration,
    ) -> Self {
        Self {
            output: output.clone(),
            snapshots: Arc::new(Snapshots::new(output)),
            publisher: Arc::new(Publisher::new(output)),
            holder: holder(&clock),
            templates: Arc::new(templates),
            servers: None,
            clock,
            retry_delay,
            watch: Watch::new(|_| {}),
            stop: Stop::default(),
            replica: None,
        }
    }
}

/// How far a debate came.
#[derive(Debug)]
pub enum End {
    /// It is published.
    Published {
        /// Its directory.
        path: PathBuf,
        /// All of it.
        trace: Box<Trace>,
    },
    /// It was finished before this run.
    Skipped(Status),
    /// Another process has finished it since.
    Finished(Status),
    /// Another process runs it: who.
    Elsewhere(String),
    /// It continues with the next run.
    Stopped,
    /// It stays unfinished, for a cause.
    Parked(String),
    /// It stays unfinished, and running it again would not help: the cause says what does.
    Stuck(String),
    /// This machine was short of open files or of memory: it can be tried again at once.
    Short(String),
    /// It is a control, and the debates that it is matched to did not end, or failed.
    Unmatched,
    /// It is a control whose debates say something else by now: it was reopened, and is asked for again in its turn.
    Stale,
    /// No server could serve it, or the run was stopped before its turn.
    NotBegun,
}

/// Runs one debate as far as it goes; `found` is its dated directory, where it is known to have one.
pub async fn run(context: &RunContext, plan: &Plan, found: Option<FinishedDebate>) -> End {
    let ended = AssertUnwindSafe(claimed(context, plan, found)).catch_unwind();
    match ended.await {
        Ok(Ok(end)) => end,
        Ok(Err(error)) if machine::is_short(&error) => End::Short(error.to_string()),
        // Only who cleared claims away under a living process comes here; that process continues, or lets go.
        Ok(Err(StoreError::Journal(JournalError::Locked(_)))) => {
            End::Elsewhere("whose claim was removed".to_owned())
        }
        Ok(Err(error)) => refused(&error, plan),
        Err(panic) => End::Parked(internal_error(&panic)),
    }
}

/// Nothing of a debate is written but under its claim, and what is known of it is looked up again once it is claimed.
async fn claimed(
    context: &RunContext,
    plan: &Plan,
    found: Option<FinishedDebate>,
) -> Result<End, StoreError> {
    let claim = match context.output.claim(&plan.id, &context.holder)? {
        Ok(claim) => Arc::new(claim),
        Err(holder) => return Ok(End::Elsewhere(holder)),
    };
    let found = match found {
        Some(found) => FinishedDebate::read(&found.path),
        None => resume::finished_since(&context.output, &plan.id)?,
    };
    if let Some(found) = found {
        if publish::settle(&context.output, &plan.id, &context.clock)? == Standing::Finished {
            return Ok(End::Finished(found.status));
        }
    } else {
        resume::take_up(&context.output, &plan.id)?;
    }
    attempt(context, &claim, plan).await
}

/// Does what waits for the disk on its own thread, where it holds up no other debate's stream. It continues even if the
/// debate is dropped in the meantime, so the claim stays until it ends.
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
    match done.await {
        Ok(done) => done,
        Err(error) => resume_unwind(error.into_panic()),
    }
}

/// Why a debate could not be loaded or committed, with what to do where running it again would not help.
fn refused(error: &StoreError, plan: &Plan) -> End {
    match error {
        StoreError::Journal(JournalError::Foreign { .. }) => stuck(
            error,
            "Restore its own journal, or start the debate over",
            plan,
        ),
        StoreError::Journal(JournalError::Damaged { .. }) | StoreError::Inputs { .. } => stuck(
            error,
            "Restore a sound copy of that file, or start the debate over",
            plan,
        ),
        StoreError::OtherPlan { .. } => stuck(error, "Start the debate over", plan),
        _ => End::Parked(error.to_string()),
    }
}

/// Said of a template in a debate's snapshot that is wrong: mending the file alone does not reach it.
const ILL_MADE: &str =
    "The debate keeps the templates it began with: fix the template, then start it over";

fn stuck(error: &dyn Display, remedy: &str, plan: &Plan) -> End {
    let id = plan.short_id();
    End::Stuck(format!("{error}. {remedy} with --restart --only {id}"))
}

/// What a control may spend. One that has begun has it in its journal, whatever became of its debates; one whose debates did not
/// end cannot begin: `None`.
fn allotted(context: &RunContext, plan: &Plan) -> Result<Option<Option<Allotted>>, StoreError> {
    let Some(control) = &plan.control else {
        return Ok(Some(None));
    };
    let begun = context.output.running_journal(&plan.id).exists();
    let allotted = matched::allotted(&context.output, control)?;
    Ok(allotted.or_else(|| begun.then_some(None)))
}

async fn attempt(context: &RunContext, claim: &Arc<Claim>, plan: &Plan) -> Result<End, StoreError> {
    let (its, plan) = (context.clone(), plan.clone());
    let Some((mut opened, allotted)) = aside(claim, move || opened(&its, &plan)).await? else {
        return Ok(End::Unmatched);
    };
    if let Some(replica) = &context.replica {
        opened.journal.replicate(Arc::clone(replica));
    }
    let header = opened.header.clone();
    let notes = (noted::last(&opened.past), noted::last(&opened.past));
    let plan = Arc::new(opened.plan.clone());
    let floor = floor(context, Arc::clone(&plan), opened, allotted);
    match guarded(&floor).await {
        Ok(()) => publish(context, claim, &floor, &header, notes).await,
        Err(Halt::Stopped) => Ok(End::Stopped),
        Err(Halt::Changed(cause)) => {
            reopen::cancel(&context.output, &plan.id)?;
            Ok(End::Parked(cause))
        }
        Err(Halt::Journal(error)) => Err(error.into()),
        Err(Halt::Template(error)) => Ok(stuck(&error, ILL_MADE, &plan)),
        Err(halt) => Ok(End::Parked(halt.to_string())),
    }
}

/// A debate with what it may spend; `None` where it is a control that cannot begin.
fn opened(
    context: &RunContext,
    plan: &Plan,
) -> Result<Option<(Opened, Option<Allotted>)>, StoreError> {
    let Some(allotted) = allotted(context, plan)? else {
        return Ok(None);
    };
    let templates = templates(&context.templates, plan);
    let opened = resume::open(&context.snapshots, plan, &templates, &context.clock)?;
    Ok(Some((opened, allotted)))
}

/// The templates of a run, and the script of a rehearsal that has one: both go into the debate's snapshot.
pub(crate) fn templates<'t>(all: &'t Templates, plan: &Plan) -> Cow<'t, Templates> {
    match &plan.script {
        Some(script) => Cow::Owned(all.with_text(script::IN_SNAPSHOT, &script.source)),
        None => Cow::Borrowed(all),
    }
}

/// A floor for a debate, or for a judging of one.
pub(super) fn floor(
    context: &RunContext,
    plan: Arc<Plan>,
    opened: Opened,
    allotted: Option<Allotted>,
) -> Floor {
    let answering: Arc<dyn Model> = match &context.servers {
        Some(pool) => {
            let permit = context.replica.clone().map(|it| it as Arc<dyn Permit>);
            Arc::new(PoolHandle::new(pool).with_permit(permit))
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

/// Runs the format; a panic in it fails this debate and no other.
async fn guarded(floor: &Floor) -> Result<(), Halt> {
    match AssertUnwindSafe(formats::run(floor)).catch_unwind().await {
        Ok(ended) => ended,
        Err(panic) => {
            floor.fail(internal_error(&panic));
            Ok(())
        }
    }
}

/// What a panic said.
pub(super) fn internal_error(panic: &Box<dyn std::any::Any + Send>) -> String {
    let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "internal error (please report): {}",
        said.unwrap_or_default()
    )
}

/// What was noted of a debate after its end. It was finished before: its directory is gone, or it is retried.
type LaterNotes = (Option<Rating>, Option<AnswerKey>);

async fn publish(
    context: &RunContext,
    claim: &Arc<Claim>,
    floor: &Floor,
    header: &Header,
    (rating, key): LaterNotes,
) -> Result<End, StoreError> {
    let events = floor.events();
    let mut trace = match formats::trace(floor.plan(), &events) {
        Ok(trace) => trace,
        Err(error) => {
            return Ok(End::Parked(format!("cannot write the debate: {error}")));
        }
    };
    rating.iter().for_each(|it| it.put_into(&mut trace));
    key.iter().for_each(|it| it.put_into(&mut trace));
    judging::restore(&context.output, &mut trace, &context.clock)?;
    labels::restore(&context.output, &mut trace)?;
    let files = artifacts::all(&trace, &events, &header.directory, &context.templates)?;
    let (its, held, header) = (context.clone(), Arc::clone(claim), header.clone());
    let (facts, sent) = (Facts::from_trace(&trace).ok(), floor.take_sent());
    let commit = move || {
        let debate = Publication {
            header: &header,
            artifacts: &files,
            facts: facts.as_ref(),
            sent: &sent,
        };
        its.publisher.commit(&held, &debate, &its.clock)
    };
    let path = aside(claim, commit).await?;
    Ok(End::Published {
        path,
        trace: Box::new(trace),
    })
}
