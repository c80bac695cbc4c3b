//! What batches before the last one left degraded or failed, as far as it still is.

use chrono::{DateTime, Utc};

use super::app::App;
use super::index::Index;
use super::needs::Needs;
use crate::artifacts::batch::{BatchSummary, Cause};
use crate::event::Status;
use crate::store::batches;
use crate::store::live::ShortId;
use crate::text::{counts, one_line};

/// Commands that are told, with those of the last batch: older ones come up once these have been run.
const MOST_COMMANDS: usize = 4;

impl Needs {
    /// The same with what was left before this time.
    pub(super) fn with_earlier(mut self, app: &App, before: Option<DateTime<Utc>>) -> Self {
        let Some(before) = before.map(|at| at.timestamp_millis()) else {
            return self;
        };
        let counted = app.index(|index| {
            let rows = index.went_wrong().iter().filter(|row| row.ended < before);
            let left: Vec<&str> = rows.map(|row| row.status()).collect();
            counts(&[Status::Degraded, Status::Failed].map(|status| {
                let word = status.word();
                (left.iter().filter(|it| **it == word).count(), word)
            }))
        });
        if counted.is_empty() {
            return self;
        }
        self.earlier = format!("From earlier batches: {counted}.");
        for summary in batches::all(&app.output) {
            if self.commands.len() >= MOST_COMMANDS {
                break;
            }
            let next = one_line(&summary.next);
            let is_known = self.commands.iter().any(|[known, _]| *known == next);
            if !is_known && app.index(|index| is_left(index, &summary, before)) {
                self.commands.push([next, summary.next_does]);
            }
        }
        self
    }
}

/// Whether a debate that a batch names is still as the batch left it.
fn is_left(index: &Index, summary: &BatchSummary, before: i64) -> bool {
    let is_old = summary.started_at.timestamp_millis() < before && !summary.is_of_rehearsals();
    let is_still = |cause: &Cause, id: &str| {
        let row = ShortId::parse(id).and_then(|id| index.get(&id));
        row.is_some_and(|row| row.ended < before && row.status() == cause.standing)
    };
    let mut causes = summary.causes.iter();
    is_old && causes.any(|cause| cause.first.iter().any(|it| is_still(cause, &it.id)))
}
