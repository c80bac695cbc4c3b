//! What debaters do, independent of judges' opinions: the flow as noted, and statements declined (row S2).

use std::collections::BTreeMap;

use super::counted_debates::{View, numbers};
use super::findings::{DebaterRow, Debaters, Measure};
use super::key::Key;
use super::measure::{Metric, Name, Samples, in_order};
use crate::facts::{Argued, Facts, Fates, Person};

/// What debaters are told apart by.
const TOLD_APART: [Key; 3] = [Key::Model, Key::Persona, Key::Position];

/// The metrics of what was done about points: answered, partly answered, dropped, conceded.
type Done = [Metric; 4];

/// About others' points by this one.
const TO_OTHERS: Done = [
    Metric::Answers,
    Metric::PartlyAnswers,
    Metric::Drops,
    Metric::Concedes,
];
/// About its own points by others.
const BY_OTHERS: Done = [
    Metric::OwnAnswered,
    Metric::OwnPartlyAnswered,
    Metric::OwnDropped,
    Metric::OwnConceded,
];

/// What debaters do, by model, persona and position.
pub(super) fn debaters(view: &View<'_>) -> Debaters {
    let ended = || {
        let debates = view.debates.iter();
        debates.filter(|facts| facts.ended() && !facts.is_control())
    };
    let noted = ended().filter(|facts| facts.is_noted()).count();
    Debaters {
        noted,
        not_noted: ended().count() - noted,
        rows: TOLD_APART.iter().flat_map(|key| rows(view, key)).collect(),
    }
}

fn rows(view: &View<'_>, key: &Key) -> Vec<DebaterRow> {
    let mut all: BTreeMap<(&str, &str), Vec<(usize, &Person)>> = BTreeMap::new();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.ended()) {
        for (_, person) in facts.contestants().filter(|(_, p)| p.asked() > 0) {
            let name = key.of_person(person).unwrap_or_default();
            let own = all.entry((&facts.format, name)).or_default();
            own.push((debate, person));
        }
    }
    let row = |((format, name), own): ((&str, &str), Vec<(usize, &Person)>)| DebaterRow {
        of: key.to_string(),
        name: name.to_owned(),
        format: format.to_owned(),
        statements: own.iter().map(|(_, p)| p.asked() as usize).sum(),
        declined: own.iter().map(|(_, p)| p.declined as usize).sum(),
        measures: in_order(measured(view, &own)),
        debates: numbers(own.iter().map(|(debate, _)| *debate)),
    };
    all.into_iter().map(row).collect()
}

/// What people did about arguments, one measure after the other: what is observed is many times larger than what is measured.
pub(super) fn measured<'c>(
    view: &View<'c>,
    people: &[(usize, &Person)],
) -> Vec<(Name<'c>, Measure)> {
    let one = |what: Metric| {
        let mut samples = Samples::new(view);
        let people = people.iter();
        people.for_each(|(debate, person)| observe(&mut samples, what, *debate, person));
        samples.measured()
    };
    metrics().flat_map(one).collect()
}

/// What is measured of them.
fn metrics() -> impl Iterator<Item = Metric> {
    let own = [Metric::NewPoints, Metric::Repeats, Metric::Withdrawn];
    own.into_iter().chain(TO_OTHERS).chain(BY_OTHERS)
}

impl Facts {
    /// Whether its flow is known.
    fn is_noted(&self) -> bool {
        self.people.iter().any(|person| person.argued.is_some())
    }
}

/// Adds one measure of what someone did about arguments. A fallback model's words are not its own.
fn observe(samples: &mut Samples<'_, '_>, what: Metric, debate: usize, person: &Person) {
    let Some(argued) = person.argued.filter(|_| person.fallbacks == 0) else {
        return;
    };
    if what == Metric::NewPoints && argued.noted > 0 {
        let points = f64::from(argued.points) / f64::from(argued.noted);
        samples.add(what, debate, points);
    }
    let own = shares(&argued).filter(|(share, ..)| *share == what);
    for (_, count, of) in own {
        samples.add_share(what, debate, count.into(), of.into());
    }
}

/// Shares: what is counted, how many, of how many.
fn shares(argued: &Argued) -> impl Iterator<Item = (Metric, u16, u16)> {
    let repeating = argued.repeating.map(|n| (Metric::Repeats, n, argued.noted));
    let withdrawn = argued
        .withdrawn
        .map(|n| (Metric::Withdrawn, n, argued.points));
    let own = repeating.into_iter().chain(withdrawn);
    own.chain(done(TO_OTHERS, argued.others))
        .chain(done(BY_OTHERS, argued.own))
}

fn done(what: Done, fates: Fates) -> impl Iterator<Item = (Metric, u16, u16)> {
    let counts = [fates.answered, fates.partly, fates.dropped, fates.conceded];
    let each = what.into_iter().zip(counts);
    each.map(move |(what, count)| (what, count, fates.faced))
}
