//! Panels and their judges: results, and the effects of order, chance and family on readings.

use std::collections::BTreeSet;

use super::{Cell, Figure, Heat, HeatCell, Rounding, Section, Source, Unit, cells, number, small};
use crate::stats::findings::PanelRow;

/// The section; `None` if no panel judged a debate.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let panels = &source.findings.panels;
    let mut figures = vec![verdicts(source, panels)?];
    for panel in panels {
        figures.push(order(source, panel));
        figures.push(kin(source, panel));
        figures.extend(alike(source, panel));
    }
    let intro = "Models that took no part in the debates read them afterwards. A flip is two readings that disagree on the side ahead; only flips in opposite orders beyond those in the same order are due to the order.";
    let section = Section::new("panels", "Judges and panels", intro, figures, "");
    Some(section)
}

fn verdicts<'f>(source: &mut Source<'f>, panels: &'f [PanelRow]) -> Option<Figure> {
    let columns = "panel|#won|#drawn|#no quorum|±same winner as the debate's own|±alpha of votes|±same vote|#debates";
    let mut figure = Figure::new("Verdicts of panels", columns);
    for panel in panels {
        let found = &panel.agreement;
        let cells = cells![
            &panel.panel,
            panel.won,
            panel.drawn,
            panel.no_quorum,
            Cell::estimate(&panel.like_own, Unit::Share),
            Cell::alpha(found),
            Cell::estimate(&found.exact, Unit::Share),
            source.debates(&panel.debates, &format!("judged by {}", panel.panel)),
        ];
        figure.row(small(&panel.like_own), cells);
    }
    figure.filled()
}

fn order<'f>(source: &mut Source<'f>, panel: &'f PanelRow) -> Figure {
    let columns = "judge|±slot effect|±first slot ahead|±p|±flips|±flips by chance|±excess|±first criterion|#debates";
    let title = format!("Order effects in the readings of {}", panel.panel);
    let mut figure = Figure::new(&title, columns);
    for judge in &panel.judges {
        let reason = judge.first_slot_reason.as_deref();
        let cells = cells![
            &judge.judge,
            Cell::estimate(&judge.slot_effect, Unit::Score),
            Cell::estimate(&judge.first_slot, Unit::Share),
            Cell::number(judge.first_slot_p, Rounding::PValue, reason),
            Cell::estimate(&judge.flips, Unit::Share),
            Cell::estimate(&judge.repeat_flips, Unit::Share),
            Cell::estimate(&judge.excess, Unit::Share),
            Cell::estimate(&judge.criterion_order, Unit::Score),
            source.debates(
                &judge.debates,
                &format!("{}: read by {}", panel.panel, judge.judge)
            ),
        ];
        figure.row(small(&judge.slot_effect), cells);
    }
    figure
}

fn kin<'f>(source: &mut Source<'f>, panel: &'f PanelRow) -> Figure {
    let columns = "judge|#may vote|#recused|#valid|#invalid|#missing|±self-preference|#debates";
    let title = format!("Seats and families on {}", panel.panel);
    let mut figure = Figure::new(&title, columns);
    for judge in &panel.judges {
        let judgments = judge.judgments;
        let cells = cells![
            &judge.judge,
            judge.voting,
            judge.recused,
            judgments.valid,
            judgments.invalid,
            judgments.abstained,
            Cell::estimate(&judge.self_preference, Unit::Score),
            source.debates(
                &judge.debates,
                &format!("{}: seat of {}", panel.panel, judge.judge)
            ),
        ];
        figure.row(false, cells);
    }
    figure
}

/// How often two judges voted alike, where there are two.
fn alike(source: &mut Source<'_>, panel: &PanelRow) -> Option<Figure> {
    let names: BTreeSet<&String> = panel.pairs.iter().flat_map(|pair| &pair.judges).collect();
    let title = format!("Equal votes on {}", panel.panel);
    let mut figure = Figure::new(&title, "judge|other judge|±same vote|#n");
    for pair in &panel.pairs {
        let alike = Cell::estimate(&pair.alike, Unit::Share);
        let [one, other] = &pair.judges;
        figure.row(small(&pair.alike), cells![one, other, alike, pair.alike.n]);
    }
    let cell = |one: &String, other: &String| {
        let mut pairs = panel.pairs.iter();
        let pair = pairs.find(|it| it.judges.contains(one) && it.judges.contains(other));
        let pair = pair.filter(|_| one != other)?;
        let value = pair.alike.value?;
        Some(HeatCell {
            shown: number(Unit::Share, value),
            n: pair.alike.n,
            level: value,
            own: false,
        })
    };
    let row = |one: &&String| names.iter().map(|other| cell(one, other)).collect();
    let heat = Heat {
        cells: names.iter().map(row).collect(),
        rows: names.iter().map(|name| (*name).clone()).collect(),
        columns: names.iter().map(|name| (*name).clone()).collect(),
        diverging: false,
    };
    let desc = "Pairs of judges with the share of debates on which both voted alike; the numbers are in the table below.";
    let chart = source.heat(&title, desc, &heat);
    let caption = "How often two judges gave the same vote.";
    let keys = [
        ("level-s0", "never"),
        ("level-s8", "always"),
        ("hatched", "n under 10"),
    ];
    (!panel.pairs.is_empty()).then(|| figure.charted(chart, caption).with_keys(keys))
}
