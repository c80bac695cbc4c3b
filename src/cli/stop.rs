//! `rebut stop`: asks running batches to stop.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::failure::{Failure, done_if};
use super::output::{self, OutputArg};
use super::print;
use crate::store::requests::{PendingRequest, Reaction, RunningBatch, StopRequest};
use crate::text;

/// How often an answer is looked for. A run looks for requests every second.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stop a running batch cleanly, or some of its debates
///
/// Calls in flight finish, and the same `rebut run` continues later. Every `rebut run` over the output directory is asked,
/// wherever it was started.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A debate (its id, 4 digits or more, or its directory) or a job's name: stop only these debates [default: everything]
    #[arg(value_name = "DEBATE|JOB")]
    target: Option<String>,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let output = args.output.existing()?;
    let target = args.target.as_deref();
    let target = target.map(|named| output::id_in(named).unwrap_or(named).to_owned());
    let request = StopRequest { target };
    let runs = RunningBatch::all(&output)?;
    if runs.is_empty() {
        let dir = args.output.dir.display();
        print::out(&text::one_line(&format!("nothing is running over {dir}")));
    }
    let asked = runs.into_iter().map(|run| run.ask(&request));
    let mut all_answered = true;
    for pending in asked.collect::<Result<Vec<_>, _>>()? {
        all_answered &= report(&pending)?;
    }
    Ok(done_if(all_answered))
}

/// Waits for the answer of one run and prints it; whether there was one.
fn report(pending: &PendingRequest) -> Result<bool, Failure> {
    let (asked, holder) = (Instant::now(), &pending.holder);
    let mut reaction = pending.look()?;
    while reaction == Reaction::None && asked.elapsed() < PATIENCE {
        std::thread::sleep(LOOK_EVERY);
        reaction = pending.look()?;
    }
    match &reaction {
        Reaction::Answered(words) => print::out(&format!("{holder}: {words}")),
        Reaction::Ended => print::out(&format!("{holder}: has ended")),
        Reaction::None => print::err(&format!(
            "{holder}: no answer for {} s; it will stop when it looks",
            PATIENCE.as_secs()
        )),
    }
    Ok(reaction != Reaction::None)
}
