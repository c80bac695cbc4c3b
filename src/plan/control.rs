//! The part of a plan that makes it a control run.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::id::DebateId;
use crate::job::{Arm, ControlSettings, TokenMeasure};

/// What a control run is, and which debates it controls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// The kind.
    pub arm: Arm,
    /// The debates on the same question.
    pub debates: Vec<DebateId>,
    /// Which tokens are counted.
    pub measure: TokenMeasure,
    /// How far the ratio of tokens may be from 1.
    pub within: f64,
}

impl Control {
    pub(super) fn new(settings: &ControlSettings) -> Self {
        Self {
            arm: settings.arm,
            debates: Vec::new(),
            measure: settings.matching.measure,
            within: settings.matching.within,
        }
    }

    /// What of it distinguishes a run: also its debates, which may differ in what it does not take from them.
    pub(super) fn identity(&self) -> Value {
        let measure = self.arm.is_matched().then_some(self.measure);
        json!({"arm": self.arm, "match": self.debates, "measure": measure})
    }
}
