//! A model by name and card.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Card;

/// A model, as described by the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelCard {
    /// Its name in Ollama.
    pub name: String,
    /// What the server knows about it.
    #[serde(flatten)]
    pub card: Card,
}
