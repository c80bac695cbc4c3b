//! How judges used their scales.

use super::super::charts::histogram;
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::{Piece, Rounding};
use super::{Source, label};
use crate::stats::findings::Distribution;

/// The section: a part for each format.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let all = &source.findings.distributions;
    let mut formats: Vec<&str> = all.iter().map(|d| d.format.as_str()).collect();
    formats.dedup();
    let parts = formats
        .into_iter()
        .enumerate()
        .map(|(n, format)| part(source, format, n + 1))
        .collect();
    let intro = "How often each score was given. Judges who give two scores only, or the same for everything, tell contestants apart badly whatever their agreement.";
    let empty = "No judge gave a score.";
    Section::new("scores", "Scores by criterion", intro, parts, empty)
}

fn part(source: &mut Source<'_>, format: &str, n: usize) -> Figure {
    let findings = source.findings;
    let own: Vec<&Distribution> = findings
        .distributions
        .iter()
        .filter(|d| d.format == format)
        .collect();
    let chart = |(at, d): (usize, &&Distribution)| {
        let given: usize = d.counts.iter().map(|(_, n)| n).sum();
        let desc = format!(
            "{given} scores of {} in {format} debates, by score.",
            d.criterion
        );
        let label = label(&format!("scores-{n}"), at + 1, &d.criterion, &desc);
        histogram::chart(&label, &d.counts, d.scale).map(Chart::fluid)
    };
    let charts = own.iter().enumerate().filter_map(chart).collect();
    let table = table(source, format, &own);
    let caption = format!("Scores given in {format} debates, by criterion.");
    Figure::new(charts, &caption, table).titled(format)
}

fn table(source: &mut Source<'_>, format: &str, own: &[&Distribution]) -> DataTable {
    let title = format!("Scores in {format} debates");
    let columns = ["criterion", "scale", "#score", "#times", "#debates"];
    let mut table = DataTable::new(&title, &columns);
    for d in own {
        let what = format!("{format}: scores of {}", d.criterion);
        let set = source.set(&d.debates, &what);
        for (score, times) in &d.counts {
            table.row(vec![
                Cell::text(&d.criterion),
                scale(d.scale),
                Cell::number(Some(*score), decimals(*score), None),
                Cell::count(*times),
                Cell::debates(set.clone()),
            ]);
        }
    }
    table
}

fn scale(scale: Option<(u8, u8)>) -> Cell {
    match scale {
        None => Cell::number(
            None,
            Rounding::PValue,
            Some("the debates differ in their scales"),
        ),
        Some((low, high)) => Cell::from_pieces(vec![
            Piece::count(low.into()),
            Piece::text("–"),
            Piece::count(high.into()),
        ]),
    }
}

/// Whole scores are shown without decimals.
fn decimals(score: f64) -> Rounding {
    Rounding::Decimals(if score.fract() == 0.0 { 0 } else { 2 })
}
