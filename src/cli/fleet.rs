//! Commands with a NATS server: their arguments, the connection, the progress of runs and workers.

pub(super) mod args;
#[cfg(feature = "fleet")]
pub(super) mod connection;
#[cfg(feature = "fleet")]
pub(super) mod status;
// Without the feature it is only described.
#[cfg_attr(not(feature = "fleet"), expect(dead_code))]
pub(super) mod status_json;
#[cfg(all(feature = "fleet", feature = "view"))]
pub(super) mod view_workers;
