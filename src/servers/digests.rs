//! The weights behind models' names: one name may stand for other weights on another server, or after another `ollama pull`.

use std::collections::BTreeMap;

use crate::job::model_name::canonical;
use crate::shared::Shared;

/// Models' digests: those that a server has, or that a debate began with.
#[derive(Default)]
pub(super) struct Digests(Shared<BTreeMap<String, Option<String>>>);

impl Digests {
    /// A model's digest, if it was noted and there is one.
    pub(super) fn get(&self, model: &str) -> Option<String> {
        self.0.lock().get(canonical(model)).cloned().flatten()
    }

    /// Whether it was noted what a model's digest is, or that it has none.
    pub(super) fn has(&self, model: &str) -> bool {
        self.0.lock().contains_key(canonical(model))
    }

    pub(super) fn note(&self, model: &str, digest: Option<String>) {
        self.0.lock().insert(canonical(model).to_owned(), digest);
    }

    pub(super) fn forget(&self, model: &str) {
        self.0.lock().remove(canonical(model));
    }
}
