//! The terminal during a run: a table of open debates, and the batch below it. Pure: state, size and
//! colours in, lines out, none wider than the terminal.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::color::Paint;
use crate::store::state::{CallState, DebateState, OpenDebate};
use crate::text::{self, grouped};

/// Failures of servers that are shown.
const FAILURES: usize = 3;
/// The gap between columns.
const GAP: &str = "  ";
/// Lines left for the output that scrolls above.
const ABOVE: usize = 6;
/// Minimum debates shown, however low the terminal is.
const LEAST_ROWS: usize = 3;
/// Minimum width of a terminal.
const LEAST_WIDTH: usize = 20;
/// Width from which the table has a column for topics.
const WITH_TOPICS: usize = 110;
/// Width below which the table has no column for a format that all debates have.
const WITH_FORMAT: usize = 80;

/// The size and colours of the terminal.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Size {
    pub(in crate::cli) width: usize,
    pub(in crate::cli) height: usize,
}

/// An open debate.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Row {
    pub(in crate::cli) debate: OpenDebate,
    pub(in crate::cli) tokens_per_second: f64,
    pub(in crate::cli) seconds: u64,
}

/// The batch.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Total {
    pub(in crate::cli) debates: DebateState,
    pub(in crate::cli) calls: CallState,
    pub(in crate::cli) seconds: u64,
    pub(in crate::cli) seconds_left: Option<u64>,
}

/// The lines of a run: its debates, what fails on its servers, and the batch.
pub(in crate::cli) fn lines(
    (total, failing): (&Total, &[String]),
    rows: &[Row],
    size: Size,
    paint: Paint,
) -> Vec<String> {
    let failing = failures(failing, size.width, paint);
    let others = ABOVE + 4 + failing.len();
    let most = size.height.saturating_sub(others).max(LEAST_ROWS);
    // "… and 1 more" would take the line of that one.
    let one_more = usize::from(rows.len() == most + 1);
    let shown = chosen(rows, most + one_more);
    let format = format_width(rows, size.width);
    let mut lines = Vec::new();
    if !shown.is_empty() {
        lines.push(paint.dim(&cut(&heading(size.width, format), size.width)));
    }
    lines.extend(shown.iter().map(|row| debate(row, (size.width, format), paint)));
    if let more @ 1.. = rows.len() - shown.len() {
        lines.push(paint.dim(&format!("… and {more} more")));
    }
    lines.extend(failing);
    lines.push(debates(total, size.width, paint));
    lines.push(cut(&calls(total), size.width));
    lines
}

/// The first failures of servers, and how many more there are.
fn failures(failing: &[String], width: usize, paint: Paint) -> Vec<String> {
    let shown = failing.iter().take(FAILURES).flat_map(|line| two_lines(line, width));
    let mut lines: Vec<String> = shown.map(|line| paint.status("degraded", &line)).collect();
    if let more @ 1.. = failing.len().saturating_sub(FAILURES) {
        let failures = text::count(more, "more failure");
        lines.push(paint.status("degraded", &format!("… and {failures} of servers")));
    }
    lines
}

/// A text in at most two lines, broken between words.
fn two_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = text::lines::wrapped(text, "", GAP, width);
    let rest: Vec<String> = lines.drain(1.min(lines.len())..).collect();
    let rest = rest.iter().map(|line| line.trim_start()).collect::<Vec<_>>().join(" ");
    lines.extend((!rest.is_empty()).then(|| format!("{GAP}{rest}")));
    lines.iter().map(|line| cut(line, width)).collect()
}

/// As many rows as fit: debates with a call on a server, then those that wait, then the others, each in order.
fn chosen(rows: &[Row], most: usize) -> Vec<&Row> {
    let mut chosen: Vec<&Row> = rows.iter().collect();
    chosen.sort_by_key(|row| (!row.debate.is_busy(), row.debate.asked.is_empty()));
    chosen.truncate(most);
    chosen
}

/// The width of the column of formats with its gap; 0 on a narrow terminal if all debates have the same.
fn format_width(rows: &[Row], width: usize) -> usize {
    let differs = rows.iter().any(|row| row.debate.format != rows[0].debate.format);
    if width >= WITH_FORMAT || differs { 10 + GAP.len() } else { 0 }
}

/// The widths of topic and activity.
fn widths(width: usize, format: usize) -> (usize, usize) {
    // Id, round, speed and time, and the gaps between them.
    let left = width.saturating_sub(12 + format + 5 + 5 + 8 + 4 * GAP.len());
    if width >= WITH_TOPICS { (left / 2 - GAP.len(), left - left / 2) } else { (0, left) }
}

fn heading(width: usize, format: usize) -> String {
    let row = ["debate", "format", "topic", "round", "activity", "tok/s", "time"];
    columns(row, (width, format))
}

fn columns(
    [id, format, topic, round, doing, speed, time]: [&str; 7],
    (width, format_width): (usize, usize),
) -> String {
    let (topic_width, doing_width) = widths(width, format_width);
    let topic = text::told_if(topic_width > 0, || padded(topic, topic_width) + GAP);
    let parts = [
        padded(id, 12),
        padded(format, format_width) + &topic + &padded(round, 5),
        padded(doing, doing_width),
        format!("{speed:>5}"),
        format!("{time:>8}"),
    ];
    parts.join(GAP)
}

fn debate(row: &Row, widths: (usize, usize), paint: Paint) -> String {
    let Row { debate: it, .. } = row;
    let speed = row.tokens_per_second;
    let speed = text::told_if(speed > 0.0 && it.is_busy(), || format!("{speed:.0}"));
    let (round, time) = (it.in_round(), clock(row.seconds));
    let doing = it.doing(|call| call.doing.clone());
    let cells = [&it.id, &it.format, &it.topic, &round, &doing, &speed, &time];
    let line = cut(&columns(cells.map(String::as_str), widths), widths.0);
    if it.is_busy() { line } else { paint.dim(&line) }
}

/// `12 of 200 debates ended, 1 degraded, 24 in progress`.
fn debates(total: &Total, width: usize, paint: Paint) -> String {
    let debates = &total.debates;
    let parts = text::further_counts(&[
        (debates.degraded, "degraded"),
        (debates.failed, "failed"),
        (debates.parked, "unfinished"),
        (debates.in_progress, "in progress"),
    ]);
    let line = cut(&format!("{}{parts}", debates.progress()), width);
    match (debates.failed + debates.parked, debates.degraded) {
        (0, 0) => paint.bold(&line),
        (0, _) => paint.status("degraded", &line),
        _ => paint.status("failed", &line),
    }
}

/// `412 of about 6,800 calls in 14 min, about 3.4 h left (estimate), 5 retries`.
fn calls(total: &Total) -> String {
    let calls = &total.calls;
    let about = |left| format!(" of about {}", grouped(calls.done.saturating_add(left)));
    let left = |left| format!(", about {} left (estimate)", lasting(left));
    let noun = if calls.failed == 1 { "retry" } else { "retries" };
    let retries = text::further_counts(&[(calls.failed, noun)]);
    let noun = if calls.done == 1 && calls.left.is_none() { "call" } else { "calls" };
    format!(
        "{}{} {noun} in {}{}{retries}",
        grouped(calls.done),
        calls.left.map(about).unwrap_or_default(),
        lasting(total.seconds),
        total.seconds_left.map(left).unwrap_or_default(),
    )
}

/// A duration in words, rounded.
pub(in crate::cli) fn lasting(seconds: u64) -> String {
    text::lasting(seconds.saturating_mul(1000))
}

/// `0:41`, `12:05`, `3:20:00`.
pub(in crate::cli) fn clock(seconds: u64) -> String {
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    match minutes {
        0..=59 => format!("{minutes}:{seconds:02}"),
        _ => format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60),
    }
}

/// The room for what tells a debate from others beside its status and id.
pub(in crate::cli) fn mark_width(width: usize) -> usize {
    width.saturating_sub(10 + 12 + 2 * GAP.len())
}

/// The lines of an ended debate: `done      ID  MARK  OUTCOME`; the outcome, which is never cut, begins a line of its own if it does
/// not fit.
pub(in crate::cli) fn result(
    [word, id, mark, line]: [&str; 4],
    width: usize,
    paint: Paint,
) -> Vec<String> {
    let room = width.saturating_sub(10 + GAP.len());
    let row = |rest: &[&str]| {
        let rest = rest.iter().filter(|it| !it.is_empty()).copied().collect::<Vec<_>>().join(GAP);
        let fits = rest.width() <= room;
        let status = paint.status(word, &padded(word, 10));
        (format!("{status}{GAP}{}", cut(&rest, room)), fits)
    };
    let (id, line) = (padded(id, 12), text::one_line(line));
    let (whole, fits) = row(&[&id, mark, &line]);
    if fits {
        return vec![whole];
    }
    let below = text::lines::wrapped(&line, GAP, GAP, width);
    std::iter::once(row(&[&id, mark]).0).chain(below).collect()
}

/// One line of at most `width` columns; a longer one ends with an ellipsis. Control characters are made visible.
pub(in crate::cli) fn cut(line: &str, width: usize) -> String {
    let line = text::visible(line).replace(['\n', '\t'], " ");
    if line.width() <= width {
        return line;
    }
    let (mut kept, mut used) = (String::new(), 0);
    for c in line.chars() {
        used += c.width().unwrap_or(0);
        if used >= width {
            break;
        }
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// A cell of exactly this width.
pub(in crate::cli) fn padded(cell: &str, width: usize) -> String {
    let mut cell = cut(&text::one_line(cell), width);
    cell.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
    cell
}

/// The width of the terminal that stdout goes to, if any.
pub(in crate::cli) fn width_of_stdout() -> Option<usize> {
    let stdout = std::io::stdout();
    (stdout.is_terminal()).then(|| width(terminal_size::terminal_size_of(stdout)))
}

/// The same for stderr.
pub(in crate::cli) fn width_of_stderr() -> Option<usize> {
    std::io::stderr().is_terminal().then(|| size().width)
}

fn width(found: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    found.map_or(80, |(width, _)| usize::from(width.0).max(LEAST_WIDTH))
}

/// The size of the terminal that stderr goes to.
pub(in crate::cli) fn size() -> Size {
    let found = terminal_size::terminal_size_of(std::io::stderr());
    Size { width: width(found), height: found.map_or(24, |(_, height)| usize::from(height.0)) }
}

#[cfg(test)]
mod tests {
    use super::super::color::shown;
    use super::*;
    use crate::store::state::AskedCall;

    fn row(n: u64) -> Row {
        let call = AskedCall {
            doing: "getting the verdict of Judge-1, asked in the reverse order".to_owned(),
            model: "llama3".to_owned(),
            in_flight: n.is_multiple_of(6),
        };
        let debate = OpenDebate {
            id: format!("{n:012}"),
            job: "cars".to_owned(),
            format: "roundtable".to_owned(),
            topic: "Should 都市 ban private cars from their centres, and when?".to_owned(),
            heading: String::new(),
            label: String::new(),
            round: n % 4,
            repetition: 1,
            rounds: 12,
            standing: String::new(),
            opened_at: chrono::DateTime::UNIX_EPOCH,
            calls: n,
            asked: vec![call],
        };
        Row { debate, tokens_per_second: 41.7, seconds: n * 700 }
    }

    fn total() -> Total {
        let debates = DebateState {
            chosen: 12_000,
            done: 1_196,
            degraded: 3,
            failed: 1,
            in_progress: 24,
            queued: 10_776,
            ..DebateState::default()
        };
        let calls =
            CallState { done: 41_234, failed: 17, left: Some(371_106), ..CallState::default() };
        Total { debates, calls, seconds: 7_300, seconds_left: Some(65_700) }
    }

    fn at(width: usize, height: usize, debates: u64) -> Vec<String> {
        with_failures(&[], width, height, debates)
    }

    fn with_failures(failing: &[String], width: usize, height: usize, debates: u64) -> Vec<String> {
        let rows: Vec<Row> = (0..debates).map(row).collect();
        let size = Size { width, height };
        lines((&total(), failing), &rows, size, Paint::PLAIN)
    }

    #[test]
    fn e2_failures_of_servers_are_shown_above_the_batch_and_take_the_place_of_debates() {
        let failing: Vec<String> =
            (0..5).map(|n| format!("gpu{n} {}", "fails ".repeat(30))).collect();
        let [few, many] = [1, 5].map(|n| with_failures(&failing[..n], 80, 24, 24));
        assert_eq!([few.len(), many.len()], [18, 18], "{many:#?}");
        let lines =
            |all: &[String], part: &str| all.iter().filter(|line| line.contains(part)).count();
        assert_eq!([lines(&few, "gpu"), lines(&many, "gpu")], [1, 3], "{many:#?}");
        assert_eq!(many[many.len() - 3], "… and 2 more failures of servers");
        let below = few.iter().filter(|it| it.starts_with("  fails ")).count();
        assert_eq!(below, 1, "what does not fit goes on in a second line: {few:#?}");
        assert!(many.iter().all(|line| line.width() <= 80), "{many:#?}");
    }

    #[test]
    fn e2_every_line_fits_and_what_does_not_fit_is_counted() {
        for (width, height, shown) in [(80, 24, 14), (120, 40, 24), (200, 24, 14), (40, 10, 3)] {
            let lines = at(width, height, 24);
            for line in &lines {
                assert!(line.width() <= width, "{width}: {line}");
            }
            assert!(lines.len() + ABOVE <= height.max(ABOVE + 7), "{lines:#?}");
            let more = lines.iter().find(|line| line.starts_with("… and "));
            let wanted = (shown < 24).then(|| format!("… and {} more", 24 - shown));
            assert_eq!(more, wanted.as_ref(), "{lines:#?}");
        }
    }

    #[test]
    fn e2_on_a_narrow_terminal_a_format_that_all_have_gives_way_to_what_they_do() {
        let narrow = at(60, 24, 3);
        assert!(narrow[0].starts_with("debate        round  activity"), "{narrow:#?}");
        assert!(narrow[1].contains("  –      getting the verdict"), "{narrow:#?}");
        let mut rows: Vec<Row> = (0..2).map(row).collect();
        rows[1].debate.format = "duel".to_owned();
        let size = Size { width: 60, height: 24 };
        let mixed = lines((&total(), &[]), &rows, size, Paint::PLAIN);
        assert!(mixed[0].starts_with("debate        format      round"), "{mixed:#?}");
    }

    #[test]
    fn e2_the_lines_of_a_batch_say_how_far_it_is() {
        let lines = at(80, 24, 0);
        assert_eq!(
            lines,
            [
                "1,200 of 12,000 debates ended, 3 degraded, 1 failed, 24 in progress",
                "41,234 of about 412,340 calls in 2.0 h, about 18.2 h left (estimate), 17 retries",
            ]
        );
        let debates = DebateState { chosen: 3, queued: 3, ..DebateState::default() };
        let begun = Total { debates, ..Total::default() };
        let lines = super::lines((&begun, &[]), &[], Size { width: 80, height: 24 }, Paint::PLAIN);
        assert_eq!(lines, ["0 of 3 debates ended", "0 calls in 0 s"]);
    }

    #[test]
    fn e2_debates_that_a_server_is_at_work_on_are_shown_first_and_others_wait() {
        let lines = at(80, 14, 24);
        let shown = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
        assert_eq!(shown("  getting the verdict"), 4, "{lines:#?}");
        assert_eq!(shown("  waiting: getting"), 0, "{lines:#?}");
        let lines = at(80, 24, 24);
        let waits = |line: &String| line.contains("  waiting: getting");
        let first = lines.iter().position(waits);
        assert_eq!(first, Some(5), "below the heading and four that are at work: {lines:#?}");
        assert_eq!(lines.iter().filter(|line| waits(line)).count(), 10, "{lines:#?}");
    }

    #[test]
    fn a8_what_would_act_on_a_terminal_is_visible_and_wide_characters_count_twice() {
        assert_eq!(cut("a\u{1b}[31mb\nc", 80), "a\u{fffd}[31mb c");
        assert_eq!(cut("都市都市", 5), "都市…");
        assert_eq!(cut("one two", 4), "one…");
        let fields = [
            "done",
            "51f6a7a57cb2",
            "Should zoos be closed?",
            "mistral (Against) beats llama3 (For), 7.45 to 7.20 (2 judges)",
        ];
        let lines = |width| result(fields, width, Paint::PLAIN);
        let beside = "done        51f6a7a57cb2  Should zoos be closed?";
        let outcome = fields[3];
        assert_eq!(lines(80), [beside, &format!("  {outcome}")]);
        assert_eq!(lines(120), [format!("{beside}  {outcome}")]);
        let narrow = ["  mistral (Against) beats llama3 (For),", "  7.45 to 7.20 (2 judges)"];
        assert_eq!(lines(40)[1..], narrow, "nothing of the outcome is cut");
        let alike = result(["done", "51f6a7a57cb2", "", "A draw"], 80, Paint::PLAIN);
        assert_eq!(alike, ["done        51f6a7a57cb2  A draw"]);
        let colored = shown(&result(fields, 80, Paint::COLORED)[0]);
        assert!(colored.starts_with("\u{1b}[32mdone"), "{colored:?}");
    }
}
