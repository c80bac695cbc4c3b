//! `rebut check` states what differences between models the planned topics can find, while topics can still be added.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Design;
use crate::facts::Facts;
use crate::plan::{self, Plan};
use crate::stats::number::number;
use crate::stats::planned::{Planned, about_topics};
use crate::stats::read::Corpus;
use crate::stats::{Extent, Finds, Obstacle, Unusable, prospect};
use crate::text::{count, folded_topic};
use statistics::bootstrap::FEWEST_CLUSTERS;
use statistics::bradley_terry::planned_errors;

/// The judged debates of each job, by its name.
#[derive(Debug, Default)]
pub(in crate::cli) struct DetectableDifferences(BTreeMap<String, JobPlan>);

#[derive(Debug, Default)]
struct JobPlan {
    topics: BTreeSet<String>,
    /// Debates of each two models of debaters with each other.
    met: BTreeMap<[String; 2], usize>,
    design: Design,
    /// The ids of those that are finished and filed under another job.
    elsewhere: BTreeSet<String>,
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

    /// Notes that a debate is finished and filed under another job.
    pub(in crate::cli) fn note_elsewhere(&mut self, plan: &Plan) {
        if let Some(job) = self.0.get_mut(&plan.job) {
            job.elsewhere.insert(plan.id.to_string());
        }
    }

    /// What each job can find, and warnings of what the report would not compare.
    pub(in crate::cli) fn lines(&self, corpus: &Corpus) -> Vec<String> {
        let jobs = self.0.iter();
        let lines = jobs.flat_map(|(name, job)| job.lines(name, corpus));
        lines.collect()
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
    fn extent(&self) -> Extent {
        let models: BTreeSet<&String> = self.met.keys().flatten().collect();
        let numbers: BTreeMap<&String, usize> = models.into_iter().zip(0..).collect();
        let met = self
            .met
            .iter()
            .map(|(pair, debates)| (pair.each_ref().map(|model| numbers[model]), *debates));
        Extent {
            topics: self.topics.len(),
            errors: planned_errors(numbers.len(), &met.collect::<Vec<_>>()),
        }
    }

    fn lines(&self, name: &str, corpus: &Corpus) -> Vec<String> {
        if self.topics.len() < 2 {
            let none = "one topic cannot show a difference between models";
            return vec![format!("{name}: {none}")];
        }
        let obstacle = self.design.obstacle();
        let is_for_all = obstacle.as_ref().is_some_and(|it| it.is_for_all);
        let found = (!is_for_all).then(|| self.line(name, corpus));
        let warning = obstacle.map(|it| self.warning(name, &it));
        found.into_iter().chain(warning).collect()
    }

    /// What the report on these debates would have against comparing models.
    fn warning(&self, name: &str, obstacle: &Obstacle) -> String {
        let (sample, sentence) = (self.design.sample(), &obstacle.sentence);
        format!("warning: {name}: the report on these debates{sample} would say: {sentence}")
    }

    fn line(&self, name: &str, corpus: &Corpus) -> String {
        let topics = count(self.topics.len(), "topic");
        let is_own =
            |facts: &Facts| *facts.private.job == *name || self.elsewhere.contains(&*facts.id);
        // Made-up replies say nothing of how much models vary.
        let counts = |facts: &Facts| !facts.rehearsal && facts.plan.parse() == Ok(plan::VERSION);
        let extent = self.extent();
        let known = prospect(corpus, |it| is_own(it) && counts(it), &extent);
        let from = match &known {
            Ok(known) => {
                let debates = count(known.debates, "earlier debate");
                let topics = count(known.topics, "topic");
                format!("estimated from {debates} on {topics} here")
            }
            Err(unusable) => {
                let all = corpus.debates.iter().filter(|it| is_own(&it.facts)).count();
                let why = why_unused(unusable, all);
                format!("assuming independent debates, as {why}")
            }
        };
        let finds = known.ok().map(|it| it.finds);
        match finds.or_else(|| extent.if_independent()) {
            None => format!("{name}: too few topics to show any difference between models"),
            Some(finds) if self.has_no_interval(&finds) => format!(
                "{name}: {topics} give strengths no interval and no test: at least {FEWEST_CLUSTERS} are needed"
            ),
            Some(finds) => format!("{name}: {topics} would show {}; {from}", told(&finds)),
        }
    }

    /// Whether its topics are too few to be resampled, as intervals of strengths are.
    fn has_no_interval(&self, finds: &Finds) -> bool {
        matches!(finds.planned, Planned::Elo(_)) && self.topics.len() < FEWEST_CLUSTERS
    }
}

/// Why nothing is estimated from the earlier debates of a job, of which there are `all`.
fn why_unused(unusable: &Unusable, all: usize) -> String {
    let earlier = |n: usize, one: &str, many: &str| match n {
        1 => format!("the earlier one here {one}"),
        n => format!("the {n} earlier ones here {many}"),
    };
    match unusable {
        Unusable::Absent => match all {
            0 => "there are no earlier ones here to estimate from".to_owned(),
            n => earlier(n, "was", "were") + " rehearsed or had other prompts",
        },
        Unusable::Confounded(n, obstacle) => {
            earlier(*n, "does", "do") + &format!(" not compare models: {obstacle}")
        }
        Unusable::Scarce(n) => earlier(*n, "says", "say") + " too little to estimate from",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_why_earlier_debates_are_of_no_use_is_told() {
        let swapped = "llama3 and mistral never swapped seats".to_owned();
        for (unusable, all, told) in [
            (Unusable::Absent, 0, "there are no earlier ones here to estimate from"),
            (Unusable::Absent, 1, "the earlier one here was rehearsed or had other prompts"),
            (
                Unusable::Confounded(72, swapped),
                96,
                "the 72 earlier ones here do not compare models: llama3 and mistral never swapped seats",
            ),
            (Unusable::Scarce(3), 3, "the 3 earlier ones here say too little to estimate from"),
        ] {
            assert_eq!(why_unused(&unusable, all), told);
        }
    }
}
