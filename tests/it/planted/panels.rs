//! Panels with planted truths: what a slot, a family or the order of criteria is worth to a judge, and what the shipped statistics
//! find. Debates differ by a margin with a standard deviation of 1, a judge's readings of one debate by one of 0.6.

use rebut::event::{ReadingStatus, SeatStatus, Vote, WinnerReason};
use rebut::facts::panels::{PanelFacts, PanelScore, PanelSeat, SeatReading};
use rebut::facts::{Facts, Winner};
use rebut::stats::findings::{PanelJudge, PanelRow};
use statistics::estimate::Estimate;

use super::world::{Dice, Must, Trial, blank, found, somebody, trial};
use Must::{AtLeast, AtMost, Between};

const CRITERIA: [&str; 3] = ["argument_quality", "coherence", "relevance"];
/// The judge of which things are planted, and two beside it.
const JUDGES: [&str; 3] = ["odd-1", "fair-1", "fair-2"];

/// What debates and their odd judge are like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bench {
    pub(crate) debates: usize,
    pub(crate) topics: usize,
    /// What the first slot is worth to the odd judge, in points of the total.
    pub(crate) slot: f64,
    /// What its own family is worth to it; it is a shadow then.
    pub(crate) family: Option<f64>,
    /// What being asked for first is worth to a criterion.
    pub(crate) criterion: f64,
    /// Whether it always has the first slot ahead.
    pub(crate) blind: bool,
    /// Whether all judges do.
    pub(crate) all_blind: bool,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            debates: 120,
            topics: 40,
            slot: 0.0,
            family: None,
            criterion: 0.0,
            blind: false,
            all_blind: false,
        }
    }
}

pub(crate) static TRIALS: [Trial; 15] = [
    trial("panels: slot worth 0.5: found", AtLeast(0.95), |seed| {
        is_found(&slot(0.5, 40).odd(seed).slot_effect)
    }),
    trial("panels: slot worth 0.5: covered", Between(0.93, 0.97), |seed| {
        covers(&slot(0.5, 40).odd(seed).slot_effect, 0.5)
    }),
    // The first slot is ahead where a normal margin of 1 with noise of 0.6 is above -0.5: in 66.6% of readings.
    trial(
        "panels: slot worth 0.5: the share with the first slot ahead covered",
        Between(0.93, 0.97),
        |seed| covers(&slot(0.5, 40).odd(seed).first_slot, 0.666),
    ),
    trial(
        "panels: always the first slot: every debate flips, none has a winner",
        AtLeast(1.0),
        |seed| {
            let row = Bench { all_blind: true, ..Bench::default() }.row(seed);
            let flips = row.judges.iter().all(|it| it.flips.value == Some(1.0));
            Some(flips && (row.won, row.drawn) == (0, 120))
        },
    ),
    trial(
        "panels: a shadow that favours its family by 3: winners as without it",
        AtLeast(1.0),
        |seed| {
            let winners = |worth| {
                let corpus = kin(worth).corpus(seed).into_iter();
                corpus.map(|facts| facts.panels[0].winner).collect::<Vec<_>>()
            };
            Some(winners(3.0) == winners(0.0))
        },
    ),
    trial("panels: slot worth 0.25, a topic each: found by the sign test", AtLeast(0.88), |seed| {
        Some(slot(0.25, 120).odd(seed).first_slot_p? < 0.05)
    }),
    trial("panels: slot worth 0.25: found", AtLeast(0.95), |seed| {
        is_found(&slot(0.25, 40).odd(seed).slot_effect)
    }),
    trial("panels: slot worth nothing: found", Between(0.03, 0.07), |seed| {
        is_found(&Bench::default().odd(seed).slot_effect)
    }),
    trial("panels: slot worth nothing: more flips than chance", AtMost(0.07), |seed| {
        let excess = Bench::default().odd(seed).excess;
        Some(is_found(&excess)? && excess.value? > 0.0)
    }),
    trial("panels: slot worth nothing: any sentence against a judge", AtMost(0.02), |seed| {
        Some(Bench::default().is_told(seed, "on the panel"))
    }),
    trial("panels: slot worth 0.5: told", AtLeast(0.95), |seed| {
        let told = "odd-1 on the panel house prefers the side in the first slot by 0";
        Some(slot(0.5, 40).is_told(seed, told))
    }),
    trial("panels: own family worth 0.3: found", AtLeast(0.9), |seed| {
        is_found(&kin(0.3).odd(seed).self_preference)
    }),
    trial("panels: own family worth nothing: found", Between(0.03, 0.07), |seed| {
        is_found(&kin(0.0).odd(seed).self_preference)
    }),
    trial("panels: first criterion worth 0.4: found", AtLeast(0.95), |seed| {
        is_found(&first(0.4).odd(seed).criterion_order)
    }),
    trial("panels: first criterion worth nothing: found", Between(0.03, 0.07), |seed| {
        is_found(&first(0.0).odd(seed).criterion_order)
    }),
];

fn slot(worth: f64, topics: usize) -> Bench {
    Bench { slot: worth, topics, ..Bench::default() }
}

fn kin(worth: f64) -> Bench {
    Bench { family: Some(worth), debates: 80, ..Bench::default() }
}

fn first(worth: f64) -> Bench {
    Bench { criterion: worth, ..Bench::default() }
}

fn is_found(estimate: &Estimate) -> Option<bool> {
    Some(estimate.p_of(0.0)? < 0.05)
}

fn covers(estimate: &Estimate, truth: f64) -> Option<bool> {
    Some((estimate.low?..=estimate.high?).contains(&truth))
}

impl Bench {
    /// What is found of the panel.
    pub(crate) fn row(&self, seed: u64) -> PanelRow {
        found(self.corpus(seed)).panels.remove(0)
    }

    /// What is found of the odd judge.
    pub(crate) fn odd(&self, seed: u64) -> PanelJudge {
        let judges = self.row(seed).judges.into_iter();
        let mut odd = judges.filter(|it| it.judge == JUDGES[0]);
        odd.next().expect("it sat")
    }

    /// Whether a caution of the report holds this.
    pub(crate) fn is_told(&self, seed: u64, words: &str) -> bool {
        let cautions = found(self.corpus(seed)).cautions;
        cautions.iter().any(|caution| caution.contains(words))
    }

    pub(crate) fn corpus(&self, seed: u64) -> Vec<Facts> {
        let mut dice = Dice::new(seed);
        let debates = 0..self.debates;
        debates.map(|n| self.debate(&mut dice, n)).collect()
    }

    fn debate(&self, dice: &mut Dice, n: usize) -> Facts {
        let mut facts = blank("duel", n, n % self.topics);
        facts.people =
            [somebody("agent_a", "A", "odd-2"), somebody("agent_b", "B", "other-1")].into();
        let margin = dice.normal(1.0);
        let seats: Vec<PanelSeat> =
            (0..JUDGES.len()).map(|judge| self.seat(dice, n, judge, margin)).collect();
        let votes: f64 = seats.iter().filter_map(|seat| seat.vote).map(worth).sum();
        let (winner, reason) = match votes {
            votes if votes > 1.0 => (Winner::Person(0), WinnerReason::Majority),
            votes if votes < -1.0 => (Winner::Person(1), WinnerReason::Majority),
            _ => (Winner::Draw, WinnerReason::Tied),
        };
        facts.panels = [PanelFacts {
            answers: false,
            ahead: None,
            name: "house".into(),
            id: "77ab".into(),
            winner: Some(winner),
            reason: Some(reason),
            candidates: [[0].into(), [1].into()],
            scale: None,
            criteria: CRITERIA.map(Into::into).into(),
            seats: seats.into(),
        }]
        .into();
        facts
    }

    fn seat(&self, dice: &mut Dice, n: usize, judge: usize, margin: f64) -> PanelSeat {
        let is_odd = judge == 0;
        let kin = self.family.filter(|_| is_odd);
        let orders = [(0, 1), (1, 1), (u8::from(n % 2 == 1), 2)];
        let readings = orders.map(|(first, repeat)| {
            let slot = match (is_odd, first) {
                (false, _) => 0.0,
                (true, 0) => self.slot,
                (true, _) => -self.slot,
            };
            let seen = margin + kin.unwrap_or(0.0) + slot + dice.normal(0.6);
            let seen = match (self.all_blind || self.blind && is_odd, first) {
                (true, 0) => 3.0,
                (true, _) => -3.0,
                _ => seen,
            };
            let gain = if is_odd { self.criterion } else { 0.0 };
            reading(dice, n + judge + usize::from(first), (first, repeat), seen, gain)
        });
        let picks = [readings[0].pick, readings[1].pick];
        let vote = if picks[0] == picks[1] { picks[0] } else { Some(Vote::Tie) };
        PanelSeat {
            judge: format!("panel_{}", judge + 1).as_str().into(),
            model: JUDGES[judge].into(),
            status: match kin {
                Some(_) => SeatStatus::Shadow,
                None => SeatStatus::Voting,
            },
            kin: kin.map(|_| 0),
            vote: vote.filter(|_| kin.is_none()),
            readings: readings.into(),
        }
    }
}

fn worth(vote: Vote) -> f64 {
    match vote {
        Vote::P => 1.0,
        Vote::Q => -1.0,
        Vote::Tie => 0.0,
    }
}

fn reading(
    dice: &mut Dice,
    row: usize,
    (first, repeat): (u8, u32),
    margin: f64,
    gain: f64,
) -> SeatReading {
    let scores = (0..CRITERIA.len()).map(|place| {
        let criterion = (row + place) % CRITERIA.len();
        let base = 5.0 + criterion as f64 / 2.0 + if place == 0 { gain } else { 0.0 };
        PanelScore {
            criterion: criterion as u8,
            p: base + dice.normal(0.8),
            q: base + dice.normal(0.8),
        }
    });
    SeatReading {
        first,
        repeat,
        status: ReadingStatus::Valid,
        generous: false,
        margin: Some(margin),
        pick: Some(Vote::of(margin, 0.0)),
        totals: Some([5.0 + margin / 2.0, 5.0 - margin / 2.0]),
        scores: scores.collect(),
    }
}
