//! Servers that are there and fail calls while the model runs: whose failure that is.

use std::future::Future;

use futures_util::future::join_all;
use tokio::sync::watch;

use super::*;

/// What became of a debate's calls: the attempts of each that counted as failed, and whether all were answered in the end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    failed: usize,
    gave_up: usize,
    parked: bool,
}

impl Outcome {
    const CLEAN: Self = Self { failed: 0, gave_up: 0, parked: false };
}

/// A debate of five calls with three attempts each, as a floor makes them.
async fn debate(pool: &Arc<ServerPool>, name: &str) -> Outcome {
    let (handle, mut outcome) = (PoolHandle::new(pool), Outcome::default());
    for number in 1..=5 {
        let call = format!("{name}/{number}");
        for attempt in 1..=3 {
            let request = Request { call: call.clone(), attempt, ..request() };
            match ask(&handle, &request).await {
                Ok(_) => break,
                Err(NoReply::Failed(_)) => outcome.failed += 1,
                Err(_) => {
                    outcome.parked = true;
                    return outcome;
                }
            }
            outcome.gave_up += usize::from(attempt == 3);
            sleep(seconds(attempt.into())).await;
        }
    }
    outcome
}

async fn debates(pool: &Arc<ServerPool>, names: &[&str]) -> Vec<Outcome> {
    join_all(names.iter().map(|name| debate(pool, name))).await
}

fn pool_over(servers: &[Arc<dyn Model>], told: &Told) -> Arc<ServerPool> {
    let named =
        servers.iter().enumerate().map(|(at, server)| (format!("gpu{at}"), Arc::clone(server)));
    Arc::new(pool_of(named.collect(), 4, told.tell()))
}

const EIGHT: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const FAULTS: [Fault; 3] = [Fault::ServerError, Fault::BrokenStream, Fault::Timeout];

fn well() -> Arc<dyn Model> {
    Scripted::new(|_| true, |_, _| (seconds(1), Ok(())))
}

/// A server that fails every call from one second until another.
fn failing(from: u64, until: u64, fault: Fault) -> Arc<dyn Model> {
    let began = Instant::now();
    Scripted::new(
        |_| true,
        move |_, _| {
            if (seconds(from)..seconds(until)).contains(&began.elapsed()) {
                (Duration::from_millis(20), Err(fault))
            } else {
                (Duration::from_millis(700), Ok(()))
            }
        },
    )
}

#[tokio::test(start_paused = true)]
async fn m2_a_failed_attempt_goes_to_another_server() {
    let (bad, good) = (
        Scripted::new(|_| true, |_, _| (seconds(1), Err(Fault::ServerError))),
        Scripted::new(|_| true, |_, _| (seconds(1), Ok(()))),
    );
    let pool = pool_over(&[Arc::clone(&bad) as _, Arc::clone(&good) as _], &Told::default());
    let failed = debate(&pool, "a").await.failed;
    let asked = [&bad.asked, &good.asked].map(|it| it.load(Ordering::Relaxed));
    assert_eq!((failed, asked), (1, [1, 5]));
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_fails_every_call_harms_no_debate_while_another_works() {
    for fault in FAULTS {
        let told = Told::default();
        let pool = pool_over(&[failing(0, 9999, fault), well()], &told);
        let began = Instant::now();
        let outcomes = debates(&pool, &EIGHT).await;
        let failed: usize = outcomes.iter().map(|it| it.failed).sum();
        assert!(failed <= 2, "{fault:?}: {outcomes:?}");
        assert!(outcomes.iter().all(|it| it.gave_up == 0 && !it.parked));
        assert!(began.elapsed() < seconds(20), "{:?}", began.elapsed());
        let line = "gpu0 is failing with m: it failed; sending its calls to the other servers, giving up after 1m (--model-timeout)";
        assert_eq!(told.lines(), [line]);
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_hangs_is_tried_by_one_call_at_a_time_while_another_works() {
    let hanging = Scripted::new(
        |_| true,
        |_, n| match n {
            0..4 => (Duration::from_millis(20), Err(Fault::ServerError)),
            _ => (seconds(100), Err(Fault::Timeout)),
        },
    );
    let slow = Scripted::new(|_| true, |_, _| (seconds(20), Ok(())));
    let pool = pool_over(&[Arc::clone(&hanging) as _, slow], &Told::default());
    let outcomes = debates(&pool, &EIGHT).await;
    assert!(outcomes.iter().all(|it| it.gave_up == 0 && !it.parked));
    let asked = hanging.asked.load(Ordering::Relaxed);
    assert!(asked <= 4 + 1, "{asked}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_hangs_does_not_hold_up_the_last_debates_while_another_is_idle() {
    let hanging = Scripted::new(
        |_| true,
        |_, n| match n {
            0..4 => (Duration::from_millis(20), Err(Fault::ServerError)),
            _ => (seconds(1800), Err(Fault::Timeout)),
        },
    );
    let pool = pool_over(&[Arc::clone(&hanging) as _, well()], &Told::default());
    let began = Instant::now();
    let outcomes = debates(&pool, &EIGHT).await;
    assert!(outcomes.iter().all(|it| it.gave_up == 0 && !it.parked));
    let asked = hanging.asked.load(Ordering::Relaxed);
    assert!(asked > 4, "it was tried while the other one was busy");
    assert!(began.elapsed() < seconds(60), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_fails_calls_of_all_debates_is_waited_for() {
    for fault in FAULTS {
        let told = Told::default();
        let pool = pool_over(&[failing(3, 40, fault)], &told);
        let outcomes = debates(&pool, &EIGHT).await;
        assert!(outcomes.iter().all(|it| *it == Outcome::CLEAN), "{outcomes:?}");
        let lines = told.lines();
        assert_eq!(lines.len(), 2, "{lines:?}");
        let waiting =
            "waiting for the server with m: it failed; giving up after 1m (--model-timeout)";
        assert_eq!(lines[0], waiting);
        assert!(lines[1].starts_with("the server answers again after"));
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_fails_all_calls_for_good_leaves_debates_unfinished_and_costs_no_attempt()
 {
    let told = Told::default();
    let pool = pool_over(&[failing(0, 9999, Fault::ServerError)], &told);
    let outcomes = debates(&pool, &EIGHT).await;
    let unfinished = Outcome { parked: true, ..Outcome::CLEAN };
    assert!(outcomes.iter().all(|it| *it == unfinished), "{outcomes:?}");
    assert_eq!(told.lines().len(), 2, "{:?}", told.lines());
}

/// A reply of ten seconds is under way when the server begins to fail.
#[tokio::test(start_paused = true)]
async fn j10c_a_reply_begun_before_a_server_failed_does_not_end_the_wait() {
    let began = Instant::now();
    let answer = move |request: &Request, _: usize| match began.elapsed() {
        _ if request.call == "long/1" => (seconds(10), Ok(())),
        at if at < seconds(40) => (Duration::from_millis(20), Err(Fault::ServerError)),
        _ => (Duration::from_millis(700), Ok(())),
    };
    let told = Told::default();
    let pool = pool_over(&[Scripted::new(|_| true, answer) as _], &told);
    let outcomes = debates(&pool, &["long", "a", "b", "c", "d", "e"]).await;
    assert!(outcomes.iter().all(|it| *it == Outcome::CLEAN), "{outcomes:?}");
    assert_eq!(told.lines().len(), 2, "{:?}", told.lines());
}

#[tokio::test(start_paused = true)]
async fn j10c_two_servers_that_fail_all_calls_are_both_waited_for() {
    let servers = [failing(2, 30, Fault::ServerError), failing(2, 50, Fault::ServerError)];
    let told = Told::default();
    let pool = pool_over(&servers, &told);
    let outcomes = debates(&pool, &EIGHT).await;
    assert!(outcomes.iter().all(|it| it.gave_up == 0 && !it.parked), "{outcomes:?}");
}

#[tokio::test(start_paused = true)]
async fn m2_what_fails_a_single_debate_alone_are_its_attempts() {
    let told = Told::default();
    let pool = pool_over(&[failing(0, 9999, Fault::ServerError)], &told);
    let outcome = debate(&pool, "a").await;
    assert_eq!((outcome.failed, outcome.gave_up), (15, 5));
    assert_eq!(told.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn m2_what_every_server_fails_is_over_after_three_attempts() {
    let always = || failing(0, 9999, Fault::ServerError);
    let pool = pool_over(&[always(), always()], &Told::default());
    let handle = PoolHandle::new(&pool);
    for _ in 0..3 {
        let outcome = ask(&handle, &request()).await;
        assert_eq!(fault_of(outcome), Fault::ServerError);
    }
}

/// A server whose runner crashes in a call named `bad/…`, and takes the calls beside it with it.
struct Crashing {
    crashes: watch::Sender<usize>,
    takes: Duration,
}

impl Crashing {
    fn new(takes: Duration) -> Arc<Self> {
        Arc::new(Self { crashes: watch::Sender::new(0), takes })
    }
}

impl Model for Crashing {
    fn chat<'a>(&'a self, request: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        let mut crashes = self.crashes.subscribe();
        Box::pin(async move {
            if request.call.starts_with("bad") {
                sleep(Duration::from_millis(300)).await;
                self.crashes.send_modify(|it| *it += 1);
                return Err(CallError::new(Fault::ServerError, "it crashed").into());
            }
            tokio::select! {
                _ = crashes.changed() => Err(CallError::new(Fault::ServerError, "unexpected EOF").into()),
                () = sleep(self.takes) => Ok(reply("well")),
            }
        })
    }
}

/// The debate `bad`, whose calls crash the runner, beside others.
async fn beside_bad(others: &[&str], takes: Duration) -> (Outcome, Vec<Outcome>, Duration) {
    let server = Crashing::new(takes);
    let pool = pool_over(&[server as _], &Told::default());
    let began = Instant::now();
    let ended = |outcome| (outcome, began.elapsed());
    let bad = async { ended(debate(&pool, "bad").await) };
    let ((bad, took), others) = tokio::join!(bad, debates(&pool, others));
    (bad, others, took)
}

#[tokio::test(start_paused = true)]
async fn m2_a_debate_that_crashes_the_runner_ends_and_the_others_go_on() {
    for takes in [1, 20, 90] {
        let (bad, others, took) = beside_bad(&EIGHT, seconds(takes)).await;
        assert_eq!((bad.gave_up, bad.parked), (5, false), "{takes}: {bad:?}");
        assert!(others.iter().all(|it| !it.parked), "{takes}: {others:?}");
        let harmed = others.iter().filter(|it| it.gave_up > 0).count();
        assert!(harmed <= 3, "{takes}: {others:?}");
        assert!(took < seconds(takes * 60 + 600), "{takes}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn m2_a_call_that_fails_while_others_are_answered_has_its_three_attempts() {
    let fails = |request: &Request, _: usize| {
        if request.call.starts_with("bad") {
            (Duration::from_millis(10), Err(Fault::ServerError))
        } else {
            (seconds(1), Ok(()))
        }
    };
    let server = Scripted::new(|_| true, fails);
    let told = Told::default();
    let pool = pool_over(&[Arc::clone(&server) as _], &told);
    let outcomes = debates(&pool, &["bad", "a", "b", "c", "d"]).await;
    assert_eq!((outcomes[0].failed, outcomes[0].gave_up), (15, 5));
    assert!(outcomes[1..].iter().all(|it| *it == Outcome::CLEAN));
    assert_eq!(told.lines(), [""; 0]);
}

/// Other calls keep looking at the model's card meanwhile.
async fn with_cards<T>(pool: &Arc<ServerPool>, work: impl Future<Output = T>) -> T {
    let cards = async {
        loop {
            let _ = PoolHandle::new(pool).card("m").await;
            sleep(Duration::from_millis(70)).await;
        }
    };
    tokio::select! {
        done = work => done,
        never = cards => never,
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_an_answer_about_a_model_does_not_show_that_it_runs() {
    for fault in [Fault::LoadFailed, Fault::Busy, Fault::ForeignServer] {
        let (told, began) = (Told::default(), Instant::now());
        let pool = pool_over(&[failing(0, 9999, fault)], &told);
        let asked = with_cards(&pool, debates(&pool, &EIGHT[..3]));
        let outcomes = asked.await;
        assert!(outcomes.iter().all(|it| it.parked), "{fault:?}");
        assert_eq!(told.lines().len(), 2, "{fault:?}: {:?}", told.lines());
        let took = began.elapsed().as_secs();
        assert!((60..80).contains(&took), "{fault:?}: {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_model_that_runs_again_is_found_although_others_ask_about_it() {
    let told = Told::default();
    let pool = pool_over(&[failing(0, 30, Fault::LoadFailed)], &told);
    let outcomes = with_cards(&pool, debates(&pool, &EIGHT[..3])).await;
    assert!(outcomes.iter().all(|it| *it == Outcome::CLEAN));
    assert_eq!(told.lines().len(), 2, "{:?}", told.lines());
}

/// A server that fails all calls to `m`, and none to `other`.
fn failing_m(told: &Told) -> Arc<ServerPool> {
    let answer = |request: &Request, _: usize| match request.model.as_str() {
        "m" => (Duration::from_millis(20), Err(Fault::ServerError)),
        _ => (seconds(5), Ok(())),
    };
    pool_over(&[Scripted::new(|_| true, answer) as _], told)
}

fn outlook(pool: &ServerPool, model: &str) -> Outlook {
    pool.outlook([model].into_iter())
}

#[tokio::test(start_paused = true)]
async fn j10c_no_more_debates_are_wanted_for_a_model_that_is_waited_for() {
    let pool = failing_m(&Told::default());
    let looks = async {
        for second in 0..50 {
            sleep(seconds(1)).await;
            let seen = ["m", "other"].map(|model| outlook(&pool, model));
            assert_eq!(seen, [Outlook::Awaited, Outlook::Served], "{second}");
        }
    };
    tokio::join!(looks, debates(&pool, &EIGHT[..4]));
    assert_eq!(outlook(&pool, "m"), Outlook::Served, "it was given up");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_model_that_no_debate_tries_any_more_is_tried_by_a_new_one() {
    let pool = failing_m(&Told::default());
    let asked = timeout(seconds(20), debates(&pool, &EIGHT[..4]));
    assert!(asked.await.is_err());
    assert_eq!(outlook(&pool, "m"), Outlook::Awaited);
    sleep(seconds(25)).await;
    assert_eq!(outlook(&pool, "m"), Outlook::Served);
}
