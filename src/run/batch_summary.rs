//! The summary of a batch, accumulated debate by debate from traces and journals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::causes::{Causes, link_to};
use super::debate::End;
use super::earlier_attempts::{Earlier, EarlierAttempts};
use super::ends::Ends;
use crate::artifacts::batch::{
    BatchSummary, CallCounts, DebateCounts, DebateLink, ModelSums, SCHEMA_VERSION, TokenSums,
};
use crate::event::{Call, CallSums, Incident, IncidentKind, Statement, Status};
use crate::floor::calls_of_entry;
use crate::id::DebateId;
use crate::job::models::model_name::canonical;
use crate::journal;
use crate::machine;
use crate::plan::{DebateLabels, Plan};
use crate::servers::ServerSums;
use crate::stop::INTERRUPT;
use crate::store::layout::OutputDir;
use crate::store::snapshot;
use crate::trace::Trace;

/// Maximum number of done debates named.
const DONE_NAMED: usize = 30;

/// Accumulates the summary of a batch. What it keeps does not grow with the number of done debates.
#[derive(Debug, Default)]
pub(crate) struct BatchRecord {
    since: DateTime<Utc>,
    labels: DebateLabels,
    earlier: Arc<EarlierAttempts>,
    ends: Ends,
    /// Committed debates that an earlier batch had begun.
    resumed: usize,
    calls: CallCounts,
    sums: CallSums,
    models: BTreeMap<String, CallSums>,
    done: Vec<DebateLink>,
    days: BTreeSet<String>,
    /// Unfinished debates that this batch may have worked on, by job; none of its other jobs.
    open: BTreeMap<String, Vec<DebateId>>,
    /// The jobs of which debates were kept from beginning.
    cut: BTreeSet<String>,
}

/// How a batch ended, and what to run next.
pub(crate) struct Closing {
    pub(crate) command: String,
    /// Whether that chooses among the debates of its jobs.
    pub(crate) chooses: bool,
    pub(crate) rehearsal: bool,
    pub(crate) ended_at: DateTime<Utc>,
    /// How long it took, whatever became of the date meanwhile.
    pub(crate) took: Duration,
    pub(crate) stopped_by: Option<String>,
    /// Debates in progress when it ended.
    pub(crate) open: Vec<(DebateId, DebateLink)>,
    /// Debates that were left in the queue without an end of their own.
    pub(crate) queued: usize,
    /// What the batch is.
    pub(crate) origin: Origin,
    /// Finished debates that the job's panel has not read.
    pub(crate) not_judged: usize,
    /// Job files that were added meanwhile and have faults.
    pub(crate) refused: Vec<String>,
    /// How often the servers loaded each model.
    pub(crate) loads: BTreeMap<String, u64>,
    /// Why debates are not done, but for those in progress.
    pub(crate) causes: Causes,
    pub(crate) servers: Vec<ServerSums>,
    /// What its panels did.
    pub(crate) panel: CallSums,
    pub(crate) next: String,
    pub(crate) next_does: String,
    pub(crate) next_first: Option<String>,
}

/// What a batch is of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    /// The run, as in its claims.
    pub(crate) run: String,
    /// The number of the last batch that had ended before.
    pub(crate) begun_after: Option<u64>,
    /// A digest of its job files' names and of its options that shape debates.
    pub(crate) made_from: String,
    /// The unfinished debates of earlier batches with the same one that its jobs no longer contain.
    pub(crate) orphaned: Vec<DebateId>,
}

impl BatchRecord {
    /// The record of a batch that begins at this time. `earlier` tells what of its debates is not its own.
    pub(crate) fn new(
        since: DateTime<Utc>,
        labels: &DebateLabels,
        earlier: &Arc<EarlierAttempts>,
    ) -> Self {
        let (labels, earlier) = (labels.clone(), Arc::clone(earlier));
        Self { since, labels, earlier, ..Self::default() }
    }

    /// How the debates ended so far.
    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    /// Notes how a debate ended.
    pub(crate) fn end(&mut self, plan: &Plan, end: &End) {
        self.ends.count(end);
        let label = self.labels.label(&plan.job, &plan.cell, plan.repetition);
        let open = self.open.entry(plan.named_job()).or_default();
        match end {
            End::Committed { path, trace, .. } => {
                self.committed(trace, &link_to(trace, path, &label));
            }
            End::Parked(_)
            | End::Outdated(_)
            | End::Stuck(_)
            | End::Unfit(_)
            | End::Stopped(_)
            | End::Short(_)
            | End::Full(_)
            | End::Stale => open.push(plan.id.clone()),
            End::Elsewhere(_) | End::Unmatched(_) | End::Skipped(_) | End::Finished(_) => {}
            End::NotBegun => drop(self.cut.insert(plan.named_job())),
        }
    }

    fn committed(&mut self, trace: &Trace, link: &DebateLink) {
        let earlier = self.earlier.take(&trace.id).unwrap_or_default();
        self.resumed += usize::from(earlier.had_begun);
        let day = link.path.as_ref().and_then(|path| path.split('/').next());
        self.days.extend(day.map(str::to_owned));
        if trace.status == Status::Done && self.done.len() < DONE_NAMED {
            self.done.push(link.clone());
        }
        self.incidents(trace, &earlier);
        let calls = trace.calls.iter();
        calls.filter(|it| earlier.lacks(&it.call, it.attempt)).for_each(|it| self.attempt(it));
    }

    fn incidents(&mut self, trace: &Trace, earlier: &Earlier) {
        let all = trace.incidents.iter();
        let new = all.filter(|it| earlier.lacks_what_came_of(it.call.as_deref(), it.attempt));
        for incident in new {
            self.calls.retries += u64::from(incident.kind == IncidentKind::Retry);
            self.calls.repairs += u64::from(incident.kind == IncidentKind::Repair);
            self.calls.rejections += u64::from(is_discarded(incident, &trace.statements));
        }
    }

    /// Counts an attempt of this batch.
    fn attempt(&mut self, call: &Call) {
        self.sums.count(call);
        self.models.entry(canonical(&call.model).to_owned()).or_default().count(call);
    }

    /// Counts this batch's attempts in the journal of an unfinished debate.
    fn journal(&mut self, output: &OutputDir, id: &DebateId) {
        let Some(earlier) = self.earlier.take(id) else { return };
        // An unreadable journal is reported as that debate's cause.
        let Ok(past) = journal::load(&output.running_journal(id), id) else { return };
        let plan = || snapshot::plan(output, past.header()?).ok();
        for entry in past.entries.iter().filter(|it| earlier.lacks_entry(it)) {
            calls_of_entry(entry, plan).iter().for_each(|call| self.attempt(call));
        }
    }

    /// The summary of the batch; `None` if it did nothing.
    pub(crate) fn close(
        mut self,
        output: &OutputDir,
        mut closing: Closing,
    ) -> Option<BatchSummary> {
        self.ends.stopped += closing.open.len();
        self.ends.not_begun += closing.queued;
        let mut open = std::mem::take(&mut self.open);
        let mut begun: Vec<DebateId> = Vec::new();
        for (id, link) in &closing.open {
            closing.causes.interrupted(link, Some(INTERRUPT));
            begun.push(id.clone());
        }
        let has_journal = |id: &mut DebateId| output.running_journal(id).exists();
        open.values_mut().for_each(|ids| begun.extend(ids.extract_if(.., has_journal)));
        begun.retain_mut(has_journal);
        begun.iter().for_each(|id| self.journal(output, id));
        let did = self.ends.committed.all() > 0
            || !closing.causes.is_empty()
            || closing.panel != CallSums::default()
            || !closing.refused.is_empty()
            || (self.calls, self.sums) != <(CallCounts, CallSums)>::default();
        did.then(|| self.summary(closing, &begun, &open))
    }

    fn summary(
        self,
        closing: Closing,
        begun: &[DebateId],
        never_begun: &BTreeMap<String, Vec<DebateId>>,
    ) -> BatchSummary {
        let short = |ids: &[DebateId]| ids.iter().map(|id| id.short().to_owned()).collect();
        let is_part = closing.chooses || closing.queued + closing.open.len() > 0;
        let whole = never_begun.keys().filter(|job| !is_part && !self.cut.contains(*job));
        let never_begun = never_begun.iter().filter(|(_, ids)| !ids.is_empty());
        let (resumed, not_judged) = (self.resumed, closing.not_judged);
        let debates = DebateCounts { resumed, not_judged, ..self.ends.counts() };
        let (causes, other_causes) = closing.causes.listed();
        let model = |(model, sums): (String, CallSums)| {
            let loads = closing.loads.get(&model).copied().unwrap_or_default();
            (model, ModelSums::new(&sums, loads))
        };
        let CallSums { used: panel, failed: panel_failed, gaps } = closing.panel;
        let wall_ms = u64::try_from(closing.took.as_millis()).unwrap_or(u64::MAX);
        BatchSummary {
            schema_version: SCHEMA_VERSION.to_owned(),
            rebut: env!("CARGO_PKG_VERSION").to_owned(),
            command: closing.command,
            working_directory: machine::working_directory(),
            rehearsal: closing.rehearsal,
            started_at: self.since,
            // The clock may have been set back since.
            ended_at: closing.ended_at.max(self.since + Duration::from_millis(wall_ms)),
            wall_ms,
            stopped_by: closing.stopped_by,
            debates,
            calls: self.calls.of(&self.sums),
            tokens: self.sums.used.into(),
            failed_tokens: self.sums.failed.into(),
            panel,
            panel_failed,
            panel_uncounted: TokenSums { prompt: gaps.prompts, reply: gaps.replies },
            models: self.models.into_iter().map(model).collect(),
            servers: closing.servers,
            causes,
            other_causes,
            left: short(begun),
            never_begun: never_begun.map(|(job, ids)| (job.clone(), short(ids))).collect(),
            whole: whole.cloned().collect(),
            run: closing.origin.run,
            begun_after: closing.origin.begun_after,
            refused: closing.refused,
            made_from: closing.origin.made_from,
            orphaned: short(&closing.origin.orphaned),
            done: self.done,
            days: self.days.into_iter().collect(),
            next: closing.next,
            next_does: closing.next_does,
            next_first: closing.next_first,
            ..BatchSummary::default()
        }
    }
}

/// Whether an incident tells of a statement that was discarded: of one rejected, unless it stands because nothing better came.
fn is_discarded(incident: &Incident, statements: &[Statement]) -> bool {
    let made = |s: &Statement| s.call == incident.call && s.attempt == incident.attempt;
    incident.kind == IncidentKind::Rejection && !statements.iter().any(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_rejected_statement_that_stands_after_all_is_not_discarded() {
        let incident = |attempt| Incident {
            kind: IncidentKind::Rejection,
            call: Some("closing/statement/a".to_owned()),
            attempt: Some(attempt),
            message: String::new(),
            at: DateTime::UNIX_EPOCH,
        };
        let stands = Statement { call: incident(2).call, attempt: Some(2), ..Statement::default() };
        let stands = [stands];
        assert!(is_discarded(&incident(1), &stands));
        assert!(!is_discarded(&incident(2), &stands));
    }

    #[test]
    fn b3_a_batch_takes_its_time_whatever_becomes_of_the_date() {
        let since = DateTime::from_timestamp(1_000_000, 0).unwrap();
        let took = Duration::from_secs(60);
        let ends = |ended_at| {
            let id: DebateId = "ab".repeat(32).parse().unwrap();
            let link = DebateLink { id: id.short().to_owned(), ..DebateLink::default() };
            let closing = Closing {
                origin: Origin::default(),
                command: String::new(),
                chooses: false,
                rehearsal: false,
                ended_at,
                took,
                stopped_by: None,
                open: vec![(id, link)],
                queued: 0,
                not_judged: 0,
                refused: Vec::new(),
                loads: BTreeMap::new(),
                causes: Causes::default(),
                servers: Vec::new(),
                panel: CallSums::default(),
                next: String::new(),
                next_does: String::new(),
                next_first: None,
            };
            let record = BatchRecord::new(since, &DebateLabels::default(), &Arc::default());
            let output = OutputDir::at(std::path::Path::new("nowhere"));
            let summary = record.close(&output, closing).unwrap();
            assert_eq!(summary.wall_ms, 60_000);
            summary.ended_at
        };
        let (back, ahead) = (since - Duration::from_secs(9), since + Duration::from_secs(900));
        assert_eq!(ends(back), since + took);
        assert_eq!(ends(ahead), ahead);
    }
}
