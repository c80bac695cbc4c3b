//! Whose turn it was: a trace in which somebody speaks out of turn shows no debate that this program runs.

use crate::formats::duel::settings::{A, B, speaker};
use crate::job::Format;

/// The first turn that a duel cannot have: its agents speak once a round, A in odd rounds and B in even ones (row U1).
/// A statement is given by its number, its round and its speaker.
pub(super) fn out_of_turn<'a>(
    format: &str,
    statements: impl Iterator<Item = (u32, u32, &'a str)>,
) -> Option<String> {
    if format != Format::Duel.name() {
        return None;
    }
    let turns = statements.filter(|(_, _, by)| *by == A || *by == B);
    let (due, (n, round, by)) = (1..)
        .zip(turns)
        .find(|(due, (_, round, by))| round != due || *by != speaker(*due))?;
    Some(format!(
        "statement {n} is a turn of {by} in round {round}, where {} was due in round {due}",
        speaker(due)
    ))
}
