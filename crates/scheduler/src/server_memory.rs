//! One server: the models in its memory, and the prompts that their slots hold.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{DebateNumber, ModelName, Moment};
use super::parallel::{InFlight, Parallel};

/// What is believed about a server.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// Current limit on its calls in flight, and the maximum of that limit.
    capacity: usize,
    most: usize,
    busy: usize,
    /// The models in memory, including those in use, each with its slots.
    loaded: BTreeMap<ModelName, Vec<Slot>>,
    parallel: BTreeMap<ModelName, Parallel>,
    /// The models that are being loaded: no call has had a reply since.
    loading: BTreeSet<ModelName>,
    /// Models in memory that must be loaded again for their next call, once their calls in flight have ended.
    outdated: BTreeSet<ModelName>,
    /// Sets of models that were seen in memory together.
    together: Vec<BTreeSet<ModelName>>,
    /// The models in memory if the one loaded last fits beside the others; empty once that is known.
    tried: BTreeSet<ModelName>,
    /// Whether a model was once seen not to fit.
    is_full: bool,
    /// Whether the loaded models get no more calls, so that another model gets its turn.
    pub(super) is_draining: bool,
    /// Since when calls to other models could have used idle slots.
    pub(super) blocked_since: Option<Moment>,
    /// Slot time lost that way since the last load, in seconds.
    pub(super) lost: f64,
}

/// A place for one call of a model. It keeps the prompt of its last call.
#[derive(Debug, Default, Clone)]
struct Slot {
    kept: Option<DebateNumber>,
    is_busy: bool,
    freed: Moment,
}

impl Slot {
    fn is_spare(&self, is_kept: impl Fn(DebateNumber) -> bool) -> bool {
        !self.is_busy && !self.kept.is_some_and(is_kept)
    }
}

impl Host {
    /// A server that gets `first` calls at a time, and up to `most` while they find slots.
    pub(super) fn new(first: usize, most: usize) -> Self {
        Self { capacity: first, most, ..Self::default() }
    }

    /// Calls that it runs at a time, limited by the slots of the loaded models.
    pub(super) fn width(&self) -> usize {
        let slots: usize = self.loaded.values().map(Vec::len).sum();
        if self.is_empty() { self.capacity } else { self.capacity.min(slots) }
    }

    pub(super) fn busy(&self) -> usize {
        self.busy
    }

    /// Calls that it could get on top of those in flight.
    pub(super) fn room(&self) -> usize {
        self.capacity - self.busy
    }

    /// Idle slots, of the loaded models if there are any.
    pub(super) fn idle(&self) -> usize {
        self.room().min(self.spare(|_, _| false))
    }

    /// Idle slots that are not kept for the debate whose prompt they hold.
    pub(super) fn spare(&self, is_kept: impl Fn(DebateNumber, &str) -> bool) -> usize {
        let spare = |(model, slots): (&ModelName, &Vec<Slot>)| {
            slots.iter().filter(|slot| slot.is_spare(|by| is_kept(by, model))).count()
        };
        if self.is_empty() { self.room() } else { self.ready().map(spare).sum() }
    }

    /// The models whose slots can be used now.
    fn ready(&self) -> impl Iterator<Item = (&ModelName, &Vec<Slot>)> {
        self.loaded.iter().filter(|(model, _)| !self.is_loading_beside(model))
    }

    /// Whether a loaded model has an idle slot that is not kept.
    pub(super) fn has_spare(&self, model: &str, is_kept: impl Fn(DebateNumber) -> bool) -> bool {
        let mut slots = self.loaded.get(model).into_iter().flatten();
        slots.any(|slot| slot.is_spare(&is_kept))
    }

    /// Slots for calls to a model that can start without a load.
    pub(super) fn slots(&self, model: &str) -> usize {
        self.loaded.get(model).filter(|_| self.runs(model)).map_or(0, Vec::len)
    }

    /// Calls to a model in flight on the server.
    pub(super) fn running(&self, model: &str) -> usize {
        let slots = self.loaded.get(model).into_iter().flatten();
        slots.filter(|slot| slot.is_busy).count()
    }

    /// The models in memory or being loaded.
    pub(super) fn models(&self) -> impl Iterator<Item = &ModelName> {
        self.loaded.keys()
    }

    /// Whether no model is in memory or being loaded.
    pub(super) fn is_empty(&self) -> bool {
        self.loaded.is_empty()
    }

    /// Whether a model is in memory or being loaded.
    fn has(&self, model: &str) -> bool {
        self.loaded.contains_key(model)
    }

    /// Whether a call to that model has to load it.
    pub(super) fn lacks(&self, model: &str) -> bool {
        !self.has(model) || self.outdated.contains(model)
    }

    /// A model needs more memory from its next call on, so that call has to load it again.
    pub(super) fn reload(&mut self, model: &str) {
        self.together.retain(|set| !set.contains(model));
        if let Some((model, _)) = self.loaded.get_key_value(model) {
            self.outdated.insert(model.clone());
        }
    }

    /// A call that had to load its model ended without a reply, which leaves the memory in an unknown state.
    pub(super) fn load_failed(&mut self, model: &str) {
        self.tried.clear();
        self.replied(model);
        if self.running(model) == 0 {
            self.loaded.remove(model);
        }
    }

    /// Whether a call to that model can start without a load.
    pub(super) fn runs(&self, model: &str) -> bool {
        !self.is_draining && !self.lacks(model) && !self.is_loading_beside(model)
    }

    /// Whether a model is being loaded beside others that are, or may be, still there. Calls that wait for it would take the
    /// place of calls to those.
    fn is_loading_beside(&self, model: &str) -> bool {
        let is_alone = self.loaded.len() == 1 && self.tried.len() <= 1;
        !is_alone && self.loading.contains(model)
    }

    /// A call to that model has its reply.
    pub(super) fn replied(&mut self, model: &str) {
        self.loading.remove(model);
    }

    /// Whether an idle slot of that model still holds a debate's prompt.
    pub(super) fn remembers(&self, debate: DebateNumber, model: &str) -> bool {
        let mut slots = self.loaded.get(model).into_iter().flatten();
        slots.any(|slot| !slot.is_busy && slot.kept == Some(debate))
    }

    /// Whether a model is known to fit into memory beside those that are there.
    pub(super) fn fits(&self, model: &ModelName) -> bool {
        let mut wanted: BTreeSet<&ModelName> = self.loaded.keys().collect();
        wanted.insert(model);
        let covers = |seen: &BTreeSet<ModelName>| wanted.iter().all(|it| seen.contains(*it));
        // A model that is loaded again does not need room beside itself, but it must not be in use.
        let is_out = self.running(model) == 0;
        is_out && (self.takes_its_own_place(model) || self.together.iter().any(covers))
    }

    /// Whether that model has to be loaded again and is alone in memory.
    pub(super) fn takes_its_own_place(&self, model: &str) -> bool {
        self.has(model) && self.loaded.len() == 1
    }

    /// Whether, as far as is known, one more model may fit beside those in memory.
    pub(super) fn may_try(&self) -> bool {
        !self.is_full && !self.is_empty() && self.tried.is_empty()
    }

    /// Whether, as far as is known, a model may be loaded without evicting another one.
    pub(super) fn has_room(&self, model: &ModelName) -> bool {
        self.is_empty() || self.may_try() || self.fits(model)
    }

    /// Starts a call in the slot that holds its debate's prompt, or else, as servers do, in the one unused for longest.
    pub(super) fn begin(&mut self, debate: DebateNumber, model: &ModelName) -> usize {
        if self.lacks(model) {
            self.load(model);
        }
        self.busy += 1;
        let slots = self.loaded.entry(model.clone()).or_default();
        let cost = |slot: &Slot| (slot.kept != Some(debate), slot.freed);
        let idle = slots.iter().enumerate().filter(|(_, slot)| !slot.is_busy);
        let best = idle.min_by_key(|(_, slot)| cost(slot));
        let place = best.map_or(slots.len(), |(place, _)| place);
        if place == slots.len() {
            slots.push(Slot::default());
        }
        slots[place].kept = Some(debate);
        slots[place].is_busy = true;
        place
    }

    fn load(&mut self, model: &ModelName) {
        let fits = self.fits(model);
        self.outdated.remove(model);
        self.loaded.remove(model);
        self.loading.insert(model.clone());
        self.tried = self.loaded.keys().cloned().collect();
        self.tried.insert(model.clone());
        if !fits {
            self.loaded.clear();
        }
        self.add(model);
        (self.is_draining, self.blocked_since, self.lost) = (false, None, 0.0);
    }

    fn add(&mut self, model: &ModelName) {
        self.loaded.entry(model.clone()).or_default();
        self.resize(model);
    }

    /// Gives a loaded model as many slots as it is believed to have. Slots in use stay until they are free.
    fn resize(&mut self, model: &str) {
        let known = self.parallel.get(model);
        let allowed = known.map_or(self.capacity, |it| it.allowed(self.capacity));
        let Some(slots) = self.loaded.get_mut(model) else { return };
        if slots.len() < allowed {
            slots.resize(allowed, Slot::default());
        }
        while slots.len() > allowed && slots.last().is_some_and(|slot| !slot.is_busy) {
            slots.pop();
        }
    }

    /// Notes whether a call waited for a slot, given the calls in flight to its model and to all models.
    pub(super) fn saw(
        &mut self,
        model: &ModelName,
        (in_flight, busy): (InFlight, usize),
        waited: bool,
    ) {
        self.parallel.entry(model.clone()).or_default().saw(in_flight, waited);
        if !waited && busy >= self.capacity {
            self.capacity = (busy + 1).min(self.most);
        }
        self.resize(model);
    }

    pub(super) fn free(&mut self, model: &str, place: usize, now: Moment) {
        self.busy -= 1;
        if let Some(slot) = self.loaded.get_mut(model).and_then(|it| it.get_mut(place)) {
            (slot.is_busy, slot.freed) = (false, now);
        }
        self.resize(model);
    }

    /// Notes what the server reports to have in memory. A model that is still being loaded is not reported.
    pub(super) fn holds(&mut self, models: &[ModelName]) {
        let mut gone: BTreeSet<ModelName> = self.loaded.keys().cloned().collect();
        let is_used = |slots: &Vec<Slot>| slots.iter().any(|slot| slot.is_busy);
        self.loaded.retain(|model, slots| models.contains(model) || is_used(slots));
        if models.iter().any(|model| !self.has(model)) {
            (self.is_draining, self.lost) = (false, 0.0);
        }
        models.iter().for_each(|model| self.add(model));
        gone.retain(|model| !self.has(model));
        self.together.retain(|set| set.is_disjoint(&gone));
        let seen: BTreeSet<ModelName> = models.iter().cloned().collect();
        let tried = std::mem::take(&mut self.tried);
        self.is_full |= tried.iter().any(|model| !self.has(model));
        if seen.len() > 1 && !self.together.contains(&seen) {
            self.together.push(seen);
        }
    }
}
