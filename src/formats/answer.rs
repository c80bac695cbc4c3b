//! The answer that ends a debate about a question with a known answer (row C4). It is graded without a model.

use serde_json::json;

use crate::call_id::{CallId, CallStage};
use crate::event::{DEBATE, EventKind, Outcome, ReadingStatus};
use crate::floor::{Answer, Floor, Question, Result, object};
use crate::formats::outcome_phrases::fact;
use crate::formats::vote::settings::Vote;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::question::{
    AnswerStage, AnswerStatus, Answered, GivenAnswer, Method, Posed, extract, grade, lettered,
    plurality, tally,
};

/// The shortfall of a debate without any answer.
pub(super) const NOBODY: &str = "nobody answered the question";

/// Has the debate's question answered, if it has one: by its judges, or else by the writer of its answer, or else by all who
/// argue. Of several answers, the most frequent one counts. It goes into the outcome, and is its line where the format has no
/// other; whether it is correct does not, since the key may be corrected later.
pub(super) async fn give(floor: &Floor, mut outcome: Outcome) -> Result<Outcome> {
    let plan = floor.plan();
    // A vote is its own answer.
    let is_vote = plan.format.get::<Vote>().is_some();
    let Some(posed) = plan.posed.as_ref().filter(|_| !is_vote) else { return Ok(outcome) };
    let by = answering(plan);
    let questions: Vec<Question<'_>> = by.iter().map(|p| question(posed, p)).collect();
    let answers = floor.poll_finally(&questions).await?;
    let stage = if by.len() < 2 { AnswerStage::Final } else { AnswerStage::Sample };
    let answers: Vec<Answered> = by
        .iter()
        .zip(&answers)
        .map(|(by, it)| answered(posed, &by.id, it, "answer", stage.clone()))
        .collect();
    let counted = (by.len() > 1).then(|| counted(posed, &answers, plan.draw_seed()));
    let all = || answers.iter().chain(&counted);
    all().for_each(|answer| floor.emit(EventKind::Answer(answer.clone()), None, None));
    if all().all(|answer| answer.status == AnswerStatus::Missing) {
        let calls = answers.iter().filter_map(|answer| answer.call.as_deref());
        floor.fall_short(calls, NOBODY.to_owned())?;
    }
    let line = all().next_back().map(|last| line(posed, &answers, last)).unwrap_or_default();
    if outcome.line.is_empty() {
        outcome.line.clone_from(&line);
    }
    outcome.facts.push(fact("Answer", line));
    Ok(outcome)
}

/// The answer that counts and, of several, how many gave it: `C) 0.05 euros: 5 of 7 answers`.
pub(super) fn line(posed: &Posed, given: &[Answered], counted: &Answered) -> String {
    let Some(value) = &counted.value else { return "No valid answer".to_owned() };
    let said = posed.said(value);
    match given.len() {
        1 => said,
        all => format!("{said}: {} of {all} answers", agreeing(given, value)),
    }
}

/// How many of some answers are this one.
fn agreeing(given: &[Answered], value: &GivenAnswer) -> usize {
    let values = given.iter().filter_map(|answer| answer.value.as_ref());
    let mut tally = tally(values).into_iter();
    tally.find(|(answer, _)| *answer == value).map_or(0, |(_, count)| count)
}

fn answering(plan: &Plan) -> Vec<&Participant> {
    let profile = plan.format.profile;
    let all = || plan.participants.iter();
    let writers = all().filter(|p| profile.answers(p)).collect();
    let arguing = all().filter(|p| profile.argues(p)).collect();
    let mut ranks = [plan.judges(), writers, arguing].into_iter();
    ranks.find(|rank| !rank.is_empty()).unwrap_or_default()
}

fn question<'q>(posed: &Posed, by: &'q Participant) -> Question<'q> {
    Question {
        call: CallId::new(CallStage::End, "final-answer", &by.id),
        by: &by.id,
        template: "prompts/answer/final.md.j2",
        context: json!({"letters": posed.letters(), "kind": posed.question.kind}),
        blind: false,
        schema: object(json!({"answer": posed.schema()})),
    }
}

/// The answer in a reply: from the requested form, or else from its words.
pub(super) fn answered(
    posed: &Posed,
    by: &str,
    answer: &Answer,
    key: &str,
    stage: AnswerStage,
) -> Answered {
    let shaped = answer.value[key].as_str();
    let (raw, method) = match shaped {
        Some(text) => (Some(text.to_owned()), Method::Schema),
        None => (answer.raw.clone(), Method::Pattern),
    };
    let read = |raw: &str| {
        let chosen = shaped.and_then(|letter| lettered(posed, letter));
        chosen.or_else(|| extract(posed, raw))
    };
    let value = raw.as_deref().and_then(read);
    let status = match (&value, answer.reading.status) {
        (Some(_), _) => AnswerStatus::Valid,
        (None, ReadingStatus::Abstained) => AnswerStatus::Missing,
        (None, _) => AnswerStatus::Invalid,
    };
    Answered {
        by: by.to_owned(),
        call: Some(answer.reading.call.clone()),
        stage,
        correct: value.as_ref().is_some_and(|value| grade(posed, value)),
        method: value.as_ref().map(|_| method),
        raw,
        value,
        status,
        ..Answered::default()
    }
}

/// The answer that several answers amount to.
pub(super) fn counted(posed: &Posed, answers: &[Answered], seed: u64) -> Answered {
    let given = answers.iter().filter_map(|answer| answer.value.clone());
    let most = plurality(posed, &given.collect::<Vec<_>>(), seed);
    let mut statuses = answers.iter().map(|answer| answer.status);
    let status = match &most {
        Some(_) => AnswerStatus::Valid,
        None if statuses.all(|it| it == AnswerStatus::Missing) => AnswerStatus::Missing,
        None => AnswerStatus::Invalid,
    };
    let (value, tied) = most.map_or((None, false), |(value, tied)| (Some(value), tied));
    Answered {
        by: DEBATE.to_owned(),
        stage: AnswerStage::Final,
        correct: value.as_ref().is_some_and(|value| grade(posed, value)),
        value,
        status,
        tied,
        ..Answered::default()
    }
}
