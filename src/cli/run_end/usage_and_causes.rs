//! The end of a batch on a terminal: its usage, and why debates are not done. Pure.

use crate::artifacts::batch::{BatchSummary, Cause, causes_in_words};
use crate::cli::terminal::color::Paint;
use crate::text::{self, grouped};

/// Column at which a line's text begins, after its label.
pub(super) const LABEL: usize = 13;
/// Maximum causes shown.
const CAUSES: usize = 5;

/// The command to run next.
pub(in crate::cli) struct Next {
    pub(in crate::cli) command: String,
    /// Its purpose.
    pub(in crate::cli) does: String,
    /// What comes before it.
    pub(in crate::cli) first: Option<String>,
}

/// Time, calls, tokens and causes of a batch, in lines that fit.
pub(in crate::cli) fn lines(summary: &BatchSummary, width: usize, paint: Paint) -> Vec<String> {
    let field = |label: &str, text: &str| text::lines::labelled(label, LABEL, text, width);
    let mut lines = field("time", &text::lasting(summary.wall_ms));
    lines.extend(field("calls", &calls(summary)));
    lines.extend(field("tokens", &summary.tokens_told(text::rounded)));
    let causes = causes_in_words(&summary.causes, summary.other_causes).into_iter();
    for (n, (standing, told)) in causes.enumerate() {
        let left = summary.causes.get(n).filter(|_| standing == "unfinished");
        let told = field(standing, &(told + &left.map(ids).unwrap_or_default())).into_iter();
        lines.extend(told.map(|line| paint.status(standing, &line)));
    }
    lines
}

/// ` (51f6a7a57cb2, 988d63669883 and 7 more)`: these debates are in no list yet.
fn ids(cause: &Cause) -> String {
    let ids = (0..cause.debates).map(|n| cause.first.get(n).map_or("", |link| &*link.id));
    format!(" ({})", text::some_of(ids, cause.first.len()))
}

/// What other programs do not learn from the lines of the debates: why some are degraded or failed.
pub(in crate::cli) fn plain(summary: &BatchSummary) -> Vec<String> {
    let causes = summary.causes.iter();
    let ended = causes.filter(|cause| ["degraded", "failed"].contains(&cause.standing.as_str()));
    let told = ended.take(CAUSES).map(|cause| {
        let debates = text::count(cause.debates, "debate");
        format!("{}, {debates}: {}", cause.standing, cause.cause)
    });
    told.collect()
}

/// What comes first, if anything does, and the command to run next, behind labels of this width, with its purpose if there is room.
/// The command is never cut, so that it can be copied.
pub(in crate::cli) fn next(of: &Next, label: usize, width: usize) -> Vec<String> {
    let first = of.first.as_deref().unwrap_or_default();
    let mut lines = text::lines::labelled("first", label, first, width);
    let next = format!("{:label$}{}", "next", text::one_line(&of.command));
    let does = format!("{next}  ({})", text::one_line(&of.does));
    lines.push(if does.chars().count() <= width { does } else { next });
    lines
}

/// The same in plain lines.
pub(in crate::cli) fn plain_next(of: &Next) -> Vec<String> {
    let first = of.first.iter().map(|first| format!("first {first}"));
    first.chain([format!("next: {}", of.command)]).collect()
}

/// `412 replies, 5 failed, 4 retries, 2 repairs`.
fn calls(summary: &BatchSummary) -> String {
    let calls = &summary.calls;
    let noun = |n, one, many| if n == 1 { one } else { many };
    let further = text::further_counts(&[
        (calls.failures, "failed"),
        (calls.retries, noun(calls.retries, "retry", "retries")),
        (calls.repairs, noun(calls.repairs, "repair", "repairs")),
    ]);
    let replies = noun(calls.replies, "reply", "replies");
    format!("{} {replies}{further}", grouped(calls.replies))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary() -> BatchSummary {
        let cause = |cause: &str| json!({"standing": "degraded", "cause": cause, "debates": 2, "first": []});
        let causes: Vec<_> = [
            "no statement of llama3 ".repeat(6),
            "b".into(),
            "c".into(),
            "d".into(),
            "e".into(),
            "f".into(),
        ]
        .iter()
        .map(|it: &String| cause(it))
        .collect();
        let summary = json!({
            "schema_version": "1.0", "rebut": "0.1.0", "command": "rebut run jobs",
            "rehearsal": false, "number": 1, "servers": [], "left": [], "never_begun": {}, "whole": [],
            "started_at": "2026-11-23T00:00:00Z", "ended_at": "2026-11-23T00:14:00Z",
            "wall_ms": 840_000, "stopped_by": null,
            "debates": {"done": 1, "degraded": 13, "failed": 0, "unfinished": 0, "not_started": 0,
                "finished_before": 0, "finished_elsewhere": 0, "degraded_before": 0, "failed_before": 0,
                "not_judged": 0, "resumed": 0},
            "calls": {"replies": 1412, "failures": 5, "retries": 1, "repairs": 0,
                "rejections": 0, "uncounted": 0},
            "tokens": {"prompt": 1_200_000, "reply": 9_000},
            "models": {}, "causes": causes, "other_causes": 1, "done": [], "days": [],
            "next": "rebut run jobs --retry degraded,failed", "next_does": "to ask again",
        });
        serde_json::from_value(summary).unwrap()
    }

    #[test]
    fn e2_the_end_of_a_batch_says_what_it_took_and_why_debates_are_not_done() {
        let lines = lines(&summary(), 60, Paint::PLAIN);
        assert_eq!(lines[0], "time         14 min");
        assert_eq!(lines[1], "calls        1,412 replies, 5 failed, 1 retry");
        assert_eq!(lines[2], "tokens       1.2M in prompts, 9000 in replies");
        let mut partly = summary();
        partly.calls.uncounted = 2;
        let partly = super::lines(&partly, 80, Paint::PLAIN).swap_remove(2);
        let told = "tokens       1.2M in prompts, 9000 in replies (of 1,410 of 1,412 calls)";
        assert_eq!(partly, told);
        assert!(lines[3].starts_with("degraded     2 debates: no statement of"));
        assert!(lines[4].starts_with("             "), "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60));
        let last = "             3 debates for other causes";
        assert_eq!(lines.last().unwrap(), last);
        let next = Next {
            command: "rebut run jobs --retry degraded,failed".to_owned(),
            does: "to ask again".to_owned(),
            first: Some("stop the other".to_owned()),
        };
        let first = "first        stop the other";
        let long = "next         rebut run jobs --retry degraded,failed  (to ask again)";
        assert_eq!(super::next(&next, LABEL, 80), [first, long]);
        let short = "next         rebut run jobs --retry degraded,failed";
        assert_eq!(super::next(&next, LABEL, 60), [first, short]);
    }
}
