mod outages;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::{Instant, advance, sleep, timeout};

use super::breaker::{CircuitBreaker, Scope, SeenBy};
use super::*;
use crate::model::{
    Answering, CallError, Chunk, DoneReason, Durations, Fault, Model, NoReply, OnChunk, Reply,
    Request, Tokens,
};
use crate::stop::Stop;

fn reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        thinking: None,
        done_reason: DoneReason::Stop,
        tokens: Tokens::default(),
        ns: Durations::default(),
    }
}

fn request() -> Request {
    Request {
        call: "c".to_owned(),
        attempt: 1,
        model: "m".to_owned(),
        num_predict: 1,
        seed: 1,
        ..Request::default()
    }
}

/// A pool before a server that takes one call at a time and is waited for at most a minute.
fn pool(server: Arc<dyn Model>, tell: OnNotice) -> ServerPool {
    pool_of(vec![("gpu".to_owned(), server)], 1, tell)
}

fn pool_of(
    servers: Vec<(String, Arc<dyn Model>)>,
    concurrency: usize,
    tell: OnNotice,
) -> ServerPool {
    let config = PoolConfig {
        concurrency,
        ..config(Some(seconds(60)), tell)
    };
    ServerPool::new(servers, config)
}

/// One call at a time, a minute for a failing model, and this long for a server that is down.
fn config(outage: Option<Duration>, tell: OnNotice) -> PoolConfig {
    PoolConfig {
        concurrency: 1,
        model_timeout: seconds(60),
        outage_timeout: outage,
        stop: Stop::default(),
        on_notice: tell,
    }
}

/// What was told, with the milliseconds after which it was.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<(u128, String)>>>);

impl Told {
    fn tell(&self) -> OnNotice {
        let (told, began) = (Arc::clone(&self.0), Instant::now());
        Arc::new(move |line: &str| {
            let at = began.elapsed().as_millis();
            told.lock().unwrap().push((at, line.to_owned()));
        })
    }

    fn lines(&self) -> Vec<String> {
        let told = self.0.lock().unwrap();
        told.iter().map(|(_, line)| line.clone()).collect()
    }
}

/// A server that is there at some times, and answers each request after a while in a way.
struct Scripted<T, A> {
    began: Instant,
    asked: AtomicUsize,
    /// Whether it is there so long after the beginning.
    there: T,
    /// How it answers the request, which is its so manieth one.
    answer: A,
}

impl<T, A> Scripted<T, A>
where
    T: Fn(Duration) -> bool + Send + Sync + 'static,
    A: Fn(&Request, usize) -> (Duration, Result<(), Fault>) + Send + Sync + 'static,
{
    fn new(there: T, answer: A) -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            asked: AtomicUsize::new(0),
            there,
            answer,
        })
    }
}

impl<T, A> Model for Scripted<T, A>
where
    T: Fn(Duration) -> bool + Send + Sync,
    A: Fn(&Request, usize) -> (Duration, Result<(), Fault>) + Send + Sync,
{
    fn chat<'a>(&'a self, request: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let (after, answer) = (self.answer)(request, asked);
        Box::pin(async move {
            sleep(after).await;
            let failed = |fault| CallError {
                remedy: Some("mend it".to_owned()),
                ..CallError::new(fault, "it failed")
            };
            answer.map_err(failed)?;
            Ok(reply("well"))
        })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        let there = (self.there)(self.began.elapsed());
        Box::pin(async move {
            if !there {
                std::future::pending::<()>().await;
            }
            true
        })
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Asks for an hour at most, so that a call which is resent for ever ends too.
async fn ask(handle: &PoolHandle, request: &Request) -> Result<String, NoReply> {
    let reply = timeout(seconds(3600), handle.chat(request, &|_| {})).await;
    Ok(reply.expect("it ends")?.text)
}

fn fault_of(outcome: Result<String, NoReply>) -> Fault {
    match outcome {
        Err(NoReply::Failed(error)) => error.fault,
        other => panic!("a failed call, not {other:?}"),
    }
}

/// Says half a word and is full, then says it whole.
#[derive(Default)]
struct FullAtFirst {
    asked: AtomicBool,
}

impl Model for FullAtFirst {
    fn chat<'a>(&'a self, _: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        let again = self.asked.swap(true, Ordering::Relaxed);
        on_chunk(Chunk::Said(if again { "whole" } else { "ha" }));
        Box::pin(async move {
            if again {
                Ok(reply("whole"))
            } else {
                Err(CallError::new(Fault::Busy, "full").into())
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_falls_silent_is_told_of_within_two_seconds_and_its_reply_is_kept() {
    let (began, told) = (Instant::now(), Told::default());
    let server = Scripted::new(|at| at >= seconds(10), |_, _| (seconds(30), Ok(())));
    let pool = Arc::new(pool(server, told.tell()));
    let said = ask(&PoolHandle::new(&pool), &request()).await.unwrap();
    assert_eq!((said.as_str(), began.elapsed().as_secs()), ("well", 30));
    let told = told.0.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    let line = "waiting for the server, giving up after 1m (--outage-timeout): gpu does not answer";
    assert_eq!(told[0], (1750, line.to_owned()));
    assert!((10_000..12_000).contains(&told[1].0), "{told:?}");
    assert!(told[1].1.starts_with("the server answers again after "));
}

/// Is there each time, but our process is held up for three seconds before it can read that.
struct Unread;

impl Model for Unread {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async {
            sleep(seconds(30)).await;
            Ok(reply("well"))
        })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            advance(seconds(3)).await;
            tokio::task::yield_now().await;
            true
        })
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_is_not_told_to_be_away_when_we_were_held_up_ourselves() {
    let told = Told::default();
    let pool = Arc::new(pool(Arc::new(Unread), told.tell()));
    assert_eq!(
        ask(&PoolHandle::new(&pool), &request()).await.unwrap(),
        "well"
    );
    assert_eq!(told.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn j10c_text_of_a_call_that_is_sent_again_is_void() {
    let said = Mutex::new(Vec::new());
    let on_chunk = |chunk: Chunk<'_>| said.lock().unwrap().push(format!("{chunk:?}"));
    let pool = Arc::new(pool(Arc::new(FullAtFirst::default()), Arc::new(|_| {})));
    assert_eq!(
        PoolHandle::new(&pool)
            .chat(&request(), &on_chunk)
            .await
            .unwrap()
            .text,
        "whole"
    );
    assert_eq!(
        *said.lock().unwrap(),
        ["Said(\"ha\")", "Again", "Said(\"whole\")"]
    );
}

#[tokio::test(start_paused = true)]
async fn j10c_missed_probes_never_give_a_server_up_while_a_call_is_under_way() {
    // It misses its probes for a moment, and more than the wait later for longer than the wait.
    let there =
        |at: Duration| !(2..5).contains(&at.as_secs()) && !(70..200).contains(&at.as_secs());
    let server = Scripted::new(there, |_, _| (seconds(300), Ok(())));
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    let (one, other, request) = (PoolHandle::new(&pool), PoolHandle::new(&pool), request());
    let both = tokio::join!(ask(&one, &request), ask(&other, &request));
    assert_eq!(
        (both.0.unwrap(), both.1.unwrap()),
        ("well".into(), "well".into())
    );
    let lines = told.lines();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for pair in lines.chunks(2) {
        assert!(pair[0].starts_with("waiting for the server"), "{lines:?}");
        assert!(pair[1].starts_with("the server answers again"), "{lines:?}");
    }
    assert_eq!(pool.outlook(["m"].into_iter()), Outlook::Served);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_reply_shows_that_its_server_is_there() {
    let server = Scripted::new(|_| false, |_, _| (seconds(30), Ok(())));
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    assert_eq!(
        ask(&PoolHandle::new(&pool), &request()).await.unwrap(),
        "well"
    );
    let told = told.0.lock().unwrap();
    let last = (30_000, "the server answers again after 29 s".to_owned());
    assert_eq!((told.len(), &told[1]), (2, &last), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_late_reply_is_an_attempt_though_its_server_was_away_meanwhile() {
    for fault in [Fault::Timeout, Fault::ServerError] {
        // Away for three seconds in each ten: each call lives through an outage.
        let there = |at: Duration| at.as_secs() % 10 >= 3;
        let server = Scripted::new(there, move |_, _| (seconds(15), Err(fault)));
        let pool = Arc::new(pool(Arc::clone(&server) as _, Arc::new(|_| {})));
        assert_eq!(
            fault_of(ask(&PoolHandle::new(&pool), &request()).await),
            fault
        );
        assert_eq!(server.asked.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_reply_that_breaks_off_in_outage_after_outage_is_an_attempt_in_the_end() {
    let there = |at: Duration| !(2..5).contains(&(at.as_secs() % 10));
    let server = Scripted::new(there, |_, _| (seconds(20), Err(Fault::BrokenStream)));
    let pool = Arc::new(pool(Arc::clone(&server) as _, Arc::new(|_| {})));
    let outcome = ask(&PoolHandle::new(&pool), &request()).await;
    assert_eq!(fault_of(outcome), Fault::BrokenStream);
    assert_eq!(server.asked.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_request_that_brings_the_server_down_is_an_attempt_after_three_rounds() {
    let (began, killed) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let kills = Arc::clone(&killed);
    let is_down = Arc::clone(&killed);
    let there = move |at: Duration| {
        let last: Option<Duration> = is_down.lock().unwrap().last().copied();
        last.is_none_or(|last| !(last..last + seconds(5)).contains(&at))
    };
    let server = Scripted::new(there, move |request, _| {
        if request.call == "killer" {
            kills.lock().unwrap().push(began.elapsed() + seconds(1));
            (seconds(1), Err(Fault::BrokenStream))
        } else {
            (Duration::from_millis(300), Ok(()))
        }
    });
    let pool = Arc::new(pool_of(vec![("gpu".into(), server)], 2, Arc::new(|_| {})));
    let (handle, other) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let killer = Request {
        call: "killer".into(),
        ..request()
    };
    let harmless = async {
        loop {
            assert_eq!(ask(&other, &request()).await.unwrap(), "well");
        }
    };
    tokio::select! {
        outcome = ask(&handle, &killer) => assert_eq!(fault_of(outcome), Fault::BrokenStream),
        () = harmless => {}
    }
    assert_eq!(killed.lock().unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_proxy_that_refuses_every_call_is_told_of_once_and_asked_ever_more_rarely() {
    let server = Scripted::new(|_| true, |_, _| (Duration::ZERO, Err(Fault::ForeignServer)));
    let told = Told::default();
    let pool = Arc::new(pool(Arc::clone(&server) as _, told.tell()));
    let outcome = ask(&PoolHandle::new(&pool), &request()).await;
    assert!(matches!(outcome, Err(NoReply::Parked(_))), "{outcome:?}");
    let expected = [
        "waiting for the server, giving up after 1m (--model-timeout): it failed",
        "gave up on the server after 1m (--model-timeout): it failed",
    ];
    assert_eq!(told.lines(), expected);
    let asked = server.asked.load(Ordering::Relaxed);
    assert!((20..40).contains(&asked), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_proxy_that_is_mended_is_told_of_when_a_call_is_answered() {
    let server = Scripted::new(
        |_| true,
        |_, asked| {
            let outcome = if asked < 9 {
                Err(Fault::ForeignServer)
            } else {
                Ok(())
            };
            (Duration::ZERO, outcome)
        },
    );
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    assert_eq!(
        ask(&PoolHandle::new(&pool), &request()).await.unwrap(),
        "well"
    );
    let lines = told.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[1].starts_with("the server answers again after"),
        "{lines:?}"
    );
}

/// Two servers of which the first stalls, or both.
fn two_servers(both_stall: bool, told: &Told) -> Arc<ServerPool> {
    let stalls = |_: &Request, _: usize| (seconds(600), Ok(()));
    let first = Scripted::new(|_| false, stalls);
    let second: Arc<dyn Model> = if both_stall {
        Scripted::new(|_| false, stalls)
    } else {
        Scripted::new(|_| true, |_, _| (seconds(1), Ok(())))
    };
    let servers = vec![("one".to_owned(), first as _), ("two".to_owned(), second)];
    Arc::new(pool_of(servers, 1, told.tell()))
}

#[tokio::test(start_paused = true)]
async fn j10c_a_call_in_the_queue_of_a_server_that_stalls_goes_to_another_server() {
    let told = Told::default();
    let pool = two_servers(false, &told);
    let (one, _two, again_one) = (
        PoolHandle::new(&pool),
        PoolHandle::new(&pool),
        PoolHandle::new(&pool),
    );
    let (began, request) = (Instant::now(), request());
    let queued = async {
        let outcome = ask(&again_one, &request).await;
        (outcome.unwrap(), began.elapsed() < seconds(5))
    };
    let (_, queued) = tokio::join!(ask(&one, &request), queued);
    assert_eq!(queued, ("well".to_owned(), true));
    let first = told.lines().remove(0);
    assert!(
        first.starts_with("one is failing; sending its calls to the other servers, "),
        "{first}"
    );
}

#[tokio::test(start_paused = true)]
async fn j10c_where_no_server_can_take_a_call_none_is_promised() {
    let told = Told::default();
    let pool = two_servers(true, &told);
    let (one, two, request) = (PoolHandle::new(&pool), PoolHandle::new(&pool), request());
    let both = tokio::join!(ask(&one, &request), ask(&two, &request));
    assert!(both.0.is_ok() && both.1.is_ok());
    let lines = told.lines();
    assert!(
        lines[1].contains("is failing; no other server can take its calls now, "),
        "{lines:?}"
    );
}

#[tokio::test]
async fn m1_a_debate_goes_to_the_server_with_the_fewest_and_else_in_turn() {
    let pool = two_servers(false, &Told::default());
    let (a, b, c, d) = (
        PoolHandle::new(&pool),
        PoolHandle::new(&pool),
        PoolHandle::new(&pool),
        PoolHandle::new(&pool),
    );
    assert_eq!([&a, &b, &c, &d].map(|it| it.assignment.home), [0, 1, 0, 1]);
    drop((b, d));
    let (e, f) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let homes = [&e, &f].map(|it| it.assignment.home);
    assert_eq!(homes, [1, 1], "the second server was faster");
    assert_eq!(PoolHandle::new(&pool).assignment.home, 0);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_probe_missed_long_after_a_failed_call_is_the_beginning_of_new_trouble() {
    let breaker = CircuitBreaker::default();
    let trip = |seen| {
        let cause = |message: &str| message.to_owned();
        breaker.trip(Scope::Absence, "away", seen, Some(seconds(60)), cause)
    };
    assert!(trip(SeenBy::Call).is_new);
    assert_eq!(
        breaker.mark_alive(),
        None,
        "an answer to a call has to show it"
    );
    sleep(seconds(70)).await;
    assert_eq!(trip(SeenBy::Probe).given_up, None);
    assert!(trip(SeenBy::Call).given_up.is_none());
    assert_eq!(breaker.mark_alive(), None);
    sleep(seconds(70)).await;
    let given_up = trip(SeenBy::Call).given_up;
    assert_eq!(given_up.as_deref(), Some("away"), "no call was answered");
}
