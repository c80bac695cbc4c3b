//! Shared by the commands for several machines: the connection to the NATS server.

use std::sync::Arc;

use super::args::{AccessArgs, NatsArgs};
use crate::cli::process::failure::Failure;
use crate::cli::terminal::print;
use crate::fleet::{Address, FleetError, Logins, Nats};

impl NatsArgs {
    /// Connects to the server.
    pub(in crate::cli) async fn connect(&self) -> Result<Nats, Failure> {
        self.access.connect(&self.nats).await
    }
}

impl AccessArgs {
    /// The server at this URL, with what is needed to be let in.
    pub(in crate::cli) fn address(&self, url: &str) -> Result<Address, Failure> {
        let (certificates, allow_old) = (self.nats_ca.clone(), self.allow_old_server);
        Address::new(url, self.logins(), certificates, allow_old).map_err(failed)
    }

    /// What is given of logins beside a URL. Secrets have no flags, because others can see the command line.
    fn logins(&self) -> Logins {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Logins {
            credentials: self.nats_creds.clone(),
            nkey: self.nats_nkey.clone(),
            user: variable("NATS_USER"),
            password: variable("NATS_PASSWORD"),
            token: variable("NATS_TOKEN"),
        }
    }

    /// Connects to the server at this URL.
    pub(in crate::cli) async fn connect(&self, url: &str) -> Result<Nats, Failure> {
        let connected = Nats::connect(&self.address(url)?, Arc::new(print::warn)).await;
        connected.map_err(failed)
    }
}

/// The failure of a command, with a hint.
pub(in crate::cli) fn failed(error: FleetError) -> Failure {
    let failure = Failure::input(&error, error.remedy());
    match error {
        FleetError::Unreachable { .. }
        | FleetError::NoLogin { .. }
        | FleetError::WrongLogin { .. } => failure.for_want_of_a_server(),
        _ => failure,
    }
}
