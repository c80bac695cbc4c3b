//! Between which ranks an entity may stand, from what is sure of who is above whom.

/// The best and the worst possible rank; 1 is the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// One more than the number of entities surely above.
    pub best: usize,
    /// The number of all entities, less those surely below.
    pub worst: usize,
}

/// The ranks of all who are compared with each other: `known` says whose strength is known within an interval, `above` who is
/// surely above whom; who is above someone is above all whom that one is above. One with neither may stand anywhere and has no
/// ranks.
pub fn ranks(known: &[bool], above: impl Fn(usize, usize) -> bool) -> Vec<Option<Ranks>> {
    let all = 0..known.len();
    let mut sure: Vec<Vec<bool>> =
        all.clone().map(|a| all.clone().map(|b| above(a, b)).collect()).collect();
    for via in all.clone() {
        let further = sure[via].clone();
        for own in sure.iter_mut().filter(|own| own[via]) {
            own.iter_mut().zip(&further).for_each(|(own, further)| *own |= further);
        }
    }
    let ranks = |entity: usize| {
        let over = sure.iter().filter(|other| other[entity]).count();
        let under = sure[entity].iter().filter(|below| **below).count();
        let ranks = Ranks { best: 1 + over, worst: known.len() - under };
        (known[entity] || over + under > 0).then_some(ranks)
    };
    all.map(ranks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks where intervals that do not overlap are all that is known.
    fn by_intervals(intervals: &[Option<[f64; 2]>]) -> Vec<Option<(usize, usize)>> {
        let known: Vec<bool> = intervals.iter().map(Option::is_some).collect();
        let above = |a: usize, b: usize| {
            let both = intervals[a].zip(intervals[b]);
            both.is_some_and(|(a, b)| a[0] > b[1])
        };
        let ranks = ranks(&known, above).into_iter();
        ranks.map(|r| r.map(|r| (r.best, r.worst))).collect()
    }

    #[test]
    fn s3_ranks_count_those_surely_above_and_below() {
        let open = [[5.0, 6.0], [1.0, 3.0], [2.0, 4.0], [0.0, 0.5]].map(Some);
        let found = [(1, 1), (2, 3), (2, 3), (4, 4)].map(Some);
        assert_eq!(by_intervals(&open), found);
    }

    #[test]
    fn s3_one_without_an_interval_has_no_ranks_and_may_stand_anywhere() {
        let open = by_intervals(&[Some([5.0, 6.0]), None, Some([1.0, 2.0])]);
        assert_eq!(open, [Some((1, 2)), None, Some((2, 3))]);
    }

    #[test]
    fn s3_who_is_above_somebody_is_above_all_whom_that_one_is_above() {
        let sure = [(3, 1), (1, 0)];
        let found: Vec<_> = ranks(&[false; 4], |a, b| sure.contains(&(a, b)))
            .into_iter()
            .map(|r| r.map(|r| (r.best, r.worst)))
            .collect();
        assert_eq!(found, [Some((3, 4)), Some((2, 3)), None, Some((1, 2))]);
    }
}
