//! What an outcome means and how sure it is: the sentences behind its line.

use crate::artifacts::arguments::endings;
use crate::artifacts::judgments::{decided, panels};
use crate::artifacts::{known_answer, positions, statement_place};
use crate::event::{DEBATE, Results, Verdict, VerdictJudge, hundredths};
use crate::job::profile_of;
use crate::panel::candidates::{side_of, sides};
use crate::text::{self, answer_parts};
use crate::trace::Trace;

/// What stands behind the outcome's line: how weak it is, what it rests on, and what it does not say.
pub(in crate::artifacts) fn sentences(trace: &Trace) -> Vec<String> {
    let Some(outcome) = trace.outcome.as_ref() else {
        return Vec::new();
    };
    let mut told: Vec<String> = weak(trace).into_iter().collect();
    told.push(text::one_line(&outcome.decided_by));
    told.extend(held(trace));
    told.extend(caveats(trace));
    told.extend(of_panels(trace));
    told.extend(known_answer::sentences(trace));
    told.retain(|sentence| !sentence.is_empty());
    told
}

/// What two sides held in the end that had both narrowed their positions: they may be closer to each other than the outcome says.
fn held(trace: &Trace) -> Option<String> {
    let sides = <[&str; 2]>::try_from(sides(trace)).ok()?;
    let [one, other] = sides.map(|side| {
        let last = trace.statements.iter().rfind(|s| side_of(trace, &s.by) == side)?;
        let left = positions::of(trace, &[&last.by])?.left?;
        let mut own = trace.contestants().filter(|p| side_of(trace, &p.id) == side);
        let is_of_all = own.all(|p| positions::argue_alike(trace, &p.id, &last.by));
        let by = if is_of_all { side } else { &last.by };
        Some(format!("{} held {}", trace.name_of(by), endings::quoted(left)))
    });
    Some(format!("In the end, as the clerk noted it, {}; {}.", one?, other?))
}

/// That a verdict is weak evidence, if so, with all reasons but those that the outcome's line gives.
fn weak(trace: &Trace) -> Option<String> {
    let verdict = trace.deciding_verdict()?;
    let apart = match verdict.heard().count() {
        1 => "the margin is smaller than the difference between its own two readings",
        _ => "the margin is smaller than the average difference between a judge's two readings",
    };
    let is_apart = verdict.reading_difference().is_some() && !verdict.turns().is_empty();
    let apart = is_apart.then(|| apart.to_owned());
    let seats = (!verdict.is_weak(|judge| &judge.judge.id))
        .then(|| "judges on one model count as one".to_owned());
    let all = one(verdict).into_iter().chain(even(verdict)).chain(apart).chain(seats);
    let told = match text::separated(all, ", and ").as_str() {
        "" => "This result is weak evidence.".to_owned(),
        why => format!("Weak evidence: {why}."),
    };
    trace.is_weak()?.then_some(told)
}

/// That one judge decides.
fn one(verdict: &Verdict) -> Option<String> {
    if verdict.heard().count() == 1 {
        let turned = verdict.turns().first().map(|(_, turn)| turn.words());
        return Some(turned.map_or("one judge".to_owned(), |did| format!("one judge, who {did}")));
    }
    verdict.only_one_has_a_lead().then(|| "one judge alone decides".to_owned())
}

/// That no more judges are for the winner than against it, and of two, by how much: a mean has the larger margin ahead.
fn even(verdict: &Verdict) -> Option<String> {
    let [ahead, other] = verdict.split().filter(|[ahead, other]| other >= ahead)?;
    let (more, than) = if ahead == other { ("as many", "as") } else { ("more", "than") };
    let margin = |judge: &VerdictJudge| Some(hundredths(judge.margin(verdict.leaders()?)?).abs());
    let mut margins: Vec<i64> = verdict.heard().filter_map(margin).filter(|it| *it > 0).collect();
    margins.sort_unstable();
    let points = |hundredths: i64| text::fixed(hundredths as f64 / 100.0, 2);
    let by = match margins[..] {
        [less, more] => format!(" ({} against, {} for)", points(less), points(more)),
        _ => String::new(),
    };
    Some(format!("{more} judges are against the winner {than} for it{by}"))
}

/// Whether somebody checks claims.
pub(in crate::artifacts) fn has_fact_checker(trace: &Trace) -> bool {
    trace.participant("fact_checker").is_some()
}

/// What the outcome must not be taken for, and that nobody checked claims, where somebody may or there were facts to argue with.
pub(in crate::artifacts) fn caveats(trace: &Trace) -> Vec<String> {
    let has_facts = trace.plan.background.as_array().is_some_and(|all| !all.is_empty());
    let is_due = has_facts || trace.plan.settings.contains_key("interruptions");
    let told = (is_due && !has_fact_checker(trace)).then_some("No claim was checked for truth.");
    caveat(trace).into_iter().chain(told.map(str::to_owned)).collect()
}

/// What panels say that read it afterwards; that none has, where the outcome is an answer to be compared with a debate's.
fn of_panels(trace: &Trace) -> Vec<String> {
    let said: Vec<String> =
        panels::lines(trace).into_iter().map(|line| format!("Panel {line}.")).collect();
    let two = profile_of(&trace.format).two_answers;
    let is_to_be_compared = two.is_some_and(|two| two.other == DEBATE);
    if said.is_empty() && is_to_be_compared {
        vec!["No panel has compared it with the debate's answer.".to_owned()]
    } else {
        said
    }
}

/// What the outcome must not be taken for.
fn caveat(trace: &Trace) -> Option<String> {
    if !trace.ballots.is_empty() && decided::own_verdict(trace).is_none() {
        let caveat = "The team voted on its own debater, not on which side is right.";
        return Some(caveat.to_owned());
    }
    if trace.stances.iter().any(|stance| stance.stance.is_some()) {
        return Some(
            "The specialists chose their own stances; no outsider judged them.".to_owned(),
        );
    }
    Results::of(trace.outcome.as_ref()).auto_score?;
    let text = statement_place::final_text(trace).map_or("", |s| &s.text);
    let own = match answer_parts::read(text).confidence() {
        Some(_) => "the confidence is the answer's own, and the score ",
        None => "the score ",
    };
    let heard = decided::own_verdict(trace).into_iter().flat_map(Verdict::heard);
    let mut scores: Vec<f64> = heard.flat_map(|judge| judge.means().into_values()).collect();
    scores.sort_by(f64::total_cmp);
    Some(match scores[..] {
        [] | [_] => format!("Weak evidence: {own}is one judge's."),
        [least, .., most] => {
            let (n, least, most) = (scores.len(), text::fixed(least, 2), text::fixed(most, 2));
            let gave = match n {
                _ if least != most => format!("gave {least} to {most}"),
                2 => format!("both gave {least}"),
                _ => format!("all gave {least}"),
            };
            text::capitalised(&format!("{own}is the mean of {n} judges, who {gave}."))
        }
    })
}
