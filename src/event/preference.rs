//! People's labels of a finished debate's two sides.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel_judging::Side;

/// How a person came to say which side is ahead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Preference {
    /// Its id, derived from the sheet, the item and the rater.
    pub id: String,
    /// The rater's code.
    pub rater: String,
    /// The label sheet.
    pub sheet: String,
    /// The item on the sheet, from 1.
    pub item: u32,
    /// The two sides, in the order of the plan.
    pub candidates: [String; 2],
    /// The side shown first.
    pub order: Order,
    /// The number of the debate's appearance on the sheet, from 1.
    pub repeat: u32,
    /// Whether names of participants and models were hidden.
    pub blind: bool,
    /// How the debate was chosen.
    pub sampling: Sampling,
    /// Seconds until the answer, if measured.
    pub seconds: Option<u32>,
    /// The digest of the record that was shown.
    pub record_digest: String,
    /// The time of the answer, or of the import if unknown.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// When the answer was first added to the debate; absent in labels of earlier versions.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "crate::clock::serialize"
    )]
    pub imported_at: Option<DateTime<Utc>>,
}

/// The candidate shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The first in the plan.
    Pq,
    /// The other.
    Qp,
}

impl Order {
    /// The keys in this order.
    pub fn sides(self) -> [Side; 2] {
        match self {
            Self::Pq => Side::BOTH,
            Self::Qp => [Side::Q, Side::P],
        }
    }

    /// The other one.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Pq => Self::Qp,
            Self::Qp => Self::Pq,
        }
    }
}

/// How debates were chosen for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    /// The method.
    pub method: SamplingMethod,
    /// The seed of the draw.
    pub seed: u64,
    /// Each debate's probability of being drawn; `null` if debates were picked.
    pub probability: Option<f64>,
    /// The debates from which they were chosen; absent in labels of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
}

/// The sampling frame: all debates from which some were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Their number.
    pub debates: u64,
    /// The SHA-256 of their ids, in order.
    pub digest: String,
    /// The options that restricted them, such as `--where format=duel`.
    pub options: String,
}

/// How debates were chosen for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SamplingMethod {
    /// Drawn at random with equal probability.
    Random,
    /// Debates on which the judges disagree most.
    Disputed,
    /// Named by the user.
    Chosen,
}
