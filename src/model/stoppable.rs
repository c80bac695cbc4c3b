//! A model that accepts no more calls once its debate must stop. Calls in flight finish.

use std::sync::Arc;

use super::{Answering, Card, Embeddings, Model, NoReply, OnChunk, Reply, Request};
use crate::stop::Stop;

/// A model that takes calls until it is asked to stop.
pub(crate) struct StoppableModel {
    model: Arc<dyn Model>,
    stop: Stop,
}

impl StoppableModel {
    /// This model until `stop` asks otherwise.
    pub(crate) fn new(model: Arc<dyn Model>, stop: Stop) -> Self {
        Self { model, stop }
    }

    fn until_stopped<'a, T: Send + 'a>(
        &'a self,
        call: impl FnOnce(&'a dyn Model) -> Answering<'a, T>,
    ) -> Answering<'a, T> {
        if self.stop.is_requested() {
            Box::pin(async { Err(NoReply::Stopped) })
        } else {
            call(self.model.as_ref())
        }
    }
}

impl Model for StoppableModel {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        self.until_stopped(|model| model.chat(request, on_chunk))
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        self.until_stopped(|it| it.card(model))
    }

    fn pin(&self, model: &str, digest: &str) {
        self.model.pin(model, digest);
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        self.until_stopped(|it| it.embed(model, texts))
    }
}
