//! Embeddings kept on disk, by the digests of model and text: no text is asked for twice, in this run or another.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::output::Output;
use crate::digest;
use crate::files::{self, FileError};
use crate::model::{
    Answering, CallError, Card, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request,
};

/// The kept embeddings of an output directory.
#[derive(Debug)]
pub struct Kept {
    output: Output,
    /// Held while a file is replaced: two servers may have the same model.
    writing: Mutex<()>,
}

/// A server of which nothing is asked that is kept already. It stands behind the gate, since a model's digest is its
/// server's.
pub struct Keeping {
    kept: Arc<Kept>,
    server: Arc<dyn Model>,
    /// Debates take turns: the second finds what the first has asked for.
    turn: tokio::sync::Mutex<()>,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Entry {
    vector: Vec<f32>,
    /// A checksum over the vector.
    sum: String,
}

impl Kept {
    /// Those of an output directory; nothing is created yet.
    pub fn of(output: &Output) -> Arc<Self> {
        Arc::new(Self {
            output: output.clone(),
            writing: Mutex::default(),
        })
    }

    /// Puts them before a server.
    pub fn before(self: &Arc<Self>, server: Arc<dyn Model>) -> Keeping {
        Keeping {
            kept: Arc::clone(self),
            server,
            turn: tokio::sync::Mutex::default(),
        }
    }

    fn path(&self, model: &str, text: &str) -> PathBuf {
        let text = digest::of_bytes(text.as_bytes());
        self.output.embedding(model, &text)
    }

    /// The vectors that are kept. A file that is damaged is none.
    fn read(&self, model: &str, texts: &[String]) -> Vec<Option<Vec<f32>>> {
        let read = |text: &String| {
            let file = files::read(&self.path(model, text)).ok()?;
            let entry: Entry = serde_json::from_slice(&file).ok()?;
            (entry.sum == sum_of(&entry.vector)).then_some(entry.vector)
        };
        texts.iter().map(read).collect()
    }

    fn write(&self, model: &str, texts: &[String], vectors: &[Vec<f32>]) -> Result<(), FileError> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        files::create_dir(&self.output.embeddings(model))?;
        texts.iter().zip(vectors).try_for_each(|(text, vector)| {
            let (vector, sum) = (vector.clone(), sum_of(vector));
            // Numbers and a text: writing them as JSON cannot fail.
            let entry = serde_json::to_vec(&Entry { vector, sum }).unwrap_or_default();
            files::replace(&self.path(model, text), &entry)
        })
    }
}

impl Keeping {
    async fn vectors(&self, model: &str, texts: &[String]) -> Result<Embeddings, NoReply> {
        let card = self.server.card(model).await?;
        let Some(digest) = card.digest.filter(|digest| is_digest(digest)) else {
            return self.server.embed(model, texts).await;
        };
        let _turn = self.turn.lock().await;
        let known = self.read(&digest, texts).await?;
        let unknown = texts
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none());
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
        let vectors: Option<Vec<_>> = all
            .map(|(text, known)| known.or_else(|| new(text)))
            .collect();
        Ok(Embeddings {
            vectors: vectors.ok_or_else(|| broken("fewer vectors came than were asked for"))?,
            digest: Some(digest),
            ..asked
        })
    }

    async fn read(&self, model: &str, texts: &[String]) -> Result<Vec<Option<Vec<f32>>>, NoReply> {
        let (kept, model, texts) = (Arc::clone(&self.kept), model.to_owned(), texts.to_vec());
        let read = spawn_blocking(move || kept.read(&model, &texts)).await;
        read.map_err(|e| broken(&format!("the kept embeddings' reader broke: {e}")))
    }

    /// Keeps new vectors. Where the disk will not, they are used all the same, and asked for again another time.
    async fn write(&self, model: &str, texts: &[String], vectors: &[Vec<f32>]) {
        let (kept, model) = (Arc::clone(&self.kept), model.to_owned());
        let (texts, vectors) = (texts.to_vec(), vectors.to_vec());
        let _ = spawn_blocking(move || kept.write(&model, &texts, &vectors)).await;
    }
}

impl Model for Keeping {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        self.server.chat(request, on_chunk)
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        self.server.card(model)
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(self.vectors(model, texts))
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        self.server.is_there()
    }
}

/// Whether what a server calls a digest can be part of a path.
fn is_digest(digest: &str) -> bool {
    (12..=128).contains(&digest.len()) && digest.chars().all(|c| c.is_ascii_hexdigit())
}

fn sum_of(vector: &[f32]) -> String {
    digest::of_json(&json!(vector))[..16].to_owned()
}

fn broken(message: &str) -> NoReply {
    CallError::new(Fault::BrokenStream, message).into()
}
