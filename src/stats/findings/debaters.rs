//! What debaters do, beside what judges think of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::groups::Measure;

/// What debaters do: as it was noted of the debates, which is a model's reading of them, and what they declined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Debaters {
    /// Debates whose arguments were noted as a whole.
    pub noted: usize,
    /// Debates that were played to the end and not: their arguments are in no number.
    pub not_noted: usize,
    /// By model, persona and position, each format apart.
    pub rows: Vec<DebaterRow>,
}

/// What one model, persona or position does in one format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DebaterRow {
    /// What it is: `model`, `persona` or `position`.
    pub of: String,
    /// Its name.
    pub name: String,
    /// The format.
    pub format: String,
    /// The statements it was asked for.
    pub statements: usize,
    /// Of these, those that a model declined to make at first.
    pub declined: usize,
    /// What it did about arguments; empty where none of its debates was noted.
    pub measures: Vec<Measure>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

impl DebaterRow {
    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.name == name)
    }
}
