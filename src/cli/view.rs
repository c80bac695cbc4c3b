//! `rebut view`: the pages on an output directory, over HTTP.

use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::{ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

#[cfg(feature = "fleet")]
use futures_util::future::OptionFuture;
use tokio::net::TcpListener;

use super::args::debate_selection::Picked;
use super::args::output_directory::{self, OutputDirArg};
use super::args::templates::TemplatesArg;
use super::args::values::number;
#[cfg(feature = "fleet")]
use super::fleet::args::FollowArgs;
#[cfg(feature = "fleet")]
use super::fleet::view_workers::Follower;
use super::process::failure::Failure;
use super::process::runtime::block_on;
use super::process::signals;
use super::terminal::print;
use crate::clock::Clock;
use crate::files::{self, Claim};
use crate::id::short;
use crate::report;
use crate::stats::findings::Findings;
use crate::stats::{read, report_breakdowns};
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::templates::Templates;
use crate::text;
use crate::view::{self, Access, ReportPage, Viewer, Voters};

/// The remedy if an address cannot be listened on.
const OTHER_ADDRESS: &str =
    "choose another address with --listen, such as 127.0.0.1:0 for any free port";

/// Show debates in a browser, finished and running ones
///
/// Serves pages on an output directory over HTTP until Ctrl-C: an overview of runs, every debate with its text as it arrives,
/// search, comparisons and the report. Only this machine can reach it, unless --listen opens it to others. The pages are
/// read-only.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    output: OutputDirArg,
    /// Address to listen on [default: 127.0.0.1:7373, or any free port if that is taken]. For an address that other machines can
    /// reach, the printed link contains a random key required for access
    #[arg(long, value_name = "ADDR:PORT", value_parser = listen_address)]
    listen: Option<SocketAddr>,
    /// Host name under which browsers reach this machine, besides `localhost` and its address; repeatable. The printed link then
    /// contains a key, since others may have access
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,
    /// Allow access without a key; prompts, calls and files are hidden
    #[arg(long)]
    public: bool,
    /// Maximum connections per address (per network with IPv6)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::<usize>(1..=100_000))]
    connections: usize,
    /// Maximum live pages per address, each on its own connection
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = number::<usize>(1..=100_000))]
    streams: usize,
    /// Print N one-use voting links, for the rounds of knockouts whose job has an `audience`. Earlier links become void; without
    /// this option they stay valid
    #[arg(long, value_name = "N", value_parser = number::<u32>(1..=1000))]
    voters: Option<u32>,
    /// Let anyone who can reach the viewer vote; such votes are marked unverified
    #[arg(long)]
    open_vote: bool,
    /// Count rehearsals in the report; they get pages either way
    #[arg(long)]
    include_rehearsals: bool,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    follow: FollowArgs,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// An address to listen on.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "use ADDR:PORT, such as 127.0.0.1:7373".to_owned())
}

/// The port tried first.
const PORT: u16 = 7373;

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    block_on(serve(args, output(args)?, templates))?
}

/// The remedy if there is no output directory yet.
const BEGIN: &str = "start with `rebut run JOB.yaml --view`, which opens the viewer too, or give the directory that `rebut run` wrote to (its --output)";

/// The output directory. A viewer that follows workers makes one where there is none, and so does one that invites voters: they need
/// their links before the first debate begins.
fn output(args: &Args) -> Result<OutputDir, Failure> {
    let dir = args.output.dir();
    #[cfg(feature = "fleet")]
    if args.follow.nats.is_some() {
        let output = OutputDir::at(&dir);
        output.make()?;
        return Ok(output);
    }
    let is_new = !dir.exists() || dir.read_dir().is_ok_and(|mut files| files.next().is_none());
    if is_new && args.voters.is_some() {
        let output = OutputDir::at(&dir);
        output.make()?;
        return Ok(output);
    }
    if !dir.exists() {
        let dir = text::one_line(&dir.to_string_lossy());
        return Err(Failure::input(format!("{dir} does not exist yet"), BEGIN));
    }
    output_directory::existing(&dir)
}

async fn serve(args: &Args, output: OutputDir, templates: Templates) -> Result<ExitCode, Failure> {
    #[cfg(feature = "fleet")]
    let follower = match &args.follow.nats {
        Some(url) => Some(Follower::begin(&args.follow, url, &output).await?),
        None => None,
    };
    let listener = listen(args).await?;
    let here = listener
        .local_addr()
        .map_err(|e| Failure::input(format!("cannot listen: {e}"), OTHER_ADDRESS))?;
    let access = access(args, &output, here)?;
    let stop = Stop::default();
    signals::stop_on_interrupt(&stop)?;
    let _presence = present(&output, here, &access);
    let voters = voters(args, &output, here)?;
    tell(args, here, &access);
    let voters = voters.or_else(|| kept(&output));
    invite(args, here, voters.as_ref())?;
    if print::is_in_vain() {
        return Ok(ExitCode::SUCCESS);
    }
    let viewer = Viewer {
        report: report_of(&output, args),
        output,
        templates,
        clock: Clock::system(),
        access,
        voters,
        streams: args.streams,
        connections: args.connections,
        stop,
    };
    #[cfg(feature = "fleet")]
    {
        let stop = viewer.stop.clone();
        let follow = async { OptionFuture::from(follower.map(|it| it.follow(&stop))).await };
        tokio::join!(view::serve(viewer, listener), follow);
    }
    #[cfg(not(feature = "fleet"))]
    view::serve(viewer, listener).await;
    Ok(ExitCode::SUCCESS)
}

async fn listen(args: &Args) -> Result<TcpListener, Failure> {
    if let Some(address) = args.listen {
        return TcpListener::bind(address).await.map_err(|e| cannot_listen(address, &e));
    }
    let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
    match TcpListener::bind(local(PORT)).await {
        Ok(listener) => Ok(listener),
        Err(_) => TcpListener::bind(local(0)).await.map_err(|e| cannot_listen(local(0), &e)),
    }
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let cause = match error.kind() {
        ErrorKind::AddrInUse => format!("{address} is in use, perhaps by another `rebut view`"),
        _ => format!("cannot listen on {address}: {error}"),
    };
    Failure::input(cause, OTHER_ADDRESS)
}

fn access(args: &Args, output: &OutputDir, here: SocketAddr) -> Result<Access, Failure> {
    // A name is given when a proxy leads others to this machine.
    let is_open = !here.ip().is_loopback() || !args.names.is_empty();
    let needs_key = is_open && !args.public;
    let key = needs_key.then(|| view::key(output)).transpose();
    Ok(Access {
        names: args.names.clone(),
        key: key.map_err(|e| Failure::input(format!("cannot make a key: {e}"), ""))?,
        public: args.public,
    })
}

/// Lets `rebut run --view` find it. A directory that cannot be written to can still be viewed.
fn present(output: &OutputDir, here: SocketAddr, access: &Access) -> Option<Claim> {
    let _ = files::own_dir(&output.live());
    let key = access.key.as_ref().map(|_| WITH_KEY).unwrap_or_default();
    let address = format!("http://{}/{key}", opened(here));
    Claim::take(&output.viewer(), &address).ok()?.ok()
}

/// Note on an address that requires a key: the key itself is in no file.
const WITH_KEY: &str = " (with the key that `rebut view` printed)";

/// The address to open here: the unspecified address cannot be opened.
fn opened(here: SocketAddr) -> SocketAddr {
    let local = match here.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        _ => return here,
    };
    SocketAddr::new(local, here.port())
}

fn tell(args: &Args, here: SocketAddr, access: &Access) {
    let key = access.key.as_ref().map(|key| format!("?key={key}")).unwrap_or_default();
    let named = args.names.iter().map(|name| format!("{name}:{}", here.port()));
    let hosts = std::iter::once(opened(here).to_string()).chain(named);
    let addresses = hosts.map(|host| format!("http://{host}/{key}\n"));
    // At once: a reader of the first line may need no more.
    print::whole(&addresses.collect::<String>());
    print::err("Ctrl-C stops the viewer");
    if here.ip().is_unspecified() {
        let warning = "on other machines, use this machine's address";
        print::err(&format!("{warning}; the connection is not encrypted"));
    }
}

/// Who may vote, if voting is on.
fn voters(args: &Args, output: &OutputDir, here: SocketAddr) -> Result<Option<Voters>, Failure> {
    if args.voters.is_none() && !args.open_vote {
        return Ok(None);
    }
    if args.voters.is_some() && here.ip().is_unspecified() && args.names.is_empty() {
        return Err(Failure::input(
            "the links need a host name under which phones can reach this machine",
            "add --name HOST, such as hall.local or this machine's address",
        ));
    }
    output.make()?;
    let voters = Voters::of(output, args.open_vote);
    voters.map(Some).map_err(|e| match e.source.kind() {
        ErrorKind::WouldBlock => Failure::input(
            "another `rebut view` takes votes for this directory",
            "stop it first, or start this one without --voters and --open-vote",
        ),
        _ => e.into(),
    })
}

/// The list of voters that an earlier viewer made, unless a new one is requested. Without it the pages are still shown:
/// another viewer may hold it, or the directory may belong to another user.
fn kept(output: &OutputDir) -> Option<Voters> {
    output.voters().exists().then(|| Voters::of(output, false).ok())?
}

/// Prints where people can vote: a link for each, or one for all.
fn invite(args: &Args, here: SocketAddr, voters: Option<&Voters>) -> Result<(), Failure> {
    let Some(voters) = voters else { return Ok(()) };
    let host = match args.names.first() {
        Some(name) => format!("{name}:{}", here.port()),
        None => opened(here).to_string(),
    };
    let links = voters.links(args.voters.unwrap_or(0))?;
    match links.len() {
        0 => {}
        1 => print::err("the voting link, for one voter:"),
        n => print::err(&format!("{n} voting links, each for one voter:")),
    }
    let links = links.into_iter();
    let links = links.map(|token| format!("http://{host}/join#{token}\n"));
    print::whole(&links.collect::<String>());
    if args.voters.is_some() {
        print::err("earlier links and sessions are void; start without --voters to keep the list");
    }
    if args.open_vote {
        print::err("the voting address for everyone:");
        print::whole(&format!("http://{host}/join\n"));
    }
    Ok(())
}

/// Renders the report's page like `rebut report`.
fn report_of(output: &OutputDir, args: &Args) -> ReportPage {
    let root = output.root().to_owned();
    let (include_rehearsals, public) = (args.include_rehearsals, args.public);
    Arc::new(move |templates| {
        let findings = findings(&root, include_rehearsals, public).ok();
        let page = findings.and_then(|it| report::html(&it, templates).ok());
        page.ok_or_else(|| NO_REPORT.to_owned())
    })
}

/// Shown if there is no report.
const NO_REPORT: &str = "No report: there are no finished debates to count. To count rehearsals: rebut view --include-rehearsals";

fn findings(root: &Path, include_rehearsals: bool, public: bool) -> Result<Findings, Failure> {
    let (dirs, now) = (vec![root.to_owned()], Clock::system().now());
    let mut corpus = read::read(&dirs, now, |_, _| {})?;
    if public {
        view::in_public(&mut corpus);
    }
    let picked = Picked::all_of(dirs, include_rehearsals);
    picked.any(&corpus)?;
    let mut findings = picked.findings(&corpus, report_breakdowns(), root)?;
    findings.provenance.command = "rebut view".to_owned();
    for debate in &mut findings.debates {
        // Its address here, since the name of a directory contains the name of its job.
        debate.path = format!("d/{}", short(&debate.id));
        debate.page = true;
    }
    Ok(findings)
}

/// Ensures that a viewer serves an output directory, and returns its address. A run continues without one.
pub(super) fn beside(output: &OutputDir) -> String {
    match Claim::holder(&output.viewer()) {
        Ok(Some(address)) => format!("follow it at {}", text::one_line(&address)),
        _ => match started(output) {
            Ok((address, process)) => {
                format!("follow it at {address} (process {process}, which continues after the run)")
            }
            Err(error) => format!("cannot start `rebut view`: {error}"),
        },
    }
}

/// How long a run waits for the viewer it starts.
const STARTING: Duration = Duration::from_secs(3);

/// Starts a viewer; returns its address and its process.
fn started(output: &OutputDir) -> std::io::Result<(String, u32)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("view").arg(output.root());
    command.stdin(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C is for the run.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let address = child.stdout.take().map(first_line).unwrap_or_default();
    match address.trim() {
        "" => Err(std::io::Error::other("it printed no address")),
        address => Ok((text::one_line(address), child.id())),
    }
}

/// The first line, if it comes in time.
fn first_line(from: ChildStdout) -> String {
    let (send, line) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(from).read_line(&mut line);
        // The receiver may have given up.
        let _ = send.send(line);
    });
    line.recv_timeout(STARTING).unwrap_or_default()
}
