//! Debates whose replies capable chat models would have written: Markdown, fences, labels, meta lines, a refusal, thoughts
//! in the text, long reasons. `tests/capable/FORMAT.txt` holds them by call and attempt, `FORMAT.yaml` the job.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rebut::clock::Clock;
use rebut::job::{Job, Overrides};
use rebut::model::{
    Answering, CallError, Card, DoneReason, Durations, Embeddings, Fault, Model, OnChunk, Reply,
    Request, Tokens,
};
use rebut::plan;
use rebut::run::debate::{self, RunContext};
use rebut::servers::{PoolConfig, ServerPool};
use rebut::stop::Stop;
use rebut::store::layout::OutputDir;
use rebut::templates::Templates;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{incidents, read, shows};

/// A model whose replies are written down.
struct Scripted {
    replies: BTreeMap<(String, u32), String>,
    left: Mutex<Vec<(String, u32)>>,
}

impl Scripted {
    /// From lines such as `=== round-1/clerk 1`, each with the reply below it.
    fn read(path: &Path) -> Arc<Self> {
        let text = fs::read_to_string(path).expect("a script");
        let parts = text.split("=== ").skip(1);
        let replies = parts.map(|part| {
            let (head, reply) = part.split_once('\n').expect("a reply");
            let (call, attempt) = head.rsplit_once(' ').expect("a call and an attempt");
            let attempt = attempt.parse().expect("a number");
            ((call.to_owned(), attempt), reply.trim_end().to_owned())
        });
        let replies: BTreeMap<_, _> = replies.collect();
        let left = Mutex::new(replies.keys().cloned().collect());
        Arc::new(Self { replies, left })
    }

    fn reply(&self, request: &Request) -> Result<Reply, CallError> {
        let key = (request.call.clone(), request.attempt);
        let text = self.replies.get(&key).ok_or_else(|| {
            let message = format!("nothing is written down for {} {}", key.0, key.1);
            CallError::new(Fault::BadRequest, message)
        })?;
        self.left
            .lock()
            .expect("a lock")
            .retain(|left| *left != key);
        Ok(reply(text, request))
    }
}

/// A reply as a server gives it that stops at its limit.
fn reply(text: &str, request: &Request) -> Reply {
    let most = (f64::from(request.num_predict) * 4.5) as usize;
    let said: String = text.chars().take(most).collect();
    let done_reason = if said == text {
        DoneReason::Stop
    } else {
        DoneReason::Length
    };
    let tokens = |characters: usize| (characters as f64 / 4.5).round() as u64;
    let prompt = request.messages.iter().map(|m| m.content.chars().count());
    Reply {
        tokens: Tokens {
            prompt: tokens(prompt.sum()),
            reply: match done_reason {
                DoneReason::Stop => tokens(said.chars().count()).max(1),
                _ => request.num_predict.into(),
            },
        },
        text: said,
        thinking: None,
        done_reason,
        ns: Durations::default(),
    }
}

impl Model for Scripted {
    fn chat<'a>(&'a self, request: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Ok(self.reply(request)?) })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        Box::pin(async { Ok(Card::default()) })
    }

    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        let error = CallError::new(Fault::Unsupported, "no embeddings are written down");
        Box::pin(async { Err(error.into()) })
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async { true })
    }
}

/// A debate as it was played.
struct Played {
    trace: Value,
    dir: PathBuf,
    /// Replies that nobody asked for.
    left: Vec<(String, u32)>,
    _place: TempDir,
}

fn play(format: &str) -> Played {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capable");
    let templates = Templates::load(None).expect("templates");
    let job = scripts.join(format!("{format}.yaml"));
    let job = Job::load(&job, &Overrides::default(), &templates).expect("a job");
    let plan = plan::debates(&job, &templates, false).next();
    let plan = plan.expect("a debate");
    let model = Scripted::read(&scripts.join(format!("{format}.txt")));
    let place = TempDir::new().expect("a directory");
    // `CAPABLE=DIR` keeps what is written, to be read.
    let root = std::env::var_os("CAPABLE").map_or_else(|| place.path().to_owned(), PathBuf::from);
    let stage = stage(OutputDir::at(&root), templates, Arc::clone(&model));
    stage.output.prepare().expect("an output directory");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let end = runtime.block_on(debate::run(&stage, &plan, None));
    let debate::End::Published { path, .. } = end else {
        panic!("{format}: {end:?}");
    };
    let trace = serde_json::from_str(&read(&path.join("trace.json"))).expect("a trace");
    let left = model.left.lock().expect("a lock").clone();
    Played {
        trace,
        dir: path,
        left,
        _place: place,
    }
}

fn stage(output: OutputDir, templates: Templates, model: Arc<Scripted>) -> RunContext {
    let config = PoolConfig {
        concurrency: 1,
        model_timeout: Duration::from_secs(1),
        outage_timeout: Some(Duration::from_secs(1)),
        stop: Stop::default(),
        on_notice: Arc::new(|_| {}),
    };
    RunContext {
        output,
        holder: "a test".to_owned(),
        templates: Arc::new(templates),
        servers: Some(Arc::new(ServerPool::new(
            vec![("scripted".to_owned(), model)],
            config,
        ))),
        clock: Clock::fixed(chrono::DateTime::UNIX_EPOCH),
        retry_delay: Duration::ZERO,
        watch: Arc::new(|_| {}),
    }
}

/// What no statement on the record holds: labels, meta lines, thoughts.
const NO_PART: [&str; 8] = [
    "<think>",
    "word count",
    "words)",
    "let me know",
    "i hope this helps",
    "here is my",
    "here's my",
    "end of closing statement",
];

/// What holds of every such debate.
fn check(played: &Played, outcome: &str, refusals: usize) {
    let trace = &played.trace;
    let told = incidents(trace, "invalid");
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    assert_eq!(trace["outcome"]["line"], outcome);
    assert_eq!(incidents(trace, "refusal").len(), refusals);
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(played.left, [], "replies that were not asked for");
    for statement in trace["statements"].as_array().expect("statements") {
        let text = statement["text"].as_str().expect("a text").to_lowercase();
        let name = statement["by"].as_str().expect("a speaker");
        for part in NO_PART {
            assert!(!text.contains(part), "{name}: {part}: {text}");
        }
    }
    for file in ["index.md", "summary.md"] {
        let text = read(&played.dir.join(file));
        assert!(!text.contains("\\*\\*") && !text.contains("\\##"), "{text}");
    }
}

#[test]
fn m4_a_duel_of_capable_models_is_read_as_it_was_meant() {
    let played = play("duel");
    check(
        &played,
        "mistral (Ethicist) beats llama3 (Keeper), 7.95 to 6.95 (2 judges)",
        1,
    );
}

#[test]
fn m4_a_moderated_debate_of_capable_models_is_read_as_it_was_meant() {
    let played = play("moderated");
    check(
        &played,
        "mistral (Employer) beats llama3 (Employee), 6.95 to 5.95 (1 judge)",
        1,
    );
}

#[test]
fn m4_a_roundtable_of_capable_models_is_read_as_it_was_meant() {
    let played = play("roundtable");
    check(&played, "Consensus on trial after 2 rounds (3 of 3)", 1);
    let moves = &played.trace["outcome"]["details"]["moves"];
    let told: Vec<_> = moves.as_array().into_iter().flatten().collect();
    let told: Vec<_> = told
        .iter()
        .map(|it| (it["specialist"].as_str(), it["moved_by"].as_str()))
        .collect();
    let (one, two, three) = (
        Some("specialist_1"),
        Some("specialist_2"),
        Some("specialist_3"),
    );
    assert_eq!(told, [(one, three), (three, two)]);
}

#[test]
fn m4_a_dialectic_of_capable_models_is_read_as_it_was_meant() {
    let played = play("dialectic");
    check(
        &played,
        "No, the city should not make buses and trams free for everyone. (confidence medium, 7.55)",
        1,
    );
    let trace = &played.trace;
    let read_as: Vec<&Value> = trace["statements"]
        .as_array()
        .expect("statements")
        .iter()
        .filter(|statement| statement["by"] == "skeptic")
        .map(|statement| &statement["read_as"])
        .collect();
    let expected = [
        json!(["fenced", "prose"]),
        json!(["prose"]),
        json!(["number_in_text", "spelt", "thought"]),
    ];
    assert_eq!(read_as, expected.iter().collect::<Vec<_>>());
    shows!(trace["outcome"]["details"], {
        "stopped_by": "ready", "ledger count": 9, "comparison/better": "final",
        "ledger/5/status": "partial", "ledger/6/status": "resolved", "ledger/0/answers":
            [{"round": 2, "answer": "defend"}, {"round": 3, "answer": "accept"}],
    });
    shows!(trace["flow"]["points"], {"0/status": "conceded", "1/status": "conceded", "8/status": "standing"});
}

#[test]
fn m4_a_knockout_of_capable_models_is_read_as_it_was_meant() {
    let played = play("knockout");
    check(&played, "Commuter (qwen3) stands, 1 knocked out", 1);
}
