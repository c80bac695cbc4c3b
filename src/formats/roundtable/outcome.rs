//! The outcome of a roundtable: the specialists' stances, dissent, missing turns (rows R2, R5, R7, O1).

use serde_json::{Map, Value, json};

use super::count;
use super::others::{names, stands};
use super::session::Session;
use crate::event::{Outcome, Stance, StanceTime, Statement};
use crate::formats::outcome_phrases::fact;
use crate::job::participant::Participant;
use crate::text;

/// Up to so many who dissent are named in the line.
const NAMED: usize = 3;

/// The result of the debate. Nobody wins (row O1).
pub(super) fn of(session: &Session<'_>, answer: Option<&Statement>) -> Outcome {
    Outcome {
        line: line(session),
        decided_by: decided_by(session),
        final_text: answer.map(|statement| statement.n),
        facts: facts(session),
        details: details(session),
        ..Outcome::default()
    }
}

/// The result of a round in one line.
pub(super) fn headline(session: &Session<'_>) -> String {
    let unheard = session.unheard();
    if !unheard.is_empty() {
        return format!("time ran out before {}", names(&unheard).join(", "));
    }
    if session.rounds() == 0 {
        return format!("first stances: {}", session.count().line());
    }
    let end = match session.consensus() {
        Some(stance) => format!("consensus on {stance}"),
        None => "no consensus".to_owned(),
    };
    format!("{}; {end}", session.count().line())
}

/// What the chair is told.
pub(super) fn context(session: &Session<'_>) -> Value {
    let count = session.count();
    let leading = count.leading().map(|taken| taken.stance.as_str());
    let all = session.specialists.iter();
    let dissenters = session.dissenters();
    json!({
        "specialists": all.map(|p| stands(session, p)).collect::<Vec<_>>(),
        "moves": session.moves().map(|stance| reasoned_move(session, stance)).collect::<Vec<_>>(),
        "count": count.line(),
        "challenger": session.challenger.as_ref().map(|id| session.plan.name_of(id)),
        "consensus": session.consensus(),
        "unanimous": count.unanimous().is_some(),
        "leading": leading,
        "dissenters": dissenters.iter().map(|p| stands(session, p)).collect::<Vec<_>>(),
        "timed_out": session.timed_out,
    })
}

/// A move as the chair is told of it: with the mover's reason, unless it is the one listed with its stance at the end.
fn reasoned_move(session: &Session<'_>, stance: &Stance) -> String {
    let is_last = session.latest(&stance.by.id) == Some(stance);
    let reason = text::one_line(&stance.reading.reason);
    if is_last || reason.is_empty() {
        format!("{}.", moved(session, stance))
    } else {
        format!("{}: {}", moved(session, stance), text::sentence(&reason))
    }
}

/// `Sentiment moved from sell to hold after round 2, crediting Valuation`.
fn moved(session: &Session<'_>, stance: &Stance) -> String {
    let name = session.plan.name_of(&stance.by.id);
    let from = stance.moved_from.as_deref().unwrap_or_default();
    let to = stance.stance.as_deref().unwrap_or_default();
    let whose =
        stance.moved_by.as_ref().map(|id| format!(", crediting {}", session.plan.name_of(id)));
    format!("{name} moved from {from} to {to} {}{}", stance.time(), whose.unwrap_or_default())
}

/// `Consensus on “hold” after 2 rounds (3 of 4 specialists; Valuation for “sell”)`.
fn line(session: &Session<'_>) -> String {
    if !session.debates {
        return "Answered without debate".to_owned();
    }
    let (count, when) = (session.count(), when(session));
    match count.consensus(session.settings.consensus_threshold) {
        Some(taken) => format!(
            "Consensus on “{}” {when} ({}{}{})",
            taken.stance,
            heads(taken.heads, session.specialists.len()),
            weighed(session, count.share()),
            against(session),
        ),
        None => format!("No consensus {when}: {}{}", count.line(), first(session)),
    }
}

/// Who is for something else, a few by name: `; Valuation for “sell”`.
fn against(session: &Session<'_>) -> String {
    let stands = |p: &&Participant| format!("; {} for “{}”", p.name, stance_of(session, p));
    let dissenters = session.dissenters();
    match dissenters.len() {
        ..=NAMED => dissenters.iter().map(stands).collect(),
        n => format!("; {n} dissent"),
    }
}

/// `2 of 3 specialists`, `all 3 specialists`.
fn heads(some: usize, all: usize) -> String {
    match (some, all) {
        (2, 2) => "both specialists".to_owned(),
        (some, all) if some == all => format!("all {all} specialists"),
        _ => format!("{some} of {all} specialists"),
    }
}

/// The count of the first stances, if it was another: ` (first stances: off 2, dim 1)`.
fn first(session: &Session<'_>) -> String {
    let first = session.first_count().line();
    text::told_if(first != session.count().line(), || format!(" (first stances: {first})"))
}

fn when(session: &Session<'_>) -> String {
    let place = if session.unheard().is_empty() { "after" } else { "in" };
    let rounds = match (session.timed_out, session.rounds()) {
        (true, round) => format!("when time ran out {place} round {round}"),
        (false, 0) => "after the first answers".to_owned(),
        (false, rounds) => format!("after {}", text::count(rounds, "round")),
    };
    text::separated([rounds.as_str()].into_iter().chain(session.extra_turns()), " and ")
}

/// What the turns beyond the rounds did to a consensus: ` After round 1, there was a consensus on “sell”; extra turns ended it.`
fn overturned(session: &Session<'_>) -> String {
    let then = StanceTime::AfterRound(session.rounds()).to_string();
    let (then, extra) = (text::capitalised(&then), session.extra_turns().unwrap_or_default());
    match (session.consensus_of_rounds(), session.consensus()) {
        (before, now) if before == now => String::new(),
        (None, _) => format!(" {then}, there was no consensus; {extra} brought it."),
        (Some(before), now) => {
            let what = match now {
                Some(now) => format!("moved it to “{now}”"),
                None if session.count().without == 0 => "ended it".to_owned(),
                None => "came then, and not every stance could be obtained after them".to_owned(),
            };
            format!(" {then}, there was a consensus on “{before}”; {extra} {what}.")
        }
    }
}

/// The share, if it does not follow from the number of specialists.
fn weighed(session: &Session<'_>, share: f64) -> String {
    let has_weights = !session.settings.weights.is_empty();
    text::told_if(has_weights, || format!(", {} of the weight", percent(share)))
}

fn percent(share: f64) -> String {
    format!("{}%", (share * 1000.0).round() / 10.0)
}

fn decided_by(session: &Session<'_>) -> String {
    if !session.debates {
        return "The query holds no keyword that calls for a debate, so the chair answered alone."
            .to_owned();
    }
    let challenged = session
        .challenger
        .as_ref()
        .map(|id| {
            let name = session.plan.name_of(id);
            format!(" All first answers agreed, so {name} argued against them for a round.")
        })
        .unwrap_or_default();
    let (stood, length) = (stood(session), length(session));
    format!("{}{stood}; {length}.{challenged}{}", meaning(session), overturned(session))
}

/// What the job has the stance of a consensus stand for, which need not be what all who take it agree on: `The job defines “trial”
/// as: one school year, then decide. `
fn meaning(session: &Session<'_>) -> String {
    let stance = session.consensus();
    let meant = stance.and_then(|stance| {
        let meaning = session.settings.definitions.get(&stance)?;
        let meaning = text::sentence(&text::one_line(meaning));
        Some(format!("The job defines “{stance}” as: {meaning} "))
    });
    meant.unwrap_or_default()
}

/// What a consensus takes, and what the line does not say of how near the stances came: `A consensus takes 75%, here 3 of 3`.
fn stood(session: &Session<'_>) -> String {
    let (count, needed) = (session.count(), needed(session));
    match (session.consensus(), count.leading()) {
        _ if count.taken.is_empty() => "Nobody took a stance".to_owned(),
        (None, None) => format!("No stance leads; a consensus takes {needed}"),
        (None, Some(leading)) if !session.settings.weights.is_empty() => {
            let share = percent(count.share());
            format!("“{}” has {share}; a consensus takes {needed}", leading.stance)
        }
        _ => format!("A consensus takes {needed}"),
    }
}

/// The share that a consensus takes; if all have the same weight, also the number of specialists.
fn needed(session: &Session<'_>) -> String {
    let threshold = session.settings.consensus_threshold;
    let (share, all) = (percent(threshold), session.specialists.len());
    if session.settings.weights.is_empty() {
        format!("{share}, here {} of {all}", count::needed(all, threshold))
    } else {
        format!("{share} of the weight")
    }
}

/// How much debate was permitted.
fn length(session: &Session<'_>) -> String {
    if session.timed_out {
        "the time was over before the debate was".to_owned()
    } else {
        let most = session.settings.max_rounds;
        let were = if most == 1 { "was" } else { "were" };
        format!("at most {} {were} allowed", text::count(most, "round"))
    }
}

fn facts(session: &Session<'_>) -> Vec<(String, String)> {
    if !session.debates {
        return vec![fact("Debate", "none: the query holds no keyword")];
    }
    let consensus = session.consensus().map(|stance| format!("on “{stance}”"));
    let mut facts = vec![
        fact("Consensus", consensus.as_deref().unwrap_or("none")),
        fact("Largest share", percent(session.count().share())),
        fact("Stances", each(session, |p| stance_of(session, p))),
        fact("Dissent", dissent(session)),
        fact("Moves", moves(session)),
        fact("Rounds of debate", session.rounds().to_string()),
        fact("Turns", each(session, |p| session.turns_of(p).to_string())),
    ];
    let lacked = session.missing();
    let lacked = lacked.iter().map(|(p, n)| format!("{} {n}", p.name));
    let lacked = text::if_any(text::separated(lacked, ", "));
    facts.extend(lacked.map(|lacked| fact("Missing turns", lacked)));
    if session.timed_out {
        let unheard = names(&session.unheard()).join(", ");
        let told = || format!("; in round {} nobody heard {unheard}", session.rounds());
        let without = text::told_if(!unheard.is_empty(), told);
        let limit = session.settings.timeout_seconds;
        facts.push(fact("Time", format!("over after {limit} s{without}")));
    }
    facts
}

fn moves(session: &Session<'_>) -> String {
    let moves = session.moves().map(|stance| moved(session, stance));
    let moves = text::if_any(text::separated(moves, "; "));
    moves.unwrap_or_else(|| "nobody changed its stance".to_owned())
}

fn dissent(session: &Session<'_>) -> String {
    let dissenters = session.dissenters();
    if dissenters.is_empty() {
        let count = session.count();
        let why = match count.leading() {
            Some(_) => "nobody",
            None if count.taken.is_empty() => "not known, nobody took a stance",
            None => "no stance leads",
        };
        return why.to_owned();
    }
    let shown = |p: &&Participant| format!("{} ({})", p.name, stance_of(session, p));
    text::separated(dissenters.iter().map(shown), ", ")
}

fn details(session: &Session<'_>) -> Map<String, Value> {
    let stances = by_id(session, |p| json!(session.stance(&p.id)));
    let details = json!({
        "triggered": session.debates,
        "consensus": session.consensus(),
        "share": session.debates.then(|| session.count().share()),
        "rounds": session.rounds(),
        "stances": session.debates.then_some(stances),
        "dissent": session.dissenters().iter().map(|p| &p.id).collect::<Vec<_>>(),
        "moves": session.moves().map(move_of).collect::<Vec<_>>(),
        "challenger": session.challenger,
        "timed_out": session.timed_out,
        "missing_turns": missing(session),
    });
    serde_json::from_value(details).unwrap_or_default()
}

/// The turns that each specialist lacks of `min_turns_per_agent`.
pub(super) fn missing(session: &Session<'_>) -> Map<String, Value> {
    session.missing().into_iter().map(|(p, n)| (p.id.clone(), json!(n))).collect()
}

/// A change of stance, as data. One that followed the turns beyond the rounds says so.
pub(super) fn move_of(stance: &Stance) -> Value {
    let mut made = json!({
        "specialist": stance.by.id,
        "round": stance.round,
        "from": stance.moved_from,
        "to": stance.stance,
        "moved_by": stance.moved_by,
    });
    if stance.time() == StanceTime::AtEnd {
        made["at_end"] = json!(true);
    }
    made
}

/// A value for each specialist, by id.
pub(super) fn by_id(session: &Session<'_>, value: impl Fn(&Participant) -> Value) -> Value {
    let all = session.specialists.iter().map(|p| (p.id.clone(), value(p)));
    Value::Object(all.collect())
}

/// `Valuation 2, Sentiment 2`.
fn each(session: &Session<'_>, value: impl Fn(&Participant) -> String) -> String {
    let all = session.specialists.iter();
    text::separated(all.map(|p| format!("{} {}", p.name, value(p))), ", ")
}

fn stance_of(session: &Session<'_>, p: &Participant) -> String {
    session.stance(&p.id).unwrap_or("no stance").to_owned()
}
