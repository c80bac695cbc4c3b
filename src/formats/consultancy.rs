//! Consultancy: one consultant argues for an assigned choice, unopposed, and the judges answer (row C3).

pub mod settings;

use serde_json::{Value, json};

use self::settings::{CONSULTANT, Consultancy};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, Phase, RoundNotes};
use crate::floor::{Floor, Halt, Speech};
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::trace::Trace;

impl Play for Consultancy {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        let system = "prompts/consultancy/system.md.j2";
        floor.open(system, &Value::Null).await?;
        for round in 1..=self.statements {
            floor.begin_round(round, &[CONSULTANT]);
            let call = CallId::new(CallStage::Round(round), "statement", CONSULTANT);
            let template = "prompts/consultancy/statement.md.j2";
            let context = json!({"round": round, "last": round == self.statements});
            let speech = Speech::new(call, CONSULTANT, Phase::ARGUMENT, template, context);
            floor.deliver(speech).await?;
            floor.close_round(RoundNotes {
                round,
                headline: format!("{} has argued", floor.plan().name_of(CONSULTANT)),
                ..RoundNotes::default()
            });
        }
        Ok(outcome(floor.plan()))
    }

    fn source_record(&self, plan: &Plan, _: &[Event], _: &Trace) -> Value {
        json!({"consultant": CONSULTANT, "position": position(plan), "statements": self.statements})
    }
}

fn position(plan: &Plan) -> &str {
    plan.participant(CONSULTANT)
        .map_or("", |consultant| &consultant.position)
}

fn outcome(plan: &Plan) -> Outcome {
    Outcome {
        line: format!(
            "{} argued unopposed: {}",
            plan.name_of(CONSULTANT),
            position(plan)
        ),
        decided_by: "The judges answered after hearing one side.".to_owned(),
        ..Outcome::default()
    }
}
