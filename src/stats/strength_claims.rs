//! Claims about strengths: who leads, or that nobody is shown to.

use std::collections::BTreeSet;

use super::claim::{VERDICT, demanded, holm_corrected};
use super::confounding;
use super::findings::{Distance, StrengthBoard, StrengthRow, Support, Unit};
use super::number::{Rounding, number, shown};
use super::planned::{Planned, Power};
use crate::text::{count, joined, told_if};
use statistics::bradley_terry::Lead;

/// What every verdict says that finds no difference.
pub(super) const NOBODY: &str = "No model is shown to be stronger";

/// Who won everything or is above all, and who leads those of whom it can be said how far.
pub(super) fn headlines(board: &StrengthBoard) -> Vec<String> {
    if board.rows.is_empty() {
        return confounding::sentence(NOBODY, &board.confounded).into_iter().collect();
    }
    let mut found: Vec<String> = unbeaten(board).chain(above_the_lead(board)).collect();
    let are_others = !found.is_empty() && board.lead().is_some();
    found.extend(strength(board).map(|sentence| {
        if are_others { format!("Among the others: {sentence}") } else { sentence }
    }));
    found
}

/// What could have been seen, and what more topics would show; `None` if all pairs are shown to differ.
pub(super) fn power(board: &StrengthBoard) -> Option<String> {
    let tested = || board.distances.iter().filter(|one| one.found.p.is_some());
    let open = tested().any(|one| !one.clear);
    let power = Power {
        measure: "strength".to_owned(),
        planned: Some(Planned::elo()),
        detectable: tested().filter_map(|one| one.found.detectable).collect(),
        spreads: tested().filter_map(|one| one.found.spread()).collect(),
        is_partial: is_partial(board),
    };
    power.sentence().filter(|_| open)
}

/// Whether something is in the way of testing some pair: too few debates, no common scale, or what else tells the two apart.
fn is_partial(board: &StrengthBoard) -> bool {
    let tested = || board.distances.iter().filter(|one| one.found.p.is_some());
    let is_tested = |a: &str, b: &str| {
        let mut leads = tested().map(|one| [&*one.above, &*one.below]);
        leads.any(|both| both == [a, b] || both == [b, a])
    };
    let rows = board.rows.len();
    let mut confounded = board.confounded.iter();
    tested().count() < rows * rows.saturating_sub(1) / 2
        || confounded.any(|it| !is_tested(&it.a, &it.b))
}

/// Who is above the two of the lead, and on no scale with them.
fn above_the_lead(board: &StrengthBoard) -> Option<String> {
    let lead = board.lead()?;
    let component = board.row(&lead.above)?.rating.component;
    let mut met = board.rows.iter().filter(|row| row.rating.component == component);
    let first = met.find(|row| row.rating.rank_worst == Some(1) && row.name != lead.above)?;
    let is_unbeaten = first.rating.wins == first.rating.games;
    (!is_unbeaten).then(|| {
        let name = &first.name;
        format!("{name} is ahead of all others; by how much cannot be estimated.")
    })
}

fn unbeaten(board: &StrengthBoard) -> impl Iterator<Item = String> {
    let ranked = board.rows.iter().filter(|row| !row.small && row.rating.elo.is_none());
    let unbeaten = ranked.filter(|row| row.rating.games > 0 && row.rating.wins == row.rating.games);
    unbeaten.map(|row| {
        let debates = count(row.rating.games, "debate");
        let topics = count(row.clusters, "topic");
        let name = &row.name;
        let what = match row.rating.rank_worst {
            Some(1) => "how far above the others it is",
            _ => "how strong it is",
        };
        format!("{name} won all of its {debates}, on {topics}: {what} cannot be estimated.")
    })
}

fn strength(board: &StrengthBoard) -> Option<String> {
    match board.lead() {
        Some(lead) if lead.clear => Some(leads(board, lead)),
        Some(lead) => Some(level(board, lead)),
        None => order(board),
    }
}

/// How far the first is ahead, in Elo and as an expected score.
fn leads(board: &StrengthBoard, lead: &Distance) -> String {
    let (above, below) = (&lead.above, &lead.below);
    let (distance, shown) = (distance(lead, board.distances.len()), differing(board));
    match board.distances.len() {
        1 => format!("{above} leads {below} by {distance}."),
        all => format!(
            "{above} leads {below} by {distance}. {shown} of {all} pairs of models {}, Holm-corrected.",
            differ(shown)
        ),
    }
}

/// That nobody is ahead: how many pairs differ, then how far the nearest to it are apart.
fn level(board: &StrengthBoard, lead: &Distance) -> String {
    let (weaker, all) = (weaker(board, lead), board.distances.len());
    let shown = differing(board);
    match (weaker.is_empty() && shown == 0, all) {
        (true, 1) => format!("{NOBODY}: {}.", apart(lead, all)),
        (true, all) if nearest(board).is_none() => format!(
            "{NOBODY}: none of the {all} pairs can be tested. The two at the top: {}.",
            apart(lead, all)
        ),
        (true, all) => format!(
            "{NOBODY}: none of the {all} pairs is shown to differ after Holm's correction. The pair with the smallest p: {}.",
            apart(nearest(board).unwrap_or(lead), all)
        ),
        (false, all) => format!(
            "No model is shown to be the strongest, though {shown} of {all} pairs {} after Holm's correction: {}.{}",
            differ(shown),
            apart(lead, all),
            shown_weaker(&weaker)
        ),
    }
}

fn shown_weaker(weaker: &[&str]) -> String {
    let told = || format!(" Shown to be weaker than another: {}.", joined(weaker, "and"));
    told_if(!weaker.is_empty(), told)
}

fn differ(pairs: usize) -> &'static str {
    if pairs == 1 { "differs" } else { "differ" }
}

/// The pairs of whom one is shown to be stronger.
fn differing(board: &StrengthBoard) -> usize {
    board.distances.iter().filter(|one| one.clear).count()
}

/// The pair that is the nearest to being told apart.
fn nearest(board: &StrengthBoard) -> Option<&Distance> {
    let p = |one: &Distance| one.found.p.unwrap_or(1.0);
    let tested = board.distances.iter().filter(|one| one.found.p.is_some());
    tested.min_by(|a, b| p(a).total_cmp(&p(b)))
}

/// How far two are apart, and why that is not enough where the interval alone does not say it.
fn apart(one: &Distance, pairs: usize) -> String {
    let lead = &one.found;
    let (above, below) = (&one.above, &one.below);
    let why = match lead.low {
        None => {
            let reason = lead.reason.as_deref().unwrap_or("no interval can be given");
            format!("; {reason}")
        }
        Some(_) if lead.is_sure(VERDICT) => of_totals(one.support),
        Some(_) => demanded(lead.p_adjusted, 1),
    };
    format!("{above} minus {below} is {}{why}", distance(one, pairs))
}

/// What the judges' totals lack for a verdict.
fn of_totals(support: Support) -> String {
    match support {
        Support::Full => String::new(),
        Support::SameWay(p) => {
            let p = number(Rounding::PValue, p);
            format!("; the judges' totals point the same way, but their p is {p} (Holm)")
        }
        Support::None => "; the judges' totals do not bear it out".to_owned(),
    }
}

/// Those on the scale of a lead who are surely below more than its first is.
fn weaker<'b>(board: &'b StrengthBoard, lead: &Distance) -> Vec<&'b str> {
    let Some(first) = board.row(&lead.above) else { return Vec::new() };
    let (group, best) = (first.rating.group, first.rating.rank_best);
    let own = board.rows.iter().filter(|row| row.rating.group == group);
    let below = own.filter(|row| !row.small && row.rating.rank_best > best);
    below.map(|row| &*row.name).collect()
}

/// `41 [12, 70] Elo (expected score 0.559 [0.517, 0.599], draws count half), p 0.012 (Holm), from 480 debates on 40 topics (160
/// between the two)`, in one of so many pairs.
fn distance(one: &Distance, pairs: usize) -> String {
    let lead = &one.found;
    let elo = shown(Unit::Elo, lead.elo, lead.low, lead.high);
    let score = shown(
        Rounding::Decimals(3),
        one.expected_score,
        one.expected_score_low,
        one.expected_score_high,
    );
    let from = basis(lead);
    let p = lead.p_adjusted.map_or_else(String::new, |p| {
        format!(", p {}{}", number(Rounding::PValue, p), holm_corrected(pairs))
    });
    format!("{elo} Elo (expected score {score}, draws count half){p}, {from}")
}

/// What a difference rests on: all that were fitted together, since one model for all explains them.
fn basis(lead: &Lead) -> String {
    let debates = count(lead.comparisons, "debate");
    let topics = count(lead.comparison_clusters, "topic");
    let own = match lead.met {
        all if all == lead.comparisons => String::new(),
        0 => " (none between the two)".to_owned(),
        met => format!(" ({met} between the two)"),
    };
    format!("from {debates} on {topics}{own}")
}

/// Who is ahead where nobody can say how far.
fn order(board: &StrengthBoard) -> Option<String> {
    let ranked: Vec<&StrengthRow> = board.rows.iter().filter(|row| !row.small).collect();
    if ranked.len() < 2 {
        return None;
    }
    let is_ahead = |pair: &&[&StrengthRow]| pair[0].is_above(pair[1]);
    let ahead: Vec<&[&StrengthRow]> = ranked.windows(2).take_while(is_ahead).collect();
    let Some((first, others)) = ahead.split_first() else {
        return Some(format!("{NOBODY}: {}.", why_open(board)?));
    };
    let others = others.iter().map(|pair| format!(", {} of {}", pair[0].name, pair[1].name));
    Some(format!(
        "{} is ahead of {}{}; by how much cannot be estimated.",
        first[0].name,
        first[1].name,
        others.collect::<String>()
    ))
}

/// Why nobody leads; `None` where that is for lack of debates.
fn why_open(board: &StrengthBoard) -> Option<&'static str> {
    if board.rows.iter().all(|row| row.rating.elo.is_none()) {
        return Some("wins went one way only");
    }
    let rated = board.rows.iter().filter(|row| !row.small && row.rating.elo.is_some());
    let mut groups = BTreeSet::new();
    let two = rated.map(|row| row.rating.group).any(|group| !groups.insert(group));
    two.then_some("the winner follows order or side without exception")
}
