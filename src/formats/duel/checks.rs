//! The checks of a turn (rows U2a and U2b): it must not repeat an earlier turn, and must keep to the topic.

use serde_json::json;

use super::Duel;
use crate::event::Statement;
use crate::floor::Doubt;
use crate::formats::duel::settings::{A, B};
use crate::job::background::Background;
use crate::plan::Plan;
use crate::text::similarity::similarity;
use crate::text::{self, overlap::Keywords};

/// Similarity from which the clerk is asked whether a turn repeats an earlier one.
const SUSPECTED: f64 = 0.6;
/// The keys of the questions to the clerk.
const OFF_TOPIC: &str = "off_topic";
const REPEATS: &str = "repeats";

/// The turns so far, and the words introduced by them and by the job.
pub(super) struct Checks<'a> {
    plan: &'a Plan,
    settings: &'a Duel,
    keywords: Keywords,
    turns: Vec<Statement>,
}

/// The earlier turn most similar to a text.
pub(super) struct Closest<'c> {
    pub(super) turn: &'c Statement,
    pub(super) similarity: f64,
}

impl<'a> Checks<'a> {
    pub(super) fn of(plan: &'a Plan, settings: &'a Duel) -> Self {
        let positions =
            [A, B].into_iter().filter_map(|id| plan.participant(id)).map(|p| p.position.as_str());
        let background = plan.background.iter().flat_map(words_of);
        Self {
            keywords: Keywords::new(&plan.topic, background.chain(positions)),
            plan,
            settings,
            turns: Vec::new(),
        }
    }

    /// Notes a turn that was an argument. A turn accepted in spite of an objection counts as an earlier turn, but it does not
    /// widen the topic.
    pub(super) fn note(&mut self, turn: &Statement) {
        if turn.objections.is_empty() {
            self.keywords.add(said(turn));
        }
        self.turns.push(turn.clone());
    }

    /// The objections to a text; empty if it is accepted.
    pub(super) fn objections(&self, text: &str) -> Vec<String> {
        let most = self.settings.similarity_threshold;
        let repeated = self.closest(text).filter(|c| c.similarity >= most);
        let told = repeated.map(|closest| {
            let (by, round) = (self.plan.name_of(&closest.turn.by), closest.turn.round);
            let similarity = closest.similarity;
            format!("it repeats the turn of {by} in round {round} (similarity {similarity:.3}, and it must be below {most})")
        });
        told.into_iter().collect()
    }

    /// The doubt for the clerk to settle: measurements only see words, and an apt thought experiment has words of its own,
    /// and a closing turn weighs what was said.
    pub(super) fn doubt(&self, text: &str, closing: bool) -> Option<Doubt> {
        let closest = self.closest(text).filter(|c| c.similarity >= SUSPECTED);
        let drifts = self.drifts(text);
        let repeats = closest.is_some().then_some((REPEATS, "it says again what was said"));
        let strays = drifts.then_some((OFF_TOPIC, "it is off the topic"));
        let asks: Vec<_> = strays.into_iter().chain(repeats).collect();
        let earlier = closest.map(|closest| {
            json!({"name": self.plan.name_of(&closest.turn.by), "round": closest.turn.round, "text": said(closest.turn)})
        });
        (!asks.is_empty()).then(|| Doubt {
            template: "prompts/duel/doubt.md.j2",
            context: json!({"earlier": earlier, "drifts": drifts, "closing": closing}),
            asks,
        })
    }

    /// Whether a text seems to leave the topic. In languages other than English, coherence is measured but raises no doubt: the
    /// topic, the background and the list of words without meaning are compared as English words.
    fn drifts(&self, text: &str) -> bool {
        self.plan.is_in_english() && self.coherence(text) < self.settings.coherence_threshold
    }

    /// The earlier turn with the greatest similarity; among equals, the first.
    pub(super) fn closest(&self, text: &str) -> Option<Closest<'_>> {
        let compared = self
            .turns
            .iter()
            .rev()
            .map(|turn| Closest { turn, similarity: similarity(text, said(turn)) });
        compared.max_by(|one, other| one.similarity.total_cmp(&other.similarity))
    }

    pub(super) fn coherence(&self, text: &str) -> f64 {
        self.keywords.coherence(text)
    }
}

/// The text of a turn without the mark of a cut.
pub(super) fn said(turn: &Statement) -> &str {
    let text = turn.text.as_str();
    let unmarked = text.strip_suffix(text::CUT_MARK).filter(|_| turn.cut);
    unmarked.unwrap_or(text).trim_end()
}

fn words_of(piece: &Background) -> Vec<&str> {
    match piece {
        Background::Text(text) => vec![text],
        Background::Facts(lists) => {
            let texts = lists.iter().flat_map(|(name, facts)| std::iter::once(name).chain(facts));
            texts.map(String::as_str).collect()
        }
    }
}
