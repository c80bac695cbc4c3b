//! A table in aligned columns.

use super::super::document::{Cell, Column, DataRow, Figure};
use crate::text::lines::{broken, wrapped};

/// Characters that a column of text keeps where a table is too wide.
const LEAST: usize = 12;
/// Columns that stay however narrow the table is.
const FEWEST: usize = 4;
/// What is between columns.
const GAP: &str = "  ";

/// The lines of a figure's table, of this many characters where the columns can give way.
pub(super) fn table(figure: &Figure, width: usize) -> Vec<String> {
    let aligned = |row: &DataRow| -> Vec<Aligned> {
        let cells =
            row.cells.iter().zip(&figure.columns).map(|(cell, column)| Aligned::new(cell, column));
        cells.collect()
    };
    let rows: Vec<(&DataRow, Vec<Aligned>)> =
        figure.rows.iter().map(|row| (row, aligned(row))).collect();
    let cells = || rows.iter().filter(|(row, _)| !row.heading);
    let columns = figure.columns.iter().enumerate();
    let layouts = columns
        .map(|(n, column)| Layout::new(column, cells().filter_map(|(_, cells)| cells.get(n))));
    let layouts = fitting(layouts.collect(), width);
    let titles = layouts.iter().map(|layout| layout.title()).collect();
    let mut lines = side_by_side(titles, &layouts, true);
    for (row, cells) in &rows {
        lines.extend(if row.heading {
            wrapped(&cells[0].lead, "", "  ", width)
        } else {
            let cells = cells.iter().zip(&layouts).map(|(cell, layout)| layout.cell(cell));
            side_by_side(cells.collect(), &layouts, false)
        });
    }
    lines.extend(left_out(&figure.columns[layouts.len()..], width));
    lines
}

/// Names the columns for which there is no room.
fn left_out(columns: &[Column], width: usize) -> Vec<String> {
    let titles: Vec<&str> = columns
        .iter()
        .map(|column| column.title.as_str())
        .filter(|title| *title != COUNT)
        .collect();
    if titles.is_empty() {
        return Vec::new();
    }
    wrapped(&format!("(no room for: {})", titles.join(", ")), "", "  ", width)
}

/// A cell as it is aligned: a number before its interval, or a text.
struct Aligned {
    lead: String,
    rest: String,
}

impl Aligned {
    fn new(cell: &Cell, column: &Column) -> Self {
        let texts = || cell.pieces.iter().map(|piece| piece.text.as_str());
        let note = cell.note.map(|n| format!(" ({n})")).unwrap_or_default();
        if column.number && texts().next().is_some() {
            Self {
                lead: texts().take(1).collect(),
                rest: texts().skip(1).collect::<String>() + &note,
            }
        } else {
            Self { lead: texts().collect::<String>() + &note, rest: String::new() }
        }
    }
}

/// A column and its width: of texts, or of numbers, which end at the same place, and of what follows them.
struct Layout<'f> {
    column: &'f Column,
    lead: usize,
    rest: usize,
}

impl<'f> Layout<'f> {
    /// As wide as the cells and the title, which breaks over numbers only.
    fn new<'a>(column: &'f Column, cells: impl Iterator<Item = &'a Aligned>) -> Self {
        let length = |text: &str| text.chars().count();
        let (mut lead, mut rest) = (0, 0);
        for cell in cells {
            (lead, rest) = (lead.max(length(&cell.lead)), rest.max(length(&cell.rest)));
        }
        let title = if column.number {
            column.title.split(' ').map(length).max().unwrap_or(0)
        } else {
            length(&column.title)
        };
        match rest {
            0 => lead = lead.max(title),
            _ => rest = rest.max(title.saturating_sub(lead)),
        }
        Self { column, lead, rest }
    }

    fn width(&self) -> usize {
        self.lead + self.rest
    }

    fn title(&self) -> Vec<String> {
        let lines = broken(&self.column.title, self.width()).into_iter();
        let pad = |line: String| match (self.column.number, self.rest) {
            (true, 0) => format!("{line:>0$}", self.width()),
            _ => line,
        };
        lines.map(pad).collect()
    }

    fn cell(&self, cell: &Aligned) -> Vec<String> {
        if self.column.number {
            vec![format!("{:>2$}{}", cell.lead, cell.rest, self.lead)]
        } else {
            broken(&cell.lead, self.width())
        }
    }
}

/// A count of debates, which leads nowhere here.
const COUNT: &str = "debates";

/// Columns that a line has room for: a count of debates, then columns of text, then the last columns give way.
fn fitting(mut layouts: Vec<Layout<'_>>, width: usize) -> Vec<Layout<'_>> {
    let is_wide = |layouts: &[Layout<'_>]| {
        layouts.iter().map(|layout| layout.width() + GAP.len()).sum::<usize>() > width + GAP.len()
    };
    if is_wide(&layouts) {
        layouts.pop_if(|last| last.column.title == COUNT);
    }
    while is_wide(&layouts) {
        let texts =
            layouts.iter().enumerate().filter(|(_, it)| !it.column.number && it.lead > LEAST);
        let widest = texts.max_by_key(|(_, it)| it.lead).map(|(at, _)| at);
        match widest {
            Some(at) => layouts[at].lead -= 1,
            None if layouts.len() > FEWEST => {
                layouts.pop();
            }
            None => break,
        }
    }
    layouts
}

/// The lines of cells beside each other, at the top or at the bottom.
fn side_by_side(cells: Vec<Vec<String>>, layouts: &[Layout<'_>], bottom: bool) -> Vec<String> {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |n: usize| {
        let part = |(lines, layout): (&Vec<String>, &Layout<'_>)| {
            let above = if bottom { height - lines.len() } else { 0 };
            let text = n.checked_sub(above).and_then(|n| lines.get(n));
            format!("{:1$}", text.map_or("", String::as_str), layout.width())
        };
        let parts: Vec<String> = cells.iter().zip(layouts).map(part).collect();
        parts.join(GAP).trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::document::cells;
    use super::*;
    use crate::stats::findings::Unit;

    #[test]
    fn s5_columns_without_room_are_left_out_and_named() {
        let mut figure =
            Figure::new("Models", "model|#first count|#second count|#third count|#fourth count");
        figure.row(false, cells!["llama3", 1_000_000, 2_000_000, 3_000_000, 4_000_000]);
        let shown = |width: usize| table(&figure, width);
        assert!(!shown(80).join("\n").contains("no room"), "{:#?}", shown(80));
        let narrow = shown(40);
        assert!(narrow.iter().all(|line| line.chars().count() <= 40), "{narrow:#?}");
        assert_eq!(narrow.last().unwrap(), "(no room for: fourth count)");
    }

    #[test]
    fn s5_columns_are_aligned_and_give_way() {
        let mut figure = Figure::new("Models", "model|±difference of means|#n");
        let estimate =
            |value, low, high| Cell::interval([Some(value), low, high], Unit::Score, None);
        figure.row(false, cells!["llama3", estimate(0.5, Some(0.25), Some(0.75)), 7]);
        figure.row(false, cells!["m ".repeat(70).trim(), estimate(12.5, None, None), 140]);
        let lines = table(&figure, 100);
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:#?}");
        assert!(lines[0].ends_with("  difference of"), "{lines:#?}");
        assert!(lines[1].ends_with("  means [95%]           n"), "{lines:#?}");
        assert!(lines[2].ends_with("   0.50 [0.25, 0.75]    7"), "{lines:#?}");
        assert!(lines[3].ends_with("  12.50               140"), "{lines:#?}");
        assert_eq!(lines.len(), 5, "the long name takes two lines: {lines:#?}");
    }
}
