//! The summary of a batch, accumulated debate by debate from traces and journals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::debate::End;
use super::earlier_attempts::{Earlier, EarlierAttempts};
use super::ends::{ByStatus, Ends};
use super::load_count::Loads;
use super::statement_cuts::StatementCuts;
use crate::artifacts::batch::{
    BatchSummary, CallCounts, Cause, DebateCounts, DebateLink, ModelSums, SCHEMA_VERSION,
    TokenSums, stopped,
};
use crate::event::{IncidentKind, Use};
use crate::files::name_of;
use crate::floor::{use_of_failure, use_of_reply};
use crate::id::DebateId;
use crate::job::models::model_name::canonical;
use crate::journal::{self, Entry};
use crate::plan::Plan;
use crate::servers::ServerSums;
use crate::stop::INTERRUPT;
use crate::store::layout::OutputDir;
use crate::text;
use crate::trace::{SharedCause, Trace, shared_cause};

/// Maximum debates named per cause.
const NAMED: usize = 5;
/// Maximum causes listed.
const CAUSES: usize = 20;
/// Maximum number of done debates named.
const DONE_NAMED: usize = 30;

/// Accumulates the summary of a batch. What it keeps does not grow with the number of done debates.
#[derive(Debug, Default)]
pub(crate) struct BatchRecord {
    since: DateTime<Utc>,
    earlier: Arc<EarlierAttempts>,
    ends: Ends,
    /// Committed debates that an earlier batch had begun.
    resumed: usize,
    calls: CallCounts,
    used: BTreeMap<String, Use>,
    loads: Loads,
    cuts: StatementCuts,
    causes: BTreeMap<(&'static str, String), Cause>,
    done: Vec<DebateLink>,
    days: BTreeSet<String>,
    /// Unfinished debates that this batch may have worked on.
    open: Vec<DebateId>,
}

/// How a batch ended, and what to run next.
pub(crate) struct Closing {
    pub(crate) command: String,
    pub(crate) rehearsal: bool,
    pub(crate) ended_at: DateTime<Utc>,
    /// How long it took, whatever became of the date meanwhile.
    pub(crate) took: Duration,
    pub(crate) stopped_by: Option<String>,
    /// Debates in progress when it ended.
    pub(crate) open: Vec<(DebateId, DebateLink)>,
    /// Debates that were left in the queue without an end of their own.
    pub(crate) queued: usize,
    pub(crate) servers: Vec<ServerSums>,
    pub(crate) next: String,
    pub(crate) next_does: String,
}

impl BatchRecord {
    /// The record of a batch that begins at this time. `earlier` tells what of its debates is not its own.
    pub(crate) fn new(since: DateTime<Utc>, earlier: &Arc<EarlierAttempts>) -> Self {
        Self {
            since,
            earlier: Arc::clone(earlier),
            ..Self::default()
        }
    }

    /// How the debates ended so far.
    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    /// Notes how a debate ended.
    pub(crate) fn end(&mut self, plan: &Plan, end: &End) {
        self.ends.count(end);
        match end {
            End::Committed { path, trace, .. } => self.committed(trace, &link(trace, path)),
            End::Parked(cause) | End::Stuck(cause) | End::Unfit(cause) => self.parked(plan, cause),
            End::Stopped(by) => {
                self.interrupted(&without_directory(plan), *by);
                self.open.push(plan.id.clone());
            }
            End::Elsewhere(_) | End::Short(_) | End::Full(_) | End::Stale => {
                self.open.push(plan.id.clone());
            }
            End::Unmatched(why) => {
                let cause = shared_cause(&why.to_string());
                self.not_done("not started", cause, &without_directory(plan));
            }
            End::Skipped(_) | End::Finished(_) | End::NotBegun => {}
        }
    }

    fn committed(&mut self, trace: &Trace, link: &DebateLink) {
        let earlier = self.earlier.take(&trace.id).unwrap_or_default();
        self.resumed += usize::from(earlier.had_begun);
        let day = link.path.as_ref().and_then(|path| path.split('/').next());
        self.days.extend(day.map(str::to_owned));
        match trace.shared_cause() {
            Some(cause) => self.fell_short(trace.status.word(), cause, link),
            None if self.done.len() < DONE_NAMED => self.done.push(link.clone()),
            None => {}
        }
        self.incidents(trace, &earlier);
        self.cuts.take(trace, &earlier);
        let calls = trace.calls.iter();
        for call in calls.filter(|it| earlier.lacks(&it.call, it.attempt)) {
            self.calls.uncounted += u64::from(call.is_uncounted());
            self.attempt(&call.model, call.at, &Use::from(call));
        }
    }

    fn incidents(&mut self, trace: &Trace, earlier: &Earlier) {
        let all = trace.incidents.iter();
        let new = all.filter(|it| earlier.lacks_what_came_of(it.call.as_deref(), it.attempt));
        for incident in new {
            self.calls.retries += u64::from(incident.kind == IncidentKind::Retry);
            self.calls.repairs += u64::from(incident.kind == IncidentKind::Repair);
            self.calls.rejections += u64::from(incident.kind == IncidentKind::Rejection);
        }
    }

    fn parked(&mut self, plan: &Plan, cause: &str) {
        self.not_done("unfinished", shared_cause(cause), &without_directory(plan));
        self.open.push(plan.id.clone());
    }

    fn interrupted(&mut self, link: &DebateLink, by: Option<&str>) {
        self.not_done("unfinished", stopped(by), link);
    }

    fn not_done(&mut self, standing: &'static str, cause: String, link: &DebateLink) {
        self.fell_short(standing, cause.into(), link);
    }

    fn fell_short(&mut self, standing: &'static str, cause: SharedCause, link: &DebateLink) {
        let SharedCause { first, told } = cause;
        let has_more = told != first;
        let known = self.causes.entry((standing, first));
        let known = known.or_insert_with(|| Cause {
            standing: standing.to_owned(),
            cause: told.clone(),
            debates: 0,
            first: Vec::new(),
        });
        // One debate with other problems is enough to say so of all.
        if has_more {
            known.cause = told;
        }
        known.debates += 1;
        if known.first.len() < NAMED {
            known.first.push(link.clone());
        }
    }

    /// Counts an attempt of this batch.
    fn attempt(&mut self, model: &str, at: DateTime<Utc>, used: &Use) {
        let model = canonical(model);
        self.calls.replies += used.calls;
        self.calls.failures += used.failures;
        let sum = self.used.entry(model.to_owned()).or_default();
        sum.add(used);
        let work = used.prompt_ms.saturating_add(used.reply_ms);
        self.loads.take(model, at, used.load_ms, work);
    }

    /// Counts this batch's attempts in the journal of an unfinished debate.
    fn journal(&mut self, output: &OutputDir, id: &DebateId) {
        let Some(earlier) = self.earlier.take(id) else {
            return;
        };
        let is_new = |entry: &Entry| earlier.lacks_what_came_of(entry.call(), entry.attempt());
        let past = journal::load(&output.running_journal(id), id);
        // An unreadable journal is reported as that debate's cause.
        let entries = past.into_iter().flat_map(|past| past.entries);
        for entry in entries.filter(is_new) {
            match entry {
                Entry::Reply(it) => {
                    self.calls.uncounted += u64::from(it.reply.tokens.reply == 0);
                    self.attempt(&it.model, it.at, &use_of_reply(&it.reply));
                }
                Entry::Failure(it) => self.attempt(&it.model, it.at, &use_of_failure()),
                Entry::External(_) | Entry::Debate(_) => {}
            }
        }
    }

    /// The summary of the batch; `None` if it did nothing.
    pub(crate) fn close(mut self, output: &OutputDir, closing: Closing) -> Option<BatchSummary> {
        self.ends.stopped += closing.open.len();
        self.ends.not_begun += closing.queued;
        let mut open = std::mem::take(&mut self.open);
        for (id, link) in &closing.open {
            self.interrupted(link, Some(INTERRUPT));
            open.push(id.clone());
        }
        open.iter().for_each(|id| self.journal(output, id));
        let did = self.ends.committed.all() > 0
            || !self.causes.is_empty()
            || self.calls != CallCounts::default();
        did.then(|| self.summary(closing))
    }

    fn debates(&self) -> DebateCounts {
        let ByStatus {
            done,
            degraded,
            failed,
        } = self.ends.committed;
        DebateCounts {
            done,
            degraded,
            failed,
            unfinished: self.ends.unfinished(),
            not_started: self.ends.not_started(),
            finished_before: self.ends.skipped.all(),
            finished_elsewhere: self.ends.shared.all(),
            resumed: self.resumed,
        }
    }

    fn summary(self, closing: Closing) -> BatchSummary {
        let debates = self.debates();
        let (causes, other_causes) = listed(self.causes.into_values().collect());
        let loads = self.loads.counted();
        let sums = |(model, used): (String, Use)| {
            let loads = loads.get(&model).copied().unwrap_or_default();
            (model, ModelSums::new(used, loads))
        };
        let mut tokens = TokenSums::default();
        for used in self.used.values() {
            tokens.prompt = tokens.prompt.saturating_add(used.prompt_tokens);
            tokens.reply = tokens.reply.saturating_add(used.reply_tokens);
        }
        let wall_ms = u64::try_from(closing.took.as_millis()).unwrap_or(u64::MAX);
        BatchSummary {
            schema_version: SCHEMA_VERSION.to_owned(),
            rebut: env!("CARGO_PKG_VERSION").to_owned(),
            command: closing.command,
            rehearsal: Some(closing.rehearsal),
            number: 0,
            started_at: self.since,
            // The clock may have been set back since.
            ended_at: closing
                .ended_at
                .max(self.since + Duration::from_millis(wall_ms)),
            wall_ms,
            stopped_by: closing.stopped_by,
            debates,
            calls: self.calls,
            tokens,
            cut: self.cuts.in_words(),
            models: self.used.into_iter().map(sums).collect(),
            servers: closing.servers,
            causes,
            other_causes,
            done: self.done,
            days: self.days.into_iter().collect(),
            next: closing.next,
            next_does: closing.next_does,
        }
    }
}

/// A debate without a directory.
fn without_directory(plan: &Plan) -> DebateLink {
    DebateLink {
        id: plan.short_id().to_owned(),
        topic: plan.topic.clone(),
        outcome: None,
        path: None,
    }
}

/// The causes with the most debates first, and the number of debates with other causes.
fn listed(mut causes: Vec<Cause>) -> (Vec<Cause>, usize) {
    // Among equals by name, because they come in that order and the sort is stable.
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.debates));
    let others = causes.split_off(causes.len().min(CAUSES));
    (causes, others.iter().map(|cause| cause.debates).sum())
}

fn link(trace: &Trace, path: &std::path::Path) -> DebateLink {
    let day = path.parent().map(|day| name_of(day).into_owned());
    let outcome = trace.outcome.as_ref();
    DebateLink {
        id: trace.id.short().to_owned(),
        topic: text::one_line(&trace.topic),
        outcome: outcome.map(|outcome| text::one_line(&outcome.line)),
        path: day.map(|day| format!("{day}/{}", name_of(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_debates_with_other_problems_beside_one_cause_are_of_that_cause() {
        let mut record = BatchRecord::new(DateTime::UNIX_EPOCH, &Arc::default());
        let link = DebateLink {
            id: String::new(),
            topic: String::new(),
            outcome: None,
            path: None,
        };
        let first = "llama3 gave no usable notes (timeout)".to_owned();
        let more = format!("{first}, among other problems");
        for told in [&first, &more, &first] {
            let (first, told) = (first.clone(), told.clone());
            record.fell_short("degraded", SharedCause { first, told }, &link);
        }
        let causes: Vec<_> = record.causes.values().collect();
        let told: Vec<_> = causes.iter().map(|it| (&it.cause, it.debates)).collect();
        assert_eq!(told, [(&more, 3)]);
    }

    #[test]
    fn b3_a_batch_takes_its_time_whatever_becomes_of_the_date() {
        let since = DateTime::from_timestamp(1_000_000, 0).unwrap();
        let took = Duration::from_secs(60);
        let ends = |ended_at| {
            let id: DebateId = "ab".repeat(32).parse().unwrap();
            let link = DebateLink {
                id: id.short().to_owned(),
                topic: String::new(),
                outcome: None,
                path: None,
            };
            let closing = Closing {
                command: String::new(),
                rehearsal: false,
                ended_at,
                took,
                stopped_by: None,
                open: vec![(id, link)],
                queued: 0,
                servers: Vec::new(),
                next: String::new(),
                next_does: String::new(),
            };
            let record = BatchRecord::new(since, &Arc::default());
            let output = OutputDir::at(std::path::Path::new("nowhere"));
            let summary = record.close(&output, closing).unwrap();
            assert_eq!(summary.wall_ms, 60_000);
            summary.ended_at
        };
        let (back, ahead) = (
            since - Duration::from_secs(9),
            since + Duration::from_secs(900),
        );
        assert_eq!(ends(back), since + took);
        assert_eq!(ends(ahead), ahead);
    }
}
