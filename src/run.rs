//! Running debates: finished ones are skipped, interrupted ones are resumed, and the rest is started.

mod admission;
mod audience;
pub(crate) mod batch;
mod batch_loop;
pub(crate) mod batch_summary;
pub(crate) mod batch_totals;
mod controls;
pub mod debate;
mod deferred;
pub(crate) mod failures;
pub(crate) mod history;
pub mod judging;
mod load_count;
pub(crate) mod meter;
mod passed_over;
pub(crate) mod prepare;
mod queue;
mod room;
pub(crate) mod run_limits;
mod step;
mod stop_requests;
mod unready;
