//! Time as a value that tests own.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};

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
