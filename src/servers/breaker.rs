//! What a server is in trouble with, since when, and when it is tried again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The first pause before a server in trouble is tried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest while the server is not there at all, or not for us: to ask whether it is back costs nothing.
const LONGEST_AWAY: Duration = Duration::from_secs(2);
/// The longest while it is there, but full or without the model.
const LONGEST_BUSY: Duration = Duration::from_secs(15);
/// The pause after it was given up.
const GIVEN_UP: Duration = Duration::from_secs(300);

/// What trouble concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The whole server, which does not say that it is there.
    Absence,
    /// The whole server, which is there and answers calls as no Ollama server does.
    Refusal,
    /// One model: a full server answers 503 only for models that it would have to load.
    Model(String),
}

impl About {
    /// What a model's server can be in trouble with, the worst first.
    fn all(model: &str) -> [Self; 3] {
        [Self::Absence, Self::Refusal, Self::Model(model.to_owned())]
    }

    fn longest_pause(&self) -> Duration {
        match self {
            Self::Absence | Self::Refusal => LONGEST_AWAY,
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

/// Who came upon trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// A call, which failed.
    ByCall,
    /// A probe, while no call is under way on the server.
    ByProbe,
    /// A probe beside calls that are under way: those have limits of their own and may yet end well.
    BesideCalls,
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
    /// A call failed with it: that the server is there again is not its end.
    failed: bool,
    /// Since when the server is there again; that it works, the next call shows.
    back: Option<Instant>,
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
            failed: false,
            back: None,
        }
    }

    /// The server was there meanwhile. A call that fails all the same goes on with the old trouble; a missed probe is the
    /// beginning of another, which the user need not hear of if the old one's end was not told.
    fn returns(&mut self, message: &str, seen: Seen, now: Instant) {
        if self.back.take().is_some() && seen != Seen::ByCall {
            self.since = now;
            message.clone_into(&mut self.message);
            self.given_up = None;
            self.failed = false;
        }
    }

    /// How long the user thought that the server was away.
    fn lasted(&self) -> Duration {
        self.back.unwrap_or_else(Instant::now) - self.told
    }
}

impl Troubles {
    pub(super) fn state(&self, model: &str) -> State {
        let mut all = self.all();
        let now = Instant::now();
        let mut worst = State::Fine;
        for about in About::all(model) {
            let Some(trouble) = all.get_mut(&about).filter(|trouble| trouble.back.is_none()) else {
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

    /// Whether nobody should ask the server for this model now; without one, whether nobody should ask it at all.
    pub(super) fn keep_off(&self, model: Option<&str>) -> bool {
        match model {
            None => self.is_away(),
            Some(model) => About::all(model).iter().any(|about| self.has(about)),
        }
    }

    /// Whether the server is not there.
    pub(super) fn is_away(&self) -> bool {
        self.has(&About::Absence)
    }

    fn has(&self, about: &About) -> bool {
        let all = self.all();
        all.get(about).is_some_and(|it| it.back.is_none())
    }

    /// Notes trouble, new or not over; after `wait`, if there is such a limit, it is given up for the cause that `cause`
    /// makes of what it began with, but never for missed probes alone while calls are under way. With a server that goes
    /// away goes what was known of it.
    pub(super) fn note(
        &self,
        about: About,
        message: &str,
        seen: Seen,
        wait: Option<Duration>,
        cause: impl FnOnce(&str) -> String,
    ) -> Noted {
        let mut all = self.all();
        let now = Instant::now();
        let is_new = !all.contains_key(&about);
        if is_new && about == About::Absence {
            all.clear();
        }
        let trouble = all.entry(about).or_insert(Trouble::new(message, now));
        trouble.returns(message, seen, now);
        trouble.failed |= seen == Seen::ByCall;
        let left = wait.map_or(Duration::MAX, |wait| {
            wait.saturating_sub(trouble.since.elapsed())
        });
        if left.is_zero() && (trouble.failed || seen != Seen::BesideCalls) {
            let is_first = trouble.given_up.is_none();
            let message = &trouble.message;
            let cause = trouble.given_up.get_or_insert_with(|| cause(message));
            let cause = cause.clone();
            trouble.retry_at = now + GIVEN_UP;
            let given_up = is_first.then_some(cause);
            return Noted { is_new, given_up };
        }
        if trouble.retry_at <= now {
            let soon = if left.is_zero() { trouble.pause } else { left };
            trouble.retry_at = now + trouble.pause.min(soon);
        }
        Noted {
            is_new,
            given_up: None,
        }
    }

    /// The server is there: nobody need wait for it. How long the user thought that it was not, if that is over: where a
    /// call had failed, only an answer to a call shows that.
    pub(super) fn back(&self) -> Option<Duration> {
        let mut all = self.all();
        let trouble = all.get_mut(&About::Absence)?;
        if trouble.failed {
            trouble.back.get_or_insert_with(Instant::now);
            return None;
        }
        all.remove(&About::Absence).map(|trouble| trouble.lasted())
    }

    /// A call that was begun at that time has ended, and not by the server's fault: what came up before is over; where the
    /// server `answered`, so is whatever it was in trouble with meanwhile. How long the user thought that it was not.
    pub(super) fn clear(&self, model: &str, began: Instant, answered: bool) -> Option<Duration> {
        let mut all = self.all();
        let mut lasted = None;
        for about in About::all(model) {
            let at_any_time = answered && !matches!(about, About::Model(_));
            let is_over = |trouble: &Trouble| at_any_time || trouble.told <= began;
            if all.get(&about).is_some_and(is_over)
                && let Some(trouble) = all.remove(&about)
            {
                lasted = lasted.max(Some(trouble.lasted()));
            }
        }
        lasted
    }

    /// Whether the server was waited for long enough, whatever the model.
    pub(super) fn is_given_up(&self) -> bool {
        self.has_given_up(&About::Absence) || self.has_given_up(&About::Refusal)
    }

    /// Whether that was waited for long enough.
    pub(super) fn has_given_up(&self, about: &About) -> bool {
        let all = self.all();
        all.get(about)
            .is_some_and(|it| it.back.is_none() && it.given_up.is_some())
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<About, Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
