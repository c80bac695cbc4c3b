//! The budget of a control that is matched to debates, and its spending.

use serde_json::json;

use super::Floor;
use super::halt::{Halt, Result};
use crate::event::Allotted;
use crate::job::TokenMeasure;

/// The name of the external.
const NAME: &str = "budget";

impl Floor {
    /// The budget of a control that is matched to debates; `None` if it is not matched. It is an external, so that a resumed
    /// debate keeps the budget it began with.
    pub async fn allotted(&self) -> Result<Option<Allotted>> {
        let entry = match (self.calls.external(NAME), &self.allotted) {
            (Some(entry), _) => entry.clone(),
            (None, Some(allotted)) => self.calls.keep(NAME, json!(allotted)).await?,
            (None, None) if self.calls.is_kept() && self.is_matched() => {
                let cause = "the debates it is matched to are missing".to_owned();
                return Err(Halt::Parked(cause));
            }
            (None, None) => return Ok(None),
        };
        self.log.advance(entry.at, 0, 0);
        let allotted = serde_json::from_value(entry.value);
        let damaged = |e| Halt::Parked(format!("the budget in its journal cannot be read: {e}"));
        allotted.map(Some).map_err(damaged)
    }

    fn is_matched(&self) -> bool {
        let control = self.plan.control.as_ref();
        control.is_some_and(|control| control.arm.is_matched())
    }

    /// Tokens of the calls so far on which an answer depends.
    pub fn spent(&self, measure: TokenMeasure) -> u64 {
        self.ledger.lock().usage.for_the_answer(measure)
    }
}
