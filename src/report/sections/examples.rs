//! Debates that are worth reading first.

use super::super::document::{Cell, Figure, Section, cells};
use super::super::links;
use super::Source;
use crate::stats::findings::{DebateLine, Example, Unit, Worth};

/// The section.
pub(crate) fn section(source: &Source<'_>) -> Section {
    let columns = "why|topic|outcome|#margin|#judges against|#judges|#no.";
    let mut figure = Figure::new("Worth reading first", columns);
    let debates = &source.findings.debates;
    for example in &source.findings.examples {
        let line = example.debate.checked_sub(1).and_then(|at| debates.get(at));
        line.into_iter()
            .for_each(|line| figure.row(false, row(example, line)));
    }
    let figures = (!figure.rows.is_empty()).then_some(figure);
    let intro = "The closest and the widest debates, and those in which most judges contradict the mean of all. The margin is the mean difference of the two totals, as a share of the scale.";
    let empty = "Fewer than nine debates between two were judged by scores.";
    let figures = figures.into_iter().collect();
    Section::new("examples", "Worth reading first", intro, figures, empty).long()
}

fn row(example: &Example, line: &DebateLine) -> Vec<Cell> {
    let why = match example.worth {
        Worth::Closest => "closest",
        Worth::Widest => "widest",
        Worth::Disputed => "most disputed",
    };
    let topic = Cell {
        href: Some(links::href_of(line)),
        ..Cell::from(&*line.topic)
    };
    cells![
        why,
        topic,
        links::ended(line),
        Cell::number(Some(example.margin), Unit::Share, None),
        example.against,
        example.judges,
        example.debate,
    ]
}
