//! A debate's handle on the pool: the model that it calls.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::assignments::Assignment;
use super::pool::ServerPool;
use super::routing::Need;
use super::server::PooledServer;
use crate::model::{Answering, Card, Chunk, Embeddings, Model, OnChunk, Reply, Request};
use crate::shared::Shared;

/// One debate's way to the servers: it prefers one, which then holds the beginning of the debate's prompts; the others take
/// its calls, in turn, while that one is failing.
pub struct PoolHandle {
    pool: Arc<ServerPool>,
    pub(super) assignment: Assignment,
}

impl PoolHandle {
    /// A handle for one debate, on the server with the fewest; equals take turns.
    pub fn new(pool: &Arc<ServerPool>) -> Self {
        let assignment = pool.assignments.lock().add();
        Self {
            pool: Arc::clone(pool),
            assignment,
        }
    }
}

impl Drop for PoolHandle {
    fn drop(&mut self) {
        self.pool.assignments.lock().remove(self.assignment);
    }
}

impl Model for PoolHandle {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async move {
            let asked: Shared<Option<&PooledServer>> = Shared::default();
            let seen = |chunk: Chunk<'_>| {
                if let Some(server) = *asked.lock() {
                    server.liveness.mark_seen();
                }
                on_chunk(chunk);
            };
            let call = |server| {
                if asked.lock().replace(server).is_some() {
                    on_chunk(Chunk::Again);
                }
                server.model.chat(request, &seen)
            };
            let model = &request.model;
            self.pool
                .ask(self.assignment, model, Need::Must, call)
                .await
        })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        let call = move |server: &'a PooledServer| server.model.card(model);
        Box::pin(self.pool.ask(self.assignment, model, Need::Must, call))
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        let call = move |server: &'a PooledServer| server.model.embed(model, texts);
        Box::pin(self.pool.ask_each(self.assignment, model, call))
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            for server in &self.pool.servers {
                if server.model.is_there().await {
                    return true;
                }
            }
            false
        })
    }
}
