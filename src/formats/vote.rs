//! Vote: independent answers to a question, as many as its debates' tokens allow, of which the most frequent counts. With one
//! voter it is self-consistency, with one sample a single answer (row C3).

pub mod settings;

use serde_json::{Value, json};

use self::settings::Vote;
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, EventKind, Outcome};
use crate::floor::{Floor, Halt, Question, Result, object};
use crate::formats::answer;
use crate::formats::budget_left::{budget, has_room};
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::question::{AnswerStage, AnswerStatus, Answered, Posed};
use crate::text::{self, room_for};
use crate::trace::Trace;

impl Play for Vote {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        floor.open("prompts/vote/system.md.j2", &Value::Null).await?;
        let plan = floor.plan();
        let posed = plan
            .posed
            .as_ref()
            .ok_or_else(|| Halt::Failed("a vote needs a question".to_owned()))?;
        let allotted = floor.allotted().await?;
        let mut samples = Vec::new();
        loop {
            samples.push(sample(floor, posed, samples.len()).await?);
            let taken = samples.len() as u32;
            let mut matched = allotted.iter();
            if taken >= self.max_samples || !matched.any(|it| has_room(floor, it, taken)) {
                break;
            }
        }
        if let Some(allotted) = allotted {
            let budget = budget(floor, allotted, samples.len() as u32);
            floor.emit(EventKind::Budget(budget), None, None);
        }
        count(floor, posed, &samples)
    }

    fn source_record(&self, _: &Plan, _: &[Event], trace: &Trace) -> Value {
        let answer = |it: &Answered| json!({"by": it.by, "sample": it.sample, "value": it.value});
        json!({"answers": trace.answers.iter().map(answer).collect::<Vec<_>>()})
    }
}

/// Asks the next voter.
async fn sample(floor: &Floor, posed: &Posed, before: usize) -> Result<Answered> {
    let voters = &floor.plan().participants;
    let by = &voters[before % voters.len()].id;
    let number = before as u32 + 1;
    let reason = json!({"type": "string", "minLength": 8, "maxLength": room_for(150)});
    let question = Question {
        call: CallId::new(CallStage::Round(number), "sample", by),
        by,
        template: "prompts/vote/sample.md.j2",
        context: json!({"letters": posed.letters(), "kind": posed.question.kind}),
        blind: true,
        // Reasons come first, in declared and in alphabetical order.
        schema: object(json!({"because": reason, "final_answer": posed.schema()})),
    };
    let reply = floor.ask(&question).await?;
    let answered = Answered {
        sample: Some(number),
        ..answer::answered(posed, by, &reply, "final_answer", AnswerStage::Sample)
    };
    floor.emit(EventKind::Answer(answered.clone()), None, None);
    Ok(answered)
}

fn count(floor: &Floor, posed: &Posed, samples: &[Answered]) -> Result<Outcome> {
    let counted = answer::counted(posed, samples, floor.plan().draw_seed());
    floor.emit(EventKind::Answer(counted.clone()), None, None);
    if counted.status == AnswerStatus::Missing {
        let calls = samples.iter().filter_map(|sample| sample.call.as_deref());
        floor.fall_short(calls, answer::NOBODY.to_owned())?;
    }
    Ok(Outcome {
        line: answer::line(posed, samples, &counted),
        decided_by: decided_by(floor.plan(), samples.len()),
        ..Outcome::default()
    })
}

/// Who answered, how often, and which answer counts.
fn decided_by(plan: &Plan, samples: usize) -> String {
    let voters: Vec<&str> =
        plan.participants.iter().take(samples).map(|voter| voter.name.as_str()).collect();
    let who = text::joined(&voters, "and");
    let often = match (samples, voters.len()) {
        (1, _) => return format!("{who} answered once, without a debate."),
        (n, 1) => format!("{n} times"),
        (n, _) => format!("{n} times in turn"),
    };
    format!("{who} answered {often}, without a debate; the most frequent answer counts.")
}
