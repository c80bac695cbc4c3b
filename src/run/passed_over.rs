//! Debates passed over because too many are deferred already. Only their ids are kept: once they can be served, their plans are
//! made again.

use std::collections::{BTreeMap, HashSet};

use super::deferred::{Models, models_of};
use crate::id::DebateId;
use crate::plan::Plan;

/// Plans, one by one.
pub(super) type Plans<'c> = Box<dyn Iterator<Item = Plan> + Send + 'c>;

/// Makes all plans of a batch, in order.
pub(super) type MakePlans<'c> = Box<dyn Fn() -> Plans<'c> + Send + 'c>;

pub(super) struct PassedOver<'c> {
    ids: BTreeMap<Models, HashSet<DebateId>>,
    pub(super) make: MakePlans<'c>,
    /// What is left of the plans as they were last made.
    plans: Plans<'c>,
}

impl<'c> PassedOver<'c> {
    pub(super) fn new(make: MakePlans<'c>) -> Self {
        Self { ids: BTreeMap::new(), make, plans: Box::new(std::iter::empty()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn add(&mut self, plan: Plan) {
        self.ids.entry(models_of(&plan)).or_default().insert(plan.id);
    }

    /// Whether there are debates whose models pass.
    pub(super) fn has(&self, passes: impl Fn(&Models) -> bool) -> bool {
        self.ids.keys().any(passes)
    }

    /// The next debate whose models pass.
    pub(super) fn first_where(&mut self, passes: impl Fn(&Models) -> bool) -> Option<Plan> {
        if !self.has(&passes) {
            return None;
        }
        // It may be among those that are left; otherwise it is among all.
        for _ in 0..2 {
            while let Some(plan) = self.plans.next() {
                if self.take(&plan, &passes) {
                    return Some(plan);
                }
            }
            self.plans = (self.make)();
        }
        None
    }

    fn take(&mut self, plan: &Plan, passes: impl Fn(&Models) -> bool) -> bool {
        let models = models_of(plan);
        let Some(alike) = self.ids.get_mut(&models).filter(|_| passes(&models)) else {
            return false;
        };
        let is_one = alike.remove(&plan.id);
        if alike.is_empty() {
            self.ids.remove(&models);
        }
        is_one
    }
}
