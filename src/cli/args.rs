//! Arguments that several commands share, and what they select.

pub(super) mod concurrency;
pub(super) mod debate_selection;
pub(super) mod doubtful_settings;
pub(super) mod jobs;
pub(super) mod output_directory;
pub(super) mod run_limits;
pub(super) mod running;
mod shard;
pub(super) mod survey;
pub(super) mod templates;
pub(super) mod usage;
pub(super) mod values;
