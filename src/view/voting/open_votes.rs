//! For how long people can still vote, for pages that tell what a debate is doing.

use crate::store::audience_ballots;
use crate::store::live::ShortId;
use crate::store::state::{AskedCall, OpenDebate};
use crate::view::app::App;

/// The open windows, with the seconds that each has left.
pub(in crate::view) struct OpenVotes(Vec<(ShortId, u64)>);

impl OpenVotes {
    pub(in crate::view) fn look(app: &App) -> Self {
        let now = app.clock.now();
        let open = audience_ballots::open_windows(&app.output, &app.clock).into_iter();
        let left = |ms: i64| u64::try_from(ms).unwrap_or(0).div_ceil(1000);
        Self(
            open.map(|(id, window)| (id, left((window.closes_at - now).num_milliseconds())))
                .collect(),
        )
    }

    /// How long people can vote on this debate, if they can.
    pub(in crate::view) fn left(&self, id: &str) -> Option<u64> {
        self.0.iter().find(|(open, _)| open.as_str() == id).map(|(_, left)| *left)
    }

    /// What a debate is doing: while people vote, that; otherwise as `told` describes its calls.
    pub(in crate::view) fn doing(
        &self,
        debate: &OpenDebate,
        told: impl Fn(&AskedCall) -> String,
    ) -> String {
        match self.left(&debate.id) {
            Some(left) => format!("audience votes, {left} s left"),
            None => debate.doing(told),
        }
    }
}
