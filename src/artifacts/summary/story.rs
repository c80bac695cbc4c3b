//! A debate in short, part by part: who moved, why it ended, who argued what. Where a model told the story, in its words, marked
//! as such.

use serde_json::{Value, json};

use super::{dialectic_story, length};
use crate::artifacts::arguments::in_short;
use crate::artifacts::{banner, stances, statement_place, who_argued};
use crate::event::{Stance, Statement};
use crate::text;
use crate::trace::Trace;

/// The most sentences of a summary that is told as a story: a moderator is asked for up to 220 words.
const SENTENCES: usize = 10;
/// The most sentences of one that is put together.
const PARTS: usize = 5;
/// Up to so many moves are told one by one.
const MOVES: usize = 4;

/// A story, and the model whose words it is in; none where it is put together from what is known.
pub(in crate::artifacts) struct Story {
    /// What it tells, thing by thing; one part where a model told it.
    pub(in crate::artifacts) parts: Vec<String>,
    pub(in crate::artifacts) by: Option<String>,
    /// The statement that has it.
    n: Option<u32>,
}

/// The story; nothing where too little is known.
pub(in crate::artifacts) fn of(trace: &Trace) -> Option<Story> {
    if let Some(told) = summary(trace) {
        let parts = vec![without_announcement(&told.text).to_owned()];
        return Some(Story { parts, by: Some(with_model(trace, &told.by)), n: Some(told.n) });
    }
    let parts = match dialectic_story::story(trace) {
        told if told.is_empty() => argued(trace),
        told => told,
    };
    (!parts.is_empty()).then_some(Story { parts, by: None, n: None })
}

/// Who moved, why it ended early, and what each side argued, where there is room for all of them.
fn argued(trace: &Trace) -> Vec<String> {
    let course: Vec<String> = [moves(trace), length::ended(trace)].into_iter().flatten().collect();
    let sides = in_short::sentences(trace);
    let has_room = course.len() + sides.len() <= PARTS;
    course.into_iter().chain(sides.into_iter().filter(|_| has_room)).collect()
}

/// The summary in which the debate ends, if it is short enough for a story.
pub(in crate::artifacts) fn summary(trace: &Trace) -> Option<&Statement> {
    let told = statement_place::final_text(trace).filter(|s| statement_place::is_summary(s))?;
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
pub(in crate::artifacts) fn with_model(trace: &Trace, id: &str) -> String {
    let by = trace.participant(id);
    by.map_or_else(|| trace.name_of(id).to_owned(), who_argued::with_model)
}

/// The stances with which somebody moved.
fn moved(trace: &Trace) -> Vec<&Stance> {
    let all = trace.stances.iter();
    all.filter(|stance| stance.moved_from.is_some()).collect()
}

/// Who moved to another stance, and whom the last move credits.
fn moves(trace: &Trace) -> Option<String> {
    let one = |(id, own): (&str, Vec<&Stance>)| {
        format!("{} moved {}", trace.name_of(id), stances::way(trace, &own))
    };
    let moved = moved(trace);
    let each = text::gathered(moved.iter().map(|stance| (stance.by.id.as_str(), *stance)));
    let moves = match moved.len() {
        0 => vec!["nobody moved from the first stance taken".to_owned()],
        1..=MOVES => each.into_iter().map(one).collect(),
        n => vec![format!("there were {n} changes of stance")],
    };
    let all = banner::begun(trace, &text::separated(moves, "; "));
    (!trace.stances.is_empty()).then(|| format!("{all}."))
}

/// For the template.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Option<Value> {
    of(trace).map(|story| json!({"parts": story.parts, "by": story.by, "n": story.n.map(statement_place::number)}))
}
