//! Tokens and times of calls.

use super::super::charts::ranges::{self, Range};
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::Rounding;
use super::{SMALL, Source, label};
use crate::facts::Purpose;
use crate::stats::findings::{Speed, Unit};

const TOKENS: Rounding = Rounding::Unit(Unit::Tokens);
const SECONDS: Rounding = Rounding::Unit(Unit::Seconds);

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let rows = &source.findings.speeds;
    let parts = match rows.is_empty() {
        true => Vec::new(),
        false => vec![part(source, rows)],
    };
    let intro = "By model and purpose: the median, and what nineteen calls in twenty stay below. Times are the model's own, without waiting in line.";
    let empty = match source.findings.counts.planned {
        0 => "No call was answered by a model.",
        _ => "The traces list no calls: they were written before rebut listed them.",
    };
    Section::new("speed", "Tokens and time", intro, parts, empty)
}

fn part(source: &mut Source<'_>, rows: &[Speed]) -> Figure {
    let range = |speed: &Speed, p50: f64, p95: f64| Range {
        name: format!("{} · {}", speed.model, purpose(speed.purpose)),
        p50,
        p95,
    };
    let tokens: Vec<Range> = rows
        .iter()
        .map(|s| range(s, s.tokens_p50, s.tokens_p95))
        .collect();
    let seconds: Vec<Range> = rows
        .iter()
        .map(|s| range(s, s.seconds_p50, s.seconds_p95))
        .collect();
    let desc = "The median and the 95th percentile of each model and purpose, joined by a line.";
    let both = [
        (1, "Tokens of a reply", tokens, TOKENS),
        (2, "Seconds of a call", seconds, SECONDS),
    ];
    let charts = both.into_iter().filter_map(|(n, title, rows, form)| {
        let svg = ranges::chart(&label("speed", n, title, desc), &rows, form)?;
        Some(Chart::fluid(svg).titled(title))
    });
    let charts = charts.collect();
    let caption = "Tokens of a reply and seconds of a call: the median and the 95th percentile.";
    Figure::new(charts, caption, table(source, rows))
        .with_key("plain", "median")
        .with_key("second", "95th percentile")
}

fn table(source: &mut Source<'_>, rows: &[Speed]) -> DataTable {
    let columns = [
        "model",
        "purpose",
        "#calls",
        "#tokens p50",
        "#tokens p95",
        "#seconds p50",
        "#seconds p95",
        "#debates",
    ];
    let mut table = DataTable::new("Tokens and seconds of calls", &columns);
    for speed in rows {
        let word = purpose(speed.purpose);
        let what = format!("calls of {} to {word}", speed.model);
        let set = source.set(&speed.debates, &what);
        table.row_that_is(
            speed.calls < SMALL,
            vec![
                Cell::text(&speed.model),
                Cell::text(word),
                Cell::count(speed.calls),
                Cell::number(Some(speed.tokens_p50), TOKENS, None),
                Cell::number(Some(speed.tokens_p95), TOKENS, None),
                Cell::number(Some(speed.seconds_p50), SECONDS, None),
                Cell::number(Some(speed.seconds_p95), SECONDS, None),
                Cell::debates(set),
            ],
        );
    }
    table
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Speak => "speak",
        Purpose::Judge => "judge",
        Purpose::Clerk => "clerk",
        Purpose::Comment => "comments",
        Purpose::Embed => "embed",
    }
}
