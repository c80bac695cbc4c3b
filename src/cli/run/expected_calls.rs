//! How many calls a debate of each job makes, counted in a rehearsal when its first debate begins: until one has ended, nothing else
//! tells how long a batch takes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::cli::terminal::progress::Progress;
use crate::event::{Event, EventKind};
use crate::formats;
use crate::plan::Plan;
use crate::shared::Shared;
use crate::store::replay::{self, Replies};
use crate::templates::Templates;

/// Most jobs of which a debate is rehearsed; these stand for the others.
const JOBS: usize = 20;

/// Counts the calls beside a batch.
pub(super) struct ExpectedCalls {
    templates: Templates,
    progress: Arc<Progress>,
    counted: Shared<BTreeSet<String>>,
}

impl ExpectedCalls {
    pub(super) fn new(templates: &Templates, progress: &Arc<Progress>) -> Self {
        Self {
            templates: templates.clone(),
            progress: Arc::clone(progress),
            counted: Shared::default(),
        }
    }

    /// Counts those of a debate that begins, if it is the first of its job and no rehearsal itself.
    pub(super) fn see(&self, event: &Event) {
        let EventKind::DebateStart(start) = &event.kind else { return };
        if start.plan.rehearsal || !self.is_first(&start.plan.job) {
            return;
        }
        let (plan, templates) = (start.plan.clone(), self.templates.clone());
        let progress = Arc::clone(&self.progress);
        // A rehearsal never waits, so it would hold up whatever shares its thread.
        let runtime = Handle::current();
        spawn_blocking(move || {
            if let Some(calls) = runtime.block_on(calls(&plan, &templates)) {
                progress.expect_calls(&plan.job, calls);
            }
        });
    }

    fn is_first(&self, job: &str) -> bool {
        let mut counted = self.counted.lock();
        counted.len() < JOBS && counted.insert(job.to_owned())
    }
}

/// The calls of a debate, rehearsed; `None` if it cannot be rehearsed.
async fn calls(plan: &Plan, templates: &Templates) -> Option<u64> {
    let events = replay::rehearse(plan, templates, Replies::Usual).await;
    let trace = formats::trace(plan, &events.ok()?).ok()?;
    let used = trace.usage.by_model.values();
    Some(used.map(|used| used.calls).sum())
}
