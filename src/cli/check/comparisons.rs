//! What the report would have against comparing the models of the planned debates, while topics can still be added.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Design;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::stats::too_few_topics;
use crate::text::folded_topic;

/// The judged debates of each job in which models meet, by its name.
#[derive(Debug, Default)]
pub(super) struct Comparisons(BTreeMap<String, JobPlan>);

#[derive(Debug, Default)]
struct JobPlan {
    topics: BTreeSet<String>,
    design: Design,
}

impl Comparisons {
    /// Adds a debate in which models meet. `counted` is how one of its setup would be counted.
    pub(super) fn note(&mut self, plan: &Plan, counted: Option<&Facts>) {
        let job = self.0.entry(plan.job.clone()).or_default();
        job.topics.insert(folded_topic(&plan.topic));
        if let Some(counted) = counted {
            job.design.add(plan, counted);
        }
    }

    /// Warnings of what the report would not compare.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.0.iter().flat_map(|(name, job)| job.warnings(name)).collect()
    }
}

/// Whether models meet in a debate whose judges say who is ahead.
pub(super) fn compares(plan: &Plan) -> bool {
    let format = plan.format.profile;
    let debaters = plan.participants.iter().filter(|p| format.argues(p));
    let models: BTreeSet<&String> = debaters.map(|p| &p.model).collect();
    let is_judged = plan.control.is_none() && !plan.who_judges().is_empty();
    format.two_answers.is_none() && is_judged && models.len() > 1
}

impl JobPlan {
    fn warnings(&self, name: &str) -> Vec<String> {
        let few = too_few_topics(self.topics.len());
        if self.topics.len() < 2 {
            // A job on one topic is a debate rather than a comparison: no warning.
            return few.map(|few| format!("{name}: {few}")).into_iter().collect();
        }
        let sample = self.design.sample();
        let told = |it| format!("the report on these debates{sample} would say: {it}");
        let all = few.into_iter().chain(self.design.obstacle().map(told));
        all.map(|it| format!("warning: {name}: {it}")).collect()
    }
}
