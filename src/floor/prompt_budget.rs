//! The maximum length of a prompt (rows M3b, M3c): estimates from this debate's own replies, and the view of the transcript
//! that fits.

use std::collections::HashMap;

use super::transcript::{Transcript, View};
use crate::text;

/// The share of the context that prompt and reply may take.
const FULL: f64 = 0.95;
/// The share that prompt and reply may take once older rounds are folded, so that the start of the prompt then stays the same
/// for some rounds.
const FOLDED: f64 = 0.60;

/// What is known about lengths in this debate.
#[derive(Debug, Default, Clone)]
pub(super) struct Budget {
    /// Tokens per character, by model, as used in this round.
    ratios: HashMap<String, f64>,
    /// The largest ratio seen so far, by model.
    seen: HashMap<String, f64>,
    /// The view in force, by size of context.
    views: HashMap<u32, View>,
}

/// What a prompt must fit into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room<'a> {
    pub(super) model: &'a str,
    /// The participant's context, in tokens.
    pub(super) context: u32,
    /// Tokens the reply may take.
    pub(super) reply: u32,
    /// Characters of the prompt outside the transcript.
    pub(super) around: usize,
    /// Whether no later prompt can reuse the start of this one. If so, there is no reason to leave room for growth.
    pub(super) last: bool,
}

/// The view chosen for a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    pub(super) view: View,
    /// Whether it omits text that earlier prompts held.
    pub(super) changed: bool,
    /// Whether even this view is estimated not to fit.
    pub(super) tight: bool,
}

/// A view of the transcript with the length of its text in characters.
type Measured = (View, usize);

impl Budget {
    /// Updates the estimates with what was seen. Within a round they stay fixed, so that calls made together agree.
    pub(super) fn begin_round(&mut self) {
        self.ratios.clone_from(&self.seen);
    }

    /// Learns from a reply how many tokens the characters of its prompt took.
    pub(super) fn learn(&mut self, model: &str, characters: usize, tokens: u64) {
        if characters > 0 && tokens > 0 {
            let ratio = tokens as f64 / characters as f64;
            let seen = self.seen.entry(model.to_owned()).or_insert(ratio);
            *seen = seen.max(ratio);
        }
    }

    fn tokens(&self, model: &str, characters: usize) -> f64 {
        let ratio = self.ratios.get(model).copied();
        characters as f64 * ratio.unwrap_or(1.0 / text::CHARS_PER_TOKEN)
    }

    /// Whether prompt and reply take at most this share of the context, with this many characters of record.
    fn within(&self, share: f64, room: Room<'_>, record: usize) -> bool {
        let takes = self.tokens(room.model, room.around + record) + f64::from(room.reply);
        takes <= f64::from(room.context) * share
    }

    /// Whether prompt and reply fit with a view of the transcript.
    pub(super) fn fits(&self, transcript: &Transcript, view: View, room: Room<'_>) -> bool {
        self.within(FULL, room, transcript.text(view).chars().count())
    }

    /// The view of the transcript for a prompt. The view in force stays as long as it fits 95% of the context and keeps the
    /// floor, or no view that keeps the floor fits. It is replaced by the longest view that fits 60%, if that keeps the floor,
    /// or else by the longest that fits 95%. A last call always gets the longest that fits 95%. Views that keep the floor are
    /// preferred to those that don't.
    pub(super) fn choose(&mut self, transcript: &Transcript, room: Room<'_>) -> Choice {
        let current = self.views.get(&room.context).copied().unwrap_or_default();
        let first = if room.last { View::default() } else { current };
        if self.fits(transcript, first, room)
            && (first.keeps_floor() || !self.floor_fits(transcript, room))
        {
            return Choice { view: first, changed: false, tight: false };
        }
        let view = self.longest(transcript, room);
        if !room.last {
            self.views.insert(room.context, view);
        }
        Choice {
            view,
            changed: view != current && view != View::default(),
            tight: !self.fits(transcript, view, room),
        }
    }

    /// Whether any view that keeps the floor fits.
    fn floor_fits(&self, transcript: &Transcript, room: Room<'_>) -> bool {
        let mut views = transcript.views().into_iter();
        views.any(|view| view.keeps_floor() && self.fits(transcript, view, room))
    }

    fn longest(&self, transcript: &Transcript, room: Room<'_>) -> View {
        let views = measured(transcript);
        let fitting = |share: f64| {
            let fits = |(_, length): &&Measured| self.within(share, room, *length);
            longest_of(views.iter().filter(fits))
        };
        let folded = || fitting(FOLDED).filter(|view| view.keeps_floor());
        let roomy = if room.last { None } else { folded() };
        roomy.or_else(|| fitting(FULL)).unwrap_or_else(|| shortest_of(&views))
    }

    /// A view for one attempt only, which shortens the prompt of `from` to `share` of its length.
    pub(super) fn squeeze(transcript: &Transcript, from: View, around: usize, share: f64) -> View {
        let whole = around + transcript.text(from).chars().count();
        let target = whole as f64 * share;
        let views = measured(transcript);
        let fits = |(_, length): &&Measured| (around + length) as f64 <= target;
        longest_of(views.iter().filter(fits)).unwrap_or_else(|| shortest_of(&views))
    }
}

fn measured(transcript: &Transcript) -> Vec<Measured> {
    let views = transcript.views().into_iter();
    views.map(|view| (view, transcript.text(view).chars().count())).collect()
}

/// The longest view, preferably one that keeps the floor; among equally long ones, the first.
fn longest_of<'v>(views: impl DoubleEndedIterator<Item = &'v Measured>) -> Option<View> {
    let longest = views.rev().max_by_key(|(view, length)| (view.keeps_floor(), *length));
    longest.map(|(view, _)| *view)
}

fn shortest_of(views: &[Measured]) -> View {
    let shortest = views.iter().min_by_key(|(_, length)| *length);
    shortest.map_or_else(View::default, |(view, _)| *view)
}

#[cfg(test)]
mod tests {
    use crate::properties::properties;
    use proptest::prelude::*;

    use super::super::transcript::{Folded, Said, Section};
    use super::*;
    use crate::flow::{Flow, FlowPoint};

    /// A transcript of finished rounds, each with one statement of this length per side.
    fn transcript(lengths: &[usize]) -> Transcript {
        let mut transcript = Transcript::default();
        fn said<'a>(label: &'a str, text: &'a str, side: Option<&'a str>) -> Said<'a> {
            Said { label, text, side, voices: &[], n: 1, is_apart: side.is_none() }
        }
        transcript.add(Section::Beginning, said("Moderator", "Welcome.", None));
        for (i, length) in lengths.iter().enumerate() {
            let round = i as u32 + 1;
            let text = "x".repeat(*length);
            transcript.add(Section::Round(round), said("X", &text, Some("x")));
            transcript.add(Section::Round(round), said("Y", &text, Some("y")));
            transcript.add_notes(Folded {
                round,
                summary: "A summary of the round.".to_owned(),
                statements: (1..=round).collect(),
                flow: made_by(round),
            });
        }
        transcript
    }

    /// Two points per side for every round so far.
    fn made_by(round: u32) -> Flow {
        let texts = ["a point", "another"];
        let speakers = (1..=round).flat_map(|n| ["x", "y"].map(|by| (n, by)));
        let points = speakers.flat_map(|(statement, by)| {
            texts.map(|text| FlowPoint {
                by: by.to_owned(),
                statement,
                text: text.to_owned(),
                ..FlowPoint::default()
            })
        });
        Flow { points: points.collect(), ..Flow::default() }
    }

    fn room(context: u32, last: bool) -> Room<'static> {
        Room { model: "m", context, reply: 100, around: 300, last }
    }

    fn fits(transcript: &Transcript, view: View, context: u32) -> bool {
        Budget::default().fits(transcript, view, room(context, false))
    }

    fn shown(transcript: &Transcript, context: u32) -> usize {
        let choice = Budget::default().choose(transcript, room(context, true));
        transcript.text(choice.view).chars().count()
    }

    proptest! {
        #![proptest_config(properties(100))]
        #[test]
        fn m3b_a_prompt_fits_whenever_any_view_of_the_record_fits(
            lengths in prop::collection::vec(0_usize..6000, 0..9), context in 400_u32..16_000, last: bool,
        ) {
            let transcript = transcript(&lengths);
            let any = transcript.views().into_iter().any(|view| fits(&transcript, view, context));
            let choice = Budget::default().choose(&transcript, room(context, last));
            prop_assert_eq!(choice.tight, !fits(&transcript, choice.view, context));
            prop_assert_eq!(any, !choice.tight, "{:?}", choice);
            prop_assert!(!fits(&transcript, View::default(), context) || choice.view == View::default());
        }

        #[test]
        fn m3c_no_view_is_below_the_floor_whenever_one_that_keeps_it_fits(
            lengths in prop::collection::vec(0_usize..6000, 0..9), context in 400_u32..16_000, last: bool,
        ) {
            let transcript = transcript(&lengths);
            let keeps = |view: &View| view.keeps_floor() && fits(&transcript, *view, context);
            let could = transcript.views().iter().any(keeps);
            let choice = Budget::default().choose(&transcript, room(context, last));
            prop_assert!(!could || choice.view.keeps_floor(), "{:?}", choice);
        }

        #[test]
        fn m3c_no_call_leaves_those_after_it_below_the_floor(
            lengths in prop::collection::vec(0_usize..6000, 0..9), context in 400_u32..16_000,
            calls in prop::collection::vec((0_u32..2000, 0_usize..4000), 1..6),
        ) {
            let transcript = transcript(&lengths);
            let mut budget = Budget::default();
            for (reply, around) in calls {
                let room = Room { reply, around, ..room(context, false) };
                let keeps = |view: &View| view.keeps_floor() && budget.fits(&transcript, *view, room);
                let could = transcript.views().iter().any(keeps);
                let choice = budget.choose(&transcript, room);
                prop_assert!(!could || choice.view.keeps_floor(), "{:?}", choice);
            }
        }

        #[test]
        fn m3c_for_last_calls_a_larger_context_never_shows_less(
            lengths in prop::collection::vec(0_usize..6000, 0..9), context in 400_u32..16_000, more in 1_u32..4000,
        ) {
            let transcript = transcript(&lengths);
            // Where even the shortest view does not fit, it is shown nevertheless.
            prop_assert!(shown(&transcript, context) <= shown(&transcript, context + more));
        }
    }

    #[test]
    fn m3c_a_long_view_that_fits_is_not_given_up_for_a_short_one() {
        // Two statements of 1,000 tokens: 60% of the context holds neither, 95% holds both.
        let transcript = transcript(&[3500]);
        let mut budget = Budget::default();
        budget.views.insert(3000, transcript.views()[transcript.views().len() - 1]);
        for last in [true, false] {
            let mut budget = Budget::default();
            let choice = budget.choose(&transcript, room(2600, last));
            assert!(choice.view.keeps_floor() && !choice.tight, "{choice:?}");
        }
    }

    #[test]
    fn m3c_a_last_call_sees_again_what_earlier_prompts_had_folded() {
        let transcript = transcript(&[1200; 6]);
        let mut budget = Budget::default();
        budget.views.insert(8192, View { folded: 5, ..View::default() });
        let choice = budget.choose(&transcript, room(8192, true));
        assert_eq!(choice.view, View::default());
        assert!(!choice.changed, "nothing is left out that stood there before");
        let again = budget.choose(&transcript, room(8192, false));
        assert_eq!(again.view.folded, 5, "the view in force holds for the others");
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
        assert!((budget.tokens("other", 3500) - before).abs() < 1e-9, "each model has its own");
    }
}
