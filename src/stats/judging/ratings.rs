//! Ratings of the same texts by several judges.

use super::instrument::Instrument;
use crate::facts::{Facts, Kind, Reading};
use crate::stats::counted_debates::View;
use crate::stats::group::judge_of;

/// What was judged: a contestant's round, its whole debate, or a side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    pub(super) debate: usize,
    /// The contestant; of a verdict on a team, none.
    pub(super) about: Option<u8>,
}

impl Subject {
    /// The model that was judged, where its scores count.
    pub(super) fn model<'c>(&self, view: &View<'c>) -> Option<&'c str> {
        let facts = view.debates[self.debate];
        let person = &facts.people[usize::from(self.about?)];
        person.model.as_deref().filter(|_| facts.scores_count(person))
    }
}

/// What a judge gave to a subject.
pub(super) struct Rating<'c> {
    /// The judge's id.
    pub(super) judge: &'c str,
    pub(super) model: &'c str,
    pub(super) value: f64,
}

/// The ratings of each subject, in order.
pub(super) type Ratings<'c> = Vec<(Subject, Vec<Rating<'c>>)>;

/// What judges gave: the total, or one criterion. Judgments of one subject by the same judge are averaged.
pub(super) fn ratings<'c>(
    view: &View<'c>,
    by: Instrument<'_>,
    criterion: Option<&str>,
) -> Ratings<'c> {
    let of_format = view.ended(by.format);
    of_format.flat_map(|(debate, facts)| ratings_of(debate, facts, by.kind, criterion)).collect()
}

fn ratings_of<'c>(
    debate: usize,
    facts: &'c Facts,
    kind: Kind,
    criterion: Option<&str>,
) -> Ratings<'c> {
    let of_team = kind == Kind::Verdict && facts.profile().team.is_some();
    let mut given: Vec<Given<'_>> = match criterion {
        None if of_team => facts.readings.iter().flat_map(of_sides).collect(),
        _ => of_people(facts, kind, criterion).collect(),
    };
    given.sort_by_key(|(subject, judge, _)| (*subject, *judge));
    let ratings = given.chunk_by(|a, b| a.0 == b.0).map(|same| {
        let (_, about) = same[0].0;
        let judges = same.chunk_by(|a, b| a.1 == b.1).map(|own| Rating {
            judge: own[0].1.0,
            model: own[0].1.1,
            value: own.iter().map(|(.., value)| value).sum::<f64>() / own.len() as f64,
        });
        (Subject { debate, about: (!of_team).then_some(about) }, judges.collect())
    });
    ratings.collect()
}

/// What was judged, by round and place; by which judge, by id and model; what it gave.
type Given<'c> = ((u32, u8), (&'c str, &'c str), f64);

/// What judgments gave to each contestant.
fn of_people<'c>(
    facts: &'c Facts,
    kind: Kind,
    criterion: Option<&str>,
) -> impl Iterator<Item = Given<'c>> {
    facts.scores.iter().filter_map(move |score| {
        let (reading, own) = (facts.reading(score), score.criterion.map(usize::from));
        let is_it = own.map(|place| &*facts.criteria[place]) == criterion;
        let judge = (&*reading.judge, judge_of(reading));
        (is_it && reading.kind == kind).then_some((
            (reading.round, score.about),
            judge,
            score.value,
        ))
    })
}

/// What a verdict gave to a team and to its opponent.
fn of_sides(reading: &Reading) -> impl Iterator<Item = Given<'_>> {
    let judge = (&*reading.judge, judge_of(reading));
    let first = reading.first_side();
    let sides = [first, 1 - first].into_iter().zip(reading.totals.into_iter().flatten());
    sides.map(move |(side, total)| ((0, side), judge, total))
}
