//! The number of calls in flight settles at what the server runs at once.

use super::*;

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
            let (arrived, before) = (
                Instant::now(),
                self.in_flight.fetch_add(1, Ordering::Relaxed),
            );
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
    let config = PoolConfig {
        concurrency: Concurrency::LEARNED,
        ..config(None, Told::default().tell())
    };
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

/// A server with model `a` in memory, which takes 15 seconds to load `b` beside it and a minute for the first reply of that.
struct LoadsBeside {
    began: Instant,
    /// The models asked so far, each with the second.
    asked: Mutex<Vec<(String, u64)>>,
}

impl LoadsBeside {
    fn asked(&self, model: &str) -> Vec<u64> {
        let asked = self.asked.lock().unwrap();
        let its = asked.iter().filter(|(of, _)| of == model);
        its.map(|(_, second)| *second).collect()
    }
}

impl Model for LoadsBeside {
    fn chat<'a>(&'a self, request: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async {
            let takes = match &*request.model {
                "b" if self.asked("b").is_empty() => seconds(75),
                _ => seconds(1),
            };
            let asked = (request.model.clone(), self.began.elapsed().as_secs());
            self.asked.lock().unwrap().push(asked);
            sleep(takes).await;
            Ok(reply("well"))
        })
    }

    fn in_memory(&self) -> BoxFuture<'_, Option<Vec<String>>> {
        Box::pin(async {
            let now = self.began.elapsed().as_secs();
            let is_there = self.asked("b").iter().any(|begun| begun + 15 <= now);
            let models = ["a"].into_iter().chain(is_there.then_some("b"));
            Some(models.map(str::to_owned).collect())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn b1_a_loaded_model_is_asked_more_before_its_first_reply() {
    let server = Arc::new(LoadsBeside {
        began: Instant::now(),
        asked: Mutex::default(),
    });
    let gpu: Arc<dyn Model> = Arc::clone(&server) as _;
    let servers = vec![("gpu".to_owned(), gpu)];
    let pool = Arc::new(pool_of(servers, 4, Told::default().tell()));
    let ask_one = |model: &str| {
        let (handle, model) = (PoolHandle::new(&pool), model.to_owned());
        async move {
            let request = Request { model, ..request() };
            ask(&handle, &request).await.unwrap();
        }
    };
    ask_one("a").await;
    futures_util::future::join3(ask_one("b"), ask_one("b"), ask_one("b")).await;
    let asked = server.asked("b");
    let first = asked[0];
    let since: Vec<u64> = asked.iter().map(|second| second - first).collect();
    assert!(
        matches!(since[..], [0, 15..=17, 15..=17]),
        "{since:?} seconds after the load began"
    );
}
