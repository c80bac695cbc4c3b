//! How far the judges can be trusted: agreement, favour for families, leniency, weight of length.

use std::collections::{BTreeMap, BTreeSet};

use super::super::charts::heat::{self, Heat, HeatCell};
use super::super::charts::whiskers::{Axis, Whisker};
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::{Rounding, shown};
use super::{SMALL, Source, label, or_all, whiskered};
use crate::stats::findings::{AgreementRow, FamilyCell, JudgeRow, Slope, Unit};

const SCORE: Rounding = Rounding::Unit(Unit::Score);
const SHARE: Rounding = Rounding::Unit(Unit::Share);
const ALPHA: Rounding = Rounding::Decimals(3);

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let judges = &source.findings.judges;
    let mut parts = Vec::new();
    if !judges.agreement.is_empty() {
        parts.push(agreement(source, &judges.agreement));
    }
    let formats: BTreeSet<&str> = judges.families.iter().map(|c| c.format.as_str()).collect();
    for (n, format) in formats.into_iter().enumerate() {
        parts.push(families(source, format, n + 1));
    }
    if !judges.rows.is_empty() {
        parts.push(leniency(source, &judges.rows));
    }
    if !judges.verbosity.is_empty() {
        parts.push(verbosity(source, &judges.verbosity));
    }
    let intro = "An alpha of 1 is agreement, of 0 what chance gives; below 0.667 Krippendorff advises against conclusions. Judges agree as well when they share a fault.";
    Section::new("judges", "Judges", intro, parts, "No debate was judged.")
}

fn agreement(source: &mut Source<'_>, rows: &[AgreementRow]) -> Figure {
    let title = "Agreement of judges";
    let whiskers: Vec<Whisker> = rows.iter().map(alpha).collect();
    let confidence = source.confidence();
    let desc = format!("Krippendorff's alpha with {confidence} intervals, around a line at zero.");
    let ends = whiskers.iter().filter_map(|w| w.low.or(w.value));
    let lowest = ends.fold(0.0, f64::min);
    let axis = Axis {
        form: ALPHA,
        reference: Some(0.0),
        ends: Some(((lowest * 5.0).floor() / 5.0, 1.0)),
    };
    let label = label("agreement", 1, title, &desc);
    let table = agreement_table(source, rows, title);
    let caption = format!("Krippendorff's alpha by what was judged, with {confidence} intervals.");
    whiskered(&label, &whiskers, axis, &caption, table)
}

fn agreement_table(source: &mut Source<'_>, rows: &[AgreementRow], title: &str) -> DataTable {
    let confidence = source.confidence();
    let alpha = format!("#alpha [{confidence}]");
    let exact = format!("#exactly alike [{confidence}]");
    let columns = [
        "judged", "format", "metric", &alpha, &exact, "#units", "#ratings", "#debates",
    ];
    let mut table = DataTable::new(title, &columns);
    for row in rows {
        let what = format!("{}: judgments of {}", row.format, row.what);
        let set = source.set(&row.debates, &what);
        let ends = row.low.zip(row.high);
        let cells = vec![
            Cell::text(&row.what),
            Cell::text(&row.format),
            Cell::text(&row.metric),
            Cell::interval(row.alpha, ends, ALPHA, row.reason.as_deref()),
            Cell::estimate(&row.exact, SHARE),
            Cell::count(row.units),
            Cell::count(row.ratings),
            Cell::debates(set),
        ];
        table.row_that_is(row.units < SMALL, cells);
    }
    table
}

fn alpha(row: &AgreementRow) -> Whisker {
    Whisker {
        name: format!("{} · {} ({})", row.format, row.what, row.metric),
        value: row.alpha,
        low: row.low,
        high: row.high,
        muted: row.units < SMALL,
        ..Whisker::default()
    }
}

fn families(source: &mut Source<'_>, format: &str, n: usize) -> Figure {
    let findings = source.findings;
    let all = findings.judges.families.iter();
    let cells: Vec<&FamilyCell> = all.filter(|cell| cell.format == format).collect();
    let title = format!("Judges and families in {format} debates");
    let desc = "A matrix of judges by the families of the models they judged, with the mean total; the numbers are in the table below.";
    let map = map(&cells);
    let chart = heat::chart(&label("families", n, &title, desc), &map);
    let chart = chart.map(|svg| Chart::matrix(svg, &title, map.columns.len()));
    let table = family_table(source, &cells, &title);
    let caption = "The mean total that each judge gave to each family of models.";
    Figure::new(chart.into_iter().collect(), caption, table)
        .titled(&title)
        .with_key("level-s0", "lowest")
        .with_key("level-s8", "highest")
        .with_key("framed", "own family")
        .with_key("hatched", "n under 10")
}

fn map(cells: &[&FamilyCell]) -> Heat {
    let rows: BTreeSet<&str> = cells.iter().map(|c| c.judge.as_str()).collect();
    let columns: BTreeSet<&str> = cells.iter().map(|c| c.family.as_str()).collect();
    let by_place: BTreeMap<(&str, &str), &FamilyCell> = cells
        .iter()
        .map(|c| ((c.judge.as_str(), c.family.as_str()), *c))
        .collect();
    let values = || cells.iter().filter_map(|c| c.mean.value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let level = |value: f64| {
        if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        }
    };
    let cell = |judge: &str, family: &str| {
        by_place
            .get(&(judge, family))
            .and_then(|c| heat_cell(c, level))
    };
    Heat {
        cells: rows
            .iter()
            .map(|judge| columns.iter().map(|family| cell(judge, family)).collect())
            .collect(),
        rows: rows.into_iter().map(str::to_owned).collect(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        diverging: false,
    }
}

fn heat_cell(cell: &FamilyCell, level: impl Fn(f64) -> f64) -> Option<HeatCell> {
    let value = cell.mean.value?;
    Some(HeatCell {
        shown: shown(value, SCORE),
        n: cell.mean.n,
        level: level(value),
        hatched: cell.mean.n < SMALL,
        own: cell.judge_family.as_ref() == Some(&cell.family),
    })
}

fn family_table(source: &mut Source<'_>, cells: &[&FamilyCell], title: &str) -> DataTable {
    let mean = format!("#mean total [{}]", source.confidence());
    let columns = [
        "judge",
        "its family",
        "family judged",
        &mean,
        "#n",
        "#topics",
        "#debates",
    ];
    let mut table = DataTable::new(title, &columns);
    for cell in cells {
        let what = format!("{} judged {}", cell.judge, cell.family);
        let set = source.set(&cell.debates, &what);
        let own = cell.judge_family.as_deref();
        table.row_that_is(
            cell.mean.n < SMALL,
            vec![
                Cell::text(&cell.judge),
                Cell::text(own.unwrap_or("unknown")),
                Cell::text(&cell.family),
                Cell::estimate(&cell.mean, SCORE),
                Cell::count(cell.mean.n),
                Cell::count(cell.mean.clusters),
                Cell::debates(set),
            ],
        );
    }
    table
}

/// Points above or below a line at zero.
const AROUND_ZERO: Axis = Axis {
    form: SCORE,
    reference: Some(0.0),
    ends: None,
};

fn leniency(source: &mut Source<'_>, rows: &[JudgeRow]) -> Figure {
    let title = "Leniency of judges";
    let whiskers: Vec<Whisker> = rows.iter().map(lenient).collect();
    let desc = format!(
        "What each judge gave above the others, with {} intervals around a line at zero.",
        source.confidence()
    );
    let label = label("leniency", 1, title, &desc);
    let confidence = source.confidence();
    let columns = [
        "judge".to_owned(),
        "format".to_owned(),
        "#valid".to_owned(),
        "#invalid".to_owned(),
        "#missing".to_owned(),
        format!("#mean total [{confidence}]"),
        format!("#leniency [{confidence}]"),
        format!("#self-preference [{confidence}]"),
        "#debates".to_owned(),
    ];
    let mut table = DataTable::new(title, &columns.each_ref().map(String::as_str));
    for row in rows {
        let cells = judge_row(source, row);
        table.row_that_is(row.mean.n < SMALL, cells);
    }
    let caption = "Leniency: what a judge gave above the other judges of the same. Self-preference: the same for texts of its own family, less that for others.";
    whiskered(&label, &whiskers, AROUND_ZERO, caption, table).with_keys_of(
        &whiskers,
        "may be zero",
        "clearly not zero",
    )
}

fn lenient(row: &JudgeRow) -> Whisker {
    Whisker::from_estimate(
        format!("{} · {}", row.judge, row.format),
        &row.leniency,
        SMALL,
    )
    .told_from(0.0)
}

fn judge_row(source: &mut Source<'_>, row: &JudgeRow) -> Vec<Cell> {
    let what = format!("{}: judged by {}", row.format, row.judge);
    let set = source.set(&row.debates, &what);
    vec![
        Cell::text(&row.judge),
        Cell::text(&row.format),
        Cell::count(row.judgments.valid),
        Cell::count(row.judgments.invalid),
        Cell::count(row.judgments.abstained),
        Cell::estimate(&row.mean, SCORE),
        Cell::estimate(&row.leniency, SCORE),
        Cell::estimate(&row.self_preference, SCORE),
        Cell::debates(set),
    ]
}

fn verbosity(source: &mut Source<'_>, rows: &[Slope]) -> Figure {
    let title = "Weight of length";
    let whiskers: Vec<Whisker> = rows.iter().map(slope).collect();
    let desc = format!(
        "What the total gains for each e-fold of tokens, with {} intervals around a line at zero.",
        source.confidence()
    );
    let label = label("verbosity", 1, title, &desc);
    let column = format!("#points for × 2.7 tokens [{}]", source.confidence());
    let mut table = DataTable::new(
        title,
        &["judge", "format", &column, "#n", "#topics", "#debates"],
    );
    for row in rows {
        let judge = or_all(row.judge.as_deref());
        let what = format!("{}: totals and lengths, {judge}", row.format);
        let set = source.set(&row.debates, &what);
        table.row_that_is(
            row.slope.n < SMALL,
            vec![
                Cell::text(judge),
                Cell::text(&row.format),
                Cell::estimate(&row.slope, SCORE),
                Cell::count(row.slope.n),
                Cell::count(row.slope.clusters),
                Cell::debates(set),
            ],
        );
    }
    let caption = "What the total gains for each e-fold (× 2.7) of a statement's tokens, within debates: above zero, longer statements score higher.";
    whiskered(&label, &whiskers, AROUND_ZERO, caption, table).with_keys_of(
        &whiskers,
        "may be zero",
        "clearly not zero",
    )
}

fn slope(row: &Slope) -> Whisker {
    let name = format!("{} · {}", or_all(row.judge.as_deref()), row.format);
    Whisker::from_estimate(name, &row.slope, SMALL).told_from(0.0)
}
