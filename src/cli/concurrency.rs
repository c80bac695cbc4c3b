//! `--concurrency`: how many calls a server gets at a time, and how many debates that keeps open.

use std::sync::Arc;
use std::time::Duration;

use crate::machine;
use crate::servers::{Concurrency, OnNotice, PoolConfig};
use crate::stop::Stop;

/// Calls per server.
#[derive(Debug, clap::Args)]
pub(super) struct ConcurrencyArg {
    /// Concurrent calls per server, at most [default: as many as the server is seen to run at once, up to 32]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
}

impl ConcurrencyArg {
    /// What is said, else what is learned.
    pub(super) fn get(&self) -> Concurrency {
        let chosen = self.concurrency.map(usize::from);
        chosen.map_or(Concurrency::LEARNED, Concurrency::at_most)
    }

    /// How a pool treats its servers.
    pub(super) fn config(
        &self,
        model_timeout: Duration,
        outage_timeout: Option<Duration>,
        stop: &Stop,
        notify: &OnNotice,
    ) -> PoolConfig {
        PoolConfig {
            concurrency: self.get(),
            model_timeout,
            outage_timeout,
            stop: stop.clone(),
            on_notice: Arc::clone(notify),
        }
    }

    /// How many debates may be open with the files that this process may have, at so many servers.
    pub(super) fn most_debates(&self, servers: usize) -> usize {
        machine::most_debates(machine::raise_file_limit(), self.get().most * servers)
    }
}
