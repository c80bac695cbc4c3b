//! The calls to models that a server answered and failed in a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{CallError, Trouble};
use crate::shared::Shared;

/// What a server did in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerSums {
    /// Its address.
    pub name: String,
    /// Calls to models that it gave a usable reply.
    pub answered: u64,
    /// Calls to models that it failed, refused or gave an unusable reply, whether or not they counted as attempts of debates.
    pub failed: u64,
}

/// Adds up what one server does.
#[derive(Debug, Default)]
pub(super) struct Tally(Shared<ServerSums>);

impl Tally {
    /// A call ended, with this failure if any. What runs no model does not count, nor does what this machine is short of.
    pub(super) fn count(&self, model: Option<&str>, failure: Option<&CallError>) {
        let is_ours = failure.is_some_and(|error| error.fault.trouble() == Trouble::Local);
        if model.is_some() && !is_ours {
            let mut counts = self.0.lock();
            counts.answered += u64::from(failure.is_none());
            counts.failed += u64::from(failure.is_some());
        }
    }

    /// The sums of the server with this name.
    pub(super) fn sums(&self, name: &str) -> ServerSums {
        ServerSums { name: name.to_owned(), ..self.0.lock().clone() }
    }
}
