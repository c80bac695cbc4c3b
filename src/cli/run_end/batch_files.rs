//! Writes the summary of a batch into the output directory, with the command to run next, and runs `--notify`.

use std::time::Duration;

use super::notify;
use super::usage_and_causes::Next;
use crate::artifacts::batch::{BatchSummary, CAUSES_FIRST, CONTINUES, RETRY};
use crate::cli::args::output_directory;
use crate::cli::process::invocation::{
    again, arguments, has, resume_command, told_command, without,
};
use crate::cli::terminal::progress::Progress;
use crate::id::DebateId;
use crate::run::batch::Batch;
use crate::run::batch_summary::{Closing, Origin};
use crate::run::batch_totals::Totals;
use crate::servers::ServerPool;
use crate::store::batches;
use crate::store::next_command::with_flags;
use crate::text;

/// The flags that choose among the debates of jobs.
const CHOOSE: [&str; 3] = ["--only", "--limit", "--shard"];

/// Writes the summary of a batch, and returns whether that could be done. A failure here stops nothing.
pub(in crate::cli) fn write(batch: &Batch, summary: &BatchSummary, progress: &Progress) -> bool {
    let written = batches::write(&batch.context.output, summary, &batch.context.templates);
    match &written {
        Ok(path) => progress.whole(&format!("summary: {}", path.display())),
        Err(error) => {
            progress.whole(&format!("warning: cannot write the summary of this batch: {error}"));
        }
    }
    written.is_ok()
}

/// Runs the `--notify` command with the summary of a batch, if it did anything.
pub(in crate::cli) fn notify(
    batch: &Batch,
    summary: Option<&BatchSummary>,
    command: &str,
    progress: &Progress,
) {
    let nothing = || "nothing to run: everything was already finished\n".to_owned();
    let page = summary.map_or_else(nothing, |summary| page(batch, summary));
    let tell = |line: &str| progress.whole(line);
    if let Err(cause) = notify::run(command, &page, notify::LIMIT, tell) {
        progress.whole(&format!("warning: --notify: {cause}"));
    }
}

fn page(batch: &Batch, summary: &BatchSummary) -> String {
    let page = summary.markdown(&batch.context.templates);
    page.map_or_else(|_| summary.headline() + "\n", |page| page.content)
}

/// What to do about job files that were added and not run.
const ADDED_FIRST: &str =
    "correct the job files that were not run (`rebut check` shows their faults)";

/// How a batch ended, and the next step.
pub(in crate::cli) fn closing(
    batch: &Batch,
    took: Duration,
    totals: &Totals,
    progress: &Progress,
    origin: Origin,
) -> Closing {
    let Next { command: next, does: next_does, first: next_first } = next(batch, totals);
    let stopped_by = if totals.is_over_budget() {
        totals.limit
    } else if totals.paused.is_some() {
        Some("too many degraded or failed debates")
    } else {
        batch.stop.by()
    };
    let servers = batch.context.servers.as_deref();
    Closing {
        command: text::one_line(&told_command(arguments())),
        chooses: CHOOSE.iter().any(|flag| has(arguments(), flag)),
        rehearsal: batch.context.is_rehearsal(),
        ended_at: batch.context.clock.now(),
        took,
        stopped_by: stopped_by.map(str::to_owned),
        open: progress.open(),
        origin,
        not_judged: totals.unjudged,
        refused: totals.refused.clone(),
        causes: progress.causes(),
        queued: if totals.cut_off { progress.queued() } else { 0 },
        loads: servers.map(ServerPool::loads).unwrap_or_default(),
        servers: servers.map(ServerPool::sums).unwrap_or_default(),
        panel: batch.meter.panel(),
        next: text::one_line(&next),
        next_does,
        next_first,
    }
}

/// What repeats the command with these arguments, and what for.
fn repeated(args: impl Iterator<Item = String>, does: &str, first: Option<String>) -> Next {
    let lacks = if has(arguments(), "--notify") { "; add --notify again" } else { "" };
    Next { command: resume_command(args), does: does.to_owned() + lacks, first }
}

/// What to do before the same command: about models that no server has or lets be used, and about what most debates failed for if
/// too many did.
fn before_going_on(batch: &Batch, totals: &Totals) -> Option<String> {
    let lacks_models = totals.ends.parked + totals.unjudged > 0;
    let servers = batch.context.servers.as_deref();
    let given_up = servers.map(ServerPool::remedies).unwrap_or_default();
    let models = batch.remedy.clone().into_iter().chain(given_up).filter(|_| lacks_models);
    let failures = totals.paused.iter().map(|cause| {
        format!("fix the cause ({cause}); --retry failed,degraded also tries these debates again")
    });
    text::if_any(text::separated(text::distinct(models.chain(failures)), "; "))
}

/// What starts debates over whose models were updated since they began.
fn start_over(ids: &[DebateId]) -> Next {
    let all: Vec<String> = again().collect();
    let whole =
        CHOOSE.into_iter().fold(all, |args, flag| without(args.into_iter(), flag).collect());
    let does = format!("{CONTINUES} with updated models, from the start");
    let next = repeated(whole.into_iter(), &does, None);
    let only: String = ids.iter().map(|id| format!(" --only {}", id.short())).collect();
    Next { command: with_flags(&next.command, &format!("--restart{only}")), ..next }
}

/// The command to run next.
pub(super) fn next(batch: &Batch, totals: &Totals) -> Next {
    // A limit that was too small once may be so again.
    let limit = totals.limit.filter(|_| totals.is_over_budget());
    let again = |does: &str, first| match limit {
        Some(limit) => repeated(without(again(), limit), does, first),
        None => repeated(again(), does, first),
    };
    if totals.resumable() > 0 {
        let without = limit.map(|limit| format!(", without {limit}")).unwrap_or_default();
        let does = CONTINUES.to_owned() + &without;
        // Others are continued first: then only these are left.
        if totals.outdated.len() == totals.resumable() {
            return start_over(&totals.outdated);
        }
        return again(&does, before_going_on(batch, totals));
    }
    // The same command alone would not continue these.
    if totals.ends.stuck > 0 {
        return again("to run the unfinished debates", Some(CAUSES_FIRST.to_owned()));
    }
    if totals.ends.went_wrong() > 0 {
        let next = again("to ask again for missing replies", None);
        let has_failed = totals.ends.finished().failed > 0;
        let retry = if has_failed { RETRY } else { "--retry degraded" };
        return Next { command: with_flags(&next.command, retry), ..next };
    }
    if !totals.refused.is_empty() {
        return again("to run the jobs that were added", Some(ADDED_FIRST.to_owned()));
    }
    let root = batch.context.output.root();
    let only = totals.last.as_ref().filter(|_| totals.ends.finished().all() == 1);
    if let Some(id) = only {
        let command = format!("rebut show {}{}", id.short(), output_directory::flag(root));
        return Next { command, does: "to read the debate".to_owned(), first: None };
    }
    let dir = output_directory::positional(root);
    let is_rehearsal = batch.context.is_rehearsal();
    let rehearsals = is_rehearsal.then_some(" --include-rehearsals");
    let command = format!("rebut report{dir}{}", rehearsals.unwrap_or_default());
    Next { command, does: "for the results".to_owned(), first: None }
}
