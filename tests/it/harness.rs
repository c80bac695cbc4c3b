//! A place to run the real binary in: a directory, a stand-in server, job files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use stand_in::{Answer, Call, StandIn};
use tempfile::TempDir;

/// A knockout of two rounds that needs no more than a topic.
pub(crate) const SHORT_JOB: &str = "topic: Should voting be compulsory?\nrounds: 2\n";

/// A debate of one round; explicit topics are allowed because loading the filter takes half of such a run's time.
pub(crate) const TINY_JOB: &str =
    "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\n";

/// What takes longer hangs: the longest run takes less than a minute.
const PATIENCE: Duration = Duration::from_secs(180);

/// The files of a debate, blanked, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// A directory with a server beside it.
pub(crate) struct Place {
    /// Of what was started and not waited for; first, because it ends with the test, before its directory goes.
    watches: Mutex<Vec<Watch>>,
    dir: TempDir,
    pub(crate) server: StandIn,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    /// An empty directory and a server that answers everything in shape.
    pub(crate) fn new() -> Self {
        Self::with(StandIn::start())
    }

    /// An empty directory and this server.
    pub(crate) fn with(server: StandIn) -> Self {
        server.script(good);
        Self {
            watches: Mutex::default(),
            dir: TempDir::new().expect("a temporary directory"),
            server,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file below the directory.
    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }

    /// The command, not started: its output directory is `output`, its server the stand-in, its retries do not wait.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebut"));
        command
            .current_dir(self.path())
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
            .env_remove("OLLAMA_API_KEY")
            .env("OLLAMA_HOST", self.server.url())
            .env("NO_COLOR", "1");
        command
    }

    /// Runs a command to its end.
    pub(crate) fn rebut(&self, args: &[&str]) -> Ended {
        end_of(&mut self.command(args))
    }

    /// `rebut run` with retries that do not wait.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.rebut(&[&["run", "--retry-delay", "1ms"], args].concat())
    }

    /// The same, started and not waited for; it is killed when the test ends, or hangs.
    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(&[&["run", "--retry-delay", "1ms"], args].concat());
        let child = command.spawn().expect("the binary starts");
        let watch = Watch::over(child.id());
        self.watches.lock().expect("a lock").push(watch);
        child
    }

    /// Writes the job `job.yaml`, runs it and returns its only debate's trace.
    pub(crate) fn trace_of(&self, job: &str, args: &[&str]) -> Value {
        self.write("job.yaml", job);
        let ended = self.run(&[&["job.yaml"], args].concat());
        assert!(
            ended.code < 2,
            "exit {}\n{}\n{}",
            ended.code,
            ended.stdout,
            ended.stderr
        );
        self.trace()
    }

    /// Starts `job.yaml`, kills it in the middle of the first call of a kind, and lets the server answer well again.
    pub(crate) fn killed_at(&self, wanted: Kind, args: &[&str]) {
        self.server.script(move |call| {
            if kind(call) == wanted {
                Answer::hang()
            } else {
                good(call)
            }
        });
        let before = self.server.calls().len();
        let mut child = self.spawn(&[&["job.yaml"], args].concat());
        self.server.wait_until(|calls| {
            calls
                .iter()
                .skip(before)
                .any(|c| c.is_chat() && kind(c) == wanted)
        });
        child.kill().expect("a kill");
        child.wait().expect("an end");
        self.server.script(good);
    }

    /// The trace of the only debate in `output`.
    pub(crate) fn trace(&self) -> Value {
        let debates = self.debates();
        assert_eq!(debates.len(), 1, "{debates:?}");
        trace_in(&debates[0])
    }

    /// Every dated directory in `output`, in order.
    pub(crate) fn debates(&self) -> Vec<PathBuf> {
        debates_in(&self.path().join("output"))
    }

    /// The journal of the only debate that is not finished.
    pub(crate) fn running_journal(&self) -> PathBuf {
        list(&self.path().join("output/.rebut/running"))
            .pop()
            .expect("a journal")
    }
}

/// Runs a command to its end, which must come in time.
pub(crate) fn end_of(command: &mut Command) -> Ended {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().expect("the binary starts");
    let watch = Watch::over(child.id());
    let output = child.wait_with_output().expect("an end");
    let ended = ended(&output);
    assert!(
        !watch.struck.load(Ordering::SeqCst),
        "{command:?} hung and printed:\n{}{}",
        ended.stdout,
        ended.stderr
    );
    ended
}

/// Kills a process when it hangs or the watch is dropped, unless it has ended by then. Whoever waits for it or reads what
/// it prints comes to an end so.
struct Watch {
    process: Process,
    struck: Arc<AtomicBool>,
    /// Dropped with the watch, which ends the thread that waits.
    _holds: Sender<()>,
}

impl Watch {
    fn over(id: u32) -> Self {
        let process = Process::of(id);
        let (holds, dropped) = mpsc::channel();
        let watch = Self {
            process: process.clone(),
            struck: Arc::default(),
            _holds: holds,
        };
        let struck = Arc::clone(&watch.struck);
        std::thread::spawn(move || {
            if dropped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && process.kill() {
                struck.store(true, Ordering::SeqCst);
                say(&format!("process {id} hung and was killed"));
            }
        });
        watch
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// A process that somebody else may wait for, after which its number may be another's: when it began tells them apart.
#[derive(Clone)]
struct Process {
    id: u32,
    /// None where there is no `/proc`: what hangs is not killed there.
    begun: Option<String>,
}

impl Process {
    fn of(id: u32) -> Self {
        Self {
            id,
            begun: begun(id),
        }
    }

    /// Kills it if it is still there; says whether it was.
    fn kill(&self) -> bool {
        let is_there = self.begun.is_some() && begun(self.id) == self.begun;
        is_there && {
            let kill = Command::new("kill")
                .args(["-KILL", &self.id.to_string()])
                .stderr(Stdio::null())
                .status();
            kill.is_ok_and(|status| status.success())
        }
    }
}

/// When a process began, in ticks of the system's clock.
fn begun(id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The second field is the program's name in parentheses, with whatever that holds; this is the 22nd.
    let (_, behind_name) = stat.rsplit_once(") ")?;
    behind_name.split(' ').nth(19).map(str::to_owned)
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_started_ends_with_its_test() {
    let place = Place::new();
    place.write("job.yaml", TINY_JOB);
    place.server.script(|_| Answer::hang());
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_for_chats(1);
    drop(place);
    assert_eq!(child.wait().expect("an end").code(), None);
}

pub(crate) fn ended(output: &Output) -> Ended {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("what is printed is UTF-8");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

pub(crate) fn debates_in(output: &Path) -> Vec<PathBuf> {
    let days = list(output)
        .into_iter()
        .filter(|path| path.is_dir() && !path.ends_with(".rebut"));
    days.flat_map(|day| list(&day))
        .filter(|path| path.is_dir())
        .collect()
}

pub(crate) fn list(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}

pub(crate) fn trace_in(debate: &Path) -> Value {
    serde_json::from_str(&read(&debate.join("trace.json"))).expect("a trace is JSON")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A place with `job.yaml` in it.
pub(crate) fn with_job(job: &str) -> Place {
    let place = Place::new();
    place.write("job.yaml", job);
    place
}

/// Does something with every item, on as many threads as there are processors.
pub(crate) fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::SeqCst)) {
                    work(item);
                }
            });
        }
    });
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for path in list(from) {
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// Says a line past the capture of what tests print.
pub(crate) fn say(line: &str) {
    let mut stderr = std::io::stderr();
    std::io::Write::write_all(&mut stderr, format!("{line}\n").as_bytes()).expect("stderr");
}

/// The files of a debate as a map from path to content, blanked of what may differ between equal debates (row J8).
pub(crate) fn blanked(debate: &Path) -> Files {
    let name = name_of(debate);
    let dated = format!("{}/{name}", name_of(debate.parent().expect("a day")));
    let paths = list(debate)
        .into_iter()
        .chain(list(&debate.join("messages")));
    let blank = |path: PathBuf| {
        let below = path.strip_prefix(debate).expect("below");
        let text = read(&path)
            .replace(&dated, "DAY/DEBATE")
            .replace(&name, "DEBATE");
        (below.display().to_string(), blank_file(below, &text))
    };
    paths.filter(|path| path.is_file()).map(blank).collect()
}

/// The last part of a path.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

/// Blanks the times in a file, each where its kind of file has one; whatever else differs is to be seen.
pub(crate) fn blank_file(below: &Path, text: &str) -> String {
    let ending = below.extension().and_then(|ending| ending.to_str());
    let each_line = |blank: fn(&str) -> String| text.lines().map(blank).collect::<Vec<_>>();
    match (below.to_str(), ending) {
        (_, Some("json")) => blank_json(text),
        (_, Some("jsonl")) => each_line(blank_json).join("\n"),
        (Some("index.md"), _) => each_line(blank_index_line).join("\n"),
        (Some("metadata.md"), _) => each_line(blank_metadata_line).join("\n"),
        _ => text.to_owned(),
    }
}

/// Blanks the values of keys that hold times.
fn blank_json(text: &str) -> String {
    let mut value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    blank_value(&mut value);
    value.to_string()
}

/// Blanks when a debate has begun: in the front matter, and in the one sentence that says it.
fn blank_index_line(line: &str) -> String {
    if line.starts_with("started_at: ") {
        return blank_numbers(line);
    }
    let sentence = line.starts_with("A ") && line.ends_with(" UTC.");
    match line.rsplit_once(" completed, begun ") {
        Some((before, time)) if sentence => format!("{before}, begun {}", blank_numbers(time)),
        _ => line.to_owned(),
    }
}

/// Blanks the three rows of times, and what a round took by the clock; the models' own times are the server's.
fn blank_metadata_line(line: &str) -> String {
    let rows = ["| begun | ", "| ended | ", "| duration | "];
    if rows.iter().any(|row| line.starts_with(row)) {
        return blank_numbers(line);
    }
    match line.split_once(" Wall time, interruptions included: ") {
        Some((models, walls)) if line.starts_with("Model time by round ") => {
            let rounds = walls.split(", ").map(|_| " TIME");
            format!("{models} Wall time:{}", rounds.collect::<String>())
        }
        _ => line.to_owned(),
    }
}

/// Puts one mark in the place of each number, of however many digits; what stands between numbers stays.
fn blank_numbers(text: &str) -> String {
    let mut blank = String::new();
    for c in text.chars() {
        let goes_on = blank.ends_with('#');
        match c {
            '0'..='9' | '.' if goes_on => {}
            '0'..='9' => blank.push('#'),
            _ => blank.push(c),
        }
    }
    blank
}

#[test]
fn j8_only_times_are_blanked_and_only_where_they_stand() {
    let said = "A plan, 2 completed, begun 2026-11-22, ended 1.5 s later: duration, path: 7 UTC.";
    for name in [
        "messages/001_x.md",
        "summary.md",
        "transcript.md",
        "metadata.md",
    ] {
        assert_eq!(blank_file(Path::new(name), said), said, "{name}");
    }
    let message = json!({"text": said, "at": "2026-11-22T01:51:15Z", "wall_ms": 7}).to_string();
    let blank = json!({"text": said, "at": null, "wall_ms": null}).to_string();
    assert_eq!(
        blank_file(Path::new("messages/001_x.json"), &message),
        blank
    );
    for (name, first, second) in [
        (
            "index.md",
            "started_at: \"2026-11-22T01:51:15.120Z\"",
            "started_at: \"2027-01-02T11:00:00Z\"",
        ),
        (
            "index.md",
            "A debate, 2 rounds completed, begun 2026-11-22 01:51:15 UTC.",
            "A debate, 2 rounds completed, begun 2027-01-02 11:00:00 UTC.",
        ),
        (
            "metadata.md",
            "| duration | 0.1 minutes",
            "| duration | 12.0 minutes",
        ),
    ] {
        let [first, second] = [first, second].map(|line| blank_file(Path::new(name), line));
        assert_eq!(first, second);
    }
}

fn blank_value(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let ends = ["_at", "_ms", "time", "duration"];
                if key == "at" || ends.iter().any(|end| key.ends_with(end)) {
                    *value = Value::Null;
                } else {
                    blank_value(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank_value),
        _ => {}
    }
}

/// A well-behaved model: a short statement, a ballot that keeps, notes in shape.
pub(crate) fn good(call: &Call) -> Answer {
    match kind(call) {
        Kind::Statement | Kind::Comment => Answer::text(format!(
            "A reason for it is fairness. Number {}.",
            call.option("seed").unwrap_or(&Value::Null)
        )),
        Kind::Ballot => ballot(4, true),
        Kind::Clerk => Answer::shaped(),
    }
}

/// What a call is for, told from its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Statement,
    Ballot,
    Clerk,
    Comment,
}

pub(crate) fn kind(call: &Call) -> Kind {
    match call.schema().map(|schema| schema["properties"].clone()) {
        None if call.last_message().contains("You comment on this debate") => Kind::Comment,
        None => Kind::Statement,
        Some(properties) if properties.get("vote_to_continue").is_some() => Kind::Ballot,
        Some(_) => Kind::Clerk,
    }
}

/// A ballot with the same score everywhere.
pub(crate) fn ballot(score: u64, keep: bool) -> Answer {
    Answer::json(&ballot_value(score, keep))
}

pub(crate) fn ballot_value(score: u64, keep: bool) -> Value {
    let scores = json!({"argument_strength": score, "clarity": score, "persuasiveness": score, "relevance": score});
    json!({"comments": "A fair try, well argued.", "scores": scores, "vote_to_continue": keep})
}

/// The round a prompt is about, told from its text.
pub(crate) fn round_of(call: &Call) -> u64 {
    let text = call.text();
    let after = |mark: &str| {
        text.rsplit(mark).next().and_then(|rest| {
            rest.split(|c: char| !c.is_ascii_digit())
                .next()?
                .parse()
                .ok()
        })
    };
    if text.contains("This is round ") {
        after("This is round ").unwrap_or(0)
    } else {
        after("in round ").unwrap_or(0)
    }
}

/// Incidents of a kind.
pub(crate) fn incidents<'t>(trace: &'t Value, kind: &str) -> Vec<&'t Value> {
    trace["incidents"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|incident| incident["kind"] == kind)
        .collect()
}

/// The statements of a trace that participants made.
pub(crate) fn arguments(trace: &Value) -> Vec<&Value> {
    trace["statements"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|s| s["phase"] == "argument")
        .collect()
}

/// Gives the journal's first reply the digest of another request, as another version of `rebut` would have written it.
pub(crate) fn another_digest(path: &Path) {
    use rebut::journal::{self, Entry};
    let mut entries = journal::load(path).expect("a journal").entries;
    for entry in &mut entries {
        if let Entry::Reply(reply) = entry {
            reply.digest = "0".repeat(64);
            break;
        }
    }
    let lines: String = entries
        .iter()
        .map(|entry| journal::line(entry) + "\n")
        .collect();
    std::fs::write(path, lines).expect("a journal");
}
