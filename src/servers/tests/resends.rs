//! What is resent, and how often.

use super::*;

/// Breaks off its first reply because it is full, and gives the second in full.
#[derive(Default)]
struct FullAtFirst {
    asked: AtomicBool,
}

impl Model for FullAtFirst {
    fn chat<'a>(&'a self, _: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        let again = self.asked.swap(true, Ordering::Relaxed);
        on_chunk(Chunk::Said(if again { "whole" } else { "ha" }));
        Box::pin(async move {
            if again { Ok(reply("whole")) } else { Err(CallError::new(Fault::Busy, "full").into()) }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_text_of_a_call_that_is_sent_again_is_void() {
    let said = Mutex::new(Vec::new());
    let on_chunk = |chunk: Chunk<'_>| said.lock().unwrap().push(format!("{chunk:?}"));
    let pool = Arc::new(pool(Arc::new(FullAtFirst::default()), Arc::new(|_| {})));
    assert_eq!(PoolHandle::new(&pool).chat(&request(), &on_chunk).await.unwrap().text, "whole");
    assert_eq!(
        *said.lock().unwrap(),
        ["Sent", "Said(\"ha\")", "Returned", "Sent", "Said(\"whole\")"]
    );
}

#[tokio::test(start_paused = true)]
async fn j10c_a_late_reply_is_an_attempt_though_its_server_was_away_meanwhile() {
    for fault in [Fault::Timeout, Fault::ServerError] {
        // Down for three seconds in every ten, so that each call lives through an outage.
        let there = |at: Duration| at.as_secs() % 10 >= 3;
        let server = Scripted::new(there, move |_, _| (seconds(15), Err(fault)));
        let pool = Arc::new(pool(Arc::clone(&server) as _, Arc::new(|_| {})));
        assert_eq!(fault_of(ask(&PoolHandle::new(&pool), &request()).await), fault);
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
    let killer = Request { call: "killer".into(), ..request() };
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
