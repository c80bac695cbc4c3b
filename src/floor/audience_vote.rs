//! The audience's votes on a round (row L4). Both the voting window and the count are externals, journaled before anything
//! follows from them.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::Floor;
use super::audience::{Audience, counted, opened};
use super::halt::{Halt, Result};
use crate::digest;
use crate::event::{EventKind, Tally, VoteWindow};
use crate::journal::ExternalEntry;

/// Number of ballots in a rehearsal.
const REHEARSED: u32 = 5;

impl Floor {
    /// Lets the audience vote on a round for this many seconds, or for none if nobody is present. The debate continues
    /// meanwhile.
    pub async fn open_vote(
        &self,
        round: u32,
        seconds: u32,
        on_position: bool,
    ) -> Result<VoteWindow> {
        let name = opened(&counted(round));
        self.calls.take_name(&name)?;
        let now = async { Ok(json!(window(self, round, seconds, on_position))) };
        let entry = self.calls.read(&name, now).await?;
        let window: VoteWindow = read(self, entry)?;
        if window.present > 0
            && !self.plan.rehearsal
            && let Some(audience) = audience(self)
            && self.calls.external(&counted(round)).is_none()
        {
            audience.open(&window).await?;
        }
        self.emit(EventKind::AudienceOpen(window.clone()), None, None);
        Ok(window)
    }

    /// Waits for the end of the window and counts; returns the tally and the time of the count.
    pub async fn close_vote(&self, window: &VoteWindow) -> Result<(Tally, DateTime<Utc>)> {
        let name = counted(window.round);
        self.calls.take_name(&name)?;
        let now = async { Ok(json!(count(self, window).await?)) };
        let entry = self.calls.read(&name, now).await?;
        if let Some(audience) = audience(self) {
            audience.clear(window);
        }
        let at = entry.at;
        Ok((read(self, entry)?, at))
    }
}

fn window(floor: &Floor, round: u32, seconds: u32, on_position: bool) -> VoteWindow {
    let present = if floor.plan.rehearsal {
        REHEARSED
    } else {
        audience(floor).map_or(0, |audience| audience.present())
    };
    let opened_at = floor.calls.now();
    let is_waited_for = present > 0 && !floor.plan.rehearsal;
    let seconds = if is_waited_for { seconds } else { 0 };
    VoteWindow {
        round,
        present,
        opened_at,
        closes_at: opened_at + TimeDelta::seconds(seconds.into()),
        on_position,
    }
}

async fn count(floor: &Floor, window: &VoteWindow) -> Result<Tally> {
    match audience(floor) {
        _ if floor.plan.rehearsal => Ok(rehearsed(floor, window.round)),
        Some(audience) if window.present > 0 => audience.close(window).await,
        _ => Ok(Tally::default()),
    }
}

/// Ballots drawn from the debate's seed.
fn rehearsed(floor: &Floor, round: u32) -> Tally {
    let name = counted(round);
    let drawn = |n: u32| digest::derive(floor.plan.seed, &format!("{name}/{n}"));
    let keeps = |n: &u32| drawn(*n).is_multiple_of(2);
    let keep = (1..=REHEARSED).filter(keeps).count() as u32;
    Tally {
        keep,
        rotate: REHEARSED - keep,
        voters: REHEARSED,
        ballots: REHEARSED,
        ..Tally::default()
    }
}

fn audience(floor: &Floor) -> Option<&dyn Audience> {
    floor.audience.as_deref()
}

fn read<T: serde::de::DeserializeOwned>(floor: &Floor, entry: ExternalEntry) -> Result<T> {
    floor.log.advance(entry.at, 0, 0);
    let damaged = |e| format!("what its journal says of the audience cannot be read: {e}");
    serde_json::from_value(entry.value).map_err(|e| Halt::Parked(damaged(e)))
}
