//! Numbers by groups of debates, and by debaters: what these do, independent of judges' opinions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::Counts;
use crate::stats::key::Key;
use statistics::estimate::Estimate;

/// One grouping of the debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Breakdown {
    /// The keys of the grouping; empty for all debates together.
    pub by: Vec<String>,
    /// The groups, ordered by name.
    pub groups: Vec<Group>,
}

/// The numbers of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// The values that its debates share, in the order of the keys.
    pub key: Vec<String>,
    /// Its debates and how they went.
    pub counts: Counts,
    /// Its measures, without those that its formats lack.
    pub measures: Vec<Measure>,
    /// Incidents by kind.
    pub incidents: BTreeMap<String, usize>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A measured number of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Measure {
    /// The name for programs: `win_rate`, `score.clarity`…
    pub name: String,
    /// The name for people.
    pub label: String,
    /// The format, for measures that have no meaning across formats.
    pub format: Option<String>,
    /// The unit.
    pub unit: Unit,
    /// The value and its uncertainty.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// The unit of a number, which determines its display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share from 0 to 1, shown as a percentage.
    Share,
    /// A score on its format's scale; two decimals.
    Score,
    /// A count per debate; two decimals.
    Count,
    /// A count per statement; two decimals.
    PerStatement,
    /// Tokens; no decimals.
    Tokens,
    /// Minutes; two decimals.
    Minutes,
    /// Seconds; one decimal.
    Seconds,
    /// Elo points; no decimals.
    Elo,
    /// Log-odds; two decimals.
    Logits,
    /// Points of a knockout; two decimals.
    Points,
    /// Krippendorff's alpha; three decimals.
    Alpha,
}

/// What debaters do with arguments, from the notes (a model's reading of the debates), and what they declined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Debaters {
    /// Debates with complete notes on their arguments.
    pub noted: usize,
    /// Finished debates without complete notes: their arguments are in no number.
    pub not_noted: usize,
    /// By model, persona and position, per format.
    pub rows: Vec<DebaterRow>,
}

/// A model, persona or position in one format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DebaterRow {
    /// The kind: `model`, `persona` or `position`.
    #[schemars(with = "String")]
    pub of: Key,
    /// Its name.
    pub name: String,
    /// The format.
    pub format: String,
    /// Statements it was asked for.
    pub statements: usize,
    /// Those of them that a model first declined.
    pub declined: usize,
    /// What it did with arguments; empty if none of its debates has notes.
    pub measures: Vec<Measure>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

impl DebaterRow {
    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.name == name)
    }
}
