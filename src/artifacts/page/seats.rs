//! Who stood when, in a debate where judges vote their own debater out: a row for each of the team, a column for each round.

use serde_json::{Value, json};

use crate::event::{Ballot, Statement};
use crate::trace::{Trace, TraceParticipant};

/// The table; nothing where nobody voted so. A debate that goes on has the round in progress, too.
pub(super) fn shown(trace: &Trace, goes_on: bool) -> Option<Value> {
    let mut rounds: Vec<u32> = trace.rotations.iter().map(|r| r.round).collect();
    let begun = trace.statements.iter().map(|s| s.round).max();
    let is_new = |round: &u32| rounds.last().is_some_and(|last| last < round);
    let current = begun.filter(|round| goes_on && is_new(round));
    rounds.extend(current);
    let sat = |id: &str| {
        let votes = trace.ballots.iter().any(|ballot| ballot.by.id == id);
        let debated = trace.rotations.iter().any(|r| r.debater == id);
        let debates = current.is_some() && trace.rotations.last().is_some_and(|r| r.next == id);
        votes || debated || debates
    };
    let row = |p: &TraceParticipant| {
        let cells = rounds.iter().map(|round| cell(trace, &p.id, *round));
        json!({"name": p.name, "cells": cells.collect::<Vec<_>>()})
    };
    let team = trace.contestants().filter(|p| sat(&p.id));
    let rows: Vec<Value> = team.map(row).collect();
    (!rows.is_empty() && !rounds.is_empty()).then(|| json!({"rounds": rounds, "rows": rows}))
}

/// What one of the team did in a round: debated, voted, or nothing that counts.
fn cell(trace: &Trace, id: &str, round: u32) -> Value {
    let mut rotations = trace.rotations.iter();
    let debated = rotations.find(|rotation| rotation.round == round && rotation.debater == id);
    if let Some(rotation) = debated {
        let words = match (rotation.out_since, rotation.rotated) {
            (Some(round), _) => format!("debates, out since round {round}"),
            (None, true) => "debates, voted out".to_owned(),
            (None, false) if rotation.voted_out => "debates, voted out, not replaced".to_owned(),
            (None, false) => "debates".to_owned(),
        };
        let kind = if rotation.keeps_seat() { "debates" } else { "out" };
        return json!({"kind": kind, "words": words});
    }
    let is_decided = trace.rotations.iter().any(|r| r.round == round);
    let speaks = |s: &Statement| s.round == round && s.by == id;
    if !is_decided && trace.statements.iter().any(speaks) {
        return json!({"kind": "debates", "words": "debates"});
    }
    let ballot = trace.ballots.iter().find(|ballot| ballot.round == round && ballot.by.id == id);
    // Who came in stands in the next column.
    let words = match ballot.map(Ballot::vote) {
        Some(Some("keep")) => "votes keep",
        Some(Some("replace")) => "votes replace",
        Some(Some("position upheld")) => "votes: position upheld",
        Some(Some(_)) => "votes: position not upheld",
        Some(None) => "no valid ballot",
        None => "–",
    };
    json!({"kind": "votes", "words": words})
}
