//! The first screen: the amount and the origin of the data.

use super::super::document::{Check, Count};
use super::{Cell, DebateLine, Piece, Source, Unit, count};
use crate::event::Status;
use crate::stats::findings::Counts;
use crate::text::{if_any, one_line, separated, told_if};

/// How to read the intervals of findings, and their p.
const KEY: &str = "In brackets: 95% intervals, clustered by topic and not corrected for the number of comparisons. They hold for further topics like these with the same models and judges.";
const KEY_OF_P: &str = "p (Holm) is corrected for all pairs of its measure.";

/// What stands between the subject of a check that was not made, and why.
const UNKNOWN: &str = ": not checked in ";

/// The name of the report.
pub(crate) fn title(source: &Source<'_>) -> String {
    let counts = &source.findings.counts;
    let debates = debates(counts);
    let what = if counts.are_rehearsals() { "Rehearsal of" } else { "Findings from" };
    let some = counts.rehearsals;
    let is_part = some > 0 && !counts.are_rehearsals();
    let rehearsed = told_if(is_part, || format!(", {some} of them rehearsed"));
    match counts.topics {
        0 => format!("{what} {debates}{rehearsed}"),
        topics => format!("{what} {debates} on {}{rehearsed}", count(topics, "topic")),
    }
}

/// `43 debates and 88 controls`.
fn debates(counts: &Counts) -> String {
    let debates = count(counts.counted - counts.controls, "debate");
    match counts.controls {
        0 => debates,
        controls => format!("{debates} and {}", count(controls, "control")),
    }
}

/// The heading over the key findings.
pub(crate) fn heading(source: &Source<'_>) -> &'static str {
    if source.findings.counts.are_rehearsals() {
        "What findings would look like"
    } else {
        "Key findings"
    }
}

/// The findings, and how to read their intervals where they have some.
pub(crate) fn with_key(mut findings: Vec<String>) -> Vec<String> {
    let has_p = findings.iter().any(|sentence| sentence.contains(" (Holm)"));
    let key = match (findings.iter().any(|it| has_interval(it)), has_p) {
        (true, true) => format!("{KEY} {KEY_OF_P}"),
        (true, false) => KEY.to_owned(),
        (false, _) => return findings,
    };
    findings.push(key);
    findings
}

/// Whether a sentence has an interval, such as `[0.12, 0.70]`, and not only a name with brackets.
fn has_interval(sentence: &str) -> bool {
    let mut lows = sentence.split(" [").skip(1).filter_map(|it| Some(it.split_once(", ")?.0));
    lows.any(|it| !it.contains(']') && it.trim_end_matches('%').ends_with(char::is_numeric))
}

/// How much of that is met, and what is not.
pub(crate) fn design_line(source: &Source<'_>) -> Option<String> {
    let all = &source.findings.design;
    let with = |holds| all.iter().filter(move |check| check.holds == holds);
    let subjects = with(Some(false)).map(|check| {
        let (subject, _) = check.sentence.split_once(':').unwrap_or((&*check.sentence, ""));
        one_line(subject).to_lowercase()
    });
    let undecided = with(None).count();
    let open = told_if(undecided > 0, || format!(", {undecided} undecided"));
    let subjects = separated(subjects, "; ");
    let bad = told_if(!subjects.is_empty(), || format!(" Not met: {subjects}."));
    let met = with(Some(true)).count();
    (!all.is_empty()).then(|| format!("{met} of {} requirements met{open}.{bad}", all.len()))
}

/// What the design allows to be compared.
pub(crate) fn design(source: &Source<'_>) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    let mut unknown: Vec<(&str, &str)> = Vec::new();
    for check in &source.findings.design {
        match check.sentence.split_once(UNKNOWN) {
            Some(split) => unknown.push(split),
            None => checks.push(Check {
                sentence: one_line(&check.sentence),
                bad: check.holds == Some(false),
                open: check.holds.is_none(),
            }),
        }
    }
    checks.extend(not_checked(&unknown));
    checks
}

/// What another check keeps from being checked, in one sentence: it would hide what was found.
fn not_checked(unknown: &[(&str, &str)]) -> Option<Check> {
    let (_, why) = unknown.first()?;
    let subjects = (0..).zip(unknown).map(|(n, (subject, _))| match n {
        0 => (*subject).to_owned(),
        _ => subject.to_lowercase(),
    });
    let subjects = separated(subjects, "; ");
    let sentence = one_line(&format!("{subjects}{UNKNOWN}{why}"));
    Some(Check { sentence, bad: false, open: true })
}

/// The counts above zero, and in words which of those that call for attention are zero.
pub(crate) fn counts(source: &mut Source<'_>) -> (Vec<Count>, Option<String>) {
    let (zero, counts): (Vec<Count>, Vec<Count>) =
        all_counts(source).into_iter().partition(Count::is_zero);
    let absent = zero.iter().filter(|count| count.bad).map(|count| count.label);
    let absent = if_any(separated(absent, ", ")).filter(|_| source.findings.counts.counted > 0);
    (counts, absent.map(|absent| format!("None: {absent}.")))
}

/// The counts, with the debates behind them where they are known one by one.
fn all_counts(source: &mut Source<'_>) -> Vec<Count> {
    let c = &source.findings.counts;
    let (of_all, of_counted) = (of_all(c), format!("of {} counted", c.counted));
    type Counted = (&'static str, usize, fn(&DebateLine) -> bool);
    let listed: [Counted; 6] = [
        ("done", c.done, |line| line.status == Status::Done),
        ("degraded", c.degraded, |l| l.status == Status::Degraded),
        ("failed", c.failed, |line| line.status == Status::Failed),
        ("with emergency replies", c.emergency, |line| line.emergency),
        ("with fallback models", c.fallback, |line| line.fallback),
        ("rehearsals", c.rehearsals, |line| line.rehearsal),
    ];
    let mut counts: Vec<Count> = Vec::new();
    for (n, (label, number, counted)) in listed.into_iter().enumerate() {
        let debates: Vec<usize> =
            source.findings.debates.iter().filter(|l| counted(l)).map(|l| l.n).collect();
        // Only a status is a condition of `--where`.
        let condition = [("status", label)];
        let conditions = if n < 3 { &condition[..] } else { &[] };
        let set = source.links.set(debates.into(), label, conditions);
        let of = if n < 3 { &of_all } else { &of_counted };
        counts.push(Count { label, cell: of_number(number, of).linked(set), bad: n > 0 });
    }
    counts.extend(plain(c, &of_all));
    counts
}

/// `480 of 490 planned`.
fn of_number(number: usize, of: &str) -> Cell {
    Cell::from(vec![Piece::count(number), Piece::text(&format!(" {of}"))])
}

/// Of how many debates those are that ended in some way.
fn of_all(c: &Counts) -> String {
    match c.planned {
        Some(planned) => format!("of {planned} planned"),
        None => format!("of {} counted", c.counted),
    }
}

/// The counts of which no single debates are known.
fn plain(c: &Counts, of_all: &str) -> impl Iterator<Item = Count> {
    let left_out = [
        ("rehearsals excluded", c.rehearsals_left_out),
        ("older plans excluded", c.older_plans_left_out),
        ("filtered out", c.filtered_out),
    ];
    let found = c.counted + left_out.iter().map(|(_, number)| number).sum::<usize>();
    let of_found = format!("of {found} found");
    let of_files = format!("of {} read", found + c.copies + c.damaged);
    let left_out = left_out.map(|(label, number)| neutral(label, number, &of_found));
    let damaged = bad("damaged files", c.damaged, &of_files);
    let behind = left_out.into_iter().chain([damaged]);
    not_ended(c, of_all).chain(weak(c)).chain(behind).chain(judgments(c))
}

/// What has not ended: all that is known of it.
fn not_ended(c: &Counts, of_all: &str) -> impl Iterator<Item = Count> {
    let is_known = c.planned.is_some();
    let of = if is_known { of_all } else { "or more, beside those counted" };
    let each = [("unfinished", c.unfinished), ("not started", c.not_started)];
    let each = each.map(|(label, number)| bad(label, number, of)).into_iter();
    each.filter(move |count| is_known || !count.is_zero())
}

/// Results on which nothing should be built alone.
fn weak(c: &Counts) -> Option<Count> {
    let of = format!("of the {} that judges decided", c.decided);
    let only = || Cell::from("in the only one that judges decided");
    let cell = || if c.decided == 1 { only() } else { of_number(c.weak, &of) };
    (c.weak > 0).then(|| Count { label: "weak evidence", cell: cell(), bad: false })
}

fn judgments(c: &Counts) -> [Count; 3] {
    let of = format!("of {} requested", c.judgments.planned);
    [
        neutral("valid judgments", c.judgments.valid, &of),
        bad("invalid judgments", c.judgments.invalid, &of),
        bad("missing judgments", c.judgments.abstained, &of),
    ]
}

fn neutral(label: &'static str, number: usize, of: &str) -> Count {
    Count { label, cell: of_number(number, of), bad: false }
}

/// A count that calls for attention.
fn bad(label: &'static str, number: usize, of: &str) -> Count {
    Count { bad: true, ..neutral(label, number, of) }
}

/// What the numbers were computed from and how: names and values.
pub(crate) fn provenance(source: &Source<'_>) -> Vec<(&'static str, Cell)> {
    let from = &source.findings.provenance;
    let counts = &source.findings.counts;
    let models = if counts.models == 1 { " model" } else { " models" };
    let mut debaters = vec![Piece::count(counts.models), Piece::text(models)];
    if counts.judges > 0 {
        debaters.extend([Piece::text(", judged by "), Piece::count(counts.judges)]);
    }
    let at = source.findings.generated_at.format("%Y-%m-%d %H:%M:%S UTC");
    let filters = from.filters.join(", ");
    let filters = (!filters.is_empty()).then(|| ("filters", Cell::from(&filters)));
    let before = [("command", Cell::from(&from.command)), ("rebut", Cell::from(&from.rebut))];
    let behind = [
        ("debates of", Cell::from(debaters)),
        ("corpus", Cell::from(&from.corpus)),
        ("seed", Cell::from(vec![Piece::count(from.seed)])),
        ("resamples", Cell::from(from.replicates)),
        ("confidence", Cell::number(Some(from.confidence), Unit::Share, None)),
        ("computed at", Cell::from(&at.to_string())),
    ];
    before.into_iter().chain(filters).chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::with_key;
    use crate::report::document::Document;

    #[test]
    fn s5_findings_explain_their_intervals_and_take_no_name_with_brackets_for_one() {
        let told = |sentence: &str| with_key(vec![sentence.to_owned()]);
        for told in ["Ahead by 0.41 [0.12, 0.70].", "As 3 [less than 1, 9].", "61% [50.0%, 70.1%]."]
            .map(told)
        {
            assert_eq!(told.len(), 2, "{told:?}");
            let document = Document { headlines: told, ..Document::default() };
            assert!(!document.has_intervals(), "its tables have none");
        }
        let named = told("llama3 [q4] won against mistral [8b] by 3, and once more.");
        assert_eq!(named.len(), 1, "{named:?}");
    }
}
