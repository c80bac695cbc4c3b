//! What goes otherwise than asked, what a debate falls short of, and how it ends.

use super::call::{Called, End};
use super::{Floor, Halt};
use crate::event::{self, Complete, EventKind, Incident, Outcome, Status};
use crate::job::OnFailure;
use crate::text;

impl Floor {
    /// Something that matters is missing, for want of these calls' replies: the debate is degraded, or fails where the
    /// job says `on_failure: abort`.
    pub fn fall_short(&self, calls: &[&str], reason: String) -> Result<(), Halt> {
        self.short(event::MISSING, calls, reason)
    }

    pub(super) fn short(&self, kind: &str, calls: &[&str], reason: String) -> Result<(), Halt> {
        for call in calls {
            self.report(kind, Some(call), None, reason.clone());
        }
        match self.plan.on_failure {
            OnFailure::Abort => Err(Halt::Failed(reason)),
            OnFailure::Emergency => {
                self.state().shortfalls.push(reason);
                Ok(())
            }
        }
    }

    /// A judgment or a final text that rests on less than each side's newest statement and points is not what the debate
    /// was held for (row M3c).
    pub(super) fn check_floor<T>(&self, called: &Called<T>) -> Result<(), Halt> {
        if !called.below_floor || matches!(called.end, End::Exhausted(_)) {
            return Ok(());
        }
        let by = self.participant(&called.by)?;
        let reason = format!(
            "{} could not be shown each side's newest statement and main points: a context_window of {} is too small for this debate",
            by.name, by.context_window
        );
        self.short(event::CONTEXT, &[&called.call], reason)
    }

    /// Puts something that did not go as asked into the trace.
    pub fn report(&self, kind: &str, call: Option<&str>, attempt: Option<u32>, message: String) {
        let at = self.state().now;
        let incident = Incident {
            kind: kind.to_owned(),
            call: call.map(str::to_owned),
            attempt,
            message,
            at,
        };
        self.emit(EventKind::Incident(incident), None, None);
    }

    /// Ends the debate with what it came to.
    pub fn conclude(&self, outcome: Outcome) {
        let cause = causes(&self.state().shortfalls);
        let status = if cause.is_some() {
            Status::Degraded
        } else {
            Status::Done
        };
        self.complete(status, cause, Some(outcome));
    }

    /// Ends the debate as failed.
    pub fn fail(&self, cause: String) {
        self.complete(Status::Failed, Some(cause), None);
    }

    fn complete(&self, status: Status, cause: Option<String>, outcome: Option<Outcome>) {
        let (usage, calls) = {
            let mut state = self.state();
            state.round = None;
            (state.usage.clone(), state.calls.clone())
        };
        self.emit(
            EventKind::Complete(Complete {
                status,
                cause,
                outcome,
                usage,
                calls,
            }),
            None,
            None,
        );
    }
}

/// Causes that are spelt out; the others are counted.
const CAUSES: usize = 3;

fn causes(all: &[String]) -> Option<String> {
    let shown = all
        .iter()
        .take(CAUSES)
        .map(|cause| text::shorten(cause, 200))
        .collect::<Vec<_>>()
        .join("; ");
    let more = all.len().saturating_sub(CAUSES);
    let rest = if more > 0 {
        format!("; and {more} more, see the incidents in metadata.md")
    } else {
        String::new()
    };
    (!all.is_empty()).then(|| shown + &rest)
}
