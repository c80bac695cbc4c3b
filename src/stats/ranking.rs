//! Between which ranks an entity may stand, from everybody's intervals.

use serde::Serialize;

/// The best and the worst rank that intervals leave open; 1 is the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// One more than the entities that are surely above.
    pub best: usize,
    /// As many as there are, less those surely below.
    pub worst: usize,
}

/// The ranks of all who are compared with each other, from their `[low, high]`. One without an interval has no ranks, and is
/// neither surely above nor surely below anyone.
pub fn ranks(intervals: &[Option<[f64; 2]>]) -> Vec<Option<Ranks>> {
    let count =
        |sure: &dyn Fn(&[f64; 2]) -> bool| intervals.iter().flatten().filter(|i| sure(i)).count();
    let ranks = |[low, high]: [f64; 2]| Ranks {
        best: 1 + count(&|other| other[0] > high),
        worst: intervals.len() - count(&|other| other[1] < low),
    };
    intervals.iter().map(|own| own.map(ranks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_ranks_count_those_surely_above_and_below() {
        let open = [
            Some([5.0, 6.0]),
            Some([1.0, 3.0]),
            Some([2.0, 4.0]),
            Some([0.0, 0.5]),
        ];
        let found: Vec<_> = ranks(&open)
            .into_iter()
            .flatten()
            .map(|r| (r.best, r.worst))
            .collect();
        assert_eq!(found, [(1, 1), (2, 3), (2, 3), (4, 4)]);
    }

    #[test]
    fn s3_one_without_an_interval_has_no_ranks_and_may_stand_anywhere() {
        let open = ranks(&[Some([5.0, 6.0]), None, Some([1.0, 2.0])]);
        assert_eq!(
            open,
            [
                Some(Ranks { best: 1, worst: 2 }),
                None,
                Some(Ranks { best: 2, worst: 3 })
            ]
        );
    }
}
