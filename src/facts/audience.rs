//! The audience of a debate: its majority, round by round. It is not a judge and gives no scores.

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use super::Text;
use crate::trace::Trace;

/// The audience of a debate that was planned with one.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct AudienceFacts {
    /// What its votes were for: `shown` or `ballot`.
    pub effect: Text,
    /// The rounds on which it could vote.
    pub rounds: Box<[AudienceRound]>,
}

/// An audience's votes on a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize_tuple, Deserialize)]
pub struct AudienceRound {
    /// The round.
    pub round: u32,
    /// What the majority would do: keep the debater or not.
    pub majority: Option<bool>,
    /// Whether it was one of the ballots that decided.
    pub counted: bool,
    /// Whether it changed the result of the round.
    pub decisive: bool,
}

impl AudienceFacts {
    /// The audience of a trace.
    pub(super) fn from_trace<R>(trace: &Trace<R>) -> Option<Self> {
        let effect = trace.plan.settings.get("audience")?.get("effect")?;
        let rounds = trace.audience.iter().map(|vote| AudienceRound {
            round: vote.round,
            majority: vote.majority,
            counted: vote.counted,
            decisive: vote.decisive,
        });
        Some(Self { effect: effect.as_str()?.into(), rounds: rounds.collect() })
    }

    /// Rounds that would have ended otherwise without it.
    pub fn decided(&self) -> usize {
        self.rounds.iter().filter(|round| round.decisive).count()
    }
}
