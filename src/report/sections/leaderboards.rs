//! Leaderboards: by strength with rank intervals, and by points.

use super::super::charts::whiskers::{self, Axis, Whisker};
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::{Piece, Rounding, shown_with_interval};
use super::super::svg::clipped;
use super::{SMALL, Source, label, whiskered};
use crate::stats::findings::{PointsBoard, PointsRow, StrengthBoard, StrengthRow, Unit};

const ELO: Rounding = Rounding::Unit(Unit::Elo);
const POINTS: Rounding = Rounding::Unit(Unit::Points);
/// Characters of a name that has its group behind it, so that the group is seen.
const GROUPED_CHARS: usize = 25;
/// Rows that a chart has at most; the table has all.
const DRAWN: usize = 40;

/// The board of the first screen: models by strength, else models by points; or why there is none.
pub(crate) fn first(source: &mut Source<'_>) -> Result<Figure, String> {
    let boards = &source.findings.leaderboards;
    let models = |of: &str| of == "model";
    if let Some(board) = boards
        .strengths
        .iter()
        .find(|b| models(&b.of) && has_strength(b))
    {
        return Ok(strength(source, board, 0));
    }
    match boards
        .points
        .iter()
        .find(|b| models(&b.of) && has_points(b))
    {
        Some(board) => Ok(points(source, board, 0)),
        None => Err(why_none(&boards.strengths)),
    }
}

fn has_strength(board: &StrengthBoard) -> bool {
    let told = |row: &StrengthRow| row.elo.is_some() || ranks(row).is_some();
    board.rows.iter().any(told)
}

fn has_points(board: &PointsBoard) -> bool {
    board.rows.iter().any(|row| row.mean.value.is_some())
}

fn why_none(boards: &[StrengthBoard]) -> String {
    let rows = boards.iter().flat_map(|board| &board.rows);
    let reasons = rows.filter_map(|row| row.reason.clone());
    let notes = boards.iter().flat_map(|board| board.notes.clone());
    let reason = notes.chain(reasons).next();
    reason.unwrap_or_else(|| "no debate between two contestants has a winner".to_owned())
}

/// The boards that the first screen does not show; `None` where it shows all.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let boards = &source.findings.leaderboards;
    let models = |of: &str| of == "model";
    let shown_strength = boards
        .strengths
        .iter()
        .position(|b| models(&b.of) && has_strength(b));
    let shown_points = match shown_strength {
        Some(_) => None,
        None => boards
            .points
            .iter()
            .position(|b| models(&b.of) && has_points(b)),
    };
    let mut parts = Vec::new();
    for (n, board) in boards.strengths.iter().enumerate() {
        if Some(n) != shown_strength {
            parts.push(strength(source, board, n + 1));
        }
    }
    for (n, board) in boards.points.iter().enumerate() {
        if Some(n) != shown_points {
            parts.push(points(source, board, n + 101));
        }
    }
    (!parts.is_empty()).then(|| {
        let intro = "Points count within one format only; debaters and X play for different ones. They are never compared.";
        Section::new("leaderboards", "More leaderboards", intro, parts, "")
    })
}

fn strength(source: &mut Source<'_>, board: &StrengthBoard, n: usize) -> Figure {
    let title = format!("Strength by {}", board.of);
    let desc = describe(&board.rows, &source.confidence());
    let rows = board.rows.iter().take(DRAWN);
    let whiskers: Vec<Whisker> = rows.map(|row| whisker(row, board.has_groups())).collect();
    let axis = Axis {
        form: ELO,
        reference: None,
        ends: None,
    };
    let chart = whiskers::chart(&label("board", n, &title, &desc), &whiskers, axis);
    let table = strength_table(source, board);
    let caption = format!(
        "{title}: Elo points from {} between two contestants on {}, with {} intervals; 1000 is the middle{}.",
        crate::text::count(board.comparisons as u64, "debate"),
        crate::text::count(board.clusters as u64, "topic"),
        source.confidence(),
        if board.has_groups() {
            " of each group"
        } else {
            ""
        }
    );
    let mut part = Figure::new(
        chart.into_iter().map(Chart::fluid).collect(),
        &caption,
        table,
    )
    .titled(&title)
    .with_key(
        "bare",
        "Before each name: the ranks that intervals, and wins without exception, leave possible.",
    )
    .noting(board.notes.clone())
    .noting(left_out(board))
    .noting(whiskers::undrawn(&whiskers));
    if board.rows.iter().any(|row| row.small) {
        part = part.with_key("muted", "fewer than ten debates: shown, not ranked");
    }
    part
}

fn whisker(row: &StrengthRow, is_grouped: bool) -> Whisker {
    Whisker {
        rank: Some(match ranks(row) {
            None => "–".to_owned(),
            Some((best, worst)) if best == worst => best.to_string(),
            Some((best, worst)) => format!("{best}–{worst}"),
        }),
        name: if is_grouped {
            let name = clipped(&row.name, GROUPED_CHARS);
            format!("{name} · group {}", row.group)
        } else {
            row.name.clone()
        },
        value: row.elo,
        words: instead(row),
        low: row.low,
        high: row.high,
        muted: row.small,
        ..Whisker::default()
    }
}

/// What a chart says of one that has no strength because it won or lost without exception.
fn instead(row: &StrengthRow) -> Option<&'static str> {
    match (row.elo, row.wins, row.losses) {
        (Some(_), ..) => None,
        (None, wins, 0) if wins > 0 && row.draws == 0 => Some("won all"),
        (None, 0, losses) if losses > 0 && row.draws == 0 => Some("lost all"),
        _ => None,
    }
}

fn ranks(row: &StrengthRow) -> Option<(usize, usize)> {
    row.rank_best.zip(row.rank_worst).filter(|_| !row.small)
}

fn describe(rows: &[StrengthRow], confidence: &str) -> String {
    let shown: Vec<String> = rows
        .iter()
        .take(DRAWN)
        .filter_map(|row| {
            let elo = match row.elo {
                Some(elo) => shown_with_interval(elo, row.low, row.high, ELO),
                None => instead(row)?.to_owned(),
            };
            Some(format!("{}: {elo}", row.name))
        })
        .collect();
    format!("Elo with {confidence} intervals. {}.", shown.join("; "))
}

fn strength_table(source: &mut Source<'_>, board: &StrengthBoard) -> DataTable {
    let of = board.of.as_str();
    let elo = format!("#Elo [{}]", source.confidence());
    let mut columns = vec![of, "#rank", &elo, "#won", "#drawn", "#lost"];
    let grouped = board.has_groups();
    if grouped {
        columns.push("group");
    }
    columns.push("#debates");
    let mut table = DataTable::new(&format!("Strength by {of}"), &columns);
    for row in &board.rows {
        let set = source.set(&row.debates, &format!("strength of {}", row.name));
        let rank = match ranks(row) {
            Some((best, worst)) => Cell::from_pieces(vec![
                Piece::count(best),
                Piece::text("–"),
                Piece::count(worst),
            ]),
            None => Cell::number(None, ELO, Some(unranked(row))),
        };
        let mut cells = vec![
            Cell::text(&row.name),
            rank,
            Cell::interval(row.elo, row.low.zip(row.high), ELO, row.reason.as_deref()),
            Cell::count(row.wins),
            Cell::count(row.draws),
            Cell::count(row.losses),
        ];
        if grouped {
            cells.push(Cell::count(row.group));
        }
        cells.push(Cell::debates(set));
        table.row_that_is(row.small, cells);
    }
    table
}

fn unranked(row: &StrengthRow) -> &str {
    if row.small {
        "fewer than ten debates are not ranked"
    } else {
        row.reason.as_deref().unwrap_or("no interval, no rank")
    }
}

/// What was not compared, and what draws count.
fn left_out(board: &StrengthBoard) -> Vec<String> {
    let mut notes: Vec<String> = board
        .left_out
        .iter()
        .map(|(reason, n)| {
            format!(
                "{} not compared: {reason}.",
                crate::text::count(*n as u64, "debate")
            )
        })
        .collect();
    if board.draws > 0 {
        let draws = crate::text::count(board.draws as u64, "draw");
        notes.push(format!("{draws}; each counts half a win for both."));
    }
    notes
}

fn points(source: &mut Source<'_>, board: &PointsBoard, n: usize) -> Figure {
    let side = match board.side.as_str() {
        "x" => "as X",
        _ => "as debaters",
    };
    let title = format!("Points by {} {side} in knockouts", board.of);
    let desc = format!("Points a debate with {} intervals.", source.confidence());
    let whiskers: Vec<Whisker> = board.rows.iter().take(DRAWN).map(point).collect();
    let axis = Axis {
        form: POINTS,
        reference: None,
        ends: None,
    };
    let label = label("board", n, &title, &desc);
    let table = points_table(source, board, &title);
    let caption = format!(
        "{title}: points a debate, with {} intervals.",
        source.confidence()
    );
    whiskered(&label, &whiskers, axis, &caption, table)
}

fn point(row: &PointsRow) -> Whisker {
    Whisker::from_estimate(row.name.clone(), &row.mean, SMALL)
}

fn points_table(source: &mut Source<'_>, board: &PointsBoard, title: &str) -> DataTable {
    let of = board.of.as_str();
    let mean = format!("#points a debate [{}]", source.confidence());
    let mut table = DataTable::new(
        title,
        &[of, "#points in all", &mean, "#n", "#topics", "#debates"],
    );
    for row in &board.rows {
        let set = source.set(&row.debates, &format!("{title}: {}", row.name));
        let cells = vec![
            Cell::text(&row.name),
            Cell::number(Some(row.total), POINTS, None),
            Cell::estimate(&row.mean, POINTS),
            Cell::count(row.mean.n),
            Cell::count(row.mean.clusters),
            Cell::debates(set),
        ];
        table.row_that_is(row.mean.n < SMALL, cells);
    }
    table
}
