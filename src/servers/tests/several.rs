//! Where calls go when one of several servers fails.

use super::*;
use crate::servers::pooled_server::PooledServer;
use crate::servers::routing::{Call, Need, Route, route};
use crate::stop::Stop;

/// Two servers of which the first or both stall.
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
    let (one, _two, again_one) =
        (PoolHandle::new(&pool), PoolHandle::new(&pool), PoolHandle::new(&pool));
    let (began, request) = (Instant::now(), request());
    let queued = async {
        let outcome = ask(&again_one, &request).await;
        (outcome.unwrap(), began.elapsed() < seconds(5))
    };
    let (_, queued) = tokio::join!(ask(&one, &request), queued);
    assert_eq!(queued, ("well".to_owned(), true));
    let first = told.lines().remove(0);
    assert!(first.contains("; sending its calls to the other servers, "), "{first}");
}

#[tokio::test(start_paused = true)]
async fn j10c_where_no_server_can_take_a_call_none_is_promised() {
    let told = Told::default();
    let pool = two_servers(true, &told);
    let (one, two, request) = (PoolHandle::new(&pool), PoolHandle::new(&pool), request());
    let both = tokio::join!(ask(&one, &request), ask(&two, &request));
    assert!(both.0.is_ok() && both.1.is_ok());
    let lines = told.lines();
    assert!(lines[1].contains("; no other server can take its calls now, "), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_comes_back_between_two_looks_parks_no_debate() {
    let well = || Scripted::new(|_| true, |_, _| (seconds(1), Ok(())));
    let servers = ["one", "two"].map(|name| PooledServer::new(name.to_owned(), well(), false));
    let fail = |at: usize| {
        let (error, scope) =
            (CallError::new(Fault::ServerError, "it failed"), Scope::Model("m".to_owned()));
        servers[at].breaker.trip(scope, &error, SeenBy::Call, None, |_, _| String::new());
    };
    fail(0);
    let stop = Stop::default();
    let call = Call {
        debate: 1,
        model: "m",
        digest: None,
        need: Need::Must,
        takes_slot: true,
        past: None,
        stop: &stop,
    };
    // While it looks at the first, for which the second can stand in, these two change places.
    let is_idle = |at: usize| {
        if at == 1 {
            servers[0].breaker.close(Some("m"), Instant::now(), true);
            fail(1);
        }
        true
    };
    let route = route(&servers, 0, call, false, |_| false, is_idle);
    assert!(matches!(route, Ok(Route::Wait(_, false))));
}
