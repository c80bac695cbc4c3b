//! Estimates of debates, expected and with every reply at its limit: calls, tokens, bytes, time.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;
use std::path::Path;
use std::time::Duration;

use super::wall_time;
use crate::artifacts;
use crate::cli::args::jobs::Jobs;
use crate::cli::args::output_directory::flag;
use crate::cli::process::failure::Failure;
use crate::clock::Clock;
use crate::event::{Event, EventKind, IncidentKind, Use};
use crate::facts::Facts;
use crate::formats;
use crate::machine;
use crate::plan::{Plan, Setup};
use crate::run::history::{History, Past};
use crate::stats::{self, Speed};
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::layout::OutputDir;
use crate::store::replay::{self, Replies};
use crate::text;
use crate::trace::Trace;

/// Bytes of the journal and of the stored prompts per call, without the reply.
const STATE_PER_CALL: u64 = 700;
/// Bytes per token in a journal.
const PER_TOKEN: u64 = 4;

/// The cost of debates.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::cli) struct Cost {
    by_model: BTreeMap<String, Use>,
    bytes: u64,
}

/// Jobs named in a warning.
const JOBS: usize = 3;

/// The cost of a debate with some setup, rehearsed.
#[derive(Debug, Clone)]
struct Rehearsed {
    usual: Cost,
    most: Cost,
    /// Participants who may see too little of the debate, in words.
    cramped: BTreeSet<String>,
    /// As statistics would count it.
    facts: Option<Box<Facts>>,
}

/// The cost of unfinished debates.
#[derive(Debug, Default)]
pub(in crate::cli) struct Estimate {
    debates: u64,
    /// The debates with earlier debates of the same setup.
    known: u64,
    /// Whether one has begun.
    begun: bool,
    expected: Cost,
    most: Cost,
    /// Participants with too small a context, in words, with the jobs in which they are.
    cramped: BTreeMap<String, BTreeSet<String>>,
}

/// Adds up estimates of debates; each setup is rehearsed once.
pub(in crate::cli) struct Estimates<'a> {
    jobs: &'a Jobs,
    output: &'a OutputDir,
    finished: &'a FinishedDebates,
    history: History,
    rehearsed: BTreeMap<Setup, Rehearsed>,
    played: BTreeMap<(String, Setup), Option<Cost>>,
    /// The sum so far.
    pub(in crate::cli) sum: Estimate,
}

impl<'a> Estimates<'a> {
    pub(in crate::cli) fn new(
        jobs: &'a Jobs,
        output: &'a OutputDir,
        finished: &'a FinishedDebates,
    ) -> Self {
        Self {
            jobs,
            output,
            finished,
            history: History::new(Clock::system().now()),
            rehearsed: BTreeMap::new(),
            played: BTreeMap::new(),
            sum: Estimate::default(),
        }
    }

    /// Adds an unfinished debate, in full even if it has begun.
    pub(in crate::cli) async fn add(&mut self, plan: &Plan) -> Result<(), Failure> {
        let setup = plan.setup();
        let played = self.played(plan, &setup);
        self.rehearse(plan, &setup).await?;
        let (rehearsed, sum) = (&self.rehearsed[&setup], &mut self.sum);
        sum.debates += 1;
        sum.known += u64::from(played.is_some());
        sum.begun |= self.output.running_journal(&plan.id).exists();
        let expected = played.as_ref().unwrap_or(&rehearsed.usual);
        sum.expected.add(expected);
        sum.most.add(&rehearsed.most.at_least(expected));
        for cause in &rehearsed.cramped {
            let jobs = sum.cramped.entry(cause.clone()).or_default();
            jobs.insert(plan.job.clone());
        }
        Ok(())
    }

    /// A debate with the setup of this plan, as statistics would count it; `None` if they would not.
    pub(in crate::cli) async fn counted(&mut self, plan: &Plan) -> Result<Option<&Facts>, Failure> {
        let setup = plan.setup();
        self.rehearse(plan, &setup).await?;
        Ok(self.rehearsed[&setup].facts.as_deref())
    }

    /// Rehearses a debate, unless one of its setup was.
    async fn rehearse(&mut self, plan: &Plan, setup: &Setup) -> Result<(), Failure> {
        if !self.rehearsed.contains_key(setup) {
            let rehearsed = rehearsed(plan, self.jobs).await?;
            self.rehearsed.insert(setup.clone(), rehearsed);
        }
        Ok(())
    }

    /// The average cost here of debates with its job and setup.
    fn played(&mut self, plan: &Plan, setup: &Setup) -> Option<Cost> {
        let key = (plan.job.clone(), setup.clone());
        let taken = || mean(self.history.of(plan, setup, self.finished), self.output);
        self.played.entry(key).or_insert_with(taken).clone()
    }
}

async fn rehearsed(plan: &Plan, jobs: &Jobs) -> Result<Rehearsed, Failure> {
    let usual = replay::rehearse(plan, &jobs.templates, Replies::Usual).await?;
    let most = replay::rehearse(plan, &jobs.templates, Replies::AtTheirLimits).await?;
    let trace = formats::trace(plan, &usual)?;
    let facts = Facts::from_trace(&trace).ok().map(Box::new);
    let usual = cost(&trace, jobs, &usual)?;
    Ok(Rehearsed {
        most: cost(&formats::trace(plan, &most)?, jobs, &most)?.at_least(&usual),
        usual,
        cramped: cramped(&most),
        facts,
    })
}

fn cost(trace: &Trace, jobs: &Jobs, events: &[Event]) -> Result<Cost, Failure> {
    let files = artifacts::all(trace, events, "", &jobs.templates)?;
    let bytes: u64 = files.iter().map(|file| file.content.len() as u64).sum();
    let used = trace.usage.by_model.values();
    let state = used.map(|it| it.calls * STATE_PER_CALL + it.reply_tokens * PER_TOKEN);
    Ok(Cost { bytes: bytes + state.sum::<u64>(), by_model: trace.usage.by_model.clone() })
}

/// Participants with too small a context for the debate if every reply has the maximum length.
fn cramped(events: &[Event]) -> BTreeSet<String> {
    let cramped = events.iter().filter_map(|event| match &event.kind {
        EventKind::Incident(incident) if incident.kind == IncidentKind::Context => {
            Some(&incident.message)
        }
        _ => None,
    });
    cramped.cloned().collect()
}

/// The average cost of these debates; `None` without any.
fn mean(past: &[Past], output: &OutputDir) -> Option<Cost> {
    let count = past.len() as u64;
    let mut sum = Cost::default();
    past.iter().for_each(|it| sum.add(&taken(it, output)));
    let part = |n: u64| n / count;
    let by_model = sum.by_model.into_iter();
    (count > 0).then(|| Cost {
        bytes: part(sum.bytes),
        by_model: by_model.map(|(it, used)| (it, used.each(part))).collect(),
    })
}

fn taken(past: &Past, output: &OutputDir) -> Cost {
    let used = past.facts.used.iter().map(|(model, used)| (model.to_string(), *used));
    Cost { by_model: used.collect(), bytes: output.bytes_of(&past.id, &past.dir) }
}

impl Cost {
    fn add(&mut self, other: &Self) {
        for (model, used) in &other.by_model {
            self.by_model.entry(model.clone()).or_default().add(used);
        }
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// The larger of both, value by value.
    fn at_least(&self, other: &Self) -> Self {
        let mut most = self.clone();
        most.bytes = most.bytes.max(other.bytes);
        for (model, used) in &other.by_model {
            let most = most.by_model.entry(model.clone()).or_default();
            most.calls = most.calls.max(used.calls);
            most.prompt_tokens = most.prompt_tokens.max(used.prompt_tokens);
            most.reply_tokens = most.reply_tokens.max(used.reply_tokens);
        }
        most
    }

    /// The seconds that its calls take one after the other; or a model of unknown speed.
    fn seconds(&self, speeds: &BTreeMap<String, Speed>) -> Result<f64, &String> {
        let mut seconds = 0.0;
        // A model that only embeds reads a few texts once: negligible.
        for (model, used) in self.by_model.iter().filter(|(_, it)| it.reply_tokens > 0) {
            let speed = speeds.get(model).ok_or(model)?;
            seconds += used.prompt_tokens as f64 / speed.prompt;
            seconds += used.reply_tokens as f64 / speed.reply;
        }
        Ok(seconds)
    }

    fn in_words(&self) -> String {
        let mut used = Use::default();
        self.by_model.values().for_each(|more| used.add(more));
        format!(
            "{}, {}, {}, {} on disk",
            text::count(used.calls, "call"),
            text::count(used.prompt_tokens, "prompt token"),
            text::count(used.reply_tokens, "reply token"),
            text::sized(self.bytes)
        )
    }
}

impl Estimate {
    /// The expected cost and its source, that with replies at their limits, the time unless no model is asked, and a warning if
    /// disk space is short. `left` is the time that the run may take, if that is limited.
    pub(in crate::cli) fn lines(
        &self,
        output: &Path,
        rehearses: bool,
        left: Option<Duration>,
    ) -> Vec<String> {
        let [expected, most] = [&self.expected, &self.most].map(Cost::in_words);
        let begun = if self.begun { "; begun debates count in full" } else { "" };
        let mut lines = vec![
            format!("expected ({}{begun}): {expected}", self.source()),
            format!(
                "at full length (every reply at its limit; retries, repairs and checks of doubtful replies come on top): {most}"
            ),
        ];
        if !rehearses {
            lines.extend(self.times(output, left));
        }
        lines.extend(self.short_of_space(output));
        lines
    }

    /// Who may see too little of a debate, and in which jobs if there are several.
    pub(in crate::cli) fn warnings(&self, names_jobs: bool) -> Vec<String> {
        let warnings = self.cramped.iter().map(|(cause, jobs)| {
            let whose = if names_jobs { text::some_of(jobs, JOBS) + ": " } else { String::new() };
            format!("warning: {whose}with replies at their limits, {cause}; raise it, or lower max_tokens")
        });
        warnings.collect()
    }

    fn source(&self) -> String {
        match self.known {
            0 => "from a rehearsal".to_owned(),
            known if known == self.debates => "from similar debates here".to_owned(),
            known => format!(
                "{known} of {} from similar debates here, the rest from a rehearsal",
                self.debates
            ),
        }
    }

    /// Estimates from the history of this output directory, or none: the speed of a model that never ran here is unknown.
    fn times(&self, output: &Path, left: Option<Duration>) -> Vec<String> {
        let read = stats::read::read(&[output.to_path_buf()], Clock::system().now(), |_, _| {});
        let speeds = stats::speeds(&read.unwrap_or_default());
        match [&self.expected, &self.most].map(|cost| cost.seconds(&speeds)) {
            [Ok(expected), Ok(most)] => {
                let at_once = wall_time::calls_at_once(&OutputDir::at(output));
                let fitting = left.map(|left| {
                    wall_time::fitting(self.debates, expected / at_once.unwrap_or(1.0), left)
                });
                once(told(expected, most, at_once)).chain(fitting).collect()
            }
            [Err(model), _] | [_, Err(model)] => {
                let here = output.display();
                vec![format!(
                    "no time estimate yet: no debate with {model} has finished in the directory {here}"
                )]
            }
        }
    }

    fn short_of_space(&self, output: &Path) -> Option<String> {
        let free = machine::free_space(output)?;
        let either = [(&self.expected, "about"), (&self.most, "up to")];
        let (cost, words) = either.into_iter().find(|(cost, _)| cost.bytes > free)?;
        Some(too_little(cost.bytes, words, free, output))
    }
}

/// The seconds that calls take one after the other, and, if it is known how many run at once, by the clock.
fn told(expected: f64, most: f64, at_once: Option<f64>) -> String {
    let lasting = |seconds: f64| text::lasting((seconds * 1000.0) as u64);
    let by_clock = at_once.map_or_else(String::new, |n| {
        let [expected, most] = [expected, most].map(|seconds| lasting(seconds / n));
        let digits = usize::from(n < 10.0);
        format!("; with {n:.digits$} at once, as in earlier runs here: {expected} and {most}")
    });
    let [expected, most] = [expected, most].map(lasting);
    format!(
        "time, one call at a time, at the speeds measured here: {expected} expected, {most} at full length{by_clock}"
    )
}

/// The warning that disk space is short.
fn too_little(needed: u64, words: &str, free: u64, output: &Path) -> String {
    format!(
        "warning: this takes {words} {} on disk, but only {} are free for {}; `rebut clean{}` removes data of old debates",
        text::sized(needed),
        text::sized(free),
        output.display(),
        flag(output)
    )
}

/// Bytes of a debate if none has been run here: measured on the shipped jobs, rehearsed, and doubled.
const USUAL_BYTES: u64 = 700_000;
/// How many debates to average for the size of one.
const TELLING: usize = 20;

/// A warning before a run whose debates are likely to take more space than there is. Rehearsing them all may take long, so it is
/// done only if space could be short by the size of earlier debates, or by the usual one.
pub(in crate::cli) async fn warn_of_space(
    jobs: &Jobs,
    output: &OutputDir,
) -> Result<Option<String>, Failure> {
    let Some(free) = machine::free_space(output.root()) else { return Ok(None) };
    let each = bytes_of_one(output)?;
    if each.saturating_mul(jobs.survey.debates as u64) <= free {
        return Ok(None);
    }
    let finished = FinishedDebates::list(output)?;
    let mut estimates = Estimates::new(jobs, output, &finished);
    for plan in jobs.chosen().filter(|plan| !finished.may_have(plan.id.short())) {
        // What cannot be rehearsed is no reason not to run.
        if estimates.add(&plan).await.is_err() {
            return Ok(None);
        }
    }
    Ok(estimates.sum.short_of_space(output.root()))
}

fn bytes_of_one(output: &OutputDir) -> Result<u64, Failure> {
    let debates = output.debates()?;
    let newest = debates.iter().rev().take(TELLING);
    let found: Vec<FinishedDebate> = newest.filter_map(|dir| FinishedDebate::read(dir)).collect();
    let bytes: u64 = found.iter().map(|it| output.bytes_of(&it.id, &it.path)).sum();
    Ok(bytes.checked_div(found.len() as u64).unwrap_or(USUAL_BYTES))
}
