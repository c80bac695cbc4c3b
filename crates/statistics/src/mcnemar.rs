//! McNemar's exact test: whether of two graders of the same cases, each right or wrong, one is right more often.

use crate::sign::sign_test;

/// The two-sided p of `b` and `c` coming from one coin, where `b` cases went only the first's way and `c` only the second's. Cases
/// that both have right, or both wrong, say nothing; without others p is 1.
pub fn exact(b: usize, c: usize) -> f64 {
    sign_test(b, c).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::exact;

    /// Values of R's `binom.test(b, b + c)$p.value`, which are sums of binomial coefficients over powers of two.
    #[test]
    fn p_is_that_of_a_fair_coin() {
        for (b, c, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (3, 3, 1.0),
            (5, 0, 0.0625),
            (0, 6, 0.03125),
            (8, 2, 0.109375),
            (10, 1, 24.0 / 2048.0),
        ] {
            let found = exact(b, c);
            assert!((found - p).abs() < 1e-12, "{b} {c}: {found}");
        }
    }

    #[test]
    fn many_cases_stay_in_range() {
        assert!(exact(1000, 1000) > 0.99);
        assert!(exact(1500, 500) < 1e-100 && exact(1500, 500) >= 0.0);
    }
}
