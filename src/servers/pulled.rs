//! The weights behind each model's name on a server. Another server may have different weights under that name, or none.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::job::models::model_name::canonical;
use crate::model::Weights;
use crate::shared::Shared;

/// Interval after which absent or unknown weights are looked up again: the model may have been pulled since.
const ASK_AGAIN: Duration = Duration::from_secs(300);
/// The same for known weights: the model may have been replaced since.
const ASK_WHETHER_REPLACED: Duration = Duration::from_secs(60);

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

    /// Whether known weights are to be looked up again. Tells one caller, so that not every call asks.
    pub(super) fn is_due(&self, model: &str) -> bool {
        let mut all = self.0.lock();
        let Some((Weights::Digest(_), since)) = all.get_mut(canonical(model)) else { return false };
        let is_due = since.elapsed() > ASK_WHETHER_REPLACED;
        if is_due {
            *since = Instant::now();
        }
        is_due
    }

    /// Notes what a server says. If it does not say, what it said before stands.
    pub(super) fn note(&self, model: &str, weights: Weights) {
        let mut all = self.0.lock();
        let (known, since) =
            all.entry(canonical(model).to_owned()).or_insert((Weights::Unknown, Instant::now()));
        if weights != Weights::Unknown || !matches!(known, Weights::Digest(_)) {
            *known = weights;
        }
        *since = Instant::now();
    }

    pub(super) fn forget(&self) {
        self.0.lock().clear();
    }
}
