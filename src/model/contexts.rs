//! With how much context each model is loaded: one value a model for the whole batch, since another value reloads it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::job::model_name::canonical;

/// A model and the context that is wanted of it, in tokens.
pub type Wanted<'a> = (&'a str, u32);

/// The contexts of a batch by the models' canonical names, shared by the clients of all its servers. They only grow.
#[derive(Debug, Clone, Default)]
pub struct Contexts(Arc<Mutex<BTreeMap<String, u32>>>);

impl Contexts {
    /// Takes in what is wanted: the largest counts (row M3a), under whichever of a model's names.
    pub fn want<'a>(&self, wanted: impl IntoIterator<Item = Wanted<'a>>) {
        let mut all = self.all();
        for (model, tokens) in wanted {
            let context = all.entry(canonical(model).to_owned()).or_insert(tokens);
            *context = tokens.max(*context);
        }
    }

    /// Whether what is wanted can be had without loading a model anew that may be loaded by now.
    pub fn suffice<'a>(&self, wanted: impl IntoIterator<Item = Wanted<'a>>) -> bool {
        let all = self.all();
        wanted.into_iter().all(|(model, tokens)| {
            all.get(canonical(model))
                .is_none_or(|context| tokens <= *context)
        })
    }

    /// A model's context.
    pub fn of(&self, model: &str) -> Option<u32> {
        self.all().get(canonical(model)).copied()
    }

    /// Every model with its context, in order of name.
    pub fn list(&self) -> Vec<(String, u32)> {
        let all = self.all();
        all.iter().map(|(model, n)| (model.clone(), *n)).collect()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
