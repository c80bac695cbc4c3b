//! Knockout: one X against several Y. One Y debates while the others judge; a debater who is voted out is replaced by the
//! next.

mod audience;
mod ballot;
mod bench;
pub mod settings;
mod source_record;
mod turns;
mod verdict;
mod votes;

use serde_json::{Value, json};

use self::bench::{Bench, TIE_BREAK};
use self::settings::{COMMENTATOR, Knockout, X};
use self::turns::{is_last, speaking_order};
use crate::call_id::{CallId, CallStage};
use crate::event::{
    Ballot, Event, EventKind, Notes, Outcome, Phase, Rotation, RoundNotes, Statement,
};
use crate::floor::{Floor, Halt, Result, Speech};
use crate::formats::outcome_phrases;
use crate::formats::own_judges::verdict_in_words;
use crate::formats::play::Play;
use crate::job::cast::CLERK_ID;
use crate::plan::Plan;
use crate::text;
use crate::trace::Trace;

/// Maximum tokens of a comment.
const COMMENT_TOKENS: u32 = 200;
/// Maximum tokens of the clerk's story of the debate.
const NARRATIVE_TOKENS: u32 = 300;

impl Play for Knockout {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        let mut bench = Bench::of(floor.plan(), self);
        let mut heard = Heard::default();
        floor.open("prompts/knockout/system.md.j2", &Value::Null).await?;
        introduce(floor, &bench)?;
        let mut last = RoundNotes::default();
        for round in 1..=self.rounds {
            last = play_round(floor, round, &mut bench, &mut heard).await?;
        }
        let judged = verdict::decide(floor, self).await?;
        let verdict = judged.as_ref().map(|it| verdict_in_words::asked_line(floor.plan(), it));
        let result = verdict::line(&bench.line(), verdict.as_deref());
        announce_conclusion(floor, &last, &bench, verdict)?;
        let judges = verdict::reasons(floor.plan(), judged.as_ref());
        let outcome = verdict::with(floor, bench.outcome(), judged);
        let narrative = narrate(floor, &bench, &result, judges).await?;
        Ok(Outcome { final_text: narrative.map(|narrative| narrative.n), ..outcome })
    }

    fn source_record(&self, plan: &Plan, _: &[Event], trace: &Trace) -> Value {
        source_record::source_record(plan, self, trace)
    }
}

/// Plays a round: an exchange, the votes on it, and what they change. Returns the notes on it.
async fn play_round(
    floor: &Floor,
    round: u32,
    bench: &mut Bench<'_>,
    heard: &mut Heard,
) -> Result<RoundNotes> {
    let settings = bench.settings;
    let order = speaking_order(settings, round, bench.debater);
    floor.begin_round(round, &order);
    let [first, second] = exchange(floor, round, order, bench, heard).await?;
    let said = [&first, &second];
    let weighed = weigh(floor, round, bench, &said).await?;
    let rotation = bench.decide(floor, round, &weighed.votes);
    floor.emit(EventKind::Rotation(rotation.clone()), None, None);
    if rotation.voted_out {
        floor.note_change(round, change(floor, &rotation));
    }

    floor.remember(round, floor.remembered(&said, &weighed.notes));
    let headline = headline(floor, &rotation);
    let closed = RoundNotes::new(round, weighed.notes.summary, headline);
    comment(floor, settings, &closed).await?;
    floor.close_round(closed.clone());
    if round < settings.rounds {
        announce(floor, Phase::TRANSITION, &closed, &rotation, None)?;
    }
    bench.close_round(rotation, weighed.judges);
    Ok(closed)
}

/// The result of judging an exchange.
struct Weighed {
    /// The judges' ballots.
    judges: Vec<Ballot>,
    /// The ballots that decide: the judges', and perhaps the audience's.
    votes: Vec<Ballot>,
    notes: Notes,
}

/// Has judges, clerk and audience weigh an exchange. Votes are counted even if the debate fails here, since people were told
/// that theirs count.
async fn weigh(
    floor: &Floor,
    round: u32,
    bench: &Bench<'_>,
    said: &[&Statement; 2],
) -> Result<Weighed> {
    let window = audience::open(floor, bench, round, was_heard(said)).await?;
    let judged = judge(floor, round, bench, said).await;
    if let Err(Halt::Failed(_)) = judged {
        audience::join(floor, window.clone(), bench, &[]).await?;
    }
    let (judges, notes) = judged?;
    let votes = audience::join(floor, window, bench, &judges).await?;
    Ok(Weighed { judges, votes, notes })
}

/// The judges' ballots on an exchange, and the clerk's notes.
async fn judge(
    floor: &Floor,
    round: u32,
    bench: &Bench<'_>,
    said: &[&Statement; 2],
) -> Result<(Vec<Ballot>, Notes)> {
    let mut ballots = Vec::new();
    if was_heard(said) {
        ballots = ballot::poll(floor, round, bench).await?;
        require_a_ballot(floor, round, &ballots)?;
    }
    Ok((ballots, floor.note(CallStage::Round(round), said).await?))
}

/// A judged round without a valid ballot is a shortfall of the debate.
fn require_a_ballot(floor: &Floor, round: u32, ballots: &[Ballot]) -> Result<()> {
    if ballots.iter().any(|ballot| ballot.keep.is_some()) {
        return Ok(());
    }
    let calls = ballots.iter().map(|b| b.reading.call.as_str());
    let reason = format!("no judge cast a valid ballot in round {round}");
    floor.fall_short(calls, reason)
}

/// The clerk's story of the debate: what each debater argued, why each fell, and what stayed open.
async fn narrate(
    floor: &Floor,
    bench: &Bench<'_>,
    result: &str,
    judges: Vec<Value>,
) -> Result<Option<Statement>> {
    floor.begin_phase("The end");
    // A new line of argument in the last of several rounds does not count, so that it needs no reply.
    let last = Some(bench.settings.rounds).filter(|rounds| *rounds > 1);
    let mut context = json!({
        "result": result,
        "questions": outcome_phrases::questions(floor),
        "positions": floor.on_positions(&floor.flow()),
        "votes": bench.contested(floor),
        "judges": judges,
    });
    for (kind, points) in outcome_phrases::summed_up(floor, CLERK_ID, &[], last) {
        context[kind] = points;
    }
    let call = CallId::new(CallStage::End, "narrative", CLERK_ID);
    let template = "prompts/knockout/narrative.md.j2";
    let speech = Speech::new(call, CLERK_ID, Phase::SUMMARY, template, context);
    floor.speak_if_can(speech.of_at_most(NARRATIVE_TOKENS)).await
}

/// The last speaker heard on the team's side and on that of X, and the last of both. An emergency reply leaves nothing to answer.
#[derive(Debug, Default)]
struct Heard {
    by_side: [Option<String>; 2],
    last: Option<String>,
}

impl Heard {
    fn note(&mut self, statement: &Statement) {
        if statement.was_heard() {
            self.by_side[usize::from(statement.by == X)] = Some(statement.by.clone());
            self.last = Some(statement.by.clone());
        }
    }

    fn opponent_of(&self, by: &str) -> Option<&str> {
        self.by_side[usize::from(by != X)].as_deref()
    }

    /// Who has answered the opponent's last statement on the speaker's side, if nobody of the other side was heard since.
    fn answered_by(&self, by: &str) -> Option<&str> {
        let last = self.last.as_deref().filter(|last| (*last == X) == (by == X));
        last.filter(|_| self.opponent_of(by).is_some())
    }
}

/// The two statements of a round, one after the other.
async fn exchange(
    floor: &Floor,
    round: u32,
    [one, other]: [&str; 2],
    bench: &Bench<'_>,
    heard: &mut Heard,
) -> Result<[Statement; 2]> {
    let settings = bench.settings;
    let context = |by: &str, opponent: &str, heard: &Heard| {
        json!({
            "opponent": floor.plan().participant(opponent),
            "answers": heard.opponent_of(by).map(|id| floor.plan().name_of(id)),
            "answered_by": heard.answered_by(by).and_then(|id| floor.plan().participant(id)),
            "round": round,
            "rounds": settings.rounds,
            "last": is_last(settings, round),
            "has_successor": !bench.could_come_in(round).is_empty(),
            "team_said": bench.team_said().filter(|_| by != X),
            "comes_in": by != X && round > 1 && floor.memory(by).debate_history.is_empty(),
        })
    };
    let first = speak(floor, settings, round, one, context(one, other, heard)).await?;
    heard.note(&first);
    let second = speak(floor, settings, round, other, context(other, one, heard)).await?;
    heard.note(&second);
    Ok([first, second])
}

async fn speak(
    floor: &Floor,
    settings: &Knockout,
    round: u32,
    by: &str,
    context: Value,
) -> Result<Statement> {
    let call = CallId::new(CallStage::Round(round), "statement", by);
    let template = "prompts/knockout/statement.md.j2";
    let speech = Speech {
        most_tokens: settings.max_statement_tokens,
        seconds: Some(settings.time_limit_seconds),
        round_seconds: settings.enforce_round_seconds,
        ..Speech::new(call, by, Phase::ARGUMENT, template, context)
    };
    floor.speak(speech).await
}

/// The commentator's comment on a round, if there is a commentator.
async fn comment(floor: &Floor, settings: &Knockout, notes: &RoundNotes) -> Result<()> {
    if floor.plan().participant(COMMENTATOR).is_none() {
        return Ok(());
    }
    let round = notes.round;
    let context = json!({"round": round, "rounds": settings.rounds, "headline": notes.headline});
    let call = CallId::new(CallStage::Round(round), "comment", COMMENTATOR);
    let template = "prompts/knockout/comment.md.j2";
    let speech = Speech {
        most_tokens: COMMENT_TOKENS,
        seconds: Some(settings.time_limit_seconds),
        ..Speech::new(call, COMMENTATOR, Phase::new("comment"), template, context)
    };
    floor.comment(speech).await
}

/// Whether every statement was heard. An emergency reply is not an argument, so an exchange with one is not judged (row M2).
fn was_heard(said: &[&Statement]) -> bool {
    said.iter().all(|statement| statement.was_heard())
}

fn introduce(floor: &Floor, bench: &Bench<'_>) -> Result<()> {
    let context = json!({"debater": floor.plan().participant(bench.debater)});
    let gist = "The topic, the sides and how the debate goes".to_owned();
    let template = "record/knockout/introduction.md.j2";
    floor.announce(Phase::INTRODUCTION, gist, template, &context)
}

/// Announces the votes on the last round and the decision of neutral judges, who have decided without sight of them.
fn announce_conclusion(
    floor: &Floor,
    notes: &RoundNotes,
    bench: &Bench<'_>,
    verdict: Option<String>,
) -> Result<()> {
    let Some(rotation) = bench.last_votes() else { return Ok(()) };
    announce(floor, Phase::new("conclusion"), notes, rotation, verdict)
}

/// Announces the votes on a round, and the points that stand.
fn announce(
    floor: &Floor,
    phase: Phase,
    notes: &RoundNotes,
    rotation: &Rotation,
    verdict: Option<String>,
) -> Result<()> {
    let participant = |id: &str| floor.plan().participant(id);
    let is_last = phase != Phase::TRANSITION && notes.round > 1;
    let last = is_last.then_some(notes.round);
    let context = json!({
        "points": outcome_phrases::by_status(floor, last),
        "round": notes.round,
        "rotation": rotation,
        "out": participant(&rotation.debater),
        "next": participant(&rotation.next),
        "verdict": verdict,
    });
    let verdict = verdict.map(|verdict| outcome_phrases::capitalised(&verdict));
    let gist = text::separated(verdict.into_iter().chain([change(floor, rotation)]), "; ");
    let template = format!("record/knockout/{}.md.j2", phase.name());
    floor.announce(phase, gist, &template, &context)
}

/// Who met, and with what result, in one line.
fn headline(floor: &Floor, rotation: &Rotation) -> String {
    let (x, debater) = (floor.plan().name_of(X), floor.plan().name_of(&rotation.debater));
    let votes = rotation.votes(debater, bench::of_debater(floor, rotation));
    format!("{x} against {debater}: {votes}; {}", change(floor, rotation))
}

/// The effect of the votes on the debater.
fn change(floor: &Floor, rotation: &Rotation) -> String {
    let debater = floor.plan().name_of(&rotation.debater);
    let tie = if rotation.is_tie() { " after a tie" } else { "" };
    match (rotation.out_since, rotation.voted_out) {
        (Some(round), _) => format!("{debater} was voted out after round {round}"),
        (_, true) if rotation.rotated => {
            let next = floor.plan().name_of(&rotation.next);
            format!("{debater} is voted out{tie}, {next} comes in{}", rotation.lot())
        }
        (_, true) => format!("{debater} is voted out{tie}, and nobody comes in"),
        _ => match rotation.score().filter(|_| rotation.is_up_to_scores()) {
            Some(score) => {
                format!("{debater} keeps the seat{tie}, since {score} is not below {TIE_BREAK}")
            }
            None => format!("{debater} keeps the seat"),
        },
    }
}
