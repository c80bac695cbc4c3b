//! What a report would say of a design before any debate was held: the report's own test, on debates as they would be counted.

use std::path::PathBuf;

use super::compare;
use super::confounding;
use super::counted_debates::View;
use super::findings::Comparisons;
use super::pairwise::PairwiseDebates;
use super::read::{Corpus, Debate};
use super::score_claims::not_told;
use super::strength_claims::NOBODY;
use crate::facts::Facts;

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
