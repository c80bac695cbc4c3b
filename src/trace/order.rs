//! Whose turn it was: a trace in which somebody speaks out of turn shows no debate that this program runs.

use super::Trace;
use crate::job::Format;
use crate::job::duel::{A, B, speaker};

impl Trace {
    /// The first turn that a duel cannot have: its agents speak once a round, A in odd rounds and B in even ones (row U1).
    pub(super) fn out_of_turn(&self) -> Option<String> {
        if self.format != Format::Duel.name() {
            return None;
        }
        let spoke = |by: &str| by == A || by == B;
        let turns = self.statements.iter().filter(|s| spoke(&s.by));
        let (due, turn) = (1..).zip(turns).find(|(due, turn)| {
            let in_turn = turn.round == *due && turn.by == speaker(*due);
            !in_turn
        })?;
        Some(format!(
            "statement {} is a turn of {} in round {}, where {} was due in round {due}",
            turn.n,
            turn.by,
            turn.round,
            speaker(due)
        ))
    }
}
