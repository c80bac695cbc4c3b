//! Progress: on a terminal a line for the batch and one for each running debate, elsewhere plain lines. Results go to
//! stdout, everything else to stderr.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{log, print};
use crate::clock::Clock;
use crate::event::{DebateStart, Event, EventKind};
use crate::id::DebateId;
use crate::plan::{DebateLabels, Plan};
use crate::run::debate::End;
use crate::shared::Shared;
use crate::templates::inert_json;
use crate::text;
use crate::trace::Trace;

/// Characters of a topic in a line.
const TOPIC_CHARS: usize = 40;

/// Shows what a run does.
pub(super) struct Progress {
    json: bool,
    verbose: bool,
    bars: Option<MultiProgress>,
    state: Shared<State>,
}

struct State {
    batch: Option<ProgressBar>,
    labels: DebateLabels,
    /// Debates that began before this are resumed.
    since: DateTime<Utc>,
    debates: HashMap<DebateId, Running>,
    begun: Instant,
    chosen: usize,
    ended: usize,
    ran: usize,
}

/// What is shown of a running debate.
struct Running {
    bar: Option<ProgressBar>,
    title: String,
    log: log::Debate,
    rounds: u64,
    round: u64,
    resumed: bool,
    /// When the first call of this run was made: what came from the journal took no time.
    live_since: Option<(Instant, u64)>,
    /// Log lines of what may have come from the journal.
    held: Vec<String>,
    /// The part of the debate that was told of last.
    told: String,
    doing: String,
    speed: f64,
}

impl Progress {
    /// For a batch of so many debates. With `json`, events go to stdout and results to stderr.
    pub(super) fn new(chosen: usize, labels: DebateLabels, json: bool, verbose: bool) -> Self {
        let bars = (std::io::stderr().is_terminal() && !verbose).then(MultiProgress::new);
        let batch = bars
            .as_ref()
            .map(|bars| bar(bars, "{prefix:.bold} [{bar:24}] {msg}", chosen as u64));
        if let Some(batch) = &batch {
            batch.set_prefix("batch");
            batch.set_message(format!("0 of {chosen} debates"));
        }
        let state = State {
            batch,
            labels,
            since: Clock::system().now(),
            debates: HashMap::new(),
            begun: Instant::now(),
            chosen,
            ended: 0,
            ran: 0,
        };
        Self {
            json,
            verbose,
            bars,
            state: Shared::new(state),
        }
    }

    /// Takes in an event.
    pub(super) fn event(&self, event: &Event) {
        if self.json {
            print::out(&inert_json(&event.line()));
        }
        let mut state = self.state.lock();
        if let EventKind::DebateStart(start) = &event.kind {
            let resumed = event.time < state.since;
            let running = self.begin(start, state.title(&start.plan), resumed);
            state.debates.insert(event.debate.clone(), running);
        }
        let Some(running) = state.debates.get_mut(&event.debate) else {
            return;
        };
        let lines = running.take(event, self.verbose);
        if self.verbose || self.bars.is_none() {
            lines.iter().for_each(|line| self.note(line));
        }
        if let Some(bar) = &running.bar {
            bar.set_position(running.round.saturating_sub(1));
            bar.set_message(running.message());
        }
        if let EventKind::Complete(_) = &event.kind
            && let Some(bar) = &running.bar
        {
            bar.finish_and_clear();
        }
    }

    fn begin(&self, start: &DebateStart, title: String, resumed: bool) -> Running {
        let plan = &start.plan;
        let rounds = u64::from(plan.format.most_rounds());
        let bar = self
            .bars
            .as_ref()
            .map(|bars| bar(bars, "  {prefix} [{bar:12}] {msg}", rounds));
        if let Some(bar) = &bar {
            bar.set_prefix(title.clone());
        }
        let log = log::Debate::new(plan);
        Running {
            bar,
            title,
            log,
            rounds,
            round: 0,
            resumed,
            live_since: None,
            held: Vec::new(),
            told: String::new(),
            doing: String::new(),
            speed: 0.0,
        }
    }

    /// Whether there is one debate only, so that a table below the lines can be of no other. Jobs may have been added.
    pub(super) fn is_of_one(&self) -> bool {
        self.state.lock().chosen == 1
    }

    /// More debates are to come.
    pub(super) fn expect(&self, more: &[Plan]) {
        let mut state = self.state.lock();
        more.iter()
            .for_each(|plan| state.labels.take(&plan.job, &plan.cell));
        state.chosen += more.len();
        if let Some(batch) = &state.batch {
            batch.inc_length(more.len() as u64);
        }
    }

    /// A debate has ended: its line, on stdout.
    pub(super) fn end(&self, plan: &Plan, end: &End) {
        let mut state = self.state.lock();
        state.ended += 1;
        state.ran += usize::from(matches!(end, End::Published { .. }));
        let running = state.debates.remove(&plan.id);
        if let Some(bar) = running.and_then(|running| running.bar) {
            bar.finish_and_clear();
        }
        if let Some(batch) = &state.batch {
            batch.inc(1);
            batch.set_message(state.message());
        }
        drop(state);
        let Some(fields) = end_fields(plan, end) else {
            return;
        };
        let to_people = !self.json && std::io::stdout().is_terminal();
        self.result(&match to_people {
            true => for_people(&fields, self.is_of_one()),
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
        match &self.bars {
            Some(bars) => bars.suspend(write),
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
            let said = claim(trace, notes.round);
            self.note(&format!(
                "  round {}: {}{said}",
                notes.round, notes.headline
            ));
        }
    }

    /// Clears what moves.
    pub(super) fn finish(&self) {
        let state = self.state.lock();
        let bars = state.debates.values().filter_map(|it| it.bar.as_ref());
        bars.chain(&state.batch)
            .for_each(ProgressBar::finish_and_clear);
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

    /// `3 of 24 debates, about 41 min left`; an estimate from the debates that ended in this run.
    fn message(&self) -> String {
        let left = (self.chosen - self.ended.min(self.chosen)) as u32;
        let estimate =
            (self.ran > 0 && left > 0).then(|| self.begun.elapsed() / self.ran as u32 * left);
        let left = estimate.map(about).unwrap_or_default();
        format!("{} of {} debates{left}", self.ended, self.chosen)
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
                tokens, reply_ms, ..
            } if *reply_ms > 0 => {
                self.speed = tokens.reply as f64 * 1000.0 / *reply_ms as f64;
            }
            _ => {}
        }
        let ends = matches!(event.kind, EventKind::Complete(_));
        if self.live_since.is_some() || ends {
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
        self.doing = format!("{place}, {}", self.log.doing(event));
        let first = self.live_since.is_none();
        self.live_since
            .get_or_insert((Instant::now(), self.round.saturating_sub(1)));
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

    fn message(&self) -> String {
        let speed = match self.speed {
            0.0 => String::new(),
            speed => format!(", {speed:.0} tokens/s"),
        };
        let left = self.left().map(about).unwrap_or_default();
        format!("{}{speed}{left}", self.doing)
    }

    /// An estimate of what is left, from the rounds that this run did itself.
    fn left(&self) -> Option<Duration> {
        let (since, round) = self.live_since?;
        let before = self.round.saturating_sub(1);
        let done = before.checked_sub(round).filter(|done| *done > 0)?;
        let left = self.rounds.saturating_sub(before);
        Some(since.elapsed() / u32::try_from(done).ok()? * u32::try_from(left).ok()?)
    }
}

fn about(left: Duration) -> String {
    let seconds = left.as_secs();
    match seconds {
        0..=90 => format!(", about {seconds} s left"),
        91..=5400 => format!(", about {} min left", seconds.div_ceil(60)),
        _ => format!(", about {:.1} h left", seconds as f64 / 3600.0),
    }
}

fn bar(bars: &MultiProgress, template: &str, length: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bars.add(ProgressBar::new(length).with_style(style.progress_chars("=> ")))
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

/// The same for a terminal, where a line has to fit: the topic is shortened, and the path stands below a single debate.
fn for_people([word, id, topic, line, path]: &[String; 5], alone: bool) -> String {
    let topic = text::shorten(topic, TOPIC_CHARS);
    let below = match alone && !path.is_empty() {
        true => format!("\n  {path}"),
        false => String::new(),
    };
    format!("{word}  {id}  {topic}: {line}{below}")
}

/// The claim of a round in which one speaker spoke: who did alone says little.
fn claim(trace: &Trace, round: u32) -> String {
    let mut said = trace.statements.iter().filter(|s| s.round == round);
    match (said.next(), said.next()) {
        (Some(alone), None) if alone.was_heard() && !alone.gist.is_empty() => {
            format!(": {}", text::one_line(&alone.gist))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j8_on_a_terminal_the_line_of_a_debate_is_short() {
        let topic = "Should cities ban private cars from their centres?";
        let fields = [
            "done",
            "51f6a7a57cb2",
            topic,
            "Commuter stands",
            "output/d/index.md",
        ];
        let fields = fields.map(str::to_owned);
        let short = "done  51f6a7a57cb2  Should cities ban private cars from…: Commuter stands";
        assert_eq!(for_people(&fields, false), short);
        let alone = format!("{short}\n  output/d/index.md");
        assert_eq!(for_people(&fields, true), alone);
    }
}
