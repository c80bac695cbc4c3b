//! Shared by the commands for several machines: the NATS server and the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::failure::Failure;
use super::print;
use crate::fleet::{Address, FleetError, Nats, RunName};

/// The default run.
const RUN: &str = "batch";

/// The NATS server.
#[derive(Debug, clap::Args)]
pub(super) struct NatsArgs {
    /// NATS server with JetStream, such as nats://HOST:4222 or tls://USER:PASSWORD@HOST; separate several of a cluster with commas
    #[arg(long, value_name = "URL", env = "NATS_URL", hide_env_values = true)]
    pub(super) nats: String,
    #[command(flatten)]
    pub(super) access: AccessArgs,
}

/// Access to the NATS server.
#[derive(Debug, clap::Args)]
pub(super) struct AccessArgs {
    /// Credentials for the NATS server (a .creds file)
    #[arg(long, value_name = "FILE", env = "NATS_CREDS")]
    nats_creds: Option<PathBuf>,
    /// Root certificates (PEM) for verifying the NATS server
    #[arg(long, value_name = "FILE", env = "NATS_CA")]
    nats_ca: Option<PathBuf>,
    /// Allow a NATS server older than 2.10.23, which can lose messages in a crash
    #[arg(long)]
    allow_old_server: bool,
}

/// The run.
#[derive(Debug, clap::Args)]
pub(super) struct RunNameArg {
    /// Name of the run, to keep several on one NATS server apart
    #[arg(long, value_name = "NAME", default_value = RUN)]
    pub(super) run: RunName,
}

impl NatsArgs {
    /// Connects to the server.
    pub(super) async fn connect(&self) -> Result<Nats, Failure> {
        self.access.connect(&self.nats).await
    }
}

impl AccessArgs {
    /// Connects to the server at this URL.
    pub(super) async fn connect(&self, url: &str) -> Result<Nats, Failure> {
        let address = Address {
            url: url.to_owned(),
            credentials: self.nats_creds.clone(),
            certificates: self.nats_ca.clone(),
            allow_old: self.allow_old_server,
        };
        let connected = Nats::connect(&address, Arc::new(print::warn)).await;
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
