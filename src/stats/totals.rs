//! Which totals of two models are paired: those of one topic, across seats where these are balanced on it or in a job on it, otherwise
//! within a seat.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::cell;
use super::confounding::{Seat, Seats};
use super::counted_debates::{Sample, View, numbers};
use super::findings::{Confounded, PairedSeats, Trait};
use super::group::judge_of;
use super::rubric::Rubric;
use crate::event::ReadingStatus;
use crate::facts::{Facts, Person, Text};
use crate::job::profile_of;
use statistics::groups::by_key;
use statistics::paired::Pair;

/// What the matrix assigned beside models, by path; shared by all slots that have the same.
type Cell = Arc<[(String, String)]>;

/// What two models share when their scores are paired: the topic, the seed, by what they were judged, and what the matrix
/// assigned beside models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Slot<'c> {
    topic: &'c str,
    seed: u64,
    rubric: Rubric<'c>,
    cell: Cell,
    /// The models that judged and were heard, in order. In knockouts contestants judge each other.
    judges: Vec<&'c str>,
    /// The participant's id; `None` where seats are not told apart.
    seat: Option<&'c str>,
}

/// What a model reached in a slot: by debate, in order.
#[derive(Debug, Default, Clone)]
struct Reached(Vec<Total>);

#[derive(Debug, Clone, Copy)]
struct Total {
    debate: usize,
    /// Whose it is.
    place: u8,
    value: f64,
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

/// What models of a format reached, by what is the same.
pub(super) struct Totals<'c, 'v> {
    view: &'v View<'c>,
    within: Slots<'c>,
    across: Slots<'c>,
    /// Whoever judged.
    judges: BTreeSet<&'c str>,
    /// Whether scores are ballots of those who debate.
    are_ballots: bool,
    any: LazyCell<Slots<'c>, Box<dyn FnOnce() -> Slots<'c> + 'v>>,
}

/// The totals of two models that are paired.
pub(super) struct Paired {
    pub(super) pairs: Sample<Pair>,
    pub(super) seats: Option<PairedSeats>,
    /// Whether both met the same others equally often.
    pub(super) same_opponents: bool,
    /// Debates of the two with each other of which no total is paired.
    pub(super) unpaired_meetings: usize,
    /// What is in the way of comparing them.
    pub(super) confounded: Option<Confounded>,
}

/// What two models reached in the same slots.
#[derive(Default)]
struct Shared<'c> {
    pairs: Sample<Pair>,
    seats: Seats<'c>,
}

impl<'c, 'v> Totals<'c, 'v> {
    pub(super) fn new(view: &'v View<'c>, format: &'v str) -> Self {
        let across = slots(view, format, Same::Judges);
        Self {
            view,
            within: slots(view, format, Same::Seat),
            judges: across.keys().flat_map(|slot| &slot.judges).copied().collect(),
            across,
            are_ballots: profile_of(format).team.is_some(),
            any: LazyCell::new(Box::new(move || slots(view, format, Same::Rest))),
        }
    }

    /// The models that have any, in order.
    pub(super) fn models(&self) -> Vec<&'c str> {
        let reached = self.within.values().flat_map(|models| &models.0);
        let models: BTreeSet<&str> = reached.map(|(model, _)| *model).collect();
        models.into_iter().collect()
    }

    /// The pairs of two models.
    pub(super) fn paired(&self, a: &str, b: &str) -> Paired {
        let (shared, seats) = self.chosen([a, b]);
        Paired {
            seats,
            same_opponents: shared.seats.have_same_opponents([a, b]),
            unpaired_meetings: self.unpaired_meetings(&shared, [a, b]),
            confounded: self.confounded(&shared, [a, b]),
            pairs: shared.pairs,
        }
    }

    /// In how many debates the two met and were scored, and no total is paired: what either reached has no counterpart.
    fn unpaired_meetings(&self, shared: &Shared<'c>, pair: [&str; 2]) -> usize {
        let met: BTreeSet<usize> = self
            .independent(&self.across, pair)
            .flat_map(|(_, [of_a, of_b])| {
                let of_b: BTreeSet<usize> = debates([of_b, of_b]).collect();
                debates([of_a, of_a]).filter(move |debate| of_b.contains(debate))
            })
            .collect();
        met.difference(&shared.pairs.debates).count()
    }

    /// Within a seat, one of the two may have met weaker opponents than the other. So seats are kept apart only where they, or
    /// opponents, are not balanced; and there only totals against the same opponents are paired.
    fn chosen(&self, pair: [&str; 2]) -> (Shared<'c>, Option<PairedSeats>) {
        let mut shared = Shared::default();
        for both in self.balanced(pair) {
            self.add(&mut shared, both.each_ref());
        }
        let across = shared.pairs.sample.len();
        let paired = shared.pairs.debates.clone();
        for (_, reached) in self.independent(&self.within, pair) {
            let others = reached.map(|its| its.outside(&paired));
            self.add_by_opponents(&mut shared, others.each_ref(), pair);
        }
        let seats = match (across, shared.pairs.sample.len() - across) {
            (0, 0) => PairedSeats::Any,
            (0, _) => PairedSeats::Same,
            (_, 0) => PairedSeats::Balanced,
            _ => PairedSeats::Mixed,
        };
        if seats == PairedSeats::Any {
            self.independent(&self.across, pair)
                .for_each(|(_, both)| self.add_by_opponents(&mut shared, both, pair));
        }
        if shared.pairs.sample.is_empty() {
            self.independent(&self.across, pair).for_each(|(_, both)| self.add(&mut shared, both));
        }
        let is_any = !shared.pairs.sample.is_empty();
        (shared, is_any.then_some(seats))
    }

    /// What is paired across seats: on a topic all, if seats and opponents are balanced; else what single jobs that are balanced
    /// there have, so that a job beside them takes nothing from them.
    fn balanced(&self, pair: [&str; 2]) -> Vec<[Reached; 2]> {
        let slots = self.independent(&self.across, pair);
        let topics = by_key(slots.map(|(slot, reached)| (slot.topic, reached)));
        let of_topic = topics.into_values().flat_map(|slots| {
            let whole: Vec<_> = slots.iter().map(|both| both.map(Reached::clone)).collect();
            if self.is_balanced(&whole, pair) {
                return whole;
            }
            let jobs = slots.iter().flat_map(|both| split(*both, |total| self.job_of(total)));
            let jobs = by_key(jobs).into_values().filter(|slots| self.is_balanced(slots, pair));
            jobs.flatten().collect()
        });
        of_topic.collect()
    }

    /// Whether seats and opponents of two models are balanced in these slots together.
    fn is_balanced(&self, slots: &[[Reached; 2]], pair: [&str; 2]) -> bool {
        let mut seats = Seats::default();
        slots.iter().for_each(|both| self.seat(&mut seats, both.each_ref()));
        seats.are_balanced() && seats.have_same_opponents(pair)
    }

    /// Adds one pair: the means of what both reached.
    fn add(&self, shared: &mut Shared<'c>, reached: [&Reached; 2]) {
        let [a, b] = reached.map(Reached::mean);
        let cluster = self.view.cluster(reached[0].0[0].debate);
        shared.pairs.sample.push(Pair { cluster, a, b });
        shared.pairs.debates.extend(debates(reached));
        self.seat(&mut shared.seats, reached);
    }

    /// Adds a pair for each set of opponents that both met.
    fn add_by_opponents(&self, shared: &mut Shared<'c>, reached: [&Reached; 2], pair: [&str; 2]) {
        let by_opponents = split(reached, |total| self.seat_of(total).opponents(pair));
        by_opponents.for_each(|(_, both)| self.add(shared, both.each_ref()));
    }

    /// Adds the seats of both models in a slot.
    fn seat(&self, seats: &mut Seats<'c>, reached: [&Reached; 2]) {
        for (side, reached) in reached.into_iter().enumerate() {
            seats.add(side, reached.0.iter().map(|total| self.seat_of(total)));
        }
    }

    fn seat_of(&self, total: &Total) -> Seat<'c> {
        let facts = self.view.debates[total.debate];
        Seat { facts, person: &facts.people[usize::from(total.place)] }
    }

    fn job_of(&self, total: &Total) -> &'c str {
        &self.view.debates[total.debate].private.job
    }

    /// What is in the way of comparing two models.
    fn confounded(&self, shared: &Shared<'_>, pair: [&str; 2]) -> Option<Confounded> {
        let by = |by, debates| Confounded::new(pair, self.named(by), debates);
        if !shared.pairs.sample.is_empty() {
            let seats = &shared.seats;
            let found = seats.confounder(false).or_else(|| seats.other_opponents(pair))?;
            return Some(by(found, shared.pairs.numbers()));
        }
        let own = |of: Trait| {
            let partial = self.partial(of, pair);
            let slots = common(&self.across, pair);
            let own = slots.filter(|(slot, _)| slot.has_any(&partial));
            let own = numbers(own.flat_map(|(_, reached)| debates(reached)));
            (!own.is_empty()).then(|| by(of, own))
        };
        PARTIAL.into_iter().find_map(own).or_else(|| self.never_alike(pair))
    }

    /// An obstacle by what would settle it: where debaters judge, no job has others in their place.
    fn named(&self, obstacle: Trait) -> Trait {
        match obstacle {
            Trait::OwnJudges if self.are_ballots => Trait::OwnBallots,
            other => other,
        }
    }

    /// What is in the way of comparing two models that were never heard by the same judges.
    fn never_alike(&self, pair: [&str; 2]) -> Option<Confounded> {
        let any: BTreeSet<usize> =
            common(&self.any, pair).flat_map(|(_, reached)| debates(reached)).collect();
        let own = |of: Trait| {
            let partial = self.partial(of, pair);
            let is_own = |debate: &usize| {
                let mut judges = heard(self.view.debates[*debate]).into_iter();
                judges.any(|judge| partial.contains(judge))
            };
            let own = numbers(any.iter().copied().filter(is_own));
            (!own.is_empty()).then(|| Confounded::new(pair, self.named(of), own))
        };
        let heard =
            || (!any.is_empty()).then(|| Confounded::new(pair, Trait::Heard, numbers(any.clone())));
        PARTIAL.into_iter().find_map(own).or_else(heard)
    }

    /// The slots that both models have, and in which no judge may favour one of them.
    fn independent<'s>(
        &self,
        slots: &'s Slots<'c>,
        pair: [&'s str; 2],
    ) -> impl Iterator<Item = (&'s Slot<'c>, [&'s Reached; 2])> + use<'s, 'c, 'v> {
        let partial = PARTIAL.map(|of| self.partial(of, pair));
        common(slots, pair).filter(move |(slot, _)| !partial.iter().any(|own| slot.has_any(own)))
    }

    /// The judges that may favour one of two models: these models themselves, or those of the family of one only.
    fn partial(&self, of: Trait, pair: [&str; 2]) -> BTreeSet<&'c str> {
        let related = self.view.related();
        let judges = self.judges.iter().copied();
        judges
            .filter(|judge| match of {
                Trait::OwnJudges => pair.contains(judge),
                _ => related.are(judge, pair[0]) != related.are(judge, pair[1]),
            })
            .collect()
    }
}

/// What two models reached, apart by a key, as far as both have it.
fn split<K: Ord>(
    reached: [&Reached; 2],
    key: impl Fn(&Total) -> K,
) -> impl Iterator<Item = (K, [Reached; 2])> {
    let mut by: BTreeMap<K, [Reached; 2]> = BTreeMap::new();
    for (side, its) in reached.into_iter().enumerate() {
        for total in &its.0 {
            by.entry(key(total)).or_default()[side].0.push(*total);
        }
    }
    by.into_iter().filter(|(_, both)| both.iter().all(|its| !its.0.is_empty()))
}

fn debates<'r>(reached: [&'r Reached; 2]) -> impl Iterator<Item = usize> + use<'r> {
    reached.into_iter().flat_map(|its| &its.0).map(|total| total.debate)
}

/// A reason to leave out debates of two: a judge that may favour one of them.
const PARTIAL: [Trait; 2] = [Trait::OwnJudges, Trait::RelatedJudges];

/// The slots that both models have.
fn common<'s, 'c>(
    slots: &'s Slots<'c>,
    [a, b]: [&str; 2],
) -> impl Iterator<Item = (&'s Slot<'c>, [&'s Reached; 2])> {
    let both = move |models: &'s Models<'c>| Some([models.get(a)?, models.get(b)?]);
    slots.iter().filter_map(move |(slot, models)| Some((slot, both(models)?)))
}

impl<'c> Models<'c> {
    fn get(&self, model: &str) -> Option<&Reached> {
        self.0.iter().find(|(known, _)| *known == model).map(|(_, reached)| reached)
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

impl Reached {
    fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|total| total.value).sum();
        sum / self.0.len() as f64
    }

    /// It without some debates.
    fn outside(&self, debates: &BTreeSet<usize>) -> Self {
        let others = self.0.iter().filter(|total| !debates.contains(&total.debate));
        Self(others.copied().collect())
    }
}

fn slots<'c>(view: &View<'c>, format: &str, same: Same) -> Slots<'c> {
    let mut slots = Slots::new();
    // Many debates are of few cells.
    let mut cells: HashMap<&[(Text, Text)], Cell> = HashMap::new();
    for (debate, facts) in view.of_format(format) {
        let cell = cells.entry(&facts.private.cell);
        let cell = cell.or_insert_with(|| cell::without_models(facts).into());
        for (place, person) in facts.judged_or_arguing().filter(|(_, p)| facts.scores_count(p)) {
            let (Some(model), Some(total)) = (person.model.as_deref(), facts.total_of(place))
            else {
                continue;
            };
            let slot = Slot::new(facts, person, Arc::clone(cell), same);
            let reached = slots.entry(slot).or_default().entry(model);
            reached.0.push(Total { debate, place, value: total });
        }
    }
    slots
}

impl<'c> Slot<'c> {
    fn has_any(&self, judges: &BTreeSet<&str>) -> bool {
        self.judges.iter().any(|judge| judges.contains(judge))
    }

    fn new(facts: &'c Facts, person: &'c Person, cell: Cell, same: Same) -> Self {
        Self {
            topic: &facts.topic,
            seed: facts.seed,
            rubric: Rubric::from_facts(facts),
            judges: match same {
                Same::Rest => Vec::new(),
                Same::Seat | Same::Judges => heard(facts),
            },
            cell,
            seat: (same == Same::Seat).then_some(&*person.id),
        }
    }
}

/// The models of judges who were heard, by the name of the debater who is on the same one.
fn heard(facts: &Facts) -> Vec<&str> {
    let valid = facts.readings.iter().filter(|reading| reading.status == ReadingStatus::Valid);
    let name = |judge| {
        let mut people = facts.judged_or_arguing().map(|(_, person)| person);
        let own = people.find(|person| facts.is_on(person, judge));
        own.and_then(|person| person.model.as_deref()).unwrap_or(judge)
    };
    let judges: BTreeSet<&str> = valid.map(judge_of).map(name).collect();
    judges.into_iter().collect()
}
