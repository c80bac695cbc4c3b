//! Debates' answers on open topics against those of one model alone.

use super::answers::matched;
use super::{Axis, Cell, Figure, Rounding, Section, Source, Unit, Whisker, cells, small};
use crate::stats::NONE_DETECTABLE;
use crate::stats::findings::AgainstAlone;
use crate::stats::verdicts::in_words;

/// The section; `None` if none are compared.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let rows = &source.findings.alone;
    let figures = [preferred(source, rows)?, behind(rows)];
    let intro = "The model that writes a debate's answer also wrote one alone. Both were read without names. Two equal answers would get 50%. Replaced: a fallback model or an emergency reply spoke. Outdated: the debate has changed since. Both are in no other number.";
    let title = "Debates against one model alone";
    Some(Section::new("alone", title, intro, figures, ""))
}

fn preferred<'f>(source: &mut Source<'f>, rows: &'f [AgainstAlone]) -> Option<Figure> {
    let columns = "verdicts|±debate's answer ahead|#better|#even|#worse|#p (Holm)|!detectable (points)|#comparisons";
    let mut figure = source.table("How often the debate's answer is better", columns);
    for row in rows {
        let found = &row.found;
        let why = found.estimate.reason.as_deref();
        let cells = cells![
            &in_words(&row.verdicts),
            Cell::estimate(&row.preferred, Unit::Share),
            row.better,
            row.even,
            row.worse,
            Cell::number(found.p_adjusted, Rounding::PValue, why),
            Cell::number(found.detectable, Rounding::Points, why.or(Some(NONE_DETECTABLE))),
            source.debates(&row.debates, &format!("compared for {}", row.verdicts)),
        ];
        figure.drawn(Whisker::from_estimate(in_words(&row.verdicts), &row.preferred), cells);
    }
    let axis = Axis::around(0.5, Unit::Share).between(0.0, 1.0);
    let caption = "The share of comparisons with the debate's answer ahead, a tie counting half, {intervals}.";
    Some(source.whiskers(figure.filled()?, axis, caption))
}

/// What the comparisons rest on, and what is not in them.
fn behind(rows: &[AgainstAlone]) -> Figure {
    let columns = "verdicts|±words, debate|±words, alone|tokens matched|#no verdict|#replaced|#outdated|#topics";
    let mut figure = Figure::new("What these comparisons rest on", columns);
    for row in rows {
        let cells = cells![
            &in_words(&row.verdicts),
            Cell::estimate(&row.words, Unit::Count),
            Cell::estimate(&row.words_alone, Unit::Count),
            matched(Some(row.matched)),
            row.undecided,
            row.replaced,
            row.stale,
            row.preferred.clusters,
        ];
        figure.row(small(&row.preferred), cells);
    }
    figure
}
