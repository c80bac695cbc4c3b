//! Progress: on a terminal the open debates and the batch, elsewhere plain lines. Results go to stdout, everything else to
//! stderr.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use indicatif::{ProgressBar, ProgressStyle};

use super::color::Paint;
use super::screen::{self, Row, Total};
use super::{log, print};
use crate::clock::Clock;
use crate::event::{DebateStart, Event, EventKind, Status};
use crate::id::DebateId;
use crate::plan::{DebateLabels, Plan};
use crate::run::debate::End;
use crate::shared::Shared;
use crate::templates::inert_json;
use crate::text;
use crate::trace::Trace;

/// Characters of a topic in a line.
const TOPIC_CHARS: usize = 40;

/// The least time between two pictures.
const PICTURE: Duration = Duration::from_millis(100);
/// How often the picture is drawn where nothing happens.
const STILL: Duration = Duration::from_millis(500);
/// Calls before which nothing can be told of their pace.
const FEW_CALLS: u64 = 10;

/// Shows what a run does.
pub(super) struct Progress {
    json: bool,
    verbose: bool,
    /// All that moves, on a terminal.
    picture: Option<ProgressBar>,
    state: Shared<State>,
}

struct State {
    labels: DebateLabels,
    /// Debates that began before this are resumed.
    since: DateTime<Utc>,
    debates: BTreeMap<DebateId, Running>,
    begun: Instant,
    drawn: Option<Instant>,
    /// How many debates have begun: the next one's place.
    order: usize,
    total: Total,
    /// Debates that ended in this run, and their calls.
    ran: u64,
    calls_of_ran: u64,
    over: bool,
}

/// What is shown of a running debate.
struct Running {
    place: usize,
    begun: Instant,
    topic: String,
    format: &'static str,
    calls: u64,
    /// Calls that are under way: their names, and who does what.
    in_flight: Vec<(Option<String>, String)>,
    title: String,
    log: log::Debate,
    rounds: u64,
    round: u64,
    resumed: bool,
    /// Whether this run has made a call: what came before is from the journal.
    live: bool,
    /// Log lines of what may have come from the journal.
    held: Vec<String>,
    /// The part of the debate that was told of last.
    told: String,
    speed: f64,
}

impl Progress {
    /// For a batch of so many debates. With `json`, events go to stdout and results to stderr.
    pub(super) fn new(chosen: usize, labels: DebateLabels, json: bool, verbose: bool) -> Self {
        let moves = std::io::stderr().is_terminal() && !verbose;
        let picture = moves.then(|| {
            let style = ProgressStyle::with_template("{msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new_spinner().with_style(style)
        });
        let state = State {
            labels,
            since: Clock::system().now(),
            debates: BTreeMap::new(),
            begun: Instant::now(),
            drawn: None,
            order: 0,
            total: Total {
                chosen,
                ..Total::default()
            },
            ran: 0,
            calls_of_ran: 0,
            over: false,
        };
        Self {
            json,
            verbose,
            picture,
            state: Shared::new(state),
        }
    }

    /// Draws now and then by itself: times go on where nothing happens.
    pub(super) fn keep_moving(self: &Arc<Self>) {
        if self.picture.is_none() {
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
        let Some(picture) = self.picture.as_ref().filter(|_| !lately && !state.over) else {
            return;
        };
        state.drawn = Some(Instant::now());
        let paint = Paint::on(&std::io::stderr());
        let lines = screen::lines(&state.total(), &state.rows(), screen::size(), paint);
        picture.set_message(lines.join("\n"));
    }

    /// Takes in an event.
    pub(super) fn event(&self, event: &Event) {
        if self.json {
            print::out(&inert_json(&event.line()));
        }
        let mut state = self.state.lock();
        if let EventKind::DebateStart(start) = &event.kind {
            let resumed = event.time < state.since;
            let running = state.begin(start, resumed);
            state.debates.insert(event.debate.clone(), running);
        }
        state.total.count(event);
        let Some(running) = state.debates.get_mut(&event.debate) else {
            return;
        };
        let lines = running.take(event, self.verbose);
        if self.verbose || self.picture.is_none() {
            lines.iter().for_each(|line| self.note(line));
        }
        self.draw(&mut state);
    }

    /// Whether there is one debate only, so that a table below the lines can be of no other. Jobs may have been added.
    pub(super) fn is_of_one(&self) -> bool {
        self.state.lock().total.chosen == 1
    }

    /// More debates are to come.
    pub(super) fn expect(&self, more: &[Plan]) {
        let mut state = self.state.lock();
        more.iter()
            .for_each(|plan| state.labels.take(&plan.job, &plan.cell));
        state.total.chosen += more.len();
    }

    /// A debate has ended: its line, on stdout.
    pub(super) fn end(&self, plan: &Plan, end: &End) {
        let mut state = self.state.lock();
        let running = state.debates.remove(&plan.id);
        state.end(end, running.map_or(0, |running| running.calls));
        drop(state);
        let Some(fields) = end_fields(plan, end) else {
            return;
        };
        let to_people = !self.json && std::io::stdout().is_terminal();
        self.result(&match to_people {
            true => for_people(&fields, self.is_of_one(), screen::size().width),
            false => fields.join("\t"),
        });
    }

    /// A result, for stdout (for stderr where events go to stdout).
    pub(super) fn result(&self, line: &str) {
        if self.json {
            self.note(line);
        } else {
            self.suspended(|| print::out(line));
        }
    }

    /// A line for the user, with the time.
    pub(super) fn notify(&self, line: &str) {
        let now = chrono::Local::now().format("%H:%M:%S");
        self.note(&format!("{now} {line}"));
    }

    /// A line for the user.
    pub(super) fn note(&self, line: &str) {
        self.suspended(|| print::err(&text::visible(line).replace('\n', " ")));
    }

    fn suspended(&self, write: impl FnOnce()) {
        match &self.picture {
            Some(picture) => picture.suspend(write),
            None => write(),
        }
    }

    /// The result of a single debate, as a table. It stands above the line that sums it up.
    pub(super) fn table(&self, trace: &Trace) {
        let Some(outcome) = &trace.outcome else {
            return;
        };
        let widths = outcome.facts.iter().map(|(name, _)| name.chars().count());
        let width = widths.max().unwrap_or(0);
        for (name, value) in &outcome.facts {
            self.note(&format!("  {name:width$}  {}", text::one_line(value)));
        }
        for notes in &trace.rounds {
            let line = [notes.headline.clone(), claim(trace, notes.round)];
            let line: Vec<String> = line.into_iter().filter(|part| !part.is_empty()).collect();
            self.note(&format!("  round {}: {}", notes.round, line.join(": ")));
        }
    }

    /// The debates that are under way.
    pub(super) fn open(&self) -> Vec<DebateId> {
        self.state.lock().debates.keys().cloned().collect()
    }

    /// Clears what moves.
    pub(super) fn finish(&self) {
        self.state.lock().over = true;
        self.picture.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl State {
    /// A debate's id, its topic, and what tells it from the others of its job.
    fn title(&self, plan: &Plan) -> String {
        let topic = self.labels.subject(&plan.job, plan.heading(), TOPIC_CHARS);
        let cell = self.labels.label(&plan.job, &plan.cell, plan.repetition);
        let title = format!("{} {topic} {cell}", plan.short_id());
        title.trim_end().to_owned()
    }

    fn begin(&mut self, start: &DebateStart, resumed: bool) -> Running {
        let plan = &start.plan;
        let topic = self.labels.subject(&plan.job, plan.heading(), TOPIC_CHARS);
        self.order += 1;
        Running {
            place: self.order,
            begun: Instant::now(),
            topic,
            format: plan.format.name(),
            calls: 0,
            in_flight: Vec::new(),
            title: self.title(plan),
            log: log::Debate::new(plan),
            rounds: u64::from(plan.format.most_rounds()),
            round: 0,
            resumed,
            live: false,
            held: Vec::new(),
            told: String::new(),
            speed: 0.0,
        }
    }

    fn end(&mut self, end: &End, calls: u64) {
        self.total.ended += 1;
        if let End::Published { status, .. } = end {
            self.ran += 1;
            self.calls_of_ran += calls;
            self.total.degraded += usize::from(*status == Status::Degraded);
            self.total.failed += usize::from(*status == Status::Failed);
        }
    }

    /// The debates that are open, the first one first.
    fn rows(&self) -> Vec<Row> {
        let mut open: Vec<_> = self.debates.iter().collect();
        open.sort_by_key(|(_, running)| running.place);
        let rows = open.into_iter();
        rows.map(|(id, running)| running.row(id.short())).collect()
    }

    /// The batch, with estimates from the debates that ended in this run.
    fn total(&self) -> Total {
        let seconds = self.begun.elapsed().as_secs();
        let left = self.calls_left();
        let calls = self.total.calls;
        let pace = left.filter(|_| calls >= FEW_CALLS);
        Total {
            seconds,
            about: left.map(|left| calls + left),
            seconds_left: pace.map(|left| left.saturating_mul(seconds) / calls.max(1)),
            ..self.total.clone()
        }
    }

    /// How many calls are left, if those that are open or not begun take as many as those that ended.
    fn calls_left(&self) -> Option<u64> {
        let each = self.calls_of_ran.checked_div(self.ran).filter(|n| *n > 0)?;
        let (open, ended) = (self.debates.len(), self.total.ended);
        let waiting = self.total.chosen.saturating_sub(open + ended) as u64;
        let begun = self.debates.values();
        let begun = begun.map(|running| each.saturating_sub(running.calls).max(1));
        Some(waiting.saturating_mul(each).saturating_add(begun.sum()))
    }
}

impl Total {
    /// Takes in an event.
    fn count(&mut self, event: &Event) {
        match &event.kind {
            EventKind::CallEnd { error: None, .. } => self.calls += 1,
            EventKind::CallEnd { error: Some(_), .. } => self.retries += 1,
            _ => {}
        }
    }
}

impl Running {
    /// Takes in an event; the lines that tell of it.
    fn take(&mut self, event: &Event, verbose: bool) -> Vec<String> {
        let mut logged = self.log.lines(event);
        if !verbose {
            logged.clear();
        }
        match &event.kind {
            EventKind::RoundStart { .. } => {
                self.round = event.round.unwrap_or(0).into();
            }
            EventKind::CallStart { .. } => return self.call_start(event, verbose, logged),
            EventKind::CallEnd {
                tokens,
                reply_ms,
                error,
            } => {
                self.calls += u64::from(error.is_none());
                self.in_flight
                    .retain(|(call, _)| *call != event.metadata.call);
                if *reply_ms > 0 {
                    self.speed = tokens.reply as f64 * 1000.0 / *reply_ms as f64;
                }
            }
            _ => {}
        }
        let ends = matches!(event.kind, EventKind::Complete(_));
        if self.live || ends {
            return logged;
        }
        self.held.extend(logged);
        Vec::new()
    }

    /// A call is made, so what came before it is told now: all of it, or that it came from the journal.
    fn call_start(&mut self, event: &Event, verbose: bool, logged: Vec<String>) -> Vec<String> {
        let place = match self.log.stage(event) {
            log::Stage::Before => "before the first round".to_owned(),
            log::Stage::Round(0) => "the initial round".to_owned(),
            log::Stage::Round(round) => format!("round {round} of {}", self.rounds),
            log::Stage::After => "after the rounds".to_owned(),
        };
        let doing = self.log.doing(event);
        self.in_flight.push((event.metadata.call.clone(), doing));
        let first = !std::mem::replace(&mut self.live, true);
        let resumed = first && self.resumed;
        let new_part = self.told != place;
        self.told.clone_from(&place);
        let mut lines = std::mem::take(&mut self.held);
        if resumed {
            lines = vec![format!("{}: {place}, resumed from its journal", self.title)];
        } else if new_part && !verbose {
            lines = vec![format!("{}: {place}", self.title)];
        }
        lines.extend(logged);
        lines
    }

    fn row(&self, id: &str) -> Row {
        let doing = match self.in_flight.as_slice() {
            [] => String::new(),
            [(_, doing)] => doing.clone(),
            [(_, doing), others @ ..] => format!("{doing}, {} more", others.len()),
        };
        Row {
            id: id.to_owned(),
            format: self.format,
            topic: self.topic.clone(),
            round: self.round,
            rounds: self.rounds,
            doing,
            tokens_per_second: self.speed,
            seconds: self.begun.elapsed().as_secs(),
        }
    }
}

/// `done`, id, topic, outcome and index: with tabs between them, what other programs read. Nothing for debates that were
/// skipped or stopped.
fn end_fields(plan: &Plan, end: &End) -> Option<[String; 5]> {
    let (word, line, path) = match end {
        End::Published {
            status, line, path, ..
        } => (status.word(), line, path.join("index.md")),
        End::Parked(cause) | End::Stuck(cause) => ("unfinished", cause, PathBuf::new()),
        _ => return None,
    };
    let path = path.to_string_lossy();
    let fields = [word, plan.short_id(), &plan.topic, line, &path];
    Some(fields.map(text::one_line))
}

/// The same for a terminal, where a line has to fit; the path stands below a single debate.
fn for_people([word, id, topic, line, path]: &[String; 5], alone: bool, width: usize) -> String {
    let paint = Paint::on(&std::io::stdout());
    let fits = screen::result([word, id, topic, line], width, paint);
    match alone && !path.is_empty() {
        true => format!("{fits}\n  {path}"),
        false => fits,
    }
}

/// The claim of a round in which one speaker spoke: who did alone says little.
fn claim(trace: &Trace, round: u32) -> String {
    let mut said = trace.statements.iter().filter(|s| s.round == round);
    match (said.next(), said.next()) {
        (Some(alone), None) if alone.was_heard() && !alone.gist.is_empty() => {
            text::one_line(&alone.gist)
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j8_on_a_terminal_the_line_of_a_debate_fits_and_a_single_one_has_its_path_below() {
        let topic = "Should cities ban private cars from their centres?";
        let path = "output/d/index.md";
        let fields = ["done", "51f6a7a57cb2", topic, "Commuter stands", path];
        let fields = fields.map(str::to_owned);
        let short = "done        51f6a7a57cb2  Should cities ban private…  Commuter stands";
        assert_eq!(for_people(&fields, false, 80), short);
        let alone = format!("{short}\n  {path}");
        assert_eq!(for_people(&fields, true, 80), alone);
    }
}
