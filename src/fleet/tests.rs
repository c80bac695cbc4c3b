//! The NATS server as a store of debates, taken up and committed as a worker does.

#[path = "../../tests/it/fleet/nats.rs"]
#[allow(dead_code, reason = "the tests of the whole program do more with it")]
mod nats;

use std::sync::Arc;

use async_nats::jetstream::consumer::pull;
use tokio::runtime::{Builder, Runtime};

use super::address::Address;
use super::done::{self, DebateResult};
use super::journal::{self, DebateJournal, Replayed};
use super::login::Logins;
use super::names::RunDebate;
use super::nats::{Nats, PRESENCE, fetch};
use crate::id::DebateId;
use crate::journal::{Entry, Replica, line};
use crate::stop::Stop;
use crate::store::tests::conformance::{DebateStore, conforms};

struct Fleet {
    nats: Nats,
    runtime: Runtime,
    _server: nats::Nats,
}

/// An attempt at a debate.
struct Attempt {
    debate: RunDebate,
    journal: Arc<DebateJournal>,
}

fn fleet() -> Option<Fleet> {
    let server = nats::server()?;
    let address = Address::new(&server.url(), Logins::default(), None, false).expect("an address");
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let connected = runtime.block_on(Nats::connect(&address, Arc::new(|_| {})));
    Some(Fleet { nats: connected.expect("a connection"), runtime, _server: server })
}

fn debate(id: &DebateId) -> RunDebate {
    "batch".parse::<crate::id::RunName>().expect("a name").debate(id)
}

impl DebateStore for Fleet {
    type Writer = Attempt;

    fn load(&self, id: &DebateId) -> Vec<Entry> {
        let replayed = self.runtime.block_on(Replayed::read(&self.nats, &debate(id)));
        let lines = replayed.expect("a journal").lines;
        journal::parse(&lines, id).expect("a journal").entries
    }

    fn continue_debate(&self, id: &DebateId) -> Option<Attempt> {
        let debate = debate(id);
        self.runtime.block_on(async {
            if done::has(&self.nats, &debate).await.expect("an answer") {
                return None;
            }
            let replayed = Replayed::read(&self.nats, &debate).await.expect("a journal");
            let journal = DebateJournal::after(&self.nats, &debate, &replayed, &Stop::default());
            let begins = journal.begin("a test").await.expect("an answer");
            begins.then_some(Attempt { debate, journal })
        })
    }

    fn append(&self, writer: &Attempt, entry: &Entry) -> bool {
        writer.journal.append(&line(entry)).is_ok()
    }

    fn commit(&self, writer: &Attempt, text: &str) -> bool {
        let (nonce, stop) = (writer.journal.nonce(), Stop::default());
        let commit = done::commit(&self.nats, &writer.debate, nonce, text.into(), &stop);
        self.runtime.block_on(commit).expect("an answer")
    }

    fn committed(&self, id: &DebateId) -> Option<String> {
        let config = pull::Config { filter_subject: debate(id).done(), ..pull::Config::default() };
        self.runtime.block_on(async {
            let consumer = self.nats.done.create_consumer(config).await.expect("a consumer");
            let found = fetch(&consumer, "give a result", PRESENCE).await;
            let message = found.expect("an answer")?;
            match done::read(&self.nats, &message).await {
                Ok(DebateResult::Finished(text)) => String::from_utf8(text).ok(),
                other => panic!("{other:?} is no commit"),
            }
        })
    }
}

conforms!(fleet());
