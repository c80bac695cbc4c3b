//! `rebut report`: what came out of many debates, as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::failure::{Failure, from_error};
use super::pick::{self, Picked};
use super::print;
use crate::stats::report_breakdowns;
use crate::templates::Templates;
use crate::{files, report, text};

/// Write what came out of all debates below directories as a page with charts
///
/// One file that needs no network and no script; as Markdown or JSON it holds the same numbers. Each number leads to the debates
/// behind it, by links that are relative to the file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// The file; its ending decides: .html, .md or .json
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Group by these together as well, beside each key alone: format, job, topic, tag.NAME, model, persona, position, order, participant, judge
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    by: Vec<String>,
    /// A directory whose files take the place of built-in templates of the same name, such as `report/style.css`
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy)]
enum Form {
    Html,
    Markdown,
    Json,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let form = form(&args.output)?;
    let templates = Templates::load(args.templates.as_deref()).map_err(from_error)?;
    let mut breakdowns = report_breakdowns();
    let by = pick::keys(&args.by)?;
    if !breakdowns.contains(&by) {
        breakdowns.insert(1, by);
    }
    let findings = args.picked.findings(breakdowns, place(&args.output))?;
    let text = match form {
        Form::Html => report::html(&findings, &templates).map_err(from_error)?,
        Form::Markdown => report::markdown(&findings, &templates).map_err(from_error)?,
        Form::Json => report::json(&findings),
    };
    // A bare name has no directory to sync until one stands before it.
    let file = place(&args.output).join(args.output.file_name().unwrap_or_default());
    files::replace(&file, text.as_bytes()).map_err(from_error)?;
    let verdict = findings.headlines.first().map_or("", String::as_str);
    print::out(&text::one_line(&format!(
        "{}: {verdict}",
        args.output.display()
    )));
    Ok(ExitCode::SUCCESS)
}

/// The form that a file's ending asks for.
fn form(file: &Path) -> Result<Form, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(Form::Html),
        Some("md") => Ok(Form::Markdown),
        Some("json") => Ok(Form::Json),
        _ => Err(Failure::input(
            format!("{}: a report is no file of this kind", file.display()),
            "write to a file that ends in .html, .md or .json",
        )),
    }
}

/// The directory that links start from.
fn place(file: &Path) -> &Path {
    match file.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    }
}
