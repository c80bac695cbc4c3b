//! Consultancy: one consultant argues for an assigned choice, unopposed, and the judges answer (row C3).

pub mod settings;

use serde_json::{Value, json};

use self::settings::{CONSULTANT, Consultancy};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, Phase, RoundNotes};
use crate::floor::{Floor, Result, Speech};
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::text;
use crate::trace::Trace;

impl Play for Consultancy {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        floor.open("prompts/consultancy/system.md.j2", &Value::Null).await?;
        for round in 1..=self.statements {
            floor.begin_round(round, &[CONSULTANT]);
            let call = CallId::new(CallStage::Round(round), "statement", CONSULTANT);
            let template = "prompts/consultancy/statement.md.j2";
            let context = json!({"round": round, "last": round == self.statements});
            let speech = Speech::new(call, CONSULTANT, Phase::ARGUMENT, template, context);
            let said = floor.deliver(speech).await?;
            let headline = said.map(|statement| statement.gist).unwrap_or_default();
            floor.close_round(RoundNotes::new(round, String::new(), headline));
        }
        Ok(outcome(floor.plan()))
    }

    fn source_record(&self, plan: &Plan, _: &[Event], _: &Trace) -> Value {
        json!({"consultant": CONSULTANT, "position": position(plan), "statements": self.statements})
    }
}

fn position(plan: &Plan) -> &str {
    plan.participant(CONSULTANT).map_or("", |consultant| &consultant.position)
}

/// The outcome but for its line, which is the judges' answer.
fn outcome(plan: &Plan) -> Outcome {
    let consultant = plan.name_of(CONSULTANT);
    let judges: Vec<&str> = plan.judges().iter().map(|judge| judge.name.as_str()).collect();
    let who = text::joined(&judges, "and");
    let which = if judges.len() == 1 { "" } else { "; the most frequent answer counts" };
    Outcome {
        decided_by: format!("{consultant} argued unopposed, and then {who} answered{which}."),
        ..Outcome::default()
    }
}
