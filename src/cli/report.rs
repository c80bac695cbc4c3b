//! `rebut report`: what came out of many debates, as a page.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::failure::{Failure, from_error};
use super::pick::{self, Picked};
use super::print;
use crate::files::{FileError, Staged};
use crate::stats::key::Key;
use crate::stats::report_breakdowns;
use crate::templates::Templates;
use crate::{files, report, text};

/// Write what came out of all debates below directories as a page with charts
///
/// One file that needs no network and no script; as Markdown or JSON it holds the same numbers. Each number leads to the debates
/// behind it, by links that are relative to the file.
#[derive(Debug, clap::Args)]
#[command(after_help = pick::help([
    "rebut report                                   report.html, of everything in ./output",
    "rebut report night1 -o night1/report.md        one output directory, as Markdown beside it",
    "rebut report --where job=pilot --by tag.wave   one job, its groups by the tag `wave` as well",
]))]
pub(super) struct Args {
    #[command(flatten)]
    picked: Picked,
    /// The file; its ending decides: .html, .md or .json
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    #[arg(long, value_delimiter = ',', value_name = "KEYS", help = by_help())]
    by: Vec<String>,
    /// A directory whose files take the place of built-in templates of the same name, such as `report/style.css`
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
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
    let templates = Templates::load(args.templates.as_deref()).map_err(from_error)?;
    let breakdowns = breakdowns(pick::keys(&args.by)?);
    let corpus = args.picked.corpus()?;
    args.picked.any(&corpus)?;
    // It is there before the links are made: they start from where it really is.
    files::create_dir(place(&args.output)).map_err(cannot_write)?;
    let findings = (args.picked).findings(&corpus, breakdowns, place(&args.output))?;
    // All that is still needed of the debates is in the findings.
    drop(corpus);
    match form {
        FileFormat::Html => {
            let page = report::html(&findings, &templates).map_err(from_error)?;
            write(&args.output, |file| file.write_all(page.as_bytes()))
        }
        FileFormat::Markdown => {
            let page = report::markdown(&findings, &templates).map_err(from_error)?;
            write(&args.output, |file| file.write_all(page.as_bytes()))
        }
        FileFormat::Json => write(&args.output, |file| report::json(&findings, file)),
    }?;
    let verdict = findings.headlines.first().map_or("", String::as_str);
    print::out(&text::one_line(&format!(
        "wrote {}: {verdict}",
        args.output.display()
    )));
    Ok(ExitCode::SUCCESS)
}

/// What `--by` does, and which groupings a report has without it.
fn by_help() -> String {
    let own = report_breakdowns();
    let own: Vec<String> = own.iter().flatten().map(Key::to_string).collect();
    format!(
        "Group by these keys together as well, with commas between them. A report has by itself all debates together and \
         groups by each of {}; this adds one grouping",
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

fn write(
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
    Failure::input(error, "name another file with -o, or make room there")
}

/// The form that a file's ending asks for.
fn form(file: &Path) -> Result<FileFormat, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(FileFormat::Html),
        Some("md") => Ok(FileFormat::Markdown),
        Some("json") => Ok(FileFormat::Json),
        _ => Err(Failure::input(
            format!(
                "{}: cannot tell from its name which form the report is to have",
                file.display()
            ),
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
