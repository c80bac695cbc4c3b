//! Batches that were cut off by a kill or a power cut: the next run writes their summaries.

use super::batches;
use super::error::Result;
use super::layout::OutputDir;
use super::live;
use super::running_batches::{CutOffRun, RunningBatch};
use super::state::{OpenDebate, RunState};
use crate::artifacts::batch::{
    BatchSummary, CONTINUES, CallCounts, Cause, DebateCounts, DebateLink, SCHEMA_VERSION, stopped,
};
use crate::templates::Templates;

/// What stopped such a batch.
const CUT_OFF: &str = "a kill or a power cut";
/// Debates that its cause names.
const NAMED: usize = 5;

/// Writes the summaries of batches that were killed, and could not: without them, nothing would tell how to continue what they left.
pub fn sum_up(output: &OutputDir, templates: &Templates) -> Result<()> {
    for CutOffRun { holder, state } in RunningBatch::all_cut_off(output)? {
        let left = live::left_of(output, &holder, &state)?;
        batches::write(output, &summary(state, left), templates)?;
    }
    Ok(())
}

/// What the last state of a killed batch tells. Its tokens and models are in the debates' journals alone.
fn summary(state: RunState, left: Vec<String>) -> BatchSummary {
    let RunState { debates, calls, started_at, written_at, .. } = state;
    let wall_ms = (written_at - started_at).num_milliseconds();
    let rehearsal = state.is_of_rehearsals();
    let link = |open: OpenDebate| DebateLink {
        id: open.id,
        topic: open.heading,
        label: open.label,
        outcome: None,
        path: None,
    };
    let cut_off = Cause {
        standing: "unfinished".to_owned(),
        cause: stopped(Some(CUT_OFF)),
        debates: debates.in_progress,
        first: state.open.into_iter().take(NAMED).map(link).collect(),
    };
    let is_any = debates.in_progress > 0;
    BatchSummary {
        schema_version: SCHEMA_VERSION.to_owned(),
        rebut: state.rebut,
        command: state.command,
        rehearsal,
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
        calls: CallCounts { replies: calls.done, failures: calls.failed, ..CallCounts::default() },
        causes: is_any.then_some(cut_off).into_iter().chain(state.causes).collect(),
        other_causes: state.other_causes,
        left,
        settings: state.settings,
        next: state.next,
        next_does: CONTINUES.to_owned(),
        ..BatchSummary::default()
    }
}
