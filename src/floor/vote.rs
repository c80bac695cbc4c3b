//! The audience's votes on a round (row L4). Both what a window is and what was counted are values from outside: the journal has
//! them before anything follows from them.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::audience::{Audience, counted, opened};
use super::desk::Desk;
use super::halt::Halt;
use crate::digest;
use crate::event::{EventKind, Tally, VoteWindow};
use crate::journal::ExternalEntry;

/// Ballots that a rehearsal casts.
const REHEARSED: u32 = 5;

/// Begins a window of so many seconds, or of none where nobody is there.
pub(super) async fn open(desk: &Desk, round: u32, seconds: u32) -> Result<VoteWindow, Halt> {
    let name = opened(&counted(round));
    desk.calls.take_name(&name)?;
    let now = async { Ok(json!(window(desk, round, seconds))) };
    let entry = desk.calls.read(&name, now).await?;
    let window: VoteWindow = read(desk, entry)?;
    if window.present > 0
        && !desk.plan.rehearsal
        && let Some(audience) = audience(desk)
        && desk.calls.reading(&counted(round)).is_none()
    {
        audience.open(&window).await?;
    }
    desk.log
        .emit(EventKind::AudienceOpen(window.clone()), None, None);
    Ok(window)
}

fn window(desk: &Desk, round: u32, seconds: u32) -> VoteWindow {
    let present = match desk.plan.rehearsal {
        true => REHEARSED,
        false => audience(desk).map_or(0, |audience| audience.present()),
    };
    let opened_at = desk.calls.now();
    let is_waited_for = present > 0 && !desk.plan.rehearsal;
    let seconds = if is_waited_for { seconds } else { 0 };
    VoteWindow {
        round,
        present,
        opened_at,
        closes_at: opened_at + TimeDelta::seconds(seconds.into()),
    }
}

/// Ends a window: what was counted, and when.
pub(super) async fn close(
    desk: &Desk,
    window: &VoteWindow,
) -> Result<(Tally, DateTime<Utc>), Halt> {
    let name = counted(window.round);
    desk.calls.take_name(&name)?;
    let now = async { Ok(json!(count(desk, window).await?)) };
    let entry = desk.calls.read(&name, now).await?;
    if let Some(audience) = audience(desk) {
        audience.clear(window);
    }
    let at = entry.at;
    Ok((read(desk, entry)?, at))
}

async fn count(desk: &Desk, window: &VoteWindow) -> Result<Tally, Halt> {
    match audience(desk) {
        _ if desk.plan.rehearsal => Ok(rehearsed(desk, window.round)),
        Some(audience) if window.present > 0 => audience.close(window).await,
        _ => Ok(Tally::default()),
    }
}

/// Ballots that follow from the debate's seed.
fn rehearsed(desk: &Desk, round: u32) -> Tally {
    let name = counted(round);
    let drawn = |n: u32| digest::derive(desk.plan.seed, &format!("{name}/{n}"));
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

fn audience(desk: &Desk) -> Option<&dyn Audience> {
    desk.audience.as_deref()
}

fn read<T: serde::de::DeserializeOwned>(desk: &Desk, entry: ExternalEntry) -> Result<T, Halt> {
    desk.log.advance(entry.at, 0);
    let damaged = |e| {
        Halt::Parked(format!(
            "what its journal says of the audience cannot be read: {e}"
        ))
    };
    serde_json::from_value(entry.value).map_err(damaged)
}
