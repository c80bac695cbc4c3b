//! Effects of speaking first, being listed first and being named first.

use crate::stats::findings::{Coincidence, StrengthBoard};
use crate::text::{joined, told_if};

use super::{Axis, Cell, Figure, Rounding, Section, Source, Unit, Whisker, cells, or_all};

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let figures = [advantages(source), positions(source), reading_order(source)];
    let intro = "Advantages that have nothing to do with the arguments. If an interval excludes the line, compare only debates in which everyone took both places. A caveat names an effect only if its p, after Holm's correction for all such effects of the report, is below 0.5%.";
    let empty = "No debate between two contestants was judged.";
    let figures = figures.into_iter().flatten();
    Section::new("order", "Order and side", intro, figures, empty)
}

/// The place of whoever speaks first, with what went with it, where its effect is known.
fn first_place(board: &StrengthBoard) -> String {
    let known = board.first_speakers.iter().filter(|_| board.order.low.is_some());
    let others = joined(known.map(Coincidence::told), "and");
    format!("speaking first{}", told_if(!others.is_empty(), || format!("; whoever did {others}")))
}

/// How often positions won, whoever argued for them.
fn positions(source: &mut Source<'_>) -> Option<Figure> {
    let columns = "position|against|±won|#n|#topics|#debates";
    let mut figure = Figure::new("How often a position won", columns);
    for row in source.findings.leaderboards.strengths.iter().flat_map(|board| &board.positions) {
        let debates = format!("{} against {}", row.position, row.against);
        let cells = cells![
            &row.position,
            &row.against,
            Cell::estimate(&row.won, Unit::Share),
            row.won.n,
            row.won.clusters,
            source.debates(&row.debates, &debates),
        ];
        figure.drawn(Whisker::from_estimate(&row.position, &row.won), cells);
    }
    let caption = "The share of compared debates that a position won against another that it met on several topics, whoever argued for it; a draw counts half, and one half is even.";
    let axis = Axis::around(0.5, Unit::Share).between(0.0, 1.0);
    Some(source.whiskers(figure.filled()?, axis, caption))
}

fn advantages(source: &mut Source<'_>) -> Option<Figure> {
    let columns = "place|±effect, in log-odds|#expected score of an equal|#p|#compared debates";
    let mut figure = Figure::new("The effect of a place on debaters", columns);
    let boards = source.findings.leaderboards.strengths.iter();
    for board in boards.filter(|board| board.comparisons + board.against_itself > 0) {
        let listed = "being listed first".to_owned();
        for (place, effect) in [(first_place(board), &board.order), (listed, &board.side)] {
            let why = effect.reason.as_deref();
            let interval = [effect.value, effect.low, effect.high];
            let cells = cells![
                &place,
                Cell::interval(interval, Unit::Logits, why),
                Cell::number(effect.expected_score, Rounding::Decimals(3), why),
                Cell::number(effect.p, Rounding::PValue, why),
                board.fitted,
            ];
            figure.drawn(Whisker::new(place, interval, false).because(why), cells);
        }
    }
    let caption = "The effect of a place on the log-odds of winning, {intervals}: 0 is no effect, 0.4 makes an even chance of winning one of 60%, 1 one of 73%.";
    let axis = Axis::around(0.0, Unit::Logits);
    Some(source.whiskers(figure.filled()?, axis, caption))
}

fn reading_order(source: &mut Source<'_>) -> Option<Figure> {
    let columns =
        "judge|format|±first named wins|#n|±worth in points|±both orders agree|#pairs|#debates";
    let mut figure = Figure::new("The effect of being named first on judges", columns);
    let mut effects = Vec::new();
    for row in &source.findings.judges.order {
        let judge = or_all(row.judge.as_deref());
        let debates = format!("{}: order of naming, {judge}", row.format);
        let cells = cells![
            judge,
            &row.format,
            Cell::estimate(&row.first_slot, Unit::Share),
            row.first_slot.n,
            Cell::estimate(&row.slot_effect, Unit::Score),
            Cell::estimate(&row.consistent, Unit::Share),
            row.consistent.n,
            source.debates(&row.debates, &debates),
        ];
        let name = format!("{judge} · {}", row.format);
        effects.push(Whisker::from_estimate(name.clone(), &row.slot_effect));
        figure.drawn(Whisker::from_estimate(name, &row.first_slot), cells);
    }
    let axis = Axis::around(0.5, Unit::Share).between(0.0, 1.0);
    let caption = "The share of decided judgments in which the contestant named first has the higher total: one half is no bias. Beside it, what being named first is worth in points of the total, where judges read in both orders: 0 is no effect.";
    let figure = source.whiskers(figure.filled()?, axis, caption);
    let axis = Axis::around(0.0, Unit::Score);
    let titles =
        ["How often the contestant named first wins", "What being named first is worth, in points"];
    Some(source.another(figure, titles, &effects, axis))
}
