//! A Markdown table by a model: kept if well formed, with every cell made inert.

use super::inline::inline;
use crate::text;

/// The table that some lines begin with: a header, a line of dashes with as many cells, and rows. As many lines come back, each row
/// with as many cells as the header.
pub(super) fn starting(lines: &[&str]) -> Option<Vec<String>> {
    let [header, delimiter, rest @ ..] = lines else { return None };
    let (header, dashes) = (cells(header)?, cells(delimiter)?);
    let columns = header.len();
    if columns != dashes.len() || !dashes.iter().all(|cell| is_dashes(cell)) {
        return None;
    }
    let row = |cells: Vec<String>| {
        let inert = cells.iter().map(|cell| text::without_emphasis(cell)).map(|cell| inline(&cell));
        let padded = inert.chain(std::iter::repeat(String::new()));
        format!("| {} |", text::separated(padded.take(columns), " | "))
    };
    let head = [row(header), format!("|{}", "---|".repeat(columns))];
    let rows = rest.iter().map_while(|line| cells(line));
    Some(head.into_iter().chain(rows.map(row)).collect())
}

/// The cells of a line that may be part of a table: two or more, parted by bars.
fn cells(line: &str) -> Option<Vec<String>> {
    let bare = line.trim().replace("\\|", "\u{1}");
    let bare = bare.strip_prefix('|').unwrap_or(&bare);
    let bare = bare.strip_suffix('|').unwrap_or(bare);
    let cells: Vec<String> =
        bare.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect();
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
        assert_eq!(
            starting(&lines).expect("a table"),
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
        for lines in
            [["| a |", "|---|"], ["a | b", "c | d"], ["a | b", "---"], ["a | b", "--- | --- | ---"]]
        {
            assert!(starting(&lines).is_none(), "{lines:?}");
        }
    }
}
