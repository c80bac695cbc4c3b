//! The formats: one straight-line async function each.

mod answer;
mod budget_left;
pub mod compare;
pub mod consultancy;
pub mod dialectic;
pub mod duel;
pub mod knockout;
pub mod moderated;
mod outcome_phrases;
mod own_judges;
pub mod panel_judging;
mod play;
pub mod roundtable;
pub mod vote;

use std::sync::OnceLock;

use crate::event::{Event, Outcome};
use crate::floor::{Floor, Halt, Result};
use crate::job::{self, each_control, each_format};
use crate::plan::Plan;
use crate::templates;
use crate::trace::{Trace, TraceError};

pub use self::play::{Play, Playable};

const fn playable<T: Play>() -> Playable {
    Playable::new::<T>()
}

static BUILT_IN: &[Playable] = &each_format!(playable);
static CONTROLS: &[Playable] = &each_control!(playable);
static ADDED: OnceLock<Vec<Playable>> = OnceLock::new();

/// Adds formats to the built-in ones, once, before any job is read.
pub fn add(formats: &[Playable]) {
    ADDED.get_or_init(|| formats.to_vec());
    job::add_formats(formats.iter().map(|played| played.format).collect());
    let own = formats.iter().map(|played| played.format.profile.templates);
    templates::add(own.flatten().copied().collect());
}

fn all() -> impl Iterator<Item = &'static Playable> {
    BUILT_IN.iter().chain(CONTROLS).chain(ADDED.get().into_iter().flatten())
}

/// Runs a debate to its end, or as far as it gets. If the debate itself fails, that is an end too.
pub async fn run(floor: &Floor) -> Result<()> {
    let running = all().find_map(|format| (format.run)(floor));
    match running {
        Some(running) => {
            let ended = match running.await {
                Ok(outcome) => answer::give(floor, outcome).await,
                halted => halted,
            };
            conclude(floor, ended)
        }
        None => conclude(floor, Err(Halt::Failed("nothing plays this format".to_owned()))),
    }
}

fn conclude(floor: &Floor, ended: Result<Outcome>) -> Result<()> {
    match ended {
        Ok(outcome) => floor.conclude(outcome),
        Err(Halt::Failed(cause)) => floor.fail(cause),
        Err(halt) => return Err(halt),
    }
    Ok(())
}

/// The trace of a debate's events, with the format's own record.
///
/// # Errors
/// If the events are not those of a debate that has ended.
pub fn trace(plan: &Plan, events: &[Event]) -> Result<Trace, TraceError> {
    let mut trace = Trace::fold(events)?;
    let record = all().find_map(|format| (format.record)(plan, events, &trace));
    trace.record = record.unwrap_or_default();
    Ok(trace)
}
