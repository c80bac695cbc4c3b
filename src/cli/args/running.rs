//! How debates are run: the options that `rebut run`, `rebut check` and a debate without a job file share.

use std::time::Duration;

use super::concurrency::{ConcurrencyArg, outage_timeout};
use super::output_directory::OutputArg;
use super::run_limits::LimitArgs;
use super::values::{number, time};
use crate::cli::servers::addresses::ServerArgs;
use crate::event::Status;

/// Which finished debates run again.
#[derive(Debug)]
pub(in crate::cli) enum Again {
    /// All, from the start.
    All,
    /// Those with one of these statuses, which ask only for missing replies.
    With(Vec<Status>),
}

/// How debates are run.
#[derive(Debug, clap::Args)]
#[command(mut_arg("concurrency", |arg| arg.alias("at-once")))]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(in crate::cli) output: OutputArg,
    #[command(flatten)]
    pub(in crate::cli) server: ServerArgs,
    #[command(flatten)]
    pub(in crate::cli) concurrency: ConcurrencyArg,
    /// Maximum debates in progress at a time [default: as many as keep the servers busy]
    #[arg(long, alias = "max-open", help_heading = "Servers", value_name = "N", value_parser = number::<u16>(1..=10_000))]
    pub(in crate::cli) max_debates: Option<u16>,
    #[command(flatten)]
    pub(in crate::cli) limits: LimitArgs,
    /// Start over, even what is finished; old directories are kept in OUTPUT/.rebut/replaced
    #[arg(long, help_heading = "Debates")]
    restart: bool,
    /// Retry what finished with this status (`failed,degraded` for both): ask again for missing replies and replace the
    /// directory, keeping the old one in OUTPUT/.rebut/replaced; all else runs as usual
    #[arg(
        long,
        value_name = "STATUS",
        value_delimiter = ',',
        conflicts_with = "restart",
        help_heading = "Debates"
    )]
    retry: Vec<Retry>,
    /// Print every event to stdout as a line of JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Log each step to stderr
    #[arg(short, long)]
    pub(in crate::cli) verbose: bool,
    /// How long to wait for an unreachable server, or for room on a full disk, before leaving debates unfinished; `never`
    /// waits indefinitely. If another server works, all other work is done first
    #[arg(long, help_heading = "Servers", value_name = "TIME", default_value = "never", value_parser = outage_timeout)]
    pub(in crate::cli) outage_timeout: Duration,
    /// How long to wait for a model that its server cannot serve (loading fails, the queue is full, the calls of several
    /// debates in a row fail) before leaving its debates unfinished
    #[arg(long, alias = "model-wait", help_heading = "Servers", value_name = "TIME", default_value = "10m", value_parser = time)]
    pub(in crate::cli) model_timeout: Duration,
    /// Show the debates in a browser as they run: start `rebut view`, unless one is running; it continues after the run
    #[cfg(feature = "view")]
    #[arg(long)]
    pub(in crate::cli) view: bool,
    /// Shell command to run at the end, with the batch summary (Markdown, as in OUTPUT/batches) on stdin; it is waited for up
    /// to 60 s. It may contain a key: the command to run next, as printed, leaves it out
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) notify: Option<String>,
    /// Pause before a call's second attempt; doubles with each further attempt
    #[arg(long, help_heading = "Servers", value_name = "TIME", default_value = "1s", value_parser = time, hide_short_help = true)]
    pub(in crate::cli) retry_delay: Duration,
}

/// A status from which a debate can be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Retry {
    /// Debates that ended early
    Failed,
    /// Debates that ended with something important missing
    Degraded,
}

impl Retry {
    fn status(self) -> Status {
        match self {
            Self::Failed => Status::Failed,
            Self::Degraded => Status::Degraded,
        }
    }
}

impl RunArgs {
    /// Which finished debates run again.
    pub(in crate::cli) fn again(&self) -> Again {
        if self.restart {
            Again::All
        } else {
            Again::With(self.retry.iter().map(|retry| retry.status()).collect())
        }
    }
}
