//! Where a call may go, and what a debate has to expect, by what is known of the servers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::breaker::{About, State};
use super::server::Server;
use super::{Gate, Need};
use crate::model::{CallError, Fault, NoReply};

/// How long a call that no server can take now waits before it looks whether other work goes on.
const LOOK: Duration = Duration::from_secs(1);

/// What a debate on some models has to expect now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// Servers that are there take its calls, or will say why not.
    Served,
    /// Only a server that is not there could, which is waited for.
    Awaited,
    /// Only a server that is not there could, which was waited for long enough.
    GivenUp,
}

/// Where a call may go now.
pub(super) enum Way<'g> {
    /// To this server.
    Open(&'g Server),
    /// To this server, if it is there again.
    Due(&'g Server),
    /// Nowhere before that time; whether only servers could take it that are not there.
    Wait(Instant, bool),
}

impl Gate {
    /// What a debate has to expect whose participants are these models.
    pub fn outlook<'m>(&self, models: impl Iterator<Item = &'m str>) -> Outlook {
        let each = models.map(|model| self.outlook_for(model));
        each.max().unwrap_or(Outlook::Served)
    }

    /// Whether no server is there.
    pub fn is_out(&self) -> bool {
        self.servers.iter().all(Server::is_out)
    }

    fn outlook_for(&self, model: &str) -> Outlook {
        let its = About::Model(model.to_owned());
        let could = |it: &&Server| !it.troubles.has_given_up(&its);
        let able: Vec<&Server> = self.servers.iter().filter(could).collect();
        let is_given_up = |it: &&Server| it.troubles.is_given_up();
        if able.is_empty() || !able.iter().all(|it| it.is_out()) {
            Outlook::Served
        } else if able.iter().all(is_given_up) {
            Outlook::GivenUp
        } else {
            Outlook::Awaited
        }
    }

    /// The first server from `home` on that is in no trouble with this model, or that is to be tried again; where every
    /// one was given up, the causes. One that is not there is not given up before all other work is done.
    pub(super) fn way(&self, home: usize, model: &str) -> Result<Way<'_>, String> {
        let (mut waits, mut causes) = (Vec::new(), Vec::new());
        let mut by_outage = true;
        let count = self.servers.len();
        for server in (0..count).map(|i| &self.servers[(home + i) % count]) {
            let is_away = server.troubles.is_away();
            match server.troubles.state(model) {
                State::Fine => return Ok(Way::Open(server)),
                State::Due => return Ok(Way::Due(server)),
                State::Until(at) => {
                    waits.push(at);
                    by_outage &= is_away;
                }
                State::GivenUp(_) if is_away && self.others_work() => {
                    waits.push(Instant::now() + LOOK);
                }
                State::GivenUp(cause) if !causes.contains(&cause) => causes.push(cause),
                State::GivenUp(_) => {}
            }
        }
        let soonest = waits.into_iter().min();
        let wait = soonest.map(|at| Way::Wait(at, by_outage));
        wait.ok_or_else(|| causes.join("; "))
    }

    /// Whether a server is there, and has something to do.
    fn others_work(&self) -> bool {
        let is_there = |it: &Server| !it.troubles.is_away();
        !self.is_idle.load(Ordering::Relaxed) && self.servers.iter().any(is_there)
    }

    /// What it means that every server was given up with a model: where one of them is there, a call that need not be
    /// answered has failed.
    pub(super) fn no_way(&self, need: Need, cause: String) -> NoReply {
        let is_given_up = |it: &Server| it.troubles.is_given_up();
        if need == Need::May && !self.servers.iter().all(is_given_up) {
            CallError::new(Fault::Busy, cause).into()
        } else {
            NoReply::Parked(cause)
        }
    }
}
