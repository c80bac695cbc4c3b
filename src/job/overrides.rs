//! Changes by the command line to every job.

use serde_json::json;

/// Values at paths, and one model for all.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// What is put at paths, in this order.
    pub changes: Vec<Change>,
    /// The model of every participant, without fallbacks (`--all-models`).
    pub all_models: Option<String>,
}

/// A value for a path of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path, such as `y.0.persona`.
    pub path: String,
    /// The value, as YAML.
    pub value: String,
    /// What messages call it: the flag as it was given.
    pub flag: String,
}

impl Change {
    /// `--set PATH=VALUE`.
    pub fn set(path: &str, value: &str) -> Self {
        Self::new(path, value, format!("--set {path}={value}"))
    }

    /// `--seed N`.
    pub fn seed(seed: u64) -> Self {
        Self::new("seed", seed, format!("--seed {seed}"))
    }

    /// `--model NAME`: for participants that name none.
    pub fn model(name: &str) -> Self {
        Self::new("defaults.model", json!(name), format!("--model {name}"))
    }

    fn new(path: &str, value: impl ToString, flag: String) -> Self {
        Self { path: path.to_owned(), value: value.to_string(), flag }
    }
}
