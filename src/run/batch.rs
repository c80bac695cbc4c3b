//! A batch: the debates of one `rebut run`, and how many run at a time.

use std::sync::Arc;
use std::time::Duration;

use super::debate::{End, RunContext};
use super::failures::MostFailures;
use super::meter::Meter;
use super::run_limits::Limits;
use crate::id::DebateId;
use crate::model::contexts::Contexts;
use crate::plan::Plan;
use crate::servers::OnNotice;
use crate::stop::Stop;
use crate::store::lists::{self, Listed};
use crate::store::running_batches::Presence;
use crate::text::shell;

/// Called for each debate as it ends.
pub(crate) type OnEnd<'a> = &'a mut (dyn FnMut(&Plan, &End) + Send);

/// Called for each finished debate that the job's panel could not read, with the cause.
pub(crate) type OnNotJudged = Arc<dyn Fn(&Plan, &str) + Send + Sync>;

/// Called for each open debate that goes back to the queue.
pub(crate) type OnPutBack = Arc<dyn Fn(&DebateId) + Send + Sync>;

/// The jobs' debates added to a batch since the last look.
#[derive(Debug, Default)]
pub(crate) struct Added {
    pub(crate) plans: Vec<Plan>,
    /// Whether a job file may still be in the process of being written, so that another look is worthwhile.
    pub(crate) more: bool,
}

pub(crate) struct Batch {
    pub(crate) context: RunContext,
    /// Maximum debates in progress, not counting those that wait for servers that are down; if not set, as many as keep the
    /// servers busy.
    pub(crate) max_debates: Option<usize>,
    /// Maximum debates in progress, counting those too: as many as this process may have files for.
    pub(crate) max_open: usize,
    /// Calls in flight over all servers.
    pub(crate) slots: usize,
    /// Lets others find the run and ask it to stop.
    pub(crate) presence: Presence,
    /// How long to wait for room on a full disk.
    pub(crate) outage_timeout: Duration,
    /// The limits of the run.
    pub(crate) limits: Limits,
    /// When to pause because debates go wrong.
    pub(crate) most_failures: MostFailures,
    /// Counts what the run uses.
    pub(crate) meter: Arc<Meter>,
    pub(crate) contexts: Contexts,
    /// What to do about models that no server has.
    pub(crate) remedy: Option<String>,
    pub(crate) notify: OnNotice,
    pub(crate) on_put_back: OnPutBack,
    pub(crate) on_not_judged: OnNotJudged,
    pub(crate) stop: Stop,
}

impl Batch {
    /// Rewrites the lists and returns what is in them; `None` if they can't be written. That does not end any debate, since
    /// `rebut index` can rebuild the lists at any time.
    pub(super) fn list(&self) -> Option<Listed> {
        match lists::rebuild(&self.context.output, &self.context.templates) {
            Ok(listed) => Some(listed),
            Err(error) => {
                let root = shell::quoted(&self.context.output.root().to_string_lossy());
                (self.notify)(&format!(
                    "cannot write the lists (`rebut index {root}` will): {error}"
                ));
                None
            }
        }
    }
}
