//! A part of a brief: what it could tell, and how much of that there is room for.

use std::collections::BTreeSet;

use super::by_line::by_line;
use crate::text::{self, LEFT_OUT};

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
        Self::of(String::new(), vec![said], rank, "")
    }

    /// What is told sentence by sentence. What somebody objects comes first, but for what speaks for whoever is ahead.
    pub(super) fn prose(label: String, said: &str, rank: usize) -> Self {
        let is_somebodys = !label.is_empty();
        let row = Self::of(label, text::split_sentences(&text::unmarked(said)), rank, LEFT_OUT);
        let objects = |said: &String| said.starts_with("But ") || said.starts_with("However");
        if is_somebodys { row.telling_soon(usize::from(rank == 0), objects) } else { row }
    }

    /// The same, of a text that keeps its paragraphs and lists apart.
    pub(super) fn text(said: &str) -> Self {
        Self::of(String::new(), by_line(said), 0, LEFT_OUT)
    }

    /// The same, which tells its first sentence of a kind before others, from this one on.
    pub(super) fn telling_soon(mut self, from: usize, is_it: impl Fn(&String) -> bool) -> Self {
        if let Some(place) = self.said.iter().position(is_it).filter(|place| *place > from) {
            self.order.remove(place);
            self.order.insert(from, place);
        }
        self
    }

    /// Its first sentence.
    pub(super) fn begins(&self) -> &str {
        self.said.first().map_or("", String::as_str)
    }

    /// The same without it.
    pub(super) fn without_first(mut self) -> Self {
        let said = self.said.split_off(self.said.len().min(1));
        Self::of(self.label, said, self.rank, self.mark)
    }

    /// So many of its sentences, in their order, with a mark for what is left out.
    fn begun(&self, sentences: usize) -> String {
        let told = &self.order[..sentences];
        let shown = self.said.iter().enumerate();
        let shown =
            shown.map(|(at, said)| if told.contains(&at) { said.as_str() } else { self.mark });
        let mut all: Vec<&str> = shown.filter(|it| !it.is_empty()).collect();
        // A text may have such a mark of its own.
        all.dedup_by(|next, mark| *next == LEFT_OUT && mark.trim_start() == LEFT_OUT);
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
    order: Vec<usize>,
    /// Sentences without which none is told.
    least: usize,
    /// Sentences that are told.
    told: usize,
    /// What it is called where it is left out, and what its rows are.
    pub(super) name: &'static str,
    noun: Option<&'static str>,
    /// What it lacks even where it is told whole.
    lacks: Option<&'static str>,
    /// If it takes its least before others take anything: in which turn, counted from 1.
    turn: usize,
    /// The part of the room that it may take before the others had theirs.
    share: usize,
    /// Whether it gets more than its share only after all others.
    is_late: bool,
    /// Whether it gets more than its least in any case: a part for which there is no room would tell the same.
    pub(super) grows: bool,
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
        Self { heading, rows, order, least, name, share: 3, ..Self::default() }
    }

    /// The same, which may take so much of the room at first: all of it, half, a third.
    pub(super) fn sharing(self, share: usize) -> Self {
        Self { share, ..self }
    }

    /// The same, which has more than its share only if the others leave room.
    pub(super) fn late(self, share: usize) -> Self {
        Self { share, is_late: true, ..self }
    }

    /// The same, of which less says nothing.
    pub(super) fn from(self, least: usize) -> Self {
        Self { least: least.clamp(1, self.order.len().max(1)), ..self }
    }

    /// The same without what this names.
    pub(super) fn lacking(self, lacks: Option<&'static str>) -> Self {
        Self { lacks, ..self }
    }

    /// The same, of which the least comes in this turn before all else: only where that of earlier turns had room.
    pub(super) fn in_turn(self, turn: usize) -> Self {
        Self { turn, ..self }
    }

    /// Leaves out rows that stand elsewhere; returns the room that they took.
    pub(super) fn forget(&mut self, said: &[String]) -> usize {
        let before = self.length(self.told);
        let is_told =
            |place: &usize| self.rows[*place].said.first().is_some_and(|it| said.contains(it));
        let within = |n: usize| self.order[..n].iter().filter(|place| is_told(place)).count();
        let [least, told] = [self.least.min(self.order.len()), self.told].map(|n| n - within(n));
        if within(self.order.len()) > 0 && !self.heading.contains(" the other") {
            self.heading = self.heading.replacen(" the", " the other", 1);
        }
        let order = self.order.iter().copied().filter(|place| !is_told(place)).collect();
        (self.least, self.told, self.order) = (least, told, order);
        before.saturating_sub(self.length(told))
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

    /// Characters that it takes in any case, if it comes before all else.
    pub(super) fn least(&self) -> usize {
        if self.turn > 0 { self.length(self.least.min(self.order.len())) } else { 0 }
    }

    /// Tells more, or only its least, up to so many characters in all. Halving finds how much: a debate may have thousands of claims.
    fn grow(&mut self, is_least: bool, most: usize) {
        let all = if is_least { self.least.min(self.order.len()) } else { self.order.len() };
        let more: Vec<usize> = (self.least.max(self.told + 1)..=all).collect();
        let fit = more.partition_point(|told| self.length(*told) <= most);
        if let Some(last) = fit.checked_sub(1) {
            self.told = more[last];
        }
    }

    /// The places of its rows, what is worth most first.
    pub(super) fn by_worth(&self) -> Vec<usize> {
        self.order.clone()
    }

    /// What a row says.
    pub(super) fn said(&self, place: usize) -> &str {
        &self.rows[place].said[0]
    }

    /// Puts another text into a row.
    pub(super) fn replace(&mut self, place: usize, said: String) {
        self.rows[place].said = vec![said];
    }

    /// Whether nothing of it is left out.
    pub(super) fn is_whole(&self) -> bool {
        self.told == self.order.len()
    }

    /// What is left out of it, by its heading or by its rows.
    pub(super) fn left_out(&self) -> Vec<String> {
        match self.noun {
            _ if self.told == 0 && !self.order.is_empty() => vec![self.name.to_owned()],
            _ if self.is_whole() => self.lacks.into_iter().map(str::to_owned).collect(),
            None => vec![format!("the rest of {}", self.name)],
            Some(noun) => self.rows_left_out(noun),
        }
    }

    /// `2 of 7 reasons`, `the end of 1 reason`.
    fn rows_left_out(&self, noun: &str) -> Vec<String> {
        let (told, left) = self.order.split_at(self.told);
        let (told, left): (BTreeSet<_>, BTreeSet<_>) =
            (told.iter().collect(), left.iter().collect());
        let (missing, cut) = (left.difference(&told).count(), left.intersection(&told).count());
        let missing = (missing > 0).then(|| some_of(missing, self.rows.len(), noun));
        let cut = (cut > 0).then(|| format!("the end of {}", text::count(cut as u64, noun)));
        missing.into_iter().chain(cut).collect()
    }
}

/// Gives the least to parts that come first, then to each its share, then what is left, late parts last; returns the rest. Lists
/// get no more than their least while one of those that come first has no room: with more room, they would say less.
pub(super) fn fill(parts: &mut [Part], mut room: usize) -> usize {
    let mut give = |part: &mut Part, is_least: bool, share: usize| {
        let before = part.length(part.told);
        part.grow(is_least, before + room / share);
        // A short last sentence may take less than the mark in its place.
        room = (room + before).saturating_sub(part.length(part.told));
    };
    for turn in 1..=3 {
        parts.iter_mut().filter(|part| part.turn == turn).for_each(|part| give(part, true, 1));
    }
    let has_room = parts.iter().all(|it| it.turn == 0 || it.told >= it.least.min(it.order.len()));
    let may_grow = |part: &&mut Part| has_room || part.noun.is_none() || part.grows;
    for part in parts.iter_mut().filter(may_grow) {
        let share = part.share;
        give(part, false, share);
    }
    let (late, others): (Vec<&mut Part>, Vec<_>) =
        parts.iter_mut().filter(may_grow).partition(|part| part.is_late);
    others.into_iter().chain(late).for_each(|part| give(part, false, 1));
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
