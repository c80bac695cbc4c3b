//! What debaters did with arguments, from the flow: a model's reading of the debate, not a judgment.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use crate::event::{How, Phase, Statement};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::job::participant::role_of;
use crate::job::{Profile, profile_of};
use crate::trace::{Trace, TraceParticipant};

/// What one contestant did about arguments, as it was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize_tuple, Deserialize)]
pub struct Argued {
    /// Statements that were read for new points.
    pub noted: u16,
    /// The new points in them.
    pub points: u16,
    /// Of these statements, those that say an own point again and add nothing to it; `None` where nobody looked for that.
    pub repeating: Option<u16>,
    /// Of these points, those that their own side gave up; `None` where nobody looked for that.
    pub withdrawn: Option<u16>,
    /// What others did about its points.
    pub own: Fates,
    /// What it did about others' points.
    pub others: Fates,
}

/// What became of points on which someone had a turn, of another mind than their speaker. What is none of these was given up, is
/// what was kept of what was given up, or its answer was itself answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize_tuple, Deserialize)]
pub struct Fates {
    /// The points on which someone had such a turn.
    pub faced: u16,
    /// Answered as a whole.
    pub answered: u16,
    /// Answered in part.
    pub partly: u16,
    /// Left without an answer.
    pub dropped: u16,
    /// Granted.
    pub conceded: u16,
}

impl Argued {
    /// How many statements, points and turns on points its counts are of.
    pub(super) fn cases(&self) -> u64 {
        let counts = [self.noted, self.points, self.own.faced, self.others.faced];
        counts.into_iter().map(u64::from).sum()
    }

    /// Whether no part is more than its whole.
    pub(super) fn adds_up(&self) -> bool {
        self.repeating.is_none_or(|n| n <= self.noted)
            && self.withdrawn.is_none_or(|n| n <= self.points)
            && self.own.adds_up()
            && self.others.adds_up()
    }
}

impl Fates {
    fn adds_up(&self) -> bool {
        let parts = [self.answered, self.partly, self.dropped, self.conceded];
        parts.into_iter().map(u32::from).sum::<u32>() <= u32::from(self.faced)
    }
}

/// What can be done about a point; of several, what comes first counts.
const DEALT: [(How, PointStatus); 3] = [
    (How::Conceded, PointStatus::Conceded),
    (How::Full, PointStatus::Answered),
    (How::Partial, PointStatus::PartlyAnswered),
];

/// The flow of a trace with what tells whose it is.
pub(super) struct Notebook<'t, R> {
    trace: &'t Trace<R>,
    profile: &'static Profile,
    /// What contestants said that can be answered, by number.
    said: BTreeMap<u32, &'t Statement>,
    /// The numbers of what was noted of it, in order.
    noted: Vec<u32>,
    by_clerk: bool,
}

impl<'t, R> Notebook<'t, R> {
    /// `None` where the debate was not noted as a whole: of an exchange without notes nobody knows what it answered.
    pub(super) fn new(trace: &'t Trace<R>) -> Option<Self> {
        let profile = profile_of(&trace.format);
        let argues = |s: &&Statement| trace.contestants().any(|p| p.id == s.by);
        let heard = trace.statements.iter().filter(|s| s.was_heard());
        let said: BTreeMap<u32, &Statement> = heard.filter(argues).map(|s| (s.n, s)).collect();
        let of_said = |n: &u32| said.contains_key(n);
        let exchanges = trace.notes.iter().filter(|notes| {
            let mut numbers = notes.statements.iter().map(|noted| noted.n);
            numbers.any(|n| of_said(&n))
        });
        let by_clerk = exchanges.clone().any(|notes| notes.by_clerk);
        // Without a clerk there are points only where statements are given as points.
        let is_whole = if by_clerk {
            exchanges.clone().all(|notes| notes.by_clerk)
        } else {
            profile.raising.is_some() && exchanges.clone().next().is_some()
        };
        let numbers = exchanges.flat_map(|notes| notes.statements.iter().map(|noted| noted.n));
        let noted = numbers.filter(of_said).collect();
        is_whole.then_some(Self { trace, profile, said, noted, by_clerk })
    }

    /// What a contestant did.
    pub(super) fn argued(&self, who: &TraceParticipant) -> Option<Argued> {
        who.contestant.then_some(())?;
        let points =
            || self.points().filter(|point| point.by == who.id && self.is_turn(point.statement));
        let faced = points().filter(|point| point.faced && !self.is_undoubted(point));
        // Who never gives statements as points was not read for new ones.
        let is_read = self.by_clerk || self.profile.raising == Some(role_of(&who.id));
        let noted = self.statements(&who.id).count();
        let withdrawn = points().filter(|point| point.status.is_given_up());
        Some(Argued {
            noted: short(if is_read { noted } else { 0 }),
            points: short(points().count()),
            repeating: self.by_clerk.then(|| self.repeating(&who.id)),
            withdrawn: self.by_clerk.then(|| short(withdrawn.count())),
            own: faced.map(|point| self.fate(point)).collect(),
            others: self.points().filter_map(|point| self.dealt(who, point)).collect(),
        })
    }

    /// The numbers of what was noted of someone's statements.
    fn statements<'a>(&'a self, id: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.noted.iter().copied().filter(move |n| self.said[n].by == id && self.is_turn(*n))
    }

    /// Whether a statement is a turn of its speaker's own, and not an answer to an interruption, which has to say again what it is
    /// about.
    fn is_turn(&self, n: u32) -> bool {
        self.said.get(&n).is_none_or(|said| said.phase != Phase::ANSWER)
    }

    /// How many statements repeat an own point.
    fn repeating(&self, id: &str) -> u16 {
        let repeats = |n: &u32| {
            let mut edges = self.trace.flow.edges.iter();
            let is_point = |edge: &Edge| self.trace.flow.point(&edge.at).is_some();
            edges.any(|edge| edge.statement == *n && edge.how == How::Repeated && is_point(edge))
        };
        short(self.statements(id).filter(repeats).count())
    }

    /// What someone made of another side's point; `None` where its side had no turn on it, or only turns in which it was of one
    /// mind with the point's speaker and did nothing about it. What others dealt with in its stead is no more than faced, as a point
    /// is that stands. A point counts once for a team: for whoever dealt with it, or else had the first turn on it.
    fn dealt(&self, who: &TraceParticipant, point: &FlowPoint) -> Option<PointStatus> {
        let side = self.side(&who.id);
        if point.side == side {
            return None;
        }
        let done = DEALT.iter().find_map(|(how, fate)| {
            let is_such = |edge: &&Edge| edge.how == *how && self.side(&edge.by) == side;
            let holds = |edge: &&Edge| !self.trace.flow.is_overruled(edge);
            Some((&*self.about(point).filter(is_such).find(holds)?.by, *fate))
        });
        let (by, fate) = done.or_else(|| {
            let mut turns = self.turns_against(point);
            let first = turns.find(|said| self.side(&said.by) == side)?;
            Some((&*first.by, self.left(point)))
        })?;
        (by == who.id).then_some(fate)
    }

    /// What a point is to whoever did nothing about it.
    fn left(&self, point: &FlowPoint) -> PointStatus {
        let is_settled = point.status.is_given_up() || self.fate(point) == PointStatus::Standing;
        if is_settled || self.about(point).next().is_some() {
            PointStatus::Standing
        } else {
            PointStatus::Dropped
        }
    }

    /// How a point stands. What is left of one after a concession waits for no reply.
    fn fate(&self, point: &FlowPoint) -> PointStatus {
        match point.status {
            PointStatus::Dropped if self.trace.flow.is_left_over(point) => PointStatus::Standing,
            status => status,
        }
    }

    /// Whether nobody replied to a point because all who could were of one mind with its speaker.
    fn is_undoubted(&self, point: &FlowPoint) -> bool {
        point.status == PointStatus::Dropped && self.turns_against(point).next().is_none()
    }

    fn points(&self) -> impl Iterator<Item = &'t FlowPoint> {
        self.trace.flow.points.iter()
    }

    /// What other sides did about a point.
    fn about(&self, point: &'t FlowPoint) -> impl Iterator<Item = &'t Edge> {
        self.trace.flow.about(&point.id).filter(|edge| !edge.how.is_own())
    }

    /// The turns of other sides on a point, but for those whose speaker was of one mind with the point's.
    fn turns_against(&self, point: &FlowPoint) -> impl Iterator<Item = &'t Statement> {
        self.said.values().copied().filter(|said| {
            said.saw >= point.statement
                && self.side(&said.by) != point.side
                && !self.trace.agrees(&said.by, point, said.round)
        })
    }

    /// Whose case someone makes: its team's, or its own.
    fn side<'a>(&self, id: &'a str) -> &'a str {
        self.profile.team.filter(|team| *team == role_of(id)).unwrap_or(id)
    }
}

fn short(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

impl FromIterator<PointStatus> for Fates {
    fn from_iter<I: IntoIterator<Item = PointStatus>>(all: I) -> Self {
        let mut fates = Self::default();
        for status in all {
            fates.faced = fates.faced.saturating_add(1);
            let count = match status {
                PointStatus::Answered => &mut fates.answered,
                PointStatus::PartlyAnswered => &mut fates.partly,
                PointStatus::Dropped => &mut fates.dropped,
                PointStatus::Conceded => &mut fates.conceded,
                PointStatus::Withdrawn
                | PointStatus::Narrowed
                | PointStatus::Standing
                | PointStatus::Open => continue,
            };
            *count = count.saturating_add(1);
        }
        fates
    }
}
