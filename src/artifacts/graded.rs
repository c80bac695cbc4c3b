//! How the answer to a question with a known answer was graded.

use crate::question::{Answered, GivenAnswer, Posed};
use crate::trace::Trace;

/// `Answered: C) 0.05 euros, which is right by the answer key`; `None` without such a question.
pub(super) fn line(trace: &Trace) -> Option<String> {
    let posed = trace.plan.question.as_ref()?;
    let last = trace.answers.iter().rfind(|answer| answer.stage == "final");
    let key = key(posed);
    Some(
        match last.and_then(|answer| Some((answer, answer.value.as_ref()?))) {
            Some((Answered { correct: true, .. }, value)) => {
                format!(
                    "Answered: {}, which is right by the answer key",
                    posed.said(value)
                )
            }
            Some((_, value)) => format!(
                "Answered: {}, which is wrong: by the answer key it is {key}",
                posed.said(value)
            ),
            None => format!("No valid answer; by the answer key it is {key}"),
        },
    )
}

/// The correct answer in words.
fn key(posed: &Posed) -> String {
    let expected = &posed.question.expected;
    let choice = expected
        .choice
        .map(|choice| posed.said(&GivenAnswer::Choice(choice)));
    choice
        .or_else(|| expected.value.clone())
        .unwrap_or_default()
}
