//! `rebut check` states what differences between models the planned topics can find, while topics can still be added.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Design;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::stats::Obstacle;
use crate::stats::number::number;
use crate::stats::planned::{Planned, about_topics};
use crate::text::{count, folded_topic};
use statistics::bootstrap::FEWEST_CLUSTERS;
use statistics::bradley_terry::planned_errors;
use statistics::paired::{ALPHA, Spread};

/// The judged debates of each job, by its name.
#[derive(Debug, Default)]
pub(in crate::cli) struct DetectableDifferences(BTreeMap<String, JobPlan>);

#[derive(Debug, Default)]
struct JobPlan {
    topics: BTreeSet<String>,
    /// Debates of each two models of debaters with each other.
    met: BTreeMap<[String; 2], usize>,
    design: Design,
}

impl DetectableDifferences {
    /// Adds a debate in which models meet. `counted` is how one of its setup would be counted.
    pub(in crate::cli) fn note(&mut self, plan: &Plan, counted: Option<&Facts>) {
        let job = self.0.entry(plan.job.clone()).or_default();
        job.topics.insert(folded_topic(&plan.topic));
        for pair in pairs(plan) {
            *job.met.entry(pair).or_default() += 1;
        }
        if let Some(counted) = counted {
            job.design.add(plan, counted);
        }
    }

    /// What each job can find, and warnings of what the report would not compare.
    pub(in crate::cli) fn lines(&self) -> Vec<String> {
        self.0.iter().flat_map(|(name, job)| job.lines(name)).collect()
    }
}

/// Whether models meet in a debate whose judges say who is ahead.
pub(super) fn compares(plan: &Plan) -> bool {
    let is_contest = plan.format.profile.two_answers.is_none();
    let is_judged = plan.control.is_none() && !plan.who_judges().is_empty();
    is_contest && is_judged && !pairs(plan).is_empty()
}

/// Each two models that debate each other, in order of their names.
fn pairs(plan: &Plan) -> Vec<[String; 2]> {
    let format = plan.format.profile;
    let debaters = plan.participants.iter().filter(|p| format.argues(p));
    let models: BTreeSet<&String> = debaters.map(|p| &p.model).collect();
    let each = models.iter().enumerate();
    let pairs = each.flat_map(|(n, a)| models.iter().skip(n + 1).map(|b| [*a, *b]));
    pairs.map(|pair| pair.map(String::clone)).collect()
}

impl JobPlan {
    /// How exactly it measures each two models that it links, in Elo, if debates are independent and between equals.
    fn spreads(&self) -> Vec<Spread> {
        let models: BTreeSet<&String> = self.met.keys().flatten().collect();
        let numbers: BTreeMap<&String, usize> = models.into_iter().zip(0..).collect();
        let met = self
            .met
            .iter()
            .map(|(pair, debates)| (pair.each_ref().map(|model| numbers[model]), *debates));
        let errors = planned_errors(numbers.len(), &met.collect::<Vec<_>>());
        let clusters = self.topics.len();
        let spread = |se| Spread { clusters, se, df: clusters as f64 - 1.0 };
        errors.into_iter().map(spread).collect()
    }

    fn lines(&self, name: &str) -> Vec<String> {
        if self.topics.len() < 2 {
            let none = "one topic cannot show a difference between models";
            return vec![format!("{name}: {none}")];
        }
        let obstacle = self.design.obstacle();
        let is_for_all = obstacle.as_ref().is_some_and(|it| it.is_for_all);
        let found = (!is_for_all).then(|| self.line(name));
        let warning = obstacle.map(|it| self.warning(name, &it));
        found.into_iter().chain(warning).collect()
    }

    /// What the report on these debates would have against comparing models.
    fn warning(&self, name: &str, obstacle: &Obstacle) -> String {
        let (sample, sentence) = (self.design.sample(), &obstacle.sentence);
        format!("warning: {name}: the report on these debates{sample} would say: {sentence}")
    }

    /// The smallest difference that is found between any two models, at Holm's level for the smallest p, and what the chosen one takes.
    fn line(&self, name: &str) -> String {
        let (spreads, planned) = (self.spreads(), Planned::elo());
        let topics = count(self.topics.len(), "topic");
        let level = ALPHA / spreads.len().max(1) as f64;
        let each = spreads.iter().filter_map(|spread| spread.detectable(level));
        let Some(least) = each.reduce(f64::max) else {
            return format!("{name}: too few topics to show any difference between models");
        };
        if self.topics.len() < FEWEST_CLUSTERS {
            return format!(
                "{name}: {topics} give strengths no interval and no test: at least {FEWEST_CLUSTERS} are needed"
            );
        }
        let needed = spreads.iter().map(|spread| {
            let needed = spread.clusters_needed(planned.difference(), level);
            needed.unwrap_or(usize::MAX)
        });
        let (least, needed) =
            (number(planned.unit(), least), about_topics(needed.max().unwrap_or(0)));
        format!(
            "{name}: {topics} would show a difference of {least} Elo between two models (80% power at 5% after Holm's correction), and {planned} would take {needed}; assuming independent debates"
        )
    }
}
