//! A debate keeps the weights that it began with.

use super::*;
use crate::model::{Card, Weights};

/// A server that has the same weights for every model, and comes up after some time.
struct WithWeights {
    digest: Mutex<&'static str>,
    began: Instant,
    back_after: Duration,
    asked: AtomicUsize,
}

impl WithWeights {
    fn new(digest: &'static str, back_after: Duration) -> Arc<Self> {
        Arc::new(Self {
            digest: Mutex::new(digest),
            began: Instant::now(),
            back_after,
            asked: AtomicUsize::new(0),
        })
    }

    fn is_back(&self) -> bool {
        self.began.elapsed() >= self.back_after
    }

    fn digest(&self) -> Option<String> {
        Some((*self.digest.lock().unwrap()).to_owned())
    }

    fn answered<T>(&self, answer: T) -> Result<T, NoReply> {
        if self.is_back() {
            Ok(answer)
        } else {
            Err(CallError::new(Fault::NoConnection, "refused").into())
        }
    }
}

impl Model for WithWeights {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async {
            sleep(seconds(1)).await;
            let reply = self.answered(reply("well"))?;
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok(reply)
        })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        let card = Card { digest: self.digest(), ..Card::default() };
        Box::pin(async move { self.answered(card) })
    }

    fn weights<'a>(&'a self, _: &'a str) -> Answering<'a, Weights> {
        let digest = self.digest.lock().unwrap().to_owned();
        Box::pin(async { self.answered(Weights::Digest(digest)) })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.is_back() })
    }
}

/// Two servers with these weights, each up after these seconds, and their pool.
fn two(
    one: (&'static str, u64),
    two: (&'static str, u64),
) -> (Arc<ServerPool>, Arc<WithWeights>, Arc<WithWeights>) {
    let [one, two] = [one, two].map(|(digest, after)| WithWeights::new(digest, seconds(after)));
    let servers = vec![
        ("one".to_owned(), Arc::clone(&one) as Arc<dyn Model>),
        ("two".to_owned(), Arc::clone(&two) as _),
    ];
    let pool = pool_of(servers, 2, Told::default().tell());
    (Arc::new(pool), one, two)
}

fn asked(server: &WithWeights) -> usize {
    server.asked.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_is_away_with_the_weights_is_waited_for() {
    let (pool, one, two) = two(("aaaa", 0), ("bbbb", 20));
    let (debate, request) = (PoolHandle::new(&pool), request());
    debate.pin(&request.model, "bbbb");
    ask(&debate, &request).await.unwrap();
    assert_eq!((asked(&one), asked(&two)), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn j10c_a_debate_whose_weights_are_nowhere_is_parked_with_the_digests() {
    let (pool, _, _) = two(("aaaa", 0), ("bbbb", 0));
    let (debate, request) = (PoolHandle::new(&pool), request());
    debate.pin(&request.model, "sha256:cccc");
    let Err(NoReply::Outdated(cause)) = ask(&debate, &request).await else {
        panic!("it is not parked as outdated");
    };
    for part in ["digest aaaa", "digest bbbb", "began with (digest cccc)"] {
        assert!(cause.contains(part), "{part}: {cause}");
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_card_shows_that_a_server_has_other_weights_by_now() {
    let (pool, one, two) = two(("aaaa", 0), ("aaaa", 30));
    let (old, new, request) = (PoolHandle::new(&pool), PoolHandle::new(&pool), request());
    old.pin(&request.model, "aaaa");
    ask(&old, &request).await.unwrap();
    *one.digest.lock().unwrap() = "bbbb";
    let card = new.card(&request.model).await.unwrap();
    assert_eq!(card.digest.as_deref(), Some("bbbb"));
    ask(&old, &request).await.unwrap();
    assert_eq!((asked(&one), asked(&two)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn j10c_weights_that_are_replaced_while_all_debates_are_open_are_noticed() {
    let server = WithWeights::new("aaaa", seconds(0));
    let pool = Arc::new(pool(Arc::clone(&server) as _, Told::default().tell()));
    let (debate, request) = (PoolHandle::new(&pool), request());
    debate.pin(&request.model, "aaaa");
    ask(&debate, &request).await.unwrap();
    *server.digest.lock().unwrap() = "bbbb";
    sleep(seconds(61)).await;
    let Err(NoReply::Outdated(cause)) = ask(&debate, &request).await else {
        panic!("it is not parked as outdated");
    };
    let both = "(digest bbbb) than this debate began with (digest aaaa)";
    assert!(cause.contains(both), "{cause}");
    assert_eq!(asked(&server), 1);
}
