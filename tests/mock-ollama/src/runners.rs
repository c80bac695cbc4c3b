//! The loaded models: who uses them, who waits for a load, who must go.

use crate::Answer;
use crate::card::Card;
use crate::clock::Clock;
use crate::log::{Notes, lock};
use crate::machine::Machine;
use crate::needs::{Load, Needs};
use crate::queue::queue;
use crate::slots::Slots;
use serde_json::Value;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::{self, watch};

pub(crate) struct Runners {
    pub(crate) machine: Machine,
    pub(crate) clock: Clock,
    loaded: Mutex<Vec<Runner>>,
    /// Held by the request that loads; the others queue behind it, first come, first served.
    turn: sync::Mutex<()>,
    queued: AtomicUsize,
    /// Tells that a model is gone.
    unloaded: watch::Sender<()>,
    /// Tells that a model became idle, and so when it goes.
    idle: watch::Sender<()>,
    ids: AtomicUsize,
}

/// A loaded model.
struct Runner {
    id: usize,
    card: Arc<Card>,
    load: Load,
    bytes: u64,
    bytes_vram: u64,
    users: usize,
    /// In nanoseconds; 0 also marks a runner that must go.
    keep_alive: u64,
    expires: u64,
    slots: Arc<Slots>,
}

/// A runner in use; given back when dropped.
pub(crate) struct Lease {
    pub(crate) slots: Arc<Slots>,
    /// The runner dies when this is given back.
    pub(crate) deadly: bool,
    id: usize,
    runners: Arc<Runners>,
}

/// What a request at the head of the queue can do.
enum Next {
    Use(Lease),
    Load,
    /// Wait until a model is gone.
    Wait,
}

/// Counts one request in the queue until dropped.
struct Queued<'a>(&'a AtomicUsize);

impl Runners {
    pub(crate) fn new(machine: Machine) -> Self {
        Self {
            clock: Clock::new(&machine),
            machine,
            loaded: Mutex::default(),
            turn: sync::Mutex::default(),
            queued: AtomicUsize::new(0),
            unloaded: watch::Sender::new(()),
            idle: watch::Sender::new(()),
            ids: AtomicUsize::new(0),
        }
    }

    /// A runner for `needs`: at once if one is loaded, else in turn after evictions and a load. Whoever drops this
    /// leaves the queue or breaks the load off.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        needs: &Needs,
        notes: &Notes<'_>,
    ) -> Result<Lease, Box<Answer>> {
        if let Some(lease) = self.ready(needs) {
            return Ok(lease);
        }
        let _turn = self.take_turn(notes).await?;
        loop {
            let mut unloaded = self.unloaded.subscribe();
            match self.next(needs, notes) {
                Next::Use(lease) => return Ok(lease),
                Next::Load => return Ok(self.load(needs, notes).await),
                Next::Wait => self.gone(&mut unloaded).await,
            }
        }
    }

    /// Waits until a model was unloaded or its time is over. One whose eviction mark was taken off by a later request stays
    /// for as long as that asked, and whoever waits for it waits, as in Ollama.
    async fn gone(&self, unloaded: &mut watch::Receiver<()>) {
        loop {
            let mut idle = self.idle.subscribe();
            let changed = async {
                tokio::select! {
                    _ = unloaded.changed() => true,
                    _ = idle.changed() => false,
                }
            };
            let gone = match self.next_expiry() {
                None => self.clock.while_waiting(changed).await,
                Some(at) => tokio::select! {
                    gone = changed => gone,
                    () = self.clock.until(at) => true,
                },
            };
            if gone {
                return;
            }
        }
    }

    /// When the first idle model's time is over.
    fn next_expiry(&self) -> Option<u64> {
        let loaded = lock(&self.loaded);
        let idle = loaded.iter().filter(|it| it.users == 0);
        idle.map(|it| it.expires).min()
    }

    async fn take_turn(&self, notes: &Notes<'_>) -> Result<sync::MutexGuard<'_, ()>, Box<Answer>> {
        if let Ok(turn) = self.turn.try_lock() {
            return Ok(turn);
        }
        let queued = Queued(&self.queued);
        if self.queued.fetch_add(1, Ordering::SeqCst) >= self.machine.max_queue {
            return Err(Answer::busy().into());
        }
        let turn = queue(self.turn.lock(), || {
            notes.note(|served| served.queued = true);
        });
        let turn = self.clock.while_waiting(turn).await;
        drop(queued);
        Ok(turn)
    }

    /// The lease of a runner that serves `needs` as it is.
    fn ready(self: &Arc<Self>, needs: &Needs) -> Option<Lease> {
        let mut loaded = self.unexpired();
        let runner = loaded.iter_mut().find(|it| it.is_of(&needs.card))?;
        if self.machine.unlimited {
            runner.load = needs.load.clone();
        }
        let serves = runner.load.serves(&needs.load);
        serves.then(|| self.hand_out(runner, needs))
    }

    fn next(self: &Arc<Self>, needs: &Needs, notes: &Notes) -> Next {
        if let Some(lease) = self.ready(needs) {
            return Next::Use(lease);
        }
        let mut loaded = self.unexpired();
        let Some(place) = self.victim(&loaded, needs) else {
            return Next::Load;
        };
        let victim = &mut loaded[place];
        victim.keep_alive = 0;
        let name = victim.card.name.clone();
        notes.note(|served| {
            if !served.evicted.contains(&name) {
                served.evicted.push(name);
            }
        });
        if victim.users == 0 {
            loaded.remove(place);
            self.unloaded.send_replace(());
        }
        Next::Wait
    }

    /// Who must go before `needs` can be loaded: its own model loaded otherwise; or, if there is no room, the idle
    /// one with the shortest keep-alive, and if none is idle, the first of all in that order.
    fn victim(&self, loaded: &[Runner], needs: &Needs) -> Option<usize> {
        if let Some(place) = loaded.iter().position(|it| it.is_of(&needs.card)) {
            return Some(place);
        }
        let bytes = self.machine.bytes(&needs.card, needs.load.num_ctx);
        let room = loaded.len() < self.machine.max_loaded && bytes <= self.free(loaded) / 5 * 4;
        if room || self.machine.unlimited {
            return None;
        }
        let order = |it: &Runner| (it.users > 0, it.keep_alive, it.card.name.clone());
        (0..loaded.len()).min_by_key(|place| order(&loaded[*place]))
    }

    fn free(&self, loaded: &[Runner]) -> u64 {
        let used: u64 = loaded.iter().map(|it| it.bytes_vram).sum();
        self.machine.memory.saturating_sub(used)
    }

    async fn load(self: &Arc<Self>, needs: &Needs, notes: &Notes<'_>) -> Lease {
        let began = Duration::from_nanos(self.clock.now());
        notes.note(|served| {
            served.loaded = true;
            served.load_began = Some(began);
        });
        let takes = self.machine.load_ns(&needs.card);
        if takes > 0 {
            self.clock.until(self.clock.now().saturating_add(takes)).await;
        }
        let mut loaded = self.unexpired();
        let mut runner = self.runner(needs, self.free(&loaded));
        let lease = self.hand_out(&mut runner, needs);
        loaded.push(runner);
        lease
    }

    fn runner(&self, needs: &Needs, free: u64) -> Runner {
        let bytes = self.machine.bytes(&needs.card, needs.load.num_ctx);
        let slots = Slots::new(self.machine.slots(&needs.card), &self.machine);
        Runner {
            id: self.ids.fetch_add(1, Ordering::SeqCst),
            card: needs.card.clone(),
            load: needs.load.clone(),
            bytes,
            bytes_vram: if self.machine.unlimited { bytes } else { bytes.min(free) },
            users: 0,
            keep_alive: self.machine.keep_alive,
            expires: 0,
            slots: Arc::new(slots),
        }
    }

    /// A request's own keep-alive also takes an eviction mark off, as in Ollama.
    fn hand_out(self: &Arc<Self>, runner: &mut Runner, needs: &Needs) -> Lease {
        runner.users += 1;
        runner.keep_alive = needs.keep_alive.unwrap_or(runner.keep_alive);
        Lease { slots: runner.slots.clone(), deadly: false, id: runner.id, runners: self.clone() }
    }

    fn give_back(&self, id: usize, deadly: bool) {
        let mut loaded = lock(&self.loaded);
        let Some(place) = loaded.iter().position(|it| it.id == id) else {
            return;
        };
        let runner = &mut loaded[place];
        runner.users -= 1;
        runner.expires = self.clock.now().saturating_add(runner.keep_alive);
        if deadly || runner.users == 0 && runner.keep_alive == 0 {
            loaded.remove(place);
            self.unloaded.send_replace(());
        } else if runner.users == 0 {
            self.idle.send_replace(());
        }
    }

    /// Unloads `card` as soon as it is idle.
    pub(crate) fn unload(&self, card: &Card) {
        let mut loaded = lock(&self.loaded);
        for runner in loaded.iter_mut().filter(|it| it.is_of(card)) {
            runner.keep_alive = 0;
        }
        loaded.retain(|it| it.users > 0 || it.keep_alive > 0);
        self.unloaded.send_replace(());
    }

    pub(crate) fn clear(&self) {
        lock(&self.loaded).clear();
    }

    /// The entries of `/api/ps`, longest-lived first.
    pub(crate) fn list(&self) -> Value {
        let now = self.clock.now();
        let loaded = self.unexpired();
        let until = |it: &Runner| match it.users {
            0 => it.expires,
            _ => now.saturating_add(it.keep_alive),
        };
        let mut loaded: Vec<&Runner> = loaded.iter().collect();
        loaded.sort_by_key(|it| Reverse(until(it)));
        let entry =
            |it: &&Runner| it.card.running(it.load.num_ctx, until(it), it.bytes, it.bytes_vram);
        loaded.iter().map(entry).collect()
    }

    /// Those whose time is not over.
    fn unexpired(&self) -> MutexGuard<'_, Vec<Runner>> {
        let now = self.clock.now();
        let mut loaded = lock(&self.loaded);
        loaded.retain(|it| it.users > 0 || it.expires > now);
        loaded
    }
}

impl Runner {
    fn is_of(&self, card: &Card) -> bool {
        self.card.name == card.name
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.runners.give_back(self.id, self.deadly);
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
