//! How often each score was given.

use crate::html::scale::Scale;
use crate::html::svg::{Anchor, Label, Svg};
use crate::stats::number::{Rounding, number};

/// Pixels of the highest bar.
const HEIGHT: f64 = 80.0;
/// Where the bars stand.
const FLOOR: f64 = 128.0;
/// Characters of its title.
const TITLE_CHARS: usize = 30;
/// Where the bars begin, in per cent of the width: right of the counts.
const BARS: f64 = 12.0;
/// Counts that the axis names at most.
const NAMED: usize = 4;

/// The chart of scores and counts on a scale; `None` if nothing was given.
pub(crate) fn chart(
    label: &Label,
    counts: &[(f64, usize)],
    scale: Option<(u8, u8)>,
) -> Option<String> {
    let most = counts.iter().map(|(_, n)| *n).max().filter(|n| *n > 0)?;
    let values = || counts.iter().map(|(score, _)| *score);
    let (low, high) = match scale {
        Some((low, high)) => (f64::from(low), f64::from(high)),
        None => {
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        }
    };
    let gap = closest(counts).min(1.0);
    let span = high - low + gap;
    let width = gap / span * (100.0 - BARS);
    let middle = |score: f64| BARS + (score - low + gap / 2.0) / span * (100.0 - BARS);
    let top = times(most).last().copied().unwrap_or(most).max(most) as f64;
    let (mut svg, at) = (Svg::fluid(), (0.0, 15.0));
    svg.titled("name", at, Anchor::Start, &label.title, TITLE_CHARS);
    for n in times(most) {
        let y = FLOOR - HEIGHT * n as f64 / top;
        svg.line("grid", (0.0, y), (100.0, y));
        svg.text("tick", (0.0, y - 3.0), Anchor::Start, &n.to_string());
    }
    svg.line("axis", (0.0, FLOOR), (100.0, FLOOR));
    for (score, n) in counts {
        let height = HEIGHT * *n as f64 / top;
        let at = (middle(*score) - width * 0.42, FLOOR - height);
        svg.rect("bar", at, (width * 0.84, height));
    }
    for score in labelled(low, high) {
        let text = number(Rounding::Decimals(0), score);
        svg.text("tick", (middle(score), FLOOR + 16.0), Anchor::Middle, &text);
    }
    Some(svg.finish(label, None, FLOOR + 22.0))
}

/// The counts that the axis names: round ones, above zero, the highest at or above the highest bar.
fn times(most: usize) -> Vec<usize> {
    let scale = Scale::over([0.0, most as f64]);
    let ticks = scale.map(|scale| scale.ticks()).unwrap_or_default();
    let mut whole: Vec<usize> =
        ticks.iter().map(|tick| tick.round() as usize).filter(|n| *n > 0).collect();
    whole.dedup();
    let every = whole.len().div_ceil(NAMED);
    let mut named: Vec<usize> = whole.into_iter().rev().step_by(every.max(1)).collect();
    named.reverse();
    named
}

/// The smallest distance between two scores.
fn closest(counts: &[(f64, usize)]) -> f64 {
    let distances = counts.windows(2).map(|pair| pair[1].0 - pair[0].0);
    distances.filter(|d| *d > 0.0).fold(1.0, f64::min).max(0.05)
}

/// The whole scores that have a text: all where they are few.
fn labelled(low: f64, high: f64) -> Vec<f64> {
    let every = ((high - low) / 10.0).floor().max(0.0) as usize + 1;
    let count = (high.floor() - low.ceil()).max(0.0) as usize;
    (0..=count).map(|n| low.ceil() + n as f64).step_by(every).collect()
}
