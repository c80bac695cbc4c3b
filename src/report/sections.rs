//! What the report is made of, one file a subject: findings into charts and tables.

pub(crate) mod breakdowns;
pub(crate) mod debates;
pub(crate) mod differences;
pub(crate) mod failures;
pub(crate) mod judges;
pub(crate) mod leaderboards;
pub(crate) mod order;
pub(crate) mod overview;
pub(crate) mod rounds;
pub(crate) mod scores;
pub(crate) mod speed;
pub(crate) mod wins;

use super::charts::whiskers::{self, Axis, Whisker};
use super::document::{Chart, DataTable, Figure};
use super::links::{Links, SetRef};
use super::svg::Label;
use crate::stats::findings::Findings;

/// Below so many observations, a number stands on too little to be compared.
const SMALL: usize = 10;

/// What every section draws from: the findings, and the lists of debates that it adds to.
pub(crate) struct Source<'f> {
    /// The findings.
    pub findings: &'f Findings,
    /// The lists of debates.
    pub links: Links<'f>,
}

impl<'f> Source<'f> {
    /// No list of debates yet.
    pub(crate) fn new(findings: &'f Findings) -> Self {
        Self {
            findings,
            links: Links::new(findings),
        }
    }

    /// The confidence of intervals, in per cent.
    fn confidence(&self) -> String {
        format!("{:.0}%", self.findings.provenance.confidence * 100.0)
    }

    /// The debates behind a number; `what` says which number.
    fn set(&mut self, debates: &[usize], what: &str) -> Option<SetRef> {
        self.links.set(debates, what, &[])
    }
}

/// What a drawing is called; `id` is the section's with a number.
fn label(section: &str, n: usize, title: &str, desc: &str) -> Label {
    Label {
        id: format!("{section}-{n}"),
        title: title.to_owned(),
        desc: desc.to_owned(),
    }
}

/// A chart of whiskers and the table of what it draws, under the name of the drawing.
fn whiskered(
    label: &Label,
    whiskers: &[Whisker],
    axis: Axis,
    caption: &str,
    table: DataTable,
) -> Figure {
    let chart = whiskers::chart(label, whiskers, axis);
    let charts = chart.into_iter().map(Chart::fluid).collect();
    Figure::new(charts, caption, table)
        .titled(&label.title)
        .noting(whiskers::undrawn(whiskers))
}

/// A name of a sum or a judge: `null` stands for all together.
fn or_all(name: Option<&str>) -> &str {
    name.unwrap_or("all judges")
}
