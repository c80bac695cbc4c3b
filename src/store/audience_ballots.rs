//! The audience's ballots (row L4): `.rebut/ballots/ID12/round-N.open` takes one line per ballot while the window is open. A
//! viewer appends lines, and the run ends the window by renaming the file to `round-N.closed`; both do so under the file's
//! lock. So a ballot synced before the window ended is counted, and a later one finds no file to be added to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::layout::OutputDir;
use super::live::ShortId;
use crate::clock::Clock;
use crate::event::{Tally, VoteWindow};
use crate::files::{self, LockedLines, Result};
use crate::id::DebateId;

/// Maximum bytes of ballots per round.
const MOST_BYTES: u64 = 16 << 20;
/// Seconds for which the number of people present is valid.
const PRESENT: i64 = 10;
/// Maximum bytes of the file with that number.
const MOST_PRESENT: u64 = 200;

/// A voter's choice about the debater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The debater stays.
    Keep,
    /// Another debater comes in.
    Rotate,
}

/// One voter's ballot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CastBallot {
    /// The voter, identified within this debate only.
    pub voter: String,
    /// The voter's choice.
    pub choice: Choice,
    /// When it was cast.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// Whether the voter came without a personal link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unverified: bool,
}

/// What became of ballots that were cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cast {
    /// They are on disk and will be counted.
    Counted {
        /// Until when they can be changed.
        until: DateTime<Utc>,
    },
    /// The window is not open, or no longer.
    Closed,
}

/// The ballots on one round of a debate.
#[derive(Debug, Clone)]
pub struct Ballots {
    dir: PathBuf,
    open: PathBuf,
    closed: PathBuf,
}

impl Ballots {
    /// The ballots of this debate and round.
    pub fn of(output: &OutputDir, id: &ShortId, round: u32) -> Self {
        let dir = output.ballots().join(id.as_str());
        Self {
            open: dir.join(format!("round-{round}.open")),
            closed: dir.join(format!("round-{round}.closed")),
            dir,
        }
    }

    /// Opens the window unless it is open or closed already, in which case its ballots stay. Removes what an earlier course of
    /// the debate left.
    pub fn open(&self, window: &VoteWindow) -> Result<()> {
        if is_of(&self.open, window) || is_of(&self.closed, window) {
            return Ok(());
        }
        files::own_dir(&self.dir)?;
        self.dir.parent().map_or(Ok(()), files::sync_dir)?;
        files::sweep(&self.dir)?;
        files::remove_file(&self.closed)?;
        files::replace_private(&self.open, line(window).as_bytes())
    }

    /// Adds ballots, all or none, and syncs them.
    pub fn cast(&self, ballots: &[CastBallot], clock: &Clock) -> Result<Cast> {
        let Some(mut lines) = LockedLines::open(&self.open)? else { return Ok(Cast::Closed) };
        let text = lines.text(MOST_BYTES)?;
        let window = text.lines().next().and_then(window);
        let Some(window) = window.filter(|window| clock.now() < window.closes_at) else {
            return Ok(Cast::Closed);
        };
        let added: String = ballots.iter().map(line).collect();
        lines.append(&added)?;
        Ok(Cast::Counted { until: window.closes_at })
    }

    /// Each voter's choice as it stands, while the window is open.
    pub fn choices(&self) -> BTreeMap<String, Choice> {
        let bytes = files::read_own_at_most(&self.open, 2 * MOST_BYTES).unwrap_or_default();
        let last = last_ballots(&String::from_utf8_lossy(&bytes), &mut Tally::default());
        last.into_iter().map(|(voter, it)| (voter, it.choice)).collect()
    }

    /// Ends the window and counts. Only each voter's last ballot counts.
    pub fn close(&self, window: &VoteWindow) -> Result<Tally> {
        if !is_of(&self.closed, window)
            && let Some(lines) = LockedLines::open(&self.open)?
        {
            lines.rename(&self.closed)?;
        }
        let bytes = files::read_own_at_most(&self.closed, 2 * MOST_BYTES)?;
        Ok(count(&String::from_utf8_lossy(&bytes)))
    }

    /// Removes the ballots counted, and the debate's directory once it is empty.
    pub fn clear(&self) {
        for path in [&self.open, &self.closed] {
            // The debate's next process removes what is left, which is older than any window.
            let _ = files::remove_file(path);
        }
        files::remove_empty_dir(&self.dir);
    }
}

/// Removes the ballots of a debate that starts over.
pub fn forget(output: &OutputDir, id: &DebateId) -> Result<()> {
    files::remove_dir(&output.ballots().join(id.short()))
}

/// The windows open now, those that end first at the front.
pub fn open_windows(output: &OutputDir, clock: &Clock) -> Vec<(ShortId, VoteWindow)> {
    let debates = files::list(&output.ballots()).unwrap_or_default();
    let debates = debates.iter().filter(|path| files::is_own_dir(path));
    let of_debate = |dir: &PathBuf| {
        let id = ShortId::parse(&files::name_of(dir))?;
        let paths = files::list(dir).unwrap_or_default();
        let mut open = paths.iter().filter(|path| path.extension().is_some_and(|it| it == "open"));
        let window = open.find_map(|path| begun(path).filter(|it| clock.now() < it.closes_at))?;
        Some((id, window))
    };
    let mut all: Vec<_> = debates.filter_map(of_debate).collect();
    all.sort_by_key(|(id, window)| (window.closes_at, *id));
    all
}

/// The number of people present, and the time of that count.
#[derive(Serialize, Deserialize)]
struct Present {
    voters: u32,
    #[serde(serialize_with = "crate::clock::serialize")]
    at: DateTime<Utc>,
}

/// Publishes the number of people present, which is valid for ten seconds. If that fails, nobody is waited for.
pub fn tell_present(output: &OutputDir, voters: u32, clock: &Clock) {
    let told = line(&Present { voters, at: clock.now() });
    let _ = files::replace_unsynced(&voters_file(output), |file| file.write_all(told.as_bytes()));
}

/// The number of people present.
pub fn present(output: &OutputDir, clock: &Clock) -> u32 {
    let told = files::read_own_at_most(&voters_file(output), MOST_PRESENT).ok();
    let told: Option<Present> = told.and_then(|told| serde_json::from_slice(&told).ok());
    let holds = |told: &Present| (clock.now() - told.at).num_seconds() < PRESENT;
    told.filter(holds).map_or(0, |told| told.voters)
}

fn voters_file(output: &OutputDir) -> PathBuf {
    output.live().join("voters")
}

/// The window of a file, from its first line.
fn begun(path: &Path) -> Option<VoteWindow> {
    let bytes = files::read_own_at_most(path, 2 * MOST_BYTES).ok()?;
    window(std::str::from_utf8(&bytes).ok()?.lines().next()?)
}

fn window(line: &str) -> Option<VoteWindow> {
    serde_json::from_str(line).ok()
}

fn is_of(path: &Path, window: &VoteWindow) -> bool {
    begun(path).as_ref() == Some(window)
}

fn line(value: &impl Serialize) -> String {
    serde_json::json!(value).to_string() + "\n"
}

/// The last ballot of each voter in a window's file, with what was cast counted. A line without its end was never acknowledged.
fn last_ballots(text: &str, tally: &mut Tally) -> BTreeMap<String, CastBallot> {
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let mut last: BTreeMap<String, CastBallot> = BTreeMap::new();
    for line in whole.lines().skip(1) {
        match serde_json::from_str::<CastBallot>(line) {
            Ok(ballot) => {
                tally.ballots += 1;
                last.insert(ballot.voter.clone(), ballot);
            }
            Err(_) => tally.refused += 1,
        }
    }
    last
}

/// The tally of a window's file.
fn count(text: &str) -> Tally {
    let mut tally = Tally::default();
    for ballot in last_ballots(text, &mut tally).values() {
        tally.voters += 1;
        tally.unverified += u32::from(ballot.unverified);
        match ballot.choice {
            Choice::Keep => tally.keep += 1,
            Choice::Rotate => tally.rotate += 1,
        }
    }
    tally
}
