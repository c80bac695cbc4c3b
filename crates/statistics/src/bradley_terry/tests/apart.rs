//! Groups between which all wins go one way: strengths within, order between.

use super::super::{Fit, Options, Rating, fit};
use super::reference::{assert_close, case};
use super::{Row, both, comparisons};

/// What is told of an entity but for ranks.
fn numbers(rating: &Rating) -> Vec<f64> {
    let numbers = [rating.theta, rating.elo, rating.low, rating.high];
    numbers.into_iter().flatten().collect()
}

fn ranks(rating: &Rating) -> (Option<usize>, Option<usize>) {
    (rating.rank_best, rating.rank_worst)
}

fn says<'f>(fit: &'f Fit, part: &str) -> Option<&'f String> {
    fit.reasons.iter().find(|text| text.contains(part))
}

/// On each topic `above` beats `below` once in either order.
fn beats(above: usize, below: usize, topics: std::ops::Range<usize>) -> Vec<Row> {
    let both_orders = |topic| [1, -1].map(|first| (topic, above, below, 1.0, first, first));
    topics.flat_map(both_orders).collect()
}

/// Two that win and lost against each other.
fn even(a: usize, b: usize, topics: usize) -> Vec<Row> {
    let row = |topic: usize| {
        let score = f64::from(u8::from(!topic.is_multiple_of(3)));
        [(topic, a, b, score, 1, -1), (topic, b, a, 1.0 - score, 1, 1)]
    };
    (0..topics).flat_map(row).collect()
}

#[test]
fn s3_one_that_wins_or_loses_everything_leaves_the_others_as_if_it_had_not_been_there() {
    let (entities, core) = case("effects");
    let alone = fit(entities, &comparisons(&core), &both(200));
    let topics = 0..core.iter().map(|row| row.0 + 1).max().expect("rows");
    let (winner, loser) = (entities, entities + 1);
    let mut rows = core.clone();
    rows.extend((0..entities).flat_map(|core| beats(winner, core, topics.clone())));
    rows.extend((0..entities).flat_map(|core| beats(core, loser, topics.clone())));
    let fit = fit(entities + 2, &comparisons(&rows), &both(200));
    for (with, without) in fit.ratings.iter().zip(&alone.ratings) {
        assert_eq!(numbers(without).len(), 4);
        assert_close(&numbers(with), &numbers(without), 1e-9);
        assert_eq!(with.replicates, without.replicates);
        assert_eq!(with.rank_best, without.rank_best.map(|rank| rank + 1));
        assert_eq!(with.rank_worst, without.rank_worst.map(|rank| rank + 1));
    }
    assert_eq!((&fit.order, &fit.side), (&alone.order, &alone.side));
    assert_eq!((fit.ridged, fit.components), (alone.ridged, 1));
    let last = Some(entities + 2);
    for (entity, rank, word) in [(winner, Some(1), "won"), (loser, last, "lost")] {
        let rating = &fit.ratings[entity];
        assert_eq!((numbers(rating), ranks(rating)), (vec![], (rank, rank)));
        let reason = rating.reason.as_deref().unwrap();
        assert!(reason.starts_with(&format!("{word} every debate: how far ")), "{reason}");
    }
    assert_eq!(fit.lead().map(|lead| lead.above), alone.lead().map(|lead| lead.above));
    assert!(says(&fit, "have no strength").is_some());
}

#[test]
fn s3_between_groups_that_only_win_one_way_there_is_an_order_and_no_distance() {
    let mut rows = even(0, 1, 30);
    rows.extend(even(2, 3, 30));
    rows.extend(beats(2, 0, 0..8));
    let fit = fit(4, &comparisons(&rows), &both(200));
    let groups: Vec<usize> = fit.ratings.iter().map(|rating| rating.group).collect();
    assert_eq!((fit.components, groups), (1, vec![2, 2, 1, 1]));
    for pair in [[0, 1], [2, 3]] {
        let sum: f64 = pair.iter().map(|at| fit.ratings[*at].theta.unwrap()).sum();
        assert!(sum.abs() < 1e-9, "{sum}");
    }
    assert!(fit.ratings.iter().all(|rating| rating.low.is_some()));
    assert_eq!(ranks(&fit.ratings[2]).1, Some(3), "surely above 0 and nobody else");
    assert_eq!(ranks(&fit.ratings[0]), (Some(2), Some(4)));
    assert!(says(&fit, "compare Elo within a group only").is_some());
    assert!(says(&fit, "have no strength").is_none());
    assert_eq!(fit.lead().map(|lead| lead.above.min(lead.below)), Some(2));
}

#[test]
fn s3_one_between_two_that_it_only_lost_to_and_only_beat_has_no_strength() {
    let mut rows = even(0, 1, 30);
    rows.extend(beats(2, 0, 0..10));
    rows.extend(beats(3, 2, 0..10));
    let fit = fit(4, &comparisons(&rows), &both(100));
    assert_eq!(numbers(&fit.ratings[2]), Vec::<f64>::new());
    let reason = fit.ratings[2].reason.as_deref().unwrap();
    assert!(reason.contains("won every debate with some and lost every one"), "{reason}");
    assert_eq!(ranks(&fit.ratings[3]), (Some(1), Some(2)), "above 2, and so above 0");
    assert_eq!(ranks(&fit.ratings[2]), (Some(2), Some(3)));
}

/// Six heads in a row come once in 64: on either side, that is below 5%. Five do not, nor do six where the first speaker wins
/// two times in three and was the winner.
#[test]
fn s3_wins_without_exception_put_above_if_equals_would_hardly_win_so_often() {
    let ranked = |topics, always_first| {
        let mut rows: Vec<Row> = Vec::new();
        for topic in 0..30_usize {
            let score = f64::from(u8::from(!topic.is_multiple_of(3)));
            rows.extend([(topic, 0, 1, score, 1, 0), (topic, 1, 0, score, 1, 0)]);
        }
        let first = if always_first { 1 } else { -1 };
        rows.extend((0..topics).flat_map(|topic| [(topic, 2, 0, 1.0, first, 0); 3]));
        let fit = fit(3, &comparisons(&rows), &Options { side: false, ..both(100) });
        assert!(fit.order.value.unwrap() > 0.5);
        ranks(&fit.ratings[2])
    };
    assert_eq!(ranked(10, true), (Some(1), Some(2)));
    assert_eq!(ranked(6, true), (None, None));
    assert_eq!(ranked(6, false), (Some(1), Some(2)));
    // That a place seems to hold the winner back does not make a win tell more.
    assert_eq!(ranked(5, false), (None, None));
    let blind = |topics: usize| {
        let mut rows: Vec<Row> = even(0, 1, 30);
        rows.extend((0..topics).map(|topic| (topic, 2, 0, 1.0, 0, 0)));
        let plain = Options { order: false, side: false, ..both(100) };
        ranks(&fit(3, &comparisons(&rows), &plain).ratings[2])
    };
    assert_eq!((blind(5), blind(6)), ((None, None), (Some(1), Some(2))));
}
