//! The sections of the report, one file per subject: findings into charts and tables.

pub(crate) mod alone;
pub(crate) mod answers;
pub(crate) mod breakdowns;
pub(crate) mod debaters;
pub(crate) mod debates;
pub(crate) mod differences;
pub(crate) mod examples;
pub(crate) mod failures;
mod judge_pairs;
pub(crate) mod judges;
pub(crate) mod labels;
pub(crate) mod leaderboards;
pub(crate) mod order;
pub(crate) mod overview;
pub(crate) mod panels;
pub(crate) mod rounds;
pub(crate) mod scores;
pub(crate) mod speed;
pub(crate) mod wins;
pub(crate) mod won;

// What sections are written with.
use super::charts::heat::{self, Heat, HeatCell};
use super::charts::whiskers::{self, Axis, SMALL, Whisker};
use super::document::{Cell, Chart, Figure, Section, cells};
use super::links::{self, Links};
use super::list_limits::Limits;
use super::number::Piece;
use crate::html::svg::{Label, clipped};
use crate::stats::findings::{DebateLine, Findings, Unit};
use crate::stats::number::{Rounding, number};
use crate::text::{count, grouped};
use statistics::estimate::Estimate;

/// What every section draws from: the findings, and the lists of debates that it adds to.
pub(crate) struct Source<'f> {
    pub findings: &'f Findings,
    pub links: Links<'f>,
    /// How long lists may be.
    pub limits: Limits,
    drawings: usize,
}

impl<'f> Source<'f> {
    /// No list of debates yet.
    pub(crate) fn new(findings: &'f Findings, limits: Limits) -> Self {
        Self { findings, links: Links::new(findings), limits, drawings: 0 }
    }

    /// A count that leads to the debates behind a number; `what` names the number.
    fn debates(&mut self, debates: &'f [usize], what: &str) -> Cell {
        Cell::from(debates.len()).linked(self.links.set(debates.into(), what, &[]))
    }

    /// What a drawing is called, for those who do not see it.
    fn label(&mut self, title: &str, desc: &str) -> Label {
        self.drawings += 1;
        Label {
            id: format!("chart-{}", self.drawings),
            title: title.to_owned(),
            desc: desc.to_owned(),
        }
    }

    /// A heat map, which scrolls where it is too wide, and shrinks on paper.
    fn heat(&mut self, title: &str, desc: &str, heat: &Heat) -> Option<Chart> {
        let svg = heat::chart(&self.label(title, desc), heat)?;
        Some(Chart { columns: Some(heat.columns.len()), ..Chart::fluid(svg) })
    }

    /// A table without rows, in which nothing stands on what could have been detected where nothing is known of that.
    fn table(&self, title: &str, columns: &str) -> Figure {
        let figure = Figure::new(title, columns);
        if self.findings.counts.know_power() { figure } else { figure.without_power() }
    }

    /// The figure with a chart of what it draws: values and their intervals.
    fn whiskers(&mut self, mut figure: Figure, axis: Axis, caption: &str) -> Figure {
        let mut all = std::mem::take(&mut figure.whiskers);
        if !self.findings.counts.know_power() {
            all.iter_mut().for_each(|row| row.blind = None);
        }
        let rows = &all[..all.len().min(self.limits.drawn)];
        let chart = self.whisker_chart(&figure.title, rows, axis);
        figure
            .charted(chart, &whiskers::captioned(caption, rows))
            .with_keys(whiskers::keys(rows, axis))
            .with_keys(whiskers::undrawn(rows).map(|text| ("bare", text)))
            .with_keys(whiskers::blind(rows).map(|text| ("blind", text)))
            .with_keys(first_of(rows.len(), all.len()).map(|text| ("bare", text)))
    }

    fn whisker_chart(&mut self, title: &str, rows: &[Whisker], axis: Axis) -> Option<Chart> {
        let label = self.label(title, &whiskers::described(rows, axis));
        whiskers::chart(&label, rows, axis).map(Chart::fluid)
    }

    /// The figure with a second chart beside its own, each with its title.
    fn another(
        &mut self,
        figure: Figure,
        titles: [&str; 2],
        rows: &[Whisker],
        axis: Axis,
    ) -> Figure {
        let rows = &rows[..rows.len().min(self.limits.drawn)];
        let name = format!("{}: {}", figure.title, titles[1]);
        let mut figure = figure.titled(titles[0]);
        let second = self.whisker_chart(&name, rows, axis);
        figure.charts.extend(second.map(|chart| chart.titled(titles[1])));
        figure
    }
}

/// Said of a chart that does not have all rows.
fn first_of(drawn: usize, all: usize) -> Option<String> {
    (drawn < all).then(|| format!("Drawn: the first {drawn} of {all} rows."))
}

/// Said of a chart that draws intervals, or not.
fn with_intervals(is_any: bool) -> &'static str {
    if is_any { "with 95% intervals" } else { "without intervals" }
}

/// Whether an estimate rests on too little to be compared.
fn small(estimate: &Estimate) -> bool {
    estimate.n < SMALL
}

/// How many topics a difference takes, and how many more that are than there are.
fn topics_needed(all: usize, at_hand: usize) -> Cell {
    let more = format!(" ({} more)", grouped(all.saturating_sub(at_hand)));
    Cell::from(vec![Piece::count(all), Piece::text(&more)])
}

/// A debate's topic, which leads to the debate.
fn topic(line: &DebateLine) -> Cell {
    Cell { href: Some(links::href_of(line)), ..Cell::from(&*line.topic) }
}

/// The name of a judge; none stands for all together.
fn or_all(judge: Option<&str>) -> &str {
    judge.unwrap_or("all judges")
}
