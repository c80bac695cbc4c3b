//! What judges gave as their reasons, each behind its judge, for texts with little room.

use std::cmp::Reverse;

use super::{ballots, verdict};
use crate::event::{
    Answered, Ballot, Reading, Reason, Rotation, Verdict, VerdictJudge, hundredths,
};
use crate::text;
use crate::trace::Trace;

/// A reason behind the one who gave it: `Ada on Ben: `.
pub(in crate::artifacts) type Said = (String, String);

/// Each judge's readings by their reasons, those on whom it has ahead first: the readings that show the judge's pick, both of one
/// that changed sides; and the others. The judges come by turns of whom they have ahead.
pub(in crate::artifacts) fn of_readings(trace: &Trace) -> [Vec<Vec<Vec<Said>>>; 2] {
    let judged = |own: &Verdict| -> Vec<[Vec<Vec<Said>>; 2]> {
        let ahead =
            |judge: &VerdictJudge| judge.margin(own.leaders()?).map(|it| hundredths(it).signum());
        let judges = text::by_turns(own.judges.iter().map(|judge| (ahead(judge), judge)));
        judges.into_iter().map(|judge| of_judge(trace, own, judge)).collect()
    };
    let judges = trace.own_verdicts().flat_map(judged);
    let (shown, others) = judges.map(|[shown, others]| (shown, others)).unzip();
    [shown, others]
}

/// The reasons of the ballots of each round in which somebody fell, and of the others.
pub(in crate::artifacts) fn of_rounds(trace: &Trace) -> [Vec<Vec<Said>>; 2] {
    let (fell, others): (Vec<&Rotation>, Vec<&Rotation>) =
        trace.rotations.iter().partition(|rotation| rotation.voted_out);
    [fell, others].map(|all| all.into_iter().map(|rotation| of_round(trace, rotation)).collect())
}

fn of_judge(trace: &Trace, own: &Verdict, judge: &VerdictJudge) -> [Vec<Vec<Said>>; 2] {
    let of = |reading: &Reading| {
        let name = trace.name_of(&judge.judge.id);
        let mut reasons: Vec<(&String, &Reason)> = reading.reasons.iter().collect();
        let total = |id: &str| reading.totals.get(id).copied().map_or(0, hundredths);
        reasons.sort_by_key(|(id, _)| Reverse(total(id)));
        let on = |(id, reason): (&String, &Reason)| {
            (format!(" on {}", trace.name_of(id)), reason.text.clone())
        };
        let on = reasons.into_iter().map(on);
        let alone = text::if_any(reading.reason.clone()).map(|reason| (String::new(), reason));
        let debate = reading.remark().map(|said| (" on the debate".to_owned(), said.to_owned()));
        // What the reading gave stands with its first reason.
        let gave =
            [given(trace, own, judge, reading)].into_iter().chain(std::iter::repeat(String::new()));
        let all = on.chain(alone).chain(debate).zip(gave);
        all.map(|((on, said), gave)| said_by(&format!("{name}{gave}{on}"), said)).collect()
    };
    let shown = judge.shown(own.leaders()).len();
    let all: Vec<Vec<Said>> = judge.valid().map(of).collect();
    let (shown, others) = all.split_at(shown);
    [shown.to_vec(), others.to_vec()]
}

fn said_by(whose: &str, said: String) -> Said {
    (format!("{}: ", text::one_line(whose)), said)
}

/// What a reading of a judge gave, and that the other differs: ` (asked about Ann first; Ann 7.40, Ben 6.10)`.
fn given(trace: &Trace, own: &Verdict, judge: &VerdictJudge, reading: &Reading) -> String {
    let readings = judge.valid().count();
    let totals = verdict::given(judge, reading, readings);
    let first = reading.order.first().filter(|_| readings > 1);
    let order = first.map(|id| format!("asked about {} first", trace.name_of(id)));
    let totals = text::if_any(verdict::in_words(trace, &totals));
    let turn = own.leaders().and_then(|leaders| judge.turn(leaders));
    let turned = turn.map(|turn| turn.words().to_owned());
    let all = text::separated(order.into_iter().chain(totals).chain(turned), "; ");
    text::if_any(all).map_or_else(String::new, |all| format!(" ({all})"))
}

/// The reasons of a round's ballots, those for what the votes came to first.
fn of_round(trace: &Trace, rotation: &Rotation) -> Vec<Said> {
    let own = trace.ballots.iter().filter(|ballot| ballot.round == rotation.round);
    let mut own: Vec<&Ballot> = own.collect();
    own.sort_by_key(|ballot| ballot.keep != Some(!rotation.voted_out));
    own.into_iter().filter_map(|ballot| of_ballot(trace, ballot)).collect()
}

/// A ballot's reason, before what it held against the debater.
fn of_ballot(trace: &Trace, ballot: &Ballot) -> Option<Said> {
    let vote = ballots::vote(trace, ballot).filter(|_| ballot.reading.is_valid())?;
    let total = ballot.reading.totals.get(&ballot.about);
    let total = total.map_or_else(String::new, |total| format!("{}, ", text::fixed(*total, 2)));
    let whose = format!(
        "{} on {} in round {} ({total}{vote})",
        trace.name_of(&ballot.by.id),
        trace.name_of(&ballot.about),
        ballot.round,
    );
    let checks = ballot.checks.as_ref().filter(|checks| checks.answered != Answered::Fully);
    let against = checks.map(|checks| ballots::against(trace.name_of(&ballot.by.id), checks));
    let said = [text::sentence(&ballot.reading.reason)].into_iter().chain(against);
    Some(said_by(&whose, text::separated(said, " ")))
}
