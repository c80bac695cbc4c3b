//! Ratings of the same texts by several judges.

use crate::facts::{Facts, Score};
use crate::stats::counted_debates::View;
use crate::stats::group::judge_of;

/// What was judged: a contestant's round, or its whole debate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    pub(super) debate: usize,
    pub(super) about: u8,
}

impl Subject {
    /// The model that was judged, where its scores count.
    pub(super) fn model<'c>(&self, view: &View<'c>) -> Option<&'c str> {
        let facts = view.debates[self.debate];
        let person = &facts.people[usize::from(self.about)];
        let model = person.model.as_deref();
        model.filter(|_| facts.scores_count(person))
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
pub(super) fn ratings<'c>(view: &View<'c>, format: &str, criterion: Option<&str>) -> Ratings<'c> {
    let of_format = view.ended(format);
    of_format.flat_map(|(debate, facts)| ratings_of(debate, facts, criterion)).collect()
}

fn ratings_of<'c>(debate: usize, facts: &'c Facts, criterion: Option<&str>) -> Ratings<'c> {
    let named = |score: &&Score| {
        let own = score.criterion.map(usize::from);
        own.map(|place| &*facts.criteria[place]) == criterion
    };
    let mut given: Vec<_> = facts
        .scores
        .iter()
        .filter(named)
        .map(|score| {
            let reading = facts.reading(score);
            let judge = (&*reading.judge, judge_of(reading));
            ((reading.round, score.about), judge, score.value)
        })
        .collect();
    given.sort_by_key(|(subject, judge, _)| (*subject, *judge));
    let subjects = given.chunk_by(|a, b| a.0 == b.0);
    let ratings = subjects.map(|same| {
        let (_, about) = same[0].0;
        let judges = same.chunk_by(|a, b| a.1 == b.1).map(|own| Rating {
            judge: own[0].1.0,
            model: own[0].1.1,
            value: own.iter().map(|(.., value)| value).sum::<f64>() / own.len() as f64,
        });
        (Subject { debate, about }, judges.collect())
    });
    ratings.collect()
}
