//! How each model is loaded, above all its context: one value per model for the whole batch, since another value
//! reloads it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::job::Job;
use crate::job::models::loading::{Load, Loads};
use crate::job::models::model_name::canonical;
use crate::job::problem::Problem;
use crate::shared::Shared;

/// A model and the context that is wanted of it, in tokens.
pub type Wanted<'a> = (&'a str, u32);

/// The contexts of a batch by the models' canonical names, and what its jobs say of loading; shared by the clients of all its servers. They only grow.
#[derive(Debug, Clone, Default)]
pub struct Contexts {
    wanted: Arc<Shared<BTreeMap<String, u32>>>,
    loads: Arc<Shared<Loads>>,
}

impl Contexts {
    /// Notes what is wanted: the largest counts (row M3a), under whichever of a model's names. Returns the models that were
    /// wanted with less before, and may be loaded with that.
    pub fn want<'a>(&self, wanted: impl IntoIterator<Item = Wanted<'a>>) -> Vec<String> {
        let (mut all, mut grown) = (self.wanted.lock(), Vec::new());
        for (model, tokens) in wanted {
            let context = all.entry(canonical(model).to_owned()).or_insert(tokens);
            if *context < tokens {
                *context = tokens;
                grown.push(canonical(model).to_owned());
            }
        }
        grown
    }

    /// A model's context.
    pub fn of(&self, model: &str) -> Option<u32> {
        self.wanted.lock().get(canonical(model)).copied()
    }

    /// Every model with its context, in order of name.
    pub fn list(&self) -> Vec<(String, u32)> {
        let all = self.wanted.lock();
        all.iter().map(|(model, n)| (model.clone(), *n)).collect()
    }

    /// The names of these models.
    pub fn models(&self) -> Vec<String> {
        self.wanted.lock().keys().cloned().collect()
    }

    /// Notes what a job says of how models are loaded.
    ///
    /// # Errors
    /// Where jobs of this batch say otherwise, or a model of theirs may be loaded without it by now.
    pub fn load_as(&self, job: &Job) -> Result<(), Vec<Problem>> {
        let in_use = |model: &str| self.of(model).is_some();
        self.loads.lock().add(&job.path, &job.loads, in_use)
    }

    /// Load options and `keep_alive` of a model, as far as the jobs set them.
    pub fn load(&self, model: &str) -> Load {
        self.loads.lock().load_of(model)
    }

    /// The models of which jobs say something that no debate wants.
    pub fn unused_loads(&self) -> Vec<String> {
        let loads = self.loads.lock();
        let unused = loads.models().filter(|model| self.of(model).is_none());
        unused.map(str::to_owned).collect()
    }
}
