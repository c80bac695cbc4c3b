//! Row T2: the reasoning templates that are nearest to a query, on a floor with a scripted model.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rebut::clock::Clock;
use rebut::event::{Event, EventKind, Outcome, Retrieval};
use rebut::floor::{Floor, FloorParts, Halt, Retrieve, Watch};
use rebut::journal::{self, Entry, Header, Journal, JournalError};
use rebut::model::rehearsal::Rehearsal;
use rebut::model::{
    Answering, CallError, Card, Durations, Embeddings, Fault, Model, NoReply, OnChunk, Reply,
    Request,
};
use rebut::plan::{Plan, cells};
use rebut::templates::Templates;
use rebut::trace::Trace;
use serde_json::Value;
use tempfile::TempDir;

const NOMIC: &str = "nomic-embed-text";
const QUERY: &str = "Should trams be free?";

/// What a scripted model answers: the cosine of each document to the query, or no reply.
type Script = Vec<Result<Vec<f64>, NoReply>>;

/// A model that answers embeddings from a script and nothing else.
#[derive(Default)]
struct Scripted {
    script: Mutex<VecDeque<Result<Vec<f64>, NoReply>>>,
    asked: Mutex<Vec<Vec<String>>>,
}

impl Scripted {
    fn new(script: Script) -> Arc<Self> {
        let script = Mutex::new(script.into());
        Arc::new(Self { script, ..Self::default() })
    }

    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().expect("a lock").clone()
    }
}

/// The query along one axis, the documents at these cosines to it.
fn embeddings(cosines: &[f64]) -> Embeddings {
    let at = |cosine: &f64| vec![*cosine as f32, (1.0 - cosine * cosine).sqrt() as f32];
    Embeddings {
        vectors: [1.0].iter().chain(cosines).map(at).collect(),
        digest: Some("d1".to_owned()),
        ns: Durations { load: 1_000_000, prompt: 7_000_000, reply: 0, ..Durations::default() },
    }
}

impl Model for Scripted {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Err(NoReply::Stopped) })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        Box::pin(async { Ok(Card::default()) })
    }

    fn embed<'a>(&'a self, _: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        self.asked.lock().expect("a lock").push(texts.to_vec());
        let next = self.script.lock().expect("a lock").pop_front();
        Box::pin(async move { Ok(embeddings(&next.expect("it is asked no more")?)) })
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async { true })
    }
}

fn failed(fault: Fault) -> Result<Vec<f64>, NoReply> {
    Err(CallError::new(fault, "it went wrong").into())
}

/// A knockout that was begun in a directory, with reasoning templates of its own.
struct Begun {
    dir: TempDir,
    plan: Plan,
    templates: Templates,
}

impl Begun {
    /// One whose templates are called so; each has a title.
    fn with(names: &[&str]) -> Self {
        let dir = TempDir::new().expect("a directory");
        let job = dir.path().join("job.yaml");
        std::fs::write(&job, crate::harness::TINY_JOB).expect("a job");
        let built_in = Templates::load(None).expect("templates");
        let loaded = crate::harness::loaded_job(&job, &built_in).expect("a job");
        let plan = cells::debates(&loaded, &built_in, false).next();
        let mut sources: BTreeMap<String, String> = built_in
            .snapshot("knockout", &[], true)
            .into_iter()
            .filter(|(name, _)| !name.starts_with("reasoning/"))
            .collect();
        for name in names {
            let text = format!("# On {name}\n\nText of {name}.\n");
            sources.insert(format!("reasoning/{name}.md"), text);
        }
        let plan = plan.expect("a debate");
        let path = dir.path().join("journal.jsonl");
        let first = journal::line(&Entry::Debate(header(&plan)));
        std::fs::write(&path, first + "\n").expect("a journal");
        Self { plan, templates: Templates::from_sources(sources).expect("templates"), dir }
    }

    fn journal(&self) -> std::path::PathBuf {
        self.dir.path().join("journal.jsonl")
    }

    /// A floor that goes on from the journal.
    fn floor(&self, model: Arc<dyn Model>) -> Floor {
        // A child that another test has forked holds the lock of the last floor until it runs its own program.
        let (contents, journal) = loop {
            match Journal::open(&self.journal(), &self.plan.id) {
                Err(JournalError::Locked(_)) => std::thread::yield_now(),
                opened => break opened.expect("a journal"),
            }
        };
        Floor::new(FloorParts {
            plan: Arc::new(self.plan.clone()),
            templates: Arc::new(self.templates.clone()),
            model,
            journal: Some(journal),
            allotted: None,
            audience: None,
            past: contents.entries,
            header: header(&self.plan),
            clock: Clock::system(),
            retry_delay: Duration::ZERO,
            watch: Watch::new(|_| {}),
        })
    }

    fn readings(&self) -> Vec<Value> {
        let contents = journal::load(&self.journal(), &self.plan.id).expect("a journal");
        let value = |entry| match entry {
            Entry::External(reading) => Some(reading.value),
            _ => None,
        };
        contents.entries.into_iter().filter_map(value).collect()
    }
}

fn header(plan: &Plan) -> Header {
    Header {
        journal: journal::VERSION,
        id: plan.id.clone(),
        rebut: "0".to_owned(),
        inputs: String::new(),
        snapshot: None,
        directory: String::new(),
        started_at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn wanted(model: Option<&str>) -> Retrieve<'_> {
    Retrieve { query: QUERY, model, folder: "reasoning", top: 3, threshold: 0.65 }
}

async fn retrieve(floor: &Floor) -> Retrieval {
    let got = floor.retrieve(wanted(Some(NOMIC))).await;
    got.expect("the debate goes on")
}

fn incidents(floor: &Floor) -> Vec<(String, String)> {
    let events = floor.events();
    let kinds = events.iter().filter_map(|event| match &event.kind {
        EventKind::Incident(incident) => {
            Some((incident.kind.to_string(), incident.message.clone()))
        }
        _ => None,
    });
    kinds.collect()
}

fn used(retrieval: &Retrieval) -> Vec<&str> {
    retrieval.used.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn t2_the_nearest_three_that_are_near_enough_are_used_and_all_are_recorded() {
    let begun = Begun::with(&["a", "b", "c", "d", "e"]);
    let model = Scripted::new(vec![Ok(vec![0.65, 0.6499, 0.9, 0.7, 0.66])]);
    let floor = begun.floor(model.clone());
    let got = retrieve(&floor).await;
    assert_eq!(used(&got), ["c", "d", "e"]);
    let found: Vec<(&str, f64)> =
        got.found.iter().map(|it| (it.title.as_str(), it.similarity)).collect();
    let all = [("On c", 0.9), ("On d", 0.7), ("On e", 0.66), ("On a", 0.65), ("On b", 0.6499)];
    assert_eq!(found, all);
    assert_eq!((&got.cause, got.ms), (&None, 7));
    assert_eq!(got.model.as_deref(), Some(NOMIC));
    assert_eq!(got.digest.as_deref(), Some("d1"));
    assert!(incidents(&floor).is_empty());
    let asked = &model.asked()[0];
    assert_eq!(asked[0], "search_query: Should trams be free?");
    assert_eq!(asked[1], "search_document: On a\n\n# On a\n\nText of a.");
    assert_eq!(asked.len(), 6);
}

#[tokio::test]
async fn t2_exactly_the_threshold_is_near_enough() {
    let begun = Begun::with(&["a", "b"]);
    let model = Scripted::new(vec![Ok(vec![0.65, 0.6499])]);
    assert_eq!(used(&retrieve(&begun.floor(model)).await), ["a"]);
}

#[tokio::test]
async fn t2_a_resumed_debate_reads_its_journal_and_asks_nothing() {
    let begun = Begun::with(&["a", "b"]);
    let whole =
        begun.floor(Scripted::new(vec![failed(Fault::Timeout), Ok(vec![0.8, 0.123_456_789])]));
    let first = retrieve(&whole).await;
    let events = whole.events();
    drop(whole);
    assert_eq!(begun.readings().len(), 1);
    let again = Scripted::new(Vec::new());
    let resumed = begun.floor(again.clone());
    assert_eq!(retrieve(&resumed).await, first);
    assert!(again.asked().is_empty());
    assert_eq!(resumed.events(), events);
    assert_eq!(begun.readings().len(), 1);
    assert_eq!(first.found[1].similarity, 0.123_457);
}

#[tokio::test]
async fn t2_a_debate_that_had_no_embeddings_goes_on_without_for_good() {
    let begun = Begun::with(&["a"]);
    let floor = begun.floor(Scripted::new(vec![failed(Fault::ModelNotFound)]));
    let got = retrieve(&floor).await;
    assert!(got.used.is_empty() && got.found.is_empty());
    let cause = "no embeddings: it went wrong";
    assert_eq!(got.cause.as_deref(), Some(cause));
    let message = format!("{NOMIC}: {cause}; the debate goes on without");
    assert_eq!(incidents(&floor), [("retrieval".to_owned(), message)]);
    let events = floor.events();
    drop(floor);
    let resumed = begun.floor(Scripted::new(Vec::new()));
    assert_eq!(retrieve(&resumed).await, got);
    assert_eq!(resumed.events(), events);
}

#[tokio::test]
async fn t2_what_may_heal_is_asked_three_times() {
    let begun = Begun::with(&["a"]);
    let model =
        Scripted::new(vec![failed(Fault::BrokenStream), failed(Fault::ServerError), Ok(vec![0.9])]);
    let floor = begun.floor(model);
    assert_eq!(used(&retrieve(&floor).await), ["a"]);
    let kinds: Vec<String> = incidents(&floor).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["retry", "retry"]);

    let begun = Begun::with(&["a"]);
    let model = Scripted::new(vec![failed(Fault::Timeout); 3]);
    let floor = begun.floor(model.clone());
    assert!(retrieve(&floor).await.cause.is_some());
    assert_eq!(model.asked().len(), 3);
    let kinds: Vec<String> = incidents(&floor).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["retry", "retry", "retrieval"]);
}

#[tokio::test]
async fn t2_texts_that_are_too_long_are_sent_shorter_and_it_is_said() {
    let begun = Begun::with(&["a"]);
    let model = Scripted::new(vec![failed(Fault::ContextExceeded), Ok(vec![0.9])]);
    let floor = begun.floor(model.clone());
    let query = "長".repeat(4000);
    let long = Retrieve { query: &query, ..wanted(Some(NOMIC)) };
    let got = floor.retrieve(long).await.expect("a retrieval");
    let lengths = |n: usize| -> Vec<usize> {
        let texts = &model.asked()[n];
        texts.iter().map(|text| text.chars().count()).collect()
    };
    assert_eq!((lengths(0)[0], lengths(1)[0]), (4014, 1966));
    assert_eq!(lengths(0)[1], lengths(1)[1], "short texts stay whole");
    assert_eq!(got.cut, Some(1966));
}

#[tokio::test]
async fn t2_where_none_is_near_enough_that_is_said_and_is_no_incident() {
    let begun = Begun::with(&["a", "b"]);
    let floor = begun.floor(Scripted::new(vec![Ok(vec![0.1, 0.6499])]));
    let got = retrieve(&floor).await;
    assert!(got.used.is_empty() && got.found.len() == 2);
    assert_eq!(got.cause.as_deref(), Some("the nearest, On b, is at 0.6499, below 0.65"));
    assert!(incidents(&floor).is_empty());
}

#[tokio::test]
async fn t2_without_a_model_or_templates_nothing_is_asked_and_the_debate_goes_on() {
    for (names, model) in [(&["a"][..], None), (&[], Some(NOMIC))] {
        let begun = Begun::with(names);
        let floor = begun.floor(Scripted::new(Vec::new()));
        let got = floor.retrieve(wanted(model)).await.expect("a retrieval");
        assert!(got.used.is_empty() && got.cause.is_some());
        assert!(incidents(&floor).is_empty() && begun.readings().is_empty());
        assert_eq!(floor.events().len(), 1);
    }
}

#[tokio::test]
async fn t2_a_stop_and_a_server_that_is_gone_are_not_taken_for_missing_embeddings() {
    let begun = Begun::with(&["a"]);
    let gone = NoReply::Parked("the server was in trouble".to_owned());
    let model = Scripted::new(vec![Err(NoReply::Stopped), Err(gone), Ok(vec![0.9])]);
    let stopped = begun.floor(model.clone()).retrieve(wanted(Some(NOMIC))).await;
    assert!(matches!(stopped, Err(Halt::Stopped)), "{stopped:?}");
    let parked = begun.floor(model.clone()).retrieve(wanted(Some(NOMIC))).await;
    assert!(matches!(parked, Err(Halt::Parked(_))), "{parked:?}");
    assert!(begun.readings().is_empty());
    assert_eq!(used(&retrieve(&begun.floor(model)).await), ["a"]);
}

#[tokio::test]
async fn t2_another_question_than_the_journals_parks_the_debate() {
    let begun = Begun::with(&["a"]);
    retrieve(&begun.floor(Scripted::new(vec![Ok(vec![0.9])]))).await;
    let other = Retrieve { query: "Another?", ..wanted(Some(NOMIC)) };
    let outcome = begun.floor(Scripted::new(Vec::new())).retrieve(other).await;
    let Err(Halt::Changed(cause)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(cause.starts_with("the retrieval would now be a different request"), "{cause}");
}

#[tokio::test]
async fn t2_the_trace_has_what_was_retrieved_and_what_it_took() {
    let begun = Begun::with(&["a"]);
    let model = Scripted::new(vec![failed(Fault::Timeout), Ok(vec![0.9])]);
    let floor = begun.floor(model);
    floor
        .open("prompts/knockout/system.md.j2", &serde_json::Value::Null)
        .await
        .expect("a beginning");
    let got = retrieve(&floor).await;
    floor.conclude(Outcome::default());
    let events: Vec<Event> = floor.events();
    let trace = Trace::fold(&events).expect("a trace");
    assert_eq!(trace.retrievals, [got]);
    for used in [trace.usage.by_purpose["embed"], trace.usage.by_model[NOMIC]] {
        assert_eq!((used.calls, used.failures, used.prompt_tokens), (1, 1, 22));
        assert_eq!((used.prompt_ms, used.load_ms, used.reply_ms), (7, 1, 0));
    }
    let line = events
        .iter()
        .find(|event| matches!(event.kind, EventKind::Retrieval(_)))
        .expect("the event")
        .line();
    assert!(line.contains(r#""event":"retrieval""#), "{line}");
}

#[tokio::test]
async fn t2_a_rehearsal_finds_what_shares_words() {
    let begun = Begun::with(&["free trams", "quantum fields"]);
    let model = Rehearsal::new(&begun.plan, &begun.templates);
    let got = retrieve(&begun.floor(Arc::new(model))).await;
    assert_eq!(used(&got), ["free trams"]);
    assert!(got.found[1].similarity > 0.5 && got.ms > 0);
}

#[test]
fn t2_a_template_directory_may_add_reasoning_templates_and_snapshots_hold_them() {
    let dir = TempDir::new().expect("a directory");
    let write = |name: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, "# Mine\n").expect("a file");
    };
    write("reasoning/mine.md");
    let load = |dir: &Path| Templates::load(Some(dir));
    let snapshot =
        load(dir.path()).expect("templates").snapshot("dialectic", &["reasoning/"], false);
    assert_eq!(snapshot["reasoning/mine.md"], "# Mine\n");
    write("elsewhere/mine.md");
    assert!(load(dir.path()).is_err());
}
