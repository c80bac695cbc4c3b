//! `rebut check` warns of judges on the model of some of the debaters or of each other, or with the persona of one side, and of teams
//! with a single voter, which can still be changed before the run.

use std::collections::{BTreeMap, BTreeSet};

use crate::job::models::model_name::canonical;
use crate::job::participant::Participant;
use crate::model::self_judging::{ONE_VOTER, Persona, Sharing, like_minded, planned};
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
    /// What else is to be distrusted.
    others: BTreeSet<String>,
}

/// So many of a job's further warnings are told in one.
const TOLD: usize = 3;

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
        let others = one_voter(plan).into_iter().chain(on_one_model(plan));
        job.others.extend(of_personas(plan).into_iter().chain(others));
    }

    /// The warnings of each job with such judges.
    pub(in crate::cli) fn warnings(&self) -> Vec<String> {
        let of = |(name, job): (&String, &Planned)| {
            let models = (job.partial > 0).then(|| job.warning(name));
            let others = text::first_of(job.others.iter().map(String::as_str), TOLD);
            let others = text::if_any(others).map(|told| format!("warning: {name}: {told}"));
            models.into_iter().chain(others)
        };
        self.0.iter().flat_map(of).collect()
    }
}

fn of_personas(plan: &Plan) -> Vec<String> {
    fn named(p: &Participant) -> Persona<'_> {
        (&p.name, p.persona.as_ref().map(|persona| persona.name.as_str()))
    }
    let format = plan.format.profile;
    let debaters: Vec<_> =
        plan.participants.iter().filter(|p| format.argues(p)).map(named).collect();
    let judges = plan.who_judges().into_iter().filter(|judge| !format.argues(judge));
    like_minded(judges.map(named), &debaters)
}

fn one_voter(plan: &Plan) -> Option<String> {
    let format = plan.format.profile;
    let voters = plan.who_judges().into_iter().filter(|judge| format.argues(judge));
    (format.rotates && voters.count() == 2)
        .then(|| format!("{ONE_VOTER}, and may gain or have lost the seat by it"))
}

/// That judges who do not debate are on fewer models than they are: seats of one are one judge.
fn on_one_model(plan: &Plan) -> Option<String> {
    let judges = plan.who_judges().into_iter().filter(|it| !plan.format.profile.argues(it));
    let seats: Vec<&str> = judges.map(|judge| canonical(&judge.model)).collect();
    let models = seats.iter().collect::<BTreeSet<_>>().len();
    let [judges, on] =
        [(seats.len(), "judge"), (models, "model")].map(|(n, it)| text::count(n as u64, it));
    (models < seats.len()).then(|| format!("{judges} run on {on}: those on one model count as one"))
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
