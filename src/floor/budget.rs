//! How long a prompt may be (rows M3b, M3c): estimates from this debate's own replies, and the view of the record that
//! fits.

use std::collections::HashMap;

use super::record::{Record, View};
use crate::text;

/// The share of the context that prompt and reply may take.
const FULL: f64 = 0.95;
/// The share that is left after older rounds were folded, so that the prompt's beginning holds for some rounds.
const FOLDED: f64 = 0.60;

/// What is known about lengths in this debate.
#[derive(Debug, Default, Clone)]
pub(super) struct Budget {
    /// Tokens a character, by model, as used in this round.
    ratios: HashMap<String, f64>,
    /// The largest seen so far.
    seen: HashMap<String, f64>,
    /// The view that is in force, by context.
    views: HashMap<u32, View>,
}

/// What a prompt has to fit into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) model: &'a str,
    /// The participant's context, in tokens.
    pub(super) context: u32,
    /// Tokens the reply may take.
    pub(super) reply: u32,
    /// Characters of the prompt outside the record.
    pub(super) around: usize,
}

/// The view that was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    pub(super) view: View,
    /// Whether it is another than before.
    pub(super) changed: bool,
    /// Whether even this one is estimated not to fit.
    pub(super) tight: bool,
}

impl Budget {
    /// Estimates take in what was seen; within a round they hold still, so that calls made together agree.
    pub(super) fn begin_round(&mut self) {
        self.ratios.clone_from(&self.seen);
    }

    /// Learns from a reply how many tokens a prompt's characters took.
    pub(super) fn learn(&mut self, model: &str, characters: usize, tokens: u64) {
        if characters > 0 && tokens > 0 {
            let ratio = tokens as f64 / characters as f64;
            let seen = self.seen.entry(model.to_owned()).or_insert(ratio);
            *seen = seen.max(ratio);
        }
    }

    fn tokens(&self, model: &str, characters: usize) -> f64 {
        let ratio = self
            .ratios
            .get(model)
            .copied()
            .unwrap_or(1.0 / text::CHARS_PER_TOKEN);
        characters as f64 * ratio
    }

    /// Whether prompt and reply fit with a view of the record.
    pub(super) fn fits(&self, record: &Record, view: View, room: Room<'_>) -> bool {
        let prompt = room.around + record.text(view).chars().count();
        let takes = self.tokens(room.model, prompt) + f64::from(room.reply);
        takes <= f64::from(room.context) * FULL
    }

    /// The view of the record for a prompt: the one in force, or a shorter one that brings prompt and reply down to
    /// 60 % of the context (to 95 %, if that keeps the newest exchange whole).
    pub(super) fn choose(&mut self, record: &Record, room: Room<'_>) -> Choice {
        let current = self.views.get(&room.context).copied().unwrap_or_default();
        let takes = |view: View| {
            self.tokens(room.model, room.around + record.text(view).chars().count())
                + f64::from(room.reply)
        };
        let full = f64::from(room.context) * FULL;
        if takes(current) <= full {
            return Choice {
                view: current,
                changed: false,
                tight: false,
            };
        }
        let views = record.views_from(current);
        let folded = |view: &&View| takes(**view) <= f64::from(room.context) * FOLDED;
        let whole = |view: &&View| record.keeps_newest(**view);
        // The newest exchange stays whole while anything else can be shortened.
        let best = views.iter().find(|view| whole(view) && folded(view));
        let tighter = || {
            views
                .iter()
                .rfind(|view| whole(view) && takes(**view) <= full)
        };
        let rest = || views.iter().find(folded).or(views.last());
        let view = best
            .or_else(tighter)
            .or_else(rest)
            .copied()
            .unwrap_or(current);
        let tight = takes(view) > full;
        self.views.insert(room.context, view);
        Choice {
            view,
            changed: view != current,
            tight,
        }
    }

    /// A shorter view than `from` that keeps `share` of the prompt, for one attempt only.
    pub(super) fn squeeze(record: &Record, from: View, around: usize, share: f64) -> View {
        let length = |view: View| around + record.text(view).chars().count();
        let target = length(from) as f64 * share;
        let views = record.views_from(from);
        views
            .iter()
            .find(|view| length(**view) as f64 <= target)
            .or(views.last())
            .copied()
            .unwrap_or(from)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::record::Part;
    use super::*;
    use crate::event::RoundNotes;

    /// A record of so many rounds that are over, with statements of these lengths.
    fn record(lengths: &[usize]) -> Record {
        let mut record = Record::default();
        record.add(Part::Beginning, "Moderator", "Welcome.");
        for (i, length) in lengths.iter().enumerate() {
            let round = i as u32 + 1;
            record.add(Part::Round(round), "X", &"x".repeat(*length));
            let key_points = [("position_x".to_owned(), vec!["a point".to_owned()])].into();
            let summary = "A summary of the round.".to_owned();
            record.add_notes(RoundNotes {
                round,
                summary,
                key_points,
                ..RoundNotes::default()
            });
        }
        record
    }

    fn room(context: u32) -> Room<'static> {
        Room {
            model: "m",
            context,
            reply: context / 10,
            around: 300,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn m3b_a_prompt_fits_whenever_any_view_of_the_record_fits(
            lengths in prop::collection::vec(0_usize..6000, 0..9),
            context in 600_u32..16_000,
        ) {
            let (record, mut budget) = (record(&lengths), Budget::default());
            let takes = |view: View| {
                (300 + record.text(view).chars().count()) as f64 / text::CHARS_PER_TOKEN + f64::from(context / 10)
            };
            let full = f64::from(context) * FULL;
            let any = record.views_from(View::default()).into_iter().any(|view| takes(view) <= full);
            let choice = budget.choose(&record, room(context));
            prop_assert_eq!(choice.tight, takes(choice.view) > full);
            prop_assert!(!any || !choice.tight, "{:?}", choice);
            prop_assert!(takes(View::default()) > full || choice.view == View::default());
        }
    }

    #[test]
    fn m3b_estimates_hold_still_within_a_round_and_take_the_largest_seen() {
        let mut budget = Budget::default();
        let before = budget.tokens("m", 3500);
        budget.learn("m", 1000, 200);
        budget.learn("m", 1000, 400);
        assert!(
            (budget.tokens("m", 3500) - before).abs() < 1e-9,
            "nothing changes within the round"
        );
        budget.begin_round();
        assert!((budget.tokens("m", 1000) - 400.0).abs() < 1e-9);
        assert!(
            (budget.tokens("other", 3500) - before).abs() < 1e-9,
            "each model has its own"
        );
    }
}
