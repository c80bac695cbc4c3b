//! What panels found (rows C1 and C2): winners, votes, and what of their judges' readings is order, chance, family. One value a debate,
//! clustered by topic.

mod judge;
mod judged;

use std::collections::{BTreeMap, BTreeSet};

use self::judged::Judged;
use super::findings::{JudgePair, PanelRow, REPLICATES};
use super::view::{Sample, View};
use crate::event::{SeatStatus, Vote, WinnerReason};
use crate::facts::Winner;
use crate::facts::panels::{PanelFacts, PanelSeat};
use statistics::agreement::{Metric, Unit, agreement};
use statistics::estimate::{Estimate, Observation};

/// What each panel found, by name and id: another panel of the same name asked others, or something else. Of several verdicts of one
/// panel on a debate the last counts.
pub(super) fn panels(view: &View<'_>, seed: u64) -> Vec<PanelRow> {
    let mut all: BTreeMap<[&str; 2], Vec<Judged<'_>>> = BTreeMap::new();
    for (debate, facts) in view.all() {
        let panels = facts.panels.iter();
        let last: BTreeMap<[&str; 2], &PanelFacts> = panels
            .map(|panel| ([&*panel.name, &*panel.id], panel))
            .collect();
        for (named, panel) in last {
            all.entry(named).or_default().push(Judged {
                debate,
                facts,
                panel,
            });
        }
    }
    let shown = |[name, id]: &[&str; 2]| match all.keys().filter(|it| it[0] == *name).count() {
        1 => (*name).to_owned(),
        _ => format!("{name} ({})", id.get(..4).unwrap_or(id)),
    };
    let each = all.iter();
    each.map(|(named, judged)| row(view, &shown(named), judged, seed))
        .collect()
}

fn row(view: &View<'_>, name: &str, judged: &[Judged<'_>], seed: u64) -> PanelRow {
    let models: BTreeSet<&str> = judged
        .iter()
        .flat_map(|it| it.panel.seats.iter().map(|seat| &*seat.model))
        .collect();
    let count = |reason| {
        let of = judged.iter().filter(|it| it.panel.reason == Some(reason));
        of.count()
    };
    let debates: BTreeSet<usize> = judged.iter().map(|it| it.debate).collect();
    PanelRow {
        panel: name.to_owned(),
        won: count(WinnerReason::Majority),
        drawn: count(WinnerReason::Tied),
        no_quorum: count(WinnerReason::NoQuorum),
        like_own: like_own(view, judged),
        agreement: agreement(
            &votes(view, judged).sample,
            Metric::Nominal,
            REPLICATES,
            seed,
        ),
        judges: models
            .iter()
            .map(|model| judge::row(view, judged, model))
            .collect(),
        pairs: pairs(view, judged, &models),
        debates: super::view::numbers(&debates),
    }
}

/// Whether panel and debate have the same winner, where both have a verdict.
fn like_own(view: &View<'_>, judged: &[Judged<'_>]) -> Estimate {
    let same = |it: &Judged<'_>| {
        let (own, panels): (Winner, Winner) = (it.facts.own_winner?, it.panel.winner?);
        Some(view.observation(it.debate, f64::from(u8::from(own == panels))))
    };
    let all: Vec<Observation> = judged.iter().filter_map(same).collect();
    match all.is_empty() {
        true => Estimate::none("no debate has a verdict of the panel and a winner of its own"),
        false => Estimate::share(&all),
    }
}

/// The votes on each debate that two or more gave.
fn votes(view: &View<'_>, judged: &[Judged<'_>]) -> Sample<Unit> {
    let mut found = Sample::default();
    for it in judged {
        let ratings: Vec<f64> = it.panel.seats.iter().filter_map(number).collect();
        if !ratings.is_empty() {
            let cluster = view.cluster(it.debate);
            found.add(it.debate, Unit { cluster, ratings });
        }
    }
    found
}

/// A vote as a number: names of categories, no more.
fn number(seat: &PanelSeat) -> Option<f64> {
    let vote = seat.vote.filter(|_| seat.status == SeatStatus::Voting)?;
    Some(match vote {
        Vote::P => 1.0,
        Vote::Q => -1.0,
        Vote::Tie => 0.0,
    })
}

fn pairs(view: &View<'_>, judged: &[Judged<'_>], models: &BTreeSet<&str>) -> Vec<JudgePair> {
    let vote = |it: &Judged<'_>, model: &str| {
        let mut seats = it.panel.seats.iter();
        seats.find(|seat| &*seat.model == model).and_then(number)
    };
    let pair = |one: &str, other: &str| {
        let both = judged.iter().filter_map(|it| {
            let alike = vote(it, one)?.total_cmp(&vote(it, other)?).is_eq();
            Some(view.observation(it.debate, f64::from(u8::from(alike))))
        });
        let both: Vec<Observation> = both.collect();
        (!both.is_empty()).then(|| JudgePair {
            judges: [one.to_owned(), other.to_owned()],
            alike: Estimate::share(&both),
        })
    };
    let each = models.iter().enumerate();
    let each = each.flat_map(|(n, one)| models.iter().skip(n + 1).map(move |other| (one, other)));
    each.filter_map(|(one, other)| pair(one, other)).collect()
}
