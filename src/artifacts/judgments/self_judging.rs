//! What `summary.md` says of judges who may favour a side: by their model or persona, or because they scored their own answer; and
//! of teams with a single voter.

use std::collections::BTreeMap;

use super::ballots;
use crate::event::{Ballot, Judge, Reading};
use crate::job::models::model_name::same_model;
use crate::model::self_judging::{ONE_VOTER, Persona, Sharing, like_minded};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// What is to be distrusted in any of it.
const FAVOUR: &str = " Models tend to favour their own texts.";

/// A sentence for each model on which somebody judged others on it beside others on other models: in one note, since what
/// follows from them is the same. What follows where everybody is on it is another matter. Then a note for each judge with the persona
/// of one side, and one for a single voter.
pub(in crate::artifacts) fn notes(trace: &Trace) -> Vec<String> {
    let mut all = voters(trace);
    all.extend(shared(trace).iter().map(|shared| note(trace, shared)));
    all.extend(own_answers(trace));
    let note = (!all.is_empty()).then(|| all.join(" ") + FAVOUR);
    let all = note.into_iter().chain(on_everybodys(trace));
    all.chain(of_personas(trace)).chain(one_voter(trace)).collect()
}

/// A sentence for each judge with the persona of one side.
fn of_personas(trace: &Trace) -> Vec<String> {
    fn named(p: &TraceParticipant) -> Persona<'_> {
        (&p.name, p.persona.as_deref())
    }
    let debaters: Vec<Persona<'_>> = trace.contestants().map(named).collect();
    let ids = text::distinct(judgments(trace).map(|(judge, _)| &*judge.id));
    let judges = ids.into_iter().filter_map(|id| trace.participant(id)).filter(|p| !p.contestant);
    like_minded(judges.map(named), &debaters).into_iter().map(|told| told + ".").collect()
}

/// That a team of two had one voter in each round, and who took the seat by its own vote, or could have.
fn one_voter(trace: &Trace) -> Option<String> {
    let team = trace.ballots.iter().filter(|ballot| !ballot.by.is_audience());
    let voted = text::gathered(team.map(|ballot| (ballot.round, ())));
    let alone = !voted.is_empty() && voted.iter().all(|(_, votes)| votes.len() == 1);
    let took_seat = |b: &&Ballot| ballots::vote(trace, b) == Some(ballots::TOOK_SEAT);
    let took = trace.ballots.iter().find(took_seat).map(|ballot| {
        let [voter, out] = [&ballot.by.id, &ballot.about].map(|id| trace.name_of(id));
        format!(" {voter} voted {out} out and took the seat, which left {out} as the only voter.")
    });
    let could = trace.ballots.iter().any(|ballot| !ballot.on_position);
    let could =
        || could.then(|| " Whoever had voted the debater out would have come in.".to_owned());
    let gained = took.or_else(could).unwrap_or_default();
    alone.then(|| format!("{}.{gained}", text::capitalised(ONE_VOTER)))
}

/// A sentence for each model on which somebody voted on one of two debaters of whom one spoke through it.
fn voters(trace: &Trace) -> Vec<String> {
    let by_model = text::gathered(trace.ballots.iter().filter_map(|b| shared_vote(trace, b)));
    let told = |(model, own): (&str, Vec<(&str, &str)>)| {
        let (voters, of): (Vec<&str>, Vec<&str>) = own.into_iter().unzip();
        let voters = text::joined(text::distinct(voters), "and");
        let of = text::joined(text::distinct(of), "and");
        format!("In the votes, {voters} ran on {model}, also the model of {of}, who debated.")
    };
    by_model.into_iter().map(told).collect()
}

/// The model of a vote, with the names of the voter and of the one debater on it.
fn shared_vote<'t>(trace: &'t Trace, ballot: &'t Ballot) -> Option<(&'t str, (&'t str, &'t str))> {
    let model = ballot.reading.model(&ballot.by).filter(|_| ballot.reading.is_valid())?;
    let judged = trace.participant(&ballot.about)?;
    let opponent = trace.contestants().find(|p| p.position != judged.position)?;
    let of = match [judged, opponent].map(|p| is_on(trace, p, model)) {
        [true, false] => judged,
        [false, true] => opponent,
        _ => return None,
    };
    Some((model, (trace.name_of(&ballot.by.id), &of.name)))
}

/// Whether a participant spoke through a model, under whichever name.
fn is_on(trace: &Trace, p: &TraceParticipant, model: &str) -> bool {
    let card = trace.models.iter().find(|card| card.name == model);
    let digest = card.and_then(|card| card.card.digest.as_ref());
    let mut spoke = p.models.iter().filter(|used| used.statements > 0);
    spoke.any(|used| {
        let same_weights = digest.is_some() && used.digest.as_ref() == digest;
        same_weights || same_model(&used.name, model)
    })
}

/// A sentence for each model on which somebody judged several who all spoke through it.
fn on_everybodys(trace: &Trace) -> Vec<String> {
    let heard = heard(trace);
    let all = by_model(trace, |judge, reading, model| {
        let others = heard.iter().filter(|p| p.id != judge.id);
        let sharing = Sharing::among(others.map(|p| is_on(trace, p, model)));
        reading.totals.len() > 1 && sharing == Sharing::All
    });
    let told = |(model, judges): (&&str, &Vec<&str>)| {
        let judges = named(trace, judges);
        format!(
            "{judges} ran on {model}, as did all who debated. That favours no side, but a judge may miss what its own model misses."
        )
    };
    all.iter().map(told).collect()
}

/// Those who spoke and argued or were scored.
fn heard(trace: &Trace) -> Vec<&TraceParticipant> {
    let judged: Vec<(&Judge, &Reading)> = judgments(trace).collect();
    let is_heard = |p: &&TraceParticipant| p.contestant || is_scored(p, &judged);
    let spoke = trace.participants.iter().filter(|p| p.statements > 0);
    spoke.filter(is_heard).collect()
}

/// A model on which somebody judged and some of those who were heard spoke, and others not.
struct Shared<'t> {
    model: &'t str,
    /// The ids of the judges on it.
    judges: Vec<&'t str>,
    /// Those who spoke through it, and those who did not.
    same: Vec<&'t TraceParticipant>,
    others: Vec<&'t TraceParticipant>,
}

/// The models on which judges of the whole debate may favour some.
fn shared(trace: &Trace) -> Vec<Shared<'_>> {
    let heard = heard(trace);
    let partial = by_model(trace, |judge, _, model| {
        let others = heard.iter().filter(|p| p.id != judge.id);
        Sharing::among(others.map(|p| is_on(trace, p, model))) == Sharing::Some
    });
    let shared = |(model, judges)| {
        let (same, others) = heard.iter().partition(|p| is_on(trace, p, model));
        Shared { model, judges, same, others }
    };
    partial.into_iter().map(shared).collect()
}

/// A sentence for each model that scored an answer of its own, where everybody is on it: among several, what it favours in
/// one it favours in all, but a score of one answer is higher for it.
fn own_answers(trace: &Trace) -> Vec<String> {
    if !trace.ballots.is_empty() {
        return Vec::new();
    }
    let own = by_model(trace, |_, reading, model| {
        let scored: Vec<&TraceParticipant> =
            trace.participants.iter().filter(|p| reading.totals.contains_key(&p.id)).collect();
        let spoke = trace.contestants().filter(|p| p.statements > 0);
        let mut all = scored.iter().copied().chain(spoke);
        scored.len() == 1 && all.all(|p| is_on(trace, p, model))
    });
    let told = |(model, judges): (&&str, &Vec<&str>)| {
        let judges = named(trace, judges);
        format!("{judges} ran on {model}, the model that also wrote the answer.")
    };
    own.iter().map(told).collect()
}

/// The ids of the judges whose judgments are of a kind, each once, by the model on which they gave them.
fn by_model(
    trace: &Trace,
    is_one: impl Fn(&Judge, &Reading, &str) -> bool,
) -> BTreeMap<&str, Vec<&str>> {
    let such = judgments(trace).filter_map(|(judge, reading)| {
        let model = reading.model(judge).filter(|it| is_one(judge, reading, it))?;
        Some((model, &*judge.id))
    });
    let each = text::gathered(such).into_iter();
    each.map(|(model, judges)| (model, text::distinct(judges))).collect()
}

/// The judgments of the whole debate that count, with who gave them.
fn judgments(trace: &Trace) -> impl Iterator<Item = (&Judge, &Reading)> {
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    judges.flat_map(|j| j.valid().map(move |reading| (&j.judge, reading)))
}

fn is_scored(p: &TraceParticipant, judged: &[(&Judge, &Reading)]) -> bool {
    judged.iter().any(|(_, reading)| reading.totals.contains_key(&p.id))
}

fn note(trace: &Trace, shared: &Shared<'_>) -> String {
    format!(
        "{} ran on {}, the model of {} but not of {}.",
        named(trace, &shared.judges),
        shared.model,
        together(&shared.same),
        together(&shared.others)
    )
}

/// `Judge-1 and Judge-2`, by their ids.
fn named(trace: &Trace, ids: &[&str]) -> String {
    text::joined(ids.iter().map(|id| trace.name_of(id)), "and")
}

/// `Ann and Ben`.
fn together(people: &[&TraceParticipant]) -> String {
    text::joined(people.iter().map(|p| p.name.as_str()), "and")
}
