//! `rebut watch`: a running debate in the terminal, with its text as it arrives.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::args::output_directory::{self, OutputArg};
use super::process::failure::{Failure, done_if};
use super::terminal::{debate_log, print, server_failures};
use crate::call_id::CallId;
use crate::clock::Clock;
use crate::event::{Event, EventKind, Incident, IncidentKind, Statement};
use crate::id::{self, DebateId};
use crate::plan::{DebateLabels, Plan};
use crate::store::layout::OutputDir;
use crate::store::live::{
    self, CallsInFlight, Cursor, Grown, LiveHeader, LiveLine, LiveTail, ShortId,
};
use crate::store::running_batches::RunningBatch;
use crate::store::state::RunState;
use crate::text::{self, mentions, one_line, visible};

/// How often it looks for news.
const LOOK: Duration = Duration::from_millis(40);
/// Looks after which it announces itself as a viewer again: every two seconds.
const LOOKS: u32 = 50;
/// Characters of what happened besides the statements, which stays a line or two.
const LINE: usize = 200;
/// Incidents after which someone speaks again, or nobody does.
const TURNS: [IncidentKind; 9] = [
    IncidentKind::Retry,
    IncidentKind::Fallback,
    IncidentKind::GaveUp,
    IncidentKind::Refusal,
    IncidentKind::Emergency,
    IncidentKind::Missing,
    IncidentKind::Invalid,
    IncidentKind::Abstained,
    IncidentKind::Panel,
];
/// Debates named, and sides of each, if several are running.
const MOST_NAMED: usize = 10;
/// Characters of their topics.
const TOPIC: usize = 60;
/// Where lines are broken, so that what is printed up to there stands.
const BREAKS: [char; 2] = [' ', '\n'];
/// Characters of a statement's end.
const END: usize = 60;
/// Looks before giving up on a debate without a process: one that resumes it needs a moment.
const LEFT: u32 = 5;

/// Follow a running debate in the terminal, with its text as it arrives
///
/// Prints earlier statements first and ends with the debate. It only reads and does not slow down the run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate: its id (at least 4 digits) [default: the only one running]
    #[arg(value_name = "DEBATE")]
    debate: Option<String>,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let output = args.output.existing()?;
    let id = meant(args, &output)?;
    let mut watching = Watching::default();
    let Some((mut tail, mut header)) = LiveTail::open(&live::path(&output, &id)) else {
        return Err(not_running(args, id.as_str()));
    };
    let (clock, mut looks) = (Clock::system(), 0_u32);
    let mut quiet = 0;
    while !watching.over && !watching.left && !print::is_in_vain() {
        if looks.is_multiple_of(LOOKS) {
            live::look(&output, &clock);
            watching.waiting(id.as_str(), live::left_by(&output, &id), clock.now());
            let is_running = live::is_running(&output, &header);
            quiet = if is_running { 0 } else { quiet + 1 };
        }
        looks = looks.wrapping_add(1);
        match tail.read() {
            Grown::By(lines) if lines.is_empty() && quiet > 1 => break,
            Grown::By(lines) if lines.is_empty() => std::thread::sleep(LOOK),
            Grown::By(lines) => lines.iter().for_each(|line| watching.take(line)),
            Grown::TooLong => {
                print::remark("the rest has a line too long to show");
                break;
            }
            // Resumed: earlier events arrive again and are not printed twice.
            Grown::No => match reopened(&output, &id) {
                Some(again) => {
                    watching.begin_again();
                    (tail, header) = again;
                }
                None => break,
            },
        }
    }
    watching.catch_up(args, &id);
    Ok(watching.end(args, &header.debate))
}

/// The debate's file, which another process may be about to start over.
fn reopened(output: &OutputDir, id: &ShortId) -> Option<(LiveTail, LiveHeader)> {
    let mut looks = (0..LEFT).map(|_| {
        std::thread::sleep(LOOK);
        LiveTail::open(&live::path(output, id))
    });
    looks.find_map(|found| found)
}

/// The debate to follow.
fn meant(args: &Args, output: &OutputDir) -> Result<ShortId, Failure> {
    let Some(named) = &args.debate else {
        return match <[ShortId; 1]>::try_from(running(output)) {
            Ok([one]) => Ok(one),
            Err(none) if none.is_empty() => Err(Failure::input(
                "no debate is running here",
                format!(
                    "start one with `rebut run`, or print the newest finished one with `rebut show last{}`",
                    output_directory::flag(&args.output.dir)
                ),
            )),
            Err(several) => {
                let all = text::count(several.len(), "debate");
                let cause = format!("{all} are running:{}", listed(output, &several));
                let flag = output_directory::flag(&args.output.dir);
                Err(Failure::input(cause, format!("name one of them: `rebut watch ID{flag}`")))
            }
        };
    };
    let wanted = output_directory::id_in(named).unwrap_or(named);
    let mut found = live::all(output).into_iter().filter(|id| id::names(wanted, id.as_str()));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(not_running(args, named)),
    }
}

/// `51f6a7a57cb2  Should zoos be closed? b.model=mistral run 2`, each on a line of its own, as far as the debates' files tell.
fn listed(output: &OutputDir, ids: &[ShortId]) -> String {
    let plans: Vec<Option<Plan>> = ids.iter().map(|id| plan(output, id)).collect();
    let mut labels = DebateLabels::default();
    plans.iter().flatten().for_each(|it| labels.take(&it.job, &it.cell, it.repetition));
    let described = |(id, plan): (&ShortId, &Option<Plan>)| match plan {
        Some(plan) => {
            let topic = labels.subject(&plan.job, plan.heading(), TOPIC);
            let label = labels.label(&plan.job, &plan.cell, plan.repetition);
            let label = text::if_any(label).unwrap_or_else(|| sides(plan));
            format!("\n  {}  {topic} {label}", id.as_str())
        }
        None => format!("\n  {}", id.as_str()),
    };
    let lines = ids.iter().zip(&plans).take(MOST_NAMED).map(described);
    let more = ids.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("\n  … and {more} more"));
    lines.chain(more).collect()
}

/// What a running debate's file says it is.
fn plan(output: &OutputDir, id: &ShortId) -> Option<Plan> {
    let (mut tail, _) = LiveTail::open(&live::path(output, id))?;
    let Grown::By(lines) = tail.read() else { return None };
    match serde_json::from_str(&lines.first()?.text).ok()? {
        Event { kind: EventKind::DebateStart(start), .. } => Some(*start.plan),
        _ => None,
    }
}

/// `Pro (llama3), Con (mistral)`.
fn sides(plan: &Plan) -> String {
    let sides = plan.participants.iter().filter(|it| plan.format.profile.argues(it));
    one_line(&text::some_of(sides.map(|it| format!("{} ({})", it.name, it.model)), MOST_NAMED))
}

/// The debates that a process is running. One that was interrupted leaves its file.
fn running(output: &OutputDir) -> Vec<ShortId> {
    let runs = RunningBatch::seen(output).unwrap_or_default();
    let mut all = live::all(output);
    all.retain(|id| live::is_open(output, &runs, id));
    all
}

fn not_running(args: &Args, named: &str) -> Failure {
    let hint = match args.output.debate(named) {
        Ok(found) => format!("it is finished; print it with: rebut show {}", found.again(named)),
        Err(_) => {
            let dir = output_directory::positional(&args.output.dir);
            format!("`rebut status{dir}` lists the debates in progress")
        }
    };
    let not_running = || Failure::input(format!("no debate `{named}` is running"), hint);
    args.output.unended(named).unwrap_or_else(not_running)
}

/// What was printed, and the statement in progress.
#[derive(Default)]
struct Watching {
    log: Option<debate_log::Debate>,
    /// How much of the log is printed.
    printed: Option<Cursor>,
    speaking: Option<Speaking>,
    /// What was printed of calls that others have interrupted.
    interrupted: BTreeMap<String, String>,
    /// What was last told to be missing.
    missing: String,
    calls: CallsInFlight,
    /// The last round that ended with who takes a team's seat next.
    rotation: Option<u32>,
    /// Who was heard last.
    heard: String,
    over: bool,
    /// Whether its run has left it, and goes on with others.
    left: bool,
    /// Whether it is told that nothing is heard of servers.
    waits: bool,
}

/// The call whose text is printed as it arrives.
struct Speaking {
    call: String,
    /// The part of its text already printed.
    shown: String,
    is_over: bool,
}

impl Watching {
    fn take(&mut self, line: &LiveLine) {
        if line.is_alias() {
            return;
        }
        match line.cursor {
            Some(cursor) if self.printed.is_none_or(|printed| cursor.seq > printed.seq) => {
                self.waits = false;
                self.printed = Some(cursor);
                self.logged(line);
            }
            Some(_) => {}
            None => self.passing(line),
        }
    }

    /// Says once which servers are waited for, while none works on this debate.
    fn waiting(&mut self, id: &str, run: Option<RunState>, now: DateTime<Utc>) {
        let idle = |run: &RunState| run.open.iter().any(|it| it.id == id && !it.is_busy());
        let run = run.filter(|run| !self.waits && idle(run));
        let failing = run.map(|run| server_failures::lines(&run.servers, now));
        for failing in failing.into_iter().flatten() {
            self.break_off();
            self.waits = true;
            aside(&format!("waiting: {failing}"));
        }
    }

    /// Prints the rest of a debate that finished before its file was read to the end.
    fn catch_up(&mut self, args: &Args, id: &ShortId) {
        if self.over {
            return;
        }
        let Ok(finished) = args.output.debate(id.as_str()) else { return };
        let lines = live::logged_lines(&live::logged(&finished.dir));
        let is_same = |printed| lines.iter().any(|line| line.cursor == Some(printed));
        if self.printed.is_none_or(is_same) {
            lines.iter().for_each(|line| self.take(line));
        }
    }

    fn logged(&mut self, line: &LiveLine) {
        let Ok(event) = serde_json::from_str::<Event>(&line.text) else { return };
        if let EventKind::DebateStart(start) = &event.kind {
            self.log = Some(debate_log::Debate::new(&start.plan));
            print::told(&one_line(start.plan.heading()));
        }
        match &event.kind {
            EventKind::Statement(said) | EventKind::Comment(said) => self.statement(said, &event),
            _ => self.tell(&event),
        }
        self.over = matches!(event.kind, EventKind::Complete(_));
    }

    /// What an event tells of the debate's course, on lines of its own. Calls, notes and what is only for the record stay in the
    /// run's log.
    fn tell(&mut self, event: &Event) {
        let told = self.log.as_mut().map(|log| log.told(event)).unwrap_or_default();
        let lines = match &event.kind {
            EventKind::DebateStart(_)
            | EventKind::CallStart { .. }
            | EventKind::Notes(_)
            | EventKind::Retrieval(_) => Vec::new(),
            // The announcement of the next round, or of the end, says the same.
            EventKind::Rotation(rotation) => {
                self.rotation = Some(rotation.round);
                Vec::new()
            }
            EventKind::Summary(notes)
                if self.rotation == Some(notes.round) || self.is_seen(&notes.headline) =>
            {
                let headline = text::if_any(notes.headline.clone());
                let is_said =
                    |line: &String| headline.as_ref().is_some_and(|it| line.ends_with(it));
                told.into_iter().filter(|line| !is_said(line)).collect()
            }
            // The last line of the debate says who won.
            EventKind::Verdict(verdict) => told.into_iter().take(verdict.heard().count()).collect(),
            EventKind::Incident(it) if TURNS.contains(&it.kind) => {
                self.incident(it).into_iter().collect()
            }
            EventKind::Incident(_) => Vec::new(),
            _ => told,
        };
        for line in lines {
            self.break_off();
            match event.kind {
                EventKind::RoundStart { .. } => print::whole(&format!("\n{line}\n")),
                _ => aside(&line),
            }
        }
    }

    /// What became of a reply, behind the name of whose it is, unless it has that. What is missing for lack of several replies is
    /// told once, as nobody's.
    fn incident(&mut self, it: &Incident) -> Option<String> {
        let told = it.message.clone();
        if [IncidentKind::Missing, IncidentKind::Panel].contains(&it.kind) {
            let is_new = self.missing != told;
            self.missing.clone_from(&told);
            return is_new.then(|| text::capitalised(&told));
        }
        let call = it.call.as_deref().and_then(CallId::parse);
        let by = call.map(|call| call.asked().to_owned());
        let name = by.zip(self.log.as_ref()).map(|(by, log)| log.name(&by).to_owned());
        let what = if it.kind == IncidentKind::Invalid { "unusable reply: " } else { "" };
        let name = name.filter(|name| !mentions::is_written(&told, name));
        Some(name.map(|name| format!("{name}: {what}{told}")).unwrap_or(told))
    }

    /// Whether a headline only says whose turn it was, `Ann opens`: below the turn it would read as the next one's.
    fn is_seen(&self, headline: &str) -> bool {
        let did = headline.strip_prefix(&self.heard).map(str::trim);
        did.is_some_and(|did| !self.heard.is_empty() && !did.contains(' '))
    }

    /// A statement: the part not printed while it arrived. Of one that was cut, where it ends; one that was changed otherwise is
    /// printed whole.
    fn statement(&mut self, said: &Statement, event: &Event) {
        if let Some(log) = &mut self.log {
            // Only to count turns; its text is visible here.
            let _ = log.told(event);
            log.name(&said.by).clone_into(&mut self.heard);
        }
        let its = |it: &mut Speaking| Some(&it.call) == said.call.as_ref();
        if let Some(speaking) = self.speaking.take_if(its) {
            if let Some(rest) = rest(&said.text, &speaking.shown) {
                print::whole(&format!("{rest}\n"));
                return;
            }
            self.speaking = Some(speaking);
        }
        self.break_off();
        let shown = said.call.as_ref().and_then(|call| self.interrupted.remove(call));
        let shown = shown.unwrap_or_default();
        if rest(&said.text, &shown).is_some_and(|rest| rest.is_empty()) {
            return;
        }
        let kept = text::without_mark(&said.text);
        if said.cut && visible(shown.trim_start()).starts_with(&*visible(kept)) {
            let end = last_words(kept);
            return aside(&format!("(cut at the limit; the record ends after “{end}”)"));
        }
        self.head(&said.by, said.model.as_deref());
        print::whole(&format!("{}\n", print::laid_out(&said.text)));
    }

    fn head(&self, by: &str, model: Option<&str>) {
        let name = self.log.as_ref().map_or(by, |log| log.name(by));
        let model = model.map(|model| format!(" ({model})"));
        let head = format!("\n── {name}{}", model.unwrap_or_default());
        print::whole(&format!("\n{}\n", one_line(head.trim_start())));
    }

    /// Ends the line of a text still arriving: everything else goes on its own lines.
    fn break_off(&mut self) {
        if let Some(it) = self.speaking.take().filter(|it| !it.shown.is_empty()) {
            print::whole(if it.is_over { "\n" } else { " …\n" });
            self.interrupted.insert(it.call, it.shown);
        }
    }

    fn passing(&mut self, line: &LiveLine) {
        self.left = line.is_left();
        let Some(call) = line.call() else { return };
        let is_its = self.speaking.as_ref().is_some_and(|it| it.call == call);
        let is_void = line.name == "call_sent" || line.ends_in_vain();
        if is_void && is_its {
            self.break_off();
        } else if line.name == "call_end" && is_its {
            self.speak(call, true);
        }
        if is_void && self.interrupted.remove(call).is_some() {
            aside("discarded");
        }
        self.calls.take(line);
        if line.name == "statement_chunk" && (is_its || self.speaking.is_none()) {
            self.speak(call, false);
        }
    }

    /// Prints new text of a call, up to the last whole word. A simultaneous speaker is printed after this one has ended.
    fn speak(&mut self, call: &str, is_over: bool) {
        let Some(it) = self.calls.all().find(|it| it.call == call) else { return };
        let text = if is_over { &it.text } else { whole_words(&it.text) };
        if text.is_empty() {
            return;
        }
        if self.speaking.is_none() {
            self.head(&it.role, Some(&it.model));
        }
        let new = || Speaking { call: call.to_owned(), shown: String::new(), is_over };
        let speaking = self.speaking.get_or_insert_with(new);
        speaking.is_over = is_over;
        if let Some(more) = behind(text, &speaking.shown) {
            print::whole(&more);
            text.clone_into(&mut speaking.shown);
        }
    }

    /// Another process resumes the debate: text that arrived without becoming a statement is void.
    fn begin_again(&mut self) {
        self.break_off();
        self.interrupted.clear();
        self.calls = CallsInFlight::default();
        self.left = false;
    }

    fn end(mut self, args: &Args, debate: &DebateId) -> ExitCode {
        self.break_off();
        let id = debate.short();
        if print::is_in_vain() {
            return ExitCode::SUCCESS;
        }
        if self.over {
            let flag = output_directory::flag(&args.output.dir);
            print::out(&format!("next: rebut show {id}{flag}"));
        } else {
            let how = args.output.finishes(debate);
            print::remark(&format!("debate {id} is unfinished and not running: {how}"));
        }
        done_if(self.over)
    }
}

/// A line on the debate's course, between statements.
fn aside(line: &str) {
    print::told(&format!("   {}", text::shorten(line, LINE)));
}

/// How a text ends: `…the last words`.
fn last_words(text: &str) -> String {
    let text = one_line(text);
    let before = text.chars().count().saturating_sub(END);
    let end: String = text.chars().skip(before).collect();
    match end.split_once(' ') {
        Some((_, words)) if before > 0 => format!("…{words}"),
        _ => end,
    }
}

/// A text that goes on, up to where a line may be broken.
fn whole_words(text: &str) -> &str {
    &text[..text.rfind(BREAKS).unwrap_or(0)]
}

/// The part of a statement not printed yet; `None` if it differs from what was printed. Statements are trimmed; replies may not be.
fn rest(text: &str, shown: &str) -> Option<String> {
    let (text, shown) = (visible(text), visible(shown));
    let shown = shown.trim_start();
    let whole = || (text == shown.trim_end()).then_some("");
    behind(&text, shown).or_else(|| whole().map(str::to_owned))
}

/// What is to be printed of a text behind its beginning.
fn behind(text: &str, shown: &str) -> Option<String> {
    text.strip_prefix(shown)?;
    print::laid_out(text).strip_prefix(&print::laid_out(shown)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{last_words, text, whole_words};

    #[test]
    fn l3_what_is_printed_of_a_text_stands_when_it_goes_on() {
        let whole = "Une question simple\u{a0}: qui paie\u{3000}?\tPersonne ne le dit.";
        let laid_out = |text: &str| text::lines::broken(text, 20).join("\n");
        for (end, _) in whole.char_indices() {
            let shown = laid_out(whole_words(&whole[..end]));
            assert!(laid_out(whole).starts_with(&shown), "{shown:?}");
        }
    }

    #[test]
    fn l3_of_a_cut_text_the_last_words_are_named() {
        assert_eq!(last_words("It ends"), "It ends");
        let long = format!("{} and so it ends", "x".repeat(60));
        assert_eq!(last_words(&long), "…and so it ends");
    }
}
