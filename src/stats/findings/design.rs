//! What the design of the debates allows to be compared.

use schemars::JsonSchema;
use serde::Serialize;

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
