//! Servers that fall silent, and those that only seem to.

use super::*;

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_falls_silent_is_told_of_within_two_seconds_and_its_reply_is_kept() {
    let (began, told) = (Instant::now(), Told::default());
    let server = Scripted::new(|at| at >= seconds(10), |_, _| (seconds(30), Ok(())));
    let pool = Arc::new(pool(server, told.tell()));
    let said = ask(&PoolHandle::new(&pool), &request()).await.unwrap();
    assert_eq!((said.as_str(), began.elapsed().as_secs()), ("well", 30));
    let told = told.0.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    let line = "waiting for the server: gpu does not answer; giving up after 1m (--outage-timeout)";
    assert_eq!(told[0], (1750, line.to_owned()));
    assert!((10_000..12_000).contains(&told[1].0), "{told:?}");
    assert!(told[1].1.starts_with("the server answers again after "));
}

/// A server that is always up, but our process stalls for three seconds before it can read the answer to a probe.
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
    assert_eq!(ask(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
    assert_eq!(told.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn j10c_missed_probes_never_give_a_server_up_while_a_call_is_under_way() {
    // It misses its probes for a moment, and after the time limit for longer than that limit.
    let there =
        |at: Duration| !(2..5).contains(&at.as_secs()) && !(70..200).contains(&at.as_secs());
    let server = Scripted::new(there, |_, _| (seconds(300), Ok(())));
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    let (one, other, request) = (PoolHandle::new(&pool), PoolHandle::new(&pool), request());
    let both = tokio::join!(ask(&one, &request), ask(&other, &request));
    assert_eq!((both.0.unwrap(), both.1.unwrap()), ("well".into(), "well".into()));
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
    assert_eq!(ask(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
    let told = told.0.lock().unwrap();
    let last = (30_000, "the server answers again after 29 s".to_owned());
    assert_eq!((told.len(), &told[1]), (2, &last), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_probe_missed_long_after_a_failed_call_is_the_beginning_of_new_trouble() {
    let breaker = CircuitBreaker::default();
    let trip = |seen| {
        let away = CallError::new(Fault::NoConnection, "away");
        let cause = |it: &str, _| it.to_owned();
        breaker.trip(Scope::Absence, &away, seen, Some(seconds(60)), cause)
    };
    assert!(trip(SeenBy::Call).is_news);
    assert_eq!(breaker.mark_alive(), None, "an answer to a call has to show it");
    sleep(seconds(70)).await;
    assert_eq!(trip(SeenBy::Probe).given_up, None);
    assert!(trip(SeenBy::Call).given_up.is_none());
    assert_eq!(breaker.mark_alive(), None);
    sleep(seconds(70)).await;
    let given_up = trip(SeenBy::Call).given_up;
    assert_eq!(given_up.as_deref(), Some("away"), "no call was answered");
}
