//! One server of the pool: whether it is up, and where the failure of a call belongs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use scheduler::ModelName;
use tokio::time::Instant;

use super::breaker::{CircuitBreaker, Scope};
use super::liveness::Liveness;
use super::messages;
use super::pulled::PulledModels;
use super::streaks::Streaks;
use super::tally::Tally;
use crate::job::models::model_name::canonical;
use crate::model::stall_tolerant::stall_tolerant_timeout;
use crate::model::{CallError, Fault, Model, Trouble, Weights};
use crate::shared::Shared;
use crate::text;

/// Time limit for a failing server to answer a probe.
pub(super) const PROBE: Duration = Duration::from_secs(2);
/// Time limit for a server whose replies are silent: it is believed to be up, and the answer costs it no work.
pub(super) const SILENT_PROBE: Duration = Duration::from_secs(1);

/// A server and what is known about it.
pub(super) struct PooledServer {
    pub(super) name: String,
    /// What the user calls it: a single server needs no name.
    pub(super) known_as: String,
    pub(super) model: Arc<dyn Model>,
    pub(super) breaker: CircuitBreaker,
    pub(super) liveness: Liveness,
    pub(super) pulled: PulledModels,
    /// Replies received in full.
    pub(super) answered: AtomicU64,
    pub(super) streaks: Streaks,
    pub(super) tally: Tally,
    /// The features that it lacks, as far as the user was told.
    pub(super) lacks: Shared<BTreeSet<String>>,
    /// Why models that had answered were given up, until they answer again.
    lost: Shared<BTreeMap<String, String>>,
    /// What the user can do about models that were given up, until they answer again: circuits do not last so long.
    remedies: Shared<BTreeMap<String, String>>,
}

/// The state of a server when a call began.
pub(super) struct CallStart {
    pub(super) at: Instant,
    /// Outages before the call.
    pub(super) losses: u64,
}

/// Where a failed call's failure belongs.
pub(super) enum FailureOwner {
    /// The call itself.
    Call,
    /// The server, within that scope.
    Server(Scope),
    /// The server, which went down during the call and is up again.
    PastOutage,
}

/// Whose failure it is that a call was not answered by a server that is up.
pub(super) enum Blame {
    /// The call's.
    Call,
    /// The server's. It fails calls of other debates too, or other calls that other servers can take.
    Server,
    /// The server's, but it has answered others since it last failed this call.
    Both,
}

impl PooledServer {
    pub(super) fn new(name: String, model: Arc<dyn Model>, is_alone: bool) -> Self {
        let known_as = if is_alone { "the server" } else { &name };
        Self {
            known_as: known_as.to_owned(),
            name,
            model,
            breaker: CircuitBreaker::default(),
            liveness: Liveness::new(),
            pulled: PulledModels::default(),
            answered: AtomicU64::new(0),
            streaks: Streaks::default(),
            tally: Tally::default(),
            lacks: Shared::default(),
            lost: Shared::default(),
            remedies: Shared::default(),
        }
    }

    pub(super) fn start(&self) -> CallStart {
        CallStart { at: Instant::now(), losses: self.liveness.losses() }
    }

    /// Where a failed call's failure belongs. It is the server's because of the kind of fault, or because a reply broke off and
    /// the server is down, or has been since the call began with `losses` outages. A reply that is late or that the server
    /// reports as failed is the call's own failure even if there was an outage.
    pub(super) async fn owner_of(
        &self,
        model: &str,
        error: &CallError,
        losses: u64,
    ) -> FailureOwner {
        let fault = error.fault;
        let foreign = matches!(fault, Fault::ForeignServer | Fault::Unsupported);
        if !foreign && !fault.is_transport() {
            return match (fault.trouble(), fault) {
                (Trouble::Server, Fault::NoConnection) => FailureOwner::Server(Scope::Absence),
                (Trouble::Server, _) => FailureOwner::Server(Scope::Model(model.to_owned())),
                _ => FailureOwner::Call,
            };
        }
        match (self.is_up(PROBE).await, fault) {
            (false, _) => FailureOwner::Server(Scope::Absence),
            (true, Fault::ForeignServer) => FailureOwner::Server(Scope::Refusal),
            (true, Fault::BrokenStream) if self.liveness.losses() > losses => {
                FailureOwner::PastOutage
            }
            (true, _) => FailureOwner::Call,
        }
    }

    pub(super) async fn is_up(&self, limit: Duration) -> bool {
        stall_tolerant_timeout(limit, self.model.is_there()).await == Some(true)
    }

    /// The models that it has in memory, if it reports them in time.
    pub(super) async fn memory(&self) -> Option<Vec<ModelName>> {
        let names = stall_tolerant_timeout(PROBE, self.model.in_memory()).await??;
        Some(names.iter().map(|name| ModelName::from(canonical(name))).collect())
    }

    /// Asks for the weights behind a model's name unless they are known, and from time to time whether they were replaced. If the
    /// server can't say now, it is asked again later.
    pub(super) async fn learn(&self, model: &str) {
        let is_up = !self.breaker.is_open(model);
        if is_up && (self.pulled.get(model).is_none() || self.pulled.is_due(model)) {
            self.learn_now(model).await;
        }
    }

    /// Asks for the weights behind a model's name.
    pub(super) async fn learn_now(&self, model: &str) {
        let weights = stall_tolerant_timeout(PROBE, self.model.weights(model))
            .await
            .and_then(Result::ok)
            .unwrap_or(Weights::Unknown);
        self.pulled.note(model, weights);
    }

    /// The cause if a model is gone that answered in this run: this one if it is `alone`, otherwise one for all of them.
    pub(super) fn lost(&self, model: &str, alone: String) -> String {
        let mut models = self.breaker.lacking();
        models.insert(model.to_owned());
        models.retain(|it| self.streaks.replies(it) > 0);
        if models.len() > 1 { messages::lost(&self.known_as, &models) } else { alone }
    }

    /// Notes why a model that had answered was given up. Whether the user has to be told: it may be the cause of several models.
    pub(super) fn is_news(&self, model: &str, cause: &str) -> bool {
        let mut lost = self.lost.lock();
        let is_news = !lost.values().any(|it| it == cause);
        lost.insert(model.to_owned(), cause.to_owned());
        is_news
    }

    /// Notes what the user can do about a model that was given up.
    pub(super) fn note_remedy(&self, model: &str, remedy: Option<String>) {
        let mut all = self.remedies.lock();
        all.remove(model);
        all.extend(remedy.map(|it| (model.to_owned(), it)));
    }

    /// What the user can do about models that were given up, of which each `is_told`, and where.
    pub(super) fn remedies(&self, is_told: &mut dyn FnMut(&str) -> bool) -> Vec<String> {
        // Who tells looks into them, too.
        let (all, lost) = (self.remedies.lock().clone(), self.lost.lock());
        let place = text::told_if(self.known_as == self.name, || format!("for {}, ", self.name));
        let told = all.iter().filter(|(model, _)| is_told(model));
        let of = |(model, remedy): (&String, &String)| {
            if lost.len() > 1 && lost.contains_key(model) {
                messages::restore(&self.known_as, lost.keys())
            } else {
                place.clone() + remedy
            }
        };
        told.map(of).collect()
    }

    /// Whether a model was given up here, if only before the server was away.
    pub(super) fn has_given_up(&self, model: &str) -> bool {
        let scope = Scope::Model(model.to_owned());
        self.breaker.has_given_up(&scope) || self.remedies.lock().contains_key(model)
    }

    /// A model answers, so that it is news if it is lost.
    pub(super) fn found(&self, model: &str) {
        self.remedies.lock().remove(model);
        let mut lost = self.lost.lock();
        if let Some(cause) = lost.remove(model) {
            lost.retain(|_, it| *it != cause);
        }
    }

    /// Whether a model is known to be pulled here.
    pub(super) fn has(&self, model: &str) -> bool {
        matches!(self.pulled.get(model), Some(Weights::Digest(_)))
    }

    /// Whether a model is known not to be pulled here.
    pub(super) fn is_without(&self, model: &str) -> bool {
        self.pulled.get(model) == Some(Weights::Absent)
    }

    /// The digest of its weights for a model, if it is known and differs from the wanted one.
    pub(super) fn other_digest(&self, model: &str, wanted: Option<&str>) -> Option<String> {
        match (self.pulled.get(model)?, wanted?) {
            (Weights::Digest(digest), wanted) if digest != wanted => Some(digest),
            _ => None,
        }
    }

    /// Whether it is down or was given up.
    pub(super) fn is_out(&self) -> bool {
        self.breaker.is_down() || self.breaker.is_given_up()
    }

    pub(super) fn absence(&self) -> CallError {
        CallError::new(Fault::NoConnection, format!("{} does not answer", self.name))
    }
}
