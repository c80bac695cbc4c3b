//! A finished debate as a line of lists: small, since all of them are kept.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::DateTime;
use serde_json::{Map, Value, json};

use super::index_line::Line;
use super::interner::{Interned, Interner};
use crate::artifacts::listing::{self, Side};
use crate::digest;
use crate::event::Status;
use crate::job::listed_as;
use crate::plan::DebateLabels;
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;

/// What the status of an unfinished debate is called.
pub(in crate::view) const UNFINISHED: &str = "unfinished";
/// Hex digits of a topic in an address.
const TOPIC: usize = 12;

/// A finished debate. Texts that others have too are shared with them.
#[derive(Debug, Clone)]
pub(in crate::view) struct Row {
    pub(in crate::view) id: ShortId,
    day: Interned,
    name: Arc<str>,
    pub(in crate::view) topic: Interned,
    pub(in crate::view) outcome: Interned,
    /// `None` if it is unfinished.
    status: Option<Status>,
    pub(in crate::view) format: Interned,
    pub(in crate::view) job: Interned,
    sides: Interned,
    /// Who argues against whom, of two.
    pairing: Interned,
    /// The name of who won, or that it is a draw; empty if nobody did.
    pub(in crate::view) won: Interned,
    /// One per line.
    models: Interned,
    /// What the matrix assigned, as JSON; empty if that is not known.
    pub(in crate::view) cell: Interned,
    margin: Option<f64>,
    repetition: u32,
    /// When it ended, in milliseconds; 0 if that is not known.
    pub(in crate::view) ended: i64,
    pub(in crate::view) rehearsal: bool,
}

impl Row {
    /// The row of a line; `None` if that names no directory of a day.
    pub(in crate::view) fn new(line: &Line<'_>, words: &mut Interner) -> Option<Self> {
        let (day, name) = line.path.split_once('/')?;
        let outcome = line
            .outcome
            .as_deref()
            .filter(|it| !it.is_empty())
            .or(line.cause.as_deref())
            .unwrap_or_default();
        let ended = DateTime::parse_from_rfc3339(&line.ended_at);
        let cell = line.cell.as_ref().map(|cell| json!(cell).to_string());
        Some(Self {
            id: ShortId::of(&line.id),
            day: words.keep(day),
            name: name.into(),
            topic: words.keep(&line.topic),
            outcome: words.keep(outcome),
            status: line.status,
            format: words.keep(listed_as(&line.format)),
            job: words.keep(&line.job),
            sides: words.keep(&listing::sides(&line.sides)),
            pairing: words
                .keep(&listing::pairing(&line.sides, line.cell.as_ref()).unwrap_or_default()),
            won: words
                .keep(line.winner.as_ref().map_or("", |won| listing::winner(&line.sides, won))),
            models: words.keep(&models(&line.sides)),
            cell: words.keep(&cell.unwrap_or_default()),
            margin: line.margin,
            repetition: line.repetition,
            ended: ended.map_or(0, |at| at.timestamp_millis()),
            rehearsal: line.rehearsal,
        })
    }

    /// Its place among all, which tells nothing else of it: when it was begun, as its directory's name says, and its id.
    pub(in crate::view) fn key(&self) -> (&str, &str) {
        let begun = self.name.split('_').next().unwrap_or_default();
        (begun, self.id.as_str())
    }

    /// The same as addresses have it.
    pub(in crate::view) fn address(&self) -> String {
        let (begun, id) = self.key();
        format!("{begun}_{id}")
    }

    /// Its directory's day and name, which tell them apart.
    pub(in crate::view) fn place(&self) -> (&str, &str) {
        (&self.day, &self.name)
    }

    pub(in crate::view) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// Its directory.
    pub(in crate::view) fn path(&self, output: &OutputDir) -> PathBuf {
        output.root().join(&*self.day).join(&*self.name)
    }

    /// Whether sides debated.
    pub(in crate::view) fn has_sides(&self) -> bool {
        !self.sides.is_empty()
    }

    /// The models of its sides.
    pub(in crate::view) fn models(&self) -> impl Iterator<Item = &str> {
        self.models.lines()
    }

    /// How it ended, if it has, in a word.
    pub(in crate::view) fn status(&self) -> &'static str {
        self.status.map_or(UNFINISHED, Status::word)
    }

    /// Its topic as addresses have it.
    pub(in crate::view) fn topic_key(&self) -> String {
        digest::of_bytes(self.topic.as_bytes())[..TOPIC].to_owned()
    }

    /// What the matrix assigned; nothing if that is not known.
    pub(in crate::view) fn cell(&self) -> Map<String, Value> {
        serde_json::from_str(&self.cell).unwrap_or_default()
    }

    /// What lists show of it.
    pub(in crate::view) fn shown(&self) -> Value {
        json!({
            "id": self.id.as_str(),
            "key": self.address(),
            "topic": *self.topic,
            "topic_key": self.topic_key(),
            "outcome": *self.outcome,
            "status": self.status(),
            "format": *self.format,
            "job": *self.job,
            "sides": *self.sides,
            "margin": self.margin,
            "rehearsal": self.rehearsal,
            "begun": self.begun(),
        })
    }

    /// To the minute.
    fn begun(&self) -> String {
        let (begun, _) = self.key();
        match begun.split_once('T') {
            Some((day, time)) => {
                format!("{day} {}", time.get(..5).unwrap_or(time).replace('-', ":"))
            }
            None => begun.to_owned(),
        }
    }
}

fn models(sides: &[Side<'_>]) -> String {
    let mut models: Vec<&str> = sides.iter().flat_map(Side::models).collect();
    models.sort_unstable();
    models.dedup();
    models.join("\n")
}

/// Rows as a list shows them, each with what tells it from the others of its job in this list.
pub(in crate::view) fn listed(rows: &[impl AsRef<Row>]) -> Vec<Value> {
    let mut labels = DebateLabels::default();
    let all = || rows.iter().map(|row| -> &Row { row.as_ref() });
    let cells: Vec<Map<String, Value>> = all().map(Row::cell).collect();
    for (row, cell) in all().zip(&cells) {
        labels.take(&row.job, cell, row.repetition);
    }
    let all = all().zip(&cells).map(|(row, cell)| {
        let mut shown = row.shown();
        shown["which"] = json!(labels.words(&row.job, cell, row.repetition, &row.pairing));
        shown
    });
    all.collect()
}

/// A search for rows that have all of its words.
pub(in crate::view) struct Search {
    words: Vec<String>,
    /// The texts of the last row, and whether they have each word: those of one job have most texts in common.
    last: Vec<[Option<(Interned, bool)>; 5]>,
}

impl Search {
    pub(in crate::view) fn of(words: &str) -> Self {
        let words: Vec<String> =
            words.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let last = vec![Default::default(); words.len()];
        Self { words, last }
    }

    pub(in crate::view) fn takes(&mut self, row: &Row) -> bool {
        let mut words = self.words.iter().zip(&mut self.last);
        words.all(|(word, last)| {
            let texts = [&row.topic, &row.outcome, &row.sides, &row.job, &row.format];
            let mut texts = texts.into_iter().zip(last);
            row.id.as_str().starts_with(word.as_str())
                || texts.any(|(text, last)| has(text, word, last))
        })
    }
}

fn has(text: &Interned, word: &str, last: &mut Option<(Interned, bool)>) -> bool {
    match last {
        Some((known, has)) if known.is(text) => *has,
        _ => last.insert((text.clone(), text.has(word))).1,
    }
}
