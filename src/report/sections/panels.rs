//! Panels and their judges: results, and the effects of order, chance and family on readings.

use super::{
    Axis, Cell, Figure, Rounding, Section, Source, Unit, Whisker, cells, judge_pairs, small,
};
use crate::stats::findings::{PanelCompared, PanelRow};

/// The section; `None` if no panel judged a debate.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let panels = &source.findings.panels;
    let mut figures = vec![verdicts(source, panels)?];
    for panel in panels {
        figures.push(order(source, panel));
        figures.push(flips(source, panel));
        figures.push(kin(source, panel));
        figures.extend(alike(source, panel));
    }
    let intro = "Models that took no part in the debates read them afterwards. A flip is two readings that disagree on the side ahead; only flips in opposite orders beyond those in the same order (the excess) are due to the order. A recused judge reads a debate without a vote, as of a side from its own family; there, self-preference compares it with the judges who vote.";
    Some(Section::new("panels", "Judges and panels", intro, figures, ""))
}

fn verdicts<'f>(source: &mut Source<'f>, panels: &'f [PanelRow]) -> Option<Figure> {
    let columns = "panel|compared|#decided|#drawn|#no quorum|±same winner as the debate's own|#n|±alpha of votes|±same vote|#debates";
    let mut figure = Figure::new("Verdicts of panels", columns);
    for panel in panels {
        let found = &panel.agreement;
        let cells = cells![
            &panel.panel,
            compared(panel),
            panel.won,
            panel.drawn,
            panel.no_quorum,
            Cell::estimate(&panel.like_own, Unit::Share),
            panel.like_own.n,
            Cell::alpha(found),
            Cell::estimate(&found.exact, Unit::Share),
            source.debates(&panel.debates, &format!("judged by {}", named(panel))),
        ];
        figure.row(small(&panel.like_own), cells);
    }
    figure.filled()
}

/// What it compared, in words.
fn compared(panel: &PanelRow) -> &'static str {
    match panel.compared {
        PanelCompared::Sides => "two sides",
        PanelCompared::FirstAndFinal => "first and final answer",
        PanelCompared::DebateAndAlone => "a debate's answer and one of a model alone",
    }
}

/// A panel with what it compared, by which its figures differ.
fn named(panel: &PanelRow) -> String {
    format!("{} ({})", panel.panel, compared(panel))
}

fn order<'f>(source: &mut Source<'f>, panel: &'f PanelRow) -> Figure {
    let columns = "judge|±worth of being put first|±first put ahead|#p|±worth of the criterion put first|#debates";
    let title = format!("Order effects in the readings of {}", named(panel));
    let mut figure = Figure::new(&title, columns);
    for judge in &panel.judges {
        let reason = judge.first_slot_reason.as_deref();
        let what = format!("{}: read by {}", named(panel), judge.judge);
        let cells = cells![
            &judge.judge,
            Cell::estimate(&judge.slot_effect, Unit::Score),
            Cell::estimate(&judge.first_slot, Unit::Share),
            Cell::number(judge.first_slot_p, Rounding::PValue, reason),
            Cell::estimate(&judge.criterion_order, Unit::Score),
            source.debates(&judge.debates, &what),
        ];
        let whisker = Whisker::from_estimate(&judge.judge, &judge.slot_effect);
        figure.drawn(whisker, cells);
    }
    let caption = "The value of being put first, in points of the total, {intervals}.";
    source.whiskers(figure, Axis::around(0.0, Unit::Score), caption)
}

/// How often each judge's readings disagree: in opposite orders, and in the same one.
fn flips<'f>(source: &mut Source<'f>, panel: &'f PanelRow) -> Figure {
    let columns = "judge|±flips|#n|±flips by chance|#n|±excess (points)|#n";
    let title = format!("Flips in the readings of {}", named(panel));
    let mut figure = Figure::new(&title, columns);
    for judge in &panel.judges {
        let cells = cells![
            &judge.judge,
            Cell::estimate(&judge.flips, Unit::Share),
            judge.flips.n,
            Cell::estimate(&judge.repeat_flips, Unit::Share),
            judge.repeat_flips.n,
            Cell::estimate(&judge.excess, Rounding::Points),
            judge.excess.n,
        ];
        figure.row(small(&judge.flips), cells);
        let name = &judge.judge;
        figure.whiskers.extend([
            Whisker::from_estimate(format!("{name} · opposite orders"), &judge.flips),
            Whisker::from_estimate(format!("{name} · same order"), &judge.repeat_flips),
        ]);
    }
    let caption = "How often two readings disagree on the side ahead, {intervals}: in opposite orders, and in the same order, by chance. Behind each, n is the number of debates that it rests on.";
    source.whiskers(figure, Axis::new(Unit::Share).between(0.0, 1.0), caption)
}

fn kin<'f>(source: &mut Source<'f>, panel: &'f PanelRow) -> Figure {
    let columns = "judge|#may vote|#recused|#valid|#invalid|#missing|±self-preference|#debates";
    let title = format!("Seats and families on {}", named(panel));
    let mut figure = Figure::new(&title, columns);
    for judge in &panel.judges {
        let judgments = judge.judgments;
        let what = format!("{}: seat of {}", named(panel), judge.judge);
        let cells = cells![
            &judge.judge,
            judge.voting,
            judge.recused,
            judgments.valid,
            judgments.invalid,
            judgments.abstained,
            Cell::estimate(&judge.self_preference, Unit::Score),
            source.debates(&judge.debates, &what),
        ];
        figure.row(false, cells);
    }
    figure
}

/// How often two judges voted alike, where there are two.
fn alike(source: &mut Source<'_>, panel: &PanelRow) -> Option<Figure> {
    let title = format!("Equal votes on {}", named(panel));
    judge_pairs::figure(source, &title, &panel.pairs.iter().collect::<Vec<_>>())
}
