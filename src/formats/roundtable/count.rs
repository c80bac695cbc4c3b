//! The count of stances, and whether it is a consensus (row R2).

use std::cmp::Reverse;

use crate::event::rounded;

/// The count of all specialists' stances.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Count {
    /// The stances that were taken, in the order of the job, with how many specialists take each and their weight.
    pub(super) taken: Vec<Taken>,
    /// Number of specialists without a stance.
    pub(super) without: usize,
    /// The weight of all specialists, including those without a stance.
    weight: f64,
}

/// How many of all must take the same stance for a consensus if all have the same weight.
pub(super) fn needed(all: usize, threshold: f64) -> usize {
    let share = |heads: usize| rounded(heads as f64 / all as f64);
    let mut enough = (1..=all).filter(|heads| share(*heads) >= rounded(threshold));
    enough.next().unwrap_or(all)
}

/// A stance that at least one specialist takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Taken {
    pub(super) stance: String,
    pub(super) heads: usize,
    pub(super) weight: f64,
}

impl Count {
    /// Counts the specialists' stances with their weights.
    pub(super) fn of(stances: &[String], held: &[(Option<&str>, f64)]) -> Self {
        let taken = stances.iter().map(|stance| {
            let there = held.iter().filter(|(s, _)| *s == Some(stance.as_str()));
            Taken {
                stance: stance.clone(),
                heads: there.clone().count(),
                weight: there.map(|(_, weight)| weight).sum(),
            }
        });
        Self {
            taken: taken.filter(|taken| taken.heads > 0).collect(),
            without: held.iter().filter(|(stance, _)| stance.is_none()).count(),
            weight: held.iter().map(|(_, weight)| weight).sum(),
        }
    }

    /// The stance with the greatest weight, unless there is a tie.
    pub(super) fn leading(&self) -> Option<&Taken> {
        let most = rounded(self.heaviest());
        let mut first = self.taken.iter().filter(|t| rounded(t.weight) == most);
        first.next().filter(|_| first.next().is_none())
    }

    /// The stance that every specialist takes.
    pub(super) fn unanimous(&self) -> Option<&str> {
        match self.taken.as_slice() {
            [only] if self.without == 0 => Some(&only.stance),
            _ => None,
        }
    }

    /// The share of the most common stance. Specialists without a stance count as others.
    pub(super) fn share(&self) -> f64 {
        if self.weight > 0.0 { rounded(self.heaviest() / self.weight) } else { 0.0 }
    }

    /// The stance shared by enough specialists for a consensus.
    pub(super) fn consensus(&self, threshold: f64) -> Option<&Taken> {
        self.leading().filter(|_| self.share() >= rounded(threshold))
    }

    /// `buy 2, hold 1, no stance 1`: what most take comes first.
    pub(super) fn line(&self) -> String {
        if self.taken.is_empty() {
            return "nobody took a stance".to_owned();
        }
        let mut taken: Vec<&Taken> = self.taken.iter().collect();
        taken.sort_by_key(|taken| Reverse(taken.heads));
        let taken = taken.into_iter();
        let mut parts: Vec<String> = taken.map(|t| format!("{} {}", t.stance, t.heads)).collect();
        if self.without > 0 {
            parts.push(format!("no stance {}", self.without));
        }
        parts.join(", ")
    }

    fn heaviest(&self) -> f64 {
        self.taken.iter().map(|taken| taken.weight).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(held: &[(&str, f64)]) -> Count {
        let stances = ["buy", "sell", "hold"].map(str::to_owned);
        let held: Vec<(Option<&str>, f64)> = held
            .iter()
            .map(|(stance, weight)| (Some(*stance).filter(|s| !s.is_empty()), *weight))
            .collect();
        Count::of(&stances, &held)
    }

    fn consensus(held: &[(&str, f64)], threshold: f64) -> Option<String> {
        let count = count(held);
        count.consensus(threshold).map(|taken| taken.stance.clone())
    }

    #[test]
    fn r2_of_three_voices_three_quarters_takes_all_three() {
        let two = [("buy", 1.0), ("buy", 1.0), ("hold", 1.0)];
        assert_eq!(count(&two).share(), 0.666667);
        assert_eq!(consensus(&two, 0.75), None);
        assert_eq!(consensus(&two, 0.66).as_deref(), Some("buy"));
        assert_eq!(consensus(&[("buy", 1.0); 3], 0.75).as_deref(), Some("buy"));
    }

    #[test]
    fn r2_so_many_make_a_consensus() {
        let cases = [(3, 0.75, 3), (4, 0.75, 3), (3, 0.66, 2), (12, 1.0, 12), (10, 0.1, 1)];
        for (all, threshold, expected) in cases {
            assert_eq!(needed(all, threshold), expected, "{threshold} of {all}");
        }
    }

    #[test]
    fn r2_three_of_four_are_three_quarters_whatever_binary_fractions_say() {
        let four = [("hold", 1.0), ("hold", 1.0), ("buy", 1.0), ("hold", 1.0)];
        assert_eq!(consensus(&four, 0.75).as_deref(), Some("hold"));
        let tenths = [("buy", 0.1), ("buy", 0.2), ("hold", 0.1)];
        assert_eq!(consensus(&tenths, 0.75).as_deref(), Some("buy"));
    }

    #[test]
    fn r2_an_invalid_stance_counts_against_every_other() {
        let held = [("buy", 1.0), ("buy", 1.0), ("buy", 1.0), ("", 2.0)];
        assert_eq!(count(&held).share(), 0.6);
        assert_eq!(consensus(&held, 0.75), None);
        assert_eq!(count(&held).line(), "buy 3, no stance 1");
        assert_eq!(consensus(&[("", 1.0); 3], 0.1), None);
        assert_eq!(count(&[("", 1.0); 3]).share(), 0.0);
    }

    #[test]
    fn r2_only_where_everyone_takes_the_same_stance_they_are_of_one_mind() {
        let light = [("buy", 100.0), ("hold", 0.01)];
        assert_eq!(count(&[("buy", 1.0); 3]).unanimous(), Some("buy"));
        assert_eq!(count(&light).unanimous(), None, "whatever it weighs");
        assert_eq!(count(&[("buy", 1.0), ("", 1.0)]).unanimous(), None);
        assert_eq!(count(&[("", 1.0)]).unanimous(), None);
    }

    #[test]
    fn r2_weights_count_instead_of_heads() {
        let held = [("sell", 3.0), ("buy", 1.0)];
        assert_eq!(consensus(&held, 0.75).as_deref(), Some("sell"));
        assert_eq!(consensus(&[("sell", 2.9), ("buy", 1.0)], 0.75), None);
    }

    #[test]
    fn r2_what_most_take_comes_first_and_of_equal_ones_the_jobs_first() {
        let three = [("buy", 1.0), ("hold", 1.0), ("hold", 1.0)];
        assert_eq!(count(&three).line(), "hold 2, buy 1");
        let each = [("hold", 9.0), ("sell", 1.0), ("buy", 1.0)];
        assert_eq!(count(&each).line(), "buy 1, sell 1, hold 1");
    }

    #[test]
    fn r2_a_tie_is_no_consensus_however_low_the_threshold() {
        let tie = [("buy", 0.3), ("sell", 0.1), ("sell", 0.2)];
        assert_eq!(consensus(&tie, 0.5), None);
        assert_eq!(count(&tie).leading(), None);
        assert_eq!(consensus(&[("buy", 1.0), ("sell", 0.9)], 0.5).as_deref(), Some("buy"));
    }
}
