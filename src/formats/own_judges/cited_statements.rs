//! The statements that judges cite. A list in the judge's task numbers them; the record does not, so that its text is the same
//! for everyone.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event::{Reason, Statement};
use crate::floor::{Floor, object};
use crate::plan::Plan;
use crate::text;

/// Maximum statements that one reason may cite.
const CITED: usize = 4;

/// Each contestant's statements, by number, with their place in the debate in words.
pub(super) struct Turns(BTreeMap<String, Vec<(u32, String)>>);

impl Turns {
    /// The contestants' statements on the record, those of a team with the speaker; none if the record is not shown. An
    /// emergency reply is not an argument.
    pub(super) fn of(floor: &Floor, contestants: &[&str], blind: bool) -> Self {
        let mut turns: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
        let heard = floor.statements().into_iter().filter(|s| s.was_heard());
        for said in heard.filter(|_| !blind) {
            if let Some(contestant) = of(floor.plan(), contestants, &said.by) {
                let place = place(floor.plan(), &said);
                let place = if contestant == said.by {
                    place
                } else {
                    format!("{place} of {}", floor.plan().name_of(&said.by))
                };
                let turns = turns.entry(contestant.to_owned()).or_default();
                turns.push((said.n, place));
            }
        }
        Self(turns)
    }

    fn by(&self, id: &str) -> &[(u32, String)] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }

    /// A contestant's statements, as listed for the judge.
    pub(super) fn shown(&self, id: &str) -> Vec<Value> {
        let turns = self.by(id).iter();
        turns.map(|(n, place)| json!({"n": n, "place": place})).collect()
    }

    /// The schema of a reason that cites some of a contestant's statements.
    pub(super) fn cited(&self, id: &str, reason: Value) -> Value {
        let numbers: Vec<u32> = self.by(id).iter().map(|(n, _)| *n).collect();
        if numbers.is_empty() {
            return object(json!({"reason": reason}));
        }
        let number = json!({"type": "integer", "enum": numbers});
        let turns = json!({"type": "array", "items": number, "maxItems": CITED, "default": []});
        object(json!({"reason": reason, "turns": turns}))
    }

    /// A reason with the statements it cites, each once, and the cited numbers that are not this contestant's statements.
    pub(super) fn checked(&self, id: &str, given: &Value) -> (Reason, Vec<u64>) {
        let numbers: Vec<u64> =
            given["turns"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let own = self.by(id).iter().map(|(n, _)| *n);
        let is_own = |number: &u64| self.by(id).iter().any(|(n, _)| u64::from(*n) == *number);
        let reason = Reason {
            text: given["reason"].as_str().unwrap_or_default().to_owned(),
            turns: own.filter(|n| numbers.contains(&u64::from(*n))).collect(),
        };
        let others = numbers.into_iter().filter(|number| !is_own(number));
        (reason, others.collect())
    }
}

/// A statement's place in the debate, as the record heads it: `turn 3, rebuttal` if a round is one turn.
fn place(plan: &Plan, said: &Statement) -> String {
    match plan.format.profile.turn {
        Some(_) => format!("turn {}, {}", said.round, said.phase.words()),
        None => said.place(),
    }
}

/// The contestant for whom a participant speaks: itself, or its team.
fn of<'c>(plan: &Plan, contestants: &[&'c str], by: &str) -> Option<&'c str> {
    let side = plan.participant(by).and_then(|by| plan.format.profile.side(by));
    contestants.iter().copied().find(|id| *id == by || Some(*id) == side)
}

/// What an incident says about cited numbers that were left out.
pub(super) fn left_out(name: &str, others: &[u64]) -> String {
    let others = text::separated(others.iter().map(u64::to_string), ", ");
    format!("left out what a reason on {name} cites and {name} did not say: {others}")
}
