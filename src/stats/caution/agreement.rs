//! That judges agree too little, or that it is unknown whether they agree.

use std::collections::BTreeSet;

use crate::facts::Kind;
use crate::stats::counted_debates::View;
use crate::stats::findings::{AgreementRow, JudgeRow, Judges, OrderBias, Rated, Unit};
use crate::stats::group::judge_of;
use crate::stats::number::{estimated, shown};
use crate::text::{count, first_of, joined};

/// So many judges are named.
const NAMED: usize = 3;
/// Krippendorff's own line: below it, no conclusions.
const LOW_ALPHA: f64 = 0.667;

/// What to say of each format's judges, of rounds and of whole debates.
pub(super) fn cautions(judges: &Judges, view: &View<'_>) -> Vec<String> {
    let same = |a: &AgreementRow, b: &AgreementRow| (&a.format, a.kind) == (&b.format, b.kind);
    let each = judges.agreement.chunk_by(same);
    let is_shared = |own: &&[AgreementRow]| own.iter().any(|row| row.agreement.units > 0);
    let (shared, alone): (Vec<_>, Vec<_>) = each.partition(is_shared);
    let low = shared.into_iter().filter_map(|own| low_agreement(own, judges));
    let alone = alone.iter().map(|own| &own[0]);
    let (one, others): (Vec<_>, Vec<_>) = alone.partition(|row| had_one_judge(view, row));
    low.chain(one_judge(&one, judges)).chain(none_shared(&others)).collect()
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
fn low_agreement(own: &[AgreementRow], judges: &Judges) -> Option<String> {
    let row = &own[0];
    let found = || {
        let rested_on = RESTED_ON.into_iter();
        rested_on.filter_map(|(what, words)| Some((own.iter().find(|it| it.what == what)?, words)))
    };
    let [by_chance, low] = [is_by_chance, is_low].map(|is| found().any(|(row, _)| is(row)));
    if !low && !by_chance {
        return None;
    }
    let how = if by_chance { ", and are not shown to agree beyond chance" } else { "" };
    let alphas = found().filter_map(|(row, words)| Some(format!("{} {words}", alpha(row)?)));
    let [about, level] = if is_low(row) { [""; 2] } else { [" on who is better", LEVEL] };
    let orders = both_orders(row, judges).unwrap_or_default();
    Some(format!(
        "Judges of {} {} agree too little{about} even for tentative conclusions{how}: Krippendorff's alpha is {}, where 1 is agreement, 0 is chance and {LOW_ALPHA} the minimum.{level}{orders} As far as verdicts are as noisy as that, differences in strength look smaller, on any number of topics; noisy scores widen intervals. So a lack of shown differences does not mean that models are equal.",
        row.format,
        row.kind.judged(),
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

/// How often a judge came to the same decision in both orders; of judges who are like coins, that is said already.
fn both_orders(of: &AgreementRow, judges: &Judges) -> Option<String> {
    let own = |row: &&OrderBias| row.format == of.format && of.kind == Kind::Verdict;
    let rows = || judges.order.iter().filter(own);
    let all = rows().find(|row| row.judge.is_none())?;
    if rows().any(OrderBias::is_like_coins) {
        return None;
    }
    let same = estimated(Unit::Share, &all.consistent)?;
    let pairs = count(all.consistent.n, "pair");
    Some(format!(
        " A judge came to the same decision in both orders in {same} of {pairs} of readings; two tosses of a coin agree in 50%."
    ))
}

/// Whether each debate of a format that was judged had judges of one model.
fn had_one_judge(view: &View<'_>, row: &AgreementRow) -> bool {
    let mut debates = view.of_format(&row.format);
    debates.all(|(_, facts)| {
        let own = facts.readings.iter().filter(|it| it.kind == row.kind);
        facts.first_of_models(own.map(|it| (judge_of(it), ()))).count() < 2
    })
}

/// That nobody knows whether another judge would agree.
fn one_judge(rows: &[&AgreementRow], judges: &Judges) -> Option<String> {
    let all = debates(rows)?;
    let own = |judge: &&JudgeRow| {
        rows.iter().any(|row| (&row.format, row.kind) == (&judge.format, judge.kind))
    };
    let names: BTreeSet<&str> = judges.rows.iter().filter(own).map(|row| &*row.judge).collect();
    Some(format!(
        "In {all}, each was judged by one model only ({}), so it is unknown whether another would agree. Add judges on others to the job, or let a panel read the debates (`rebut judge`).",
        first_of(names.into_iter(), NAMED)
    ))
}

fn none_shared(rows: &[&AgreementRow]) -> Option<String> {
    let all = debates(rows)?;
    let (judgment, others) = if rows.iter().all(|row| row.kind == Kind::Ballot) {
        ("ballot", "voters")
    } else {
        ("judgment", "judges")
    };
    Some(format!(
        "In {all}, each had one valid {judgment} at most, so it is unknown whether other {others} would agree."
    ))
}

/// `duel and moderated debates and in knockout rounds`.
fn debates(rows: &[&AgreementRow]) -> Option<String> {
    let of = |kind: Kind| {
        let own = rows.iter().filter(|row| row.kind == kind);
        let formats: Vec<&str> = own.map(|row| &*row.format).collect();
        (!formats.is_empty()).then(|| format!("{} {}", joined(formats, "and"), kind.judged()))
    };
    let all: Vec<String> = [Kind::Verdict, Kind::Ballot].into_iter().filter_map(of).collect();
    (!all.is_empty()).then(|| joined(all, "and in"))
}
