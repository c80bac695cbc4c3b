//! The parts of a debate as the page has them: a round, or what was said before, between and after rounds.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::spoken;
use crate::artifacts::interruptions;
use crate::artifacts::statement_place::{self, Rounds};
use crate::artifacts::summary::exchanges;
use crate::event::{Phase, Rotation, Statement};
use crate::text;
use crate::trace::Trace;

/// Statements that belong together, with what was made of them.
pub(super) struct Part<'t> {
    /// Its anchor.
    pub(super) id: String,
    pub(super) title: String,
    /// The round, where it is one.
    pub(super) round: Option<u32>,
    pub(super) statements: Vec<&'t Statement>,
    /// Whether nothing more of the round follows.
    pub(super) ends_round: bool,
}

/// All parts, in order.
pub(super) fn of(trace: &Trace) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let rounds = Rounds::of(trace);
    // The last part of each round so far.
    let mut last = BTreeMap::new();
    for together in keyed(trace).chunk_by(|(one, _), (other, _)| one == other) {
        let together: Vec<&Statement> = together.iter().map(|(_, s)| *s).collect();
        let round = statement_place::filed_under(trace, together[0]);
        let begun = round.and_then(|round| last.insert(round, parts.len()));
        let goes_on = begun.map(|at| parts[at].ends_round = false).is_some();
        parts.push(Part {
            id: match round {
                Some(round) if !goes_on => format!("round-{round}"),
                _ => format!("part-{}", parts.len() + 1),
            },
            title: title(trace, &rounds, round, &together),
            round,
            statements: together,
            ends_round: round.is_some(),
        });
    }
    parts
}

/// What statements of one part have in common: the round, or outside of rounds the phase.
type Key<'t> = (Option<u32>, Option<&'t Phase>);

/// All statements with what is common to their part: that of an interruption and its answer is the one in which they came.
fn keyed(trace: &Trace) -> Vec<(Key<'_>, &Statement)> {
    let mut last: Option<Key<'_>> = None;
    let keyed = trace.statements.iter().map(|s| {
        let own = match statement_place::filed_under(trace, s) {
            Some(round) => (Some(round), None),
            None => (None, Some(statement_place::phase_of(trace, s))),
        };
        let interrupts = s.phase == Phase::INTERJECTION || interruptions::is_answer(trace, s);
        let before = last.filter(|before| before.0 == own.0 && interrupts);
        let key = before.unwrap_or(own);
        last = Some(key);
        (key, s)
    });
    keyed.collect()
}

fn title(trace: &Trace, rounds: &Rounds<'_>, round: Option<u32>, said: &[&Statement]) -> String {
    let first = statement_place::phase_of(trace, said[0]);
    let alike = said.iter().filter(|s| s.phase == *first).count();
    match round {
        Some(round) => exchanges::title(trace, rounds, round, round),
        None if alike > 1 => format!("{}s", first.title()),
        None => first.title(),
    }
}

impl Part<'_> {
    /// The part for the template, with what the summary tells of it.
    pub(super) fn shown(&self, trace: &Trace, told: &Value, lines: &Summaries<'_>) -> Value {
        let said = self.statements.iter().map(|s| spoken::shown(trace, s));
        json!({
            "id": self.id,
            "title": self.title,
            "summaries": self.summaries(lines),
            "statements": said.collect::<Vec<_>>(),
            "votes": self.of_round(&told["ballots"]["rounds"]).filter(|votes| votes["reasons"] != json!([])),
            "rotation": self.rotation(trace).map(|rotation| text::one_line(&rotation.reason)),
        })
    }

    /// What came of the round's votes.
    pub(super) fn rotation<'t>(&self, trace: &'t Trace) -> Option<&'t Rotation> {
        let mut all = trace.rotations.iter();
        all.find(|rotation| self.ends_round && Some(rotation.round) == self.round)
    }

    /// What one of a list is about this round, where nothing more of the round follows.
    fn of_round<'v>(&self, list: &'v Value) -> Option<&'v Value> {
        let round = self.round.filter(|_| self.ends_round)?;
        list.as_array()?.iter().find(|one| one["round"] == round)
    }

    /// The lines of the course that end in this part, each with its title where that says more or is another.
    fn summaries(&self, lines: &Summaries<'_>) -> Vec<Value> {
        let lines = self.statements.iter().filter_map(|s| lines.0.get(&u64::from(s.n))).flatten();
        let shown = |line: &&Value| {
            let title = line["title"].as_str().unwrap_or_default();
            let further = Some(title).filter(|title| *title != self.title);
            let is_own = title.starts_with(&self.title);
            json!({"title": further, "is_own": is_own, "line": line["line"]})
        };
        lines.map(shown).collect()
    }
}

/// The lines of the course by the statements with which they end.
pub(super) struct Summaries<'t>(BTreeMap<u64, Vec<&'t Value>>);

impl<'t> Summaries<'t> {
    /// Those that the summary tells.
    pub(super) fn of(told: &'t Value) -> Self {
        let mut lines: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
        for line in told["rounds"].as_array().into_iter().flatten() {
            let last = line["said"].as_array().and_then(|said| said.last()?.as_u64());
            if let Some(last) = last.filter(|_| line["line"] != "") {
                lines.entry(last).or_default().push(line);
            }
        }
        Self(lines)
    }
}
