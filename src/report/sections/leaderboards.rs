//! Leaderboards: by strength with rank intervals, and by points.

use super::super::charts::scatter::{self, Spot};
use super::{
    Axis, Cell, Chart, Figure, Rounding, Section, Source, Unit, Whisker, cells, clipped, count,
    number, topics_needed, with_intervals,
};
use crate::job::AnyFormat;
use crate::stats::findings::{Distance, Findings, PointsBoard, StrengthBoard, StrengthRow};
use crate::text::{self, grouped};

/// Characters of a name that has its group behind it, so that the group is seen.
const GROUPED_CHARS: usize = 25;
/// What intervals of strengths do not show.
const OVERLAP: &str =
    " Compare by the differences below: two can differ though their intervals overlap.";
/// How a strength at equal length is found.
const EQUAL_LENGTH: &str =
    "At equal length: from a fit that also has the ratio of both sides' tokens.";
/// Characters of a name beside another.
const SIDE_CHARS: usize = 19;

/// The first screen's leaderboard (models by strength, otherwise by points), and the others.
pub(crate) fn sections(source: &mut Source<'_>) -> (Section, Option<Section>) {
    let mut boards = boards(source);
    let first = boards.iter().position(|(ranks, _)| *ranks).map(|at| boards.remove(at).1);
    let first = first.unwrap_or_default();
    let others: Vec<Figure> = boards.into_iter().flat_map(|(_, figures)| figures).collect();
    let first = Section::new("board", "Leaderboard", "", first, &why_none(source.findings));
    let intro = text::told_if(others.iter().any(|it| it.title.starts_with("Points by ")), || {
        "Points count only within a format; in a knockout, those of debaters and those of X cannot be compared.".to_owned()
    });
    let more = Section::new("leaderboards", "More leaderboards", intro, others, "");
    (first, Some(more).filter(|more| more.empty.is_none()))
}

/// All leaderboards of models that say something.
pub(crate) fn of_models(source: &mut Source<'_>) -> Vec<Figure> {
    boards(source)
        .into_iter()
        .filter(|(ranks, _)| *ranks)
        .flat_map(|(_, figures)| figures)
        .collect()
}

/// The figures of each board, and whether it puts models in an order.
fn boards(source: &mut Source<'_>) -> Vec<(bool, Vec<Figure>)> {
    let all = &source.findings.leaderboards;
    let mut boards = Vec::new();
    for board in &all.strengths {
        let figures = std::iter::once(strength(source, board)).chain(distances(source, board));
        boards.push((ranks_models(board), figures.collect()));
        boards.push((false, Vec::from_iter(spoken(source, board))));
    }
    let points = all.points.iter().map(|board| (board.rows.len() > 1, vec![points(source, board)]));
    boards.extend(points);
    boards
}

fn ranks_models(board: &StrengthBoard) -> bool {
    let ranked = |row: &StrengthRow| row.rating.elo.is_some() || ranks(row).is_some();
    board.rows.iter().any(ranked)
}

fn why_none(findings: &Findings) -> String {
    let all = &findings.leaderboards.strengths;
    if findings.counts.models == 1 {
        return "all sides argued on one model".to_owned();
    }
    if all.is_empty() {
        return "no debate between two contestants has a winner".to_owned();
    }
    let compared = || all.iter().filter(|board| board.comparisons > 0);
    let notes = compared().flat_map(|board| &board.notes).cloned();
    let reasons = compared().flat_map(|board| &board.rows).filter_map(|row| {
        let reason = row.rating.reason.as_ref()?;
        Some(format!("{reason} ({})", row.name))
    });
    let nobody_met = || "no two different models met in a debate that can be compared".to_owned();
    let known = notes.chain(reasons).next().or_else(|| none_comparable(all));
    known.unwrap_or_else(nobody_met)
}

/// That some met, but in no debate that can be compared, or why debates were left out.
fn none_comparable(boards: &[StrengthBoard]) -> Option<String> {
    let met = |board: &StrengthBoard| {
        let none = || "none of the debates between different models can be compared".to_owned();
        (!board.confounded.is_empty()).then(none)
    };
    let left_out = |board: &StrengthBoard| {
        let all = board
            .left_out
            .iter()
            .map(|(why, n)| format!("{} left out ({why})", count(*n, "debate")));
        text::if_any(text::separated(all, "; "))
    };
    boards.iter().find_map(met).or_else(|| boards.iter().find_map(left_out))
}

fn strength<'f>(source: &mut Source<'f>, board: &'f StrengthBoard) -> Figure {
    let grouped = board.has_groups();
    let beside = beside(board);
    let more: String = beside.iter().map(|(title, _)| *title).collect();
    let columns = format!("model|#rank|±Elo|#won|#drawn|#lost{more}|#debates");
    let mut figure = Figure::new("Strength by model", &columns);
    let ranked = board.rows.iter().any(|row| ranks(row).is_some());
    for row in &board.rows {
        let cells = strength_row(source, row, &beside);
        figure.drawn(whisker(row, grouped, ranked), cells);
    }
    let is_empty = board.comparisons == 0;
    let has_intervals = board.rows.iter().any(|row| row.rating.low.is_some());
    let won = (!is_empty).then(|| won(source));
    let told = format!(
        "Elo from {} between two contestants on {}, {{intervals by topic}}; 1000 is the middle{}.{}",
        count(board.comparisons, "debate"),
        count(board.clusters, "topic"),
        if grouped { " of each group" } else { "" },
        if has_intervals && !board.distances.is_empty() { OVERLAP } else { "" }
    );
    let caption = if is_empty {
        "No two different models met in a debate that can be compared.".to_owned()
    } else {
        told
    };
    source
        .whiskers(figure, Axis::new(Unit::Elo), &caption)
        .with_keys(ranked.then_some((
            "bare",
            "Before each name: the ranks that it may have, by the differences and by wins without exception.",
        )))
        .noting(board.notes.iter().filter(|_| !is_empty).cloned())
        .noting(not_compared(board))
        .noting(is_length_adjusted(board).then(|| EQUAL_LENGTH.to_owned()))
        .noting(won)
}

/// How a debate is won, by the verdicts that count, and by how many judges.
fn won(source: &Source<'_>) -> String {
    let verdicts = &*source.findings.provenance.verdicts;
    match verdicts.split_once(':') {
        Some((_, panel)) => format!(
            "A debate is won by the side with more votes of the panel {panel} than the other has and than there are ties; otherwise it is drawn. A judge that reads in both orders votes for a side only if it is ahead in both."
        ),
        None if verdicts == "human" => {
            "A side wins a debate if more people put it ahead than put the other ahead, and more than called it even; otherwise the debate is drawn."
                .to_owned()
        }
        None => format!(
            "A debate is won by the side that is ahead in the mean of its judges' margins, and drawn if that is 0. A judge whose two readings do not put the same side ahead has a margin of 0. {} judged.",
            count(source.findings.counts.judges, "model")
        ),
    }
}

/// The difference between each two; none without two to compare.
fn distances(source: &mut Source<'_>, board: &StrengthBoard) -> Option<Figure> {
    let planned = number(Unit::Elo, board.planned);
    let columns = format!(
        "first|second|±Elo difference|±expected score|#p (Holm)|!detectable|!topics needed for {planned} Elo|#topics|#met in debates|#met on topics"
    );
    let know_power = source.findings.know_power_of_strength();
    let mut figure = Figure::new("Differences in strength", &columns);
    if !know_power {
        figure = figure.without_power();
    }
    for one in &board.distances {
        let mut whisker = apart(one);
        whisker.blind = one.found.detectable.filter(|_| know_power);
        figure.drawn(whisker, distance_row(one));
    }
    let figure = figure.filled()?;
    let replicates = grouped(source.findings.provenance.replicates);
    let errors = if know_power {
        "p and the smallest detectable difference (80% power) are from their standard error with Student's t, and take"
    } else {
        "p is from their standard error with Student's t, and takes"
    };
    let caption = format!(
        "Elo of the first minus Elo of the second, estimated from all debates together. Only those are compared who both won and lost against each other, directly or by way of others. Intervals (95%) are percentiles of {replicates} resamples of topics; {errors} all pairs into account (Holm). In an expected score, a draw is half."
    );
    Some(source.whiskers(figure, Axis::around(0.0, Unit::Elo), &caption))
}

fn apart(one: &Distance) -> Whisker {
    let lead = &one.found;
    let side = |name| clipped(name, SIDE_CHARS);
    let name = format!("{} − {}", side(&one.above), side(&one.below));
    Whisker {
        told: Some(one.clear),
        ..Whisker::new(name, [Some(lead.elo), lead.low, lead.high], false)
            .because(lead.reason.as_deref())
    }
}

fn distance_row(one: &Distance) -> Vec<Cell> {
    let lead = &one.found;
    let why = lead.reason.as_deref();
    let ends = [Some(lead.elo), lead.low, lead.high];
    let (low, high) = (one.expected_score_low, one.expected_score_high);
    let scores = [Some(one.expected_score), low, high];
    let needed = match lead.clusters_needed {
        Some(all) => topics_needed(all, lead.clusters),
        None => Cell::missing(why.unwrap_or("a million would not do")),
    };
    cells![
        &one.above,
        &one.below,
        Cell::interval(ends, Unit::Elo, why),
        Cell::interval(scores, Rounding::Decimals(3), why),
        Cell::number(lead.p_adjusted, Rounding::PValue, why),
        Cell::number(lead.detectable, Unit::Elo, why),
        needed,
        lead.clusters,
        lead.met,
        lead.met_clusters,
    ]
}

/// Strength against what was spoken for it; none without two to compare.
fn spoken(source: &mut Source<'_>, board: &StrengthBoard) -> Option<Figure> {
    let title = "Strength against tokens";
    let mut figure = Figure::new(title, "model|±Elo|±tokens per debate");
    let mut spots = Vec::new();
    for row in &board.rows {
        let (Some(y), Some(x)) = (row.rating.elo, row.tokens.value) else { continue };
        let tokens = Cell::estimate(&row.tokens, Unit::Tokens);
        figure.row(row.small, cells![&row.name, elo(row), tokens]);
        spots.push(Spot {
            name: row.name.clone(),
            x,
            y,
            ends: row.rating.low.zip(row.rating.high),
            muted: row.small,
            way: Vec::new(),
        });
    }
    let desc = "A point per row: higher means stronger, further right means more tokens.";
    let label = source.label(title, desc);
    let units = [Unit::Tokens.into(), Unit::Elo.into()];
    let chart = scatter::chart(&label, &spots, units, None)?;
    let intervals = with_intervals(spots.iter().any(|spot| spot.ends.is_some()));
    let caption = format!("Elo {intervals} against the mean tokens spoken per compared debate.");
    Some(figure.charted([Chart::fluid(chart)], &caption).with_keys(scatter::keys(&spots)))
}

/// A column beside strengths: its title, and its cell in a row.
type Column = (&'static str, fn(&StrengthRow) -> Cell);

/// The columns that say something, each where it differs from strengths.
fn beside(board: &StrengthBoard) -> Vec<Column> {
    let failed = |row: &StrengthRow| row.available.value.is_some_and(|share| share < 1.0);
    let mut columns: Vec<Column> = Vec::new();
    if board.has_groups() {
        columns.push(("|group", |row| Cell::from(row.rating.group)));
    }
    if board.rows.iter().any(failed) {
        let available = |row: &StrengthRow| Cell::estimate(&row.available, Unit::Share);
        columns.push(("|±available", available));
    }
    if is_length_adjusted(board) {
        columns.push(("|±Elo at equal length", |row| {
            let missing = || Cell::missing("no strength");
            let elo = row.elo_equal_length.as_ref();
            elo.map_or_else(missing, |elo| Cell::estimate(elo, Unit::Elo))
        }));
    }
    columns
}

fn is_length_adjusted(board: &StrengthBoard) -> bool {
    board.rows.iter().any(|row| row.elo_equal_length.is_some())
}

fn strength_row<'f>(source: &mut Source<'f>, row: &'f StrengthRow, beside: &[Column]) -> Vec<Cell> {
    let rank = match ranks(row) {
        Some((best, worst)) => Cell::range(best, worst),
        None => Cell::missing(unranked(row)),
    };
    let rating = &row.rating;
    let (wins, draws, losses) = (rating.wins, rating.draws, rating.losses);
    let mut cells = cells![&row.name, rank, elo(row), wins, draws, losses];
    cells.extend(beside.iter().map(|(_, cell)| cell(row)));
    cells.push(source.debates(&row.debates, &format!("strength of {}", row.name)));
    cells
}

fn elo(row: &StrengthRow) -> Cell {
    Cell::interval(interval(row), Unit::Elo, row.rating.reason.as_deref())
}

fn interval(row: &StrengthRow) -> [Option<f64>; 3] {
    [row.rating.elo, row.rating.low, row.rating.high]
}

fn unranked(row: &StrengthRow) -> &str {
    if row.small {
        "fewer than ten debates are not ranked"
    } else {
        row.rating.reason.as_deref().unwrap_or("no interval, no rank")
    }
}

fn whisker(row: &StrengthRow, grouped: bool, ranked: bool) -> Whisker {
    let name = if grouped {
        let name = clipped(&row.name, GROUPED_CHARS);
        format!("{name} · group {}", row.rating.group)
    } else {
        row.name.clone()
    };
    Whisker {
        rank: ranked.then(|| match ranks(row) {
            None => "–".to_owned(),
            Some((best, worst)) if best == worst => best.to_string(),
            Some((best, worst)) => format!("{best}–{worst}"),
        }),
        words: without_exception(row),
        ..Whisker::new(name, interval(row), row.small).because(row.rating.reason.as_deref())
    }
}

/// What a chart says of a row without a strength because it won or lost without exception.
fn without_exception(row: &StrengthRow) -> Option<&'static str> {
    let rating = &row.rating;
    match (rating.elo, rating.wins, rating.draws, rating.losses) {
        (None, 1.., 0, 0) => Some("won all"),
        (None, 0, 0, 1..) => Some("lost all"),
        _ => None,
    }
}

fn ranks(row: &StrengthRow) -> Option<(usize, usize)> {
    row.rating.rank_best.zip(row.rating.rank_worst).filter(|_| !row.small)
}

/// What was not compared, and what draws count.
fn not_compared(board: &StrengthBoard) -> Vec<String> {
    let left_out = board.left_out.iter().map(|(reason, n)| {
        let debates = count(*n, "debate");
        format!("{debates} not compared: {reason}.")
    });
    let own = (board.against_itself > 0).then(|| {
        let debates = count(board.against_itself, "debate");
        format!(
            "{debates} of one model against itself: shown in no row, counted for order and side."
        )
    });
    let draws = (board.draws > 0).then(|| {
        let draws = count(board.draws, "draw");
        let turned = text::told_if(board.draws_turned > 0, || {
            let n = board.draws_turned;
            format!(
                " In {n}, a judge put one side ahead in one order and the other side in the other."
            )
        });
        format!("{draws}; each counts as half a win for both.{turned}")
    });
    left_out.chain(own).chain(draws).collect()
}

fn points<'f>(source: &mut Source<'f>, board: &'f PointsBoard) -> Figure {
    // A debate has one X, and several debaters of a team may be on one model.
    let (side, each) = match &*board.side {
        "x" => ("X", "debate"),
        _ => ("debaters", "debater"),
    };
    let title = format!("Points by model as {side} in knockouts");
    let columns = format!("model|#total points|±points per {each}|#{side}|#topics|#debates");
    let mut figure = Figure::new(&title, &columns);
    for row in &board.rows {
        let cells = cells![
            &row.name,
            Cell::number(Some(row.total), Unit::Points, None),
            Cell::estimate(&row.mean, Unit::Points),
            row.mean.n,
            row.mean.clusters,
            source.debates(&row.debates, &format!("{title}: {}", row.name)),
        ];
        figure.drawn(Whisker::from_estimate(&row.name, &row.mean), cells);
    }
    if board.rows.len() < 2 {
        return figure;
    }
    let caption = format!(
        "Points per {each}, whatever the topics, positions and opponents, {{intervals}}, over debates that did not fail, in which all spoke for themselves and no audience's ballot counted. The order is that of the means, which shows nobody to be stronger."
    );
    source.whiskers(figure, points_axis(&board.side), &caption)
}

/// Debaters' points are on the scale of the ballots; X's, which count knockouts, have no most.
fn points_axis(side: &str) -> Axis {
    let axis = Axis::new(Unit::Points);
    let mut profiles = AnyFormat::all().map(|format| format.profile);
    let scale = profiles.find_map(|it| it.ballot_scale.filter(|_| it.rotates && side != "x"));
    match scale {
        Some((low, high)) => axis.between(low.into(), high.into()),
        None => axis,
    }
}
