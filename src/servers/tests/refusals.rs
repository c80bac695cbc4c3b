//! Servers that answer but refuse every call.

use super::*;

#[tokio::test(start_paused = true)]
async fn j10c_a_proxy_that_refuses_every_call_is_told_of_once_and_asked_ever_more_rarely() {
    let server = Scripted::new(|_| true, |_, _| (Duration::ZERO, Err(Fault::ForeignServer)));
    let told = Told::default();
    let pool = Arc::new(pool(Arc::clone(&server) as _, told.tell()));
    let outcome = ask(&PoolHandle::new(&pool), &request()).await;
    assert!(matches!(outcome, Err(NoReply::Parked(_))), "{outcome:?}");
    let expected = [
        "waiting for the server: it failed; giving up after 1m (--model-timeout)",
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
            let outcome = if asked < 9 { Err(Fault::ForeignServer) } else { Ok(()) };
            (Duration::ZERO, outcome)
        },
    );
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    assert_eq!(ask(&PoolHandle::new(&pool), &request()).await.unwrap(), "well");
    let lines = told.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("the server answers again after"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn m1_a_proxy_that_answers_itself_now_and_then_is_not_told_of_each_time() {
    let server = Scripted::new(
        |_| true,
        |_, asked| {
            let outcome = if asked % 5 == 4 { Err(Fault::ForeignServer) } else { Ok(()) };
            (seconds(1), outcome)
        },
    );
    let told = Told::default();
    let pool = Arc::new(pool(server, told.tell()));
    let handle = PoolHandle::new(&pool);
    for number in 0..40 {
        let request = Request { call: number.to_string(), ..request() };
        assert_eq!(ask(&handle, &request).await.unwrap(), "well");
    }
    assert_eq!(told.lines().len(), 2, "{:?}", told.lines());
}
