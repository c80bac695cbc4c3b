//! What an outcome means and how sure it is: the sentences behind its line.

use super::decided;
use crate::event::{Outcome, Results, Turn, Verdict, VerdictJudge, hundredths};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// What stands behind the outcome's line: for whom it speaks, who agreed, and what it does not say.
pub(super) fn sentences(trace: &Trace) -> Vec<String> {
    let Some(outcome) = trace.outcome.as_ref() else {
        return Vec::new();
    };
    let mut told = match (decided::verdict(trace), &outcome.winner) {
        (Some(verdict), Some(winner)) => scored(trace, outcome, verdict, winner.id()),
        _ => vec![text::one_line(&outcome.decided_by)],
    };
    told.extend(caveat(trace));
    told.retain(|sentence| !sentence.is_empty());
    told
}

fn scored(
    trace: &Trace,
    outcome: &Outcome,
    verdict: &Verdict,
    winner: Option<&str>,
) -> Vec<String> {
    let is_winner = |p: &&TraceParticipant| winner.is_some_and(|id| p.id.starts_with(id));
    let side = trace.participants.iter().find(is_winner);
    let side = side.map_or("", |p| p.position.as_str());
    let side = (!side.is_empty())
        .then(|| text::sentence(&format!("The winning position: {}", text::one_line(side))));
    let votes = (!trace.ballots.is_empty()).then(|| text::one_line(&outcome.decided_by));
    let sure = agreement(trace, verdict);
    votes.into_iter().chain(side).chain(sure).collect()
}

/// Who of the judges agrees, and whether the order in which they read mattered.
fn agreement(trace: &Trace, verdict: &Verdict) -> Vec<String> {
    let Some(leaders) = verdict.leaders() else {
        return Vec::new();
    };
    let margin = verdict.margin().unwrap_or_default();
    let side = hundredths(margin).signum();
    let heard: Vec<&VerdictJudge> = verdict.heard().collect();
    // Of one that changed sides the margin is 0.
    let margins = heard.iter().map(|judge| judge.margin(leaders));
    let sides = margins.map(|margin| hundredths(margin.unwrap_or_default()).signum());
    let sides: Vec<i64> = sides.collect();
    let count = |wanted: i64| sides.iter().filter(|own| **own == wanted).count();
    let agree = count(side);
    let both = heard.iter().all(|judge| judge.valid().count() > 1);
    let ahead = match side {
        0 => "",
        1 => trace.name_of(leaders[0]),
        _ => trace.name_of(leaders[1]),
    };
    let who = match ahead {
        "" => {
            let judges = text::count(heard.len(), "judge");
            format!("By the margins of {judges}, nobody is ahead")
        }
        ahead => {
            // Who does not agree: `, 1 Ben`, `, 1 neither`.
            let other = trace.name_of(leaders[usize::from(side > 0)]);
            let others = text::further_counts(&[(count(-side), other), (count(0), "neither")]);
            judges(agree, heard.len(), ahead) + &others
        }
    };
    let how_far = match (side, verdict.rubric.scale) {
        (0, _) | (_, None) => String::new(),
        (_, Some((_, most))) if heard.len() == 1 => format!(" by {:.2} of {most}", margin.abs()),
        (_, Some((_, most))) => format!("; the mean margin is {:.2} of {most}", margin.abs()),
    };
    let order = match (both && side != 0 && agree == heard.len(), heard.len()) {
        (false, _) => "",
        (true, 1) => ", whichever side it read first",
        (true, _) => ", whichever side they read first",
    };
    // Where there are votes too, the outcome's own words tell of it.
    let readings = changed(trace, verdict).filter(|_| trace.ballots.is_empty());
    let told = match heard.len() {
        1 => format!("{who}{how_far}{order}."),
        _ => format!("{who}{order}{how_far}."),
    };
    let all = [Some(told), readings];
    all.into_iter().flatten().collect()
}

/// `Both judges put Ann ahead`, `2 of 3 judges put Ann ahead`.
fn judges(agree: usize, all: usize, ahead: &str) -> String {
    match (agree, all) {
        (1, 1) => format!("A single judge decided it and put {ahead} ahead"),
        (2, 2) => format!("Both judges put {ahead} ahead"),
        (n, all) if n == all => format!("All {all} judges put {ahead} ahead"),
        (n, all) => format!("{n} of {} put {ahead} ahead", text::count(all, "judge")),
    }
}

/// Whose readings differ in who is ahead, and of whom one reading alone counts.
fn changed(trace: &Trace, verdict: &Verdict) -> Option<String> {
    let name = |judge: &VerdictJudge| trace.name_of(&judge.judge.id).to_owned();
    let turns = verdict.turns();
    let turned = |turn: Turn| {
        let own = turns.iter().filter(|(_, own)| *own == turn);
        let names: Vec<String> = own.map(|(judge, _)| name(judge)).collect();
        let (who, words) = (text::joined(&names, "and"), turn.words(names.len()));
        let told = || format!("{who} {words} of reading, which counts as undecided.");
        (!names.is_empty()).then(told)
    };
    let lost = |judge: &&VerdictJudge| judge.valid().count() < judge.readings.len();
    let lost: Vec<String> = verdict.heard().filter(lost).map(name).collect();
    let lost = (!lost.is_empty()).then(|| {
        let names = text::joined(&lost, "and");
        format!("Of {names} only one reading could be used.")
    });
    let turned = [Turn::Changed, Turn::Level].into_iter().filter_map(turned);
    let all: Vec<String> = turned.chain(lost).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// What the outcome must not be taken for.
fn caveat(trace: &Trace) -> Option<String> {
    if !trace.ballots.is_empty() {
        return Some(
            "Whoever votes may take the seat; votes say how well the side was argued, not which side is right."
                .to_owned(),
        );
    }
    if trace.stances.iter().any(|stance| stance.stance.is_some()) {
        return Some(
            "The stances are the participants' own; nobody from outside judged them.".to_owned(),
        );
    }
    Results::of(trace.outcome.as_ref()).auto_score?;
    Some("The answer states its own confidence.".to_owned())
}
