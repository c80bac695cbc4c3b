//! A verdict as `summary.md` shows it: means by contestant and criterion, what each judge's readings gave, and its reasons.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::artifacts::{banner, statement_place};
use crate::event::{Reading, Reason, Score, Verdict, VerdictJudge, of_score};
use crate::text::{self, mentions};
use crate::trace::Trace;

/// What the debate's answer is called where it has a score.
const FINAL_ANSWER: &str = "final answer";
/// A mark for exports, which says nothing to readers.
const TRAINING: &str = "would_benefit_from_finetune";

/// A verdict for the template.
pub(in crate::artifacts) fn verdict(trace: &Trace, verdict: &Verdict) -> Value {
    let scores = scores(trace, verdict);
    let criteria: BTreeSet<&String> = scores.iter().flat_map(|(_, s)| s.breakdown.keys()).collect();
    let row = |(name, score): &(String, Score)| {
        let means: Vec<Option<&f64>> = criteria.iter().map(|c| score.breakdown.get(*c)).collect();
        json!({"name": name, "means": means, "total": score.total})
    };
    let twice = verdict.judges.iter().any(|judge| judge.readings.len() > 1);
    json!({
        "valid": verdict.heard().count(),
        "twice": twice,
        "trains": verdict.valid().filter(|it| it.marks.get(TRAINING) == Some(&true)).count(),
        "caption": caption(verdict, scores.len() > verdict.scores().len()),
        "read": read(verdict),
        "put": put(trace, verdict),
        "uneven": verdict.judges.iter().any(|judge| is_uneven(verdict, judge)),
        "scale": verdict.rubric.scale,
        "criteria": criteria.iter().map(|name| json!({"name": criterion(name), "weight": weight(trace, name)})).collect::<Vec<_>>(),
        "rows": scores.iter().map(row).collect::<Vec<_>>(),
        "judges": verdict.judges.iter().map(|j| judge(trace, verdict, j)).collect::<Vec<_>>(),
    })
}

/// What stands over the scores: `Means of 2 judges and what each gave, from 0 to 10`.
fn caption(verdict: &Verdict, by_judge: bool) -> String {
    let (heard, all) = (verdict.heard().count(), verdict.judges.len());
    let each = if by_judge { " and what each gave" } else { "" };
    let of = match heard {
        1 => "One judge's scores".to_owned(),
        n => format!("Means of {n} judges{each}"),
    };
    let asked = text::told_if(heard < all, || format!(" ({all} were asked)"));
    let order = if verdict.heard().any(|judge| judge.valid().nth(1).is_some()) {
        ", averaged over two readings with the sides named in opposite orders"
    } else if verdict.judges.iter().any(|judge| judge.readings.len() > 1) {
        ", in one order only"
    } else {
        ""
    };
    let scale = verdict.rubric.scale;
    let scale = scale.map_or_else(String::new, |(least, most)| format!(", from {least} to {most}"));
    format!("{of}{asked}{order}{scale}")
}

/// What each contestant was given, in the order in which they take part; of several by several judges, behind the means what each
/// judge gave: `Ann (mean)`, `Ann by Judge-1`.
pub(in crate::artifacts) fn scores(trace: &Trace, verdict: &Verdict) -> Vec<(String, Score)> {
    let means = verdict.scores();
    let by_judge = verdict.heard().map(|judge| {
        let alone = verdict.of_those(|other| other.judge.id == judge.judge.id);
        (trace.name_of(&judge.judge.id), alone.scores())
    });
    let by_judge: Vec<_> = by_judge.filter(|_| means.len() > 1).collect();
    let of = |(id, mean): (&String, &Score)| {
        let name = headed(trace, id);
        let own = by_judge.iter().filter(|_| by_judge.len() > 1);
        let own = own.filter_map(|(judge, scores)| {
            Some((format!("{name} by {judge}"), scores.get(id)?.clone()))
        });
        let all: Vec<(String, Score)> = own.collect();
        let of = if all.is_empty() { name } else { format!("{name} (mean)") };
        [(of, mean.clone())].into_iter().chain(all)
    };
    in_order(trace, &means).into_iter().flat_map(of).collect()
}

/// What was found of each, in the order in which they take part; a team stands where its first member does.
pub(in crate::artifacts) fn in_order<'t, T>(
    trace: &Trace,
    found: &'t BTreeMap<String, T>,
) -> Vec<(&'t String, &'t T)> {
    let place = |id: &str| trace.participants.iter().position(|p| p.id.starts_with(id));
    let mut found: Vec<(&String, &T)> = found.iter().collect();
    found.sort_by_key(|(id, _)| place(id));
    found
}

/// What a score is of: a contestant or team, or the answer of somebody who argued for nothing.
pub(in crate::artifacts) fn scored<'t>(trace: &'t Trace, id: &'t str) -> &'t str {
    let own = trace.participant(id).filter(|p| !p.contestant);
    match own.zip(statement_place::answer(trace)) {
        Some((own, answer)) if answer.by == own.id => FINAL_ANSWER,
        _ => trace.name_of(id),
    }
}

/// The same at the beginning of a line.
pub(in crate::artifacts) fn headed(trace: &Trace, id: &str) -> String {
    match scored(trace, id) {
        FINAL_ANSWER => text::capitalised(FINAL_ANSWER),
        name => mentions::at_beginning(name),
    }
}

/// Whether a judge's readings differ in whom they put ahead, or in whether they count.
fn is_uneven(verdict: &Verdict, judge: &VerdictJudge) -> bool {
    let leaders = verdict.leaders();
    let turn = leaders.and_then(|leaders| judge.turn(leaders));
    turn.is_some() || judge.lost_a_reading()
}

/// That judges read twice.
fn read(verdict: &Verdict) -> Option<String> {
    let mut judges = verdict.judges.iter();
    let who = match judges.len() {
        1 => "The judge",
        _ => "Each judge",
    };
    judges
        .any(|judge| judge.valid().count() > 1)
        .then(|| format!("{who} read the debate twice, with the sides named in opposite orders."))
}

/// Whom each of several judges has ahead: `Judge-1: Ann by 1.00 (1.30 and 0.70)`.
pub(in crate::artifacts) fn put(trace: &Trace, verdict: &Verdict) -> Vec<String> {
    let Some(leaders) = verdict.leaders().filter(|_| verdict.heard().count() > 1) else {
        return Vec::new();
    };
    verdict.heard().map(|judge| put_by(trace, verdict, judge, leaders)).collect()
}

fn put_by(trace: &Trace, verdict: &Verdict, judge: &VerdictJudge, leaders: [&str; 2]) -> String {
    let ahead = |(id, by): (Option<&str>, f64)| {
        let Some(id) = id else { return "nobody ahead".to_owned() };
        let other = leaders.into_iter().find(|other| *other != id && verdict.means().len() > 2);
        let of = other.map(|other| format!(" ahead of {}", trace.name_of(other)));
        format!("{}{} by {}", trace.name_of(id), of.unwrap_or_default(), text::fixed(by, 2))
    };
    let picks: Vec<_> = judge.picks(leaders).collect();
    let told = match (judge.turn(leaders), picks.as_slice()) {
        (None, [(id, one), (_, other)]) if one != other => {
            let margin = judge.margin(leaders).unwrap_or_default().abs();
            let [one, other] = [one, other].map(|by| text::fixed(*by, 2));
            format!("{} ({one} and {other})", ahead((*id, margin)))
        }
        (None, [pick, _, ..]) => format!("{} in both readings", ahead(*pick)),
        (None, [pick]) if judge.lost_a_reading() => format!("{} (one reading)", ahead(*pick)),
        (None, [pick]) => ahead(*pick),
        (_, picks) => {
            format!("no preference ({})", text::joined(picks.iter().copied().map(ahead), "and"))
        }
    };
    format!("{}: {told}", trace.name_of(&judge.judge.id))
}

/// The scores of a reading that count as something else than what was given: `Argument quality of Ann: 7.7, counted as 8`.
pub(in crate::artifacts) fn rounded(trace: &Trace, reading: &Reading) -> Vec<String> {
    let told = |(key, given): (&String, &f64)| {
        let counted = reading.scores.get(key)?;
        let (whose, name) = of_score(key);
        let of = whose.map(|id| format!(" of {}", trace.name_of(id)));
        let what = format!("{}{}", criterion(name), of.unwrap_or_default());
        Some(format!("{}: {}", text::capitalised(&what), counted_as(*given, *counted)))
    };
    reading.rounded.iter().filter_map(told).collect()
}

/// `6.5, counted as 6 (halves go to the even number)`, `6.7, counted as 7`.
pub(in crate::artifacts) fn counted_as(given: f64, counted: f64) -> String {
    let is_half = given.fract() == 0.5;
    let why = if is_half { " (halves go to the even number)" } else { "" };
    format!("{given}, counted as {counted}{why}")
}

fn judge(trace: &Trace, verdict: &Verdict, judge: &VerdictJudge) -> Value {
    let leaders = verdict.leaders();
    // Each reading has reasons of its own, and these may say what its scores do not.
    let shown: Vec<&Reading> = judge.valid().collect();
    let lost = judge.readings.iter().find(|reading| !reading.is_valid());
    json!({
        "judge": trace.name_of(&judge.judge.id),
        "model": judge.judge.model,
        "valid": !shown.is_empty(),
        "turned": leaders.and_then(|leaders| judge.turn(leaders)).map(|turn| turn.words()),
        "cells": judge.readings.iter().map(|r| totals(trace, r)).collect::<Vec<_>>(),
        "cause": lost.and_then(|reading| reading.cause.as_deref()).map(banner::plain),
        "shown": shown.iter().map(|r| reasons(trace, r, &given(judge, r, shown.len()))).collect::<Vec<_>>(),
    })
}

/// What a reading gave each, in the order in which it was read; nothing where it cannot be used.
fn totals(trace: &Trace, reading: &Reading) -> Vec<Value> {
    let each = reading.order.iter();
    let total =
        |id: &String| Some(json!({"name": scored(trace, id), "total": reading.totals.get(id)?}));
    each.filter_map(total).collect()
}

/// The totals behind what is shown of a judge: of the reading, where several are shown; else its means.
pub(in crate::artifacts) fn given(
    judge: &VerdictJudge,
    reading: &Reading,
    shown: usize,
) -> BTreeMap<String, f64> {
    match shown {
        1 => judge.means(),
        _ => reading.totals.clone(),
    }
}

/// The totals that were given: `Ann 7.40, Ben 6.10`.
pub(in crate::artifacts) fn in_words(trace: &Trace, given: &BTreeMap<String, f64>) -> String {
    let totals = in_order(trace, given)
        .into_iter()
        .map(|(id, total)| format!("{} {}", scored(trace, id), text::fixed(*total, 2)));
    text::separated(totals, ", ")
}

fn reasons(trace: &Trace, reading: &Reading, given: &BTreeMap<String, f64>) -> Value {
    let total = |(id, total): (&String, &f64)| json!({"name": scored(trace, id), "total": total});
    let all: Vec<Value> = in_order(trace, given).into_iter().map(total).collect();
    // In the order in which they take part, whichever was named first.
    let judged = in_order(trace, &reading.reasons).into_iter();
    let on = |(id, reason): (&String, &Reason)| {
        let turns: Vec<String> = reason.turns.iter().map(|n| format!("{n:03}")).collect();
        json!({"name": trace.name_of(id), "text": reason.text, "turns": turns})
    };
    let marks = reading
        .marks
        .iter()
        .filter(|(name, _)| *name != TRAINING)
        .map(|(name, yes)| mark(name, *yes));
    json!({
        "first": reading.order.first().map(|id| trace.name_of(id)),
        "totals": all,
        "marks": marks.collect::<Vec<_>>(),
        "text": reading.reason,
        "rounded": rounded(trace, reading),
        "summary": reading.remark(),
        "on": judged.map(on).collect::<Vec<_>>(),
    })
}

/// A mark in words.
fn mark(name: &str, yes: bool) -> String {
    let yes = if yes { "yes" } else { "no" };
    format!("{}: {yes}", name.replace('_', " "))
}

/// A criterion's name in words: `argument quality`.
pub(in crate::artifacts) fn criterion(name: &str) -> String {
    name.replace('_', " ")
}

/// A criterion's weight, as the job has it.
pub(in crate::artifacts) fn weight(trace: &Trace, criterion: &str) -> Value {
    let criteria = trace.plan.settings.get("criteria").unwrap_or(&Value::Null);
    criteria[criterion]["weight"].clone()
}
