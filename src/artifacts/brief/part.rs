//! A part of a brief: what it could tell, and how much of that there is room for.

use std::collections::BTreeSet;

use super::by_line;
use crate::text::{self, LEFT_OUT};

/// The mark in place of what begins a line.
const LINE_LEFT_OUT: &str = "\n[…]";

/// What stands together under a label: sentences that may be cut between, or one text that may not.
pub(super) struct Row {
    label: String,
    said: Vec<String>,
    /// The places of its sentences, those first that are told first.
    order: Vec<usize>,
    /// Its first sentence comes after that of each row with a lower rank.
    rank: usize,
    /// What marks that it goes on.
    mark: &'static str,
}

impl Row {
    /// Sentences behind a label, with a mark in place of those that are left out.
    pub(super) fn of(label: String, said: Vec<String>, rank: usize, mark: &'static str) -> Self {
        Self { label, order: (0..said.len()).collect(), said, rank, mark }
    }

    /// What is told whole or not at all.
    pub(super) fn whole(said: String, rank: usize) -> Self {
        Self::of(String::new(), text::if_any(said).into_iter().collect(), rank, "")
    }

    pub(super) fn sentences(&self) -> usize {
        self.said.len()
    }

    /// What is told sentence by sentence.
    pub(super) fn prose(label: String, said: &str, rank: usize) -> Self {
        Self::of(label, by_line::prose(said), rank, LEFT_OUT)
    }

    /// The same, whose sentences are told in the order of these keys.
    pub(super) fn in_order<K: Ord>(mut self, key: impl Fn(usize, &str) -> K) -> Self {
        self.order.sort_by_key(|at| key(*at, &self.said[*at]));
        self
    }

    /// So many of its sentences, in their order, with a mark for what is left out.
    fn begun(&self, sentences: usize) -> String {
        let told = &self.order[..sentences];
        let mark = |said: &str| match self.mark {
            LEFT_OUT if said.starts_with('\n') => LINE_LEFT_OUT,
            mark => mark,
        };
        let shown = self.said.iter().enumerate();
        let shown =
            shown.map(|(at, said)| if told.contains(&at) { said.as_str() } else { mark(said) });
        let mut all: Vec<&str> = shown.filter(|it| !it.is_empty()).collect();
        all.dedup_by(|next, mark| [next, mark].iter().all(|it| it.trim_start() == LEFT_OUT));
        format!("{}{}", self.label, text::separated(all, " "))
    }
}

/// Rows under a heading.
#[derive(Default)]
pub(super) struct Part {
    /// What stands before its rows.
    pub(super) heading: String,
    rows: Vec<Row>,
    /// The row of each sentence, those first that are worth most.
    pub(super) order: Vec<usize>,
    /// Sentences without which none is told.
    least: usize,
    /// Sentences that are told in turn 1.
    early: usize,
    /// Sentences that are told.
    told: usize,
    /// What it is called where it is left out, if that is said, and what its rows are.
    pub(super) name: &'static str,
    noun: Option<&'static str>,
    /// In which turn it begins: in 0 with its least, in 1 with that or what comes early.
    turn: usize,
    /// Sentences that are told in turn 2.
    enough: usize,
}

impl Part {
    /// A list under its name; `noun` is what it lists.
    pub(super) fn list(name: &'static str, noun: &'static str, rows: Vec<Row>) -> Self {
        let least = rows.len().min(2);
        Self { noun: Some(noun), ..Self::of(format!("\n{name}:\n"), name, rows, least) }
    }

    /// A single text.
    pub(super) fn text(heading: String, name: &'static str, row: Row) -> Self {
        Self::of(heading, name, vec![row], 1)
    }

    fn of(heading: String, name: &'static str, rows: Vec<Row>, least: usize) -> Self {
        let sentences = rows.iter().enumerate().flat_map(|(place, row)| {
            (0..row.said.len()).map(move |sentence| (sentence, row.rank, place))
        });
        let mut order: Vec<(usize, usize, usize)> = sentences.collect();
        order.sort_unstable();
        let order = order.into_iter().map(|(.., place)| place).collect();
        Self { heading, rows, order, least, name, turn: 3, enough: usize::MAX, ..Self::default() }
    }

    /// The same, of which less says nothing.
    pub(super) fn from(self, least: usize) -> Self {
        Self { least: least.clamp(1, self.order.len().max(1)), ..self }
    }

    /// The same, of which so much comes in turn 1 and so much in turn 2, and the rest in turn 3.
    pub(super) fn enough(self, [early, enough]: [usize; 2]) -> Self {
        Self { early, enough, ..self }
    }

    /// The same, which begins in this turn, from 0 to 3.
    pub(super) fn in_turn(self, turn: usize) -> Self {
        Self { turn, ..self }
    }

    /// What it tells: a row's sentences behind its label, the rows in their order.
    pub(super) fn shown(&self) -> String {
        self.telling(self.told)
    }

    /// The same, were it to tell so many sentences.
    fn telling(&self, told: usize) -> String {
        let mut sentences = vec![0; self.rows.len()];
        self.order[..told].iter().for_each(|place| sentences[*place] += 1);
        let rows = self.rows.iter().zip(sentences).filter(|(_, sentences)| *sentences > 0);
        match text::separated(rows.map(|(row, sentences)| row.begun(sentences)), "\n") {
            none if none.is_empty() => none,
            // Items of a list stand on lines of their own.
            rows => format!("{}{rows}\n", self.heading).replace(" \n", "\n"),
        }
    }

    fn length(&self, told: usize) -> usize {
        self.telling(told).chars().count()
    }

    /// The sentences that it has told at the end of a turn, if there was room.
    fn due(&self, turn: usize) -> usize {
        let due = match turn {
            _ if turn < self.turn => 0,
            0 => self.least,
            1 => self.least.max(self.early),
            2 => self.enough,
            _ => usize::MAX,
        };
        due.min(self.order.len())
    }

    /// Tells more, up to so many sentences and so many characters in all; says whether the sentences had room. Halving finds how many
    /// had: a debate may have thousands of claims.
    fn grow(&mut self, due: usize, most: usize) -> bool {
        let more: Vec<usize> = (self.least.max(self.told + 1)..=due).collect();
        let fit = more.partition_point(|told| self.length(*told) <= most);
        if let Some(last) = fit.checked_sub(1) {
            self.told = more[last];
        }
        fit == more.len()
    }

    /// Puts a whole text in place of all that a row tells, if it has room; returns the room that is left.
    pub(super) fn tell(&mut self, place: usize, said: String, room: usize) -> Option<usize> {
        let row = &self.rows[place];
        let before = row.begun(row.said.len()).chars().count();
        let left = room.checked_sub(said.chars().count().saturating_sub(before))?;
        self.rows[place].label.clear();
        self.rows[place].said = vec![said];
        Some(left)
    }

    /// Whether nothing of it is left out.
    pub(super) fn is_whole(&self) -> bool {
        self.told == self.order.len()
    }

    /// What is left out of it, by its heading or by its rows.
    pub(super) fn left_out(&self) -> Vec<String> {
        match self.noun {
            _ if self.is_whole() || self.name.is_empty() => Vec::new(),
            _ if self.told == 0 => vec![self.name.to_owned()],
            None => vec![format!("the rest of {}", self.name)],
            Some(noun) => self.rows_left_out(noun),
        }
    }

    /// `2 of 7 reasons`, `the rest of 1 reason`.
    fn rows_left_out(&self, noun: &str) -> Vec<String> {
        let (told, left) = self.order.split_at(self.told);
        let (told, left): (BTreeSet<_>, BTreeSet<_>) =
            (told.iter().collect(), left.iter().collect());
        let (missing, cut) = (left.difference(&told).count(), left.intersection(&told).count());
        let missing = (missing > 0).then(|| some_of(missing, self.rows.len(), noun));
        let cut = (cut > 0).then(|| format!("the rest of {}", text::count(cut as u64, noun)));
        missing.into_iter().chain(cut).collect()
    }
}

/// Tells the parts in their order, turn by turn: the least of those that have begun, then what comes early, then enough, at last all. Ends
/// with what has no room, so that more room never tells less. Returns the rest of it.
pub(super) fn fill(parts: &mut [Part], mut room: usize) -> usize {
    for turn in 0..=3 {
        for part in &mut *parts {
            let before = part.length(part.told);
            let has_room = part.grow(part.due(turn), before + room);
            // A short last sentence may take less than the mark in its place.
            room = (room + before).saturating_sub(part.length(part.told));
            if !has_room {
                return room;
            }
        }
    }
    room
}

/// `2 of 3 reasons`, `all 3 reasons`, `the only reason`.
pub(super) fn some_of(some: usize, all: usize, noun: &str) -> String {
    match some {
        1 if all == 1 => format!("the only {noun}"),
        _ if some == all => format!("all {}", text::count(all as u64, noun)),
        _ => format!("{some} of {all} {noun}s"),
    }
}
