//! `rebut worker`: runs enqueued debates on this machine's servers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::concurrency::ConcurrencyArg;
use super::connect::connect;
use super::failure::Failure;
use super::jobs::Survey;
use super::nats::NatsArgs;
use super::print;
use super::run::pool;
use super::runtime::block_on;
use super::server::ServerArgs;
use super::signals::listen;
use super::templates::TemplatesArg;
use crate::clock::Clock;
use crate::files::{self, StagedDir};
use crate::fleet::{Ended, Worker};
use crate::id::DebateId;
use crate::model::server::Server;
use crate::run::debate::RunContext;
use crate::servers::OnNotice;
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::templates::Templates;
use crate::text;

/// Default number of rehearsals at a time.
const REHEARSALS: usize = 2;

/// Run debates from a NATS server's queue on the Ollama servers of this machine
///
/// A worker takes debates whose models are pulled here, as many as keep the servers busy, and runs until stopped. Ctrl-C or SIGTERM
/// finishes the calls in flight and gives the debates back; other workers continue them, as they do if this one is killed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// Run only rehearsals, which need no server
    #[arg(long, conflicts_with = "host")]
    rehearse: bool,
    #[command(flatten)]
    concurrency: ConcurrencyArg,
    /// Maximum debates in progress at a time [default: as many as keep the servers busy]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    max_debates: Option<u16>,
    /// Exit after this time without a debate to run [default: never]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    leave_after: Option<Duration>,
    /// Directory for debates in progress, on a local disk; its contents are not needed after the worker has ended
    /// [default: rebut-workers in TMPDIR, otherwise in ~/.cache]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    /// How long to wait for an unreachable server before giving its debates back
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = humantime::parse_duration)]
    outage_timeout: Duration,
    /// How long to wait for a model that its server cannot serve before giving its debates back
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration)]
    model_timeout: Duration,
    /// Pause before a call's second attempt; doubles with each further attempt
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration, hide_short_help = true)]
    retry_delay: Duration,
    #[command(flatten)]
    templates: TemplatesArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let dir = work_dir(args)?;
    let output = OutputDir::at(dir.path());
    output.make()?;
    block_on(work(args, templates, output))?
}

/// This process's directory; those of killed processes are removed.
fn work_dir(args: &Args) -> Result<StagedDir, Failure> {
    let above = args.work_dir.clone().unwrap_or_else(default_dir);
    files::create_dir(&above)?;
    files::sweep_dirs(&above)?;
    Ok(StagedDir::create(&above.join("worker"))?)
}

/// A directory owned by this user: in a shared one for temporary files, other users could interfere.
fn default_dir() -> PathBuf {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|it| it.join(".cache")));
    let above = named("TMPDIR").or_else(cache);
    let above = above.unwrap_or_else(std::env::temp_dir);
    above.join("rebut-workers")
}

async fn work(args: &Args, templates: Templates, output: OutputDir) -> Result<ExitCode, Failure> {
    let nats = args.nats.connect().await?;
    let survey = Survey::default();
    let servers = connect(&args.server, &survey, args.rehearse).await?;
    let notify: OnNotice = Arc::new(|line: &str| print::err(&text::one_line(line)));
    let stop = Stop::default();
    listen(&stop, &notify)?;
    let outage_timeout = Some(args.outage_timeout);
    let config = (args.concurrency).config(args.model_timeout, outage_timeout, &stop, &notify);
    let context = RunContext {
        servers: pool(servers.clone(), &output, config),
        stop: stop.clone(),
        ..RunContext::new(&output, templates, Clock::system(), args.retry_delay)
    };
    let worker = Worker {
        context,
        most: most(args, &servers),
        nats,
        contexts: survey.contexts.clone(),
        servers,
        leave_after: args.leave_after,
    };
    print::err("ready for debates; Ctrl-C stops");
    let mut done = 0;
    let mut on_end = |id: &DebateId, ended: &Ended| {
        done += u64::from(matches!(ended, Ended::Done(_)));
        tell(id, ended);
    };
    tokio::select! {
        () = stop.insisted() => {}
        () = worker.run(&mut on_end) => {}
    }
    print::err(&format!("finished {}", text::count(done, "debate")));
    Ok(ExitCode::SUCCESS)
}

fn tell(id: &DebateId, ended: &Ended) {
    let what = match ended {
        Ended::Done(line) => format!("done: {line}"),
        Ended::Known => "done by another worker".to_owned(),
        Ended::GivenUp(why) => format!("given up: {why}"),
        Ended::Cancelled => "cancelled".to_owned(),
        Ended::Lost => "lost: another worker continues it".to_owned(),
        Ended::Back(why) => format!("given back: {why}"),
        Ended::Stopped => "given back".to_owned(),
    };
    print::err(&text::one_line(&format!("{} {what}", id.short())));
}

/// Debates that may be open at a time.
fn most(args: &Args, servers: &[Arc<dyn Server>]) -> usize {
    let chosen = args.max_debates.map(usize::from);
    if servers.is_empty() {
        return chosen.unwrap_or(REHEARSALS);
    }
    let files = args.concurrency.most_debates(servers.len());
    chosen.unwrap_or(files).min(files)
}
