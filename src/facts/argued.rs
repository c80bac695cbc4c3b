//! What debaters did with arguments, from the flow: a model's reading of the debate, not a judgment.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use crate::event::{How, Phase, Statement};
use crate::flow::{Flow, FlowPoint, PointStatus};
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

/// What became of points on which someone had a turn. What is none of these was withdrawn, or its answer was itself answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize_tuple, Deserialize)]
pub struct Fates {
    /// The points on which someone had a turn.
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
pub(super) struct Notebook<'t> {
    flow: &'t Flow,
    profile: &'static Profile,
    /// What contestants said that can be answered, by number.
    said: BTreeMap<u32, &'t Statement>,
    /// The numbers of what was noted of it, in order.
    noted: Vec<u32>,
    by_clerk: bool,
}

impl<'t> Notebook<'t> {
    /// `None` where the debate was not noted as a whole: of an exchange without notes nobody knows what it answered.
    pub(super) fn new<R>(trace: &'t Trace<R>) -> Option<Self> {
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
        let is_whole = match by_clerk {
            true => exchanges.clone().all(|notes| notes.by_clerk),
            false => profile.raising.is_some() && exchanges.clone().next().is_some(),
        };
        let numbers = exchanges.flat_map(|notes| notes.statements.iter().map(|noted| noted.n));
        let noted = numbers.filter(of_said).collect();
        is_whole.then_some(Self {
            flow: &trace.flow,
            profile,
            said,
            noted,
            by_clerk,
        })
    }

    /// What a contestant did.
    pub(super) fn argued(&self, who: &TraceParticipant) -> Option<Argued> {
        who.contestant.then_some(())?;
        let points = || {
            let all = self.flow.points.iter();
            all.filter(|point| point.by == who.id && self.is_turn(point.statement))
        };
        let faced = points().filter(|point| point.faced);
        let others = self.flow.points.iter();
        // Who never gives statements as points was not read for new ones.
        let is_read = self.by_clerk || self.profile.raising == Some(role_of(&who.id));
        let noted = self.statements(&who.id).count();
        let withdrawn = points().filter(|point| point.status == PointStatus::Withdrawn);
        Some(Argued {
            noted: short(if is_read { noted } else { 0 }),
            points: short(points().count()),
            repeating: self.by_clerk.then(|| self.repeating(&who.id)),
            withdrawn: self.by_clerk.then(|| short(withdrawn.count())),
            own: faced.map(|point| point.status).collect(),
            others: others.filter_map(|point| self.dealt(who, point)).collect(),
        })
    }

    /// The numbers of what was noted of someone's statements.
    fn statements<'a>(&'a self, id: &'a str) -> impl Iterator<Item = u32> + 'a {
        let noted = self.noted.iter().copied();
        noted.filter(move |n| self.said[n].by == id && self.is_turn(*n))
    }

    /// Whether a statement is a turn of its speaker's own, and not an answer to an interruption, which has to say again what it is
    /// about.
    fn is_turn(&self, n: u32) -> bool {
        self.said
            .get(&n)
            .is_none_or(|said| said.phase != Phase::ANSWER)
    }

    /// How many statements repeat an own point.
    fn repeating(&self, id: &str) -> u16 {
        let repeats = |n: &u32| {
            let mut edges = self.flow.edges.iter();
            edges.any(|edge| edge.statement == *n && edge.how == How::Repeated)
        };
        short(self.statements(id).filter(repeats).count())
    }

    /// What someone made of another side's point; `None` where its side had no turn on it. What others dealt with in its stead is
    /// no more than faced, as a point is that stands. A point counts once for a team: for whoever dealt with it, or else had the first turn on it.
    fn dealt(&self, who: &TraceParticipant, point: &FlowPoint) -> Option<PointStatus> {
        let side = self.side(&who.id);
        let had_turn =
            |said: &&&Statement| self.side(&said.by) == side && said.saw >= point.statement;
        let first = self.said.values().find(had_turn)?;
        let about = || self.flow.about(&point.id).filter(|edge| !edge.how.is_own());
        let done = DEALT.iter().find_map(|(how, fate)| {
            let mut own = about().filter(|edge| edge.how == *how && self.side(&edge.by) == side);
            Some((&*own.next()?.by, *fate))
        });
        let is_settled = point.status == PointStatus::Withdrawn || about().next().is_some();
        let left = match is_settled {
            true => PointStatus::Standing,
            false => PointStatus::Dropped,
        };
        let (by, fate) = done.unwrap_or((&first.by, left));
        (point.side != side && by == who.id).then_some(fate)
    }

    /// Whose case someone makes: its team's, or its own.
    fn side<'a>(&self, id: &'a str) -> &'a str {
        let team = self.profile.team.filter(|team| *team == role_of(id));
        team.unwrap_or(id)
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
                PointStatus::Withdrawn | PointStatus::Standing | PointStatus::Open => continue,
            };
            *count = count.saturating_add(1);
        }
        fates
    }
}
