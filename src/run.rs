//! Running debates: finished ones are skipped, interrupted ones are resumed, and the rest is started.

mod admission;
mod audience;
pub(crate) mod batch;
mod batch_loop;
pub(crate) mod batch_summary;
pub(crate) mod batch_totals;
pub(crate) mod causes;
mod controls;
pub mod debate;
mod deferred;
pub(crate) mod earlier_attempts;
pub(crate) mod ends;
pub(crate) mod failures;
pub(crate) mod history;
mod machine_shortage;
pub(crate) mod meter;
pub mod panel_judging;
mod passed_over;
pub(crate) mod prepare;
mod queue;
pub(crate) mod run_limits;
mod shortage;
mod step;
mod stop_requests;
