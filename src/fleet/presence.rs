//! The workers that are there: each says so every so often, and is forgotten when it does not.

use serde::{Deserialize, Serialize};

use super::error::{Result, refused};
use super::nats::{Nats, bytes};
use super::pools::{Pool, keys};

/// What a worker says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerNote {
    /// What tells it from others.
    pub name: String,
    /// Its machine.
    pub host: String,
    /// Its process there.
    pub process: u32,
    /// Its version of `rebut`.
    pub rebut: String,
    /// The models that its servers have pulled.
    pub models: Vec<String>,
    /// Debates that it runs.
    pub open: usize,
}

impl WorkerNote {
    /// Whether it takes debates of a pool.
    pub fn serves(&self, pool: &Pool) -> bool {
        pool.models.iter().all(|model| self.models.contains(model))
    }

    fn key(&self) -> String {
        format!("worker.{}", self.name)
    }

    pub(super) async fn announce(&self, nats: &Nats) -> Result<()> {
        let put = nats.workers.put(self.key(), bytes(self).into()).await;
        put.map(drop).map_err(refused("note a worker"))
    }

    pub(super) async fn leave(&self, nats: &Nats) -> Result<()> {
        nats.workers.purge(self.key()).await.map_err(refused("forget a worker"))
    }
}

/// All workers that are there.
pub async fn workers(nats: &Nats) -> Result<Vec<WorkerNote>> {
    let mut notes: Vec<WorkerNote> = Vec::new();
    for key in keys(&nats.workers, "worker.").await? {
        let note = nats.workers.get(key).await.map_err(refused("give a worker's note"))?;
        // Of another version it may say other things.
        notes.extend(note.and_then(|bytes| serde_json::from_slice(&bytes).ok()));
    }
    notes.sort_by(|a, b| (&a.host, a.process).cmp(&(&b.host, b.process)));
    Ok(notes)
}
