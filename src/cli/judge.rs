//! `rebut judge`: a panel judges finished debates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::args::concurrency::{ConcurrencyArg, NEVER};
use super::args::debate_selection::{Chosen, Roots, Selected};
use super::args::survey::Survey;
use super::args::templates::TemplatesArg;
use super::args::values::time;
use super::check::servers::ask_servers;
use super::process::failure::{Failure, INTERRUPTED, done_if};
use super::process::invocation::{arguments, in_environment, resume_command};
use super::process::runtime::block_on;
use super::process::signals::listen;
use super::run::pool;
use super::servers::addresses::ServerArgs;
use super::servers::connect::connect;
use super::terminal::print;
use crate::artifacts::panels;
use crate::clock::Clock;
use crate::formats::panel_judging::{Task, may_reach_quorum, named};
use crate::job::panel::Panel;
use crate::job::problem::Problem;
use crate::model::server::Server;
use crate::panel::candidates::NotJudged;
use crate::panel::reading_order::readings as expected;
use crate::run::debate::RunContext;
use crate::run::panel_judging::{Judged, PanelRun, is_known};
use crate::servers::OnNotice;
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::store::lists;
use crate::templates::Templates;
use crate::trace::Trace;
use crate::{files, text};

/// Have a panel of models judge finished debates, without rerunning or changing anything in them
///
/// Judges see neither names nor models, and read each debate in both orders. A judge that shares weights, ancestors or family with a
/// debater's model does not vote. The verdict is added to the debate, whose own outcome stays. Run it again to resume; no call
/// is repeated.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rebut new panel panel.yaml
  rebut judge --panel panel.yaml                        every debate in ./output
  rebut judge --panel panel.yaml night1 --where format=duel
  rebut stats --verdicts panel:house                    statistics on the panel's verdicts")]
pub(super) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Panel file: the judges and their rules (`rebut new panel` writes one)
    #[arg(long, value_name = "FILE")]
    panel: PathBuf,
    #[command(flatten)]
    templates: TemplatesArg,
    #[command(flatten)]
    server: ServerArgs,
    /// Show how many readings the panel would make and which of its models are not pulled, without calling a model
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    concurrency: ConcurrencyArg,
    /// Pause before a call's second attempt; doubles with each further attempt
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time, hide_short_help = true)]
    retry_delay: Duration,
}

/// How long to wait for a model that its server cannot serve.
const MODEL_TIMEOUT: Duration = Duration::from_secs(600);

/// The results of the judgings.
#[derive(Debug, Default)]
struct Count {
    added: u64,
    /// How many of those are rehearsals, like their debates.
    rehearsed: u64,
    known: u64,
    unfinished: u64,
    not: BTreeMap<NotJudged, u64>,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let panel = Panel::load(&args.panel, &templates).map_err(|found| cannot_load(&found))?;
    let panel = Arc::new(panel);
    let selected = args.chosen.by_root("no debate to judge")?;
    if !args.dry_run {
        return block_on(judge(args, panel, templates, selected))?;
    }
    preview(&panel, &templates, &selected.roots)?.tell(&panel);
    let is_fit = selected.are_rehearsals() || block_on(ask(&args.server, &survey(&panel)))??;
    Ok(if is_fit { args.chosen.ended(selected.damaged) } else { done_if(false) })
}

/// What is wrong with the panel's file. One that cannot be read has no lines to name.
fn cannot_load(problems: &[Problem]) -> Failure {
    if let [Problem { excerpt: None, cause, remedy, .. }] = problems {
        return Failure::input(format!("--panel: {cause}"), remedy);
    }
    Failure::problems(problems).in_no_file()
}

/// Reports which models of the panel the servers lack; whether it is none.
async fn ask(server: &ServerArgs, survey: &Survey) -> Result<bool, Failure> {
    Ok(ask_servers(&server.servers(&survey.contexts)?, survey).await)
}

/// What the panel would be asked for.
#[derive(Default)]
struct Preview {
    debates: u64,
    readings: usize,
    /// How many of the debates too few judges may vote on.
    without_quorum: u64,
    count: Count,
}

fn preview(panel: &Arc<Panel>, templates: &Templates, roots: &Roots) -> Result<Preview, Failure> {
    let named = named(panel, templates);
    let mut all = Preview::default();
    for (dir, _) in roots.values().flatten() {
        let trace = Arc::new(Trace::in_dir(dir)?);
        match Task::new(&trace, panel, &named, templates) {
            Err(cause) => *all.count.not.entry(cause).or_default() += 1,
            Ok(task) if is_known(&trace, &task) => all.count.known += 1,
            Ok(task) => {
                all.debates += 1;
                all.readings += expected(panel, &trace.id);
                all.without_quorum += u64::from(!may_reach_quorum(&task));
            }
        }
    }
    Ok(all)
}

impl Preview {
    fn tell(&self, panel: &Panel) {
        let debates = text::count(self.debates, "debate");
        let readings = text::count(self.readings, "reading");
        let name = &panel.settings.name;
        print::told(&format!(
            "the panel {name} would judge {debates}: at most {readings}, not counting repairs"
        ));
        if self.without_quorum > 0 {
            let debates = text::count(self.without_quorum, "debate");
            print::warn(&format!(
                "{debates} will get no verdict: too few judges may vote, since their models are related to a debater's (`recuse` in the panel)"
            ));
        }
        if self.count.known > 0 {
            let known = text::count(self.count.known, "debate");
            print::told(&format!("{known} judged before"));
        }
        self.count.tell_not_judged();
    }
}

async fn judge(
    args: &Args,
    panel: Arc<Panel>,
    templates: Templates,
    selected: Selected,
) -> Result<ExitCode, Failure> {
    let connected = connect(&args.server, &survey(&panel), selected.are_rehearsals()).await?;
    let (stop, notify): (_, OnNotice) =
        (Stop::default(), Arc::new(|line: &str| print::remark(line)));
    print::in_background();
    listen(&stop, &notify)?;
    let judging = Judging { args, panel, templates, servers: connected.servers, stop, notify };
    let count = judging.judge(&selected).await?;
    count.tell(&judging.panel);
    let (is_whole, is_stopped) = (count.unfinished == 0, judging.stop.is_requested());
    if is_stopped || !is_whole {
        print::err(&format!("next: {}", in_environment(resume_command(arguments()))));
    }
    if is_stopped {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(if is_whole { args.chosen.ended(selected.damaged) } else { done_if(false) })
}

/// What the judgings of all output directories share.
struct Judging<'a> {
    args: &'a Args,
    panel: Arc<Panel>,
    templates: Templates,
    servers: Vec<Arc<dyn Server>>,
    stop: Stop,
    notify: OnNotice,
}

impl Judging<'_> {
    async fn judge(&self, selected: &Selected) -> Result<Count, Failure> {
        let mut count = Count::default();
        for (root, debates) in &selected.roots {
            let output = OutputDir::at(root);
            output.prepare()?;
            let context = self.context(&output);
            for rehearsal in [false, true] {
                let own = debates.iter().filter(|(_, it)| *it == rehearsal);
                let dirs = own.map(|(dir, _)| dir.clone()).collect();
                self.judge_alike(dirs, rehearsal, &context, &mut count).await;
            }
            lists::rebuild(&output, &self.templates)?;
        }
        Ok(count)
    }

    fn context(&self, output: &OutputDir) -> RunContext {
        let config = (self.args.concurrency).config(MODEL_TIMEOUT, NEVER, &self.notify);
        let (its, clock) = (self.templates.clone(), Clock::system());
        RunContext {
            servers: pool(self.servers.clone(), output, config),
            stop: self.stop.clone(),
            ..RunContext::new(output, its, clock, self.args.retry_delay)
        }
    }

    /// Judges debates all or none of which are rehearsals, until a second Ctrl-C.
    async fn judge_alike(
        &self,
        dirs: Vec<PathBuf>,
        rehearsal: bool,
        context: &RunContext,
        count: &mut Count,
    ) {
        let context = RunContext {
            servers: context.servers.clone().filter(|_| !rehearsal),
            ..context.clone()
        };
        let busy = context.servers.as_ref().map_or(1, |_| self.servers.len());
        let run = PanelRun::new(context, Arc::clone(&self.panel));
        let most = self.args.concurrency.most_debates(busy);
        tokio::select! {
            () = self.stop.insisted() => {}
            () = run.all(dirs, most, |dir, judged| count.take(&run, dir, judged)) => {}
        }
    }
}

/// The models the panel needs.
fn survey(panel: &Panel) -> Survey {
    let mut survey = Survey::default();
    panel.people().for_each(|judge| survey.take_judge(judge));
    survey
}

impl Count {
    /// Counts and reports how a judging ended.
    fn take(&mut self, run: &PanelRun, dir: &Path, judged: &Judged) {
        let name = files::name_of(dir);
        let panel = &run.panel.settings.name;
        match judged {
            Judged::Added(verdict, trace) => {
                self.added += 1;
                self.rehearsed += u64::from(run.context.is_rehearsal());
                let judging = verdict.judging.as_ref();
                let brief = judging.map(|judging| panels::in_brief(trace, verdict, judging));
                print::told(&format!("{name}  {panel}: {}", brief.unwrap_or_default()));
            }
            Judged::Known => self.known += 1,
            Judged::Not(cause) => *self.not.entry(*cause).or_default() += 1,
            Judged::Stopped => self.unfinished += 1,
            Judged::Elsewhere(holder) => {
                self.left(&name, &format!("another rebut ({holder}) is judging it"));
            }
            Judged::Parked(cause) => self.left(&name, cause),
        }
    }

    fn left(&mut self, name: &str, cause: &str) {
        self.unfinished += 1;
        print::remark(&text::one_line(&format!("unfinished {name}: {cause}")));
    }

    fn tell_not_judged(&self) {
        for (cause, n) in &self.not {
            let debates = text::count(*n, "debate");
            print::remark(&format!("not judged: {debates}: {cause}"));
        }
    }

    /// Reports the totals.
    fn tell(&self, panel: &Panel) {
        let name = &panel.settings.name;
        let added = text::count(self.added, "debate");
        let others = text::further_counts(&[
            (self.rehearsed, "rehearsed: no model was asked"),
            (self.known, "judged before"),
            (self.unfinished, "unfinished"),
        ]);
        print::remark(&format!("{added} judged by {name}{others}"));
        self.tell_not_judged();
    }
}
