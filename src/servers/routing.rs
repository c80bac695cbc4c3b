//! Where a call goes, and what a debate can expect, given the state of the servers.

use std::time::Duration;

use scheduler::DebateNumber;
use tokio::time::Instant;

use super::breaker::{Admission, Scope};
use super::messages;
use super::pooled_server::PooledServer;
use super::streaks::CallFailures;
use crate::model::{CallError, Fault, NoReply};
use crate::stop::Stop;

/// Pause before a call without a server checks again whether other work continues.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// What a debate on given models can expect now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// Servers that are up take its calls, or will say why they can't.
    Served,
    /// Only servers that are down, or fail one of its models, could take its calls, and they are still waited for.
    Awaited,
    /// Only servers that are down could take its calls, and they were given up.
    GivenUp,
    /// No server has one of its models, as calls have shown.
    Lacking,
}

/// Where a call goes now.
pub(super) enum Route<'s> {
    /// To one of these servers.
    To(Vec<usize>),
    /// To this server as a trial, if it is up again.
    Trial(usize, &'s PooledServer),
    /// To no server before that time; `true` if only because servers are down.
    Wait(Instant, bool),
}

/// What a debate asks of a server.
#[derive(Clone, Copy)]
pub(super) struct Call<'m> {
    pub(super) debate: DebateNumber,
    pub(super) model: &'m str,
    /// The digest of the weights that the debate began with, if known.
    pub(super) digest: Option<&'m str>,
    pub(super) need: Need,
    /// Whether the model has to work for it.
    pub(super) takes_slot: bool,
    /// Its earlier failures, if it is one whose attempts count.
    pub(super) past: Option<&'m CallFailures>,
    /// Asks the debate to stop: the call then waits for nothing, and does not start.
    pub(super) stop: &'m Stop,
}

impl<'m> Call<'m> {
    /// The model, if the call runs it. Any other call shows only that the server is there.
    pub(super) fn run_model(&self) -> Option<&'m str> {
        self.takes_slot.then_some(self.model)
    }

    /// Whether that server failed an earlier attempt.
    fn was_failed_by(&self, at: usize) -> bool {
        self.past.is_some_and(|past| past.is_by(at))
    }
}

/// What a debate does if a call gets no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// It waits, or is parked.
    Must,
    /// It continues: a failure of the model is this call's alone.
    May,
}

/// What to expect of calls to a model.
pub(super) fn outlook(servers: &[PooledServer], model: &str) -> Outlook {
    let scope = Scope::Model(model.to_owned());
    let could = |it: &&PooledServer| {
        !it.breaker.has_given_up(&scope) && !lacks_what_others_have(servers, it, model)
    };
    let able: Vec<&PooledServer> = servers.iter().filter(could).collect();
    let is_shut = |it: &PooledServer| it.is_out() || it.breaker.is_waited_for(model);
    let is_known = |it: &PooledServer| matches!(it.breaker.admission(model), Admission::GivenUp(_));
    if servers.iter().all(|it| it.is_without(model) && is_known(it)) {
        Outlook::Lacking
    } else if able.is_empty() || !able.iter().all(|it| is_shut(it)) {
        Outlook::Served
    } else if able.iter().all(|it| it.breaker.is_given_up()) {
        Outlook::GivenUp
    } else {
        Outlook::Awaited
    }
}

/// The servers that take calls to this model, or the first one from `home` on that is due for a trial; if all were given
/// up, the causes. While `others_work`, a server that is down is not given up: it may return before the rest is done.
/// `runs_model_at` tells where calls to the model are in flight, `is_idle` which servers have nothing to do for a slot.
pub(super) fn route<'s>(
    servers: &'s [PooledServer],
    home: usize,
    call: Call<'_>,
    others_work: bool,
    runs_model_at: impl Fn(usize) -> bool,
    is_idle: impl Fn(usize) -> bool,
) -> Result<Route<'s>, NoReply> {
    let (mut waits, mut causes) = (Vec::new(), Vec::new());
    let (mut only_down, mut is_outdated) = (true, true);
    // In the order in which the debate looks at them.
    let from_home = servers.iter().enumerate().cycle().skip(home).take(servers.len());
    for (at, server) in from_home {
        if let Some(digest) = server.other_digest(call.model, call.digest) {
            let (who, model) = (&server.known_as, call.model);
            causes.push(messages::other_weights(who, model, &digest, call.digest));
            continue;
        }
        if lacks_what_others_have(servers, server, call.model)
            || is_no_trial_for(servers, call, at, &runs_model_at)
            || is_needless(servers, call, at, &is_idle)
        {
            continue;
        }
        let is_down = server.breaker.is_down();
        match server.breaker.admission(call.model) {
            Admission::Closed => return Ok(Route::To(open_to(servers, call))),
            Admission::HalfOpen => return Ok(Route::Trial(at, server)),
            Admission::Open(until) => {
                waits.push(until);
                only_down &= is_down;
            }
            Admission::GivenUp(_) if is_down && others_work => {
                waits.push(Instant::now() + LOOK_AGAIN);
            }
            Admission::GivenUp(cause) => {
                is_outdated = false;
                causes.extend((!causes.contains(&cause)).then_some(cause));
            }
        }
    }
    // Its server came back between two looks at it: no reason to give up.
    if waits.is_empty() && causes.is_empty() {
        return Ok(Route::Wait(Instant::now() + LOOK_AGAIN, false));
    }
    let wait = waits.into_iter().min().map(|at| Route::Wait(at, only_down));
    // Sorted, so that debates parked for the same reason name it in the same words wherever they began to look.
    causes.sort();
    wait.ok_or_else(|| no_route(servers, call.need, causes.join("; "), is_outdated))
}

/// Whether a call need not try a failing server, because another one takes it, and it failed here before or other calls that are
/// in flight here will tell. Otherwise every trial of a server that hangs would cost a debate its whole patience.
fn is_no_trial_for(
    servers: &[PooledServer],
    call: Call<'_>,
    at: usize,
    runs_model_at: impl Fn(usize) -> bool,
) -> bool {
    servers[at].breaker.is_open(call.model)
        && (call.was_failed_by(at) || runs_model_at(at))
        && others_open_to(servers, call, at)
}

/// Whether there is nothing to gain from a call to a failing server, because another one that takes it is idle: at the end of a
/// batch, a server that hangs would hold up the last debates.
pub(super) fn is_needless(
    servers: &[PooledServer],
    call: Call<'_>,
    at: usize,
    is_idle: impl Fn(usize) -> bool,
) -> bool {
    // This one may be back since.
    let others = || all_open_to(servers, call).into_iter().filter(|other| *other != at);
    servers[at].breaker.is_open(call.model) && others().any(is_idle)
}

/// Whether a server lacks a model that others may have. If all of them lack it, their replies say how to get it.
fn lacks_what_others_have(servers: &[PooledServer], server: &PooledServer, model: &str) -> bool {
    server.is_without(model) && servers.iter().any(|it| !it.is_without(model))
}

/// The servers that take such a call now; if there are any that have not failed it before, only those.
pub(super) fn open_to(servers: &[PooledServer], call: Call<'_>) -> Vec<usize> {
    let mut open = all_open_to(servers, call);
    if !open.iter().all(|at| call.was_failed_by(*at)) {
        open.retain(|at| !call.was_failed_by(*at));
    }
    open
}

/// Whether a server other than this one takes such a call now.
pub(super) fn others_open_to(servers: &[PooledServer], call: Call<'_>, but: usize) -> bool {
    all_open_to(servers, call).iter().any(|at| *at != but)
}

fn all_open_to(servers: &[PooledServer], call: Call<'_>) -> Vec<usize> {
    let may = |server: &PooledServer| {
        let has_others = server.other_digest(call.model, call.digest).is_some();
        let lacks_it = lacks_what_others_have(servers, server, call.model);
        !has_others && !lacks_it && !server.breaker.is_open(call.model)
    };
    let open = servers.iter().enumerate().filter(|(_, server)| may(server));
    open.map(|(at, _)| at).collect()
}

/// What follows if every server was given up for a model: a call that the debate can do without fails as long as one of
/// them is up; otherwise the debate is parked.
fn no_route(servers: &[PooledServer], need: Need, cause: String, is_outdated: bool) -> NoReply {
    if need == Need::May && !servers.iter().all(|it| it.breaker.is_given_up()) {
        CallError::new(Fault::Busy, cause).into()
    } else if is_outdated {
        NoReply::Outdated(cause)
    } else {
        NoReply::Parked(cause)
    }
}

/// Whether a fault concerns one model on one server. Not so for a full server, which is waited for whatever fills it.
pub(super) fn is_models_own(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::LoadFailed | Fault::ModelNotFound | Fault::AccessDenied | Fault::Forbidden
    )
}

/// Whether a fault may be due to the request or to the server: what another server makes of the call shows which.
pub(super) fn is_doubtful(fault: Fault) -> bool {
    matches!(fault, Fault::EmptyReply | Fault::LoopingReply | Fault::BadRequest)
}

/// Whether another server may do better.
pub(super) fn is_servers_own(fault: Fault) -> bool {
    is_models_own(fault) || fault == Fault::Unsupported
}
