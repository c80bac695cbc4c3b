//! The last lines of a run: its totals and the next step. Also the lines on orphans, which come before its debates and in a check.

use std::process::ExitCode;

use super::{batch_files, usage_and_causes};
use crate::artifacts::batch::{BatchSummary, DebateCounts, RETRY};
use crate::cli::args::output_directory::{flag, listed, positional};
use crate::cli::process::failure::{BAD_INPUT, INTERRUPTED, OVER_BUDGET, done_if};
use crate::cli::process::invocation::{again, arguments, has, resume_command};
use crate::cli::terminal::color::Paint;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::{print, screen};
use crate::run::batch::Batch;
use crate::run::batch_totals::Totals;
use crate::stop::MAX_TOKENS;
use crate::store::layout::OutputDir;
use crate::store::next_command::with_flags;
use crate::store::orphans::Orphans;
use crate::text;

/// Prints the totals and the next step, and returns the exit code; on a terminal, also the usage of the batch.
pub(in crate::cli) fn conclude(
    batch: &Batch,
    (totals, whole): (&Totals, Option<&BatchSummary>),
    interrupted: bool,
    progress: &Progress,
) -> ExitCode {
    let is_told = progress.is_picture() && progress.is_of_one() && totals.ends.committed.all() > 0;
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
        }
        Some(whole) => usage_and_causes::plain(whole).iter().for_each(|line| progress.note(line)),
        None => {}
    }
    tell_next(batch, totals, progress);
    let needs_more = totals.resumable() > 0
        || totals.ends.went_wrong() + totals.ends.stuck + totals.refused.len() > 0;
    if needs_more || progress.is_picture() || whole.is_none() {
        tell_command(batch, totals, progress);
    }
    tell_index(batch, totals, progress);
    exit_code(totals, interrupted)
}

/// Says how what is left can be run.
fn tell_next(batch: &Batch, totals: &Totals, progress: &Progress) {
    let resumable = totals.resumable() > 0;
    if let Some([all, over]) = batch.meter.overrun().map(|counts| counts.map(text::grouped)) {
        progress.note(&format!("{all} tokens were used, {over} more than {MAX_TOKENS} allows"));
    }
    if totals.ends.unmatched > 0 && !resumable {
        progress.note(&for_unmatched(totals));
    }
    let earlier = batch.context.output.replaced("");
    let has_any = || earlier.read_dir().is_ok_and(|mut all| all.next().is_some());
    if resumable && has(arguments(), "--restart") && has_any() {
        progress.whole(&format!("what --restart replaced is kept in {}", earlier.display()));
    }
}

/// Says what to run next, and what to do first. What resumes is a result.
fn tell_command(batch: &Batch, totals: &Totals, progress: &Progress) {
    let resumes = totals.resumable() > 0;
    let next = batch_files::next(batch, totals);
    let lines = if progress.is_picture() {
        let width = screen::size().width;
        usage_and_causes::next(&next, usage_and_causes::LABEL, width)
    } else {
        usage_and_causes::plain_next(&next)
    };
    let tell = |line: &String| if resumes { progress.result(line) } else { progress.whole(line) };
    lines.iter().for_each(tell);
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

/// What makes controls begin.
fn for_unmatched(totals: &Totals) -> String {
    let begin = "controls begin once the debates they are matched to have ended well";
    match (totals.ends.unmatched_by_result, totals.ends.went_wrong()) {
        (0, _) => format!("{begin}: run these too"),
        // They are not among what was asked for, so that the same command would not retry them.
        (_, 0) => format!("{begin}: run these too, with {RETRY}"),
        _ => format!("{begin}: {}", with_flags(&resume_command(again()), RETRY)),
    }
}

/// `12 done, 1 failed; 3 finished before`, in the words of the batch's summary.
fn summary(totals: &Totals) -> String {
    DebateCounts { not_judged: totals.unjudged, ..totals.ends.counts() }.in_words()
}

/// Orphans named.
const NAMED: usize = 3;

/// Notes on debates that the jobs, with these options, do not contain (row J9b).
pub(in crate::cli) fn on_orphans(orphans: &Orphans, output: &OutputDir) -> Vec<String> {
    let (status, clean) = (positional(output.root()), flag(output.root()));
    let how = format!(
        " (`rebut status{status}` says how to continue, if that is possible; `rebut clean --unfinished --only ID{clean}` gives one up)"
    );
    let kinds = [
        (&orphans.unfinished, "left unfinished with other settings", &*how),
        (
            &orphans.finished,
            "finished with other settings",
            " (kept, and counted in reports; with the settings of now, the job has other debates)",
        ),
    ];
    let told = kinds.into_iter().filter(|(ids, ..)| !ids.is_empty()).map(|(ids, what, how)| {
        let debates = text::count(ids.len(), "earlier debate");
        let ids = text::some_of(ids.iter().map(|id| id.short()), NAMED);
        format!("{debates} {what}: {ids}{how}")
    });
    told.collect()
}
