//! What a panel judges in a trace: the record, the two candidates, and the models that spoke.

use super::kin::{Families, Kin};
use super::seats::Debater;
use crate::event::{Candidate, ReadingStatus, Side, Status, Verdict};
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::model::Card;
use crate::text;
use crate::trace::{ModelUse, Trace};

/// Why a debate cannot be judged by a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NotJudged {
    /// It failed.
    #[error("it failed, so its record is incomplete")]
    Failed,
    /// It has not two sides.
    #[error("a panel compares two sides, and it does not have two")]
    NotTwo,
    /// A side made no argument.
    #[error("a side made no argument")]
    Unheard,
}

impl Trace {
    /// The verdict that a judging gave, by its id.
    pub fn judging(&self, id: &str) -> Option<&Verdict> {
        let is_it = |verdict: &&Verdict| verdict.judging.as_ref().is_some_and(|it| it.id == id);
        self.verdicts.iter().find(is_it)
    }
}

impl Verdict {
    /// The calls of readings that were asked for and could not be obtained.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let readings = self.judges.iter().flat_map(|judge| &judge.readings);
        let missing =
            readings.filter(|it| it.status == ReadingStatus::Abstained && it.attempts > 0);
        missing.map(|reading| reading.call.as_str())
    }
}

/// The two whom a panel compares: contestants, or one and the side for which several argue in turn.
///
/// # Errors
/// Why there are none.
pub fn candidates(trace: &Trace) -> Result<[Candidate; 2], NotJudged> {
    if trace.status == Status::Failed {
        return Err(NotJudged::Failed);
    }
    let [p, q] = <[&str; 2]>::try_from(sides(trace)).map_err(|_| NotJudged::NotTwo)?;
    let heard = |side: &str| {
        let mut said = trace.statements.iter();
        said.any(|s| s.is_by_a_model() && side_of(trace, &s.by) == side)
    };
    if !heard(p) || !heard(q) {
        return Err(NotJudged::Unheard);
    }
    let candidate = |(key, id): (Side, &str)| Candidate {
        key,
        participant: id.to_owned(),
        families: Vec::new(),
    };
    Ok([(Side::P, p), (Side::Q, q)].map(candidate))
}

/// Whose cases are made, in the order of the participants.
pub fn sides(trace: &Trace) -> Vec<&str> {
    text::distinct(trace.contestants().map(|p| side_of(trace, &p.id)))
}

/// Whose case someone makes: its own, or its team's.
pub fn side_of<'t>(trace: &'t Trace, by: &'t str) -> &'t str {
    let team = profile_of(&trace.format).team;
    let of_team = |team: &&'static str| role_of(by) == *team;
    team.filter(of_team).unwrap_or(by)
}

/// The models that gave the contestants' statements, those of fallbacks among them.
pub fn debaters(trace: &Trace, families: &Families) -> Vec<Debater> {
    let models = trace.contestants().flat_map(|person| {
        let answered = person.models.iter().filter(|model| model.statements > 0);
        answered.map(|model| (person.id.clone(), model))
    });
    let kin = |(id, model): (String, &ModelUse)| {
        let known = trace.models.iter().find(|it| it.name == model.name);
        let card = Card {
            digest: model.digest.clone(),
            lineage: known.map_or_else(Vec::new, |it| it.card.lineage.clone()),
            ..Card::default()
        };
        (id, Kin::new(&model.name, &card, families))
    };
    models.map(kin).collect()
}
