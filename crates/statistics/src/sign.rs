//! The exact sign test: whether of so many that are not level more lie on one side than chance puts there.

/// The two-sided p-value of `one` against `other`, each of which is as likely: Bin(`one` + `other`, ½). None where nothing lies on
/// either side.
pub fn sign_test(one: usize, other: usize) -> Option<f64> {
    let (least, all) = (one.min(other), one + other);
    if all == 0 {
        return None;
    }
    let mut term = -(all as f64) * std::f64::consts::LN_2;
    let mut sum = term.exp();
    for k in 1..=least {
        term += ((all - k + 1) as f64).ln() - (k as f64).ln();
        sum += term.exp();
    }
    Some((2.0 * sum).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::sign_test;

    #[test]
    fn c1_the_p_values_are_those_of_the_binomial_distribution() {
        // scipy.stats.binomtest(k, n).pvalue
        for ((one, other), expected) in [
            ((0, 5), 0.0625),
            ((8, 2), 0.109375),
            ((5, 5), 1.0),
            ((60, 40), 0.056_887_933_640_980_76),
            ((1, 0), 1.0),
            ((0, 6), 0.03125),
            ((10, 1), 24.0 / 2048.0),
        ] {
            let p = sign_test(one, other).expect("a value");
            assert!((p - expected).abs() < 1e-12, "{one} {other}: {p}");
        }
        assert_eq!(sign_test(0, 0), None);
    }

    #[test]
    fn c3_many_cases_stay_in_range() {
        assert!(sign_test(1000, 1000) > Some(0.99));
        assert!(sign_test(1500, 500).is_some_and(|p| (0.0..1e-100).contains(&p)));
    }
}
