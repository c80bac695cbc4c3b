//! The debates in progress that someone watches or has asked for lately. Each is read once, however many do; what is new goes to all.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::archive::Archive;
use super::aside::look_aside;
use super::lists::Lists;
use super::ongoing::{Joined, Next, Ongoing, SoFar};
use crate::clock::Clock;
use crate::shared::Shared;
use crate::store::layout::OutputDir;
use crate::store::live::{self, LiveTail, ShortId};

/// How often a watched file is looked at.
const POLL: Duration = Duration::from_millis(20);
/// After this many looks it is said again that someone is watching: every three seconds.
const LOOKS: u32 = 150;
/// How often a file is looked at that nobody watches.
const IDLE: Duration = Duration::from_secs(1);
/// For how long a debate is kept that nobody watches or asks for.
const KEPT: Duration = Duration::from_secs(60);
/// Maximum debates that are kept and not watched.
const MOST: usize = 16;
/// Maximum bytes of their logs together.
const MOST_BYTES: usize = 64 << 20;

/// The debates in progress.
pub(super) struct Hub {
    pub(super) output: OutputDir,
    pub(super) clock: Clock,
    pub(super) public: bool,
    pub(super) lists: Arc<Lists>,
    pub(super) archive: Arc<Archive>,
    pub(super) kept: Shared<HashMap<ShortId, Arc<Ongoing>>>,
}

impl Hub {
    /// Joins those who watch a debate; `None` if no live file is there to be read. Waits for the disk.
    pub(super) fn join(self: &Arc<Self>, id: &ShortId) -> Option<Joined> {
        loop {
            let (debate, is_kept) = self.debate(id)?;
            let joined = Arc::clone(&debate).join();
            if !is_kept {
                // It ends what there is to be told.
                self.follow(id, &debate);
            }
            // It may have ended just now, and its file may be another.
            if joined.is_some() {
                return joined;
            }
        }
    }

    /// A debate as far as its run has told it, and whether the run goes on; `None` if it tells of none. Waits for the disk.
    pub(super) fn so_far(self: &Arc<Self>, id: &ShortId) -> Option<(SoFar, bool)> {
        let (debate, _) = self.debate(id)?;
        let so_far = debate.so_far()?;
        let runs = !so_far.is_over && live::is_running(&self.output, &debate.header);
        Some((so_far, runs))
    }

    /// A debate with all that is new, and whether it is kept: if its file cannot be read on, only who has it does.
    fn debate(self: &Arc<Self>, id: &ShortId) -> Option<(Arc<Ongoing>, bool)> {
        loop {
            let (debate, is_known) = self.known(id)?;
            let is_read_on = debate.is_read_on();
            match is_read_on {
                true if is_known => {}
                true => self.follow(id, &debate),
                false => self.forget(id, &debate),
            }
            // The file of one that was known may be another by now.
            if is_read_on || !is_known {
                self.make_room();
                return Some((debate, is_read_on));
            }
        }
    }

    /// The debate, and whether it was known.
    fn known(&self, id: &ShortId) -> Option<(Arc<Ongoing>, bool)> {
        let known = self.kept.lock().get(id).cloned();
        if let Some(known) = known {
            return Some((known, true));
        }
        // Not under the lock: the disk may be slow.
        let (tail, header) = LiveTail::open(&live::path(&self.output, id))?;
        let opened = Arc::new(Ongoing::new(tail, header, self.public));
        let mut kept = self.kept.lock();
        let debate = kept.entry(*id).or_insert_with(|| Arc::clone(&opened));
        Some((Arc::clone(debate), !Arc::ptr_eq(debate, &opened)))
    }

    fn follow(self: &Arc<Self>, id: &ShortId, debate: &Arc<Ongoing>) {
        let following = Following {
            hub: Arc::clone(self),
            id: *id,
            debate: Arc::downgrade(debate),
            looks: 0,
        };
        tokio::runtime::Handle::current().spawn(follow(following));
    }

    fn forget(&self, id: &ShortId, debate: &Arc<Ongoing>) {
        let mut kept = self.kept.lock();
        if kept.get(id).is_some_and(|it| Arc::ptr_eq(it, debate)) {
            kept.remove(id);
        }
    }

    /// Forgets a debate that nobody besides its follower holds; whether that is so. Who holds it may be about to join.
    fn let_go(&self, id: &ShortId, debate: &Arc<Ongoing>) -> bool {
        let mut kept = self.kept.lock();
        let is_kept = kept.get(id).is_some_and(|it| Arc::ptr_eq(it, debate));
        let is_free = Arc::strong_count(debate) == 1 + usize::from(is_kept);
        if is_kept && is_free {
            kept.remove(id);
        }
        is_free
    }

    /// Forgets those that nobody watches and that were asked for the longest ago, as far as there are too many.
    fn make_room(&self) {
        let mut kept = self.kept.lock();
        let idle = kept.iter();
        let idle = idle.filter_map(|(id, it)| Some((it.weight()?, *id)));
        let mut idle: Vec<_> = idle.collect();
        idle.sort_unstable_by_key(|((asked, _), id)| (std::cmp::Reverse(*asked), *id));
        let mut bytes = 0;
        for (n, ((_, own), id)) in idle.into_iter().enumerate() {
            bytes += own;
            if n >= MOST || (bytes > MOST_BYTES && n > 0) {
                kept.remove(&id);
            }
        }
    }
}

/// Reads a file on as long as someone watches, and lets it go once nobody asks for it.
struct Following {
    hub: Arc<Hub>,
    id: ShortId,
    debate: Weak<Ongoing>,
    looks: u32,
}

/// What follows a look.
enum Then {
    Look(Duration),
    End,
    Gone,
}

async fn follow(mut following: Following) {
    loop {
        let looked = look_aside(move || {
            let then = following.look();
            (following, then)
        });
        let Some((goes_on, then)) = looked.await else {
            return;
        };
        following = goes_on;
        match then {
            Then::Look(after) => following.wait(after).await,
            Then::End => return following.end().await,
            Then::Gone => return,
        }
    }
}

impl Following {
    fn look(&mut self) -> Then {
        let Some(debate) = self.debate.upgrade() else {
            return Then::Gone;
        };
        let is_watched = self.is_watched(&debate);
        match debate.read() {
            Next::AtOnce => Then::Look(Duration::ZERO),
            Next::Never => Then::End,
            Next::Later if is_watched => Then::Look(POLL),
            Next::Later if self.is_let_go(&debate) => Then::Gone,
            Next::Later => Then::Look(IDLE),
        }
    }

    /// Lets the debate go if nobody has asked for it lately; whether that is so.
    fn is_let_go(&self, debate: &Arc<Ongoing>) -> bool {
        let weight = debate.weight();
        let is_old = weight.is_some_and(|(asked, _)| asked.elapsed() >= KEPT);
        is_old && self.hub.let_go(&self.id, debate)
    }

    /// Whether someone watches, which is said to the run now and then.
    fn is_watched(&mut self, debate: &Ongoing) -> bool {
        if !debate.is_watched() {
            self.looks = 0;
            return false;
        }
        if self.looks.is_multiple_of(LOOKS) {
            live::look(&self.hub.output, &self.hub.clock);
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
        let Some(debate) = self.debate.upgrade() else {
            return;
        };
        let hub = &self.hub;
        hub.forget(&self.id, &debate);
        let is_committed = LiveTail::open(&live::path(&hub.output, &self.id)).is_none();
        if is_committed && let Some(row) = hub.lists.find(&self.id).await {
            let found = hub.archive.with_log(&row.path(&hub.output)).await;
            if let Some(found) = found {
                debate.finish(found.log());
            }
        }
        debate.end();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::id::DebateId;

    struct Place {
        _dir: tempfile::TempDir,
        hub: Arc<Hub>,
        ids: Vec<ShortId>,
    }

    /// Live files of so many debates, with as many events each as were asked for.
    fn place(debates: usize) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        let clock = Clock::system();
        let hub = Hub {
            lists: Arc::new(Lists::new(&output, &clock, false)),
            archive: Arc::new(Archive::new(false)),
            public: false,
            kept: Shared::default(),
            output,
            clock,
        };
        let place = Place {
            _dir: dir,
            hub: Arc::new(hub),
            ids: (0..debates).map(|n| ShortId::of(&debate_id(n))).collect(),
        };
        for n in 0..debates {
            place.tells(n, 0, &[1, 2]);
        }
        place
    }

    fn debate_id(n: usize) -> DebateId {
        DebateId::from_identity(&serde_json::json!(n))
    }

    impl Place {
        fn path(&self, n: usize) -> PathBuf {
            live::path(&self.hub.output, &self.ids[n])
        }

        /// A file that its run has begun for the `begun`th time, with these events.
        fn tells(&self, n: usize, begun: usize, events: &[u32]) {
            let header = format!(
                "{{\"live\":1,\"debate\":\"{}\",\"run\":\"x\",\"pid\":1,\"n\":{begun}}}\n",
                debate_id(n)
            );
            let event = |seq: &u32| format!("{{\"event\":\"round_start\",\"seq\":{seq}}}\n");
            let text = header + &events.iter().map(event).collect::<String>();
            fs::create_dir_all(self.path(n).parent().unwrap()).unwrap();
            fs::write(self.path(n), text).unwrap();
        }

        fn is_kept(&self, n: usize) -> bool {
            self.hub.kept.lock().contains_key(&self.ids[n])
        }

        /// Whether it does soon.
        async fn forgets(&self, n: usize) -> bool {
            for _ in 0..60 {
                if !self.is_kept(n) {
                    return true;
                }
                sleep(IDLE).await;
            }
            false
        }

        fn log(&self, n: usize) -> usize {
            self.hub.join(&self.ids[n]).unwrap().log.len()
        }
    }

    #[tokio::test]
    async fn l3_a_debate_is_read_on_from_where_it_was_and_anew_if_its_file_is_another() {
        let place = place(1);
        let (first, _) = place.hub.debate(&place.ids[0]).unwrap();
        place.tells(0, 0, &[1, 2, 3]);
        assert_eq!(place.log(0), 3);
        assert!(Arc::ptr_eq(
            &first,
            &place.hub.debate(&place.ids[0]).unwrap().0
        ));
        // A new claimant begins again, and so does one whose file was cut.
        place.tells(0, 1, &[1]);
        assert_eq!(place.log(0), 1);
        place.tells(0, 1, &[]);
        assert_eq!(place.log(0), 0);
        fs::remove_file(place.path(0)).unwrap();
        assert!(place.hub.join(&place.ids[0]).is_none() && !place.is_kept(0));
    }

    #[tokio::test]
    async fn l3_sixteen_debates_are_kept_that_nobody_watches_those_asked_for_last() {
        let place = place(18);
        let watched = place.hub.join(&place.ids[0]);
        for id in &place.ids[1..] {
            place.hub.debate(id).unwrap();
        }
        let kept: Vec<bool> = (0..18).map(|n| place.is_kept(n)).collect();
        assert!(
            kept[0] && !kept[1] && kept[2..].iter().all(|kept| *kept),
            "{kept:?}"
        );
        drop(watched);
    }

    #[tokio::test(start_paused = true)]
    async fn l3_a_debate_is_forgotten_once_it_ends_or_nobody_asks_for_it() {
        let place = place(2);
        let asked = place.hub.debate(&place.ids[0]);
        let asked = asked.map(|(it, _)| Arc::downgrade(&it));
        let watched = place.hub.join(&place.ids[1]).unwrap();
        sleep(KEPT - IDLE).await;
        assert!(place.is_kept(0));
        assert!(place.forgets(0).await && asked.is_some_and(|it| it.upgrade().is_none()));
        assert!(place.is_kept(1), "it is watched");
        fs::remove_file(place.path(1)).unwrap();
        assert!(place.forgets(1).await);
        drop(watched);
    }

    #[tokio::test(start_paused = true)]
    async fn l3_a_debate_that_someone_is_about_to_join_is_read_on() {
        let place = place(1);
        let (held, _) = place.hub.known(&place.ids[0]).unwrap();
        let mut following = Following {
            hub: Arc::clone(&place.hub),
            id: place.ids[0],
            debate: Arc::downgrade(&held),
            looks: 0,
        };
        assert!(matches!(following.look(), Then::Look(Duration::ZERO)));
        tokio::time::advance(KEPT).await;
        assert!(matches!(following.look(), Then::Look(IDLE)) && place.is_kept(0));
        // As if there was no more room.
        place.hub.forget(&place.ids[0], &held);
        assert!(matches!(following.look(), Then::Look(IDLE)));
        drop(place.hub.known(&place.ids[0]));
        drop(held);
        assert!(matches!(following.look(), Then::Gone) && place.is_kept(0));
    }

    #[tokio::test]
    async fn l3_a_log_that_is_too_long_is_kept_as_far_as_it_is_shown() {
        let place = place(1);
        let padding = " ".repeat(4_000_000);
        let event = |seq: u32| format!("{{\"event\":\"round_start\",{padding}\"seq\":{seq}}}\n");
        let mut text = fs::read_to_string(place.path(0)).unwrap();
        text.extend((3..25).map(event));
        fs::write(place.path(0), &text).unwrap();
        for _ in 0..2 {
            let joined = place.hub.join(&place.ids[0]).unwrap();
            assert!((3..24).contains(&joined.log.len()) && joined.unreadable.is_some());
            assert!(place.is_kept(0));
        }
    }
}
