//! With how much context each model is loaded: one value a model for the whole batch, since another value reloads it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A model and the context that is wanted of it, in tokens.
pub type Wanted<'a> = (&'a str, u32);

/// The contexts of a batch, shared by the clients of all its servers. They only grow.
#[derive(Debug, Clone, Default)]
pub struct Contexts(Arc<Mutex<BTreeMap<String, Context>>>);

#[derive(Debug)]
struct Context {
    /// The name by which the model was asked for first.
    model: String,
    tokens: u32,
}

impl Contexts {
    /// Takes in what is wanted: the largest counts (row M3a), under whichever of a model's names.
    pub fn want<'a>(&self, wanted: impl IntoIterator<Item = Wanted<'a>>) {
        let mut all = self.all();
        for (model, tokens) in wanted {
            let context = all.entry(full_name(model)).or_insert(Context {
                model: model.to_owned(),
                tokens,
            });
            context.tokens = context.tokens.max(tokens);
        }
    }

    /// Whether what is wanted can be had without loading a model anew that may be loaded by now.
    pub fn suffice<'a>(&self, wanted: impl IntoIterator<Item = Wanted<'a>>) -> bool {
        let all = self.all();
        wanted.into_iter().all(|(model, tokens)| {
            all.get(&full_name(model))
                .is_none_or(|context| tokens <= context.tokens)
        })
    }

    /// A model's context.
    pub fn of(&self, model: &str) -> Option<u32> {
        self.all().get(&full_name(model)).map(|c| c.tokens)
    }

    /// Every model with its context, in order of name.
    pub fn list(&self) -> Vec<(String, u32)> {
        let all = self.all();
        all.values().map(|c| (c.model.clone(), c.tokens)).collect()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Context>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two names mean one model: `llama3` is `llama3:latest`.
pub fn same_model(a: &str, b: &str) -> bool {
    full_name(a) == full_name(b)
}

fn full_name(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("{name}:latest")
    }
}
