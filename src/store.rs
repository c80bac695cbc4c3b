//! The output directory: its layout, and everything that writes or rewrites it.

pub mod amend;
pub mod audience_ballots;
pub mod batches;
pub mod clean;
pub mod commit;
pub mod control_readiness;
pub mod cut_off;
pub mod error;
pub mod finished;
pub mod labels;
pub mod layout;
pub mod lists;
pub mod live;
pub mod merge;
pub mod next_command;
pub mod orphans;
pub mod panel_judging;
pub mod rate;
pub mod regrade;
pub mod render;
pub mod reopen;
pub mod replace;
pub mod replay;
pub mod resume;
pub mod running_batches;
pub mod sent_requests;
pub mod shared_snapshots;
pub mod snapshot;
pub mod state;

#[cfg(test)]
pub(crate) mod tests;
