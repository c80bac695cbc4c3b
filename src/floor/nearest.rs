//! Which vectors are near a query's. Pure.

/// A name with its similarity to the query.
pub(super) type Ranked = (String, f64);

/// The cosine of the angle between two vectors, to six decimals; 0 if one has no length or their dimensions differ. It is
/// rounded before it is written down or compared, so that both use the same number.
pub(super) fn similarity(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let sides = a.iter().zip(b);
        sides.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = product(a, a).sqrt() * product(b, b).sqrt();
    let cosine = product(a, b) / lengths;
    if a.len() != b.len() || !cosine.is_finite() {
        return 0.0;
    }
    // Adding 0 turns −0 into 0.
    (cosine.clamp(-1.0, 1.0) * 1e6).round() / 1e6 + 0.0
}

/// The nearest first; equally near ones by name.
pub(super) fn ranked(similarities: impl IntoIterator<Item = Ranked>) -> Vec<Ranked> {
    let mut all: Vec<Ranked> = similarities.into_iter().collect();
    all.sort_by(|(a, near_a), (b, near_b)| near_b.total_cmp(near_a).then_with(|| a.cmp(b)));
    all
}

/// The names of the first `top` that reach the threshold.
pub(super) fn near_enough(ranked: &[Ranked], top: usize, threshold: f64) -> Vec<String> {
    let near = ranked.iter().filter(|(_, near)| *near >= threshold);
    near.take(top).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::properties::properties;
    use proptest::prelude::*;

    /// A vector at this cosine to `[1, 0]`.
    fn at(cosine: f64) -> Vec<f32> {
        vec![cosine as f32, (1.0 - cosine * cosine).sqrt() as f32]
    }

    fn chosen(cosines: &[(&str, f64)]) -> Vec<String> {
        let similarities = cosines
            .iter()
            .map(|(name, cosine)| ((*name).to_owned(), similarity(&[1.0, 0.0], &at(*cosine))));
        near_enough(&ranked(similarities), 3, 0.65)
    }

    #[test]
    fn t2_exactly_the_threshold_is_near_enough_and_just_below_is_not() {
        assert_eq!(similarity(&[1.0, 0.0], &at(0.65)), 0.65);
        assert_eq!(similarity(&[1.0, 0.0], &at(0.6499)), 0.6499);
        assert_eq!(chosen(&[("exact", 0.65), ("below", 0.6499)]), ["exact"]);
    }

    #[test]
    fn t2_at_most_the_top_three_nearest_first() {
        let all = [("a", 0.7), ("b", 0.9), ("c", 0.66), ("d", 0.8), ("e", 0.1)];
        assert_eq!(chosen(&all), ["b", "d", "a"]);
        assert_eq!(chosen(&[("a", 0.2), ("b", -0.9)]), [""; 0]);
    }

    #[test]
    fn t2_those_that_are_as_near_come_by_name() {
        let all = [("d", 0.8), ("b", 0.8), ("c", 0.8), ("a", 0.8)];
        assert_eq!(chosen(&all), ["a", "b", "c"]);
    }

    #[test]
    fn t2_vectors_that_cannot_be_compared_are_not_near() {
        let one = [1.0, 0.0];
        assert_eq!(similarity(&one, &[0.0, 0.0]), 0.0);
        assert_eq!(similarity(&one, &[1.0, 0.0, 0.0]), 0.0);
        assert_eq!(similarity(&[], &[]), 0.0);
        assert_eq!(similarity(&one, &[f32::NAN, 1.0]), 0.0);
        assert_eq!(similarity(&one, &[-0.0, 1.0]).to_bits(), 0.0_f64.to_bits());
    }

    proptest! {
        #![proptest_config(properties(256))]

        #[test]
        fn t2_similarity_is_a_cosine(
            a in prop::collection::vec(-1e30_f32..1e30, 4),
            b in prop::collection::vec(-1e30_f32..1e30, 4),
        ) {
            let near = similarity(&a, &b);
            prop_assert!((-1.0..=1.0).contains(&near));
            prop_assert_eq!(near, similarity(&b, &a));
            let twice: Vec<f32> = a.iter().map(|side| side * 2.0).collect();
            prop_assert_eq!(near, similarity(&twice, &b));
        }
    }
}
