//! Numbers by groups of debates (row S2).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::RandomState;
use rayon::prelude::*;

use super::conduct;
use super::counted_debates::{View, numbers};
use super::findings::{Breakdown, Counts, Group, JudgmentCounts, Measure};
use super::key::{Key, NONE};
use super::measure::{Metric, Name, Samples, Scales, in_order, scales};
use crate::event::{Gaps, ReadingStatus, Status, Use, hundredths};
use crate::facts::{Facts, Kind, Person, Reading, Winner};
use statistics::estimate::effective;

/// A round of a knockout is held against this much model time (row K10), in milliseconds.
const ROUND_MS: u64 = 30_000;

/// Names that are counted: hashed, since there are many times more places than names.
type Names<'c> = HashSet<&'c str, RandomState>;

/// What a group's row is about: a debate, and where contestants or judges are told apart, one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member<'c> {
    debate: usize,
    person: Option<u8>,
    judge: Option<&'c str>,
    /// Whether all contestants are in the same group, so that it can neither win nor lose.
    mirrored: bool,
}

/// Groups debates by keys; without keys all are one group. Groups come in order of their names.
pub(super) fn breakdown(view: &View<'_>, by: &[Key]) -> Breakdown {
    let mut groups: BTreeMap<Vec<&str>, Vec<Member<'_>>> = BTreeMap::new();
    for (debate, facts) in view.all() {
        let named: Vec<(Vec<&str>, Member<'_>)> =
            rows(debate, facts, by).into_iter().map(|row| (name(facts, by, row), row)).collect();
        for (name, row) in &named {
            let mirrored = named
                .iter()
                .filter(|(_, other)| other.judge == row.judge)
                .all(|(other, _)| other == name);
            let row = Member { mirrored, ..*row };
            groups.entry(name.clone()).or_default().push(row);
        }
    }
    let groups: Vec<(Vec<&str>, Vec<Member<'_>>)> = groups.into_iter().collect();
    let group = |(key, rows): (Vec<&str>, Vec<Member<'_>>)| Group::new(view, by, &key, &rows);
    Breakdown {
        by: by.iter().map(Key::to_string).collect(),
        groups: groups.into_par_iter().map(group).collect(),
    }
}

fn rows<'c>(debate: usize, facts: &'c Facts, by: &[Key]) -> Vec<Member<'c>> {
    let people: Vec<Option<u8>> = if by.iter().any(Key::is_of_person) {
        facts.contestants().map(|(place, _)| Some(place)).collect()
    } else {
        vec![None]
    };
    let judges: Vec<Option<&str>> = if by.contains(&Key::Judge) {
        let all: BTreeSet<&str> = facts.readings.iter().map(judge_of).collect();
        all.into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let of = |person: Option<u8>| judges.iter().map(move |judge| (person, *judge));
    let pairs = people.into_iter().flat_map(of);
    let row = |(person, judge)| Member { debate, person, judge, mirrored: false };
    pairs.map(row).collect()
}

/// What a judge is called: its model.
pub(super) fn judge_of(reading: &Reading) -> &str {
    reading.model.as_deref().unwrap_or(NONE)
}

fn name<'c>(facts: &'c Facts, by: &[Key], row: Member<'c>) -> Vec<&'c str> {
    let person = row.person.map(|place| &facts.people[usize::from(place)]);
    let value = |key: &Key| match key {
        Key::Judge => row.judge,
        _ => key.of_debate(facts).or_else(|| key.of_person(person?)),
    };
    by.iter().map(|key| value(key).unwrap_or(NONE)).collect()
}

impl Group {
    fn new(view: &View<'_>, by: &[Key], key: &[&str], rows: &[Member<'_>]) -> Self {
        let debates: BTreeSet<usize> = rows.iter().map(|row| row.debate).collect();
        let model = by.iter().position(|key| *key == Key::Model).map(|at| key[at]);
        let judged = judged(view, rows);
        let observed = Observed { view, rows, debates: &debates, judged: &judged, model };
        let counts = Counts {
            judges: judges(readings(view, &judged)),
            judgments: judgments(readings(view, &judged).map(|reading| reading.status)),
            ..counts(debates.iter().map(|debate| view.debates[*debate]))
        };
        let mut incidents = BTreeMap::new();
        for (kind, count) in debates.iter().flat_map(|d| &view.debates[*d].incidents) {
            *incidents.entry(kind.to_string()).or_default() += *count as usize;
        }
        Self {
            key: key.iter().map(|name| (*name).to_owned()).collect(),
            counts,
            measures: in_order(observed.measured()),
            incidents,
            debates: numbers(debates),
        }
    }
}

/// How many debates there are and how they went.
pub(super) fn counts<'c>(debates: impl Iterator<Item = &'c Facts>) -> Counts {
    let mut tally = Tally::default();
    debates.for_each(|facts| tally.add(facts));
    let topics = tally.topics;
    Counts {
        topics: topics.len(),
        topics_effective: (!topics.is_empty())
            .then(|| effective(topics.values().map(|n| *n as f64))),
        models: tally.models.len(),
        judges: tally.judges.len(),
        ..tally.counts
    }
}

/// What is counted while debates are gone through: once, since they are many and lie far apart.
#[derive(Default)]
struct Tally<'c> {
    counts: Counts,
    ids: Names<'c>,
    topics: HashMap<&'c str, usize, RandomState>,
    models: Names<'c>,
    judges: Names<'c>,
}

impl<'c> Tally<'c> {
    fn add(&mut self, facts: &'c Facts) {
        let counts = &mut self.counts;
        counts.counted += 1;
        match facts.status {
            Status::Done => counts.done += 1,
            Status::Degraded => counts.degraded += 1,
            Status::Failed => counts.failed += 1,
        }
        counts.decided += usize::from(facts.weak.is_some());
        counts.weak += usize::from(facts.weak == Some(true));
        counts.controls += usize::from(facts.is_control());
        counts.rehearsals += usize::from(facts.rehearsal);
        counts.repetitions += usize::from(!self.ids.insert(&facts.id));
        *self.topics.entry(&facts.topic).or_default() += 1;
        let people = || facts.contestants().map(|(_, person)| person);
        counts.emergency += usize::from(people().any(|person| person.emergencies > 0));
        counts.fallback += usize::from(people().any(|person| person.fallbacks > 0));
        self.models.extend(people().filter_map(|person| person.model.as_deref()));
        self.judges.extend(facts.readings.iter().filter_map(|r| r.model.as_deref()));
        let statuses = facts.readings.iter().map(|reading| reading.status);
        statuses.for_each(|status| counts.judgments.add(status));
    }
}

/// The ids of debates that have the id of an earlier one. Copies are set aside, so these were played again.
pub(super) fn repetitions<'c>(debates: impl Iterator<Item = &'c Facts>) -> Vec<&'c str> {
    let mut seen = Names::default();
    debates.map(|facts| &*facts.id).filter(|id| !seen.insert(*id)).collect()
}

/// How many models judged.
fn judges<'c>(readings: impl Iterator<Item = &'c Reading>) -> usize {
    let models: Names<'_> = readings.filter_map(|r| r.model.as_deref()).collect();
    models.len()
}

/// Numbers of judgments.
pub(super) fn judgments(statuses: impl Iterator<Item = ReadingStatus>) -> JudgmentCounts {
    let mut counted = JudgmentCounts::default();
    statuses.for_each(|status| counted.add(status));
    counted
}

impl JudgmentCounts {
    fn add(&mut self, status: ReadingStatus) {
        self.planned += 1;
        match status {
            ReadingStatus::Valid => self.valid += 1,
            ReadingStatus::Invalid => self.invalid += 1,
            ReadingStatus::Abstained => self.abstained += 1,
        }
    }
}

/// What a group is observed in.
struct Observed<'o, 'c> {
    view: &'o View<'c>,
    rows: &'o [Member<'o>],
    debates: &'o BTreeSet<usize>,
    judged: &'o [Judgment],
    model: Option<&'o str>,
}

impl<'o, 'c> Observed<'o, 'c> {
    /// What is measured, one part after the other: what is observed is many times larger.
    fn measured(&self) -> Vec<(Name<'c>, Measure)> {
        let people = self.people();
        let parts: [&dyn Fn(&mut Samples<'o, 'c>); 5] = [
            &|samples| {
                self.debates.iter().for_each(|debate| of_debate(samples, *debate, self.model));
            },
            &|samples| people.iter().for_each(|it| of_scores(samples, it)),
            &|samples| people.iter().for_each(|it| of_person(samples, it)),
            &|samples| of_contests(samples, self.rows),
            &|samples| of_judgments(samples, self.judged_by()),
        ];
        let scales = self.scales();
        let part = |observe: &&dyn Fn(&mut Samples<'o, 'c>)| {
            let mut samples = Samples::new(self.view).on(&scales);
            observe(&mut samples);
            samples.measured()
        };
        let own = parts.iter().flat_map(part);
        let conduct: Vec<_> = people.iter().map(|it| (it.row.debate, it.person)).collect();
        own.chain(conduct::measured(self.view, &conduct)).collect()
    }

    /// The judgments, where the group is not of those whom they are on: their form is the judges' doing.
    fn judged_by(&self) -> &'o [Judgment] {
        let is_on = |row: &Member<'_>| row.person.is_some() && row.judge.is_none();
        if self.rows.iter().any(is_on) { &[] } else { self.judged }
    }

    /// Those whom its rows are about, of debates that were played to the end.
    fn people(&self) -> Vec<OneOf<'o, 'c>> {
        let of_row = |row: &'o Member<'o>| {
            let facts = self.view.debates[row.debate];
            let all = facts.judged_or_arguing().filter(|_| facts.ended());
            let own = all.filter(|(place, _)| row.person.is_none_or(|person| person == *place));
            own.map(move |(place, person)| OneOf { row, place, person })
        };
        self.rows.iter().flat_map(of_row).collect()
    }

    fn scales(&self) -> Scales<'c> {
        let debates = self.debates.iter().map(|debate| self.view.debates[*debate]);
        scales(debates.filter(|facts| facts.ended()))
    }
}

/// Someone whom a row is about.
struct OneOf<'o, 'c> {
    row: &'o Member<'o>,
    place: u8,
    person: &'c Person,
}

/// What a debate gives to its group once, whoever of it the group is about.
fn of_debate(samples: &mut Samples<'_, '_>, debate: usize, model: Option<&str>) {
    let facts = samples.view.debates[debate];
    let mut add = |what: Metric, value: f64| samples.add(what, debate, value);
    add(Metric::Done, f64::from(facts.status == Status::Done));
    // What nobody's model used is not known.
    if model != Some(NONE) {
        let counts = |name: &str| model.is_none_or(|model| name == model);
        let used = facts.used.iter().filter(|(name, _)| counts(name));
        let gaps = facts.gaps.iter().filter(|(name, _)| counts(name));
        let is_whole = |lacking: fn(&Gaps) -> u64| gaps.clone().all(|(_, it)| lacking(it) == 0);
        let sum = |value: fn(&Use) -> f64| used.clone().map(|(_, used)| value(used)).sum::<f64>();
        let calls = sum(|u| u.calls as f64);
        // A sum without some calls is no sum. Old traces list no calls: those that took nothing lack their counts.
        let mut add = |what: Metric, value: f64, lacking: fn(&Gaps) -> u64| {
            if is_whole(lacking) && (value > 0.0 || calls == 0.0) {
                add(what, value);
            }
        };
        add(Metric::ReplyTokens, sum(|u| u.reply_tokens as f64), |it| it.replies);
        add(Metric::PromptTokens, sum(|u| u.prompt_tokens as f64), |it| it.prompts);
        let ms = sum(|u| u.prompt_ms as f64 + u.reply_ms as f64);
        add(Metric::ModelMinutes, minutes(ms), |it| it.times);
    }
    if let Some(ms) = facts.wall_ms {
        add(Metric::WallMinutes, minutes(ms as f64));
    }
    let incidents = facts.incidents.iter().map(|(_, count)| f64::from(*count));
    add(Metric::Incidents, incidents.sum());
    if facts.ended() {
        of_course(samples, debate);
    }
}

/// How a debate that was played to the end went.
fn of_course(samples: &mut Samples<'_, '_>, debate: usize) {
    let facts = samples.view.debates[debate];
    let mut add = |what: Metric, value: Option<f64>| samples.add(what, debate, value);
    let rounds = f64::from(facts.rounds);
    add(Metric::Rounds, Some(rounds).filter(|_| !facts.is_control()));
    add(Metric::EarlyStop, facts.early.map(f64::from));
    add(Metric::AutoScore, facts.auto_score);
    add(Metric::Improved, facts.comparison.and_then(|it| it.gain));
    add(Metric::ComparisonFlips, facts.comparison.and_then(|it| it.flips));
    add(Metric::QualityScore, facts.quality_score);
    add(Metric::Rating, facts.rating);
    add(Metric::Consensus, facts.consensus.map(f64::from));
    let reached = facts.consensus.filter(|reached| *reached);
    add(Metric::ConsensusRounds, reached.map(|_| rounds));
    let winner = facts.winner.filter(|_| facts.comparable());
    add(Metric::Draw, winner.map(|winner| f64::from(winner == Winner::Draw)));
    if facts.profile().rotates {
        add(Metric::Rotations, Some(f64::from(facts.rotations)));
        let late = facts.rounds_ms.iter().map(|ms| f64::from(*ms > ROUND_MS));
        samples.add_all(Metric::LateRounds, debate, late);
    }
}

/// A debate and which of its readings.
type Judgment = (usize, usize);

/// The judgments of a group: by its judge, on its contestants; one on several of them is there once.
fn judged(view: &View<'_>, rows: &[Member<'_>]) -> Vec<Judgment> {
    let mut judgments: Vec<Judgment> = Vec::new();
    for row in rows {
        let of_row = |reading: &Reading| {
            row.judge.is_none_or(|judge| judge_of(reading) == judge)
                && row.person.is_none_or(|person| reading.order.contains(&person))
        };
        let readings = view.debates[row.debate].readings.iter().enumerate();
        judgments.extend(readings.filter(|(_, r)| of_row(r)).map(|(n, _)| (row.debate, n)));
    }
    judgments.sort_unstable();
    judgments.dedup();
    judgments
}

fn readings<'c>(view: &View<'c>, judged: &[Judgment]) -> impl Iterator<Item = &'c Reading> {
    let reading = |(debate, n): &Judgment| &view.debates[*debate].readings[*n];
    judged.iter().map(reading)
}

/// Which judgments are of no use, and which took a tolerant reader.
fn of_judgments(samples: &mut Samples<'_, '_>, judged: &[Judgment]) {
    for (debate, n) in judged {
        let reading = &samples.view.debates[*debate].readings[*n];
        let (unusable, generous) = match reading.kind {
            Kind::Ballot => (Metric::UnusableBallots, Metric::GenerousBallots),
            Kind::Verdict => (Metric::UnusableReadings, Metric::GenerousReadings),
        };
        samples.add(unusable, *debate, f64::from(reading.status != ReadingStatus::Valid));
        samples.add(generous, *debate, f64::from(reading.generous));
    }
}

/// The scores of one contestant.
fn of_scores(samples: &mut Samples<'_, '_>, one: &OneOf<'_, '_>) {
    let OneOf { row, place, person } = one;
    let facts = samples.view.debates[row.debate];
    let counts = |reading: &Reading| row.judge.is_none_or(|judge| judge_of(reading) == judge);
    if facts.scores_count(person) {
        for (criterion, value) in facts.scores_of(*place, counts) {
            let name = criterion.map(|place| &*facts.criteria[usize::from(place)]);
            samples.add_score(name, row.debate, value);
        }
    }
}

/// What one contestant gives, apart from its scores and what it did about arguments.
fn of_person(samples: &mut Samples<'_, '_>, one: &OneOf<'_, '_>) {
    let OneOf { row, place, person } = one;
    let facts = samples.view.debates[row.debate];
    // A fallback model's words are not its own.
    if person.statements > 0 && person.fallbacks == 0 {
        let tokens = person.tokens as f64 / f64::from(person.statements);
        samples.add(Metric::StatementTokens, row.debate, tokens);
        samples.add_share(Metric::Cuts, row.debate, person.cuts, person.statements);
    }
    samples.add_share(Metric::Declined, row.debate, person.declined, person.asked());
    let debated = facts.profile().rotates
        && row.person.is_some()
        && person.statements > 0
        && facts.comparable();
    if let Some(points) = person.points.filter(|_| debated) {
        let x = !facts.is_of_team(*place);
        let what = if x { Metric::PointsX } else { Metric::Points };
        samples.add(what, row.debate, points);
    }
    let stood = facts.stints.iter().filter(|stint| stint.who == *place);
    let rounds = stood.map(|stint| f64::from(stint.rounds));
    samples.add_all(Metric::Stand, row.debate, rounds);
}

/// Who of a group won. A team wins or loses once, however many of it are in the group.
fn of_contests(samples: &mut Samples<'_, '_>, rows: &[Member<'_>]) {
    let mut teams = BTreeSet::new();
    for row in rows.iter().filter(|row| !row.mirrored) {
        let facts = samples.view.debates[row.debate];
        let contends = |place: &u8| facts.contends(&facts.people[usize::from(*place)]);
        let Some(place) = row.person.filter(contends) else { continue };
        let again = facts.is_of_team(place) && !teams.insert(row.debate);
        let value = won(facts, place).filter(|_| !again);
        samples.add(Metric::Win, row.debate, value);
    }
}

/// Who wins has 1, in a draw both leaders have ½; `None` where nobody was judged or not everyone spoke itself.
fn won(facts: &Facts, place: u8) -> Option<f64> {
    Some(match facts.winner.filter(|_| facts.comparable())? {
        Winner::Person(winner) => f64::from(winner == place),
        Winner::Team => f64::from(facts.is_of_team(place)),
        Winner::Draw if facts.profile().rotates || leads(facts, place) => 0.5,
        Winner::Draw => 0.0,
    })
}

/// Whether a contestant is one of the two with the highest mean totals, between whom a draw is: at two decimals, of equals the
/// first by id, as the verdict has it.
fn leads(facts: &Facts, place: u8) -> bool {
    let total = |place| facts.total_of(place).map(hundredths);
    let mut ranked: Vec<(u8, &Person)> = facts.contestants().collect();
    ranked.sort_by_key(|(place, person)| (Reverse(total(*place)), person.id.clone()));
    ranked.into_iter().take(2).any(|(leader, _)| leader == place)
}

fn minutes(ms: f64) -> f64 {
    ms / 60_000.0
}
