//! What an outcome means and how sure it is: the sentences behind its line.

use crate::artifacts::judgments::{decided, panels};
use crate::artifacts::{known_answer, statement_place};
use crate::event::{DEBATE, Outcome, Reading, Results, Turn, Verdict, VerdictJudge, hundredths};
use crate::formats::dialectic;
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// What stands behind the outcome's line: for whom it speaks, who agreed, and what it does not say.
pub(in crate::artifacts) fn sentences(trace: &Trace) -> Vec<String> {
    let Some(outcome) = trace.outcome.as_ref() else {
        return Vec::new();
    };
    let mut told = match (decided::verdict(trace), &outcome.winner) {
        (Some(verdict), Some(_)) => scored(trace, outcome, verdict),
        _ => vec![text::one_line(&outcome.decided_by)],
    };
    told.extend(caveat(trace));
    told.extend(of_panels(trace));
    told.extend(known_answer::sentences(trace));
    told.retain(|sentence| !sentence.is_empty());
    told
}

fn scored(trace: &Trace, outcome: &Outcome, verdict: &Verdict) -> Vec<String> {
    let votes = (!trace.ballots.is_empty()).then(|| text::one_line(&outcome.decided_by));
    let sure = agreement(trace, verdict);
    votes.into_iter().chain(sure).collect()
}

/// What the verdict rests on: how many judges, in which orders they read, whom they put ahead and by how much.
fn agreement(trace: &Trace, verdict: &Verdict) -> Vec<String> {
    let Some(leaders) = verdict.leaders() else {
        return Vec::new();
    };
    let margin = verdict.margin().unwrap_or_default();
    let side = hundredths(margin).signum();
    let ahead = match side {
        0 => None,
        1 => Some(trace.name_of(leaders[0])),
        _ => Some(trace.name_of(leaders[1])),
    };
    let of = verdict
        .rubric
        .scale
        .map_or_else(String::new, |(_, most)| format!(" of {most}"));
    let by = format!("by {:.2}{of}", margin.abs());
    let heard: Vec<&VerdictJudge> = verdict.heard().collect();
    let told = match heard[..] {
        [only] => single(only, leaders, ahead, &by),
        _ => several(trace, &heard, leaders, side, &by),
    };
    // Where there are votes too, the outcome's own words tell of it.
    let readings = changed(trace, verdict).filter(|_| trace.ballots.is_empty());
    [Some(told), readings].into_iter().flatten().collect()
}

/// One judge is one opinion, however far apart it puts them.
fn single(judge: &VerdictJudge, leaders: [&str; 2], ahead: Option<&str>, by: &str) -> String {
    let both = judge.valid().count() > 1;
    match (ahead, both) {
        (None, _) => "Weak evidence: one judge, who put nobody ahead.".to_owned(),
        (Some(ahead), true) => format!(
            "Weak evidence: one judge, who put {ahead} ahead, whoever was named first: {by}{}.",
            by_reading(judge, leaders)
        ),
        (Some(ahead), false) => {
            format!("Weak evidence: one judge, whose one reading put {ahead} ahead {by}.")
        }
    }
}

/// How far each reading of a judge put the one ahead: ` on average, 1.20 and 0.10 by reading`.
fn by_reading(judge: &VerdictJudge, [one, other]: [&str; 2]) -> String {
    let margin = |reading: &Reading| Some(reading.totals.get(one)? - reading.totals.get(other)?);
    let margins = judge.valid().filter_map(margin);
    let margins: Vec<String> = margins.map(|it| format!("{:.2}", it.abs())).collect();
    match text::distinct(margins.iter()).len() {
        1 => " in each reading".to_owned(),
        _ => format!(" on average, {} by reading", text::joined(&margins, "and")),
    }
}

/// `Both judges put Ann ahead, whoever was named first, by 1.00 of 10 on average`, `2 of 3 judges put Ann ahead, 1 Ben; …`
fn several(
    trace: &Trace,
    heard: &[&VerdictJudge],
    leaders: [&str; 2],
    side: i64,
    by: &str,
) -> String {
    // Of one that changed sides the margin is 0.
    let margins = heard.iter().map(|judge| judge.margin(leaders));
    let sides = margins.map(|margin| hundredths(margin.unwrap_or_default()).signum());
    let sides: Vec<i64> = sides.collect();
    let count = |wanted: i64| sides.iter().filter(|own| **own == wanted).count();
    let all = heard.len();
    if side == 0 {
        return format!(
            "By the margins of {}, nobody is ahead.",
            text::count(all, "judge")
        );
    }
    let [ahead, other] = match side {
        1 => leaders,
        _ => [leaders[1], leaders[0]],
    };
    let ahead = trace.name_of(ahead);
    let both = heard.iter().all(|judge| judge.valid().count() > 1);
    let order = if both {
        ", whoever was named first"
    } else {
        ""
    };
    match (count(side), all) {
        (2, 2) => format!("Both judges put {ahead} ahead{order}, {by} on average."),
        (n, all) if n == all => {
            format!("All {all} judges put {ahead} ahead{order}, {by} on average.")
        }
        // Who does not agree: `, 1 Ben`, `, 1 neither`.
        (n, all) => {
            let others = [(count(-side), trace.name_of(other)), (count(0), "neither")];
            // As many for the other as for the one ahead: the margin alone decides.
            let weak = if count(-side) >= n {
                "Weak evidence: "
            } else {
                ""
            };
            format!(
                "{weak}{n} of {} put {ahead} ahead{}, {by} on average.",
                text::count(all, "judge"),
                text::further_counts(&others)
            )
        }
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

/// What panels say that read it afterwards; that none has, where the outcome is an answer to be compared with a debate's.
fn of_panels(trace: &Trace) -> Vec<String> {
    let said = panels::lines(trace).into_iter();
    let said: Vec<String> = said.map(|line| format!("Panel {line}.")).collect();
    let two = profile_of(&trace.format).two_answers;
    let is_to_be_compared = two.is_some_and(|two| two.other == DEBATE);
    match said.is_empty() && is_to_be_compared {
        true => vec!["No panel has compared it with the debate's answer.".to_owned()],
        false => said,
    }
}

/// What the outcome must not be taken for.
fn caveat(trace: &Trace) -> Option<String> {
    if !trace.ballots.is_empty() {
        return Some(votes(trace));
    }
    if trace.stances.iter().any(|stance| stance.stance.is_some()) {
        return Some(
            "The stances are the participants' own; nobody from outside judged them.".to_owned(),
        );
    }
    Results::of(trace.outcome.as_ref()).auto_score?;
    let text = statement_place::final_text(trace).map_or("", |s| &s.text);
    let own = match dialectic::confidence(text) {
        Some(_) => "the confidence is the answer's own, and the score ",
        None => "the score ",
    };
    let judges = decided::verdict(trace).map_or(0, |verdict| verdict.heard().count());
    Some(match judges {
        0 | 1 => format!("Weak evidence: {own}is one judge's."),
        n => text::capitalised(&format!("{own}is the mean of {n} judges.")),
    })
}

/// Who voted on what: not on which side is right.
fn votes(trace: &Trace) -> String {
    let voted = trace
        .ballots
        .iter()
        .filter(|ballot| !ballot.by.is_audience());
    let mut voters = voted.map(|ballot| &ballot.by.id);
    let fell = |id: &String| {
        let mut rotations = trace.rotations.iter();
        rotations.any(|rotation| rotation.voted_out && rotation.debater == *id)
    };
    let some = if voters.any(fell) {
        "some of whom"
    } else {
        "who"
    };
    let voted = format!(
        "after each round, the debater's teammates, {some} could take the seat, voted to keep or replace the debater."
    );
    match decided::verdict(trace) {
        Some(_) => text::capitalised(&voted),
        None => format!("This says nothing about which side is right: {voted}"),
    }
}
