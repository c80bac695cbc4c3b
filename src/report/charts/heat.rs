//! A matrix of values, each coloured by its level, with its n below; hatched if n is small.

use super::whiskers::SMALL;
use crate::html::svg::{Anchor, Label, Svg};
use crate::stats::findings::Unit;
use crate::stats::number::number;

/// Pixels of a cell.
const CELL: (f64, f64) = (62.0, 44.0);
/// Pixels between cells.
const GAP: f64 = 2.0;
/// Pixels of the names of rows.
const NAMES: f64 = 168.0;
/// Characters of a row's name.
const ROW_CHARS: usize = 24;
/// Characters of a column's name.
const COLUMN_CHARS: usize = 9;
/// Pixels of the names of columns.
const HEAD: f64 = 22.0;
/// Levels of colour.
pub(crate) const LEVELS: usize = 9;

/// A value of a matrix.
#[derive(Debug, Clone)]
pub(crate) struct HeatCell {
    /// The value, as it is shown.
    pub shown: String,
    /// What it stands on.
    pub n: usize,
    /// From 0 to 1, where it stands on the scale of colours.
    pub level: f64,
    /// Whether it is of one's own, and marked so.
    pub own: bool,
}

/// A matrix.
#[derive(Debug, Clone)]
pub(crate) struct Heat {
    /// Names of its rows.
    pub rows: Vec<String>,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its values, a row after the other; `None` if there is none.
    pub cells: Vec<Vec<Option<HeatCell>>>,
    /// Whether the scale of colours has a middle that says "equal".
    pub diverging: bool,
}

impl HeatCell {
    /// A share.
    pub(crate) fn share(value: f64, n: usize) -> Self {
        Self { shown: number(Unit::Share, value), n, level: value, own: false }
    }
}

/// The chart; `None` if no cell has a value.
pub(crate) fn chart(label: &Label, heat: &Heat) -> Option<String> {
    heat.cells.iter().flatten().flatten().next()?;
    let mut svg = Svg::fixed();
    for (j, name) in heat.columns.iter().enumerate() {
        let at = (left(j) + CELL.0 / 2.0, 14.0);
        svg.titled("tick", at, Anchor::Middle, name, COLUMN_CHARS);
    }
    for (i, (name, cells)) in heat.rows.iter().zip(&heat.cells).enumerate() {
        let at = (0.0, top(i) + CELL.1 / 2.0 + 4.0);
        svg.titled("name", at, Anchor::Start, name, ROW_CHARS);
        for (j, cell) in cells.iter().enumerate() {
            draw(&mut svg, (left(j), top(i)), cell.as_ref(), heat.diverging);
        }
    }
    let width = left(heat.columns.len());
    Some(svg.finish(label, Some(width), top(heat.rows.len())))
}

fn left(column: usize) -> f64 {
    NAMES + (CELL.0 + GAP) * column as f64
}

fn top(row: usize) -> f64 {
    HEAD + (CELL.1 + GAP) * row as f64
}

fn draw(svg: &mut Svg, (x, y): (f64, f64), cell: Option<&HeatCell>, diverging: bool) {
    let Some(cell) = cell else {
        svg.rect("cell none", (x, y), CELL);
        return;
    };
    let level = level(cell.level);
    let palette = if diverging { 'd' } else { 's' };
    svg.rect(&format!("cell {palette}{level}"), (x, y), CELL);
    if cell.n < SMALL {
        hatch(svg, &format!("hatch {palette}{level}-ink"), (x, y));
    }
    if cell.own {
        svg.rect("own", (x + 2.0, y + 2.0), (CELL.0 - 4.0, CELL.1 - 4.0));
    }
    let middle = x + CELL.0 / 2.0;
    let ink = format!("in {palette}{level}-ink");
    svg.text(&ink, (middle, y + 20.0), Anchor::Middle, &cell.shown);
    let n = format!("n={}", cell.n);
    svg.text(&format!("{ink} n"), (middle, y + 36.0), Anchor::Middle, &n);
}

/// The level of colour. Two that are equally far from the middle are equally far on either side, as a win rate and its mirror.
fn level(along: f64) -> usize {
    let middle = (LEVELS / 2) as f64;
    let from_middle = (along.clamp(0.0, 1.0) - 0.5) * 2.0 * middle;
    (middle + from_middle.round()) as usize
}

/// Diagonal lines over a cell, none of them outside of it.
fn hatch(svg: &mut Svg, class: &str, (x, y): (f64, f64)) {
    let (width, height) = CELL;
    let ends = (1..).map(|n| 8.0 * f64::from(n)).take_while(|at| *at < width + height);
    let lines = ends.map(|at| {
        let from = (x + at.min(width), y + (at - width).max(0.0));
        let to = (x + (at - height).max(0.0), y + at.min(height));
        [from, to]
    });
    svg.lines(class, lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_win_rate_and_its_mirror_are_equally_far_from_even() {
        for wins in 0..=16 {
            let [share, mirror] = [f64::from(wins) / 16.0, f64::from(16 - wins) / 16.0];
            assert_eq!(level(share) + level(mirror), LEVELS - 1, "{share}");
        }
        assert_eq!([0.0, 0.5, 1.0].map(level), [0, 4, 8]);
    }
}
