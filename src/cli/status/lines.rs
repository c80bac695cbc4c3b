//! What is running and what is left, in lines for people.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::{DateTime, Local, Utc};

use super::report::{Begun, LastBatch, NAMED, Running, StatusReport};
use crate::artifacts::batch::{BatchSummary, Cause, causes_in_words};
use crate::cli::args::output_directory::{ORPHANED, gives_up};
use crate::cli::run_end::usage_and_causes::{self, Next};
use crate::cli::terminal::color::Paint;
use crate::cli::terminal::screen::{self, lasting, padded};
use crate::cli::terminal::server_failures;
use crate::servers::ServerView;
use crate::store::state::{OpenDebate, RunState};
use crate::text::{self, grouped, one_line, some_of};

/// The widest column of models.
const MODELS: usize = 24;
/// Unfinished debates that are printed.
const BEGUN: usize = 5;
/// Notices that are printed.
const NOTICES: usize = 5;
/// Seconds without a change before that is reported.
const STILL: u64 = 10;
/// Column at which a line's text begins, after its label.
const LABEL: usize = 12;

/// The layout: cut and wrapped to the width of a terminal, whole elsewhere.
pub(super) struct View {
    pub(super) width: Option<usize>,
    pub(super) paint: Paint,
    pub(super) now: DateTime<Utc>,
}

impl View {
    pub(super) fn lines(&self, report: &StatusReport) -> Vec<String> {
        let runs: Vec<Vec<String>> = report.running.iter().map(|run| self.run(run)).collect();
        if runs.is_empty() {
            return self.nothing(report);
        }
        [runs.join(&String::new()), self.idle(report)].concat()
    }

    /// What other batches left that no run is at or goes on with, and what continues it.
    fn idle(&self, report: &StatusReport) -> Vec<String> {
        let runs: Vec<_> = report.running.iter().filter_map(|run| run.state.as_ref()).collect();
        let goes_on = |it: &BatchSummary| {
            runs.iter().any(|run| run.made_from == it.made_from && !run.chooses())
        };
        let left_by = report.left_by.iter().filter(|it| !goes_on(it));
        let is_open = |id: &str| runs.iter().flat_map(|run| &run.open).any(|it| it.id == id);
        let is_left = |id: &&String| !is_open(id) && left_by.clone().any(|it| it.has_left(id));
        let left: Vec<&String> = report.ids.iter().filter(is_left).collect();
        let (debates, ids) = (text::count(left.len(), "debate"), some_of(&left, BEGUN));
        let told = format!("{debates} unfinished, not in progress: {ids}");
        let leaves = |it: &&BatchSummary| left.iter().any(|id| it.has_left(id));
        let next = left_by.filter(leaves).flat_map(|it| self.next(it));
        let lines = [vec![String::new()], self.bold(&told), next.collect()].concat();
        if left.is_empty() { Vec::new() } else { lines }
    }

    /// A text in bold, wrapped.
    fn bold(&self, text: &str) -> Vec<String> {
        let lines = text::lines::wrapped(text, "", "  ", self.width.unwrap_or(usize::MAX));
        lines.iter().map(|line| self.paint.bold(line)).collect()
    }

    /// What is unfinished comes first, with the next step.
    fn nothing(&self, report: &StatusReport) -> Vec<String> {
        let nothing = format!("nothing is running in {}", one_line(&report.output));
        let (past, steps) = (self.past(report), self.next_steps(report));
        let (first, parts) = match unfinished(report) {
            None => (nothing, [past, steps]),
            Some(unfinished) => (format!("{unfinished}; {nothing}"), [steps, past]),
        };
        self.bold(&first).into_iter().chain(parts.into_iter().flatten()).collect()
    }

    /// How the last batches ended.
    fn past(&self, report: &StatusReport) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(LastBatch { page, summary }) = &report.last {
            lines.extend(self.ended("last batch", summary, report.cut_off.as_ref()));
            lines.push(format!("{:LABEL$}{}", "summary", one_line(page)));
            let is_news = |it: &&BatchSummary| !it.causes.is_empty() && !repeats(it, summary);
            for other in report.beside.iter().filter(is_news) {
                lines.extend(self.ended("also ended", other, report.cut_off.as_ref()));
                if report.left_by.iter().all(|it| it.next != other.next) {
                    lines.extend(self.next(other));
                }
            }
        } else if report.problem.is_none() {
            lines.extend(self.field("last batch", "no summary here"));
        }
        let problem = report.problem.iter();
        lines.extend(problem.flat_map(|it| self.field("last batch", it)));
        lines
    }

    fn next_steps(&self, report: &StatusReport) -> Vec<String> {
        let last = report.last.as_ref().map(|last| &last.summary);
        // A batch that was cut off came after the last one that ended.
        let (mut lines, told) = match (&report.cut_off, last) {
            (Some(state), _) => (self.cut_off(state), Some(&state.next)),
            (None, Some(summary)) if !summary.given_up => (self.next(summary), Some(&summary.next)),
            (None, _) => (Vec::new(), None),
        };
        let mut told: BTreeSet<&String> = told.into_iter().collect();
        let left_by = report.left_by.iter().filter(|it| told.insert(&it.next));
        lines.extend(left_by.flat_map(|it| self.next(it)));
        if !report.orphaned.is_empty() {
            let debates = text::some_of(&report.orphaned, NAMED);
            lines.extend(self.field("orphaned", &format!("{debates}: {ORPHANED}")));
            let named = report.orphaned.iter().take(NAMED).map(String::as_str);
            let command = gives_up(named, Path::new(&report.output));
            lines.push(format!("{:LABEL$}{command}", "give up"));
        }
        lines
    }

    fn next(&self, summary: &BatchSummary) -> Vec<String> {
        let BatchSummary { next, next_does, next_first, .. } = summary.clone();
        let next = Next { command: next, does: next_does, first: next_first };
        usage_and_causes::next(&next, LABEL, self.width.unwrap_or(usize::MAX))
    }

    /// How a batch ended, and why debates of it are not done, but for those that a run continued which was cut off since.
    fn ended(&self, label: &str, batch: &BatchSummary, cut_off: Option<&RunState>) -> Vec<String> {
        let open = cut_off.iter().flat_map(|state| &state.open).map(|it| &*it.id).collect();
        let causes = batch.causes.iter().filter(|cause| !is_of(cause, &open));
        let causes: Vec<Cause> = causes.cloned().collect();
        let ended = batch.ended_at.format("%Y-%m-%d %H:%M:%S UTC");
        let mut lines = self.field(label, &format!("{}, ended {ended}", batch.headline()));
        lines.extend(self.causes(&causes, batch.other_causes));
        if !batch.refused.is_empty() {
            lines.extend(self.field("not run", &batch.not_run()));
        }
        lines
    }

    /// A batch that did not end itself, and how to go on with it.
    fn cut_off(&self, state: &RunState) -> Vec<String> {
        let since = state.started_at.format("%Y-%m-%d %H:%M:%S UTC");
        let how = "was killed, or lost to a power cut";
        let mut lines = self.field("cut off", &format!("the batch of {since} {how}"));
        lines.push(format!("{:LABEL$}{}", "next", one_line(&state.next)));
        lines
    }

    fn run(&self, run: &Running) -> Vec<String> {
        let Some(state) = &run.state else {
            let why = run.problem.as_deref().unwrap_or("no progress yet");
            let mut lines = vec![self.paint.bold(&one_line(&run.holder))];
            lines.extend(self.field("state", why));
            return lines;
        };
        let mut lines = vec![self.paint.bold(&one_line(&run.holder))];
        lines.push(format!("{:LABEL$}{}", "command", one_line(&state.command)));
        lines.extend(self.field("jobs", &jobs(state)));
        lines.extend(self.field("debates", &debates(state)));
        lines.extend(self.field("calls", &calls(state)));
        lines.extend(self.field("time", &self.time(state)));
        let servers = state.servers.iter();
        lines.extend(servers.flat_map(|it| self.field("server", &server(it, self.now))));
        lines.extend(self.causes(&state.causes, state.other_causes));
        lines.extend(self.notices(state));
        lines.extend(self.table(state));
        lines
    }

    /// A label and its text.
    fn field(&self, label: &str, text: &str) -> Vec<String> {
        text::lines::labelled(label, LABEL, text, self.width.unwrap_or(usize::MAX))
    }

    fn time(&self, state: &RunState) -> String {
        let so_far = lasting(seconds(state.started_at, self.now));
        let still = seconds(state.written_at, self.now);
        let left = state.seconds_left.and_then(|left| left.checked_sub(still));
        let left = left.map(|left| format!(", about {} left (estimate)", lasting(left)));
        let quiet = text::told_if(still >= STILL, || format!("; no change for {}", lasting(still)));
        format!("{so_far} so far{}{quiet}", left.unwrap_or_default())
    }

    /// Why debates are not done, by the number of those that each cause stops.
    fn causes(&self, causes: &[Cause], others: usize) -> Vec<String> {
        let told = causes_in_words(causes, others).into_iter();
        told.flat_map(|(standing, told)| self.field(standing, &told)).collect()
    }

    fn notices(&self, state: &RunState) -> Vec<String> {
        let skipped = state.notices.len().saturating_sub(NOTICES);
        let notices = state.notices.iter().skip(skipped);
        let labels = std::iter::once("messages").chain(std::iter::repeat(""));
        let lines = notices.zip(labels).flat_map(|(notice, label)| {
            let at = notice.at.with_timezone(&Local).format("%H:%M:%S");
            self.field(label, &format!("{at} {}", notice.text))
        });
        lines.collect()
    }

    /// The open debates, those first that a server is working on.
    fn table(&self, state: &RunState) -> Vec<String> {
        let mut open: Vec<&OpenDebate> = state.open.iter().collect();
        open.sort_by_key(|debate| !debate.is_busy());
        let rows: Vec<[String; 6]> = open.iter().map(|it| self.row(it)).collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let heading = ["debate", "format", "round", "activity", "model", "time"];
        let widths = self.widths(&rows);
        let line = |row: &[String; 6]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| padded(cell, width));
            text::separated(cells, "  ").trim_end().to_owned()
        };
        let heading = self.paint.dim(&line(&heading.map(str::to_owned)));
        let mut lines = vec![String::new(), heading];
        let about = |debate: &OpenDebate| {
            let about = format!("{:14}{} {}", "", debate.topic, debate.label);
            screen::cut(about.trim_end(), self.width.unwrap_or(usize::MAX))
        };
        lines.extend(rows.iter().zip(open).flat_map(|(row, debate)| {
            let lines = [line(row), about(debate)];
            if debate.is_busy() { lines } else { lines.map(|line| self.paint.dim(&line)) }
        }));
        if state.more_open > 0 {
            lines.push(self.paint.dim(&format!("… and {} more", state.more_open)));
        }
        lines
    }

    fn row(&self, debate: &OpenDebate) -> [String; 6] {
        let (round, models) = (debate.in_round(), models(debate));
        let doing = debate.doing(|call| call.doing.clone());
        let time = screen::clock(seconds(debate.opened_at, self.now));
        let cells = [&debate.id, &debate.format, &round, &doing, &models, &time];
        cells.map(|cell| one_line(cell))
    }

    /// As wide as their contents; on a terminal, models and activity give way.
    fn widths(&self, rows: &[[String; 6]]) -> [usize; 6] {
        let of = |n: usize, least: usize| {
            let widths = rows.iter().map(|row| row[n].chars().count());
            widths.max().unwrap_or(0).max(least)
        };
        let [id, format, round, time] = [of(0, 12), of(1, 10), of(2, 5), of(5, 4)];
        let (doing, models) = (of(3, 13), of(4, 5));
        let Some(width) = self.width else { return [id, format, round, doing, models, time] };
        let models = models.min(MODELS);
        let left = width.saturating_sub(id + format + round + models + time + 5 * 2);
        [id, format, round, doing.min(left), models, time]
    }
}

/// Whether a batch ended no debate, and left only those that another one left, too.
fn repeats(other: &BatchSummary, last: &BatchSummary) -> bool {
    let told: BTreeSet<&str> =
        last.causes.iter().flat_map(|it| &it.first).map(|link| &*link.id).collect();
    let counts = &other.debates;
    let news = counts.done + counts.degraded + counts.failed + counts.not_started;
    news + other.other_causes == 0 && other.causes.iter().all(|it| is_of(it, &told))
}

/// Whether a cause is only that of debates with these ids.
fn is_of(cause: &Cause, ids: &BTreeSet<&str>) -> bool {
    cause.debates == cause.first.len() && cause.first.iter().all(|it| ids.contains(&*it.id))
}

/// `2 debates unfinished: 51f6a7a57cb2 (zoos) and 1 more`
fn unfinished(report: &StatusReport) -> Option<String> {
    let left = report.unfinished;
    let debates = format!("{} unfinished", text::count(left, "debate"));
    let name = |it: &Begun| match &it.job {
        Some(job) if it.label.is_empty() => format!("{} ({job})", it.id),
        Some(job) => format!("{} ({job}: {})", it.id, it.label),
        None => it.id.clone(),
    };
    let named = report.begun.iter().chain(&report.never_begun);
    let mut names: Vec<String> = named.take(BEGUN).map(name).collect();
    if left == 0 || names.is_empty() {
        return (left > 0).then_some(debates);
    }
    if left > names.len() {
        names.push(format!("{} more", left - names.len()));
    }
    Some(format!("{debates}: {}", text::joined(&names, "and")))
}

fn jobs(state: &RunState) -> String {
    let named: Vec<&str> = state.jobs.iter().take(NAMED).map(String::as_str).collect();
    let unnamed = state.jobs.len() - named.len();
    // The number comes from the file.
    match unnamed.saturating_add(state.more_jobs) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// `13 of 200 ended: 12 done, 1 degraded; 24 in progress, 163 queued`.
fn debates(state: &RunState) -> String {
    let it = &state.debates;
    let (ended, all, word, ends) = (it.ended(), it.chosen, it.word(), it.by_end());
    let (in_progress, queued) = (it.in_progress, it.queued);
    format!("{ended} of {all} {word}{ends}; {in_progress} in progress, {queued} queued")
}

/// `412 done, 4 on servers, 20 waiting, 5 failed; about 6,400 left`.
fn calls(state: &RunState) -> String {
    let it = &state.calls;
    let failed = text::further_counts(&[(it.failed, "failed")]);
    let left = it.left.map(|left| format!("; about {} left", grouped(left)));
    format!(
        "{} done, {} on servers, {} waiting{failed}{}",
        grouped(it.done),
        it.in_flight,
        it.waiting,
        left.unwrap_or_default()
    )
}

/// `http://127.0.0.1:11434: 2 of 4 slots busy, llama3 loaded`, and what fails there.
fn server(server: &ServerView, now: DateTime<Utc>) -> String {
    let (name, models) = (&server.name, &server.models);
    let holds =
        text::told_if(!models.is_empty(), || format!(", {} loaded", some_of(models, NAMED)));
    let busy = match (server.is_out, server.failing.is_empty()) {
        (true, true) => "does not answer".to_owned(),
        (true, false) => String::new(),
        (false, _) => format!("{} of {} slots busy{holds}", server.in_flight, server.slots),
    };
    let failing = server.failing.iter().map(|it| server_failures::in_words(it, server.is_out, now));
    let busy = text::if_any(busy);
    format!("{name}: {}", text::separated(busy.into_iter().chain(failing), "; "))
}

/// The models of the calls that are shown.
fn models(debate: &OpenDebate) -> String {
    let shown = debate.shown().into_iter();
    let mut models: Vec<String> = shown.map(|call| call.model.clone()).collect();
    models.dedup();
    some_of(&models, 2)
}

/// Seconds between two times; 0 if the first is later.
fn seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_seconds()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::artifacts::batch::{DebateCounts, DebateLink};

    /// A batch that left the debates with these ids.
    fn left(ids: &[&str]) -> BatchSummary {
        let link = |id: &&str| DebateLink { id: (*id).to_owned(), ..DebateLink::default() };
        let cause = Cause {
            standing: "unfinished".to_owned(),
            cause: String::new(),
            debates: ids.len(),
            first: ids.iter().map(link).collect(),
        };
        BatchSummary { causes: vec![cause], ..BatchSummary::default() }
    }

    #[test]
    fn b3_what_a_run_had_open_when_it_was_cut_off_is_told_no_older_cause() {
        let view = View { width: None, paint: Paint::PLAIN, now: DateTime::UNIX_EPOCH };
        let open = |id: &str| -> RunState {
            let open = json!({
                "id": id, "job": "", "format": "", "topic": "", "heading": "", "label": "", "round": 1,
                "repetition": 1, "rounds": 1, "standing": "", "opened_at": view.now, "calls": 0, "asked": [],
            });
            let open = serde_json::from_value(open).expect("a debate");
            RunState { open: vec![open], ..RunState::default() }
        };
        let told = |id: &str| view.ended("last batch", &left(&["a"]), Some(&open(id))).len();
        assert_eq!([told("a"), told("b")], [1, 2]);
    }

    #[test]
    fn b3_only_a_batch_with_nothing_of_its_own_to_tell_repeats_another() {
        let last = left(&["a", "b"]);
        assert!(repeats(&left(&["b"]), &last));
        assert!(!repeats(&left(&["b", "c"]), &last), "it left another debate");
        let mut more = left(&["b"]);
        more.causes[0].debates = 2;
        assert!(!repeats(&more, &last), "it left one that is not listed");
        for counts in [
            DebateCounts { done: 1, ..DebateCounts::default() },
            DebateCounts { not_started: 1, ..DebateCounts::default() },
        ] {
            let own = BatchSummary { debates: counts, ..left(&["b"]) };
            assert!(!repeats(&own, &last), "{own:?}");
        }
    }
}
