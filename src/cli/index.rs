//! `rebut index`: rebuilds the lists of debates from their directories.

use std::process::ExitCode;

use super::args::output_directory::{self, OutputDirArg};
use super::args::templates::TemplatesArg;
use super::process::failure::{Failure, done_if};
use super::terminal::print;
use crate::clock::Clock;
use crate::store::{lists, replace};
use crate::text;

/// Rebuild the lists of debates: index.md, one per day, and index.jsonl
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    output: OutputDirArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let dir = args.output.dir();
    let output = output_directory::existing(&dir)?;
    let back = replace::put_back(&output, &Clock::system())?;
    for path in &back {
        let path = path.display();
        let told = format!("restored {path}: its replacement had been interrupted");
        print::told(&told);
    }
    let listed = lists::rebuild(&output, &templates)?;
    for path in &listed.unreadable {
        let why = "neither its index.md nor its trace.json is readable";
        print::warn(&format!("{} is not listed: {why}", path.display()));
    }
    for path in &listed.copies {
        print::warn(&format!("{} repeats a debate that is listed before it", path.display()));
    }
    let linked = output.linked_days();
    linked.iter().for_each(|warning| print::warn(warning));
    let debates = text::count(listed.debates, "debate");
    let index = dir.join("index.md");
    let told = format!("{debates} listed in {}", index.display());
    print::told(&told);
    Ok(done_if(listed.unreadable.is_empty() && linked.is_empty()))
}
