//! From readings to votes, and from votes to a winner.

use crate::event::{PanelReading, Side, Vote, VoteReason, Votes, WinnerReason};
use crate::job::panel::Orders;

/// A judge's vote, what it rests on, and the mean of its margins. The first reading of each order counts; of a judge that reads in
/// both, a side has the vote that is ahead in both.
pub fn vote(
    readings: &[(Side, &PanelReading)],
    orders: Orders,
) -> (Option<Vote>, VoteReason, Option<f64>) {
    let counted: Vec<&PanelReading> = readings
        .iter()
        .filter(|(_, reading)| reading.repeat == 1)
        .map(|(_, reading)| *reading)
        .collect();
    let picks: Vec<Vote> = counted.iter().filter_map(|it| it.pick).collect();
    let margins: Vec<f64> = counted.iter().filter_map(|it| it.margin).collect();
    let wanted = match orders {
        Orders::Both => 2,
        Orders::One => 1,
    };
    let sum: f64 = margins.iter().sum();
    let margin = (!margins.is_empty()).then(|| sum / margins.len() as f64);
    let (vote, reason) = match picks.as_slice() {
        picks if picks.len() < wanted => (None, VoteReason::ReadingMissing),
        picks if picks.iter().all(|pick| *pick == Vote::Tie) => {
            (Some(Vote::Tie), VoteReason::Equal)
        }
        [first, rest @ ..] if rest.iter().all(|pick| pick == first) => {
            (Some(*first), VoteReason::Agreed)
        }
        _ => (Some(Vote::Tie), VoteReason::OrdersDisagree),
    };
    (vote, reason, margin)
}

impl Votes {
    /// Counts votes.
    pub fn count(votes: impl Iterator<Item = Vote>) -> Self {
        let mut counted = Self::default();
        for vote in votes {
            match vote {
                Vote::P => counted.p += 1,
                Vote::Q => counted.q += 1,
                Vote::Tie => counted.tie += 1,
            }
        }
        counted
    }

    /// How many.
    pub fn all(self) -> u32 {
        self.p + self.q + self.tie
    }

    /// What they come to: nothing below the quorum, otherwise the side with more votes than the other and than there are for neither.
    pub fn winner(self, quorum: u32) -> (Option<Vote>, WinnerReason) {
        let Self { p, q, tie } = self;
        if self.all() < quorum.max(1) {
            (None, WinnerReason::NoQuorum)
        } else if p > q.max(tie) {
            (Some(Vote::P), WinnerReason::Majority)
        } else if q > p.max(tie) {
            (Some(Vote::Q), WinnerReason::Majority)
        } else {
            (Some(Vote::Tie), WinnerReason::Tied)
        }
    }
}
