//! Servers that fail, work and fail again all night.

use std::time::Duration;

use futures_util::future::join_all;

use super::super::relapses::{self, PastFailure, Times};
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
async fn m2_a_server_that_refuses_one_kind_of_call_is_told_of_ever_more_rarely() {
    let sound = Scripted::new(|_| true, |_, _| (seconds(1), Ok(())));
    let servers = vec![("gpu0".to_owned(), refusing_json()), ("gpu1".to_owned(), sound as _)];
    let (told, began) = (Told::default(), Instant::now());
    let pool = Arc::new(pool_of(servers, 2, told.tell()));
    join_all((0..8).map(|name| debate(&pool, name))).await;
    assert!(began.elapsed() > seconds(600), "{:?}", began.elapsed());
    let lines = told.lines();
    assert!((7..=20).contains(&lines.len()), "{lines:#?}");
    let again = "gpu0 is failing with m again (4 times in ";
    assert!(lines[6].starts_with(again), "{lines:#?}");
    let sums = pool.sums();
    let [bad, sound] = &sums[..] else {
        panic!("{sums:?}");
    };
    assert!(bad.failed > 8 && sound.failed == 0, "{sums:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_failure_that_came_back_untold_is_told_once_it_lasts() {
    let breaker = CircuitBreaker::default();
    let trip = || {
        let scope = Scope::Model("m".to_owned());
        let tripped = breaker.trip(scope, "it failed", SeenBy::Call, None, str::to_owned);
        tripped.news.map(|times| times.count)
    };
    let close = || breaker.close(Some("m"), Instant::now(), true).map(|(lasted, _)| lasted);
    for time in 1..=6 {
        let news = trip();
        assert_eq!(news, (time <= 4).then_some(time));
        sleep(seconds(1)).await;
        assert_eq!(close(), news.map(|_| seconds(1)));
        sleep(seconds(1)).await;
    }
    assert_eq!(trip(), None);
    sleep(seconds(301)).await;
    assert_eq!((trip(), trip()), (Some(7), None));
    assert_eq!(close(), Some(seconds(301)));
    sleep(seconds(600)).await;
    assert_eq!(trip(), Some(1), "it was well for long");
}

#[tokio::test(start_paused = true)]
async fn j10c_the_pause_of_a_failure_that_comes_back_shrinks_as_it_stays_away() {
    let shortest = Duration::from_millis(500);
    for (away, pause) in [(1, 8.0), (59, 8.0), (125, 2.0), (590, 0.5), (601, 0.5)] {
        let (count, since) = (1, Instant::now());
        let past = PastFailure::new(Times { count, since }, seconds(8));
        sleep(seconds(away)).await;
        let (times, first) = relapses::begin(Some(past), shortest);
        let again = if away < 600 { 2 } else { 1 };
        assert_eq!((times.count, first.as_secs_f64()), (again, pause), "{away}");
    }
}
