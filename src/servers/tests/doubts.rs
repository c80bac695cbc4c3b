//! Failures that may be due to the request or to the server.

use futures_util::future::join_all;

use super::*;

/// A server that fails every call until that second.
fn failing_until(second: u64, fault: Fault) -> Arc<dyn Model> {
    let began = Instant::now();
    Scripted::new(
        |_| true,
        move |_, _| {
            if began.elapsed() < seconds(second) {
                (Duration::from_millis(20), Err(fault))
            } else {
                (seconds(1), Ok(()))
            }
        },
    )
}

fn two(first: Arc<dyn Model>, second: Arc<dyn Model>, told: &Told) -> Arc<ServerPool> {
    let servers = vec![("gpu0".to_owned(), first), ("gpu1".to_owned(), second)];
    Arc::new(pool_of(servers, 4, told.tell()))
}

/// A debate of five calls with three attempts each, as a floor makes them. Returns how often it asked again, and how many
/// calls got no usable reply.
async fn debate(pool: &Arc<ServerPool>, name: String) -> (usize, usize) {
    let (handle, mut again, mut gave_up) = (PoolHandle::new(pool), 0, 0);
    for number in 1..=5 {
        for attempt in 1..=3 {
            let request = Request { call: format!("{name}/{number}"), attempt, ..request() };
            if ask(&handle, &request).await.is_ok_and(|it| !it.is_empty()) {
                break;
            }
            again += usize::from(attempt < 3);
            gave_up += usize::from(attempt == 3);
        }
    }
    (again, gave_up)
}

/// So much of eight debates together.
async fn debates(pool: &Arc<ServerPool>) -> (usize, usize) {
    let each = (0..8).map(|number| debate(pool, number.to_string()));
    let outcomes = join_all(each).await.into_iter();
    outcomes.fold((0, 0), |all, it| (all.0 + it.0, all.1 + it.1))
}

#[tokio::test(start_paused = true)]
async fn m2_a_call_that_one_server_refuses_goes_to_another_within_its_attempt() {
    let told = Told::default();
    let bad = failing_until(9999, Fault::BadRequest);
    let pool = two(bad, failing_until(0, Fault::BadRequest), &told);
    assert_eq!(debates(&pool).await, (0, 0));
    let line = "gpu0 is failing with m: it failed; sending its calls to the other servers, giving up after 1m (--model-timeout)";
    assert_eq!(told.lines(), [line]);
}

#[tokio::test(start_paused = true)]
async fn m2_what_every_server_refuses_is_asked_once_of_each() {
    let refusing = || Scripted::new(|_| true, |_, _| (Duration::ZERO, Err(Fault::BadRequest)));
    let (one, other, told) = (refusing(), refusing(), Told::default());
    let pool = two(Arc::clone(&one) as _, Arc::clone(&other) as _, &told);
    let outcome = ask(&PoolHandle::new(&pool), &request()).await;
    assert_eq!(fault_of(outcome), Fault::BadRequest);
    let asked = [one, other].map(|it| it.asked.load(Ordering::Relaxed));
    assert_eq!((asked, told.lines().len()), ([1, 1], 0));
}

#[tokio::test(start_paused = true)]
async fn m2_a_server_without_usable_replies_harms_no_debate_while_another_works() {
    let told = Told::default();
    let bad = failing_until(9999, Fault::EmptyReply);
    let pool = two(bad, failing_until(0, Fault::EmptyReply), &told);
    let (again, gave_up) = debates(&pool).await;
    assert!(again <= 12 && gave_up == 0, "{again} {gave_up}");
    let line = "gpu0 is failing with m: the reply is empty; sending its calls to the other servers, giving up after 1m (--model-timeout)";
    assert_eq!(told.lines(), [line]);
}

#[tokio::test(start_paused = true)]
async fn m2_a_server_with_usable_replies_again_gets_calls_again() {
    let told = Told::default();
    let bad = failing_until(4, Fault::EmptyReply);
    let pool = two(bad, failing_until(0, Fault::EmptyReply), &told);
    assert_eq!(debates(&pool).await.1, 0);
    let lines = told.lines();
    assert!(lines.len() == 2 && lines[1].starts_with("gpu0 answers again after"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn m2_unusable_replies_of_all_servers_are_no_servers_fault() {
    let told = Told::default();
    let bad = || failing_until(9999, Fault::EmptyReply);
    let pool = two(bad(), bad(), &told);
    assert_eq!(debates(&pool).await, (80, 40));
    assert_eq!(told.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn m2_unusable_replies_of_a_single_server_are_attempts() {
    let told = Told::default();
    let pool = Arc::new(pool(failing_until(9999, Fault::EmptyReply), told.tell()));
    assert_eq!(debates(&pool).await, (80, 40));
    assert_eq!(told.lines(), [""; 0]);
}
