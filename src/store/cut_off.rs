//! Runs that were cut off by a kill or a power cut, as batches.

use std::cmp::Reverse;

use super::error::Result;
use super::layout::OutputDir;
use super::live;
use super::running_batches::CutOffRun;
use super::state::{OpenDebate, RunState};
use crate::artifacts::batch::{
    BatchSummary, CONTINUES, CUT_OFF, CallCounts, Cause, DebateCounts, SCHEMA_VERSION, stopped,
};
use crate::text;

/// Debates that its cause names.
const NAMED: usize = 5;

/// What the last state of a killed run tells, unless nothing ran in it. Its tokens and models are in the debates' journals alone.
/// The state may be from before the first debate began.
pub(super) fn summary(output: &OutputDir, run: &CutOffRun) -> Result<Option<BatchSummary>> {
    let left = live::left_of(output, run)?;
    let is_any = run.state.has_done_anything() || !left.is_empty();
    Ok(is_any.then(|| told(run, left)))
}

fn told(run: &CutOffRun, left: Vec<String>) -> BatchSummary {
    let CutOffRun { holder, state, .. } = run;
    let RunState { debates, calls, started_at, written_at, .. } = state.clone();
    let wall_ms = (written_at - started_at).num_milliseconds();
    BatchSummary {
        schema_version: SCHEMA_VERSION.to_owned(),
        rebut: state.rebut.clone(),
        run: holder.clone(),
        command: text::one_line(&state.command),
        working_directory: state.working_directory.clone(),
        rehearsal: state.rehearsal,
        started_at,
        ended_at: written_at,
        wall_ms: u64::try_from(wall_ms).unwrap_or(0),
        stopped_by: Some(CUT_OFF.to_owned()),
        debates: DebateCounts {
            done: debates.done,
            degraded: debates.degraded,
            failed: debates.failed,
            unfinished: debates.parked.saturating_add(debates.in_progress),
            not_started: debates.queued,
            finished_before: debates.finished_before,
            ..DebateCounts::default()
        },
        calls: CallCounts {
            replies: calls.done,
            failures: calls.failed,
            uncounted: calls.done,
            ..CallCounts::default()
        },
        causes: causes(state),
        other_causes: state.other_causes,
        left,
        made_from: state.made_from.clone(),
        orphaned: state.orphaned.clone(),
        next: text::one_line(&state.next),
        next_does: CONTINUES.to_owned(),
        ..BatchSummary::default()
    }
}

/// Why debates of it are not done: those with the most debates first.
fn causes(state: &RunState) -> Vec<Cause> {
    let cut_off = Cause {
        standing: "unfinished".to_owned(),
        cause: stopped(Some(CUT_OFF)),
        debates: state.debates.in_progress,
        first: state.open.iter().take(NAMED).map(OpenDebate::link).collect(),
    };
    let cut_off = Some(cut_off).filter(|it| it.debates > 0);
    let mut causes: Vec<Cause> = state.causes.iter().cloned().chain(cut_off).collect();
    causes.sort_by_key(|cause| Reverse(cause.debates));
    causes
}
