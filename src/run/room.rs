//! What a run waits for when this machine has no more of something: open files, memory, room on the disk. Nothing begins
//! meanwhile, and what could not be written down is asked again later.

use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::batch::Batch;

/// Time between two tries.
const TRY_EVERY: Duration = Duration::from_secs(1);

/// What this machine is short of.
pub(super) struct Room<'b> {
    batch: &'b Batch,
    /// When files or memory were last short.
    short: Option<Instant>,
    disk: Option<FullDisk>,
}

/// A disk that was full, until a debate ends well.
struct FullDisk {
    since: Instant,
    /// Whether it is still full, as far as is known.
    is_full: bool,
    looked: Instant,
}

impl<'b> Room<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self {
            batch,
            short: None,
            disk: None,
        }
    }

    /// Whether anything may begin.
    pub(super) fn is_there(&self) -> bool {
        let short = self.short.is_some_and(|at| at.elapsed() < TRY_EVERY);
        let full = self.disk.as_ref().is_some_and(|disk| disk.is_full);
        !(short || full) || self.batch.stop.is_requested()
    }

    /// Notes that files or memory are short.
    pub(super) fn is_short(&mut self, cause: &str) {
        if self.short.is_none() {
            (self.batch.notify)(&format!(
                "{cause}; debates are waiting: raise the limit (`ulimit -n`) or lower --max-debates"
            ));
        }
        self.short = Some(Instant::now());
    }

    /// Notes that the disk is full; returns whether to wait for room.
    pub(super) fn is_full(&mut self, cause: &str) -> bool {
        let now = Instant::now();
        let is_known = self.disk.is_some();
        let disk = self.disk.get_or_insert(FullDisk {
            since: now,
            is_full: true,
            looked: now,
        });
        disk.is_full = disk.since.elapsed() < self.batch.outage_timeout;
        if disk.is_full && !is_known {
            (self.batch.notify)(&format!(
                "{cause}; the disk is full: debates are waiting until there is room again (--outage-timeout)"
            ));
        }
        disk.is_full
    }

    /// Looks, at intervals, whether there is room on the disk again, or has been waited for long enough.
    pub(super) async fn look(&mut self) {
        let Some(disk) = self.disk.as_mut().filter(|disk| disk.is_full) else {
            return;
        };
        if disk.looked.elapsed() < TRY_EVERY {
            return;
        }
        let output = self.batch.context.output.clone();
        let has_room = spawn_blocking(move || output.has_room()).await;
        disk.is_full =
            !has_room.unwrap_or(true) && disk.since.elapsed() < self.batch.outage_timeout;
        disk.looked = Instant::now();
    }

    /// Notes that a debate was written: the disk is not full.
    pub(super) fn is_well(&mut self) {
        if self.disk.take_if(|disk| !disk.is_full).is_some() {
            (self.batch.notify)("there is room on the disk again");
        }
    }
}
