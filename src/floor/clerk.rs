//! The clerk (row M7): one structured call a round for its summary, the next focus, a gist of each statement and each
//! side's key points. Where it fails, first sentences stand in.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::allowance::without_mark;
use super::desk::Desk;
use super::halt::Halt;
use super::structured::{self, Answer, Question, object};
use crate::call_id::CallId;
use crate::event::{Gist, Memory, Origin, ReadingStatus, RoundNotes, Statement};
use crate::text;

/// Key points a side in a round.
const POINTS: u64 = 3;
/// Characters of a note: below this, small models write a number. Few, since Chinese or Japanese says much in them.
const SHORTEST: u32 = 6;
/// Characters by which one of several statements of a speaker is told from the others.
const BEGINNING: usize = 60;
/// Key points that an agent remembers; the newest stay.
const REMEMBERED: usize = 12;

/// Whether the clerk is asked for a question that the next round turns to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// There is a next round, and its speakers are shown it.
    Next,
    /// Nobody would read it.
    None,
}

impl Focus {
    /// A question for the next round, if there is one.
    pub fn before(last: bool) -> Self {
        if last { Self::None } else { Self::Next }
    }
}

/// The clerk's notes on what was said in a round, with a question for the next one where somebody takes it up; the
/// headline is left to the format.
pub(super) async fn notes(
    desk: &Desk,
    round: u32,
    said: &[&Statement],
    focus: Focus,
) -> Result<RoundNotes, Halt> {
    // An emergency reply is no argument: there is nothing in it to note.
    let heard: Vec<&Statement> = said
        .iter()
        .copied()
        .filter(|s| s.origin != Origin::Emergency)
        .collect();
    if heard.is_empty() {
        return Ok(stand_in(desk, round, said, focus));
    }
    let noted = noted(&heard);
    let question = Question {
        call: CallId::clerk(round),
        by: "clerk",
        template: "prompts/clerk.md.j2",
        context: json!({
            "round": round,
            "speakers": speakers(desk, &heard),
            "statements": shown(desk, &noted),
            "wants_focus": focus == Focus::Next,
        }),
        blind: false,
        schema: schema(&noted, focus),
    };
    let answer = structured::ask_clerk(desk, &question).await?;
    if answer.status != ReadingStatus::Valid {
        let cause = answer.cause.unwrap_or_default();
        desk.log.report(
            "clerk",
            Some(&answer.call),
            None,
            format!("the clerk gave no notes on round {round} ({cause}); first sentences stand in"),
        );
        return Ok(RoundNotes {
            usage: answer.tokens,
            ..stand_in(desk, round, said, focus)
        });
    }
    Ok(read(round, &noted, &answer))
}

/// Those who spoke, each once.
fn speakers(desk: &Desk, heard: &[&Statement]) -> Vec<Value> {
    let ids = each_once(heard.iter().map(|s| s.by.as_str()));
    let found = ids.into_iter().filter_map(|id| desk.plan.participant(id));
    found.map(|p| json!(p)).collect()
}

/// The statements as the clerk's task names them: one of several by the same speaker by its first words.
fn shown(desk: &Desk, noted: &[Noted<'_>]) -> Vec<Value> {
    let one = |noted: &Noted<'_>| {
        let several = noted.key != noted.statement.by;
        let begins = several.then(|| text::shorten(&noted.statement.text, BEGINNING));
        json!({"key": noted.key, "name": desk.plan.name_of(&noted.statement.by), "begins": begins})
    };
    noted.iter().map(one).collect()
}

/// Notes without a clerk.
fn stand_in(desk: &Desk, round: u32, said: &[&Statement], focus: Focus) -> RoundNotes {
    let gist = |s: &&Statement| text::gist(without_mark(&s.text), 160);
    let name = |id: &str| {
        desk.plan
            .participant(id)
            .map_or_else(|| id.to_owned(), |p| p.name.clone())
    };
    RoundNotes {
        round,
        summary: said
            .iter()
            .map(|s| format!("{}: {}", name(&s.by), gist(s)))
            .collect::<Vec<_>>()
            .join(" "),
        next_focus: match focus {
            Focus::Next => "The strongest point that has not been answered yet.".to_owned(),
            Focus::None => String::new(),
        },
        gists: said
            .iter()
            .map(|s| Gist {
                n: s.n,
                gist: gist(s),
            })
            .collect(),
        key_points: first_points(said),
        ..RoundNotes::default()
    }
}

/// What these agents remember after a round, whether they spoke in it or listened.
pub(super) fn remembered_by(
    desk: &Desk,
    agents: &[&str],
    said: &[&Statement],
    notes: &RoundNotes,
) -> BTreeMap<String, Memory> {
    let one = |agent: &&str| {
        let mut memory = desk.memory(agent);
        memory
            .debate_history
            .extend(said.iter().map(|other| other.n));
        for (id, points) in &notes.key_points {
            let into = if id == agent {
                &mut memory.key_points_made
            } else {
                &mut memory.opponent_points
            };
            into.extend(points.iter().cloned());
            into.drain(..into.len().saturating_sub(REMEMBERED));
        }
        ((*agent).to_owned(), memory)
    };
    agents.iter().map(one).collect()
}

/// Each speaker's first sentences, in place of points that nobody noted.
fn first_points(said: &[&Statement]) -> BTreeMap<String, Vec<String>> {
    let mut points: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for s in said.iter().filter(|s| s.was_heard()) {
        let own = points.entry(s.by.clone()).or_default();
        own.push(text::gist(without_mark(&s.text), 160));
    }
    points
}

/// A statement under the key of its gist.
struct Noted<'s> {
    key: String,
    statement: &'s Statement,
}

/// Each statement under its speaker's id; of several by one speaker, each under id and number.
fn noted<'s>(heard: &[&'s Statement]) -> Vec<Noted<'s>> {
    let key = |s: &Statement| {
        let own = heard.iter().filter(|other| other.by == s.by).count();
        match own {
            1 => s.by.clone(),
            _ => format!("{}_statement_{}", s.by, s.n),
        }
    };
    let one = |statement: &&'s Statement| Noted {
        key: key(statement),
        statement,
    };
    heard.iter().map(one).collect()
}

fn each_once<'s>(ids: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    let mut seen = Vec::new();
    ids.for_each(|id| {
        if !seen.contains(&id) {
            seen.push(id);
        }
    });
    seen
}

/// The notes' shape. Declared and alphabetical order are the same.
fn schema(noted: &[Noted<'_>], focus: Focus) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let points = json!({"type": "array", "items": line(200), "minItems": 1, "maxItems": POINTS});
    let gists: Map<String, Value> = noted.iter().map(|n| (n.key.clone(), line(250))).collect();
    let speakers = each_once(noted.iter().map(|n| n.statement.by.as_str()));
    let points: Map<String, Value> = speakers
        .into_iter()
        .map(|id| (id.to_owned(), points.clone()))
        .collect();
    let mut properties = Map::from_iter([
        ("gists".to_owned(), object(Value::Object(gists))),
        ("key_points".to_owned(), object(Value::Object(points))),
    ]);
    if focus == Focus::Next {
        properties.insert("next_focus".to_owned(), line(250));
    }
    properties.insert("summary".to_owned(), line(700));
    object(Value::Object(properties))
}

fn read(round: u32, noted: &[Noted<'_>], answer: &Answer) -> RoundNotes {
    let value = &answer.value;
    let line = |value: &Value| text::one_line(value.as_str().unwrap_or_default());
    let points = |id: &str| {
        let made = value["key_points"][id].as_array().into_iter().flatten();
        made.map(line).filter(|l| !l.is_empty()).collect()
    };
    let gist = |noted: &Noted<'_>| Gist {
        n: noted.statement.n,
        gist: line(&value["gists"][&noted.key]),
    };
    let speakers = each_once(noted.iter().map(|n| n.statement.by.as_str()));
    RoundNotes {
        round,
        summary: line(&value["summary"]),
        next_focus: line(&value["next_focus"]),
        gists: noted.iter().map(gist).collect(),
        key_points: speakers
            .into_iter()
            .map(|id| (id.to_owned(), points(id)))
            .collect(),
        by_clerk: true,
        read_as: answer.read_as.clone(),
        usage: answer.tokens,
        ..RoundNotes::default()
    }
}
