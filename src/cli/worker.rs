//! `rebut worker`: runs enqueued debates on this machine's servers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::args::survey::Survey;
use super::fleet::args::WorkerArgs as Args;
use super::process::failure::Failure;
use super::process::runtime::block_on;
use super::process::signals::listen;
use super::run::pool;
use super::servers::connect::connect;
use super::terminal::print;
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
    let above = named("TMPDIR").or_else(cache).unwrap_or_else(std::env::temp_dir);
    above.join("rebut-workers")
}

async fn work(args: &Args, templates: Templates, output: OutputDir) -> Result<ExitCode, Failure> {
    let nats = args.nats.connect().await?;
    let survey = Survey::default();
    let servers = connect(&args.server, &survey, args.rehearse).await?.servers;
    let notify: OnNotice = Arc::new(|line: &str| print::remark(&text::one_line(line)));
    let stop = Stop::default();
    print::in_background();
    listen(&stop, &notify)?;
    let config = (args.concurrency).config(args.model_timeout, args.outage_timeout, &notify);
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
    print::remark(&text::one_line(&format!("{} {what}", id.short())));
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
