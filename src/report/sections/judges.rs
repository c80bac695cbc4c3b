//! The reliability of judges: agreement, leniency, preference for families, weight of length.

use std::collections::BTreeSet;

use super::{
    Axis, Cell, Figure, Heat, HeatCell, SMALL, Section, Source, Unit, Whisker, cells, judge_pairs,
    number, or_all, small,
};
use crate::facts::Kind;
use crate::stats::findings::{FamilyCell, JudgePair, Judges};

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let judges = &source.findings.judges;
    let mut figures = Vec::new();
    figures.extend(agreement(source, judges));
    let formats: BTreeSet<&str> = judges.families.iter().map(|c| c.format.as_str()).collect();
    let families = formats.into_iter().map(|it| families(source, judges, it));
    figures.extend(families);
    figures.extend(alike(source, judges));
    figures.extend(leniency(source, judges));
    figures.extend(verbosity(source, judges));
    let intro = "An alpha of 1 is perfect agreement, 0 is chance; below 0.667, Krippendorff advises against conclusions. Judges that share a flaw also agree. Ballots on rounds have rows of their own, such as “knockout rounds”; all other rows are of whole debates. Judgments of failed debates are counted, and in no other number here.";
    Section::new("judges", "Judges", intro, figures, "No debate was judged.")
}

fn agreement<'f>(source: &mut Source<'f>, judges: &'f Judges) -> Option<Figure> {
    let columns = "rating|format|metric|±alpha|±exact agreement|#units|#ratings|#debates";
    let mut figure = Figure::new("Agreement of judges", columns);
    // Of what only one judge rated, a caveat tells that agreement is unknown.
    for row in judges.agreement.iter().filter(|row| row.agreement.units > 0) {
        let found = &row.agreement;
        let what = row.what.to_string().replace('_', " ");
        let of = judged(&row.format, row.kind);
        let debates = format!("{of}: judgments of {what}");
        let cells = cells![
            &what,
            &of,
            &row.metric,
            Cell::alpha(found),
            Cell::estimate(&found.exact, Unit::Share),
            found.units,
            found.ratings,
            source.debates(&row.debates, &debates),
        ];
        let name = format!("{of} · {what} ({})", row.metric);
        let interval = [found.alpha, found.low, found.high];
        let whisker = Whisker::new(name, interval, found.units < SMALL);
        figure.drawn(whisker.because(found.reason.as_deref()), cells);
    }
    let lowest = figure.whiskers.iter().filter_map(|w| w.low.or(w.value)).fold(0.0, f64::min);
    let axis = Axis::around(0.0, Unit::Alpha).between((lowest * 5.0).floor() / 5.0, 1.0);
    let caption = "Krippendorff's alpha by kind of rating, {intervals}.";
    Some(source.whiskers(figure.filled()?, axis, caption))
}

/// `duel`; of ballots, `knockout rounds`.
fn judged(format: &str, kind: Kind) -> String {
    match kind {
        Kind::Ballot => format!("{format} rounds"),
        Kind::Verdict => format.to_owned(),
    }
}

fn families<'f>(source: &mut Source<'f>, judges: &'f Judges, format: &str) -> Figure {
    let cells: Vec<&FamilyCell> =
        judges.families.iter().filter(|cell| cell.format == format).collect();
    let title = format!("Judges and families in {format} debates");
    let columns = "judge|its family|family judged|±mean total|#n|#topics|#debates";
    let mut figure = Figure::new(&title, columns);
    for cell in &cells {
        let debates = format!("{} judged {}", cell.judge, cell.family);
        let row = cells![
            &cell.judge,
            cell.judge_family.as_deref().unwrap_or("unknown"),
            &cell.family,
            Cell::estimate(&cell.mean, Unit::Score),
            cell.mean.n,
            cell.mean.clusters,
            source.debates(&cell.debates, &debates),
        ];
        figure.row(small(&cell.mean), row);
    }
    let desc = "Judges by the families of the models they judged, with the mean total; the numbers are in the table below.";
    let chart = source.heat(&title, desc, &map(&cells));
    let caption = "The mean total that each judge gave to each family of models, where these spoke for themselves.";
    figure.charted(chart, caption).with_keys([
        ("level-s0", "lowest"),
        ("level-s8", "highest"),
        ("framed", "own family"),
        ("hatched", "n under 10"),
    ])
}

fn map(cells: &[&FamilyCell]) -> Heat {
    let rows: BTreeSet<&str> = cells.iter().map(|c| c.judge.as_str()).collect();
    let columns: BTreeSet<&str> = cells.iter().map(|c| c.family.as_str()).collect();
    let values = || cells.iter().filter_map(|c| c.mean.value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let level = |value: f64| {
        if high > low { (value - low) / (high - low) } else { 0.5 }
    };
    let cell = |judge: &str, family: &str| {
        let cell = cells.iter().find(|c| c.judge == judge && c.family == family)?;
        let value = cell.mean.value?;
        Some(HeatCell {
            shown: number(Unit::Score, value),
            n: cell.mean.n,
            level: level(value),
            own: cell.own,
        })
    };
    let row = |judge: &&str| columns.iter().map(|family| cell(judge, family)).collect();
    Heat {
        cells: rows.iter().map(row).collect(),
        rows: rows.into_iter().map(str::to_owned).collect(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        diverging: false,
    }
}

/// How often two judges have the same side ahead, a matrix for each format.
fn alike(source: &mut Source<'_>, judges: &Judges) -> Vec<Figure> {
    let by_format = judges.pairs.chunk_by(|a, b| a.format == b.format);
    let figures = by_format.map(|pairs| {
        let title = format!("Equal votes in {} debates", pairs[0].format);
        let pairs: Vec<&JudgePair> = pairs.iter().map(|it| &it.pair).collect();
        judge_pairs::figure(source, &title, &pairs)
    });
    figures.collect::<Vec<_>>().into_iter().flatten().collect()
}

fn leniency<'f>(source: &mut Source<'f>, judges: &'f Judges) -> Option<Figure> {
    let columns =
        "judge|format|#valid|#invalid|#missing|±mean total|±leniency|±self-preference|#debates";
    let mut figure = Figure::new("Leniency of judges", columns);
    for row in &judges.rows {
        let judgments = row.judgments;
        let of = judged(&row.format, row.kind);
        let debates = format!("{of}: judged by {}", row.judge);
        let cells = cells![
            &row.judge,
            &of,
            judgments.valid,
            judgments.invalid,
            judgments.abstained,
            Cell::estimate(&row.mean, Unit::Score),
            Cell::estimate(&row.leniency, Unit::Score),
            Cell::estimate(&row.self_preference, Unit::Score),
            source.debates(&row.debates, &debates),
        ];
        figure.row(small(&row.mean), cells);
        let name = format!("{} · {of}", row.judge);
        figure.whiskers.push(Whisker::from_estimate(name, &row.leniency));
    }
    let caption = "Leniency: how much higher a judge scored than the other judges of the same text. Self-preference: the same for texts of its own family, minus that for others.";
    let axis = Axis::around(0.0, Unit::Score);
    Some(source.whiskers(figure.filled()?, axis, caption))
}

fn verbosity<'f>(source: &mut Source<'f>, judges: &'f Judges) -> Option<Figure> {
    let columns = "judge|format|±points for twice the tokens|#n|#topics|#debates";
    let mut figure = Figure::new("Weight of length", columns);
    for row in &judges.verbosity {
        let judge = or_all(row.judge.as_deref());
        let debates = format!("{}: totals and lengths, {judge}", row.format);
        let cells = cells![
            judge,
            &row.format,
            Cell::estimate(&row.per_doubling, Unit::Score),
            row.slope.n,
            row.slope.clusters,
            source.debates(&row.debates, &debates),
        ];
        let name = format!("{judge} · {}", row.format);
        figure.drawn(Whisker::from_estimate(name, &row.per_doubling), cells);
    }
    let caption = "What the total gains when the judged text, which is most often all that a contestant says in a debate, has twice as many tokens: within debates, and apart from what models score on average. Above zero, longer texts score higher.";
    let axis = Axis::around(0.0, Unit::Score);
    Some(source.whiskers(figure.filled()?, axis, caption))
}
