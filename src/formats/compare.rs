//! Compare: the model that writes a debate's answer writes one alone and revises it for as many tokens (row C3). Both answers
//! are put on the record, where a panel reads them blind.

pub mod settings;

use serde_json::{Value, json};

use self::settings::{Compare, WRITER};
use crate::call_id::{CallId, CallStage};
use crate::event::{DEBATE, Event, EventKind, Outcome, Phase, Statement};
use crate::floor::{Demand, Floor, Halt, Speech};
use crate::formats::matched::{budget, has_room};
use crate::formats::play::Play;
use crate::formats::words::fact;
use crate::plan::Plan;
use crate::text::{self, answer_parts};
use crate::trace::Trace;

/// Where the writer's drafts stand.
const DRAFT: Phase = Phase::new("draft");
/// Where the debate's answer stands.
const ANSWER: Phase = Phase::new("answer of the debate");
/// Characters of the answer in the line of the outcome.
const LINE: usize = 160;

impl Play for Compare {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        let system = "prompts/compare/system.md.j2";
        floor.open(system, &Value::Null).await?;
        let allotted = floor.allotted().await?;
        let nothing = || Halt::Failed("there is no debate to compare with".to_owned());
        let mut allotted = allotted.ok_or_else(nothing)?;
        let mut answer = allotted.answer.take().ok_or_else(nothing)?;
        let (mut last, mut drafts): (Option<Statement>, u32) = (None, 0);
        while let Some(draft) = draft(floor, drafts + 1, last.as_ref()).await? {
            (last, drafts) = (Some(draft), drafts + 1);
            if drafts >= self.max_drafts || !has_room(floor, &allotted, drafts) {
                break;
            }
        }
        let text = std::mem::take(&mut answer.text);
        allotted.answer = Some(answer);
        let budget = budget(floor, allotted, drafts);
        let spent = format!("{} of {}", budget.spent, budget.allotted.tokens);
        let debate = budget.allotted.debates.first().cloned();
        floor.emit(EventKind::Budget(budget), None, None);
        floor.present(DEBATE, ANSWER, text);
        let mut outcome = outcome(last.as_ref(), drafts, spent);
        let debate = debate.map(|id| fact("Compared with the answer of debate", id));
        outcome.facts.extend(debate);
        Ok(outcome)
    }

    fn source_record(&self, _: &Plan, _: &[Event], trace: &Trace) -> Value {
        let budget = trace.plan.budget.as_ref();
        let drafts = trace.statements.iter().filter(|s| s.by == WRITER);
        json!({
            "compared_with": budget.map(|budget| &budget.allotted.debates),
            "drafts": drafts.map(|s| &s.text).collect::<Vec<_>>(),
        })
    }
}

/// The next draft: the first answer, or a revision of the last one. Without a revision, that one stands.
async fn draft(
    floor: &Floor,
    number: u32,
    last: Option<&Statement>,
) -> Result<Option<Statement>, Halt> {
    let objections = |text: &str| answer_parts::read(text).objection().into_iter().collect();
    let call = CallId::new(CallStage::Round(number), "draft", WRITER);
    let template = match last {
        None => "prompts/compare/draft.md.j2",
        Some(_) => "prompts/compare/revision.md.j2",
    };
    let context = json!({"last": last.map(|last| text::without_mark(&last.text))});
    let speech = Speech {
        // In another language, its parts have other names.
        demand: floor.plan().is_in_english().then_some(Demand {
            again: 1,
            objections: &objections,
            doubt: None,
        }),
        // A task has the last draft, and no other is needed.
        blind: true,
        ..Speech::new(call, WRITER, DRAFT, template, context)
    };
    match last {
        None => floor.deliver(speech).await,
        Some(_) => floor.speak_if_can(speech).await,
    }
}

fn outcome(last: Option<&Statement>, drafts: u32, spent: String) -> Outcome {
    let line = last.map_or_else(|| "No answer".to_owned(), |last| line(&last.text));
    Outcome {
        line,
        decided_by: "A model alone answered the debate's query, without the debate. Which answer is better is for a panel to say.".to_owned(),
        final_text: last.map(|last| last.n),
        facts: vec![
            fact("Drafts", drafts.to_string()),
            fact("Tokens, of those that the debate took", spent),
        ],
        ..Outcome::default()
    }
}

/// The answer on one line.
fn line(text: &str) -> String {
    let parts = answer_parts::read(text);
    let answer = match parts.answer() {
        "" => text::without_mark(text),
        answer => answer,
    };
    text::beginning(&text::unmarked(answer), LINE)
}
