//! `rebut check` says who takes part in a debate: sides, personas and judges, and which stances they may take, which
//! a job may leave to their defaults; and by which rules, of which a comma in a job makes two.

use serde_json::Value;

use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// A line for the sides that have the same position, model and persona, and one for all others: `Ann and Ben (llama3, persona
/// scientist): Buses should be free`, `also: Judge-1 (qwen3)`; behind these one for
/// stances, if there are any, and one for each rule.
pub(super) fn lines(plan: &Plan) -> Vec<String> {
    let profile = plan.format.profile;
    let people = plan.participants.iter();
    let (sides, others): (Vec<_>, Vec<_>) = people.partition(|p| profile.argues(p));
    let sides = text::gathered(sides.into_iter().map(|p| (side(p), p.name.as_str())));
    let sides = sides.iter().map(|(side, names)| format!("{} {side}", text::joined(names, "and")));
    let others: Vec<String> = others.into_iter().map(named).collect();
    let others = (!others.is_empty()).then(|| format!("also: {}", others.join(", ")));
    let rules = plan.rules.iter().map(|rule| format!("rule: {}", text::one_line(rule)));
    sides.chain(others).chain(stances(plan)).chain(rules).collect()
}

/// What specialists may answer, in formats where they take a stance.
fn stances(plan: &Plan) -> Option<String> {
    let settings = plan.format.values().0;
    let words = settings["stances"].as_array()?.iter().filter_map(Value::as_str);
    Some(format!("stances: {}", words.collect::<Vec<_>>().join(", ")))
}

/// What follows the name of a side: `(llama3, persona scientist): Buses should be free`.
fn side(person: &Participant) -> String {
    match person.position.as_str() {
        "" => with(person),
        position => format!("{}: {position}", with(person)),
    }
}

fn named(person: &Participant) -> String {
    format!("{} {}", person.name, with(person))
}

fn with(person: &Participant) -> String {
    let persona =
        person.persona.as_ref().map_or_else(String::new, |it| format!(", persona {}", it.name));
    format!("({}{persona})", person.model)
}
