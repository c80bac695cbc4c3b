//! The number of calls a server gets at a time.

/// Calls that a server gets at a time.
#[derive(Debug, Clone, Copy)]
pub struct Concurrency {
    /// Before anything is known of it.
    pub first: usize,
    /// While they find slots there.
    pub most: usize,
}

impl Concurrency {
    /// What is tried if nothing is said.
    pub const LEARNED: Self = Self { first: 4, most: 32 };

    /// So many, or fewer if the server runs fewer at once.
    pub fn at_most(calls: usize) -> Self {
        let calls = calls.max(1);
        Self {
            first: calls,
            most: calls,
        }
    }
}
