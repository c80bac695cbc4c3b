//! `rebut export`: debates as files for other tools.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{Failure, NAME_OUTPUT};
use super::pick::{self, Bar, Chosen};
use super::print;
use crate::export::{self, ExportError, Exported, To, Wanted};
use crate::text;

/// Export debates as tables (CSV, JSON Lines), or final answers as training examples
///
/// docs/src/reference/export-columns.md describes the columns. Existing files of the same names are replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = pick::help([
    "rebut export --to csv                          ./output as tables in ./export",
    "rebut export night1 --to jsonl -o tables       one output directory, as JSON Lines in ./tables",
    "rebut export --to finetune --where job=pilot   training examples from one job",
]))]
pub(super) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// What to write
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    /// Directory to write to
    #[arg(short, long, value_name = "DIR", default_value = "export")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// debates.csv, statements.csv, ballots.csv, calls.csv, flow.csv
    Csv,
    /// The same tables as .jsonl: one JSON object per row
    Jsonl,
    /// finetune.jsonl: chats of question and final answer, from dialectic debates marked as worth training on
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
    let filters = args.chosen.filters()?;
    let wanted = Wanted {
        dirs: &args.chosen.dirs(),
        to: args.to.to(),
        out: &args.output,
        filters: &filters,
        rehearsals: args.chosen.include_rehearsals,
    };
    let bar = Bar::new("traces");
    let exported = export::export(&wanted, &|done, all| bar.at(done, all));
    drop(bar);
    let exported = exported.map_err(failure)?;
    tell(&exported);
    if exported.passed == 0 && !filters.is_empty() {
        pick::warn_where_none_pass(&args.chosen.read()?, &filters);
    }
    pick::tell_damage(exported.damaged.iter().map(ToString::to_string));
    Ok(ExitCode::SUCCESS)
}

fn failure(error: ExportError) -> Failure {
    let hint = match &error {
        ExportError::NoDirectory(_) => NAME_OUTPUT,
        ExportError::File(_) => "write to another directory with -o, or free space there",
    };
    Failure::input(error, hint)
}

/// Says what was written and what was left out.
fn tell(exported: &Exported) {
    for (path, rows) in &exported.files {
        let rows = text::count(*rows, "row");
        print::told(&format!("wrote {}: {rows}", path.display()));
    }
    for (reason, count) in &exported.left_out {
        let debates = text::count(*count, "debate");
        print::out(&format!("{debates} excluded: {}", reason.words()));
    }
    if exported.rehearsals > 0 {
        let rehearsals = text::count(exported.rehearsals, "rehearsal");
        print::out(&format!(
            "{rehearsals} excluded; --include-rehearsals exports them"
        ));
    }
    if exported.copies > 0 {
        let copies = match exported.copies {
            1 => "1 copy of a debate".to_owned(),
            n => format!("{n} copies of debates"),
        };
        print::out(&format!("{copies} excluded"));
    }
}
