//! Cancelling a run.

use super::error::{FleetError, refused};
use super::names::RunName;
use super::runs;
use super::server::Nats;

/// Cancels a run: what waits is taken back, workers stop before their next call. Returns how many debates were waiting or in progress.
pub async fn cancel(nats: &Nats, run: &RunName) -> Result<u64, FleetError> {
    runs::known(nats, run).await?;
    runs::set(nats, run, false).await?;
    let purged = nats.work.purge().filter(run.all_work()).await;
    purged
        .map(|it| it.purged)
        .map_err(refused("take a run's debates back"))
}
