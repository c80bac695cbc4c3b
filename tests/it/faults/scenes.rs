//! How a fault is staged, and what must be so afterwards.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Call, Card, MockOllama};
use serde_json::{Value, json};

use super::{Does, Row};
use crate::harness::{Ended, Kind, Place, arguments, good, has, kind, read, round_of, trace_in};

/// The debate in which the fault happens: one round, X falls back on another model, one judge.
pub(super) const JOB: &str = "topic: Should voting be compulsory?
rounds: 1
x: {fallback: [mistral]}
y: [{name: Yea}, {name: Yes}]
";

/// A debate beside it, on another model, that no fault may harm.
const BYSTANDER: &str = "topic: Should cities be smaller?
rounds: 1
defaults: {model: mistral}
y: [{name: Yea}, {name: Yes}]
";

/// A batch with a fault in it.
pub(super) struct Scene {
    pub(super) place: Place,
    job: String,
    flags: Vec<&'static str>,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self::on(MockOllama::builder())
    }

    /// On a server of one's own; it must have `llama3` and `mistral`, or lack them as the fault.
    pub(super) fn on(builder: mock_ollama::Builder) -> Self {
        Self { place: Place::with(builder.start()), job: JOB.to_owned(), flags: Vec::new() }
    }

    pub(super) fn job(mut self, job: &str) -> Self {
        job.clone_into(&mut self.job);
        self
    }

    pub(super) fn flags(mut self, flags: &[&'static str]) -> Self {
        self.flags.extend(flags);
        self
    }

    /// What the server answers to calls of the first debate, by how often `which` was asked before; else what is good.
    pub(super) fn script(
        self,
        which: impl Fn(&Call) -> bool + Send + Sync + 'static,
        answer: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let seen = AtomicUsize::new(0);
        self.place.server.script(move |call| {
            let is_it = call.text().contains("voting be compulsory") && which(call);
            let answer = is_it.then(|| answer(seen.fetch_add(1, Ordering::SeqCst)));
            answer.flatten().unwrap_or_else(|| good(call))
        });
        self
    }

    /// What the server answers to anything, if not what is usual.
    pub(super) fn intercept(
        self,
        answer: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        self.place.server.intercept(answer);
        self
    }

    /// Has a model loaded as `rebut` loads it, so that no other load is before it.
    pub(super) fn loaded(self, model: &str) -> Self {
        let body = serde_json::json!({
            "model": model, "messages": [], "shift": false, "keep_alive": "10h", "options": {"num_ctx": 8192},
        }).to_string();
        let url = self.place.server.url();
        let address = url.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        write!(
            stream,
            "POST /api/chat HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        self
    }

    pub(super) fn write(&self) {
        self.place.write("jobs/a.yaml", &self.job);
        self.place.write("jobs/b.yaml", BYSTANDER);
    }

    pub(super) fn args(&self) -> Vec<&'static str> {
        [&["jobs"], &self.flags[..]].concat()
    }

    /// Runs both debates and checks what the row says.
    pub(super) fn plays(self, row: &Row) -> Self {
        self.write();
        let ended = self.place.run(&self.args());
        self.check(row, &ended);
        self
    }

    /// Checks what the row says of a run that has ended.
    pub(super) fn check(&self, row: &Row, ended: &Ended) {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        match row.does {
            Does::ParksAll => return self.all_parked(row, ended),
            Does::EndsAtOnce => return self.refused(row, ended),
            _ => {}
        }
        let bystander = self
            .trace("cities be smaller")
            .unwrap_or_else(|| panic!("the other debate is done: {said}"));
        assert_eq!(bystander["status"], "done", "the other debate is not harmed: {said}");
        assert_eq!(bystander["incidents"], json!([]), "the other debate is not harmed: {said}");
        match row.does {
            Does::Parks => self.parked(row, ended),
            Does::Waits => self.waited(row, ended),
            Does::Takes => self.unharmed(ended, 1),
            Does::Resends => self.unharmed(ended, 2),
            Does::GoesWithout => {
                self.unharmed(ended, 1);
                assert_eq!(ended.stderr.matches(row.says).count(), 1, "{}", ended.stderr);
            }
            Does::Ends => {
                let trace = self.noted(row, ended, &["overrun", "cut"]);
                let text = arguments(&trace)[0]["text"].as_str().expect("a text");
                assert!(text.ends_with("[Time limit reached]"), "{text}");
            }
            Does::AsksAgain => {
                self.noted(row, ended, &["retry"]);
                assert_eq!(self.asked(is_first), ["llama3", "llama3"]);
            }
            Does::Warns => {
                let trace = self.faulty(&said);
                let all = trace["incidents"].as_array().expect("incidents");
                let says = |i: &&Value| i["message"].as_str().is_some_and(|m| m.contains(row.says));
                assert_eq!(all.iter().filter(says).count(), 1, "{all:#?}");
                assert_eq!(ended.stderr.matches(row.says).count(), 1, "{}", ended.stderr);
                self.is_in_metadata(row.says);
            }
            Does::Notes => drop(self.noted(row, ended, &["marks"])),
            Does::AsksForLess => {
                let trace = self.noted(row, ended, &["retry"]);
                assert!(words(&trace).contains("asked again with a shorter prompt"));
                assert_eq!(self.asked(is_first), ["llama3", "llama3"]);
            }
            Does::FallsBack => {
                let trace = self.noted(row, ended, &["fallback"]);
                assert_eq!(arguments(&trace)[0]["origin"], "fallback");
                assert_eq!(self.asked(is_first), ["llama3", "mistral"]);
            }
            Does::Repairs => {
                let trace = self.noted(row, ended, &["repair"]);
                assert_eq!(trace["ballots"][0]["reading"]["status"], "valid");
                assert_eq!(self.asked(is_ballot).len(), 2);
            }
            Does::CountsAsInvalid => {
                let trace = self.noted(
                    row,
                    ended,
                    &["repair", "invalid", "panel", "repair", "invalid", "missing"],
                );
                assert_eq!(trace["ballots"][0]["reading"]["status"], "invalid");
                assert_eq!(self.asked(is_ballot).len(), 4);
            }
            Does::Cuts => {
                let trace = self.noted(row, ended, &["cut"]);
                let text = arguments(&trace)[0]["text"].as_str().expect("a text");
                assert!(text.ends_with("[Time limit reached]"), "{text}");
            }
            Does::ParksAll | Does::EndsAtOnce => {}
        }
    }

    /// The models that calls of the first debate asked for.
    pub(super) fn asked(&self, which: impl Fn(&Call) -> bool) -> Vec<String> {
        let calls = self.place.server.chats().into_iter();
        calls
            .filter(|c| c.text().contains("voting be compulsory") && which(c))
            .map(|c| c.model().to_owned())
            .collect()
    }

    /// The trace of the finished debate about this.
    pub(super) fn trace(&self, topic: &str) -> Option<Value> {
        let debates = self.place.debates();
        let mut traces = debates.iter().map(|debate| trace_in(debate));
        traces.find(|trace| trace["topic"].as_str().is_some_and(|it| it.contains(topic)))
    }

    fn faulty(&self, said: &str) -> Value {
        self.trace("voting be compulsory").unwrap_or_else(|| panic!("it is finished: {said}"))
    }

    /// Incidents of these kinds and no others, one each; the first says it, in the trace and to people.
    fn noted(&self, row: &Row, ended: &Ended, kinds: &[&str]) -> Value {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let trace = self.faulty(&said);
        let degraded = kinds.contains(&"missing");
        assert_eq!(ended.code, i32::from(degraded), "{said}");
        assert_eq!(trace["status"], if degraded { "degraded" } else { "done" });
        let all = trace["incidents"].as_array().expect("incidents");
        let found: Vec<&str> = all.iter().filter_map(|i| i["kind"].as_str()).collect();
        assert_eq!(found, kinds, "{}", trace["incidents"]);
        assert!(words(&trace).contains(row.says), "{}", words(&trace));
        self.is_in_metadata(row.says);
        assert!(!said.contains("waiting for"), "{said}");
        trace
    }

    fn is_in_metadata(&self, says: &str) {
        let debates = self.place.debates();
        let pages: String = debates
            .iter()
            .map(|debate| read(&debate.join("metadata.md")))
            .map(|page| page.replace('\\', ""))
            .collect();
        assert!(pages.contains(says), "{pages}");
    }

    /// It was waited for with one line; nothing stands in the trace.
    fn waited(&self, row: &Row, ended: &Ended) {
        let Ended { stdout, stderr, .. } = ended;
        assert_eq!(stderr.matches("waiting for the server").count(), 1, "{stderr}");
        assert_eq!(stderr.matches("the server answers again after").count(), 1, "{stderr}");
        assert!(stderr.contains(row.says), "{stderr}");
        assert_eq!(ended.code, 0, "{stdout}{stderr}");
        self.is_clean(&format!("{stdout}{stderr}"));
    }

    /// Nothing is said or noted, and the statement was asked for so often.
    fn unharmed(&self, ended: &Ended, times: usize) {
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, 0, "{said}");
        assert!(!said.contains("waiting for"), "{said}");
        assert_eq!(self.asked(is_first).len(), times);
        self.is_clean(&said);
    }

    /// The debate is done as if nothing had been.
    pub(super) fn is_clean(&self, said: &str) {
        let trace = self.faulty(said);
        assert_eq!(trace["status"], "done", "{said}");
        assert_eq!(trace["incidents"], json!([]), "{said}");
    }

    /// It is left unfinished, the remedy is said once as it happens and once for the debate, and the same command does
    /// the rest when the server is mended.
    fn parked(&self, row: &Row, ended: &Ended) {
        let Ended { stdout, stderr, .. } = ended;
        assert_eq!(ended.code, 1, "{stdout}{stderr}");
        // What is missing from the start is told then, in other words, and not once more.
        let is_told = stderr.contains(" has no model llama3, the model of ");
        assert_eq!(stderr.matches(row.says).count(), usize::from(!is_told), "{stderr}");
        let line = stdout.lines().find(|line| line.starts_with("unfinished\t"));
        let (cause, remedy) =
            row.says.split_once(": ").filter(|_| is_told).unwrap_or((row.says, "next: "));
        assert!(line.is_some_and(|line| line.contains(cause)), "{stdout}");
        assert_eq!(stdout.matches(remedy).count(), 1, "{stdout}");
        assert!(self.trace("voting be compulsory").is_none());
    }

    fn all_parked(&self, row: &Row, ended: &Ended) {
        let Ended { stdout, stderr, .. } = ended;
        assert_eq!(ended.code, 1, "{stdout}{stderr}");
        assert_eq!(stderr.matches("waiting for the server").count(), 1, "{stderr}");
        assert_eq!(stderr.matches(row.says).count(), 1, "{stderr}");
        assert_eq!(stdout.matches("unfinished\t").count(), 1, "{stdout}");
        let counted = "1 unfinished, 1 not started";
        assert!(stderr.contains(counted), "{stderr}");
        assert!(self.place.debates().is_empty());
    }

    fn refused(&self, row: &Row, ended: &Ended) {
        assert_eq!(ended.code, 3, "{}", ended.stderr);
        assert!(ended.stderr.contains(row.says), "{}", ended.stderr);
        has(&ended.stderr, "\nhint: start Ollama with `ollama serve`, ");
        assert!(self.place.debates().is_empty());
    }

    /// The same command again, on a server that is well.
    pub(super) fn goes_on(&self) {
        self.place.server.script(good);
        self.place.server.intercept(|_| None);
        let ended = self.place.run(&self.args());
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
        self.is_clean(&ended.stderr);
    }
}

/// What the first incident says.
fn words(trace: &Value) -> String {
    trace["incidents"][0]["message"].as_str().unwrap_or_default().to_owned()
}

/// X's statement of round 1.
pub(super) fn is_first(call: &Call) -> bool {
    kind(call) == Kind::Statement
        && round_of(call) == 1
        && call.last_message().contains("You are X.")
}

pub(super) fn is_ballot(call: &Call) -> bool {
    kind(call) == Kind::Ballot
}

/// X's first statement gets this answer once.
pub(super) fn statement(row: &Row, answer: fn() -> Answer) {
    Scene::new().script(is_first, move |n| (n == 0).then(answer)).plays(row);
}

/// The judge's ballot gets this answer so often.
pub(super) fn ballots(row: &Row, times: usize, answer: fn() -> Answer) {
    Scene::new().script(is_ballot, move |n| (n < times).then(answer)).plays(row);
}

/// All calls of the first debate's model get this answer until the server is mended.
pub(super) fn model(row: &Row, flags: &[&'static str], answer: fn() -> Answer) {
    let scene = Scene::new().flags(flags).script(is_on_llama, move |_| Some(answer()));
    scene.plays(row).goes_on();
}

pub(super) fn is_on_llama(call: &Call) -> bool {
    call.model() == "llama3"
}

/// Two models, of which these think.
pub(super) fn thinkers<const N: usize>(names: [&str; N]) -> mock_ollama::Builder {
    let card = |name: &str| {
        let card = Card::new(name);
        if names.contains(&name) { card.capabilities(["completion", "thinking"]) } else { card }
    };
    MockOllama::builder().models(["llama3", "mistral"].map(card))
}

/// A web page as proxies and login pages send it.
pub(super) fn page(status: u16, title: &str) -> Answer {
    let page = format!(
        "<html>\r\n<head><title>{title}</title></head>\r\n<body><h1>{title}</h1></body>\r\n</html>\r\n"
    );
    Answer::raw(status, "text/html", page)
}

/// A stream of exactly these bytes.
pub(super) fn bytes(bytes: &[u8]) -> Answer {
    Answer::raw(200, "application/x-ndjson", bytes)
}
