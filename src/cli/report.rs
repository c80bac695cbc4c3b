//! `rebut report`: the results of many debates, as a page.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::debate_selection::{self, Picked};
use super::args::templates::TemplatesArg;
use super::process::failure::Failure;
use super::terminal::print;
use crate::files::{FileError, Staged};
use crate::report::FigureFile;
use crate::stats::key::Key;
use crate::stats::report_breakdowns;
use crate::{files, report, text};

/// Write a report on debates: a page with charts, Markdown or JSON
///
/// The page is one file without network access; its only script sorts and searches tables, and it can be read without. JSON contains the same numbers; Markdown is a short version (everything with
/// --full); --figures writes charts and tables for a paper. On the page and in full Markdown, each number links to its debates, relative to the file.
#[derive(Debug, clap::Args)]
#[command(after_help = debate_selection::help([
    "rebut report                                   report.html on everything in ./output",
    "rebut report night1 -o night1/report.md        one output directory, as short Markdown",
    "rebut report --where job=pilot --by tag.wave   one job, also grouped by its tag `wave`",
]))]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// File to write, not the output directory, which is named without a flag; the extension selects the format: .html,
    /// .md or .json
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// For Markdown: include all tables; the default is a short report of under 4,000 tokens
    #[arg(long)]
    full: bool,
    /// Also write each chart as SVG and each table as LaTeX into this directory
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    #[arg(long, value_delimiter = ',', value_name = "KEYS", help = by_help())]
    by: Vec<String>,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// The format of a report.
#[derive(Debug, Clone, Copy)]
enum FileFormat {
    Html,
    Markdown,
    Json,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let form = form(&args.output)?;
    let templates = args.templates.load()?;
    let by = debate_selection::keys(&args.by)?;
    let corpus = args.picked.corpus()?;
    debate_selection::warn_of_absent(&corpus, &by);
    let breakdowns = breakdowns(by);
    args.picked.any(&corpus)?;
    // Created first, so that links start from its real path.
    files::create_dir(place(&args.output)).map_err(|e| Failure::unwritten(e, ELSEWHERE))?;
    let findings = (args.picked).findings(&corpus, breakdowns, place(&args.output))?;
    // The findings contain everything still needed.
    drop(corpus);
    let page = match form {
        FileFormat::Html => Some(report::html(&findings, &templates)?),
        FileFormat::Markdown if args.full => Some(report::markdown(&findings, &templates)?),
        FileFormat::Markdown => Some(report::brief(&findings, &templates)?),
        FileFormat::Json => None,
    };
    write(&args.output, ELSEWHERE, |file| match &page {
        Some(page) => file.write_all(page.as_bytes()),
        None => report::json(&findings, file),
    })?;
    let figures = args.figures.as_deref();
    let figures = figures.map(|dir| write_figures(dir, &report::figures(&findings))).transpose()?;
    let ended = args.picked.chosen.ended(findings.damaged.len());
    print::told(findings.headlines.first().map_or("", String::as_str));
    figures.iter().for_each(|said| print::told(said));
    let how = if let FileFormat::Html = form { "; open it in a browser" } else { "" };
    print::out(&format!("wrote {}{how}", args.output.display()));
    Ok(ended)
}

/// Writes figures and reports their number.
fn write_figures(dir: &Path, figures: &[FigureFile]) -> Result<String, Failure> {
    let elsewhere = "write them to another directory with --figures";
    files::create_dir(dir).map_err(|e| Failure::unwritten(e, elsewhere))?;
    for figure in figures {
        let content = figure.content.as_bytes();
        let path = dir.join(&figure.name);
        write(&path, elsewhere, |file| file.write_all(content))?;
    }
    let charts = figures.iter().filter(|f| f.name.ends_with(".svg")).count();
    let tables = text::count(figures.len() - charts, "table");
    let (charts, dir) = (text::count(charts, "chart"), dir.display());
    Ok(text::one_line(&format!("wrote {charts} (SVG) and {tables} (LaTeX) to {dir}")))
}

/// Help of `--by`, with the groupings that a report has without it.
fn by_help() -> String {
    let own: Vec<String> = report_breakdowns().iter().flatten().map(Key::to_string).collect();
    format!(
        "Add a grouping by this combination of comma-separated keys. A report always shows all debates together and grouped by \
         each of {}",
        own.join(", ")
    )
}

/// The standard groupings of a report, and the requested one.
fn breakdowns(by: Vec<Key>) -> Vec<Vec<Key>> {
    let mut all = report_breakdowns();
    if !all.contains(&by) {
        all.insert(1, by);
    }
    all
}

/// Writes a file that the user named, atomically; `elsewhere` names the option for another place.
pub(super) fn write(
    file: &Path,
    elsewhere: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    // A bare name needs a directory in front, so that it can be synced.
    let path = place(file).join(file.file_name().unwrap_or_default());
    // It is first written under another name, which means nothing to the user.
    let of_file = |e: FileError| FileError { path: path.clone(), ..e };
    let staged = files::sweep_for(&path).and_then(|()| Staged::create(&path));
    let written = staged.and_then(|mut staged| {
        staged.fill(content)?;
        staged.commit()
    });
    written.map_err(|e| Failure::unwritten(of_file(e), elsewhere))
}

/// What to do if a file cannot be written.
pub(super) const ELSEWHERE: &str = "write to another file with -o";

/// The format selected by a file's extension.
fn form(file: &Path) -> Result<FileFormat, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(FileFormat::Html),
        Some("md") => Ok(FileFormat::Markdown),
        Some("json") => Ok(FileFormat::Json),
        _ => Err(Failure::input(
            format!("{}: unknown report format", file.display()),
            if file.is_dir() {
                "-o names the report's file; the directories to read stand alone, as in `rebut report DIR`"
            } else {
                "use a file name ending in .html, .md or .json"
            },
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
