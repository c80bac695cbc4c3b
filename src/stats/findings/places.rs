//! What tells contestants apart beside their strength: what a place in a debate is worth, and what goes with it; and what the
//! design of the debates allows to be compared.

use schemars::JsonSchema;
use serde::Serialize;

use statistics::estimate::Estimate;

/// A difference between two contestants that is not their strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum Trait {
    /// Their seats.
    #[serde(rename = "seats")]
    Seat,
    /// The order of speaking.
    #[serde(rename = "turns")]
    Turn,
    /// Their positions.
    #[serde(rename = "positions")]
    Position,
    /// Their personas.
    #[serde(rename = "personas")]
    Persona,
    /// Their opponents, in whose view scores are given.
    #[serde(rename = "opponents")]
    Opponents,
    /// Judges on the model of one of the two.
    #[serde(rename = "judges of their own")]
    OwnJudges,
    /// Ballots of a knockout by the model of one of the two, as its debaters cast them.
    #[serde(rename = "ballots of their own")]
    OwnBallots,
    /// Judges of the family or lineage of one of the two only.
    #[serde(rename = "related judges")]
    RelatedJudges,
    /// Judges without a judgment of one of the two.
    #[serde(rename = "judges heard")]
    Heard,
}

/// What else whoever spoke first had, so that the effect of speaking first contains the effect of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coincidence {
    /// What it is: `positions` or `personas`.
    pub by: Trait,
    /// Which one.
    pub value: String,
    /// Whether they had it in all debates; otherwise in most.
    pub always: bool,
}

impl Coincidence {
    /// `always argued “yes”`.
    pub fn told(&self) -> String {
        let often = if self.always { "always" } else { "mostly" };
        let value = &self.value;
        match self.by {
            Trait::Position => format!("{often} argued “{value}”"),
            _ => format!("{often} had the persona {value}"),
        }
    }
}

/// How often a position won against another in compared debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PositionWins {
    /// The position that won more often.
    pub position: String,
    /// The other.
    pub against: String,
    /// The share of debates that it won; a draw counts half.
    pub won: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A question about the design that must be answered before models are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Whether the models of each pair took the same seats and spoke first equally often.
    Seats,
    /// Whether they argued for the same positions, with the same personas.
    Positions,
    /// Whether both met the same opponents, where scores are compared and there are others.
    Opponents,
    /// Whether the same judges were heard for both.
    JudgesHeard,
    /// Whether no judge ran on the model of one of the two, or on a related one.
    IndependentJudges,
    /// Whether judges read each debate in both orders.
    ReadingOrders,
    /// Whether there are forty topics or more, with about equal numbers of debates.
    Topics,
    /// Whether settings were run more than once.
    Repeats,
}

/// The answer to a question about the design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DesignCheck {
    /// The question.
    pub asked: Asked,
    /// Whether the design is as a comparison needs it; `null` if that is not known, or makes no comparison wrong.
    pub holds: Option<bool>,
    /// The answer in words.
    pub sentence: String,
}
