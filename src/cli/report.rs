//! `rebut report`: what came out of many debates, as a page.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::failure::Failure;
use super::pick::{self, Picked};
use super::print;
use super::templates::TemplatesArg;
use crate::files::{FileError, Staged};
use crate::report::FigureFile;
use crate::stats::key::Key;
use crate::stats::report_breakdowns;
use crate::{files, report, text};

/// Write a report on many debates: a page with charts, Markdown or JSON
///
/// The page is one file that needs no network and no scripts, JSON holds the same numbers, Markdown the gist of them (all with
/// --full); --figures writes charts and tables for a paper. In page and full Markdown each number links to the debates behind it, relative to the file.
#[derive(Debug, clap::Args)]
#[command(after_help = pick::help([
    "rebut report                                   report.html on everything in ./output ",
    "rebut report night1 -o night1/report.md        one output directory, in short, as Markdown",
    "rebut report --where job=pilot --by tag.wave   one job, also grouped by its tag `wave`",
]))]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// File to write; its extension chooses the format: .html, .md or .json
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Write all tables, if the report is Markdown: by default it is short, under 4,000 tokens
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

/// The form of a report.
#[derive(Debug, Clone, Copy)]
enum FileFormat {
    Html,
    Markdown,
    Json,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let form = form(&args.output)?;
    let templates = args.templates.load()?;
    let breakdowns = breakdowns(pick::keys(&args.by)?);
    let corpus = args.picked.corpus()?;
    args.picked.any(&corpus)?;
    // It is there before the links are made: they start from where it really is.
    files::create_dir(place(&args.output)).map_err(cannot_write)?;
    let findings = (args.picked).findings(&corpus, breakdowns, place(&args.output))?;
    // All that is still needed of the debates is in the findings.
    drop(corpus);
    let page = match form {
        FileFormat::Html => Some(report::html(&findings, &templates)?),
        FileFormat::Markdown if args.full => Some(report::markdown(&findings, &templates)?),
        FileFormat::Markdown => Some(report::brief(&findings, &templates)?),
        FileFormat::Json => None,
    };
    write(&args.output, |file| match &page {
        Some(page) => file.write_all(page.as_bytes()),
        None => report::json(&findings, file),
    })?;
    let figures = args.figures.as_deref();
    let figures = figures.map(|dir| write_figures(dir, &report::figures(&findings)));
    let figures = figures.transpose()?;
    let ended = args.picked.chosen.ended(findings.damaged.len());
    let verdict = findings.headlines.first().map_or("", String::as_str);
    let wrote = format!("wrote {}: {verdict}", args.output.display());
    print::out(&text::one_line(&wrote));
    figures.iter().for_each(|said| print::out(said));
    Ok(ended)
}

/// Writes figures and says what there is.
fn write_figures(dir: &Path, figures: &[FigureFile]) -> Result<String, Failure> {
    files::create_dir(dir).map_err(cannot_write)?;
    for figure in figures {
        let content = figure.content.as_bytes();
        write(&dir.join(&figure.name), |file| file.write_all(content))?;
    }
    let charts = figures.iter().filter(|f| f.name.ends_with(".svg")).count();
    let tables = text::count(figures.len() - charts, "table");
    let (charts, dir) = (text::count(charts, "chart"), dir.display());
    let wrote = format!("wrote {charts} (SVG) and {tables} (LaTeX) to {dir}");
    Ok(text::one_line(&wrote))
}

/// What `--by` does, and which groupings a report has without it.
fn by_help() -> String {
    let own = report_breakdowns();
    let own: Vec<String> = own.iter().flatten().map(Key::to_string).collect();
    format!(
        "Add a grouping by these comma-separated keys together. A report always shows all debates together and grouped by \
         each of {}",
        own.join(", ")
    )
}

/// The groupings that a report has by itself, and the one that is asked for.
fn breakdowns(by: Vec<Key>) -> Vec<Vec<Key>> {
    let mut all = report_breakdowns();
    if !all.contains(&by) {
        all.insert(1, by);
    }
    all
}

/// Writes a file that the user named, in one step.
pub(super) fn write(
    file: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    // A bare name has no directory to sync until one stands before it.
    let path = place(file).join(file.file_name().unwrap_or_default());
    // It is written under another name first, which says nothing to the user.
    let of_file = |e: FileError| FileError {
        path: path.clone(),
        ..e
    };
    let staged = files::sweep_for(&path).and_then(|()| Staged::create(&path));
    let written = staged.and_then(|mut staged| {
        staged.fill(content)?;
        staged.commit()
    });
    written.map_err(|e| cannot_write(of_file(e)))
}

fn cannot_write(error: FileError) -> Failure {
    Failure::input(error, "write to another file with -o, or free space there")
}

/// The form that a file's ending asks for.
fn form(file: &Path) -> Result<FileFormat, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(FileFormat::Html),
        Some("md") => Ok(FileFormat::Markdown),
        Some("json") => Ok(FileFormat::Json),
        _ => Err(Failure::input(
            format!("{}: unknown report format", file.display()),
            "name a file that ends in .html, .md or .json",
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
