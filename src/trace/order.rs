//! Turn order: a trace in which someone speaks out of turn is not from this program.

use crate::job::profile_of;

/// The first turn that a debate cannot have in a format where one speaks a round (row U1). A statement is given by its
/// number, its round and its speaker.
pub(super) fn out_of_turn<'a>(
    format: &str,
    statements: impl Iterator<Item = (u32, u32, &'a str)>,
) -> Option<String> {
    let format = profile_of(format);
    let speaker = format.turn?;
    let turns = statements.filter(|(_, _, by)| format.arguing.iter().any(|id| id == by));
    let (due, (n, round, by)) = (1..)
        .zip(turns)
        .find(|(due, (_, round, by))| round != due || *by != speaker(*due))?;
    Some(format!(
        "statement {n} is a turn of {by} in round {round}, but {} was due in round {due}",
        speaker(due)
    ))
}
