//! What is known about the judges (row S4): agreement, leniency, order, family, length.

mod order_bias;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::findings::{AgreementRow, FamilyCell, JudgeRow, Judges, REPLICATES, Slope};
use super::group::{judge_of, judgments};
use super::key::NONE;
use super::view::{Sample, View, numbers};
use crate::facts::{Facts, Score};
use statistics::agreement::{Metric, Unit, agreement};
use statistics::estimate::{Estimate, Observation};
use statistics::slope::{Point, slope};

/// What was judged: a contestant's round, or its whole debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    debate: usize,
    round: u32,
    about: u8,
}

/// What a judge gave a thing.
struct Rating<'c> {
    model: &'c str,
    value: f64,
}

/// Ratings of things, in order; the topic is the cluster.
type Ratings<'c> = Vec<(Subject, Vec<Rating<'c>>)>;

/// Everything about the judges.
pub(super) fn judges(view: &View<'_>, seed: u64) -> Judges {
    let judged = |format: &&str| {
        let of_format = |facts: &&&Facts| *facts.format == **format;
        view.debates
            .iter()
            .filter(of_format)
            .any(|facts| !facts.readings.is_empty())
    };
    let formats: Vec<&str> = view.formats().into_iter().filter(judged).collect();
    let each: Vec<Judges> = formats
        .par_iter()
        .map(|format| of_format(view, format, seed))
        .collect();
    let mut judges = Judges::default();
    for own in each {
        judges.agreement.extend(own.agreement);
        judges.rows.extend(own.rows);
        judges.order.extend(own.order);
        judges.families.extend(own.families);
        judges.verbosity.extend(own.verbosity);
    }
    judges
}

fn of_format(view: &View<'_>, format: &str, seed: u64) -> Judges {
    let totals = ratings(view, format, None);
    Judges {
        agreement: agreements(view, format, &totals, seed),
        rows: rows(view, format, &totals),
        order: order_bias::orders(view, format),
        families: families(view, format, &totals),
        verbosity: verbosity(view, format),
    }
}

/// What judges gave: the total, or one criterion. Judgments of the same thing by the same judge are averaged.
fn ratings<'c>(view: &View<'c>, format: &str, criterion: Option<&str>) -> Ratings<'c> {
    let of_format = view.ended(format);
    of_format
        .flat_map(|(debate, facts)| ratings_of(debate, facts, criterion))
        .collect()
}

fn ratings_of<'c>(debate: usize, facts: &'c Facts, criterion: Option<&str>) -> Ratings<'c> {
    let named = |score: &&Score| {
        score
            .criterion
            .map(|place| &*facts.criteria[usize::from(place)])
            == criterion
    };
    let given = facts.scores.iter().filter(named).filter_map(|score| {
        let reading = facts.reading(score)?;
        Some((
            reading.round,
            score.about,
            &*reading.judge,
            judge_of(reading),
            score.value,
        ))
    });
    let mut given: Vec<_> = given.collect();
    given.sort_by(|a, b| (a.0, a.1, a.2, a.3).cmp(&(b.0, b.1, b.2, b.3)));
    let things = given.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    things
        .map(|same| {
            let (round, about, ..) = same[0];
            let judges = same.chunk_by(|a, b| (a.2, a.3) == (b.2, b.3));
            let rating = |own: &[(u32, u8, &'c str, &'c str, f64)]| Rating {
                model: own[0].3,
                value: own.iter().map(|(.., value)| value).sum::<f64>() / own.len() as f64,
            };
            (
                Subject {
                    debate,
                    round,
                    about,
                },
                judges.map(rating).collect(),
            )
        })
        .collect()
}

fn agreements(view: &View<'_>, format: &str, totals: &Ratings<'_>, seed: u64) -> Vec<AgreementRow> {
    let of_format = || view.debates.iter().filter(|f| *f.format == *format);
    let criteria: BTreeSet<&str> = of_format()
        .flat_map(|f| &f.criteria)
        .map(|c| &**c)
        .collect();
    let row =
        |what: &str, metric, found: &Sample<Unit>| agreement_row(format, what, metric, found, seed);
    let mut rows = vec![row("total", Metric::Interval, &units(view, totals))];
    rows.extend(criteria.into_iter().map(|criterion| {
        let given = units(view, &ratings(view, format, Some(criterion)));
        row(criterion, Metric::Ordinal, &given)
    }));
    let votes = [
        ("keep", keeps(view, format)),
        ("winner", winners(view, format)),
    ];
    let cast = votes.iter().filter(|(_, found)| !found.sample.is_empty());
    rows.extend(cast.map(|(what, found)| row(what, Metric::Nominal, found)));
    rows
}

fn units(view: &View<'_>, ratings: &Ratings<'_>) -> Sample<Unit> {
    let mut found = Sample::default();
    for (thing, given) in ratings {
        let unit = Unit {
            cluster: view.cluster(thing.debate),
            ratings: given.iter().map(|rating| rating.value).collect(),
        };
        found.add(thing.debate, unit);
    }
    found
}

fn keeps(view: &View<'_>, format: &str) -> Sample<Unit> {
    let mut rounds: BTreeMap<(usize, u32), Vec<f64>> = BTreeMap::new();
    for (debate, facts) in view.ended(format) {
        for (round, keep) in facts
            .readings
            .iter()
            .filter_map(|r| Some((r.round, r.keep?)))
        {
            rounds
                .entry((debate, round))
                .or_default()
                .push(f64::from(u8::from(keep)));
        }
    }
    let mut found = Sample::default();
    for ((debate, _), ratings) in rounds {
        let cluster = view.cluster(debate);
        found.add(debate, Unit { cluster, ratings });
    }
    found
}

/// Which of two contestants each judge has ahead: the place, or -1 for neither.
fn winners(view: &View<'_>, format: &str) -> Sample<Unit> {
    let mut found = Sample::default();
    for (debate, facts) in view.ended(format) {
        // A judge who reads a debate twice and decides differently has nobody ahead.
        let mut judges: BTreeMap<&str, Option<u8>> = BTreeMap::new();
        for (number, reading) in facts.readings.iter().enumerate() {
            if let Some(leader) = order_bias::leader(facts, number) {
                let said = judges.entry(&reading.judge).or_insert(leader);
                *said = said.filter(|said| leader == Some(*said));
            }
        }
        let ratings: Vec<f64> = judges
            .into_values()
            .map(|l| l.map_or(-1.0, f64::from))
            .collect();
        if !ratings.is_empty() {
            let cluster = view.cluster(debate);
            found.add(debate, Unit { cluster, ratings });
        }
    }
    found
}

fn agreement_row(
    format: &str,
    what: &str,
    metric: Metric,
    found: &Sample<Unit>,
    seed: u64,
) -> AgreementRow {
    let result = agreement(&found.sample, metric, REPLICATES, seed);
    AgreementRow {
        format: format.to_owned(),
        what: what.to_owned(),
        metric: match metric {
            Metric::Nominal => "nominal",
            Metric::Ordinal => "ordinal",
            Metric::Interval => "interval",
        }
        .to_owned(),
        units: result.units,
        ratings: result.ratings,
        alpha: result.alpha,
        low: result.low,
        high: result.high,
        exact: result.exact,
        reason: result.reason,
        debates: found.numbers(),
    }
}

/// What a judge gave above the judges on other models, by judge.
struct Deviation<'c> {
    debate: usize,
    model: &'c str,
    above: f64,
}

fn deviations<'c>(totals: &Ratings<'c>) -> Vec<Deviation<'c>> {
    let mut all = Vec::new();
    for (thing, given) in totals {
        for rating in given {
            let others = given.iter().filter(|other| other.model != rating.model);
            let (n, sum) = others.fold((0, 0.0), |(n, sum), other| (n + 1, sum + other.value));
            if n > 0 {
                all.push(Deviation {
                    debate: thing.debate,
                    model: rating.model,
                    above: rating.value - sum / f64::from(n),
                });
            }
        }
    }
    all
}

fn rows(view: &View<'_>, format: &str, totals: &Ratings<'_>) -> Vec<JudgeRow> {
    let deviations = deviations(totals);
    let of_format = || view.all().filter(|(_, f)| *f.format == *format);
    let readings =
        || of_format().flat_map(|(debate, f)| f.readings.iter().map(move |r| (debate, r)));
    let models: BTreeSet<&str> = readings().map(|(_, reading)| judge_of(reading)).collect();
    let row = |model: &str| {
        let own = || readings().filter(|(_, reading)| judge_of(reading) == model);
        let debates: BTreeSet<usize> = own().map(|(debate, _)| debate).collect();
        JudgeRow {
            judge: model.to_owned(),
            format: format.to_owned(),
            judgments: judgments(own().map(|(_, reading)| reading)),
            mean: Estimate::mean(&given(view, totals, model)),
            leniency: leniency(view, &deviations, model),
            self_preference: self_preference(view, totals, model),
            debates: numbers(&debates),
        }
    };
    models
        .into_iter()
        .filter(|model| *model != NONE)
        .map(row)
        .collect()
}

fn given(view: &View<'_>, totals: &Ratings<'_>, model: &str) -> Vec<Observation> {
    let all = totals
        .iter()
        .flat_map(|(thing, given)| given.iter().map(move |r| (thing.debate, r)));
    all.filter(|(_, rating)| rating.model == model)
        .map(|(debate, rating)| view.observation(debate, rating.value))
        .collect()
}

fn leniency(view: &View<'_>, deviations: &[Deviation<'_>], model: &str) -> Estimate {
    let own = deviations
        .iter()
        .filter(|deviation| deviation.model == model);
    let sample: Vec<Observation> = own.map(|d| view.observation(d.debate, d.above)).collect();
    if sample.is_empty() {
        return Estimate::none("no judge on another model judged the same texts");
    }
    Estimate::mean(&sample)
}

/// Pairs of judges are the groups of the slope, so that nobody's leniency counts. Judges of the same family are no yardstick,
/// nor is another on texts of its own family: its preference would show as this one's dislike.
fn self_preference(view: &View<'_>, totals: &Ratings<'_>, model: &str) -> Estimate {
    let mut pairs: BTreeMap<&str, usize> = BTreeMap::new();
    let mut points = Vec::new();
    for (thing, given) in totals {
        let facts = view.debates[thing.debate];
        let person = &facts.people[usize::from(thing.about)];
        let (Some(own), Some(of)) = (facts.family(model), person.family.as_ref()) else {
            continue;
        };
        if !facts.scores_count(person) {
            continue;
        }
        let neutral = |other: &&Rating<'_>| {
            let family = facts.family(other.model);
            family.is_some() && family != Some(own) && family != Some(of) && other.model != model
        };
        for rating in given.iter().filter(|rating| rating.model == model) {
            for other in given.iter().filter(neutral) {
                let next = pairs.len();
                points.push(Point {
                    cluster: view.cluster(thing.debate),
                    group: *pairs.entry(other.model).or_insert(next),
                    x: f64::from(u8::from(own == of)),
                    y: rating.value - other.value,
                });
            }
        }
    }
    let found = slope(&points);
    if found.n == 0 {
        return Estimate::none(
            "it did not judge both its own family and others alongside a judge from a third family",
        );
    }
    found
}

fn families(view: &View<'_>, format: &str, totals: &Ratings<'_>) -> Vec<FamilyCell> {
    let mut cells: BTreeMap<(&str, Option<&str>, &str), Sample<Observation>> = BTreeMap::new();
    for (thing, given) in totals {
        let facts = view.debates[thing.debate];
        let person = &facts.people[usize::from(thing.about)];
        let Some(family) = person
            .family
            .as_deref()
            .filter(|_| facts.scores_count(person))
        else {
            continue;
        };
        for rating in given {
            let own = facts.family(rating.model).map(|family| &**family);
            let cell = cells.entry((rating.model, own, family)).or_default();
            cell.add(thing.debate, view.observation(thing.debate, rating.value));
        }
    }
    let cell =
        |((judge, own, family), behind): ((&str, Option<&str>, &str), Sample<Observation>)| {
            FamilyCell {
                format: format.to_owned(),
                judge: judge.to_owned(),
                judge_family: own.map(str::to_owned),
                family: family.to_owned(),
                mean: Estimate::mean(&behind.sample),
                debates: behind.numbers(),
            }
        };
    cells.into_iter().map(cell).collect()
}

fn verbosity(view: &View<'_>, format: &str) -> Vec<Slope> {
    let mut judges: BTreeMap<Option<&str>, Sample<Point>> = BTreeMap::new();
    let mut groups: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (debate, facts) in view.ended(format) {
        for score in facts
            .scores
            .iter()
            .filter(|score| score.criterion.is_none())
        {
            let person = &facts.people[usize::from(score.about)];
            let Some(reading) = facts.reading(score) else {
                continue;
            };
            let tokens = reading.tokens.map_or(person.tokens, u64::from);
            if tokens == 0 || !facts.scores_count(person) {
                continue;
            }
            let next = groups.len();
            let point = Point {
                cluster: view.cluster(debate),
                group: *groups.entry((debate, &*reading.judge)).or_insert(next),
                x: (tokens as f64).ln(),
                y: score.value,
            };
            judges.entry(None).or_default().add(debate, point);
            judges
                .entry(Some(judge_of(reading)))
                .or_default()
                .add(debate, point);
        }
    }
    let one = judges.len() == 2;
    let slope = |(judge, behind): (Option<&str>, Sample<Point>)| Slope {
        format: format.to_owned(),
        judge: judge.map(str::to_owned),
        slope: slope(&behind.sample),
        debates: behind.numbers(),
    };
    let shown = judges
        .into_iter()
        .filter(|(judge, _)| judge.is_none() || !one);
    shown.map(slope).collect()
}
