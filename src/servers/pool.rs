//! All servers of a run. Limits the calls in flight on each, starts none once its debate is stopping, and waits out failures of
//! the servers, so that they never count as an attempt of a debate (row J10c).

mod blame;
mod cards;
mod doubts;
mod outages;
mod place;
mod placing;
mod probing;
mod replaced;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use scheduler::Timing;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use self::place::{Place, Refusals};
use super::answer::Answer;
use super::breaker::{Admission, Scope, SeenBy};
use super::concurrency::Concurrency;
use super::messages;
use super::pooled_server::{Blame, CallStart, FailureOwner, PooledServer};
use super::resend_limit::ResendLimit;
use super::routing::{self, Call, Need, Outlook};
use super::tally::ServerSums;
use super::turns::{PendingCall, Turns};
use super::view::{Now, ServerFailure, ServerView};
use crate::job::models::model_name::same_model;
use crate::model::{Answering, CallError, Durations, Fault, Model, NoReply, Trouble};
use crate::shared::Shared;
use crate::text;

/// A longer load time than this, as reported by the server, means that the model was not in memory.
const UNEXPECTED_LOAD: Duration = Duration::from_secs(1);
/// Pause before trying again when this machine is short of open files or memory.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(500);

/// Receives one line for the user.
pub type OnNotice = Arc<dyn Fn(&str) + Send + Sync>;

/// How a pool treats its servers.
pub struct PoolConfig {
    /// Calls in flight per server.
    pub concurrency: Concurrency,
    /// How long to wait for a failing model, or for a server that is up but does not work.
    pub model_timeout: Duration,
    /// How long to wait for a server that is down; `None` without limit.
    pub outage_timeout: Option<Duration>,
    /// Models that no server has, as the user was told at the start.
    pub known_absent: Vec<String>,
    /// Receives messages for the user.
    pub on_notice: OnNotice,
}

/// The servers of a run.
pub struct ServerPool {
    pub(super) servers: Vec<PooledServer>,
    config: PoolConfig,
    pub(super) turns: Turns,
    /// Signals that a circuit has opened or closed.
    changed: Notify,
    /// Whether all remaining work waits for servers that are down.
    is_idle: AtomicBool,
    /// Whether the user has been told that this machine is short of files.
    shortage_reported: AtomicBool,
    /// The models whose cards no server gives, with when that began.
    cards_missing_since: Shared<BTreeMap<String, Instant>>,
}

impl ServerPool {
    /// A pool of `servers`, each with the name under which the user knows it.
    pub fn new(servers: Vec<(String, Arc<dyn Model>)>, config: PoolConfig) -> Self {
        let turns = Turns::new(servers.len(), config.concurrency);
        let is_alone = servers.len() == 1;
        let server = |(name, model)| PooledServer::new(name, model, is_alone);
        Self {
            servers: servers.into_iter().map(server).collect(),
            config,
            turns,
            changed: Notify::new(),
            is_idle: AtomicBool::new(false),
            shortage_reported: AtomicBool::new(false),
            cards_missing_since: Shared::default(),
        }
    }

    /// How many debates on top of the `open` ones would find an idle slot. While the batch `has_more`, new debates have
    /// priority for idle slots over further calls of a debate that already has one in flight.
    pub(crate) fn wanted(&self, open: usize, has_more: bool) -> usize {
        self.turns.set_batch(open, has_more);
        let is_up = |at: usize| !self.servers[at].is_out();
        self.turns.ask(|scheduler, now| scheduler.wanted(is_up, now))
    }

    /// Resolves when more debates may be wanted; never without servers.
    pub(crate) async fn wanting(servers: Option<&Self>) {
        match servers {
            Some(servers) => servers.turns.wanting().await,
            None => std::future::pending().await,
        }
    }

    /// Whether no server had this model at the start, and none is known to have it now.
    fn is_absent(&self, model: &str) -> bool {
        let is_known = |it: &PooledServer| it.has(model);
        let mut absent = self.config.known_absent.iter();
        absent.any(|it| same_model(it, model)) && !self.servers.iter().any(is_known)
    }

    /// What to expect for a debate whose participants run on these models.
    pub fn outlook<'m>(&self, models: impl Iterator<Item = &'m str>) -> Outlook {
        let is_missing = |model: &str| self.cards_missing_since.lock().contains_key(model);
        let each = models.map(|model| {
            if self.is_absent(model) {
                Outlook::Lacking
            } else if is_missing(model) {
                Outlook::Awaited.max(routing::outlook(&self.servers, model))
            } else {
                routing::outlook(&self.servers, model)
            }
        });
        each.max().unwrap_or(Outlook::Served)
    }

    /// Why no server takes calls to some of these models, as far as they were given up.
    pub fn given_up<'m>(&self, models: impl Iterator<Item = &'m str>) -> String {
        let (absent, others): (Vec<&str>, Vec<&str>) = models.partition(|it| self.is_absent(it));
        let others = others.into_iter();
        let all =
            others.flat_map(|model| self.servers.iter().map(|it| it.breaker.admission(model)));
        let causes = all
            .filter_map(|it| if let Admission::GivenUp(cause) = it { Some(cause) } else { None });
        let causes: BTreeSet<String> = causes.collect();
        let lacks = messages::lacks(self.servers.len(), &absent);
        Vec::from_iter(lacks.into_iter().chain(causes)).join("; ")
    }

    /// What the user can do about models that were given up on every server.
    pub fn remedies(&self) -> Vec<String> {
        let is_given_up = |model: &str| {
            let is_out = |it: &PooledServer| it.is_out() || it.is_without(model);
            self.servers.iter().all(|it| is_out(it) || it.has_given_up(model))
        };
        let mut told = BTreeSet::new();
        // One server that has it again is enough.
        let mut is_told = |model: &str| is_given_up(model) && told.insert(model.to_owned());
        let each = self.servers.iter().map(|it| it.remedies(&mut is_told));
        text::distinct(each.collect::<Vec<_>>().into_iter().flatten())
    }

    /// Makes the next call to a model load it again. Each server first finishes the calls to it that are in flight.
    pub(crate) fn reload(&self, model: &str) {
        self.turns.tell(|scheduler, _| scheduler.reload(model));
    }

    /// Whether every server is down or was given up.
    pub fn is_out(&self) -> bool {
        self.servers.iter().all(PooledServer::is_out)
    }

    /// The state of each server at this time, which is now.
    pub fn view(&self, time: DateTime<Utc>) -> Vec<ServerView> {
        let servers = self.servers.iter().enumerate();
        let view = |(at, server): (usize, &PooledServer)| {
            let (in_flight, slots, models) = self.turns.ask(|scheduler, _| scheduler.host(at));
            ServerView {
                name: server.name.clone(),
                is_out: server.is_out(),
                in_flight,
                slots,
                models,
                failing: self.failing_on(at, time),
            }
        };
        servers.map(view).collect()
    }

    /// What fails on a server. A call in flight to a model is its next try.
    fn failing_on(&self, at: usize, time: DateTime<Utc>) -> Vec<ServerFailure> {
        let instant = Instant::now();
        let mut failing = self.servers[at].breaker.failing(Now { instant, time });
        for failure in &mut failing {
            let is_tried = |model: &String| self.runs_model_at(model, at);
            if failure.model.as_ref().is_some_and(is_tried) {
                failure.next_try = None;
            }
        }
        failing
    }

    /// What each server did in this run.
    pub fn sums(&self) -> Vec<ServerSums> {
        self.servers.iter().map(|it| it.tally.sums(&it.name)).collect()
    }

    /// How often the servers loaded each model, as far as their times show.
    pub fn loads(&self) -> BTreeMap<String, u64> {
        self.turns.ask(|scheduler, _| scheduler.loads())
    }

    /// Debates that can do nothing but wait for servers that are down.
    pub fn stuck(&self) -> usize {
        self.turns.ask(|scheduler, _| scheduler.debates.stuck())
    }

    /// Sets whether all remaining work waits for servers that are down.
    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Relaxed);
    }

    /// Whether a server is up while the batch still has work that it could do.
    fn others_work(&self) -> bool {
        let is_up = |it: &PooledServer| !it.breaker.is_down();
        !self.is_idle.load(Ordering::Relaxed) && self.servers.iter().any(is_up)
    }

    /// Makes a call on the server whose turn it is, and resends it after failures of the server. If a server refuses a call,
    /// fails to give a model's card, or can't serve the model of a call that the debate can do without, the call goes on to the
    /// other servers.
    pub(super) async fn ask<'a, T>(
        &'a self,
        call: Call<'_>,
        make: impl Fn(&'a PooledServer) -> Answering<'a, Answer<T>> + Send + 'a,
    ) -> Result<Answer<T>, NoReply> {
        let mut resends = ResendLimit::default();
        let mut pending = PendingCall::new(&self.turns, call.debate);
        let mut refused = Refusals::default();
        loop {
            let Some(place) = self.place(call, &refused, &mut pending).await? else { continue };
            let server = &self.servers[place.at];
            let start = server.start();
            let answering = self.watched(server, call.model, make(server));
            let answering = self.peeking(&place, answering);
            let Some(answer) = self.unless_needless(call, place.at, answering).await else {
                continue;
            };
            let error = match answer {
                Ok(answer) => {
                    self.answered(&place, call, &start, answer.fault.as_ref());
                    // Before the turn ends, because a slot is only kept for a debate without a pending call.
                    drop(pending);
                    self.end_turn(place, answer.ns).await;
                    return Ok(answer);
                }
                Err(NoReply::Failed(error)) => error,
                Err(other) => return Err(other),
            };
            let at = place.at;
            server.tally.count(call.run_model(), Some(&error));
            self.note_failure(call, at, &error);
            self.doubt(call, at, &error);
            drop(place);
            let failed = self.failed(call, at, &start, error, &mut resends).await?;
            if let Some(failed) = failed {
                if !self.may_go_on(call, at, &failed, &mut refused) {
                    return Err(failed);
                }
                refused.last = Some(failed);
            }
        }
    }

    fn answered(
        &self,
        place: &Place<'_>,
        call: Call<'_>,
        start: &CallStart,
        fault: Option<&CallError>,
    ) {
        let server = &self.servers[place.at];
        server.answered.fetch_add(1, Ordering::Relaxed);
        server.tally.count(call.run_model(), fault);
        let is_in_doubt = fault.is_some_and(|it| self.is_in_doubt(call, place.at, it));
        let model = call.run_model().filter(|_| !is_in_doubt);
        self.closed(server, server.breaker.close(model, start.at, true));
        // A reply begun before the failures does not show that they are over.
        if call.takes_slot && !server.breaker.is_open(call.model) {
            server.streaks.replied(call.model, fault.is_none());
            server.found(call.model);
        }
        match fault {
            Some(error) => self.doubt(call, place.at, error),
            None => self.blame_others(call),
        }
    }

    /// Gives a turn back. If a model was loaded, the others in memory may have been evicted.
    async fn end_turn(&self, place: Place<'_>, ns: Durations) {
        let Some(turn) = place.turn else { return };
        let load = Duration::from_nanos(ns.believed(ns.load));
        // An unexpected load: another program, or the server itself, had evicted the model.
        let has_loaded = place.loads || load > UNEXPECTED_LOAD;
        let holds = if has_loaded { self.servers[place.at].memory().await } else { None };
        let timing = Timing {
            load,
            queue: ns.queue.map(|queue| Duration::from_nanos(ns.believed(queue))),
            is_first: place.loads,
        };
        turn.ended(timing, holds.map(|models| (place.at, models)));
    }

    /// The failure of a call if it counts as the call's own; otherwise `None`, and the call is resent.
    async fn failed<'s>(
        &'s self,
        call: Call<'_>,
        at: usize,
        start: &CallStart,
        error: CallError,
        resends: &mut ResendLimit<'s>,
    ) -> Result<Option<NoReply>, NoReply> {
        if error.fault.trouble() == Trouble::Local {
            self.short_of_files(&error);
            let until = Instant::now() + SHORTAGE_PAUSE;
            self.pause(call, until, self.changed.notified()).await?;
            Ok(None)
        } else if call.need == Need::May && routing::is_models_own(error.fault) {
            Ok(Some(messages::with_remedy(&self.servers[at].known_as, call.model, error).into()))
        } else {
            let counts = self.counts(call, at, start, &error, resends).await?;
            Ok(counts.then(|| error.into()))
        }
    }

    /// Whether another server may do better with a call that this one refused, or that the debate can do without.
    fn may_go_on(
        &self,
        call: Call<'_>,
        at: usize,
        failed: &NoReply,
        refused: &mut Refusals,
    ) -> bool {
        let NoReply::Failed(error) = failed else { return false };
        refused.by.push(at);
        let others =
            routing::open_to(&self.servers, call).iter().any(|at| !refused.by.contains(at));
        // What takes no slot, a model's card, says nothing of the calls to the model: no circuit opens for it.
        let may = error.fault == Fault::BadRequest
            || !call.takes_slot && error.fault.is_transport()
            || call.need == Need::May && routing::is_servers_own(error.fault);
        may && others
    }

    /// Waits for that time or for a change. Fails once the debate is stopping.
    async fn pause(
        &self,
        call: Call<'_>,
        until: Instant,
        changed: impl Future<Output = ()>,
    ) -> Result<(), NoReply> {
        tokio::select! {
            () = call.stop.requested() => Err(NoReply::Stopped),
            () = sleep_until(until) => Ok(()),
            () = changed => Ok(()),
        }
    }

    /// Whether a failed call counts as an attempt of its debate; otherwise it is resent.
    async fn counts<'s>(
        &'s self,
        call: Call<'_>,
        at: usize,
        start: &CallStart,
        error: &CallError,
        resends: &mut ResendLimit<'s>,
    ) -> Result<bool, NoReply> {
        let (server, model) = (&self.servers[at], call.model);
        let scope = match server.owner_of(model, error, start.losses).await {
            FailureOwner::Call => {
                let blame = self.blame(call, at, error).await?;
                if let Blame::Call = blame {
                    let answered = !error.fault.is_transport();
                    let is_shown = answered && !self.is_in_doubt(call, at, error);
                    let model = call.run_model().filter(|_| is_shown);
                    self.closed(server, server.breaker.close(model, start.at, answered));
                    self.lacks(server, error);
                }
                return Ok(!matches!(blame, Blame::Server));
            }
            FailureOwner::PastOutage => None,
            FailureOwner::Server(scope) => Some(scope),
        };
        self.forgive(call, at);
        // A request that found no connection can't have brought the server down, and a failing model has a limit of its own.
        let is_suspect =
            !matches!(scope, Some(Scope::Model(_))) && !matches!(error.fault, Fault::NoConnection);
        let answered = server.answered.load(Ordering::Relaxed);
        let broke_off = error.fault.is_transport();
        if is_suspect && resends.is_reached(&server.name, answered, broke_off) {
            return Ok(true);
        }
        if let Some(scope) = scope {
            self.trip(server, model, scope, error, SeenBy::Call);
        }
        Ok(false)
    }
}
