//! The limit of model time (row R7).

use super::session::Session;
use crate::event::IncidentKind;
use crate::floor::Floor;

/// Whether the model time leaves room for another call (row R7). The first time that it does not is an incident.
pub(super) fn has_time(floor: &Floor, session: &mut Session<'_>) -> bool {
    let (spent, limit) = (floor.model_ms(), session.settings.timeout_seconds);
    if spent < u64::from(limit) * 1000 {
        return true;
    }
    if !std::mem::replace(&mut session.timed_out, true) {
        let spent = spent as f64 / 1000.0;
        let message = format!(
            "the time of {limit} s is over ({spent:.1} s of model time): no further turns and stances, the chair answers with what there is"
        );
        floor.report(IncidentKind::Time, None, None, message);
    }
    false
}
