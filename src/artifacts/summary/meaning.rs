//! What an outcome means and how sure it is: the sentences behind its line.

use std::cmp::Reverse;
use std::iter;

use crate::artifacts::judgments::decided::{self, Lead};
use crate::artifacts::judgments::{own_model_decides, panels};
use crate::artifacts::{banner, known_answer, statement_place};
use crate::event::{DEBATE, Outcome, Phase, Reading, Results, Turn, Verdict, VerdictJudge};
use crate::job::{criteria, profile_of};
use crate::panel::candidates;
use crate::text::{self, answer_parts};
use crate::trace::{Trace, TraceParticipant};

/// What stands behind the outcome's line: for whom it speaks, who agreed, and what it does not say. With little room, a team's votes
/// are left out: who fell stands in that line and with the reasons.
pub(in crate::artifacts) fn sentences(trace: &Trace, with_votes: bool) -> Vec<String> {
    let Some(outcome) = trace.outcome.as_ref() else {
        return Vec::new();
    };
    let own_model = own_model_decides::sentence(trace);
    let mut told: Vec<String> = own_model.into_iter().collect();
    let verdict = decided::verdict(trace).filter(|_| outcome.winner.is_some());
    let is_voted = !trace.ballots.is_empty();
    told.extend(verdict.into_iter().flat_map(|verdict| scored(trace, outcome, verdict)));
    if if is_voted { with_votes } else { verdict.is_none() } {
        told.push(text::one_line(&outcome.decided_by));
    }
    told.extend(if is_voted { votes(trace, with_votes) } else { caveat(trace) });
    told.extend(of_panels(trace));
    told.extend(known_answer::sentences(trace));
    told.retain(|sentence| !sentence.is_empty());
    told
}

fn scored(trace: &Trace, outcome: &Outcome, verdict: &Verdict) -> Vec<String> {
    let sure = agreement(trace, verdict);
    // What is shortened keeps its beginning: how sure it is comes before what follows from it.
    let told = sure.into_iter().chain(better_argued(trace, outcome, verdict));
    told.chain(unequal_turns(trace)).collect()
}

/// What the winner stood for, which the outcome's line does not say: `By the mean scores of 2 judges, “Zoos should be closed” was
/// argued better.` Where a judge changed sides, it is by their margins; nothing where the scores do not bear these out, or hardly.
fn better_argued(trace: &Trace, outcome: &Outcome, verdict: &Verdict) -> Option<String> {
    let winner = outcome.winner.as_ref()?.id()?;
    if verdict.is_doubtful() || verdict.totals_differ(|id| id).is_some() {
        return None;
    }
    let mut side = trace.contestants();
    let won = side.find(|p| candidates::side_of(trace, &p.id) == winner)?;
    let position = text::one_line(&won.position);
    let position = position.trim_end_matches('.');
    let by = match verdict.heard().count() {
        1 => "By one judge's scores".to_owned(),
        judges if verdict.turns().is_empty() => {
            format!("By the {} scores of {judges} judges", criteria::mean(&trace.plan.settings))
        }
        judges => format!("On average over {judges} judges"),
    };
    (!position.is_empty()).then(|| format!("{by}, “{position}” was argued better."))
}

/// That one of two sides spoke more often: `Ann spoke twice, first and last; Ben once, with no turn left to answer the last.`
fn unequal_turns(trace: &Trace) -> Option<String> {
    let turns = |p: &TraceParticipant| {
        let said = trace.statements.iter().filter(|s| s.by == p.id);
        said.filter(|s| s.was_heard() && s.phase != Phase::ANSWER).count()
    };
    let mut sides: Vec<(usize, &TraceParticipant)> =
        trace.contestants().map(|p| (turns(p), p)).collect();
    sides.sort_by_key(|(turns, _)| Reverse(*turns));
    let [(more, one), (less, other)] = sides[..] else {
        return None;
    };
    let (first_and_last, no_turn) = if one.spoke_first && one.spoke_last {
        (", first and last", ", with no turn left to answer the last")
    } else {
        ("", "")
    };
    let (more_often, less_often) = (times(more), times(less));
    let (one, other) = (&one.name, &other.name);
    (more > less && less > 0 && trace.ballots.is_empty()).then(|| {
        format!("{one} spoke {more_often}{first_and_last}; {other} {less_often}{no_turn}.")
    })
}

fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// What the verdict rests on: how many judges, in which orders they read, whom they put ahead and by how much.
fn agreement(trace: &Trace, verdict: &Verdict) -> Vec<String> {
    let Some(margin) = verdict.margin() else {
        return Vec::new();
    };
    let ahead = Lead::of(trace, verdict, margin);
    let of = verdict.rubric.scale.map_or_else(String::new, |(_, most)| format!(" of {most}"));
    let by = text::fixed(margin.abs(), 2) + &of;
    let heard: Vec<&VerdictJudge> = verdict.heard().collect();
    let told = match heard[..] {
        [only] => single(trace, verdict, only, ahead, &by),
        _ => several(trace, verdict, &heard, &by),
    };
    let others = heard.iter().filter_map(|judge| {
        let put = decided::put_first(trace, verdict, judge)?;
        Some(format!("{} {put}.", trace.name_of(&judge.judge.id)))
    });
    let told = iter::once(told).chain(others).collect::<Vec<_>>().join(" ");
    [Some(told), changed(trace, verdict)].into_iter().flatten().collect()
}

/// One judge is one opinion, however far apart it puts them.
fn single(
    trace: &Trace,
    verdict: &Verdict,
    judge: &VerdictJudge,
    ahead: Option<Lead<'_>>,
    by: &str,
) -> String {
    let both = judge.valid().count() > 1;
    let scale = verdict.rubric.scale;
    let scale = scale
        .map_or_else(String::new, |(least, most)| format!(" on a scale from {least} to {most}"));
    match (ahead.zip(verdict.leaders()), both) {
        (None, _) => {
            let turned = !verdict.turns().is_empty();
            let counts = if turned { ", which counts as undecided" } else { "" };
            let put = decided::put(trace, verdict, judge);
            format!("Weak evidence: one judge, who {put}{counts}.")
        }
        (Some((ahead, leaders)), true) => format!(
            "Weak evidence: only one judge, though it put {ahead} in {} ({}{scale}).",
            if judge.valid().count() == 2 { "both orders" } else { "every reading" },
            by_reading(judge, leaders)
        ),
        (Some((ahead, _)), false) => {
            format!("Weak evidence: one judge, whose one reading put {ahead} by {by}.")
        }
    }
}

/// How far each reading of a judge put the one ahead: `by 1.20 and 0.10`, `by 1.20 in each`.
fn by_reading(judge: &VerdictJudge, [one, other]: [&str; 2]) -> String {
    let margin = |reading: &Reading| Some(reading.totals.get(one)? - reading.totals.get(other)?);
    let margins: Vec<String> =
        judge.valid().filter_map(margin).map(|it| text::fixed(it.abs(), 2)).collect();
    match &text::distinct(margins.iter())[..] {
        [same] => format!("by {same} in each"),
        _ => format!("by {}", text::joined(&margins, "and")),
    }
}

/// `Both judges put Ann ahead in both orders, by 1.00 of 10 on average`; where they differ, who does.
fn several(trace: &Trace, verdict: &Verdict, heard: &[&VerdictJudge], by: &str) -> String {
    let picks: Vec<Pick<'_>> = heard.iter().map(|judge| Pick::of(trace, verdict, judge)).collect();
    let is_between_two = picks.iter().all(|pick| !pick.is_for_another);
    let are_agreed = text::distinct(picks.iter().map(|pick| pick.lead)).len() == 1;
    let all = decided::all_judges(heard.len());
    let ahead = decided::ahead(trace, verdict);
    let both = heard.iter().all(|judge| judge.valid().count() > 1);
    let order = if both { " in both orders" } else { "" };
    match ahead {
        Some(ahead) if are_agreed && is_between_two => {
            format!("{all} put {ahead}{order}, by {by} on average.")
        }
        None if are_agreed => format!("{all} put {} ahead.", decided::nobody(verdict)),
        _ => banner::begun(trace, &differing(&picks, ahead, by)),
    }
}

/// A judge, and whom it puts ahead by how much, if anyone.
struct Pick<'t> {
    judge: &'t str,
    lead: Option<Lead<'t>>,
    by: f64,
    /// Whether it always puts somebody else before both leaders.
    is_for_another: bool,
    /// Whether it is undecided because its readings disagree.
    is_turned: bool,
}

impl<'t> Pick<'t> {
    fn of(trace: &'t Trace, verdict: &'t Verdict, judge: &'t VerdictJudge) -> Self {
        // Of one that changed sides the margin is 0.
        let margin =
            verdict.leaders().and_then(|leaders| judge.margin(leaders)).unwrap_or_default();
        let others = verdict.leaders().map(|leaders| judge.others_first(leaders));
        let turn = verdict.leaders().and_then(|leaders| judge.turn(leaders));
        Self {
            judge: trace.name_of(&judge.judge.id),
            lead: Lead::of(trace, verdict, margin),
            by: margin.abs(),
            is_for_another: others.map(|others| others.len()) == Some(judge.valid().count()),
            is_turned: turn.is_some(),
        }
    }
}

/// What judges who differ make of it, few by name; `ahead` is by so much on average.
fn differing(picks: &[Pick<'_>], ahead: Option<Lead<'_>>, by: &str) -> String {
    let decided: Vec<&Pick<'_>> = picks.iter().filter(|pick| !pick.is_turned).collect();
    if let ([Pick { judge, by, .. }], Some(lead)) = (&decided[..], ahead) {
        let (name, ahead, by) = (lead.name, lead.ahead(), text::fixed(*by, 2));
        return format!(
            "weak evidence: {name} is {ahead} on {} margin of {by} alone.",
            text::possessive(judge)
        );
    }
    let told = match picks.len() {
        ..=NAMED => each(picks),
        _ => counted(picks, ahead),
    };
    let of_all = match ahead {
        None => "nobody is ahead".to_owned(),
        Some(lead) => format!("{} is {by} {}", lead.name, lead.ahead()),
    };
    // A margin that counts as 0 is no average of scores.
    let mean = if decided.len() < picks.len() { "by the mean margin" } else { "on average" };
    // One judge alone, or as many for others as for the one ahead: the margin alone decides.
    let (others, two): (Vec<_>, Vec<_>) = picks.iter().partition(|pick| pick.is_for_another);
    let leads = two.iter().map(|pick| pick.lead);
    let agree = leads.clone().filter(|lead| *lead == ahead).count();
    let against = leads.flatten().filter(|lead| Some(*lead) != ahead);
    let is_weak = ahead.is_some() && (agree < 2 || against.count() + others.len() >= agree);
    let weak = if is_weak { "weak evidence: " } else { "" };
    format!("{weak}{told}; {mean}, {of_all}.")
}

/// Up to so many judges are named where they differ.
const NAMED: usize = 3;

/// Whom each of a few judges puts ahead, those last who put nobody: `Judge-1 has Ann ahead by 1.40, Judge-2 Ben by 0.53`; of more
/// than two, each with the one behind: `Judge-2 Ben ahead of Ann by 0.53`.
fn each(picks: &[Pick<'_>]) -> String {
    let told = picks.iter().filter_map(|pick| Some((pick, pick.lead?))).enumerate().map(
        |(place, (Pick { judge, by, .. }, lead))| match place {
            0 => format!("{judge} has {lead} by {}", text::fixed(*by, 2)),
            _ => format!("{judge} {} by {}", lead.again(), text::fixed(*by, 2)),
        },
    );
    let level = picks
        .iter()
        .filter(|pick| pick.lead.is_none())
        .map(|pick| format!("{} neither", pick.judge));
    text::separated(told.chain(level), ", ")
}

/// How many of many judges put whom ahead, the one who is ahead on average first: `of 5 judges, 3 put Ann ahead, 1 Ben and 1
/// neither`.
fn counted(picks: &[Pick<'_>], ahead: Option<Lead<'_>>) -> String {
    let mut sides = text::distinct(picks.iter().map(|pick| pick.lead));
    sides.sort_by_key(|side| (side.is_none(), *side != ahead));
    let words = sides.iter().enumerate().map(|(place, side)| {
        let n = picks.iter().filter(|pick| pick.lead == *side).count();
        match (place, side) {
            (0, Some(lead)) => format!("{n} put {lead}"),
            (0, None) => format!("{n} put neither ahead"),
            (_, Some(lead)) => format!("{n} {}", lead.again()),
            (_, None) => format!("{n} neither"),
        }
    });
    let all = picks.len();
    format!("of {all} judges, {}", text::joined(words, "and"))
}

/// Whose readings differ in who is ahead, and of whom one reading alone counts.
fn changed(trace: &Trace, verdict: &Verdict) -> Option<String> {
    let name = |judge: &VerdictJudge| trace.name_of(&judge.judge.id).to_owned();
    // Of a single judge it was told.
    let turns = match verdict.heard().count() {
        1 => Vec::new(),
        _ => verdict.turns(),
    };
    let turned = |turn: Turn| {
        let own = turns.iter().filter(|(_, own)| *own == turn);
        let names: Vec<String> = own.map(|(judge, _)| name(judge)).collect();
        let (who, words) = (text::joined(&names, "and"), turn.words(names.len()));
        let count = if names.len() == 1 { "counts" } else { "count" };
        let order = "in which the sides were named";
        let told = || format!("{who} {words} {order} and {count} as undecided.");
        (!names.is_empty()).then(told)
    };
    let lost = |judge: &&VerdictJudge| judge.valid().count() < judge.readings.len();
    let lost: Vec<String> = verdict.heard().filter(lost).map(name).collect();
    let lost = (!lost.is_empty()).then(|| {
        let names = text::joined(&lost, "and");
        format!("Of {names} only one reading could be used.")
    });
    let turned = [Turn::Changed, Turn::Level].into_iter().filter_map(turned);
    text::if_any(text::separated(turned.chain(lost), " "))
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
    let heard = decided::verdict(trace).into_iter().flat_map(Verdict::heard);
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

/// Who voted on what: not on which side is right.
fn votes(trace: &Trace, with_votes: bool) -> Option<String> {
    let voted = match trace.rounds_held() {
        1 => {
            "after the only round, the debater's teammates voted on whether the debater had upheld the position."
        }
        _ => {
            "after each round, the debater's teammates voted to keep or replace the debater; where nobody could come in, as after the last, on whether the debater had upheld the position."
        }
    };
    let about = "This says nothing about which side is right";
    match (decided::verdict(trace), with_votes) {
        (Some(_), _) => with_votes.then(|| text::capitalised(voted)),
        (None, true) => Some(format!("{about}: {voted}")),
        (None, false) => Some(format!("{about}.")),
    }
}
