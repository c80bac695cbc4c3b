//! How the answer to a question with a known answer was graded.

use crate::question::{GivenAnswer, Posed};
use crate::trace::Trace;

/// `Answered: C) 0.05 euros, which is right by the answer key`; `None` without such a question.
pub(super) fn line(trace: &Trace) -> Option<String> {
    let posed = trace.plan.question.as_ref()?;
    let last = trace.answers.iter().rfind(|answer| answer.stage == "final");
    let said = last.and_then(|answer| Some((answer.correct, posed.said(answer.value.as_ref()?))));
    let key = format!("by the answer key it is {}", key(posed));
    Some(match said {
        Some((true, said)) => format!("Answered: {said}, which is right by the answer key"),
        Some((false, said)) => format!("Answered: {said}, which is wrong: {key}"),
        None => format!("No valid answer; {key}"),
    })
}

/// The correct answer in words.
fn key(posed: &Posed) -> String {
    let expected = &posed.question.expected;
    let choice = expected.choice.map(GivenAnswer::Choice);
    let choice = choice.map(|choice| posed.said(&choice));
    let key = choice.or_else(|| expected.value.clone());
    key.unwrap_or_default()
}
