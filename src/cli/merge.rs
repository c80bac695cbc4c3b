//! `rebut merge`: the finished debates of several output directories in one.

use std::path::PathBuf;
use std::process::ExitCode;

use super::args::debate_selection::Bar;
use super::args::output_directory::{self, OutputArg};
use super::args::templates::TemplatesArg;
use super::process::failure::{Failure, done_if};
use super::terminal::print;
use crate::clock::Clock;
use crate::store::layout::OutputDir;
use crate::store::lists;
use crate::store::merge::{Merged, Merger};
use crate::text;

/// Merge the finished debates of other output directories into one
///
/// For a batch split between machines with `rebut run --shard K/N`. Debates are copied with their journals and prompts; those
/// already present are kept, so running it again copies only new ones; labels, verdicts and ratings that they got elsewhere
/// in the meantime are not copied. Neither are unfinished debates.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output directories to copy debates from
    #[arg(required = true, value_name = "FROM")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// How many debates were added to an output directory, and what became of the others.
#[derive(Debug, Default)]
pub(super) struct Tally {
    taken: u64,
    known: u64,
    /// How many of these have labels, verdicts or ratings there that are missing here.
    having_more: u64,
    left: u64,
    /// Those that could not be added since they have not ended well.
    pub(super) unended: u64,
}

impl Tally {
    /// Counts a debate; if it was skipped, returns why.
    pub(super) fn take<'m>(&mut self, merged: &'m Merged) -> Option<&'m str> {
        match merged {
            Merged::Taken => self.taken += 1,
            Merged::Known { has_more } => {
                self.known += 1;
                self.having_more += u64::from(*has_more);
            }
            Merged::Left(why) => {
                self.left += 1;
                return Some(why);
            }
        }
        None
    }

    /// Whether none was skipped.
    pub(super) fn is_whole(&self) -> bool {
        self.left == 0
    }

    /// Reports the number of debates added, the fate of the others, and the list.
    pub(super) fn tell(&self, did: &str, unended: &str, output: &OutputArg) {
        let taken = text::count(self.taken, "debate");
        let others = text::further_counts(&[
            (self.known, "already present"),
            (self.left, "skipped"),
            (self.unended, unended),
        ]);
        let index = output.dir.join("index.md");
        print::told(&format!("{did} {taken}{others}"));
        if self.having_more > 0 {
            let debates = text::count(self.having_more, "debate");
            print::remark(&format!(
                "not copied: labels, verdicts or ratings of {debates} already present"
            ));
        }
        print::out(&output_directory::listed("all", &index));
    }
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let from = args
        .from
        .iter()
        .map(|dir| output_directory::existing(dir))
        .collect::<Result<Vec<OutputDir>, Failure>>()?;
    let to = OutputDir::at(&args.output.dir);
    to.prepare()?;
    let mut merger = Merger::new(&to, &Clock::system())?;
    let mut tally = Tally::default();
    for one in &from {
        merge(&mut merger, one, &mut tally)?;
    }
    lists::rebuild(&to, &templates)?;
    tally.tell("merged", "unfinished, not copied", &args.output);
    Ok(done_if(tally.is_whole()))
}

fn merge(merger: &mut Merger<'_>, from: &OutputDir, tally: &mut Tally) -> Result<(), Failure> {
    let dirs = from.debates()?;
    let bar = Bar::new("debates");
    for (done, dir) in dirs.iter().enumerate() {
        bar.at(done, dirs.len());
        if let Some(why) = tally.take(&merger.take(from, dir)?) {
            print::warn(&format!("skipped {}: {why}", dir.display()));
        }
    }
    tally.unended += from.begun()?.len() as u64;
    Ok(())
}
