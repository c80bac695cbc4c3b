//! Paired differences between models on topics both debated.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cell;
use super::claim::{LEAST_TOPICS, VERDICT};
use super::design::{self, Seat, Seats};
use super::findings::{Comparisons, Confounded, PairedDifference, Trait};
use super::group::judge_of;
use super::key::Key;
use super::planned::Planned;
use super::rubric::Rubric;
use super::view::{Sample, View, numbers};
use crate::event::ReadingStatus;
use crate::facts::{Facts, Person};
use statistics::paired::{ALPHA, Difference, POWER, Pair, Spread, corrected, difference, needed};

/// What two models share when their scores are paired: the topic, the seed, by what they were judged, and what the matrix
/// assigned beside models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Slot<'c> {
    topic: &'c str,
    seed: u64,
    rubric: Rubric<'c>,
    cell: Vec<(String, String)>,
    /// The models that judged and were heard, in order. In knockouts contestants judge each other.
    judges: Vec<&'c str>,
    /// The participant's id; `None` where seats are not told apart.
    seat: Option<&'c str>,
}

/// What a model reached in a slot.
#[derive(Debug, Default)]
struct Reached {
    sum: f64,
    /// The debates in order, with the place of who reached it.
    seats: Vec<(usize, u8)>,
}

/// By what material is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Same {
    /// The seat and the judges, and all else.
    Seat,
    /// The judges, and all else but the seat.
    Judges,
    /// All else.
    Rest,
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
    let mut all: Vec<Comparisons> = formats
        .filter_map(|format| of_format(view, format))
        .collect();
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

/// Whether the scores of two models bear out that one is stronger: they are not compared, or in one format the same one's are
/// clearly higher and in none the other's.
pub(super) fn bear_out(compared: &[Comparisons], above: &str, below: &str) -> bool {
    let pairs = compared.iter().flat_map(|family| &family.pairs);
    let named = |pair: &&PairedDifference| {
        let both = [&*pair.a, &*pair.b];
        both == [above, below] || both == [below, above]
    };
    let of_both = pairs.filter(named);
    let tested: Vec<_> = of_both.filter(|pair| pair.found.p.is_some()).collect();
    let clear = tested.iter().filter(|pair| pair.clear);
    let higher: BTreeSet<&str> = clear.map(|pair| pair.in_order()[0]).collect();
    tested.is_empty() || higher == BTreeSet::from([above])
}

fn of_format(view: &View<'_>, format: &str) -> Option<Comparisons> {
    let material = Material {
        view,
        seats: slots(view, format, Same::Seat),
        wide: slots(view, format, Same::Judges),
        any: LazyCell::new(Box::new(move || slots(view, format, Same::Rest))),
    };
    let reached = material.seats.values().flat_map(|models| &models.0);
    let models: BTreeSet<&str> = reached.map(|(model, _)| *model).collect();
    let mut debates = view.of_format(format);
    let (_, scored) = debates.find(|(_, facts)| !facts.scores.is_empty())?;
    let models: Vec<&str> = models.into_iter().collect();
    let each = models.iter().enumerate();
    let mut pairs: Vec<PairedDifference> = each
        .flat_map(|(i, a)| models[i + 1..].iter().map(move |b| (a, b)))
        .map(|(a, b)| material.pair(a, b))
        .collect();
    corrected(pairs.iter_mut().map(|pair| &mut pair.found));
    let tested = pairs.iter().filter(|pair| pair.found.p.is_some()).count();
    let scale = scored.scale();
    let planned = scale.map(|scale| Planned::score(scale).difference());
    for pair in &mut pairs {
        pair.needed = planned.and_then(|planned| pairs_needed(&pair.found, planned, tested));
        pair.topics_needed =
            planned.and_then(|planned| topics_needed(&pair.found, planned, tested));
    }
    let reason = (models.len() < 2).then(|| match models.first() {
        Some(model) => format!("{model} is the only scored model"),
        None => "no model was scored".to_owned(),
    });
    Some(Comparisons {
        format: format.to_owned(),
        measure: "score.total".to_owned(),
        scale,
        planned,
        pairs,
        reason,
    })
}

/// Pairs that would show a difference, at the level that Holm's method asks of the smallest of `tested` p.
fn pairs_needed(found: &Difference, planned: f64, tested: usize) -> Option<usize> {
    let level = ALPHA / tested.max(1) as f64;
    let deff = found.deff? * found.estimate.sizes.larger;
    needed(found.estimate.sd?, planned, level, POWER, deff)
}

/// Topics that would show it, at the same level.
fn topics_needed(found: &Difference, planned: f64, tested: usize) -> Option<usize> {
    let level = ALPHA / tested.max(1) as f64;
    Spread::new(&found.estimate)?.clusters_needed(planned, level)
}

/// What models of a format reached, by what is the same.
struct Material<'c, 'v> {
    view: &'v View<'c>,
    seats: Slots<'c>,
    wide: Slots<'c>,
    any: LazyCell<Slots<'c>, Box<dyn FnOnce() -> Slots<'c> + 'v>>,
}

/// What two models reached in the same slots.
#[derive(Default)]
struct Shared<'c> {
    pairs: Sample<Pair>,
    seats: Seats<'c>,
    /// The debates of slots in which a judge ran on the model of one of the two.
    own_judges: BTreeSet<usize>,
}

impl<'c> Material<'c, '_> {
    /// Pairs within seats where any was taken by both; else over all seats.
    fn pair(&self, a: &str, b: &str) -> PairedDifference {
        let mut shared = self.shared(&self.seats, a, b);
        let across_seats = shared.pairs.sample.is_empty();
        if across_seats {
            shared = self.shared(&self.wide, a, b);
        }
        let confounded = self.confounded(&shared, a, b);
        let mut found = difference(&shared.pairs.sample);
        if let Some(confounded) = &confounded {
            found = Difference {
                estimate: found.estimate.without_interval(&design::clause(confounded)),
                ..Difference::default()
            };
        }
        PairedDifference {
            a: a.to_owned(),
            b: b.to_owned(),
            across_seats: across_seats && !shared.pairs.sample.is_empty(),
            confounded,
            clear: false,
            needed: None,
            topics_needed: None,
            found,
            debates: shared.pairs.numbers(),
        }
    }

    fn shared(&self, slots: &Slots<'c>, a: &str, b: &str) -> Shared<'c> {
        let mut shared = Shared::default();
        for (slot, reached) in slots {
            let (Some(of_a), Some(of_b)) = (reached.get(a), reached.get(b)) else {
                continue;
            };
            let both = of_a
                .seats
                .iter()
                .chain(&of_b.seats)
                .map(|(debate, _)| *debate);
            if slot.judges.iter().any(|judge| *judge == a || *judge == b) {
                shared.own_judges.extend(both);
                continue;
            }
            shared.pairs.sample.push(Pair {
                cluster: self.view.cluster(of_a.seats[0].0),
                a: of_a.mean(),
                b: of_b.mean(),
            });
            shared.pairs.debates.extend(both);
            for (side, reached) in [of_a, of_b].into_iter().enumerate() {
                shared
                    .seats
                    .add(side, reached.seats.iter().map(|at| self.seat(*at)));
            }
        }
        shared
    }

    fn seat(&self, (debate, place): (usize, u8)) -> Seat<'c> {
        let facts = self.view.debates[debate];
        let person = &facts.people[usize::from(place)];
        Seat { facts, person }
    }

    /// What is in the way of comparing two models.
    fn confounded(&self, shared: &Shared<'_>, a: &str, b: &str) -> Option<Confounded> {
        let by = |by, debates| Confounded::new([a, b], by, debates);
        if !shared.pairs.sample.is_empty() {
            let found = shared.seats.confounder(&Key::Model, false)?;
            return Some(by(found, shared.pairs.numbers()));
        }
        if !shared.own_judges.is_empty() {
            return Some(by(
                Trait::OwnJudges,
                numbers(shared.own_judges.iter().copied()),
            ));
        }
        let any = self.shared(&self.any, a, b).pairs;
        let of_both = |debate: &usize| {
            heard(self.view.debates[*debate])
                .iter()
                .any(|judge| [a, b].contains(judge))
        };
        let why = match any.debates.iter().any(of_both) {
            true => Trait::OwnJudges,
            false => Trait::Heard,
        };
        (!any.sample.is_empty()).then(|| by(why, any.numbers()))
    }
}

impl Reached {
    fn mean(&self) -> f64 {
        self.sum / self.seats.len() as f64
    }
}

fn slots<'c>(view: &View<'c>, format: &str, same: Same) -> Slots<'c> {
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
            let slot = Slot::new(facts, person, same);
            let reached = slots.entry(slot).or_default().entry(model);
            reached.sum += total;
            reached.seats.push((debate, place));
        }
    }
    slots
}

impl<'c> Slot<'c> {
    fn new(facts: &'c Facts, person: &'c Person, same: Same) -> Self {
        Self {
            topic: &facts.topic,
            seed: facts.seed,
            rubric: Rubric::from_facts(facts),
            judges: match same {
                Same::Rest => Vec::new(),
                Same::Seat | Same::Judges => heard(facts),
            },
            cell: cell::without_models(facts),
            seat: (same == Same::Seat).then_some(&*person.id),
        }
    }
}

/// The models of judges who were heard, by the name of the debater who is on the same one.
fn heard(facts: &Facts) -> Vec<&str> {
    let readings = facts.readings.iter();
    let valid = readings.filter(|reading| reading.status == ReadingStatus::Valid);
    let name = |judge| {
        let mut people = facts.judged_or_arguing().map(|(_, person)| person);
        let own = people.find(|person| facts.is_on(person, judge));
        own.and_then(|person| person.model.as_deref())
            .unwrap_or(judge)
    };
    let judges: BTreeSet<&str> = valid.map(judge_of).map(name).collect();
    judges.into_iter().collect()
}
