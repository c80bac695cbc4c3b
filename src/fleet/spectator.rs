//! Following the debates that workers run, from their journals as they grow. Nothing is changed, and nobody waits for it.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::error::{Result, refused};
use super::journal::{self, CLOSED, ENTRY};
use super::names::{KIND, RunDebate};
use super::nats::Nats;
use super::{inputs, sequenced_message};
use crate::event::{Event, EventKind, TokenCount};
use crate::files::StagedDir;
use crate::id::{DebateId, RunName};
use crate::store::layout::OutputDir;
use crate::store::{replay, snapshot};

/// How long journals are listened to before those that have grown are read.
const GATHER: Duration = Duration::from_millis(250);

/// What is seen of a debate.
#[derive(Debug)]
pub enum Sight {
    /// It goes on so.
    Events(Vec<Event>),
    /// It is collected.
    Gone(DebateId),
}

/// Follows the debates of one run, or of all.
pub struct Spectator {
    nats: Nats,
    messages: Ordered,
    followed: BTreeMap<DebateId, Followed>,
    gone: Vec<DebateId>,
    /// Where the inputs of debates are; it goes with the spectator.
    scratch: OutputDir,
    _scratch: StagedDir,
}

/// A debate that is followed.
#[derive(Default)]
struct Followed {
    lines: Vec<String>,
    has_grown: bool,
    /// The number of the last event that was seen.
    seen: u64,
    /// The calls that are not answered yet, by their first events.
    asked: Vec<Event>,
}

impl Spectator {
    /// From the beginning of each journal that is on the server. `output` has a directory for what is thrown away.
    pub async fn begin(nats: &Nats, run: Option<&RunName>, output: &OutputDir) -> Result<Self> {
        let staged = StagedDir::create(&output.staged().join("view"))?;
        let scratch = OutputDir::at(staged.path());
        scratch.make()?;
        let config = OrderedConfig {
            filter_subject: match run {
                Some(run) => run.all_journals(),
                None => "rebut.journal.>".to_owned(),
            },
            ..OrderedConfig::default()
        };
        let consumer =
            nats.journals.create_consumer(config).await.map_err(refused("make a consumer"))?;
        let messages = consumer.messages().await;
        Ok(Self {
            nats: nats.clone(),
            messages: messages.map_err(refused("show journals"))?,
            followed: BTreeMap::new(),
            gone: Vec::new(),
            scratch,
            _scratch: staged,
        })
    }

    /// What is new since the last look. Takes a moment.
    pub async fn look(&mut self) -> Result<Vec<Sight>> {
        self.listen().await?;
        let mut sights: Vec<Sight> = self.gone.drain(..).map(Sight::Gone).collect();
        for (id, followed) in self.followed.iter_mut().filter(|(_, followed)| followed.has_grown) {
            let events = followed.look(&self.nats, id, &self.scratch).await?;
            followed.has_grown = false;
            if !events.is_empty() {
                sights.push(Sight::Events(events));
            }
        }
        Ok(sights)
    }

    /// Takes what comes.
    async fn listen(&mut self) -> Result<()> {
        let until = Instant::now() + GATHER;
        while let Ok(Some(message)) = timeout_at(until, self.messages.next()).await {
            self.take(&message.map_err(refused("show a journal"))?);
        }
        Ok(())
    }

    /// Notes a message.
    fn take(&mut self, message: &Message) {
        let headers = message.headers.as_ref();
        let kind = headers.and_then(|headers| sequenced_message::header(headers, KIND));
        let (Some(debate), Some(kind)) = (RunDebate::of_subject(&message.subject), kind) else {
            return;
        };
        if kind == CLOSED {
            let known = self.followed.remove(&debate.id);
            return self.gone.extend(known.map(|_| debate.id));
        }
        let followed = self.followed.entry(debate.id).or_default();
        if kind == ENTRY {
            let line = String::from_utf8_lossy(&message.payload);
            followed.lines.push(line.into_owned());
            followed.has_grown = true;
        }
    }
}

impl Followed {
    /// The events that are new.
    async fn look(
        &mut self,
        nats: &Nats,
        id: &DebateId,
        scratch: &OutputDir,
    ) -> Result<Vec<Event>> {
        let so_far = journal::parse(&self.lines, id)?;
        let Some(header) = so_far.header().cloned() else { return Ok(Vec::new()) };
        inputs::fetch(nats, &header, scratch).await?;
        let inputs = snapshot::inputs(scratch, &header)?;
        Ok(self.news(replay::events(inputs, header, so_far.entries).await))
    }

    /// Of the events so far, those that were not seen. A call that was in progress is not among these once it is answered.
    fn news(&mut self, events: Vec<Event>) -> Vec<Event> {
        let is_start = |event: &Event| matches!(event.kind, EventKind::CallStart { .. });
        let asked: Vec<Event> = events.iter().filter(|it| is_start(it)).cloned().collect();
        let before = std::mem::replace(&mut self.asked, asked.clone());
        let answered = before.iter().filter(|it| !asked.contains(it)).map(ended);
        let begun = asked
            .iter()
            .filter(|it| !before.contains(it))
            .flat_map(|start| [start.clone(), sent(start)]);
        let mut news: Vec<Event> = answered.collect();
        let seen = self.seen;
        news.extend(events.into_iter().filter(|event| event.seq > Some(seen)));
        self.seen = news.iter().filter_map(|it| it.seq).fold(seen, u64::max);
        news.extend(begun);
        news
    }
}

/// The end of a call that began so. What it took is told with its reply.
fn ended(start: &Event) -> Event {
    let kind = EventKind::CallEnd {
        tokens: TokenCount::default(),
        estimated: None,
        reply_ms: 0,
        error: None,
    };
    Event { kind, ..start.clone() }
}

/// That a call which began so is on a server: its worker does not say whether it waits.
fn sent(start: &Event) -> Event {
    Event { kind: EventKind::CallSent {}, ..start.clone() }
}
