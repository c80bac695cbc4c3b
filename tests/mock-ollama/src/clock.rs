//! The server's clock: it starts at one moment and runs as fast as the machine says, or leaps, or stands.

use crate::leaps::Leaps;
use crate::machine::Machine;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) const SECOND: u64 = 1_000_000_000;

/// 2026-01-01T00:00:00Z in nanoseconds since 1970.
const NOW: u64 = 1_767_225_600 * SECOND;

/// Further ahead nobody waits.
const YEAR: u64 = 365 * 86_400 * SECOND;

/// Machine time, in nanoseconds from the server's start.
#[derive(Clone)]
pub(crate) enum Clock {
    Stands,
    /// With real time for each unit of the machine's.
    Runs {
        start: Instant,
        scale: f64,
    },
    Leaps(Arc<Leaps>),
}

impl Clock {
    pub(crate) fn new(machine: &Machine) -> Self {
        match (machine.leaps, machine.scale) {
            (Some(after), _) => Self::Leaps(Leaps::new(after)),
            (None, 0.0) => Self::Stands,
            (None, scale) => Self::Runs { start: Instant::now(), scale },
        }
    }

    pub(crate) fn now(&self) -> u64 {
        match self {
            Self::Stands => 0,
            Self::Runs { start, scale } => (start.elapsed().as_nanos() as f64 / scale) as u64,
            Self::Leaps(leaps) => leaps.now(),
        }
    }

    pub(crate) fn stands(&self) -> bool {
        matches!(self, Self::Stands)
    }

    /// Returns at machine time `ns`, at once if the clock stands.
    pub(crate) async fn until(&self, ns: u64) {
        match self {
            Self::Stands => {}
            Self::Runs { start, scale } => {
                let real = Duration::from_nanos((ns as f64 * scale) as u64)
                    .min(Duration::from_nanos(YEAR));
                tokio::time::sleep_until((*start + real).into()).await;
            }
            Self::Leaps(leaps) => leaps.until(ns).await,
        }
    }

    /// Tells a clock that leaps of a request, until dropped.
    pub(crate) fn request(&self) -> Request<'_> {
        if let Self::Leaps(leaps) = self {
            leaps.begin();
        }
        Request(self)
    }

    /// What `wait` gives; tells a clock that leaps that a request waits for something else than a time.
    pub(crate) async fn while_waiting<T>(&self, wait: impl Future<Output = T>) -> T {
        let _waiting = Waiting::new(self);
        wait.await
    }
}

/// A request that a clock knows of.
pub(crate) struct Request<'a>(&'a Clock);

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if let Clock::Leaps(leaps) = self.0 {
            leaps.end();
        }
    }
}

struct Waiting<'a>(&'a Clock);

impl<'a> Waiting<'a> {
    fn new(clock: &'a Clock) -> Self {
        if let Clock::Leaps(leaps) = clock {
            leaps.wait(true);
        }
        Self(clock)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Clock::Leaps(leaps) = self.0 {
            leaps.wait(false);
        }
    }
}

/// A duration as the server counts it.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The moment at machine time `ns`, as Go prints it: RFC 3339 without trailing zeros.
pub(crate) fn later(ns: u64) -> String {
    let at = NOW.saturating_add(ns);
    let (seconds, fraction) = (at / SECOND, at % SECOND);
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = format!(".{fraction:09}");
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Year, month and day of a day since 1970, counted in years that begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = (march_month + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}
