//! Debates as rows: each debate, contestant and score with the topic it belongs to.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use super::answers::clusters::Clusters;
use super::findings::REPLICATES;
use super::read::{Corpus, Debate};
use super::related::Related;
use crate::artifacts::batch::Cause;
use crate::event::Status;
use crate::facts::{Facts, Kind, Person, Reading, Score};
use crate::id::short;
use statistics::agreement::{Agreement, Metric, Unit, agreement};
use statistics::estimate::{Estimate, Observation};
use statistics::groups::tally;

/// The debates that are counted.
#[derive(Debug)]
pub(super) struct View<'c> {
    /// Facts, in order of the debates' starts.
    pub(super) debates: Vec<&'c Facts>,
    /// Their directories.
    pub(super) dirs: Vec<&'c Path>,
    /// The cluster of each: its topic, or what its question shares with others.
    clusters: Vec<usize>,
    related: OnceLock<Related<'c>>,
    corpus: &'c Corpus,
}

impl<'c> View<'c> {
    /// Of the debates that `wanted` picks, those of the newest version of plans.
    pub(super) fn of_newest_plans(corpus: &'c Corpus, wanted: impl Fn(&Facts) -> bool) -> Self {
        let version = |facts: &Facts| facts.plan.parse::<u32>().unwrap_or_default();
        let all = corpus.debates.iter().map(|debate| &*debate.facts);
        let newest = all.filter(|facts| wanted(facts)).map(version).max();
        Self::new(corpus, |facts| wanted(facts) && Some(version(facts)) == newest)
    }

    /// The debates of a corpus that `wanted` picks. Neither their paths nor the order of files shape the arithmetic: debates go by
    /// start and id, topics by name.
    pub(super) fn new(corpus: &'c Corpus, wanted: impl Fn(&Facts) -> bool) -> Self {
        let mut all: Vec<&Debate> =
            corpus.debates.iter().filter(|debate| wanted(&debate.facts)).collect();
        all.sort_by(|a, b| {
            (a.facts.started_at, &a.facts.id).cmp(&(b.facts.started_at, &b.facts.id))
        });
        let debates: Vec<&Facts> = all.iter().map(|debate| &*debate.facts).collect();
        Self {
            corpus,
            clusters: clusters(&debates),
            related: OnceLock::new(),
            debates,
            dirs: all.iter().map(|debate| debate.dir.as_path()).collect(),
        }
    }

    /// The debates of a format.
    pub(super) fn of_format(&self, format: &str) -> impl Iterator<Item = (usize, &'c Facts)> {
        self.all().filter(move |(_, facts)| *facts.format == *format)
    }

    /// Those of them that were played to the end.
    pub(super) fn ended(&self, format: &str) -> impl Iterator<Item = (usize, &'c Facts)> {
        self.of_format(format).filter(|(_, facts)| facts.ended())
    }

    /// An observation from a debate.
    pub(super) fn observation(&self, debate: usize, value: f64) -> Observation {
        Observation { cluster: self.clusters[debate], value }
    }

    fn observed<V: Into<f64>>(&self, values: impl Iterator<Item = (usize, V)>) -> Vec<Observation> {
        values.map(|(debate, value)| self.observation(debate, value.into())).collect()
    }

    /// The mean of what debates gave.
    pub(super) fn mean(&self, values: impl Iterator<Item = (usize, f64)>) -> Estimate {
        Estimate::mean(&self.observed(values))
    }

    /// The share of what debates gave that is 1, or holds.
    pub(super) fn share<V: Into<f64>>(&self, values: impl Iterator<Item = (usize, V)>) -> Estimate {
        Estimate::share(&self.observed(values))
    }

    /// What raters said of debates; one on which nobody said anything is omitted.
    pub(super) fn units(&self, ratings: impl Iterator<Item = (usize, Vec<f64>)>) -> Sample<Unit> {
        let rated = ratings.filter(|(_, own)| !own.is_empty());
        let unit = |(debate, ratings)| (debate, Unit { cluster: self.cluster(debate), ratings });
        rated.map(unit).collect()
    }

    /// How many of these debates are in each cluster.
    pub(super) fn sizes(&self, debates: impl Iterator<Item = usize>) -> Vec<usize> {
        tally(debates.map(|debate| self.cluster(debate))).into_values().collect()
    }

    /// A debate's cluster.
    pub(super) fn cluster(&self, debate: usize) -> usize {
        self.clusters[debate]
    }

    /// Which models are related.
    pub(super) fn related(&self) -> &Related<'c> {
        self.related.get_or_init(|| Related::new(&self.debates))
    }

    /// All debates with their places.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &'c Facts)> {
        self.debates.iter().copied().enumerate()
    }

    /// All debates that were read, those that do not count among them: what counts may rest on them.
    pub(super) fn read(&self) -> impl Iterator<Item = &'c Facts> {
        let Corpus { debates, aside, .. } = self.corpus;
        debates.iter().chain(aside).map(|debate| &*debate.facts)
    }

    /// Why panels could not read debates, as far as that still is so.
    pub(super) fn not_judged(&self) -> impl Iterator<Item = &'c Cause> {
        let is_open = |it: &&Facts, id: &str| short(&it.id) == id && it.panels.is_empty();
        let is_still = move |cause: &&Cause| {
            let mut named = cause.first.iter();
            named.any(|link| self.debates.iter().any(|it| is_open(it, &link.id)))
        };
        self.corpus.not_judged.iter().filter(is_still)
    }

    /// The formats that occur, in order of their names.
    pub(super) fn formats(&self) -> Vec<&'c str> {
        let all: BTreeSet<&str> = self.debates.iter().map(|facts| &*facts.format).collect();
        all.into_iter().collect()
    }
}

/// The clusters of debates, by number: topics in order of their names; questions of one passage are one.
fn clusters(debates: &[&Facts]) -> Vec<usize> {
    let topics: HashSet<&str, RandomState> = debates.iter().map(|facts| &*facts.topic).collect();
    let topics: BTreeSet<&str> = topics.into_iter().collect();
    let topics: HashMap<&str, usize, RandomState> = topics.into_iter().zip(0..).collect();
    let questions = Clusters::new(debates.iter().filter_map(|facts| facts.answer.as_ref()));
    let passage = |facts: &Facts| Some(questions.of(facts.answer.as_ref()?));
    let mut firsts: HashMap<usize, usize> = HashMap::new();
    for facts in debates {
        let topic = topics[&*facts.topic];
        let first = passage(facts).map(|passage| firsts.entry(passage).or_insert(topic));
        first.into_iter().for_each(|first| *first = topic.min(*first));
    }
    let own = |facts: &&Facts| {
        let first = passage(facts).map(|passage| firsts[&passage]);
        first.unwrap_or(topics[&*facts.topic])
    };
    debates.iter().map(own).collect()
}

impl Facts {
    /// Whether it was played to the end.
    pub(super) fn ended(&self) -> bool {
        self.status != Status::Failed
    }

    /// Whether someone argues for the side that several argue for in turn.
    pub(super) fn is_of_team(&self, place: u8) -> bool {
        let team = self.profile().team;
        let person = &self.people[usize::from(place)];
        team.is_some_and(|team| person.id.starts_with(team))
    }

    /// Whether someone has a part in winning or losing: of a team, whoever debated.
    pub(super) fn contends(&self, person: &Person) -> bool {
        let debated = person.statements > 0 || self.profile().team.is_none();
        person.contestant && debated
    }

    /// Whether someone's scores are about what its own model said, and not distorted by a reply that nobody's model gave. Where
    /// one verdict weighs contestants against each other, all of them must have spoken themselves (row O3).
    pub(super) fn scores_count(&self, person: &Person) -> bool {
        let weighed = self.profile().has_winner;
        self.ended() && person.spoke_itself() && (!weighed || self.comparable())
    }

    /// Those who were scored or argue, with their places in `people`.
    pub(super) fn judged_or_arguing(&self) -> impl Iterator<Item = (u8, &Person)> {
        let scored = |place: u8| self.scores.iter().any(|score| score.about == place);
        (0..).zip(&self.people).filter(move |(place, person)| person.contestant || scored(*place))
    }

    /// What judgments gave in total.
    pub(super) fn totals(&self) -> impl Iterator<Item = &Score> {
        self.scores.iter().filter(|score| score.criterion.is_none())
    }

    /// The judgment that a score belongs to.
    pub(super) fn reading(&self, score: &Score) -> &Reading {
        &self.readings[usize::from(score.reading)]
    }

    /// The mean scores of one person over the judgments that `counts` picks: by criterion, and `None` for the total. A judge who
    /// read a debate in both orders counts once (row O1).
    pub(super) fn scores_of(
        &self,
        about: u8,
        counts: impl Fn(&Reading) -> bool,
    ) -> Vec<(Option<u8>, f64)> {
        let mut sums: Vec<(Option<u8>, f64, f64)> = Vec::new();
        let own = self.scores.iter().filter(|score| score.about == about);
        for score in own.filter(|score| counts(self.reading(score))) {
            let share = 1.0 / self.readings_like(self.reading(score)) as f64;
            match sums.iter_mut().find(|(c, ..)| *c == score.criterion) {
                Some((_, sum, n)) => (*sum, *n) = (*sum + score.value * share, *n + share),
                None => sums.push((score.criterion, score.value * share, share)),
            }
        }
        let mean = |(criterion, sum, n): (Option<u8>, f64, f64)| (criterion, sum / n);
        sums.into_iter().map(mean).collect()
    }

    /// How many valid judgments a judge gave of the same: two, where it read the debate in both orders.
    fn readings_like(&self, reading: &Reading) -> usize {
        if reading.kind == Kind::Ballot {
            return 1;
        }
        let same = |other: &&Reading| {
            other.kind == Kind::Verdict
                && other.status == reading.status
                && other.judge == reading.judge
        };
        self.readings.iter().filter(same).count()
    }

    /// The mean total of one person over all judgments.
    pub(super) fn total_of(&self, about: u8) -> Option<f64> {
        let scores = self.scores_of(about, |_| true);
        let total = scores.iter().find(|(criterion, _)| criterion.is_none());
        total.map(|(_, mean)| *mean)
    }
}

/// A sample and the debates behind it.
#[derive(Debug)]
pub(super) struct Sample<T> {
    pub(super) sample: Vec<T>,
    pub(super) debates: BTreeSet<usize>,
}

impl<T> Default for Sample<T> {
    fn default() -> Self {
        Self { sample: Vec::new(), debates: BTreeSet::new() }
    }
}

impl<T> Sample<T> {
    /// Adds an item from a debate.
    pub(super) fn add(&mut self, debate: usize, item: T) {
        self.sample.push(item);
        self.debates.insert(debate);
    }

    /// The debates' numbers in findings.
    pub(super) fn numbers(&self) -> Vec<usize> {
        numbers(self.debates.iter().copied())
    }
}

impl Sample<Unit> {
    /// How far the raters agree.
    pub(super) fn agreement(&self, metric: Metric, seed: u64) -> Agreement {
        agreement(&self.sample, metric, REPLICATES, seed)
    }
}

impl<T> FromIterator<(usize, T)> for Sample<T> {
    fn from_iter<I: IntoIterator<Item = (usize, T)>>(items: I) -> Self {
        let mut all = Self::default();
        items.into_iter().for_each(|(debate, item)| all.add(debate, item));
        all
    }
}

/// Places of debates as the numbers that findings name them by, each once.
pub(super) fn numbers(debates: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let debates: BTreeSet<usize> = debates.into_iter().collect();
    debates.into_iter().map(|debate| debate + 1).collect()
}
