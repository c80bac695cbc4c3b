//! Training examples: the final answers of dialectic debates that judges consider good examples and that received
//! a good score.

use serde_json::{Value, json};

use super::table::{Debate, line, model};
use crate::artifacts::statement_place::final_text;
use crate::event::{Results, Status};
use crate::job::profile_of;

/// What a model is told before the question: the form that final answers have.
const SYSTEM: &str = "Answer the question carefully. Write four parts, each on a new line behind its name and a colon: \
Answer, Reasoning, Confidence, Open points. Claim nothing that you cannot give reasons for.";

/// Minimum score or rating of an example, of 10.
const GOOD: f64 = 7.0;

/// Why a debate is not an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// It is of another format.
    Format,
    /// It is degraded or failed.
    NotDone,
    /// at most half of its valid judges hold it to be a good example.
    NotWorthIt,
    /// Neither its score nor a user's rating is good enough.
    LowScore,
    /// Its final answer was cut at its allowance or breaks off.
    Cut,
}

impl LeftOut {
    /// The reason in words, behind a number of debates.
    pub fn words(self) -> &'static str {
        match self {
            Self::Format => "not dialectic",
            Self::NotDone => "degraded or failed",
            Self::NotWorthIt => "not judged worth it",
            Self::LowScore => "with a score and rating below 7",
            Self::Cut => "with an unfinished final answer",
        }
    }
}

/// A debate as a chat of question and final answer, or why it is none.
pub(super) fn example(debate: &Debate<'_>) -> Result<Vec<u8>, LeftOut> {
    let trace = debate.trace;
    if profile_of(&trace.format).answering.is_none() {
        return Err(LeftOut::Format);
    }
    let answer = final_text(trace)
        .filter(|answer| answer.is_by_a_model())
        .filter(|_| trace.status == Status::Done)
        .ok_or(LeftOut::NotDone)?;
    let score = Results::of(trace.outcome.as_ref()).auto_score;
    let score =
        score.filter(|score| score.would_benefit_from_finetune).ok_or(LeftOut::NotWorthIt)?;
    let rating = trace.rating();
    if score.score < GOOD && rating.and_then(Value::as_f64).is_none_or(|it| it < GOOD) {
        return Err(LeftOut::LowScore);
    }
    if answer.cut || answer.breaks_off {
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
            "score": score.score,
            "breakdown": score.breakdown,
            "rating": rating,
            "rehearsal": trace.rehearsal,
        },
    })))
}
