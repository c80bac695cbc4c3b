//! How much of a debate's prompts a server need not read again, because a prompt before began with the same text. The
//! mock server keeps prompts in its slots as llama-server does, and logs what it reused.

use mock_ollama::{Call, Machine, MockOllama};

use crate::formats::{FORMATS, Format};
use crate::harness::{Kind, Place, kind, say, well};

/// What a run's prompts came to, in tokens.
#[derive(Debug, Default, Clone, Copy)]
struct Prompts {
    calls: u64,
    all: f64,
    /// What an earlier prompt to that model already held from its start.
    repeatable: f64,
    /// What was reused, at most what was repeatable.
    reused: f64,
}

impl Prompts {
    fn add(&mut self, all: f64, repeatable: f64, reused: f64) {
        self.calls += 1;
        self.all += all;
        self.repeatable += repeatable;
        self.reused += reused;
    }

    fn of_repeatable(self) -> f64 {
        self.reused / self.repeatable.max(1.0)
    }

    fn of_all(self) -> f64 {
        self.reused / self.all.max(1.0)
    }
}

/// Runs one debate at full length on a machine with so many slots, one call at a time in each.
fn played(format: &Format, slots: usize) -> Vec<(Kind, Prompts)> {
    // Fast, but not by its scale: with that, models would be unloaded between calls.
    let machine =
        Machine::new().load_speed(1e12).prompt_speed(1e7).reply_speed(1e7).parallel(slots);
    let place = Place::with(MockOllama::builder().machine(machine).start());
    place.server.script(|call| well(call, &speech));
    place.write("job.yaml", format.full);
    place.run_exits(0, &["job.yaml", "--concurrency", &slots.to_string()]);
    by_kind(&place.server)
}

fn by_kind(server: &MockOllama) -> Vec<(Kind, Prompts)> {
    let calls = server.calls();
    let mut earlier: Vec<(String, String)> = Vec::new();
    let mut kinds: Vec<(Kind, Prompts)> = Vec::new();
    for served in server.served() {
        let call =
            calls.iter().find(|call| call.n == served.call).expect("what was served was asked");
        if !call.is_chat() {
            continue;
        }
        let prompt = rendered(call);
        let same_model = earlier.iter().filter(|(model, _)| *model == served.model);
        let longest = same_model.map(|(_, text)| common(text, &prompt)).max();
        let all = (served.prompt_reused + served.prompt_new) as f64;
        let repeatable = all * longest.unwrap_or(0) as f64 / prompt.len() as f64;
        let at = kinds.iter().position(|(known, _)| *known == kind(call)).unwrap_or_else(|| {
            kinds.push((kind(call), Prompts::default()));
            kinds.len() - 1
        });
        kinds[at].1.add(all, repeatable, (served.prompt_reused as f64).min(repeatable));
        earlier.push((served.model.clone(), prompt));
    }
    kinds
}

fn rendered(call: &Call) -> String {
    let messages = call.body["messages"].as_array().expect("messages");
    let line = |m: &serde_json::Value| format!("{}: {}\n", m["role"], m["content"]);
    messages.iter().map(line).collect()
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// About 200 tokens that are nobody else's, on the subject.
fn speech(call: &Call) -> String {
    let words = [
        "voting",
        "compulsory",
        "turnout",
        "freedom",
        "duty",
        "fines",
        "ballot",
        "equality",
        "trust",
        "parties",
        "silence",
        "evidence",
        "citizens",
        "habit",
        "campaigns",
        "legitimacy",
        "Australia",
        "Belgium",
        "protest",
        "information",
        "democracy",
        "choice",
        "burden",
        "young",
        "poor",
    ];
    let mut state = call.option("seed").and_then(serde_json::Value::as_u64).unwrap_or(1);
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let sentence = |next: &mut dyn FnMut(usize) -> usize| {
        let count = 6 + next(9);
        let all: Vec<&str> = (0..count).map(|_| words[next(words.len())]).collect();
        format!("The {}.", all.join(" "))
    };
    (0..9).map(|_| sentence(&mut next)).collect::<Vec<_>>().join(" ")
}

fn sum(kinds: &[(Kind, Prompts)], wanted: impl Fn(Kind) -> bool) -> Prompts {
    let mut sum = Prompts::default();
    for (_, prompts) in kinds.iter().filter(|(kind, _)| wanted(*kind)) {
        sum.calls += prompts.calls;
        sum.all += prompts.all;
        sum.repeatable += prompts.repeatable;
        sum.reused += prompts.reused;
    }
    sum
}

/// Statements and judgments, whatever a format calls them: all but the clerk and the commentator.
fn counts(kind: Kind) -> bool {
    !matches!(kind, Kind::Clerk | Kind::Comment)
}

#[test]
fn m1_prompts_begin_as_earlier_ones_did_in_every_format() {
    say("prefix reuse (share of prompt tokens; one model, one debate)");
    say("format       slots  calls  of repeatable  of all prompts  tokens read anew");
    for format in FORMATS {
        for slots in [1, 4] {
            let kinds = played(format, slots);
            let (judged, all) = (sum(&kinds, counts), sum(&kinds, |_| true));
            say(&format!(
                "{:<12} {slots:>5}  {:>5}  {:>12.1}%  {:>12.1}%  {:>16.0}",
                format.name,
                all.calls,
                judged.of_repeatable() * 100.0,
                all.of_all() * 100.0,
                all.all - all.reused
            ));
            if slots == 1 {
                assert!(judged.of_repeatable() >= 0.95, "{}: {kinds:?}", format.name);
            }
            // Not more, since the record says nothing twice.
            if format.name == "knockout" && slots == 1 {
                assert!(all.of_all() >= 0.7, "{kinds:?}");
            }
        }
    }
}
