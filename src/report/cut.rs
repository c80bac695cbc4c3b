//! Tables that are too long for a page.

use std::collections::BTreeSet;

use super::document::{Document, Figure};
use crate::text::grouped;

/// Sections whose lists are bounded where they are made.
const BOUNDED: [&str; 2] = ["debates", "damaged"];

impl Document {
    /// The same with tables of at most so many rows; this command has them all.
    pub(super) fn with_rows(mut self, most: usize, command: &str) -> Self {
        let boards = std::iter::once(&mut self.leaderboard);
        let sections =
            boards.chain(&mut self.sections).filter(|section| !BOUNDED.contains(&section.id));
        let figures = sections.flat_map(|section| &mut section.figures);
        figures.for_each(|figure| figure.keep_rows(most, command));
        self
    }

    /// The lists of debates that its numbers refer to.
    pub(super) fn sets_referred_to(&self) -> BTreeSet<usize> {
        let sections = std::iter::once(&self.leaderboard).chain(&self.sections);
        let figures = sections.flat_map(|section| &section.figures);
        let cells = figures.flat_map(|figure| &figure.rows).flat_map(|row| &row.cells);
        let counts = self.counts.iter().map(|count| &count.cell);
        let sets = cells.chain(counts).filter_map(|cell| cell.set.as_ref());
        sets.map(|set| set.set).collect()
    }
}

impl Figure {
    /// Leaves out the rows behind the first ones, and says so. Tables of groups are cut where they are made, by the group.
    fn keep_rows(&mut self, most: usize, command: &str) {
        let all = self.rows.len();
        if all <= most || self.rows.iter().any(|row| row.heading) {
            return;
        }
        self.rows.truncate(most);
        let notes = self.rows.iter().flat_map(|row| &row.cells);
        let needed = notes.filter_map(|cell| cell.note).max().unwrap_or(0);
        self.reasons.truncate(needed);
        let part = format!("the first {most} of {} rows", grouped(all));
        let note = format!("Shown: {part}. All rows: `{command}`.");
        self.part = Some(part);
        self.notes.push(note);
    }
}
