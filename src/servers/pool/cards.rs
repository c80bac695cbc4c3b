//! Models' cards, without which no debate begins: while a server fails to give one, the debates that need it wait, though it may
//! answer other calls.

use std::time::Duration;

use tokio::time::Instant;

use super::super::answer::Answer;
use super::super::breaker::Scope;
use super::super::messages;
use super::super::pooled_server::PooledServer;
use super::super::routing::Call;
use super::super::turns::PendingCall;
use super::ServerPool;
use crate::model::stall_tolerant::stall_tolerant_timeout;
use crate::model::{Answering, CallError, Card, Durations, Fault, NoReply};

/// The first pause before a card is asked for again; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long a server may take, in pauses: one that hangs here may be followed by one that answers.
const PATIENCE: u32 = 50;

fn in_time(asked: Answering<'_, Card>, limit: Duration) -> Answering<'_, Answer<Card>> {
    Box::pin(async move {
        let late = || CallError::new(Fault::Timeout, messages::no_answer_within(limit)).into();
        let answer = stall_tolerant_timeout(limit, asked).await;
        let card = answer.unwrap_or_else(|| Err(late()))?;
        // It takes no model's time.
        Ok(Answer::new(card, Durations::default()))
    })
}

impl ServerPool {
    /// A model's card, asked for until it comes or the time for failing models is over, counted from the first failure in any debate.
    pub(in crate::servers) async fn card<'a>(
        &'a self,
        call: Call<'_>,
        make: impl Fn(&'a PooledServer) -> Answering<'a, Card> + Copy + Send + 'a,
    ) -> Result<Card, NoReply> {
        let mut pause = PAUSE;
        loop {
            let asked = move |server| in_time(make(server), PATIENCE * pause);
            let error = match self.ask(call, asked).await {
                Err(NoReply::Failed(error)) if error.fault.is_transport() => error,
                answer @ (Ok(_) | Err(NoReply::Failed(_))) => {
                    self.card_came(call.model);
                    return answer.map(|it| it.value);
                }
                Err(error) => return Err(error),
            };
            let over = self.card_failed(call.model, &error) + self.config.model_timeout;
            if Instant::now() >= over {
                let limit = self.limit(&Scope::Refusal);
                let cause = messages::no_card(call.model, &limit, &error.message);
                return Err(NoReply::Parked(cause));
            }
            self.wait_for_card(call, over.min(Instant::now() + pause)).await?;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Since when the model's card is missing; the first time, the user is told.
    fn card_failed(&self, model: &str, error: &CallError) -> Instant {
        let mut missing = self.cards_missing_since.lock();
        if let Some(since) = missing.get(model) {
            return *since;
        }
        let now = Instant::now();
        missing.insert(model.to_owned(), now);
        let limit = self.limit(&Scope::Refusal);
        let what = format!("{} to describe {model}", self.any_server());
        self.tell(&messages::waiting(&what, &limit, &error.message));
        now
    }

    /// The first time after failures, the user is told.
    fn card_came(&self, model: &str) {
        let since = self.cards_missing_since.lock().remove(model);
        if let Some(since) = since {
            // Each time is told.
            let over = (since.elapsed(), Scope::Absence);
            self.tell(&messages::answers_again(self.any_server(), &over));
        }
    }

    fn any_server(&self) -> &'static str {
        if self.servers.len() == 1 { "the server" } else { "a server" }
    }

    async fn wait_for_card(&self, call: Call<'_>, until: Instant) -> Result<(), NoReply> {
        let _pending = PendingCall::new(&self.turns, call.debate);
        self.pause(call, until, std::future::pending()).await
    }
}
