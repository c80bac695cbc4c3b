//! Panels' verdicts as statistics need them: seats, readings, votes.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use super::compared::ComparedFacts;
use super::text::Text;
use super::winner::Winner;
use crate::event::{
    self, Candidate, Judging, ReadingStatus, SeatStatus, Verdict, VerdictJudge, Vote, WinnerReason,
};
use crate::job::models::model_name::canonical;
use crate::trace::Trace;

/// A panel's verdict on one debate.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct PanelFacts {
    /// The panel's name.
    pub name: Text,
    /// Its id: another one of the same name asks something else, or others.
    pub id: Text,
    /// Who won by it; `None` without a verdict.
    pub winner: Option<Winner>,
    /// What that rests on.
    pub reason: Option<WinnerReason>,
    /// The places of the two candidates in `people`: of a team, of all in it; of answers, none.
    pub candidates: [Box<[u8]>; 2],
    /// Whether it compared two answers, and no sides: nobody wins then.
    pub answers: bool,
    /// Which candidate is ahead; `None` without a verdict.
    pub ahead: Option<Vote>,
    /// The lowest and highest score.
    pub scale: Option<(u8, u8)>,
    /// The names of the criteria that [`PanelScore::criterion`] numbers.
    pub criteria: Box<[Text]>,
    /// The judges.
    pub seats: Box<[PanelSeat]>,
}

/// A judge on a panel.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct PanelSeat {
    /// Its id.
    pub judge: Text,
    /// Its model.
    pub model: Text,
    /// Whether it votes.
    pub status: SeatStatus,
    /// The candidate whose models are of its family, and the other's are not: 0 or 1.
    pub kin: Option<u8>,
    /// Its vote.
    pub vote: Option<Vote>,
    /// What it read.
    pub readings: Box<[SeatReading]>,
}

/// One reading of a panel's judge.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct SeatReading {
    /// Which candidate was named to it first: 0 or 1.
    pub first: u8,
    /// Which time in this order, from 1.
    pub repeat: u32,
    /// Whether it is usable.
    pub status: ReadingStatus,
    /// Whether its reader had to make allowances.
    pub generous: bool,
    /// The first candidate's total minus the second's.
    pub margin: Option<f64>,
    /// Who is ahead.
    pub pick: Option<Vote>,
    /// The totals of both candidates.
    pub totals: Option<[f64; 2]>,
    /// The scores of both, in the order in which the criteria were asked for.
    pub scores: Box<[PanelScore]>,
}

/// What a reading gave on one criterion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize_tuple, Deserialize)]
pub struct PanelScore {
    /// The criterion: a place in `criteria`.
    pub criterion: u8,
    /// To the first candidate.
    pub p: f64,
    /// To the second.
    pub q: f64,
}

impl PanelFacts {
    /// Whether all in it is as a panel gives it: what was not made from a trace just now may hold anything.
    pub(super) fn is_sound(&self, people: usize) -> bool {
        let person = |place: &u8| usize::from(*place) < people;
        let score = |score: &PanelScore| {
            usize::from(score.criterion) < self.criteria.len()
                && is_on(self.scale, score.p)
                && is_on(self.scale, score.q)
        };
        let sound = |reading: &SeatReading| {
            let totals = reading.totals.unwrap_or_default();
            reading.first < 2
                && reading.margin.is_none_or(f64::is_finite)
                && totals.iter().all(|total| total.is_finite())
                && reading.scores.iter().all(score)
        };
        let mut seats = self.seats.iter();
        !matches!(self.winner, Some(Winner::Person(place)) if !person(&place))
            && self.candidates.iter().flatten().all(person)
            && seats
                .all(|seat| seat.kin.is_none_or(|kin| kin < 2) && seat.readings.iter().all(sound))
    }

    /// Whether it is of a panel of this name, whose id begins so.
    pub fn is_of(&self, name: &str, id: &str) -> bool {
        *self.name == *name && self.id.starts_with(id)
    }

    /// What it found of two answers, if it compared answers.
    pub fn compared(&self) -> Option<ComparedFacts> {
        let heard = self.seats.iter().filter(|seat| seat.may_vote());
        let changed: Vec<bool> = heard.filter_map(PanelSeat::changed).collect();
        let flips = changed.iter().filter(|changed| **changed).count();
        self.answers.then(|| ComparedFacts {
            gain: self.ahead.map(ComparedFacts::gain_of),
            flips: (!changed.is_empty()).then(|| flips as f64 / changed.len() as f64),
        })
    }
}

impl PanelSeat {
    /// Whether its readings disagree on who is ahead, repeats aside; `None` if none can be used.
    fn changed(&self) -> Option<bool> {
        let counted = self.readings.iter().filter(|it| it.repeat == 1);
        let mut picks = counted.filter_map(|it| it.pick);
        let first = picks.next()?;
        Some(picks.any(|pick| pick != first))
    }

    /// Whether it may vote, be it that none of its readings can be used.
    pub fn may_vote(&self) -> bool {
        matches!(self.status, SeatStatus::Voting | SeatStatus::Failed)
    }

    /// Its vote, where that counts.
    pub fn counted_vote(&self) -> Option<Vote> {
        self.vote.filter(|_| self.status == SeatStatus::Voting)
    }
}

/// Whether a score lies on a scale, if there is one.
pub(super) fn is_on(scale: Option<(u8, u8)>, score: f64) -> bool {
    scale.is_none_or(|(least, most)| (least.into()..=most.into()).contains(&score))
}

/// The verdicts of panels on a debate. `places` gives the places of a participant or a team, `winner` who won, as the trace has it.
pub(super) fn of<R>(
    trace: &Trace<R>,
    places: impl Fn(&str) -> Option<Box<[u8]>>,
    winner: impl Fn(Option<&event::Winner>) -> Option<Option<Winner>>,
) -> Option<Box<[PanelFacts]>> {
    let each = trace.panel_verdicts().map(|(verdict, judging)| {
        let [p, q]: &[Candidate; 2] = judging.candidates.as_slice().try_into().ok()?;
        let names = criteria(verdict);
        let seats = verdict.judges.iter().filter_map(|judge| seat(judge, judging, &names));
        let answers = Candidate::are_answers(&judging.candidates);
        let (winner, candidates) = if answers {
            (None, [Box::default(), Box::default()])
        } else {
            (winner(verdict.winner.as_ref())?, [places(&p.participant)?, places(&q.participant)?])
        };
        Some(PanelFacts {
            name: (*judging.panel.name).into(),
            id: (*judging.panel.id).into(),
            winner,
            reason: reason(verdict),
            candidates,
            answers,
            ahead: ahead(verdict.winner.as_ref(), [p, q]),
            scale: verdict.rubric.scale,
            criteria: names.iter().copied().map(Text::from).collect(),
            seats: seats.collect(),
        })
    });
    each.collect()
}

/// The candidate that won.
fn ahead(winner: Option<&event::Winner>, [p, q]: [&Candidate; 2]) -> Option<Vote> {
    match winner? {
        event::Winner::Draw => Some(Vote::Tie),
        event::Winner::Side(id) if *id == p.participant => Some(Vote::P),
        event::Winner::Side(id) if *id == q.participant => Some(Vote::Q),
        event::Winner::Side(_) => None,
    }
}

fn reason(verdict: &Verdict) -> Option<WinnerReason> {
    let word = verdict.winner_reason.as_ref()?;
    serde_json::from_value(serde_json::json!(word)).ok()
}

fn criteria(verdict: &Verdict) -> Vec<&str> {
    let readings = verdict.judges.iter().flat_map(|judge| &judge.readings);
    let put = readings.filter_map(|reading| reading.of_panel.as_ref());
    let names = put.flat_map(|put| put.criteria.iter().map(String::as_str));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn seat(judge: &VerdictJudge, judging: &Judging, criteria: &[&str]) -> Option<PanelSeat> {
    let seat = judge.seat.as_ref()?;
    let readings = judge.readings.iter();
    Some(PanelSeat {
        judge: (*judge.judge.id).into(),
        model: canonical(judge.judge.model.as_deref()?).into(),
        status: seat.status,
        kin: kin(judging, &seat.families),
        vote: seat.vote,
        readings: readings.filter_map(|reading| read(reading, judging, criteria)).collect(),
    })
}

/// The one candidate with a model of these families.
fn kin(judging: &Judging, families: &[String]) -> Option<u8> {
    let each = (0..).zip(&judging.candidates);
    let mut own = each.filter(|(_, it)| it.families.iter().any(|its| families.contains(its)));
    let (place, _) = own.next()?;
    own.next().is_none().then_some(place)
}

fn read(reading: &event::Reading, judging: &Judging, criteria: &[&str]) -> Option<SeatReading> {
    let put = reading.of_panel.as_ref()?;
    let id = |side: usize| Some(&judging.candidates.get(side)?.participant);
    let [p, q] = [id(0)?, id(1)?];
    let total = |id: &String| reading.totals.get(id).copied();
    let score = |name: &String| {
        let of = |id| reading.scores_of(id).find_map(|(its, score)| (its == name).then_some(score));
        let place = criteria.iter().position(|known| known == name)?;
        Some(PanelScore { criterion: u8::try_from(place).ok()?, p: of(p)?, q: of(q)? })
    };
    Some(SeatReading {
        first: u8::from(reading.order.first() == Some(q)),
        repeat: put.repeat,
        status: reading.status,
        generous: reading.is_generous(),
        margin: put.margin,
        pick: put.pick,
        totals: total(p).zip(total(q)).map(<[f64; 2]>::from),
        scores: put.criteria.iter().filter_map(score).collect(),
    })
}
