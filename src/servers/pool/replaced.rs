//! Whether the weights that a debate began with are still there.

use futures_util::future::join_all;

use super::super::messages;
use super::ServerPool;

impl ServerPool {
    /// If every server that has the model has other weights for it by now: which, in words.
    pub(crate) async fn replaced(&self, model: &str, digest: &str) -> Option<String> {
        let up = self.servers.iter().filter(|it| !it.breaker.is_down());
        join_all(up.map(|it| it.learn_now(model))).await;
        let having = self.servers.iter().filter(|it| !it.is_without(model));
        let others: Vec<String> = having
            .map(|it| {
                let theirs = it.other_digest(model, Some(digest))?;
                let who = &it.known_as;
                Some(messages::other_weights(who, model, &theirs, Some(digest)))
            })
            .collect::<Option<_>>()?;
        (!others.is_empty()).then(|| others.join("; "))
    }
}
