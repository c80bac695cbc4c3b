//! Commands with a NATS server: their arguments, the connection, the progress of runs and workers.

pub(super) mod args;
pub(super) mod connection;
pub(super) mod status;
pub(super) mod status_json;
#[cfg(feature = "view")]
pub(super) mod view_workers;
