//! A debate in short, at most five sentences: who argued what, what turned it, why it ended. Where a model told the story, in
//! its words, marked as such.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{arguments, decided, length, place, refined, who};
use crate::event::{How, Results, RoundWinner, Stance, Statement};
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// The most sentences of a story.
const SENTENCES: usize = 5;
/// Contestants whose first claims are told.
const CLAIMS: usize = 4;
/// Up to so many contestants, last claims are told too.
const CLOSINGS: usize = 2;

/// A story, and the model whose words it is in; none where it is put together from what is known.
pub(super) struct Story {
    pub(super) text: String,
    pub(super) by: Option<String>,
}

/// The story; nothing where too little is known.
pub(super) fn of(trace: &Trace) -> Option<Story> {
    told(trace, [granted(trace), dropped(trace)])
}

/// The story beside a list of the arguments, which it leaves to that.
pub(super) fn beside_arguments(trace: &Trace) -> Option<Story> {
    told(trace, [None, None])
}

fn told(trace: &Trace, arguments: [Option<String>; 2]) -> Option<Story> {
    if let Some(told) = summary(trace) {
        return Some(Story {
            text: without_announcement(&told.text).to_owned(),
            by: Some(with_model(trace, &told.by)),
        });
    }
    let all = match refined::story(trace) {
        told if !told.is_empty() => told,
        _ => argued(trace, arguments),
    };
    (!all.is_empty()).then(|| Story {
        text: all.join(" "),
        by: None,
    })
}

/// The story of sides that argued against each other.
fn argued(trace: &Trace, [granted, dropped]: [Option<String>; 2]) -> Vec<String> {
    let all = [
        claims(trace),
        in_a_judges_words(trace),
        moves(trace),
        granted,
        dropped,
        rounds_lost(trace),
        length::ended(trace),
    ];
    all.into_iter().flatten().take(SENTENCES).collect()
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

/// `Ann (llama3)`, by id.
pub(super) fn with_model(trace: &Trace, id: &str) -> String {
    let by = trace.participant(id);
    by.map_or_else(|| trace.name_of(id).to_owned(), who::with_model)
}

/// What each began with and, of few, ended with: `The clerk noted these claims. Ann's first: … Ann's last: … Ben's only
/// one: …` The words are the clerk's and nobody's speech.
fn claims(trace: &Trace) -> Option<String> {
    let own = trace.contestants();
    let own = own.map(|p| (p.name.as_str(), claims_of(trace, &p.id)));
    let own: Vec<(&str, Vec<&str>)> = own.filter(|(_, claims)| !claims.is_empty()).collect();
    let closings = own.len() <= CLOSINGS;
    let claim = |name: &str, which: &str, claim: &str| {
        text::sentence(&format!("{name}'s {which}: {}", noted(claim)))
    };
    let one = |(name, claims): &(&str, Vec<&str>)| match claims[..] {
        [only] if closings => claim(name, "only one", only),
        [first, .., last] if closings => {
            claim(name, "first", first) + " " + &claim(name, "last", last)
        }
        [first, ..] => claim(name, "first", first),
        [] => String::new(),
    };
    let mut told = vec![match arguments::by_clerk(trace) {
        true => "The clerk noted these claims.".to_owned(),
        false => "Statements in their first sentences.".to_owned(),
    }];
    told.extend(own.iter().take(CLAIMS).map(one));
    let more = own.len().saturating_sub(CLAIMS);
    told.extend((more > 0).then(|| format!("{more} more spoke.")));
    (told.len() > 1).then(|| told.join(" "))
}

/// What somebody claimed, statement by statement.
fn claims_of<'t>(trace: &'t Trace, id: &str) -> Vec<&'t str> {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let own = notes.filter(|notes| trace.statement(notes.n).is_some_and(|s| s.by == id));
    own.map(|notes| notes.claim.as_str()).collect()
}

/// A claim as it was noted: without a clerk's reply it is a first sentence, in quotation marks.
fn noted(claim: &str) -> String {
    let bare = words(claim);
    let is_quoted = |text: &str| text.trim().starts_with(['"', '“']);
    match is_quoted(claim) && !is_quoted(&bare) {
        true => format!("“{bare}”"),
        false => bare,
    }
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
    let told = words(&Results::of(trace.outcome.as_ref()).summary?);
    let verdict = decided::verdict(trace)?;
    let call = &verdict.spoken()?.call;
    let mut judges = verdict.judges.iter();
    let judge = judges.find(|judge| judge.readings.iter().any(|r| &r.call == call))?;
    let name = trace.name_of(&judge.judge.id);
    (!told.is_empty()).then(|| format!("In the words of {name}: “{told}.”"))
}

/// Who moved to another stance: `Moved: Ann from “buy” to “hold” and Ben from “sell” to “hold”.`
fn moves(trace: &Trace) -> Option<String> {
    let moved = |stance: &&Stance| stance.moved_from.is_some();
    let one = |stance: &Stance| {
        let from = stance.moved_from.as_deref().unwrap_or_default();
        let to = stance.stance.as_deref().unwrap_or_default();
        let name = trace.name_of(&stance.by.id);
        format!("{name} from “{from}” to “{to}”")
    };
    let all: Vec<String> = trace.stances.iter().filter(moved).map(one).collect();
    match (trace.stances.is_empty(), all.len()) {
        (true, _) => None,
        (_, 0) => Some("Nobody moved from the first stance taken.".to_owned()),
        (_, 1..=CLAIMS) => Some(format!("Moved: {}.", text::joined(&all, "and"))),
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
        n => format!(" ({n} points were granted in all)"),
    };
    Some(format!(
        "{} granted {}'s {}: {}{others}.",
        trace.name_of(&by.by),
        trace.name_of(&one.by),
        one.id,
        words(&one.text)
    ))
}

/// To how many points of whom no reply was noted, in words where it is one.
fn dropped(trace: &Trace) -> Option<String> {
    let all = with_status(trace, PointStatus::Dropped);
    let first = all.first()?;
    let each = text::gathered(all.iter().map(|point| (point.by.as_str(), point)));
    let of = |(place, (by, own)): (usize, &(&str, Vec<_>))| match (place, own.len() as u64) {
        (0, n) => format!("{} of {}", text::count(n, "point"), trace.name_of(by)),
        (_, n) => format!("{n} of {}", trace.name_of(by)),
    };
    let of: Vec<String> = each.iter().enumerate().map(of).collect();
    // Of several, the list of the arguments tells.
    let words = match all.len() {
        1 => format!(", {}: {}", first.id, words(&first.text)),
        _ => String::new(),
    };
    let of = text::joined(&of, "and");
    Some(format!("No reply was noted to {of}{words}."))
}

fn with_status(trace: &Trace, status: PointStatus) -> Vec<&FlowPoint> {
    let points = trace.flow.points.iter();
    points.filter(|point| point.status == status).collect()
}

/// The rounds that went to another than the winner.
fn rounds_lost(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    let winner = outcome.winner.as_ref()?;
    let one = |ruling: &RoundWinner| {
        let by = ruling.winner.as_ref().filter(|by| *by != winner)?.id()?;
        let (round, name) = (ruling.round, trace.name_of(by));
        Some(format!("round {round} by itself went to {name}"))
    };
    let rulings = Results::of(Some(outcome)).round_winners;
    let all: Vec<String> = rulings.iter().filter_map(one).collect();
    let lost = text::joined(&all, "and");
    let lost = text::capitalised(&lost);
    (!all.is_empty()).then(|| format!("{lost}; the verdict is on the whole debate."))
}

/// For the template.
pub(super) fn shown(trace: &Trace) -> Option<Value> {
    of(trace).map(|story| json!({"text": story.text, "by": story.by}))
}
