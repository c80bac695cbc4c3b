//! Time as a value that tests own.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, SubsecRound, Utc};
use serde::{Serialize, Serializer};

/// Where the current time comes from: the system in a run, a fixed instant in tests.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>);

impl Clock {
    /// The system's clock, in UTC.
    pub fn system() -> Self {
        Self(Arc::new(Utc::now))
    }

    /// A clock that always shows `instant`.
    pub fn fixed(instant: DateTime<Utc>) -> Self {
        Self(Arc::new(move || instant))
    }

    /// The time now, to the millisecond.
    pub fn now(&self) -> DateTime<Utc> {
        (self.0)().trunc_subsecs(3)
    }
}

/// A time as files have it. Its milliseconds are written even if there are none, so that texts sort as their times do.
pub fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Writes a field with a time, or perhaps with one, in that form.
pub fn serialize<S: Serializer>(
    time: &(impl Copy + Into<Option<DateTime<Utc>>>),
    to: S,
) -> Result<S::Ok, S::Error> {
    let time: Option<DateTime<Utc>> = (*time).into();
    time.map(text).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Incident;

    #[test]
    fn a_time_is_written_with_three_digits_and_read_with_any() {
        for (written, then) in [
            ("2026-11-30T21:10:49Z", "2026-11-30T21:10:49.000Z"),
            ("2026-11-30T21:10:49.050Z", "2026-11-30T21:10:49.050Z"),
            ("2026-11-30T21:10:49.050999999Z", "2026-11-30T21:10:49.050Z"),
        ] {
            let incident = serde_json::json!({"kind": "time", "call": null, "attempt": null, "message": "", "at": written});
            let incident: Incident = serde_json::from_value(incident).unwrap();
            assert_eq!(serde_json::to_value(&incident).unwrap()["at"], then);
            assert_eq!(text(written.parse().unwrap()), then);
        }
    }
}
