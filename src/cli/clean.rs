//! `rebut clean`: frees the space taken by the working state of old debates.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use chrono::TimeDelta;

use super::args::output_directory::{OutputArg, flag, positional};
use super::args::values::time;
use super::process::failure::Failure;
use super::terminal::print;
use crate::artifacts::batch::BatchSummary;
use crate::clock::Clock;
use crate::id::{self, DebateId};
use crate::store::batches;
use crate::store::clean::{Cleaned, Scope, clean};
use crate::store::running_batches::RunningBatch;
use crate::templates::Templates;
use crate::text;

/// Debates that a message names.
const NAMED: usize = 3;

/// Free disk space: remove the prompts and replies kept for old finished debates, and replaced directories
///
/// The debates' directories stay, and `show`, `stats`, `report` and `export` still work for them. No longer possible: `show DEBATE
/// CALL`, `--retry`, `rate`, and rebuilding a lost directory. Unfinished debates stay, except with --unfinished. Snapshots (plans and
/// templates as debates began with them) go once no journal needs them, whatever their age. With --only, nothing of any other
/// debate is removed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Minimum time since a debate finished or a directory was replaced
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = time)]
    older: Duration,
    /// Also give up unfinished debates and judgings without a reply in that time: all their replies are removed, and `run` or `judge` starts them over. Debates that batches left before they began are forgotten
    #[arg(long)]
    unfinished: bool,
    /// With --unfinished: give up only these unfinished debates (id of at least 4 digits, or job), whatever their age; repeatable
    #[arg(long, value_name = "DEBATE|JOB", requires = "unfinished", conflicts_with = "older")]
    only: Vec<String>,
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let output = args.output.existing()?;
    if let Some(run) = RunningBatch::seen(&output)?.first() {
        let (holder, dir) = (&run.holder, args.output.dir.display());
        let cause = format!("{holder} is running on {dir}");
        let stop = format!("rebut stop{}", flag(&args.output.dir));
        let hint = format!("run `rebut clean` after it has ended, or stop it with `{stop}`");
        return Err(Failure::input(cause, hint));
    }
    let clock = Clock::system();
    let older = TimeDelta::from_std(args.older).ok();
    let before = older
        .and_then(|older| clock.now().checked_sub_signed(older))
        .ok_or_else(|| Failure::input("--older: too long", "use for example 90d"))?;
    if !args.dry_run {
        let summed_up = batches::sum_up(&output, &Templates::load(None)?);
        // What frees room must not need any.
        if let Err(error) = summed_up {
            print::warn(&format!("no summary of a batch that was cut off: {error}"));
        }
    }
    let scope =
        Scope { before, only: named(args)?, unfinished: args.unfinished, dry: args.dry_run };
    print::told(&told(&clean(&output, scope, &clock)?, args));
    Ok(ExitCode::SUCCESS)
}

/// The unfinished debates that `--only` names: each value one by its id, or those of a job.
fn named(args: &Args) -> Result<Vec<DebateId>, Failure> {
    let mut all = BTreeSet::new();
    for named in &args.only {
        let begun = args.output.all_begun(named);
        if begun.is_empty() {
            return Err(not_begun(&args.output, named));
        }
        let is_vague = begun.len() > 1 && begun.iter().any(|id| id::names(named, id));
        if is_vague {
            let ids = text::some_of(begun.iter().map(DebateId::short), NAMED);
            let cause = format!("`{named}` matches {} unfinished debates: {ids}", begun.len());
            return Err(Failure::input(cause, "give more digits of the id"));
        }
        all.extend(begun);
    }
    Ok(all.into_iter().collect())
}

/// The failure for a name that no debate with replies has.
fn not_begun(output: &OutputArg, named: &str) -> Failure {
    let dir = &output.dir;
    let is_it = |id: &str, batch: &BatchSummary| {
        id::names(named, id) || batch.job_of(id).is_some_and(|job| job == named)
    };
    if let Some(batch) = output.not_begun(is_it) {
        let cause = format!("`{named}` has not begun: there are no replies to remove");
        let forgets = format!("rebut clean --unfinished{}", flag(dir));
        let hint = format!(
            "`{}` {}; `{forgets}` forgets it, and gives up all other unfinished debates as old, once that batch is older than --older",
            batch.next,
            batch.purpose()
        );
        return Failure::input(cause, hint);
    }
    let cause = format!("no debate `{named}` is left unfinished in {}", dir.display());
    Failure::input(cause, format!("`rebut status{}` lists those that are", positional(dir)))
}

fn told(cleaned: &Cleaned, args: &Args) -> String {
    let parts = [
        (cleaned.debates, "journals and prompts of ", "debate", ""),
        (cleaned.unfinished, "", "unfinished debate", ""),
        (cleaned.snapshots, "", "snapshot", " that no journal needs"),
        (cleaned.replaced, "", "replaced result", ""),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let part = |(n, of, noun, what): &(u64, &str, &str, &str)| {
        format!("{of}{}{what}", text::count(*n, noun))
    };
    let parts: Vec<String> = parts.map(part).collect();
    let debates = text::count(cleaned.kept, "unfinished debate");
    let young = if args.only.is_empty() { "younger than --older, or " } else { "" };
    let kept =
        text::told_if(cleaned.kept > 0, || format!("; {debates} kept: {young}being retried"));
    let damaged = text::told_if(cleaned.damaged > 0, || {
        let journals = text::count(cleaned.damaged, "damaged journal");
        format!("; {journals} kept: `rebut run JOBS --restart --only ID` starts such a debate over")
    });
    let kept = kept + &damaged;
    if parts.is_empty() {
        return format!("nothing to remove{kept}");
    }
    let did = if args.dry_run { "would free" } else { "freed" };
    format!("{did} {}: {}{kept}", text::sized(cleaned.bytes), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn args(dir: &std::path::Path, only: &str) -> Args {
        let output = dir.to_str().unwrap();
        let words = ["clean", "--unfinished", "--only", only, "--output", output];
        Command::try_parse_from(words).unwrap().args
    }

    #[test]
    fn b3_digits_that_fit_several_unfinished_debates_give_up_none() {
        let dir = tempfile::tempdir().unwrap();
        let running = dir.path().join(".rebut/running");
        fs::create_dir_all(&running).unwrap();
        let ids = ["a", "b"].map(|digit| format!("0123{}", digit.repeat(60)));
        ids.iter().for_each(|id| fs::write(running.join(id.clone() + ".jsonl"), "").unwrap());
        let refused = format!("{:?}", named(&args(dir.path(), "0123")).unwrap_err());
        let told = "`0123` matches 2 unfinished debates: 0123aaaaaaaa, 0123bbbbbbbb";
        assert!(refused.contains(told), "{refused}");
        let one = named(&args(dir.path(), "0123a")).unwrap();
        assert_eq!(one, [ids[0].parse().unwrap()]);
    }

    #[test]
    fn b3_a_damaged_journal_that_is_kept_is_told_as_that() {
        let cleaned = Cleaned { damaged: 1, ..Cleaned::default() };
        let told = told(&cleaned, &args("output".as_ref(), "0123"));
        let start_over = "`rebut run JOBS --restart --only ID` starts such a debate over";
        assert_eq!(told, format!("nothing to remove; 1 damaged journal kept: {start_over}"));
    }
}
