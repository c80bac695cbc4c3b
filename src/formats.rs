//! The formats: one straight-line async function each.

pub mod dialectic;
pub mod duel;
pub mod knockout;
pub mod moderated;
mod panel;
pub mod roundtable;
mod words;

use serde_json::Value;

use crate::event::{Event, Outcome};
use crate::floor::{Floor, Halt};
use crate::job::FormatSettings;
use crate::plan::Plan;

/// Runs a debate to its end, or as far as it goes. A failure of the debate itself is one of its ends.
pub async fn run(floor: &Floor) -> Result<(), Halt> {
    let ended = match &floor.plan().format {
        FormatSettings::Knockout(settings) => knockout::run(floor, settings).await,
        FormatSettings::Moderated(settings) => moderated::run(floor, settings).await,
        FormatSettings::Duel(settings) => duel::run(floor, settings).await,
        FormatSettings::Roundtable(settings) => roundtable::run(floor, settings).await,
        FormatSettings::Dialectic(settings) => dialectic::run(floor, settings).await,
    };
    conclude(floor, ended)
}

fn conclude(floor: &Floor, ended: Result<Outcome, Halt>) -> Result<(), Halt> {
    match ended {
        Ok(outcome) => floor.conclude(outcome),
        Err(Halt::Failed(cause)) => floor.fail(cause),
        Err(halt) => return Err(halt),
    }
    Ok(())
}

/// The format's own record, from the debate's events.
pub fn record(plan: &Plan, events: &[Event]) -> Value {
    match &plan.format {
        FormatSettings::Knockout(settings) => knockout::record(plan, settings, events),
        FormatSettings::Moderated(settings) => moderated::record(plan, settings, events),
        FormatSettings::Duel(settings) => duel::record(plan, settings, events),
        FormatSettings::Roundtable(settings) => roundtable::record(plan, settings, events),
        FormatSettings::Dialectic(settings) => dialectic::record(plan, settings, events),
    }
}
