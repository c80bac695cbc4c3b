//! What debaters do, independent of judges' opinions.

use schemars::JsonSchema;
use serde::Serialize;

use super::groups::Measure;

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
    pub of: String,
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
