//! What judges gave as their reasons, a line each, for texts with little room.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{ballots, spoken, verdict};
use crate::artifacts::arguments::one_line_each;
use crate::artifacts::line::{Line, cites};
use crate::artifacts::{stances, statement_place};
use crate::event::{Ballot, Reading, Reason, Verdict, VerdictJudge, hundredths};
use crate::text;
use crate::trace::Trace;

/// The reasons behind the outcome: of judges of the whole debate, those of judges who agree with it first, and of these those on
/// the winner, then those of a further reading, and last those of judges whose margin counts as 0; of ballots, those that decided
/// first, of these those to replace, by turns of each round the short ones; or of those who stood for something.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<Line> {
    let verdicts = trace.own_verdicts().flat_map(|own| of_verdict(trace, own));
    let mut ballots: Vec<&Ballot> = trace.ballots.iter().collect();
    ballots.sort_by_key(|ballot| ballot.reading.reason.chars().count());
    let rank = |ballot: &Ballot| (!decided(trace, ballot), ballot.keep != Some(false));
    let rounds = text::gathered(ballots.into_iter().map(|b| ((rank(b), b.round), b)));
    let places = rounds.into_iter().flat_map(|((rank, round), own)| {
        own.into_iter().enumerate().map(move |(place, ballot)| ((rank, place, round), ballot))
    });
    let ballots = BTreeMap::from_iter(places).into_values().filter_map(|b| of_ballot(trace, b));
    verdicts.chain(ballots).chain(stances::lines(trace)).collect()
}

fn of_verdict(trace: &Trace, own: &Verdict) -> impl Iterator<Item = Line> {
    let all_turned = own.turns().len() == own.heard().count();
    let of_judge = |judge: &VerdictJudge| {
        let counts = all_turned || own.leaders().and_then(|it| judge.turn(it)).is_none();
        let differs = !own.has_assent_of(judge);
        let side = side(own, judge);
        let lines = of_judge(trace, own, judge, counts).into_iter();
        // One of each camp and of each reading first: on whom it put ahead.
        let placed = move |(place, line): (usize, Line)| {
            let line = Line { side: line.side.or_else(|| side.clone()), ..line };
            ((!counts, !line.decided, place, differs), line)
        };
        lines.map(placed)
    };
    let mut lines: Vec<_> = own.judges.iter().flat_map(of_judge).collect();
    lines.sort_by_key(|(place, _)| *place);
    lines.into_iter().map(|(_, line)| line)
}

/// Whose case a judge makes, where judges put different sides ahead.
fn side(own: &Verdict, judge: &VerdictJudge) -> Option<String> {
    own.split().map(|_| own.has_assent_of(judge).to_string())
}

/// A judge's reasons, by contestant where there are several: in each reading, those on whom it put ahead come first; with the place
/// in it. Readings that disagree are of different sides.
fn of_judge(
    trace: &Trace,
    own: &Verdict,
    judge: &VerdictJudge,
    counts: bool,
) -> Vec<(usize, Line)> {
    let turned = own.leaders().and_then(|leaders| judge.turn(leaders)).is_some();
    let deciding = judge.shown(own.leaders()).len();
    let of = |(place, reading): (usize, &Reading)| {
        let whose = labelled(trace, own, judge, reading);
        let decided = counts && place < deciding;
        let line = |line: &str, cites: &[u32]| {
            let side = turned.then(|| reading.call.clone());
            Line { decided, side, ..Line::new(line, cites.to_vec()) }
        };
        if reading.reasons.is_empty() {
            return vec![(0, line(&format!("{whose}: {}", reading.reason), &[]))];
        }
        let mut reasons: Vec<(&String, &Reason)> = reading.reasons.iter().collect();
        reasons.sort_by_key(|(id, _)| Reverse(reading.totals.get(*id).map(|it| hundredths(*it))));
        let on = |(place, (id, reason)): (usize, (&String, &Reason))| {
            let told = format!("{whose} on {}: {}", trace.name_of(id), reason.text);
            (place, line(&told, &reason.turns))
        };
        reasons.into_iter().enumerate().map(on).collect()
    };
    judge.valid().enumerate().flat_map(of).collect()
}

/// What judges say of the whole debate, but for what the story quotes.
pub(in crate::artifacts) fn on_debate(trace: &Trace) -> Vec<Line> {
    let of_judge = |own: &Verdict, judge: &VerdictJudge| -> Vec<Line> {
        let of = |reading: &Reading| {
            let said = spoken::besides(trace, reading)?;
            let by = labelled(trace, own, judge, reading);
            let line = Line::new(&format!("{by} on the debate: {said}"), Vec::new());
            Some(Line { side: side(own, judge), ..line })
        };
        judge.valid().filter_map(of).collect()
    };
    let of = |own: &Verdict| -> Vec<Line> {
        own.judges.iter().flat_map(|judge| of_judge(own, judge)).collect()
    };
    trace.own_verdicts().flat_map(of).collect()
}

/// A judge with what a reading of it gave: `Judge-1 (asked about Ann first; Ann 7.40, Ben 6.10)`; and that the other differs.
fn labelled(trace: &Trace, own: &Verdict, judge: &VerdictJudge, reading: &Reading) -> String {
    let (name, readings) = (trace.name_of(&judge.judge.id), judge.valid().count());
    let totals = verdict::given(judge, reading, readings);
    let first = reading.order.first().filter(|_| readings > 1);
    let order = first.map(|id| format!("asked about {} first", trace.name_of(id)));
    let totals = text::if_any(verdict::in_words(trace, &totals));
    let turn = own.leaders().and_then(|leaders| judge.turn(leaders));
    let turned = turn.map(|turn| turn.words(1).to_owned());
    match text::separated(order.into_iter().chain(totals).chain(turned), "; ") {
        behind if behind.is_empty() => name.to_owned(),
        behind => format!("{name} ({behind})"),
    }
}

fn of_ballot(trace: &Trace, ballot: &Ballot) -> Option<Line> {
    let vote = ballots::vote(trace, ballot)?;
    let total = ballot.reading.totals.get(&ballot.about);
    let total = total.map_or_else(String::new, |total| format!("{}, ", text::fixed(*total, 2)));
    let line = format!(
        "{} on {} in round {} ({total}{vote}): {}",
        trace.name_of(&ballot.by.id),
        trace.name_of(&ballot.about),
        ballot.round,
        ballot.reading.reason,
    );
    let line = Line { decided: decided(trace, ballot), ..Line::new(&line, Vec::new()) };
    ballot.reading.is_valid().then_some(line)
}

/// Whether it is for what the votes of this round came to, and somebody fell by them or kept the seat to the end.
fn decided(trace: &Trace, ballot: &Ballot) -> bool {
    let last = trace.rounds.last().map(|round| round.round);
    let mut own = trace.rotations.iter().filter(|rotation| rotation.round == ballot.round);
    own.any(|rotation| {
        let is_kept = Some(ballot.round) == last && rotation.keeps_seat();
        let decides = rotation.voted_out || is_kept;
        decides && ballot.keep == Some(!rotation.voted_out)
    })
}

/// A reading's reasons, by contestant where there are several, with the statements they cite.
pub(in crate::artifacts) fn told(trace: &Trace, reading: &Reading) -> Vec<String> {
    if reading.reasons.is_empty() {
        return vec![reading.reason.clone()];
    }
    let one = |(id, reason): (&String, &Reason)| {
        let cites = cites(&reason.turns);
        format!("On {}: {}{cites}", trace.name_of(id), reason.text)
    };
    let debate = spoken::besides(trace, reading).map(|said| format!("On the debate: {said}"));
    reading.reasons.iter().map(one).chain(debate).collect()
}

/// The statements that the flow turns on, the sides by turns: they made what was granted or what nobody answered.
pub(in crate::artifacts) fn turning(trace: &Trace) -> Vec<u32> {
    let last_word = statement_place::final_text(trace).map(|s| s.n);
    let all = one_line_each::in_order(trace, &[]).into_iter();
    let sides = text::gathered(all.map(|point| (&point.side, point.statement)))
        .into_iter()
        .map(|(_, statements)| text::distinct(statements));
    let mut places: Vec<(usize, u32)> = sides
        .flat_map(|statements| statements.into_iter().enumerate())
        .filter(|(_, n)| Some(*n) != last_word)
        .collect();
    places.sort_by_key(|(place, _)| *place);
    places.truncate(TURNING);
    places.into_iter().map(|(_, n)| n).collect()
}

/// Statements that the flow turns on.
const TURNING: usize = 4;
