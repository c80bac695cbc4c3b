//! Ballots by round, as `summary.md` shows them: means by criterion, votes, and each judge's reasons.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::audience_votes;
use super::verdict::{criterion, rounded, weight};
use crate::artifacts::arguments::endings;
use crate::artifacts::{banner, positions};
use crate::event::{Ballot, BallotChecks, Rotation, mean};
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// The ballots for the template; nothing where nobody voted.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Option<Value> {
    let names = trace.ballots.iter().flat_map(|b| b.reading.scores.keys());
    let criteria: BTreeSet<&String> = names.collect();
    let rounds: Vec<Value> =
        trace.rounds.iter().map(|r| round(trace, r.round, &criteria)).collect();
    let weighed = |name: &&String| json!({"name": criterion(name), "weight": weight(trace, name)});
    let invalid = trace.ballots.iter().filter(|b| !b.reading.is_valid());
    (!trace.ballots.is_empty()).then(|| {
        json!({
            "criteria": criteria.iter().map(weighed).collect::<Vec<_>>(),
            "table": alike(&rounds),
            "rounds": rounds,
            "count": trace.ballots.len(),
            "invalid": invalid.count(),
        })
    })
}

/// The rows of the table of scores: rounds with the same debater and figures have one.
fn alike(rounds: &[Value]) -> Vec<Value> {
    let figures = ["debater", "means", "total", "voted"];
    let same = rounds.chunk_by(|one, other| figures.iter().all(|key| one[key] == other[key]));
    let row = |same: &[Value]| {
        let numbers = same.iter().map(|one| one["round"].to_string());
        let mut row = same[0].clone();
        row["round"] = json!(text::joined(numbers, "and"));
        row
    };
    same.map(row).collect()
}

/// The votes on a round as they were asked for, before the clerk noted what was given up in it.
fn voted(trace: &Trace, r: &Rotation) -> String {
    let is_own = |by: &str| positions::argue_alike(trace, by, &r.debater);
    let until = trace.statements.iter().find(|s| s.round == r.round).map_or(0, |s| s.n - 1);
    r.votes_and_cause(trace.name_of(&r.debater), trace.flow.position_in_words(is_own, until))
}

fn round(trace: &Trace, number: u32, criteria: &BTreeSet<&String>) -> Value {
    let ballots: Vec<&Ballot> =
        trace.ballots.iter().filter(|ballot| ballot.round == number).collect();
    let of = |name: &String| {
        let scores = ballots.iter();
        mean(&scores.filter_map(|b| b.reading.scores.get(name).copied()).collect::<Vec<_>>())
    };
    let means: Vec<Option<f64>> = criteria.iter().map(|name| of(name)).collect();
    let totals: Vec<f64> =
        ballots.iter().filter_map(|b| b.reading.totals.get(&b.about).copied()).collect();
    let result = trace.rotations.iter().find(|r| r.round == number && r.is_judged());
    json!({
        "round": number,
        "debater": ballots.first().map(|ballot| trace.name_of(&ballot.about)),
        "means": means,
        "total": mean(&totals),
        "voted": result.map(|r| voted(trace, r)),
        "most": profile_of(&trace.format).ballot_scale.map(|(_, most)| most),
        "reasons": ballots.iter().filter(|b| !b.by.is_audience()).map(|ballot| reason(trace, ballot)).collect::<Vec<_>>(),
        "audience": audience_votes::line(trace, number),
    })
}

/// The vote of who then came in.
pub(super) const TOOK_SEAT: &str = "replace, then came in";

/// A vote in words. Whoever votes somebody out and then comes in is named as such.
pub(in crate::artifacts) fn vote(trace: &Trace, ballot: &Ballot) -> Option<&'static str> {
    let vote = ballot.vote()?;
    let came_in = |r: &Rotation| r.rotated && r.round == ballot.round && r.next == ballot.by.id;
    let came_in = trace.rotations.iter().any(came_in);
    Some(if vote == "replace" && came_in { TOOK_SEAT } else { vote })
}

fn reason(trace: &Trace, ballot: &Ballot) -> Value {
    json!({
        "judge": trace.name_of(&ballot.by.id),
        "status": ballot.reading.status,
        "total": ballot.reading.totals.get(&ballot.about),
        "vote": vote(trace, ballot),
        "reason": ballot.reading.reason,
        "rounded": rounded(trace, &ballot.reading),
        "against": ballot.checks.as_ref().map(|checks| against(trace.name_of(&ballot.by.id), checks)),
        "cause": ballot.reading.cause.as_deref().map(banner::plain),
    })
}

/// What a voter held against the debater before it scored, which is not the clerk's note: `Strongest point against, in Ann's view:
/// “Nobody pays” (answered in part).`
pub(super) fn against(voter: &str, checks: &BallotChecks) -> String {
    let answered = checks.answered.words();
    let repeats = if checks.repeats_itself == Some(true) {
        " Mostly repeats what was said before."
    } else {
        ""
    };
    let point = endings::words(&checks.strongest_point_against);
    let voter = text::possessive(voter);
    format!("Strongest point against, in {voter} view: “{point}” ({answered}).{repeats}")
}
