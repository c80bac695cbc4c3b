//! Scores: how models differ in them, and how judges used their scales.

use schemars::JsonSchema;
use serde::Serialize;

use super::leaderboards::Confounded;
use statistics::estimate::Estimate;
use statistics::paired::Difference;

/// Paired differences between models in their total scores, within one format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Comparisons {
    /// The format.
    pub format: String,
    /// The lowest and highest possible score; `null` if it is not known or not the same in all debates.
    pub scale: Option<(u8, u8)>,
    /// Whether debates were scored on different scales: their points are not the same, so that a mean difference in them says little.
    pub mixed_scales: bool,
    /// The difference that `topics_needed` plans for: a twentieth of the scale.
    pub planned: Option<f64>,
    /// The pairs of models; differences are first minus second. The first is the one that is higher on the leaderboard of models by
    /// strength, or without one the first by name.
    pub pairs: Vec<PairedDifference>,
    /// Why there are none.
    pub reason: Option<String>,
}

impl Comparisons {
    /// What is in the way of comparing the scores of some of its models.
    pub fn confounders(&self) -> impl Iterator<Item = &Confounded> {
        self.pairs.iter().filter_map(|pair| pair.confounded.as_ref())
    }

    /// The one of two models whose scores are clearly higher.
    pub fn higher<'n>(&self, pair: [&'n str; 2]) -> Option<&'n str> {
        let clear = self.pairs.iter().find(|it| it.clear && it.is_of(pair))?;
        pair.into_iter().find(|name| *name == clear.in_order()[0])
    }

    /// ` on a scale from 0 to 10`, ` on different scales`; nothing where the scale is not known.
    pub fn on_scale(&self) -> String {
        match self.scale {
            Some((low, high)) => format!(" on a scale from {low} to {high}"),
            None if self.mixed_scales => " on different scales".to_owned(),
            None => String::new(),
        }
    }
}

/// The difference between two models on the same material.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PairedDifference {
    /// The first model.
    pub a: String,
    /// The second.
    pub b: String,
    /// The seats of the totals that were paired; `null` if none were.
    pub seats: Option<PairedSeats>,
    /// Whether both met the same opponents equally often in these debates.
    pub same_opponents: bool,
    /// Scored debates of the two with each other of which no total is paired: on a topic that is not balanced, what either reached
    /// there has no counterpart in the same seat against the same opponent.
    pub unpaired_meetings: usize,
    /// Differences between the two besides their models; if any, there is no interval and no test.
    pub confounded: Option<Confounded>,
    /// Whether the two differ clearly: on at least five topics, with a corrected p below 0.045 divided by the number of formats
    /// with tests. The test takes unequal topics into account.
    pub clear: bool,
    /// First minus second, over pairs, clustered by topic.
    #[serde(flatten)]
    pub found: Difference,
    /// The same at equal length of texts; `null` where contestants are not judged side by side.
    pub at_equal_length: Option<AtEqualLength>,
    /// Topics like these that would show a difference of `planned` with 80% power, at the level of `detectable`.
    pub topics_needed: Option<usize>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How far the scores of two models are apart at equal length of their texts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AtEqualLength {
    /// How many times as long the first model's texts are.
    pub times_as_long: f64,
    /// First minus second, at equal length: within debates and judges, with the effects of other models and of the logarithm of
    /// length.
    pub difference: Estimate,
}

/// The seats of totals that were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairedSeats {
    /// All, on topics, or in jobs on a topic, where both models had each seat, turn, position, persona and opponent equally often.
    Balanced,
    /// All there; elsewhere the same seat, against the same opponents.
    Mixed,
    /// The same seat, against the same opponents.
    Same,
    /// Any, because on no topic were seats and opponents balanced, and the two never had the same seat and opponents with all else
    /// equal; against the same opponents if there are such totals.
    Any,
}

impl PairedDifference {
    /// The same, second minus first.
    pub(in crate::stats) fn turn(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        self.found.estimate = self.found.estimate.clone().turned();
        if let Some(own) = &mut self.at_equal_length {
            own.times_as_long = own.times_as_long.recip();
            own.difference = own.difference.clone().turned();
        }
    }

    /// Whether it is of these two.
    pub fn is_of(&self, [one, other]: [&str; 2]) -> bool {
        let both = [&*self.a, &*self.b];
        both == [one, other] || both == [other, one]
    }

    /// The one whose scores are higher, and the other.
    pub fn in_order(&self) -> [&str; 2] {
        if self.found.estimate.value > Some(0.0) { [&self.a, &self.b] } else { [&self.b, &self.a] }
    }
}

/// How often each score was given.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Distribution {
    /// The format.
    pub format: String,
    /// The criterion.
    pub criterion: String,
    /// The lowest and highest score of the scale.
    pub scale: Option<(u8, u8)>,
    /// Scores and their frequencies, lowest first.
    pub counts: Vec<(f64, usize)>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}
