//! One who reads a debate's file on as long as someone watches, or has asked for it lately.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::ongoing::{Next, Ongoing};
use super::open_debates::OpenDebates;
use crate::clock::Clock;
use crate::store::live::{self, LiveTail, ShortId};
use crate::view::blocking_work::look_aside;
use crate::view::finished_cache::FinishedCache;
use crate::view::index::current_index::CurrentIndex;

/// How often a watched file is looked at.
const POLL: Duration = Duration::from_millis(20);
/// After this many looks it is said again that someone is watching: every three seconds.
const LOOKS: u32 = 150;
/// After this many looks it is seen whether its run is still there: every second.
const RUN_LOOKS: u32 = 50;
/// How often a file is looked at that nobody watches.
pub(in crate::view) const IDLE: Duration = Duration::from_secs(1);
/// For how long a debate is kept that nobody watches or asks for.
pub(in crate::view) const KEPT: Duration = Duration::from_secs(60);

/// Where it finds what became of a debate that ended, and when it is.
#[derive(Clone)]
pub(in crate::view) struct Around {
    pub(in crate::view) clock: Clock,
    pub(in crate::view) lists: Arc<CurrentIndex>,
    pub(in crate::view) archive: Arc<FinishedCache>,
}

/// Reads a file on as long as someone watches, and lets it go once nobody asks for it.
pub(in crate::view) struct Following {
    kept: Arc<OpenDebates>,
    around: Around,
    id: ShortId,
    debate: Weak<Ongoing>,
    looks: u32,
}

/// What follows a look.
pub(in crate::view) enum Then {
    Look(Duration),
    End,
    Gone,
}

impl Following {
    pub(in crate::view) fn new(
        kept: Arc<OpenDebates>,
        around: Around,
        id: ShortId,
        debate: &Arc<Ongoing>,
    ) -> Self {
        Self { kept, around, id, debate: Arc::downgrade(debate), looks: 0 }
    }

    /// Follows until there is nothing more to be told or nobody asks.
    pub(in crate::view) async fn follow(mut self) {
        loop {
            let looked = look_aside(move || {
                let then = self.look();
                (self, then)
            });
            let Some((its, then)) = looked.await else { return };
            self = its;
            match then {
                Then::Look(after) => self.wait(after).await,
                Then::End => return self.end().await,
                Then::Gone => return,
            }
        }
    }

    pub(in crate::view) fn look(&mut self) -> Then {
        let Some(debate) = self.debate.upgrade() else { return Then::Gone };
        let is_watched = self.is_watched(&debate);
        match debate.read() {
            Next::AtOnce => Then::Look(Duration::ZERO),
            Next::Never => Then::End,
            Next::Later if is_watched => {
                self.note_run(&debate);
                Then::Look(POLL)
            }
            Next::Later if self.is_let_go(&debate) => Then::Gone,
            Next::Later => Then::Look(IDLE),
        }
    }

    /// Takes in now and then whether the run is there.
    fn note_run(&self, debate: &Ongoing) {
        if self.looks.is_multiple_of(RUN_LOOKS) {
            debate.note(live::is_running(&self.kept.output, &debate.header));
        }
    }

    /// Lets the debate go if nobody has asked for it lately; whether that is so.
    fn is_let_go(&self, debate: &Arc<Ongoing>) -> bool {
        let weight = debate.weight();
        let is_old = weight.is_some_and(|(asked, _)| asked.elapsed() >= KEPT);
        is_old && self.kept.let_go(&self.id, debate)
    }

    /// Whether someone watches, which is said to the run now and then.
    fn is_watched(&mut self, debate: &Ongoing) -> bool {
        if !debate.is_watched() {
            self.looks = 0;
            return false;
        }
        if self.looks.is_multiple_of(LOOKS) {
            live::look(&self.kept.output, &self.around.clock);
        }
        self.looks += 1;
        true
    }

    /// Waits, but no longer than until someone joins.
    async fn wait(&self, after: Duration) {
        match self.debate.upgrade().filter(|_| after == IDLE) {
            Some(debate) => drop(timeout(after, debate.joined.notified()).await),
            None => sleep(after).await,
        }
    }

    /// Tells the rest of a debate that was committed in the meantime. Then readers see their stream end, and come back for what is
    /// there then.
    async fn end(self) {
        let Some(debate) = self.debate.upgrade() else { return };
        let (output, around) = (&self.kept.output, &self.around);
        self.kept.forget(&self.id, &debate);
        let is_committed = LiveTail::open(&live::path(output, &self.id)).is_none();
        if is_committed && let Some(row) = around.lists.find(&self.id).await {
            let found = around.archive.with_log(&row.path(output)).await;
            if let Some(found) = found {
                debate.finish(found.log());
            }
        }
        debate.end();
    }
}
