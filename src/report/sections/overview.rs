//! The first screen: how much there is, where it comes from, and the leaderboard.

use super::super::document::{Cell, Count, Figure};
use super::super::links::Conditions;
use super::super::number::{Piece, Rounding};
use super::{Source, leaderboards};
use crate::event::Status;
use crate::stats::findings::DebateLine;

/// The name of the report.
pub(crate) fn title(source: &Source<'_>) -> String {
    let counts = &source.findings.counts;
    let debates = plural(counts.planned, "debate");
    match counts.topics {
        0 => format!("Findings from {debates}"),
        topics => format!("Findings from {debates} on {}", plural(topics, "topic")),
    }
}

fn plural(n: usize, noun: &str) -> String {
    crate::text::count(n as u64, noun)
}

/// The counts, with the debates behind them where they are known one by one.
pub(crate) fn counts(source: &mut Source<'_>) -> Vec<Count> {
    let counts = &source.findings.counts;
    let judgments = counts.judgments;
    let mut listed = Vec::new();
    for status in [Status::Done, Status::Degraded, Status::Failed] {
        let n = match status {
            Status::Done => counts.done,
            Status::Degraded => counts.degraded,
            Status::Failed => counts.failed,
        };
        let conditions = [("status", status.word())];
        let of = |line: &DebateLine| line.status == status;
        let bad = status != Status::Done;
        listed.push(one(source, (status.word(), n, bad), &conditions, of));
    }
    let emergency = ("with emergency replies", counts.emergency, true);
    listed.push(one(source, emergency, &[], |line| line.emergency));
    let fallback = ("with fallback models", counts.fallback, true);
    listed.push(one(source, fallback, &[], |line| line.fallback));
    let rehearsals = ("rehearsals", counts.rehearsals, true);
    listed.push(one(source, rehearsals, &[], |line| line.rehearsal));
    let plain = [
        ("rehearsals left out", counts.rehearsals_left_out, false),
        ("filtered out", counts.filtered_out, false),
        ("damaged files", counts.damaged, true),
        ("valid judgments", judgments.valid, false),
        ("invalid judgments", judgments.invalid, true),
        ("missing judgments", judgments.abstained, true),
    ];
    let plain = plain.map(|(label, n, bad)| count(label, Cell::count(n), bad && n > 0));
    listed.into_iter().chain(plain).collect()
}

/// A count with its name, whether it is bad that there are any, and the debates that it counts.
fn one(
    source: &mut Source<'_>,
    (label, n, bad): (&str, usize, bool),
    conditions: Conditions<'_>,
    counts: impl Fn(&DebateLine) -> bool,
) -> Count {
    let debates = source.findings.debates.iter();
    let debates: Vec<usize> = debates
        .filter(|line| counts(line))
        .map(|line| line.n)
        .collect();
    let set = source.links.set(&debates, label, conditions);
    count(label, Cell::count(n).on(set), bad && n > 0)
}

fn count(label: &str, cell: Cell, bad: bool) -> Count {
    Count {
        label: label.to_owned(),
        cell,
        bad,
    }
}

/// What the numbers were computed from and how: names and values.
pub(crate) fn provenance(source: &Source<'_>) -> Vec<(String, Cell)> {
    let from = &source.findings.provenance;
    let counts = &source.findings.counts;
    let mut rows = vec![
        ("command", Cell::text(&from.command)),
        ("rebut", Cell::text(&from.rebut)),
        (
            "debates of",
            Cell::from_pieces(vec![
                Piece::count(counts.models),
                Piece::text(" models, judged by "),
                Piece::count(counts.judges),
            ]),
        ),
        ("corpus", Cell::text(&from.corpus)),
        ("seed", Cell::from_pieces(vec![Piece::exact(from.seed)])),
        ("resamples", Cell::count(from.replicates)),
        (
            "confidence",
            Cell::number(
                Some(from.confidence),
                Rounding::Unit(crate::stats::findings::Unit::Share),
                None,
            ),
        ),
        (
            "computed at",
            Cell::text(
                &source
                    .findings
                    .generated_at
                    .format("%Y-%m-%d %H:%M:%S UTC")
                    .to_string(),
            ),
        ),
    ];
    if !from.filters.is_empty() {
        rows.insert(2, ("filters", Cell::text(&from.filters.join(", "))));
    }
    rows.into_iter()
        .map(|(name, cell)| (name.to_owned(), cell))
        .collect()
}

/// The leaderboard of the first screen: models by strength, or what comes nearest to it.
pub(crate) fn leaderboard(source: &mut Source<'_>) -> Result<Figure, String> {
    leaderboards::first(source)
}
