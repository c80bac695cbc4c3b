//! What a control that is matched to debates may spend, and what it has spent.

use serde_json::json;

use super::desk::Desk;
use super::halt::Halt;
use crate::event::Allotted;
use crate::job::TokenMeasure;

/// The name of the reading.
const NAME: &str = "budget";

/// What it may spend: a value from outside, so that a debate that goes on has what it began with.
pub(super) async fn allotted(desk: &Desk) -> Result<Option<Allotted>, Halt> {
    let entry = match (desk.calls.reading(NAME), &desk.allotted) {
        (Some(entry), _) => entry.clone(),
        (None, Some(allotted)) => desk.calls.keep(NAME, json!(allotted)).await?,
        (None, None) if desk.calls.is_kept() && is_matched(desk) => {
            let cause = "the debates that it is matched to are not there".to_owned();
            return Err(Halt::Parked(cause));
        }
        (None, None) => return Ok(None),
    };
    desk.log.advance(entry.at, 0);
    let allotted = serde_json::from_value(entry.value);
    let damaged = |e| Halt::Parked(format!("the budget in its journal cannot be read: {e}"));
    allotted.map(Some).map_err(damaged)
}

fn is_matched(desk: &Desk) -> bool {
    let control = desk.plan.control.as_ref();
    control.is_some_and(|control| control.arm.is_matched())
}

/// Tokens of the calls so far on which an answer depends.
pub(super) fn spent(desk: &Desk, measure: TokenMeasure) -> u64 {
    desk.ledger.lock().usage.for_the_answer(measure)
}
