//! Writes the summary of a batch into the output directory, with the command to run next, and runs `--notify`.

use std::time::Duration;

use super::notify;
use super::usage_and_causes::FIRST;
use crate::artifacts::batch::{BatchSummary, CONTINUES, RETRY};
use crate::cli::args::output_directory;
use crate::cli::process::invocation::{arguments, has, kept_resume_command, told_command};
use crate::cli::terminal::progress::Progress;
use crate::run::batch::Batch;
use crate::run::batch_summary::Closing;
use crate::run::batch_totals::Totals;
use crate::store::batches;
use crate::text;

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

/// What continues debates that the same command alone would not.
const AFTER_CAUSES: &str = "to run the unfinished debates; first do what their causes say";

/// How a batch ended, and the next step.
pub(in crate::cli) fn closing(
    batch: &Batch,
    took: Duration,
    totals: &Totals,
    progress: &Progress,
) -> Closing {
    let (next, next_does) = next(batch, totals);
    let stopped_by = if totals.is_over_budget() {
        Some("its budget")
    } else if totals.paused {
        Some("too many degraded or failed debates")
    } else {
        batch.stop.by()
    };
    let servers = batch.context.servers.as_ref();
    Closing {
        command: text::one_line(&told_command(arguments())),
        rehearsal: batch.context.is_rehearsal(),
        ended_at: batch.context.clock.now(),
        took,
        stopped_by: stopped_by.map(str::to_owned),
        open: progress.open(),
        not_judged: totals.unjudged,
        queued: if totals.cut_off { progress.queued() } else { 0 },
        servers: servers.map_or_else(Vec::new, |it| it.sums()),
        next: text::one_line(&next),
        next_does,
    }
}

/// The command to run next, and its purpose.
pub(super) fn next(batch: &Batch, totals: &Totals) -> (String, String) {
    let again = || kept_resume_command(arguments());
    if totals.is_resumable() {
        return (again(), again_does(&continues(batch, totals)));
    }
    if totals.ends.stuck > 0 {
        return (again(), again_does(AFTER_CAUSES));
    }
    if totals.ends.went_wrong() > 0 {
        let retry = format!("{} {RETRY}", again());
        return (retry, again_does("to ask again for missing replies"));
    }
    let root = batch.context.output.root();
    let only = totals.last.as_ref().filter(|_| totals.ends.finished().all() == 1);
    if let Some(id) = only {
        let show = format!("rebut show {}{}", id.short(), output_directory::flag(root));
        return (show, "to read the debate".to_owned());
    }
    let dir = output_directory::positional(root);
    let is_rehearsal = batch.context.is_rehearsal();
    let rehearsals = is_rehearsal.then_some(" --include-rehearsals");
    let report = format!("rebut report{dir}{}", rehearsals.unwrap_or_default());
    (report, "for the results".to_owned())
}

/// What the command continues, and what comes first.
pub(super) fn continues(batch: &Batch, totals: &Totals) -> String {
    match &batch.remedy {
        Some(remedy) if totals.ends.parked > 0 => format!("{CONTINUES}{FIRST}{remedy}"),
        _ => CONTINUES.to_owned(),
    }
}

/// The purpose of a command that repeats this one, and what it lacks.
fn again_does(purpose: &str) -> String {
    if has(arguments(), "--notify") {
        format!("{purpose}; add --notify again")
    } else {
        purpose.to_owned()
    }
}
