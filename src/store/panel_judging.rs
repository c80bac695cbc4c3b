//! Judgings by panels (row C2). Each has its own journal below `.rebut/judging/`, which also keeps its verdict; its commit puts
//! the verdict into the debate's trace. The same command continues an interrupted judging, and a trace rebuilt from its
//! debate's journal takes its verdicts from here.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::{Result, StoreError};
use super::layout::{OutputDir, debate_of};
use super::resume::Opened;
use super::{amend, replace};
use crate::clock::Clock;
use crate::event::{IncidentKind, Verdict};
use crate::files;
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::plan::Plan;
use crate::templates::Templates;
use crate::trace::Trace;

/// The name of the external that holds a judging's verdict.
pub const VERDICT: &str = "verdict";

/// Opens or begins the journal of a judging.
pub fn open(
    output: &OutputDir,
    debate: &DebateId,
    plan: &Plan,
    templates: &Templates,
    clock: &Clock,
) -> Result<Opened> {
    files::own_dir(&output.judgings(debate))?;
    let path = output.judging(debate, &plan.id);
    forget_missing(&path, &plan.id)?;
    let (contents, mut journal) = Journal::open(&path, &plan.id)?;
    let header = match contents.header().cloned() {
        Some(header) => header,
        None => begin(&mut journal, debate, plan, clock)?,
    };
    Ok(Opened {
        plan: plan.clone(),
        templates: templates.clone(),
        header,
        past: contents.entries,
        journal,
    })
}

/// If a verdict lacks readings that could not be obtained, removes it and their attempts from a judging's journal, so that they
/// are asked for again. The other readings stay.
fn forget_missing(path: &Path, id: &DebateId) -> Result<()> {
    let entries = journal::load(path, id)?.entries;
    let verdict = verdict(&entries);
    let missing: BTreeSet<&str> = verdict.iter().flat_map(Verdict::missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let is_verdict = |entry: &Entry| entry.external().is_some_and(|it| it.name == VERDICT);
    let is_missing = |entry: &Entry| entry.call().is_some_and(|call| missing.contains(call));
    let kept = entries.iter().filter(|it| !is_verdict(it) && !is_missing(it));
    let lines: String = kept.map(|entry| journal::line(entry) + "\n").collect();
    Ok(files::replace(path, lines.as_bytes())?)
}

fn begin(journal: &mut Journal, debate: &DebateId, plan: &Plan, clock: &Clock) -> Result<Header> {
    // The judging's id covers everything that determines what is asked.
    let inputs = plan.id.to_string();
    let header = Header::new(&plan.id, inputs, None, debate.to_string(), clock.now());
    journal.append(&Entry::Debate(header.clone()))?;
    Ok(header)
}

/// The verdict of a finished judging, from its journal.
pub fn verdict(past: &[Entry]) -> Option<Verdict> {
    let mut readings = past.iter().filter_map(Entry::external);
    let found = readings.find(|it| it.name == VERDICT)?;
    serde_json::from_value(found.value.clone()).ok()
}

/// The most tokens of a judging of a debate by a panel of this name, as far as their journals are kept: panels are edited.
pub fn tokens(output: &OutputDir, debate: &DebateId, panel: &str) -> u64 {
    let journals = files::list(&output.judgings(debate)).unwrap_or_default();
    let kept = journals.iter().filter_map(|path| journal::load(path, &debate_of(path)?).ok());
    let is_its = |entries: &[Entry]| {
        verdict(entries).and_then(|it| it.judging).is_some_and(|it| it.panel.name == panel)
    };
    let its = kept.map(|it| it.entries).filter(|entries| is_its(entries));
    let sum = |entries: Vec<Entry>| entries.iter().filter_map(Entry::tokens).sum();
    its.map(sum).max().unwrap_or(0)
}

/// What became of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    /// It was added to the debate.
    Added,
    /// The debate already had it.
    Known,
    /// The debate's record has changed since the judges read it.
    Stale,
}

/// Puts a verdict into the trace of the debate in `dir` and rewrites the debate's files.
pub fn commit(
    output: &OutputDir,
    dir: &Path,
    verdict: &Verdict,
    with: (&Templates, &Clock),
) -> Result<Commit> {
    let mut commit = Commit::Known;
    amend::amend(output, dir, with, |trace| {
        commit = add(trace, verdict);
        Ok(commit == Commit::Added)
    })?;
    Ok(commit)
}

fn add(trace: &mut Trace, verdict: &Verdict) -> Commit {
    let Some(judging) = &verdict.judging else { return Commit::Stale };
    let known = trace.judging(&judging.id);
    if known.is_some_and(|known| known == verdict || known.is_whole()) {
        return Commit::Known;
    }
    if judging.record_digest != trace.digest_of_record() {
        return Commit::Stale;
    }
    let is_it = |other: &Verdict| other.judging.as_ref().is_some_and(|it| it.id == judging.id);
    let place = trace.verdicts.iter().position(is_it);
    match place {
        Some(place) => trace.verdicts[place] = verdict.clone(),
        None => trace.verdicts.push(verdict.clone()),
    }
    Commit::Added
}

/// Puts the verdicts on a debate into a trace that was rebuilt. Verdicts on another record are dropped, and journals that are
/// damaged or another's are set aside. Both are reported, and neither keeps the debate from being committed.
pub fn restore(output: &OutputDir, trace: &mut Trace, clock: &Clock) -> Result<()> {
    let mut verdicts = Vec::new();
    for path in files::list(&output.judgings(&trace.id))? {
        match kept(&path) {
            Ok(verdict) => verdicts.extend(verdict),
            Err(StoreError::Journal(
                error @ (JournalError::Damaged { .. } | JournalError::Foreign { .. }),
            )) => {
                replace::set_kept_aside(output, "judging", &path, clock)?;
                let cause = format!(
                    "a panel's verdict was lost and its journal set aside: {error}; run `rebut judge` to ask again"
                );
                trace.report(IncidentKind::LostVerdict, cause);
            }
            Err(error) => return Err(error),
        }
    }
    verdicts.sort_by_key(|verdict| verdict.judging.as_ref().map(|it| (it.at, it.id.clone())));
    for verdict in verdicts {
        if add(trace, &verdict) == Commit::Stale {
            let panel = verdict.judging.map(|it| it.panel.name).unwrap_or_default();
            let cause = format!(
                "the verdict of the panel {panel} was dropped because the debate has changed since; run `rebut judge` to ask again"
            );
            trace.report(IncidentKind::StaleVerdict, cause);
        }
    }
    Ok(())
}

/// The verdict in a judging's journal, if there is one.
fn kept(path: &Path) -> Result<Option<Verdict>> {
    let Some(id) = debate_of(path) else { return Ok(None) };
    Ok(verdict(&journal::load(path, &id)?.entries))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::journal::ExternalEntry;

    #[test]
    fn j10_a_panel_that_was_edited_took_what_one_of_its_judgings_took() {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        let debate: DebateId = "d".repeat(64).parse().unwrap();
        std::fs::create_dir_all(output.judgings(&debate)).unwrap();
        let at = chrono::DateTime::UNIX_EPOCH;
        let keep = |digit: &str, name: &str, attempts: u32| {
            let id: DebateId = digit.repeat(64).parse().unwrap();
            let verdict = json!({
                "source": "panel", "rubric": {"name": "", "version": "", "digest": ""}, "judges": [],
                "winner": null, "winner_reason": null,
                "id": &*id, "panel": {"name": name, "id": digit}, "basis": "scores",
                "record_digest": "", "candidates": [],
                "view": {"kind": "chronological", "masked": 0, "omitted": []},
                "rule": {
                    "reconcile": "", "orders": "both", "tie_within": 0.0, "aggregate": "", "quorum": 1,
                },
                "votes": {"p": 0, "q": 0, "tie": 0}, "at": at,
            });
            let header = Header::new(&id, String::new(), None, String::new(), at);
            let failed = |attempt| {
                let failed = json!({
                    "kind": "failure", "call": "c", "attempt": attempt, "digest": "", "at": at,
                    "model": "m", "error": "timeout", "message": "",
                });
                serde_json::from_value(failed).unwrap()
            };
            let verdict = ExternalEntry { name: VERDICT.to_owned(), at, value: verdict };
            let entries = [Entry::Debate(header)].into_iter().chain((1..=attempts).map(failed));
            let lines = entries.chain([Entry::External(verdict)]);
            let lines: String = lines.map(|entry| journal::line(&entry) + "\n").collect();
            std::fs::write(output.judging(&debate, &id), lines).unwrap();
        };
        // An attempt without counts is one token.
        keep("a", "house", 3);
        keep("b", "house", 2);
        keep("c", "other", 9);
        assert_eq!(tokens(&output, &debate, "house"), 3);
    }
}
