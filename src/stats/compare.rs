//! Paired differences between models on what both debated.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Comparisons, PairedDifference};
use super::group::judge_of;
use super::rubric::Rubric;
use super::view::{Sample, View};
use crate::facts::{Facts, Kind, Person, Text};
use statistics::paired::{Difference, Pair, difference, holm, needed};

/// What two models share when their scores are paired: the topic, the seed, by what they were judged, and what the matrix
/// assigned beside models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Slot<'c> {
    topic: &'c str,
    seed: u64,
    rubric: Rubric<'c>,
    cell: Vec<(&'c str, &'c str)>,
    /// The models that judged the whole debate, in order. (In knockouts contestants judge each other: there the models compared are
    /// among the judges.)
    judges: Vec<&'c str>,
    /// The participant's id; `None` where seats are not told apart.
    seat: Option<&'c str>,
}

/// What a model reached in a slot.
#[derive(Debug, Default)]
struct Reached {
    cluster: usize,
    sum: f64,
    n: usize,
    /// In order; of one debate, as often as its seats give something.
    debates: Vec<usize>,
}

/// What models reached in the same slot: most often one or two, for which a map would be too large.
#[derive(Debug, Default)]
struct Models<'c>(Vec<(&'c str, Reached)>);

type Slots<'c> = BTreeMap<Slot<'c>, Models<'c>>;

impl<'c> Models<'c> {
    fn get(&self, model: &str) -> Option<&Reached> {
        let found = self.0.iter().find(|(known, _)| *known == model);
        found.map(|(_, reached)| reached)
    }

    fn entry(&mut self, model: &'c str) -> &mut Reached {
        let known = self.0.iter().position(|(known, _)| *known == model);
        let at = known.unwrap_or_else(|| {
            self.0.reserve_exact(1);
            self.0.push((model, Reached::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// The differences of each format.
pub(super) fn comparisons(view: &View<'_>) -> Vec<Comparisons> {
    let formats = view.formats().into_iter();
    formats
        .filter_map(|format| of_format(view, format))
        .collect()
}

fn of_format(view: &View<'_>, format: &str) -> Option<Comparisons> {
    let (seats, wide) = (slots(view, format, true), slots(view, format, false));
    let reached = seats.values().flat_map(|models| &models.0);
    let models: BTreeSet<&str> = reached.map(|(model, _)| *model).collect();
    let mut debates = view.of_format(format);
    let (_, scored) = debates.find(|(_, facts)| !facts.scores.is_empty())?;
    let models: Vec<&str> = models.into_iter().collect();
    let each = models.iter().enumerate();
    let mut pairs: Vec<PairedDifference> = each
        .flat_map(|(i, a)| models[i + 1..].iter().map(move |b| (a, b)))
        .map(|(a, b)| pair(&seats, &wide, a, b))
        .collect();
    holm(pairs.iter_mut().map(|pair| &mut pair.found));
    let reason = (models.len() < 2).then(|| match models.first() {
        Some(model) => format!("{model} is the only model that was scored"),
        None => "no model was scored".to_owned(),
    });
    Some(Comparisons {
        format: format.to_owned(),
        measure: "score.total".to_owned(),
        scale: scored.scale(),
        pairs,
        reason,
    })
}

/// Pairs within seats where any was taken by both; else over all seats.
fn pair(seats: &Slots<'_>, wide: &Slots<'_>, a: &str, b: &str) -> PairedDifference {
    let mut shared = pairs(seats, a, b);
    let across_seats = shared.sample.is_empty();
    if across_seats {
        shared = pairs(wide, a, b);
    }
    let found = difference(&shared.sample);
    PairedDifference {
        a: a.to_owned(),
        b: b.to_owned(),
        across_seats: across_seats && !shared.sample.is_empty(),
        needed: pairs_needed(&found),
        found,
        debates: shared.numbers(),
    }
}

/// Pairs that would show the difference found.
fn pairs_needed(found: &Difference) -> Option<usize> {
    let e = &found.estimate;
    needed(e.sd?, e.value?, 0.05, 0.8, found.deff?)
}

fn pairs(slots: &Slots<'_>, a: &str, b: &str) -> Sample<Pair> {
    let mut found = Sample::default();
    for reached in slots.values() {
        let (Some(a), Some(b)) = (reached.get(a), reached.get(b)) else {
            continue;
        };
        let mean = |reached: &Reached| reached.sum / reached.n as f64;
        found.sample.push(Pair {
            cluster: a.cluster,
            a: mean(a),
            b: mean(b),
        });
        found.debates.extend(a.debates.iter().chain(&b.debates));
    }
    found
}

fn slots<'c>(view: &View<'c>, format: &str, by_seat: bool) -> Slots<'c> {
    let mut slots = Slots::new();
    for (debate, facts) in view.of_format(format) {
        for (place, person) in facts
            .judged_or_arguing()
            .filter(|(_, p)| facts.scores_count(p))
        {
            let (Some(model), Some(total)) = (person.model.as_deref(), facts.total_of(place))
            else {
                continue;
            };
            let slot = Slot::new(facts, by_seat.then_some(person));
            let reached = slots.entry(slot).or_default().entry(model);
            reached.cluster = view.cluster(debate);
            reached.sum += total;
            reached.n += 1;
            reached.debates.push(debate);
        }
    }
    slots
}

impl<'c> Slot<'c> {
    fn new(facts: &'c Facts, seat: Option<&'c Person>) -> Self {
        let verdicts = facts.readings.iter().filter(|r| r.kind == Kind::Verdict);
        let judges: BTreeSet<&str> = verdicts.map(judge_of).collect();
        // The topic stands on its own; in the cell it may be spelt otherwise.
        let other = |(path, value): &'c (Text, Text)| {
            let is_model = path.rsplit('.').next() == Some("model");
            (!is_model && **path != *"topic").then_some((&**path, &**value))
        };
        Self {
            topic: &facts.topic,
            seed: facts.seed,
            rubric: Rubric::from_facts(facts),
            judges: judges.into_iter().collect(),
            cell: facts.cell.iter().filter_map(other).collect(),
            seat: seat.map(|person| &*person.id),
        }
    }
}
