//! The specialists' statements and stances. The format keeps them as it goes; the record folds them from events.

use super::count::Count;
use super::trigger;
use crate::event::{Event, EventKind, IncidentKind, Phase, Stance, Statement};
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;

/// The phase of the turn that argues against what all have answered first.
pub(super) const CHALLENGE: Phase = Phase::new("challenge");
/// The phase of turns beyond the rounds.
pub(super) const EXTRA_TURN: Phase = Phase::new("extra_turn");

/// A roundtable so far.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Roundtable,
    /// In the order in which they speak.
    pub(super) specialists: Vec<&'a Participant>,
    /// Whether the query calls for a debate.
    pub(super) debates: bool,
    /// The keyword that the query holds, if one is looked for.
    pub(super) keyword: Option<&'a str>,
    /// The round that began last.
    pub(super) round: Option<u32>,
    /// Whether the time was over before everything was said.
    pub(super) timed_out: bool,
    /// The id of the specialist who argued against what all had answered first.
    pub(super) challenger: Option<String>,
    history: Vec<Statement>,
    /// The stances that were taken, each with how long the history was then.
    stances: Vec<(Stance, usize)>,
}

impl<'a> Session<'a> {
    /// Before anyone has spoken.
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

    /// After these events.
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

    /// Notes what a specialist said; what others say is not a turn.
    pub(super) fn hear(&mut self, statement: &Statement) {
        if self.specialists.iter().any(|p| p.id == statement.by) {
            if statement.phase == CHALLENGE && statement.is_by_a_model() {
                self.challenger = Some(statement.by.clone());
            }
            self.history.push(statement.clone());
        }
    }

    /// Takes in where a specialist stands.
    pub(super) fn hold(&mut self, stance: &Stance) {
        self.stances.push((stance.clone(), self.history.len()));
    }

    /// Everything that was said in place of a turn, emergency replies too.
    pub(super) fn history(&self) -> &[Statement] {
        &self.history
    }

    /// A specialist's turns so far. An emergency reply is none: nobody spoke.
    pub(super) fn turns<'t>(&'t self, id: &'t str) -> impl Iterator<Item = &'t Statement> {
        let own = move |s: &&Statement| s.by == id && s.is_by_a_model();
        self.history.iter().filter(own)
    }

    /// How many turns a specialist has had.
    pub(super) fn turns_of(&self, p: &Participant) -> u32 {
        self.turns(&p.id).count() as u32
    }

    /// What a specialist said when it was last asked where it stands.
    pub(super) fn latest(&self, id: &str) -> Option<&Stance> {
        let mut all = self.stances.iter().rev().map(|(stance, _)| stance);
        all.find(|stance| stance.by.id == id)
    }

    /// The stance that a specialist took last; none if its last reply cannot be used.
    pub(super) fn stance(&self, id: &str) -> Option<&str> {
        self.latest(id)?.stance.as_deref()
    }

    /// The last stance of a specialist that can be used.
    pub(super) fn last_valid(&self, id: &str) -> Option<&str> {
        let mut own = self.stances.iter().rev().filter(|(s, _)| s.by.id == id);
        own.find_map(|(stance, _)| stance.stance.as_deref())
    }

    /// The stances that were others than before.
    pub(super) fn moves(&self) -> impl Iterator<Item = &Stance> {
        let all = self.stances.iter().map(|(stance, _)| stance);
        all.filter(|stance| stance.moved_from.is_some())
    }

    /// Whether a specialist has spoken since it was asked for its stance.
    pub(super) fn has_spoken_since(&self, id: &str) -> bool {
        let mut own = self.stances.iter().rev().filter(|(s, _)| s.by.id == id);
        let heard = own.next().map_or(0, |(_, heard)| *heard);
        let since = &self.history[heard..];
        since.iter().any(|s| s.by == id && s.is_by_a_model())
    }

    /// Whether this turn of a round is a specialist's last, whatever stances are taken after it.
    pub(super) fn is_last_turn(&self, p: &Participant, round: u32) -> bool {
        let turns = self.turns_of(p) + 1;
        round == self.settings.max_rounds && turns >= self.settings.min_turns_per_agent
    }

    /// The latest stances, counted.
    pub(super) fn count(&self) -> Count {
        let held = |p: &&Participant| (self.stance(&p.id), self.settings.weight(&p.id));
        let held: Vec<(Option<&str>, f64)> = self.specialists.iter().map(held).collect();
        Count::of(&self.settings.stances, &held)
    }

    /// The stance that enough of them share.
    pub(super) fn consensus(&self) -> Option<String> {
        let count = self.count();
        let taken = count.consensus(self.settings.consensus_threshold);
        taken.map(|taken| taken.stance.clone())
    }

    /// Who took another stance than most; nobody if no stance leads.
    pub(super) fn dissenters(&self) -> Vec<&'a Participant> {
        let count = self.count();
        let Some(leading) = count.leading().map(|taken| taken.stance.as_str()) else {
            return Vec::new();
        };
        let all = self.specialists.iter().copied();
        all.filter(|p| self.stance(&p.id).is_some_and(|stance| stance != leading))
            .collect()
    }

    /// How many turns each specialist lacks of the least that each has; those who lack none are not in it.
    pub(super) fn missing(&self) -> Vec<(&'a Participant, u32)> {
        if !self.debates {
            return Vec::new();
        }
        let least = self.settings.min_turns_per_agent;
        let all = self.specialists.iter();
        let all = all.map(|p| (*p, least.saturating_sub(self.turns_of(p))));
        all.filter(|(_, lacked)| *lacked > 0).collect()
    }

    /// Who had no turn in the round that began last.
    pub(super) fn unheard(&self) -> Vec<&'a Participant> {
        let Some(round) = self.round else {
            return Vec::new();
        };
        let in_round = |s: &Statement| s.round == round && s.phase != EXTRA_TURN;
        let spoke = |id: &str| self.history.iter().any(|s| s.by == id && in_round(s));
        let all = self.specialists.iter().copied();
        all.filter(|p| !spoke(&p.id)).collect()
    }

    /// Debate rounds that began; the initial round is none.
    pub(super) fn rounds(&self) -> u32 {
        self.round.unwrap_or(0)
    }
}
