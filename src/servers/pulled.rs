//! The weights behind each model's name on a server. Another server may have different weights under that name, or none.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::job::models::model_name::canonical;
use crate::model::Weights;
use crate::shared::Shared;

/// Interval after which absent or unknown weights are looked up again: the model may have been pulled since.
const ASK_AGAIN: Duration = Duration::from_secs(300);

/// What was learned about a server's models, and when.
#[derive(Default)]
pub(super) struct PulledModels(Shared<BTreeMap<String, (Weights, Instant)>>);

impl PulledModels {
    /// The weights behind a model's name, as far as known.
    pub(super) fn get(&self, model: &str) -> Option<Weights> {
        let (weights, since) = self.0.lock().get(canonical(model)).cloned()?;
        let is_known = matches!(weights, Weights::Digest(_));
        let is_old = !is_known && since.elapsed() > ASK_AGAIN;
        (!is_old).then_some(weights)
    }

    pub(super) fn note(&self, model: &str, weights: Weights) {
        let noted = (weights, Instant::now());
        self.0.lock().insert(canonical(model).to_owned(), noted);
    }

    pub(super) fn forget(&self) {
        self.0.lock().clear();
    }
}
