//! What stands beside strengths: availability, strengths with failures as losses, strengths at equal length.

use std::collections::BTreeMap;

use super::duel::{Duel, comparisons, fitted_once};
use super::findings::StrengthBoard;
use super::key::Key;
use super::view::View;
use statistics::bradley_terry::{Comparison, adjusted};
use statistics::estimate::{Estimate, Observation};

/// Elo in a logit.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// The strength in the middle.
const MIDDLE: f64 = 1000.0;

/// How often each of a board could be heard.
pub(super) fn available(board: &mut StrengthBoard, view: &View<'_>, key: &Key) {
    let mut heard: BTreeMap<&str, Vec<Observation>> = BTreeMap::new();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.has_winner) {
        for (_, person) in facts.contestants().filter(|(_, p)| facts.contends(p)) {
            let was = facts.ended() && person.spoke_itself();
            let observation = view.observation(debate, f64::from(was));
            let name = key.of_person(person).unwrap_or_default();
            heard.entry(name).or_default().push(observation);
        }
    }
    for row in &mut board.rows {
        let own = heard.get(&*row.name).map_or(&[][..], Vec::as_slice);
        row.available = Estimate::share(own);
    }
}

/// How much each of a board speaks in a debate.
pub(super) fn spoken(board: &mut StrengthBoard, view: &View<'_>, duels: &[Duel<'_>]) {
    let mut spoken: BTreeMap<&str, Vec<Observation>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| duel.sides[0] != duel.sides[1]) {
        for (name, seat) in duel.sides.into_iter().zip(duel.seats) {
            let tokens = seat.tokens() as f64;
            let observation = view.observation(duel.debate, tokens);
            spoken.entry(name).or_default().push(observation);
        }
    }
    for row in &mut board.rows {
        let own = spoken.get(&*row.name).map_or(&[][..], Vec::as_slice);
        row.tokens = Estimate::mean(own);
    }
}

/// Strengths where whoever was not available lost.
pub(super) fn failures_lost<'c>(
    board: &mut StrengthBoard,
    names: &[&'c str],
    duels: &[Duel<'c>],
    mut broken: Vec<Duel<'c>>,
) {
    let told_apart = board.confounded.clone();
    broken.retain(|duel| {
        let is_pair = |a: &str, b: &str| duel.pair() == [a, b];
        let known = duel.sides.iter().all(|side| names.contains(side));
        known && !duel.own_judges && !told_apart.iter().any(|c| is_pair(&c.a, &c.b))
    });
    let all: Vec<&Duel<'_>> = duels.iter().chain(&broken).collect();
    let ratings = (!broken.is_empty()).then(|| fitted_once(names, &all));
    for row in &mut board.rows {
        row.elo_failures_lost = match &ratings {
            None => row.rating.elo,
            Some(ratings) => ratings[row.rating.entity].elo,
        };
    }
}

/// Strengths between texts of equal length.
pub(super) fn equal_length(board: &mut StrengthBoard, names: &[&str], duels: &[Duel<'_>]) {
    let one_scale = board
        .rows
        .iter()
        .all(|row| row.rating.elo.is_some() && row.rating.group == 1);
    let longer: Option<Vec<f64>> = duels.iter().map(longer).collect();
    let Some(longer) = longer.filter(|_| one_scale) else {
        return;
    };
    let each = comparisons(names, &duels.iter().collect::<Vec<_>>());
    let each: Vec<(Comparison, f64)> = each.into_iter().zip(longer).collect();
    let Some(found) = adjusted(names.len(), &each) else {
        return;
    };
    let place = |name: &str| names.iter().position(|known| *known == name);
    for row in &mut board.rows {
        row.elo_equal_length = place(&row.name).map(|at| MIDDLE + ELO * found.theta[at]);
    }
    let both = board
        .lead
        .as_ref()
        .and_then(|lead| place(&lead.above).zip(place(&lead.below)));
    let lead = both.and_then(|(above, below)| found.lead(above, below));
    board.lead_equal_length = lead.map(|lead| lead.scaled(ELO));
    board.length = Some(found.worth);
}

/// The logarithm of how many times as long the first side's text is; `None` for teams, and where one said nothing.
fn longer(duel: &Duel<'_>) -> Option<f64> {
    let [a, b] = duel.seats.map(|seat| seat.person.tokens as f64);
    let team = duel.seats[0].facts.profile().team.is_some();
    (!team && a > 0.0 && b > 0.0).then(|| (a / b).ln())
}
