//! From a trace to facts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answered::AnswerFacts;
use super::argued::Notebook;
use super::audience::AudienceFacts;
use super::labels;
use super::open_answer::OpenFacts;
use super::panels::{self, PanelFacts};
use super::settings::settings;
use super::{
    Call, Facts, Kind, Person, Private, Reading, Score, Stint, Text, Winner, settings_text,
};
use crate::call_id::CallId;
use crate::event::{
    self, CallSums, EndReason, Gaps, IncidentKind, Judge, Origin, REPLY, ReadingStatus, Results,
    Rotation, Stance, StanceTime, Usage, Use, of_score,
};
use crate::job::models::model_name::canonical;
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

impl Facts {
    /// The facts of a trace; the error is the reason why the debate can't be counted.
    pub fn from_trace<R>(trace: &Trace<R>) -> Result<Self, &'static str> {
        let results = Results::read(trace.outcome.as_ref())
            .map_err(|_| "its outcome's details are none of a format")?;
        let facts = facts(trace, &Places::new(trace), &results)
            .ok_or("it names someone who took no part")?;
        if facts.is_off_scale() {
            return Err("a score is off its scale");
        }
        Ok(facts)
    }
}

/// Where participants, criteria and models are in the facts.
struct Places<'a> {
    people: Vec<&'a str>,
    criteria: Vec<&'a str>,
    models: Vec<&'a str>,
}

fn place(names: &[&str], name: &str) -> Option<u8> {
    u8::try_from(names.iter().position(|known| *known == name)?).ok()
}

impl<'a> Places<'a> {
    fn new<R>(trace: &'a Trace<R>) -> Self {
        let ballots = trace.ballots.iter().map(|ballot| &ballot.reading);
        let verdicts = trace.own_verdicts().flat_map(|v| v.judges.iter().flat_map(|j| &j.readings));
        let names = ballots.chain(verdicts).flat_map(|reading| reading.scores.keys());
        let criteria: BTreeSet<&str> = names.map(|name| of_score(name).1).collect();
        Self {
            people: trace.participants.iter().map(|p| &*p.id).collect(),
            criteria: criteria.into_iter().collect(),
            models: used(&trace.usage).into_keys().collect(),
        }
    }
}

fn facts<R>(trace: &Trace<R>, places: &Places<'_>, results: &Results) -> Option<Facts> {
    let (judged, won) = (Judged::new(trace, places)?, own_winner(trace, places)?);
    Some(Facts {
        id: (*trace.id).into(),
        status: trace.status,
        private: private(trace),
        rehearsal: trace.rehearsal,
        plan: trace.plan.version.to_string().as_str().into(),
        format: (*trace.format).into(),
        topic: (*trace.topic).into(),
        repetition: trace.plan.pairing.repetition,
        seed: trace.plan.seed,
        started_at: trace.started_at,
        people: people(trace),
        digests: digests(trace),
        ancestors: ancestors(trace),
        criteria: places.criteria.iter().copied().map(Text::from).collect(),
        scale: trace.own_verdicts().find_map(|v| v.rubric.scale),
        rubric: trace.own_verdicts().find_map(rubric),
        readings: judged.readings.into(),
        scores: judged.scores.into(),
        has_winner: has_winner(trace),
        line: trace.outcome.as_ref().map(|o| (*o.line).into()),
        winner: won,
        own_winner: won,
        weak: trace.is_weak(),
        panels: panels(trace, places)?,
        rounds: trace.rounds_held() as u32,
        rounds_ms: trace.timing.rounds_ms.as_slice().into(),
        rotations: trace.rotations.iter().filter(|r| r.rotated).count() as u32,
        stints: stints(&trace.rotations, places)?,
        leading: leading(&trace.stances),
        consensus: (results.triggered == Some(true)).then_some(results.consensus.is_some()),
        early: early(results),
        auto_score: results.auto_score.as_ref().map(|auto| auto.score),
        comparison: results.comparison.as_ref().map(Into::into),
        quality_score: results.quality_score,
        answer: AnswerFacts::from_trace(trace),
        open: OpenFacts::from_trace(trace, results),
        labels: labels::of(trace, |id| order(trace, &[id.to_owned()], places)),
        audience: AudienceFacts::from_trace(trace),
        rating: trace.rating().and_then(Value::as_f64),
        used: used(&trace.usage).into_iter().map(|(model, used)| (model.into(), used)).collect(),
        gaps: gaps(trace),
        calls: calls(trace, places),
        model_ms: trace.timing.model_ms,
        wall_ms: trace.timing.total_ms,
        incidents: counted(trace.incidents.iter().map(|it| &it.kind)),
        read_as: read_as(trace),
    })
}

fn private<R>(trace: &Trace<R>) -> Private {
    Private {
        cause: trace.cause.as_deref().map(Text::from),
        job: (*trace.job).into(),
        tags: pairs(trace.tags.iter()),
        cell: cell(trace),
        settings: settings_text(settings(trace)),
    }
}

fn pairs(all: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>) -> Box<[(Text, Text)]> {
    all.map(|(key, value)| (key.as_ref().into(), value.as_ref().into())).collect()
}

/// The digest of what judges were told, if it is known.
fn rubric(verdict: &event::Verdict) -> Option<Text> {
    let digest = verdict.rubric.digest.as_str();
    (!digest.is_empty()).then(|| digest.into())
}

/// What the matrix assigned.
fn cell<R>(trace: &Trace<R>) -> Box<[(Text, Text)]> {
    pairs(trace.plan.pairing.cell.iter().map(|(path, value)| (path, value.to_string())))
}

/// The digests of models, where they are known.
fn digests<R>(trace: &Trace<R>) -> Box<[(Text, Text)]> {
    let models = trace.models.iter();
    pairs(models.filter_map(|model| Some((canonical(&model.name), model.card.digest.as_deref()?))))
}

/// What models were made from.
fn ancestors<R>(trace: &Trace<R>) -> Box<[(Text, Text)]> {
    pairs(trace.models.iter().flat_map(|model| {
        model.card.lineage.iter().map(|ancestor| (canonical(&model.name), ancestor))
    }))
}

/// Whether someone was to win: in some formats only if the job lists judges.
fn has_winner<R>(trace: &Trace<R>) -> bool {
    let profile = profile_of(&trace.format);
    let mut people = trace.participants.iter();
    let won = trace.outcome.as_ref().is_some_and(|o| o.winner.is_some());
    let listed = profile.team.is_some() && people.any(|person| role_of(&person.id) == "judge");
    profile.has_winner || won || listed
}

/// Who won by the debate itself.
fn own_winner<R>(trace: &Trace<R>, places: &Places<'_>) -> Option<Option<Winner>> {
    let outcome = trace.outcome.as_ref();
    winner(trace, places, outcome.and_then(|o| o.winner.as_ref()))
}

/// Who won, as the trace has it; `None` where nobody but a contestant could, and it is none.
fn winner<R>(
    trace: &Trace<R>,
    places: &Places<'_>,
    winner: Option<&event::Winner>,
) -> Option<Option<Winner>> {
    let won = match winner {
        None => return Some(None),
        Some(event::Winner::Draw) => Winner::Draw,
        Some(event::Winner::Side(id)) if profile_of(&trace.format).team == Some(id) => Winner::Team,
        Some(event::Winner::Side(id)) => {
            let place = place(&places.people, id)?;
            let contestant = trace.participants[usize::from(place)].contestant;
            contestant.then_some(Winner::Person(place))?
        }
    };
    Some(Some(won))
}

/// The verdicts of panels.
fn panels<R>(trace: &Trace<R>, places: &Places<'_>) -> Option<Box<[PanelFacts]>> {
    let of = |id: &str| order(trace, &[id.to_owned()], places);
    panels::of(trace, of, |won| winner(trace, places, won))
}

/// What each model used, under all its names together.
fn used(usage: &Usage) -> BTreeMap<&str, Use> {
    let mut models: BTreeMap<&str, Use> = BTreeMap::new();
    for (model, used) in &usage.by_model {
        models.entry(canonical(model)).or_default().add(used);
    }
    models
}

/// What is missing from the counts of each model's calls.
fn gaps<R>(trace: &Trace<R>) -> Box<[(Text, Gaps)]> {
    let models = text::gathered(trace.calls.iter().map(|call| (canonical(&call.model), call)));
    let gaps = models.into_iter().map(|(model, calls)| (model.into(), CallSums::of(calls).gaps));
    gaps.filter(|(_, gaps)| *gaps != Gaps::default()).collect()
}

fn people<R>(trace: &Trace<R>) -> Box<[Person]> {
    let notebook = Notebook::new(trace);
    let argued = |p| notebook.as_ref().and_then(|notebook| notebook.argued(p));
    trace.participants.iter().map(|p| Person { argued: argued(p), ..person(trace, p) }).collect()
}

fn person<R>(trace: &Trace<R>, p: &TraceParticipant) -> Person {
    let said = || trace.statements.iter().filter(|s| s.by == p.id);
    let count = |origin: Origin| said().filter(|s| s.origin == origin).count() as u32;
    let own = p.models.first();
    Person {
        id: (*p.id).into(),
        name: (*p.name).into(),
        position: (*p.position).into(),
        persona: p.persona.as_deref().map(Text::from),
        model: own.map(|model| canonical(&model.name).into()),
        contestant: p.contestant,
        first: p.spoke_first,
        last: p.spoke_last,
        statements: count(Origin::Model) + count(Origin::Fallback),
        fallbacks: count(Origin::Fallback),
        emergencies: count(Origin::Emergency),
        cuts: said().filter(|s| s.cut).count() as u32,
        declined: declined(trace, &p.id),
        tokens: p.tokens,
        points: trace.outcome.as_ref().and_then(|outcome| outcome.points.get(&p.id).copied()),
        argued: None,
    }
}

/// How many of a participant's statements a model declined to make.
fn declined<R>(trace: &Trace<R>, id: &str) -> u32 {
    let refusals = trace.incidents.iter().filter(|incident| incident.kind == IncidentKind::Refusal);
    let calls = refusals.filter_map(|incident| incident.call.as_deref());
    let is_own = |call: &&str| CallId::parse(call).is_some_and(|c| c.by.as_deref() == Some(id));
    calls.filter(is_own).collect::<BTreeSet<&str>>().len() as u32
}

/// Judgments and their scores, in order.
#[derive(Default)]
struct Judged {
    readings: Vec<Reading>,
    scores: Vec<Score>,
}

impl Judged {
    fn new<R>(trace: &Trace<R>, places: &Places<'_>) -> Option<Self> {
        let mut judged = Self::default();
        // The audience is not a judge, and is scored by nobody's rubric.
        let judges = trace.ballots.iter().filter(|b| !b.by.is_audience());
        for ballot in judges {
            let of = |s: &&event::Statement| s.by == ballot.about && s.round == ballot.round;
            let tokens: u64 = trace.statements.iter().filter(of).map(|s| s.tokens).sum();
            let about = [place(&places.people, &ballot.about)?];
            let reading = Reading {
                round: ballot.round,
                keep: ballot.keep,
                tokens: u32::try_from(tokens).ok(),
                ..reading(Kind::Ballot, &ballot.by, &ballot.reading, about.into())
            };
            judged.add(reading, &ballot.reading, places)?;
        }
        // A panel beside a team's ballots decides who wins: what it gives is of a team, and never compared with ballots (row O2).
        let is_compared = profile_of(&trace.format).team.is_none();
        for judge in trace.own_verdicts().flat_map(|verdict| &verdict.judges) {
            for of in &judge.readings {
                let order = order(trace, &of.order, places)?;
                let reading = reading(Kind::Verdict, &judge.judge, of, order);
                if is_compared {
                    judged.add(reading, of, places)?;
                } else {
                    judged.readings.push(reading);
                }
            }
        }
        judged.sort();
        Some(judged)
    }

    /// Puts the scores that one judgment gave to one person together, the total first.
    fn sort(&mut self) {
        let place = |score: &Score| (score.reading, score.about, score.criterion);
        self.scores.sort_by_key(place);
    }

    fn add(&mut self, reading: Reading, of: &event::Reading, places: &Places<'_>) -> Option<()> {
        let number = u16::try_from(self.readings.len()).ok()?;
        let valid = reading.status == ReadingStatus::Valid;
        let alone = reading.order.first().copied();
        self.readings.push(reading);
        if !valid {
            return Some(());
        }
        let totals =
            of.totals.iter().map(|(id, total)| Some((place(&places.people, id)?, None, *total)));
        let scores = of.scores.iter().map(|(name, score)| {
            let (whose, criterion) = of_score(name);
            let about = whose.map_or(alone, |id| place(&places.people, id))?;
            let criterion = place(&places.criteria, criterion)?;
            Some((about, Some(criterion), *score))
        });
        for given in totals.chain(scores) {
            let (about, criterion, value) = given?;
            self.scores.push(Score { reading: number, about, criterion, value });
        }
        Some(())
    }
}

/// A judgment that is on no round.
fn reading(kind: Kind, by: &Judge, of: &event::Reading, order: Box<[u8]>) -> Reading {
    Reading {
        kind,
        round: 0,
        judge: (*by.id).into(),
        model: of.model(by).map(|name| canonical(name).into()),
        status: of.status,
        generous: of.is_generous(),
        keep: None,
        order,
        tokens: None,
        totals: (kind == Kind::Verdict).then(|| totals(of)).flatten(),
    }
}

/// What a usable judgment gave to two sides.
fn totals(of: &event::Reading) -> Option<[f64; 2]> {
    let [first, second]: &[String; 2] = of.order.as_slice().try_into().ok()?;
    let total = |id: &String| of.totals.get(id).copied();
    (of.status == ReadingStatus::Valid).then_some([total(first)?, total(second)?])
}

/// The places of those who were judged, in the order in which a judge saw them: of a team, of all in it.
fn order<R>(trace: &Trace<R>, ids: &[String], places: &Places<'_>) -> Option<Box<[u8]>> {
    let team = profile_of(&trace.format).team;
    let mut order = Vec::new();
    for id in ids {
        if team == Some(id) {
            let of_team = places.people.iter().filter(|person| role_of(person) == id);
            order.extend(of_team.filter_map(|person| place(&places.people, person)));
        } else {
            order.push(place(&places.people, id)?);
        }
    }
    Some(order.into())
}

/// A debater stands until it is voted out, whether or not someone else comes in then (there may be no round or nobody left).
fn stints(rotations: &[Rotation], places: &Places<'_>) -> Option<Box<[Stint]>> {
    let mut stints: Vec<Stint> = Vec::new();
    let mut new = true;
    for rotation in rotations {
        let who = place(&places.people, &rotation.debater)?;
        if new {
            stints.push(Stint { who, rounds: 0, ended: false });
        }
        let stint = stints.last_mut()?;
        if !stint.ended {
            stint.rounds += 1;
            stint.ended = rotation.voted_out;
        }
        new = rotation.rotated;
    }
    Some(stints.into())
}

/// The share of weight behind the leading stance of each round; those without a stance count for none. What is taken once more at
/// the end belongs to no round.
fn leading(stances: &[Stance]) -> Box<[(u32, f64)]> {
    let mut rounds: BTreeMap<u32, (f64, BTreeMap<&str, f64>)> = BTreeMap::new();
    for stance in stances {
        let StanceTime::AfterRound(round) = stance.time() else { continue };
        let (all, by_stance) = rounds.entry(round).or_default();
        *all += stance.weight;
        if let Some(name) = stance.stance.as_deref() {
            *by_stance.entry(name).or_default() += stance.weight;
        }
    }
    let share = |(round, (all, by_stance)): (u32, (f64, BTreeMap<&str, f64>))| {
        let most = by_stance.into_values().fold(0.0, f64::max);
        (all > 0.0).then(|| (round, most / all))
    };
    rounds.into_iter().filter_map(share).collect()
}

/// Whether the debate ended before its last round, in formats that say so.
fn early(results: &Results) -> Option<bool> {
    let ended = |reason| reason == EndReason::EndedByModerator;
    results.early_stopped.or(results.end_reason.map(ended))
}

/// What readers of statements, judgments and notes had to do.
fn read_as<R>(trace: &Trace<R>) -> Box<[(Text, u32)]> {
    let verdicts = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let readings = verdicts
        .flat_map(|judge| &judge.readings)
        .chain(trace.ballots.iter().map(|ballot| &ballot.reading));
    let statements = trace.statements.iter().map(|statement| &statement.read_as);
    let notes = trace.notes.iter().map(|notes| &notes.read_as);
    let replies = readings.map(|reading| &reading.read_as).chain(statements).chain(notes);
    counted(replies.flat_map(|words| words.iter().map(String::as_str).collect::<BTreeSet<_>>()))
}

/// Words with how often each occurs.
fn counted(words: impl Iterator<Item = impl ToString>) -> Box<[(Text, u32)]> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    words.for_each(|word| *counts.entry(word.to_string()).or_default() += 1);
    counts.into_iter().map(|(word, n)| (word.as_str().into(), n)).collect()
}

/// The times of calls, those for one model and purpose together.
fn calls<R>(trace: &Trace<R>, places: &Places<'_>) -> Box<[Call]> {
    let mut calls: Box<[Call]> = trace.calls.iter().filter_map(|c| time(c, places)).collect();
    calls.sort_by_key(|call| (call.model, call.purpose));
    calls
}

/// The time of a call, where it was answered and timed.
fn time(call: &event::Call, places: &Places<'_>) -> Option<Call> {
    let ms = call.prompt_ms?.saturating_add(call.reply_ms?);
    (call.outcome == REPLY && ms > 0).then_some(())?;
    Some(Call {
        model: place(&places.models, canonical(&call.model))?,
        purpose: call.known_purpose()?,
        tokens: u32::try_from(call.reply_tokens?).ok()?,
        ms: u32::try_from(ms).ok()?,
    })
}
