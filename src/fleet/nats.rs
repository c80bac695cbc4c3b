//! The connection to the server, and what it holds of all runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::CreateKeyValueErrorKind;
use async_nats::jetstream::kv::{self, Store};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message};
use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions};
use futures_util::StreamExt;
use serde::Serialize;
use tokio::time::timeout;

use super::address::Address;
use super::error::{FleetError, Result, refused};
use super::login::Login;
use super::names::{CONTROL, DONE, JOURNALS, LEAST_SERVER, OBJECTS, WORK, WORKERS};
use crate::servers::OnNotice;

/// How long a first connection is tried.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a worker is believed to be there after it said so.
pub(super) const PRESENCE: Duration = Duration::from_secs(60);

/// The server, and what it holds.
#[derive(Clone)]
pub struct Nats {
    pub(super) jetstream: Context,
    pub(super) work: Stream,
    pub(super) journals: Stream,
    pub(super) done: Stream,
    pub(super) control: Store,
    pub(super) workers: Store,
    pub(super) objects: ObjectStore,
    notify: OnNotice,
    /// Whether it was told that the server is waited for.
    told: Arc<AtomicBool>,
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nats")
    }
}

impl Nats {
    /// Connects, checks the server's version, and makes what is not there yet.
    pub async fn connect(address: &Address, notify: OnNotice) -> Result<Self> {
        let client = client(address).await?;
        let found = client.server_info().version;
        if !address.allow_old && !is_recent(&found) {
            return Err(FleetError::OldServer { found });
        }
        let jetstream = jetstream::new(client);
        Ok(Self {
            work: stream(&jetstream, work_stream()).await?,
            journals: stream(&jetstream, log_stream(JOURNALS, "rebut.journal.>")).await?,
            done: stream(&jetstream, log_stream(DONE, "rebut.done.>")).await?,
            control: bucket(&jetstream, CONTROL, Duration::ZERO).await?,
            workers: bucket(&jetstream, WORKERS, PRESENCE).await?,
            objects: objects(&jetstream).await?,
            jetstream,
            notify,
            told: Arc::default(),
        })
    }

    /// A name that nobody else has.
    pub(super) fn nonce(&self) -> String {
        let inbox = self.jetstream.client().new_inbox();
        inbox.trim_start_matches("_INBOX.").to_owned()
    }

    /// Maximum bytes that a message of ours may have, beside its headers.
    pub(super) fn most_bytes(&self) -> usize {
        self.jetstream.client().max_payload().saturating_sub(4_096)
    }

    /// Tells once that the server is waited for.
    pub(super) fn waits(&self, error: &FleetError) {
        if !self.told.swap(true, Ordering::Relaxed) {
            (self.notify)(&format!("{error}; waiting for it"));
        }
    }
}

async fn client(address: &Address) -> Result<async_nats::Client> {
    let options = ConnectOptions::new().name("rebut").connection_timeout(CONNECT);
    let mut options = address.login.of(options).await?;
    if let Some(file) = &address.certificates {
        options = options.add_root_certificates(file.clone());
    }
    let connected = options.connect(&address.servers[..]).await;
    connected.map_err(|error| unreachable(address, &error))
}

fn unreachable(address: &Address, error: &ConnectError) -> FleetError {
    let url = address.to_string();
    match (error.kind(), &address.login) {
        (ConnectErrorKind::AuthorizationViolation, Login::Nobody) => FleetError::NoLogin { url },
        (ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication, login) => {
            FleetError::WrongLogin { url, login: login.to_string() }
        }
        _ => FleetError::Unreachable { url, cause: error.to_string() },
    }
}

/// Whether a version is recent enough.
fn is_recent(version: &str) -> bool {
    parts(version) >= parts(LEAST_SERVER)
}

fn parts(version: &str) -> Vec<u64> {
    let number = |part: &str| {
        let digits = part.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|it| it.parse().ok()).unwrap_or(0)
    };
    version.split('.').take(3).map(number).collect()
}

/// Each debate waits once; it stays until it is done.
fn work_stream() -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages_per_subject: 1,
        discard_new_per_subject: true,
        // An older server does not know this, and says so by leaving it out of its answer.
        allow_atomic_publish: true,
        ..common(WORK, "rebut.work.>")
    }
}

/// What is kept, in whose place one last word may stand.
fn log_stream(name: &str, subjects: &str) -> Config {
    Config { allow_rollup: true, ..common(name, subjects) }
}

fn common(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        allow_direct: true,
        ..Config::default()
    }
}

async fn stream(jetstream: &Context, config: Config) -> Result<Stream> {
    let what = format!("give the stream {}", config.name);
    jetstream.get_or_create_stream(config).await.map_err(refused(what))
}

async fn bucket(jetstream: &Context, name: &str, max_age: Duration) -> Result<Store> {
    if let Ok(store) = jetstream.get_key_value(name).await {
        return Ok(store);
    }
    let config =
        kv::Config { bucket: name.to_owned(), history: 1, max_age, ..kv::Config::default() };
    match jetstream.create_key_value(config).await {
        Ok(store) => Ok(store),
        // Another process was quicker.
        Err(error) if error.kind() == CreateKeyValueErrorKind::BucketCreate => {
            jetstream.get_key_value(name).await.map_err(refused(format!("give the bucket {name}")))
        }
        Err(error) => Err(refused(format!("make the bucket {name}"))(error)),
    }
}

async fn objects(jetstream: &Context) -> Result<ObjectStore> {
    if let Ok(store) = jetstream.get_object_store(OBJECTS).await {
        return Ok(store);
    }
    let config =
        object_store::Config { bucket: OBJECTS.to_owned(), ..object_store::Config::default() };
    match jetstream.create_object_store(config).await {
        Ok(store) => Ok(store),
        // Another process was quicker.
        Err(_) => {
            let found = jetstream.get_object_store(OBJECTS).await;
            found.map_err(refused(format!("give the bucket {OBJECTS}")))
        }
    }
}

/// The next message that a consumer gives, if one is there; `what` says what it should give.
pub(super) async fn fetch(
    consumer: &Consumer<pull::Config>,
    what: &str,
    patience: Duration,
) -> Result<Option<Message>> {
    let fetch = async {
        let mut fetched =
            consumer.fetch().max_messages(1).messages().await.map_err(refused(what))?;
        fetched.next().await.transpose().map_err(refused(what))
    };
    let fetched = timeout(patience, fetch).await;
    fetched.unwrap_or_else(|_| Err(refused(what)("it does not answer")))
}

/// A value as it is sent or kept. Those of ours are strings, numbers and lists of them: writing them as JSON cannot fail.
pub(super) fn bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("a value of ours is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f2_versions_are_compared_by_number() {
        for old in ["2.9.10", "2.10.3", "2.10.22", "1.99.99", "", "x"] {
            assert!(!is_recent(old), "{old}");
        }
        for recent in ["2.10.23", "2.10.23-RC.1", "2.11.0", "2.15.1", "3.0.0"] {
            assert!(is_recent(recent), "{recent}");
        }
    }
}
