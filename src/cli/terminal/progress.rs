//! Progress: on a terminal the open debates and the batch, elsewhere plain lines. Results go to stdout, everything else to
//! stderr.

mod state;

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use self::state::State;
use super::color::{Paint, shown};
use super::ended_lines;
use super::open_debate::Open;
use super::screen::{self, Row};
use super::{print, server_failures, spool};
use crate::artifacts::batch::{DebateLink, stopped};
use crate::clock::Clock;
use crate::event::{Event, EventKind};
use crate::id::DebateId;
use crate::plan::{DebateLabels, Plan};
use crate::run::causes::Causes;
use crate::run::debate::End;
use crate::run::earlier_attempts::EarlierAttempts;
use crate::servers::{ServerPool, ServerView};
use crate::shared::Shared;
use crate::stop::INTERRUPT;
use crate::store::state::RunState;
use crate::templates::inert_json;
use crate::text;
use crate::trace::Trace;

/// Minimum time between two frames.
const PICTURE: Duration = Duration::from_millis(100);
/// Time between frames if nothing happens.
const STILL: Duration = Duration::from_millis(500);

/// Whether a stream goes to another program. That may write to the same terminal, in the midst of what moves there.
#[cfg(unix)]
fn is_piped(stream: impl std::os::fd::AsFd) -> bool {
    let mode = rustix::fs::fstat(stream).map(|it| it.st_mode);
    mode.is_ok_and(|mode| rustix::fs::FileType::from_raw_mode(mode).is_fifo())
}

#[cfg(not(unix))]
fn is_piped<S>(_: S) -> bool {
    false
}

/// Shows the progress of a run.
pub(in crate::cli) struct Progress {
    json: bool,
    verbose: bool,
    /// Whether it moves, on a terminal.
    moves: bool,
    /// The servers of the run, which tell this of their failures and therefore own it.
    servers: OnceLock<Weak<ServerPool>>,
    state: Shared<State>,
}

impl Progress {
    /// For a batch of this many debates. With `json`, events go to stdout and results to stderr.
    pub(in crate::cli) fn new(
        chosen: usize,
        labels: DebateLabels,
        json: bool,
        verbose: bool,
    ) -> Self {
        Self {
            json,
            verbose,
            moves: std::io::stderr().is_terminal() && !is_piped(std::io::stdout()) && !verbose,
            servers: OnceLock::new(),
            state: Shared::new(State::new(chosen, labels)),
        }
    }

    /// From now on, failures of these servers are shown.
    pub(in crate::cli) fn watch(&self, servers: &Arc<ServerPool>) {
        // There is one pool in a run.
        let _ = self.servers.set(Arc::downgrade(servers));
    }

    /// The state of each server; none in a rehearsal.
    pub(in crate::cli) fn servers(&self) -> Vec<ServerView> {
        let servers = self.servers.get().and_then(Weak::upgrade);
        let now = Clock::system().now();
        servers.map_or_else(Vec::new, |servers| servers.view(now))
    }

    /// Redraws regularly, so that times advance even if nothing happens.
    pub(in crate::cli) fn keep_moving(self: &Arc<Self>) {
        if !self.moves {
            return;
        }
        let progress = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(progress) = progress.upgrade() {
                progress.draw(&mut progress.state.lock());
                drop(progress);
                tokio::time::sleep(STILL).await;
            }
        });
    }

    /// Draws, unless it did so a moment ago.
    fn draw(&self, state: &mut State) {
        let lately = state.drawn.is_some_and(|at| at.elapsed() < PICTURE);
        if !self.moves || lately || state.over {
            return;
        }
        state.drawn = Some(Instant::now());
        let paint = Paint::on(&std::io::stderr());
        let rows: Vec<Row> = state.open().into_iter().map(Open::row).collect();
        let servers = self.servers();
        let failing = server_failures::lines(&servers, state.clock.now());
        let about = (&state.total(&servers), failing.as_slice());
        let lines = screen::lines(about, &rows, screen::size(), paint);
        spool::show(lines.iter().map(|line| shown(line)).collect());
    }

    /// Adds an event.
    pub(in crate::cli) fn event(&self, event: &Event) {
        if self.json {
            print::data(&(inert_json(&event.line()) + "\n"));
        }
        let mut state = self.state.lock();
        if let EventKind::DebateStart(start) = &event.kind {
            let resumed = event.time < state.since;
            let open = state.begin(&start.plan, resumed);
            state.debates.insert(event.debate.clone(), open);
        }
        state.count(event);
        let Some(open) = state.debates.get_mut(&event.debate) else { return };
        let was_to_resume = open.is_to_resume();
        let lines = open.take(event, self.verbose);
        let resumes = was_to_resume && !open.is_to_resume();
        if self.verbose || !self.moves || resumes {
            lines.iter().for_each(|line| self.note(line));
        }
        self.draw(&mut state);
    }

    /// Whether there is only one debate, so that the table below its line must be its own. Jobs may have been added.
    pub(in crate::cli) fn is_of_one(&self) -> bool {
        self.state.lock().chosen == 1
    }

    /// More debates were added.
    pub(in crate::cli) fn expect(&self, more: &[Plan]) {
        let mut state = self.state.lock();
        for plan in more {
            state.labels.take(&plan.job, &plan.cell, plan.repetition);
            state.pace.expect(&plan.job);
        }
        state.chosen += more.len();
        state.revision += 1;
    }

    /// How many calls a debate of a job is expected to make, while none has ended.
    pub(in crate::cli) fn expect_calls(&self, job: &str, calls: u64) {
        let mut state = self.state.lock();
        state.pace.expect_calls(job, calls);
        state.revision += 1;
    }

    /// From now on, debates are opened with what earlier runs had of them.
    pub(in crate::cli) fn resume(&self, earlier: &Arc<EarlierAttempts>) {
        self.state.lock().earlier = Arc::clone(earlier);
    }

    /// An open debate cannot be written now and goes back to the queue, without its calls.
    pub(in crate::cli) fn put_back(&self, id: &DebateId) {
        let mut state = self.state.lock();
        state.debates.get_mut(id).into_iter().for_each(Open::drop_calls);
        state.is_held = true;
        state.revision += 1;
    }

    /// The job's panel could not read a finished debate.
    pub(in crate::cli) fn not_judged(&self, plan: &Plan, cause: &str) {
        self.state.lock().not_judged(plan, cause);
        self.notify(&format!("not judged {}: {cause}", plan.short_id()));
    }

    /// Why debates are not done, but for those in progress.
    pub(in crate::cli) fn causes(&self) -> Causes {
        self.state.lock().causes.clone()
    }

    /// Prints the line of an ended debate on stdout.
    pub(in crate::cli) fn end(&self, plan: &Plan, end: &End) {
        let mut state = self.state.lock();
        state.end(plan, end);
        let most = screen::mark_width(screen::size().width);
        let mark = plan.mark(&state.labels, most);
        let label = state.labels.label(&plan.job, &plan.cell, plan.repetition);
        drop(state);
        if let Some(fields) = ended_lines::fields(plan, end) {
            self.ended(&fields, &label, &mark);
        }
    }

    /// On a terminal, the end of the batch says which causes left debates unfinished, and `rebut status` which debates.
    fn ended(&self, fields: &[String; 5], label: &str, mark: &str) {
        let is_for_people = !self.json && std::io::stdout().is_terminal();
        if !is_for_people {
            return self.result(&ended_lines::for_programs(fields, label));
        }
        let width = screen::size().width;
        if self.is_of_one() {
            self.result(&ended_lines::alone(fields, self.moves, width));
        } else if !(fields[4].is_empty() && self.moves) {
            self.result(&ended_lines::for_people(fields, mark, width));
        }
    }

    /// A result, to stdout (to stderr if events go to stdout).
    pub(in crate::cli) fn result(&self, line: &str) {
        if self.json {
            self.note(line);
        } else {
            print::out(line);
        }
    }

    /// A line for the user, with the time; it is kept for other processes.
    pub(in crate::cli) fn notify(&self, line: &str) {
        self.state.lock().keep(line);
        let now = chrono::Local::now().format("%H:%M:%S");
        self.note(&format!("{now} {line}"));
    }

    /// A line for the user, on a terminal broken between words.
    pub(in crate::cli) fn note(&self, line: &str) {
        print::remark(&unbroken(line));
    }

    /// A line for the user that must stay whole, such as a path.
    pub(in crate::cli) fn whole(&self, line: &str) {
        print::err(&unbroken(line));
    }

    /// Whether its output goes to a terminal.
    pub(in crate::cli) fn is_picture(&self) -> bool {
        self.moves
    }

    /// The result of a single debate, as a table above its summary line, which tells people enough besides the rounds.
    pub(in crate::cli) fn table(&self, trace: &Trace) {
        let Some(outcome) = &trace.outcome else { return };
        let facts = outcome.facts.iter().filter(|_| !self.moves);
        let widths = facts.clone().map(|(name, _)| name.chars().count());
        let width = widths.max().unwrap_or(0);
        for (name, value) in facts {
            self.note(&format!("  {name:width$}  {}", text::one_line(value)));
        }
        for notes in &trace.rounds {
            let line: Vec<String> = [notes.headline.clone(), claim(trace, notes.round)]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            if !line.is_empty() {
                self.note(&format!("  round {}: {}", notes.round, line.join(": ")));
            }
        }
    }

    /// Whether a debate is in progress.
    pub(in crate::cli) fn is_open(&self, id: &DebateId) -> bool {
        self.state.lock().debates.contains_key(id)
    }

    /// The debates in progress.
    pub(in crate::cli) fn open(&self) -> Vec<(DebateId, DebateLink)> {
        let state = self.state.lock();
        let open = state.debates.iter();
        open.map(|(id, open)| (id.clone(), open.seen.link())).collect()
    }

    /// How many debates have neither begun nor ended.
    pub(in crate::cli) fn queued(&self) -> usize {
        self.state.lock().total(&[]).debates.queued
    }

    /// Prints the lines of the debates in progress, which are stopped at once.
    pub(in crate::cli) fn cut_off(&self) {
        let open: Vec<(DebateLink, String)> = {
            let state = self.state.lock();
            state.open().iter().map(|open| (open.seen.link(), open.mark.clone())).collect()
        };
        for (debate, mark) in open {
            let stopped = stopped(Some(INTERRUPT));
            let fields = ["unfinished", &debate.id, &debate.topic, &stopped, ""];
            self.ended(&fields.map(text::one_line), &debate.label, &mark);
        }
    }

    /// A number that differs after any change to [`Progress::state`].
    pub(in crate::cli) fn revision(&self) -> u64 {
        self.state.lock().revision
    }

    /// The run's progress, for other processes.
    pub(in crate::cli) fn state(&self, begun: RunState, servers: Vec<ServerView>) -> RunState {
        self.state.lock().seen(begun, servers)
    }

    /// Clears what moves.
    pub(in crate::cli) fn finish(&self) {
        self.state.lock().over = true;
        spool::only_prints();
        spool::show(Vec::new());
    }
}

/// What may have line ends, on one line.
fn unbroken(line: &str) -> String {
    line.replace(text::is_line_end, " ")
}

/// The claim of a round with a single speaker: the speaker's name alone says little.
fn claim(trace: &Trace, round: u32) -> String {
    let mut said = trace.statements.iter().filter(|s| s.round == round);
    match (said.next(), said.next()) {
        (Some(alone), None) if alone.was_heard() && !alone.gist.is_empty() => {
            text::one_line(&alone.gist)
        }
        _ => String::new(),
    }
}
