//! Sentences that claim an effect: made only if chance does not explain it, however many effects are tested.

use statistics::paired::holm;

/// At most so often a verdict says that models differ where they are equal.
pub(super) const VERDICT: f64 = 0.045;
/// With fewer topics a number makes no headline.
pub(super) const LEAST_TOPICS: usize = 5;
/// At most so often any caution claims an effect if there is none.
const CAUTION: f64 = 0.005;

/// What a p below 5% still lacks for a verdict, in so many families of tests; nothing if the p itself tells that nothing is shown.
pub(super) fn demanded(p: Option<f64>, families: usize) -> String {
    let most = VERDICT / families.max(1) as f64;
    match p {
        Some(p) if (most..0.05).contains(&p) => {
            let most = format!("{most:.4}");
            format!("; a verdict takes p below {}", most.trim_end_matches('0'))
        }
        _ => String::new(),
    }
}

/// What is said behind a p that is corrected for so many tests; of one there is nothing to correct.
pub(super) fn holm_corrected(tests: usize) -> &'static str {
    if tests > 1 { " (Holm)" } else { "" }
}

/// A sentence and the p of there being nothing.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) p: f64,
    pub(super) sentence: String,
}

/// The sentences that stand after Holm's correction for all claims, in their order.
pub(super) fn told(claims: impl Iterator<Item = Claim>) -> Vec<String> {
    let claims: Vec<Claim> = claims.collect();
    let p: Vec<Option<f64>> = claims.iter().map(|claim| Some(claim.p)).collect();
    let corrected = holm(&p).into_iter().flatten();
    let told = claims.into_iter().zip(corrected).filter(|(_, p)| *p < CAUTION);
    told.map(|(claim, _)| claim.sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_a_p_below_5_percent_without_a_verdict_is_told_what_it_lacks() {
        assert_eq!(demanded(Some(0.047), 1), "; a verdict takes p below 0.045");
        assert_eq!(demanded(Some(0.03), 2), "; a verdict takes p below 0.0225");
        for (p, families) in [(Some(0.2), 1), (Some(0.03), 1), (None, 1)] {
            assert_eq!(demanded(p, families), "");
        }
    }
}
