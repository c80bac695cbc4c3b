//! `rebut check` states what differences between models the planned topics can find, while topics can still be added.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::plan::{self, Plan};
use crate::stats::number::number;
use crate::stats::{Prospect, findings::Unit, prospect, read::Corpus};
use crate::text::{count, folded_topic};
use statistics::bradley_terry::ELO;
use statistics::paired::{ALPHA, detectable_errors};

/// Log-odds per unit of the share won, for equals: the derivative of the logit at one half.
const LOGITS_PER_SHARE: f64 = 4.0;
/// The standard deviation of one debate's result between equals.
const SD_OF_RESULT: f64 = 0.5;

/// The judged debates of each job, by its name.
#[derive(Debug, Default)]
pub(super) struct Prospects(BTreeMap<String, Planned>);

#[derive(Debug, Default)]
struct Planned {
    topics: BTreeSet<String>,
    /// Debates of each two models of debaters with each other.
    met: BTreeMap<[String; 2], usize>,
    rehearsal: bool,
}

impl Prospects {
    /// Adds a debate.
    pub(super) fn note(&mut self, plan: &Plan) {
        if plan.control.is_some() || plan.who_judges().is_empty() {
            return;
        }
        let job = self.0.entry(plan.job.clone()).or_default();
        job.topics.insert(folded_topic(&plan.topic));
        job.rehearsal = plan.rehearsal;
        for pair in pairs(plan) {
            *job.met.entry(pair).or_default() += 1;
        }
    }

    /// A line for each job in which models meet each other.
    pub(super) fn lines(&self, corpus: &Corpus) -> Vec<String> {
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

impl Planned {
    fn line(&self, name: &str, corpus: &Corpus) -> String {
        let topics = self.topics.len();
        if topics < 2 {
            return format!(
                "{name}: one topic; no difference between models can be told from the topic"
            );
        }
        let of_job = |facts: &Facts| {
            let current = facts.plan.parse() == Ok(plan::VERSION);
            *facts.job == *name && facts.rehearsal == self.rehearsal && current
        };
        let prospect = prospect(corpus, of_job, topics);
        let found = prospect.and_then(|it| by_experience(&it));
        let found = found.or_else(|| self.by_number()).unwrap_or_default();
        format!(
            "{name}: of two models, {} would show, four times out of five, a difference of {found}",
            count(topics as u64, "topic")
        )
    }

    /// What the number of topics and debates alone says.
    fn by_number(&self) -> Option<String> {
        let topics = self.topics.len();
        let errors = detectable_errors(topics, ALPHA / self.met.len() as f64)?;
        let fewest = *self.met.values().min()?;
        let of_share = SD_OF_RESULT / (fewest as f64).sqrt();
        let elo = errors * of_share * LOGITS_PER_SHARE * ELO;
        let sd = errors / (topics as f64).sqrt();
        Some(format!(
            "{sd:.2} standard deviations in score (of the difference from topic to topic), or {} Elo if debates are independent; no earlier debates here say more",
            number(Unit::Elo, elo)
        ))
    }
}

/// What earlier debates say; `None` if they say nothing.
fn by_experience(prospect: &Prospect) -> Option<String> {
    let score = prospect
        .score
        .map(|it| format!("{} in score", number(Unit::Score, it)));
    let elo = prospect
        .elo
        .map(|it| format!("{} Elo", number(Unit::Elo, it)));
    let both: Vec<String> = score.into_iter().chain(elo).collect();
    (!both.is_empty()).then(|| {
        format!(
            "{}; an estimate from {} on {} here",
            both.join(", or "),
            count(prospect.debates as u64, "earlier debate"),
            count(prospect.topics as u64, "topic"),
        )
    })
}
