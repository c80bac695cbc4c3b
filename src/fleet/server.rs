//! The connection to the server, and what it holds of all runs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::CreateKeyValueErrorKind;
use async_nats::jetstream::kv::{self, Store};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message};
use async_nats::{ConnectOptions, ServerAddr};
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use tokio::time::timeout;

use super::error::{FleetError, refused};
use super::names::{CONTROL, DONE, JOURNALS, LEAST_SERVER, OBJECTS, WORK, WORKERS};
use crate::servers::OnNotice;

/// How long a first connection is tried.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a worker is believed to be there after it said so.
pub(super) const PRESENCE: Duration = Duration::from_secs(60);

/// Where the server is, and who we are there.
#[derive(Debug, Clone)]
pub struct Address {
    /// Its URL; several, separated by commas, for the servers of a cluster.
    pub url: String,
    /// A file of credentials.
    pub credentials: Option<PathBuf>,
    /// Certificates that vouch for its own.
    pub certificates: Option<PathBuf>,
    /// Whether to use one that loses messages in a crash.
    pub allow_old: bool,
}

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
    pub async fn connect(address: &Address, notify: OnNotice) -> Result<Self, FleetError> {
        let client = client(address)
            .await
            .map_err(|cause| unreachable(address, cause))?;
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

async fn client(address: &Address) -> Result<async_nats::Client, String> {
    let mut options = ConnectOptions::new()
        .name("rebut")
        .connection_timeout(CONNECT);
    if let Some(file) = &address.credentials {
        let named = |e| format!("{}: {e}", file.display());
        options = options.credentials_file(file).await.map_err(named)?;
    }
    if let Some(file) = &address.certificates {
        options = options.add_root_certificates(file.clone());
    }
    let urls: Result<Vec<ServerAddr>, _> = address.url.split(',').map(str::parse).collect();
    let urls = urls.map_err(|e| e.to_string())?;
    // The client passes over those in a URL.
    if let Some((user, password)) = urls.iter().find_map(user_and_password) {
        options = options.user_and_password(user, password);
    }
    options.connect(urls).await.map_err(|e| e.to_string())
}

/// The user and the password in a URL, where `%40` stands for `@` and the like.
fn user_and_password(url: &ServerAddr) -> Option<(String, String)> {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((
        plain(url.username()?),
        plain(url.password().unwrap_or_default()),
    ))
}

impl Address {
    /// The URL without what its user should keep.
    pub fn told(&self) -> String {
        let plain = |url: &str| match (url.split_once("://"), url.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            (None, Some((_, host))) => host.to_owned(),
            _ => url.to_owned(),
        };
        let urls: Vec<String> = self.url.split(',').map(plain).collect();
        urls.join(", ")
    }
}

fn unreachable(address: &Address, cause: String) -> FleetError {
    let url = address.told();
    FleetError::Unreachable { url, cause }
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
    Config {
        allow_rollup: true,
        ..common(name, subjects)
    }
}

fn common(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        allow_direct: true,
        ..Config::default()
    }
}

async fn stream(jetstream: &Context, config: Config) -> Result<Stream, FleetError> {
    let what = format!("give the stream {}", config.name);
    let made = jetstream.get_or_create_stream(config).await;
    made.map_err(refused(what))
}

async fn bucket(jetstream: &Context, name: &str, max_age: Duration) -> Result<Store, FleetError> {
    if let Ok(store) = jetstream.get_key_value(name).await {
        return Ok(store);
    }
    let config = kv::Config {
        bucket: name.to_owned(),
        history: 1,
        max_age,
        ..kv::Config::default()
    };
    match jetstream.create_key_value(config).await {
        Ok(store) => Ok(store),
        // Another process was quicker.
        Err(error) if error.kind() == CreateKeyValueErrorKind::BucketCreate => {
            let found = jetstream.get_key_value(name).await;
            found.map_err(refused(format!("give the bucket {name}")))
        }
        Err(error) => Err(refused(format!("make the bucket {name}"))(error)),
    }
}

async fn objects(jetstream: &Context) -> Result<ObjectStore, FleetError> {
    if let Ok(store) = jetstream.get_object_store(OBJECTS).await {
        return Ok(store);
    }
    let config = object_store::Config {
        bucket: OBJECTS.to_owned(),
        ..object_store::Config::default()
    };
    match jetstream.create_object_store(config).await {
        Ok(store) => Ok(store),
        // Another process was quicker.
        Err(_) => jetstream
            .get_object_store(OBJECTS)
            .await
            .map_err(refused(format!("give the bucket {OBJECTS}"))),
    }
}

/// The next message that a consumer gives, if one is there; `what` says what it should give.
pub(super) async fn fetch(
    consumer: &Consumer<pull::Config>,
    what: &str,
    patience: Duration,
) -> Result<Option<Message>, FleetError> {
    let fetch = async {
        let fetched = consumer.fetch().max_messages(1).messages().await;
        let mut fetched = fetched.map_err(refused(what))?;
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

    #[test]
    fn f1_an_address_is_told_without_its_password() {
        let address = Address {
            url: "nats://me:secret@a:4222,me:secret@b,nats://c".to_owned(),
            credentials: None,
            certificates: None,
            allow_old: false,
        };
        let told = unreachable(&address, "refused".to_owned()).to_string();
        assert!(!told.contains("secret"), "{told}");
        assert!(told.contains("nats://a:4222, b, nats://c"), "{told}");
    }

    #[test]
    fn f1_a_user_and_a_password_are_those_in_the_url() {
        let of = |url: &str| user_and_password(&url.parse().unwrap());
        let me = |password: &str| Some(("me".to_owned(), password.to_owned()));
        assert_eq!(of("nats://me:p%40ss@a:4222"), me("p@ss"));
        assert_eq!(of("me:secret@b"), me("secret"));
        assert_eq!(of("nats://me@b"), me(""));
        assert_eq!(of("tls://c:4222"), None);
    }
}
