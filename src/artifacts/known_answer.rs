//! What became of a question with a known answer: which answer counts, how many gave it, whether it is right, and what a control
//! spent on it.

use serde_json::{Value, json};

use crate::event::{Budget, DEBATE};
use crate::job::TokenMeasure;
use crate::question::{AnswerStatus, Answered, GivenAnswer, Posed, tally};
use crate::text;
use crate::trace::{DEBATE_ARM, Trace};

/// What stands behind the answer; nothing without such a question.
pub(super) fn sentences(trace: &Trace) -> Vec<String> {
    let Some(posed) = trace.plan.question.as_ref() else {
        return Vec::new();
    };
    let is_control = trace.plan.arm != DEBATE_ARM;
    let all = [
        doubtful(trace),
        Some(if is_control { graded(trace, posed) } else { answered(trace, posed) }),
        is_control.then(|| spent(trace)),
    ]
    .into_iter()
    .flatten();
    all.map(|sentence| text::one_line(&sentence)).collect()
}

/// The answers that were given, where there are several: each with who or how many gave it.
pub(super) fn given(trace: &Trace) -> Option<Value> {
    let posed = trace.plan.question.as_ref()?;
    let all: Vec<&Answered> = each(trace).collect();
    let counted = trace.final_answer().and_then(|answer| answer.value.as_ref());
    let row = |(value, _): (&GivenAnswer, usize)| {
        let is_same = |own: &GivenAnswer| tally([own, value]).len() == 1;
        let same = all.iter().filter(|a| a.value.as_ref().is_some_and(is_same));
        json!({
            "said": text::one_line(&posed.said(value)),
            "by": named(trace, &same.copied().collect::<Vec<_>>()),
            "counts": Some(value) == counted,
        })
    };
    let values = all.iter().filter_map(|answer| answer.value.as_ref());
    let rows = tally(values).into_iter().map(row);
    let useless: Vec<&Answered> = all.iter().filter(|a| !is_valid(a)).copied().collect();
    let useless = (!useless.is_empty())
        .then(|| json!({"said": "no valid answer", "by": named(trace, &useless), "counts": false}));
    let rows: Vec<Value> = rows.chain(useless).collect();
    (all.len() > 1).then(|| json!(rows))
}

/// Who gave them.
pub(super) fn by(trace: &Trace) -> Vec<&str> {
    text::distinct(each(trace).map(|answer| answer.by.as_str()))
}

/// The answers of participants, without the one that they amount to.
fn each(trace: &Trace) -> impl Iterator<Item = &Answered> {
    trace.answers.iter().filter(|answer| answer.by != DEBATE)
}

fn is_valid(answer: &Answered) -> bool {
    answer.status == AnswerStatus::Valid
}

/// Who gave these answers; of samples, how many they are.
fn named(trace: &Trace, answers: &[&Answered]) -> String {
    if answers.iter().any(|answer| answer.sample.is_some()) {
        text::count(answers.len() as u64, "answer")
    } else {
        text::joined(answers.iter().map(|answer| trace.name_of(&answer.by)), "and")
    }
}

/// Why the answer that counts says less than it seems to: others were no answers, or as frequent.
fn doubtful(trace: &Trace) -> Option<String> {
    let counted = trace.final_answer()?;
    let useless = each(trace).filter(|answer| !is_valid(answer)).count();
    let useless = (useless > 0 && is_valid(counted)).then(|| {
        let are = if useless == 1 { "is" } else { "are" };
        format!("{} {are} not valid.", text::count(useless as u64, "answer"))
    });
    let tied = counted.tied.then(|| "Another answer was as frequent; a draw decided.".to_owned());
    text::if_any(text::separated(useless.into_iter().chain(tied), " "))
}

/// Whether a control's answer is right, which stands before this.
fn graded(trace: &Trace, posed: &Posed) -> String {
    let key = key(posed);
    match trace.final_answer().filter(|answer| is_valid(answer)) {
        Some(answer) if answer.correct => "By the answer key, that is right.".to_owned(),
        Some(_) => format!("By the answer key, that is wrong: it is {key}."),
        None => format!("By the answer key, it is {key}."),
    }
}

/// A debate's answer, and whether it is right.
fn answered(trace: &Trace, posed: &Posed) -> String {
    let key = format!("by the answer key, it is {}", key(posed));
    let counted = trace.final_answer();
    let value = counted.and_then(|answer| Some((answer.correct, answer.value.as_ref()?)));
    let Some((is_right, value)) = value else {
        return format!("The question got no valid answer; {key}.");
    };
    let (who, said) = (who_gave(trace, value), posed.said(value));
    let said = format!("Asked for an answer after the debate, {who} gave {said}");
    if is_right {
        format!("{said}, which is right by the answer key.")
    } else {
        format!("{said}, which is wrong: {key}.")
    }
}

/// The name of who gave an answer; of several who were asked, `2 of 3`.
fn who_gave(trace: &Trace, value: &GivenAnswer) -> String {
    let all: Vec<&Answered> = each(trace).collect();
    let mut tally = tally(all.iter().filter_map(|answer| answer.value.as_ref())).into_iter();
    match all.as_slice() {
        [only] => trace.name_of(&only.by).to_owned(),
        _ => {
            let same = tally.find(|(answer, _)| *answer == value).map_or(0, |(_, same)| same);
            format!("{same} of {}", all.len())
        }
    }
}

/// The tokens of a control against those of its debates.
fn spent(trace: &Trace) -> String {
    match &trace.plan.budget {
        Some(budget) => matched(budget),
        None => {
            let spent = trace.usage.for_the_answer(TokenMeasure::Generated);
            format!(
                "It took {} tokens of replies; this kind of control is not matched to its debates.",
                text::grouped(spent)
            )
        }
    }
}

fn matched(budget: &Budget) -> String {
    let allotted = &budget.allotted;
    let [spent, tokens] = [budget.spent, allotted.tokens].map(text::grouped);
    let of = match allotted.measure {
        TokenMeasure::Generated => "replies",
        TokenMeasure::Total => "prompts and replies",
    };
    let debates = match allotted.debates.len() {
        1 => format!("the debate on this question took {tokens}"),
        n => format!("the {n} debates on this question took {tokens} on average"),
    };
    let is_off = (budget.ratio - 1.0).abs() > budget.within;
    let off = if is_off { ", which is no match" } else { "" };
    format!("It took {spent} tokens of {of}; {debates}{off}.")
}

/// The correct answer in words.
fn key(posed: &Posed) -> String {
    let expected = &posed.question.expected;
    let choice = expected.choice.map(GivenAnswer::Choice);
    let choice = choice.map(|choice| posed.said(&choice));
    choice.or_else(|| expected.value.clone()).unwrap_or_default()
}
