//! Who sits on a panel for one debate: judges unrelated to the debaters vote; substitutes take the seats of the others.

use super::recusal::ModelOrigin;
use crate::event::{Recusal, SeatStatus};
use crate::job::panel::{Panel, Recused};
use crate::job::participant::Participant;

/// A judge's seat before anything is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated<'a> {
    /// Who.
    pub judge: &'a Participant,
    /// Its model.
    pub origin: ModelOrigin,
    /// Whether it votes, is asked, or neither.
    pub status: SeatStatus,
    /// Why it does not vote.
    pub recusal: Option<Recusal>,
}

impl Seated<'_> {
    /// Whether it is asked.
    pub fn is_asked(&self) -> bool {
        self.status != SeatStatus::Recused
    }
}

/// A debater's model: whose, and what it is.
pub type Debater = (String, ModelOrigin);

/// The seats of a panel, judges first. `origin` says what a judge's model is.
pub fn seats<'a>(
    panel: &'a Panel,
    debaters: &[Debater],
    origin: impl Fn(&Participant) -> ModelOrigin,
) -> Vec<Seated<'a>> {
    let seat = |judge: &'a Participant| seated(panel, debaters, judge, origin(judge));
    let mut seats: Vec<Seated<'a>> = panel.judges.iter().map(&seat).collect();
    let empty = seats.iter().filter(|seat| seat.recusal.is_some()).count();
    let substitutes = panel.substitutes.iter().map(seat);
    let eligible = substitutes.filter(|seat| seat.recusal.is_none());
    let taking: Vec<Seated<'a>> = eligible.take(empty).collect();
    seats.extend(taking);
    seats
}

fn seated<'a>(
    panel: &Panel,
    debaters: &[Debater],
    judge: &'a Participant,
    origin: ModelOrigin,
) -> Seated<'a> {
    let recuse = panel.settings.recuse;
    let close = debaters.iter().filter_map(|(id, with)| origin.recusal(id, with, recuse.by));
    // The gravest is told.
    let recusal = close.min_by_key(|recusal| recusal.reason as u8);
    let status = match (&recusal, recuse.r#as) {
        (None, _) => SeatStatus::Voting,
        (Some(_), Recused::Shadow) => SeatStatus::Shadow,
        (Some(_), Recused::Drop) => SeatStatus::Recused,
    };
    Seated { judge, origin, status, recusal }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::event::{Vote, Votes};
    use crate::job::panel::RecuseBy;
    use crate::model::Card;
    use crate::templates::Templates;

    const NAMES: [&str; 8] = [
        "llama3",
        "llama3:70b",
        "qwen3:8b",
        "qwen2.5",
        "gemma3",
        "mine",
        "hf.co/x/Qwen-GGUF",
        "mistral",
    ];

    /// A model with weights and ancestors that others may share.
    fn model() -> impl Strategy<Value = ModelOrigin> {
        let lineage = prop::collection::vec(prop::sample::select(NAMES.to_vec()), 0..2);
        let digest = prop::option::of(0..6_u8);
        (prop::sample::select(NAMES.to_vec()), digest, lineage).prop_map(
            |(name, digest, lineage)| {
                let card = Card {
                    digest: digest.map(|digest| format!("sha256:{digest}")),
                    lineage: lineage.into_iter().map(str::to_owned).collect(),
                    ..Card::default()
                };
                ModelOrigin::new(name, &card, &[("mine".to_owned(), "own".to_owned())].into())
            },
        )
    }

    fn panel(judges: usize, substitutes: usize, drops: bool) -> Panel {
        let list = |places: std::ops::Range<usize>| -> String {
            places.map(|place| format!("{{model: x{place}}}, ")).collect()
        };
        let treated = if drops { "drop" } else { "shadow" };
        let source = format!(
            "judges: [{}]\nsubstitutes: [{}]\nrecuse: {{as: {treated}}}\n",
            list(0..judges),
            list(judges..judges + substitutes)
        );
        let templates = Templates::load(None).expect("templates");
        Panel::parse(Path::new("panel.yaml"), &source, &templates).expect("a panel")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn c2_no_vote_is_ever_of_a_debaters_weights_name_lineage_or_family(
            debating in prop::collection::vec(model(), 1..5),
            sitting in prop::collection::vec(model(), 6),
            drops in any::<bool>(),
        ) {
            let panel = panel(3, 3, drops);
            let debaters: Vec<Debater> = debating.iter().enumerate().map(|(n, origin)| (format!("d{n}"), origin.clone())).collect();
            let people: Vec<String> = panel.people().map(|p| p.id.clone()).collect();
            let origin = |judge: &Participant| {
                let place = people.iter().position(|id| *id == judge.id).expect("a judge");
                sitting[place].clone()
            };
            let seats = seats(&panel, &debaters, origin);
            let line = |origin: &ModelOrigin| {
                let own = [Some(origin.name.clone()), origin.digest.clone()];
                own.into_iter().flatten().chain(origin.lineage.clone()).collect::<Vec<String>>()
            };
            for seat in seats.iter().filter(|seat| seat.status == SeatStatus::Voting) {
                for (_, debater) in &debaters {
                    prop_assert!(seat.origin.families.is_disjoint(&debater.families));
                    let (own, theirs) = (line(&seat.origin), line(debater));
                    prop_assert!(own.iter().all(|one| !theirs.contains(one)), "{:?} {debater:?}", seat.origin);
                }
            }
            // A seat is empty only if no substitute is left who may take it.
            let votes = seats.iter().filter(|seat| seat.status == SeatStatus::Voting).count();
            let eligible = sitting.iter().filter(|origin| debating.iter().all(|with| origin.recusal("d", with, RecuseBy::Family).is_none()));
            prop_assert_eq!(votes, eligible.count().min(3));
        }

        #[test]
        fn c2_the_quorum_counts_votes_and_a_winner_has_more_than_the_others(p in 0_u32..5, q in 0_u32..5, tie in 0_u32..5, quorum in 1_u32..6) {
            let votes = Votes { p, q, tie };
            match votes.winner(quorum).0 {
                None => prop_assert!(p + q + tie < quorum),
                Some(Vote::P) => prop_assert!(p + q + tie >= quorum && p > q && p > tie),
                Some(Vote::Q) => prop_assert!(p + q + tie >= quorum && q > p && q > tie),
                Some(Vote::Tie) => prop_assert!(p + q + tie >= quorum && (p == q || tie >= p.max(q))),
            }
        }
    }
}
