//! How judges used their scales.

use std::collections::BTreeMap;

use super::super::charts::histogram;
use super::{Cell, Chart, Figure, Rounding, Section, Source, Unit, cells, number};
use crate::stats::findings::Distribution;

/// The section: a figure for each format.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let all = &source.findings.distributions;
    let formats = all.chunk_by(|a, b| a.format == b.format);
    let figures: Vec<Figure> = formats.map(|own| figure(source, own)).collect();
    let intro = "How often each score was given. Judges that use only two scores, or score everything the same, barely distinguish contestants, however well they agree. Failed debates are left out.";
    let empty = "No judge gave a score.";
    Section::new("scores", "Scores by criterion", intro, figures, empty).long()
}

/// The distributions of one format.
fn figure<'f>(source: &mut Source<'f>, own: &'f [Distribution]) -> Figure {
    let format = own.first().map_or("", |d| &d.format);
    let title = format!("Scores in {format} debates");
    let mut figure = Figure::new(&title, "criterion|scale|#score|#times|#debates");
    let mut charts = Vec::new();
    for d in own {
        let given: usize = d.counts.iter().map(|(_, n)| n).sum();
        let criterion = d.criterion.replace('_', " ");
        let desc = format!("{given} scores of {criterion} in {format} debates, by score.");
        let label = source.label(&criterion, &desc);
        charts.extend(histogram::chart(&label, &d.counts, d.scale).map(Chart::fluid));
        for (score, times) in &d.counts {
            let decimals = Rounding::Decimals(if score.fract() == 0.0 { 0 } else { 2 });
            let debates = format!("{format}: scores of {criterion}");
            let cells = cells![
                &criterion,
                scale(d.scale),
                Cell::number(Some(*score), decimals, None),
                *times,
                source.debates(&d.debates, &debates),
            ];
            figure.row(false, cells);
        }
    }
    figure.charted(charts, &format!("{title}, by criterion.")).finding(most_frequent(own))
}

/// The score that was given most often.
fn most_frequent(own: &[Distribution]) -> Option<String> {
    let mut times: BTreeMap<u64, usize> = BTreeMap::new();
    for (score, n) in own.iter().flat_map(|d| &d.counts) {
        *times.entry(score.to_bits()).or_default() += n;
    }
    let all: usize = times.values().sum();
    let (score, n) = times.into_iter().max_by_key(|(_, n)| *n)?;
    let (score, share) = (f64::from_bits(score), n as f64 / all as f64);
    let share = number(Unit::Share, share);
    Some(format!("{score} is given most often, in {share} of cases"))
}

fn scale(scale: Option<(u8, u8)>) -> Cell {
    match scale {
        None => Cell::missing("the debates use different scales"),
        Some((low, high)) => Cell::range(low, high),
    }
}
