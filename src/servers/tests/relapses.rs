//! Servers that fail, work and fail again all night.

use std::time::Duration;

use futures_util::future::join_all;

use super::super::breaker::Admission;
use super::*;

/// A server that answers calls for text and refuses those for JSON.
fn refusing_json() -> Arc<dyn Model> {
    Scripted::new(
        |_| true,
        |request, _| {
            if request.call.ends_with("json") {
                (Duration::from_millis(20), Err(Fault::BadRequest))
            } else {
                (seconds(1), Ok(()))
            }
        },
    )
}

/// A debate that asks for text once, then for JSON three times, and so on.
async fn debate(pool: &Arc<ServerPool>, name: usize) {
    let handle = PoolHandle::new(pool);
    for number in 0..400 {
        let kind = if number % 4 == 0 { "text" } else { "json" };
        let request = Request { call: format!("{name}/{number}/{kind}"), ..request() };
        ask(&handle, &request).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn m2_a_server_that_refuses_one_kind_of_call_is_told_of_now_and_then() {
    let sound = Scripted::new(|_| true, |_, _| (seconds(1), Ok(())));
    let servers = vec![("gpu0".to_owned(), refusing_json()), ("gpu1".to_owned(), sound as _)];
    let (told, began) = (Told::default(), Instant::now());
    let pool = Arc::new(pool_of(servers, 2, told.tell()));
    join_all((0..8).map(|name| debate(&pool, name))).await;
    assert!(began.elapsed() > seconds(600), "{:?}", began.elapsed());
    let lines = told.lines();
    assert!((2..=4).contains(&lines.len()), "{lines:#?}");
    assert!(lines[0].starts_with("gpu0 is failing with m: "), "{lines:#?}");
    let sums = pool.sums();
    let [bad, sound] = &sums[..] else {
        panic!("{sums:?}");
    };
    assert!(bad.failed > 8 && sound.failed == 0, "{sums:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_is_full_now_and_then_costs_a_short_pause_each_time() {
    let server = Scripted::new(
        |_| true,
        |_, asked| {
            let outcome = if asked % 2 == 0 { Err(Fault::Busy) } else { Ok(()) };
            (Duration::from_millis(100), outcome)
        },
    );
    let (told, began) = (Told::default(), Instant::now());
    let pool = Arc::new(pool(server, told.tell()));
    let handle = PoolHandle::new(&pool);
    for number in 0..100 {
        let request = Request { call: number.to_string(), ..request() };
        assert_eq!(ask(&handle, &request).await.unwrap(), "well");
    }
    assert!(began.elapsed() < seconds(90), "{:?}", began.elapsed());
    let lines = told.lines();
    let again = "the server answers again after 1 s (m); short failures are not told again within 10 minutes";
    assert_eq!((lines.len(), lines[1].as_str()), (2, again), "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_failure_that_comes_back_is_told_if_it_lasts_or_after_ten_minutes() {
    let breaker = CircuitBreaker::default();
    let trip = || {
        let scope = Scope::Model("m".to_owned());
        let error = CallError::new(Fault::LoadFailed, "it failed");
        breaker.trip(scope, &error, SeenBy::Call, None, |it, _| it.to_owned()).is_news
    };
    let close = || breaker.close(Some("m"), Instant::now(), true).map(|(lasted, _)| lasted);
    for time in 1..=6 {
        assert_eq!(trip(), time == 1);
        sleep(seconds(1)).await;
        breaker.begin_trial("m", true);
        assert_eq!(close(), (time == 1).then_some(seconds(1)));
        sleep(seconds(1)).await;
    }
    assert!(!trip());
    assert_eq!(breaker.admission("m"), Admission::Open(Instant::now() + seconds(2)));
    sleep(seconds(301)).await;
    assert_eq!((trip(), trip()), (true, false));
    assert_eq!(close(), Some(seconds(301)));
    sleep(seconds(600)).await;
    assert!(trip(), "it was well for long");
}
