//! A batch: the debates of one `rebut run`, and how many run at a time.

use std::sync::Arc;

use super::budget::Limits;
use super::debate::{End, RunContext};
use super::failures::MostFailures;
use super::meter::Meter;
use crate::model::contexts::Contexts;
use crate::plan::Plan;
use crate::servers::OnNotice;
use crate::stop::Stop;
use crate::store::lists;
use crate::store::requests::Presence;

/// Told of each debate as it ends.
pub(crate) type OnEnd<'a> = &'a mut (dyn FnMut(&Plan, &End) + Send);

/// What was added to a batch since the last look.
#[derive(Debug, Default)]
pub(crate) struct Added {
    pub(crate) plans: Vec<Plan>,
    /// Whether a job file may still be being written, so that another look is worthwhile.
    pub(crate) more: bool,
}

pub(crate) struct Batch {
    pub(crate) context: RunContext,
    /// Debates in progress at a time, not counting those that wait for absent servers; if not set, as many as keep the servers
    /// busy.
    pub(crate) max_debates: Option<usize>,
    /// The same, counting those: as many as this process may have files for.
    pub(crate) max_open: usize,
    /// Calls in flight, over all servers.
    pub(crate) slots: usize,
    /// Lets others find the run and ask it to stop.
    pub(crate) presence: Presence,
    /// What the run may take.
    pub(crate) limits: Limits,
    /// When it pauses because debates go wrong.
    pub(crate) most_failures: MostFailures,
    /// Counts what it takes.
    pub(crate) meter: Arc<Meter>,
    pub(crate) contexts: Contexts,
    pub(crate) notify: OnNotice,
    pub(crate) stop: Stop,
}

impl Batch {
    /// Rewrites the lists and returns the directories that can't be listed. A failure ends no debate: `rebut index` rebuilds
    /// the lists at any time.
    pub(super) fn list(&self) -> Vec<String> {
        match lists::rebuild(&self.context.output, &self.context.templates) {
            Ok(listed) => {
                let unreadable = listed.unreadable.iter();
                unreadable.map(|path| path.display().to_string()).collect()
            }
            Err(error) => {
                (self.notify)(&format!("cannot write the lists: {error}"));
                Vec::new()
            }
        }
    }
}
