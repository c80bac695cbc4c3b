//! The gate before a server: so many calls in flight, none begun once the run is stopping, and the server's own trouble
//! waited out here, so that it is no attempt of any debate (row J10c).

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::stop::Stop;
use crate::model::{
    Answering, CallError, Card, Chunk, Fault, Model, NoReply, OnChunk, Reply, Request, Trouble,
};

/// The first pause while a server is in trouble; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// What the gate tells the user, one line each.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// A model behind a gate.
pub struct Gate {
    inner: Arc<dyn Model>,
    slots: Semaphore,
    stop: Stop,
    tell: Tell,
    wait: Duration,
    /// Trouble by what it concerns: one model, or the whole server (`None`).
    trouble: Mutex<HashMap<Option<String>, Instant>>,
    /// Models that were given up, with the cause.
    given_up: Mutex<HashMap<Option<String>, String>>,
}

impl Gate {
    /// A gate that lets `at_once` calls through and waits `wait` for a server in trouble.
    pub fn new(
        inner: Arc<dyn Model>,
        at_once: usize,
        wait: Duration,
        stop: Stop,
        tell: Tell,
    ) -> Self {
        let (trouble, given_up) = (Mutex::default(), Mutex::default());
        Self {
            inner,
            slots: Semaphore::new(at_once.max(1)),
            stop,
            tell,
            wait,
            trouble,
            given_up,
        }
    }

    /// Why the whole server was given up, if it was.
    pub fn given_up(&self) -> Option<String> {
        let given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.get(&None).cloned()
    }

    async fn ask<'a, T>(
        &'a self,
        model: &'a str,
        call: impl Fn() -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut pause = FIRST_PAUSE;
        loop {
            self.check_given_up(model)?;
            let outcome = {
                let _slot = self.slot().await?;
                call().await
            };
            match outcome {
                Err(NoReply::Failed(error)) if self.is_servers(&error).await => {
                    self.wait_out(model, &error, pause).await?;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                other => {
                    self.recovered(model);
                    return other;
                }
            }
        }
    }

    /// A place among the calls in flight; none once the run is stopping.
    async fn slot(&self) -> Result<tokio::sync::SemaphorePermit<'_>, NoReply> {
        let permit = tokio::select! {
            biased;
            () = self.stop.requested() => return Err(NoReply::Stopped),
            permit = self.slots.acquire() => permit,
        };
        // The semaphore is never closed.
        permit.map_err(|_| NoReply::Stopped)
    }

    /// Whether trouble is the server's: by its kind, or because a stream broke and the server is gone.
    async fn is_servers(&self, error: &CallError) -> bool {
        match error.fault.trouble() {
            Trouble::Server => true,
            _ => {
                matches!(error.fault, Fault::BrokenStream | Fault::Timeout)
                    && !self.inner.is_there().await
            }
        }
    }

    async fn wait_out(
        &self,
        model: &str,
        error: &CallError,
        pause: Duration,
    ) -> Result<(), NoReply> {
        let about = about(model, error.fault);
        if let Some(cause) = hopeless(model, error) {
            return Err(self.give_up(about, cause));
        }
        let (since, is_new) = self.since(&about);
        let most = minutes(self.wait);
        if is_new {
            (self.tell)(&format!(
                "waiting for the server, at most {most}: {}",
                error.message
            ));
        }
        let left = self.wait.checked_sub(since.elapsed()).unwrap_or_default();
        if left.is_zero() {
            let cause = format!("the server was in trouble for {most}: {}", error.message);
            return Err(self.give_up(about, cause));
        }
        tokio::select! {
            () = self.stop.requested() => Err(NoReply::Stopped),
            () = tokio::time::sleep(pause.min(left)) => Ok(()),
        }
    }

    fn since(&self, about: &Option<String>) -> (Instant, bool) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !trouble.contains_key(about);
        (
            *trouble.entry(about.clone()).or_insert_with(Instant::now),
            is_new,
        )
    }

    fn give_up(&self, about: Option<String>, cause: String) -> NoReply {
        let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        if given_up.insert(about, cause.clone()).is_none() {
            (self.tell)(&cause);
        }
        NoReply::Parked(cause)
    }

    fn check_given_up(&self, model: &str) -> Result<(), NoReply> {
        let given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        let cause = given_up
            .get(&Some(model.to_owned()))
            .or_else(|| given_up.get(&None));
        cause.map_or(Ok(()), |cause| Err(NoReply::Parked(cause.clone())))
    }

    fn recovered(&self, model: &str) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = [
            trouble.remove(&None),
            trouble.remove(&Some(model.to_owned())),
        ];
        if let Some(since) = ended.into_iter().flatten().min() {
            (self.tell)(&format!(
                "the server answers again after {:.0} s",
                since.elapsed().as_secs_f64()
            ));
        }
    }
}

/// What trouble concerns: the whole server where there is no connection, else the one model (a full server answers 503
/// only for models that it would have to load).
fn about(model: &str, fault: Fault) -> Option<String> {
    let whole = matches!(
        fault,
        Fault::NoConnection | Fault::BrokenStream | Fault::Timeout
    );
    (!whole).then(|| model.to_owned())
}

/// Why waiting would not help, if it would not.
fn hopeless(model: &str, error: &CallError) -> Option<String> {
    match error.fault {
        Fault::ModelNotFound => Some(format!(
            "the server has no model {model}: run `ollama pull {model}`"
        )),
        Fault::AccessDenied => Some(format!(
            "{}; {model} wants a key in OLLAMA_API_KEY",
            error.message
        )),
        _ => None,
    }
}

fn minutes(wait: Duration) -> String {
    if wait.as_secs() < 120 {
        format!("{} s", wait.as_secs())
    } else {
        format!("{} minutes", wait.as_secs() / 60)
    }
}

impl Model for Gate {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        let asked = AtomicBool::new(false);
        Box::pin(self.ask(&request.model, move || {
            if asked.swap(true, Ordering::Relaxed) {
                on_chunk(Chunk::Again);
            }
            self.inner.chat(request, on_chunk)
        }))
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        Box::pin(self.ask(model, move || self.inner.card(model)))
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        self.inner.is_there()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DoneReason, Durations, Tokens};

    /// Says half a word and is full, then says it whole.
    #[derive(Default)]
    struct FullAtFirst {
        asked: AtomicBool,
    }

    impl Model for FullAtFirst {
        fn chat<'a>(&'a self, _: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
            let again = self.asked.swap(true, Ordering::Relaxed);
            on_chunk(Chunk::Said(if again { "whole" } else { "ha" }));
            Box::pin(async move {
                if again {
                    Ok(Reply {
                        text: "whole".to_owned(),
                        thinking: None,
                        done_reason: DoneReason::Stop,
                        tokens: Tokens::default(),
                        ns: Durations::default(),
                    })
                } else {
                    Err(CallError::new(Fault::Busy, "full").into())
                }
            })
        }

        fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
            Box::pin(async { Ok(Card::default()) })
        }

        fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(async { true })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn j10c_text_of_a_call_that_is_sent_again_is_void() {
        let said = Mutex::new(Vec::new());
        let on_chunk = |chunk: Chunk<'_>| said.lock().unwrap().push(format!("{chunk:?}"));
        let (wait, stop) = (Duration::from_secs(60), Stop::default());
        let gate = Gate::new(
            Arc::new(FullAtFirst::default()),
            1,
            wait,
            stop,
            Arc::new(|_| {}),
        );
        let request = Request {
            call: "c".to_owned(),
            attempt: 1,
            model: "m".to_owned(),
            messages: Vec::new(),
            temperature: 0.0,
            num_predict: 1,
            seed: 1,
            schema: None,
            think: false,
        };
        assert_eq!(gate.chat(&request, &on_chunk).await.unwrap().text, "whole");
        assert_eq!(
            *said.lock().unwrap(),
            ["Said(\"ha\")", "Again", "Said(\"whole\")"]
        );
    }
}
