//! Whom a judge favours: leniency, its own family, long texts.

use std::collections::{BTreeMap, BTreeSet};

use super::instrument::Instrument;
use super::ratings::{Rating, Ratings};
use super::texts::texts;
use crate::stats::counted_debates::{Sample, View, numbers};
use crate::stats::findings::{FamilyCell, JudgeRow, Slope};
use crate::stats::group::{judge_of, judgments};
use crate::stats::key::NONE;
use statistics::estimate::{Estimate, Observation};
use statistics::slope::{Point, slope};

pub(super) fn rows(view: &View<'_>, by: Instrument<'_>, totals: &Ratings<'_>) -> Vec<JudgeRow> {
    let readings = || by.readings(view);
    let models: BTreeSet<&str> = readings().map(|(_, reading)| judge_of(reading)).collect();
    let row = |model: &str| {
        let own = || readings().filter(|(_, reading)| judge_of(reading) == model);
        JudgeRow {
            judge: model.to_owned(),
            format: by.format.to_owned(),
            kind: by.kind,
            judgments: judgments(own().map(|(_, reading)| reading.status)),
            mean: on_scale(view, by.format, view.mean(given(totals, model))),
            leniency: leniency(view, totals, model),
            self_preference: self_preference(view, totals, model),
            debates: numbers(own().map(|(debate, _)| debate)),
        }
    };
    models.into_iter().filter(|model| *model != NONE).map(row).collect()
}

/// A mean of totals, cut to the scale that debates of its format had.
fn on_scale(view: &View<'_>, format: &str, mean: Estimate) -> Estimate {
    let scales = view.of_format(format).filter_map(|(_, facts)| facts.scale());
    let widest = scales.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    match widest {
        Some((low, high)) => mean.within(f64::from(low), f64::from(high)),
        None => mean,
    }
}

fn given(totals: &Ratings<'_>, model: &str) -> impl Iterator<Item = (usize, f64)> {
    totals.iter().flat_map(move |(thing, given)| {
        let own = given.iter().filter(move |rating| rating.model == model);
        own.map(|rating| (thing.debate, rating.value))
    })
}

/// What a judge gave above the judges on other models.
fn leniency(view: &View<'_>, totals: &Ratings<'_>, model: &str) -> Estimate {
    let above = totals.iter().flat_map(|(thing, given)| {
        let others = given.iter().filter(|other| other.model != model);
        let (n, sum) = others.fold((0, 0.0), |(n, sum), other| (n + 1, sum + other.value));
        let own = given.iter().filter(move |rating| rating.model == model && n > 0);
        own.map(move |rating| (thing.debate, rating.value - sum / f64::from(n)))
    });
    view.mean(above).or_none("no judge on another model judged the same texts")
}

/// Debates from which it is told what a judge favours: of fewer, one could be all there is to it.
const LEAST_DEBATES: usize = 3;

/// The same, or only its counts from too few debates.
fn of_enough(found: Estimate, debates: usize) -> Estimate {
    if found.value.is_none() || debates >= LEAST_DEBATES {
        return found;
    }
    Estimate {
        n: found.n,
        clusters: found.clusters,
        ..Estimate::none("fewer than three debates: too few to tell")
    }
}

/// What two judges gave to the same text.
struct Both {
    debate: usize,
    cluster: usize,
    /// Whether the text is of the first one's family.
    own_family: bool,
    given: [f64; 2],
}

/// Pairs of judges are the groups of the slope, so that nobody's leniency counts. Judges of the same family are no yardstick,
/// nor is another on texts of its own family: its preference would show as this one's dislike.
fn self_preference(view: &View<'_>, totals: &Ratings<'_>, model: &str) -> Estimate {
    let related = view.related();
    let mut pairs: BTreeMap<&str, Vec<Both>> = BTreeMap::new();
    for (thing, given) in totals {
        let Some(judged) = thing.model(view) else { continue };
        let Some(own_family) = related.share_family(model, judged) else { continue };
        let is_other = |one: &str, than| related.share_family(one, than) == Some(false);
        let neutral = |other: &&Rating<'_>| {
            is_other(other.model, model) && is_other(other.model, judged) && other.model != model
        };
        for rating in given.iter().filter(|rating| rating.model == model) {
            for other in given.iter().filter(neutral) {
                pairs.entry(other.model).or_default().push(Both {
                    debate: thing.debate,
                    cluster: view.cluster(thing.debate),
                    own_family,
                    given: [rating.value, other.value],
                });
            }
        }
    }
    let points = (0..).zip(pairs.values()).flat_map(|(group, both)| standardised(group, both));
    let debates: BTreeSet<usize> = pairs.values().flatten().map(|both| both.debate).collect();
    of_enough(slope(&points.collect::<Vec<Point>>()), debates.len()).or_none(
        "it did not judge both its own family and others alongside a judge from a third family, each with scores that vary",
    )
}

/// What the first judge of a pair gave above the second, whose scores are put on the first one's scale: both have the same mean and
/// the same spread on texts of other families.
fn standardised(group: usize, both: &[Both]) -> Vec<Point> {
    let spread = |judge: usize| {
        let neutral = both.iter().filter(|both| !both.own_family);
        let given =
            neutral.map(|both| Observation { cluster: both.cluster, value: both.given[judge] });
        let estimate = Estimate::mean(&given.collect::<Vec<_>>());
        Some((estimate.value?, estimate.sd.filter(|sd| *sd > 0.0)?))
    };
    let Some(((mean, sd), (other_mean, other_sd))) = spread(0).zip(spread(1)) else {
        return Vec::new();
    };
    let point = |both: &Both| Point {
        cluster: both.cluster,
        group,
        kind: 0,
        x: f64::from(both.own_family),
        y: (both.given[0] - mean) - (both.given[1] - other_mean) * sd / other_sd,
    };
    both.iter().map(point).collect()
}

pub(super) fn families(view: &View<'_>, format: &str, totals: &Ratings<'_>) -> Vec<FamilyCell> {
    let related = view.related();
    let mut cells: BTreeMap<(&str, String, bool), Sample<Observation>> = BTreeMap::new();
    for (thing, given) in totals {
        let Some(judged) = thing.model(view) else { continue };
        let Some(family) = related.families(judged) else { continue };
        for rating in given {
            let own = related.share_family(rating.model, judged) == Some(true);
            let cell = cells.entry((rating.model, family.clone(), own)).or_default();
            cell.add(thing.debate, view.observation(thing.debate, rating.value));
        }
    }
    let cell =
        |((judge, family, own), behind): ((&str, String, bool), Sample<Observation>)| FamilyCell {
            format: format.to_owned(),
            judge: judge.to_owned(),
            judge_family: related.families(judge),
            family,
            own,
            mean: on_scale(view, format, Estimate::mean(&behind.sample)),
            debates: behind.numbers(),
        };
    cells.into_iter().map(cell).collect()
}

/// What length is worth to judges, between texts of the same model: a better model may write longer.
pub(super) fn verbosity(view: &View<'_>, by: Instrument<'_>) -> Vec<Slope> {
    let mut judges: BTreeMap<Option<&str>, Sample<Point>> = BTreeMap::new();
    let mut groups: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut models: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for (debate, facts) in view.ended(by.format) {
        for text in texts(facts).filter(|text| text.reading.kind == by.kind) {
            let reading = text.reading;
            let (next, another) = (groups.len(), models.len());
            let model = models.entry(text.person.model.as_deref());
            let point = Point {
                cluster: view.cluster(debate),
                group: *groups.entry((debate, &*reading.judge)).or_insert(next),
                kind: *model.or_insert(another),
                x: text.length,
                y: text.total,
            };
            judges.entry(None).or_default().add(debate, point);
            judges.entry(Some(judge_of(reading))).or_default().add(debate, point);
        }
    }
    let one = judges.len() == 2;
    let slope = |(judge, behind): (Option<&str>, Sample<Point>)| {
        let debates = behind.numbers();
        let slope = of_enough(slope(&behind.sample), debates.len());
        Slope {
            format: by.format.to_owned(),
            judge: judge.map(str::to_owned),
            per_doubling: slope.clone().scaled(std::f64::consts::LN_2),
            slope,
            debates,
        }
    };
    let shown = judges.into_iter().filter(|(judge, _)| judge.is_none() || !one);
    shown.map(slope).collect()
}
