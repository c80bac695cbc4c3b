//! `rebut render`: renders the files of finished debates again from their traces.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::args::output_directory::{OutputArg, is_id};
use super::args::templates::TemplatesArg;
use super::process::failure::Failure;
use super::terminal::print;
use crate::clock::Clock;
use crate::files::Claim;
use crate::id::DebateId;
use crate::job::{OutputFormat, OutputOptions};
use crate::stats::read::trace_paths;
use crate::store::layout::{OutputDir, holder};
use crate::store::render;
use crate::templates::Templates;
use crate::text::one_line;
use crate::trace::Trace;

/// Rewrite the files of finished debates from their traces
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debates: ids (at least 4 digits), directories, or files in them. A directory of debates, such as the output
    /// directory, means all of them
    #[arg(required = true, value_name = "DEBATES")]
    debates: Vec<String>,
    #[command(flatten)]
    output: OutputArg,
    /// New formats of messages and transcript: md, json, text
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = form)]
    formats: Vec<OutputFormat>,
    /// Also write each debate as one file (transcript), from now on
    #[arg(long)]
    transcript: bool,
    #[command(flatten)]
    templates: TemplatesArg,
}

fn form(text: &str) -> Result<OutputFormat, String> {
    serde_json::from_value(json!(text)).map_err(|_| "use md, json or text".to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let mut ended = ExitCode::SUCCESS;
    for named in &args.debates {
        for dir in directories(args, named)? {
            match render(args, &dir, &templates) {
                Ok(()) => print::out(&one_line(&format!("rendered {}", dir.display()))),
                Err(failure) => ended = failure.report(),
            }
        }
    }
    Ok(ended)
}

/// The directory of a debate, or those of all debates below an output directory or a part of it.
fn directories(args: &Args, named: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = Path::new(named);
    let whole = path.canonicalize().unwrap_or_default();
    let mut around = whole.ancestors();
    let in_output = around.any(|dir| OutputDir::at(dir).is_one());
    if path.is_dir() && !is_id(named) && in_output {
        let found = trace_paths(&[path.to_path_buf()])?;
        let dirs: Vec<PathBuf> =
            found.iter().filter_map(|trace| trace.parent()).map(Path::to_path_buf).collect();
        if !dirs.is_empty() {
            return Ok(dirs);
        }
    }
    Ok(vec![args.output.debate(named)?.dir])
}

fn render(args: &Args, dir: &Path, templates: &Templates) -> Result<(), Failure> {
    let mut trace = Trace::read(&dir.join("trace.json"))?;
    let _claim = claim(dir, &trace.id)?;
    change_output(args, &mut trace);
    render::rewrite(dir, &trace, templates)?;
    if args.transcript || !args.formats.is_empty() {
        render::replace_trace(dir, &trace)?;
    }
    Ok(())
}

/// Claims a debate in an output directory, so that no run replaces it in the meantime.
fn claim(dir: &Path, id: &DebateId) -> Result<Option<Claim>, Failure> {
    let Some(root) = render::root_of(dir) else { return Ok(None) };
    let taken = OutputDir::at(&root).claim(id, &holder(&Clock::system()));
    let claim = taken?.map_err(|holder| {
        let dir = dir.display();
        let cause = format!("{dir} is being written by another rebut ({holder})");
        Failure::input(cause, "render it after that")
    });
    claim.map(Some)
}

fn change_output(args: &Args, trace: &mut Trace) {
    let mut options: OutputOptions =
        serde_json::from_value(trace.plan.output.clone()).unwrap_or_default();
    options.transcript |= args.transcript;
    if !args.formats.is_empty() {
        let formats = args.formats.iter().copied();
        let more = formats.filter(|form| *form != OutputFormat::Md);
        options.formats = std::iter::once(OutputFormat::Md).chain(more).collect();
    }
    trace.plan.output = json!(options);
}
