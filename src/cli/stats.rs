//! `rebut stats`: the results of many debates.

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;

use super::args::debate_selection::{self, Picked};
use super::process::failure::Failure;
use super::terminal::color::Paint;
use super::terminal::{print, screen};
use crate::report;
use crate::templates::Templates;

/// Count, average, compare and rank finished debates
///
/// Each number has its n and a 95% interval, clustered by topic. If a number can't be computed, the reason is shown instead. There is
/// no -o: output directories are named without a flag, and the result goes to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = debate_selection::help([
    "rebut stats                                    everything in ./output",
    "rebut stats night1 night2 --by format,model    two output directories, by format and model",
    "rebut stats --where job=pilot --format csv     the numbers of one job, for a spreadsheet",
]))]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// Group by these comma-separated keys, in this order
    ///
    /// By model, persona, position, order or participant, a debate counts once for each contestant, with that contestant's numbers; by judge, once for
    /// each judge.
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    by: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// For text: print all tables; the default is the findings, caveats and ranks, and the groups of --by
    #[arg(long)]
    full: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Text for the terminal
    Text,
    /// Markdown
    Md,
    /// Everything in `rebut report -o report.json`, but grouped only by --by
    Json,
    /// The numbers of the groups, one row per group and metric (RFC 4180: lines end with CRLF)
    Csv,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let by = debate_selection::keys(&args.by)?;
    let corpus = args.picked.corpus()?;
    debate_selection::warn_of_absent(&corpus, &by);
    // Programs are given the empty result.
    if matches!(args.format, Format::Text | Format::Md) {
        args.picked.any_of_these(&corpus)?;
    }
    let all = |by| args.picked.findings(&corpus, vec![by], Path::new("."));
    let width = screen::width_of_stdout().unwrap_or(report::WIDTH);
    let text = if args.full { report::text } else { report::short_text };
    match args.format {
        Format::Text => print::whole(&with_headings(&text(&all(by)?, width))),
        Format::Md => {
            let templates = Templates::load(None)?;
            print::whole(&report::markdown(&all(by)?, &templates)?);
        }
        Format::Json => {
            let findings = all(by)?;
            print::written(|stdout| report::json(&findings, stdout));
        }
        Format::Csv => {
            let groups = args.picked.groups(&corpus, by)?;
            let tables = groups.iter().map(report::groups_csv::csv);
            print::data(&tables.collect::<String>());
        }
    }
    let ended = args.picked.chosen.ended(corpus.damaged.len());
    // The process ends here: freeing the debates one by one would only cost time.
    std::mem::forget(corpus);
    Ok(ended)
}

/// A report with its headings, which have an underline, in bold.
fn with_headings(text: &str) -> String {
    let paint = Paint::on(&std::io::stdout());
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for n in 1..lines.len() {
        if lines[n].starts_with('─') {
            lines[n - 1] = paint.bold(&lines[n - 1]);
        }
    }
    lines.join("\n")
}
