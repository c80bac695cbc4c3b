//! What debaters do, independent of judges' opinions: the flow as noted, and statements declined (row S2).

use std::collections::BTreeMap;

use super::counted_debates::{View, numbers};
use super::findings::{DebaterRow, Debaters, Measure};
use super::key::Key;
use super::measure::{Metric, Name, Samples, in_order};
use crate::facts::{Argued, Facts, Person};

/// What debaters are told apart by.
const TOLD_APART: [Key; 3] = [Key::Model, Key::Persona, Key::Position];

/// What is measured of them, in this order.
const MEASURED: [Metric; 11] = [
    Metric::NewPoints,
    Metric::Repeats,
    Metric::Withdrawn,
    Metric::Answers,
    Metric::PartlyAnswers,
    Metric::Drops,
    Metric::Concedes,
    Metric::OwnAnswered,
    Metric::OwnPartlyAnswered,
    Metric::OwnDropped,
    Metric::OwnConceded,
];

/// What debaters do, by model, persona and position.
pub(super) fn debaters(view: &View<'_>) -> Debaters {
    let ended = || view.debates.iter().filter(|facts| facts.ended() && !facts.is_control());
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
            all.entry((&facts.format, name)).or_default().push((debate, person));
        }
    }
    let row = |((format, name), own): ((&str, &str), Vec<(usize, &Person)>)| DebaterRow {
        of: key.clone(),
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
        people.iter().for_each(|(debate, person)| observe(&mut samples, what, *debate, person));
        samples.measured()
    };
    MEASURED.into_iter().flat_map(one).collect()
}

impl Facts {
    /// Whether its flow is known.
    fn is_noted(&self) -> bool {
        self.people.iter().any(|person| person.argued.is_some())
    }
}

/// Adds one measure of what someone did about arguments. A fallback model's words are not its own.
fn observe(samples: &mut Samples<'_, '_>, what: Metric, debate: usize, person: &Person) {
    let Some(argued) = person.argued.filter(|_| person.fallbacks == 0) else { return };
    if what == Metric::NewPoints && argued.noted > 0 {
        let points = f64::from(argued.points) / f64::from(argued.noted);
        samples.add_all(what, debate, (0..argued.noted).map(|_| points));
    }
    if let Some((count, of)) = share(what, &argued) {
        samples.add_share(what, debate, count.into(), of.into());
    }
}

/// A share: how many, of how many.
fn share(what: Metric, argued: &Argued) -> Option<(u16, u16)> {
    let Argued { own, others, .. } = argued;
    Some(match what {
        Metric::Repeats => (argued.repeating?, argued.noted),
        Metric::Withdrawn => (argued.withdrawn?, argued.points),
        Metric::Answers => (others.answered, others.faced),
        Metric::PartlyAnswers => (others.partly, others.faced),
        Metric::Drops => (others.dropped, others.faced),
        Metric::Concedes => (others.conceded, others.faced),
        Metric::OwnAnswered => (own.answered, own.faced),
        Metric::OwnPartlyAnswered => (own.partly, own.faced),
        Metric::OwnDropped => (own.dropped, own.faced),
        Metric::OwnConceded => (own.conceded, own.faced),
        _ => return None,
    })
}
