//! Shared by the commands for several machines: the connection to the NATS server.

use std::sync::Arc;

use super::failure::Failure;
use super::fleet_args::{AccessArgs, NatsArgs};
use super::print;
use crate::fleet::{Address, FleetError, Nats};

impl NatsArgs {
    /// Connects to the server.
    pub(super) async fn connect(&self) -> Result<Nats, Failure> {
        self.access.connect(&self.nats).await
    }
}

impl AccessArgs {
    /// The server at this URL, with what is needed to be let in.
    pub(super) fn address(&self, url: &str) -> Address {
        Address {
            url: url.to_owned(),
            credentials: self.nats_creds.clone(),
            certificates: self.nats_ca.clone(),
            allow_old: self.allow_old_server,
        }
    }

    /// Connects to the server at this URL.
    pub(super) async fn connect(&self, url: &str) -> Result<Nats, Failure> {
        let connected = Nats::connect(&self.address(url), Arc::new(print::warn)).await;
        connected.map_err(failed)
    }
}

/// The failure of a command, with a hint.
pub(super) fn failed(error: FleetError) -> Failure {
    let failure = Failure::input(&error, error.remedy());
    match error {
        FleetError::Unreachable { .. } => failure.for_want_of_a_server(),
        _ => failure,
    }
}
