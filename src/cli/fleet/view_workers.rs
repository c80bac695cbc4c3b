//! `rebut view --nats`: what workers are doing, beside an output directory as if it were a run on it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::args::FollowArgs;
use super::connection::failed;
use super::status::warnings;
use crate::cli::process::failure::Failure;
use crate::cli::terminal::open_debate::Open;
use crate::cli::terminal::print;
use crate::clock::Clock;
use crate::event::{Event, EventKind};
use crate::fleet::{FleetError, Nats, Overview, RunView, Sight, Spectator};
use crate::id::{DebateId, RunName};
use crate::plan::Plan;
use crate::stop::Stop;
use crate::store::layout::{OutputDir, holder};
use crate::store::live::LiveFiles;
use crate::store::running_batches::Presence;
use crate::store::state::{CallState, DebateState, LISTED, Notice, RunState, StateFile};
use crate::text;

/// How often it is asked how far the runs are.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// The pause before a server that is away is asked again.
const PAUSE: Duration = Duration::from_secs(2);

/// Follows the workers of a NATS server.
pub(in crate::cli) struct Follower {
    nats: Nats,
    run: Option<RunName>,
    spectator: Spectator,
    clock: Clock,
    live: LiveFiles,
    file: StateFile,
    /// Announces it, as long as it lives.
    presence: Presence,
    state: RunState,
    open: BTreeMap<DebateId, Open>,
    asked_at: Option<Instant>,
}

impl Follower {
    /// Connects to the server and announces itself on the output directory.
    pub(in crate::cli) async fn begin(
        args: &FollowArgs,
        url: &str,
        output: &OutputDir,
    ) -> Result<Self, Failure> {
        let nats = args.shown.access.connect(url).await?;
        let spectator = Spectator::begin(&nats, args.shown.run.as_ref(), output).await;
        let clock = Clock::system();
        let holder = holder(&clock);
        let presence = Presence::announce(output, &holder, &clock)?;
        let command = format!("rebut view --nats {}", args.shown.access.address(url)?);
        Ok(Self {
            spectator: spectator.map_err(failed)?,
            nats,
            run: args.shown.run.clone(),
            live: LiveFiles::start(output, &holder, &clock),
            file: presence.state_file(),
            presence,
            state: RunState {
                started_at: clock.now(),
                written_at: clock.now(),
                ..RunState::new(&command, "")
            },
            open: BTreeMap::new(),
            asked_at: None,
            clock,
        })
    }

    /// Follows until it is to stop. A server that is away is waited for.
    pub(in crate::cli) async fn follow(mut self, stop: &Stop) {
        let mut told = false;
        while !stop.is_requested() {
            if let Err(error) = self.look().await {
                if !std::mem::replace(&mut told, true) {
                    print::warn(&format!("{error}; waiting"));
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        self.live.close();
    }

    async fn look(&mut self) -> Result<(), FleetError> {
        let sights = self.spectator.look().await?;
        let is_due = self.asked_at.is_none_or(|at| at.elapsed() >= ASK_EVERY);
        if sights.is_empty() && !is_due {
            return Ok(());
        }
        for sight in sights {
            match sight {
                Sight::Events(events) => events.iter().for_each(|event| self.see(event)),
                Sight::Gone(id) => {
                    self.open.remove(&id);
                    self.live.end(&id);
                }
            }
        }
        if is_due {
            self.ask().await?;
            self.asked_at = Some(Instant::now());
        }
        self.tell();
        Ok(())
    }

    fn see(&mut self, event: &Event) {
        self.live.see(event);
        if let EventKind::DebateStart(start) = &event.kind {
            let open = opened(&start.plan, event, self.open.len());
            self.open.insert(event.debate.clone(), open);
        }
        let open = self.open.get_mut(&event.debate);
        open.map(|open| open.take(event, false));
        if let EventKind::Complete(_) = event.kind {
            self.open.remove(&event.debate);
        }
    }

    /// Asks the server how far its runs are.
    async fn ask(&mut self) -> Result<(), FleetError> {
        let overview = Overview::of(&self.nats, self.run.as_ref()).await?;
        let sum = |of: fn(&RunView) -> u64| {
            let sum = overview.runs.iter().map(of).sum::<u64>();
            usize::try_from(sum).unwrap_or(usize::MAX)
        };
        let (done, left) = (sum(|run| run.done), sum(|run| run.left));
        let in_progress = self.open.len().min(left);
        self.state.debates = DebateState {
            chosen: done + left,
            done,
            in_progress,
            queued: left - in_progress,
            ..DebateState::default()
        };
        let at = self.clock.now();
        let notices = warnings(&overview).map(|text| Notice { at, text });
        self.state.notices = notices.collect();
        Ok(())
    }

    /// Says how far it is, for the pages and `rebut status`.
    fn tell(&mut self) {
        let others = "`rebut stop` stops no workers: `rebut cancel` does";
        self.presence.take_requests(|_| {
            print::warn(others);
            true
        });
        let states = self.open.values().map(Open::state);
        let in_flight = self.open.values().map(|open| open.in_flight().0).sum();
        self.state.calls = CallState { in_flight, ..CallState::default() };
        self.state.open = states.take(LISTED).collect();
        self.state.more_open = self.open.len().saturating_sub(LISTED);
        self.state.written_at = self.clock.now();
        self.file.write(&self.state);
    }
}

fn opened(plan: &Plan, start: &Event, place: usize) -> Open {
    let heading = text::one_line(&plan.topic);
    let words = [heading.clone(), heading.clone(), String::new(), heading];
    Open::new(plan, words, start.time, place, (false, 0))
}
