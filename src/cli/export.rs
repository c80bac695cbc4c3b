//! `rebut export`: debates as files for other tools.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{Failure, SOME_NOT_DONE};
use super::pick::{self, Bar};
use super::print;
use crate::export::{self, ExportError, Exported, To, Wanted};
use crate::text;

/// Write debates, statements, ballots and calls as tables, or final answers as examples to train on
///
/// The columns are described in the README. Existing files of the same names are replaced.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output directories, or parts of them
    #[arg(value_name = "DIR", default_value = "output")]
    dirs: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    /// The directory to write to
    #[arg(short, long, value_name = "DIR", default_value = "export")]
    output: PathBuf,
    /// Export only debates in which KEY is VALUE, as `rebut stats` counts them
    #[arg(long = "where", value_name = "KEY=VALUE")]
    filters: Vec<String>,
    /// Export rehearsals too
    #[arg(long)]
    include_rehearsals: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// debates.csv, statements.csv, ballots.csv, calls.csv
    Csv,
    /// The same tables as .jsonl: one JSON object a row
    Jsonl,
    /// finetune.jsonl: chats of question and final answer, from dialectic debates that the judges marked as worth it
    Finetune,
}

impl Form {
    fn to(self) -> To {
        match self {
            Form::Csv => To::Csv,
            Form::Jsonl => To::Jsonl,
            Form::Finetune => To::Finetune,
        }
    }
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let filters = pick::filters(&args.filters)?;
    let wanted = Wanted {
        dirs: &args.dirs,
        to: args.to.to(),
        out: &args.output,
        filters: &filters,
        rehearsals: args.include_rehearsals,
    };
    let bar = Bar::new();
    let exported = export::export(&wanted, &|done, all| bar.at(done, all));
    drop(bar);
    let exported = exported.map_err(failure)?;
    tell(&exported);
    Ok(match exported.damaged.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(SOME_NOT_DONE),
    })
}

fn failure(error: ExportError) -> Failure {
    let hint = match &error {
        ExportError::NoDirectory(_) => "name the directory that `rebut run --output` wrote to",
        ExportError::File(_) => "name another directory with -o, or make room there",
    };
    Failure::input(error, hint)
}

/// Says what was written to stdout, and what could not be read to stderr.
fn tell(exported: &Exported) {
    for (path, rows) in &exported.files {
        let rows = text::count(*rows, "row");
        print::told(&format!("wrote {}: {rows}", path.display()));
    }
    for (reason, count) in &exported.left_out {
        let debates = text::count(*count, "debate");
        print::out(&format!("{debates} left out: {}", reason.words()));
    }
    if exported.rehearsals > 0 {
        let rehearsals = text::count(exported.rehearsals, "rehearsal");
        print::out(&format!(
            "{rehearsals} left out; --include-rehearsals exports them"
        ));
    }
    for damage in &exported.damaged {
        print::err(&text::one_line(&format!("warning: left out: {damage}")));
    }
    if !exported.damaged.is_empty() {
        let traces = text::count(exported.damaged.len() as u64, "trace");
        print::err(&format!("warning: {traces} could not be read"));
    }
}
