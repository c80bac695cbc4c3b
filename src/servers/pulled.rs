//! The weights behind models' names on a server: a name may have different weights on another server, or none.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::job::model_name::canonical;
use crate::model::Weights;
use crate::shared::Shared;

/// A model that was not there may have been pulled since, and a server that did not say may say.
const ASK_AGAIN: Duration = Duration::from_secs(300);

/// What was learned of a server's models, and when.
#[derive(Default)]
pub(super) struct PulledModels(Shared<BTreeMap<String, (Weights, Instant)>>);

impl PulledModels {
    /// What stands behind a model's name, as far as was learned.
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
