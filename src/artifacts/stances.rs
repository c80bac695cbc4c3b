//! Where participants stood, as `summary.md` shows it: after each round, why, and who moved.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::statement_place;
use crate::event::{Results, Stance, StanceTime, Statement};
use crate::text;
use crate::trace::Trace;

/// The stances as a table with their reasons; nothing where nobody was asked.
pub(super) fn shown(trace: &Trace) -> Option<Value> {
    let holders = holders(trace);
    (!holders.is_empty()).then(|| {
        json!({
            "offered": offered(trace),
            "names": holders.iter().map(|id| trace.name_of(id)).collect::<Vec<_>>(),
            "rows": rows(trace, &holders),
            "reasons": holders.iter().flat_map(|id| with_reason(trace, id)).map(|stance| reason(trace, stance)).collect::<Vec<_>>(),
        })
    })
}

/// The stances that there are, with their meanings where the job has them: `adopt, trial (for one year), reject`.
fn offered(trace: &Trace) -> String {
    let settings = &trace.plan.settings;
    let all = settings.get("stances").and_then(Value::as_array).into_iter().flatten();
    let all = all.filter_map(Value::as_str);
    let meaning = |stance: &str| settings.get("definitions")?.get(stance)?.as_str();
    let one = |stance: &str| match meaning(stance) {
        Some(meaning) => format!("{stance} ({})", meaning.trim_end_matches('.')),
        None => stance.to_owned(),
    };
    text::one_line(&text::separated(all.map(one), ", "))
}

/// The stances that were taken, each with its number in the order in which they came up.
pub(super) fn kinds(trace: &Trace) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    for stance in trace.stances.iter().filter_map(|s| s.stance.as_deref()) {
        let n = kinds.len() + 1;
        kinds.entry(stance).or_insert(n);
    }
    kinds
}

/// Where everyone stands in the end and why, a line each: first who dissents, whom the answer may pass over, then those who moved, on
/// whom the outcome rests.
pub(super) fn lines(trace: &Trace) -> Vec<String> {
    let dissent = Results::of(trace.outcome.as_ref()).dissent;
    let dissents = |id: &str| dissent.iter().any(|other| other == id);
    let mut holders = holders(trace);
    holders.sort_by_key(|id| (!dissents(id), last_move(trace, id).is_none()));
    let line = |stance: &Stance| {
        let name = trace.name_of(&stance.by.id);
        let sure = stance.confidence;
        let sure = sure.map_or_else(String::new, |sure| format!(" ({sure}% sure)"));
        let reason = text::one_line(&stance.reading.reason);
        let is_apart = dissents(&stance.by.id);
        let apart = if is_apart { ", in dissent" } else { "" };
        let last = last_move(trace, &stance.by.id);
        let ended = format!("{name} ended at “{}”{sure}", word(stance));
        let moved = last.map(|last| (moved(trace, last), text::one_line(&last.reading.reason)));
        let line = match moved {
            Some((moved, why)) if why == reason => format!("{ended}, {moved}{apart}: {reason}"),
            Some((moved, why)) => {
                let ended = text::sentence(&format!("{ended}{apart}: {reason}"));
                format!("{ended} {}: {why}", text::capitalised(&moved))
            }
            None => format!("{ended}{apart}: {reason}"),
        };
        text::one_line(&line)
    };
    let last = |id: &&str| of(trace, id).last();
    holders.iter().filter_map(last).map(line).collect()
}

/// How many took which stance after a round: `Stances after it: market 2, park 1.`; nothing where none was taken.
pub(super) fn after(trace: &Trace, round: u32) -> String {
    let taken = trace.stances.iter().filter(|s| s.time() == StanceTime::AfterRound(round));
    let counts = text::gathered(taken.map(|stance| (word(stance), ()))).into_iter();
    let counts = counts.map(|(stance, all)| format!("{stance} {}", all.len()));
    match text::separated(counts, ", ") {
        none if none.is_empty() => none,
        counts => format!("Stances after it: {counts}."),
    }
}

/// The stance with which somebody last moved.
fn last_move<'t>(trace: &'t Trace, id: &str) -> Option<&'t Stance> {
    of(trace, id).rfind(|stance| stance.moved_from.is_some())
}

/// From where to where somebody moved with these stances, and whom the last credits: `from “off” to “dim”, then to “on”, crediting
/// Ann`.
pub(super) fn way(trace: &Trace, own: &[&Stance]) -> String {
    let from = own.first().and_then(|first| first.moved_from.as_deref());
    let to = own.iter().map(|stance| format!("“{}”", word(stance)));
    let credited = own.last().map(|last| crediting(trace, last));
    format!(
        "from “{}” to {}{}",
        from.unwrap_or_default(),
        text::separated(to, ", then to "),
        credited.unwrap_or_default()
    )
}

/// From where somebody moved with a stance, when, and whom it credits: `moved from “off” after round 1, crediting Ann`.
fn moved(trace: &Trace, stance: &Stance) -> String {
    let from = stance.moved_from.as_deref().unwrap_or_default();
    format!("moved from “{from}” {}{}", stance.time(), crediting(trace, stance))
}

/// `, crediting Ann`; nothing where it credits nobody.
fn crediting(trace: &Trace, stance: &Stance) -> String {
    stance.moved_by.iter().map(|id| format!(", crediting {}", trace.name_of(id))).collect()
}

/// The stances of somebody, one after the other, behind its name: ` (adopt, then trial after round 2)`; nothing of who was not asked.
pub(super) fn stood(trace: &Trace, id: &str) -> String {
    let first = of(trace, id).next().map(|stance| word(stance).to_owned());
    let moved = of(trace, id).filter(|stance| stance.moved_from.is_some());
    let moves = moved.map(|stance| format!("then {} {}", word(stance), stance.time()));
    let all = text::if_any(text::separated(first.into_iter().chain(moves), ", "));
    all.map_or_else(String::new, |all| format!(" ({all})"))
}

/// The first stance of somebody and the last; nothing of who took none.
pub(super) fn ends<'t>(trace: &'t Trace, id: &str) -> Option<[&'t str; 2]> {
    let first = of(trace, id).next()?;
    Some([word(first), word(of(trace, id).next_back()?)])
}

/// The stance for which somebody spoke in a statement: the last known before it and the one taken after it; nothing of who spoke for
/// another's, or if neither is known.
pub(super) fn around<'t>(trace: &'t Trace, s: &Statement) -> Option<[Option<&'t str>; 2]> {
    let round = statement_place::round_of(trace, s);
    let time = round.map_or(StanceTime::AtEnd, StanceTime::AfterRound);
    let own: Vec<&Stance> = of(trace, &s.by).filter(|_| trace.is_own_view(s)).collect();
    let before = own.iter().rfind(|it| it.time() < time);
    let ends = [before, own.iter().find(|it| it.time() == time)].map(|it| Some(word(it?)));
    (ends != [None; 2]).then_some(ends)
}

/// The same in words: `pause, then go`.
pub(super) fn spoken_for(trace: &Trace, s: &Statement) -> Option<String> {
    let known = around(trace, s)?.into_iter().flatten();
    Some(text::separated(text::distinct(known), ", then "))
}

/// Everyone who was asked, in the order in which they take part.
fn holders(trace: &Trace) -> Vec<&str> {
    let holds = |id: &str| trace.stances.iter().any(|stance| stance.by.id == id);
    trace.participants.iter().map(|p| p.id.as_str()).filter(|id| holds(id)).collect()
}

/// The stances of somebody that can be used, in order.
fn of<'t>(trace: &'t Trace, id: &str) -> impl DoubleEndedIterator<Item = &'t Stance> {
    trace.stances.iter().filter(move |s| s.by.id == id).filter(|stance| stance.stance.is_some())
}

fn rows(trace: &Trace, holders: &[&str]) -> Vec<Value> {
    let row = |time: StanceTime| {
        let cells: Vec<Value> = holders.iter().map(|id| cell(trace, id, time)).collect();
        json!({"when": time.to_string(), "cells": cells})
    };
    let times: BTreeSet<StanceTime> = trace.stances.iter().map(Stance::time).collect();
    times.into_iter().map(row).collect()
}

/// Where somebody stood then, and whether it was asked then. Who is not asked again at the end stands where it stood.
fn held<'t>(trace: &'t Trace, id: &str, time: StanceTime) -> (Option<&'t Stance>, bool) {
    let mut own = trace.stances.iter().filter(|s| s.by.id == id);
    let taken = own.clone().rfind(|stance| stance.time() == time);
    (taken.or_else(|| own.rfind(|_| time == StanceTime::AtEnd)), taken.is_some())
}

fn cell(trace: &Trace, id: &str, time: StanceTime) -> Value {
    let (stance, was_asked) = held(trace, id, time);
    json!({
        "stance": stance.and_then(|stance| stance.stance.as_ref()),
        "confidence": stance.and_then(|stance| stance.confidence),
        "moved": was_asked && stance.is_some_and(|stance| stance.moved_from.is_some()),
    })
}

/// Somebody's stances whose reasons are told: where it ended, and of each move, the last before it and that after it.
fn with_reason<'t>(trace: &'t Trace, id: &str) -> Vec<&'t Stance> {
    let own: Vec<&Stance> = of(trace, id).collect();
    let told = |(place, stance): &(usize, &Stance)| {
        let next = own.get(place + 1);
        stance.moved_from.is_some() || next.is_none_or(|next| next.moved_from.is_some())
    };
    let told = own.iter().copied().enumerate().filter(told);
    told.map(|(_, stance)| stance).collect()
}

fn reason(trace: &Trace, stance: &Stance) -> Value {
    json!({
        "name": trace.name_of(&stance.by.id),
        "when": stance.time().to_string(),
        "stance": word(stance),
        "moved_from": stance.moved_from,
        "moved_by": stance.moved_by.as_ref().map(|id| trace.name_of(id)),
        "reason": stance.reading.reason,
    })
}

fn word(stance: &Stance) -> &str {
    stance.stance.as_deref().unwrap_or("no stance")
}
