//! The presentation tree as plain text for a terminal.

use super::document::{Cell, Column, DataRow, Document, Figure, Section};
use crate::text::one_line;

/// Characters of a line.
const WIDTH: usize = 100;
/// Characters that a column of text keeps where a table is too wide.
const LEAST: usize = 12;
/// What stands between columns.
const GAP: &str = "  ";

/// The document but for its charts, the lists of debates and what is too long.
pub(super) fn text(document: &Document) -> String {
    let mut lines = vec![document.title.clone()];
    lines.extend(list("Key findings", &document.headlines));
    lines.extend(list("Caveats", &document.cautions));
    lines.extend(section(&document.leaderboard));
    let (long, short): (Vec<&Section>, Vec<&Section>) =
        document.sections.iter().partition(|section| section.long);
    lines.extend(short.into_iter().flat_map(section));
    lines.push(String::new());
    lines.extend(
        document
            .nothing
            .iter()
            .flat_map(|text| wrapped(text, "", "")),
    );
    let long: Vec<String> = long.iter().map(|s| s.title.to_lowercase()).collect();
    let more = match long.is_empty() {
        true => String::new(),
        false => format!(" `rebut report` also has: {}.", long.join(", ")),
    };
    let end = format!("Intervals are 95%, clustered by topic. All numbers: --format json.{more}");
    lines.extend(wrapped(&end, "", ""));
    lines.join("\n") + "\n"
}

fn heading(title: &str) -> [String; 3] {
    let rule = "─".repeat(title.chars().count());
    [String::new(), title.to_owned(), rule]
}

fn list(title: &str, items: &[String]) -> Vec<String> {
    let heading = heading(title).into_iter().filter(|_| !items.is_empty());
    let items = items.iter().flat_map(|item| wrapped(item, "- ", "  "));
    heading.chain(items).collect()
}

fn section(section: &Section) -> Vec<String> {
    let mut lines = heading(section.title).to_vec();
    lines.extend(wrapped(section.intro, "", ""));
    lines.extend(
        section
            .empty
            .iter()
            .flat_map(|reason| wrapped(reason, "", "")),
    );
    for (n, one) in section.figures.iter().enumerate() {
        lines.extend((n > 0 || !section.intro.is_empty()).then(String::new));
        lines.extend(figure(one));
    }
    lines
}

fn figure(figure: &Figure) -> Vec<String> {
    let caption = match figure.caption.starts_with(&figure.title) || figure.caption.is_empty() {
        true => "",
        false => &figure.caption,
    };
    let title = match figure.caption.starts_with(&figure.title) {
        true => &figure.caption,
        false => &figure.title,
    };
    let mut lines = wrapped(title, "", "");
    lines.extend(wrapped(caption, "", ""));
    lines.extend(table(figure));
    for (n, reason) in (1..).zip(&figure.reasons) {
        lines.extend(wrapped(reason, &format!("  ({n}) "), "      "));
    }
    lines.extend(
        figure
            .notes
            .iter()
            .flat_map(|note| wrapped(note, "  - ", "    ")),
    );
    lines
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
        let lead = if column.number { 1 } else { usize::MAX };
        Self {
            lead: texts().take(lead).collect(),
            rest: texts().skip(lead).collect::<String>() + &note,
        }
    }
}

/// The width of a column: of what is aligned to the right, or of text, and of the rest.
#[derive(Clone, Copy)]
struct Width {
    lead: usize,
    rest: usize,
}

impl Width {
    fn whole(self) -> usize {
        self.lead + self.rest
    }
}

fn table(figure: &Figure) -> Vec<String> {
    let aligned = |row: &DataRow| -> Vec<Aligned> {
        let cells = row.cells.iter().zip(&figure.columns);
        cells
            .map(|(cell, column)| Aligned::new(cell, column))
            .collect()
    };
    let rows: Vec<(&DataRow, Vec<Aligned>)> =
        figure.rows.iter().map(|row| (row, aligned(row))).collect();
    let cells = rows
        .iter()
        .filter(|(row, _)| !row.heading)
        .map(|(_, cells)| cells);
    let widths = widths(&figure.columns, cells);
    let titles = figure.columns.iter().zip(&widths);
    let titles = titles.map(|(column, width)| {
        let lines = broken(&column.title, width.whole());
        let right = column.number && width.rest == 0;
        let pad = |line: String| match right {
            true => format!("{line:>0$}", width.whole()),
            false => line,
        };
        lines.into_iter().map(pad).collect()
    });
    let mut lines = side_by_side(titles.collect(), &widths, true);
    for (row, cells) in rows {
        lines.extend(match row.heading {
            true => wrapped(&cells[0].lead, "", "  "),
            false => data_row(&cells, figure, &widths),
        });
    }
    lines
}

fn data_row(cells: &[Aligned], figure: &Figure, widths: &[Width]) -> Vec<String> {
    let cells = cells.iter().zip(&figure.columns).zip(widths);
    let cells = cells.map(|((cell, column), width)| match column.number {
        true => vec![format!("{:>2$}{}", cell.lead, cell.rest, width.lead)],
        false => broken(&format!("{}{}", cell.lead, cell.rest), width.whole()),
    });
    side_by_side(cells.collect(), widths, false)
}

/// Columns as wide as their cells and the words of their titles; columns of text give way where a line has no room.
fn widths<'a>(columns: &[Column], rows: impl Iterator<Item = &'a Vec<Aligned>>) -> Vec<Width> {
    let length = |text: &str| text.chars().count();
    let of_title = |column: &Column| {
        let words = column.title.split(' ').map(length);
        let rest = if column.number {
            words.max().unwrap_or(0)
        } else {
            0
        };
        let lead = if column.number {
            0
        } else {
            length(&column.title)
        };
        (Width { lead, rest: 0 }, rest)
    };
    let (mut widths, least): (Vec<Width>, Vec<usize>) = columns.iter().map(of_title).unzip();
    for cells in rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            width.lead = width.lead.max(length(&cell.lead));
            width.rest = width.rest.max(length(&cell.rest));
        }
    }
    for (width, least) in widths.iter_mut().zip(least) {
        match width.rest {
            0 => width.lead = width.lead.max(least),
            _ => width.rest = width.rest.max(least.saturating_sub(width.lead)),
        }
    }
    let whole = |widths: &[Width]| widths.iter().map(|w| w.whole() + GAP.len()).sum::<usize>();
    while whole(&widths) > WIDTH + GAP.len() {
        let texts = widths
            .iter_mut()
            .zip(columns)
            .filter(|(_, column)| !column.number);
        let widest = texts
            .map(|(width, _)| width)
            .max_by_key(|width| width.whole());
        match widest.filter(|width| width.whole() > LEAST) {
            Some(width) => {
                *width = Width {
                    lead: width.whole() - 1,
                    rest: 0,
                }
            }
            None => break,
        }
    }
    widths
}

/// The lines of cells beside each other, at the top or at the bottom.
fn side_by_side(cells: Vec<Vec<String>>, widths: &[Width], bottom: bool) -> Vec<String> {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |n: usize| {
        let part = |(lines, width): (&Vec<String>, &Width)| {
            let at = if bottom {
                (n + lines.len()).checked_sub(height)
            } else {
                Some(n)
            };
            let text = at.and_then(|at| lines.get(at)).map_or("", String::as_str);
            format!("{text:0$}", width.whole())
        };
        let parts: Vec<String> = cells.iter().zip(widths).map(part).collect();
        format!("{}{}", "", parts.join(GAP)).trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// A text in lines of at most `width` characters, broken between words, and inside those that are longer.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut letters: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + letters.len() > width {
            lines.push(String::new());
            used = 0;
        }
        let mut gap = if used > 0 { " " } else { "" };
        while !letters.is_empty() {
            let rest = letters.split_off(letters.len().min(width.max(1)));
            used += gap.len() + letters.len();
            let line = lines.last_mut().into_iter();
            line.for_each(|line| line.extend(gap.chars().chain(letters.iter().copied())));
            letters = rest;
            gap = "";
            if !letters.is_empty() {
                lines.push(String::new());
                used = 0;
            }
        }
    }
    lines
}

/// A paragraph, its first line behind one indent and the others behind another; nothing without text.
fn wrapped(text: &str, first: &str, others: &str) -> Vec<String> {
    let text = one_line(text);
    if text.is_empty() {
        return Vec::new();
    }
    let indents = std::iter::once(first).chain(std::iter::repeat(others));
    let lines = broken(&text, WIDTH - others.chars().count());
    lines
        .into_iter()
        .zip(indents)
        .map(|(line, indent)| indent.to_owned() + &line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::document::cells;
    use super::*;

    #[test]
    fn s5_columns_are_aligned_and_give_way() {
        let mut figure = Figure::new("Models", "model|±difference of means|#n");
        let estimate = |value, ends| {
            Cell::interval(Some(value), ends, crate::stats::findings::Unit::Score, None)
        };
        figure.row(
            false,
            cells!["llama3", estimate(0.5, Some((0.25, 0.75))), 7],
        );
        figure.row(
            false,
            cells!["m ".repeat(70).trim(), estimate(12.5, None), 140],
        );
        let lines = table(&figure);
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{lines:#?}"
        );
        assert!(lines[0].ends_with("  difference of"), "{lines:#?}");
        assert!(
            lines[1].ends_with("  means [95%]            n"),
            "{lines:#?}"
        );
        assert!(
            lines[2].ends_with("   0.50 [0.25, 0.75]    7"),
            "{lines:#?}"
        );
        assert!(
            lines[3].ends_with("  12.50               140"),
            "{lines:#?}"
        );
        assert_eq!(lines.len(), 5, "the long name takes two lines: {lines:#?}");
    }

    #[test]
    fn s5_a_paragraph_is_broken_between_words() {
        assert_eq!(broken("a bc def", 4), ["a bc", "def"]);
        assert_eq!(broken("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", "- ", ""), Vec::<String>::new());
    }
}
