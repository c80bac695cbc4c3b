//! A debate's handle on the server pool: the model it calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use scheduler::DebateNumber;

use super::answer::Answer;
use super::pool::ServerPool;
use super::pooled_server::PooledServer;
use super::routing::{Call, Need};
use super::streaks::CallFailures;
use crate::job::models::model_name::canonical;
use crate::model::permit::Permit;
use crate::model::{
    Answering, Card, Chunk, Embeddings, Model, NoReply, OnChunk, Reply, Request, Weights,
};
use crate::shared::Shared;
use crate::stop::Stop;

/// One debate's access to the servers. Each call waits for its turn, ideally on the slot that holds the start of its prompt.
pub struct PoolHandle {
    pool: Arc<ServerPool>,
    debate: DebateNumber,
    /// The digests of the weights that the debate began with, by model.
    pinned: Shared<BTreeMap<String, String>>,
    /// The failures of calls without a usable reply so far, by name.
    failures: Shared<BTreeMap<String, Arc<CallFailures>>>,
    permit: Option<Arc<dyn Permit>>,
    stop: Stop,
}

impl PoolHandle {
    /// A handle for one debate.
    pub fn new(pool: &Arc<ServerPool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            debate: pool.turns.tell(|scheduler, now| scheduler.debates.join(now)),
            pinned: Shared::default(),
            failures: Shared::default(),
            permit: None,
            stop: Stop::default(),
        }
    }

    /// Lets no call wait, or start, after this stop is requested.
    pub fn until(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Makes each call that takes a slot ask for a permit once its turn has come.
    pub fn with_permit(mut self, permit: Option<Arc<dyn Permit>>) -> Self {
        self.permit = permit;
        self
    }

    async fn permitted(&self) -> Result<(), NoReply> {
        match &self.permit {
            Some(permit) if !permit.may_ask().await => Err(NoReply::Stopped),
            _ => Ok(()),
        }
    }

    /// The failures of a call so far.
    fn failures_of(&self, call: &str) -> Arc<CallFailures> {
        let mut all = self.failures.lock();
        let new = || Arc::new(CallFailures::new(call));
        Arc::clone(all.entry(call.to_owned()).or_insert_with(new))
    }

    /// A call to a model; `takes_slot` if the model has to work for it.
    fn call<'m>(&'m self, model: &'m str, need: Need, takes_slot: bool) -> Call<'m> {
        Call {
            debate: self.debate,
            model,
            digest: None,
            need,
            takes_slot,
            past: None,
            stop: &self.stop,
        }
    }
}

impl Drop for PoolHandle {
    fn drop(&mut self) {
        let debate = self.debate;
        let turns = &self.pool.turns;
        turns.tell(|scheduler, _| scheduler.debates.leave(debate));
    }
}

impl Model for PoolHandle {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async move {
            let digest = self.pinned.lock().get(canonical(&request.model)).cloned();
            let past = self.failures_of(&request.call);
            let call = Call {
                digest: digest.as_deref(),
                past: Some(&past),
                ..self.call(&request.model, Need::Must, true)
            };
            let made = self.pool.ask(call, |server| {
                Box::pin(async move {
                    self.permitted().await?;
                    let seen = |chunk: Chunk<'_>| {
                        server.liveness.mark_seen();
                        on_chunk(chunk);
                    };
                    on_chunk(Chunk::Sent);
                    let answer = server.model.chat(request, &seen).await;
                    if answer.is_err() {
                        on_chunk(Chunk::Returned);
                    }
                    answer.map(|reply| Answer::checked(reply, request))
                })
            });
            let answer = made.await?;
            match answer.fault {
                Some(_) => past.replied(),
                None => drop(self.failures.lock().remove(&request.call)),
            }
            Ok(answer.value)
        })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        let call = move |server: &'a PooledServer| -> Answering<'a, Card> {
            Box::pin(async move {
                let card = server.model.card(model).await?;
                if let Some(digest) = &card.digest {
                    let weights = Weights::Digest(digest.clone());
                    server.pulled.note(model, weights);
                }
                Ok(card)
            })
        };
        Box::pin(self.pool.card(self.call(model, Need::Must, false), call))
    }

    fn pin(&self, model: &str, digest: &str) {
        let model = canonical(model).to_owned();
        self.pinned.lock().insert(model, digest.to_owned());
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        let call = move |server: &'a PooledServer| -> Answering<'a, Answer<Embeddings>> {
            Box::pin(async move {
                self.permitted().await?;
                let embeddings = server.model.embed(model, texts).await?;
                let ns = embeddings.ns;
                Ok(Answer::new(embeddings, ns))
            })
        };
        Box::pin(async move {
            // A slot of a model that can't be loaded never becomes free: the calls of others would be held back for it.
            let takes_slot = !self.pool.is_nowhere(model).await;
            let answer = self.pool.ask(self.call(model, Need::May, takes_slot), call).await?;
            Ok(answer.value)
        })
    }
}
