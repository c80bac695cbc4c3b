//! What happens while servers do not describe a model.

use super::*;
use crate::model::Card;

/// A server that answers calls, but describes models only after some time.
struct Mute {
    began: Instant,
    until: Duration,
    asked: AtomicUsize,
}

impl Mute {
    fn new(until: Duration) -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), until, asked: AtomicUsize::new(0) })
    }
}

impl Model for Mute {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Ok(reply("well")) })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let answer = if self.began.elapsed() < self.until {
            Err(CallError::new(Fault::ServerError, "odd").into())
        } else {
            Ok(Card::default())
        };
        Box::pin(async { answer })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { true })
    }
}

fn pool_with(servers: &[&Arc<Mute>], told: &Told) -> Arc<ServerPool> {
    let named = servers
        .iter()
        .zip(["one", "two"])
        .map(|(server, name)| (name.to_owned(), Arc::clone(server) as Arc<dyn Model>));
    Arc::new(pool_of(named.collect(), 1, told.tell()))
}

#[tokio::test(start_paused = true)]
async fn j10c_another_server_is_asked_to_describe_a_model() {
    let (mute, sound) = (Mute::new(Duration::MAX), Mute::new(Duration::ZERO));
    let told = Told::default();
    let pool = pool_with(&[&mute, &sound], &told);
    PoolHandle::new(&pool).card("m").await.unwrap();
    assert_eq!(told.lines(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn j10c_debates_wait_for_a_description_together_and_no_longer_than_for_a_model() {
    let (mute, told) = (Mute::new(Duration::MAX), Told::default());
    let pool = pool_with(&[&mute], &told);
    let outlook = || pool.outlook(["m"].into_iter());
    let began = Instant::now();
    let wait = async {
        let debate = PoolHandle::new(&pool);
        debate.card("m").await.unwrap_err()
    };
    let look = async {
        sleep(seconds(1)).await;
        assert_eq!(outlook(), Outlook::Awaited);
    };
    let (parked, ()) = tokio::join!(wait, look);
    let cause = "no server described m within 1m (--model-timeout): odd";
    assert!(matches!(&parked, NoReply::Parked(it) if it == cause), "{parked}");
    // The next debate has no minute of its own.
    PoolHandle::new(&pool).card("m").await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 60);
    let waits = "waiting for the server to describe m: odd; giving up after 1m (--model-timeout)";
    assert_eq!(told.lines(), [waits]);
}

#[tokio::test(start_paused = true)]
async fn j10c_a_description_that_comes_late_is_told_once() {
    let (mute, told) = (Mute::new(seconds(5)), Told::default());
    let pool = pool_with(&[&mute], &told);
    PoolHandle::new(&pool).card("m").await.unwrap();
    PoolHandle::new(&pool).card("m").await.unwrap();
    let lines = told.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("the server answers again after "), "{lines:?}");
}

/// A server that never says anything of a model.
struct Hung;

impl Model for Hung {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Ok(reply("well")) })
    }

    fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn j10c_a_server_that_hangs_instead_of_describing_a_model_is_not_waited_for_beside_another() {
    let (sound, told) = (Mute::new(Duration::ZERO), Told::default());
    let servers: [Arc<dyn Model>; 2] = [Arc::new(Hung), sound];
    let servers =
        servers.into_iter().zip(["one", "two"]).map(|(server, name)| (name.to_owned(), server));
    let pool = Arc::new(pool_of(servers.collect(), 1, told.tell()));
    let began = Instant::now();
    PoolHandle::new(&pool).card("m").await.unwrap();
    assert!(began.elapsed() <= seconds(6), "{:?}", began.elapsed());
    assert_eq!(told.lines(), Vec::<String>::new());
}
