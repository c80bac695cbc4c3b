//! How far runs are, and who works on them.

use super::collect::{count, waiting};
use super::error::{Result, refused};
use super::nats::Nats;
use super::pools::{self, Pool};
use super::presence::{self, WorkerNote};
use super::runs;
use crate::id::RunName;

/// All that the server knows of runs.
#[derive(Debug)]
pub struct Overview {
    /// Its runs.
    pub runs: Vec<RunView>,
    /// Its pools in which debates wait or are in progress.
    pub pools: Vec<PoolView>,
    /// The workers that are there.
    pub workers: Vec<WorkerNote>,
}

/// A run's progress.
#[derive(Debug)]
pub struct RunView {
    /// Its name.
    pub name: RunName,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Debates that wait or are in progress.
    pub left: u64,
    /// Debates that are done, those that were given up included.
    pub done: u64,
}

/// What waits in a pool.
#[derive(Debug)]
pub struct PoolView {
    /// The pool.
    pub pool: Pool,
    /// Debates that wait.
    pub waiting: u64,
    /// Debates in progress.
    pub in_progress: usize,
    /// Workers that take debates of it.
    pub workers: usize,
}

impl Overview {
    /// Of all runs, or of one.
    pub async fn of(nats: &Nats, run: Option<&RunName>) -> Result<Self> {
        let runs = match run {
            Some(run) => {
                runs::known(nats, run).await?;
                vec![run.clone()]
            }
            None => runs::all(nats).await?,
        };
        let mut views = Vec::new();
        for run in runs {
            views.push(view(nats, run).await?);
        }
        let workers = presence::workers(nats).await?;
        Ok(Self { runs: views, pools: pool_views(nats, &workers).await?, workers })
    }
}

async fn view(nats: &Nats, name: RunName) -> Result<RunView> {
    Ok(RunView {
        is_cancelled: runs::is_cancelled(nats, &name).await?,
        left: waiting(nats, &name).await?,
        done: count(&nats.done, &name.all_done()).await?,
        name,
    })
}

async fn pool_views(nats: &Nats, workers: &[WorkerNote]) -> Result<Vec<PoolView>> {
    let mut views = Vec::new();
    for pool in pools::all(nats).await? {
        let mut consumer = pool.consumer(nats).await?;
        let info = consumer.info().await.map_err(refused("say what waits"))?;
        views.push(PoolView {
            waiting: info.num_pending,
            in_progress: info.num_ack_pending,
            workers: workers.iter().filter(|it| it.serves(&pool)).count(),
            pool,
        });
    }
    views.retain(|view| view.waiting > 0 || view.in_progress > 0);
    Ok(views)
}
