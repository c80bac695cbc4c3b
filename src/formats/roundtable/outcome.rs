//! What a roundtable came to: where the specialists stand, who dissents, what is missing (rows R2, R5, R7, O1).

use serde_json::{Map, Value, json};

use super::table::Table;
use crate::event::{Outcome, Statement};
use crate::job::participant::Participant;
use crate::text;

/// What the debate came to. Nobody wins (row O1).
pub(super) fn of(table: &Table<'_>, answer: Option<&Statement>) -> Outcome {
    Outcome {
        line: line(table),
        decided_by: decided_by(table),
        final_text: answer.map(|statement| statement.n),
        facts: facts(table),
        details: details(table),
        ..Outcome::default()
    }
}

/// What a round came to, in one line.
pub(super) fn headline(table: &Table<'_>) -> String {
    let unheard = table.unheard();
    if !unheard.is_empty() {
        return format!("time ran out before {}", names(&unheard));
    }
    if table.rounds() == 0 {
        return format!("first positions of {}", names(&table.specialists));
    }
    let end = match table.consensus() {
        Some(stance) => format!("consensus on {stance}"),
        None => "no consensus".to_owned(),
    };
    format!("{}; {end}", table.count().line())
}

/// What the chair is told.
pub(super) fn context(table: &Table<'_>) -> Value {
    let count = table.count();
    let leading = count.leading().map(|taken| taken.stance.as_str());
    let stands = |p: &&Participant| json!({"name": p.name, "stance": table.stance(&p.id), "spoke": table.turns(&p.id).next().is_some()});
    json!({
        "specialists": table.specialists.iter().map(stands).collect::<Vec<_>>(),
        "consensus": table.consensus(),
        "leading": leading,
        "dissenters": table.dissenters().iter().map(|p| json!({"name": p.name, "stance": table.stance(&p.id)})).collect::<Vec<_>>(),
        "timed_out": table.timed_out,
    })
}

/// `Consensus on hold after 2 rounds (3 of 3)`.
fn line(table: &Table<'_>) -> String {
    if !table.debates {
        return "Answered without debate".to_owned();
    }
    let (count, when) = (table.count(), when(table));
    match count.consensus(table.settings.consensus_threshold) {
        Some(taken) => format!(
            "Consensus on {} {when} ({} of {}{})",
            taken.stance,
            taken.heads,
            table.specialists.len(),
            weighed(table, count.share()),
        ),
        None => format!("No consensus {when}: {}", count.line()),
    }
}

fn when(table: &Table<'_>) -> String {
    let place = if table.unheard().is_empty() {
        "after"
    } else {
        "in"
    };
    match (table.timed_out, table.rounds()) {
        (true, round) => format!("when time ran out {place} round {round}"),
        (false, 0) => "after the first positions".to_owned(),
        (false, rounds) => format!("after {}", text::count(rounds.into(), "round")),
    }
}

/// The share, where heads do not tell it.
fn weighed(table: &Table<'_>, share: f64) -> String {
    if table.settings.weights.is_empty() {
        String::new()
    } else {
        format!(", {} of the weight", percent(share))
    }
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}

fn decided_by(table: &Table<'_>) -> String {
    if !table.debates {
        return "The query holds no keyword that calls for a debate, so the chair answered alone."
            .to_owned();
    }
    let count = table.count();
    let needed = percent(table.settings.consensus_threshold);
    let shares = match count.leading() {
        Some(leading) => format!("{} stand at {}", percent(count.share()), leading.stance),
        None if count.taken.is_empty() => "nobody took one".to_owned(),
        None => "no stance is the most common one".to_owned(),
    };
    let end = if table.timed_out {
        " The time was over before the debate was."
    } else {
        ""
    };
    format!(
        "Of the specialists' latest stances, {shares}; {needed} are needed for a consensus.{end}"
    )
}

fn facts(table: &Table<'_>) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    if !table.debates {
        return vec![fact(
            "Debate",
            "none: the query holds no keyword".to_owned(),
        )];
    }
    let none = || "none".to_owned();
    let mut facts = vec![
        fact("Consensus", table.consensus().unwrap_or_else(none)),
        fact("Largest share", percent(table.count().share())),
        fact("Stances", each(table, |p| stance_of(table, p))),
        fact("Dissent", dissent(table)),
        fact("Rounds of debate", table.rounds().to_string()),
        fact(
            "Turns",
            each(table, |p| table.turns(&p.id).count().to_string()),
        ),
    ];
    let lacked = table.missing();
    if !lacked.is_empty() {
        let lacked = lacked.iter().map(|(p, n)| format!("{} {n}", p.name));
        facts.push(fact("Missing turns", lacked.collect::<Vec<_>>().join(", ")));
    }
    if table.timed_out {
        let unheard = table.unheard();
        let without = if unheard.is_empty() {
            String::new()
        } else {
            format!(
                "; in round {} nobody heard {}",
                table.rounds(),
                names(&unheard)
            )
        };
        let limit = table.settings.timeout_seconds;
        facts.push(fact("Time", format!("over after {limit} s{without}")));
    }
    facts
}

fn dissent(table: &Table<'_>) -> String {
    let dissenters = table.dissenters();
    if dissenters.is_empty() {
        let count = table.count();
        let why = match count.leading() {
            Some(_) => "nobody",
            None if count.taken.is_empty() => "not known, nobody took a stance",
            None => "no stance leads",
        };
        return why.to_owned();
    }
    let shown = |p: &&Participant| format!("{} ({})", p.name, stance_of(table, p));
    dissenters.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn details(table: &Table<'_>) -> Map<String, Value> {
    let stances = by_id(table, |p| json!(table.stance(&p.id)));
    let missing = table.missing();
    let details = json!({
        "triggered": table.debates,
        "consensus": table.consensus(),
        "share": table.debates.then(|| table.count().share()),
        "rounds": table.rounds(),
        "stances": table.debates.then_some(stances),
        "dissent": table.dissenters().iter().map(|p| &p.id).collect::<Vec<_>>(),
        "timed_out": table.timed_out,
        "missing_turns": missing.iter().map(|(p, n)| (p.id.clone(), json!(n))).collect::<Map<_, _>>(),
    });
    details.as_object().cloned().unwrap_or_default()
}

/// A value for each specialist, by id.
pub(super) fn by_id(table: &Table<'_>, value: impl Fn(&Participant) -> Value) -> Value {
    let all = table.specialists.iter().map(|p| (p.id.clone(), value(p)));
    Value::Object(all.collect())
}

/// `Valuation 2, Sentiment 2`.
fn each(table: &Table<'_>, value: impl Fn(&Participant) -> String) -> String {
    let all = table.specialists.iter();
    let all: Vec<String> = all.map(|p| format!("{} {}", p.name, value(p))).collect();
    all.join(", ")
}

fn stance_of(table: &Table<'_>, p: &Participant) -> String {
    table.stance(&p.id).unwrap_or("no stance").to_owned()
}

fn names(all: &[&Participant]) -> String {
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    names.join(", ")
}
