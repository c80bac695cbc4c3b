//! A table that a model wrote in Markdown: kept where it is well formed, with every cell made inert.

use super::inline::inline;
use crate::text;

/// A table at the beginning of some lines.
pub(super) struct MarkdownTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl MarkdownTable {
    /// The table that these lines begin with: a header, a line of dashes with as many cells, and rows.
    pub(super) fn starting(lines: &[&str]) -> Option<Self> {
        let [header, delimiter, rest @ ..] = lines else {
            return None;
        };
        let (header, dashes) = (cells(header)?, cells(delimiter)?);
        if header.len() != dashes.len() || !dashes.iter().all(|cell| is_dashes(cell)) {
            return None;
        }
        let rows = rest.iter().map_while(|line| cells(line)).collect();
        Some(Self { header, rows })
    }

    /// How many lines it takes.
    pub(super) fn length(&self) -> usize {
        self.rows.len() + 2
    }

    /// Its lines, each row with as many cells as the header.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.header.len();
        let row = |cells: &Vec<String>| {
            let inert = cells
                .iter()
                .map(|cell| inline(&text::without_emphasis(cell)));
            let padded = inert.chain(std::iter::repeat(String::new()));
            let cells: Vec<String> = padded.take(columns).collect();
            format!("| {} |", cells.join(" | "))
        };
        let dashes = format!("|{}", "---|".repeat(columns));
        let head = [row(&self.header), dashes];
        head.into_iter().chain(self.rows.iter().map(row)).collect()
    }
}

/// The cells of a line that may be part of a table: two or more, parted by bars.
fn cells(line: &str) -> Option<Vec<String>> {
    let bare = line.trim().replace("\\|", "\u{1}");
    let bare = bare.strip_prefix('|').unwrap_or(&bare);
    let bare = bare.strip_suffix('|').unwrap_or(bare);
    let cells = bare
        .split('|')
        .map(|cell| cell.trim().replace('\u{1}', "|"));
    let cells: Vec<String> = cells.collect();
    (cells.len() > 1).then_some(cells)
}

fn is_dashes(cell: &str) -> bool {
    let dashes = cell.trim_start_matches(':').trim_end_matches(':');
    !dashes.is_empty() && dashes.chars().all(|c| c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_a_well_formed_table_is_kept_with_inert_cells() {
        let lines = [
            "Option | Cost",
            ":--- | ---:",
            "| *A* | <b>1</b> |",
            "| B ||",
            "| C | a \\| b | extra |",
            "behind it",
        ];
        let table = MarkdownTable::starting(&lines).expect("a table");
        assert_eq!(table.length(), 5);
        assert_eq!(
            table.lines(),
            [
                "| Option | Cost |",
                "|---|---|",
                "| A | &lt;b&gt;1&lt;/b&gt; |",
                "| B |  |",
                "| C | a \\| b |",
            ]
        );
    }

    #[test]
    fn a8_what_is_no_table_is_none() {
        for lines in [
            ["| a |", "|---|"],
            ["a | b", "c | d"],
            ["a | b", "---"],
            ["a | b", "--- | --- | ---"],
        ] {
            assert!(MarkdownTable::starting(&lines).is_none(), "{lines:?}");
        }
    }
}
