//! `rebut new`: a commented job to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::failure::{Failure, from_error};
use super::tournament::TournamentArgs;
use super::{print, shell};
use crate::files;
use crate::job;
use crate::templates::Templates;

/// Write a commented job to start from, to FILE or stdout
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Format
    format: Format,
    /// File to write; an existing file is never overwritten [default: stdout]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    tournament: TournamentArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// One X against several Y who judge and replace each other
    Knockout,
    /// Advocates under a moderator: openings, arguments and rebuttals, closings, scores
    Moderated,
    /// Two agents in turn, and judges
    Duel,
    /// Specialists who seek a common answer to a question
    Roundtable,
    /// A proposal, its critique over several rounds, and a synthesis
    Dialectic,
    /// Duels in which every model plays every other
    Tournament,
}

impl Format {
    /// The format whose starter job is wanted; a tournament has none.
    fn of_starter(self) -> Option<job::Format> {
        Some(match self {
            Self::Knockout => job::Format::Knockout,
            Self::Moderated => job::Format::Moderated,
            Self::Duel => job::Format::Duel,
            Self::Roundtable => job::Format::Roundtable,
            Self::Dialectic => job::Format::Dialectic,
            Self::Tournament => return None,
        })
    }
}

/// The job's text.
fn source(args: &Args) -> Result<String, Failure> {
    let templates = Templates::load(None).map_err(super::failure::from_error)?;
    let Some(format) = args.format.of_starter() else {
        return args.tournament.job(&templates);
    };
    if !args.tournament.is_empty() {
        let cause = "--models, --judges and --topics are for `rebut new tournament`";
        return Err(Failure::input(cause, "omit them and edit the job"));
    }
    let source = templates.source(&format!("jobs/{}.yaml", format.name()));
    Ok(source.unwrap_or_default().to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let source = source(args)?;
    if args.format.of_starter().is_none() && !args.tournament.names_judges() {
        print::err("name the judges and the clerk in the job: models that do not compete");
    }
    let Some(file) = &args.file else {
        print::out(source.trim_end());
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(dir) = file.parent() {
        files::create_dir(dir).map_err(from_error)?;
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file)
        .and_then(|mut f| f.write_all(source.as_bytes()));
    match written {
        Ok(()) => {
            print::out(&format!(
                "wrote {}; see what it would run with: rebut check {}",
                file.display(),
                shell::quoted(&file.to_string_lossy())
            ));
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
