//! The differences that topics are planned for. They are chosen: a figure that rests on the difference found says nothing of what
//! could have been found.

use std::fmt;

use super::claim::LEAST_TOPICS;
use super::findings::Unit;
use super::number::{Rounding, number};
use crate::text::grouped;
use statistics::bradley_terry::{Options, expected_score};
use statistics::paired::{ALPHA, Spread};

/// The share of a scale that is planned for.
const OF_SCALE: f64 = 0.05;
/// Beyond so many topics, how many exactly makes no difference.
const MOST_TOPICS: usize = 10_000;

/// A difference that topics are planned for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Planned {
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

    /// The largest difference that there can be.
    fn widest(self) -> f64 {
        match self {
            Self::Elo(_) => f64::INFINITY,
            Self::Score(difference) => difference / OF_SCALE,
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
                write!(f, "{shown} Elo (the planning figure: an expected score of {score})")
            }
            Self::Score(_) => {
                write!(f, "{shown} points (the planning figure: a twentieth of the scale)")
            }
        }
    }
}

/// What pairs of models can show.
pub(super) struct Power {
    /// The measure: `strength`.
    pub(super) measure: String,
    /// The difference that is planned for; `None` without a scale to choose it on.
    pub(super) planned: Option<Planned>,
    /// By pair, the smallest detectable difference.
    pub(super) detectable: Vec<f64>,
    /// How exactly each pair is measured.
    pub(super) spreads: Vec<Spread>,
    /// Whether there are pairs that cannot be tested.
    pub(super) is_partial: bool,
}

impl Power {
    /// What could have been seen, and how many more topics a chosen difference takes; `None` if nothing was tested.
    pub(super) fn sentence(&self) -> Option<String> {
        let range = self.range()?;
        Some(format!(
            "Smallest detectable difference in {} (noticed in 4 of 5 such runs, at 5% after Holm's correction), estimated: {range}.{}",
            self.measure,
            self.needed().unwrap_or_default()
        ))
    }

    /// The smallest and the largest of what pairs could show, as far as a scale has such differences.
    fn range(&self) -> Option<String> {
        let end = |end: fn(f64, f64) -> f64| self.detectable.iter().copied().reduce(end);
        let (least, most) = (end(f64::min)?, end(f64::max)?);
        let in_unit = self.planned.map_or(Unit::Score, Planned::unit);
        let unit = if in_unit == Unit::Elo { "Elo" } else { "points" };
        let widest = self.planned.map_or(f64::INFINITY, Planned::widest);
        let shown = |end| number(in_unit, end);
        Some(match (least > widest, most > widest) {
            (true, _) => "none on the scale".to_owned(),
            (_, true) => {
                format!("{} {unit} to more than the scale has, depending on the pair", shown(least))
            }
            _ if shown(least) == shown(most) => format!("{} {unit}", shown(least)),
            _ => format!("{} to {} {unit}, depending on the pair", shown(least), shown(most)),
        })
    }

    /// How exactly those pairs are measured that have enough topics to know it.
    fn known(&self) -> impl Iterator<Item = &Spread> {
        self.spreads.iter().filter(|spread| spread.clusters >= LEAST_TOPICS)
    }

    fn needed(&self) -> Option<String> {
        let planned = self.planned?;
        let known = self.known().count();
        let in_each = match (known, self.is_partial || known < self.spreads.len()) {
            (1, false) => "",
            (1, true) => " in the one pair that is tested",
            (_, false) => " between any two",
            (_, true) => " in any pair that is tested",
        };
        let [at_hand, more] = self.topics(planned.difference())?;
        Some(match more {
            0 => format!(" These topics suffice to detect {planned}{in_each}, as judged here."),
            _ => format!(
                " To detect {planned}{in_each}, as judged here, takes {}.",
                more_topics(at_hand, more)
            ),
        })
    }

    /// Of the pair that lacks most topics, how many it has, and how many more it needs.
    fn topics(&self, difference: f64) -> Option<[usize; 2]> {
        let level = ALPHA / self.spreads.len() as f64;
        let each = self.known().map(|spread| {
            let all = spread.clusters_needed(difference, level).unwrap_or(usize::MAX);
            [spread.clusters, all.saturating_sub(spread.clusters)]
        });
        each.max_by_key(|[_, more]| *more)
    }
}

/// `about 37 more topics like these, 77 in all`, where 40 are at hand.
fn more_topics(at_hand: usize, more: usize) -> String {
    match more {
        ..=MOST_TOPICS => {
            let more = two_digits(more);
            let [more, all] = [more, at_hand + more].map(grouped);
            format!("about {more} more topics like these, {all} in all")
        }
        _ => format!("more than {} more topics", grouped(MOST_TOPICS)),
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

    /// What is told of pairs on 40 topics with such smallest detectable differences.
    fn told(detectable: &[f64], is_partial: bool) -> Option<String> {
        let level = ALPHA / detectable.len() as f64;
        let one = Spread { clusters: 40, se: 1.0, df: 39.0 };
        let per_error = one.detectable(level)?;
        let spread = |detectable: &f64| Spread { se: detectable / per_error, ..one };
        let power = Power {
            measure: "strength".to_owned(),
            planned: Some(Planned::elo()),
            detectable: detectable.to_vec(),
            spreads: detectable.iter().map(spread).collect(),
            is_partial,
        };
        power.sentence()
    }

    const BEGINS: &str = "Smallest detectable difference in strength (noticed in 4 of 5 such runs, at 5% after Holm's correction), estimated: ";
    const PLANNED: &str = "50 Elo (the planning figure: an expected score of 0.571)";

    #[test]
    fn s3_pairs_differ_in_what_they_could_show_and_the_one_that_needs_most_decides() {
        assert_eq!(
            told(&[56.2, 66.0], false),
            Some(format!(
                "{BEGINS}56 to 66 Elo, depending on the pair. To detect {PLANNED} between any two, as judged here, takes about 28 more topics like these, 68 in all."
            ))
        );
        assert_eq!(
            told(&[50.2], false),
            Some(format!(
                "{BEGINS}50 Elo. To detect {PLANNED}, as judged here, takes about 1 more topics like these, 41 in all."
            ))
        );
    }

    #[test]
    fn s3_of_pairs_that_are_not_tested_nothing_is_told() {
        for (pairs, which) in [
            (1, "in the one pair that is tested, as judged here."),
            (2, "in any pair that is tested, as judged here."),
        ] {
            let sentence = told(&vec![31.0; pairs], true).expect("a sentence");
            assert!(sentence.ends_with(which), "{sentence}");
        }
    }

    #[test]
    fn s3_enough_topics_are_told_and_so_are_too_many() {
        assert_eq!(
            told(&[29.0, 31.0], false),
            Some(format!(
                "{BEGINS}29 to 31 Elo, depending on the pair. These topics suffice to detect {PLANNED} between any two, as judged here."
            ))
        );
        assert_eq!(
            more_topics(12, 151),
            "about 150 more topics like these, 162 in all",
            "what is shown adds up"
        );
        let far = told(&[8000.0], false).expect("a sentence");
        assert!(far.ends_with("takes more than 10,000 more topics."), "{far}");
        assert_eq!(told(&[], false), None);
        let alike = told(&[56.1, 56.3], false).expect("a sentence");
        assert!(alike.starts_with(&format!("{BEGINS}56 Elo. ")), "{alike}");
    }

    #[test]
    fn s3_a_difference_beyond_the_scale_is_none() {
        let on_10 = |detectable: &[f64]| {
            let power = Power {
                measure: "total score".to_owned(),
                planned: Some(Planned::score((0, 10))),
                detectable: detectable.to_vec(),
                spreads: Vec::new(),
                is_partial: false,
            };
            let sentence = power.sentence().expect("a sentence");
            sentence.split_once("estimated: ").map(|(_, range)| range.to_owned())
        };
        let is = |range: &str| Some(range.to_owned());
        assert_eq!(on_10(&[11.31, 34.25]), is("none on the scale."));
        assert_eq!(
            on_10(&[1.31, 34.25]),
            is("1.31 points to more than the scale has, depending on the pair.")
        );
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
    }
}
