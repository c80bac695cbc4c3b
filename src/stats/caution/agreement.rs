//! That judges agree too little, or that it is unknown whether they agree.

use std::collections::BTreeSet;

use crate::stats::counted_debates::View;
use crate::stats::findings::{AgreementRow, Judges, OrderBias, Rated, Unit};
use crate::stats::number::{estimated, shown};
use crate::text::{count, first_of, joined};

/// So many judges are named.
const NAMED: usize = 3;
/// Krippendorff's own line: below it, no conclusions.
const LOW_ALPHA: f64 = 0.667;

/// What to say of each format's judges.
pub(super) fn cautions(judges: &Judges, view: &View<'_>) -> Vec<String> {
    let totals = judges.agreement.iter().filter(|row| row.what == Rated::Total);
    let (alone, shared): (Vec<_>, Vec<_>) = totals.partition(|row| row.agreement.units == 0);
    let low = shared.into_iter().filter_map(|row| low_agreement(row, judges));
    let (one, others): (Vec<&str>, Vec<&str>) =
        alone.iter().map(|row| &*row.format).partition(|format| had_one_judge(view, format));
    let told = low.chain(one_judge(&one, judges));
    told.chain(none_shared(&others)).collect()
}

/// What verdicts rest on: scores, how far one side is above the other, and who is ahead.
const RESTED_ON: [(Rated, &str); 3] = [
    (Rated::Total, "for total scores"),
    (Rated::WithinDebate, "for totals within debates"),
    (Rated::Winner, "for the side ahead"),
];

/// What it means that totals agree and decisions don't.
const LEVEL: &str =
    " That totals agree better shows only that debates differ in level, on which no verdict rests.";

/// That judges agree too little in what verdicts rest on, in whichever of it that is.
fn low_agreement(row: &AgreementRow, judges: &Judges) -> Option<String> {
    let format = &row.format;
    let found = RESTED_ON.map(|(what, words)| {
        let mut own = judges.agreement.iter().filter(|it| it.format == *format);
        own.find(|it| it.what == what).map(|row| (row, words))
    });
    let found = || found.iter().flatten();
    let [by_chance, low] = [is_by_chance, is_low].map(|is| found().any(|(row, _)| is(row)));
    if !low && !by_chance {
        return None;
    }
    let how = if by_chance { ", and are not shown to agree beyond chance" } else { "" };
    let alphas = found().filter_map(|(row, words)| Some(format!("{} {words}", alpha(row)?)));
    let [about, level] = if is_low(row) { [""; 2] } else { [" on who is better", LEVEL] };
    let orders = both_orders(format, judges).unwrap_or_default();
    Some(format!(
        "Judges of {format} debates agree too little{about} even for tentative conclusions{how}: Krippendorff's alpha is {}, where 1 is agreement, 0 is chance and {LOW_ALPHA} the minimum.{level}{orders} As far as verdicts are as noisy as that, differences in strength look smaller, on any number of topics; noisy scores widen intervals. So a lack of shown differences does not mean that models are equal.",
        joined(alphas, "and")
    ))
}

/// Whether the whole interval is below what conclusions take. Who is ahead is less than by how much, so that judges whose margins
/// agree well enough may differ in it where sides are nearly even: of that, agreement must be no more than chance.
fn is_low(row: &AgreementRow) -> bool {
    let is_below = row.agreement.high.is_some_and(|high| high < LOW_ALPHA);
    is_below && (row.what != Rated::Winner || is_by_chance(row))
}

fn is_by_chance(row: &AgreementRow) -> bool {
    let found = &row.agreement;
    found.high.is_some_and(|high| high < LOW_ALPHA) && found.low.is_some_and(|low| low <= 0.0)
}

fn alpha(row: &AgreementRow) -> Option<String> {
    let found = &row.agreement;
    Some(shown(Unit::Alpha, found.alpha?, found.low, found.high))
}

/// How often a judge came to the same decision in both reading orders; of judges who are like coins, that is said already.
fn both_orders(format: &str, judges: &Judges) -> Option<String> {
    let rows = || judges.order.iter().filter(|row| row.format == format);
    let all = rows().find(|row| row.judge.is_none())?;
    if rows().any(OrderBias::is_like_coins) {
        return None;
    }
    let same = estimated(Unit::Share, &all.consistent)?;
    let pairs = count(all.consistent.n as u64, "pair");
    Some(format!(
        " A judge came to the same decision in both reading orders in {same} of {pairs} of readings; two tosses of a coin agree in 50%."
    ))
}

/// Whether each debate of a format that was judged had one judge.
fn had_one_judge(view: &View<'_>, format: &str) -> bool {
    let mut debates = view.of_format(format);
    debates.all(|(_, facts)| {
        let judges: BTreeSet<&str> = facts.readings.iter().map(|it| &*it.judge).collect();
        judges.len() < 2
    })
}

/// That nobody knows whether another judge would agree.
fn one_judge(formats: &[&str], judges: &Judges) -> Option<String> {
    let rows = judges.rows.iter().filter(|row| formats.contains(&&*row.format));
    let names: BTreeSet<&str> = rows.map(|row| &*row.judge).collect();
    (!formats.is_empty()).then(|| {
        format!(
            "In {} debates, each was judged by one judge only ({}), so it is unknown whether another would agree. Add judges to the job, or let a panel read the debates (`rebut judge`).",
            joined(formats, "and"),
            first_of(names.into_iter(), NAMED)
        )
    })
}

fn none_shared(formats: &[&str]) -> Option<String> {
    let all = joined(formats, "and");
    (!formats.is_empty()).then(|| {
        format!("In {all} debates, no two valid judgments have the same subject, so agreement is unknown.")
    })
}
