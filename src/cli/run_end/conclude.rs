//! The last lines of a run: its totals and the next step. Also the lines on orphans, which come before its debates.

use std::process::ExitCode;

use super::usage_and_causes;
use crate::artifacts::batch::{BatchSummary, DebateCounts, RETRY};
use crate::cli::args::output_directory::listed;
use crate::cli::process::failure::{BAD_INPUT, INTERRUPTED, OVER_BUDGET, done_if};
use crate::cli::process::invocation::{arguments, has, resume_command};
use crate::cli::terminal::color::Paint;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::{print, screen};
use crate::id::DebateId;
use crate::run::batch::Batch;
use crate::run::batch_totals::Totals;
use crate::store::batches;
use crate::store::layout::OutputDir;
use crate::store::orphans::Orphans;
use crate::text;

/// Prints the totals and the next step, and returns the exit code; on a terminal, also the usage of the batch.
pub(in crate::cli) fn conclude(
    batch: &Batch,
    (totals, whole): (&Totals, Option<&BatchSummary>),
    interrupted: bool,
    progress: &Progress,
) -> ExitCode {
    let is_told = progress.is_picture() && progress.is_of_one() && totals.last.is_some();
    if !is_told {
        progress.note(&summary(totals));
    }
    if totals.repeated > 0 {
        let repeated = text::grouped(totals.repeated);
        progress.note(&format!("{repeated} in several jobs, run once"));
    }
    match whole {
        Some(whole) if progress.is_picture() => {
            let width = screen::size().width;
            let lines = usage_and_causes::lines(whole, width, Paint::on(&std::io::stderr()));
            lines.iter().for_each(|line| print::err(line));
            if !totals.is_resumable() {
                progress.whole(&usage_and_causes::next(whole, usage_and_causes::LABEL, width));
            }
        }
        Some(whole) => tell_plainly(totals, whole, progress),
        None => {}
    }
    tell_next(batch, totals, progress);
    tell_index(batch, totals, progress);
    exit_code(totals, interrupted)
}

/// Says how what is left can be run.
fn tell_next(batch: &Batch, totals: &Totals, progress: &Progress) {
    let resumable = totals.is_resumable();
    if totals.paused {
        let retry = "`--retry failed,degraded` also tries these debates again";
        progress.note(&format!("fix the cause first; {retry}"));
    }
    if totals.ends.unmatched > 0 && !resumable {
        progress.note(&for_unmatched(totals));
    }
    if totals.beyond_budget > 0 {
        let debates = text::count(totals.beyond_budget, "debate");
        progress.note(&format!(
            "{debates} too large for any run with this budget: run again with a larger one (see above)"
        ));
    }
    if resumable {
        // On a terminal it stands with the causes.
        let is_told = progress.is_picture() || totals.ends.parked == 0;
        for remedy in batch.remedy.iter().filter(|_| !is_told) {
            progress.result(&format!("first {remedy}"));
        }
        progress.result(&format!("resume with: {}", resume_command(arguments())));
        let earlier = batch.context.output.replaced("");
        if has(arguments(), "--restart") && earlier.is_dir() {
            progress.whole(&format!("what --restart replaced is kept in {}", earlier.display()));
        }
    }
}

/// Says where the debates are listed.
fn tell_index(batch: &Batch, totals: &Totals, progress: &Progress) {
    let index = batch.context.output.root().join("index.md");
    if index.is_file() {
        progress.result(&match totals.unfinished() {
            0 => listed("all", &index),
            _ => listed("finished", &index),
        });
    }
}

fn exit_code(totals: &Totals, interrupted: bool) -> ExitCode {
    if interrupted && totals.unfinished() > 0 {
        ExitCode::from(INTERRUPTED)
    } else if totals.is_over_budget() {
        ExitCode::from(OVER_BUDGET)
    } else if totals.unwritten {
        ExitCode::from(BAD_INPUT)
    } else {
        done_if(totals.all_done())
    }
}

/// Says in plain lines why debates went wrong and, unless they can be resumed, what to run next.
fn tell_plainly(totals: &Totals, whole: &BatchSummary, progress: &Progress) {
    let lines = usage_and_causes::plain(whole).into_iter();
    lines.for_each(|line| progress.note(&line));
    if !totals.is_resumable() && totals.ends.went_wrong() + totals.ends.stuck > 0 {
        progress.whole(&format!("{}: {}", whole.next_does, whole.next));
    }
}

/// What makes controls begin.
fn for_unmatched(totals: &Totals) -> String {
    let begin = "controls begin once the debates they are matched to have ended well";
    match (totals.ends.unmatched_by_result, totals.ends.went_wrong()) {
        (0, _) => format!("{begin}: run these too"),
        // They are not among what was asked for, so that the same command would not retry them.
        (_, 0) => format!("{begin}: run these too, with {RETRY}"),
        _ => format!("{begin}: {} {RETRY}", resume_command(arguments())),
    }
}

/// `12 done, 1 failed; 3 finished before`, in the words of the batch's summary.
fn summary(totals: &Totals) -> String {
    DebateCounts { not_judged: totals.unjudged, ..totals.ends.counts() }.in_words()
}

/// Maximum finished orphans named.
const MAX_NAMED: usize = 6;

/// Reports debates that the jobs, with these options, do not contain (row J9b).
pub(in crate::cli) fn report_orphans(orphans: &Orphans, output: &OutputDir, progress: &Progress) {
    let kinds = [
        "left unfinished under an earlier plan version, to be started again",
        "left unfinished with other options or an earlier version of these jobs",
    ];
    for (what, is_of_other_plan) in kinds.into_iter().zip([true, false]) {
        let all = orphans.unfinished.iter();
        let these = all.filter(|it| it.is_of_other_plan == is_of_other_plan);
        let names: Vec<String> =
            these.map(|it| format!("{} ({})", it.id.short(), it.job)).collect();
        if !names.is_empty() {
            let (count, names) = (text::count(names.len(), "debate"), names.join(", "));
            progress.notify(&format!(
                "{count} {what}: {names} (`rebut clean --unfinished` gives up those without a reply for 90 days)"
            ));
        }
    }
    let other: Vec<DebateId> = orphans
        .unfinished
        .iter()
        .filter(|it| !it.is_of_other_plan)
        .map(|it| it.id.clone())
        .collect();
    for command in batches::continuing(output, &other) {
        // Whole, since it is there to be copied.
        progress.whole(&format!("to continue with these: {command}"));
    }
    if !orphans.finished.is_empty() {
        let count = text::count(orphans.finished.len(), "finished debate");
        let mut shown: Vec<&str> = orphans.finished.iter().map(DebateId::short).collect();
        if shown.len() > MAX_NAMED {
            shown.truncate(MAX_NAMED);
            shown.push("…");
        }
        let shown = shown.join(", ");
        progress.notify(&format!(
            "{count} with other options or from an earlier version of these jobs: {shown}"
        ));
    }
}
