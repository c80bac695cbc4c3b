//! What every format can do: run a debate and write its source record.

use std::pin::Pin;

use serde_json::Value;

use crate::event::{Event, Outcome};
use crate::floor::{Floor, Result};
use crate::job::{AnyFormat, Format};
use crate::plan::Plan;
use crate::trace::Trace;

/// The debate of a format.
pub trait Play: Format {
    /// Runs the whole debate.
    fn run(&self, floor: &Floor) -> impl Future<Output = Result<Outcome>> + Send;

    /// The format's own record: from the debate's trace, and from its events if the trace is not enough.
    fn source_record(&self, plan: &Plan, events: &[Event], trace: &Trace) -> Value;
}

type Running<'f> = Pin<Box<dyn Future<Output = Result<Outcome>> + Send + 'f>>;

/// A format as this program runs it.
#[derive(Debug, Clone, Copy)]
pub struct Playable {
    pub(super) format: AnyFormat,
    pub(super) run: fn(&Floor) -> Option<Running<'_>>,
    pub(super) record: fn(&Plan, &[Event], &Trace) -> Option<Value>,
}

impl Playable {
    /// The format with these settings.
    pub const fn new<T: Play>() -> Self {
        Self {
            format: AnyFormat::new::<T>(),
            run: |floor| {
                let settings: &T = floor.plan().format.get()?;
                Some(Box::pin(settings.run(floor)))
            },
            record: |plan, events, trace| {
                let settings: &T = plan.format.get()?;
                Some(settings.source_record(plan, events, trace))
            },
        }
    }
}
