//! Metrics: names, units, and whether each is a mean or a share.

use std::collections::{BTreeMap, HashMap};

use super::counted_debates::View;
use super::findings::{Measure, Unit};
use crate::facts::Facts;
use statistics::estimate::{Estimate, Observation};

/// Declares what is measured: a name for machines, one for people, the unit.
macro_rules! metrics {
    ($($metric:ident: $name:literal, $label:literal, $unit:ident;)+) => {
        /// What is measured; `docs/src/reference/methods.md` describes each. The order is the order in which measures are shown.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) enum Metric { $($metric),+ }

        impl Metric {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$metric),+];

            fn words(self) -> (&'static str, &'static str, Unit) {
                match self { $(Self::$metric => ($name, $label, Unit::$unit)),+ }
            }
        }
    };
}

metrics! {
    Win: "win_rate", "Win rate (draws count half)", Share;
    Draw: "draws", "Draws", Share;
    Total: "score.total", "Total score", Score;
    Criterion: "score", "", Score;
    Points: "points", "Points of debaters (Y)", Points;
    PointsX: "points_x", "Points of X", Points;
    Rotations: "rotations", "Rotations", Count;
    Stand: "stand", "Rounds until voted out or the end", Count;
    Consensus: "consensus", "Consensus reached", Share;
    ConsensusRounds: "consensus_rounds", "Rounds to consensus", Count;
    AutoScore: "auto_score", "Score of the final answer", Score;
    Improved: "improved", "Final answer preferred to the first", Share;
    ComparisonFlips: "comparison_flips", "Comparisons of answers that changed with the order", Share;
    QualityScore: "quality_score", "Skeptic's last score", Score;
    Rating: "rating", "User's rating", Score;
    EarlyStop: "early_stop", "Ended early", Share;
    Rounds: "rounds", "Rounds", Count;
    LateRounds: "late_rounds", "Rounds over 30 s of model time", Share;
    Done: "done", "Done", Share;
    UnusableBallots: "unusable_ballots", "Ballots invalid or missing", Share;
    UnusableReadings: "unusable_readings", "Readings invalid or missing", Share;
    GenerousBallots: "generous_ballots", "Ballots not in the form requested", Share;
    GenerousReadings: "generous_readings", "Readings not in the form requested", Share;
    NewPoints: "flow.new_points", "New points per statement", PerStatement;
    Repeats: "flow.repeats", "Statements that repeat a point of their own", Share;
    Withdrawn: "flow.withdrawn", "Own points withdrawn or narrowed", Share;
    Answers: "flow.others.answered", "Others' points answered", Share;
    PartlyAnswers: "flow.others.partly_answered", "Others' points partly answered", Share;
    Drops: "flow.others.dropped", "Others' points dropped", Share;
    Concedes: "flow.others.conceded", "Others' points granted", Share;
    OwnAnswered: "flow.own.answered", "Own points that others answered", Share;
    OwnPartlyAnswered: "flow.own.partly_answered", "Own points that others partly answered", Share;
    OwnDropped: "flow.own.dropped", "Own points that others dropped", Share;
    OwnConceded: "flow.own.conceded", "Own points that others granted", Share;
    Cuts: "cuts", "Statements cut", Share;
    Declined: "declined", "Statements declined at first", Share;
    Incidents: "incidents", "Incidents", Count;
    StatementTokens: "statement_tokens", "Tokens per statement", Tokens;
    ReplyTokens: "reply_tokens", "Reply tokens", Tokens;
    PromptTokens: "prompt_tokens", "Prompt tokens", Tokens;
    ModelMinutes: "model_minutes", "Model time, minutes", Minutes;
    WallMinutes: "wall_minutes", "Wall time, minutes", Minutes;
}

impl Metric {
    /// Whether each observation is a part of a whole that only takes 0, ½ and 1.
    fn is_share(self) -> bool {
        self.words().2 == Unit::Share
    }

    /// Whether it means the same in all formats.
    fn is_of_all(self) -> bool {
        matches!(
            self,
            Self::Done
                | Self::UnusableBallots
                | Self::UnusableReadings
                | Self::GenerousBallots
                | Self::GenerousReadings
                | Self::Incidents
                | Self::ReplyTokens
                | Self::PromptTokens
                | Self::ModelMinutes
                | Self::WallMinutes
        )
    }
}

/// What is measured, the format and the criterion.
pub(super) type Name<'c> = (Metric, Option<&'c str>, Option<&'c str>);

/// The ends between which scores lie, by format.
pub(super) type Scales<'c> = BTreeMap<&'c str, (u8, u8)>;

/// The scales of debates: those of a format's that are the furthest.
pub(super) fn scales<'c>(debates: impl Iterator<Item = &'c Facts>) -> Scales<'c> {
    let mut scales = Scales::new();
    for facts in debates {
        if let Some((least, most)) = facts.scale() {
            let ends = scales.entry(&facts.format).or_insert((least, most));
            *ends = (ends.0.min(least), ends.1.max(most));
        }
    }
    scales
}

/// Observations by what they measure.
#[derive(Debug)]
pub(super) struct Samples<'v, 'c> {
    pub(super) view: &'v View<'c>,
    scales: Scales<'c>,
    all: HashMap<Name<'c>, Vec<Observation>, foldhash::fast::RandomState>,
}

impl<'v, 'c> Samples<'v, 'c> {
    pub(super) fn new(view: &'v View<'c>) -> Self {
        Self { view, scales: Scales::new(), all: HashMap::default() }
    }

    /// The same for scores on these scales.
    pub(super) fn on(self, scales: &Scales<'c>) -> Self {
        Self { scales: scales.clone(), ..self }
    }

    /// Adds what a debate gives, if it gives anything.
    pub(super) fn add(&mut self, what: Metric, debate: usize, value: impl Into<Option<f64>>) {
        self.add_all(what, debate, value.into());
    }

    /// Adds all that a debate gives of one kind.
    pub(super) fn add_all(
        &mut self,
        what: Metric,
        debate: usize,
        values: impl IntoIterator<Item = f64>,
    ) {
        let format = &*self.view.debates[debate].format;
        let format = Some(format).filter(|_| !what.is_of_all());
        self.push((what, format, None), debate, values);
    }

    /// Adds how many of so many cases a debate gives.
    pub(super) fn add_share(&mut self, what: Metric, debate: usize, count: u32, of: u32) {
        self.add_all(what, debate, (0..of).map(|n| f64::from(n < count)));
    }

    /// Adds a score by a criterion, or without one a total.
    pub(super) fn add_score(&mut self, criterion: Option<&'c str>, debate: usize, value: f64) {
        let what = criterion.map_or(Metric::Total, |_| Metric::Criterion);
        let format = &*self.view.debates[debate].format;
        self.push((what, Some(format), criterion), debate, Some(value));
    }

    fn push(&mut self, name: Name<'c>, debate: usize, values: impl IntoIterator<Item = f64>) {
        let view = self.view;
        let values = values.into_iter();
        let mut each = values.map(|value| view.observation(debate, value)).peekable();
        // What nobody gives has no sample.
        if each.peek().is_some() {
            self.all.entry(name).or_default().extend(each);
        }
    }

    /// What a number can be. Scores lie on the format's scale; a user's rating and those of answers have one of their own.
    fn ends(&self, what: Metric, format: Option<&str>) -> (f64, f64) {
        if matches!(what, Metric::Rating | Metric::AutoScore | Metric::QualityScore) {
            return (1.0, 10.0);
        }
        match (what.words().2, format.and_then(|format| self.scales.get(format))) {
            (Unit::Score, Some((least, most))) => (f64::from(*least), f64::from(*most)),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// The estimates, in any order.
    pub(super) fn measured(&self) -> Vec<(Name<'c>, Measure)> {
        let all = self.all.iter();
        all.map(|(name, sample)| (*name, self.measure(*name, sample))).collect()
    }

    fn measure(&self, (what, format, criterion): Name<'_>, sample: &[Observation]) -> Measure {
        let (name, label, unit) = what.words();
        let (least, most) = self.ends(what, format);
        Measure {
            name: criterion.map_or(name.to_owned(), |c| format!("{name}.{c}")),
            label: criterion
                .map_or(label.to_owned(), |c| format!("Score: {}", c.replace('_', " "))),
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

/// Estimates in order of their names.
pub(super) fn in_order(mut all: Vec<(Name<'_>, Measure)>) -> Vec<Measure> {
    all.sort_unstable_by_key(|(name, _)| *name);
    all.into_iter().map(|(_, measure)| measure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_every_measure_is_described() {
        let described = include_str!("../../docs/src/reference/methods.md");
        let lacking = Metric::ALL.iter().map(|what| what.words().0).filter(|name| {
            !described.contains(&format!("`{name}`")) && !described.contains(&format!("`{name}."))
        });
        assert_eq!(lacking.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
