//! A circuit breaker per server, with one circuit per scope of failure: closed (calls go through), open (no calls until a
//! given time), half-open (one caller tries).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use super::view::{Now, ServerFailure};
use crate::model::{CallError, Fault};
use crate::shared::Shared;

/// First pause before a failing server is tried again; it doubles up to the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause for a server that is down: a probe costs nothing.
const LONGEST_DOWN: Duration = Duration::from_secs(2);
/// Longest pause for a server that is up but full or without the model: each try costs it work.
const LONGEST_BUSY: Duration = Duration::from_secs(15);
/// A failure of a server that answers counts as the same if it comes back within this time of its end, and is not told again for so
/// long.
const SAME: Duration = Duration::from_secs(600);
/// If it lasts this long, it is told in any case.
pub(super) const LASTING: Duration = Duration::from_secs(300);
/// How long a server that names waits is waited for in all, if the limit is shorter.
const NAMED: Duration = Duration::from_secs(3600);
/// A trial that is due for longer than this is made by no waiting call.
const OVERDUE: Duration = Duration::from_secs(5);
/// Pause after giving up.
const GIVEN_UP: Duration = Duration::from_secs(300);

/// A limit that begins after a wait that the server asked for; both together end after [`NAMED`], if the limit alone does not take longer.
pub(super) fn lengthened(limit: Duration, asked: Duration) -> Duration {
    limit.saturating_add(asked).min(limit.max(NAMED))
}

/// What a failure affects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// The whole server: it does not answer.
    Absence,
    /// The whole server: it answers, but not as a model server does.
    Refusal,
    /// One model: a full server answers 503 only for models that it would have to load.
    Model(String),
}

impl Scope {
    /// Every scope that affects calls to this model, the widest first.
    fn all(model: &str) -> [Self; 3] {
        [Self::Absence, Self::Refusal, Self::Model(model.to_owned())]
    }

    pub(super) fn model(&self) -> Option<&str> {
        if let Self::Model(model) = self { Some(model) } else { None }
    }

    fn longest_pause(&self) -> Duration {
        if self.model().is_some() { LONGEST_BUSY } else { LONGEST_DOWN }
    }
}

/// Whether a call to a model may go to the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It may go through.
    Closed,
    /// One caller may, as a trial; the next one after another pause.
    HalfOpen,
    /// No caller may before that time.
    Open(Instant),
    /// The server was waited for long enough; with the cause.
    GivenUp(String),
}

/// What revealed a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenBy {
    /// A failed call.
    Call,
    /// A probe of an idle server.
    Probe,
    /// A probe of a server with calls in flight: these have their own limits and may yet succeed.
    ProbeBesideCalls,
}

/// The result of reporting a failure.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tripped {
    /// Whether the user has to be told.
    pub(super) is_news: bool,
    /// The cause, if the circuit is given up as of now.
    pub(super) given_up: Option<String>,
}

/// The circuits of one server that are not closed, by scope, and what is remembered of the others.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    circuits: Shared<BTreeMap<Scope, Circuit>>,
    past: Shared<BTreeMap<Scope, PastFailure>>,
}

/// A failure of a server that answers, which is over. A server that fails calls of one kind only answers the next call of another
/// kind, and so on all night: its pauses must not begin anew each time, nor must the user be told each time.
#[derive(Debug)]
struct PastFailure {
    ended: Instant,
    told_at: Option<Instant>,
    /// The next pause, had it gone on.
    pause: Duration,
}

#[derive(Debug)]
struct Circuit {
    since: Instant,
    /// The first failure's message.
    message: String,
    /// When the failure was noticed.
    reported: Instant,
    /// When the user was last told of it, this time or before.
    told_at: Option<Instant>,
    /// Whether the user was told of it this time.
    told: bool,
    retry_at: Instant,
    pause: Duration,
    /// For how long after the beginning the server asked to be left alone.
    asked: Duration,
    given_up: Option<String>,
    /// Whether the server does not have the model.
    lacks: bool,
    /// Whether a call failed. If so, the server being up again is not enough to close the circuit.
    failed: bool,
    /// Since when the server has been up again. Only the next call shows whether it works.
    alive: Option<Instant>,
}

impl Circuit {
    fn new(error: &CallError, past: Option<PastFailure>) -> Self {
        let now = Instant::now();
        let past = past.filter(|it| now < it.ended + SAME);
        // A server that is full now and then works: to wait longer each time would waste it.
        let pause = past.as_ref().filter(|_| error.fault != Fault::Busy).map(|it| it.pause);
        Self {
            since: now,
            message: error.message.clone(),
            reported: now,
            told_at: past.as_ref().and_then(|it| it.told_at),
            told: false,
            retry_at: now,
            pause: pause.unwrap_or(FIRST_PAUSE),
            asked: Duration::ZERO,
            given_up: None,
            lacks: false,
            failed: false,
            alive: None,
        }
    }

    /// If the server was up in between, a failed call continues the old failure, and a missed probe begins a new one, which is
    /// not reported if the end of the old one never was.
    fn reopen(&mut self, message: &str, seen: SeenBy, now: Instant) {
        if self.alive.take().is_some() && seen != SeenBy::Call {
            (self.since, self.asked) = (now, Duration::ZERO);
            message.clone_into(&mut self.message);
            self.given_up = None;
            self.failed = false;
        }
    }

    /// How long the user has believed the server to be failing, if told.
    fn lasted(&self) -> Option<Duration> {
        let lasted = self.alive.unwrap_or_else(Instant::now) - self.reported;
        self.told.then_some(lasted)
    }

    /// Whether the user has to be told now, which then is done.
    fn is_news(&mut self) -> bool {
        let is_new = self.told_at.is_none_or(|at| at.elapsed() >= SAME);
        let is_news = !self.told && (is_new || self.reported.elapsed() >= LASTING);
        if is_news {
            (self.told, self.told_at) = (true, Some(Instant::now()));
        }
        is_news
    }

    fn is_open(&self) -> bool {
        self.alive.is_none()
    }

    fn admission(&self) -> Admission {
        match &self.given_up {
            _ if !self.is_open() => Admission::Closed,
            _ if self.retry_at <= Instant::now() => Admission::HalfOpen,
            Some(cause) => Admission::GivenUp(cause.clone()),
            None => Admission::Open(self.retry_at),
        }
    }

    /// Gives up or stays given up; returns the cause the first time.
    fn give_up(
        &mut self,
        cause: impl FnOnce(&str, Duration) -> String,
        now: Instant,
    ) -> Option<String> {
        self.retry_at = self.retry_at.max(now + GIVEN_UP);
        if self.given_up.is_some() {
            return None;
        }
        self.given_up = Some(cause(&self.message, self.asked));
        self.given_up.clone()
    }
}

/// Whether a call to this model may go through these circuits now: the widest that refuses it decides.
fn admission(all: &BTreeMap<Scope, Circuit>, model: &str) -> Admission {
    let mut worst = Admission::Closed;
    for circuit in Scope::all(model).iter().filter_map(|it| all.get(it)) {
        match circuit.admission() {
            Admission::Closed => {}
            Admission::HalfOpen => worst = Admission::HalfOpen,
            refused => return refused,
        }
    }
    worst
}

impl CircuitBreaker {
    /// Whether a call to this model may go through now.
    pub(super) fn admission(&self, model: &str) -> Admission {
        admission(&self.circuits.lock(), model)
    }

    /// Begins a trial; `false` if another caller did so first. A call that does not run the model is a trial only of whether the
    /// server is there.
    pub(super) fn begin_trial(&self, model: &str, runs_it: bool) -> bool {
        let mut all = self.circuits.lock();
        if admission(&all, model) != Admission::HalfOpen {
            return false;
        }
        let now = Instant::now();
        for scope in Scope::all(model) {
            let is_tried = |it: &Circuit| runs_it || scope == Scope::Absence || it.lacks;
            if let Some(circuit) = all.get_mut(&scope).filter(|it| it.is_open() && is_tried(it)) {
                circuit.retry_at = now + circuit.pause;
                circuit.pause = (circuit.pause * 2).min(scope.longest_pause());
            }
        }
        true
    }

    /// What fails now, the widest scope first.
    pub(super) fn failing(&self, now: Now) -> Vec<ServerFailure> {
        let all = self.circuits.lock();
        let open = all.iter().filter(|(_, circuit)| circuit.is_open());
        open.map(|(scope, circuit)| ServerFailure {
            model: scope.model().map(str::to_owned),
            cause: circuit.message.clone(),
            since: now.date(circuit.since),
            next_try: (circuit.retry_at > now.instant).then(|| now.date(circuit.retry_at)),
            is_given_up: circuit.given_up.is_some(),
        })
        .collect()
    }

    /// The models that the server does not have, as calls have shown.
    pub(super) fn lacking(&self) -> BTreeSet<String> {
        let all = self.circuits.lock();
        let open = all.iter().filter(|(_, it)| it.lacks && it.is_open());
        open.filter_map(|(scope, _)| scope.model().map(str::to_owned)).collect()
    }

    /// Whether to keep calls to this model away from the server.
    pub(super) fn is_open(&self, model: &str) -> bool {
        Scope::all(model).iter().any(|scope| self.has(scope))
    }

    /// Whether calls to this model are kept away from the server while one that waits makes the next trial.
    pub(super) fn is_waited_for(&self, model: &str) -> bool {
        let (all, now) = (self.circuits.lock(), Instant::now());
        let is_tried = |it: &Circuit| it.is_open() && now < it.retry_at + OVERDUE;
        Scope::all(model).iter().any(|it| all.get(it).is_some_and(is_tried))
    }

    /// Whether the server does not answer.
    pub(super) fn is_down(&self) -> bool {
        self.has(&Scope::Absence)
    }

    fn has(&self, scope: &Scope) -> bool {
        self.circuits.lock().get(scope).is_some_and(Circuit::is_open)
    }

    /// Opens a circuit or keeps it open. A circuit that has been open for `limit`, if any, and for the wait that the server asked for,
    /// is given up, with the cause that `cause` derives from the first failure's message and that wait; but never for missed probes
    /// alone while calls are in flight. When a server goes down, its other circuits are forgotten: it may be another server that
    /// comes back.
    pub(super) fn trip(
        &self,
        scope: Scope,
        error: &CallError,
        seen: SeenBy,
        limit: Option<Duration>,
        cause: impl FnOnce(&str, Duration) -> String,
    ) -> Tripped {
        let mut all = self.circuits.lock();
        let now = Instant::now();
        if scope == Scope::Absence && !all.contains_key(&scope) {
            all.clear();
        }
        let new = || Circuit::new(error, self.past.lock().remove(&scope));
        let circuit = all.entry(scope.clone()).or_insert_with(new);
        circuit.reopen(&error.message, seen, now);
        circuit.failed |= seen == SeenBy::Call;
        circuit.lacks = error.fault == Fault::ModelNotFound;
        let lasted = circuit.since.elapsed();
        let wait = error.wait.unwrap_or_default();
        circuit.asked = circuit.asked.max(error.wait.map_or(Duration::ZERO, |wait| lasted + wait));
        let most = limit.map(|limit| lengthened(limit, circuit.asked));
        let left = most.map_or(Duration::MAX, |most| most.saturating_sub(lasted));
        // A server that asks to be left alone is.
        let wait = wait.min(left);
        circuit.retry_at = circuit.retry_at.max(now + wait);
        if left.is_zero() && (circuit.failed || seen != SeenBy::ProbeBesideCalls) {
            let given_up = circuit.give_up(cause, now);
            circuit.told |= given_up.is_some();
            return Tripped { is_news: false, given_up };
        }
        if circuit.retry_at <= now {
            let soon = if left.is_zero() { circuit.pause } else { left };
            circuit.retry_at = now + circuit.pause.min(soon);
        }
        Tripped { is_news: circuit.is_news(), given_up: None }
    }

    /// The server answers, so it need not be waited for. If that ends the outage, returns how long the user believed it
    /// down; after a failed call, only an answered call ends it.
    pub(super) fn mark_alive(&self) -> Option<(Duration, Scope)> {
        let mut all = self.circuits.lock();
        let circuit = all.get_mut(&Scope::Absence)?;
        if circuit.failed {
            circuit.alive.get_or_insert_with(Instant::now);
            return None;
        }
        self.over(&mut all, Scope::Absence)
    }

    /// Closes a circuit. Returns how long the user believed it open, and what it affected.
    fn over(&self, all: &mut BTreeMap<Scope, Circuit>, scope: Scope) -> Option<(Duration, Scope)> {
        let circuit = all.remove(&scope)?;
        if scope != Scope::Absence {
            let (ended, told_at) = (Instant::now(), circuit.told_at);
            // A lone refusal holds up all models.
            let pause = if scope.model().is_some() { circuit.pause } else { FIRST_PAUSE };
            self.past.lock().insert(scope.clone(), PastFailure { ended, told_at, pause });
        }
        Some((circuit.lasted()?, scope))
    }

    /// Closes the circuits reported before `began`: a call begun then has ended, and not by the server's fault. If the server
    /// `answered`, its server-wide circuits close in any case. A call without a model, which runs none, shows only that the
    /// server is there. Returns how long the user believed the server to be failing, and in what.
    pub(super) fn close(
        &self,
        model: Option<&str>,
        began: Instant,
        answered: bool,
    ) -> Option<(Duration, Scope)> {
        let mut all = self.circuits.lock();
        let mut lasted = None;
        let scopes = model.map_or(vec![Scope::Absence], |model| Scope::all(model).to_vec());
        for scope in scopes {
            let at_any_time = answered && !matches!(scope, Scope::Model(_));
            let is_over = |it: &Circuit| at_any_time || it.reported <= began;
            if all.get(&scope).is_some_and(is_over) {
                lasted = lasted.max(self.over(&mut all, scope));
            }
        }
        lasted
    }

    /// Whether the whole server was given up.
    pub(super) fn is_given_up(&self) -> bool {
        self.has_given_up(&Scope::Absence) || self.has_given_up(&Scope::Refusal)
    }

    /// Whether that scope was given up.
    pub(super) fn has_given_up(&self, scope: &Scope) -> bool {
        let is_given_up = |it: &Circuit| it.is_open() && it.given_up.is_some();
        self.circuits.lock().get(scope).is_some_and(is_given_up)
    }
}
