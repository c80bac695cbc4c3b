//! Writes votes to disk: those that arrive together are synced together. It also knows which voters were there lately.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::voters::Voter;
use crate::clock::Clock;
use crate::shared::Shared;
use crate::store::audience_ballots::{self, Ballots, Cast, CastBallot};
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;
use crate::view::blocking_work::aside;

/// Minimum time between two votes of a voter.
const APART: Duration = Duration::from_secs(1);
/// For how long someone is there after the page was last heard of.
const THERE: Duration = Duration::from_secs(10);
/// How often it is told how many are there.
const TELL: Duration = Duration::from_secs(2);

/// Which ballots.
type Of = (ShortId, u32);
type Waiting = (CastBallot, oneshot::Sender<Option<Cast>>);

/// The votes that come in through a viewer.
pub(in crate::view) struct VoteWriter {
    output: OutputDir,
    clock: Clock,
    waiting: Shared<HashMap<Of, Vec<Waiting>>>,
    /// Held by who writes.
    writing: tokio::sync::Mutex<()>,
    /// When a voter voted last.
    voted: Shared<HashMap<Voter, Instant>>,
    there: Shared<There>,
}

#[derive(Default)]
struct There {
    /// When a voter's page was last heard of.
    heard: HashMap<Voter, Instant>,
    told: Option<Instant>,
}

impl VoteWriter {
    pub(in crate::view) fn new(output: &OutputDir, clock: &Clock) -> Self {
        Self {
            output: output.clone(),
            clock: clock.clone(),
            waiting: Shared::default(),
            writing: tokio::sync::Mutex::default(),
            voted: Shared::default(),
            there: Shared::default(),
        }
    }

    /// Whether a voter may vote again by now.
    pub(in crate::view) fn is_in_time(&self, voter: &Voter) -> bool {
        let now = Instant::now();
        let mut voted = self.voted.lock();
        voted.retain(|_, at| now.duration_since(*at) < APART);
        let is_in_time = !voted.contains_key(voter);
        voted.entry(voter.clone()).or_insert(now);
        is_in_time
    }

    /// Puts a vote into the box. What is to be told is told once it is on disk.
    pub(in crate::view) fn put(
        &self,
        of: Of,
        ballot: CastBallot,
    ) -> oneshot::Receiver<Option<Cast>> {
        let (tell, told) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        waiting.entry(of).or_default().push((ballot, tell));
        told
    }

    /// Writes what waits. Who comes second finds that the first has written it.
    pub(in crate::view) async fn write(&self, of: Of) {
        let _writing = self.writing.lock().await;
        let Some(waiting) = self.waiting.lock().remove(&of) else { return };
        let (ballots, tell): (Vec<CastBallot>, Vec<_>) = waiting.into_iter().unzip();
        let (file, clock) = (Ballots::of(&self.output, &of.0, of.1), self.clock.clone());
        let cast = aside(move || file.cast(&ballots, &clock).ok()).await.flatten();
        for tell in tell {
            // Who has gone does not know whether the vote counts.
            let _ = tell.send(cast);
        }
    }

    /// Takes in that a voter is there, and tells now and then how many are. Waits for the disk.
    pub(in crate::view) fn heard_of(&self, voter: &Voter) {
        let now = Instant::now();
        let mut there = self.there.lock();
        there.heard.insert(voter.clone(), now);
        there.heard.retain(|_, at| now.duration_since(*at) < THERE);
        let is_recent = |told| now.duration_since(told) < TELL;
        if !there.told.is_some_and(is_recent) {
            there.told = Some(now);
            let voters = u32::try_from(there.heard.len()).unwrap_or(u32::MAX);
            audience_ballots::tell_present(&self.output, voters, &self.clock);
        }
    }
}
