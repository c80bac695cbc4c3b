//! Replacing a finished debate's directory (row J10b): old aside, new in. A kill in between leaves an orphan, which `run` and
//! `index` put back.

use std::path::{Path, PathBuf};

use super::audience_ballots;
use super::finished::FinishedDebate;
use super::layout::{OutputDir, holder};
use crate::clock::Clock;
use crate::files::{self, Result, StagedDir, name_of};
use crate::id::DebateId;

/// The format of the time in the names of what was replaced.
pub(super) const STAMP: &str = "%Y-%m-%dT%H-%M-%S%.3f";

/// Puts `staged` in the place of `target`, and sets the old directory aside.
pub fn swap(output: &OutputDir, staged: StagedDir, target: &Path, clock: &Clock) -> Result<()> {
    let aside = output.swapping().join(&*name_of(target));
    // What an earlier replacement has left: its successor is the one replaced now.
    if aside.exists() {
        set_aside(output, &aside, clock)?;
    }
    files::rename(target, &aside)?;
    staged.commit(target)?;
    set_aside(output, &aside, clock)
}

/// Sets a directory aside for good, under its own name.
pub fn set_aside(output: &OutputDir, directory: &Path, clock: &Clock) -> Result<()> {
    let stem = format!("{}_{}", name_of(directory), clock.now().format(STAMP));
    files::rename(directory, &free_place(output, &stem, ""))
}

/// Where something can be set aside without replacing what was set aside in the same millisecond.
fn free_place(output: &OutputDir, stem: &str, ending: &str) -> PathBuf {
    let (mut place, mut number) = (output.replaced(&format!("{stem}{ending}")), 1);
    while place.exists() {
        number += 1;
        place = output.replaced(&format!("{stem}_{number}{ending}"));
    }
    place
}

/// Puts back directories whose replacement was interrupted, and completes those whose successor is in place. Returns the dated
/// paths put back. Replacements that another process is making right now are left to it.
pub fn put_back(output: &OutputDir, clock: &Clock) -> Result<Vec<PathBuf>> {
    let mut back = Vec::new();
    let orphans = files::list(&output.swapping())?;
    for orphan in orphans.iter().filter(|path| files::is_own_dir(path)) {
        let target = output.dated(&name_of(orphan));
        let Some((target, found)) = target.zip(FinishedDebate::read(orphan)) else { continue };
        output.make()?;
        let Ok(Ok(_claim)) = output.claim(&found.id, &holder(clock)) else { continue };
        if !orphan.exists() {
            // The other process has finished replacing it.
        } else if target.exists() {
            set_aside(output, orphan, clock)?;
        } else {
            // If the day's directory is not our own, it stays where it is.
            let day = target.parent().unwrap_or(output.root());
            if files::own_dir(day).is_ok() {
                files::rename(orphan, &target)?;
                back.push(target);
            }
        }
    }
    Ok(back)
}

/// Sets a debate's directory, journals and prompts aside, so that it starts over. The votes on it are removed.
pub fn set_debate_aside(
    output: &OutputDir,
    id: &DebateId,
    directory: Option<&Path>,
    clock: &Clock,
) -> Result<()> {
    if let Some(directory) = directory {
        set_aside(output, directory, clock)?;
    }
    for (kind, kept) in [
        ("running", output.running_journal(id)),
        ("finished", output.prompts(id)),
        ("finished", output.finished_journal(id)),
    ] {
        set_kept_aside(output, kind, &kept, clock)?;
    }
    audience_ballots::forget(output, id)
}

/// Sets a debate's journal or prompts aside for good, if there are any.
pub(super) fn set_kept_aside(
    output: &OutputDir,
    kind: &str,
    kept: &Path,
    clock: &Clock,
) -> Result<()> {
    if !kept.exists() {
        return Ok(());
    }
    let (name, stamp) = (name_of(kept), clock.now().format(STAMP));
    let (id, ending) = name.split_once('.').unwrap_or((&name, ""));
    let stem = format!("{id}_{stamp}_{kind}");
    files::rename(kept, &free_place(output, &stem, &format!(".{ending}")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn j10b_what_is_left_of_an_earlier_replacement_is_set_aside_in_the_same_millisecond() {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        output.make().unwrap();
        let target = dir.path().join("2026-01-01/debate");
        for old in [&target, &output.swapping().join("debate")] {
            fs::create_dir_all(old).unwrap();
            fs::write(old.join("index.md"), "old").unwrap();
        }
        let staged = StagedDir::create(&output.staged().join("debate")).unwrap();
        fs::write(staged.path().join("index.md"), "new").unwrap();
        let clock = Clock::fixed(chrono::DateTime::UNIX_EPOCH);
        swap(&output, staged, &target, &clock).unwrap();
        assert_eq!(fs::read(target.join("index.md")).unwrap(), b"new");
        let replaced = files::list(&output.replaced("")).unwrap();
        let names: Vec<_> = replaced.iter().map(|path| name_of(path)).collect();
        let first = "debate_1970-01-01T00-00-00.000";
        assert_eq!(names, [first, &format!("{first}_2")]);
        assert!(files::list(&output.swapping()).unwrap().is_empty());
    }

    #[test]
    fn j10b_journals_set_aside_in_the_same_millisecond_are_both_kept() {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        output.make().unwrap();
        let clock = Clock::fixed(chrono::DateTime::UNIX_EPOCH);
        let journal = dir.path().join("x.jsonl");
        for text in ["first", "second"] {
            fs::write(&journal, text).unwrap();
            set_kept_aside(&output, "running", &journal, &clock).unwrap();
        }
        let kept = files::list(&output.replaced("")).unwrap();
        let texts = kept.iter().map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), ["first", "second"]);
    }
}
