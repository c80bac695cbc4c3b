//! The number of calls in flight settles at what the server runs at once.

use super::*;
use crate::stop::Stop;

/// A server with two slots, whose calls take 10 seconds each. A call that waited for a slot reports it at its end.
struct TwoSlots {
    slots: tokio::sync::Semaphore,
    in_flight: AtomicUsize,
    /// Calls in flight at the start of each call, itself included.
    seen: Mutex<Vec<usize>>,
}

impl Model for TwoSlots {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async {
            let (arrived, before) =
                (Instant::now(), self.in_flight.fetch_add(1, Ordering::Relaxed));
            self.seen.lock().unwrap().push(before + 1);
            let _slot = self.slots.acquire().await.unwrap();
            let mut reply = reply("well");
            reply.ns.queue = Some(arrived.elapsed().as_nanos() as u64);
            sleep(seconds(10)).await;
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            Ok(reply)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn b1_calls_beyond_the_servers_slots_are_not_sent_once_that_is_seen() {
    let server = Arc::new(TwoSlots {
        slots: tokio::sync::Semaphore::new(2),
        in_flight: AtomicUsize::new(0),
        seen: Mutex::default(),
    });
    let config =
        PoolConfig { concurrency: Concurrency::LEARNED, ..config(None, Told::default().tell()) };
    let servers = vec![("gpu".to_owned(), Arc::clone(&server) as Arc<dyn Model>)];
    let pool = Arc::new(ServerPool::new(servers, config));
    let debate = || async {
        let (handle, request) = (PoolHandle::new(&pool), request());
        for _ in 0..10 {
            ask(&handle, &request).await.unwrap();
        }
    };
    let debates: [_; 6] = std::array::from_fn(|_| debate());
    futures_util::future::join_all(debates).await;
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen.len(), 60);
    let late = &seen[20..];
    assert!(late.iter().all(|in_flight| *in_flight <= 2), "{seen:?}");
    assert!(late.contains(&2), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn b1_a_slot_is_kept_for_its_debates_next_call_while_others_wait() {
    let asked: Arc<Mutex<Vec<u32>>> = Arc::default();
    let notes = Arc::clone(&asked);
    let server = Scripted::new(
        |_| true,
        move |request, _| {
            notes.lock().unwrap().push(request.seed);
            (seconds(10), Ok(()))
        },
    );
    let pool = Arc::new(pool(server, Told::default().tell()));
    let debate = |seed| {
        let handle = PoolHandle::new(&pool);
        async move {
            let request = Request { seed, ..request() };
            for _ in 0..3 {
                ask(&handle, &request).await.unwrap();
                sleep(Duration::from_millis(5)).await;
            }
        }
    };
    futures_util::future::join(debate(1), debate(2)).await;
    assert_eq!(*asked.lock().unwrap(), [1, 1, 1, 2, 2, 2]);
}

/// A server with one model, whose calls take 10 seconds each.
struct WithoutEmbeddings;

impl Model for WithoutEmbeddings {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async {
            sleep(seconds(10)).await;
            Ok(reply("well"))
        })
    }

    fn weights<'a>(&'a self, model: &'a str) -> Answering<'a, Weights> {
        let is_absent = model == "embedder";
        Box::pin(async move { if is_absent { Ok(Weights::Absent) } else { Ok(Weights::Unknown) } })
    }

    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        let error = CallError::new(Fault::ModelNotFound, "it is not here");
        Box::pin(async { Err(error.into()) })
    }
}

#[tokio::test(start_paused = true)]
async fn t1_a_model_that_no_server_has_is_not_waited_for() {
    let pool = Arc::new(pool(Arc::new(WithoutEmbeddings), Told::default().tell()));
    let [busy, other] = [(); 2].map(|()| PoolHandle::new(&pool));
    let request = request();
    let texts = ["a text".to_owned()];
    let looked_up = async {
        // The first debate's call comes first.
        sleep(Duration::from_millis(1)).await;
        let began = Instant::now();
        let answer = other.embed("embedder", &texts).await;
        assert!(
            matches!(answer, Err(NoReply::Failed(error)) if error.fault == Fault::ModelNotFound)
        );
        began.elapsed()
    };
    let (answer, took) = futures_util::future::join(ask(&busy, &request), looked_up).await;
    assert_eq!(answer.unwrap(), "well");
    assert_eq!(took, Duration::ZERO);
}

/// As behind a proxy that hides the models in memory: nothing shows that two may fit.
#[tokio::test(start_paused = true)]
async fn b1_tasks_that_wait_for_another_model_go_on_while_more_are_to_come() {
    let server = Scripted::new(|_| true, |_, _| (seconds(1), Ok(())));
    let pool = Arc::new(pool_of(vec![("gpu".to_owned(), server)], 2, Told::default().tell()));
    let task = |_| {
        let pool = Arc::clone(&pool);
        async move {
            let handle = PoolHandle::new(&pool);
            for model in ["a", "b"] {
                let request = Request { model: model.to_owned(), ..request() };
                ask(&handle, &request).await.unwrap();
            }
        }
    };
    let (began, mut ended) = (Instant::now(), 0);
    as_wanted(Some(&pool), &Stop::default(), 100, (0..6).map(task), |()| ended += 1).await;
    assert_eq!(ended, 6);
    assert!(began.elapsed() < seconds(60), "{:?}", began.elapsed());
}
