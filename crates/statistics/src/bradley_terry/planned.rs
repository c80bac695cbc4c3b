//! How exactly comparisons that are planned would measure how far two are apart.

use super::newton::{Point, descent};
use super::rating::ELO;
use super::table::Count;
use crate::groups::by_key;

/// The standard errors in Elo of the differences of each two that meet, directly or through others, if all are equals, comparisons are
/// independent and all are fitted together. `met` says how often two meet. That of two who only meet each other `n` times is
/// 2/√n in log-odds; of each two of K who all meet `n` times it is √(8/(Kn)).
pub fn planned_errors(entities: usize, met: &[([usize; 2], usize)]) -> Vec<f64> {
    let blocks = linked(entities, met);
    let hessian = information(entities, met, &blocks);
    let pairs = blocks.iter().flat_map(|block| {
        block.iter().enumerate().flat_map(|(nth, a)| block[nth + 1..].iter().map(move |b| [*a, *b]))
    });
    pairs
        .filter_map(|[a, b]| {
            let mut apart = vec![0.0; entities];
            (apart[a], apart[b]) = (-1.0, 1.0);
            let solved = descent(hessian.clone(), &apart)?;
            Some((solved[a] - solved[b]).sqrt() * ELO)
        })
        .collect()
}

/// The information that meetings of equals have on strengths, whose sums are fixed.
fn information(entities: usize, met: &[([usize; 2], usize)], blocks: &[Vec<usize>]) -> Vec<f64> {
    let mut point = Point::new(entities);
    let equals = vec![0.0; entities];
    for ([a, b], games) in met {
        let games = *games as f64;
        let columns = [(*a.min(b), 1.0), (*a.max(b), -1.0)];
        let score = games / 2.0;
        point.add_games(&equals, &columns, Count { games, score });
    }
    blocks.iter().for_each(|block| point.fix_sum(block));
    point.hessian
}

/// Those who meet, directly or through others, together.
fn linked(entities: usize, met: &[([usize; 2], usize)]) -> Vec<Vec<usize>> {
    let mut set: Vec<usize> = (0..entities).collect();
    for ([a, b], _) in met {
        let (kept, joined) = (set[*a], set[*b]);
        for own in set.iter_mut().filter(|own| **own == joined) {
            *own = kept;
        }
    }
    by_key(set.into_iter().zip(0..)).into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_a_joint_fit_is_more_exact_than_the_meetings_of_two() {
        let is = |errors: Vec<f64>, expected: &[f64]| {
            assert_eq!(errors.len(), expected.len(), "{errors:?}");
            for (found, expected) in errors.iter().zip(expected) {
                assert!((found / ELO - expected).abs() < 1e-9, "{errors:?}");
            }
        };
        is(planned_errors(2, &[([0, 1], 100)]), &[0.2]);
        let all = [([0, 1], 160), ([0, 2], 160), ([1, 2], 160)];
        let joint = (8.0_f64 / (3.0 * 160.0)).sqrt();
        is(planned_errors(3, &all), &[joint; 3]);
        // Two that never meet are compared through a third; two others have no scale in common with them.
        let chain = [([1, 0], 100), ([1, 2], 100), ([3, 4], 25)];
        let through = (0.04_f64 + 0.04).sqrt();
        is(planned_errors(5, &chain), &[0.2, through, 0.2, 0.4]);
        assert!(planned_errors(0, &[]).is_empty());
    }
}
