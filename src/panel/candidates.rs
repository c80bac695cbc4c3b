//! What a panel judges in a trace: the record, the two candidates, and the models that spoke.

use super::recusal::{Families, ModelOrigin};
use super::seats::Debater;
use crate::event::{Candidate, DEBATE, ReadingStatus, Side, Statement, Status, Verdict};
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::model::Card;
use crate::text;
use crate::trace::{ModelUse, Trace};

/// Why a debate cannot be judged by a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NotJudged {
    /// It failed.
    #[error("the record of a debate that failed is incomplete")]
    Failed,
    /// It has not two sides.
    #[error("no two sides to choose between")]
    NotTwo,
    /// A side made no argument.
    #[error("a side made no argument")]
    Unheard,
    /// One of its two answers is missing.
    #[error("one of the two answers to compare is missing")]
    Unanswered,
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

    /// Whether every judge was read, so that nothing would be asked again.
    pub fn is_whole(&self) -> bool {
        self.missing().next().is_none()
    }
}

/// The two that a panel compares: contestants, or one and the side for which several argue in turn; in formats that end with an
/// answer, two answers.
///
/// # Errors
/// Why there are none.
pub fn candidates(trace: &Trace) -> Result<[Candidate; 2], NotJudged> {
    if trace.status == Status::Failed {
        return Err(NotJudged::Failed);
    }
    if profile_of(&trace.format).two_answers.is_some() {
        return answers(trace);
    }
    let [p, q] = <[&str; 2]>::try_from(sides(trace)).map_err(|_| NotJudged::NotTwo)?;
    let heard = |side: &str| {
        trace.statements.iter().any(|s| s.is_by_a_model() && side_of(trace, &s.by) == side)
    };
    if !heard(p) || !heard(q) {
        return Err(NotJudged::Unheard);
    }
    Ok(of_two([p, q].map(|side| (side, None))))
}

/// The two answers as candidates.
fn answers(trace: &Trace) -> Result<[Candidate; 2], NotJudged> {
    let both = two_answers(trace).ok_or(NotJudged::Unanswered)?;
    Ok(of_two(both.map(|s| (s.by.as_str(), Some(s.n)))))
}

/// Two candidates: the participants or teams, with the statements if these are judged.
fn of_two([p, q]: [(&str, Option<u32>); 2]) -> [Candidate; 2] {
    let candidate = |(key, (id, statement)): (Side, (&str, _))| Candidate {
        key,
        participant: id.to_owned(),
        statement,
        families: Vec::new(),
    };
    [(Side::P, p), (Side::Q, q)].map(candidate)
}

/// The final answer and the one that it is compared with, which comes first; `None` where one is missing.
pub fn two_answers<R>(trace: &Trace<R>) -> Option<[&Statement; 2]> {
    let two = profile_of(&trace.format).two_answers?;
    let other = trace.statements.iter().find(|s| s.by == two.other && s.was_heard())?;
    let last = trace.statement(trace.outcome.as_ref()?.final_text?)?;
    last.is_by_a_model().then_some([other, last])
}

/// Whether someone's model has a part in what a candidate stands for. All who took part have one in the final answer.
pub fn has_part(trace: &Trace, id: &str, candidate: &Candidate) -> bool {
    match (candidate.statement, candidate.key) {
        (None, _) => side_of(trace, id) == candidate.participant,
        (Some(_), Side::P) => id == candidate.participant,
        (Some(_), Side::Q) => trace.participant(id).is_some(),
    }
}

/// Whose cases are made, in the order of the participants.
pub fn sides(trace: &Trace) -> Vec<&str> {
    text::distinct(trace.contestants().map(|p| side_of(trace, &p.id)))
}

/// Whose case someone makes: its own, or its team's.
pub fn side_of<'t>(trace: &'t Trace, by: &'t str) -> &'t str {
    let team = profile_of(&trace.format).team;
    team.filter(|team: &&'static str| role_of(by) == *team).unwrap_or(by)
}

/// The models that gave the contestants' statements, those of fallbacks among them; of answers, all that said anything, in the
/// debate that a control is compared with too.
pub fn debaters(trace: &Trace, families: &Families) -> Vec<Debater> {
    let has_answers = profile_of(&trace.format).two_answers.is_some();
    let people = trace.participants.iter().filter(|person| person.contestant || has_answers);
    let models = people.flat_map(|person| {
        let answered = person.models.iter().filter(|model| model.statements > 0);
        answered.map(|model| (person.id.clone(), model))
    });
    let origin = |(id, model): (String, &ModelUse)| {
        let known = trace.models.iter().find(|it| it.name == model.name);
        let card = Card {
            digest: model.digest.clone(),
            lineage: known.map_or_else(Vec::new, |it| it.card.lineage.clone()),
            ..Card::default()
        };
        (id, ModelOrigin::new(&model.name, &card, families))
    };
    let others = trace
        .plan
        .budget
        .as_ref()
        .and_then(|budget| budget.allotted.answer.as_ref())
        .into_iter()
        .flat_map(|answer| &answer.models)
        .map(|it| {
            let origin = ModelOrigin::new(&it.name, &it.card, families);
            (DEBATE.to_owned(), origin)
        });
    models.map(origin).chain(others).collect()
}
