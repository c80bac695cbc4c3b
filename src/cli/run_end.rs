//! The end of a run: its totals and next step, its summary in the output directory, `--notify`.

pub(super) mod batch_files;
pub(super) mod conclude;
mod notify;
pub(super) mod usage_and_causes;
