//! Pools: debates that the same machines can run, by the models that their participants speak through. A machine takes only from
//! those whose models it has pulled, so that none waits for a model there and none is loaded in another's place without need.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::{Result, refused, unusable};
use super::names::POOL_KEYS;
use super::nats::{Nats, bytes};
use crate::digest;
use crate::job::models::model_name::canonical;
use crate::plan::Plan;
use crate::text;

/// Digits of a digest that tell pools apart.
const DIGITS: usize = 16;
/// How many debates of a pool may be in progress, over all machines.
const MOST_IN_PROGRESS: i64 = 4_096;

/// Debates that the same machines can run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pool {
    /// Their models by canonical names; none if they are rehearsals.
    pub models: BTreeSet<String>,
}

impl Pool {
    /// The pool of a debate.
    pub fn of(plan: &Plan) -> Self {
        let models =
            plan.participants.iter().map(|it| canonical(&it.model)).filter(|_| !plan.rehearsal);
        Self { models: models.map(str::to_owned).collect() }
    }

    /// What it is called in subjects and keys.
    pub(super) fn key(&self) -> String {
        digest::of_json(&json!(self.models))[..DIGITS].to_owned()
    }

    /// Its models in words.
    pub fn told(&self) -> String {
        let models = text::if_any(text::joined(&self.models, "and"));
        models.unwrap_or_else(|| "rehearsals".to_owned())
    }

    /// Lets workers find it. A debate whose worker says nothing for `ack_wait` is given to another.
    pub(super) async fn open(&self, nats: &Nats, ack_wait: Duration) -> Result<()> {
        let config = pull::Config {
            durable_name: Some(self.consumer_name()),
            filter_subject: format!("rebut.work.{}.>", self.key()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            // Those that reach a limit would stay in the stream and never be delivered: workers decide what is hopeless.
            max_deliver: -1,
            max_ack_pending: MOST_IN_PROGRESS,
            ..pull::Config::default()
        };
        let made = nats.work.create_consumer(config).await;
        made.map_err(refused("make a consumer"))?;
        let key = format!("{POOL_KEYS}{}", self.key());
        let put = nats.control.put(key, bytes(self).into()).await;
        put.map(drop).map_err(refused("keep a pool"))
    }

    fn consumer_name(&self) -> String {
        format!("pool-{}", self.key())
    }

    /// Where its debates come from.
    pub(super) async fn consumer(&self, nats: &Nats) -> Result<Consumer<pull::Config>> {
        nats.work.get_consumer(&self.consumer_name()).await.map_err(refused("give a consumer"))
    }
}

/// All pools that there are.
pub(super) async fn all(nats: &Nats) -> Result<Vec<Pool>> {
    let mut pools = Vec::new();
    for key in keys(&nats.control, POOL_KEYS).await? {
        let bytes = nats.control.get(key).await;
        if let Some(bytes) = bytes.map_err(refused("give a pool"))? {
            pools.push(serde_json::from_slice(&bytes).map_err(unusable("a pool"))?);
        }
    }
    pools.sort();
    Ok(pools)
}

/// The keys of a bucket that begin so, in order.
pub(super) async fn keys(
    bucket: &async_nats::jetstream::kv::Store,
    beginning: &str,
) -> Result<Vec<String>> {
    let keys =
        bucket.keys().await.map_err(refused("list keys"))?.try_collect::<Vec<String>>().await;
    let mut keys = keys.map_err(refused("list keys"))?;
    keys.retain(|key| key.starts_with(beginning));
    keys.sort();
    Ok(keys)
}
