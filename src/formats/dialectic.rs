//! Dialectic: not written yet.

use serde_json::Value;

use crate::event::{Event, Outcome};
use crate::floor::{Floor, Halt};
use crate::job::dialectic::Dialectic;
use crate::plan::Plan;

/// The whole debate.
pub(super) async fn run(_floor: &Floor, _settings: &Dialectic) -> Result<Outcome, Halt> {
    Err(Halt::Failed("dialectic is not written yet".to_owned()))
}

/// The format's own record.
pub(super) fn record(_plan: &Plan, _settings: &Dialectic, _events: &[Event]) -> Value {
    Value::Null
}
