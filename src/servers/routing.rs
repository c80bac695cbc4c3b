//! Where a call goes, and what a debate can expect, given what is known about the servers.

use std::time::Duration;

use tokio::time::Instant;

use super::breaker::{Admission, Scope};
use super::messages;
use super::scheduler::DebateNumber;
use super::server::PooledServer;
use crate::model::{CallError, Fault, NoReply};

/// How long a call without a server waits before it looks whether other work continues.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// What a debate on some models can expect now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// Servers that are up take its calls, or will say why not.
    Served,
    /// Only servers that are down could, and they are waited for.
    Awaited,
    /// Only servers that are down could, and they were waited for long enough.
    GivenUp,
}

/// Where a call goes now.
pub(super) enum Route<'s> {
    /// To one of these servers.
    To(Vec<usize>),
    /// To this server as a trial, if it is up again.
    Trial(usize, &'s PooledServer),
    /// Nowhere before that time; and whether only because servers are down.
    Wait(Instant, bool),
}

/// What a debate asks of a server.
#[derive(Clone, Copy)]
pub(super) struct Call<'m> {
    pub(super) debate: DebateNumber,
    pub(super) model: &'m str,
    /// The weights that the debate began with, where they are known.
    pub(super) digest: Option<&'m str>,
    pub(super) need: Need,
    /// Whether a model must work for it.
    pub(super) takes_slot: bool,
}

/// What a debate does without the answer to a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// It waits for it, or is parked.
    Must,
    /// It continues: a model's own trouble is the call's failure and concerns no other call.
    May,
}

/// What a debate can expect whose participants run on these models.
pub(super) fn outlook<'m>(
    servers: &[PooledServer],
    models: impl Iterator<Item = &'m str>,
) -> Outlook {
    let each = models.map(|model| outlook_for(servers, model));
    each.max().unwrap_or(Outlook::Served)
}

fn outlook_for(servers: &[PooledServer], model: &str) -> Outlook {
    let scope = Scope::Model(model.to_owned());
    let could = |it: &&PooledServer| {
        !it.breaker.has_given_up(&scope) && !lacks_what_others_have(servers, it, model)
    };
    let able: Vec<&PooledServer> = servers.iter().filter(could).collect();
    if able.is_empty() || !able.iter().all(|it| it.is_out()) {
        Outlook::Served
    } else if able.iter().all(|it| it.breaker.is_given_up()) {
        Outlook::GivenUp
    } else {
        Outlook::Awaited
    }
}

/// The servers that take calls to this model, or the first from `home` on if it is due for a trial; if every one was given up,
/// the causes. While `others_work`, no server is given up for being down: it may come back before the rest is done.
pub(super) fn route<'s>(
    servers: &'s [PooledServer],
    home: usize,
    call: Call<'_>,
    others_work: bool,
) -> Result<Route<'s>, String> {
    let (mut waits, mut causes) = (Vec::new(), Vec::new());
    let mut only_down = true;
    for (at, server) in from_home(servers, home) {
        if let Some(digest) = server.other_digest(call.model, call.digest) {
            causes.push(messages::other_weights(
                &server.known_as,
                call.model,
                &digest,
                call.digest,
            ));
            continue;
        }
        if lacks_what_others_have(servers, server, call.model) {
            continue;
        }
        let is_down = server.breaker.is_down();
        match server.breaker.admit(call.model) {
            Admission::Closed => return Ok(Route::To(open_to(servers, call))),
            Admission::HalfOpen => return Ok(Route::Trial(at, server)),
            Admission::Open(until) => {
                waits.push(until);
                only_down &= is_down;
            }
            Admission::GivenUp(_) if is_down && others_work => {
                waits.push(Instant::now() + LOOK_AGAIN);
            }
            Admission::GivenUp(cause) if !causes.contains(&cause) => causes.push(cause),
            Admission::GivenUp(_) => {}
        }
    }
    let soonest = waits.into_iter().min();
    let wait = soonest.map(|at| Route::Wait(at, only_down));
    // In one order wherever a debate begins to look, so that those left for one reason say so in the same words.
    causes.sort();
    wait.ok_or_else(|| causes.join("; "))
}

/// The servers in the order in which a debate looks at them, with their places.
fn from_home(
    servers: &[PooledServer],
    home: usize,
) -> impl Iterator<Item = (usize, &PooledServer)> {
    let places = servers.iter().enumerate();
    places.cycle().skip(home).take(servers.len())
}

/// Whether a server is without a model that others may have. Where all are without it, their answers tell how to get it.
fn lacks_what_others_have(servers: &[PooledServer], server: &PooledServer, model: &str) -> bool {
    server.is_without(model) && servers.iter().any(|it| !it.is_without(model))
}

/// The servers that take such calls now.
pub(super) fn open_to(servers: &[PooledServer], call: Call<'_>) -> Vec<usize> {
    let may = |server: &PooledServer| {
        let has_others = server.other_digest(call.model, call.digest).is_some();
        let lacks_it = lacks_what_others_have(servers, server, call.model);
        !has_others && !lacks_it && !server.breaker.is_open(call.model)
    };
    let places = servers.iter().enumerate();
    let open = places.filter(|(_, server)| may(server));
    open.map(|(at, _)| at).collect()
}

/// What follows when every server was given up with a model: while one of them is up, a call that a debate can do without
/// has failed.
pub(super) fn no_route(servers: &[PooledServer], need: Need, cause: String) -> NoReply {
    if need == Need::May && !servers.iter().all(|it| it.breaker.is_given_up()) {
        CallError::new(Fault::Busy, cause).into()
    } else {
        NoReply::Parked(cause)
    }
}

/// Whether a fault is one model's on one server. A full server is waited for, whatever it is full for.
pub(super) fn is_models_own(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::LoadFailed | Fault::ModelNotFound | Fault::AccessDenied | Fault::Forbidden
    )
}

/// Whether another server may do better.
pub(super) fn is_servers_own(fault: Fault) -> bool {
    is_models_own(fault) || fault == Fault::Unsupported
}
