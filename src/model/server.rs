//! The trait of a model server as commands see it (`Server`): its name, its models, and the remedy if one is missing. A
//! backend implements it for its kind of model service.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Model, Result};

/// The answer to a question that needs no model.
pub type Asked<'a, T> = BoxFuture<'a, Result<T>>;

/// One instance of a backend.
pub trait Server: Model {
    /// What users know it by: its address.
    fn name(&self) -> String;

    /// Its program and version, such as `Ollama 0.33.0`. If it does not answer, the error's remedy says what to do.
    fn version(&self) -> Asked<'_, String>;

    /// The models it has.
    fn models(&self) -> Asked<'_, Vec<Installed>>;

    /// The models it holds in memory.
    fn memory(&self) -> Asked<'_, Vec<Loaded>>;

    /// The command that starts such a server.
    fn start_command(&self) -> &'static str;

    /// The command that gives it a model.
    fn install_command(&self, model: &str) -> String;
}

/// A model that a server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its full name, tag included.
    pub name: String,
    /// The digest of its weights.
    pub digest: Option<String>,
    /// Its size in bytes.
    pub size: u64,
}

/// A model that a server holds in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its full name.
    pub name: String,
    /// Bytes in all.
    pub size: u64,
    /// Bytes on graphics cards.
    pub size_vram: u64,
    /// Tokens of context per slot.
    pub context_length: Option<u64>,
}

/// How long to wait for what. How long a whole reply may take follows from its tokens and from the model's speed.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// For the first token: the model may have to load, and others may be before us.
    pub first_token: Duration,
    /// Between two tokens.
    pub idle: Duration,
}

/// An address that names no usable server.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct BadAddress {
    /// What is wrong with it.
    pub cause: String,
    /// What to do about it; may be empty.
    pub remedy: &'static str,
}
