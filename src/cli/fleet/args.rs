//! The arguments of the commands for several machines.

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::args::concurrency::{ConcurrencyArg, outage_timeout};
use crate::cli::args::jobs::JobArgs;
use crate::cli::args::output_directory::OutputArg;
use crate::cli::args::templates::TemplatesArg;
use crate::cli::args::values::{number, time};
use crate::cli::servers::addresses::ServerArgs;
use crate::id::RunName;

/// The default run.
const RUN: &str = "batch";

/// The NATS server.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct NatsArgs {
    /// NATS server with JetStream, such as nats://HOST:4222 or tls://HOST; separate several of a cluster with commas. It may contain
    /// a login (tls://USER:PASSWORD@HOST or tls://TOKEN@HOST); NATS_USER and NATS_PASSWORD, or NATS_TOKEN, keep it off the command line
    #[arg(long, value_name = "URL", env = "NATS_URL", hide_env_values = true)]
    pub(in crate::cli) nats: String,
    #[command(flatten)]
    pub(in crate::cli) access: AccessArgs,
}

/// Access to the NATS server.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct AccessArgs {
    /// Credentials for the NATS server (a .creds file)
    #[arg(long, value_name = "FILE", env = "NATS_CREDS")]
    pub(in crate::cli) nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey for the NATS server
    #[arg(long, value_name = "FILE", env = "NATS_NKEY")]
    pub(in crate::cli) nats_nkey: Option<PathBuf>,
    /// Root certificates (PEM) for verifying the NATS server
    #[arg(long, value_name = "FILE", env = "NATS_CA")]
    pub(in crate::cli) nats_ca: Option<PathBuf>,
    /// Allow a NATS server older than 2.10.23, which can lose messages in a crash
    #[arg(long)]
    pub(in crate::cli) allow_old_server: bool,
}

/// The run.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RunNameArg {
    /// Name of the run, to keep several on one NATS server apart
    #[arg(long, value_name = "NAME", default_value = RUN)]
    pub(in crate::cli) run: RunName,
}

/// The commands.
#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum FleetCommand {
    Enqueue(EnqueueArgs),
    Worker(WorkerArgs),
    Collect(CollectArgs),
    Cancel(CancelArgs),
}

/// Enqueue the debates of job files on a NATS server, for workers on any machine
///
/// Start workers with `rebut worker`, and fetch their results with `rebut collect`. Running it again enqueues only debates that
/// are neither done nor waiting.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct EnqueueArgs {
    #[command(flatten)]
    pub(in crate::cli) jobs: JobArgs,
    #[command(flatten)]
    pub(in crate::cli) nats: NatsArgs,
    #[command(flatten)]
    pub(in crate::cli) run: RunNameArg,
    /// Enqueue debates again that were given up
    #[arg(long)]
    pub(in crate::cli) again: bool,
    /// Time without a sign of life after which a worker's debate goes to another worker
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time, hide_short_help = true)]
    pub(in crate::cli) ack_wait: Duration,
}

/// Run debates from a NATS server's queue on the Ollama servers of this machine
///
/// A worker takes debates whose models are pulled here, as many as keep the servers busy, and runs until stopped. Ctrl-C or SIGTERM
/// finishes the calls in flight and gives the debates back; other workers continue them, as they do if this one is killed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct WorkerArgs {
    #[command(flatten)]
    pub(in crate::cli) nats: NatsArgs,
    #[command(flatten)]
    pub(in crate::cli) server: ServerArgs,
    /// Run only rehearsals, which need no server
    #[arg(long, conflicts_with = "host")]
    pub(in crate::cli) rehearse: bool,
    #[command(flatten)]
    pub(in crate::cli) concurrency: ConcurrencyArg,
    /// Maximum debates in progress at a time [default: as many as keep the servers busy]
    #[arg(long, value_name = "N", value_parser = number::<u16>(1..=10_000))]
    pub(in crate::cli) max_debates: Option<u16>,
    /// Exit after this time without a debate to run [default: never]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(in crate::cli) leave_after: Option<Duration>,
    /// Directory for debates in progress, on a local disk; its contents are not needed after the worker has ended
    /// [default: rebut-workers in TMPDIR, otherwise in ~/.cache]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) work_dir: Option<PathBuf>,
    /// How long to wait for an unreachable server before giving its debates back; `never` waits indefinitely
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = outage_timeout)]
    pub(in crate::cli) outage_timeout: Duration,
    /// How long to wait for a model that its server cannot serve before giving its debates back
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time)]
    pub(in crate::cli) model_timeout: Duration,
    /// Pause before a call's second attempt; doubles with each further attempt
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time, hide_short_help = true)]
    pub(in crate::cli) retry_delay: Duration,
    #[command(flatten)]
    pub(in crate::cli) templates: TemplatesArg,
}

/// Collect finished debates from a NATS server into an output directory
///
/// It waits until all debates of the run are done, unless --now is given, and can be started again at any time. Collected debates are
/// removed from the NATS server. Only one process can collect a run at a time.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CollectArgs {
    #[command(flatten)]
    pub(in crate::cli) nats: NatsArgs,
    #[command(flatten)]
    pub(in crate::cli) run: RunNameArg,
    /// Collect the debates done so far without waiting for the rest
    #[arg(long)]
    pub(in crate::cli) now: bool,
    #[command(flatten)]
    pub(in crate::cli) output: OutputArg,
    #[command(flatten)]
    pub(in crate::cli) templates: TemplatesArg,
}

/// Cancel a run on a NATS server: its unfinished debates stop before their next call
///
/// Finished debates can still be collected. `rebut enqueue` continues the run; debates that had begun resume where they stopped.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CancelArgs {
    #[command(flatten)]
    pub(in crate::cli) nats: NatsArgs,
    #[command(flatten)]
    pub(in crate::cli) run: RunNameArg,
}

/// The runs to show, and access to their NATS server.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ShownArgs {
    /// Show only the run with this name
    #[arg(long, value_name = "NAME", requires = "nats")]
    pub(in crate::cli) run: Option<RunName>,
    #[command(flatten)]
    pub(in crate::cli) access: AccessArgs,
}

/// The NATS server to ask, and the run.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct StatusArgs {
    /// Show the runs on this NATS server and their workers instead
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) nats: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) shown: ShownArgs,
}

/// The NATS server whose runs a viewer follows.
#[cfg(feature = "view")]
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FollowArgs {
    /// Also show what the workers of this NATS server are doing. Finished debates are shown if DIR is the directory that `rebut
    /// collect` writes to; a DIR that does not exist yet is made
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) nats: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) shown: ShownArgs,
}
