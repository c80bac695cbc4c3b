//! What a server is in trouble with, since when, and when it is tried again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::Fault;

/// The first pause before a server in trouble is tried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest while the server is not there at all: to ask whether it is back costs nothing.
const LONGEST_AWAY: Duration = Duration::from_secs(2);
/// The longest while it is there, but full or without the model.
const LONGEST_BUSY: Duration = Duration::from_secs(15);
/// The pause after it was given up.
const GIVEN_UP: Duration = Duration::from_secs(300);

/// What trouble concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The whole server.
    Server,
    /// One model: a full server answers 503 only for models that it would have to load.
    Model(String),
}

impl About {
    pub(super) fn of(model: &str, fault: Fault) -> Self {
        match fault {
            Fault::Busy
            | Fault::LoadFailed
            | Fault::ModelNotFound
            | Fault::AccessDenied
            | Fault::Forbidden => Self::Model(model.to_owned()),
            _ => Self::Server,
        }
    }

    fn longest_pause(&self) -> Duration {
        match self {
            Self::Server => LONGEST_AWAY,
            Self::Model(_) => LONGEST_BUSY,
        }
    }
}

/// Whether a server can be asked for a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It can.
    Fine,
    /// It was in trouble, and whoever hears this tries again; nobody else does before the pause is over.
    Due,
    /// It is in trouble, and not tried before that time.
    Until(Instant),
    /// It was waited for long enough, for that cause.
    GivenUp(String),
}

/// What came of noting trouble.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Noted {
    /// Nobody knew of it.
    pub(super) is_new: bool,
    /// It is given up now, for that cause.
    pub(super) given_up: Option<String>,
}

/// A server's troubles.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<About, Trouble>>);

#[derive(Debug)]
struct Trouble {
    since: Instant,
    /// What it began with.
    message: String,
    /// When the user heard of it.
    told: Instant,
    retry_at: Instant,
    pause: Duration,
    given_up: Option<String>,
    /// The server is there again; that it works, the next call shows.
    is_back: bool,
}

impl Trouble {
    fn new(message: &str, now: Instant) -> Self {
        Self {
            since: now,
            message: message.to_owned(),
            told: now,
            retry_at: now,
            pause: FIRST_PAUSE,
            given_up: None,
            is_back: false,
        }
    }
}

impl Troubles {
    pub(super) fn state(&self, model: &str) -> State {
        let mut all = self.all();
        let now = Instant::now();
        let mut worst = State::Fine;
        for about in [About::Server, About::Model(model.to_owned())] {
            let Some(trouble) = all.get_mut(&about).filter(|trouble| !trouble.is_back) else {
                continue;
            };
            if trouble.retry_at > now {
                return match &trouble.given_up {
                    Some(cause) => State::GivenUp(cause.clone()),
                    None => State::Until(trouble.retry_at),
                };
            }
            trouble.retry_at = now + trouble.pause;
            trouble.pause = (trouble.pause * 2).min(about.longest_pause());
            worst = State::Due;
        }
        worst
    }

    /// Notes trouble, new or not over; after `wait` it is given up for the cause that `cause` makes of what it began
    /// with.
    pub(super) fn note(
        &self,
        about: About,
        message: &str,
        wait: Duration,
        cause: impl FnOnce(&str) -> String,
    ) -> Noted {
        let mut all = self.all();
        let now = Instant::now();
        let is_new = all.get(&about).is_none_or(|trouble| trouble.is_back);
        let trouble = all.entry(about).or_insert(Trouble::new(message, now));
        if trouble.is_back {
            // Nothing was answered in between: the wait for it goes on.
            let since = trouble.since;
            *trouble = Trouble::new(message, now);
            trouble.since = since;
        }
        let left = wait
            .checked_sub(trouble.since.elapsed())
            .unwrap_or_default();
        if left.is_zero() {
            let is_first = trouble.given_up.is_none();
            let message = &trouble.message;
            let cause = trouble.given_up.get_or_insert_with(|| cause(message));
            let cause = cause.clone();
            trouble.retry_at = now + GIVEN_UP;
            let given_up = is_first.then_some(cause);
            return Noted { is_new, given_up };
        }
        if trouble.retry_at <= now {
            trouble.retry_at = now + trouble.pause.min(left);
        }
        Noted {
            is_new,
            given_up: None,
        }
    }

    /// The server is there: nobody need wait for it. Since when the user thought that it was not.
    pub(super) fn back(&self) -> Option<Instant> {
        let mut all = self.all();
        let trouble = all.get_mut(&About::Server)?;
        let was_away = !std::mem::replace(&mut trouble.is_back, true);
        trouble.given_up = None;
        was_away.then_some(trouble.told)
    }

    /// The model answered a call that was begun at that time: what came up before is over. Since when the user thought
    /// that it was not.
    pub(super) fn clear(&self, model: &str, began: Instant) -> Option<Instant> {
        let mut all = self.all();
        let mut told = None;
        for about in [About::Server, About::Model(model.to_owned())] {
            let is_over = |trouble: &Trouble| trouble.told <= began;
            if all.get(&about).is_some_and(is_over)
                && let Some(trouble) = all.remove(&about)
                && !trouble.is_back
            {
                told = Some(told.map_or(trouble.told, |other| trouble.told.min(other)));
            }
        }
        told
    }

    pub(super) fn given_up(&self, about: &About) -> Option<String> {
        self.all().get(about)?.given_up.clone()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<About, Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
