//! Results of panels (rows C1 and C2): winners, votes, and the parts of order, chance and family in their judges' readings. One value per debate,
//! clustered by topic.

mod judge;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::judge::Judged;
use super::counted_debates::{View, numbers};
use super::findings::{PanelCompared, PanelRow};
use super::judging::pairs;
use crate::event::{Vote, WinnerReason};
use crate::facts::panels::{PanelFacts, PanelSeat};
use crate::trace::DEBATE_ARM;
use statistics::agreement::Metric;
use statistics::estimate::Estimate;
use statistics::groups::by_key;

/// What each panel found.
pub(super) fn panels(view: &View<'_>, seed: u64) -> Vec<PanelRow> {
    let mut rows = Vec::new();
    for (name, judged) in by_panel(view) {
        let each = by_key(judged.into_iter().map(|one| (compared(&one), one))).into_iter();
        rows.extend(each.map(|(compared, judged)| row(view, (&name, compared), &judged, seed)));
    }
    rows
}

fn compared(judged: &Judged<'_>) -> PanelCompared {
    let open = judged.facts.open.as_ref();
    match (judged.panel.answers, open) {
        (false, _) => PanelCompared::Sides,
        (true, Some(open)) if *open.arm != *DEBATE_ARM => PanelCompared::DebateAndAlone,
        (true, _) => PanelCompared::FirstAndFinal,
    }
}

/// The verdicts of each panel, by name and id: another panel of the same name asked others, or something else. Of several verdicts
/// of one panel on a debate the last counts.
pub(super) fn by_panel<'c>(view: &View<'c>) -> Vec<(String, Vec<Judged<'c>>)> {
    let all = by_key(view.all().flat_map(|(debate, facts)| {
        let panels = facts.panels.iter();
        let last: BTreeMap<[&str; 2], &PanelFacts> =
            panels.map(|panel| ([&*panel.name, &*panel.id], panel)).collect();
        last.into_iter().map(move |(named, panel)| (named, Judged { debate, facts, panel }))
    }));
    let known: Vec<[&str; 2]> = all.keys().copied().collect();
    all.into_iter().map(|(panel, judged)| (shown(panel, &known), judged)).collect()
}

/// A panel's name, among those that are known by name and id; with what tells it from others of its name.
pub(super) fn shown([name, id]: [&str; 2], known: &[[&str; 2]]) -> String {
    match known.iter().filter(|[other, _]| *other == name).count() {
        ..=1 => name.to_owned(),
        _ => format!("{name} ({})", short_id(id)),
    }
}

/// What of a panel's id is shown.
pub(super) fn short_id(id: &str) -> &str {
    id.get(..4).unwrap_or(id)
}

fn row(
    view: &View<'_>,
    (name, compared): (&str, PanelCompared),
    judged: &[Judged<'_>],
    seed: u64,
) -> PanelRow {
    let models: BTreeSet<&str> =
        judged.iter().flat_map(|it| it.panel.seats.iter().map(|seat| &*seat.model)).collect();
    let count = |reason| judged.iter().filter(|it| it.panel.reason == Some(reason)).count();
    let votes = |it: &Judged<'_>| it.panel.seats.iter().filter_map(sign).collect();
    let votes = view.units(judged.iter().map(|it| (it.debate, votes(it))));
    PanelRow {
        panel: name.to_owned(),
        compared,
        won: count(WinnerReason::Majority),
        drawn: count(WinnerReason::Tied),
        no_quorum: count(WinnerReason::NoQuorum),
        like_own: like_own(view, judged),
        agreement: votes.agreement(Metric::Nominal, seed),
        judges: models.iter().map(|model| judge::row(view, judged, model)).collect(),
        pairs: pairs(view, judged.iter().map(|it| (it.debate, counted(it)))),
        debates: numbers(judged.iter().map(|it| it.debate)),
    }
}

/// Whether panel and debate have the same winner, where both have a verdict.
fn like_own(view: &View<'_>, judged: &[Judged<'_>]) -> Estimate {
    let same = |it: &Judged<'_>| {
        let same = if it.panel.answers {
            it.facts.own_comparison()?.ahead()? == it.panel.ahead?
        } else {
            it.facts.own_winner? == it.panel.winner?
        };
        Some((it.debate, same))
    };
    view.share(judged.iter().filter_map(same))
        .or_none("no debate has both a verdict of the panel and its own winner")
}

/// The votes that count, by model.
fn counted<'j>(it: &Judged<'j>) -> Vec<(&'j str, Vote)> {
    let seats = it.panel.seats.iter();
    seats.filter_map(|seat| Some((&*seat.model, seat.counted_vote()?))).collect()
}

/// A vote as a number: names of categories, no more.
fn sign(seat: &PanelSeat) -> Option<f64> {
    seat.counted_vote().map(Vote::sign)
}
