//! Tests of the pool with servers that fail as told; what several of its parts need.

mod broken;
mod cards;
mod digests;
mod doubts;
mod outages;
mod refusals;
mod relapses;
mod resends;
mod several;
mod silence;
mod slots;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::{Instant, advance, sleep, timeout};

use super::breaker::{CircuitBreaker, Scope, SeenBy};
use super::*;
use crate::model::{
    Answering, CallError, Chunk, DoneReason, Durations, Embeddings, Fault, Model, NoReply, OnChunk,
    Reply, Request, Tokens, Weights,
};

fn reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        thinking: None,
        done_reason: DoneReason::Stop,
        tokens: Tokens::default(),
        ns: Durations::default(),
        by_other: None,
        calls_tool: false,
    }
}

fn request() -> Request {
    Request {
        call: "c".to_owned(),
        attempt: 1,
        model: "m".to_owned(),
        num_predict: 1,
        seed: 1,
        ..Request::default()
    }
}

/// A pool with one server that takes one call at a time; a failing model is waited for up to a minute.
fn pool(server: Arc<dyn Model>, tell: OnNotice) -> ServerPool {
    pool_of(vec![("gpu".to_owned(), server)], 1, tell)
}

fn pool_of(
    servers: Vec<(String, Arc<dyn Model>)>,
    concurrency: usize,
    tell: OnNotice,
) -> ServerPool {
    let config = PoolConfig {
        concurrency: Concurrency::at_most(concurrency),
        ..config(Some(seconds(60)), tell)
    };
    ServerPool::new(servers, config)
}

/// One call at a time, a minute for a failing model, and `outage` for a server that is down.
fn config(outage: Option<Duration>, tell: OnNotice) -> PoolConfig {
    PoolConfig {
        concurrency: Concurrency::at_most(1),
        model_timeout: seconds(60),
        outage_timeout: outage,
        known_absent: Vec::new(),
        on_notice: tell,
    }
}

/// The notices, each with its time in milliseconds.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<(u128, String)>>>);

impl Told {
    fn tell(&self) -> OnNotice {
        let (told, began) = (Arc::clone(&self.0), Instant::now());
        Arc::new(move |line: &str| {
            let at = began.elapsed().as_millis();
            told.lock().unwrap().push((at, line.to_owned()));
        })
    }

    fn lines(&self) -> Vec<String> {
        let told = self.0.lock().unwrap();
        told.iter().map(|(_, line)| line.clone()).collect()
    }
}

/// A server that is up at given times, and answers each request after a given time in a given way.
struct Scripted<T, A> {
    began: Instant,
    asked: AtomicUsize,
    /// Whether it is up at this time after its creation.
    there: T,
    /// When and how it answers a request, given the number of earlier ones.
    answer: A,
}

impl<T, A> Scripted<T, A>
where
    T: Fn(Duration) -> bool + Send + Sync + 'static,
    A: Fn(&Request, usize) -> (Duration, Result<(), Fault>) + Send + Sync + 'static,
{
    fn new(there: T, answer: A) -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), asked: AtomicUsize::new(0), there, answer })
    }
}

impl<T, A> Model for Scripted<T, A>
where
    T: Fn(Duration) -> bool + Send + Sync,
    A: Fn(&Request, usize) -> (Duration, Result<(), Fault>) + Send + Sync,
{
    fn chat<'a>(&'a self, request: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let (after, answer) = (self.answer)(request, asked);
        Box::pin(async move {
            sleep(after).await;
            let failed = |fault| CallError {
                remedy: Some("mend it".to_owned()),
                ..CallError::new(fault, "it failed")
            };
            match answer {
                Ok(()) => Ok(reply("well")),
                Err(Fault::EmptyReply) => Ok(reply("")),
                Err(fault) => Err(failed(fault).into()),
            }
        })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        let there = (self.there)(self.began.elapsed());
        Box::pin(async move {
            if !there {
                std::future::pending::<()>().await;
            }
            true
        })
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Waits for at most an hour, so that a call which is resent forever ends too.
async fn ask(handle: &PoolHandle, request: &Request) -> Result<String, NoReply> {
    let reply = timeout(seconds(3600), handle.chat(request, &|_| {})).await;
    Ok(reply.expect("it ends")?.text)
}

fn fault_of(outcome: Result<String, NoReply>) -> Fault {
    match outcome {
        Err(NoReply::Failed(error)) => error.fault,
        other => panic!("a failed call, not {other:?}"),
    }
}
