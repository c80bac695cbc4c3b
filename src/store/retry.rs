//! Going back in a finished debate (row J10b): its journal is cut at the first call that was missing from it, and the
//! debate goes on from there.

use std::collections::BTreeSet;

use super::error::StoreError;
use super::finished::Found;
use super::layout::Output;
use super::publish::{self, Standing};
use super::rate;
use crate::clock::Clock;
use crate::files;
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::trace::Trace;

/// Makes a finished debate one that has begun: the journal that was kept of it is copied up to its first bad entry.
pub fn reopen(
    output: &Output,
    id: &DebateId,
    found: &Found,
    clock: &Clock,
) -> Result<(), StoreError> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    if publish::settle(output, id, clock)? == Standing::Reopened {
        // An earlier retry was cut off: it goes on.
        return Ok(());
    }
    let entries = journal::load(&kept, id)?.entries;
    if entries.is_empty() {
        return Err(StoreError::NoJournal(kept));
    }
    let trace = Trace::read(&found.path.join("trace.json"))?;
    let missing = missing_calls(&trace);
    let good = entries
        .iter()
        .take_while(|entry| !call_of(entry).is_some_and(|call| missing.contains(call)))
        // What people said of the debate as it was says nothing of what becomes of it.
        .filter(|entry| !rate::is_rating(entry));
    let mut lines = String::new();
    for entry in good {
        lines.push_str(&journal::line(entry));
        lines.push('\n');
    }
    Ok(files::replace(&running, lines.as_bytes())?)
}

/// Forgets a retry that cannot begin, so that the debate is as finished as it was: its journal says nothing that the
/// kept one does not say. A debate that was never finished is left as it is.
pub fn give_back(output: &Output, id: &DebateId) -> Result<(), StoreError> {
    let running = output.running_journal(id);
    let begun = journal::load(&running, id)?.entries;
    let kept = journal::load(&output.finished_journal(id), id)?.entries;
    if kept.starts_with(&begun) {
        files::remove_file(&running)?;
    }
    Ok(())
}

/// The calls whose replies were missing, so that the debate fell short.
fn missing_calls(trace: &Trace) -> BTreeSet<&str> {
    trace
        .incidents
        .iter()
        .filter(|incident| incident.is_shortfall())
        .filter_map(|incident| incident.call.as_deref())
        .collect()
}

fn call_of(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::Reply(reply) => Some(&reply.call),
        Entry::Failure(failure) => Some(&failure.call),
        Entry::Debate(_) | Entry::Reading(_) => None,
    }
}
