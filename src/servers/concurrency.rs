//! The number of calls in flight per server.

/// Calls in flight per server.
#[derive(Debug, Clone, Copy)]
pub struct Concurrency {
    /// Limit before anything is known about the server.
    pub first: usize,
    /// Limit up to which it rises while calls find slots.
    pub most: usize,
}

impl Concurrency {
    /// The setting if the user sets none.
    pub const LEARNED: Self = Self { first: 4, most: 32 };

    /// Up to `calls` in flight, fewer if the server runs fewer at once.
    pub fn at_most(calls: usize) -> Self {
        let calls = calls.max(1);
        Self { first: calls, most: calls }
    }
}
