//! `rebut export`: debates as files for other tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use super::args::debate_selection::{self, Bar, Chosen};
use super::args::output_directory;
use super::process::failure::Failure;
use super::terminal::print;
use crate::export::script::{self, NoScript};
use crate::export::{self, Encoding, ExportError, Exported, To, Wanted};
use crate::facts;
use crate::files;
use crate::stats::key::{Filter, chosen};
use crate::stats::read::trace_paths;
use crate::text;

/// Export debates as tables (CSV, JSON Lines), final answers as training examples, or replies as scripts to rehearse with
///
/// docs/src/reference/export-columns.md describes the columns. Existing files with these names are overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = debate_selection::help([
    "rebut export night1 --to csv -o tables         one output directory, as tables in ./tables",
    "rebut export --to finetune --where job=pilot   training examples from one job",
    "rebut export 669b --to script                  one debate's replies, to rehearse with",
]))]
pub(super) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Export format
    #[arg(long, value_enum, value_name = "csv|jsonl|finetune|script")]
    to: Form,
    /// Directory to write to, not the output directory, which is named without a flag
    #[arg(short, long, value_name = "DIR", default_value = "export")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// debates.csv, statements.csv, ballots.csv, calls.csv, flow.csv
    Csv,
    /// The same tables as .jsonl: one JSON object per row
    Jsonl,
    /// finetune.jsonl: chats of question and final answer, from dialectic debates worth training on
    Finetune,
    /// One JOB_ID.script.txt per debate, including rehearsals: every reply, for `rebut run --rehearse --script`
    Script,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    match args.to {
        Form::Csv => rows(args, To::Tables(Encoding::Csv)),
        Form::Jsonl => rows(args, To::Tables(Encoding::Jsonl)),
        Form::Finetune => rows(args, To::Finetune),
        Form::Script => scripts(args),
    }
}

/// Writes the script of every selected debate.
fn scripts(args: &Args) -> Result<ExitCode, Failure> {
    let filters = args.chosen.filters()?;
    let traces = trace_paths(&args.chosen.debates()?).map_err(|e| failure(e.into()))?;
    files::create_dir(&args.output).map_err(|e| failure(e.into()))?;
    let (mut written, mut gone, mut left_out) = (0, 0, Vec::new());
    for trace in traces {
        match script_of(&trace, &filters, &args.output) {
            Ok(None) => {}
            Ok(Some(told)) => {
                print::told(&told);
                written += 1;
            }
            Err(error @ NoScript::NoJournal(_)) => {
                print::warn(&error.to_string());
                gone += 1;
            }
            Err(NoScript::File(error)) => return Err(failure(error.into())),
            Err(error) => left_out.push(error.to_string()),
        }
    }
    let none_passed = left_out.is_empty() && gone == 0;
    let failed = written == 0 && !(none_passed && filters.is_empty());
    if written == 0 && none_passed && !filters.is_empty() {
        debate_selection::warn_where_none_pass(&args.chosen.read()?, &filters);
    }
    let ended = args.chosen.ended(gone + left_out.len());
    debate_selection::tell_damage(left_out.into_iter());
    if failed { Err(Failure::input("no script was written", "")) } else { Ok(ended) }
}

/// Writes the script of a debate if the filters match it; returns the message.
fn script_of(trace: &Path, filters: &[Filter], out: &Path) -> Result<Option<String>, NoScript> {
    let facts = facts::cache::read(trace)?;
    if !chosen(&facts, filters) {
        return Ok(None);
    }
    let (path, replies) = script::write(trace, out)?;
    let noun = if replies == 1 { "reply" } else { "replies" };
    Ok(Some(format!("wrote {}: {replies} {noun}", path.display())))
}

/// Writes tables or training examples.
fn rows(args: &Args, to: To) -> Result<ExitCode, Failure> {
    let filters = args.chosen.filters()?;
    let wanted = Wanted {
        dirs: &args.chosen.debates()?,
        to,
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
        debate_selection::warn_where_none_pass(&args.chosen.read()?, &filters);
    }
    debate_selection::tell_damage(exported.damaged.iter().map(ToString::to_string));
    if exported.files.is_empty() {
        return Err(Failure::input("no debate to export; no file was written", ""));
    }
    Ok(args.chosen.ended(exported.damaged.len()))
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::NotOutput(error) => output_directory::not_output(error),
        ExportError::File(error) => Failure::unwritten(error, "write to another directory with -o"),
    }
}

/// Reports what was written and what was excluded.
fn tell(exported: &Exported) {
    for (path, rows) in &exported.files {
        let rows = text::count(*rows, "row");
        print::told(&format!("wrote {}: {rows}", path.display()));
    }
    for (reason, count) in &exported.left_out {
        let debates = text::count(*count, "debate");
        print::told(&format!("{debates} excluded: {}", reason.words()));
    }
    if exported.rehearsals > 0 {
        print::told(&debate_selection::rehearsals_excluded(exported.rehearsals));
    }
    match exported.copies {
        0 => {}
        1 => print::out("1 copy of a debate excluded"),
        n => print::out(&format!("{n} copies of debates excluded")),
    }
}
