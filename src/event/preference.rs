//! What people say of a finished debate's two sides.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judging::Side;

/// How a person came to say which side is ahead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Preference {
    /// Its id: it follows from the sheet, the place on it and the rater.
    pub id: String,
    /// Who said it, by a code.
    pub rater: String,
    /// The label sheet on which it was asked.
    pub sheet: String,
    /// Where on the sheet, from 1.
    pub item: u32,
    /// The two sides, in the order of the plan.
    pub candidates: [String; 2],
    /// Which of them was shown first.
    pub order: Order,
    /// Which time the debate stood on the sheet, from 1.
    pub repeat: u32,
    /// Whether names of participants and models were hidden.
    pub blind: bool,
    /// How the debate came onto the sheet.
    pub sampling: Sampling,
    /// Seconds until it was said, where that was measured.
    pub seconds: Option<u32>,
    /// The digest of the record that was shown.
    pub record_digest: String,
    /// When it was said, or imported where the file does not tell.
    pub at: DateTime<Utc>,
}

/// Which candidate is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The one that the plan names first.
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
    /// The seed of what was drawn.
    pub seed: u64,
    /// The chance of each debate to be drawn; `null` where debates were picked.
    pub probability: Option<f64>,
}

/// How debates were chosen for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SamplingMethod {
    /// Drawn, each with the same chance.
    Random,
    /// Those on which judges disagree most.
    Disputed,
    /// Named by the user.
    Chosen,
}
