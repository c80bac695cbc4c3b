//! The turns of calls: a thin shell around the scheduler in which a call waits until its server has a slot for it.

use std::collections::BTreeMap;

use scheduler::{DebateNumber, ModelName, Moment, Scheduler, Start, Ticket, Timing};
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use super::concurrency::Concurrency;
use crate::shared::Shared;

/// The calls of a pool's debates, each waiting for its turn or having it.
pub(super) struct Turns {
    began: Instant,
    state: Shared<State>,
    /// Signals that the time of the next decision may have changed.
    rescheduled: Notify,
    /// Held by the one waiting call that makes the next decision in time.
    timekeeper: Mutex<()>,
    /// Signals that more debates would find an idle slot.
    wanting: Notify,
}

struct State {
    scheduler: Scheduler,
    told: BTreeMap<Ticket, oneshot::Sender<Start>>,
}

/// A call that waits for its turn or has it. Dropping it gives the turn back.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    debate: DebateNumber,
    ticket: Ticket,
    start: oneshot::Receiver<Start>,
}

impl Turns {
    pub(super) fn new(servers: usize, concurrency: Concurrency) -> Self {
        let calls = (concurrency.first, concurrency.most);
        Self {
            began: Instant::now(),
            state: Shared::new(State {
                scheduler: Scheduler::new(servers, calls),
                told: BTreeMap::new(),
            }),
            rescheduled: Notify::new(),
            timekeeper: Mutex::new(()),
            wanting: Notify::new(),
        }
    }

    /// Changes the scheduler, and starts the calls whose turn it then is.
    pub(super) fn tell<T>(&self, what: impl FnOnce(&mut Scheduler, Moment) -> T) -> T {
        self.change(|state, now| what(&mut state.scheduler, now))
    }

    fn change<T>(&self, what: impl FnOnce(&mut State, Moment) -> T) -> T {
        let mut state = self.state.lock();
        let now = self.began.elapsed();
        let done = what(&mut state, now);
        state.decide(now);
        if state.scheduler.wanted(|_| true, now) > 0 {
            self.wanting.notify_one();
        }
        drop(state);
        self.rescheduled.notify_waiters();
        done
    }

    /// Reads from the scheduler.
    pub(super) fn ask<T>(&self, what: impl FnOnce(&Scheduler, Moment) -> T) -> T {
        what(&self.state.lock().scheduler, self.began.elapsed())
    }

    /// Sets how many debates the batch has open, and whether it would open more if they were wanted.
    pub(super) fn set_batch(&self, open: usize, has_more: bool) {
        let mut state = self.state.lock();
        let now = self.began.elapsed();
        state.scheduler.set_batch(open, has_more);
        state.decide(now);
        drop(state);
        self.rescheduled.notify_waiters();
    }

    /// Resolves when more debates may be wanted.
    pub(super) fn wanting(&self) -> Notified<'_> {
        self.wanting.notified()
    }

    /// Queues a call for one of these servers.
    pub(super) fn queue(&self, debate: DebateNumber, model: &str, hosts: &[usize]) -> Turn<'_> {
        let (told, start) = oneshot::channel();
        let ticket = self.change(|state, now| {
            let ticket = state.scheduler.ask(debate, model, hosts.to_vec(), now);
            state.told.insert(ticket, told);
            ticket
        });
        Turn { turns: self, debate, ticket, start }
    }

    /// Decides again whenever it is time to, on behalf of all waiting calls. Never returns.
    async fn keep_time(&self) {
        let _held = self.timekeeper.lock().await;
        loop {
            let rescheduled = self.rescheduled.notified();
            let Some(at) = self.ask(Scheduler::look_again) else {
                rescheduled.await;
                continue;
            };
            tokio::select! {
                () = sleep_until(self.began + at) => self.tell(|_, _| ()),
                () = rescheduled => {}
            }
        }
    }
}

impl State {
    fn decide(&mut self, now: Moment) {
        for start in self.scheduler.decide(now) {
            if let Some(told) = self.told.remove(&start.ticket) {
                // A call that no longer waits gives its turn back when it is dropped.
                let _ = told.send(start);
            }
        }
    }
}

impl Turn<'_> {
    /// Waits for the turn to come.
    pub(super) async fn come(&mut self) -> Option<Start> {
        tokio::select! {
            biased;
            start = &mut self.start => start.ok(),
            () = self.turns.keep_time() => None,
        }
    }

    /// The call has its reply. If it loaded its model, `holds` is the server and the models then in its memory.
    pub(super) fn ended(self, timing: Timing, holds: Option<(usize, Vec<ModelName>)>) {
        self.turns.tell(|scheduler, now| {
            scheduler.ended(self.ticket, timing, now);
            if let Some((host, models)) = holds {
                scheduler.holds(host, &models);
            }
        });
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.change(|state, now| {
            state.told.remove(&self.ticket);
            state.scheduler.withdraw(self.debate, self.ticket, now);
        });
    }
}

/// A debate's pending call, until dropped.
pub(super) struct PendingCall<'t> {
    turns: &'t Turns,
    debate: DebateNumber,
    is_stuck: bool,
}

impl<'t> PendingCall<'t> {
    pub(super) fn new(turns: &'t Turns, debate: DebateNumber) -> Self {
        turns.tell(|scheduler, now| scheduler.called(debate, now));
        Self { turns, debate, is_stuck: false }
    }

    /// Sets whether all servers that could take the call are down.
    pub(super) fn set_stuck(&mut self, is_stuck: bool) {
        if is_stuck != std::mem::replace(&mut self.is_stuck, is_stuck) {
            let debate = self.debate;
            self.turns.tell(|scheduler, _| scheduler.debates.set_stuck(debate, is_stuck));
        }
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.set_stuck(false);
        let debate = self.debate;
        self.turns.tell(|scheduler, now| scheduler.debates.answered(debate, now));
    }
}
