//! The JSON of `rebut status --nats`. Every build has its schema.

use schemars::JsonSchema;
use serde::Serialize;

/// The version of this format: readers refuse another major version and accept any minor.
pub(in crate::cli) const SCHEMA_VERSION: &str = "1.0";

/// The runs on a NATS server, and the workers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct FleetReport {
    /// The version of this format, MAJOR.MINOR.
    pub(in crate::cli) schema_version: String,
    /// The NATS server, without user and password.
    pub(in crate::cli) nats: String,
    /// The runs, by name.
    pub(in crate::cli) runs: Vec<FleetRun>,
    /// The pools in which debates are queued or in progress, over all runs.
    pub(in crate::cli) pools: Vec<FleetPool>,
    /// The workers that are there.
    pub(in crate::cli) workers: Vec<FleetWorker>,
    /// What keeps debates waiting, with what to do about it.
    pub(in crate::cli) warnings: Vec<String>,
}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct FleetRun {
    /// Its name.
    pub(in crate::cli) name: String,
    /// Whether it continues.
    pub(in crate::cli) state: FleetRunState,
    /// Its debates.
    pub(in crate::cli) debates: FleetDebates,
}

/// Whether a run continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum FleetRunState {
    /// Debates are queued or in progress.
    Running,
    /// All debates are done.
    Finished,
    /// It was cancelled.
    Cancelled,
}

/// Numbers of debates in a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct FleetDebates {
    /// All debates.
    pub(in crate::cli) chosen: u64,
    /// Done or given up, collected or not.
    pub(in crate::cli) done: u64,
    /// Queued or in progress.
    pub(in crate::cli) left: u64,
}

/// Debates that the same machines can run.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct FleetPool {
    /// Their models; none if they are rehearsals.
    pub(in crate::cli) models: Vec<String>,
    /// Debates that are queued.
    pub(in crate::cli) queued: u64,
    /// Debates in progress.
    pub(in crate::cli) in_progress: usize,
    /// Workers that take debates of the pool.
    pub(in crate::cli) workers: usize,
}

/// A worker.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct FleetWorker {
    /// The machine's name; empty if it has none.
    pub(in crate::cli) host: String,
    /// The process there.
    pub(in crate::cli) pid: u32,
    /// The version of `rebut`.
    pub(in crate::cli) rebut: String,
    /// The models that its servers have pulled.
    pub(in crate::cli) models: Vec<String>,
    /// Its debates in progress when it last reported, at most 15 seconds ago.
    pub(in crate::cli) in_progress: usize,
}
