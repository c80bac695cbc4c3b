//! Who beats whom: a heat map of the shares won.

use super::{
    Cell, Figure, Heat, HeatCell, Rounding, SMALL, Section, Source, Unit, cells, count, number,
};
use crate::stats::findings::{Exchange, Match, StrengthBoard};
use crate::text::{if_any, separated};

/// Rows in a map; the table has all.
const DRAWN: usize = 24;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let boards = source.findings.leaderboards.strengths.iter();
    let met = boards.filter(|board| board.matches.iter().flatten().any(|m| m.n > 0));
    let mut figures = Vec::new();
    for board in met {
        figures.push(figure(source, board));
        figures.extend(swapped(source, board));
    }
    let intro = "The win rate of the row against the column: draws count half. If two contestants swapped positions or turns on a topic, the pair of debates shows whether one of them won both or the same position or turn did. By chance each wins once in up to half of pairs.";
    let empty = "No two different models met in a debate that can be compared.";
    Section::new("wins", "Who beats whom", intro, figures, empty).long()
}

fn figure<'f>(source: &mut Source<'f>, board: &'f StrengthBoard) -> Figure {
    let (title, columns) = ("Win rate by model", "model|against|±win rate|#debates");
    let mut figure = Figure::new(title, columns);
    for (row, matches) in board.rows.iter().zip(&board.matches) {
        for (other, m) in board.rows.iter().zip(matches).filter(|(_, m)| m.n > 0) {
            let debates = format!("{} against {}", row.name, other.name);
            let interval = [m.score, m.low, m.high];
            let cells = cells![
                &row.name,
                &other.name,
                Cell::interval(interval, Unit::Share, m.reason.as_deref()),
                source.debates(&m.debates, &debates),
            ];
            figure.row(m.n < SMALL, cells);
        }
    }
    let desc = "A matrix in the order of strength; the numbers are in the table below.";
    let chart = source.heat(title, desc, &map(board));
    let caption =
        "In the order of strength: rows against columns, which have the numbers of the rows.";
    figure.charted(chart, caption).with_keys([
        ("level-d0", "loses"),
        ("level-d4", "even"),
        ("level-d8", "wins"),
        ("hatched", "n under 10: only a hint"),
    ])
}

/// What came of pairs of debates between which two exchange positions or turns.
fn swapped<'f>(source: &mut Source<'f>, board: &'f StrengthBoard) -> Option<Figure> {
    let title = "Sides swapped";
    let columns = "first|second|swapped|#first won both|#each won once|#each once by chance|#second won both|#with a draw|#debates";
    let mut figure = Figure::new(title, columns);
    for pair in &board.swapped {
        let what = what(pair.swapped);
        let debates = format!("{} and {} with {what} swapped", pair.a, pair.b);
        let cells = cells![
            &pair.a,
            &pair.b,
            what,
            pair.a_won_both,
            pair.split,
            Cell::number(Some(pair.split_by_chance), Rounding::Decimals(1), None),
            pair.b_won_both,
            pair.with_a_draw,
            source.debates(&pair.debates, &debates),
        ];
        figure.row(pair.debates.len() < 2 * SMALL, cells);
    }
    Some(figure.filled()?.finding(split(board)))
}

fn what(swapped: Exchange) -> &'static str {
    match swapped {
        Exchange::Positions => "positions",
        Exchange::Turns => "turns",
        Exchange::Both => "positions and turns",
    }
}

/// How often the position or the turn won twice, and how often it would by chance.
fn split(board: &StrengthBoard) -> Option<String> {
    let all = [
        (Exchange::Positions, "position"),
        (Exchange::Turns, "turn"),
        (Exchange::Both, "position and turn"),
    ];
    let told = all.into_iter().filter_map(|(by, one)| {
        let own = || board.swapped.iter().filter(|pair| pair.swapped == by);
        let split: usize = own().map(|pair| pair.split).sum();
        let by_chance: f64 = own().map(|pair| pair.split_by_chance).sum();
        let debates: usize = own().map(|pair| pair.debates.len()).sum();
        let pairs = count(debates / 2, "pair");
        let by_chance = number(Rounding::Decimals(0), by_chance);
        (debates > 0).then(|| {
            format!("the same {one} won both debates in {split} of {pairs}, by chance in about {by_chance}")
        })
    });
    if_any(separated(told, "; "))
}

fn map(board: &StrengthBoard) -> Heat {
    let rows = (1..).zip(board.rows.iter().take(DRAWN));
    let cell = |m: &Match| m.score.map(|score| HeatCell::share(score, m.n));
    let cells = board.matches.iter().take(DRAWN);
    Heat {
        columns: rows.clone().map(|(n, _)| n.to_string()).collect(),
        rows: rows.map(|(n, row)| format!("{n} {}", row.name)).collect(),
        cells: cells.map(|row| row.iter().take(DRAWN).map(cell).collect()).collect(),
        diverging: true,
    }
}
