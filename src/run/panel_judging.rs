//! Judging finished debates by a panel: each judging from its claim to its commit, many in parallel.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;

use super::debate::{RunContext, aside, floor, internal_error};
use crate::event::{PanelRef, Verdict};
use crate::floor::{Floor, Halt, Watch};
use crate::formats::panel_judging::{self, Task};
use crate::job::panel::Panel;
use crate::panel::candidates::NotJudged;
use crate::plan::Plan;
use crate::servers::as_wanted;
use crate::store::error::{Result, StoreError};
use crate::store::panel_judging as store;
use crate::store::panel_judging::Commit;
use crate::trace::Trace;

/// How a judging ended.
#[derive(Debug)]
pub enum Judged {
    /// The debate has a new verdict; with the record that it is on.
    Added(Box<Verdict>, Arc<Trace>),
    /// It already had this panel's verdict.
    Known,
    /// A panel can't judge it.
    Not(NotJudged),
    /// Another process judges it or writes to it; with that process's name.
    Elsewhere(String),
    /// It was stopped; the next run continues it.
    Stopped,
    /// It stays unfinished, for this reason.
    Parked(String),
}

/// A panel that judges finished debates.
#[derive(Clone)]
pub struct PanelRun {
    /// The context of its judgings.
    pub context: RunContext,
    /// The panel.
    pub panel: Arc<Panel>,
    /// The panel as verdicts refer to it.
    pub named: PanelRef,
}

impl PanelRun {
    /// A panel with the templates of a run.
    pub fn new(context: RunContext, panel: Arc<Panel>) -> Self {
        let named = panel_judging::named(&panel, &context.templates);
        Self { context, panel, named }
    }

    /// Judges the debates in these directories, at most `most` at a time, and calls `on_end` for each.
    pub async fn all(
        &self,
        dirs: Vec<PathBuf>,
        most: usize,
        mut on_end: impl FnMut(&Path, &Judged) + Send,
    ) {
        let context = &self.context;
        let judging = dirs.into_iter().map(|dir| {
            let run = self.clone();
            async move { (run.one(&dir).await, dir) }
        });
        let told = |(judged, dir): (Judged, PathBuf)| on_end(&dir, &judged);
        as_wanted(context.servers.as_deref(), &context.stop, most, judging, told).await;
    }

    /// Judges the debate in a directory.
    pub async fn one(&self, dir: &Path) -> Judged {
        let judged = AssertUnwindSafe(self.claimed(dir)).catch_unwind().await;
        match judged {
            Ok(Ok(judged)) => judged,
            Ok(Err(StoreError::Claimed { holder, .. })) => Judged::Elsewhere(holder),
            Ok(Err(error)) => Judged::Parked(error.to_string()),
            Err(panic) => Judged::Parked(internal_error(&panic)),
        }
    }

    async fn claimed(&self, dir: &Path) -> Result<Judged> {
        let trace = Arc::new(Trace::in_dir(dir)?);
        let task = match Task::new(&trace, &self.panel, &self.named, &self.context.templates) {
            Ok(task) => task,
            Err(cause) => return Ok(Judged::Not(cause)),
        };
        if is_known(&trace, &task) {
            return Ok(Judged::Known);
        }
        let context = &self.context;
        let claim = match context.output.claim(&task.plan.id, &context.holder)? {
            Ok(claim) => Arc::new(claim),
            Err(holder) => return Ok(Judged::Elsewhere(holder)),
        };
        let (its, opening) = (context.clone(), task.clone());
        let opened = aside(&claim, move || {
            let (plan, debate) = (&opening.plan, &opening.trace.id);
            store::open(&its.output, debate, plan, &its.templates, &its.clock)
        })
        .await?;
        let verdict = match store::verdict(&opened.past) {
            Some(verdict) => verdict,
            None => match ask(&floor(context, Arc::clone(&task.plan), opened, None), &task).await {
                Ok(verdict) => verdict,
                Err(halt) => return halted(halt),
            },
        };
        let (its, dir, given) = (context.clone(), dir.to_path_buf(), verdict.clone());
        let commit = aside(&claim, move || {
            store::commit(&its.output, &dir, &given, (&its.templates, &its.clock))
        });
        Ok(match commit.await? {
            Commit::Added => Judged::Added(Box::new(verdict), trace),
            Commit::Known => Judged::Known,
            Commit::Stale => {
                Judged::Parked("the debate's record has changed in the meantime".to_owned())
            }
        })
    }
}

/// Whether a debate has that verdict, without a reading missing that could not be obtained.
pub fn is_known(trace: &Trace, task: &Task) -> bool {
    trace.judging(&task.plan.id).is_some_and(Verdict::is_whole)
}

/// Has the job's panel, if it has one, read a finished debate. The panel's calls are not part of the debate, so those who watch
/// that don't see them.
pub(super) async fn by_panel(context: &RunContext, plan: &Plan, dir: &Path) -> Option<Judged> {
    let panel = Arc::clone(plan.panel.as_ref()?);
    let (id, seen) = (plan.id.clone(), Arc::clone(&context.panel_watch));
    let context =
        RunContext { watch: Watch::new(move |event| seen(&id, event)), ..context.clone() };
    Some(PanelRun::new(context, panel).one(dir).await)
}

/// Has the panel read a debate. The verdict is on disk when this returns.
async fn ask(floor: &Floor, task: &Task) -> Result<Verdict, Halt> {
    let verdict = panel_judging::judge(floor, task).await?;
    floor.keep(store::VERDICT, serde_json::json!(verdict)).await?;
    Ok(verdict)
}

fn halted(halt: Halt) -> Result<Judged> {
    match halt {
        Halt::Stopped => Ok(Judged::Stopped),
        Halt::Journal(error) => Err(error.into()),
        Halt::File(error) => Err(error.into()),
        halt => Ok(Judged::Parked(halt.to_string())),
    }
}
