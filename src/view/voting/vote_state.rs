//! What all voters are told, and what each is told of their own vote.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::store::audience_ballots::Choice;
use crate::store::live::ShortId;

/// The open windows, and what was counted last.
pub(in crate::view) struct VoteState {
    pub(super) open: Vec<OpenVote>,
    pub(super) closed: Vec<Value>,
}

/// An open window.
pub(super) struct OpenVote {
    pub(super) id: ShortId,
    /// What all are told.
    pub(super) told: Value,
    /// What each has chosen so far, by their names in this debate.
    pub(super) choices: BTreeMap<String, Choice>,
}

impl VoteState {
    /// All of it for one voter, whose name in a debate this gives.
    pub(super) fn told(&self, name: impl Fn(&str) -> String) -> Value {
        let open = self.open.iter().map(|window| {
            let own = window.choices.get(&name(window.id.as_str()));
            let mut told = window.told.clone();
            told["own"] = json!(own);
            told
        });
        json!({"open": open.collect::<Vec<_>>(), "closed": self.closed})
    }
}
