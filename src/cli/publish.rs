//! `rebut publish`: finished debates as a folder of pages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::debate_selection::{Bar, Picked};
use super::args::output_directory;
use super::args::templates::TemplatesArg;
use super::process::failure::{Failure, NAME_OUTPUT, done_if};
use super::terminal::print;
use crate::publish::{self, PublishError, Published, PublishedDebate, Site};
use crate::stats::report_breakdowns;
use crate::store::layout;
use crate::templates::Templates;
use crate::{report, text};

/// Publish finished debates as a folder of pages that needs no server
///
/// The folder contains a page per debate, a searchable list and the report. Pages load nothing from outside; only web addresses in
/// models' texts lead out of the folder. Prompts are published only with --with-calls. Run it again to rewrite the list,
/// the report and changed pages, and to remove deleted debates.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output directory
    #[arg(value_name = "OUT", default_value = layout::DEFAULT, env = layout::VARIABLE)]
    output: PathBuf,
    /// Folder to write to: new, empty, or written by an earlier `rebut publish`
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Replace the pages in the folder even if all of them are of debates that are not in the output directory
    #[arg(long)]
    replace: bool,
    /// Count rehearsals in the report; they get pages either way
    #[arg(long)]
    include_rehearsals: bool,
    /// Also publish all calls with their replies and prompts, including personas, rules and background
    #[arg(long)]
    with_calls: bool,
    #[command(flatten)]
    templates: TemplatesArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let output = output_directory::existing(&args.output)?;
    let dirs = output.debates()?;
    let (found, left_out) = publish::debates(output.root(), dirs);
    if found.is_empty() {
        let cause = format!("no finished debate in {}", args.output.display());
        return Err(Failure::input(cause, NAME_OUTPUT));
    }
    let mut site = Site::open(&args.to).map_err(cannot_publish)?;
    if !args.replace {
        site.is_for(found.iter().flat_map(PublishedDebate::files)).map_err(cannot_publish)?;
    }
    let bar = Bar::new("debates");
    let calls = args.with_calls.then_some(&output);
    let at = |done, all| bar.at(done, all);
    let published = publish::pages(&mut site, found, calls, &templates, at);
    drop(bar);
    let mut published = published.map_err(cannot_publish)?;
    published.faults.extend(left_out);
    let has_report = report(&mut site, &published, args, &templates)?;
    publish::list(&mut site, &published.debates, has_report, &templates).map_err(cannot_publish)?;
    let (written, removed) = site.close().map_err(cannot_publish)?;
    tell(&args.to, &published, written, removed);
    if !has_report {
        print::out("no report: there are only rehearsals; --include-rehearsals counts them");
    }
    published.faults.iter().for_each(|fault| print::warn(fault));
    Ok(done_if(published.faults.is_empty()))
}

/// Writes the report on the published debates; none if no debate counts.
fn report(
    site: &mut Site,
    published: &Published,
    args: &Args,
    templates: &Templates,
) -> Result<bool, Failure> {
    let dirs = published.debates.iter().map(|debate| debate.dir().to_owned());
    let picked = Picked::all_of(dirs.collect(), args.include_rehearsals);
    let corpus = picked.corpus()?;
    if picked.any(&corpus).is_err() {
        return Ok(false);
    }
    let mut findings = picked.findings(&corpus, report_breakdowns(), &args.output)?;
    // The full command line would reveal paths on this machine.
    findings.provenance.command = "rebut publish".to_owned();
    let page = report::html(&findings, templates)?;
    let written = site.write("report.html", String::new(), page.as_bytes());
    written.map_err(cannot_publish)?;
    Ok(true)
}

fn tell(to: &Path, published: &Published, written: usize, removed: usize) {
    let debates = text::count(published.debates.len(), "debate");
    let written = text::count(written, "file");
    let removed = text::told_if(removed > 0, || format!(", {removed} removed"));
    let lacking = text::count(published.without_calls, "debate");
    let told = || format!("; {lacking} without calls: their prompts were not kept");
    let without = text::told_if(published.without_calls > 0, told);
    let told = format!("published {debates} ({written} written{removed}){without}");
    print::told(&told);
    print::out(&output_directory::listed("all", &to.join("index.html")));
}

fn cannot_publish(error: PublishError) -> Failure {
    let hint = match error {
        PublishError::Claimed(..) => "wait for it to end, or publish to another folder with --to",
        PublishError::OfOthers(_) => "publish to another folder with --to, or add --replace",
        PublishError::Template(_) => "fix the template in --templates, or omit it",
        _ => return Failure::unwritten(error, "publish to another folder with --to"),
    };
    Failure::input(error, hint)
}
