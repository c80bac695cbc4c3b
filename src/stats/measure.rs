//! Metric is measured: names, units, and whether it is a mean or a share.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::findings::{Measure, Unit};
use statistics::estimate::{Estimate, Observation};

/// What is measured; `docs/src/reference/methods.md` describes each. The order is the order in which measures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Metric {
    Win,
    Draw,
    Total,
    Criterion,
    Points,
    PointsX,
    Rotations,
    Stand,
    Consensus,
    ConsensusRounds,
    AutoScore,
    QualityScore,
    Rating,
    EarlyStop,
    Rounds,
    LateRounds,
    Done,
    Unusable,
    Generous,
    Cuts,
    Declined,
    Incidents,
    StatementTokens,
    ReplyTokens,
    PromptTokens,
    ModelMinutes,
    WallMinutes,
}

impl Metric {
    /// A name for machines, one for people, the unit.
    fn words(self) -> (&'static str, &'static str, Unit) {
        match self {
            Metric::Win => ("win_rate", "Win rate, a draw counts half", Unit::Share),
            Metric::Draw => ("draws", "Draws", Unit::Share),
            Metric::Total => ("score.total", "Total score", Unit::Score),
            Metric::Criterion => ("score", "", Unit::Score),
            Metric::Points => ("points", "Points of debaters (Y)", Unit::Points),
            Metric::PointsX => ("points_x", "Points of X", Unit::Points),
            Metric::Rotations => ("rotations", "Rotations", Unit::Count),
            Metric::Stand => ("stand", "Rounds until voted out or the end", Unit::Count),
            Metric::Consensus => ("consensus", "Consensus reached", Unit::Share),
            Metric::ConsensusRounds => ("consensus_rounds", "Rounds to consensus", Unit::Count),
            Metric::AutoScore => ("auto_score", "Score of the final answer", Unit::Score),
            Metric::QualityScore => ("quality_score", "Skeptic's last score", Unit::Score),
            Metric::Rating => ("rating", "User's rating", Unit::Score),
            Metric::EarlyStop => ("early_stop", "Ended early", Unit::Share),
            Metric::Rounds => ("rounds", "Rounds held", Unit::Count),
            Metric::LateRounds => ("late_rounds", "Rounds over 30 s of model time", Unit::Share),
            Metric::Done => ("done", "Done", Unit::Share),
            Metric::Unusable => (
                "unusable_judgments",
                "Judgments invalid or missing",
                Unit::Share,
            ),
            Metric::Generous => ("generously_read", "Judgments read generously", Unit::Share),
            Metric::Cuts => ("cuts", "Statements cut", Unit::Share),
            Metric::Declined => ("declined", "Statements declined at first", Unit::Share),
            Metric::Incidents => ("incidents", "Incidents", Unit::Count),
            Metric::StatementTokens => ("statement_tokens", "Tokens a statement", Unit::Tokens),
            Metric::ReplyTokens => ("reply_tokens", "Reply tokens", Unit::Tokens),
            Metric::PromptTokens => ("prompt_tokens", "Prompt tokens", Unit::Tokens),
            Metric::ModelMinutes => ("model_minutes", "Model time, minutes", Unit::Minutes),
            Metric::WallMinutes => ("wall_minutes", "Wall time, minutes", Unit::Minutes),
        }
    }

    /// Whether each observation is a part of a whole that only takes 0, ½ and 1.
    fn is_share(self) -> bool {
        self.words().2 == Unit::Share
    }
}

/// Metric is measured, the format and the criterion.
type Name<'c> = (Metric, Option<&'c str>, Option<&'c str>);

/// Observations by what they measure.
#[derive(Debug, Default)]
pub(super) struct Samples<'c> {
    /// The scales of formats.
    scales: BTreeMap<&'c str, (u8, u8)>,
    all: BTreeMap<Name<'c>, Vec<Observation>>,
}

impl<'c> Samples<'c> {
    pub(super) fn add(
        &mut self,
        what: Metric,
        format: Option<&'c str>,
        criterion: Option<&'c str>,
        observation: Observation,
    ) {
        let key = (what, format, criterion);
        self.all.entry(key).or_default().push(observation);
    }

    /// Says between which ends a format's scores lie; over all its debates, where scales differ.
    pub(super) fn scale(&mut self, format: &'c str, scale: Option<(u8, u8)>) {
        if let Some((least, most)) = scale {
            let ends = self.scales.entry(format).or_insert((least, most));
            *ends = (ends.0.min(least), ends.1.max(most));
        }
    }

    /// Metric a number of a unit can be.
    fn ends(&self, unit: Unit, format: Option<&str>) -> (f64, f64) {
        match (unit, format.and_then(|format| self.scales.get(format))) {
            (Unit::Score, Some((least, most))) => (f64::from(*least), f64::from(*most)),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// The estimates.
    pub(super) fn measures(&self) -> Vec<Measure> {
        let all = self.all.par_iter();
        all.map(|(name, sample)| self.measure(*name, sample))
            .collect()
    }

    fn measure(&self, (what, format, criterion): Name<'_>, sample: &[Observation]) -> Measure {
        let (name, label, unit) = what.words();
        let (least, most) = self.ends(unit, format);
        Measure {
            name: criterion.map_or(name.to_owned(), |c| format!("{name}.{c}")),
            label: criterion.map_or(label.to_owned(), |c| {
                format!("Score: {}", c.replace('_', " "))
            }),
            format: format.map(str::to_owned),
            unit,
            estimate: if what.is_share() {
                Estimate::share(sample)
            } else {
                Estimate::mean(sample).within(least, most)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_every_measure_is_described() {
        let described = include_str!("../../docs/src/reference/methods.md");
        let all = [
            Metric::Win,
            Metric::Draw,
            Metric::Total,
            Metric::Criterion,
            Metric::Points,
            Metric::PointsX,
            Metric::Rotations,
            Metric::Stand,
            Metric::Consensus,
            Metric::ConsensusRounds,
            Metric::AutoScore,
            Metric::QualityScore,
            Metric::Rating,
            Metric::EarlyStop,
            Metric::Rounds,
            Metric::LateRounds,
            Metric::Done,
            Metric::Unusable,
            Metric::Generous,
            Metric::Cuts,
            Metric::Declined,
            Metric::Incidents,
            Metric::StatementTokens,
            Metric::ReplyTokens,
            Metric::PromptTokens,
            Metric::ModelMinutes,
            Metric::WallMinutes,
        ];
        let lacking = all.iter().map(|what| what.words().0).filter(|name| {
            !described.contains(&format!("`{name}`")) && !described.contains(&format!("`{name}."))
        });
        assert_eq!(lacking.collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(all.is_sorted(), "in the order in which they are shown");
    }
}
