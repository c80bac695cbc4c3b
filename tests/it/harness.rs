//! A place to run the real binary in: a directory, a mock server, job files.

mod blank;
pub(crate) mod corpus;
pub(crate) mod found;
mod names;
mod played;
pub(crate) mod properties;
pub(crate) mod rehearsed;
mod run;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mock_ollama::{Answer, Call, MockOllama};
use rebut::digest;
use rebut::job::problem::Problem;
use rebut::job::{Draft, Job, Overrides};
use rebut::journal::{self, Entry, Header, ReplyEntry};
use rebut::store::layout::OutputDir;
use rebut::store::snapshot;
use rebut::templates::Templates;
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use self::blank::{Files, blank_file, blanked};
use self::names::Names;
pub(crate) use self::played::{Played, compare, has, has_all, is, lacks, play, row, shows};
pub(crate) use self::run::Run;
use self::watch::Watch;

/// A knockout of two rounds that needs no more than a topic.
pub(crate) const SHORT_JOB: &str = "topic: Should voting be compulsory?\nrounds: 2\n";

/// A debate of one round; explicit topics are allowed because loading the filter takes half of such a run's time.
pub(crate) const TINY_JOB: &str =
    "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\n";

/// Variables that say where a NATS server is, and who we are there.
const NATS: [&str; 7] =
    ["NATS_URL", "NATS_CREDS", "NATS_NKEY", "NATS_CA", "NATS_USER", "NATS_PASSWORD", "NATS_TOKEN"];

/// A job of this source, read whole.
pub(crate) fn parsed_job(
    path: &Path,
    source: &str,
    templates: &Templates,
) -> Result<Job, Vec<Problem>> {
    let draft = Draft::parse(path, source, &Overrides::default(), templates)?;
    draft.read(templates, |_, _| {})
}

/// The job in a file, read whole.
pub(crate) fn loaded_job(path: &Path, templates: &Templates) -> Result<Job, Vec<Problem>> {
    let draft = Draft::open(path, &Overrides::default(), templates)?;
    draft.read(templates, |_, _| {})
}

/// A directory with a server beside it.
pub(crate) struct Place {
    /// Of what was started and not waited for; first, because it ends with the test, before its directory goes.
    watches: Mutex<Vec<Watch>>,
    dir: TempDir,
    pub(crate) server: MockOllama,
    names: Arc<Mutex<Names>>,
}

/// How a command ended.
#[derive(Serialize)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    /// An empty directory and a server that answers everything in shape.
    pub(crate) fn new() -> Self {
        Self::with(MockOllama::start())
    }

    /// An empty directory and this server.
    pub(crate) fn with(server: MockOllama) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let names = Arc::new(Mutex::new(Names::below(dir.path())));
        let place = Self { watches: Mutex::default(), dir, server, names };
        place.serve_well(&place.server);
        place
    }

    /// Lets a server, which may be another one, answer the debates here well.
    pub(crate) fn serve_well(&self, server: &MockOllama) {
        let names = Arc::clone(&self.names);
        server.name_calls(move |call| names.lock().expect("a lock").of(call));
        server.script(good);
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

    /// The command, not started: its output directory is `output`, its server the mock, its retries do not wait.
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
            .env_remove("REBUT_OUTPUT")
            .env("OLLAMA_HOST", self.server.url())
            .env("NO_COLOR", "1");
        for variable in NATS {
            command.env_remove(variable);
        }
        command
    }

    /// Runs a command to its end.
    pub(crate) fn rebut(&self, args: &[&str]) -> Ended {
        end_of(&mut self.command(args))
    }

    /// Runs a command that must end with this code.
    #[track_caller]
    pub(crate) fn rebut_exits(&self, code: i32, args: &[&str]) -> Ended {
        self.rebut(args).exits(code)
    }

    /// `rebut run`, with retries that do not wait, which must end with this code.
    #[track_caller]
    pub(crate) fn run_exits(&self, code: i32, args: &[&str]) -> Ended {
        self.run(args).exits(code)
    }

    /// `rebut run` with retries that do not wait.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.rebut(&[&["run", "--retry-delay", "1ms"], args].concat())
    }

    /// The same, started and not waited for; it is killed when the test ends, or hangs.
    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.spawn_command(self.command(&[&["run", "--retry-delay", "1ms"], args].concat()))
    }

    /// `rebut run` as a shell starts it, where the binary and its arguments stand behind `start`.
    #[cfg(unix)]
    pub(crate) fn in_shell(&self, start: &str, args: &[&str]) -> Command {
        let run = self.command(&[&["run", "--retry-delay", "1ms"], args].concat());
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("{start} \"$0\" \"$@\"")]);
        shell.arg(run.get_program()).args(run.get_args());
        shell.current_dir(self.path()).stdin(Stdio::null());
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }

    /// Starts a command that is killed when the test ends, or hangs.
    pub(crate) fn spawn_command(&self, mut command: Command) -> Child {
        let child = command.spawn().expect("the binary starts");
        let watch = Watch::over(child.id());
        self.watches.lock().expect("a lock").push(watch);
        child
    }

    /// Writes the job `job.yaml`, runs it and returns its only debate's trace.
    pub(crate) fn trace_of(&self, job: &str, args: &[&str]) -> Value {
        self.write("job.yaml", job);
        let ended = self.run(&[&["job.yaml"], args].concat());
        assert!(ended.code < 2, "exit {}\n{}\n{}", ended.code, ended.stdout, ended.stderr);
        self.trace()
    }

    /// Starts `job.yaml`, kills it in the middle of the first call of a kind, and lets the server answer well again.
    pub(crate) fn killed_at(&self, wanted: Kind, args: &[&str]) {
        self.reply_by(move |call| (kind(call) == wanted).then(Answer::hang));
        self.killed_when(args, move |call| kind(call) == wanted);
        self.server.script(good);
    }

    /// Starts `job.yaml` and kills it in the middle of the first call that a pattern means, which is never answered.
    pub(crate) fn killed_while(&self, pattern: &'static str, args: &[&str]) {
        let hangs = move |call: &Call| (call.is_chat() && is(call, pattern)).then(Answer::hang);
        self.server.intercept(hangs);
        self.killed_when(args, move |call| is(call, pattern));
        self.server.intercept(|_| None);
    }

    fn killed_when(&self, args: &[&str], is_asked: impl Fn(&Call) -> bool) {
        let before = self.server.calls().len();
        let mut child = self.spawn(&[&["job.yaml"], args].concat());
        self.server.wait_until(|calls| {
            let mut calls = calls.iter().skip(before);
            calls.any(|call| call.is_chat() && is_asked(call))
        });
        child.kill().expect("a kill");
        child.wait().expect("an end");
    }

    /// Starts `job.yaml`, kills it when so many calls have had this reply and the next is under way, and lets the server
    /// go on with it.
    pub(crate) fn killed_after(&self, calls: usize, args: &[&str], reply: fn(&Call) -> Answer) {
        let asked = AtomicUsize::new(0);
        self.server.script(move |call| {
            if asked.fetch_add(1, Ordering::SeqCst) < calls { reply(call) } else { Answer::hang() }
        });
        let mut child = self.spawn(&[&["job.yaml"], args].concat());
        self.server.wait_for_chats(calls + 1);
        child.kill().expect("a kill");
        child.wait().expect("an end");
        self.server.script(reply);
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

    /// How many replies the journal of the only debate that is not finished holds.
    pub(crate) fn kept(&self) -> usize {
        let is_reply = |entry: &&Entry| matches!(entry, Entry::Reply(_));
        let entries = entries_of(&self.running_journal());
        entries.iter().filter(is_reply).count()
    }

    /// The journal of the only debate that is not finished.
    pub(crate) fn running_journal(&self) -> PathBuf {
        list(&self.path().join("output/.rebut/running")).pop().expect("a journal")
    }

    /// The snapshot that a debate began with.
    pub(crate) fn inputs_of(&self, header: &Header) -> Value {
        let output = OutputDir::at(&self.path().join("output"));
        snapshot::read(&output, header).expect("a snapshot")
    }

    /// Keeps a snapshot in one file, as debates did before they shared what is not their own.
    pub(crate) fn keep_whole(&self, header: &mut Header, inputs: &Value) {
        (header.inputs, header.snapshot) = (digest::of_json(inputs), None);
        let path = format!("output/.rebut/inputs/{}.json", header.inputs);
        self.write(&path, &inputs.to_string());
    }
}

impl Ended {
    /// The same, which must have ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.said());
        self
    }

    /// How it ended and all that it printed.
    pub(crate) fn said(&self) -> String {
        format!("exit {}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

/// Runs a command to its end, which must come in time.
pub(crate) fn end_of(command: &mut Command) -> Ended {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().expect("the binary starts");
    let watch = Watch::over(child.id());
    let output = child.wait_with_output().expect("an end");
    let ended = ended(&output);
    assert!(!watch.struck(), "{command:?} hung and printed:\n{}{}", ended.stdout, ended.stderr);
    ended
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
    let days = list(output).into_iter().filter(|path| path.is_dir() && !path.ends_with(".rebut"));
    days.flat_map(|day| list(&day)).filter(|path| path.is_dir()).collect()
}

pub(crate) fn list(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}

/// The last part of a path.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
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

/// A place with a copy of all that another one holds.
pub(crate) fn copy_of(other: &Place) -> Place {
    let place = Place::new();
    copy(other.path(), place.path());
    place
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

/// Waits until something is so. Only what hangs waits for long.
#[track_caller]
pub(crate) fn wait_for(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "it never was so");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A well-behaved model: a short statement, a ballot that keeps, notes in shape.
pub(crate) fn good(call: &Call) -> Answer {
    well(call, &|call| {
        let seed = call.option("seed").unwrap_or(&Value::Null);
        format!("A reason for it is fairness. Number {seed}.")
    })
}

/// The same with other speeches.
pub(crate) fn well(call: &Call, speech: &dyn Fn(&Call) -> String) -> Answer {
    match kind(call) {
        Kind::Statement if is(call, "end/answer/*, end/synthesis/*") => {
            let reasons = "Reasoning: it is fair.\nConfidence: medium.\nOpen points: none.";
            Answer::text(format!("Answer: {}\n{reasons}", speech(call)))
        }
        Kind::Statement if call.schema().is_some() => Answer::shaped(),
        Kind::Statement | Kind::Comment => Answer::text(speech(call)),
        Kind::Ballot => ballot(4, true),
        Kind::Clerk | Kind::Verdict => Answer::shaped(),
        Kind::Check | Kind::FactCheck | Kind::Ruling => {
            Answer::json(&modest(call.schema().expect("a schema")))
        }
        Kind::Stance => stance(
            call.schema().expect("a schema")["properties"]["stance"]["enum"][0]
                .as_str()
                .expect("stances"),
        ),
    }
}

/// A stance with a reason, which nobody's argument has moved.
pub(crate) fn stance(word: &str) -> Answer {
    let because = "The reasons for it weigh more.";
    Answer::json(
        &json!({"because": because, "confidence": 70, "moved_by": "nobody", "stance": word}),
    )
}

/// A judgment in shape that finds nothing: plain words, scores of 7, no to every question, the first of several words.
pub(crate) fn modest(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(key, inner)| (key.clone(), modest(inner))).collect()
        }
        Some("integer") => json!(schema["maximum"].as_u64().map_or(7, |most| most.min(7))),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        _ => json!("As fair as can be said."),
    }
}

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whatever is said on the record.
    Statement,
    Ballot,
    Clerk,
    Comment,
    Stance,
    /// The scores of a judge of the whole debate.
    Verdict,
    /// Whether a rule was broken, or what the clerk says of a doubt about a turn.
    Check,
    FactCheck,
    /// On a round.
    Ruling,
}

/// What a call is for, told from its name.
pub(crate) fn kind(call: &Call) -> Kind {
    let name = call.name();
    if is(call, "*/doubt-*") {
        return Kind::Check;
    }
    let word = name.split(['/', '#']).nth(1).unwrap_or_default();
    match word.trim_end_matches("-again") {
        "ballot" => Kind::Ballot,
        "clerk" => Kind::Clerk,
        "comment" => Kind::Comment,
        "stance" => Kind::Stance,
        "verdict" | "verdict-reversed" => Kind::Verdict,
        "check" => Kind::Check,
        "fact_check" => Kind::FactCheck,
        "ruling" => Kind::Ruling,
        _ => Kind::Statement,
    }
}

/// The round of a call, told from its name; 0 outside of rounds.
pub(crate) fn round_of(call: &Call) -> u64 {
    let name = call.name();
    let round = name.strip_prefix("round-").and_then(|rest| rest.split('/').next());
    round.and_then(|round| round.parse().ok()).unwrap_or(0)
}

/// The most tokens that a call may produce.
pub(crate) fn cap(call: &Call) -> u64 {
    let most = call.option("num_predict").and_then(Value::as_u64);
    most.expect("a cap")
}

/// A ballot with the same score everywhere.
pub(crate) fn ballot(score: u64, keep: bool) -> Answer {
    Answer::json(&ballot_value(score, keep))
}

pub(crate) fn ballot_value(score: u64, keep: bool) -> Value {
    let scores = json!({"argument_strength": score, "clarity": score, "persuasiveness": score, "relevance": score});
    json!({"comments": "A fair try, well argued.", "scores": scores, "vote_to_continue": keep})
}

/// The clerk's notes in the shape that the call asks for: on each statement by its place in the exchange, from 1.
pub(crate) fn notes(call: &Call, summary: &str, each: impl Fn(usize) -> Value) -> Answer {
    let schema = call.schema().expect("a schema");
    let statements = keys(&schema["properties"]).into_iter().filter(|key| *key != "summary");
    let note = |(at, key): (usize, &String)| {
        let mut noted = each(at + 1);
        let asked = &schema["properties"][key]["properties"];
        noted.as_object_mut().expect("notes").retain(|key, _| !asked[key].is_null());
        (key.clone(), noted)
    };
    let mut notes: Value = statements.enumerate().map(note).collect();
    notes["summary"] = json!(summary);
    Answer::json(&notes)
}

/// The clerk's notes on a statement: its claim, its new points, its moves.
pub(crate) fn note(claim: &str, new: &[&str], on: &[&str]) -> Value {
    json!({"claim": claim, "new": new, "on": on, "asks": false})
}

/// The values of JSON Lines.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    let value = |line| serde_json::from_str(line).expect("a line of JSON");
    text.lines().map(value).collect()
}

/// An object's keys, in their order.
pub(crate) fn keys(value: &Value) -> Vec<&String> {
    value.as_object().expect("an object").keys().collect()
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

/// What a journal holds, which must be whole but for a torn last line.
pub(crate) fn entries_of(path: &Path) -> Vec<Entry> {
    let bytes = fs::read(path).expect("a journal");
    let contents = journal::parse(path, &bytes);
    contents.unwrap_or_else(|e| panic!("{e}")).entries
}

/// Gives the journal's first reply the digest of another request, as another version of `rebut` would have written it.
pub(crate) fn another_digest(path: &Path) {
    let mut first = true;
    rewrite(path, |mut reply| {
        if std::mem::take(&mut first) {
            reply.digest = "0".repeat(64);
        }
        Some(reply)
    });
}

/// Writes a journal again with each reply as `changed` makes it, or without it.
pub(crate) fn rewrite(path: &Path, mut changed: impl FnMut(ReplyEntry) -> Option<ReplyEntry>) {
    let kept = entries_of(path).into_iter().filter_map(|entry| match entry {
        Entry::Reply(reply) => changed(reply).map(Entry::Reply),
        other => Some(other),
    });
    let lines: String = kept.map(|entry| journal::line(&entry) + "\n").collect();
    std::fs::write(path, lines).expect("a journal");
}
