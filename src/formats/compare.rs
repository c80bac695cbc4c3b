//! Compare: the model that writes a debate's answer writes one alone and revises it for as many tokens (row C3). Both answers
//! are put on the record, where a panel reads them blind.

pub mod settings;

use serde_json::{Value, json};

use self::settings::Compare;
use crate::call_id::{CallId, CallStage};
use crate::event::{Allotted, Budget, DEBATE, Event, EventKind, Outcome, Phase, Statement};
use crate::floor::{Demand, Floor, Halt, Result, Speech};
use crate::formats::budget_left::{budget, has_room};
use crate::formats::outcome_phrases::fact;
use crate::formats::play::Play;
use crate::id::short;
use crate::job::WRITER;
use crate::plan::Plan;
use crate::text::{self, answer_parts};
use crate::trace::Trace;

/// Where the writer's drafts stand.
const DRAFT: Phase = Phase::new("draft");
/// Where the debate's answer stands.
const ANSWER: Phase = Phase::new("answer of the debate");
/// Maximum revisions in a row that cannot be had.
const MOST_FAILED: u32 = 3;
/// Characters of the answer in the line of the outcome.
const LINE: usize = 160;

impl Play for Compare {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        floor.open("prompts/compare/system.md.j2", &Value::Null).await?;
        let allotted = floor.allotted().await?;
        let nothing = || Halt::Failed("there is no debate to compare with".to_owned());
        let mut allotted = allotted.ok_or_else(nothing)?;
        let mut answer = allotted.answer.take().ok_or_else(nothing)?;
        let (last, drafts) = self.drafts(floor, &allotted).await?;
        let text = std::mem::take(&mut answer.text);
        allotted.answer = Some(answer);
        let budget = budget(floor, allotted, drafts);
        let outcome = outcome(last.as_ref(), &budget);
        floor.emit(EventKind::Budget(budget), None, None);
        floor.present(DEBATE, ANSWER, text);
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

impl Compare {
    /// The last draft and how many there were. A revision that cannot be had is left out, and the next one tried.
    async fn drafts(&self, floor: &Floor, allotted: &Allotted) -> Result<(Option<Statement>, u32)> {
        let Some(first) = draft(floor, 1, None).await? else { return Ok((None, 0)) };
        let (mut last, mut drafts, mut failed) = (first, 1, 0);
        for number in 2..=self.max_drafts {
            if failed == MOST_FAILED || !has_room(floor, allotted, drafts) {
                break;
            }
            match draft(floor, number, Some(&last)).await? {
                Some(draft) => (last, drafts, failed) = (draft, drafts + 1, 0),
                None => failed += 1,
            }
        }
        Ok((Some(last), drafts))
    }
}

/// The next draft: the first answer, or a revision of the last one.
async fn draft(floor: &Floor, number: u32, last: Option<&Statement>) -> Result<Option<Statement>> {
    let objections = |text: &str| answer_parts::read(text).objection().into_iter().collect();
    let call = CallId::new(CallStage::Round(number), "draft", WRITER);
    let template = match last {
        None => "prompts/compare/draft.md.j2",
        Some(_) => "prompts/compare/revision.md.j2",
    };
    let context = json!({"last": last.map(|last| text::without_mark(&last.text))});
    let speech = Speech {
        // In another language, its parts have other names.
        demand: (floor.plan().is_in_english()).then(|| Demand::once(&objections)),
        // A task has the last draft, and no other is needed.
        blind: true,
        ..Speech::new(call, WRITER, DRAFT, template, context)
    };
    if last.is_none() { floor.deliver(speech).await } else { floor.speak_if_can(speech).await }
}

fn outcome(last: Option<&Statement>, budget: &Budget) -> Outcome {
    let line = last.map_or_else(|| "No answer".to_owned(), |last| line(&last.text));
    Outcome {
        line,
        decided_by: "A model alone answered the debate's query, without the debate.".to_owned(),
        final_text: last.map(|last| last.n),
        facts: facts(budget),
        ..Outcome::default()
    }
}

fn facts(budget: &Budget) -> Vec<(String, String)> {
    let spent = format!("{} (the debate: {})", budget.spent, budget.allotted.tokens);
    let debates = budget.allotted.debates.iter();
    vec![
        fact(
            "Compared with the answer of debate",
            text::separated(debates.map(|id| short(id)), ", "),
        ),
        fact("Drafts", budget.samples.to_string()),
        fact("Tokens", spent),
    ]
}

/// The answer on one line.
fn line(text: &str) -> String {
    let answer = text::if_any(answer_parts::read(text).answer());
    let answer = answer.unwrap_or_else(|| text::without_mark(text).to_owned());
    text::beginning(&text::unmarked(&answer), LINE)
}
