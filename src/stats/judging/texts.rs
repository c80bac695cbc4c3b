//! Judged texts with their lengths.

use crate::facts::{Facts, Person, Reading};

/// A text, what a judgment gave for it, and how long it is.
pub(in crate::stats) struct Text<'c> {
    pub(in crate::stats) person: &'c Person,
    pub(in crate::stats) reading: &'c Reading,
    /// The natural logarithm of its tokens.
    pub(in crate::stats) length: f64,
    pub(in crate::stats) total: f64,
}

/// The texts of a debate whose scores count: in ballots a statement, otherwise all that someone said.
pub(in crate::stats) fn texts(facts: &Facts) -> impl Iterator<Item = Text<'_>> {
    facts.totals().filter_map(|score| {
        let person = &facts.people[usize::from(score.about)];
        let reading = facts.reading(score);
        let tokens = reading.tokens.map_or(person.tokens, u64::from);
        (tokens > 0 && facts.scores_count(person)).then(|| Text {
            person,
            reading,
            length: (tokens as f64).ln(),
            total: score.value,
        })
    })
}
