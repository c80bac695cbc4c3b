//! From the bytes of `trace.json` to facts.

mod borrowed;
mod mirror;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::borrowed::Str;
use self::mirror::{
    Details, Incident, Label, OneCall, Participant, ReadingOf, Rotation, Stance, Statement, Trace,
    Verdict,
};
use super::{Call, Facts, Kind, Names, Person, Purpose, Reading, Score, Spell, Text, Used, Winner};
use crate::call_id::CallId;
use crate::event::{Origin, REPLY, ReadingStatus, Use};
use crate::job::model_name::canonical;
use crate::trace::{self, ReadError};

/// The facts of a trace, or why it is none.
pub(super) fn read(path: &Path, bytes: &[u8], names: &mut Names) -> Result<Facts, ReadError> {
    let trace: Trace<'_> = trace::parse(path, bytes, |trace: &Trace<'_>| &trace.schema_version)?;
    let turns = trace.statements.iter().map(|s| (s.n, s.round, &*s.by));
    trace::check(path, &trace.id, &trace.format, turns)?;
    let places = Places::of(&trace);
    let foreign = |reason: &str| ReadError::Foreign {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    };
    let facts = facts(&trace, &places, names);
    let facts = facts.ok_or_else(|| foreign("it names somebody who took no part"))?;
    if facts.is_off_scale() {
        return Err(foreign("a score is off its scale"));
    }
    Ok(facts)
}

/// Where participants, criteria and models stand in the facts.
struct Places<'a> {
    people: Vec<&'a str>,
    criteria: Vec<&'a str>,
    models: Vec<&'a str>,
}

fn place(names: &[&str], name: &str) -> Option<u8> {
    let found = names.iter().position(|known| *known == name)?;
    u8::try_from(found).ok()
}

/// The criterion in a score's name: a verdict on several contestants puts the contestant before it.
fn criterion(name: &str) -> &str {
    name.split_once('.')
        .map_or(name, |(_, criterion)| criterion)
}

impl<'a> Places<'a> {
    fn of(trace: &'a Trace<'_>) -> Self {
        let ballots = trace.ballots.iter().map(|ballot| &ballot.reading);
        let verdicts = own_verdicts(trace).flat_map(|v| v.judges.iter().flat_map(|j| &j.readings));
        let names = ballots
            .chain(verdicts)
            .flat_map(|reading| reading.scores.keys());
        let criteria: BTreeSet<&str> = names.map(criterion).collect();
        Self {
            people: trace.participants.iter().map(|p| &*p.id).collect(),
            criteria: criteria.into_iter().collect(),
            models: used(trace).into_keys().collect(),
        }
    }
}

/// The verdicts of the debate's own judges: panels that are added later are not its scores.
fn own_verdicts<'t, 'a>(trace: &'t Trace<'a>) -> impl Iterator<Item = &'t Verdict<'a>> {
    trace
        .verdicts
        .iter()
        .filter(|verdict| *verdict.source == *"own")
}

fn facts(trace: &Trace<'_>, places: &Places<'_>, names: &mut Names) -> Option<Facts> {
    let judged = Judged::of(trace, places, names)?;
    let outcome = trace.outcome.as_ref();
    let details = outcome.map(|outcome| &outcome.details);
    Some(Facts {
        id: (*trace.id).into(),
        version: names.text(&trace.schema_version),
        status: trace.status,
        cause: trace.cause.as_deref().map(|cause| names.text(cause)),
        rehearsal: trace.rehearsal,
        format: names.text(&trace.format),
        topic: names.text(&trace.topic),
        job: names.text(&trace.job),
        tags: names.pairs(trace.tags.iter().map(|(k, v)| (k, &**v))),
        cell: names.pairs(trace.plan.pairing.cell.iter().map(|(k, v)| (k, v.get()))),
        repetition: trace.plan.pairing.repetition,
        seed: trace.plan.seed,
        started_at: trace.started_at,
        people: people(trace, names),
        families: families(trace, names),
        digests: digests(trace, names),
        criteria: places.criteria.iter().map(|c| names.text(c)).collect(),
        scale: own_verdicts(trace).find_map(|verdict| verdict.rubric.scale),
        readings: judged.readings.into(),
        scores: judged.scores.into(),
        line: outcome.map(|outcome| (*outcome.line).into()),
        winner: match outcome.and_then(|outcome| outcome.winner.as_deref()) {
            None => None,
            Some(name) => Some(winner(trace, places, name)?),
        },
        rounds: trace.rounds.iter().filter(|round| round.round > 0).count() as u32,
        rounds_ms: trace.timing.rounds_ms.as_slice().into(),
        rotations: trace.rotations.iter().filter(|r| r.rotated).count() as u32,
        spells: spells(&trace.rotations, places)?,
        leading: leading(&trace.stances),
        consensus: details.and_then(Details::reached),
        early: details.and_then(Details::early),
        auto_score: details.and_then(|d| Some(d.auto_score.as_ref()?.score)),
        quality_score: details.and_then(|d| d.quality_score),
        rating: rating(&trace.labels),
        used: used(trace)
            .into_iter()
            .map(|(model, used)| Used::of(names.text(model), &used))
            .collect(),
        calls: trace.calls.iter().filter_map(|c| c.time(places)).collect(),
        model_ms: trace.timing.model_ms,
        wall_ms: trace.timing.total_ms,
        incidents: incidents(&trace.incidents, names),
    })
}

/// Who won, by its name in the trace; nobody but a contestant can.
fn winner(trace: &Trace<'_>, places: &Places<'_>, name: &str) -> Option<Winner> {
    if name == "draw" {
        return Some(Winner::Draw);
    }
    let place = place(&places.people, name)?;
    let person = &trace.participants[usize::from(place)];
    person.contestant.then_some(Winner::Person(place))
}

fn people(trace: &Trace<'_>, names: &mut Names) -> Box<[Person]> {
    let all = trace.participants.iter();
    all.map(|p| person(trace, p, names)).collect()
}

fn families(trace: &Trace<'_>, names: &mut Names) -> Box<[(Text, Text)]> {
    let models = trace.models.iter();
    names.pairs(models.filter_map(|m| Some((&*m.name, m.family.as_deref()?))))
}

fn digests(trace: &Trace<'_>, names: &mut Names) -> Box<[(Text, Text)]> {
    let models = trace.models.iter();
    names.pairs(models.filter_map(|m| Some((&*m.name, m.digest.as_deref()?))))
}

/// What each model used, under all its names together.
fn used<'t>(trace: &'t Trace<'_>) -> BTreeMap<&'t str, Use> {
    let mut models: BTreeMap<&str, Use> = BTreeMap::new();
    for (model, used) in trace.usage.by_model.iter() {
        models.entry(canonical(model)).or_default().add(used);
    }
    models
}

fn person(trace: &Trace<'_>, p: &Participant<'_>, names: &mut Names) -> Person {
    let said = || trace.statements.iter().filter(|s| s.by == p.id);
    let count = |origin: Origin| said().filter(|s| s.origin == origin).count() as u32;
    let own = p.models.first();
    Person {
        id: names.text(&p.id),
        name: names.text(&p.name),
        position: names.text(&p.position),
        persona: p.persona.as_deref().map(|persona| names.text(persona)),
        model: own.map(|model| names.text(&model.name)),
        family: own.and_then(|model| Some(names.text(model.family.as_deref()?))),
        contestant: p.contestant,
        first: p.spoke_first,
        last: p.spoke_last,
        statements: count(Origin::Model) + count(Origin::Fallback),
        fallbacks: count(Origin::Fallback),
        emergencies: count(Origin::Emergency),
        cuts: said().filter(|s| s.cut).count() as u32,
        declined: declined(trace, &p.id),
        tokens: p.tokens,
        points: trace
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.points.get(&p.id).copied()),
    }
}

/// How many of a participant's statements a model declined to make.
fn declined(trace: &Trace<'_>, id: &str) -> u32 {
    let refusals = trace
        .incidents
        .iter()
        .filter(|incident| *incident.kind == *"refusal");
    let calls = refusals.filter_map(|incident| incident.call.as_deref());
    let is_own = |call: &&str| CallId::parse(call).is_some_and(|c| c.by.as_deref() == Some(id));
    let own = calls.filter(is_own);
    own.collect::<BTreeSet<&str>>().len() as u32
}

/// Judgments and their scores, in order.
#[derive(Default)]
struct Judged {
    readings: Vec<Reading>,
    scores: Vec<Score>,
}

impl Judged {
    fn of(trace: &Trace<'_>, places: &Places<'_>, names: &mut Names) -> Option<Self> {
        let mut judged = Self::default();
        for ballot in &trace.ballots {
            let of = |s: &&Statement<'_>| s.by == ballot.about && s.round == ballot.round;
            let tokens: u64 = trace.statements.iter().filter(of).map(|s| s.tokens).sum();
            let reading = Reading {
                kind: Kind::Ballot,
                round: ballot.round,
                judge: names.text(&ballot.by.id),
                model: ballot.by.model.as_deref().map(|model| names.text(model)),
                status: ballot.reading.status,
                generous: !ballot.reading.read_as.is_empty(),
                keep: ballot.keep,
                order: [place(&places.people, &ballot.about)?].into(),
                tokens: u32::try_from(tokens).ok(),
            };
            judged.add(reading, &ballot.reading, places)?;
        }
        for judge in own_verdicts(trace).flat_map(|verdict| &verdict.judges) {
            for of in &judge.readings {
                let order = of.order.iter().map(|id| place(&places.people, id));
                let reading = Reading {
                    kind: Kind::Verdict,
                    round: 0,
                    judge: names.text(&judge.id),
                    model: judge.model.as_deref().map(|model| names.text(model)),
                    status: of.status,
                    generous: !of.read_as.is_empty(),
                    keep: None,
                    order: order.collect::<Option<_>>()?,
                    tokens: None,
                };
                judged.add(reading, of, places)?;
            }
        }
        Some(judged)
    }

    fn add(&mut self, reading: Reading, of: &ReadingOf<'_>, places: &Places<'_>) -> Option<()> {
        let number = u16::try_from(self.readings.len()).ok()?;
        let valid = reading.status == ReadingStatus::Valid;
        let alone = reading.order.first().copied();
        self.readings.push(reading);
        if !valid {
            return Some(());
        }
        for (id, total) in of.totals.iter() {
            let about = place(&places.people, id)?;
            self.scores.push(Score {
                reading: number,
                about,
                criterion: None,
                value: *total,
            });
        }
        for (name, score) in of.scores.iter() {
            let about = match name.split_once('.') {
                Some((id, _)) => place(&places.people, id)?,
                None => alone?,
            };
            let criterion = Some(place(&places.criteria, criterion(name))?);
            self.scores.push(Score {
                reading: number,
                about,
                criterion,
                value: *score,
            });
        }
        Some(())
    }
}

/// A debater stands until it is voted out, whether or not somebody else comes in then (there may be no round or nobody left).
fn spells(rotations: &[Rotation<'_>], places: &Places<'_>) -> Option<Box<[Spell]>> {
    let mut spells: Vec<Spell> = Vec::new();
    let mut new = true;
    for rotation in rotations {
        let who = place(&places.people, &rotation.debater)?;
        if new {
            spells.push(Spell {
                who,
                rounds: 0,
                ended: false,
            });
        }
        let spell = spells.last_mut()?;
        if !spell.ended {
            spell.rounds += 1;
            spell.ended = rotation.voted_out;
        }
        new = rotation.rotated;
    }
    Some(spells.into())
}

/// The share of weight behind the leading stance of each round; those without a stance count for none.
fn leading(stances: &[Stance<'_>]) -> Box<[(u32, f64)]> {
    let mut rounds: BTreeMap<u32, (f64, BTreeMap<&str, f64>)> = BTreeMap::new();
    for stance in stances {
        let (all, by_stance) = rounds.entry(stance.round).or_default();
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

impl Details<'_> {
    /// Whether consensus was reached, where it was sought.
    fn reached(&self) -> Option<bool> {
        let reached = || self.consensus.is_some_and(|value| value.get() != "null");
        (self.triggered == Some(true)).then(reached)
    }

    /// Whether the debate ended before its last round, in formats that say so.
    fn early(&self) -> Option<bool> {
        let ended = |reason: &Str<'_>| **reason == *"ended_by_moderator";
        self.early_stopped.or(self.end_reason.as_ref().map(ended))
    }
}

fn rating(labels: &[Label<'_>]) -> Option<f64> {
    let label = labels
        .iter()
        .find(|l| *l.source == *"user" && *l.name == *"rating")?;
    label.value.get().parse().ok()
}

fn incidents(all: &[Incident<'_>], names: &mut Names) -> Box<[(Text, u32)]> {
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    all.iter()
        .for_each(|incident| *kinds.entry(&incident.kind).or_default() += 1);
    kinds
        .into_iter()
        .map(|(kind, count)| (names.text(kind), count))
        .collect()
}

impl Used {
    fn of(model: Text, used: &Use) -> Self {
        Self {
            model,
            calls: used.calls,
            failures: used.failures,
            prompt_tokens: used.prompt_tokens,
            reply_tokens: used.reply_tokens,
            prompt_ms: used.prompt_ms,
            reply_ms: used.reply_ms,
        }
    }
}

impl OneCall<'_> {
    /// Its time, where it was answered.
    fn time(&self, places: &Places<'_>) -> Option<Call> {
        (*self.outcome == *REPLY).then_some(())?;
        Some(Call {
            model: place(&places.models, &self.model)?,
            purpose: Purpose::of(&self.purpose)?,
            tokens: u32::try_from(self.reply_tokens?).ok()?,
            ms: u32::try_from(self.prompt_ms?.saturating_add(self.reply_ms?)).ok()?,
        })
    }
}
