//! The runs that there are, and whether they continue.

use super::error::{FleetError, Result, refused};
use super::names::RUN_KEYS;
use super::nats::Nats;
use super::pools::keys;
use crate::id::RunName;

const RUNNING: &str = "running";
const CANCELLED: &str = "cancelled";

/// Whether a run continues; `None` where there is no such run.
pub(super) async fn goes_on(nats: &Nats, run: &RunName) -> Result<Option<bool>> {
    let state = nats.control.get(run.key()).await.map_err(refused("say whether a run goes on"))?;
    Ok(state.map(|state| state != CANCELLED))
}

pub(super) async fn is_cancelled(nats: &Nats, run: &RunName) -> Result<bool> {
    Ok(goes_on(nats, run).await? == Some(false))
}

/// Says whether a run continues.
pub(super) async fn set(nats: &Nats, run: &RunName, goes_on: bool) -> Result<()> {
    let state = if goes_on { RUNNING } else { CANCELLED };
    let put = nats.control.put(run.key(), state.into()).await;
    put.map(drop).map_err(refused("say whether a run goes on"))
}

/// All runs.
pub(super) async fn all(nats: &Nats) -> Result<Vec<RunName>> {
    let keys = keys(&nats.control, RUN_KEYS).await?;
    let names = keys.iter().filter_map(|key| key.strip_prefix(RUN_KEYS));
    Ok(names.filter_map(|name| name.parse().ok()).collect())
}

/// Refuses a run that is not there.
pub(super) async fn known(nats: &Nats, run: &RunName) -> Result<()> {
    match goes_on(nats, run).await? {
        Some(_) => Ok(()),
        None => Err(FleetError::NoRun {
            name: run.to_string(),
            known: all(nats).await?.iter().map(RunName::to_string).collect(),
        }),
    }
}

/// Cancels a run: what waits is taken back, workers stop before their next call. Returns how many debates were waiting or in progress.
pub async fn cancel(nats: &Nats, run: &RunName) -> Result<u64> {
    known(nats, run).await?;
    set(nats, run, false).await?;
    let purged = nats.work.purge().filter(run.all_work()).await;
    Ok(purged.map_err(refused("take a run's debates back"))?.purged)
}
