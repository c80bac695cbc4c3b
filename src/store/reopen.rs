//! Reopening a finished debate, mostly for `--retry` (row J10b): its journal is cut before the first missing call, and the
//! debate resumes there.

use std::collections::BTreeSet;

use super::amend::is;
use super::commit::{self, Standing};
use super::error::{Result, StoreError};
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::rate::Rating;
use super::regrade::AnswerKey;
use crate::clock::Clock;
use crate::files;
use crate::floor::opening_of;
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::trace::Trace;

/// Reopens a finished debate before the first call whose reply is missing: its kept journal is copied up to that point.
pub fn before_first_gap(output: &OutputDir, debate: &FinishedDebate, clock: &Clock) -> Result<()> {
    let trace = Trace::in_dir(&debate.path)?;
    let missing = missing_calls(&trace);
    let is_good = |entry: &Entry| !entry.call().is_some_and(|call| missing.contains(call));
    reopen_while(output, &debate.id, clock, is_good)
}

/// Reopens a finished debate without its answers: it asks for everything again, and keeps its inputs and its key.
pub fn anew(output: &OutputDir, id: &DebateId, clock: &Clock) -> Result<()> {
    reopen_while(output, id, clock, |entry| matches!(entry, Entry::Debate(_)))
}

fn reopen_while(
    output: &OutputDir,
    id: &DebateId,
    clock: &Clock,
    is_good: impl Fn(&Entry) -> bool,
) -> Result<()> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    if commit::settle(output, id, clock)? == Standing::Reopened {
        // An earlier retry was interrupted, and this continues it.
        return Ok(());
    }
    let entries = journal::load(&kept, id)?.entries;
    if entries.is_empty() {
        return Err(StoreError::NoJournal(kept));
    }
    let end = entries.iter().position(|entry| !is_good(entry));
    let (good, rest) = entries.split_at(end.unwrap_or(entries.len()));
    // People voted on statements made before the first bad entry, so their votes still count.
    let begun: Vec<&str> = good.iter().filter_map(Entry::external).map(|it| &*it.name).collect();
    let votes =
        rest.iter().filter(|it| window_of(it).is_some_and(|window| begun.contains(&&*window)));
    // Ratings were about the earlier outcome.
    let good = good.iter().filter(|entry| !is::<Rating>(entry) && !is::<AnswerKey>(entry));
    // The key is still right, whatever is answered now.
    let keys = entries.iter().filter(|entry| is::<AnswerKey>(entry));
    let lines: String =
        good.chain(votes).chain(keys).map(|entry| journal::line(entry) + "\n").collect();
    Ok(files::replace(&running, lines.as_bytes())?)
}

/// Cancels a retry that cannot start: if its journal only repeats the kept one, the debate is as finished as before. A debate
/// that was never finished is left alone.
pub fn cancel(output: &OutputDir, id: &DebateId) -> Result<()> {
    let running = output.running_journal(id);
    let mut begun = journal::load(&running, id)?.entries;
    let mut kept = journal::load(&output.finished_journal(id), id)?.entries;
    let stays = |entry: &Entry| is::<AnswerKey>(entry) || window_of(entry).is_some();
    begun.retain(|entry| !stays(entry));
    kept.retain(|entry| !stays(entry));
    if kept.starts_with(&begun) {
        files::remove_file(&running)?;
    }
    Ok(())
}

/// The name of the external that opened a window, if an entry is the count of that window.
fn window_of(entry: &Entry) -> Option<String> {
    opening_of(&entry.external()?.name)
}

/// The calls whose missing replies made the debate fall short.
fn missing_calls(trace: &Trace) -> BTreeSet<&str> {
    trace
        .incidents
        .iter()
        .filter(|incident| incident.is_shortfall())
        .filter_map(|incident| incident.call.as_deref())
        .collect()
}
