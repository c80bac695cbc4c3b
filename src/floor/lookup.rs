//! The result of a retrieval, as the journal keeps it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::nearest::similarity;
use crate::model::{Embeddings, Fault};

/// The name of the external.
pub(super) const NAME: &str = "retrieval";

/// The result of asking for embeddings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Lookup {
    /// The digest of the request.
    pub(super) asked: String,
    pub(super) digest: Option<String>,
    pub(super) similarities: BTreeMap<String, f64>,
    /// Tokens of the compared texts, by estimate. What the server read depends on the vectors that other debates have left in
    /// the cache, and so says nothing about this one.
    pub(super) prompt_tokens: u64,
    pub(super) prompt_ns: u64,
    pub(super) load_ns: u64,
    /// The failures, by attempt.
    pub(super) failed: Vec<String>,
    /// The same failures as kinds; empty in journals from before these were kept.
    #[serde(default)]
    pub(super) faults: Vec<Fault>,
    /// The reason if there are no embeddings.
    pub(super) cause: Option<String>,
    pub(super) cut: Option<u64>,
}

impl Lookup {
    /// Whether there are embeddings.
    pub(super) fn answered(&self) -> bool {
        self.cause.is_none()
    }

    /// Adds the similarities. The first vector is the query's, the others belong to the texts with these names.
    pub(super) fn with<'n>(
        self,
        embeddings: &Embeddings,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let mut vectors = embeddings.vectors.iter();
        let query = vectors.next().map_or(&[][..], Vec::as_slice);
        let near = |(name, vector): (&str, &Vec<f32>)| (name.to_owned(), similarity(query, vector));
        Self {
            digest: embeddings.digest.clone(),
            similarities: names.zip(vectors).map(near).collect(),
            prompt_ns: embeddings.ns.believed(embeddings.ns.prompt),
            load_ns: embeddings.ns.believed(embeddings.ns.load),
            ..self
        }
    }
}
