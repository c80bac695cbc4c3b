//! Traces into numbers: read in parallel, grouped, counted. Pure but for the reading.

pub mod bootstrap;
pub mod bradley_terry;
pub mod ranking;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use walkdir::{DirEntry, WalkDir};

use crate::event::{Ballot, ReadingStatus, Status, Use};
use crate::trace::{ReadError, Trace};

/// All traces below some directories.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The traces, in order of their paths.
    pub traces: Vec<Trace>,
    /// Files that could not be read as traces, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

/// What debates can be grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// How they ended.
    Status,
    /// The format.
    Format,
    /// The job's name.
    Job,
    /// The models that argued; a debate counts for each of them, with the scores of what that model said and the
    /// tokens it used.
    Model,
}

/// A mean over debates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// Debates behind it.
    pub n: usize,
    /// The mean; `null` without a debate.
    pub mean: Option<f64>,
    /// The standard deviation between debates; `null` with fewer than two.
    pub sd: Option<f64>,
}

/// The numbers of a group of debates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// What the debates share, in the order of the keys.
    pub group: Vec<String>,
    /// Debates.
    pub debates: usize,
    /// Done ones.
    pub done: usize,
    /// Degraded ones.
    pub degraded: usize,
    /// Failed ones.
    pub failed: usize,
    /// The mean of a debate's valid ballots' totals, from 1 to 5.
    pub total_score: Mean,
    /// The same by criterion.
    pub scores: BTreeMap<String, Mean>,
    /// Rotations a debate.
    pub rotations: Mean,
    /// Reply tokens a debate.
    pub reply_tokens: Mean,
    /// Time the server spent a debate, in minutes.
    pub model_minutes: Mean,
    /// Incidents a debate.
    pub incidents: Mean,
    /// Ballots asked for.
    pub ballots: usize,
    /// Those without a valid judgment.
    pub invalid_ballots: usize,
    /// Incidents by kind.
    pub incident_kinds: BTreeMap<String, usize>,
}

/// Tokens a second of a model, over all its calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Reading prompts.
    pub prompt: f64,
    /// Writing replies.
    pub reply: f64,
}

/// Why directories cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} is no directory", .0.display())]
pub struct NoDirectory(PathBuf);

/// Reads every `trace.json` below the directories, in parallel. Damaged files are named, not fatal.
pub fn read(dirs: &[PathBuf]) -> Result<Corpus, NoDirectory> {
    if let Some(missing) = dirs.iter().find(|dir| !dir.is_dir()) {
        return Err(NoDirectory(missing.clone()));
    }
    let whole = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
    let paths: BTreeSet<PathBuf> = dirs
        .iter()
        .flat_map(|dir| traces_below(&whole(dir)))
        .collect();
    let read: Vec<(PathBuf, Result<Trace, ReadError>)> = paths
        .into_par_iter()
        .map(|path| (path.clone(), Trace::read(&path)))
        .collect();
    let mut corpus = Corpus::default();
    for (path, result) in read {
        match result {
            Ok(trace) => corpus.traces.push(trace),
            Err(reason) => corpus.damaged.push((path, reason.to_string())),
        }
    }
    Ok(corpus)
}

fn traces_below(dir: &Path) -> Vec<PathBuf> {
    let visible = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let walk = WalkDir::new(dir)
        .into_iter()
        .filter_entry(visible)
        .filter_map(Result::ok);
    walk.filter(|entry| entry.file_name() == "trace.json")
        .map(DirEntry::into_path)
        .collect()
}

/// Groups debates by keys; without keys all are one group. Groups come in order of their names.
pub fn group(traces: &[&Trace], by: &[Key]) -> Vec<Group> {
    let mut groups: BTreeMap<Vec<String>, Vec<&Trace>> = BTreeMap::new();
    for trace in traces {
        for name in names(trace, by) {
            groups.entry(name).or_default().push(trace);
        }
    }
    groups
        .into_iter()
        .map(|(name, traces)| {
            let model = by
                .iter()
                .position(|key| *key == Key::Model)
                .map(|at| name[at].clone());
            Group::of(name, &View { traces, model })
        })
        .collect()
}

/// The groups that a debate belongs to: one for each model where models are a key.
fn names(trace: &Trace, by: &[Key]) -> Vec<Vec<String>> {
    by.iter().fold(vec![Vec::new()], |names, key| {
        let values = values(trace, *key);
        names
            .iter()
            .flat_map(|name| {
                values
                    .iter()
                    .map(move |value| [name.clone(), vec![value.clone()]].concat())
            })
            .collect()
    })
}

fn values(trace: &Trace, key: Key) -> Vec<String> {
    match key {
        Key::Status => vec![trace.status.word().to_owned()],
        Key::Format => vec![trace.format.clone()],
        Key::Job => vec![trace.job.clone()],
        Key::Model => models(trace).into_iter().collect(),
    }
}

/// The models that argued; of a debate that nobody opened, those that would have.
fn models(trace: &Trace) -> BTreeSet<String> {
    let arguing = |id: &str| {
        trace
            .participants
            .iter()
            .any(|p| p.contestant && p.id == id)
    };
    let spoke = trace
        .statements
        .iter()
        .filter(|s| arguing(&s.by))
        .filter_map(|s| s.model.clone());
    let spoke: BTreeSet<String> = spoke.collect();
    if !spoke.is_empty() {
        return spoke;
    }
    let meant = trace
        .participants
        .iter()
        .filter(|p| p.contestant)
        .filter_map(|p| p.models.first());
    meant.map(|model| model.name.clone()).collect()
}

/// The debates of a group, and the one model that is looked at, where models are told apart.
struct View<'t> {
    traces: Vec<&'t Trace>,
    model: Option<String>,
}

impl View<'_> {
    /// The ballots of a debate that count: where a model is looked at, those on what it said.
    fn ballots<'a>(&'a self, trace: &'a Trace) -> impl Iterator<Item = &'a Ballot> {
        trace
            .ballots
            .iter()
            .filter(move |ballot| match &self.model {
                None => true,
                Some(model) => trace.statements.iter().any(|s| {
                    s.by == ballot.about
                        && s.round == ballot.round
                        && s.model.as_ref() == Some(model)
                }),
            })
    }

    /// Adds up what a debate used: all of it, or what the one model did.
    fn used(&self, trace: &Trace, value: impl Fn(&Use) -> u64) -> f64 {
        match &self.model {
            None => trace.usage.by_model.values().map(value).sum::<u64>() as f64,
            Some(model) => trace.usage.by_model.get(model).map_or(0, value) as f64,
        }
    }

    fn per_debate(&self, value: impl Fn(&Trace) -> f64) -> Mean {
        Mean::of(self.traces.iter().map(|trace| value(trace)))
    }

    /// The mean over debates of each debate's own mean over its ballots.
    fn scores(&self, value: impl Fn(&Ballot) -> Option<f64>) -> Mean {
        Mean::of(
            self.traces
                .iter()
                .filter_map(|trace| mean(self.ballots(trace).filter_map(&value))),
        )
    }
}

impl Group {
    fn of(group: Vec<String>, view: &View<'_>) -> Self {
        let traces = &view.traces;
        let count = |status: Status| traces.iter().filter(|t| t.status == status).count();
        let ballots = || traces.iter().flat_map(|t| view.ballots(t));
        let criteria: BTreeSet<&String> = ballots().flat_map(|b| b.reading.scores.keys()).collect();
        let criterion = |name: &String| view.scores(|b| b.reading.scores.get(name).copied());
        let mut incident_kinds = BTreeMap::new();
        for incident in traces.iter().flat_map(|t| &t.incidents) {
            *incident_kinds.entry(incident.kind.clone()).or_default() += 1;
        }
        Self {
            group,
            debates: traces.len(),
            done: count(Status::Done),
            degraded: count(Status::Degraded),
            failed: count(Status::Failed),
            total_score: view.scores(|b| b.reading.totals.get(&b.about).copied()),
            scores: criteria
                .into_iter()
                .map(|name| (name.clone(), criterion(name)))
                .collect(),
            rotations: view.per_debate(|t| t.rotations.iter().filter(|r| r.rotated).count() as f64),
            reply_tokens: view.per_debate(|t| view.used(t, |u| u.reply_tokens)),
            model_minutes: view
                .per_debate(|t| view.used(t, |u| u.prompt_ms + u.reply_ms) / 60_000.0),
            incidents: view.per_debate(|t| t.incidents.len() as f64),
            ballots: ballots().count(),
            invalid_ballots: ballots()
                .filter(|b| b.reading.status != ReadingStatus::Valid)
                .count(),
            incident_kinds,
        }
    }
}

impl Mean {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let n = values.len();
        let mean = mean(values.iter().copied());
        let squares = |mean: f64| values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let sd = mean
            .filter(|_| n > 1)
            .map(|mean| (squares(mean) / (n - 1) as f64).sqrt());
        Self { n, mean, sd }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0_usize, 0.0), |(n, sum), x| (n + 1, sum + x));
    (n > 0).then(|| sum / n as f64)
}

/// How fast each model was, from debates that are no rehearsals.
pub fn speeds(corpus: &Corpus) -> BTreeMap<String, Speed> {
    let mut sums: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for (model, used) in corpus
        .traces
        .iter()
        .filter(|t| !t.rehearsal)
        .flat_map(|t| &t.usage.by_model)
    {
        let sum = sums.entry(model).or_default();
        let add = [
            used.prompt_tokens,
            used.prompt_ms,
            used.reply_tokens,
            used.reply_ms,
        ];
        sum.iter_mut().zip(add).for_each(|(sum, n)| *sum += n);
    }
    let rate = |tokens: u64, ms: u64| tokens as f64 * 1000.0 / ms as f64;
    let timed = sums
        .into_iter()
        .filter(|(_, [pt, pm, rt, rm])| [pt, pm, rt, rm].iter().all(|n| **n > 0));
    timed
        .map(|(model, [pt, pm, rt, rm])| {
            (
                model.to_owned(),
                Speed {
                    prompt: rate(pt, pm),
                    reply: rate(rt, rm),
                },
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_means_have_their_n_and_degenerate_cases_are_null() {
        assert_eq!(
            Mean::of([].into_iter()),
            Mean {
                n: 0,
                mean: None,
                sd: None
            }
        );
        assert_eq!(
            Mean::of([2.0].into_iter()),
            Mean {
                n: 1,
                mean: Some(2.0),
                sd: None
            }
        );
        assert_eq!(
            Mean::of([1.0, 3.0].into_iter()),
            Mean {
                n: 2,
                mean: Some(2.0),
                sd: Some(2.0_f64.sqrt())
            }
        );
    }
}
