//! `rebut check` states what differences between models the planned topics can find, while topics can still be added.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::plan::{self, Plan};
use crate::stats::number::number;
use crate::stats::planned::{Planned, about_topics};
use crate::stats::read::Corpus;
use crate::stats::{Extent, Finds, prospect};
use crate::text::{count, folded_topic};
use statistics::bootstrap::FEWEST_CLUSTERS;

/// The judged debates of each job, by its name.
#[derive(Debug, Default)]
pub(in crate::cli) struct DetectableDifferences(BTreeMap<String, JobPlan>);

#[derive(Debug, Default)]
struct JobPlan {
    topics: BTreeSet<String>,
    /// Debates of each two models of debaters with each other.
    met: BTreeMap<[String; 2], usize>,
}

impl DetectableDifferences {
    /// Adds a debate, if its debaters compete.
    pub(in crate::cli) fn note(&mut self, plan: &Plan) {
        let is_contest = plan.format.profile().two_answers.is_none();
        if plan.control.is_some() || plan.who_judges().is_empty() || !is_contest {
            return;
        }
        let job = self.0.entry(plan.job.clone()).or_default();
        job.topics.insert(folded_topic(&plan.topic));
        for pair in pairs(plan) {
            *job.met.entry(pair).or_default() += 1;
        }
    }

    /// A line for each job in which models meet each other.
    pub(in crate::cli) fn lines(&self, corpus: &Corpus) -> Vec<String> {
        let jobs = self.0.iter().filter(|(_, job)| !job.met.is_empty());
        jobs.map(|(name, job)| job.line(name, corpus)).collect()
    }
}

/// Each two models that debate each other, in order of their names.
fn pairs(plan: &Plan) -> Vec<[String; 2]> {
    let format = plan.format.profile();
    let debaters = plan.participants.iter().filter(|p| format.argues(p));
    let models: BTreeSet<&String> = debaters.map(|p| &p.model).collect();
    let each = models.iter().enumerate();
    let pairs = each.flat_map(|(n, a)| models.iter().skip(n + 1).map(|b| [*a, *b]));
    pairs.map(|pair| pair.map(String::clone)).collect()
}

impl JobPlan {
    fn extent(&self) -> Extent {
        Extent {
            topics: self.topics.len(),
            pairs: self.met.len(),
        }
    }

    fn line(&self, name: &str, corpus: &Corpus) -> String {
        let topics = self.topics.len();
        if topics < 2 {
            return format!("{name}: one topic cannot show a difference between models");
        }
        let of_job = |facts: &Facts| {
            let current = facts.plan.parse() == Ok(plan::VERSION);
            // Made-up replies say nothing of how much models vary.
            *facts.job == *name && !facts.rehearsal && current
        };
        let topics_planned = count(topics as u64, "topic");
        let prospect = prospect(corpus, of_job, self.extent());
        let from = prospect.as_ref().map_or_else(
            || {
                "assuming independent debates, as there are no earlier ones here to estimate from"
                    .to_owned()
            },
            |known| {
                let debates = count(known.debates as u64, "earlier debate");
                let topics = count(known.topics as u64, "topic");
                format!("estimated from {debates} on {topics} here")
            },
        );
        match prospect.map(|it| it.finds).or_else(|| self.by_number()) {
            None => format!("{name}: too few topics to show any difference between models"),
            Some(finds) if self.has_no_interval(&finds) => format!(
                "{name}: {topics_planned} give strengths no interval and no test: at least {FEWEST_CLUSTERS} are needed"
            ),
            Some(finds) => format!(
                "{name}: {topics_planned} would show {}; {from}",
                told(&finds)
            ),
        }
    }

    /// Whether its topics are too few to be resampled, as intervals of strengths are.
    fn has_no_interval(&self, finds: &Finds) -> bool {
        matches!(finds.planned, Planned::Elo(_)) && self.topics.len() < FEWEST_CLUSTERS
    }

    /// What the number of topics and debates alone says.
    fn by_number(&self) -> Option<Finds> {
        let fewest = *self.met.values().min()?;
        self.extent().by_number(fewest)
    }
}

/// The smallest difference that is found, and what a chosen one takes.
fn told(finds: &Finds) -> String {
    let least = number(finds.planned.unit(), finds.least);
    let measure = match finds.planned {
        Planned::Elo(_) => "Elo",
        Planned::Score(_) => "points of total score",
    };
    let needed = about_topics(finds.needed.unwrap_or(usize::MAX));
    format!(
        "a difference of {least} {measure} between two models (80% power at 5% after Holm's correction), and {} would take {needed}",
        finds.planned
    )
}
