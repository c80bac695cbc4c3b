//! Shares by round: points with their intervals, joined by lines, or steps with a band.

use super::ticks;
use crate::html::scale::Scale;
use crate::html::svg::{Anchor, Label, Shape, Svg};
use crate::stats::findings::Unit;

/// Where the plot begins, ends, and how high it is.
const TOP: f64 = 18.0;
const HEIGHT: f64 = 190.0;
/// Where the first and the last round stand, in per cent of the width.
const SIDES: (f64, f64) = (12.0, 97.0);
/// Rounds that the last step holds in a drawing.
const LAST_STEP: f64 = 0.5;
/// Rounds that have a text at most.
const LABELLED: u32 = 12;

/// A share after a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    /// The round.
    pub round: u32,
    /// The share; `None` leaves a gap.
    pub share: Option<f64>,
    /// The interval.
    pub ends: Option<(f64, f64)>,
    /// Whether it stands on too little.
    pub muted: bool,
}

/// The plot: rounds from left to right, shares from 0 to 1.
struct Plot {
    svg: Svg,
    first: f64,
    last: f64,
}

/// Points joined by lines; `None` if no round has a share.
pub(crate) fn joined(label: &Label, points: &[At]) -> Option<String> {
    points.iter().find_map(|at| at.share)?;
    let mut plot = Plot::over(points, 0.0)?;
    for pair in points.windows(2) {
        if let (Some(from), Some(to)) = (pair[0].share, pair[1].share) {
            let (from, to) = (plot.at(pair[0].round, from), plot.at(pair[1].round, to));
            plot.svg.line("curve", from, to);
        }
    }
    for at in points {
        let kind = if at.muted { "muted" } else { "plain" };
        if let Some((low, high)) = at.ends {
            let (low, high) = (plot.at(at.round, low), plot.at(at.round, high));
            plot.svg.line(&format!("whisker {kind}"), low, high);
        }
        if let Some(share) = at.share {
            let place = plot.at(at.round, share);
            plot.svg.mark(&format!("point {kind}"), place, Shape::Disc);
        }
    }
    Some(plot.finish(label))
}

/// Steps that hold until the next round, from 1 at the start, with a band; `None` without a step.
pub(crate) fn steps(label: &Label, after: &[At]) -> Option<String> {
    let first = after.first()?.round.saturating_sub(1);
    let start = At { round: first, share: Some(1.0), ends: None, muted: false };
    let points: Vec<At> = [&[start], after].concat();
    let mut plot = Plot::over(&points, LAST_STEP)?;
    for (n, at) in points.iter().enumerate() {
        let next = points.get(n + 1);
        let end = next.map_or(plot.last, |next| f64::from(next.round));
        if let Some((low, high)) = at.ends {
            plot.band((f64::from(at.round), end), (low, high));
        }
    }
    for pair in points.windows(2) {
        let Some((from, to)) = pair[0].share.zip(pair[1].share) else {
            continue;
        };
        let (start, corner) = (plot.at(pair[0].round, from), plot.at(pair[1].round, from));
        plot.svg.line("curve", start, corner);
        plot.svg.line("curve", corner, plot.at(pair[1].round, to));
    }
    if let Some((round, share)) = points.last().and_then(|at| Some((at.round, at.share?))) {
        let (start, end) = (plot.at(round, share), plot.at(plot.last, share));
        plot.svg.line("curve", start, end);
    }
    Some(plot.finish(label))
}

impl Plot {
    /// The plot of all points, and so much of a round behind the last.
    fn over(points: &[At], behind: f64) -> Option<Self> {
        let (first, last) = (points.first()?.round, points.last()?.round);
        let mut plot =
            Self { svg: Svg::fluid(), first: f64::from(first), last: f64::from(last) + behind };
        plot.frame(first, last);
        Some(plot)
    }

    /// The grid: a line for each quarter with its share above it, and the rounds below.
    fn frame(&mut self, first: u32, last: u32) {
        let scale = Scale::exactly(0.0, 1.0);
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            let (_, y) = self.at(first, share);
            self.svg.line("grid", (0.0, y), (100.0, y));
            let text = ticks(Unit::Share.into(), scale)(share);
            self.svg.text("tick", (0.0, y - 4.0), Anchor::Start, &text);
        }
        let every = (last - first) / LABELLED + 1;
        for round in (first..=last).step_by(every as usize) {
            let (x, _) = self.at(round, 0.0);
            let (at, round) = ((x, TOP + HEIGHT + 16.0), round.to_string());
            self.svg.text("tick", at, Anchor::Middle, &round);
        }
    }

    fn at(&self, round: impl Into<f64>, share: f64) -> (f64, f64) {
        let span = (self.last - self.first).max(1.0);
        let along = (round.into() - self.first) / span;
        let x = SIDES.0 + (SIDES.1 - SIDES.0) * along;
        (x, TOP + HEIGHT * (1.0 - share.clamp(0.0, 1.0)))
    }

    fn band(&mut self, (from, to): (f64, f64), (low, high): (f64, f64)) {
        let (left, top) = self.at(from, high);
        let (right, bottom) = self.at(to, low);
        let size = (right - left, bottom - top);
        self.svg.rect("band", (left, top), size);
    }

    fn finish(self, label: &Label) -> String {
        self.svg.finish(label, None, TOP + HEIGHT + 24.0)
    }
}
