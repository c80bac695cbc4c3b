//! The JSON of `rebut status --nats`. Every build has its schema.

use schemars::JsonSchema;
use serde::Serialize;

/// The version of this format: readers refuse another major version and accept any minor.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// The runs on a NATS server, and the workers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FleetReport {
    /// The version of this format, MAJOR.MINOR.
    pub(super) schema_version: String,
    /// The NATS server, without user and password.
    pub(super) nats: String,
    /// The runs, by name.
    pub(super) runs: Vec<FleetRun>,
    /// The pools in which debates are queued or in progress, over all runs.
    pub(super) pools: Vec<FleetPool>,
    /// The workers that are there.
    pub(super) workers: Vec<FleetWorker>,
    /// What keeps debates waiting, with what to do about it.
    pub(super) warnings: Vec<String>,
}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FleetRun {
    /// Its name.
    pub(super) name: String,
    /// Whether it continues.
    pub(super) state: FleetRunState,
    /// Its debates.
    pub(super) debates: FleetDebates,
}

/// Whether a run continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FleetRunState {
    /// Debates are queued or in progress.
    Running,
    /// All debates are done.
    Finished,
    /// It was cancelled.
    Cancelled,
}

/// Numbers of debates in a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FleetDebates {
    /// All debates.
    pub(super) chosen: u64,
    /// Done or given up, collected or not.
    pub(super) done: u64,
    /// Queued or in progress.
    pub(super) left: u64,
}

/// Debates that the same machines can run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FleetPool {
    /// Their models; none if they are rehearsals.
    pub(super) models: Vec<String>,
    /// Debates that are queued.
    pub(super) queued: u64,
    /// Debates in progress.
    pub(super) in_progress: usize,
    /// Workers that take debates of the pool.
    pub(super) workers: usize,
}

/// A worker.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FleetWorker {
    /// The machine's name; empty if it has none.
    pub(super) host: String,
    /// The process there.
    pub(super) pid: u32,
    /// The version of `rebut`.
    pub(super) rebut: String,
    /// The models that its servers have pulled.
    pub(super) models: Vec<String>,
    /// Its debates in progress when it last reported, at most 15 seconds ago.
    pub(super) in_progress: usize,
}
