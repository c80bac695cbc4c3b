//! `rebut rate`: a user's rating of a finished debate.

use std::process::ExitCode;

use super::args::output_directory::OutputArg;
use super::args::templates::TemplatesArg;
use super::args::values::number;
use super::process::failure::Failure;
use super::terminal::print;
use crate::clock::Clock;
use crate::machine;
use crate::store::amend;
use crate::store::error::StoreError;
use crate::store::layout::OutputDir;
use crate::store::rate::Rating;
use crate::text::one_line;

/// What takes a finished debate's replies away.
const GONE: &str = "`rebut clean` removes the replies of old debates; of a copied debate, rate the original, in its output directory";

/// Rate a finished debate from 1 to 10, replacing any earlier rating
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate: its id (at least 4 digits), its directory or a file in it; `last` is the newest of all
    #[arg(value_name = "DEBATE")]
    debate: String,
    /// Rating from 1 (useless) to 10 (nothing to add)
    #[arg(value_name = "RATING", value_parser = number::<u8>(1..=10))]
    rating: u8,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let found = args.output.debate(&args.debate)?;
    let output = OutputDir::at(found.root(&args.output));
    let (rating, clock) = (args.rating, Clock::system());
    let noted = amend::note(&output, &found.dir, &Rating(rating), (&templates, &clock));
    noted.map_err(|error| failure(error, args))?;
    print::out(&one_line(&format!("rated {rating} out of 10: {}", found.dir.display())));
    Ok(ExitCode::SUCCESS)
}

fn failure(error: StoreError, args: &Args) -> Failure {
    let hint = match &error {
        StoreError::NoJournal(_) => {
            let cause = format!("{} can no longer be rated: its replies are gone", args.debate);
            return Failure::input(cause, GONE);
        }
        StoreError::Claimed { .. } => "rate it after that",
        full if machine::is_full(full) => {
            "make room and rate it again: not all of its files have the rating yet"
        }
        StoreError::Retried => "finish it first: run its job again, then rate the result",
        _ => return error.into(),
    };
    Failure::input(error, hint)
}
