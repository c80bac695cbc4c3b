//! The answer in which a debate ends, and its parts.

use super::excerpt;
use crate::artifacts::statement_place;
use crate::event::Statement;
use crate::formats::dialectic;
use crate::trace::Trace;

/// The answer that the debate came to; a summary of it is a statement like others.
pub(super) fn of(trace: &Trace) -> Option<&Statement> {
    statement_place::final_text(trace).filter(|s| !statement_place::is_summary(s))
}

/// The parts of an answer by their names, without how it came to it where they are known.
pub(super) fn parts(s: &Statement) -> Vec<(&str, String)> {
    match dialectic::essentials(&s.text) {
        none if none.is_empty() => excerpt::parts(&s.text),
        essentials => essentials,
    }
}
