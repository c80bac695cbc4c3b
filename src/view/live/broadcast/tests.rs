//! Tests of debates in progress with many watchers: each is read once, and forgotten in time.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::sleep;

use super::super::following::{Around, Following, IDLE, KEPT, Then};
use super::*;
use crate::clock::Clock;
use crate::id::DebateId;
use crate::store::layout::OutputDir;
use crate::view::finished_cache::FinishedCache;
use crate::view::index::current_index::CurrentIndex;

struct Place {
    _dir: tempfile::TempDir,
    broadcast: Broadcast,
    ids: Vec<ShortId>,
}

/// Live files of so many debates, with as many events each as were asked for.
fn place(debates: usize) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let output = OutputDir::at(dir.path());
    let clock = Clock::system();
    let around = Around {
        lists: Arc::new(CurrentIndex::new(&output, &clock, false)),
        archive: Arc::new(FinishedCache::new(false)),
        clock,
    };
    let kept = Arc::new(OpenDebates::new(&output, false));
    let broadcast = Broadcast { kept, around };
    let place = Place {
        _dir: dir,
        broadcast,
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
        live::path(&self.broadcast.kept.output, &self.ids[n])
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
        self.broadcast.kept.debates.lock().contains_key(&self.ids[n])
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
        self.broadcast.join(&self.ids[n]).unwrap().log.len()
    }
}

#[tokio::test]
async fn l3_a_debate_is_read_on_from_where_it_was_and_anew_if_its_file_is_another() {
    let place = place(1);
    let (first, _) = place.broadcast.debate(&place.ids[0]).unwrap();
    place.tells(0, 0, &[1, 2, 3]);
    assert_eq!(place.log(0), 3);
    assert!(Arc::ptr_eq(&first, &place.broadcast.debate(&place.ids[0]).unwrap().0));
    // A new claimant begins again, and so does one whose file was cut.
    place.tells(0, 1, &[1]);
    assert_eq!(place.log(0), 1);
    place.tells(0, 1, &[]);
    assert_eq!(place.log(0), 0);
    fs::remove_file(place.path(0)).unwrap();
    assert!(place.broadcast.join(&place.ids[0]).is_none() && !place.is_kept(0));
}

#[tokio::test]
async fn l3_sixteen_debates_are_kept_that_nobody_watches_those_asked_for_last() {
    let place = place(18);
    let watched = place.broadcast.join(&place.ids[0]);
    for id in &place.ids[1..] {
        place.broadcast.debate(id).unwrap();
    }
    let kept: Vec<bool> = (0..18).map(|n| place.is_kept(n)).collect();
    assert!(kept[0] && !kept[1] && kept[2..].iter().all(|kept| *kept), "{kept:?}");
    drop(watched);
}

#[tokio::test(start_paused = true)]
async fn l3_a_debate_is_forgotten_once_it_ends_or_nobody_asks_for_it() {
    let place = place(2);
    let asked = place.broadcast.debate(&place.ids[0]).map(|(it, _)| Arc::downgrade(&it));
    let watched = place.broadcast.join(&place.ids[1]).unwrap();
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
    let (held, _) = place.broadcast.kept.known(&place.ids[0]).unwrap();
    let mut following = Following::new(
        Arc::clone(&place.broadcast.kept),
        place.broadcast.around.clone(),
        place.ids[0],
        &held,
    );
    assert!(matches!(following.look(), Then::Look(Duration::ZERO)));
    tokio::time::advance(KEPT).await;
    assert!(matches!(following.look(), Then::Look(IDLE)) && place.is_kept(0));
    // As if there was no more room.
    place.broadcast.kept.forget(&place.ids[0], &held);
    assert!(matches!(following.look(), Then::Look(IDLE)));
    drop(place.broadcast.kept.known(&place.ids[0]));
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
        let joined = place.broadcast.join(&place.ids[0]).unwrap();
        assert!((3..24).contains(&joined.log.len()) && joined.unreadable.is_some());
        assert!(place.is_kept(0));
    }
}

#[tokio::test]
async fn l3_a_log_with_a_line_that_is_too_long_is_kept_until_its_file_is_another() {
    let place = place(1);
    let mut text = fs::read_to_string(place.path(0)).unwrap();
    text += &" ".repeat(5_000_000);
    fs::write(place.path(0), &text).unwrap();
    let (first, _) = place.broadcast.debate(&place.ids[0]).unwrap();
    for _ in 0..2 {
        let joined = place.broadcast.join(&place.ids[0]).unwrap();
        assert!(joined.log.len() == 2 && joined.unreadable.is_some());
        assert!(Arc::ptr_eq(&first, &joined._watched));
    }
    place.tells(0, 1, &[1]);
    assert_eq!(place.log(0), 1);
}
