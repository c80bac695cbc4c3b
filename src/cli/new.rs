//! `rebut new`: writes a commented job to start from.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::new_tournament::TournamentArgs;
use super::process::failure::Failure;
use super::shell;
use super::terminal::print;
use crate::files;
use crate::job::AnyFormat;
use crate::templates::Templates;

/// Not a job: the judges of finished debates.
const PANEL: &str = "panel";
/// The starter panel.
const STARTER: &str = "panels/panel.yaml";
/// A job made from lists.
const TOURNAMENT: &str = "tournament";

/// Write a commented starter job or panel to FILE or stdout
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Format of the job, or `tournament` or `panel`
    #[arg(value_parser = starters())]
    format: String,
    /// File to write; an existing file is never overwritten [default: stdout]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    tournament: TournamentArgs,
}

/// The formats, and the other things to write.
fn starters() -> PossibleValuesParser {
    let formats = AnyFormat::all().map(|f| PossibleValue::new(f.name()).help(f.profile.about));
    let panel = "A panel: judges for finished debates (`rebut judge`)";
    let others = [(TOURNAMENT, "Duels between all pairs of models"), (PANEL, panel)]
        .map(|(name, about)| PossibleValue::new(name).help(about));
    formats.chain(others).collect::<Vec<_>>().into()
}

/// The job's text.
fn source(args: &Args) -> Result<String, Failure> {
    let templates = Templates::load(None)?;
    // A tournament has no starter job.
    let starter = match AnyFormat::named(&args.format) {
        Some(format) => format!("jobs/{}.yaml", format.name()),
        None if args.format == PANEL => STARTER.to_owned(),
        None => return args.tournament.job(&templates),
    };
    if !args.tournament.is_empty() {
        let cause = "--models, --judges and --topics are for `rebut new tournament`";
        return Err(Failure::input(cause, "omit them and edit the job instead"));
    }
    Ok(templates.source(&starter).unwrap_or_default().to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let source = source(args)?;
    let Some(file) = &args.file else {
        print::out(source.trim_end());
        return Ok(ExitCode::SUCCESS);
    };
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir());
    dir.map(files::create_dir).transpose()?;
    files::write_new(file, source.as_bytes()).map_err(|e| match e.source.kind() {
        ErrorKind::AlreadyExists => Failure::input(
            format!("{} exists", file.display()),
            "choose another file name; nothing was overwritten",
        ),
        _ => e.into(),
    })?;
    let next = match args.format.as_str() {
        PANEL => "to see what it would ask for: rebut judge --dry-run --panel",
        _ => "to see what it would run: rebut check",
    };
    let named = shell::quoted(&file.to_string_lossy());
    let in_new = if dir.is_some() { " in a new directory" } else { "" };
    print::out(&format!("wrote {}{in_new}; {next} {named}", file.display()));
    Ok(ExitCode::SUCCESS)
}
