//! Running debates: finished ones are skipped, interrupted ones resumed, the rest started.

pub(crate) mod batch;
pub mod debate;
mod deferred;
pub(crate) mod prepare;
mod schedule;
pub(crate) mod totals;
