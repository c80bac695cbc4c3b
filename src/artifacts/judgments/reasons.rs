//! What judges gave as their reasons, a line each, for texts with little room.

use std::cmp::Reverse;

use super::{ballots, verdict};
use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::stances;
use crate::event::{Ballot, Reading, Reason, Rotation, Verdict, VerdictJudge, hundredths};
use crate::text;
use crate::trace::Trace;

/// The reasons by turns: the first of each judge, of both readings of one that changed sides, of each round in which somebody fell,
/// or of each who took a stance; then their second, and so on; last those of other readings, and of rounds that changed nothing.
pub(in crate::artifacts) fn in_turns(trace: &Trace) -> Vec<Vec<String>> {
    let judged = |own: &Verdict| -> Vec<[Vec<Vec<String>>; 2]> {
        own.judges.iter().map(|judge| of_judge(trace, own, judge)).collect()
    };
    let judges = trace.own_verdicts().flat_map(judged);
    let (shown, also): (Vec<_>, Vec<_>) = judges.map(|[shown, also]| (shown, also)).unzip();
    let (fell, others): (Vec<&Rotation>, Vec<&Rotation>) =
        trace.rotations.iter().partition(|rotation| rotation.voted_out);
    let voices = shown.into_iter().flatten();
    let voices = voices.chain(fell.into_iter().map(|rotation| of_round(trace, rotation)));
    let stances = stances::lines(trace).into_iter().map(|line| vec![line]);
    let voices: Vec<Vec<String>> = voices.chain(stances).collect();
    let most = voices.iter().map(Vec::len).max().unwrap_or_default();
    let turn = |place: usize| -> Vec<String> {
        voices.iter().filter_map(|own| own.get(place).cloned()).collect()
    };
    let others = others.into_iter().flat_map(|rotation| of_round(trace, rotation));
    let last = also.into_iter().flatten().flatten().chain(others);
    let last: Vec<String> = last.chain(dialectic_ledger::comparisons(trace)).collect();
    (0..most).map(turn).chain([last]).filter(|turn| !turn.is_empty()).collect()
}

/// The reasons of the readings of a judge that show its pick, and of the others: those on whom the reading has ahead first.
fn of_judge(trace: &Trace, own: &Verdict, judge: &VerdictJudge) -> [Vec<Vec<String>>; 2] {
    let of = |reading: &Reading| {
        let whose = labelled(trace, own, judge, reading);
        let mut reasons: Vec<(&String, &Reason)> = reading.reasons.iter().collect();
        let total = |id: &str| reading.totals.get(id).copied().map_or(0, hundredths);
        reasons.sort_by_key(|(id, _)| Reverse(total(id)));
        let on = |(id, reason): (&String, &Reason)| {
            format!("{whose} on {}: {}", trace.name_of(id), reason.text)
        };
        let on = reasons.into_iter().map(on);
        let alone = text::if_any(reading.reason.clone()).map(|reason| format!("{whose}: {reason}"));
        let debate = reading.remark().map(|said| format!("{whose} on the debate: {said}"));
        let all = on.chain(alone).chain(debate);
        all.map(|line| text::one_line(&line)).collect::<Vec<String>>()
    };
    let shown = judge.shown(own.leaders()).len();
    let all: Vec<Vec<String>> = judge.valid().map(of).collect();
    let (shown, also) = all.split_at(shown);
    [shown.to_vec(), also.to_vec()]
}

/// A judge with what a reading of it gave: `Judge-1 (asked about Ann first; Ann 7.40, Ben 6.10)`; and that the other differs.
fn labelled(trace: &Trace, own: &Verdict, judge: &VerdictJudge, reading: &Reading) -> String {
    let (name, readings) = (trace.name_of(&judge.judge.id), judge.valid().count());
    let totals = verdict::given(judge, reading, readings);
    let first = reading.order.first().filter(|_| readings > 1);
    let order = first.map(|id| format!("asked about {} first", trace.name_of(id)));
    let totals = text::if_any(verdict::in_words(trace, &totals));
    let turn = own.leaders().and_then(|leaders| judge.turn(leaders));
    let turned = turn.map(|turn| turn.words().to_owned());
    match text::separated(order.into_iter().chain(totals).chain(turned), "; ") {
        behind if behind.is_empty() => name.to_owned(),
        behind => format!("{name} ({behind})"),
    }
}

/// The reasons of a round's ballots, those for what the votes came to first.
fn of_round(trace: &Trace, rotation: &Rotation) -> Vec<String> {
    let own = trace.ballots.iter().filter(|ballot| ballot.round == rotation.round);
    let mut own: Vec<&Ballot> = own.collect();
    own.sort_by_key(|ballot| ballot.keep != Some(!rotation.voted_out));
    own.into_iter().filter_map(|ballot| of_ballot(trace, ballot)).collect()
}

fn of_ballot(trace: &Trace, ballot: &Ballot) -> Option<String> {
    let vote = ballots::vote(trace, ballot).filter(|_| ballot.reading.is_valid())?;
    let total = ballot.reading.totals.get(&ballot.about);
    let total = total.map_or_else(String::new, |total| format!("{}, ", text::fixed(*total, 2)));
    Some(text::one_line(&format!(
        "{} on {} in round {} ({total}{vote}): {}",
        trace.name_of(&ballot.by.id),
        trace.name_of(&ballot.about),
        ballot.round,
        ballot.reading.reason,
    )))
}
