//! The spending of the debates that a control is matched to, and whether these debates have changed since.

use std::collections::BTreeSet;
use std::fmt;

use super::error::Result;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::resume;
use crate::event::{Allotted, DebateAnswer, Status};
use crate::id::DebateId;
use crate::plan::Control;
use crate::trace::Trace;

/// Why a control cannot begin: the debate of its own that keeps it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The debate.
    pub debate: DebateId,
    /// What is missing in it.
    pub why: Lacks,
}

/// What a control's debate lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacks {
    /// It has not ended.
    End,
    /// It failed.
    Success,
    /// A model's answer to compare with.
    Answer,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Lacks::End => "has not ended",
            Lacks::Success => "failed",
            Lacks::Answer => "has no final answer by a model",
        };
        let debate = self.debate.short();
        write!(f, "debate {debate}, which it is matched to, {why}")
    }
}

/// Whether a control can begin.
#[derive(Debug)]
pub enum Readiness {
    /// It can, with the spending of its debates as its budget.
    Budget(Allotted),
    /// It can, and is matched to no spending.
    NoBudget,
    /// A debate of its own keeps it from beginning.
    Lacking(Unmatched),
}

/// Whether a control can begin, by what has become of its debates.
pub fn readiness(output: &OutputDir, control: &Control) -> Result<Readiness> {
    let is_matched = control.arm.is_matched();
    let mut traces = Vec::new();
    for id in &control.debates {
        match resume::finished_since(output, id)? {
            None => return Ok(lacking(id, Lacks::End)),
            Some(found) if found.status == Status::Failed => {
                return Ok(lacking(id, Lacks::Success));
            }
            Some(found) if is_matched => traces.push(Trace::in_dir(&found.path)?),
            Some(_) => {}
        }
    }
    Ok(if is_matched { budget(control, &traces) } else { Readiness::NoBudget })
}

fn lacking(debate: &DebateId, why: Lacks) -> Readiness {
    Readiness::Lacking(Unmatched { debate: debate.clone(), why })
}

/// The budget of a control by the traces of its debates; one for open topics needs an answer to compare with, too.
fn budget(control: &Control, traces: &[Trace]) -> Readiness {
    let is_compared = control.arm.is_for_open_topics();
    let compared = traces.first().filter(|_| is_compared);
    match (compared, compared.and_then(answer)) {
        (Some(debate), None) => lacking(&debate.id, Lacks::Answer),
        (_, answer) => Readiness::Budget(allotted(control, traces, answer)),
    }
}

fn allotted(control: &Control, traces: &[Trace], answer: Option<DebateAnswer>) -> Allotted {
    let spent = |trace: &Trace| {
        if control.arm.is_for_open_topics() {
            trace.usage.for_the_text(control.measure)
        } else {
            trace.usage.for_the_answer(control.measure)
        }
    };
    let tokens: u64 = traces.iter().map(spent).sum();
    Allotted {
        debates: control.debates.iter().map(ToString::to_string).collect(),
        records: traces.iter().map(Trace::digest_of_answered).collect(),
        measure: control.measure,
        tokens: tokens / traces.len().max(1) as u64,
        answer,
    }
}

/// The final answer of a debate, with the models that spoke in it; `None` without one.
fn answer(trace: &Trace) -> Option<DebateAnswer> {
    let last = trace.statement(trace.outcome.as_ref()?.final_text?)?;
    let people = trace.participants.iter().flat_map(|person| &person.models);
    let spoke: BTreeSet<&str> =
        people.filter(|model| model.statements > 0).map(|model| model.name.as_str()).collect();
    let models = trace.models.iter().filter(|model| spoke.contains(model.name.as_str()));
    last.is_by_a_model().then(|| DebateAnswer {
        text: last.text.clone(),
        names: trace.participants.iter().map(|p| p.name.clone()).collect(),
        models: models.cloned().collect(),
    })
}

/// Whether a finished control is matched to a debate that has changed since, and can be matched again.
pub fn is_stale(output: &OutputDir, control: &Control, found: &FinishedDebate) -> Result<bool> {
    let trace = Trace::in_dir(&found.path)?;
    let Some(budget) = trace.plan.budget else { return Ok(false) };
    Ok(match readiness(output, control)? {
        Readiness::Budget(now) => now.records != budget.allotted.records,
        Readiness::NoBudget | Readiness::Lacking(_) => false,
    })
}
