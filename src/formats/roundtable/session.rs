//! The specialists' statements and stances. The format updates them as it runs; the record folds them from events.

use super::count::Count;
use super::trigger;
use crate::event::{Event, EventKind, IncidentKind, Phase, Stance, StanceTime, Statement};
use crate::floor::Floor;
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;

/// The phase of the turn that argues against everyone's first answer.
pub(super) const CHALLENGE: Phase = Phase::new("challenge");
/// The phase of the turns beyond the rounds.
pub(super) const EXTRA_TURN: Phase = Phase::new("extra_turn");

/// A roundtable so far.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Roundtable,
    /// The specialists in speaking order.
    pub(super) specialists: Vec<&'a Participant>,
    /// Whether the query calls for a debate.
    pub(super) debates: bool,
    /// The keyword found in the query, if keywords are looked for.
    pub(super) keyword: Option<&'a str>,
    /// The latest round.
    pub(super) round: Option<u32>,
    /// Whether time ran out before everything was said.
    pub(super) timed_out: bool,
    /// The id of the specialist who argued against everyone's first answer.
    pub(super) challenger: Option<String>,
    history: Vec<Statement>,
    /// The stances taken, each with the length of the history at the time.
    stances: Vec<(Stance, usize)>,
}

impl<'a> Session<'a> {
    /// A roundtable before anyone has spoken.
    pub(super) fn of(plan: &'a Plan, settings: &'a Roundtable) -> Self {
        let query = plan.question();
        let all = plan.participants.iter();
        Self {
            plan,
            settings,
            specialists: all.filter(|p| p.role() == "specialist").collect(),
            debates: trigger::is_met(settings, query),
            keyword: trigger::found(settings, query),
            round: None,
            timed_out: false,
            challenger: None,
            history: Vec::new(),
            stances: Vec::new(),
        }
    }

    /// A roundtable after these events.
    pub(super) fn after(plan: &'a Plan, settings: &'a Roundtable, events: &[Event]) -> Self {
        let mut session = Self::of(plan, settings);
        for event in events {
            match &event.kind {
                EventKind::RoundStart { .. } => session.round = event.round,
                EventKind::Statement(statement) => session.hear(statement),
                EventKind::Stance(stance) => session.hold(stance),
                EventKind::Incident(incident) if incident.kind == IncidentKind::Time => {
                    session.timed_out = true;
                }
                _ => {}
            }
        }
        session
    }

    /// Notes a specialist's statement. Statements by others are not turns.
    pub(super) fn hear(&mut self, statement: &Statement) {
        if self.specialists.iter().any(|p| p.id == statement.by) {
            if statement.phase == CHALLENGE && statement.is_by_a_model() {
                self.challenger = Some(statement.by.clone());
            }
            self.history.push(statement.clone());
        }
    }

    /// Notes a specialist's stance.
    pub(super) fn hold(&mut self, stance: &Stance) {
        self.stances.push((stance.clone(), self.history.len()));
    }

    /// Everything said in turns, including emergency replies.
    pub(super) fn history(&self) -> &[Statement] {
        &self.history
    }

    /// A specialist's turns so far. An emergency reply is not one: nobody spoke.
    pub(super) fn turns<'t>(&'t self, id: &'t str) -> impl Iterator<Item = &'t Statement> {
        let own = move |s: &&Statement| s.by == id && s.is_by_a_model();
        self.history.iter().filter(own)
    }

    /// Number of turns a specialist has had.
    pub(super) fn turns_of(&self, p: &Participant) -> u32 {
        self.turns(&p.id).count() as u32
    }

    /// A specialist's latest reply about its stance.
    pub(super) fn latest(&self, id: &str) -> Option<&Stance> {
        self.stances.iter().rev().map(|(stance, _)| stance).find(|stance| stance.by.id == id)
    }

    /// A specialist's current stance; `None` if its latest reply cannot be used.
    pub(super) fn stance(&self, id: &str) -> Option<&str> {
        self.latest(id)?.stance.as_deref()
    }

    /// A specialist's latest usable stance.
    pub(super) fn last_valid(&self, id: &str) -> Option<&Stance> {
        let all = self.stances.iter().rev().map(|(stance, _)| stance);
        all.filter(|stance| stance.by.id == id).find(|stance| stance.stance.is_some())
    }

    /// The stances that differ from the specialist's previous one.
    pub(super) fn moves(&self) -> impl Iterator<Item = &Stance> {
        self.stances.iter().map(|(stance, _)| stance).filter(|stance| stance.moved_from.is_some())
    }

    /// Whether a specialist has spoken since it was last asked for its stance.
    pub(super) fn has_spoken_since(&self, id: &str) -> bool {
        let mut own = self.stances.iter().rev().filter(|(s, _)| s.by.id == id);
        let heard = own.next().map_or(0, |(_, heard)| *heard);
        let since = &self.history[heard..];
        since.iter().any(|s| s.by == id && s.is_by_a_model())
    }

    /// Whether this turn of a round is a specialist's last, whatever stances follow.
    pub(super) fn is_last_turn(&self, p: &Participant, round: u32) -> bool {
        let turns = self.turns_of(p) + 1;
        round == self.settings.max_rounds && turns >= self.settings.min_turns_per_agent
    }

    /// The count of the current stances.
    pub(super) fn count(&self) -> Count {
        self.counted(|p| self.stance(&p.id))
    }

    /// The count of the stances with which the specialists began.
    pub(super) fn first_count(&self) -> Count {
        let first = |p: &Participant| {
            let mut all = self.stances.iter().map(|(stance, _)| stance);
            all.find(|s| s.by.id == p.id)?.stance.as_deref()
        };
        self.counted(first)
    }

    fn counted<'s>(&'s self, stance: impl Fn(&Participant) -> Option<&'s str>) -> Count {
        let held = |p: &&Participant| (stance(p), self.settings.weight(&p.id));
        let held: Vec<(Option<&str>, f64)> = self.specialists.iter().map(held).collect();
        Count::of(&self.settings.stances, &held)
    }

    /// The stance shared by enough specialists for a consensus.
    pub(super) fn consensus(&self) -> Option<String> {
        self.shared(&self.count())
    }

    /// The same when the rounds were over, before any extra turns.
    pub(super) fn consensus_of_rounds(&self) -> Option<String> {
        let then = |p: &Participant| {
            let mut all = self.stances.iter().rev().map(|(stance, _)| stance);
            all.find(|s| s.by.id == p.id && s.time() != StanceTime::AtEnd)?.stance.as_deref()
        };
        self.shared(&self.counted(then))
    }

    fn shared(&self, count: &Count) -> Option<String> {
        let taken = count.consensus(self.settings.consensus_threshold);
        taken.map(|taken| taken.stance.clone())
    }

    /// The specialists whose stance differs from the leading one; none if no stance leads.
    pub(super) fn dissenters(&self) -> Vec<&'a Participant> {
        let count = self.count();
        let Some(leading) = count.leading().map(|taken| taken.stance.as_str()) else {
            return Vec::new();
        };
        let all = self.specialists.iter().copied();
        all.filter(|p| self.stance(&p.id).is_some_and(|stance| stance != leading)).collect()
    }

    /// The specialists who have had too few turns, with how many they lack.
    pub(super) fn missing(&self) -> Vec<(&'a Participant, u32)> {
        if !self.debates {
            return Vec::new();
        }
        let least = self.settings.min_turns_per_agent;
        let all = self.specialists.iter().map(|p| (*p, least.saturating_sub(self.turns_of(p))));
        all.filter(|(_, lacked)| *lacked > 0).collect()
    }

    /// The stance to argue against in this round, since untested agreement shows little (row R2): only in the first debate
    /// round, and if all first answers are the same.
    pub(super) fn challenged(&self, round: u32) -> Option<String> {
        let wanted = self.settings.challenge && round == 1;
        let count = self.count();
        let unanimous = count.unanimous().filter(|_| wanted);
        unanimous.map(str::to_owned)
    }

    /// Whether the model time leaves room for another call (row R7). The first time that it does not is an incident.
    pub(super) fn has_time(&mut self, floor: &Floor) -> bool {
        let (spent, limit) = (floor.model_ms(), self.settings.timeout_seconds);
        if spent < u64::from(limit) * 1000 {
            return true;
        }
        if !std::mem::replace(&mut self.timed_out, true) {
            let spent = spent as f64 / 1000.0;
            let message = format!(
                "the time of {limit} s is over ({spent:.1} s of model time): no further turns and stances, the chair answers with what there is"
            );
            floor.report(IncidentKind::Time, None, None, message);
        }
        false
    }

    /// The specialists without a turn in the latest round.
    pub(super) fn unheard(&self) -> Vec<&'a Participant> {
        let Some(round) = self.round else { return Vec::new() };
        let in_round = |s: &Statement| s.round == round && s.phase != EXTRA_TURN;
        let spoke = |id: &str| self.history.iter().any(|s| s.by == id && in_round(s));
        self.specialists.iter().copied().filter(|p| !spoke(&p.id)).collect()
    }

    /// The turns beyond the rounds, in words; nothing if nobody spoke in one.
    pub(super) fn extra_turns(&self) -> Option<&'static str> {
        let extra = |s: &&Statement| s.phase == EXTRA_TURN && s.is_by_a_model();
        match self.history.iter().filter(extra).count() {
            0 => None,
            1 => Some("an extra turn"),
            _ => Some("extra turns"),
        }
    }

    /// Number of debate rounds begun, not counting the initial round.
    pub(super) fn rounds(&self) -> u32 {
        self.round.unwrap_or(0)
    }
}
