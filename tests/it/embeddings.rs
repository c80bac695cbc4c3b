//! Row M5: texts as vectors, on the wire, behind the gate, kept on disk.

use std::collections::VecDeque;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mock_ollama::{Answer, Call, Card as Installed, MockOllama};
use rebut::model::contexts::Contexts;
use rebut::model::ollama::Ollama;
use rebut::model::ollama::ollama_host::Host;
use rebut::model::server::Limits;
use rebut::model::{
    Answering, CallError, Card, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request,
};
use rebut::servers::embedding_cache::EmbeddingCache;
use rebut::servers::{Concurrency, PoolConfig, PoolHandle, ServerPool};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::harness::{TINY_JOB, list, read, shows, with_job};

const NOMIC: &str = "nomic-embed-text";

fn client(server: &MockOllama) -> Ollama {
    let host = Host::parse(&server.url()).expect("a host");
    let limits = Limits {
        connect: Duration::from_secs(10),
        first_token: Duration::from_secs(900),
        idle: Duration::from_secs(120),
    };
    Ollama::new(host, None, limits, Contexts::default()).expect("a client")
}

/// A server with an embedding model of this digest.
fn server(digest: &str) -> MockOllama {
    let card = Installed::new(NOMIC).capabilities(["embedding"]).context(2048).digest(digest);
    MockOllama::builder().models([card]).start()
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

/// What `/api/embed` was asked for, request by request.
fn asked(server: &MockOllama) -> Vec<Value> {
    let calls = server.calls();
    let embeds = calls.iter().filter(|call| call.path == "/api/embed");
    embeds.map(|call| call.body["input"].clone()).collect()
}

fn fault_of<T: std::fmt::Debug>(outcome: Result<T, NoReply>) -> Fault {
    match outcome {
        Err(NoReply::Failed(error)) => error.fault,
        other => panic!("a failed call, not {other:?}"),
    }
}

#[tokio::test]
async fn m5_texts_are_asked_for_with_every_option_explicit() {
    let server = server(&"a".repeat(64));
    let client = client(&server);
    let both = texts(&["search_query: trams", "search_document: roads"]);
    let got = client.embed(NOMIC, &both).await.expect("vectors");
    assert_eq!((got.vectors.len(), asked(&server).len()), (2, 1));
    assert!(got.ns.load > 0 && got.ns.reply == 0);
    let again = client.embed(NOMIC, &both[1..]).await.expect("a vector");
    assert_eq!(again.vectors[0], got.vectors[1], "in order");
    let body = &server.calls()[0].body;
    shows!(body, {"input": both, "model": NOMIC});
    shows!(body, {"truncate": false, "keep_alive": "30m"});
    assert!(body["options"]["num_ctx"].is_u64());
}

#[tokio::test]
async fn m5_many_texts_take_several_requests() {
    let server = server(&"a".repeat(64));
    let many: Vec<String> = (0..130).map(|n| format!("text {n}")).collect();
    let got = client(&server).embed(NOMIC, &many).await.expect("vectors");
    assert_eq!((got.vectors.len(), asked(&server).len()), (130, 3));
    assert_ne!(got.vectors[0], got.vectors[129]);
}

#[tokio::test]
async fn m5_what_comes_back_is_checked() {
    let json_of = |text: &str| Answer::raw(200, "application/json", text);
    let wrong = [
        (Answer::embeddings(&[vec![1.0]]), "1 vector for 2 texts"),
        (Answer::embeddings(&[vec![1.0], vec![]]), "an empty vector"),
        (Answer::embeddings(&[vec![1.0], vec![0.6, 0.8]]), "different lengths"),
        (json_of(r#"{"embeddings":[[1],[1e39]]}"#), "out of range"),
        (json_of(r#"{"embeddings":[[1],[null]]}"#), "no embeddings"),
        (json_of("{}"), "no embeddings"),
        (json_of("[[["), "no embeddings"),
        (Answer::raw(200, "text/html", "<title>Login</title>"), "Login"),
    ];
    for (answer, cause) in wrong {
        let server = server(&"a".repeat(64));
        server.intercept(move |_| Some(answer.clone()));
        let outcome = client(&server).embed(NOMIC, &texts(&["a", "b"])).await;
        let Err(NoReply::Failed(error)) = outcome else {
            panic!("{cause}: {outcome:?}");
        };
        assert_eq!(error.fault, Fault::BrokenStream, "{cause}");
        assert!(error.message.contains(cause), "{cause}: {}", error.message);
    }
}

#[tokio::test]
async fn m5_what_the_server_refuses_has_its_kind() {
    let server = server(&"a".repeat(64));
    let client = client(&server);
    let long = texts(&["short", &"word ".repeat(4000)]);
    assert_eq!(fault_of(client.embed(NOMIC, &long).await), Fault::ContextExceeded);
    assert_eq!(fault_of(client.embed("absent", &texts(&["a"])).await), Fault::ModelNotFound);
}

/// A directory of output, and embeddings kept in it before a server.
fn kept(dir: &Path, server: &MockOllama) -> impl Model + use<> {
    EmbeddingCache::new(dir).wrap(Arc::new(client(server)))
}

async fn embed(model: &impl Model, all: &[&str]) -> Embeddings {
    model.embed(NOMIC, &texts(all)).await.expect("vectors")
}

#[tokio::test]
async fn m5_a_text_is_asked_for_once_by_any_run() {
    let (dir, server) = (TempDir::new().expect("a directory"), server(&"a".repeat(64)));
    let first = embed(&kept(dir.path(), &server), &["a", "b", "a"]).await;
    assert_eq!(asked(&server), [json!(["a", "b"])]);
    assert_eq!(first.digest, Some("a".repeat(64)));
    let other_run = kept(dir.path(), &server);
    let again = embed(&other_run, &["b", "a", "a"]).await;
    assert_eq!(asked(&server).len(), 1, "nothing was missing");
    let [a, b, _] = &first.vectors[..] else { panic!("three vectors") };
    assert_eq!(again.vectors, [b.clone(), a.clone(), a.clone()]);
    assert_eq!(again.ns.prompt, 0);
    let more = embed(&other_run, &["a", "c"]).await;
    assert_eq!(asked(&server)[1], json!(["c"]), "only what is missing");
    assert_eq!(&more.vectors[0], a);
}

#[tokio::test]
async fn m5_another_digest_under_the_same_name_is_another_model() {
    let dir = TempDir::new().expect("a directory");
    let (old, new) = (server(&"a".repeat(64)), server(&"b".repeat(64)));
    embed(&kept(dir.path(), &old), &["a"]).await;
    embed(&kept(dir.path(), &new), &["a"]).await;
    assert_eq!((asked(&old).len(), asked(&new).len()), (1, 1));
    let models = list(&dir.path().join(".rebut/embeddings"));
    assert_eq!(models.len(), 2, "{models:?}");
}

#[tokio::test]
async fn m5_a_damaged_file_is_asked_for_again_and_mended() {
    let (dir, server) = (TempDir::new().expect("a directory"), server(&"a".repeat(64)));
    let good = embed(&kept(dir.path(), &server), &["a"]).await;
    let file = list(&dir.path().join(".rebut/embeddings").join("a".repeat(64))).remove(0);
    let whole = read(&file);
    let sign = if whole.contains("[-") { "[-" } else { "[" };
    let another_number = whole.replacen(sign, &format!("{sign}1"), 1);
    for damage in ["", &whole[..whole.len() / 2], "[]", &another_number] {
        std::fs::write(&file, damage).expect("a file");
        let before = asked(&server).len();
        let got = embed(&kept(dir.path(), &server), &["a"]).await;
        assert_eq!(got.vectors, good.vectors, "{damage}");
        assert_eq!(asked(&server).len(), before + 1, "{damage}");
        assert_eq!(read(&file), whole, "mended");
    }
}

#[tokio::test]
async fn m5_without_a_digest_that_can_be_a_path_nothing_is_kept() {
    for digest in ["", "../../escaped", "abc"] {
        let (dir, server) = (TempDir::new().expect("a directory"), server(digest));
        let model = kept(dir.path(), &server);
        embed(&model, &["a"]).await;
        assert_eq!(embed(&model, &["a"]).await.digest, None, "{digest}");
        assert_eq!(asked(&server).len(), 2, "{digest}");
        assert!(list(dir.path()).is_empty(), "{digest}");
    }
}

#[tokio::test]
async fn m5_a_disk_that_takes_nothing_costs_requests_only() {
    let (dir, server) = (TempDir::new().expect("a directory"), server(&"a".repeat(64)));
    std::fs::write(dir.path().join(".rebut"), "in the way").expect("a file");
    let one = embed(&kept(dir.path(), &server), &["a"]).await;
    assert_eq!(one.vectors, embed(&kept(dir.path(), &server), &["a"]).await.vectors);
    assert_eq!(asked(&server).len(), 2, "it is asked again");
}

#[test]
#[cfg(target_os = "linux")]
fn m5_what_a_killed_run_left_of_a_file_is_swept() {
    let place = with_job(TINY_JOB);
    let kept = "output/.rebut/embeddings/aaaaaaaaaaaa";
    // No process has a number of nine digits.
    place.write(&format!("{kept}/x.json.999999999.new"), "half");
    place.write(&format!("{kept}/x.json"), "whole");
    place.run_exits(0, &["job.yaml"]);
    let left = list(&place.path().join(kept));
    assert_eq!(left, [place.path().join(kept).join("x.json")]);
}

/// A server that answers embeddings from a list of outcomes and then well; its chats are like its embeddings.
#[derive(Default)]
struct Scripted {
    outcomes: Mutex<VecDeque<Fault>>,
    asked: Mutex<u32>,
}

impl Scripted {
    fn failing(faults: impl IntoIterator<Item = Fault>) -> Arc<Self> {
        Arc::new(Self { outcomes: Mutex::new(faults.into_iter().collect()), ..Self::default() })
    }

    fn asked(&self) -> u32 {
        *self.asked.lock().expect("a lock")
    }
}

fn failure(fault: Fault) -> CallError {
    CallError { remedy: Some("mend it".to_owned()), ..CallError::new(fault, "it failed") }
}

impl Model for Scripted {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Err(CallError::new(Fault::BadRequest, "it came through").into()) })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        Box::pin(async { Ok(Card::default()) })
    }

    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        *self.asked.lock().expect("a lock") += 1;
        let next = self.outcomes.lock().expect("a lock").pop_front();
        Box::pin(async move {
            match next {
                Some(fault) => Err(failure(fault).into()),
                None => Ok(Embeddings::default()),
            }
        })
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        let away = self.outcomes.lock().expect("a lock").front() == Some(&Fault::NoConnection);
        Box::pin(async move { !away })
    }
}

/// A pool before these servers, and what it tells.
fn pool(servers: &[&Arc<Scripted>]) -> (Arc<ServerPool>, Arc<Mutex<Vec<String>>>) {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let telling = Arc::clone(&told);
    let config = PoolConfig {
        concurrency: Concurrency::at_most(1),
        model_timeout: Duration::from_secs(60),
        outage_timeout: Some(Duration::from_secs(60)),
        known_absent: Vec::new(),
        on_notice: Arc::new(move |line| telling.lock().expect("a lock").push(line.to_owned())),
    };
    let named = (1..).zip(servers);
    let servers = named.map(|(n, it)| (format!("gpu-{n}"), Arc::clone(*it) as Arc<dyn Model>));
    (Arc::new(ServerPool::new(servers.collect(), config)), told)
}

fn chat() -> Request {
    Request {
        call: "c".to_owned(),
        attempt: 1,
        model: NOMIC.to_owned(),
        messages: Vec::new(),
        temperature: 0.0,
        num_predict: 1,
        seed: 1,
        schema: None,
        think: false,
        options: Default::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn m5_trouble_with_the_embedding_model_is_an_error_at_once_and_marks_no_other_call() {
    for fault in [
        Fault::ModelNotFound,
        Fault::AccessDenied,
        Fault::Forbidden,
        Fault::LoadFailed,
        Fault::BadRequest,
        Fault::ContextExceeded,
    ] {
        let server = Scripted::failing([fault]);
        let (pool, told) = pool(&[&server]);
        let (line, began) = (PoolHandle::new(&pool), Instant::now());
        assert_eq!(fault_of(line.embed(NOMIC, &[]).await), fault);
        assert_eq!(server.asked(), 1, "{fault:?}");
        // A chat with the same model, by another debate, goes through, and so does another embedding.
        let chat = PoolHandle::new(&pool).chat(&chat(), &|_| {}).await;
        assert_eq!(fault_of(chat.map(|_| ())), Fault::BadRequest);
        assert!(line.embed(NOMIC, &[]).await.is_ok(), "{fault:?}");
        // Before another model is loaded, the first debate's next call is waited for a moment.
        assert!(began.elapsed() < Duration::from_secs(1), "{fault:?}");
        assert!(told.lock().expect("a lock").is_empty(), "{told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a2_a_server_without_embeddings_lacks_them_and_is_in_no_trouble() {
    let server = Scripted::failing([Fault::Unsupported; 2]);
    let (pool, told) = pool(&[&server]);
    let began = Instant::now();
    for _ in 0..2 {
        let outcome = PoolHandle::new(&pool).embed(NOMIC, &[]).await;
        assert_eq!(fault_of(outcome), Fault::Unsupported);
    }
    let chat = PoolHandle::new(&pool).chat(&chat(), &|_| {}).await;
    assert_eq!(fault_of(chat.map(|_| ())), Fault::BadRequest, "it goes on");
    assert_eq!(began.elapsed(), Duration::ZERO);
    let told = told.lock().expect("a lock");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].ends_with("; debates continue without it"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a2_another_server_may_have_what_one_lacks() {
    for lacking in [Fault::Unsupported, Fault::ModelNotFound] {
        let (lacks, has) = (Scripted::failing([lacking; 9]), Scripted::failing([]));
        let (pool, _) = pool(&[&lacks, &has]);
        assert!(PoolHandle::new(&pool).embed(NOMIC, &[]).await.is_ok());
        assert_eq!((lacks.asked(), has.asked()), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn m5_a_model_that_is_missing_is_told_with_the_remedy() {
    let server = Scripted::failing([Fault::ModelNotFound]);
    let Err(NoReply::Failed(error)) = PoolHandle::new(&pool(&[&server]).0).embed(NOMIC, &[]).await
    else {
        panic!("a failed call");
    };
    assert_eq!(error.message, "the server has no model nomic-embed-text: mend it");
}

#[tokio::test(start_paused = true)]
async fn m5_a_server_that_stays_away_parks_and_one_that_stays_full_for_the_model_does_not() {
    let away = Scripted::failing([Fault::NoConnection; 999]);
    let outcome = PoolHandle::new(&pool(&[&away]).0).embed(NOMIC, &[]).await;
    assert!(matches!(outcome, Err(NoReply::Parked(_))), "{outcome:?}");
    let full = Scripted::failing([Fault::Busy; 999]);
    let outcome = PoolHandle::new(&pool(&[&full]).0).embed(NOMIC, &[]).await;
    assert_eq!(fault_of(outcome), Fault::Busy);
}

#[tokio::test]
async fn m5_a_call_of_a_debate_goes_through_gate_and_kept_embeddings_to_the_wire() {
    let (dir, server) = (TempDir::new().expect("a directory"), server(&"a".repeat(64)));
    server.intercept(|call: &Call| {
        (call.path == "/api/embed").then(|| Answer::embeddings(&[vec![0.6, 0.8]]))
    });
    let config = PoolConfig {
        concurrency: Concurrency::at_most(1),
        model_timeout: Duration::from_secs(60),
        outage_timeout: Some(Duration::from_secs(60)),
        known_absent: Vec::new(),
        on_notice: Arc::new(|_| {}),
    };
    let behind: Arc<dyn Model> = Arc::new(kept(dir.path(), &server));
    let pool = Arc::new(ServerPool::new(vec![("gpu".to_owned(), behind)], config));
    let got = PoolHandle::new(&pool).embed(NOMIC, &texts(&["a"])).await.expect("vectors");
    assert_eq!(got.vectors, [[0.6, 0.8]]);
    assert_eq!((got.ns.load, got.ns.prompt), (1_000_000, 2_000_000));
    assert_eq!(got.digest, Some("a".repeat(64)));
}
