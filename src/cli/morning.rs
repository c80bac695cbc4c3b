//! The end of a batch for the morning after: its summary in the output directory, and the command that is told of it.

use super::invocation::{arguments, resume_command};
use super::notify;
use super::output;
use super::progress::Progress;
use crate::artifacts::batch::BatchSummary;
use crate::run::batch::Batch;
use crate::run::record::Closing;
use crate::run::totals::Totals;
use crate::store::batches;
use crate::text::{self, shell};

/// Writes the summary of a batch, where it did anything, and runs what `--notify` names. No failure here ends anything.
pub(super) fn write(
    batch: &Batch,
    summary: Option<&BatchSummary>,
    command: Option<&str>,
    progress: &Progress,
) {
    let Some(summary) = summary else {
        return tell(command, "nothing ran: all was finished before\n", progress);
    };
    match batches::write(&batch.context.output, summary, &batch.context.templates) {
        Ok(path) => progress.whole(&format!("summary: {}", path.display())),
        Err(error) => progress.whole(&format!("cannot write the summary of this batch: {error}")),
    }
    if command.is_some() {
        tell(command, &page(batch, summary), progress);
    }
}

fn page(batch: &Batch, summary: &BatchSummary) -> String {
    let page = summary.markdown(&batch.context.templates);
    page.map_or_else(|_| summary.headline() + "\n", |page| page.content)
}

fn tell(command: Option<&str>, summary: &str, progress: &Progress) {
    let failed = command.and_then(|command| notify::run(command, summary).err());
    if let Some(cause) = failed {
        progress.whole(&format!("warning: --notify: {cause}"));
    }
}

/// How a batch ended, and what comes next.
pub(super) fn closing(batch: &Batch, totals: Option<Totals>, progress: &Progress) -> Closing {
    let (next, next_does) = next(batch, totals);
    let is_paused = totals.is_some_and(|totals| totals.paused);
    let is_over = totals.is_some_and(|totals| totals.is_over_budget());
    let stopped_by = match () {
        () if is_over => Some("its budget"),
        () if is_paused => Some("too many debates that went wrong"),
        () => batch.stop.is_requested().then_some("an interrupt"),
    };
    Closing {
        command: text::one_line(&shell::command(arguments())),
        ended_at: batch.context.clock.now(),
        stopped_by: stopped_by.map(str::to_owned),
        open: progress.open(),
        next: text::one_line(&next),
        next_does: next_does.to_owned(),
    }
}

/// The command to run next, and what it does.
fn next(batch: &Batch, totals: Option<Totals>) -> (String, &'static str) {
    let again = resume_command(arguments());
    match totals {
        Some(totals) if totals.resumable() == 0 && totals.degraded + totals.failed > 0 => {
            let retry = format!("{again} --retry degraded,failed");
            (retry, "to ask again for what is missing")
        }
        Some(totals) if totals.resumable() == 0 => {
            let dir = batch.context.output.root();
            let report = format!("rebut report{}", output::positional(dir));
            (report, "for the numbers")
        }
        _ => (again, "to go on with what is left"),
    }
}
