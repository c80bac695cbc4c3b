//! What a statement says in a line, for a reader who chooses by it.

use super::summary::story;
use super::{interruptions, statement_place};
use crate::event::{Origin, Phase, Statement};
use crate::text;
use crate::trace::Trace;

/// Characters of how a statement begins.
const BEGINNING: usize = 150;

/// Its claim, with the points that it withdraws where it answers an interruption; how such an answer begins, where no clerk
/// noted its claim. Of what sums others up, or is the answer, only that; of an interruption, what it begins with.
pub(super) fn gist(trace: &Trace, s: &Statement) -> String {
    let is_story = story::summary(trace).is_some_and(|told| told.n == s.n);
    let is_answer = statement_place::answer(trace).is_some_and(|answer| answer.n == s.n);
    let sums_up = statement_place::is_summary(s) || s.phase == Phase::ROUND_SUMMARY;
    match s.origin {
        Origin::Emergency | Origin::Template => s.gist.clone(),
        _ if is_story => "The story of the debate".to_owned(),
        _ if is_answer => "The answer".to_owned(),
        // How it begins is what one side argued.
        _ if sums_up => format!("Summary of {}", part(trace, s)),
        _ if s.phase == Phase::INTERJECTION => begins(s),
        _ if !interruptions::is_answer(trace, s) => s.gist.clone(),
        _ if is_noted(trace, s) => s.gist.clone() + &interruptions::withdrawing(trace, s),
        _ => interruptions::in_a_line(trace, s),
    }
}

/// Whether the clerk noted what a statement claims.
fn is_noted(trace: &Trace, s: &Statement) -> bool {
    let mut notes = trace.notes.iter().filter(|notes| notes.by_clerk);
    notes.any(|notes| notes.statements.iter().any(|noted| noted.n == s.n))
}

/// What a summary is of.
fn part(trace: &Trace, s: &Statement) -> String {
    match statement_place::round_of(trace, s) {
        Some(round) => format!("round {round}"),
        None => "the debate".to_owned(),
    }
}

/// How a statement begins behind any sign that stands for somebody.
fn begins(s: &Statement) -> String {
    let said = text::unmarked(text::without_mark(&s.text));
    let is_sign = |c: char| !c.is_alphanumeric() && !text::is_quotation_mark(c);
    text::first_sentence(said.trim_start_matches(is_sign), BEGINNING)
}
