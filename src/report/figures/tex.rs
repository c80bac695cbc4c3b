//! A table in LaTeX, with the rules of the package booktabs.

use crate::report::document::{Cell, Column, DataRow, Figure};

/// A figure's table, as a float with a caption and a label.
pub(super) fn table(figure: &Figure, name: &str, source: &str) -> String {
    let alignment = |column: &Column| if column.number { 'r' } else { 'l' };
    let columns: String = figure.columns.iter().map(alignment).collect();
    let titles = figure.columns.iter().map(|column| escaped(&column.title));
    let rows: String = figure.rows.iter().map(|row| line(row, figure)).collect();
    let notes: String = figure
        .reasons
        .iter()
        .zip(1..)
        .map(|(reason, n)| format!("$^{{{n}}}$ {}\\par\n", escaped(reason)))
        .collect();
    format!(
        "% {}\n% \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{name}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{} \\\\\n\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n{notes}\\end{{table}}\n",
        escaped(source),
        escaped(&figure.title),
        titles.collect::<Vec<_>>().join(" & "),
    )
}

fn line(row: &DataRow, figure: &Figure) -> String {
    if row.heading {
        let (all, text) = (figure.columns.len(), row.cells.first().map(content));
        let text = text.unwrap_or_default();
        return format!("\\addlinespace\n\\multicolumn{{{all}}}{{l}}{{\\textbf{{{text}}}}} \\\\\n");
    }
    let cells: Vec<String> = row.cells.iter().map(content).collect();
    format!("{} \\\\\n", cells.join(" & "))
}

/// A cell with the reference to its note.
fn content(cell: &Cell) -> String {
    let text: String = cell.pieces.iter().map(|piece| &*piece.text).collect();
    let note = cell.note.map(|n| format!("$^{{{n}}}$"));
    escaped(&text) + &note.unwrap_or_default()
}

/// Text in which nothing is a command: names and topics are hostile input.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            // At the beginning of a row, these belong to the command that ended the one before.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            '|' => out.push_str("\\textbar{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '−' => out.push_str("$-$"),
            '–' => out.push_str("--"),
            '\u{a0}' => out.push('~'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l6_no_text_is_a_command() {
        assert_eq!(
            escaped(r"\input{/etc/passwd} 50 % of a_b & $x^2$ #1 ~"),
            r"\textbackslash{}input\{/etc/passwd\} 50 \% of a\_b \& \$x\textasciicircum{}2\$ \#1 \textasciitilde{}"
        );
        assert_eq!(escaped("a\n\u{1b}[31mb"), "a  {[}31mb");
    }

    #[test]
    fn l6_a_table_has_a_column_for_each_of_the_figure() {
        let mut figure = Figure::new("Models_1", "model|#n");
        figure.heading(Cell::from("duel"));
        figure.row(false, vec![Cell::from("a&b"), Cell::from(3)]);
        figure.row(false, vec![Cell::from("[Yes] *"), Cell::from(3)]);
        let found = table(&figure, "board-1", "rebut 0.1.0");
        assert!(found.contains("\\begin{tabular}{lr}\n\\toprule\nmodel & n \\\\\n\\midrule\n"));
        assert!(found.contains("\\multicolumn{2}{l}{\\textbf{duel}} \\\\\na\\&b & 3 \\\\\n"));
        assert!(found.contains("\\\\\n{[}Yes{]} {*} & 3 \\\\\n"));
        assert!(found.contains("\\caption{Models\\_1}\n\\label{tab:board-1}\n"));
    }
}
