//! Placing a call: on a server that may take it, in its turn.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::super::routing::{self, Call, Route};
use super::super::streaks::CallFailures;
use super::super::turns::PendingCall;
use super::ServerPool;
use super::place::{Place, Refusals};
use crate::model::NoReply;

/// Pause before a call that lets another one try a failing server looks again.
const YIELD: Duration = Duration::from_secs(1);

impl ServerPool {
    /// The place for a call; `None` after a wait, when the caller has to look at the servers again.
    pub(super) async fn place(
        &self,
        call: Call<'_>,
        refused: &Refusals,
        pending: &mut PendingCall<'_>,
    ) -> Result<Option<Place<'_>>, NoReply> {
        // Registered before looking at the servers, so that any later change ends the wait.
        let changed = self.changed.notified();
        self.learn(call).await;
        let home = (call.debate - 1) as usize % self.servers.len();
        let runs = |at| self.runs_model_at(call.model, at);
        let idle = |at| self.is_idle(at);
        match routing::route(&self.servers, home, call, self.others_work(), runs, idle)? {
            Route::To(mut hosts) => {
                pending.set_stuck(false);
                hosts.retain(|at| !refused.by.contains(at));
                if let (true, Some(last)) = (hosts.is_empty(), &refused.last) {
                    return Err(last.clone());
                }
                self.turn(call, &hosts, &refused.by, false).await
            }
            // Others try a failing server first: the call may be what makes it fail.
            Route::Trial(at, _) if call.past.is_some_and(CallFailures::is_any) && runs(at) => {
                self.pause(call, Instant::now() + YIELD, changed).await?;
                Ok(None)
            }
            Route::Trial(_, server) if !server.breaker.begin_trial(call.model, call.takes_slot) => {
                Ok(None)
            }
            Route::Trial(at, server) if self.is_back(at, server, call).await => {
                pending.set_stuck(false);
                self.turn(call, &[at], &[], true).await
            }
            Route::Trial(..) => Ok(None),
            Route::Wait(until, only_down) => {
                pending.set_stuck(only_down);
                let others_first = call
                    .past
                    .filter(|_| !only_down)
                    .map_or(Duration::ZERO, CallFailures::yields_for);
                self.pause(call, until + others_first, changed).await?;
                Ok(None)
            }
        }
    }

    /// The call's turn on one of these servers. Fails once the debate is stopping. Returns `None` if the set of servers open to
    /// the call changes, because the calls in flight may take long and another server may be free.
    pub(super) async fn turn(
        &self,
        call: Call<'_>,
        hosts: &[usize],
        refused: &[usize],
        is_trial: bool,
    ) -> Result<Option<Place<'_>>, NoReply> {
        let place = |at, turn, loads| Place { at, turn, loads };
        if !call.takes_slot {
            return Ok(self.least_busy(hosts).map(|at| place(at, None, false)));
        }
        let mut turn = self.turns.queue(call.debate, call.model, hosts);
        loop {
            let changed = self.changed.notified();
            if !self.are_the_open(call, hosts, refused, is_trial) {
                return Ok(None);
            }
            tokio::select! {
                biased;
                () = call.stop.requested() => return Err(NoReply::Stopped),
                () = changed => {}
                start = turn.come() => match start {
                    Some(start) => return Ok(Some(place(start.host, Some(turn), start.loads))),
                    None => return Ok(None),
                }
            }
        }
    }

    /// The one of these servers with the fewest calls.
    pub(super) fn least_busy(&self, hosts: &[usize]) -> Option<usize> {
        let calls = |at: &usize| self.turns.ask(|scheduler, _| scheduler.running_on(*at));
        hosts.iter().copied().min_by_key(calls)
    }

    /// Finds out which weights each server has under the model's name, if it matters.
    pub(super) async fn learn(&self, call: Call<'_>) {
        if call.digest.is_some() || self.servers.len() > 1 {
            join_all(self.servers.iter().map(|it| it.learn(call.model))).await;
        }
    }

    /// Whether no server has pulled a model, as far as they say.
    pub(in crate::servers) async fn is_nowhere(&self, model: &str) -> bool {
        join_all(self.servers.iter().map(|it| it.learn(model))).await;
        self.servers.iter().all(|it| it.is_without(model))
    }

    /// Whether these are still exactly the servers open to the call. A trial only needs its server to be up, since the caller
    /// knows that the model is failing there.
    pub(super) fn are_the_open(
        &self,
        call: Call<'_>,
        hosts: &[usize],
        refused: &[usize],
        is_trial: bool,
    ) -> bool {
        if is_trial {
            return hosts.iter().all(|at| !self.servers[*at].breaker.is_down());
        }
        let mut open = routing::open_to(&self.servers, call);
        open.retain(|at| !refused.contains(at));
        open == hosts
    }
}
