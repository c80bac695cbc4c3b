//! A client of one Ollama server: its connections, limits and knowledge of the server.

use reqwest::{Client, ClientBuilder};

use super::super::contexts::Contexts;
use super::super::server::Limits;
use super::model_speed::Paces;
use super::ollama_host::Host;
use super::secret::Secret;

/// A client of one Ollama server.
#[derive(Debug, Clone)]
pub struct Ollama {
    pub(super) client: Client,
    /// Opens a new connection each time: over an open one, a server that is going away may still answer.
    pub(super) prober: Client,
    pub(super) host: Host,
    pub(super) limits: Limits,
    pub(super) contexts: Contexts,
    pub(super) secret: Secret,
    pub(super) paces: Paces,
}

impl Ollama {
    /// A client of `host`; `key` is sent as a bearer token and stored nowhere.
    ///
    /// # Errors
    /// When the key cannot be a header, or the TLS library cannot start.
    pub fn new(
        host: Host,
        key: Option<&str>,
        limits: Limits,
        contexts: Contexts,
    ) -> Result<Self, String> {
        let fail = |e| format!("cannot set up the client: {e}");
        let prober = client_to(&host, key, limits)?.pool_max_idle_per_host(0);
        Ok(Self {
            client: client_to(&host, key, limits)?.build().map_err(fail)?,
            prober: prober.build().map_err(fail)?,
            host,
            limits,
            contexts,
            secret: Secret::new(key),
            paces: Paces::default(),
        })
    }
}

fn client_to(host: &Host, key: Option<&str>, limits: Limits) -> Result<ClientBuilder, String> {
    // Fails where the process has it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(limits.connect)
        .redirect(reqwest::redirect::Policy::none());
    if host.is_loopback() {
        builder = builder.no_proxy();
    }
    if host.is_plain_loopback() {
        // Nothing here can want TLS: the system's certificates, which take 20 ms to read, stay unread.
        builder = builder.tls_certs_only([]);
    }
    if let Some(key) = key {
        let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| "OLLAMA_API_KEY contains characters that a key can't have".to_owned())?;
        value.set_sensitive(true);
        builder = builder
            .default_headers([(reqwest::header::AUTHORIZATION, value)].into_iter().collect());
    }
    Ok(builder)
}
