//! A debate in short, at most five sentences: who argued what, what turned it, why it ended. Where a model told the story, in
//! its words, marked as such.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{arguments, decided, place, who};
use crate::event::{How, Stance, Statement};
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// The most sentences of a story.
const SENTENCES: usize = 5;
/// Contestants whose first claims are told.
const CLAIMS: usize = 4;

/// A story, and the model whose words it is in; none where it is put together from what is known.
pub(super) struct Story {
    pub(super) text: String,
    pub(super) by: Option<String>,
}

/// The story; nothing where too little is known.
pub(super) fn of(trace: &Trace) -> Option<Story> {
    if let Some(told) = summary(trace) {
        return Some(Story {
            text: without_announcement(&told.text).to_owned(),
            by: Some(with_model(trace, &told.by)),
        });
    }
    let all = [
        claims(trace),
        in_a_judges_words(trace),
        moves(trace),
        granted(trace),
        dropped(trace),
        quality(trace),
        rounds_lost(trace),
        ended(trace),
    ];
    let all: Vec<String> = all.into_iter().flatten().take(SENTENCES).collect();
    (!all.is_empty()).then(|| Story {
        text: all.join(" "),
        by: None,
    })
}

/// The summary in which the debate ends, if it is short enough for a story.
pub(super) fn summary(trace: &Trace) -> Option<&Statement> {
    let told = place::final_text(trace).filter(|s| place::is_summary(s))?;
    let is_story =
        told.was_heard() && text::sentences(without_announcement(&told.text)) <= SENTENCES;
    is_story.then_some(told)
}

/// A text without a first paragraph that only announces it: `Here is the story:`.
fn without_announcement(said: &str) -> &str {
    match said.trim().split_once("\n\n") {
        Some((first, rest)) if first.ends_with(':') && !first.contains('\n') => rest.trim(),
        _ => said.trim(),
    }
}

fn with_model(trace: &Trace, id: &str) -> String {
    let by = trace.participants.iter().find(|p| p.id == id);
    by.map_or_else(|| trace.name_of(id).to_owned(), who::with_model)
}

/// Everyone's first claim: `First claims: Ann “…”; Ben “…”.` What a critique comes to is put in words by us: none of its author's.
fn claims(trace: &Trace) -> Option<String> {
    let by = |n: u32| trace.statements.iter().find(|s| s.n == n).map(|s| &s.by);
    let claim = |id: &String| {
        let mut notes = trace.notes.iter().flat_map(|notes| &notes.statements);
        let first = notes.find(|notes| by(notes.n) == Some(id))?;
        Some(format!("{} “{}”", trace.name_of(id), words(&first.claim)))
    };
    let contestants = trace.participants.iter().filter(|p| p.contestant);
    let contestants = contestants.filter(|p| p.id != "skeptic");
    let all: Vec<String> = contestants.filter_map(|p| claim(&p.id)).collect();
    let told = &all[..all.len().min(CLAIMS)];
    let more = match all.len() - told.len() {
        0 => String::new(),
        more => format!("; {more} more followed"),
    };
    (!told.is_empty()).then(|| format!("First claims: {}{more}.", told.join("; ")))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    let inside = |open: char, close: char| said.strip_prefix(open)?.strip_suffix(close);
    let bare = inside('"', '"').or_else(|| inside('“', '”'));
    let bare = bare.filter(|bare| !bare.contains(['"', '“', '”']));
    bare.unwrap_or(&said).trim_end_matches('.').to_owned()
}

/// What the judge who speaks for the verdict made of the debate, in its words.
fn in_a_judges_words(trace: &Trace) -> Option<String> {
    let told = trace.outcome.as_ref()?.details.get("summary")?.as_str()?;
    let told = words(told);
    let verdict = decided::verdict(trace)?;
    let call = &verdict.spoken()?.call;
    let mut judges = verdict.judges.iter();
    let judge = judges.find(|judge| judge.readings.iter().any(|r| &r.call == call))?;
    let name = trace.name_of(&judge.judge.id);
    (!told.is_empty()).then(|| format!("In the words of {name}: “{told}.”"))
}

/// Who moved to another position: `Ann moved from buy to hold, Ben from sell to hold.`
fn moves(trace: &Trace) -> Option<String> {
    let moved = |stance: &&Stance| stance.moved_from.is_some();
    let one = |stance: &Stance| {
        let from = stance.moved_from.as_deref().unwrap_or_default();
        let to = stance.stance.as_deref().unwrap_or_default();
        format!("{} moved from {from} to {to}", trace.name_of(&stance.by.id))
    };
    let all: Vec<String> = trace.stances.iter().filter(moved).map(one).collect();
    match (trace.stances.is_empty(), all.len()) {
        (true, _) => None,
        (_, 0) => Some("Nobody moved from the first stance taken.".to_owned()),
        (_, 1..=CLAIMS) => Some(format!("{}.", text::joined(&all, "and"))),
        (_, n) => Some(format!("There were {n} changes of stance.")),
    }
}

/// What was granted, by whom: in words, what was most argued about before.
fn granted(trace: &Trace) -> Option<String> {
    let all = with_status(trace, PointStatus::Conceded);
    let argued = |point: &&&FlowPoint| Reverse(trace.flow.about(&point.id).count());
    let one = all.iter().min_by_key(argued)?;
    let mut about = trace.flow.about(&one.id);
    let by = about.rfind(|edge| edge.how == How::Conceded)?;
    let others = match all.len() {
        1 => String::new(),
        n => format!(", one of {n} points granted in all"),
    };
    Some(format!(
        "{} granted {}'s “{}”{others}.",
        trace.name_of(&by.by),
        trace.name_of(&one.by),
        words(&one.text)
    ))
}

/// What went without an answer: the first of it, in words.
fn dropped(trace: &Trace) -> Option<String> {
    let all = with_status(trace, PointStatus::Dropped);
    let first = all.first()?;
    let others = match all.len() {
        1 => String::new(),
        n => format!(", nor to {}", text::count(n as u64 - 1, "other point")),
    };
    let (by, text) = (trace.name_of(&first.by), words(&first.text));
    Some(match arguments::by_clerk(trace) {
        true => format!("The clerk noted no answer to {by}'s “{text}”{others}."),
        false => format!("No answer was given to {by}'s “{text}”{others}."),
    })
}

fn with_status(trace: &Trace, status: PointStatus) -> Vec<&FlowPoint> {
    let points = trace.flow.points.iter();
    points.filter(|point| point.status == status).collect()
}

/// How the quality that a skeptic stated changed.
fn quality(trace: &Trace) -> Option<String> {
    let critiques = trace
        .outcome
        .as_ref()?
        .details
        .get("critiques")?
        .as_array()?;
    let stated = critiques
        .iter()
        .filter_map(|one| one["quality_score"].as_f64());
    let stated: Vec<f64> = stated.collect();
    match stated[..] {
        [first, .., last] if first != last => Some(format!(
            "The skeptic's mark for the answer went from {first} to {last} of 10."
        )),
        _ => None,
    }
}

/// The rounds that went to another than the winner.
fn rounds_lost(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    let winner = outcome.winner.as_deref()?;
    let rulings = outcome.details.get("round_winners")?.as_array()?;
    let one = |ruling: &Value| {
        let by = ruling["winner"].as_str().filter(|by| *by != winner)?;
        Some(format!(
            "round {} went to {}",
            ruling["round"],
            trace.name_of(by)
        ))
    };
    let all: Vec<String> = rulings.iter().filter_map(one).collect();
    let lost = text::joined(&all, "and");
    (!all.is_empty()).then(|| format!("Taken alone, {lost}."))
}

/// Why it ended, where the outcome does not say it.
pub(super) fn ended(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    // Votes and stances end a debate too; the outcome tells of them.
    let is_told = !trace.ballots.is_empty() || !trace.stances.is_empty();
    let settings = &trace.plan.settings;
    let planned = ["rounds", "round_count"].iter();
    let planned = planned
        .filter_map(|key| settings.get(*key)?.as_u64())
        .next()?;
    let planned = Some(planned).filter(|_| !is_told)?;
    let held = trace.rounds_held() as u64;
    let by_moderator = outcome.details.get("end_reason") == Some(&json!("ended_by_moderator"));
    Some(match (by_moderator, held < planned) {
        (true, _) => format!("The moderator ended it after {held} of {planned} rounds."),
        (_, true) => format!("It ended after {held} of {planned} rounds."),
        (_, false) => format!(
            "It went its full length of {}.",
            text::count(planned, "round")
        ),
    })
}

/// For the template.
pub(super) fn shown(trace: &Trace) -> Option<Value> {
    of(trace).map(|story| json!({"text": story.text, "by": story.by}))
}
