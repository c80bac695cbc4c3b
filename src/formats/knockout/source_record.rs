//! The source record of a knockout (row K13), with its source's key names.

use serde_json::{Map, Value, json};

use super::settings::{Knockout, TEAM, X};
use crate::event::{Ballot, Origin, Phase, ReadingStatus, Results, Rotation, Statement};
use crate::floor::spoken_seconds;
use crate::plan::Plan;
use crate::trace::Trace;

/// The record, without what a failed debate did not reach.
pub(super) fn source_record(plan: &Plan, settings: &Knockout, trace: &Trace) -> Value {
    let rounds = 1..=trace.statements.iter().map(|s| s.round).max().unwrap_or(0);
    let rotations = trace.rotations.iter().filter(|r| r.rotated);
    let debated = |id: &str| trace.statements.iter().any(|s| s.by == id);
    let ys = plan.participants.iter().filter(|p| p.role() == TEAM);
    let tracking: Map<String, Value> = ys.map(|p| (p.id.clone(), debated(&p.id).into())).collect();
    let knockouts = trace.rotations.iter().filter(|r| r.voted_out);
    json!({
        "rounds": rounds.map(|n| round(trace, settings, n)).collect::<Vec<_>>(),
        "rotation_count": rotations.count(),
        "rotation_tracking": tracking,
        "knockouts": knockouts.map(|r| knockout(trace, r)).collect::<Vec<_>>(),
        "points": trace.outcome.as_ref().map(|outcome| &outcome.points),
        "standing": Results::of(trace.outcome.as_ref()).standing,
    })
}

fn round(trace: &Trace, settings: &Knockout, round: u32) -> Value {
    let said = || trace.statements.iter().filter(|s| s.round == round);
    let spoken: Vec<&Statement> = said().filter(|s| s.phase == Phase::ARGUMENT).collect();
    let side = |s: &Statement| if s.by == X { "X" } else { "Y" };
    let of = |wanted: &str| spoken.iter().find(|s| side(s) == wanted);
    let transition = said().find(|s| s.phase == Phase::TRANSITION);
    let seconds = |wanted: &str| {
        let spoken = of(wanted).filter(|s| s.origin != Origin::Emergency);
        spoken.map(|s| (spoken_seconds(s.tokens) * 10.0).round() / 10.0)
    };
    // The audience is not a judge.
    let judges = ballots(trace, round).filter(|ballot| !ballot.by.is_audience());
    let mut told = json!({
        "round_number": round,
        "speaking_order": spoken.iter().map(|s| side(s)).collect::<Vec<_>>(),
        "position_x_statement": of("X").map(|s| &s.text),
        "position_y_statement": of("Y").map(|s| &s.text),
        "debater": of("Y").map(|s| &s.by),
        "time_limit": settings.time_limit_seconds,
        "time_used": {"X": seconds("X"), "Y": seconds("Y")},
        "evaluations": judges.map(evaluation).collect::<Vec<_>>(),
        "transition": transition.map(|s| &s.text),
    });
    if let Some(vote) = trace.audience.iter().find(|vote| vote.round == round) {
        told["audience"] = json!(vote);
    }
    told
}

fn ballots(trace: &Trace, round: u32) -> impl Iterator<Item = &Ballot> {
    trace.ballots.iter().filter(move |ballot| ballot.round == round)
}

fn knockout(trace: &Trace, rotation: &Rotation) -> Value {
    let votes = ballots(trace, rotation.round).map(|b| (b.by.id.clone(), json!(b.keep)));
    json!({
        "round": rotation.round,
        "out": rotation.debater,
        "in": rotation.rotated.then_some(&rotation.next),
        "continue_votes": votes.collect::<Map<_, _>>(),
        "mean_total_score": rotation.mean_total,
        "reason": rotation.reason,
    })
}

fn evaluation(ballot: &Ballot) -> Value {
    let valid = ballot.reading.status == ReadingStatus::Valid;
    json!({
        "judge": ballot.by.id,
        "status": ballot.reading.status,
        "round_number": ballot.round,
        "position_y_performance": valid.then_some(&ballot.reading.scores),
        "total_score": ballot.reading.totals.get(&ballot.about),
        "comments": valid.then_some(&ballot.reading.reason),
        "continue_vote": ballot.keep,
    })
}
