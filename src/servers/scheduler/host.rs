//! One server: the models in its memory, and the prompts that their slots still hold.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{DebateNumber, ModelName, Moment};

/// What is believed of a server.
#[derive(Debug)]
pub(super) struct Host {
    /// Calls that it takes at a time.
    capacity: usize,
    busy: usize,
    /// The models in memory, those in use included, each with its slots.
    loaded: BTreeMap<ModelName, Vec<Slot>>,
    /// Sets of models that were seen in memory together.
    together: Vec<BTreeSet<ModelName>>,
    /// Starts no more calls of the loaded models, so that another one's turn comes.
    pub(super) is_draining: bool,
    /// Since when calls for other models could have used idle slots.
    pub(super) blocked_since: Option<Moment>,
    /// Slot time lost in that way since the last load, in seconds.
    pub(super) lost: f64,
}

/// A place for one call of a model, which keeps the prompt of its last one.
#[derive(Debug, Default, Clone)]
struct Slot {
    kept: Option<DebateNumber>,
    is_busy: bool,
    freed: Moment,
}

impl Host {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            busy: 0,
            loaded: BTreeMap::new(),
            together: Vec::new(),
            is_draining: false,
            blocked_since: None,
            lost: 0.0,
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn busy(&self) -> usize {
        self.busy
    }

    pub(super) fn idle(&self) -> usize {
        self.capacity - self.busy
    }

    /// Whether it has no model in memory.
    pub(super) fn is_empty(&self) -> bool {
        self.loaded.is_empty()
    }

    /// Whether a model is in memory, or on its way there.
    pub(super) fn has(&self, model: &str) -> bool {
        self.loaded.contains_key(model)
    }

    /// Whether a call to that model can start without a load.
    pub(super) fn runs(&self, model: &str) -> bool {
        !self.is_draining && self.has(model)
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
        self.together.iter().any(covers)
    }

    /// A call starts, in the slot that has its debate's prompt or else the one whose prompt is missed least; the latter is for
    /// `is_missed` to say.
    pub(super) fn begin(
        &mut self,
        debate: DebateNumber,
        model: &ModelName,
        is_missed: impl Fn(DebateNumber) -> bool,
    ) -> usize {
        if !self.has(model) {
            self.load(model);
        }
        self.busy += 1;
        let slots = self.loaded.entry(model.clone()).or_default();
        let cost = |slot: &Slot| match slot.kept {
            Some(kept) if kept == debate => (0, Moment::ZERO),
            None => (1, Moment::ZERO),
            Some(kept) => (2 + u8::from(is_missed(kept)), slot.freed),
        };
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
        if !self.fits(model) {
            self.loaded.clear();
        }
        self.add(model);
        (self.is_draining, self.blocked_since, self.lost) = (false, None, 0.0);
    }

    fn add(&mut self, model: &ModelName) {
        let slots = vec![Slot::default(); self.capacity];
        self.loaded.entry(model.clone()).or_insert(slots);
    }

    pub(super) fn free(&mut self, model: &str, place: usize, now: Moment) {
        self.busy -= 1;
        if let Some(slot) = self.loaded.get_mut(model).and_then(|it| it.get_mut(place)) {
            (slot.is_busy, slot.freed) = (false, now);
        }
    }

    /// Takes in what the server says is in memory. What is being loaded is not there yet.
    pub(super) fn holds(&mut self, models: &[ModelName]) {
        let is_used = |slots: &Vec<Slot>| slots.iter().any(|slot| slot.is_busy);
        self.loaded
            .retain(|model, slots| models.contains(model) || is_used(slots));
        models.iter().for_each(|model| self.add(model));
        let seen: BTreeSet<ModelName> = models.iter().cloned().collect();
        if seen.len() > 1 && !self.together.contains(&seen) {
            self.together.push(seen);
        }
    }
}
