//! Where a number would be false there is none, and a reason.

use super::super::{Fit, Options, Rating, fit};
use super::{Row, both, comparisons, plain};
use crate::paired::ALPHA;

/// Everyone beats everyone once on each of `topics` topics, with the order of speakers and the sides changing.
fn even(entities: usize, topics: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for topic in 0..topics {
        for a in 0..entities {
            for b in 0..a {
                let sign = |bit: usize| {
                    if (topic + a + b) >> bit & 1 == 0 { 1 } else { -1 }
                };
                rows.push((topic, a, b, 1.0, sign(0), sign(1)));
                rows.push((topic, b, a, 1.0, sign(1), sign(0)));
            }
        }
    }
    rows
}

/// A fit, all of whose numbers are finite.
fn sound(entities: usize, rows: &[Row], options: &Options) -> Fit {
    let fit = fit(entities, &comparisons(rows), options);
    let numbers = fit.ratings.iter().flat_map(|r| [r.theta, r.elo, r.low, r.high]);
    let effects = [&fit.order, &fit.side]
        .into_iter()
        .flat_map(|e| [e.value, e.low, e.high, e.expected_score]);
    assert!(numbers.chain(effects).flatten().all(f64::is_finite), "{fit:?}");
    fit
}

fn says(texts: &[String], part: &str) -> bool {
    texts.iter().any(|text| text.contains(part))
}

fn reason(reason: &Option<String>) -> &str {
    reason.as_deref().unwrap_or("no reason")
}

#[test]
fn s3_where_one_wins_everything_there_is_an_order_and_no_strength() {
    let rows: Vec<Row> = (0..10).map(|topic| (topic, 0, 1, 1.0, 0, 0)).collect();
    let fit = sound(2, &rows, &both(100));
    assert_eq!(fit.reasons, ["wins went one way only, so strengths cannot be estimated"]);
    assert!(reason(&fit.ratings[0].reason).contains("won every debate"));
    assert!(reason(&fit.ratings[1].reason).contains("lost every debate"));
    let told = |r: &Rating| (r.theta, r.elo, r.low, r.rank_best, r.rank_worst);
    let at = |rank| (None, None, None, Some(rank), Some(rank));
    assert_eq!([told(&fit.ratings[0]), told(&fit.ratings[1])], [at(1), at(2)]);
    assert!(fit.lead().is_none());
    assert!(reason(&fit.order.reason).starts_with("wins went one way only"));
}

#[test]
fn s3_one_who_never_loses_has_no_strength_while_other_groups_have() {
    let mut rows = even(2, 4);
    rows.push((0, 0, 1, 1.0, 0, 0));
    rows.extend((0..4).map(|topic| (topic, 2, 3, 1.0, 0, 0)));
    let fit = sound(4, &rows, &plain());
    assert_eq!(fit.components, 2);
    let half = (5.0_f64 / 4.0).ln() / 2.0;
    assert!((fit.ratings[0].theta.unwrap() - half).abs() < 1e-12, "5 to 4, without a ridge");
    assert_eq!(fit.ratings[2].theta, None);
    assert!(reason(&fit.ratings[2].reason).starts_with("won every debate: "));
    assert!(says(&fit.reasons, "compare Elo within a group only"));
}

#[test]
fn s3_groups_that_nothing_joins_are_ranked_apart() {
    let mut rows = even(2, 30);
    rows.extend(even(3, 30).iter().map(|(t, a, b, y, f, s)| (*t, a + 2, b + 2, *y, *f, *s)));
    rows.extend((0..30).map(|t| (t, 4, 2, f64::from(u8::from(t % 3 > 0)), 0, 0)));
    rows.extend((0..30).map(|t| (t, 0, 1, f64::from(u8::from(t % 4 > 0)), 0, 0)));
    let fit = sound(5, &rows, &both(100));
    assert_eq!(fit.components, 2);
    let components: Vec<usize> = fit.ratings.iter().map(|r| r.component).collect();
    assert_eq!(components, [1, 1, 2, 2, 2]);
    let sum = |of: &[usize]| of.iter().map(|e| fit.ratings[*e].theta.unwrap()).sum::<f64>();
    assert!(sum(&[0, 1]).abs() < 1e-12 && sum(&[2, 3, 4]).abs() < 1e-12);
    assert!(fit.ratings[0].theta > fit.ratings[1].theta);
    assert!(fit.ratings[..2].iter().all(|r| r.rank_worst.unwrap() <= 2));
    assert!(says(&fit.reasons, "each of 2 separate sets is ranked on its own"));
    let lead = fit.lead().unwrap();
    assert_eq!((lead.above, lead.below, lead.comparisons), (0, 1, 90));
}

#[test]
fn s3_resamples_that_are_separated_get_the_ridge_and_are_counted() {
    let mut rows: Vec<Row> = (0..9).map(|topic| (topic, 0, 1, 1.0, 0, 0)).collect();
    rows.push((9, 1, 0, 1.0, 0, 0));
    let fit = sound(2, &rows, &both(400));
    let share = fit.ridged as f64 / 400.0;
    assert!((0.28..0.42).contains(&share), "(9/10)^10 = 0.35 of them lack the loss: {share}");
    assert!(says(&fit.reasons, "resamples some won or lost"));
    let few: Vec<Row> =
        rows.iter().map(|row| (row.0 % 4, row.1, row.2, row.3, row.4, row.5)).collect();
    let few = sound(2, &few, &both(400));
    assert!(few.ridged > 0 && few.ratings[0].elo.is_some());
    assert!(!says(&few.reasons, "intervals rest"), "there are none");
    let lead = few.lead().unwrap();
    assert_eq!((lead.low, lead.high), (None, None));
    assert_eq!(reason(&lead.reason), "no interval: resampling needs 10 topics, and 4 count here");
    assert!(fit.ratings[0].low < fit.ratings[0].elo && fit.ratings[0].elo < fit.ratings[0].high);
}

/// Two meet twice on each of 12 topics, one of them meets a third once.
#[test]
fn s3_each_two_have_their_own_comparisons_and_the_difference_they_could_show() {
    let topic = |t: usize| {
        let score = |n: usize| [1.0, 0.0, 0.5, 1.0, 0.0][(t + n) % 5];
        [(t, 0, 1, score(0), 0, 0), (t, 1, 0, score(1), 0, 0), (t, 1, 2, score(2), 0, 0)]
    };
    let rows: Vec<Row> = (0..12).flat_map(topic).collect();
    let fit = sound(3, &rows, &both(400));
    let of = |pair: [usize; 2]| {
        let mut leads = fit.leads.iter();
        let lead = leads.find(|it| pair.contains(&it.above) && pair.contains(&it.below));
        lead.expect("they are on one scale")
    };
    let met = |pair| (of(pair).met, of(pair).met_clusters, of(pair).comparisons);
    assert_eq!(met([0, 1]), (24, 12, 36));
    assert_eq!(met([1, 2]), (12, 12, 36));
    assert_eq!(met([0, 2]), (0, 0, 36), "they met only through another");
    let elsewhere = (12..20).map(|t| (t, 0, 1, f64::from(u8::from(t % 2 == 0)), 0, 0));
    let more: Vec<Row> = rows.iter().copied().chain(elsewhere).collect();
    let lead = sound(3, &more, &both(400))
        .leads
        .into_iter()
        .find(|it| it.met == 12)
        .expect("the second met the third on twelve topics");
    assert_eq!((lead.clusters, lead.comparisons, lead.comparison_clusters), (12, 44, 20));
    let lead = of([0, 1]);
    let (spread, needed) = (lead.spread().unwrap(), lead.clusters_needed.unwrap());
    let by = |count| spread.detectable_by(count, ALPHA / 3.0).unwrap();
    assert!(by(needed) <= 50.0 && by(needed - 1) > 50.0, "{needed}");
    assert!((by(12) - lead.detectable.unwrap()).abs() < 1e-9);
}

/// A third one, far stronger, is met on one topic only.
#[test]
fn s3_resamples_without_an_entity_do_not_count_for_it_and_do_not_move_the_others() {
    let mut rows = even(2, 20);
    rows.extend((0..20).map(|t| (t, 0, 1, f64::from(u8::from(t % 2 == 0)), 0, 0)));
    rows.extend((0..20).map(|n| (0, 2, n % 2, f64::from(u8::from(n > 1)), 0, 0)));
    let fit = sound(3, &rows, &both(400));
    let share = fit.ratings[2].replicates as f64 / 400.0;
    assert!((0.56..0.71).contains(&share), "1 - (19/20)^20 = 0.64 of them have it: {share}");
    assert_eq!(fit.ratings[0].replicates, 400);
    let (low, high) = (fit.ratings[0].low.unwrap(), fit.ratings[0].high.unwrap());
    assert!(high - low < 150.0, "{low} to {high}");
}

#[test]
fn s3_a_single_entity_has_no_strength() {
    for rows in [vec![], vec![(0, 0, 0, 1.0, 1, 1), (1, 0, 0, 0.0, 1, -1)]] {
        let fit = sound(1, &rows, &both(100));
        assert_eq!((fit.ratings.len(), fit.ratings[0].elo, fit.ratings[0].games), (1, None, 0));
        assert_eq!(reason(&fit.ratings[0].reason), "never compared with another");
        assert!(fit.ratings[0].rank_best.is_none());
    }
}

#[test]
fn s3_no_comparisons_give_no_numbers() {
    let fit = sound(3, &[], &both(100));
    assert!(fit.ratings.iter().all(|r| r.theta.is_none() && r.low.is_none()));
    assert_eq!(fit.replicates, 0);
    assert!(says(&fit.reasons, "no comparisons"));
    assert_eq!((fit.order.value, reason(&fit.order.reason)), (None, "no comparisons"));
    assert!(sound(0, &[], &both(100)).ratings.is_empty());
}

#[test]
fn s3_only_draws_are_equals_without_an_interval() {
    let drawn = |(t, a, b, _, f, s): &Row| (*t, *a, *b, 0.5, *f, *s);
    let rows: Vec<Row> = even(3, 10).iter().map(drawn).collect();
    let fit = sound(3, &rows, &both(100));
    assert_eq!(fit.ridged, 0);
    for rating in &fit.ratings {
        assert!((rating.elo.unwrap() - 1000.0).abs() < 1e-9 && rating.low.is_none());
        assert!(reason(&rating.reason).contains("all resamples agree"));
    }
    assert!(fit.order.value.unwrap().abs() < 1e-12 && fit.order.low.is_none());
}

/// Resampling other topics would tell nothing of the chance in its own.
#[test]
fn s3_who_met_the_others_on_few_topics_has_a_strength_without_an_interval() {
    let on = |topics: usize| {
        let won = |won: bool| f64::from(u8::from(won));
        let even = |topic: usize| (topic, 0, 1, won(topic.is_multiple_of(2)), 0, 0);
        let mut rows: Vec<Row> = (0..40).map(even).collect();
        for topic in 0..topics {
            rows.extend((0..12).map(|n| (topic, 2, 0, won(n > topic % 3), 0, 0)));
        }
        let fit = sound(3, &rows, &both(200));
        let lead = fit.lead().cloned().expect("they met");
        assert!(fit.ratings[0].low.is_some(), "{:?}", fit.ratings);
        (fit.ratings[2].clone(), lead)
    };
    let (few, lead) = on(4);
    let said = "no interval: resampling needs 10 topics, and 4 count here";
    assert!(few.elo.is_some() && few.low.is_none() && few.rank_best.is_none());
    assert_eq!(reason(&few.reason), said);
    assert_eq!((lead.above, lead.low, reason(&lead.reason)), (2, None, said));
    let (enough, lead) = on(12);
    assert!(enough.low.is_some() && lead.low.is_some());
}

#[test]
fn s3_one_topic_gives_strengths_without_intervals() {
    let rows: Vec<Row> =
        even(3, 8).iter().map(|(_, a, b, y, f, s)| (7, *a, *b, *y, *f, *s)).collect();
    let fit = sound(3, &rows, &both(100));
    assert!(
        fit.ratings.iter().all(|r| r.elo.is_some() && r.low.is_none() && r.rank_best.is_none())
    );
    assert!(fit.ratings.iter().all(|r| reason(&r.reason).contains("one topic")));
    assert!(reason(&fit.order.reason).contains("one topic") && fit.order.value.is_some());
    assert_eq!(fit.replicates, 0);
}

#[test]
fn s3_an_order_that_never_varies_is_dropped_with_a_reason() {
    let fixed = |(t, a, b, y, _, s): &Row| (*t, *a, *b, *y, if a < b { 1 } else { -1 }, *s);
    let rows: Vec<Row> = even(3, 8).iter().map(fixed).collect();
    let fit = sound(3, &rows, &both(100));
    assert_eq!((fit.order.value, fit.order.low), (None, None));
    assert!(reason(&fit.order.reason).contains("no two met in both orders"));
    assert!(fit.side.value.is_some());
    let without = sound(3, &rows, &Options { order: false, ..both(100) });
    assert_eq!(fit.ratings, without.ratings);
    assert_eq!(reason(&without.order.reason), "not asked for");
}

#[test]
fn s3_an_order_that_nobody_knows_is_dropped_with_a_reason() {
    let rows: Vec<Row> =
        even(3, 8).iter().map(|(t, a, b, y, _, s)| (*t, *a, *b, *y, 0, *s)).collect();
    let fit = sound(3, &rows, &both(100));
    assert_eq!(fit.order.value, None);
    assert_eq!(reason(&fit.order.reason), "it is not known who spoke first");
}

#[test]
fn s3_order_and_side_that_are_one_are_fitted_once_and_said() {
    let rows: Vec<Row> =
        even(3, 10).iter().map(|(t, a, b, y, f, _)| (*t, *a, *b, *y, *f, -f)).collect();
    let fit = sound(3, &rows, &both(100));
    let alone = sound(3, &rows, &Options { side: false, ..both(100) });
    assert_eq!((fit.order.value, fit.side.value), (alone.order.value, None));
    assert!(reason(&fit.order.reason).contains("the combined effect of both"));
    assert!(reason(&fit.side.reason).contains("the two effects cannot be separated"));
    assert_eq!(alone.order.reason, None);
}

#[test]
fn s3_resamples_that_cannot_tell_the_order_do_not_count_for_it() {
    let order = |t: usize, a: usize, b: usize, f: i8| match (t, a < b) {
        (0, _) => f,
        (_, true) => 1,
        (_, false) => -1,
    };
    let varied = |(t, a, b, y, f, _): &Row| (*t, *a, *b, *y, order(*t, *a, *b, *f), 0);
    let mut rows: Vec<Row> = even(2, 10).iter().map(varied).collect();
    rows.extend([
        (0, 0, 1, 1.0, 1, 0),
        (0, 0, 1, 0.0, 1, 0),
        (0, 0, 1, 0.0, -1, 0),
        (0, 0, 1, 1.0, -1, 0),
        (3, 0, 1, 1.0, 1, 0),
    ]);
    let fit = sound(2, &rows, &both(400));
    let share = fit.order.replicates as f64 / 400.0;
    assert!((0.57..0.73).contains(&share), "1 - (9/10)^10 = 0.65 of them can: {share}");
}

#[test]
fn s3_where_the_first_speaker_always_wins_strengths_are_fitted_without_the_order() {
    let row = |t: usize| {
        let (a, b, won) = (t % 3, (t + 1) % 3, t.is_multiple_of(2));
        (t, a, b, f64::from(u8::from(won)), if won { 1 } else { -1 }, 0)
    };
    let rows: Vec<Row> = (0..40).map(row).collect();
    let fit = sound(3, &rows, &both(50));
    let without = sound(3, &rows, &Options { order: false, side: false, ..both(50) });
    assert_eq!(fit.ratings, without.ratings);
    assert_eq!(fit.order.value, None);
    assert!(reason(&fit.order.reason).contains("order or side without exception"));
}

/// Of two of whom one always speaks first and wins, of three among whom the first speaker wins more often than the others, and
/// of two where who is listed first loses.
#[test]
fn s3_where_a_place_wins_everything_nobody_is_surely_above_another() {
    let alone = |t: usize| (t, 0, 1, 1.0, 1, 0);
    let uneven = |t: usize| match t % 5 {
        0 => (t, 1, 0, 1.0, 1, 0),
        _ => (t, 0, 1, 1.0, 1, 0),
    };
    let listed = |t: usize| (t, 0, 1, 0.0, [1, -1][t % 2], 1);
    let found = |row: &dyn Fn(usize) -> Row, topics: usize| {
        let rows: Vec<Row> = (0..topics).map(row).collect();
        sound(2, &rows, &both(100))
    };
    for (row, said) in [
        (
            &alone as &dyn Fn(usize) -> Row,
            "whoever spoke first won every debate: strength cannot be separated from order",
        ),
        (&uneven, "whoever spoke first won every debate: strength cannot be separated from order"),
        (
            &listed,
            "whoever was listed first lost every debate: strength cannot be separated from side",
        ),
    ] {
        let fit = found(row, 60);
        assert_eq!(fit.reasons[0], said);
        let open = |r: &Rating| {
            r.rank_best.is_none_or(|best| best == 1) && r.rank_worst.is_none_or(|worst| worst == 2)
        };
        assert!(fit.ratings.iter().all(open), "{:?}", fit.ratings);
        assert!(fit.lead().is_none());
        assert!(reason(&fit.order.reason).contains("without exception"));
    }
    assert!(!says(&found(&alone, 5).reasons, "whoever"), "five may be chance");
    let mut rows: Vec<Row> = (0..12).map(alone).collect();
    rows.push((12, 0, 1, 1.0, -1, 0));
    let fit = sound(2, &rows, &both(100));
    assert!(!says(&fit.reasons, "whoever"));
    assert_eq!(fit.ratings[0].rank_worst, Some(1));
}

#[test]
fn s3_one_that_meets_itself_informs_the_order_only() {
    let mut rows = even(3, 8);
    let before = sound(3, &rows, &plain());
    let own = |entity: usize| {
        (0..30).map(move |n| (n % 8, entity, entity, f64::from(u8::from(n % 3 > 0)), 1, 0))
    };
    rows.extend(own(1));
    let after = sound(3, &rows, &plain());
    assert_eq!(before.ratings, after.ratings);
    let alone = sound(1, &own(0).collect::<Vec<Row>>(), &both(100));
    assert!((alone.order.value.unwrap() - 2.0_f64.ln()).abs() < 1e-9, "20 of 30 are odds of 2");
}

#[test]
fn s3_a_ridge_of_nothing_gives_no_numbers_and_a_reason() {
    let rows = [(0, 0, 1, 1.0, 1, 0), (1, 0, 1, 0.0, -1, 0)];
    let fit = sound(2, &rows, &Options { ridge: 0.0, ..both(50) });
    assert_eq!(fit.ratings[0].theta, None);
    assert!(says(&fit.reasons, "ridge must be above 0"));
}
