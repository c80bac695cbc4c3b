//! Whether debates that are not counted would settle who can't be compared: those that a filter by job leaves out, as a debate that
//! several jobs plan is filed under the one that ran it first, and those that are planned and missing.

use super::compare;
use super::counted_debates::View;
use super::findings::{Comparisons, Confounded, StrengthBoard};
use super::pairwise::PairwiseDebates;

/// Notes in all that is confounded whether it would be settled by the debates of `wider`, which are of all jobs.
pub(super) fn note(wider: &View<'_>, boards: &mut [StrengthBoard], compared: &mut [Comparisons]) {
    let is_any = boards.iter().any(|board| !board.confounded.is_empty())
        || compared.iter().any(|it| it.confounders().next().is_some());
    if is_any {
        boards.iter_mut().for_each(|board| in_strength(board, wider));
        in_scores(compared, &compare::comparisons(wider));
    }
}

/// Notes in all that is confounded that planned debates are missing: how many have ended, of how many.
pub(super) fn note_unfinished(
    boards: &mut [StrengthBoard],
    compared: &mut [Comparisons],
    progress: [usize; 2],
) {
    let in_strength = boards.iter_mut().flat_map(|board| &mut board.confounded);
    let pairs = compared.iter_mut().flat_map(|family| &mut family.pairs);
    let in_scores = pairs.filter_map(|pair| pair.confounded.as_mut());
    in_strength.chain(in_scores).for_each(|found| found.progress = Some(progress));
}

fn in_strength(board: &mut StrengthBoard, view: &View<'_>) {
    let Some(duels) = PairwiseDebates::new(view, &board.of) else {
        return;
    };
    for found in &mut board.confounded {
        let mut met = duels.duels.iter().map(|duel| duel.pair());
        found.settled_elsewhere = met.any(|pair| pair == [&*found.a, &*found.b]);
    }
}

fn in_scores(compared: &mut [Comparisons], wider: &[Comparisons]) {
    let settles = |format: &str, found: &Confounded| {
        let family = wider.iter().find(|family| family.format == format);
        let mut pairs = family.into_iter().flat_map(|family| &family.pairs);
        pairs.any(|pair| {
            let is_same = [&pair.a, &pair.b] == [&found.a, &found.b];
            is_same && pair.confounded.is_none() && pair.found.estimate.n > 0
        })
    };
    for family in compared {
        for pair in &mut family.pairs {
            if let Some(found) = &mut pair.confounded {
                found.settled_elsewhere = settles(&family.format, found);
            }
        }
    }
}
