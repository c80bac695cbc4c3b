//! Examples to train on: the final answers of dialectic debates whose judges hold that training would help.

use serde_json::{Value, json};

use super::debates::rating;
use super::table::{Debate, line, model};
use crate::artifacts::place::final_text;
use crate::event::Status;
use crate::job::Format;
use crate::trace::Trace;

/// What a model is told before the question: the form that final answers have.
const SYSTEM: &str = "Answer the question carefully. Write four parts, each on a new line behind its name and a colon: \
Answer, Reasoning, Confidence, Open points. Claim nothing that you cannot give reasons for.";

/// Why a debate is no example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// It is of another format.
    Format,
    /// It is degraded or failed.
    NotDone,
    /// No more than half of its valid judges say that training would help.
    NotWorthIt,
    /// Its final answer was cut at its allowance.
    Cut,
}

impl LeftOut {
    /// The reason in words, behind a number of debates.
    pub fn words(self) -> &'static str {
        match self {
            Self::Format => "not dialectic",
            Self::NotDone => "degraded or failed",
            Self::NotWorthIt => "not judged worth it",
            Self::Cut => "with a final answer that was cut",
        }
    }
}

/// A debate as a chat of question and final answer, or why it is none.
pub(super) fn example(debate: &Debate<'_>) -> Result<Vec<u8>, LeftOut> {
    let trace = debate.trace;
    if trace.format != Format::Dialectic.name() {
        return Err(LeftOut::Format);
    }
    let answer = final_text(trace).filter(|answer| answer.is_by_a_model());
    let answer = answer.filter(|_| trace.status == Status::Done);
    let answer = answer.ok_or(LeftOut::NotDone)?;
    let score = auto_score(trace);
    if score["would_benefit_from_finetune"] != json!(true) {
        return Err(LeftOut::NotWorthIt);
    }
    if answer.cut {
        return Err(LeftOut::Cut);
    }
    let question = trace.plan.query.as_ref().unwrap_or(&trace.topic);
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    Ok(line(&json!({
        "messages": [
            message("system", SYSTEM),
            message("user", question),
            message("assistant", &answer.text),
        ],
        "metadata": {
            "debate": trace.id,
            "path": debate.path,
            "job": trace.job,
            "tags": trace.tags,
            "model": model(answer.model.as_deref()),
            "score": score["score"],
            "breakdown": score["breakdown"],
            "rating": rating(trace),
            "rehearsal": trace.rehearsal,
        },
    })))
}

/// What the judges' scores came to, as the debate itself counted them.
fn auto_score(trace: &Trace) -> &Value {
    let details = trace.outcome.as_ref().map(|outcome| &outcome.details);
    details
        .and_then(|details| details.get("auto_score"))
        .unwrap_or(&Value::Null)
}
