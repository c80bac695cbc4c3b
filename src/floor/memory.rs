//! What agents remember of the debate (row K4): their own points and their opponents'.

use std::collections::BTreeMap;

use super::desk::Desk;
use crate::event::{Memory, Notes, Statement};

/// Points that an agent remembers; the newest stay.
const REMEMBERED: usize = 12;

/// What these agents remember after an exchange, whether they spoke in it or listened.
pub(super) fn after(
    desk: &Desk,
    agents: &[&str],
    said: &[&Statement],
    notes: &Notes,
) -> BTreeMap<String, Memory> {
    let one = |agent: &&str| ((*agent).to_owned(), remembered(desk, agent, said, notes));
    agents.iter().map(one).collect()
}

fn remembered(desk: &Desk, agent: &str, said: &[&Statement], notes: &Notes) -> Memory {
    let mut memory = desk.memory(agent);
    memory.debate_history.extend(said.iter().map(|s| s.n));
    for s in said {
        let into = if s.by == agent {
            &mut memory.key_points_made
        } else {
            &mut memory.opponent_points
        };
        let noted = notes.statements.iter().filter(|noted| noted.n == s.n);
        into.extend(
            noted
                .flat_map(|noted| &noted.points)
                .map(|point| point.text.clone()),
        );
        into.drain(..into.len().saturating_sub(REMEMBERED));
    }
    memory
}
