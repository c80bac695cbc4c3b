//! Tokens and times of calls.

use super::super::charts::ranges::{self, Range};
use super::{Cell, Chart, Figure, SMALL, Section, Source, Unit, cells, first_of, number};
use crate::facts::Purpose;
use crate::stats::findings::Speed;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let figure = figure(source);
    let intro = "The median and the 95th percentile by model and purpose, over all answered calls with counts, those of failed debates among them. Times are model time, without waiting in queues.";
    let empty = match source.findings.counts.counted {
        0 => "No call was answered by a model.",
        _ => UNCOUNTED,
    };
    Section::new("speed", "Tokens and time", intro, figure, empty)
}

/// Why there are debates and no calls.
const UNCOUNTED: &str = "The traces list no calls with token counts: the servers left these out, or an early rebut wrote the traces.";

fn figure(source: &mut Source<'_>) -> Option<Figure> {
    let rows = &source.findings.speeds;
    let columns = "model|purpose|#calls|#tokens p50|#tokens p95|#seconds p50|#seconds p95|#debates";
    let mut figure = Figure::new("Tokens and seconds of calls", columns);
    let (mut tokens, mut seconds): (Vec<Range>, Vec<Range>) = (Vec::new(), Vec::new());
    for speed in rows {
        let (model, purpose) = (&speed.model, purpose(speed.purpose));
        let cell = |value, unit| Cell::number(Some(value), unit, None);
        let cells = cells![
            model,
            purpose,
            speed.calls,
            cell(speed.tokens_p50, Unit::Tokens),
            cell(speed.tokens_p95, Unit::Tokens),
            cell(speed.seconds_p50, Unit::Seconds),
            cell(speed.seconds_p95, Unit::Seconds),
            source.debates(&speed.debates, &format!("calls of {model} to {purpose}")),
        ];
        figure.row(speed.calls < SMALL, cells);
        let name = format!("{model} · {purpose}");
        tokens.push((name.clone(), speed.tokens_p50, speed.tokens_p95));
        seconds.push((name, speed.seconds_p50, speed.seconds_p95));
    }
    tokens.truncate(source.limits.drawn);
    seconds.truncate(source.limits.drawn);
    let drawn = first_of(tokens.len(), rows.len()).map(|text| ("bare", text));
    let charts = [
        ("Tokens per reply", tokens, Unit::Tokens),
        ("Seconds per call", seconds, Unit::Seconds),
    ]
    .into_iter()
    .filter_map(|(title, rows, unit)| {
        let desc =
            "The median and the 95th percentile of each model and purpose, joined by a line.";
        let svg = ranges::chart(&source.label(title, desc), &rows, unit)?;
        Some(Chart::fluid(svg).titled(title))
    });
    let caption = "Tokens per reply and seconds per call: the median and the 95th percentile.";
    let figure = figure.filled()?.charted(charts, caption);
    let keys = [("plain", "median"), ("second", "95th percentile")];
    Some(figure.finding(slowest(rows)).with_keys(keys).with_keys(drawn))
}

/// The calls that take longest at the median.
fn slowest(rows: &[Speed]) -> Option<String> {
    let by_time = |a: &&Speed, b: &&Speed| a.seconds_p50.total_cmp(&b.seconds_p50);
    let slowest = rows.iter().max_by(by_time)?;
    let (model, purpose) = (&slowest.model, purpose(slowest.purpose));
    let seconds = number(Unit::Seconds, slowest.seconds_p50);
    (rows.len() > 1)
        .then(|| format!("{model} takes longest to {purpose}, {seconds} s at the median"))
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Speak => "speak",
        Purpose::Judge => "judge or take stances",
        Purpose::Answer => "answer questions",
        Purpose::Clerk => "take notes",
        Purpose::Comment => "comment",
        Purpose::Embed => "embed",
    }
}
