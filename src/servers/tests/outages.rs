//! Row J10c: how long each kind of failure is waited out, and what other calls do meanwhile.

use super::*;

const HOUR: u64 = 3600;

/// Waits for up to three days.
async fn ask_for_days(handle: &PoolHandle, request: &Request) -> Result<String, NoReply> {
    let reply = timeout(seconds(72 * HOUR), handle.chat(request, &|_| {})).await;
    Ok(reply.expect("it ends")?.text)
}

fn parked(outcome: Result<String, NoReply>) -> String {
    match outcome {
        Err(NoReply::Parked(cause)) => cause,
        other => panic!("a parked debate, not {other:?}"),
    }
}

/// A server that is down for the first `away` seconds.
fn away_for(away: u64) -> Arc<dyn Model> {
    let began = Instant::now();
    Scripted::new(
        move |at| at >= seconds(away),
        move |_, _| {
            let there = began.elapsed() >= seconds(away);
            let outcome = if there { Ok(()) } else { Err(Fault::NoConnection) };
            (Duration::from_millis(100), outcome)
        },
    )
}

/// A server that is up and gives every call this outcome.
fn always(outcome: Result<(), Fault>) -> Arc<dyn Model> {
    Scripted::new(|_| true, move |_, _| (seconds(1), outcome))
}

fn alone(server: Arc<dyn Model>, outage: Option<Duration>, told: &Told) -> Arc<ServerPool> {
    let servers = vec![("gpu".to_owned(), server)];
    Arc::new(ServerPool::new(servers, config(outage, told.tell())))
}

#[tokio::test(start_paused = true)]
async fn j10c_while_no_server_answers_it_is_waited_for_without_limit() {
    let told = Told::default();
    let pool = alone(away_for(5 * HOUR), None, &told);
    assert_eq!(ask_for_days(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
    let lines = told.lines();
    let waiting = "waiting for the server: it failed; without limit (--outage-timeout never)";
    assert_eq!((lines.len(), lines[0].as_str()), (2, waiting), "{lines:?}");
    assert!(lines[1].starts_with("the server answers again after 1800"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_an_outage_timeout_parks_when_it_has_passed_and_0_at_once() {
    for (limit, said) in [(0, "0s"), (1800, "30m")] {
        let (told, began) = (Told::default(), Instant::now());
        let pool = alone(away_for(5 * HOUR), Some(seconds(limit)), &told);
        let cause = parked(ask_for_days(&PoolHandle::new(&pool), &request()).await);
        let wanted = format!("gave up on the server after {said} (--outage-timeout): it failed");
        assert_eq!(cause, wanted);
        let after = began.elapsed().as_secs();
        assert!((limit..=limit + 3).contains(&after), "{after}");
        assert_eq!(pool.outlook(["m"].into_iter()), Outlook::GivenUp);
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_model_that_no_server_has_is_lacking_for_some_time() {
    let pool = alone(always(Err(Fault::ModelNotFound)), None, &Told::default());
    let cause = parked(ask_for_days(&PoolHandle::new(&pool), &request()).await);
    let outlook = || pool.outlook(["m"].into_iter());
    assert_eq!(outlook(), Outlook::Lacking);
    assert_eq!(pool.given_up(["m"].into_iter()), cause);
    sleep(seconds(301)).await;
    assert_eq!(outlook(), Outlook::Served, "it may have been pulled");
}

/// A server without models from the tenth second until another one.
fn emptied(until: u64) -> Arc<dyn Model> {
    let began = Instant::now();
    Scripted::new(
        |_| true,
        move |_, _| {
            let is_empty = (seconds(10)..seconds(until)).contains(&began.elapsed());
            (seconds(1), if is_empty { Err(Fault::ModelNotFound) } else { Ok(()) })
        },
    )
}

#[tokio::test(start_paused = true)]
async fn j10c_a_model_that_answered_and_is_then_not_found_is_waited_for() {
    let told = Told::default();
    let pool = alone(emptied(40), None, &told);
    let handle = PoolHandle::new(&pool);
    for _ in 0..2 {
        assert_eq!(ask_for_days(&handle, &request()).await.unwrap(), "well");
        sleep(seconds(10)).await;
    }
    let lines = told.lines();
    let waiting = "waiting for the server with m: it failed; giving up after 1m (--model-timeout)";
    assert_eq!((lines.len(), lines[0].as_str()), (2, waiting), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_models_that_are_lost_together_have_one_cause_which_is_told_once() {
    let told = Told::default();
    let pool = alone(emptied(u64::MAX), None, &told);
    let (one, two) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let (on_m, on_other) = (request(), on_other_model());
    let both = || async { tokio::join!(ask_for_days(&one, &on_m), ask_for_days(&two, &on_other)) };
    let (well, well_too) = both().await;
    assert!(well.is_ok() && well_too.is_ok());
    sleep(seconds(10)).await;
    let (gone, gone_too) = both().await;
    let cause = "the server has no models m and other any more: restore them there";
    assert_eq!([parked(gone), parked(gone_too)], [cause; 2]);
    assert_eq!(pool.given_up(["m", "other"].into_iter()), cause);
    assert_eq!(pool.remedies(), ["restore models m and other on the server"]);
    let lines = told.lines();
    assert_eq!(lines.iter().filter(|line| *line == cause).count(), 1, "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_model_that_is_lost_again_is_told_of_again_with_what_helps() {
    let began = Instant::now();
    let server = Scripted::new(
        |_| true,
        move |_, _| {
            let is_lost = began.elapsed().as_secs() % HOUR >= 10;
            (seconds(1), if is_lost { Err(Fault::ModelNotFound) } else { Ok(()) })
        },
    );
    let told = Told::default();
    let pool = alone(server, None, &told);
    let handle = PoolHandle::new(&pool);
    let cause = "the server has no model m: mend it";
    for _ in 0..2 {
        assert_eq!(ask_for_days(&handle, &request()).await.unwrap(), "well");
        assert_eq!(pool.remedies(), [""; 0]);
        sleep(seconds(10)).await;
        assert_eq!(parked(ask_for_days(&handle, &request()).await), cause);
        assert_eq!(pool.remedies(), ["mend it"]);
        let next_hour = HOUR - began.elapsed().as_secs() % HOUR;
        sleep(seconds(next_hour)).await;
    }
    let lines = told.lines();
    assert_eq!(lines.iter().filter(|line| *line == cause).count(), 2, "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_what_helps_is_told_of_a_model_that_no_server_serves() {
    let servers = || ["gpu0", "gpu1"].map(str::to_owned).into_iter();
    let (refuses, serves) = (|| always(Err(Fault::Forbidden)), || always(Ok(())));
    for (models, remedies) in
        [([refuses(), serves()], &[][..]), ([refuses(), refuses()], &["for gpu0, mend it"][..])]
    {
        let servers = servers().zip(models).collect();
        let pool = Arc::new(ServerPool::new(servers, config(None, Told::default().tell())));
        let asked = ask(&PoolHandle::new(&pool), &request()).await;
        assert_eq!(asked.is_err(), !remedies.is_empty(), "{asked:?}");
        assert_eq!(pool.remedies(), remedies);
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_what_helps_with_a_model_outlasts_other_failures_and_an_outage() {
    let began = Instant::now();
    let at = move |_: &Request, _| {
        let outcome = match began.elapsed().as_secs() {
            0..300 => Err(Fault::Forbidden),
            300..HOUR => Err(Fault::Busy),
            HOUR..7200 => Err(Fault::NoConnection),
            _ => Ok(()),
        };
        (seconds(1), outcome)
    };
    let pool = alone(Scripted::new(|_| true, at), None, &Told::default());
    let handle = PoolHandle::new(&pool);
    for until in [400, HOUR] {
        assert!(parked(ask_for_days(&handle, &request()).await).contains("mend it"));
        assert_eq!(pool.remedies(), ["mend it"]);
        sleep(seconds(until) - began.elapsed()).await;
    }
    let asked = timeout(seconds(30), ask_for_days(&handle, &request())).await;
    assert!(asked.is_err(), "it is waited for");
    assert_eq!(pool.remedies(), ["mend it"]);
    sleep(seconds(7200) - began.elapsed()).await;
    assert_eq!(ask_for_days(&handle, &request()).await.unwrap(), "well");
    assert_eq!(pool.remedies(), [""; 0]);
}

/// A server that is full for so long, and says how long it will be.
struct Resting {
    began: Instant,
    until: Duration,
    asked: AtomicUsize,
}

impl Model for Resting {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let left = self.until.saturating_sub(self.began.elapsed());
        Box::pin(async move {
            if left.is_zero() {
                return Ok(reply("well"));
            }
            Err(CallError { wait: Some(left), ..CallError::new(Fault::Busy, "it is full") }.into())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_the_wait_that_a_server_names_counts_instead_of_the_limit_for_up_to_an_hour() {
    for (minutes, is_answered) in [(24, true), (120, false)] {
        let (began, until) = (Instant::now(), seconds(minutes * 60));
        let server = Arc::new(Resting { began, until, asked: AtomicUsize::new(0) });
        let told = Told::default();
        let pool = alone(Arc::clone(&server) as _, None, &told);
        let outcome = ask_for_days(&PoolHandle::new(&pool), &request()).await;
        assert_eq!(outcome.is_ok(), is_answered, "{outcome:?}");
        assert_eq!(server.asked.load(Ordering::Relaxed), 2, "it is left alone until then");
        assert_eq!(began.elapsed().as_secs(), until.as_secs().min(HOUR));
        let waiting = "waiting for the server with m: it is full; it asks to wait ";
        assert!(told.lines()[0].starts_with(waiting), "{:?}", told.lines());
        let in_vain = "gave up on the server with m after 1h (Retry-After): it is full";
        assert_eq!(told.lines().contains(&in_vain.to_owned()), !is_answered);
        let ends =
            told.lines()[0].ends_with("; it asks to wait 2h, giving up after 1h (Retry-After)");
        assert_eq!(ends, !is_answered, "{:?}", told.lines());
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_models_own_trouble_keeps_its_limit() {
    for fault in [Fault::LoadFailed, Fault::Busy] {
        let told = Told::default();
        let pool = alone(always(Err(fault)), None, &told);
        let cause = parked(ask_for_days(&PoolHandle::new(&pool), &request()).await);
        let in_trouble = "gave up on the server with m after 1m (--model-timeout): it failed";
        assert_eq!(cause, in_trouble);
        let waiting =
            "waiting for the server with m: it failed; giving up after 1m (--model-timeout)";
        assert_eq!(told.lines(), [waiting, in_trouble]);
        assert_eq!(pool.outlook(["m"].into_iter()), Outlook::Served, "others may go on");
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_an_outage_does_not_count_as_a_models_own_trouble() {
    let began = Instant::now();
    let is_away = |at: u64| (20..2 * HOUR).contains(&at);
    let server = Scripted::new(
        move |at| !is_away(at.as_secs()),
        move |_, _| {
            let at = began.elapsed().as_secs();
            let outcome = match at {
                _ if is_away(at) => Err(Fault::NoConnection),
                _ if at < 2 * HOUR + 30 => Err(Fault::LoadFailed),
                _ => Ok(()),
            };
            (Duration::from_millis(100), outcome)
        },
    );
    let pool = alone(server, None, &Told::default());
    assert_eq!(ask_for_days(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_request_that_alone_brings_its_server_down_is_an_attempt_after_three_rounds() {
    let (began, killed) = (Instant::now(), Arc::new(Mutex::new(None)));
    let kills = Arc::clone(&killed);
    let there = move |at: Duration| {
        let last: Option<Duration> = *killed.lock().unwrap();
        last.is_none_or(|last| !(last..last + seconds(60)).contains(&at))
    };
    let server = Scripted::new(there, move |_, _| {
        *kills.lock().unwrap() = Some(began.elapsed() + seconds(1));
        (seconds(1), Err(Fault::BrokenStream))
    });
    let pool = alone(Arc::clone(&server) as _, None, &Told::default());
    let outcome = ask_for_days(&PoolHandle::new(&pool), &request()).await;
    assert_eq!(fault_of(outcome), Fault::BrokenStream);
    assert_eq!(server.asked.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_request_that_finds_no_connection_again_and_again_is_never_an_attempt() {
    let refused = AtomicUsize::new(0);
    let server = Scripted::new(
        |_| true,
        move |request, _| {
            let outcome = match request.call.as_str() {
                "unlucky" if refused.fetch_add(1, Ordering::Relaxed) < 20 => {
                    Err(Fault::NoConnection)
                }
                _ => Ok(()),
            };
            (Duration::from_millis(10), outcome)
        },
    );
    let pool = alone(server, None, &Told::default());
    let (handle, other) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let unlucky = Request { call: "unlucky".into(), ..request() };
    let lucky = async {
        loop {
            assert_eq!(ask(&other, &request()).await.unwrap(), "well");
        }
    };
    tokio::select! {
        outcome = ask_for_days(&handle, &unlucky) => assert_eq!(outcome.unwrap(), "well"),
        () = lucky => {}
    }
}

/// A pool of a server that is down and one that works but lacks the model `m`.
fn one_gone(outage: Option<Duration>, told: &Told) -> Arc<ServerPool> {
    let lacking = Scripted::new(
        |_| true,
        |request, _| {
            let lacks = request.model == "m";
            let outcome = if lacks { Err(Fault::ModelNotFound) } else { Ok(()) };
            (seconds(1), outcome)
        },
    );
    let servers = vec![("gone".to_owned(), away_for(2 * HOUR)), ("there".to_owned(), lacking as _)];
    Arc::new(ServerPool::new(servers, config(outage, told.tell())))
}

fn on_other_model() -> Request {
    Request { model: "other".into(), ..request() }
}

#[tokio::test(start_paused = true)]
async fn j10c_what_only_a_gone_server_can_serve_waits_for_it_while_others_work() {
    let pool = one_gone(None, &Told::default());
    let (one, two) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let work = async {
        let mut done = 0;
        while pool.outlook(["m"].into_iter()) != Outlook::Served || done == 0 {
            assert_eq!(ask(&two, &on_other_model()).await.unwrap(), "well");
            done += 1;
            sleep(seconds(10)).await;
        }
        done
    };
    let request = request();
    let (waited, done) = tokio::join!(ask_for_days(&one, &request), work);
    assert_eq!(waited.unwrap(), "well");
    assert!(done > 600, "{done}");
}

#[tokio::test(start_paused = true)]
async fn j10c_with_a_limit_it_is_parked_only_when_nothing_else_is_left() {
    let began = Instant::now();
    let pool = one_gone(Some(seconds(60)), &Told::default());
    let (one, two) = (PoolHandle::new(&pool), PoolHandle::new(&pool));
    let work = async {
        for _ in 0..60 {
            assert_eq!(ask(&two, &on_other_model()).await.unwrap(), "well");
            sleep(seconds(9)).await;
        }
        let both = [pool.outlook(["m"].into_iter()), pool.outlook(["other", "m"].into_iter())];
        assert_eq!((pool.stuck(), both), (1, [Outlook::GivenUp; 2]));
        assert_eq!(pool.outlook(["other"].into_iter()), Outlook::Served);
        assert!(!pool.is_out());
        pool.set_idle(true);
    };
    let request = request();
    let (waited, ()) = tokio::join!(ask_for_days(&one, &request), work);
    let cause = parked(waited);
    assert!(cause.contains("gave up on gone after 1m (--outage-timeout): it failed"), "{cause}");
    assert!(cause.contains("there has no model m: mend it"), "{cause}");
    let after = began.elapsed().as_secs();
    assert!((600..605).contains(&after), "{after}");
    assert_eq!(pool.stuck(), 0);
}

#[tokio::test(start_paused = true)]
async fn j10c_while_nothing_else_is_left_the_limit_holds_all_the_same() {
    let began = Instant::now();
    let pool = one_gone(Some(seconds(600)), &Told::default());
    pool.set_idle(true);
    parked(ask_for_days(&PoolHandle::new(&pool), &request()).await);
    let after = began.elapsed().as_secs();
    assert!((600..605).contains(&after), "{after}");
}

#[tokio::test(start_paused = true)]
async fn a4_to_be_short_of_files_is_no_attempt_and_nobodys_trouble() {
    let server = Scripted::new(
        |_| true,
        |_, asked| {
            let short = asked < 9;
            let outcome = if short { Err(Fault::OutOfFiles) } else { Ok(()) };
            (Duration::ZERO, outcome)
        },
    );
    let told = Told::default();
    let pool = alone(Arc::clone(&server) as _, None, &told);
    assert_eq!(ask(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
    let line = "it failed; waiting: raise the limit (`ulimit -n`), or lower --max-debates or --concurrency";
    assert_eq!(told.lines(), [line]);
    assert_eq!(server.asked.load(Ordering::Relaxed), 10);
}

#[tokio::test(start_paused = true)]
async fn j10c_after_the_wait_that_a_server_named_the_limit_begins() {
    let breaker = CircuitBreaker::default();
    let trip = |wait| {
        let full = CallError { wait, ..CallError::new(Fault::Busy, "it is full") };
        let cause = |it: &str, asked: Duration| format!("{it} {}", asked.as_secs());
        let scope = Scope::Model("m".to_owned());
        breaker.trip(scope, &full, SeenBy::Call, Some(seconds(600)), cause).given_up
    };
    assert_eq!(trip(Some(seconds(900))), None);
    sleep(seconds(901)).await;
    assert_eq!(trip(None), None, "the wait was the server's own");
    sleep(seconds(600)).await;
    assert_eq!(trip(None).as_deref(), Some("it is full 900"));
}
