//! One judge of a panel: what its readings owe to order, chance and family.

use std::collections::{BTreeMap, BTreeSet};

use super::judged::Judged;
use crate::event::{ReadingStatus, SeatStatus, Vote};
use crate::facts::panels::{PanelSeat, SeatReading};
use crate::stats::findings::{JudgmentCounts, PanelJudge};
use crate::stats::view::{View, numbers};
use statistics::estimate::{Estimate, Observation};
use statistics::sign::sign_test;

/// A judge's seat on one debate.
struct Sat<'c> {
    debate: usize,
    seat: &'c PanelSeat,
    of: Judged<'c>,
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
    let may_vote =
        |it: &&Sat<'_>| matches!(it.seat.status, SeatStatus::Voting | SeatStatus::Failed);
    let debates: BTreeSet<usize> = sat.iter().map(|it| it.debate).collect();
    let (first_slot, test) = first_slot(view, &swapped);
    let no_swap = "it read no debate in both orders";
    PanelJudge {
        judge: model.to_owned(),
        voting: sat.iter().filter(may_vote).count(),
        recused: sat.iter().filter(|it| !may_vote(it)).count(),
        judgments: judgments(&sat),
        slot_effect: mean(
            view,
            no_swap,
            swapped.iter().map(|it| (it.debate, it.slot())),
        ),
        first_slot,
        first_slot_p: test.ok(),
        first_slot_reason: test.err().map(str::to_owned),
        flips: share(
            view,
            no_swap,
            swapped.iter().map(|it| (it.debate, it.differs())),
        ),
        reversed: share(
            view,
            no_swap,
            swapped.iter().map(|it| (it.debate, it.is_reversed())),
        ),
        half_tied: share(
            view,
            no_swap,
            swapped.iter().map(|it| (it.debate, it.is_half_tied())),
        ),
        repeat_flips: share(
            view,
            NO_REPEAT,
            sat.iter()
                .filter_map(|it| Some((it.debate, it.repeat_differs()?))),
        ),
        excess: excess(view, &sat),
        criterion_order: criterion_order(view, &sat),
        self_preference: self_preference(view, &sat),
        debates: numbers(&debates),
    }
}

/// The seats of a judge.
fn seats_of<'c>(judged: &[Judged<'c>], model: &str) -> Vec<Sat<'c>> {
    let seats = judged
        .iter()
        .flat_map(|of| of.panel.seats.iter().map(move |seat| (of, seat)));
    let own = seats.filter(|(_, seat)| &*seat.model == model);
    let sat = own.map(|(of, seat)| Sat {
        debate: of.debate,
        seat,
        of: *of,
    });
    sat.collect()
}

/// Why flips cannot be told from chance.
const NO_REPEAT: &str = "it can't be told from noise: no debate was read twice in the same order";

impl SeatReading {
    fn is_valid(&self) -> bool {
        self.status == ReadingStatus::Valid && self.margin.is_some() && self.pick.is_some()
    }

    /// The slot that is ahead: 1 the first, -1 the second, 0 neither.
    fn slot(&self) -> f64 {
        let first = if self.first == 0 { Vote::P } else { Vote::Q };
        match self.pick {
            None | Some(Vote::Tie) => 0.0,
            Some(pick) if pick == first => 1.0,
            Some(_) => -1.0,
        }
    }
}

impl<'c> Sat<'c> {
    fn reading(&self, first: u8, repeat: u32) -> Option<&'c SeatReading> {
        let mut readings = self.seat.readings.iter();
        readings.find(|it| it.is_valid() && it.first == first && it.repeat == repeat)
    }

    fn swapped(&self) -> Option<Swapped<'c>> {
        Some(Swapped {
            debate: self.debate,
            pq: self.reading(0, 1)?,
            qp: self.reading(1, 1)?,
        })
    }

    /// The mean scores of both sides by criterion, in the order in which they were asked for, of each reading that has several.
    fn scored(&self) -> Vec<Scores<'c>> {
        let (panel, readings) = (self.of.panel, self.seat.readings.iter());
        let valid = readings.filter(|it| it.is_valid() && it.repeat == 1);
        let named = valid.map(|reading| {
            let scores = reading.scores.iter();
            let mean = scores.map(|s| {
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
    /// What the first slot is worth: half of what a side gains by being read first.
    fn slot(&self) -> f64 {
        let margin = |it: &SeatReading| it.margin.unwrap_or_default();
        (margin(self.pq) - margin(self.qp)) / 2.0
    }

    fn differs(&self) -> bool {
        self.pq.pick != self.qp.pick
    }

    fn is_half_tied(&self) -> bool {
        let ties = [self.pq, self.qp].map(|it| it.pick == Some(Vote::Tie));
        ties[0] != ties[1]
    }

    fn is_reversed(&self) -> bool {
        self.differs() && !self.is_half_tied()
    }
}

fn judgments(sat: &[Sat<'_>]) -> JudgmentCounts {
    let readings = || sat.iter().flat_map(|it| &it.seat.readings);
    let count = |status| readings().filter(|it| it.status == status).count();
    JudgmentCounts {
        planned: readings().count(),
        valid: count(ReadingStatus::Valid),
        invalid: count(ReadingStatus::Invalid),
        abstained: count(ReadingStatus::Abstained),
    }
}

fn mean(view: &View<'_>, why_not: &str, values: impl Iterator<Item = (usize, f64)>) -> Estimate {
    let all = values.map(|(debate, value)| view.observation(debate, value));
    let all: Vec<Observation> = all.collect();
    match all.is_empty() {
        true => Estimate::none(why_not),
        false => Estimate::mean(&all),
    }
}

fn share(view: &View<'_>, why_not: &str, values: impl Iterator<Item = (usize, bool)>) -> Estimate {
    let all = values.map(|(debate, is)| view.observation(debate, f64::from(u8::from(is))));
    let all: Vec<Observation> = all.collect();
    match all.is_empty() {
        true => Estimate::none(why_not),
        false => Estimate::share(&all),
    }
}

/// The share of readings with the first slot ahead, and its test: of the debates in which both readings have the first slot ahead
/// or both the second, how many are on each side; clustered where topics have several.
fn first_slot(view: &View<'_>, swapped: &[Swapped<'_>]) -> (Estimate, Result<f64, &'static str>) {
    let slots = |it: &Swapped<'_>| it.pq.slot() + it.qp.slot();
    let half = |slots: f64| 0.5 + slots / 4.0;
    let rate = swapped.iter().map(|it| (it.debate, half(slots(it))));
    let rate = mean(view, "it read no debate in both orders", rate);
    let both = |slot: f64| {
        let both = swapped.iter().filter(|it| slots(it) * slot > 1.5);
        both.count()
    };
    let (first, second) = (both(1.0), both(-1.0));
    if first + second == 0 {
        return (rate, Err("it never picked a slot twice"));
    }
    let topics: BTreeSet<usize> = swapped.iter().map(|it| view.cluster(it.debate)).collect();
    let p = match topics.len() == swapped.len() {
        true => sign_test(first, second),
        false => {
            let sides = |it: &Swapped<'_>| (it.debate, (slots(it) / 2.0).trunc());
            mean(view, "", swapped.iter().map(sides)).p_of(0.0)
        }
    };
    (
        rate,
        p.ok_or("the readings do not vary, or there is one topic"),
    )
}

/// How much more often the order changes who is ahead than chance does, over debates with both kinds of pairs.
fn excess(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let number = |is: bool| f64::from(u8::from(is));
    let both = sat.iter().filter_map(|it| {
        let (flip, repeat) = (it.swapped()?.differs(), it.repeat_differs()?);
        Some((it.debate, number(flip) - number(repeat)))
    });
    mean(view, NO_REPEAT, both)
}

/// What the criterion that is asked for first gains, each centred on its own mean over the judge's readings.
fn criterion_order(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let all: Vec<(usize, Vec<Scores<'_>>)> =
        sat.iter().map(|it| (it.debate, it.scored())).collect();
    let readings = || all.iter().flat_map(|(_, readings)| readings);
    let firsts: BTreeSet<&str> = readings().map(|scores| scores[0].0).collect();
    if firsts.len() < 2 {
        return Estimate::none("the same criterion was always asked for first");
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
    let per_debate = all.iter().filter(|(_, readings)| !readings.is_empty());
    let per_debate = per_debate.map(|(debate, readings)| {
        let sum: f64 = readings.iter().map(gain).sum();
        (*debate, sum / readings.len() as f64)
    });
    mean(view, "", per_debate)
}

/// What it gives its own family as a shadow above those who vote on the same debate.
fn self_preference(view: &View<'_>, sat: &[Sat<'_>]) -> Estimate {
    let each = sat.iter().filter_map(|it| {
        let kin = it
            .seat
            .kin
            .filter(|_| it.seat.status == SeatStatus::Shadow)?;
        let towards = |seat: &PanelSeat| {
            let margin = margin(seat)?;
            Some(if kin == 0 { margin } else { -margin })
        };
        let seats = it.of.panel.seats.iter();
        let voting = seats.filter(|seat| seat.status == SeatStatus::Voting);
        let others: Vec<f64> = voting.filter_map(towards).collect();
        let n = others.len() as f64;
        (n > 0.0)
            .then(|| {
                Some((
                    it.debate,
                    towards(it.seat)? - others.iter().sum::<f64>() / n,
                ))
            })
            .flatten()
    });
    mean(
        view,
        "it never was a shadow with one side of its family, beside judges that vote",
        each,
    )
}

/// The mean margin of a judge's first readings, of both orders where it read in both.
fn margin(seat: &PanelSeat) -> Option<f64> {
    let first = seat.readings.iter().filter(|it| it.repeat == 1);
    let margins: Option<Vec<f64>> = first
        .map(|it| it.margin.filter(|_| it.is_valid()))
        .collect();
    let margins = margins.filter(|margins| !margins.is_empty())?;
    Some(margins.iter().sum::<f64>() / margins.len() as f64)
}
