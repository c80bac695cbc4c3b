//! `rebut merge`: the finished debates of several output directories in one.

use std::path::PathBuf;
use std::process::ExitCode;

use super::failure::{self, Failure};
use super::output::OutputArg;
use super::pick::Bar;
use super::templates::TemplatesArg;
use super::{output, print};
use crate::clock::Clock;
use crate::store::layout::OutputDir;
use crate::store::lists;
use crate::store::merge::{Merged, Merger};
use crate::text;

/// Merge the finished debates of other output directories into one
///
/// For machines that shared a batch with `rebut run --shard K/N`. Debates are copied with their journals and prompts; those that
/// stand there already stay, so the same command again copies what is new. Unfinished debates are left where they are.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output directories to take debates from
    #[arg(required = true, value_name = "FROM")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// How much was merged.
#[derive(Debug, Default)]
struct Tally {
    taken: u64,
    known: u64,
    left: u64,
    unfinished: u64,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let from: Result<Vec<OutputDir>, Failure> =
        args.from.iter().map(|dir| output::existing(dir)).collect();
    let from = from?;
    let to = OutputDir::at(&args.output.dir);
    to.prepare()?;
    let merger = Merger::new(&to, &Clock::system())?;
    let mut tally = Tally::default();
    for one in &from {
        merge(&merger, one, &mut tally)?;
    }
    lists::rebuild(&to, &templates)?;
    tell(&tally, args);
    Ok(match tally.left {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(failure::SOME_NOT_DONE),
    })
}

fn merge(merger: &Merger<'_>, from: &OutputDir, tally: &mut Tally) -> Result<(), Failure> {
    let dirs = from.debates()?;
    let bar = Bar::new("debates");
    for (done, dir) in dirs.iter().enumerate() {
        bar.at(done, dirs.len());
        match merger.take(from, dir)? {
            Merged::Taken => tally.taken += 1,
            Merged::Known => tally.known += 1,
            Merged::Left(why) => {
                tally.left += 1;
                let dir = dir.display();
                print::err(&text::one_line(&format!(
                    "warning: {dir} is left out: {why}"
                )));
            }
        }
    }
    tally.unfinished += from.begun()?.len() as u64;
    Ok(())
}

fn tell(tally: &Tally, args: &Args) {
    let taken = text::count(tally.taken, "debate");
    let beside = [
        (tally.known, "already there"),
        (tally.left, "left out"),
        (tally.unfinished, "unfinished, left where they are"),
    ];
    let beside = beside.into_iter().filter(|(n, _)| *n > 0);
    let beside: String = beside.map(|(n, what)| format!(", {n} {what}")).collect();
    let index = args.output.dir.join("index.md");
    print::out(&format!("merged {taken}{beside}"));
    print::out(&text::one_line(&format!("open {}", index.display())));
}
