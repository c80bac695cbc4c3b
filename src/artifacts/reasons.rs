//! What judges gave as their reasons, a line each, for texts with little room.

use super::arguments;
use super::fate;
use super::place;
use super::stances;
use crate::event::{Ballot, Reading, Reason};
use crate::flow::FlowPoint;
use crate::text;
use crate::trace::Trace;

/// The reasons behind the outcome: of judges of the whole debate, of the ballots of the rounds that decided, or of those
/// who stood for something.
pub(super) fn lines(trace: &Trace) -> Vec<String> {
    let verdicts = trace.verdicts.iter().flat_map(|verdict| {
        let leaders = verdict.leaders();
        let judges = verdict.judges.iter();
        let shown = judges.flat_map(move |j| j.shown(leaders).into_iter().map(move |r| (j, r)));
        shown.filter_map(|(judge, reading)| line(trace, &judge.judge.id, reading, ""))
    });
    let ballots = trace.ballots.iter().filter(|ballot| decided(trace, ballot));
    let ballots = ballots.filter_map(|ballot| {
        let vote = match ballot.keep? {
            true => format!(" on round {}, keep", ballot.round),
            false => format!(" on round {}, replace", ballot.round),
        };
        line(trace, &ballot.by.id, &ballot.reading, &vote)
    });
    let stances = stances::lines(trace);
    verdicts.chain(ballots).chain(stances).collect()
}

/// Whether somebody fell by the votes of this round, or it was the last.
fn decided(trace: &Trace, ballot: &Ballot) -> bool {
    let last = trace.rounds.last().map(|round| round.round);
    let mut fell = trace.rotations.iter().filter(|r| r.voted_out);
    Some(ballot.round) == last || fell.any(|rotation| rotation.round == ballot.round)
}

fn line(trace: &Trace, judge: &str, reading: &Reading, vote: &str) -> Option<String> {
    let reason = text::one_line(&told(trace, reading).join(" "));
    let name = text::one_line(trace.name_of(judge));
    let valid = reading.is_valid() && !reason.is_empty();
    valid.then(|| format!("{name}{vote}: {reason}"))
}

/// A reading's reasons, by contestant where there are several, with the statements they cite.
pub(super) fn told(trace: &Trace, reading: &Reading) -> Vec<String> {
    if reading.reasons.is_empty() {
        return vec![reading.reason.clone()];
    }
    let one = |(id, reason): (&String, &Reason)| {
        let cited = reason.turns.iter().map(|n| format!(" [{n}]"));
        let cited: String = cited.collect();
        format!("On {}: {}{cited}", trace.name_of(id), reason.text)
    };
    reading.reasons.iter().map(one).collect()
}

/// An argument and how it ended: `B2 Ann (never answered): …`.
pub(super) fn argument(trace: &Trace, point: &FlowPoint) -> String {
    let name = text::one_line(trace.name_of(&point.by));
    let status = fate::status(point);
    format!(
        "{} {name} ({status}): {}",
        point.id,
        text::one_line(&point.text)
    )
}

/// The statements that the flow turns on: they made what nobody answered or what was granted.
pub(super) fn turning(trace: &Trace) -> Vec<u32> {
    let last_word = place::final_text(trace).map(|s| s.n);
    let mut statements: Vec<u32> = arguments::ranked(trace)
        .iter()
        .map(|point| point.statement)
        .filter(|n| Some(*n) != last_word)
        .collect();
    statements.dedup();
    statements.truncate(TURNING);
    statements
}

/// Statements that the flow turns on.
const TURNING: usize = 4;
