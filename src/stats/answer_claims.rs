//! What may be said of answers to known questions, and what to distrust in it.

use super::findings::{Answers, ArmAccuracy, ArmDifference, Unit};
use super::number::{Rounding, number, shown};
use crate::text::count;

/// The level of a claim, after Holm's correction.
const LEVEL: f64 = 0.05;

/// Sentences on accuracy: of the debates, then against each control.
pub(super) fn headlines(answers: &Answers) -> Vec<String> {
    let own = answers
        .arms
        .iter()
        .filter(|arm| arm.arm == super::answers::DEBATE);
    let accuracy = own.filter_map(accurate);
    accuracy
        .chain(answers.compared.iter().filter_map(against))
        .collect()
}

fn accurate(arm: &ArmAccuracy) -> Option<String> {
    let strict = &arm.strict;
    let share = shown(Unit::Share, strict.value?, strict.low, strict.high);
    let invalid = number(Unit::Share, arm.invalid.value.unwrap_or_default());
    let questions = count(arm.questions as u64, "question");
    Some(format!(
        "{} debates answer {share} of {questions} correctly; {invalid} of the answers are invalid.",
        capital(&arm.format)
    ))
}

fn capital(name: &str) -> String {
    crate::text::capitalised(name)
}

/// What is known of the difference to a control. Without a match there is no claim.
fn against(one: &ArmDifference) -> Option<String> {
    let found = &one.found;
    let estimate = &found.estimate;
    let points = |value: f64| number(Rounding::Decimals(1), value * 100.0);
    let value = estimate.value?;
    let ends = estimate.low.zip(estimate.high);
    let interval = ends.map_or(String::new(), |(low, high)| {
        format!(" [{}, {}]", points(low), points(high))
    });
    let difference = format!("{} points{interval}", points(value));
    let detectable = found
        .detectable
        .map(|least| format!("; {} points would be detected", points(least)));
    let detectable = detectable.unwrap_or_default();
    let arm = one.arm.replace('_', "-");
    let is_clear = found.p_adjusted.is_some_and(|p| p < LEVEL) && one.matched != Some(false);
    let verdict = match (is_clear, value > 0.0) {
        (true, true) => format!("Debates beat {arm}"),
        (true, false) => format!("{} beats debates", capital(&arm)),
        (false, _) => format!("Debates are not shown to differ from {arm}"),
    };
    let questions = count(estimate.n as u64, "question");
    Some(format!(
        "{verdict}: {difference} on {questions}{detectable}."
    ))
}

/// What stands in the way of believing a comparison.
pub(super) fn cautions(answers: &Answers) -> Vec<String> {
    let arms = answers.arms.iter().filter_map(|arm| {
        let ratio = arm.ratio.filter(|_| arm.matched == Some(false))?;
        let times = number(Rounding::Decimals(2), ratio);
        Some(format!("Not matched: {} spent {times} times the tokens of its debates, so that its accuracy is no comparison at equal cost.", arm.arm))
    });
    let unmatched = answers.compared.iter().filter(|it| it.unmatched > 0).map(|it| {
        let questions = count(it.unmatched as u64, "question");
        format!("Unmatched: {questions} that debates answered have no answer of {}; they are counted, not compared.", it.arm)
    });
    let single = answers.compared.iter().any(|it| it.matched.is_none());
    let single = single.then(|| "Controls without a budget (single answers, consultancies) took other amounts of tokens than debates.".to_owned());
    arms.chain(unmatched).chain(single).collect()
}
