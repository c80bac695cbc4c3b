//! What may be held against judges: what they read first, their own family, length (row S4).

use super::claim::Claim;
use super::findings::{JudgeRow, Judges, OrderBias, PanelRow, Slope, Unit};
use super::number::shown;
use statistics::estimate::Estimate;

/// Every effect that is looked for, of each judge.
pub(super) fn all(judges: &Judges) -> impl Iterator<Item = Claim> {
    let order = each(&judges.order, |row| (&row.format, row.judge.as_deref()));
    let length = each(&judges.verbosity, |row| (&row.format, row.judge.as_deref()));
    let order = order.into_iter().filter_map(reading_order);
    let family = judges.rows.iter().filter_map(own_family);
    order
        .chain(family)
        .chain(length.into_iter().filter_map(length_preference))
}

/// What may be held against the judges of panels: the slot that is read first, the criterion that is asked for first, their family.
pub(super) fn of_panels(panels: &[PanelRow]) -> impl Iterator<Item = Claim> {
    let judges = panels
        .iter()
        .flat_map(|panel| panel.judges.iter().map(move |judge| (panel, judge)));
    judges.flat_map(|(panel, judge)| {
        let who = format!("{} on the panel {}", judge.judge, panel.panel);
        let claims = [
            gain(&judge.slot_effect, |by| slot(&who, by)),
            gain(&judge.criterion_order, |by| criterion(&who, by)),
            gain(&judge.self_preference, |by| kin(&who, by)),
        ];
        claims.into_iter().flatten()
    })
}

/// What is told of a gain that may be none, in points.
fn gain(found: &Estimate, sentence: impl Fn(Gain) -> String) -> Option<Claim> {
    let value = found.value?;
    let (low, high) = match value < 0.0 {
        true => (found.high.map(|high| -high), found.low.map(|low| -low)),
        false => (found.low, found.high),
    };
    Some(Claim {
        p: found.p_of(0.0)?,
        sentence: sentence(Gain {
            is_positive: value > 0.0,
            points: shown(Unit::Score, value.abs(), low, high),
        }),
    })
}

/// A gain as it is told.
struct Gain {
    is_positive: bool,
    points: String,
}

fn slot(who: &str, by: Gain) -> String {
    let slot = if by.is_positive { "first" } else { "second" };
    format!(
        "{who} prefers the side in the {slot} slot by {} points; it reads in both orders, so that votes are ties where that decides.",
        by.points
    )
}

fn criterion(who: &str, by: Gain) -> String {
    let more = if by.is_positive { "more" } else { "less" };
    format!(
        "{who} gives the criterion that it is asked for first {} points {more} than the others.",
        by.points
    )
}

fn kin(who: &str, by: Gain) -> String {
    let more = if by.is_positive { "above" } else { "below" };
    format!(
        "{who} puts its own family {} points {more} what the voting judges give; it has no vote there.",
        by.points
    )
}

/// The rows of single judges; of formats with one judge, that of all together.
fn each<R>(rows: &[R], of: impl Fn(&R) -> (&String, Option<&str>)) -> Vec<&R> {
    let has_judges = |format: &String| {
        rows.iter()
            .any(|row| of(row).0 == format && of(row).1.is_some())
    };
    let wanted = |row: &&R| of(row).1.is_some() || !has_judges(of(row).0);
    rows.iter().filter(wanted).collect()
}

/// `gemma-2 as a judge of duel debates favours`, `Judges of duel debates favour`.
fn who(judge: Option<&str>, format: &str, verb: &str) -> String {
    match judge {
        Some(judge) => format!("{judge} as a judge of {format} debates {verb}s"),
        None => format!("Judges of {format} debates {verb}"),
    }
}

fn reading_order(row: &OrderBias) -> Option<Claim> {
    let e = &row.first_slot;
    let share = shown(Unit::Share, e.value?, e.low, e.high);
    let who = who(row.judge.as_deref(), &row.format, "favour");
    let reads = if row.judge.is_some() {
        "it reads"
    } else {
        "they read"
    };
    Some(Claim {
        p: p_of_half(e)?,
        sentence: format!("{who} whoever {reads} first in {share} of cases; half would be fair."),
    })
}

/// The p of a share being one half. Where all cases are alike, topics count as if each were one toss of a coin.
fn p_of_half(share: &Estimate) -> Option<f64> {
    match share.se {
        Some(_) => share.p_of(0.5),
        None if share
            .value
            .is_some_and(|share| share == 0.0 || share == 1.0) =>
        {
            Some((2.0_f64.powi(1 - share.clusters.min(1_000) as i32)).min(1.0))
        }
        None => None,
    }
}

fn own_family(row: &JudgeRow) -> Option<Claim> {
    let e = &row.self_preference;
    let by = shown(Unit::Score, e.value.filter(|by| *by > 0.0)?, e.low, e.high);
    Some(Claim {
        p: e.p_of(0.0)?,
        sentence: format!(
            "{} as a judge of {} debates prefers its own family by {by}.",
            row.judge, row.format
        ),
    })
}

/// By how much the total grows where a text is twice as long.
fn length_preference(row: &Slope) -> Option<Claim> {
    let e = &row.slope;
    let double = |slope: f64| slope.abs() * std::f64::consts::LN_2;
    let value = e.value?;
    let (low, high) = if value > 0.0 {
        (e.low, e.high)
    } else {
        (e.high, e.low)
    };
    let signed = |end: f64| end * value.signum() * std::f64::consts::LN_2;
    let by = shown(
        Unit::Score,
        double(value),
        low.map(signed),
        high.map(signed),
    );
    let than = if value > 0.0 { "higher" } else { "lower" };
    let who = who(row.judge.as_deref(), &row.format, "score");
    Some(Claim {
        p: e.p_of(0.0)?,
        sentence: format!(
            "{who} a text of twice the length {by} {than}: length may stand in for quality."
        ),
    })
}
