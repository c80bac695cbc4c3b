//! `rebut stats`: what came out of many debates.

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{Failure, from_error};
use super::pick::{self, Picked};
use super::print;
use crate::report;
use crate::stats::findings::Findings;
use crate::templates::{Templates, inert_json};

/// Count, average, compare and rank all debates below directories
///
/// Each number comes with its n and a 95 % interval that is clustered by topic; what cannot be told is none, with the reason.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// Group by these, in this order: status, format, job, topic, tag.NAME, model, persona, position, order, participant, judge
    ///
    /// A debate counts once for each of its contestants (judges) that the keys tell apart, with what that one said (gave).
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    by: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For the terminal
    Text,
    /// Markdown
    Md,
    /// Everything, as `rebut report -o report.json` has it
    Json,
    /// The numbers of the groups, one row a group and measure
    Csv,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let by = pick::keys(&args.by)?;
    let findings = args.picked.findings(vec![by], Path::new("."))?;
    print::out(printed(args.format, &findings)?.trim_end());
    Ok(ExitCode::SUCCESS)
}

fn printed(format: Format, findings: &Findings) -> Result<String, Failure> {
    Ok(match format {
        Format::Text => report::text::text(findings).join("\n"),
        Format::Md => {
            let templates = Templates::load(None).map_err(from_error)?;
            report::markdown(findings, &templates).map_err(from_error)?
        }
        Format::Json => inert_json(&serde_json::to_string_pretty(findings).map_err(from_error)?),
        Format::Csv => {
            let groups = findings.breakdowns.iter().map(report::groups_csv::csv);
            groups.collect::<Result<String, _>>().map_err(from_error)?
        }
    })
}
