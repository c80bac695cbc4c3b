//! `batches/START.md` and `.json`: what a batch came to, for the morning after.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::artifact::{Artifact, rendered};
use super::call_costs::of_failed;
use crate::event::{CallSums, Use};
use crate::servers::ServerSums;
use crate::templates::{TemplateError, Templates, inert_json};
use crate::text::{self, shell};

/// The version of the shape of a batch's summary: readers refuse another major and accept any minor.
pub const SCHEMA_VERSION: &str = "2.2";

/// What the counts are of which a server reported none that can be right.
const MISSING: &str = "missing or impossible";
/// Asks again for what went wrong, and begins the controls that it kept from beginning.
pub const RETRY: &str = "--retry degraded,failed";
/// The standing of a finished debate that its job's panel could not read.
pub const NOT_JUDGED: &str = "not judged";
/// What stopped a run that could not sum itself up.
pub(crate) const CUT_OFF: &str = "a kill or a power cut";
/// Maximum causes that are told in a terminal.
const CAUSES_TOLD: usize = 5;
/// Maximum job files that are named as not run.
const REFUSED_TOLD: usize = 5;
/// What a command does that continues unfinished debates.
pub const CONTINUES: &str = "to continue";
/// What to do before the command to run next, where that alone would continue nothing.
pub const CAUSES_FIRST: &str = "deal with the causes";

/// What one `rebut run` came to. Its numbers are those of the calls that it made, as the debates' traces and journals hold
/// them; of a run that was killed, as it last told them, without tokens and models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchSummary {
    /// The version of this shape, MAJOR.MINOR.
    pub schema_version: String,
    /// The version of `rebut`.
    pub rebut: String,
    /// The command, as a shell takes it.
    pub command: String,
    /// Where it was run; absent if that is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub working_directory: String,
    /// Whether its debates were rehearsals.
    pub rehearsal: bool,
    /// Its place among the batches of its output directory, from 1: the dates do not tell it if the clock was set.
    pub number: u64,
    /// The number of the last one that had ended before it began; absent if that is not known, as of one that was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_after: Option<u64>,
    /// When it began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub started_at: DateTime<Utc>,
    /// When it ended.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub ended_at: DateTime<Utc>,
    /// How long it took.
    pub wall_ms: u64,
    /// What ended it before all was done, in words; `null` where nothing did.
    pub stopped_by: Option<String>,
    /// How many debates ended how.
    pub debates: DebateCounts,
    /// The calls of this batch.
    pub calls: CallCounts,
    /// The tokens of these calls, without failed attempts.
    pub tokens: TokenSums,
    /// The tokens of failed attempts, as far as they were counted.
    #[serde(default)]
    pub failed_tokens: TokenSums,
    /// The calls of panels that read finished debates. They count nowhere else but with the servers.
    #[serde(default)]
    pub panel: Use,
    /// Of their failed attempts, those whose tokens were counted.
    #[serde(default)]
    pub panel_failed: Use,
    /// Of the replies of these calls: how many have no count of their prompt's tokens, and how many none of their own.
    #[serde(default)]
    pub panel_uncounted: TokenSums,
    /// What each model did, by name.
    pub models: BTreeMap<String, ModelSums>,
    /// What each server did, in the order of the command; none in a rehearsal.
    pub servers: Vec<ServerSums>,
    /// Why debates are degraded, failed, unfinished or could not begin, those with the most debates first.
    pub causes: Vec<Cause>,
    /// How many debates have causes that are not listed.
    pub other_causes: usize,
    /// The debates that it left unfinished and that can be continued, each by the first twelve digits of its id.
    pub left: Vec<String>,
    /// The other debates that it left unfinished, by job and its file: they never began, such as those on a missing model.
    pub never_begun: BTreeMap<String, Vec<String>>,
    /// The jobs, each with its file, that it went through to their ends: what earlier batches left of them before it began is no longer
    /// planned.
    pub whole: Vec<String>,
    /// The run, as in its claims.
    #[serde(default)]
    pub run: String,
    /// A digest of its job files' names and of its options that shape debates: as long as the files don't change, batches with the
    /// same one make the same debates.
    #[serde(default)]
    pub made_from: String,
    /// The debates left by an earlier batch of the same origin that its jobs no longer contain, each by the first twelve digits of its
    /// id.
    #[serde(default)]
    pub orphaned: Vec<String>,
    /// Job files that were added while it ran, and not run because of their faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Whether `rebut clean --unfinished` has given up what it did not begin.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
    /// The first debates that are done.
    pub done: Vec<DebateLink>,
    /// The days under which the debates of this batch stand.
    pub days: Vec<String>,
    /// The command to run next.
    pub next: String,
    /// What that does.
    pub next_does: String,
    /// What to do before it; absent if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_first: Option<String>,
}

/// How many debates ended how in a batch. What was finished before it counts nowhere else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateCounts {
    /// As they should.
    pub done: usize,
    /// To the end, with something important missing.
    pub degraded: usize,
    /// Not to the end.
    pub failed: usize,
    /// Not ended, although their turn came.
    pub unfinished: usize,
    /// Not begun.
    pub not_started: usize,
    /// Finished before this batch.
    pub finished_before: usize,
    /// Finished meanwhile by another `rebut`.
    pub finished_elsewhere: usize,
    /// Of those finished before or by another `rebut`: degraded.
    pub degraded_before: usize,
    /// Of those finished before or by another `rebut`: failed.
    pub failed_before: usize,
    /// Finished, but not read by the job's panel.
    pub not_judged: usize,
    /// Of those that ended here: begun in an earlier batch.
    pub resumed: usize,
}

/// The calls of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallCounts {
    /// Attempts that a model answered.
    pub replies: u64,
    /// Attempts without a usable reply.
    pub failures: u64,
    /// Of debates that ended: calls that were made again after a failure.
    pub retries: u64,
    /// Of debates that ended: replies that a model was asked to mend.
    pub repairs: u64,
    /// Of debates that ended: statements that were discarded and asked for again.
    pub rejections: u64,
    /// Replies whose tokens a server did not count, or not so that it could be right.
    pub uncounted: u64,
    /// The same of the tokens of their prompts.
    #[serde(default)]
    pub prompts_uncounted: u64,
    /// Attempts without a usable reply whose tokens nobody counted.
    #[serde(default)]
    pub failures_uncounted: u64,
}

impl CallCounts {
    /// The same of attempts that came to this.
    #[must_use]
    pub(crate) fn of(self, CallSums { used, failed, gaps }: &CallSums) -> Self {
        Self {
            replies: used.calls,
            failures: used.failures,
            uncounted: gaps.replies,
            prompts_uncounted: gaps.prompts,
            failures_uncounted: used.failures - failed.failures,
            ..self
        }
    }

    /// What the servers counted: `12 in prompts (of 2 of 3 calls), 3 in replies`, or that they counted nothing.
    fn tokens(&self, tokens: TokenSums, number: fn(u64) -> String) -> String {
        if self.uncounted > 0 && tokens.reply == 0 {
            return MISSING.to_owned();
        }
        let told = |tokens, within: &str, uncounted| {
            let counted = text::grouped(self.replies.saturating_sub(uncounted));
            let all = text::count(self.replies, "call");
            match (tokens, uncounted) {
                (_, 0) => format!("{} in {within}", number(tokens)),
                (0, _) => format!("unknown in {within}"),
                _ => format!("{} in {within} (of {counted} of {all})", number(tokens)),
            }
        };
        let prompts = told(tokens.prompt, "prompts", self.prompts_uncounted);
        prompts + ", " + &told(tokens.reply, "replies", self.uncounted)
    }
}

/// Tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenSums {
    /// Of prompts.
    pub prompt: u64,
    /// Of replies.
    pub reply: u64,
}

impl From<Use> for TokenSums {
    fn from(used: Use) -> Self {
        Self { prompt: used.prompt_tokens, reply: used.reply_tokens }
    }
}

/// What one model did in a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSums {
    /// Calls, tokens and times.
    #[serde(flatten)]
    pub used: Use,
    /// How often it was loaded, as far as the servers' times show.
    pub loads: u64,
    /// Tokens of replies per second of writing, over calls with both counts; `null` where there are none.
    pub reply_tokens_per_second: Option<f64>,
    /// Tokens of prompts per second of reading, those included that a server had kept.
    pub prompt_tokens_per_second: Option<f64>,
}

/// Debates that are not done for the same cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// `degraded`, `failed`, `unfinished`, `not started` for a control that a debate keeps from beginning, or `not judged` for a finished
    /// debate that the job's panel could not read.
    pub standing: String,
    /// The cause in words.
    pub cause: String,
    /// How many debates.
    pub debates: usize,
    /// The first of them.
    pub first: Vec<DebateLink>,
}

/// A debate, and where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateLink {
    /// The first twelve digits of its id.
    pub id: String,
    /// What it was about.
    pub topic: String,
    /// What tells it from its job's other debates besides the topic.
    pub label: String,
    /// The outcome, where there is one.
    pub outcome: Option<String>,
    /// Its directory below the output directory, where it is finished.
    pub path: Option<String>,
}

/// Why a debate is unfinished that nothing but an interrupt, a stop or a budget kept from its end; `by` says which, if it is
/// known.
pub fn stopped(by: Option<&str>) -> String {
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    format!("stopped before the end{by}")
}

/// Why a debate is unfinished that another process runs.
pub fn elsewhere(holder: &str) -> String {
    format!("another rebut ({holder}) was running it")
}

/// The first causes, and how many debates have others, each behind its label: `6 debates: the server has no model qwen3`.
pub fn causes_in_words(causes: &[Cause], others: usize) -> Vec<(&str, String)> {
    let (told, more) = causes.split_at(causes.len().min(CAUSES_TOLD));
    let in_words = |cause: &Cause| {
        let debates = text::count(cause.debates, "debate");
        format!("{debates}: {}", cause.cause)
    };
    let told = told.iter().map(|it| (&*it.standing, in_words(it)));
    let others = more.iter().map(|it| it.debates).fold(others, usize::saturating_add);
    let others = (others > 0).then(|| text::count(others, "debate") + " for other causes");
    told.chain(others.map(|others| ("", others))).collect()
}

impl ModelSums {
    /// What was used, with the speeds that follow.
    pub fn new(sums: &CallSums, loads: u64) -> Self {
        let speeds = sums.used.speeds(&sums.gaps.alone);
        let [prompt, reply] = speeds.map(|it| it.map(|speed| (speed * 10.0).round() / 10.0));
        Self {
            used: sums.used,
            loads,
            reply_tokens_per_second: reply,
            prompt_tokens_per_second: prompt,
        }
    }
}

impl BatchSummary {
    /// The command that continues the debates that it left unfinished, if this is what it says to run next.
    pub fn continues(&self) -> Option<&str> {
        self.next_does.starts_with(CONTINUES).then_some(self.next.as_str())
    }

    /// Whether the causes of what it left say what to do before the command to run next.
    pub fn is_stuck(&self) -> bool {
        self.next_first.as_deref() == Some(CAUSES_FIRST)
    }

    /// What the command to run next does, and what to do before it.
    pub fn purpose(&self) -> String {
        let first = self.next_first.iter().map(|first| format!("; first {first}"));
        self.next_does.clone() + &first.collect::<String>()
    }

    /// The command to run next, with the directory to run it in: the page is mailed.
    fn next_from_anywhere(&self) -> String {
        if self.next.is_empty() || self.working_directory.is_empty() {
            return self.next.clone();
        }
        shell::within(&self.working_directory, &self.next)
    }

    /// Whether it left this debate unfinished.
    pub fn has_left(&self, id: &str) -> bool {
        self.left.iter().chain(self.never_begun.values().flatten()).any(|left| left == id)
    }

    /// The job of a debate that never began.
    pub fn job_of(&self, id: &str) -> Option<&str> {
        let (job, _) = self.never_begun.iter().find(|(_, ids)| ids.iter().any(|it| it == id))?;
        job.split_once(" (").map(|(job, _)| job)
    }

    /// Whether it is that of a run that was killed.
    pub fn is_cut_off(&self) -> bool {
        self.stopped_by.as_deref() == Some(CUT_OFF)
    }

    /// `38 done, 1 degraded, 1 unfinished in 7 h 12 min; 3 finished before`.
    pub fn headline(&self) -> String {
        let (here, before) = (self.debates.here(), self.debates.before());
        format!("{here} in {}{before}", text::lasting(self.wall_ms))
    }

    /// What the servers counted, with numbers in this form: `12k in prompts, 900 in replies`.
    pub fn tokens_told(&self, number: fn(u64) -> String) -> String {
        self.calls.tokens(self.tokens, number)
    }

    /// What they counted of the calls of panels.
    fn panel_tokens(&self) -> String {
        let (used, failed, gaps) = (self.panel, self.panel_failed, self.panel_uncounted);
        let (uncounted, prompts_uncounted) = (gaps.reply, gaps.prompt);
        let calls = CallCounts { uncounted, prompts_uncounted, ..CallCounts::default() };
        let calls = CallCounts { replies: used.calls, ..calls };
        let answered = (used.calls > 0).then(|| calls.tokens(used.into(), text::grouped));
        let of_failed = (used.failures > 0).then(|| {
            let lacking = used.failures.saturating_sub(failed.failures);
            let told = of_failed(failed.prompt_tokens, failed.reply_tokens, lacking);
            format!("of failed attempts: {told}")
        });
        text::separated(answered.into_iter().chain(of_failed), "; ")
    }

    /// The first job files that were not run; empty if there are none.
    pub fn not_run(&self) -> String {
        text::some_of(&self.refused, REFUSED_TOLD)
    }

    /// The summary for people.
    pub fn markdown(&self, templates: &Templates) -> Result<Artifact, TemplateError> {
        let (mut context, failed) = (json!(self), self.failed_tokens);
        context["headline"] = json!(self.headline());
        context["lasted"] = json!(text::lasting(self.wall_ms));
        context["began"] = json!(self.started_at.format("%Y-%m-%d %H:%M:%S UTC").to_string());
        context["not_run"] = json!(self.not_run());
        context["next"] = json!(self.next_from_anywhere());
        context["next_does"] = json!(self.purpose());
        context["loads"] = json!(self.models.values().map(|model| model.loads).sum::<u64>());
        context["grouped"] = json!({
            "tokens": self.tokens_told(text::grouped),
            "failed_tokens": of_failed(failed.prompt, failed.reply, self.calls.failures_uncounted),
            "panel_tokens": self.panel_tokens(),
            "replies": text::grouped(self.calls.replies),
        });
        rendered("batch.md", "artifacts/batch.md.j2", templates, &context)
    }

    /// The summary for programs.
    pub fn json(&self) -> String {
        // Strings, numbers and maps with string keys: writing them as JSON cannot fail.
        inert_json(&serde_json::to_string_pretty(self).expect("a summary is JSON")) + "\n"
    }
}

impl DebateCounts {
    /// `12 done, 1 failed; 3 finished before`, without what is 0.
    pub fn in_words(&self) -> String {
        self.here() + &self.before()
    }

    fn here(&self) -> String {
        let words = text::counts(&[
            (self.done, "done"),
            (self.degraded, "degraded"),
            (self.failed, "failed"),
            (self.unfinished, "unfinished"),
            (self.not_started, "not started"),
            (self.not_judged, "not judged"),
        ]);
        if words.is_empty() { "nothing new".to_owned() } else { words }
    }

    /// `; 3 finished before (1 degraded)`; empty if there are none.
    fn before(&self) -> String {
        let all = text::counts(&[
            (self.finished_before, "finished before"),
            (self.finished_elsewhere, "finished by another rebut"),
        ]);
        let short =
            text::counts(&[(self.degraded_before, "degraded"), (self.failed_before, "failed")]);
        let parts = [("; ", all, ""), (" (", short, ")")].into_iter();
        let some = parts.filter(|(_, part, _)| !part.is_empty());
        some.map(|(mark, part, end)| format!("{mark}{part}{end}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_the_tokens_of_a_panel_are_those_of_its_answers_and_its_failures_stand_apart() {
        let told = |panel: Use, panel_failed: Use, missing: [u64; 2]| {
            let [prompt, reply] = missing;
            let panel_uncounted = TokenSums { prompt, reply };
            let summary =
                BatchSummary { panel, panel_failed, panel_uncounted, ..BatchSummary::default() };
            summary.panel_tokens()
        };
        let failures = |failures| Use { failures, ..Use::default() };
        assert_eq!(told(failures(3), Use::default(), [0; 2]), "of failed attempts: unknown");
        let unusable = Use { prompt_tokens: 300, reply_tokens: 40, ..failures(1) };
        let one = Use { calls: 1, ..failures(2) };
        let lacking = "missing or impossible; of failed attempts: 300 in prompts, 40 in replies, \
            without attempts whose tokens nobody counted";
        assert_eq!(told(one, unusable, [1, 1]), lacking);
        let counted = Use { calls: 2, prompt_tokens: 9, reply_tokens: 5, ..Use::default() };
        let whole = "9 in prompts (of 1 of 2 calls), 5 in replies";
        assert_eq!(told(counted, Use::default(), [1, 0]), whole);
        let half = Use { prompt_tokens: 0, ..counted };
        assert_eq!(told(half, Use::default(), [2, 0]), "unknown in prompts, 5 in replies");
    }

    #[test]
    fn b3_the_page_says_where_to_run_the_next_command() {
        let page = |working_directory: &str| {
            let (next, working_directory) = ("rebut run j.yaml".into(), working_directory.into());
            let summary = BatchSummary { next, working_directory, ..BatchSummary::default() };
            summary.markdown(&Templates::load(None).unwrap()).unwrap().content
        };
        let told = "\n```sh\ncd '/w/gpu 1' && rebut run j.yaml\n```\n";
        assert!(page("/w/gpu 1").contains(told), "{}", page("/w/gpu 1"));
        assert!(page("").contains("\n```sh\nrebut run j.yaml\n```\n"), "{}", page(""));
    }
}
