//! The figures of a report as separate files, for a paper: each chart as an SVG, each table as LaTeX (row L6).

mod standalone;
mod tex;

use super::document::{Figure, Section};
use super::full::document;
use super::list_limits::ALL;
use crate::stats::findings::Findings;
use crate::text::{count, told_if};

/// Digits of the corpus's digest that tell it from others.
const DIGITS: usize = 12;

/// A figure's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureFile {
    /// Its name, such as `leaderboard-1.svg`: the section, the place of the figure in it, and of the chart where it has several.
    pub name: String,
    /// What it holds.
    pub content: String,
}

/// Every chart of the report as an SVG and every table as LaTeX, in the order of the page.
pub fn figures(findings: &Findings) -> Vec<FigureFile> {
    let document = document(findings, ALL);
    let source = source(findings);
    let sections = std::iter::once(&document.leaderboard).chain(&document.sections);
    let files = sections.flat_map(|section| {
        let figures = (1..).zip(&section.figures);
        figures.flat_map(|(n, figure)| of_figure(section, n, figure, &source))
    });
    files.collect()
}

/// Where figures are from.
fn source(findings: &Findings) -> String {
    let from = &findings.provenance;
    let corpus = from.corpus.get(..DIGITS).unwrap_or(&from.corpus);
    let counts = &findings.counts;
    let debates = count(counts.counted, "debate");
    let some = counts.rehearsals;
    let told = || format!("; {some} of {debates} rehearsed: no model was asked");
    let rehearsals = told_if(some > 0, told);
    let (rebut, seed) = (&from.rebut, from.seed);
    format!("rebut {rebut}, corpus {corpus}, seed {seed}{rehearsals}")
}

fn of_figure(section: &Section, n: usize, figure: &Figure, source: &str) -> Vec<FigureFile> {
    let name = format!("{}-{n}", section.id);
    let charts = (1..).zip(&figure.charts).map(|(k, chart)| FigureFile {
        name: match figure.charts.len() {
            1 => format!("{name}.svg"),
            _ => format!("{name}-{k}.svg"),
        },
        content: standalone::svg(figure, chart, source),
    });
    let table = (!figure.rows.is_empty()).then(|| FigureFile {
        name: format!("{name}.tex"),
        content: tex::table(figure, &name, source),
    });
    charts.chain(table).collect()
}
