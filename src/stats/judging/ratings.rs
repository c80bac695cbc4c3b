//! What judges gave to the same texts.

use crate::facts::{Facts, Score};
use crate::stats::group::judge_of;
use crate::stats::view::View;

/// What was judged: a contestant's round, or its whole debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) debate: usize,
    round: u32,
    pub(super) about: u8,
}

/// What a judge gave to a subject.
pub(super) struct Rating<'c> {
    pub(super) model: &'c str,
    pub(super) value: f64,
}

/// The ratings of each subject, in order.
pub(super) type Ratings<'c> = Vec<(Subject, Vec<Rating<'c>>)>;

/// What judges gave: the total, or one criterion. Judgments of one subject by the same judge are averaged.
pub(super) fn ratings<'c>(view: &View<'c>, format: &str, criterion: Option<&str>) -> Ratings<'c> {
    let of_format = view.ended(format);
    of_format
        .flat_map(|(debate, facts)| ratings_of(debate, facts, criterion))
        .collect()
}

fn ratings_of<'c>(debate: usize, facts: &'c Facts, criterion: Option<&str>) -> Ratings<'c> {
    let named = |score: &&Score| {
        score
            .criterion
            .map(|place| &*facts.criteria[usize::from(place)])
            == criterion
    };
    let given = facts.scores.iter().filter(named).map(|score| {
        let reading = facts.reading(score);
        let (judge, model) = (&*reading.judge, judge_of(reading));
        (reading.round, score.about, judge, model, score.value)
    });
    let mut given: Vec<_> = given.collect();
    given.sort_by(|a, b| (a.0, a.1, a.2, a.3).cmp(&(b.0, b.1, b.2, b.3)));
    let subjects = given.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    subjects
        .map(|same| {
            let (round, about, ..) = same[0];
            let judges = same.chunk_by(|a, b| (a.2, a.3) == (b.2, b.3));
            let rating = |own: &[(u32, u8, &'c str, &'c str, f64)]| Rating {
                model: own[0].3,
                value: own.iter().map(|(.., value)| value).sum::<f64>() / own.len() as f64,
            };
            (
                Subject {
                    debate,
                    round,
                    about,
                },
                judges.map(rating).collect(),
            )
        })
        .collect()
}
