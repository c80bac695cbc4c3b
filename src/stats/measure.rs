//! What is measured: names, units, and whether it is a mean or a share.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::estimate::{Estimate, Observation};
use super::findings::{Measure, Unit};

/// What is measured; `STATISTICS.md` describes each. The order is the order in which measures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
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

impl What {
    /// A name for machines, one for people, the unit.
    fn words(self) -> (&'static str, &'static str, Unit) {
        match self {
            What::Win => ("win_rate", "Win rate, a draw counts half", Unit::Share),
            What::Draw => ("draws", "Draws", Unit::Share),
            What::Total => ("score.total", "Total score", Unit::Score),
            What::Criterion => ("score", "", Unit::Score),
            What::Points => ("points", "Points of debaters (Y)", Unit::Points),
            What::PointsX => ("points_x", "Points of X", Unit::Points),
            What::Rotations => ("rotations", "Rotations", Unit::Count),
            What::Stand => ("stand", "Rounds until voted out or the end", Unit::Count),
            What::Consensus => ("consensus", "Consensus reached", Unit::Share),
            What::ConsensusRounds => ("consensus_rounds", "Rounds to consensus", Unit::Count),
            What::AutoScore => ("auto_score", "Score of the final answer", Unit::Score),
            What::QualityScore => ("quality_score", "Skeptic's last score", Unit::Score),
            What::Rating => ("rating", "User's rating", Unit::Score),
            What::EarlyStop => ("early_stop", "Ended early", Unit::Share),
            What::Rounds => ("rounds", "Rounds held", Unit::Count),
            What::LateRounds => ("late_rounds", "Rounds over 30 s of model time", Unit::Share),
            What::Done => ("done", "Done", Unit::Share),
            What::Unusable => (
                "unusable_judgments",
                "Judgments invalid or missing",
                Unit::Share,
            ),
            What::Generous => ("generously_read", "Judgments read generously", Unit::Share),
            What::Cuts => ("cuts", "Statements cut", Unit::Share),
            What::Declined => ("declined", "Statements declined at first", Unit::Share),
            What::Incidents => ("incidents", "Incidents", Unit::Count),
            What::StatementTokens => ("statement_tokens", "Tokens a statement", Unit::Tokens),
            What::ReplyTokens => ("reply_tokens", "Reply tokens", Unit::Tokens),
            What::PromptTokens => ("prompt_tokens", "Prompt tokens", Unit::Tokens),
            What::ModelMinutes => ("model_minutes", "Model time, minutes", Unit::Minutes),
            What::WallMinutes => ("wall_minutes", "Wall time, minutes", Unit::Minutes),
        }
    }

    /// Whether each observation is a part of a whole that only takes 0, ½ and 1.
    fn is_share(self) -> bool {
        self.words().2 == Unit::Share
    }
}

/// What is measured, the format and the criterion.
type Name<'c> = (What, Option<&'c str>, Option<&'c str>);

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
        what: What,
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

    /// What a number of a unit can be.
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
        let described = include_str!("../../STATISTICS.md");
        let all = [
            What::Win,
            What::Draw,
            What::Total,
            What::Criterion,
            What::Points,
            What::PointsX,
            What::Rotations,
            What::Stand,
            What::Consensus,
            What::ConsensusRounds,
            What::AutoScore,
            What::QualityScore,
            What::Rating,
            What::EarlyStop,
            What::Rounds,
            What::LateRounds,
            What::Done,
            What::Unusable,
            What::Generous,
            What::Cuts,
            What::Declined,
            What::Incidents,
            What::StatementTokens,
            What::ReplyTokens,
            What::PromptTokens,
            What::ModelMinutes,
            What::WallMinutes,
        ];
        let lacking = all.iter().map(|what| what.words().0).filter(|name| {
            !described.contains(&format!("`{name}`")) && !described.contains(&format!("`{name}."))
        });
        assert_eq!(lacking.collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(all.is_sorted(), "in the order in which they are shown");
    }
}
