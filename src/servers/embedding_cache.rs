//! Embeddings cached on disk by the digests of model and text: no text is embedded twice, not even in another run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::digest;
use crate::files::{self, Result};
use crate::model::{
    Answering, CallError, Card, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request, Weights,
};
use crate::shared::Shared;

/// The cache's place in an output directory, with one directory per model.
pub const EMBEDDINGS: &str = ".rebut/embeddings";

/// The cached embeddings of an output directory.
#[derive(Debug)]
pub struct EmbeddingCache {
    root: PathBuf,
    /// Held while a file is replaced: two servers may have the same model.
    writing: Shared<()>,
}

/// A server that is asked only for embeddings not in the cache. One per server, behind the pool, because the digest in the
/// key is that of the server's own model.
pub struct CachedModel {
    cache: Arc<EmbeddingCache>,
    server: Arc<dyn Model>,
    /// Serializes debates, so that the second one finds what the first one asked for.
    turn: tokio::sync::Mutex<()>,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    vector: Vec<f32>,
    /// A checksum over the vector.
    sum: String,
}

impl EmbeddingCache {
    /// The cache of an output directory. Creates nothing on disk.
    pub fn new(root: &Path) -> Arc<Self> {
        Arc::new(Self { root: root.to_path_buf(), writing: Shared::default() })
    }

    /// Puts this cache in front of a server.
    pub fn wrap(self: &Arc<Self>, server: Arc<dyn Model>) -> CachedModel {
        CachedModel { cache: Arc::clone(self), server, turn: tokio::sync::Mutex::default() }
    }

    fn path(&self, model: &str, text: &str) -> PathBuf {
        let text = digest::of_bytes(text.as_bytes());
        self.root.join(EMBEDDINGS).join(model).join(format!("{text}.json"))
    }

    /// The cached vector of each text. A damaged file counts as missing.
    fn read(&self, model: &str, texts: &[String]) -> Vec<Option<Vec<f32>>> {
        let read = |text: &String| {
            let file = files::read_own(&self.path(model, text)).ok()?;
            let entry: Entry = serde_json::from_slice(&file).ok()?;
            (entry.sum == sum_of(&entry.vector)).then_some(entry.vector)
        };
        texts.iter().map(read).collect()
    }

    fn write(&self, model: &str, texts: &[String], vectors: Vec<Vec<f32>>) -> Result<()> {
        let _one = self.writing.lock();
        files::create_dir(&self.root)?;
        files::own_dirs(&self.root, &Path::new(EMBEDDINGS).join(model))?;
        texts.iter().zip(vectors).try_for_each(|(text, vector)| {
            let sum = sum_of(&vector);
            let entry = serde_json::to_vec(&Entry { vector, sum }).expect("a vector is JSON");
            files::replace(&self.path(model, text), &entry)
        })
    }
}

impl CachedModel {
    async fn vectors(&self, model: &str, texts: &[String]) -> Result<Embeddings, NoReply> {
        let card = match self.server.card(model).await {
            Err(NoReply::Failed(error)) if error.fault == Fault::Unsupported => Card::default(),
            other => other?,
        };
        let Some(digest) = card.digest.filter(|digest| is_digest(digest)) else {
            return self.server.embed(model, texts).await;
        };
        let _turn = self.turn.lock().await;
        let known = self.read(&digest, texts).await?;
        let unknown = texts.iter().zip(&known).filter(|(_, known)| known.is_none());
        let missing: BTreeSet<&String> = unknown.map(|(text, _)| text).collect();
        let missing: Vec<String> = missing.into_iter().cloned().collect();
        let mut asked = Embeddings::default();
        if !missing.is_empty() {
            asked = self.server.embed(model, &missing).await?;
            self.write(&digest, &missing, &asked.vectors).await;
        }
        let new = |text: &String| {
            let place = missing.binary_search(text).ok();
            place.and_then(|place| asked.vectors.get(place)).cloned()
        };
        let all = texts.iter().zip(known);
        let vectors: Option<Vec<_>> =
            all.map(|(text, known)| known.or_else(|| new(text))).collect();
        Ok(Embeddings {
            vectors: vectors.ok_or_else(|| broken("fewer vectors came than were asked for"))?,
            digest: Some(digest),
            ..asked
        })
    }

    /// Caches new vectors. If that fails, they are embedded again another time.
    async fn write(&self, model: &str, texts: &[String], vectors: &[Vec<f32>]) {
        let (cache, model) = (Arc::clone(&self.cache), model.to_owned());
        let (texts, vectors) = (texts.to_vec(), vectors.to_vec());
        let _ = spawn_blocking(move || cache.write(&model, &texts, vectors)).await;
    }

    async fn read(&self, model: &str, texts: &[String]) -> Result<Vec<Option<Vec<f32>>>, NoReply> {
        let (cache, model, texts) = (Arc::clone(&self.cache), model.to_owned(), texts.to_vec());
        let read = spawn_blocking(move || cache.read(&model, &texts)).await;
        read.map_err(|e| broken(&format!("the embedding cache's reader broke: {e}")))
    }
}

impl Model for CachedModel {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        self.server.chat(request, on_chunk)
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        self.server.card(model)
    }

    fn weights<'a>(&'a self, model: &'a str) -> Answering<'a, Weights> {
        self.server.weights(model)
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(self.vectors(model, texts))
    }

    fn in_memory(&self) -> BoxFuture<'_, Option<Vec<String>>> {
        self.server.in_memory()
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        self.server.is_there()
    }
}

/// Whether a server's digest is safe as part of a path.
fn is_digest(digest: &str) -> bool {
    (12..=128).contains(&digest.len()) && digest.chars().all(|c| c.is_ascii_hexdigit())
}

fn sum_of(vector: &[f32]) -> String {
    digest::of_json(&json!(vector))[..16].to_owned()
}

fn broken(message: &str) -> NoReply {
    CallError::new(Fault::BrokenStream, message).into()
}
