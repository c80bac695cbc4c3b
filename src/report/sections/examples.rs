//! Debates worth reading first.

use super::{Cell, Figure, Section, Source, Unit, cells, links, topic};
use crate::stats::findings::{DebateLine, Example, Worth};

/// The section.
pub(crate) fn section(source: &Source<'_>) -> Section {
    let columns = "why|topic|outcome|#margin|#judges against|#judges decided|#no.";
    let mut figure = Figure::new("Worth reading first", columns);
    let debates = &source.findings.debates;
    for example in &source.findings.examples {
        let line = example.debate.checked_sub(1).and_then(|at| debates.get(at));
        if let Some(line) = line {
            figure.row(false, row(example, line));
        }
    }
    let intro = "The closest debates, the widest that are no draw, and those in which most judges contradict the verdict; on different topics where there are enough. The margin is the mean of the judges' margins, as a share of the scale; as in the verdict, a judge who is undecided has a margin of 0.";
    let empty = "Fewer than nine debates between two were judged by scores.";
    let title = "Worth reading first";
    Section::new("examples", title, intro, figure.filled(), empty).long()
}

fn row(example: &Example, line: &DebateLine) -> Vec<Cell> {
    let why = match example.worth {
        Worth::Closest => "closest",
        Worth::Widest => "widest",
        Worth::Disputed => "most disputed",
    };
    cells![
        why,
        topic(line),
        links::ended(line),
        Cell::number(Some(example.margin), Unit::Share, None),
        example.against,
        example.judges,
        example.debate,
    ]
}
