//! Judges by judges: how often each two had the same side ahead.

use std::collections::BTreeSet;

use super::{Cell, Figure, Heat, HeatCell, Source, Unit, cells, small};
use crate::stats::findings::JudgePair;

/// The matrix with its table; `None` without two judges.
pub(super) fn figure(source: &mut Source<'_>, title: &str, pairs: &[&JudgePair]) -> Option<Figure> {
    let mut figure = Figure::new(title, "judge|other judge|±same vote|#n");
    for JudgePair { judges: [one, other], alike } in pairs {
        let share = Cell::estimate(alike, Unit::Share);
        figure.row(small(alike), cells![one, other, share, alike.n]);
    }
    let desc = "Pairs of judges with the share of debates on which both voted alike; the numbers are in the table below.";
    let chart = source.heat(title, desc, &heat(pairs));
    let caption = "How often two judges gave the same vote, and on how many debates.";
    let keys = [("level-s0", "never"), ("level-s8", "always"), ("hatched", "n under 10")];
    Some(figure.filled()?.charted(chart, caption).with_keys(keys))
}

fn heat(pairs: &[&JudgePair]) -> Heat {
    let names: BTreeSet<&String> = pairs.iter().flat_map(|pair| &pair.judges).collect();
    let cell = |one: &String, other: &String| {
        let mut pairs = pairs.iter().filter(|_| one != other);
        let pair = pairs.find(|it| it.judges.contains(one) && it.judges.contains(other))?;
        Some(HeatCell::share(pair.alike.value?, pair.alike.n))
    };
    let row = |one: &&String| names.iter().map(|other| cell(one, other)).collect();
    Heat {
        cells: names.iter().map(row).collect(),
        rows: names.iter().copied().cloned().collect(),
        columns: names.into_iter().cloned().collect(),
        diverging: false,
    }
}
