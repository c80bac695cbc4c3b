//! Paired differences between models on topics both debated.

use std::collections::BTreeSet;

use super::claim::{LEAST_TOPICS, VERDICT};
use super::confounding;
use super::counted_debates::View;
use super::equal_length::at_equal_length;
use super::findings::{Comparisons, PairedDifference, StrengthBoard, Support};
use super::planned::Planned;
use super::totals::Totals;
use crate::facts::Facts;
use statistics::paired::{ALPHA, Difference, Spread, corrected, difference};

/// The differences of each format.
pub(super) fn comparisons(view: &View<'_>) -> Vec<Comparisons> {
    let formats = view.formats().into_iter();
    let mut all: Vec<Comparisons> = formats.filter_map(|format| of_format(view, format)).collect();
    let families = all.iter().filter(|family| is_tested(family)).count() as f64;
    for family in &mut all {
        for pair in &mut family.pairs {
            let enough = pair.found.estimate.clusters >= LEAST_TOPICS;
            let p = pair.found.p_adjusted;
            pair.clear = enough && p.is_some_and(|p| p * families < VERDICT);
        }
    }
    all
}

fn is_tested(family: &Comparisons) -> bool {
    family.pairs.iter().any(|pair| pair.found.p.is_some())
}

/// What the scores of two models say to one being stronger.
pub(super) fn support(compared: &[Comparisons], above: &str, below: &str) -> Support {
    let pairs = compared.iter().flat_map(|family| &family.pairs);
    let of_both = pairs.filter(|it| it.is_of([above, below]) && it.found.p.is_some());
    let tested: Vec<_> = of_both.collect();
    let clear = tested.iter().filter(|pair| pair.clear);
    let higher: BTreeSet<&str> = clear.map(|pair| pair.in_order()[0]).collect();
    if tested.is_empty() || higher == BTreeSet::from([above]) {
        return Support::Full;
    }
    let is_higher = |pair: &&PairedDifference| {
        pair.in_order()[0] == above && pair.found.estimate.value != Some(0.0)
    };
    let p = tested.iter().filter_map(|pair| pair.found.p_adjusted);
    match p.reduce(f64::min) {
        Some(p) if tested.iter().all(is_higher) => Support::SameWay(p),
        _ => Support::None,
    }
}

/// Puts the two of each pair in the order in which a leaderboard has them, so that a report takes all differences one way.
pub(super) fn in_order_of(boards: &[StrengthBoard], families: &mut [Comparisons]) {
    let place = |name: &str| boards.first()?.rows.iter().position(|row| row.name == name);
    for pair in families.iter_mut().flat_map(|family| &mut family.pairs) {
        let places = place(&pair.a).zip(place(&pair.b));
        if places.is_some_and(|(a, b)| b < a) {
            pair.turn();
        }
    }
}

fn of_format(view: &View<'_>, format: &str) -> Option<Comparisons> {
    let totals = Totals::new(view, format);
    let models = totals.models();
    let debates = view.of_format(format);
    let scored: Vec<&Facts> =
        debates.filter(|(_, facts)| !facts.scores.is_empty()).map(|(_, facts)| facts).collect();
    let scales: BTreeSet<(u8, u8)> = scored.iter().filter_map(|facts| facts.scale()).collect();
    if scored.is_empty() {
        return None;
    }
    let each = models.iter().enumerate();
    let mut pairs: Vec<PairedDifference> = each
        .flat_map(|(i, a)| models[i + 1..].iter().map(move |b| (a, b)))
        .map(|(a, b)| pair(view, &totals, a, b))
        .collect();
    corrected(pairs.iter_mut().map(|pair| &mut pair.found));
    let tested = pairs.iter().filter(|pair| pair.found.p.is_some()).count();
    // Scores on several scales have no common one to call points by.
    let scale = scales.first().copied().filter(|_| scales.len() == 1);
    let planned = scale.map(|scale| Planned::score(scale).difference());
    for pair in &mut pairs {
        pair.topics_needed =
            planned.and_then(|planned| topics_needed(&pair.found, planned, tested));
        pair.say_what_is_known(scale);
    }
    let reason = (models.len() < 2).then(|| match models.first() {
        Some(model) => format!("{model} is the only scored model"),
        None => "no model was scored".to_owned(),
    });
    Some(Comparisons {
        format: format.to_owned(),
        scale,
        mixed_scales: scales.len() > 1,
        planned,
        pairs,
        reason,
    })
}

impl PairedDifference {
    /// Keeps the difference on its scale, and what could have been seen to where enough topics tell how much they vary.
    fn say_what_is_known(&mut self, scale: Option<(u8, u8)>) {
        if let Some((low, high)) = scale {
            self.found.end_at(high.saturating_sub(low).into());
        }
        if self.found.estimate.clusters < LEAST_TOPICS {
            (self.topics_needed, self.found.detectable) = (None, None);
        }
    }
}

/// The difference between two models, without p corrected for others.
fn pair(view: &View<'_>, totals: &Totals<'_, '_>, a: &str, b: &str) -> PairedDifference {
    let paired = totals.paired(a, b);
    let debates = paired.pairs.numbers();
    let mut found = difference(&paired.pairs.sample);
    if let Some(confounded) = &paired.confounded {
        found = Difference {
            estimate: found.estimate.without_interval(&confounding::clause(confounded)),
            ..Difference::default()
        };
    }
    PairedDifference {
        a: a.to_owned(),
        b: b.to_owned(),
        seats: paired.seats,
        same_opponents: paired.same_opponents,
        unpaired_meetings: paired.unpaired_meetings,
        at_equal_length: at_equal_length(view, [a, b], &debates)
            .filter(|_| paired.confounded.is_none()),
        debates,
        confounded: paired.confounded,
        clear: false,
        topics_needed: None,
        found,
    }
}

/// Topics that would show a difference, at the level that Holm's method asks of the smallest of `tested` p.
fn topics_needed(found: &Difference, planned: f64, tested: usize) -> Option<usize> {
    let level = ALPHA / tested.max(1) as f64;
    Spread::new(&found.estimate)?.clusters_needed(planned, level)
}
