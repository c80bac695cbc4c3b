//! What judges gave as their reasons, a line each, for texts with little room.

use std::collections::BTreeMap;

use super::{ballots, named_better, spoken, verdict};
use crate::artifacts::arguments::one_line_each;
use crate::artifacts::line::{Line, cites};
use crate::artifacts::{stances, statement_place};
use crate::event::{Ballot, Reading, Reason, Verdict, VerdictJudge, Winner};
use crate::text;
use crate::trace::Trace;

/// The reasons behind the outcome: of judges of the whole debate, those of judges who agree with it first, and of these those on
/// the winner, and last those of a further reading; of ballots, those that decided first, of these those to replace, by turns of
/// each round the short ones; or of those who stood for something.
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
    let of_judge = |judge| {
        let differs = !own.has_assent_of(judge);
        let lines = of_judge(trace, own, judge).into_iter();
        lines.map(move |(is_on_winner, line)| (differs, !is_on_winner, line))
    };
    let mut lines: Vec<(bool, bool, Line)> = own.judges.iter().flat_map(of_judge).collect();
    // One of each camp first: on whom it put ahead.
    lines.sort_by_key(|(differs, is_on_others, line)| {
        (!line.decided, differs != is_on_others, *differs)
    });
    lines.into_iter().map(|(.., line)| line)
}

/// A judge's totals and reasons, by contestant where there are several, the winner's first; with whether they are on the winner.
fn of_judge(trace: &Trace, own: &Verdict, judge: &VerdictJudge) -> Vec<(bool, Line)> {
    let winner = own.winner.as_ref().and_then(Winner::id);
    let deciding = judge.shown(own.leaders()).len();
    let of = |(place, reading): (usize, &Reading)| {
        let decided = place < deciding;
        let name = by(trace, judge, decided);
        // The first has the means of both readings.
        let shown = if decided { deciding } else { judge.readings.len() };
        let totals = verdict::given(judge, reading, shown);
        let note = named_better::note(trace, reading, &totals);
        let first = reading.order.first().filter(|_| decided && deciding > 1);
        let order = first.map(|id| format!("asked about {} first", trace.name_of(id)));
        let totals = decided.then(|| verdict::in_words(trace, &totals));
        let behind = text::separated(order.into_iter().chain(totals).chain(note), "; ");
        let whose = match behind.as_str() {
            "" => name.clone(),
            behind => format!("{name} ({behind})"),
        };
        let line = |line: &str, cites: &[u32]| Line { decided, ..Line::new(line, cites.to_vec()) };
        if reading.reasons.is_empty() {
            return vec![(true, line(&format!("{whose}: {}", reading.reason), &[]))];
        }
        let is_on_winner = |id: &String| winner == Some(id.as_str());
        let mut reasons: Vec<(&String, &Reason)> = reading.reasons.iter().collect();
        reasons.sort_by_key(|(id, _)| !is_on_winner(id));
        let on = |(place, (id, reason)): (usize, (&String, &Reason))| {
            let by = if place == 0 { &whose } else { &name };
            let told = format!("{by} on {}: {}", trace.name_of(id), reason.text);
            (is_on_winner(id), line(&told, &reason.turns))
        };
        reasons.into_iter().enumerate().map(on).collect()
    };
    judge.valid().enumerate().flat_map(of).collect()
}

/// What judges say of the whole debate, but for what the story quotes.
pub(in crate::artifacts) fn on_debate(trace: &Trace) -> Vec<Line> {
    let of_judge = |(own, judge): (&Verdict, &VerdictJudge)| -> Vec<Line> {
        let deciding = judge.shown(own.leaders()).len();
        let of = |(place, reading): (usize, &Reading)| {
            let (by, said) = (by(trace, judge, place < deciding), spoken::besides(trace, reading)?);
            Some(Line::new(&format!("{by} on the debate: {said}"), Vec::new()))
        };
        judge.valid().enumerate().filter_map(of).collect()
    };
    let verdicts = trace.own_verdicts();
    let judges = verdicts.flat_map(|own| own.judges.iter().map(move |judge| (own, judge)));
    judges.flat_map(of_judge).collect()
}

/// A judge, or its second reading, where the first has its pick.
fn by(trace: &Trace, judge: &VerdictJudge, decided: bool) -> String {
    match (trace.name_of(&judge.judge.id), decided) {
        (name, true) => name.to_owned(),
        (name, false) => format!("{name}'s second reading"),
    }
}

fn of_ballot(trace: &Trace, ballot: &Ballot) -> Option<Line> {
    let vote = ballots::vote(trace, ballot)?;
    let total = ballot.reading.totals.get(&ballot.about);
    let total = total.map_or_else(String::new, |total| format!("{total:.2}, "));
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

/// Whether it is for what the votes of this round came to, and somebody fell by them or it was the last.
fn decided(trace: &Trace, ballot: &Ballot) -> bool {
    let last = trace.rounds.last().map(|round| round.round);
    let mut own = trace.rotations.iter().filter(|rotation| rotation.round == ballot.round);
    own.any(|rotation| {
        let decides = rotation.voted_out || Some(ballot.round) == last;
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
