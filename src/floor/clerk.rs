//! The clerk (row M7): one structured call a round for its summary, the next focus, a gist of each statement and each
//! side's key points. Where it fails, first sentences stand in.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Floor, Halt, Question, object};
use crate::event::{Gist, Memory, Origin, ReadingStatus, RoundNotes, Statement, TokenCount};
use crate::text;

/// Key points a side in a round.
const POINTS: u64 = 3;
/// Characters of a note: below this, small models write a number. Few, since Chinese or Japanese says much in them.
const SHORTEST: u32 = 6;
/// The least that the clerk's reply may take, in tokens.
const LEAST_TOKENS: u32 = 700;
/// What its summary and focus take, and what each speaker adds to that.
const TOKENS: (u32, u32) = (300, 130);
/// Key points that an agent remembers; the newest stay.
const REMEMBERED: usize = 12;

impl Floor {
    /// The clerk's notes on what was said in a round; the headline is left to the format.
    pub async fn clerk(&self, round: u32, said: &[&Statement]) -> Result<RoundNotes, Halt> {
        // An emergency reply is no argument: there is nothing in it to note.
        let heard: Vec<&Statement> = said
            .iter()
            .copied()
            .filter(|s| s.origin != Origin::Emergency)
            .collect();
        if heard.is_empty() {
            return Ok(self.stand_in(round, said));
        }
        let speakers: Vec<Value> = heard
            .iter()
            .filter_map(|s| self.plan.participant(&s.by))
            .map(|p| json!(p))
            .collect();
        let question = Question {
            call: format!("round-{round}/clerk"),
            by: "clerk",
            template: "prompts/clerk.md.j2",
            context: json!({"round": round, "speakers": speakers}),
            schema: schema(&heard),
        };
        let answer = self.ask_clerk(&question, most_tokens(heard.len())).await?;
        if answer.status != ReadingStatus::Valid {
            let cause = answer.cause.unwrap_or_default();
            self.report(
                "clerk",
                Some(&question.call),
                None,
                format!(
                    "the clerk gave no notes on round {round} ({cause}); first sentences stand in"
                ),
            );
            return Ok(RoundNotes {
                usage: answer.tokens,
                ..self.stand_in(round, said)
            });
        }
        Ok(read(round, &heard, &answer.value, answer.tokens))
    }

    /// Notes without a clerk.
    fn stand_in(&self, round: u32, said: &[&Statement]) -> RoundNotes {
        let gist = |s: &&Statement| text::first_sentence(&s.text, 160);
        let name = |id: &str| {
            self.plan
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
            next_focus: "The strongest point that has not been answered yet.".to_owned(),
            gists: said
                .iter()
                .map(|s| Gist {
                    n: s.n,
                    gist: gist(s),
                })
                .collect(),
            key_points: said
                .iter()
                .filter(|s| s.origin != Origin::Emergency)
                .map(|s| (s.by.clone(), vec![gist(s)]))
                .collect(),
            headline: String::new(),
            by_clerk: false,
            usage: TokenCount::default(),
            model_ms: 0,
            wall_ms: 0,
        }
    }

    /// What those who spoke remember after a round: their own points and their opponents' (row K4).
    pub fn remembered(&self, said: &[&Statement], notes: &RoundNotes) -> BTreeMap<String, Memory> {
        let speakers: Vec<&str> = said.iter().map(|s| s.by.as_str()).collect();
        self.remembered_by(&speakers, said, notes)
    }

    /// What these agents remember after a round, whether they spoke in it or listened.
    pub fn remembered_by(
        &self,
        agents: &[&str],
        said: &[&Statement],
        notes: &RoundNotes,
    ) -> BTreeMap<String, Memory> {
        let one = |agent: &&str| {
            let mut memory = self.memory(agent);
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
}

/// The most tokens of notes on so many statements; the clerk's own `max_tokens` may allow fewer.
fn most_tokens(speakers: usize) -> u32 {
    let (shared, each) = TOKENS;
    let speakers = u32::try_from(speakers).unwrap_or(u32::MAX);
    LEAST_TOKENS.max(each.saturating_mul(speakers).saturating_add(shared))
}

/// The notes' shape. Declared and alphabetical order are the same.
fn schema(said: &[&Statement]) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let by_speaker = |inner: &Value| -> Map<String, Value> {
        said.iter().map(|s| (s.by.clone(), inner.clone())).collect()
    };
    let points = json!({"type": "array", "items": line(200), "minItems": 1, "maxItems": POINTS});
    let (gists, points) = (by_speaker(&line(200)), by_speaker(&points));
    object(json!({
        "gists": object(Value::Object(gists)),
        "key_points": object(Value::Object(points)),
        "next_focus": line(200),
        "summary": line(600),
    }))
}

fn read(round: u32, said: &[&Statement], value: &Value, usage: TokenCount) -> RoundNotes {
    let line = |value: &Value| text::one_line(value.as_str().unwrap_or_default());
    let points = |id: &str| {
        value["key_points"][id]
            .as_array()
            .into_iter()
            .flatten()
            .map(line)
            .filter(|l| !l.is_empty())
            .collect()
    };
    RoundNotes {
        round,
        summary: line(&value["summary"]),
        next_focus: line(&value["next_focus"]),
        gists: said
            .iter()
            .map(|s| Gist {
                n: s.n,
                gist: line(&value["gists"][&s.by]),
            })
            .collect(),
        key_points: said.iter().map(|s| (s.by.clone(), points(&s.by))).collect(),
        headline: String::new(),
        by_clerk: true,
        usage,
        model_ms: 0,
        wall_ms: 0,
    }
}
