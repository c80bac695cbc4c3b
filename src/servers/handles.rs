//! The debates' lines: which server each has as its first, and which debates can do nothing but wait for one that is gone.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lines of a gate.
#[derive(Debug)]
pub(super) struct Lines {
    /// Those that are open, by the server that each has as its first.
    open: Vec<usize>,
    /// Whose turn it is among servers with as many.
    turn: usize,
    /// The calls of each line.
    calls: BTreeMap<u64, Calls>,
    /// The number of the next line.
    next: u64,
}

/// The calls of a debate that are not answered yet.
#[derive(Debug, Default)]
struct Calls {
    asked: usize,
    /// Those among them that wait for a server which is not there.
    stuck: usize,
}

/// Where a debate stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub(super) line: u64,
    /// The server that its calls go to first.
    pub(super) home: usize,
}

impl Lines {
    /// None yet, to so many servers.
    pub(super) fn to(servers: usize) -> Self {
        Self {
            open: vec![0; servers],
            turn: 0,
            calls: BTreeMap::new(),
            next: 0,
        }
    }

    /// Opens one.
    pub(super) fn add(&mut self) -> Seat {
        let (turn, count) = (self.turn, self.open.len());
        let in_turn = (0..count).map(|i| (turn + i) % count);
        let home = in_turn.min_by_key(|&i| self.open[i]).unwrap_or(0);
        if let Some(open) = self.open.get_mut(home) {
            *open += 1;
        }
        self.turn = home + 1;
        self.next += 1;
        self.calls.insert(self.next, Calls::default());
        let line = self.next;
        Seat { line, home }
    }

    /// Closes one.
    pub(super) fn remove(&mut self, seat: Seat) {
        self.calls.remove(&seat.line);
        if let Some(open) = self.open.get_mut(seat.home) {
            *open -= 1;
        }
    }

    /// How many debates ask for something, and only of servers that are not there.
    pub(super) fn stuck(&self) -> usize {
        let is_stuck = |calls: &&Calls| calls.asked > 0 && calls.asked == calls.stuck;
        self.calls.values().filter(is_stuck).count()
    }
}

/// A call of a debate, until it is dropped.
pub(super) struct Asking<'g> {
    lines: &'g Mutex<Lines>,
    seat: Seat,
    stuck: bool,
}

impl<'g> Asking<'g> {
    pub(super) fn at(seat: Seat, lines: &'g Mutex<Lines>) -> Self {
        let asking = Self {
            lines,
            seat,
            stuck: false,
        };
        asking.change(|calls| calls.asked += 1);
        asking
    }

    /// Whether it waits for a server that is not there.
    pub(super) fn is_stuck(&mut self, stuck: bool) {
        if stuck != self.stuck {
            self.stuck = stuck;
            self.change(|calls| match stuck {
                true => calls.stuck += 1,
                false => calls.stuck -= 1,
            });
        }
    }

    fn change(&self, change: impl FnOnce(&mut Calls)) {
        let mut lines: MutexGuard<'_, Lines> =
            self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = lines.calls.get_mut(&self.seat.line) {
            change(calls);
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.is_stuck(false);
        self.change(|calls| calls.asked -= 1);
    }
}
