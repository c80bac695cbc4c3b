//! What a run waits for when this machine has no more of something: open files, memory, room on the disk. Nothing begins
//! meanwhile, and what could not be written down is asked again later.

use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::batch::Batch;

/// Time between two tries.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// How often a disk may become full anew, without a debate that ends well, before it counts as full all the time: it has
/// room, but too little.
const MOST_REFILLS: u32 = 10;

/// What this machine is short of.
pub(super) struct Room<'b> {
    batch: &'b Batch,
    /// When files or memory were last short.
    short: Option<Instant>,
    disk: Option<FullDisk>,
}

/// A disk that was full, until a debate ends well.
struct FullDisk {
    state: Disk,
    /// When waiting for room began.
    since: Instant,
    refills: u32,
    looked: Instant,
}

/// A disk, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disk {
    Full,
    HasRoom,
    GivenUp,
}

impl FullDisk {
    fn new() -> Self {
        let now = Instant::now();
        Self { state: Disk::Full, since: now, refills: 0, looked: now }
    }

    fn is_full(&self) -> bool {
        self.state == Disk::Full
    }

    /// Whether waiting may begin anew, and is told.
    fn is_news(&self) -> bool {
        self.refills < MOST_REFILLS
    }

    /// Notes that it has become full again, after there was room; returns whether that is news.
    fn refill(&mut self) -> bool {
        let is_news = self.is_news();
        if is_news {
            self.since = Instant::now();
            self.refills += 1;
        }
        self.state = Disk::Full;
        is_news
    }

    /// Notes whether there is room now; returns what to tell.
    fn looked(&mut self, has_room: bool, most: Duration) -> Option<&'static str> {
        self.looked = Instant::now();
        let is_late = self.since.elapsed() >= most;
        if has_room && (self.is_news() || !is_late) {
            self.state = Disk::HasRoom;
            return self.is_news().then_some("there is room on the disk again");
        }
        if is_late {
            self.state = Disk::GivenUp;
        }
        is_late.then_some("gave up waiting for room on the disk (--outage-timeout)")
    }
}

impl<'b> Room<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self { batch, short: None, disk: None }
    }

    /// Whether anything may begin.
    pub(super) fn is_there(&self) -> bool {
        let short = self.short.is_some_and(|at| at.elapsed() < TRY_EVERY);
        let full = self.disk.as_ref().is_some_and(FullDisk::is_full);
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
        if self.batch.outage_timeout.is_zero() {
            return false;
        }
        if self.fills() {
            (self.batch.notify)(&format!(
                "{cause}; the disk is full: debates are waiting until there is room again (--outage-timeout)"
            ));
        }
        self.disk.as_ref().is_some_and(FullDisk::is_full)
    }

    /// Notes that the disk is full; returns whether that is news.
    fn fills(&mut self) -> bool {
        match &mut self.disk {
            None => {
                self.disk = Some(FullDisk::new());
                true
            }
            Some(disk) if disk.state == Disk::HasRoom => disk.refill(),
            Some(_) => false,
        }
    }

    /// Looks, at intervals, whether there is room on the disk again, or has been waited for long enough.
    pub(super) async fn look(&mut self) {
        let Some(disk) = self.disk.as_mut().filter(|disk| disk.is_full()) else { return };
        if disk.looked.elapsed() < TRY_EVERY {
            return;
        }
        let output = self.batch.context.output.clone();
        let has_room = spawn_blocking(move || output.has_room()).await;
        if let Some(news) = disk.looked(has_room.unwrap_or(true), self.batch.outage_timeout) {
            (self.batch.notify)(news);
        }
    }

    /// Notes that a debate was written: the disk is not full.
    pub(super) fn is_well(&mut self) {
        self.disk.take_if(|disk| !disk.is_full());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    impl FullDisk {
        /// As if so much time had passed.
        fn passes(&mut self, time: Duration) {
            self.since -= time;
        }
    }

    #[test]
    fn n_a_disk_that_is_full_again_is_waited_for_anew() {
        let mut disk = FullDisk::new();
        assert_eq!(disk.looked(false, 5 * MINUTE), None);
        disk.looked(true, 5 * MINUTE).expect("room");
        disk.passes(20 * MINUTE);
        assert!(disk.refill());
        assert_eq!(disk.looked(false, 5 * MINUTE), None);
        assert!(disk.is_full());
        disk.passes(5 * MINUTE);
        disk.looked(false, 5 * MINUTE).expect("given up");
        assert!(disk.state == Disk::GivenUp);
    }

    #[test]
    fn n_room_that_is_always_too_little_is_given_up_in_the_end() {
        let mut disk = FullDisk::new();
        while disk.refill() {
            disk.looked(true, MINUTE);
        }
        assert_eq!(disk.looked(true, MINUTE), None, "it is told no more");
        disk.refill();
        disk.passes(MINUTE);
        disk.looked(true, MINUTE).expect("given up");
        assert!(disk.state == Disk::GivenUp);
    }
}
