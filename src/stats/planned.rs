//! The differences that topics are planned for. They are chosen: a figure that rests on the difference found says nothing of what
//! could have been found.

use std::fmt;

use super::findings::Unit;
use super::number::{Rounding, number};
use crate::text::grouped;
use statistics::bradley_terry::{Options, expected_score};

/// The share of a scale that is planned for.
const OF_SCALE: f64 = 0.05;
/// Beyond so many topics, how many exactly makes no difference.
const MOST_TOPICS: usize = 10_000;

/// A difference that topics are planned for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Planned {
    /// In strength, in Elo.
    Elo(f64),
    /// In total score, in points of its scale.
    Score(f64),
}

impl Planned {
    /// The one in strength.
    pub(crate) fn elo() -> Self {
        Self::Elo(Options::default().planned)
    }

    /// The one in total score, on a scale.
    pub(crate) fn score((low, high): (u8, u8)) -> Self {
        Self::Score(OF_SCALE * f64::from(high.saturating_sub(low)))
    }

    /// The number.
    pub(crate) fn difference(self) -> f64 {
        match self {
            Self::Elo(difference) | Self::Score(difference) => difference,
        }
    }

    /// Its unit.
    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Elo(_) => Unit::Elo,
            Self::Score(_) => Unit::Score,
        }
    }
}

/// `50 Elo (the planning figure: an expected score of 0.571)`, `0.50 points (the planning figure: a twentieth of the scale)`.
impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = number(self.unit(), self.difference());
        match self {
            Self::Elo(elo) => {
                let score = number(Rounding::Decimals(3), expected_score(*elo));
                write!(
                    f,
                    "{shown} Elo (the planning figure: an expected score of {score})"
                )
            }
            Self::Score(_) => write!(
                f,
                "{shown} points (the planning figure: a twentieth of the scale)"
            ),
        }
    }
}

/// What pairs of models can show.
pub(super) struct Power {
    /// The measure: `strength`.
    pub(super) measure: String,
    /// The unit of differences.
    pub(super) unit: Unit,
    /// The difference that is planned for; `None` without a scale to choose it on.
    pub(super) planned: Option<Planned>,
    /// By pair, the smallest detectable difference.
    pub(super) detectable: Vec<f64>,
    /// By pair, the topics there are, and those that would show what is planned for; `None` if a million would not do.
    pub(super) topics: Vec<(usize, Option<usize>)>,
    /// Whether there are pairs that cannot be tested.
    pub(super) is_partial: bool,
}

impl Power {
    /// What could have been seen, and how many more topics a chosen difference takes; `None` if nothing was tested.
    pub(super) fn sentence(&self) -> Option<String> {
        let ends = [f64::min, f64::max].map(|end| self.detectable.iter().copied().reduce(end));
        let [Some(least), Some(most)] = ends.map(|end| Some(number(self.unit, end?))) else {
            return None;
        };
        let unit = match self.unit {
            Unit::Elo => "Elo",
            _ => "points",
        };
        let range = match least == most {
            true => format!("{least} {unit}"),
            false => format!("{least} to {most} {unit}, depending on the pair"),
        };
        Some(format!(
            "Smallest detectable difference in {} (80% power after Holm's correction): {range}.{}",
            self.measure,
            self.needed().unwrap_or_default()
        ))
    }

    fn needed(&self) -> Option<String> {
        let more = |(there, needed): &(usize, Option<usize>)| match needed {
            Some(needed) => needed.saturating_sub(*there),
            None => usize::MAX,
        };
        let planned = self.planned?;
        let in_each = match (self.topics.len(), self.is_partial) {
            (1, false) => "",
            (1, true) => " in the one pair that is tested",
            (_, false) => " between any two",
            (_, true) => " in any pair that is tested",
        };
        Some(match self.topics.iter().map(more).max()? {
            0 => format!(" These topics suffice to detect {planned}{in_each}, as judged here."),
            more => format!(
                " To detect {planned}{in_each}, as judged here, takes {}.",
                more_topics(more)
            ),
        })
    }
}

/// `about 22 more topics`.
fn more_topics(more: usize) -> String {
    match more {
        1 => "about 1 more topic".to_owned(),
        ..=MOST_TOPICS => format!("about {} more topics", grouped(two_digits(more))),
        _ => format!("more than {} more topics", grouped(MOST_TOPICS)),
    }
}

/// `about 230 topics`, of so many that a job would need in all.
pub(crate) fn about_topics(all: usize) -> String {
    match all {
        ..=MOST_TOPICS => format!("about {} topics", grouped(two_digits(all))),
        _ => format!("more than {} topics", grouped(MOST_TOPICS)),
    }
}

/// A number rounded to two digits: an estimate knows no more.
fn two_digits(number: usize) -> usize {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pairs: &[(f64, usize, Option<usize>)]) -> Option<String> {
        let power = Power {
            measure: "strength".to_owned(),
            unit: Unit::Elo,
            planned: Some(Planned::elo()),
            detectable: pairs.iter().map(|it| it.0).collect(),
            topics: pairs.iter().map(|it| (it.1, it.2)).collect(),
            is_partial: false,
        };
        power.sentence()
    }

    const BEGINS: &str =
        "Smallest detectable difference in strength (80% power after Holm's correction): ";
    const PLANNED: &str = "50 Elo (the planning figure: an expected score of 0.571)";

    #[test]
    fn s3_pairs_differ_in_what_they_could_show_and_the_one_that_needs_most_decides() {
        assert_eq!(
            told(&[(56.2, 40, Some(50)), (66.0, 40, Some(67))]),
            Some(format!(
                "{BEGINS}56 to 66 Elo, depending on the pair. To detect {PLANNED} between any two, as judged here, takes about 27 more topics."
            ))
        );
        assert_eq!(
            told(&[(56.2, 40, Some(41))]),
            Some(format!(
                "{BEGINS}56 Elo. To detect {PLANNED}, as judged here, takes about 1 more topic."
            ))
        );
    }

    #[test]
    fn s3_of_pairs_that_are_not_tested_nothing_is_told() {
        let told = |topics: &[(usize, Option<usize>)]| {
            let power = Power {
                measure: "strength".to_owned(),
                unit: Unit::Elo,
                planned: Some(Planned::elo()),
                detectable: vec![31.0; topics.len()],
                topics: topics.to_vec(),
                is_partial: true,
            };
            power.sentence().expect("a sentence")
        };
        let enough = (40, Some(18));
        for (topics, which) in [
            (
                vec![enough],
                "in the one pair that is tested, as judged here.",
            ),
            (
                vec![enough; 2],
                "in any pair that is tested, as judged here.",
            ),
        ] {
            let sentence = told(&topics);
            assert!(sentence.ends_with(which), "{sentence}");
        }
    }

    #[test]
    fn s3_enough_topics_are_told_and_so_are_too_many() {
        assert_eq!(
            told(&[(31.0, 40, Some(18)), (43.0, 40, Some(33))]),
            Some(format!(
                "{BEGINS}31 to 43 Elo, depending on the pair. These topics suffice to detect {PLANNED} between any two, as judged here."
            ))
        );
        assert_eq!(
            told(&[(800.0, 12, None)]),
            Some(format!(
                "{BEGINS}800 Elo. To detect {PLANNED}, as judged here, takes more than 10,000 more topics."
            ))
        );
        assert_eq!(told(&[]), None);
        let alike = told(&[(56.1, 40, Some(41)), (56.3, 40, Some(41))]).expect("a sentence");
        assert!(alike.starts_with(&format!("{BEGINS}56 Elo. ")), "{alike}");
    }

    #[test]
    fn s3_a_twentieth_of_a_scale_is_planned_for() {
        assert_eq!(
            Planned::score((0, 10)).to_string(),
            "0.50 points (the planning figure: a twentieth of the scale)"
        );
        assert_eq!(
            Planned::score((1, 5)).to_string(),
            "0.20 points (the planning figure: a twentieth of the scale)"
        );
        assert_eq!(about_topics(1184), "about 1,200 topics");
    }
}
