//! Corpora for statistics: traces that the real binary made, and variants of them with other people, judges and results.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::Place;
use crate::formats::FORMATS;

/// A trace that takes changes. It starts as the shortest debate of its format, done in a minute, without judgments, models,
/// calls, notes and incidents.
#[derive(Debug, Clone)]
pub(crate) struct Debate {
    trace: Value,
}

/// The shortest debate of a format, as the real binary writes it in a rehearsal; it is played once.
fn played(format: &str) -> &'static Value {
    static PLAYED: [OnceLock<Value>; 5] = [const { OnceLock::new() }; 5];
    let at = FORMATS.iter().position(|known| known.name == format).expect("a format");
    PLAYED[at].get_or_init(|| Place::new().trace_of(FORMATS[at].tiny, &["--rehearse"]))
}

impl Debate {
    /// A debate of a format; `n` tells it from others.
    pub(crate) fn of(format: &str, n: usize) -> Self {
        let new = Self { trace: played(format).clone() };
        let mut new = new
            .with("id", format!("{n:064x}"))
            // Debates go by their starts.
            .with("started_at", format!("2026-11-22T{:02}:{:02}:00Z", n / 60 % 24, n % 60))
            .with("rehearsal", false)
            .with("models", json!([]))
            .with("ballots", json!([]))
            .with("rotations", json!([]))
            .with("incidents", json!([]))
            .with("calls", json!([]))
            .with("notes", json!([]))
            .with("flow", json!({"points": [], "edges": [], "questions": [], "impossible": 0}))
            .with("usage/by_model", json!({}))
            .with("timing/total_ms", 60_000);
        for person in new.list("participants") {
            person["models"] = json!([]);
        }
        for statement in new.list("statements") {
            statement["cut"] = json!(false);
        }
        if ["duel", "moderated"].contains(&format) {
            new = new.with("verdicts/0/judges", json!([])).winner(Value::Null);
        }
        new
    }

    /// The same with another value at a path, its parts between slashes.
    pub(crate) fn with(mut self, path: &str, value: impl Into<Value>) -> Self {
        let (parent, key) = path.rsplit_once('/').unwrap_or(("", path));
        let pointer = if parent.is_empty() { String::new() } else { format!("/{parent}") };
        let parent = self.trace.pointer_mut(&pointer).expect("a parent");
        match key.parse::<usize>() {
            Ok(at) if parent.is_array() => parent[at] = value.into(),
            _ => parent[key] = value.into(),
        }
        self
    }

    pub(crate) fn topic(self, topic: &str) -> Self {
        self.with("topic", topic)
    }

    /// Who won: an id, `draw`, or nobody.
    pub(crate) fn winner(self, winner: impl Into<Value>) -> Self {
        self.with("outcome/winner", winner)
    }

    fn list(&mut self, key: &str) -> impl Iterator<Item = &mut Value> {
        self.trace[key].as_array_mut().expect("a list").iter_mut()
    }

    fn push(&mut self, path: &str, value: Value) {
        let list = self.trace.pointer_mut(path).and_then(Value::as_array_mut);
        list.expect("a list").push(value);
    }

    /// A participant, to be changed.
    pub(crate) fn person(&mut self, id: &str) -> &mut Value {
        let found = self.list("participants").find(|p| p["id"] == id);
        found.expect("a participant")
    }

    /// The same with something of a participant changed.
    pub(crate) fn who(mut self, id: &str, key: &str, value: impl Into<Value>) -> Self {
        self.person(id)[key] = value.into();
        self
    }

    /// The same with one more participant, who is like another but for id and name.
    pub(crate) fn joined_by(mut self, id: &str, like: &str) -> Self {
        let mut new = self.person(like).clone();
        new["id"] = json!(id);
        new["name"] = json!(id);
        self.push("/participants", new);
        self
    }

    /// The same with a participant on a model, which has the architecture of all others.
    pub(crate) fn model(mut self, id: &str, model: &str) -> Self {
        self = self.card(model);
        let person = self.person(id);
        let statements = person["statements"].clone();
        person["models"] = json!([{"name": model, "digest": null, "quantization": null, "family": "llama", "statements": statements}]);
        self
    }

    /// The same with what a model used: tokens of replies and of prompts, and milliseconds.
    pub(crate) fn used(self, model: &str, reply: u64, prompt: u64, ms: u64) -> Self {
        let used = json!({"calls": 1, "failures": 0, "prompt_tokens": prompt, "reply_tokens": reply,
            "prompt_ms": 0, "reply_ms": ms, "load_ms": 0});
        self.with(&format!("usage/by_model/{model}"), used)
    }

    /// The same with a verdict of a judge, who is called by its model: whom it read in which order, and every score it gave each.
    pub(crate) fn verdict<const N: usize>(self, judge: &str, read: [(&str, f64); N]) -> Self {
        let criteria = criteria_of(self.trace["format"].as_str().expect("a format"));
        let each = read.iter().flat_map(|(id, score)| {
            criteria.iter().map(move |name| (format!("{id}.{name}"), json!(score)))
        });
        let scores: serde_json::Map<String, Value> = each.collect();
        let totals = read.iter().map(|(id, score)| ((*id).to_owned(), json!(score)));
        let reading = reading(&read.map(|(id, _)| id), "valid", scores.into(), totals.collect());
        self.judged(judge, reading)
    }

    /// The same with a judge whose verdict is of no use: `invalid` or `abstained`.
    pub(crate) fn no_verdict(self, judge: &str, order: [&str; 2], status: &str) -> Self {
        self.judged(judge, reading(&order, status, json!({}), json!({})))
    }

    /// A judge who read the debate before reads it again.
    fn judged(mut self, judge: &str, reading: Value) -> Self {
        let judges = self
            .trace
            .pointer_mut("/verdicts/0/judges")
            .and_then(Value::as_array_mut)
            .expect("judges");
        match judges.iter_mut().find(|known| known["model"] == judge) {
            Some(known) => known["readings"].as_array_mut().expect("readings").push(reading),
            None => judges.push(json!({"kind": "model", "id": format!("judge-{judge}"), "model": judge, "readings": [reading]})),
        }
        self.card(judge)
    }

    /// The same with a ballot of a knockout, from a judge who is called by its model, with the same score everywhere.
    pub(crate) fn ballot(
        mut self,
        round: u32,
        judge: &str,
        about: &str,
        score: f64,
        keep: bool,
    ) -> Self {
        let scores = criteria_of("knockout").iter().map(|name| ((*name).to_owned(), json!(score)));
        let reading = reading(&[about], "valid", scores.collect(), json!({about: score}));
        self.push(
            "/ballots",
            json!({"round": round, "about": about, "continue": keep, "reading": reading,
            "by": {"kind": "model", "id": format!("judge-{judge}"), "model": judge}}),
        );
        self.card(judge)
    }

    /// The same with a round of a knockout after which its debater stays or goes.
    pub(crate) fn rotation(mut self, round: u32, debater: &str, rotated: bool) -> Self {
        self.push("/rotations", json!({"round": round, "debater": debater, "next": debater, "voted_out": rotated,
            "rotated": rotated, "keeps": 0, "negatives": 0, "abstentions": 0, "mean_total": null, "reason": ""}));
        self
    }

    /// The same with the card of a judge's model.
    fn card(mut self, model: &str) -> Self {
        if self.list("models").all(|known| known["name"] != model) {
            self.push(
                "/models",
                json!({"name": model, "digest": null, "family": "llama", "parameters": null,
                "quantization": null, "context_length": null, "server": "http://127.0.0.1:11434"}),
            );
        }
        self
    }

    /// The same with what a participant said being another's work: `fallback` or `emergency`.
    pub(crate) fn origin(mut self, id: &str, origin: &str) -> Self {
        for statement in self.list("statements").filter(|s| s["by"] == id) {
            statement["origin"] = json!(origin);
        }
        if origin == "emergency" {
            self.person(id)["statements"] = json!(0);
            self.person(id)["tokens"] = json!(0);
        }
        self
    }

    /// The same, not played to the end.
    pub(crate) fn failed(self, cause: &str) -> Self {
        self.with("status", "failed").with("cause", cause).with("outcome", Value::Null)
    }

    /// The same with an incident.
    pub(crate) fn incident(mut self, kind: &str) -> Self {
        self.push(
            "/incidents",
            json!({"kind": kind, "call": null, "attempt": null, "message": "It was so.",
            "at": "2026-11-22T07:55:02.018Z"}),
        );
        self
    }

    pub(crate) fn value(&self) -> &Value {
        &self.trace
    }

    /// A debate from what stands in a `trace.json`.
    pub(crate) fn read(text: &str) -> Self {
        let trace = serde_json::from_str(text).expect("JSON");
        Self { trace }
    }

    /// What would stand in `trace.json`.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&self.trace).expect("JSON")
    }
}

fn reading(order: &[&str], status: &str, scores: Value, totals: Value) -> Value {
    json!({"call": "end/verdict", "order": order, "status": status, "scores": scores, "totals": totals, "reason": "It weighs more.",
        "cause": null, "prompt_digest": null, "template_digest": null, "seed": 1, "attempts": 1,
        "tokens": {"prompt": 100, "reply": 10}})
}

/// What judges of a format score, as the shipped rubrics have it.
fn criteria_of(format: &str) -> &'static [&'static str] {
    match format {
        "knockout" => &["argument_strength", "clarity", "persuasiveness", "relevance"],
        "duel" => &["argument_quality", "coherence", "relevance"],
        "moderated" => &[
            "evidence_quality",
            "logical_coherence",
            "persuasiveness",
            "responsiveness",
            "rule_adherence",
        ],
        _ => &[],
    }
}

impl Place {
    /// Writes a trace below `output` and returns its file.
    pub(crate) fn keep(&self, name: &str, debate: &Debate) -> PathBuf {
        let content = String::from_utf8(debate.bytes()).expect("JSON is UTF-8");
        self.write(&format!("output/2026-11-22/{name}/trace.json"), &content)
    }

    /// A place with these debates in `output`, called by their places in the list.
    pub(crate) fn of_debates(debates: &[Debate]) -> Self {
        let place = Self::new();
        for (n, debate) in debates.iter().enumerate() {
            place.keep(&format!("{n:04}"), debate);
        }
        place
    }

    /// What `rebut stats --format json` finds in `output`.
    pub(crate) fn found(&self, args: &[&str]) -> Value {
        let ended = self.rebut_exits(0, &[&["stats", "output", "--format", "json"], args].concat());
        serde_json::from_str(&ended.stdout).expect("JSON")
    }
}

/// A duel that two judges scored 8 to 5 and 6 to 7: 7 to 6 on average.
pub(crate) fn two_judges(n: usize) -> Debate {
    Debate::of("duel", n)
        .verdict("gemma-2", [("agent_a", 8.0), ("agent_b", 5.0)])
        .verdict("qwen-3", [("agent_b", 7.0), ("agent_a", 6.0)])
        .winner("agent_a")
}

/// A duel between two models.
pub(crate) fn between(n: usize, a: &str, b: &str) -> Debate {
    two_judges(n).model("agent_a", a).model("agent_b", b)
}

/// A knockout between two models that one neutral judge decided, without ballots.
pub(crate) fn decided_knockout(n: usize, judge: &str) -> Debate {
    static PLAYED: OnceLock<Value> = OnceLock::new();
    let job =
        "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\njudges: [{}]\n";
    let played = PLAYED.get_or_init(|| Place::new().trace_of(job, &["--rehearse"]));
    let debate = Debate { trace: played.clone() };
    let debate = debate
        .with("id", format!("{n:064x}"))
        .with("rehearsal", false)
        .with("models", json!([]))
        .with("ballots", json!([]))
        .with("incidents", json!([]))
        .with("verdicts/0/judges/0/readings/0/model", judge)
        .with("verdicts/0/judges/0/readings/1/model", judge);
    debate.model("position_x", "llama-8").model("position_y_1", "mistral-7")
}
