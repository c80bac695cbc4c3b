//! Rows J4, J8 and A5: the real binary, killed at many points and run again, ends as if it had never been killed.
//!
//! `KILL_POINTS=1000 cargo test --test it kills` tries a thousand points in place of two hundred.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rebut::digest;
use rebut::journal::{self, Entry};
use serde_json::Value;
use stand_in::Call;

use crate::harness::{Place, SHORT_JOB, blanked, list, read};
use crate::witness::Line;

const POINTS: usize = 200;
const SEED: u64 = 7;
/// Calls in flight in the runs that are killed.
const AT_ONCE: usize = 3;
const ARGS: [&str; 5] = ["job.yaml", "--at-once", "3", "--max-open", "3"];

/// The files of finished debates, blanked, by the digits of the id in their names.
type Debates = BTreeMap<String, BTreeMap<String, String>>;

/// A run that is killed again and again.
struct Case {
    job: &'static str,
    /// What it leaves when it is not killed.
    expected: Debates,
    /// Every way to kill it: what is hit, and how the witness is told.
    points: Vec<(String, String)>,
}

/// A kill, and perhaps a second one in the run that goes on.
struct Point<'c> {
    case: &'c Case,
    kind: &'c str,
    acts: Vec<&'c str>,
}

impl Case {
    /// Runs the job unbroken and lists what can be hit.
    fn of(job: &'static str) -> Self {
        let place = Place::new();
        place.write("job.yaml", job);
        let ended = place.run_witnessed(&ARGS, "");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let seen = place.seen();
        let pieces = seen.iter().filter(|line| line.what == "recv").count();
        let received = (1..=pieces).map(|n| ("received".to_owned(), format!("kill received {n}")));
        Self {
            job,
            expected: finished(&place),
            points: seen.iter().flat_map(kills_at).chain(received).collect(),
        }
    }

    /// So many points, of every kind in turn; which ones of a kind follows from the seed. A quarter is killed twice.
    fn chosen(&self, count: usize) -> Vec<Point<'_>> {
        let mut kinds: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
        for (kind, act) in &self.points {
            let drawn = digest::derive(SEED, act);
            kinds.entry(kind).or_default().push((drawn, act));
        }
        let mut ranked = Vec::new();
        for (kind, mut acts) in kinds {
            acts.sort_unstable();
            let rank = |(rank, (drawn, act))| (rank, drawn, kind, act);
            ranked.extend(acts.into_iter().enumerate().map(rank));
        }
        ranked.sort_unstable();
        let chosen = ranked.into_iter().take(count);
        chosen
            .map(|(_, drawn, kind, act)| self.point(kind, act, drawn))
            .collect()
    }

    fn point<'c>(&'c self, kind: &'c str, act: &'c str, drawn: u64) -> Point<'c> {
        let mut acts = vec![act];
        if drawn % 4 == 0 {
            let second = drawn as usize / 4 % self.points.len();
            acts.push(&self.points[second].1);
        }
        Point {
            case: self,
            kind,
            acts,
        }
    }
}

/// The kills at an operation on a file: before it, after it, and in the middle of a write.
fn kills_at(line: &Line) -> Vec<(String, String)> {
    let parts: &[&str] = match (line.n, line.begins, line.what.as_str()) {
        (0, ..) | (_, false, _) => &[],
        (_, _, "write") => &["before", "half", "after"],
        _ => &["before", "after"],
    };
    let kind = line.kind();
    let point = |part: &&str| (format!("{part} {kind}"), format!("kill {part} {}", line.n));
    parts.iter().map(point).collect()
}

impl Point<'_> {
    /// Kills, looks, goes on to the end, looks again. Whether the first kill hit.
    fn try_out(&self) -> bool {
        let place = Place::new();
        place.write("job.yaml", self.case.job);
        let mut hits = Vec::new();
        for act in &self.acts {
            let already = Already::of(&place);
            hits.push(place.run_witnessed(&ARGS, act).code == -1);
            already.check(&place);
            self.check_published(&place);
        }
        let already = Already::of(&place);
        let ended = place.run(&ARGS);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
        already.check(&place);
        self.check_end(&place, hits.iter().filter(|hit| **hit).count());
        hits[0]
    }

    /// Whatever stands under a dated name is complete.
    fn check_published(&self, place: &Place) {
        for (id, files) in finished(place) {
            assert_eq!(self.case.expected.get(&id), Some(&files), "{id}");
        }
    }

    fn check_end(&self, place: &Place, kills: usize) {
        assert!(
            finished(place) == self.case.expected,
            "other debates than without a kill"
        );
        let state = place.path().join("output/.rebut");
        for left in ["running", "staging", "replaced"] {
            assert_eq!(list(&state.join(left)), Vec::<std::path::PathBuf>::new());
        }
        let listed = read(&place.path().join("output/index.jsonl"));
        assert_eq!(listed.lines().count(), self.case.expected.len());
        assert_eq!(half_written(place), Vec::<String>::new());
        let asked = place.server.chats();
        let once: BTreeSet<u64> = asked.iter().map(seed_of).collect();
        let repeats = asked.len() - once.len();
        assert!(
            repeats <= kills * AT_ONCE,
            "{repeats} repeats after {kills} kills"
        );
    }
}

/// Files that a replacement had begun.
fn half_written(place: &Place) -> Vec<String> {
    let all = walkdir::WalkDir::new(place.path().join("output"));
    let names = all
        .into_iter()
        .map(|entry| entry.expect("an entry").path().display().to_string());
    names.filter(|name| name.ends_with(".new")).collect()
}

/// What must not be asked again: the calls that are in the journals now.
struct Already {
    answered: BTreeSet<u64>,
    asked: usize,
}

impl Already {
    fn of(place: &Place) -> Self {
        Self {
            answered: answered(place),
            asked: place.server.chats().len(),
        }
    }

    fn check(&self, place: &Place) {
        for call in place.server.chats().iter().skip(self.asked) {
            assert!(
                !self.answered.contains(&seed_of(call)),
                "asked again: {}",
                call.body
            );
        }
    }
}

/// The seeds of all calls in the journals; each call has its own.
fn answered(place: &Place) -> BTreeSet<u64> {
    let state = place.path().join("output/.rebut");
    let journals = list(&state.join("running"))
        .into_iter()
        .chain(list(&state.join("journals")));
    let mut seeds = BTreeSet::new();
    for path in journals {
        let entries = journal::load(&path)
            .expect("a journal that can be read")
            .entries;
        let Some(Entry::Debate(header)) = entries.first() else {
            continue;
        };
        let inputs = read(&state.join("inputs").join(format!("{}.json", header.inputs)));
        let inputs: Value = serde_json::from_str(&inputs).expect("inputs are JSON");
        let seed = inputs["plan"]["seed"].as_u64().expect("a seed");
        seeds.extend(entries.iter().filter_map(|entry| match entry {
            Entry::Reply(reply) => Some(u64::from(digest::call_seed(
                seed,
                &reply.call,
                reply.attempt,
            ))),
            _ => None,
        }));
    }
    seeds
}

fn seed_of(call: &Call) -> u64 {
    call.option("seed")
        .and_then(Value::as_u64)
        .expect("a call has a seed")
}

/// The debates under dated names; no two are of one id.
fn finished(place: &Place) -> Debates {
    let mut all = Debates::new();
    for debate in place.debates() {
        let name = debate
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (_, id) = name.rsplit_once('_').expect("an id");
        assert!(
            all.insert(id.to_owned(), blanked(&debate)).is_none(),
            "two directories of {id}"
        );
    }
    all
}

/// Tries the points, several at a time; the kinds of those whose kill hit, counted.
fn try_all(points: &[Point<'_>]) -> BTreeMap<String, usize> {
    let (next, hit) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(point) = points.get(next.fetch_add(1, Ordering::SeqCst)) {
            match std::panic::catch_unwind(|| point.try_out()) {
                Ok(true) => {
                    *hit.lock()
                        .expect("a lock")
                        .entry(point.kind.to_owned())
                        .or_insert(0) += 1
                }
                Ok(false) => {}
                Err(_) => failed
                    .lock()
                    .expect("a lock")
                    .push((point.kind, &point.acts)),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().expect("a lock");
    assert!(
        failed.is_empty(),
        "{} points failed, as told above: {failed:#?}",
        failed.len()
    );
    hit.into_inner().expect("a lock")
}

#[test]
fn j4_killed_anywhere_it_goes_on_without_asking_again_and_ends_equal() {
    let count = std::env::var("KILL_POINTS").map_or(POINTS, |n| n.parse().expect("a number"));
    let one = Case::of(SHORT_JOB);
    let three = Case::of("topic: Should voting be compulsory?\nrounds: 1\nrepeat: 3\n");
    let mut points = one.chosen(count / 2);
    points.extend(three.chosen(count - points.len()));
    let hit = try_all(&points);
    for (kind, times) in &hit {
        println!("{times:4} {kind}");
    }
    let hits: usize = hit.values().sum();
    println!("{hits} of {} points were hit", points.len());
    assert_eq!(points.len(), count);
    // How bytes from a socket are cut into pieces differs from run to run, so a few of the last pieces may not come.
    assert!(
        hits * 20 >= count * 19,
        "only {hits} of {count} points were hit"
    );
}
