//! `--concurrency`: how many calls a server gets at a time, and how many open debates that takes.

use std::sync::Arc;
use std::time::Duration;

use super::values::{self, number};
use crate::machine;
use crate::servers::{Concurrency, OnNotice, PoolConfig};

/// Calls per server.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ConcurrencyArg {
    /// Maximum concurrent calls per server [default: learned from reply times, up to 32]
    #[arg(long, short = 'j', help_heading = "Servers", value_name = "N", value_parser = number::<u16>(1..=1024))]
    concurrency: Option<u16>,
}

/// An unreachable server is waited for indefinitely.
pub(in crate::cli) const NEVER: Duration = Duration::MAX;

/// How long to wait for an unreachable server.
pub(in crate::cli) fn outage_timeout(text: &str) -> Result<Duration, String> {
    if text == "never" {
        return Ok(NEVER);
    }
    values::time(text).map_err(|wanted| format!("{wanted}, or never"))
}

impl ConcurrencyArg {
    /// The value given, otherwise learned.
    pub(in crate::cli) fn get(&self) -> Concurrency {
        let chosen = self.concurrency.map(usize::from);
        chosen.map_or(Concurrency::LEARNED, Concurrency::at_most)
    }

    /// How a pool treats its servers.
    pub(in crate::cli) fn config(
        &self,
        model_timeout: Duration,
        outage_timeout: Duration,
        notify: &OnNotice,
    ) -> PoolConfig {
        PoolConfig {
            concurrency: self.get(),
            model_timeout,
            outage_timeout: Some(outage_timeout).filter(|time| *time < NEVER),
            known_absent: Vec::new(),
            on_notice: Arc::clone(notify),
        }
    }

    /// How many debates may be open with this number of servers, given the number of files this process may open.
    pub(in crate::cli) fn most_debates(&self, servers: usize) -> usize {
        machine::most_debates(machine::raise_file_limit(), self.get().most * servers)
    }
}
