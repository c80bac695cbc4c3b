//! The first screen: the amount and the origin of the data.

use super::super::document::{Check, Count};
use super::{Cell, DebateLine, Piece, Source, Unit, count};
use crate::event::Status;
use crate::text::one_line;

/// The name of the report.
pub(crate) fn title(source: &Source<'_>) -> String {
    let counts = &source.findings.counts;
    let debates = count(counts.planned as u64, "debate");
    match counts.topics as u64 {
        0 => format!("Findings from {debates}"),
        topics => format!("Findings from {debates} on {}", count(topics, "topic")),
    }
}

/// What the design allows to be compared.
pub(crate) fn design(source: &Source<'_>) -> Vec<Check> {
    let checks = source.findings.design.iter().map(|check| Check {
        sentence: one_line(&check.sentence),
        bad: check.holds == Some(false),
    });
    checks.collect()
}

/// The counts, with the debates behind them where they are known one by one.
pub(crate) fn counts(source: &mut Source<'_>) -> Vec<Count> {
    let c = &source.findings.counts;
    type Counted = (&'static str, usize, fn(&DebateLine) -> bool);
    let listed: [Counted; 6] = [
        ("done", c.done, |line| line.status == Status::Done),
        ("degraded", c.degraded, |l| l.status == Status::Degraded),
        ("failed", c.failed, |line| line.status == Status::Failed),
        ("with emergency replies", c.emergency, |line| line.emergency),
        ("with fallback models", c.fallback, |line| line.fallback),
        ("rehearsals", c.rehearsals, |line| line.rehearsal),
    ];
    let mut counts: Vec<Count> = Vec::new();
    for (n, (label, number, counted)) in listed.into_iter().enumerate() {
        let debates = source.findings.debates.iter();
        let debates: Vec<usize> = debates.filter(|l| counted(l)).map(|l| l.n).collect();
        // Only a status is a condition of `--where`.
        let condition = [("status", label)];
        let conditions = if n < 3 { &condition[..] } else { &[] };
        let set = source.links.set(debates.into(), label, conditions);
        counts.push(Count {
            label,
            cell: Cell::from(number).linked(set),
            bad: n > 0 && number > 0,
        });
    }
    let plain = [
        ("rehearsals excluded", c.rehearsals_left_out, false),
        ("older plans excluded", c.older_plans_left_out, false),
        ("filtered out", c.filtered_out, false),
        ("damaged files", c.damaged, true),
        ("valid judgments", c.judgments.valid, false),
        ("invalid judgments", c.judgments.invalid, true),
        ("missing judgments", c.judgments.abstained, true),
    ];
    counts.extend(plain.map(|(label, n, bad)| Count {
        label,
        cell: Cell::from(n),
        bad: bad && n > 0,
    }));
    counts
}

/// What the numbers were computed from and how: names and values.
pub(crate) fn provenance(source: &Source<'_>) -> Vec<(&'static str, Cell)> {
    let from = &source.findings.provenance;
    let counts = &source.findings.counts;
    let debaters = vec![
        Piece::count(counts.models),
        Piece::text(" models, judged by "),
        Piece::count(counts.judges),
    ];
    let at = source.findings.generated_at.format("%Y-%m-%d %H:%M:%S UTC");
    let filters = from.filters.join(", ");
    let filters = (!filters.is_empty()).then(|| ("filters", Cell::from(&filters)));
    let before = [
        ("command", Cell::from(&from.command)),
        ("rebut", Cell::from(&from.rebut)),
    ];
    let behind = [
        ("debates of", Cell::from(debaters)),
        ("corpus", Cell::from(&from.corpus)),
        ("seed", Cell::from(vec![Piece::count(from.seed)])),
        ("resamples", Cell::from(from.replicates)),
        (
            "confidence",
            Cell::number(Some(from.confidence), Unit::Share, None),
        ),
        ("computed at", Cell::from(&at.to_string())),
    ];
    before.into_iter().chain(filters).chain(behind).collect()
}
