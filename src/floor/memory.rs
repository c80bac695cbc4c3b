//! What agents remember of the debate (row K4): their own points and their opponents'.

use std::collections::BTreeMap;

use super::Floor;
use crate::event::{EventKind, Memory, MemoryUpdate, Notes, Statement};

/// Maximum points per list of an agent's memory; the newest stay.
const REMEMBERED: usize = 12;

impl Floor {
    /// The memories of the speakers after an exchange: their own points and their opponents' (row K4).
    pub fn remembered(&self, said: &[&Statement], notes: &Notes) -> BTreeMap<String, Memory> {
        let speakers: Vec<&str> = said.iter().map(|s| s.by.as_str()).collect();
        self.remembered_by(&speakers, said, notes)
    }

    /// The memories of these agents after an exchange, whether they spoke in it or listened.
    pub fn remembered_by(
        &self,
        agents: &[&str],
        said: &[&Statement],
        notes: &Notes,
    ) -> BTreeMap<String, Memory> {
        let after = |agent: &str| after(self.memory(agent), agent, said, notes);
        agents.iter().map(|agent| ((*agent).to_owned(), after(agent))).collect()
    }

    /// Records the agents' memories after a round.
    pub fn remember(&self, round: u32, memories: BTreeMap<String, Memory>) {
        let mut speakers = self.speakers.lock();
        speakers.memories.extend(memories.clone());
        drop(speakers);
        let update = MemoryUpdate { round, memories };
        self.emit(EventKind::Memory(update), None, None);
    }

    /// An agent's memory so far.
    pub fn memory(&self, id: &str) -> Memory {
        let speakers = self.speakers.lock();
        speakers.memories.get(id).cloned().unwrap_or_default()
    }
}

/// A memory after an exchange.
fn after(mut memory: Memory, agent: &str, said: &[&Statement], notes: &Notes) -> Memory {
    memory.debate_history.extend(said.iter().map(|s| s.n));
    for s in said {
        let into =
            if s.by == agent { &mut memory.key_points_made } else { &mut memory.opponent_points };
        let noted = notes.statements.iter().filter(|noted| noted.n == s.n);
        let points = noted.flat_map(|noted| &noted.points);
        into.extend(points.map(|point| point.text.clone()));
        into.drain(..into.len().saturating_sub(REMEMBERED));
    }
    memory
}
