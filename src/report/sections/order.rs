//! Whether speaking first, being named first or being read first is worth something.

use super::super::charts::whiskers::{Axis, Whisker};
use super::super::document::{Cell, DataTable, Figure, Section};
use super::super::number::Rounding;
use super::{SMALL, Source, label, or_all, whiskered};
use crate::stats::findings::{Effect, OrderBias, StrengthBoard, Unit};

const SHARE: Rounding = Rounding::Unit(Unit::Share);
const LOGITS: Rounding = Rounding::Unit(Unit::Logits);

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let strengths = &source.findings.leaderboards.strengths;
    let effects = strengths.iter().find(|board| board.of == "model");
    let effects = effects
        .or(strengths.first())
        .filter(|board| board.comparisons > 0);
    let mut parts: Vec<Figure> = effects
        .map(|board| advantages(source, board))
        .into_iter()
        .collect();
    if !source.findings.judges.order.is_empty() {
        parts.push(reading(source));
    }
    let intro = "An advantage that has nothing to do with what was said. Where an interval lies off the line, compare only debates in which everybody had both places.";
    let empty = "No debate between two contestants was judged.";
    Section::new("order", "Order and side", intro, parts, empty)
}

fn advantages(source: &Source<'_>, board: &StrengthBoard) -> Figure {
    let effects = [
        ("speaking first", &board.order),
        ("being listed first", &board.side),
    ];
    let whiskers = effects.map(|(name, effect)| {
        let whisker = Whisker {
            name: name.to_owned(),
            value: effect.value,
            low: effect.low,
            high: effect.high,
            ..Whisker::default()
        };
        whisker.told_from(0.0)
    });
    let title = "What a place is worth to a debater";
    let desc = format!(
        "Log-odds of winning with {} intervals around a line at zero.",
        source.confidence()
    );
    let axis = Axis {
        form: LOGITS,
        reference: Some(0.0),
        ends: None,
    };
    let label = label("order", 1, title, &desc);
    let column = format!("#log-odds [{}]", source.confidence());
    let mut table = DataTable::new(title, &["place", &column, "#an equal's chance"]);
    for (name, effect) in effects {
        table.row(advantage(name, effect));
    }
    let caption = format!(
        "What a place adds to the log-odds of winning, from {}, with {} intervals; 0 is nothing.",
        crate::text::count(board.comparisons as u64, "debate"),
        source.confidence()
    );
    whiskered(&label, &whiskers, axis, &caption, table).with_keys_of(
        &whiskers,
        "may be zero",
        "clearly not zero",
    )
}

fn advantage(name: &str, effect: &Effect) -> Vec<Cell> {
    let why = effect.reason.as_deref();
    vec![
        Cell::text(name),
        Cell::interval(effect.value, effect.low.zip(effect.high), LOGITS, why),
        Cell::number(effect.probability, SHARE, why),
    ]
}

fn reading(source: &mut Source<'_>) -> Figure {
    let findings = source.findings;
    let rows = &findings.judges.order;
    let title = "What being read first is worth with judges";
    let desc = format!(
        "Shares with {} intervals around a line at one half.",
        source.confidence()
    );
    let whiskers: Vec<Whisker> = rows.iter().map(first_slot).collect();
    let axis = Axis {
        form: SHARE,
        reference: Some(0.5),
        ends: Some((0.0, 1.0)),
    };
    let label = label("order", 2, title, &desc);
    let first = format!("#read first wins [{}]", source.confidence());
    let alike = format!("#both orders alike [{}]", source.confidence());
    let columns = [
        "judge", "format", &first, "#n", &alike, "#pairs", "#debates",
    ];
    let mut table = DataTable::new(title, &columns);
    for row in rows {
        let cells = order_row(source, row);
        table.row_that_is(row.first_slot.n < SMALL, cells);
    }
    let caption = "The share of decided judgments in which the contestant that the judge read first has the higher total. One half is no bias.";
    whiskered(&label, &whiskers, axis, caption, table).with_keys_of(
        &whiskers,
        "may be one half",
        "clearly not one half",
    )
}

fn first_slot(row: &OrderBias) -> Whisker {
    let name = format!("{} · {}", or_all(row.judge.as_deref()), row.format);
    Whisker::from_estimate(name, &row.first_slot, SMALL).told_from(0.5)
}

fn order_row(source: &mut Source<'_>, row: &OrderBias) -> Vec<Cell> {
    let judge = or_all(row.judge.as_deref());
    let what = format!("{}: reading order of {judge}", row.format);
    let set = source.set(&row.debates, &what);
    vec![
        Cell::text(judge),
        Cell::text(&row.format),
        Cell::estimate(&row.first_slot, SHARE),
        Cell::count(row.first_slot.n),
        Cell::estimate(&row.consistent, SHARE),
        Cell::count(row.consistent.n),
        Cell::debates(set),
    ]
}
