//! Rows J4, J8 and A5: the real binary, killed at many points and run again, ends as if it had never been killed; in every
//! format.
//!
//! `KILL_POINTS=1000 cargo test --test it kills` tries a thousand points in place of 48.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Call};
use rebut::digest;
use rebut::journal::Entry;
use serde_json::Value;

use crate::fault_injector::{Line, kills_among};
use crate::formats::FORMATS;
use crate::harness::{
    Files, Kind, Place, TINY_JOB, blank_file, blanked, copy_of, each, entries_of, good, kind, list,
    name_of, read, say, with_job,
};
use crate::prompts;

const POINTS: usize = 48;
/// Kills within what the server sends.
const STREAM_POINTS: usize = 100;
const SEED: u64 = 7;
/// Calls in flight in the runs that are killed.
const AT_ONCE: usize = 3;
const ARGS: [&str; 5] = ["job.yaml", "--concurrency", "3", "--max-debates", "3"];

const NOTHING: [PathBuf; 0] = [];

/// The files of finished debates, blanked, by the digits of the id in their names.
type Debates = BTreeMap<String, Files>;

/// The lines of the lists, blanked, by the lists' paths.
type Lists = BTreeMap<String, Vec<String>>;

/// A run that is killed again and again.
struct Case {
    job: String,
    /// What it leaves when it is not killed.
    expected: Debates,
    lists: Lists,
    /// Every way to kill it.
    kills: Vec<Kill>,
}

/// A way to kill a run.
struct Kill {
    /// What the run is about.
    phase: &'static str,
    /// What is hit.
    kind: String,
    /// How the fault injector is told.
    act: String,
}

/// A kill, and perhaps a second one in the run that goes on.
struct Point<'c> {
    case: &'c Case,
    kills: Vec<&'c Kill>,
}

impl Case {
    /// Runs the job unbroken and lists what can be hit.
    fn of(job: &str) -> Self {
        let place = with_job(job);
        let ended = place.run_injected(&ARGS, "");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let seen = place.seen();
        let bytes: usize = seen.iter().filter_map(Line::received).sum();
        Self {
            job: job.to_owned(),
            expected: finished(&place),
            lists: lists(&place),
            kills: seen
                .iter()
                .flat_map(kills_at)
                .chain((1..=STREAM_POINTS).map(|n| received(n * bytes / STREAM_POINTS)))
                .collect(),
        }
    }

    /// So many points: every phase in turn, in each every kind in turn; which of a kind follows from the seed. A quarter
    /// is killed twice, and so are all that are there a second time because so many were asked for.
    fn chosen(&self, count: usize) -> Vec<Point<'_>> {
        let mut kills: Vec<&Kill> = self.kills.iter().collect();
        kills.sort_by_key(|kill| digest::derive(SEED, &kill.act));
        let kills = in_turn(in_turn(kills, |kill| &kill.kind), |kill| kill.phase);
        let kill = |i| self.point(kills[i % kills.len()], i / kills.len());
        (0..count).map(kill).collect()
    }

    fn point<'c>(&'c self, kill: &'c Kill, lap: usize) -> Point<'c> {
        let drawn = digest::derive(SEED, &format!("{lap} {}", kill.act)) as usize;
        let mut kills = vec![kill];
        if lap > 0 || drawn.is_multiple_of(4) {
            kills.push(&self.kills[drawn / 4 % self.kills.len()]);
        }
        Point { case: self, kills }
    }
}

/// Kills in another order: those of different keys take turns.
fn in_turn<'k>(kills: Vec<&'k Kill>, key: impl Fn(&'k Kill) -> &'k str) -> Vec<&'k Kill> {
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    let mut placed: Vec<(usize, &Kill)> = Vec::new();
    for kill in kills {
        let turn = turns.entry(key(kill)).or_default();
        *turn += 1;
        placed.push((*turn, kill));
    }
    placed.sort_by_key(|(turn, _)| *turn);
    placed.into_iter().map(|(_, kill)| kill).collect()
}

fn kills_at(line: &Line) -> Vec<Kill> {
    let kill =
        |(part, act)| Kill { phase: phase(line), kind: format!("{part} {}", line.kind()), act };
    line.kills().map(kill).collect()
}

/// The kill when so many bytes have come from the server.
fn received(n: usize) -> Kill {
    Kill { phase: "in a stream", kind: "in a stream".to_owned(), act: format!("kill received {n}") }
}

fn phase(line: &Line) -> &'static str {
    let parts: Vec<&str> = line.path.split('/').collect();
    match parts[..] {
        [".rebut", "running", _] => "at the journal",
        [".rebut", "staging", _, ..] => "at the rendering",
        [".rebut", "journals", ..] => "at the renames and lists",
        ["" | ".rebut", ..] => "at the beginning",
        _ => "at the renames and lists",
    }
}

impl Point<'_> {
    /// Kills, looks, goes on to the end, looks again. Whether the first kill hit.
    fn try_out(&self) -> bool {
        let place = with_job(&self.case.job);
        let mut hits = Vec::new();
        for Kill { act, .. } in &self.kills {
            let already = Already::of(&place);
            hits.push(place.run_injected(&ARGS, act).code == -1);
            already.check(&place);
            self.check_committed(&place);
        }
        let already = Already::of(&place);
        place.run_exits(0, &ARGS);
        already.check(&place);
        assert_eq!(left(&place), NOTHING);
        self.check_end(&place, hits.iter().filter(|hit| **hit).count());
        hits[0]
    }

    fn name(&self) -> String {
        let names = self.kills.iter().map(|kill| format!("{} ({})", kill.act, kill.kind));
        names.collect::<Vec<_>>().join(", then ")
    }

    /// Whatever stands under a dated name is complete, and so is the list.
    fn check_committed(&self, place: &Place) {
        let listed = std::fs::read_to_string(place.path().join("output/index.jsonl"));
        for line in listed.unwrap_or_default().lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
        }
        for (id, files) in finished(place) {
            assert_eq!(self.case.expected.get(&id), Some(&files), "{id}");
        }
        prompts::are_whole(place);
    }

    fn check_end(&self, place: &Place, kills: usize) {
        assert!(finished(place) == self.case.expected, "other debates than without a kill");
        assert_eq!(lists(place), self.case.lists);
        assert_eq!(list(&place.path().join("output/.rebut/replaced")), NOTHING);
        let asked = place.server.chats();
        let once: BTreeSet<u64> = asked.iter().map(seed_of).collect();
        assert_eq!(answered(place), once, "the journals hold each call, whole");
        let repeats = asked.len() - once.len();
        // A call that was answered leaves its place to the next one before its reply is on disk: until then both are in
        // flight, as far as a kill is concerned.
        assert!(repeats <= 2 * kills * AT_ONCE, "{repeats} repeats after {kills} kills");
    }
}

/// What a run that ended well does not leave: what it works on, claims, and files that a replacement had begun.
fn left(place: &Place) -> Vec<PathBuf> {
    let output = place.path().join("output");
    let is_left = |path: &PathBuf| {
        let holder = path.parent().map(name_of).unwrap_or_default();
        ["running", "staging", "swapping", "claims"].contains(&holder.as_str())
            || path.extension().is_some_and(|ending| ending == "new")
    };
    let all = walkdir::WalkDir::new(&output).into_iter();
    let paths = all.map(|entry| entry.expect("an entry").into_path());
    paths.filter(is_left).collect()
}

/// Every list of debates, names and times blanked. Its lines are sorted: of two debates that begin together either may be
/// the first.
fn lists(place: &Place) -> Lists {
    let output = place.path().join("output");
    let debates = place.debates();
    let plain = |mut text: String| {
        for name in debates.iter().map(|debate| name_of(debate)) {
            text = text.replace(&name, name.rsplit_once('_').expect("an id").1);
        }
        for day in debates.iter().filter_map(|debate| debate.parent()) {
            text = text.replace(&name_of(day), "DAY");
        }
        text
    };
    let pages = debates.iter().flat_map(|debate| list(debate.parent().expect("a day")));
    let files = list(&output).into_iter().chain(pages).filter(|path| path.is_file());
    let lines = |path: PathBuf| {
        let below = path.strip_prefix(&output).expect("below");
        let text = without_clocks(&blank_file(below, &plain(read(&path))));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        (plain(below.display().to_string()), lines)
    };
    files.map(lines).collect()
}

/// A list without the times of day in the cells of its table.
fn without_clocks(list: &str) -> String {
    let is_clock = |cell: &str| {
        cell.len() == 5
            && cell.split_once(':').is_some_and(|(h, m)| (h.to_owned() + m).parse::<u16>().is_ok())
    };
    let row = |line: &str| {
        let cells = line.split(" | ").map(|cell| if is_clock(cell) { "TIME" } else { cell });
        cells.collect::<Vec<_>>().join(" | ")
    };
    list.lines().map(row).collect::<Vec<_>>().join("\n")
}

/// What must not be asked again: the calls that are in the journals now.
struct Already {
    answered: BTreeSet<u64>,
    asked: usize,
}

impl Already {
    fn of(place: &Place) -> Self {
        Self { answered: answered(place), asked: place.server.chats().len() }
    }

    fn check(&self, place: &Place) {
        for call in place.server.chats().iter().skip(self.asked) {
            assert!(!self.answered.contains(&seed_of(call)), "asked again: {}", call.body);
        }
    }
}

/// The seeds of all calls in the journals; each call has its own.
fn answered(place: &Place) -> BTreeSet<u64> {
    let state = place.path().join("output/.rebut");
    let journals = list(&state.join("running")).into_iter().chain(list(&state.join("journals")));
    let mut seeds = BTreeSet::new();
    for path in journals {
        let entries = entries_of(&path);
        let Some(Entry::Debate(header)) = entries.first() else {
            continue;
        };
        let inputs = place.inputs_of(header);
        let seed = inputs["plan"]["seed"].as_u64().expect("a seed");
        seeds.extend(entries.iter().filter_map(|entry| match entry {
            Entry::Reply(reply) => {
                Some(u64::from(digest::call_seed(seed, &reply.call, reply.attempt)))
            }
            _ => None,
        }));
    }
    seeds
}

fn seed_of(call: &Call) -> u64 {
    call.option("seed").and_then(Value::as_u64).expect("a call has a seed")
}

/// The debates under dated names; no two are of one id.
fn finished(place: &Place) -> Debates {
    let mut all = Debates::new();
    for debate in place.debates() {
        let name = name_of(&debate);
        let (_, id) = name.rsplit_once('_').expect("an id");
        assert!(all.insert(id.to_owned(), blanked(&debate)).is_none(), "two directories of {id}");
    }
    all
}

/// Tries the points, several at a time; the phases of those whose kill hit, counted.
fn try_all(points: &[Point<'_>]) -> BTreeMap<&'static str, usize> {
    let (hit, failed) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    each(points, |point| match std::panic::catch_unwind(|| point.try_out()) {
        Ok(true) => {
            let mut hit = hit.lock().expect("a lock");
            *hit.entry(point.kills[0].phase).or_insert(0) += 1;
        }
        Ok(false) => {}
        Err(_) => failed.lock().expect("a lock").push(point.name()),
    });
    let failed = failed.into_inner().expect("a lock");
    assert!(failed.is_empty(), "{} points failed, as told above: {failed:#?}", failed.len());
    hit.into_inner().expect("a lock")
}

#[test]
fn j4_killed_anywhere_it_goes_on_without_asking_again_and_ends_equal() {
    let count = std::env::var("KILL_POINTS").map_or(POINTS, |n| n.parse().expect("a number"));
    let two = format!("{TINY_JOB}repeat: 2\n");
    let jobs = FORMATS.iter().map(|format| format.tiny).chain([&*two]);
    let cases: Vec<Case> = jobs.map(Case::of).collect();
    let share = |i: usize| count / cases.len() + usize::from(i < count % cases.len());
    let points: Vec<Point<'_>> =
        cases.iter().enumerate().flat_map(|(i, case)| case.chosen(share(i))).collect();
    let hit = try_all(&points);
    let hits: usize = hit.values().sum();
    say(&format!("killed at {hits} of {} points: {hit:?}", points.len()));
    // With calls in flight side by side, the last operations of a run do not come at quite the same places.
    assert!(hits * 20 >= count * 19, "only {hits} of {count} points were hit");
}

#[test]
fn a5_a_commit_killed_at_any_step_leaves_no_debate_or_a_whole_one_with_its_prompts() {
    let tried = with_job(TINY_JOB);
    assert_eq!(tried.run_injected(&ARGS, "").code, 0);
    let expected = finished(&tried);
    let of_commit =
        |line: &&Line| line.path.contains("prompts/") || line.path.contains("journals/");
    let seen = tried.seen();
    let n = seen.iter().filter(of_commit).map(|line| line.n);
    let (first, last) = (n.clone().min().expect("prompts"), n.max().expect("a journal"));
    let commit = seen.iter().filter(|line| (first..=last).contains(&line.n));
    let kills = kills_among(&commit.collect::<Vec<_>>());
    assert!(kills.len() > 8, "{} kills", kills.len());
    each(&kills, |kill| {
        let place = with_job(TINY_JOB);
        assert_eq!(place.run_injected(&ARGS, kill).code, -1);
        let asked = place.server.chats().len();
        let committed = finished(&place);
        assert!(committed.is_empty() || committed == expected, "{kill}");
        prompts::are_whole(&place);
        place.run_exits(0, &ARGS);
        assert_eq!(place.server.chats().len(), asked, "{kill}");
        assert!(finished(&place) == expected, "{kill}");
        prompts::are_whole(&place);
        let kept = list(&place.path().join("output/.rebut/prompts"));
        assert_eq!((kept.len(), left(&place).len()), (1, 0), "{kill}");
    });
}

#[test]
fn j9c_a_restart_killed_while_it_sets_aside_loses_nothing_and_goes_on_without_the_flag() {
    let before = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    before.run_exits(0, &ARGS);
    let restart = [&ARGS[..], &["--restart"]].concat();
    let tried = copy_of(&before);
    assert_eq!(tried.run_injected(&restart, "").code, 0);
    let seen = tried.seen();
    let aside = |line: &&Line| line.path.starts_with(".rebut/replaced") && line.what != "mkdir";
    let aside: Vec<&Line> = seen.iter().filter(aside).filter(|line| line.begins).collect();
    assert_eq!(
        aside.len(),
        2 * 3 * 2,
        "two debates, their directories, prompts and journals, renamed and synced"
    );
    each(&kills_among(&aside), |kill| {
        let place = copy_of(&before);
        assert_eq!(place.run_injected(&restart, kill).code, -1);
        let kept = list(&place.path().join("output/.rebut/replaced"))
            .iter()
            .filter(|path| path.is_dir())
            .count();
        assert_eq!(place.debates().len() + kept, 2, "{kill}");
        let ended = place.run(&ARGS);
        assert_eq!(ended.code, 0, "{kill}: {}{}", ended.stdout, ended.stderr);
        assert!(finished(&place) == finished(&before), "{kill}");
        prompts::are_whole(&place);
        assert_eq!(lists(&place), lists(&before), "{kill}");
        assert_eq!(left(&place), NOTHING, "{kill}");
    });
}

#[test]
fn a6_a_rendering_killed_anywhere_leaves_whole_files_and_the_next_one_completes_it() {
    let before = with_job(TINY_JOB);
    before.run_exits(0, &ARGS);
    let debate = before.debates().remove(0);
    let debate = debate.strip_prefix(before.path()).expect("below").to_str().expect("UTF-8");
    let render = ["render", "--formats", "json,text", "--transcript", debate];
    let after = copy_of(&before);
    assert_eq!(after.injected(&render, "").code, 0);
    let kills: Vec<Kill> = after.seen().iter().flat_map(kills_at).collect();
    let kills: Vec<&Kill> = kills.iter().step_by(kills.len() / 10).collect();
    let whole = [blanked(&before.debates()[0]), blanked(&after.debates()[0])];
    each(&kills, |kill| {
        let place = copy_of(&before);
        assert_eq!(place.injected(&render, &kill.act).code, -1);
        for (name, text) in
            blanked(&place.debates()[0]).iter().filter(|(name, _)| !name.ends_with(".new"))
        {
            assert!(
                whole.iter().any(|files| files.get(name) == Some(text)),
                "{}: {name}",
                kill.act
            );
        }
        assert_eq!(place.injected(&render, "").code, 0);
        assert_eq!(left(&place), NOTHING, "{}", kill.act);
        assert!(blanked(&place.debates()[0]) == whole[1], "{}", kill.act);
    });
}

#[test]
fn j10b_what_is_left_of_an_earlier_replacement_is_set_aside() {
    let place = with_job(TINY_JOB);
    place.server.script(|call| match kind(call) {
        Kind::Statement => Answer::text(""),
        _ => good(call),
    });
    place.run_exits(1, &ARGS);
    let name = name_of(&place.debates()[0]);
    place.write(&format!("output/.rebut/swapping/{name}/index.md"), "torn");
    place.server.script(good);
    place.run_exits(0, &[&ARGS[..], &["--retry", "degraded,failed"]].concat());
    assert_eq!(place.statuses(), ["done"]);
    assert_eq!(left(&place), NOTHING);
}

#[test]
fn j10b_a_retry_killed_anywhere_keeps_the_old_directory_or_the_new_and_goes_on() {
    let (before, whole) = (with_job(TINY_JOB), with_job(TINY_JOB));
    whole.run_exits(0, &ARGS);
    let silent_x =
        |call: &Call| kind(call) == Kind::Statement && call.text().contains("You are X.");
    before.server.script(move |call| if silent_x(call) { Answer::text("") } else { good(call) });
    assert_eq!(before.run(&ARGS).code, 1, "degraded");
    let retry = [&ARGS[..], &["--retry", "degraded"]].concat();
    let after = copy_of(&before);
    assert_eq!(after.run_injected(&retry, "").code, 0);
    assert!(finished(&after) == finished(&whole));
    let (known, listed) = ([finished(&before), finished(&whole)], lists(&whole));
    let seen = after.seen();
    let swaps = |line: &&Line| line.path.contains("swapping") || line.path.contains("replaced");
    let mut kills: Vec<Kill> = seen.iter().filter(swaps).flat_map(kills_at).collect();
    assert!(kills.len() >= 6, "two renames and their syncs");
    kills.extend(seen.iter().flat_map(kills_at).step_by(25));
    let hits = AtomicUsize::new(0);
    each(&kills, |kill| {
        let place = copy_of(&before);
        if place.run_injected(&retry, &kill.act).code != -1 {
            return;
        }
        hits.fetch_add(1, Ordering::SeqCst);
        let orphans = list(&place.path().join("output/.rebut/swapping"));
        assert!(
            known.contains(&finished(&place)) || place.debates().is_empty() && orphans.len() == 1,
            "{}: {:?} {orphans:?}",
            kill.act,
            place.debates()
        );
        let ended = place.run(&retry);
        assert_eq!(ended.code, 0, "{}: {}", kill.act, ended.stderr);
        assert!(finished(&place) == known[1], "{}", kill.act);
        prompts::are_whole(&place);
        assert_eq!(lists(&place), listed, "{}", kill.act);
        assert_eq!(left(&place), NOTHING, "{}", kill.act);
    });
    let (hits, all) = (hits.into_inner(), kills.len());
    assert!(hits * 10 >= all * 9, "only {hits} of {all} kills hit");
}
