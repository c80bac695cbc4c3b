//! The clerk (row M7): one structured call per exchange for the flow and a summary. If it fails, first sentences replace
//! claims, and there are no points. A format whose statements are made as points needs no call.

mod bounds;
mod steps;

use std::cmp::Reverse;

use serde_json::{Value, json};

use self::bounds::{ASKED, counted, key, moves, points, schema, summary_words};
use super::Floor;
use super::halt::Result;
use super::open_points::{cases, made_by};
use super::said_question;
use super::structured::{self, Answer, Question, line};
use crate::call_id::{CallId, CallStage};
use crate::event::{
    EventKind, IncidentKind, Notes, Phase, Purpose, Reading, SPELT, Statement, StatementNotes,
};
use crate::flow::{Flow, FlowPoint, FlowQuestion, Noted, PointStatus, puts_again};
use crate::text;

/// Characters of a statement's beginning, which identifies it to the clerk.
const BEGINNING: usize = 60;
/// Maximum characters of a first sentence that replaces a claim.
const FIRST_SENTENCE: usize = 160;
/// Maximum points, and maximum questions, that the clerk is shown.
const SHOWN: usize = 48;
/// Characters per word, for scripts that put no blanks between words.
const CHARACTERS_PER_WORD: usize = 6;

impl Floor {
    /// Has the clerk note an exchange, once every side that speaks in it has spoken. The notes enter the flow.
    pub async fn note(&self, stage: CallStage, said: &[&Statement]) -> Result<Notes> {
        let round = match stage {
            CallStage::Round(round) => round,
            _ => 0,
        };
        // An emergency reply is not an argument: there is nothing in it to note.
        let heard: Vec<&Statement> = said.iter().copied().filter(|s| s.was_heard()).collect();
        let notes =
            if heard.is_empty() { stand_in(self, said) } else { ask(self, stage, &heard).await? };
        let notes = Notes { round, ..notes };
        self.enter(&notes, Some("clerk"));
        Ok(notes)
    }

    /// Adds notes that follow from the form of an exchange's statements, without asking the clerk.
    pub fn take_notes(&self, round: u32, summary: String, noted: &[Noted]) -> Notes {
        let statements = self.prompts.lock().sheet.note(noted);
        let notes = Notes { round, summary, statements, ..Notes::default() };
        self.enter(&notes, None);
        notes
    }

    fn enter(&self, notes: &Notes, by: Option<&str>) {
        self.emit(EventKind::Notes(notes.clone()), by, None);
        self.prompts.lock().note(notes);
    }
}

async fn ask(floor: &Floor, stage: CallStage, heard: &[&Statement]) -> Result<Notes> {
    let lengths = lengths(heard);
    let moves = possible_moves(floor, heard, &lengths);
    let schema = schema(&lengths, &moves);
    let question = Question {
        call: CallId::clerk(stage),
        by: "clerk",
        template: "prompts/clerk.md.j2",
        context: context(floor, heard, &lengths, &moves),
        blind: false,
        schema,
    };
    let answer = structured::ask(floor, &question, Purpose::Clerk).await?;
    if answer.reading.is_valid() {
        return Ok(read(floor, heard, &answer));
    }
    let Reading { call, cause, tokens, .. } = answer.reading;
    let cause = cause.unwrap_or_default();
    let message = format!("the clerk gave no notes on {stage} ({cause}); first sentences stand in");
    floor.report(IncidentKind::Clerk, Some(&call), None, message);
    Ok(Notes { usage: tokens, ..stand_in(floor, heard) })
}

/// The words by which each statement has room for notes: those of one limit have the same, and nobody gains any by running over.
fn lengths(heard: &[&Statement]) -> Vec<usize> {
    let kept = |s: &Statement| {
        let asked = s.asked_words.map_or(usize::MAX, |asked| asked as usize);
        words(&s.text).min(asked)
    };
    let counted = |s: &&Statement| {
        let is_alike = |it: &&&Statement| {
            let limit = s.asked_words;
            it.phase == s.phase || limit.is_some() && it.asked_words == limit
        };
        let longest = heard.iter().filter(is_alike).map(|it| kept(it)).max();
        counted(kept(s), longest.unwrap_or_default())
    };
    heard.iter().map(counted).collect()
}

/// What the clerk's task shows: the flow so far, and the statements to note.
fn context(floor: &Floor, heard: &[&Statement], lengths: &[usize], on: &[usize]) -> Value {
    let prompts = floor.prompts.lock();
    let flow = prompts.sheet.flow(false);
    let left = |id: &str| Some(flow.on_positions().into_iter().rfind(|it| it.at == id)?.stands());
    let named = |(id, side): (String, &str)| json!({"left": left(&id), "id": id, "name": floor.plan.name_of(side)});
    let positions: Vec<Value> = prompts.sheet.positions().map(named).collect();
    drop(prompts);
    let waiting: Vec<Value> = waiting(&flow)
        .into_iter()
        .map(|q| json!({"id": q.id, "name": floor.plan.name_of(&q.by), "text": q.text, "partly": flow.is_partly_answered(q)}))
        .collect();
    let statement = |(place, s): (usize, &&Statement)| {
        json!({
            "key": key(place + 1, heard.len()),
            "name": floor.plan.name_of(&s.by),
            "begins": text::shorten(&s.text, BEGINNING),
            "advocacy": floor.plan.format.profile.advocacy_in(s.phase.name()),
            "new": points(lengths[place]),
            "on": on[place],
            "corrects": s.phase == Phase::ANSWER,
        })
    };
    let cases = floor.log.look(|events| cases(&floor.plan, events));
    let teammates = floor.plan.participants.iter().filter(|p| floor.plan.is_team(p.role()));
    // To the clerk, a stance is nothing.
    let task = |p: &FlowPoint| cases.of_point(p).filter(|case| !case.is_left);
    let point = |p: &FlowPoint| json!({"id": p.id, "name": made_by(&floor.plan, p, task(p)), "status": flow.stands_by_id(p), "text": p.text});
    json!({
        "points": listed(&flow).into_iter().map(point).collect::<Vec<_>>(),
        "team": teammates.map(|p| &p.name).collect::<Vec<_>>(),
        "positions": positions,
        "questions": waiting,
        "unseen": unseen(heard),
        "closing": heard.iter().any(|s| s.phase == Phase::CLOSING),
        "moves": on.iter().any(|most| *most > 0),
        "statements": heard.iter().enumerate().map(statement).collect::<Vec<_>>(),
        "words": ASKED,
        "summary_words": summary_words(lengths),
    })
}

/// The points that the clerk is shown, in order. If there are too many, settled ones are left out first. They are listed so
/// that a point made again is not taken for a new one.
fn listed(flow: &Flow) -> Vec<&FlowPoint> {
    let mut kept: Vec<(usize, &FlowPoint)> = flow.points.iter().enumerate().collect();
    kept.sort_by_key(|(place, p)| (is_settled(p), Reverse(*place)));
    kept.truncate(SHOWN);
    kept.sort_by_key(|(place, _)| *place);
    kept.into_iter().map(|(_, point)| point).collect()
}

fn is_settled(point: &FlowPoint) -> bool {
    use PointStatus::{Answered, Conceded, Standing};
    matches!(point.status, Answered | Conceded | Standing) || point.status.is_given_up()
}

/// The newest questions that wait for an answer.
fn waiting(flow: &Flow) -> Vec<&FlowQuestion> {
    let open: Vec<&FlowQuestion> =
        flow.questions.iter().filter(|q| q.answered_in.is_none()).collect();
    open[open.len().saturating_sub(SHOWN)..].to_vec()
}

/// How many moves can be noted for each statement: no more than there are points and questions on the list, or in those statements
/// of the exchange that its speaker had seen.
fn possible_moves(floor: &Floor, heard: &[&Statement], lengths: &[usize]) -> Vec<usize> {
    let flow = floor.prompts.lock().sheet.flow(false);
    let known = listed(&flow).len() + waiting(&flow).len();
    let of = |(s, length): (&&Statement, &usize)| {
        let seen = heard.iter().zip(lengths).filter(|(it, _)| it.n <= s.saw);
        let within: usize = seen.map(|(_, length)| points(*length) + 1).sum();
        moves(*length).min(known + within)
    };
    heard.iter().zip(lengths).map(of).collect()
}

/// The keys of the statements that were made without any of them on the record, where there are several.
fn unseen(heard: &[&Statement]) -> Vec<String> {
    let first = heard.first().map_or(0, |first| first.n);
    let blind = heard.iter().enumerate().filter(|(_, said)| said.saw < first);
    let keys: Vec<String> = blind.map(|(place, _)| key(place + 1, heard.len())).collect();
    if keys.len() > 1 { keys } else { Vec::new() }
}

/// Notes made without the clerk.
fn stand_in(floor: &Floor, said: &[&Statement]) -> Notes {
    let notes = |s: &&Statement| {
        let claim = if s.was_heard() { first_sentence(s) } else { s.gist.clone() };
        StatementNotes { n: s.n, claim, ..StatementNotes::default() }
    };
    let statements: Vec<StatementNotes> = said.iter().map(notes).collect();
    floor.prompts.lock().sheet.take(&statements);
    Notes { summary: claims(floor, said, &statements), statements, ..Notes::default() }
}

/// Each speaker's claim, in place of the clerk's summary.
fn claims(floor: &Floor, said: &[&Statement], notes: &[StatementNotes]) -> String {
    let claim = |(s, noted): (&&Statement, &StatementNotes)| {
        format!("{}: {}", floor.plan.name_of(&s.by), noted.claim)
    };
    said.iter().zip(notes).map(claim).collect::<Vec<_>>().join(" ")
}

fn read(floor: &Floor, heard: &[&Statement], answer: &Answer) -> Notes {
    let flow = floor.prompts.lock().sheet.flow(false);
    let lengths = lengths(heard);
    let noted = |(place, s): (usize, &&Statement)| {
        let value = &answer.value[key(place + 1, heard.len())];
        let noted = noted(floor, s, value, &flow);
        let written = noted.moves.len() + noted.unreadable.len();
        Noted { is_full: written >= moves(lengths[place]), ..noted }
    };
    let noted: Vec<Noted> = heard.iter().enumerate().map(noted).collect();
    let mut read_as = answer.reading.read_as.clone();
    let mut moves = noted.iter().flat_map(|noted| &noted.moves);
    if moves.any(|step| !steps::is_as_asked(&step.said)) {
        read_as.push(SPELT.to_owned());
        read_as.sort();
        read_as.dedup();
    }
    let statements = floor.prompts.lock().sheet.note(&noted);
    let summary = Some(line(&answer.value["summary"])).filter(|text| says_something(text));
    Notes {
        summary: summary.unwrap_or_else(|| claims(floor, heard, &statements)),
        statements,
        by_clerk: true,
        read_as,
        usage: answer.reading.tokens,
        ..Notes::default()
    }
}

/// The notes on a statement, without those that say nothing: small models repeat listed points and the topic.
fn noted(floor: &Floor, statement: &Statement, value: &Value, flow: &Flow) -> Noted {
    let texts = |key: &str| value[key].as_array().into_iter().flatten().map(line);
    let written = texts("on").filter(|step| !step.is_empty());
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for step in written {
        // One that was cut may have lost what it was about.
        match steps::read(&step).filter(|_| !step.ends_with('…')) {
            Some(step) => read.push(step),
            None => unreadable.push(step),
        }
    }
    let asks = value["asks"].as_bool().unwrap_or(false);
    let own = flow.points.iter().filter(|point| point.by == statement.by);
    let known: Vec<&str> = own.map(|point| &*point.text).collect();
    let new = arguments(texts("new"), &known);
    let asked = || said_question::asked(&floor.plan, statement, None);
    let question = asks.then(|| asked().or_else(|| put_again(flow, statement))).flatten();
    Noted {
        n: statement.n,
        claim: Some(line(&value["claim"]))
            .filter(|claim| says_something(claim))
            .unwrap_or_else(|| first_sentence(statement)),
        asks,
        question,
        unreadable,
        is_full: false,
        new,
        moves: read,
    }
}

/// The question that a statement puts again without a question mark: its speaker's only one that waits for an answer.
fn put_again(flow: &Flow, statement: &Statement) -> Option<String> {
    let is_open = |q: &&FlowQuestion| q.by == statement.by && q.answered_in.is_none();
    let mut open = flow.questions.iter().filter(is_open);
    let only = open.next().filter(|_| open.next().is_none())?;
    puts_again(text::without_mark(&statement.text), &only.text).then(|| only.text.clone())
}

/// Each text that names a new argument, in its place; `None` for the others.
fn arguments(texts: impl Iterator<Item = String>, known: &[&str]) -> Vec<Option<String>> {
    let mut seen: Vec<String> = known.iter().map(|text| (*text).to_owned()).collect();
    let new = |text: String| {
        if !says_something(&text) || seen.contains(&text) {
            return None;
        }
        seen.push(text.clone());
        Some(text)
    };
    texts.map(new).collect()
}

/// Whether a text is more than a move, the word for a move, or numbers of points and questions such as `1.q, 2.1`.
fn says_something(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let has_word = words.any(|word| word.len() > 1);
    has_word && !steps::is_one(text) && !steps::is_kind(text)
}

/// A statement's first sentence in quotation marks, for a statement without a noted claim.
fn first_sentence(statement: &Statement) -> String {
    let first = text::gist(text::without_mark(&statement.text), FIRST_SENTENCE);
    format!("\"{first}\"")
}

/// The words of a text; in scripts without blanks, estimated from its length.
fn words(text: &str) -> usize {
    let by_length = text.chars().count() / CHARACTERS_PER_WORD / 2;
    text.split_whitespace().count().max(by_length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m7_what_small_models_write_in_place_of_arguments_is_none() {
        let texts = [
            "1.1.1.1.1.1.1.1",
            "defend",
            "Fares keep the poor away",
            "Fares keep the poor away",
            "Buses run anyway",
            "公共交通应该免费",
        ]
        .into_iter()
        .map(str::to_owned);
        let expected =
            [None, None, Some("Fares keep the poor away"), None, None, Some("公共交通应该免费")];
        let read = arguments(texts, &["Buses run anyway"]);
        let read: Vec<Option<&str>> = read.iter().map(Option::as_deref).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn m7_turns_of_one_limit_have_the_same_room_and_running_over_brings_none() {
        let said = |phase: Phase, words: usize, asked: u32| Statement {
            phase,
            text: "word ".repeat(words),
            asked_words: Some(asked),
            ..Statement::default()
        };
        let turns = [
            said(Phase::ARGUMENT, 130, 140),
            said(Phase::REBUTTAL, 214, 140),
            said(Phase::ARGUMENT, 151, 140),
            said(Phase::REBUTTAL, 60, 140),
            said(Phase::ANSWER, 75, 60),
        ];
        let turns: Vec<&Statement> = turns.iter().collect();
        assert_eq!(lengths(&turns), [140, 140, 140, 90, 60]);
    }
}
