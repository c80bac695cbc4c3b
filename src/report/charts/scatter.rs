//! Points with names between two axes, with the intervals of their heights.

use super::ticks;
use crate::html::scale::Scale;
use crate::html::svg::{Anchor, Label, Shape, Svg};
use crate::stats::number::Rounding;

/// Where the plot begins, and how high it is.
const TOP: f64 = 18.0;
const HEIGHT: f64 = 260.0;
/// Where the first and the last value stand, in per cent of the width: names at the right end have room.
const SIDES: (f64, f64) = (12.0, 82.0);
/// Characters of a name.
const NAME_CHARS: usize = 18;

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
}

/// The plot; `None` without two points. `units` are of the axes.
pub(crate) fn chart(label: &Label, spots: &[Spot], units: [Rounding; 2]) -> Option<String> {
    spots.get(1)?;
    let ends = |spot: &Spot| spot.ends.map_or([spot.y; 2], |(low, high)| [low, high]);
    let plot = Plot {
        x: Scale::over(spots.iter().map(|spot| spot.x))?,
        y: Scale::over(spots.iter().flat_map(ends))?,
    };
    let mut svg = Svg::fluid();
    plot.frame(&mut svg, units);
    spots.iter().for_each(|spot| plot.draw(&mut svg, spot));
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

    fn draw(&self, svg: &mut Svg, spot: &Spot) {
        let kind = if spot.muted { "muted" } else { "plain" };
        let (x, y) = self.at(spot.x, spot.y);
        if let Some((low, high)) = spot.ends {
            let (low, high) = (self.at(spot.x, low), self.at(spot.x, high));
            svg.line(&format!("whisker {kind}"), low, high);
        }
        svg.mark(&format!("point {kind}"), (x, y), Shape::Disc);
        svg.titled("name", (x, y - 6.0), Anchor::Beside, &spot.name, NAME_CHARS);
    }
}
