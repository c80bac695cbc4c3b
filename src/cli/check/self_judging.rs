//! `rebut check` warns of judges on the model of some of the debaters, which can still be changed before the run.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::self_judging::{Sharing, planned};
use crate::plan::Plan;
use crate::text;

/// The planned debates of each job, by its name.
#[derive(Debug, Default)]
pub(in crate::cli) struct OwnJudges(BTreeMap<String, Planned>);

#[derive(Debug, Default)]
struct Planned {
    debates: u64,
    /// Debates with such a judge.
    partial: u64,
    /// The models of such judges.
    models: BTreeSet<String>,
    /// Whether some of these judges can be replaced: not all of them debate.
    can_be_replaced: bool,
}

impl OwnJudges {
    /// Adds a debate.
    pub(in crate::cli) fn note(&mut self, plan: &Plan) {
        let job = self.0.entry(plan.job.clone()).or_default();
        let judges = planned(plan).into_iter();
        let partial: Vec<_> = judges
            .filter(|(_, sharing)| *sharing == Sharing::Some)
            .map(|(judge, _)| judge)
            .collect();
        job.debates += 1;
        job.partial += u64::from(!partial.is_empty());
        let format = plan.format.profile;
        job.can_be_replaced |= partial.iter().any(|judge| !format.argues(judge));
        job.models.extend(partial.iter().map(|p| p.model.clone()));
    }

    /// A warning for each job with such judges.
    pub(in crate::cli) fn warnings(&self) -> Vec<String> {
        let jobs = self.0.iter().filter(|(_, job)| job.partial > 0);
        jobs.map(|(name, job)| job.warning(name)).collect()
    }
}

impl Planned {
    fn warning(&self, name: &str) -> String {
        let models = text::joined(&self.models, "and");
        let remedy = if self.can_be_replaced {
            "Use judges on models that do not debate: `judges: [{model: NAME}]`"
        } else {
            "In this format a debater's own team judges: use one model for both sides, or trust the votes less"
        };
        format!(
            "warning: {name}: in {} of {} debates, a judge runs on the model of some debaters but not all ({models}); models tend to favour their own texts. {remedy}",
            self.partial, self.debates
        )
    }
}
