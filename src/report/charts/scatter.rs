//! Points with names between two axes, with the intervals of their heights, and lines that lead to them.

use super::ticks;
use crate::html::scale::Scale;
use crate::html::svg::{Anchor, Label, Shape, Svg};
use crate::stats::number::Rounding;

/// Where the plot begins, and how high it is.
const TOP: f64 = 18.0;
const HEIGHT: f64 = 260.0;
/// Where the first and the last value stand, in per cent of the width: names at the right end have room.
const SIDES: (f64, f64) = (12.0, 70.0);
/// Characters of a name.
const NAME_CHARS: usize = 18;
/// The room of a name: in per cent of the width, and in height.
const NAME_WIDTH: f64 = 20.0;
const NAME_HEIGHT: f64 = 16.0;

/// How a line and the point that it leads to look: their class, and the point's shape.
type Look = (&'static str, Shape);
const LOOKS: [Look; 4] = [
    ("", Shape::Disc),
    (" second", Shape::Square),
    (" dashed", Shape::Diamond),
    (" second dashed", Shape::Disc),
];

/// A point.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub name: String,
    pub x: f64,
    pub y: f64,
    /// The interval of its height.
    pub ends: Option<(f64, f64)>,
    /// Whether it rests on too little.
    pub muted: bool,
    /// What a line leads through to it.
    pub way: Vec<(f64, f64)>,
}

impl Spot {
    /// All that is drawn of it.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        let (low, high) = self.ends.unwrap_or((self.y, self.y));
        let ends = [low, self.y, high].map(|y| (self.x, y));
        ends.into_iter().chain(self.way.iter().copied())
    }
}

/// What the marks that occur mean: their classes and words.
pub(crate) fn keys(spots: &[Spot]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let any = |is: fn(&Spot) -> bool| spots.iter().any(is);
    let all = [
        (any(|spot| !spot.muted), ("plain", "n of 10 or more")),
        (any(|spot| spot.muted), ("muted", "n under 10")),
        (any(|spot| !spot.way.is_empty()), ("line", "the first 1, 2, 3… samples")),
    ];
    all.into_iter().filter(|(occurs, _)| *occurs).map(|(_, key)| key)
}

/// The plot; `None` without two points. `units` are of the axes, `reference` is a height to compare with.
pub(crate) fn chart(
    label: &Label,
    spots: &[Spot],
    units: [Rounding; 2],
    reference: Option<f64>,
) -> Option<String> {
    spots.get(1)?;
    let places = || spots.iter().flat_map(Spot::places);
    let plot = Plot {
        x: Scale::over(places().map(|(x, _)| x))?,
        y: Scale::over(places().map(|(_, y)| y).chain(reference))?,
    };
    let mut svg = Svg::fluid();
    plot.frame(&mut svg, units);
    if let Some(height) = reference {
        let (_, y) = plot.at(0.0, height);
        svg.line("reference", (0.0, y), (100.0, y));
    }
    // Lines are told apart by more than their colours.
    let mut looks = LOOKS.into_iter().cycle();
    let mut next = || looks.next().unwrap_or(LOOKS[0]);
    let look = |spot: &Spot| if spot.way.is_empty() { LOOKS[0] } else { next() };
    let looks: Vec<Look> = spots.iter().map(look).collect();
    let looked = || spots.iter().zip(&looks);
    looked().for_each(|(spot, look)| plot.lead(&mut svg, *look, spot));
    looked().for_each(|(spot, look)| plot.draw(&mut svg, *look, spot));
    plot.name(&mut svg, spots);
    Some(svg.finish(label, None, TOP + HEIGHT + 24.0))
}

struct Plot {
    x: Scale,
    y: Scale,
}

impl Plot {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let along = self.x.at(x) / 100.0;
        let up = self.y.at(y) / 100.0;
        (SIDES.0 + (SIDES.1 - SIDES.0) * along, TOP + HEIGHT * (1.0 - up))
    }

    fn frame(&self, svg: &mut Svg, [across, up]: [Rounding; 2]) {
        let shown = ticks(up, self.y);
        for value in self.y.ticks() {
            let (_, y) = self.at(0.0, value);
            svg.line("grid", (0.0, y), (100.0, y));
            svg.text("tick", (0.0, y - 4.0), Anchor::Start, &shown(value));
        }
        let shown = ticks(across, self.x);
        for value in self.x.ticks() {
            let (x, _) = self.at(value, 0.0);
            let at = (x, TOP + HEIGHT + 16.0);
            svg.text("tick", at, Anchor::Middle, &shown(value));
        }
    }

    /// The line to a point.
    fn lead(&self, svg: &mut Svg, (class, _): Look, spot: &Spot) {
        let way: Vec<(f64, f64)> = [&spot.way[..], &[(spot.x, spot.y)]].concat();
        for pair in way.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|(x, y)| self.at(x, y));
            svg.line(&format!("curve{class}"), from, to);
        }
    }

    fn draw(&self, svg: &mut Svg, (class, shape): Look, spot: &Spot) {
        let kind = if spot.muted { "muted" } else { "plain" };
        let (x, y) = self.at(spot.x, spot.y);
        if let Some((low, high)) = spot.ends {
            let (low, high) = (self.at(spot.x, low), self.at(spot.x, high));
            svg.line(&format!("whisker {kind}"), low, high);
        }
        svg.mark(&format!("point {kind}{class}"), (x, y), shape);
    }

    /// The names, from the highest down; one that would lie on another is moved below it, or above all where the plot ends.
    fn name(&self, svg: &mut Svg, spots: &[Spot]) {
        let mut ordered: Vec<&Spot> = spots.iter().collect();
        ordered.sort_by(|a, b| b.y.total_cmp(&a.y));
        let mut named: Vec<(f64, f64)> = Vec::new();
        for spot in ordered {
            let (x, y) = self.at(spot.x, spot.y);
            let near = named.iter().filter(|(other, _)| (other - x).abs() < NAME_WIDTH);
            let near: Vec<f64> = near.map(|(_, other)| *other).collect();
            let below = near.iter().fold(y - 6.0, |y, other| y.max(other + NAME_HEIGHT));
            let above = near.iter().fold(y - 6.0, |y, other| y.min(other - NAME_HEIGHT));
            let free = if below > TOP + HEIGHT - 4.0 { above } else { below };
            svg.titled("name", (x, free), Anchor::Beside, &spot.name, NAME_CHARS);
            named.push((x, free));
        }
    }
}
