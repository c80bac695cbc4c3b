//! The built-in participant that plays any debate without a model: deterministic, instant, and marked as a rehearsal.
//!
//! A script may give the replies. Otherwise, it keeps, rotates, ties, repeats itself and exceeds its limit now and then, but never fails.

mod clerk;
mod dialectic;
mod dice;
mod limits;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use self::dice::Dice;
use super::{
    Answering, Card, Chunk, DoneReason, Durations, Embeddings, Model, OnChunk, Reply, Request,
    Tokens,
};
use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::job::script::{self, Script, Written};
use crate::plan::Plan;
use crate::templates::Templates;
use crate::text;

/// One reply in this many runs over its allowance.
const LONG_ONE_IN: u64 = 9;
/// One rebuttal in this many is passed, where it may be.
const PASS_ONE_IN: u64 = 4;
/// One statement in this many breaks a rule, and one claim in this many is false.
const BREACH_ONE_IN: u64 = 8;
/// The moderator ends the rounds after one in this many.
const END_ONE_IN: u64 = 3;
/// Dimensions of a simulated embedding: so many that two words seldom share one.
const DIMENSIONS: u64 = 1024;
/// Words that count in an embedding have so many characters; shorter ones are in every text.
const LEAST_WORD: usize = 4;
/// How much all texts have in common, as in the vectors of real models: texts that share no word are at 0.63.
const COMMON: f32 = 1.7;
/// One turn in so many is the same as others, in a format where that is not taken.
const ECHO_ONE_IN: u64 = 8;
/// Characters of a token in the longest words that a model writes on average.
const LONG_TOKEN: f64 = 6.0;
/// Simulated speed of reading a prompt, in tokens per second.
const PROMPT_SPEED: u64 = 1000;
/// Simulated speed of a reply, in tokens per second.
const REPLY_SPEED: u64 = 40;

/// What is said where a file has no sentence.
const NOTHING_TO_SAY: &str = "This is a rehearsal.";

/// Plays every participant of one debate.
#[derive(Debug)]
pub struct Rehearsal {
    plan: String,
    topic: String,
    /// The round in which everyone speaks for the first time.
    first_round: u32,
    positions: Vec<(String, String)>,
    /// The sentences of `templates/rehearsal/`, by the names of their files.
    lines: BTreeMap<String, Vec<String>>,
    /// Whether the same is said again and again, since someone minds.
    echoes: bool,
    /// What is replied where it is written down.
    script: Option<Script>,
    /// Whether every reply is as long as it may be.
    at_limits: bool,
}

impl Rehearsal {
    /// The rehearsal of one debate, with the sentences of `templates/rehearsal/`.
    pub fn new(plan: &Plan, templates: &Templates) -> Self {
        let lines = |name: &str| {
            let source = templates.source(&format!("rehearsal/{name}.txt"));
            let lines = source
                .unwrap_or_default()
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned);
            (name.to_owned(), lines.collect())
        };
        let files = templates.names("rehearsal").into_iter();
        let participants = plan.participants.iter();
        let profile = plan.format.profile;
        Self {
            plan: plan.id.to_string(),
            topic: plan.topic.clone(),
            first_round: profile.first_round,
            positions: participants.map(|p| (p.id.clone(), p.position.clone())).collect(),
            lines: files.map(lines).collect(),
            echoes: profile.refuses_echoes,
            script: templates.source(script::IN_SNAPSHOT).map(Script::of_snapshot),
            at_limits: false,
        }
    }

    /// The same with every reply as long as it may be.
    pub fn at_limits(self) -> Self {
        Self { at_limits: true, ..self }
    }

    fn reply(&self, request: &Request) -> Reply {
        let script = self.script.as_ref();
        let written = script.and_then(|it| it.reply(&self.topic, &request.call, request.attempt));
        written.map_or_else(|| self.made_up(request), |it| as_written(it, request))
    }

    fn made_up(&self, request: &Request) -> Reply {
        let dice = Dice::new(request, &self.plan);
        let text = match &request.schema {
            Some(schema) => self.critique(request, &dice).unwrap_or_else(|| {
                let mut value = self.shaped(schema, "", &dice, dice.roll("grade", 100));
                clerk::put_moves(&mut value, task_of(request), &dice);
                self.prolong(&mut value, request);
                value.to_string()
            }),
            None => {
                let most = f64::from(request.num_predict) * text::CHARS_PER_TOKEN;
                self.filled(self.speech(request, &dice), most as usize, &dice)
            }
        };
        let mut reply = ended_after(text, request, text::CHARS_PER_TOKEN);
        if self.at_limits {
            // It took all the tokens it might, whatever it says.
            reply.tokens.reply = request.num_predict.into();
        }
        reply
    }

    /// A text with more sentences behind it, up to this many characters, where replies are as long as they may be.
    fn filled(&self, text: String, most: usize, dice: &Dice) -> String {
        if !self.at_limits {
            return text;
        }
        let mut filled = text + "\n\n";
        for n in 0.. {
            if filled.chars().count() >= most {
                break;
            }
            let claim = self.pick("claims", &format!("filler {n}"), "", dice);
            let mark = dice.roll(&format!("mark {n}"), 100_000);
            filled.extend([claim, format!(" That is {mark}. ")]);
        }
        filled
    }

    /// A statement.
    fn speech(&self, request: &Request, dice: &Dice) -> String {
        let call = CallId::parse(&request.call);
        let by = call.as_ref().and_then(|call| call.by.as_deref()).unwrap_or_default();
        let position = self
            .positions
            .iter()
            .find(|(id, _)| id == by)
            .map_or("", |(_, position)| position.as_str());
        match call.as_ref().map(|call| call.kind.as_str()) {
            Some("comment" | "summary" | "narrative") => {
                self.pick("summaries", "comment", "", dice)
            }
            Some("interjection") => self.pick("interjections", "words", "", dice),
            Some("answer") => self.answer(dice),
            _ => self.statement(request, position, dice),
        }
    }

    fn statement(&self, request: &Request, position: &str, dice: &Dice) -> String {
        let passes = !self.at_limits && dice.roll("pass", PASS_ONE_IN) == 0;
        if passes && task_of(request).contains("PASS") {
            return "PASS".to_owned();
        }
        if self.echoes && dice.roll("echo", ECHO_ONE_IN) == 0 {
            return self.pick("echoes", "echo", position, dice);
        }
        let text = self.dialectic(request, dice);
        text.unwrap_or_else(|| self.argument(request, position, dice))
    }

    /// An opening or a rebuttal, then claims with their reasons, then a closing.
    fn argument(&self, request: &Request, position: &str, dice: &Dice) -> String {
        let stage = CallId::parse(&request.call).map(|call| call.stage);
        let beginnings = [CallStage::Round(self.first_round), CallStage::Opening];
        let first = stage.is_some_and(|stage| beginnings.contains(&stage));
        let long = dice.roll("long", LONG_ONE_IN) == 0;
        let points = if long {
            3 + request.num_predict as usize / 20
        } else {
            2 + dice.roll("points", 3) as usize
        };
        let start = if first { "openings" } else { "rebuttals" };
        let mut sentences = vec![self.pick(start, "start", position, dice)];
        if task_of(request).contains("best point") {
            sentences.push(self.pick("concessions", "concession", "", dice));
        }
        for n in 0..points {
            sentences.push(self.pick("claims", &format!("claim {n}"), position, dice));
            sentences.push(self.pick("reasons", &format!("reason {n}"), position, dice));
        }
        sentences.push(self.pick("closings", "end", position, dice));
        sentences.join(" ")
    }

    /// An answer from nobody's side: what the debate was like, and what counts in it.
    fn answer(&self, dice: &Dice) -> String {
        let parts = [("summaries", "summary"), ("reasons", "reason")];
        parts.map(|(lines, what)| self.pick(lines, what, "", dice)).join(" ")
    }

    /// One of the sentences in a file; if there are none, a sentence that says what this is.
    fn pick(&self, file: &str, what: &str, position: &str, dice: &Dice) -> String {
        let lines = self.lines.get(file).into_iter().flatten();
        let usable: Vec<&String> =
            lines.filter(|line| !position.is_empty() || !line.contains("{position}")).collect();
        let at = dice.roll(what, usable.len().max(1) as u64) as usize;
        let line = usable.get(at).map_or(NOTHING_TO_SAY, |line| line.as_str());
        line.replace("{topic}", &self.topic).replace("{position}", position)
    }

    /// What is said of something this good: the comments go from bad to good.
    fn comment(&self, grade: u64) -> String {
        let comments = self.lines.get("comments");
        let comment = comments.and_then(|all| all.get(grade as usize * all.len() / 100));
        comment.cloned().unwrap_or_else(|| NOTHING_TO_SAY.to_owned())
    }

    /// A value of a schema's shape. `grade`, from 0 to 99, says how good what is judged was: numbers, votes and words
    /// follow it.
    fn shaped(&self, schema: &Value, path: &str, dice: &Dice, grade: u64) -> Value {
        let bound = |key: &str, default: u64| schema[key].as_u64().unwrap_or(default);
        match schema["type"].as_str() {
            Some("object") => self.object(schema, path, dice, grade),
            Some("integer") => {
                if let Some(options) = schema["enum"].as_array() {
                    return options[dice.roll(path, options.len() as u64) as usize].clone();
                }
                let (low, high) = (bound("minimum", 0), bound("maximum", 10));
                let wobble = (grade + dice.roll(path, 40)).saturating_sub(20).min(99);
                json!(low + wobble * (high - low + 1) / 100)
            }
            Some("boolean") => match path {
                ".breach" | ".off_topic" | ".repeats" => json!(dice.roll(path, BREACH_ONE_IN) == 0),
                ".end_now" => json!(dice.roll(path, END_ONE_IN) == 0),
                // Its questions are the motion, quoted: they wait for nobody's answer.
                _ if path.ends_with(".asks") => json!(false),
                _ => json!(grade + dice.roll(path, 30) > 50),
            },
            Some("array") => {
                let count = bound("minItems", 1).max(bound("maxItems", 2).min(2));
                (0..count)
                    .map(|n| self.shaped(&schema["items"], &format!("{path}.{n}"), dice, grade))
                    .collect()
            }
            _ => self.words(schema, path, dice, grade),
        }
    }

    fn object(&self, schema: &Value, path: &str, dice: &Dice, grade: u64) -> Value {
        let properties = schema["properties"].as_object();
        let field = |(key, inner): (&String, &Value)| {
            (key.clone(), self.shaped(inner, &format!("{path}.{key}"), dice, grade))
        };
        properties.into_iter().flatten().map(field).collect()
    }

    fn words(&self, schema: &Value, path: &str, dice: &Dice, grade: u64) -> Value {
        if let Some(first) = schema["enum"].as_array() {
            let unproven = json!("unproven");
            let held = first.contains(&unproven) && dice.roll("doubt", BREACH_ONE_IN) > 0;
            if held {
                return unproven;
            }
            return first[dice.roll(path, first.len() as u64) as usize].clone();
        }
        let words = match path.rsplit('.').next() {
            Some("comments") => self.comment(grade),
            Some("reason" | "reasoning" | "summary") => self.pick("summaries", path, "", dice),
            _ => self.pick("claims", path, "", dice),
        };
        let most = schema["maxLength"].as_u64().unwrap_or(400) as usize;
        json!(text::shorten(&self.filled(words, most, dice), most))
    }
}

impl Model for Rehearsal {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async move {
            let reply = self.reply(request);
            reply.text.split_inclusive(' ').for_each(|word| on_chunk(Chunk::Said(word)));
            Ok(reply)
        })
    }

    fn card<'a>(&'a self, _model: &'a str) -> Answering<'a, Card> {
        Box::pin(async { Ok(Card { server: Some("rehearsal".to_owned()), ..Card::default() }) })
    }

    fn embed<'a>(&'a self, _model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(async { Ok(embeddings(texts)) })
    }
}

/// The task alone: what was said before stands in front of it and may hold the same words.
fn task_of(request: &Request) -> &str {
    let prompt = request.messages.last().map_or("", |m| m.content.as_str());
    prompt.rsplit("# Your task").next().unwrap_or(prompt)
}

/// The reply of a script. A model may have written it, whose tokens are longer than what is estimated with care.
fn as_written(written: &Written, request: &Request) -> Reply {
    let mut reply = ended_after(written.text.clone(), request, LONG_TOKEN);
    if written.cut {
        reply.done_reason = DoneReason::Length;
        reply.tokens.reply = request.num_predict.into();
    }
    reply
}

/// A reply as a server would give it: ended at `num_predict` tokens of this many characters, counted and timed.
fn ended_after(text: String, request: &Request, per_token: f64) -> Reply {
    let limit = u64::from(request.num_predict);
    let kept = (limit as f64 * per_token) as usize;
    let tokens = text::estimate_tokens(&text);
    let (text, done_reason) = if text.chars().nth(kept).is_some() {
        (text.chars().take(kept).collect(), DoneReason::Length)
    } else {
        (text, DoneReason::Stop)
    };
    let prompt = request.messages.iter();
    let tokens = Tokens {
        prompt: prompt.map(|it| text::estimate_tokens(&it.content)).sum(),
        reply: tokens.min(limit),
    };
    let ns = Durations {
        prompt: tokens.prompt * 1_000_000_000 / PROMPT_SPEED,
        reply: tokens.reply * 1_000_000_000 / REPLY_SPEED,
        ..Durations::default()
    };
    Reply { text, thinking: None, done_reason, tokens, ns, by_other: None, calls_tool: false }
}

/// Vectors that are the nearer the more words two texts share.
fn embeddings(texts: &[String]) -> Embeddings {
    let tokens: u64 = texts.iter().map(|text| text::estimate_tokens(text)).sum();
    let ns = Durations { prompt: tokens * 1_000_000_000 / PROMPT_SPEED, ..Durations::default() };
    Embeddings {
        vectors: texts.iter().map(|text| vector(text)).collect(),
        ns,
        ..Embeddings::default()
    }
}

/// A text's words, each in a dimension and with its own sign, of length 1; behind them what all texts share.
fn vector(text: &str) -> Vec<f32> {
    let folded = text.to_lowercase();
    let words: BTreeSet<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.chars().count() >= LEAST_WORD)
        .collect();
    let mut sides = vec![0.0; DIMENSIONS as usize];
    for word in words {
        let hash = digest::derive(0, word);
        let sign = if hash.is_multiple_of(2) { 1.0 } else { -1.0 };
        sides[(hash / 2 % DIMENSIONS) as usize] += sign;
    }
    normalize(&mut sides);
    sides.push(COMMON.sqrt());
    normalize(&mut sides);
    sides
}

fn normalize(sides: &mut [f32]) {
    let length = sides.iter().map(|side| side * side).sum::<f32>().sqrt();
    if length > 0.0 {
        sides.iter_mut().for_each(|side| *side /= length);
    }
}
