//! The first screen: the amount and the origin of the data.

use super::super::document::{Check, Count};
use super::{Cell, DebateLine, Piece, Source, Unit, count};
use crate::event::Status;
use crate::stats::findings::Counts;
use crate::text::one_line;

/// How to read the intervals of findings, and their p.
const KEY: &str = "In brackets: 95% intervals, clustered by topic, each for one comparison, and for further topics with the same models and judges";
const KEY_OF_P: &str = "p (Holm) is corrected for all pairs of its measure";

/// The name of the report.
pub(crate) fn title(source: &Source<'_>) -> String {
    let counts = &source.findings.counts;
    let debates = debates(counts);
    let what = match counts.are_rehearsals() {
        true => "Rehearsal of",
        false => "Findings from",
    };
    match counts.topics as u64 {
        0 => format!("{what} {debates}"),
        topics => format!("{what} {debates} on {}", count(topics, "topic")),
    }
}

/// `43 debates and 88 controls`.
fn debates(counts: &Counts) -> String {
    let debates = count((counts.counted - counts.controls) as u64, "debate");
    match counts.controls as u64 {
        0 => debates,
        controls => format!("{debates} and {}", count(controls, "control")),
    }
}

/// The heading over the key findings.
pub(crate) fn heading(source: &Source<'_>) -> &'static str {
    match source.findings.counts.are_rehearsals() {
        true => "What findings would look like",
        false => "Key findings",
    }
}

/// The findings, and how to read their intervals where they have some.
pub(crate) fn with_key(mut findings: Vec<String>) -> Vec<String> {
    let has = |words| findings.iter().any(|sentence| sentence.contains(words));
    let key = match (has(" ["), has(" (Holm)")) {
        (true, true) => format!("{KEY}; {KEY_OF_P}."),
        (true, false) => format!("{KEY}."),
        (false, _) => return findings,
    };
    findings.push(key);
    findings
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
    let (of_all, of_counted) = (of_all(c), format!("of {} counted", c.counted));
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
        let of = if n < 3 { &of_all } else { &of_counted };
        counts.push(Count {
            label,
            cell: of_number(number, of).linked(set),
            bad: n > 0 && number > 0,
        });
    }
    counts.extend(plain(c, &of_all).map(|(label, n, of, bad)| Count {
        label,
        cell: of_number(n, &of),
        bad: bad && n > 0,
    }));
    counts
}

/// `480 of 490 planned`.
fn of_number(number: usize, of: &str) -> Cell {
    Cell::from(vec![Piece::count(number), Piece::text(&format!(" {of}"))])
}

/// Of how many debates those are that ended in some way.
fn of_all(c: &Counts) -> String {
    match c.planned {
        Some(planned) => format!("of {planned} planned"),
        None => format!("of {} counted", c.counted),
    }
}

/// The counts of which no single debates are known: a label, the number, of how many, and whether it is bad if above 0.
fn plain(c: &Counts, of_all: &str) -> impl Iterator<Item = (&'static str, usize, String, bool)> {
    let left_out = c.rehearsals_left_out + c.older_plans_left_out + c.filtered_out;
    let found = format!("of {} found", c.counted + left_out);
    let files = format!("of {} read", c.counted + left_out + c.copies + c.damaged);
    let judgments = format!("of {} requested", c.judgments.planned);
    let not_ended = c.planned.is_some().then(|| {
        [
            ("unfinished", c.unfinished, of_all.to_owned(), true),
            ("not started", c.not_started, of_all.to_owned(), true),
        ]
    });
    let others = [
        (
            "rehearsals excluded",
            c.rehearsals_left_out,
            found.clone(),
            false,
        ),
        (
            "older plans excluded",
            c.older_plans_left_out,
            found.clone(),
            false,
        ),
        ("filtered out", c.filtered_out, found, false),
        ("damaged files", c.damaged, files, true),
        (
            "valid judgments",
            c.judgments.valid,
            judgments.clone(),
            false,
        ),
        (
            "invalid judgments",
            c.judgments.invalid,
            judgments.clone(),
            true,
        ),
        ("missing judgments", c.judgments.abstained, judgments, true),
    ];
    not_ended.into_iter().flatten().chain(others)
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
