//! Whether speaking first, being listed first or being read first is worth something.

use super::super::charts::whiskers::{Axis, Whisker};
use super::super::document::{Cell, Figure, Section, cells};
use super::{Source, or_all, small};
use crate::stats::findings::{OrderBias, StrengthBoard, Unit};

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let boards = source.findings.leaderboards.strengths.iter();
    let boards: Vec<&StrengthBoard> = boards.filter(|board| board.comparisons > 0).collect();
    let mut figures = Vec::new();
    if !boards.is_empty() {
        figures.push(advantages(source, &boards));
    }
    let order = &source.findings.judges.order;
    if !order.is_empty() {
        figures.push(reading_order(source, order));
    }
    let intro = "Advantages that have nothing to do with what was said. Where an interval excludes the line, compare only debates in which everyone took both places.";
    let empty = "No debate between two contestants was judged.";
    Section::new("order", "Order and side", intro, figures, empty)
}

fn advantages(source: &mut Source<'_>, boards: &[&StrengthBoard]) -> Figure {
    let columns = "place|strengths by|±log-odds|#win chance of an equal|#compared debates";
    let mut figure = Figure::new("What a place is worth to a debater", columns);
    let mut whiskers = Vec::new();
    for board in boards {
        for (place, effect) in [
            ("speaking first", &board.order),
            ("being listed first", &board.side),
        ] {
            let why = effect.reason.as_deref();
            let ends = effect.low.zip(effect.high);
            let cells = cells![
                place,
                &board.of,
                Cell::interval(effect.value, ends, Unit::Logits, why),
                Cell::number(effect.probability, Unit::Share, why),
                board.comparisons,
            ];
            figure.row(false, cells);
            whiskers.push(Whisker {
                name: format!("{place} · by {}", board.of),
                value: effect.value,
                low: effect.low,
                high: effect.high,
                ..Whisker::default()
            });
        }
    }
    let caption = "What a place adds to the log-odds of winning, with 95% intervals; 0 is nothing.";
    source.whiskers(figure, &whiskers, Axis::around(0.0, Unit::Logits), caption)
}

fn reading_order<'f>(source: &mut Source<'f>, rows: &'f [OrderBias]) -> Figure {
    let columns = "judge|format|±first read wins|#n|±both orders agree|#pairs|#debates";
    let mut figure = Figure::new("What being read first is worth with judges", columns);
    let mut whiskers = Vec::new();
    for row in rows {
        let judge = or_all(row.judge.as_deref());
        let debates = format!("{}: reading order of {judge}", row.format);
        let cells = cells![
            judge,
            &row.format,
            Cell::estimate(&row.first_slot, Unit::Share),
            row.first_slot.n,
            Cell::estimate(&row.consistent, Unit::Share),
            row.consistent.n,
            source.debates(&row.debates, &debates),
        ];
        figure.row(small(&row.first_slot), cells);
        let name = format!("{judge} · {}", row.format);
        whiskers.push(Whisker::from_estimate(name, &row.first_slot));
    }
    let axis = Axis {
        ends: Some((0.0, 1.0)),
        ..Axis::around(0.5, Unit::Share)
    };
    let caption = "The share of decided judgments in which the contestant read first has the higher total. One half is no bias.";
    source.whiskers(figure, &whiskers, axis, caption)
}
