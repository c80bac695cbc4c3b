//! What a report would say of a design before any debate was held: the report's own test, on debates as they would be counted.

use std::path::PathBuf;

use super::caution::FEW_TOPICS;
use super::compare;
use super::confounding;
use super::counted_debates::View;
use super::findings::Comparisons;
use super::pairwise::PairwiseDebates;
use super::read::{Corpus, Debate};
use super::score_claims::not_told;
use super::strength_claims::NOBODY;
use crate::facts::Facts;
use statistics::bootstrap::FEWEST_CLUSTERS;

/// What stands in the way of comparing the models of these debates, with what would settle it; `None` if nothing does, or there is
/// nothing to compare.
pub fn obstacle(debates: impl IntoIterator<Item = Facts>) -> Option<String> {
    let counted = |facts| Debate { dir: PathBuf::new(), facts: Box::new(facts) };
    let corpus =
        Corpus { debates: debates.into_iter().map(counted).collect(), ..Corpus::default() };
    let view = View::new(&corpus, |_| true);
    match PairwiseDebates::new(&view) {
        Some(duels) => in_strength(&duels),
        None => in_scores(&compare::comparisons(&view)),
    }
}

fn in_strength(duels: &PairwiseDebates<'_, '_>) -> Option<String> {
    let is_for_all = duels.duels.iter().all(|duel| duel.is_against_itself());
    let begins = if is_for_all { NOBODY } else { confounding::NOT_ALL };
    confounding::sentence(begins, &duels.confounded)
}

/// Where nobody wins, scores are compared.
fn in_scores(compared: &[Comparisons]) -> Option<String> {
    let hindered = |family: &&Comparisons| {
        family.pairs.iter().all(|pair| pair.confounded.is_some() || pair.found.estimate.n == 0)
    };
    let mut families = compared.iter().filter(hindered);
    families.find_map(|family| not_told(family).or_else(|| nothing_in_common(family)))
}

/// That no two models are scored on the same material, as where the side that swaps models gets no scores.
fn nothing_in_common(family: &Comparisons) -> Option<String> {
    let none = family.pairs.iter().all(|pair| pair.found.estimate.n == 0);
    none.then(|| {
        format!(
            "In {} debates no two models are scored on the same material, so none are compared. Remedy: `judges:` on models that do not debate, so that each debate has a winner.",
            family.format
        )
    })
}

/// What a report on debates between models cannot tell for want of topics; `None` with enough of them.
pub fn too_few_topics(topics: usize) -> Option<String> {
    match topics {
        0 | 1 => Some("one topic cannot show a difference between models".to_owned()),
        FEWEST_CLUSTERS.. => None,
        _ => Some(format!(
            "{topics} topics: with fewer than {FEWEST_CLUSTERS}, the report gives models' strengths no interval and no rank; {FEW_TOPICS} are advised, and repeats do not replace topics"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_too_few_topics_for_an_interval_are_told_with_how_many_it_takes() {
        assert!(too_few_topics(1).is_some_and(|told| told.starts_with("one topic ")));
        let told = too_few_topics(9).expect("a warning");
        assert!(told.starts_with("9 topics: with fewer than 10, "), "{told}");
        assert!(told.contains("; 40 are advised, and repeats "), "{told}");
        assert_eq!(too_few_topics(10), None);
    }
}
