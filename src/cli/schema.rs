//! `rebut schema`: JSON Schemas of input and output.

use std::process::ExitCode;

use clap::ValueEnum;

#[cfg(feature = "fleet")]
use super::fleet::status_json::FleetReport;
use super::process::failure::Failure;
use super::status::report::StatusReport;
use super::terminal::print;
use crate::artifacts::batch::BatchSummary;
use crate::job;
use crate::stats::findings::Findings;
use crate::trace::Trace;

/// Print the JSON Schema of a job file, a panel, trace.json, report.json, a batch summary or a status
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File or output to describe
    of: Subject,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Subject {
    /// A job file
    Job,
    /// A panel file
    Panel,
    /// A debate's trace.json
    Trace,
    /// Output of `rebut report -o report.json` and `rebut stats --format json`
    Report,
    /// A batch summary, which `rebut run` writes to OUTPUT/batches
    Batch,
    /// Output of `rebut status --json`
    Status,
    /// Output of `rebut status --nats URL --json`
    #[cfg(feature = "fleet")]
    Fleet,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let schema = match args.of {
        Subject::Job => job::schema::job_schema(),
        Subject::Panel => job::schema::panel_schema(),
        Subject::Trace => schemars::schema_for!(Trace).to_value(),
        Subject::Batch => schemars::schema_for!(BatchSummary).to_value(),
        Subject::Status => schemars::schema_for!(StatusReport).to_value(),
        #[cfg(feature = "fleet")]
        Subject::Fleet => schemars::schema_for!(FleetReport).to_value(),
        Subject::Report => schemars::schema_for!(Findings).to_value(),
    };
    print::out(&format!("{schema:#}"));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_a_report_need_not_have_what_it_leaves_out_if_there_is_none() {
        let schema = schemars::schema_for!(Findings).to_value();
        let required = schema["required"].as_array().unwrap();
        let is_required = |key: &str| required.iter().any(|it| it == key);
        assert_eq!(["headlines", "answers", "alone"].map(is_required), [true, false, false]);
    }
}
