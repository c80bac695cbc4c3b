//! Controls that wait for the debates they are matched to.

use std::collections::HashMap;

use crate::id::DebateId;
use crate::plan::Plan;

/// Controls by the debate that they wait for.
#[derive(Default)]
pub(super) struct Unready(HashMap<DebateId, Vec<Plan>>);

impl Unready {
    pub(super) fn add(&mut self, debate: DebateId, control: Plan) {
        self.0.entry(debate).or_default().push(control);
    }

    /// The controls that wait for this debate, which has ended.
    pub(super) fn take(&mut self, debate: &DebateId) -> Vec<Plan> {
        self.0.remove(debate).unwrap_or_default()
    }

    /// All controls with the debates that they wait for, in the order of their ids.
    pub(super) fn take_all(&mut self) -> Vec<(DebateId, Plan)> {
        let each = self.0.drain();
        let each =
            each.flat_map(|(debate, plans)| plans.into_iter().map(move |it| (debate.clone(), it)));
        let mut all: Vec<(DebateId, Plan)> = each.collect();
        all.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        all
    }
}
