//! Moderated: not written yet.

use serde_json::Value;

use crate::event::{Event, Outcome};
use crate::floor::{Floor, Halt};
use crate::job::moderated::Moderated;
use crate::plan::Plan;

/// The whole debate.
pub(super) async fn run(_floor: &Floor, _settings: &Moderated) -> Result<Outcome, Halt> {
    Err(Halt::Failed("moderated is not written yet".to_owned()))
}

/// The format's own record.
pub(super) fn record(_plan: &Plan, _settings: &Moderated, _events: &[Event]) -> Value {
    Value::Null
}
