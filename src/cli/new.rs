//! `rebut new`: a commented job to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::failure::Failure;
use super::tournament::TournamentArgs;
use super::{print, shell};
use crate::files;
use crate::job::AnyFormat;
use crate::templates::Templates;

/// What is no job: the judges of finished debates.
const PANEL: &str = "panel";
/// The starter panel.
const STARTER: &str = "panels/panel.yaml";
/// A job that is made from lists.
const TOURNAMENT: &str = "tournament";

/// Write a commented job to start from, or a panel, to FILE or stdout
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Format
    #[arg(value_parser = starters())]
    format: String,
    /// File to write; an existing file is never overwritten [default: stdout]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    tournament: TournamentArgs,
}

/// The formats, and what else there is a job for.
fn starters() -> PossibleValuesParser {
    let formats = AnyFormat::all().map(|f| PossibleValue::new(f.name()).help(f.profile.about));
    let tournament = PossibleValue::new(TOURNAMENT);
    let panel =
        PossibleValue::new(PANEL).help("A panel: judges for finished debates (`rebut judge`)");
    formats
        .chain([
            tournament.help("Duels in which every model plays every other"),
            panel,
        ])
        .collect::<Vec<_>>()
        .into()
}

impl Args {
    /// The format whose starter job is wanted; a tournament has none.
    fn starter(&self) -> Option<AnyFormat> {
        AnyFormat::named(&self.format)
    }
}

/// The job's text.
fn source(args: &Args) -> Result<String, Failure> {
    let templates = Templates::load(None)?;
    let starter = match args.starter() {
        Some(format) => format!("jobs/{}.yaml", format.name()),
        None if args.format == PANEL => STARTER.to_owned(),
        None => return args.tournament.job(&templates),
    };
    if !args.tournament.is_empty() {
        let cause = "--models, --judges and --topics are for `rebut new tournament`";
        return Err(Failure::input(cause, "omit them and edit the job"));
    }
    let source = templates.source(&starter);
    Ok(source.unwrap_or_default().to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let source = source(args)?;
    if args.format == TOURNAMENT && !args.tournament.names_judges() {
        print::err("name the judges and the clerk in the job: models that do not compete");
    }
    let Some(file) = &args.file else {
        print::out(source.trim_end());
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(dir) = file.parent() {
        files::create_dir(dir)?;
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file)
        .and_then(|mut f| f.write_all(source.as_bytes()));
    match written {
        Ok(()) => {
            let named = shell::quoted(&file.to_string_lossy());
            let next = match args.format.as_str() {
                PANEL => {
                    format!("see what it would ask with: rebut judge --dry-run --panel {named}")
                }
                _ => format!("see what it would run with: rebut check {named}"),
            };
            print::out(&format!("wrote {}; {next}", file.display()));
            Ok(ExitCode::SUCCESS)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(Failure::input(
            format!("{} exists", file.display()),
            "name another file; nothing was overwritten",
        )),
        Err(e) => Err(Failure::input(
            format!("cannot write {}: {e}", file.display()),
            "",
        )),
    }
}
