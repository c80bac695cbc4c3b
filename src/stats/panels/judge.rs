//! One judge of a panel: the effects of order, chance and family on its readings.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{ReadingStatus, SeatStatus, Vote};
use crate::facts::Facts;
use crate::facts::panels::{PanelFacts, PanelSeat, SeatReading};
use crate::stats::counted_debates::{View, numbers};
use crate::stats::findings::PanelJudge;
use crate::stats::group::judgments;
use statistics::estimate::Estimate;
use statistics::sign::sign_test;

/// A panel's verdict on one of the debates that are counted.
pub(in crate::stats) struct Judged<'c> {
    pub(in crate::stats) debate: usize,
    pub(in crate::stats) facts: &'c Facts,
    pub(in crate::stats) panel: &'c PanelFacts,
}

/// A judge's seat on one debate.
struct Sat<'c> {
    debate: usize,
    seat: &'c PanelSeat,
    panel: &'c PanelFacts,
}

/// What a reading gave by criterion, in the order in which they were asked for.
type Scores<'c> = Vec<(&'c str, f64)>;

/// Two valid readings in opposite orders.
struct Swapped<'c> {
    debate: usize,
    pq: &'c SeatReading,
    qp: &'c SeatReading,
}

pub(super) fn row(view: &View<'_>, judged: &[Judged<'_>], model: &str) -> PanelJudge {
    let sat = seats_of(judged, model);
    let swapped: Vec<Swapped<'_>> = sat.iter().filter_map(Sat::swapped).collect();
    let voting = sat.iter().filter(|it| it.seat.may_vote()).count();
    let readings = sat.iter().flat_map(|it| &it.seat.readings);
    let share = |holds: fn(&Swapped<'_>) -> bool| {
        let each = swapped.iter().map(|it| (it.debate, holds(it)));
        view.share(each).or_none(NO_SWAP)
    };
    let repeats = sat.iter().filter_map(|it| Some((it.debate, it.repeat_differs()?)));
    let slots = swapped.iter().map(|it| (it.debate, it.slot()));
    let (first_slot, test) = first_slot(view, &swapped);
    PanelJudge {
        judge: model.to_owned(),
        voting,
        recused: sat.len() - voting,
        judgments: judgments(readings.map(|reading| reading.status)),
        slot_effect: view.mean(slots).or_none(NO_SWAP),
        first_slot,
        first_slot_p: test.ok(),
        first_slot_reason: test.err().map(str::to_owned),
        flips: share(|it| it.differs()),
        reversed: share(|it| {
            it.differs() && [it.pq, it.qp].iter().all(|it| it.pick != Some(Vote::Tie))
        }),
        repeat_flips: view.share(repeats).or_none(NO_REPEAT),
        excess: excess(view, &sat),
        criterion_order: criterion_order(view, &sat),
        self_preference: self_preference(view, &sat),
        debates: numbers(sat.iter().map(|it| it.debate)),
    }
}

/// The seats of a judge.
fn seats_of<'c>(judged: &[Judged<'c>], model: &str) -> Vec<Sat<'c>> {
    let seats = judged.iter().flat_map(|it| {
        let (debate, panel) = (it.debate, it.panel);
        panel.seats.iter().map(move |seat| Sat { debate, seat, panel })
    });
    seats.filter(|it| &*it.seat.model == model).collect()
}

/// Why what the order does is not known.
const NO_SWAP: &str = "it read no debate in both orders";
/// Why flips cannot be told from chance.
const NO_REPEAT: &str = "indistinguishable from noise: no debate was read twice in the same order";

impl SeatReading {
    fn is_valid(&self) -> bool {
        self.status == ReadingStatus::Valid && self.margin.is_some() && self.pick.is_some()
    }

    /// The slot that is ahead: 1 the first, -1 the second, 0 neither.
    fn slot(&self) -> f64 {
        towards(self.first, self.pick.map_or(0.0, Vote::sign))
    }
}

impl<'c> Sat<'c> {
    fn reading(&self, first: u8, repeat: u32) -> Option<&'c SeatReading> {
        let mut readings = self.seat.readings.iter();
        readings.find(|it| it.is_valid() && it.first == first && it.repeat == repeat)
    }

    fn swapped(&self) -> Option<Swapped<'c>> {
        Some(Swapped { debate: self.debate, pq: self.reading(0, 1)?, qp: self.reading(1, 1)? })
    }

    /// The mean scores of both sides by criterion, in the order in which they were asked for, of each reading that has several.
    fn scored(&self) -> Vec<Scores<'c>> {
        let (panel, readings) = (self.panel, self.seat.readings.iter());
        let valid = readings.filter(|it| it.is_valid() && it.repeat == 1);
        let named = valid.map(|reading| {
            let mean = reading.scores.iter().map(|s| {
                let name = &*panel.criteria[usize::from(s.criterion)];
                (name, f64::midpoint(s.p, s.q))
            });
            mean.collect::<Scores<'c>>()
        });
        named.filter(|scores| scores.len() > 1).collect()
    }

    /// Whether two readings in the same order differ in who is ahead.
    fn repeat_differs(&self) -> Option<bool> {
        let mut orders = [0, 1].into_iter();
        orders.find_map(|first| {
            let (once, again) = (self.reading(first, 1)?, self.reading(first, 2)?);
            Some(once.pick != again.pick)
        })
    }
}

impl Swapped<'_> {
    /// What the first slot is worth: half of what a side gains by being put first.
    fn slot(&self) -> f64 {
        let margin = |it: &SeatReading| it.margin.unwrap_or_default();
        (margin(self.pq) - margin(self.qp)) / 2.0
    }

    fn differs(&self) -> bool {
        self.pq.pick != self.qp.pick
    }
}

/// What one candidate, 0 or 1, is ahead by where the first is ahead by so much.
fn towards(candidate: u8, margin: f64) -> f64 {
    if candidate == 0 { margin } else { -margin }
}

/// The share of readings with the first slot ahead, and its test: of the debates in which both readings have the first slot ahead
/// or both the second, how many are on each side; clustered where topics have several.
fn first_slot(view: &View<'_>, swapped: &[Swapped<'_>]) -> (Estimate, Result<f64, &'static str>) {
    let slots = |it: &Swapped<'_>| it.pq.slot() + it.qp.slot();
    let half = |slots: f64| 0.5 + slots / 4.0;
    let rate = swapped.iter().map(|it| (it.debate, half(slots(it))));
    let rate = view.share(rate).or_none(NO_SWAP);
    let both = |slot: f64| swapped.iter().filter(|it| slots(it) * slot > 1.5).count();
    let (first, second) = (both(1.0), both(-1.0));
    if first + second == 0 {
        return (rate, Err("it never picked a slot twice"));
    }
    let topics: BTreeSet<usize> = swapped.iter().map(|it| view.cluster(it.debate)).collect();
    let p = if topics.len() == swapped.len() {
        sign_test(first, second)
    } else {
        let sides = |it: &Swapped<'_>| (it.debate, (slots(it) / 2.0).trunc());
        view.mean(swapped.iter().map(sides)).p_or_tossed(0.0)
    };
    (rate, p.ok_or("the readings do not vary, or there is one topic"))
}

/// How much more often the order changes who is ahead than chance does, over debates with both kinds of pairs.
fn excess(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let both = sat.iter().filter_map(|it| {
        let (flip, repeat) = (it.swapped()?.differs(), it.repeat_differs()?);
        Some((it.debate, f64::from(flip) - f64::from(repeat)))
    });
    view.mean(both).within(-1.0, 1.0).or_none(NO_REPEAT)
}

/// What the criterion that is asked for first gains, each centred on its own mean over the judge's readings.
fn criterion_order(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let all: Vec<(usize, Vec<Scores<'_>>)> =
        sat.iter().map(|it| (it.debate, it.scored())).collect();
    let readings = || all.iter().flat_map(|(_, readings)| readings);
    let firsts: BTreeSet<&str> = readings().map(|scores| scores[0].0).collect();
    if firsts.len() < 2 {
        return Estimate::none("the same criterion always came first");
    }
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (name, score) in readings().flatten() {
        let (sum, n) = sums.entry(name).or_default();
        (*sum, *n) = (*sum + score, *n + 1.0);
    }
    let above = |(name, score): &(&str, f64)| score - sums[name].0 / sums[name].1;
    let gain = |scores: &Scores<'_>| {
        let others = scores[1..].iter().map(above).sum::<f64>();
        above(&scores[0]) - others / (scores.len() - 1) as f64
    };
    let per_debate =
        all.iter().filter(|(_, readings)| !readings.is_empty()).map(|(debate, readings)| {
            let sum: f64 = readings.iter().map(gain).sum();
            (*debate, sum / readings.len() as f64)
        });
    view.mean(per_debate)
}

/// What it gives its own family as a shadow above those who vote on the same debate.
fn self_preference(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let shadows = sat.iter().filter(|it| it.seat.status == SeatStatus::Shadow);
    let each = shadows.filter_map(|it| {
        let kin = it.seat.kin?;
        let own = |seat: &PanelSeat| Some(towards(kin, margin(seat)?));
        let voting = it.panel.seats.iter().filter(|seat| seat.status == SeatStatus::Voting);
        let others: Vec<f64> = voting.filter_map(own).collect();
        let mean = mean(&others)?;
        Some((it.debate, own(it.seat)? - mean))
    });
    view.mean(each)
        .or_none("it never read, without a vote, a side from its family, next to judges with one")
}

fn mean(values: &[f64]) -> Option<f64> {
    let sum = values.iter().sum::<f64>();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// The mean margin of a judge's first readings, of both orders where it read in both.
fn margin(seat: &PanelSeat) -> Option<f64> {
    let first = seat.readings.iter().filter(|it| it.repeat == 1);
    let margins: Option<Vec<f64>> = first.map(|it| it.margin.filter(|_| it.is_valid())).collect();
    mean(&margins?)
}
