//! The result of a retrieval, as the journal keeps it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counts;
use super::nearest::similarity;
use crate::model::{Embeddings, Fault};

/// The name of the reading.
pub(super) const NAME: &str = "retrieval";

/// The result of asking for embeddings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Lookup {
    /// The digest of what was asked.
    pub(super) asked: String,
    pub(super) digest: Option<String>,
    pub(super) similarities: BTreeMap<String, f64>,
    /// Of the texts that were compared, by estimate. What the server read of them depends on which vectors other debates
    /// had left behind, and so says nothing of this one.
    pub(super) prompt_tokens: u64,
    pub(super) prompt_ns: u64,
    pub(super) load_ns: u64,
    /// What went wrong, by attempt.
    pub(super) failed: Vec<String>,
    /// The same as kinds; journals of before they were kept have none.
    #[serde(default)]
    pub(super) faults: Vec<Fault>,
    /// Why there are no embeddings.
    pub(super) cause: Option<String>,
    pub(super) cut: Option<u64>,
}

impl Lookup {
    /// Whether there were embeddings in the end.
    pub(super) fn answered(&self) -> bool {
        self.cause.is_none()
    }

    /// The first vector is the query's, the others those of the texts with these names.
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
            prompt_ns: counts::believed_time(embeddings.ns.prompt),
            load_ns: counts::believed_time(embeddings.ns.load),
            ..self
        }
    }
}
