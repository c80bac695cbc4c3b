//! Which server each debate prefers, and which debates can only wait for one that is down.

use std::collections::BTreeMap;

use crate::shared::Shared;

/// The debates of a pool.
#[derive(Debug)]
pub(super) struct Assignments {
    /// Debates per server that prefer it.
    per_server: Vec<usize>,
    /// Whose turn it is among servers with as many.
    turn: usize,
    /// Unanswered calls per debate.
    calls: BTreeMap<u64, Calls>,
    /// The number of the next debate.
    next: u64,
}

#[derive(Debug, Default)]
struct Calls {
    pending: usize,
    /// Those among them that wait for a server that is down.
    stuck: usize,
}

/// A debate in the pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assignment {
    pub(super) debate: u64,
    /// The server that its calls go to first.
    pub(super) home: usize,
}

impl Assignments {
    pub(super) fn new(servers: usize) -> Self {
        Self {
            per_server: vec![0; servers],
            turn: 0,
            calls: BTreeMap::new(),
            next: 0,
        }
    }

    /// Adds a debate, on the server with the fewest; equals take turns.
    pub(super) fn add(&mut self) -> Assignment {
        let (turn, count) = (self.turn, self.per_server.len());
        let in_turn = (0..count).map(|i| (turn + i) % count);
        let home = in_turn.min_by_key(|&i| self.per_server[i]).unwrap_or(0);
        if let Some(debates) = self.per_server.get_mut(home) {
            *debates += 1;
        }
        self.turn = home + 1;
        self.next += 1;
        self.calls.insert(self.next, Calls::default());
        let debate = self.next;
        Assignment { debate, home }
    }

    pub(super) fn remove(&mut self, assignment: Assignment) {
        self.calls.remove(&assignment.debate);
        if let Some(debates) = self.per_server.get_mut(assignment.home) {
            *debates -= 1;
        }
    }

    /// How many debates have pending calls, all of them stuck.
    pub(super) fn stuck(&self) -> usize {
        let is_stuck = |calls: &&Calls| calls.pending > 0 && calls.pending == calls.stuck;
        self.calls.values().filter(is_stuck).count()
    }
}

/// A pending call of a debate, until it is dropped.
pub(super) struct PendingCall<'p> {
    assignments: &'p Shared<Assignments>,
    assignment: Assignment,
    is_stuck: bool,
}

impl<'p> PendingCall<'p> {
    pub(super) fn new(assignment: Assignment, assignments: &'p Shared<Assignments>) -> Self {
        let call = Self {
            assignments,
            assignment,
            is_stuck: false,
        };
        call.change(|calls| calls.pending += 1);
        call
    }

    /// Says whether it waits for a server that is down.
    pub(super) fn set_stuck(&mut self, is_stuck: bool) {
        if is_stuck != self.is_stuck {
            self.is_stuck = is_stuck;
            self.change(|calls| match is_stuck {
                true => calls.stuck += 1,
                false => calls.stuck -= 1,
            });
        }
    }

    fn change(&self, change: impl FnOnce(&mut Calls)) {
        if let Some(calls) = self
            .assignments
            .lock()
            .calls
            .get_mut(&self.assignment.debate)
        {
            change(calls);
        }
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.set_stuck(false);
        self.change(|calls| calls.pending -= 1);
    }
}
