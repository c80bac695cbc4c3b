//! Row K8a: a task asks for no more words than its reply has room for. Row A9: what was sent is stored with a debate when it is committed, and shown as it was, whatever has changed since.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use mock_ollama::{Answer, Call};
use rebut::id::DebateId;
use rebut::journal::{self, Entry};
use rebut::sent::SentRequests;
use regex::Regex;
use serde_json::Value;

use crate::formats::FORMATS;
use crate::harness::{
    Kind, Place, SHORT_JOB, TINY_JOB, another_digest, cap, entries_of, good, has, has_all, kind,
    lacks, list, name_of, read, trace_in, with_job,
};

/// Tokens that a word of formal English takes.
const TOKENS_A_WORD: f64 = 1.6;
/// Characters that an ordinary word takes with the blank after it.
const CHARS_A_WORD: u64 = 9;

#[test]
fn k8a_every_call_has_room_for_the_words_it_is_asked_for() {
    let limit = Regex::new(r#""([a-z_0-9]+)"[^";\n]*?(\d+) words at most"#).expect("a pattern");
    let each = Regex::new(r"one short clear sentence of at most (\d+) words").expect("a pattern");
    let whole = Regex::new(r"Use at most (\d+) words").expect("a pattern");
    let number = |found: &str| found.parse::<u64>().expect("a number");
    for format in FORMATS {
        let place = with_job(format.tiny);
        place.run_exits(0, &["job.yaml"]);
        let (mut spoken, mut shaped) = (0, 0);
        for call in place.server.chats() {
            let (name, task) = (call.name(), call.last_message());
            let words: u64 = whole.captures_iter(task).map(|it| number(&it[1])).sum();
            if words > 0 {
                let tokens = words as f64 * TOKENS_A_WORD;
                assert!(cap(&call) as f64 >= tokens, "{name}: {} tokens", cap(&call));
                spoken += 1;
            }
            let Some(schema) = call.schema() else {
                continue;
            };
            let keyed = limit.captures_iter(task);
            let mut limits: Vec<(String, u64)> =
                keyed.map(|it| (it[1].to_owned(), number(&it[2]))).collect();
            if let Some(found) = each.captures(task) {
                limits.extend(["claim", "new"].map(|key| (key.to_owned(), number(&found[1]))));
            }
            for (key, words) in limits {
                let most = most_characters(schema, &key).expect("a property");
                assert!(most >= words * CHARS_A_WORD, "{name} {key}: {words} in {most}");
                shaped += 1;
            }
        }
        assert!(spoken > 1 && shaped > 1, "{}", format.name);
    }
}

/// The characters that a property of a shape may have, wherever it is.
fn most_characters(schema: &Value, key: &str) -> Option<u64> {
    let inner = schema["properties"].as_object().into_iter().flatten();
    let own = schema["properties"].get(key);
    let own = own.and_then(|own| own.get("items").unwrap_or(own)["maxLength"].as_u64());
    let items = schema.get("items").into_iter();
    let mut below = inner.map(|(_, inner)| inner).chain(items);
    own.or_else(|| below.find_map(|inner| most_characters(inner, key)))
}

fn state(place: &Place, name: &str) -> PathBuf {
    place.path().join("output/.rebut").join(name)
}

/// The stored prompts of the only debate.
fn stored(place: &Place) -> PathBuf {
    let mut files = list(&state(place, "prompts"));
    assert_eq!(files.len(), 1);
    files.remove(0)
}

fn id(place: &Place) -> String {
    let trace = place.trace();
    trace["id"].as_str().expect("an id")[..12].to_owned()
}

/// The names of all calls, and what `show` prints of each.
fn shown(place: &Place) -> Vec<(String, String)> {
    let id = id(place);
    let calls = place.rebut_exits(0, &["show", &id, "calls"]).stdout;
    let show = |call: &str| place.rebut_exits(0, &["show", &id, call]);
    calls.lines().map(|call| (call.to_owned(), show(call).stdout)).collect()
}

/// Nothing can be made again without the snapshot.
fn forget_inputs(place: &Place) {
    fs::remove_dir_all(state(place, "inputs")).expect("snapshots");
}

/// Every request that the server got is shown as the server got it, and no other.
fn is_what_was_sent(place: &Place) {
    let shown = shown(place);
    let attempts = |(_, text): &(String, String)| text.matches(", num_predict ").count();
    let sent = place.server.chats();
    assert_eq!(shown.iter().map(attempts).sum::<usize>(), sent.len());
    for call in sent {
        let number = |option: &str| call.option(option).expect("an option").to_string();
        let seed = format!("seed {}, ", number("seed"));
        let (_, text) = shown.iter().find(|(_, text)| text.contains(&seed)).expect("its seed");
        let messages = call.body["messages"].as_array().expect("messages");
        for message in messages {
            has(text, message["content"].as_str().expect("a text"));
        }
        has(text, &format!("num_predict {}", number("num_predict")));
        if let Some(schema) = call.schema() {
            has(text, &schema.to_string());
        }
    }
}

/// Every finished debate has its prompts, and they are those that its journal has answers to.
pub(crate) fn are_whole(place: &Place) {
    for debate in place.debates() {
        let id: DebateId =
            trace_in(&debate)["id"].as_str().expect("an id").to_owned().parse().expect("an id");
        let path = state(place, "prompts").join(format!("{id}.jsonl.gz"));
        let sent = SentRequests::read(&path, &id).unwrap_or_else(|e| panic!("{e}"));
        let journals = ["journals", "running"].map(|kept| state(place, kept));
        let mut journals = journals.iter().map(|dir| dir.join(format!("{id}.jsonl")));
        let journal = journals.find(|path| path.is_file()).expect("a journal");
        for entry in entries_of(&journal) {
            let requests =
                sent.of_call(entry.call().unwrap_or_default()).expect("requests").into_iter();
            let mut digests = requests.filter(|r| Some(r.attempt) == entry.attempt());
            let digest = digests.next().map(|request| request.digest());
            assert_eq!(digest.as_deref(), entry.digest(), "{entry:?}");
        }
    }
}

#[test]
fn a9_in_every_format_show_prints_what_was_sent() {
    for format in FORMATS {
        let place = with_job(format.tiny);
        place.run_exits(0, &["job.yaml", "--concurrency", "3"]);
        forget_inputs(&place);
        is_what_was_sent(&place);
    }
}

#[test]
fn a9_show_prints_what_was_sent_though_templates_and_snapshots_are_others() {
    let place = with_job(SHORT_JOB);
    place.write("mine/prompts/clerk.md.j2", "First version. Reply in JSON.");
    // Every ballot takes two attempts: the second shows the first.
    let messages = |call: &Call| call.body["messages"].as_array().map_or(0, Vec::len);
    place.reply_by(move |call| {
        let first = kind(call) == Kind::Ballot && messages(call) < 4;
        first.then(|| Answer::text("I abstain."))
    });
    place.run_exits(0, &["job.yaml", "--templates", "mine"]);
    place.write("mine/prompts/clerk.md.j2", "Second version. Reply in JSON.");
    forget_inputs(&place);
    is_what_was_sent(&place);
}

#[test]
fn a9_a_debate_that_was_resumed_has_all_its_prompts() {
    let place = with_job(SHORT_JOB);
    place.killed_at(Kind::Clerk, &[]);
    let cut = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    forget_inputs(&place);
    let calls = shown(&place);
    assert!(calls.len() > cut);
    for (call, text) in calls {
        has_all(&text, &[&call, "── system", "── user", "── reply ("]);
    }
}

#[test]
fn a9_a_failed_debate_has_its_prompts_and_a_retried_one_those_of_its_last_course() {
    let place = failed_debate();
    let failed = shown(&place);
    let (call, text) = &failed[0];
    has_all(text, &[call, "attempt 3: ", "── failed: empty_reply"]);
    let first = fs::read(stored(&place)).expect("prompts");
    place.server.script(good);
    place.run_exits(0, &["job.yaml", "--retry", "failed"]);
    forget_inputs(&place);
    let done = shown(&place);
    assert!(done.len() > failed.len());
    lacks(&done[0].1, &["attempt 2: "]);
    let aside = list(&state(&place, "replaced"));
    let aside = aside.iter().find(|path| path.display().to_string().ends_with(".jsonl.gz"));
    assert_eq!(fs::read(aside.expect("prompts")).expect("prompts"), first);
}

/// A debate that failed since X said nothing.
fn failed_debate() -> Place {
    let place = with_job(&format!("{SHORT_JOB}on_failure: abort\n"));
    let of_x = |call: &Call| kind(call) == Kind::Statement && call.text().contains("You are X.");
    place.reply_by(move |call| of_x(call).then(|| Answer::text("")));
    place.run_exits(1, &["job.yaml"]);
    place
}

#[test]
fn a9_a_retry_that_cannot_be_committed_leaves_the_earlier_courses_prompts() {
    let place = failed_debate();
    let (first, debate) = (fs::read(stored(&place)).expect("prompts"), place.debates());
    // Somebody puts something else in the directory's place while the debate is retried.
    let theirs = debate[0].clone();
    place.reply_by(move |_| {
        if theirs.join("trace.json").exists() {
            fs::remove_dir_all(&theirs).expect("a directory");
            fs::create_dir(&theirs).expect("a directory");
            fs::write(theirs.join("note.txt"), "mine").expect("a file");
        }
        None
    });
    let ended = place.run_exits(1, &["job.yaml", "--retry", "failed"]);
    has(&ended.stdout, "is in the way");
    assert_eq!(fs::read(stored(&place)).expect("prompts"), first);
    assert!(list(&state(&place, "replaced")).is_empty());
}

#[test]
fn a9_prompts_of_a_retry_whose_publication_was_cut_off_are_no_damage() {
    let place = failed_debate();
    let id = id(&place);
    let kept = list(&state(&place, "journals")).remove(0);
    let failed = read(&kept);
    place.server.script(good);
    place.run_exits(0, &["job.yaml", "--retry", "failed"]);
    // As it was before the journal moved.
    fs::rename(&kept, state(&place, "running").join(name_of(&kept))).expect("a journal");
    fs::write(&kept, failed).expect("a journal");
    let ended = place.rebut_exits(0, &["show", &id, "round-1/statement/position_x"]);
    has_all(&ended.stdout, &["attempt 3: ", "── failed: empty_reply"]);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a9_without_stored_prompts_they_are_made_again_or_it_says_why_not() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let before = shown(&place);
    fs::remove_file(stored(&place)).expect("prompts");
    assert_eq!(shown(&place), before);
    forget_inputs(&place);
    for (call, text) in shown(&place) {
        has_all(
            &text,
            &[
                &format!("── {call} attempt 1\n"),
                "── NOT STORED, and it cannot be reconstructed: ",
                "it is missing",
                "── reply (",
            ],
        );
    }
}

#[test]
fn a9_what_another_build_would_ask_otherwise_is_not_passed_off_as_what_was_sent() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let before = shown(&place);
    let journal = list(&state(&place, "journals")).remove(0);
    another_digest(&journal);
    let (call, _) = &before[0];
    let ended = place.rebut_exits(0, &["show", &id(&place), call]);
    has(&ended.stderr, &format!("it lacks the request of {call} (attempt 1)"));
    has(
        &ended.stdout,
        "── NOT STORED, and it cannot be reconstructed: this build of rebut would send a different request from the one that ran the debate",
    );
    lacks(&ended.stdout, &["── system"]);
}

/// Makes the only debate one that began under plan version 1.
fn begun_under_version_1(place: &Place, journal: &Path) {
    let mut entries = entries_of(journal);
    if let Entry::Debate(header) = &mut entries[0] {
        let mut inputs = place.inputs_of(header);
        inputs["plan"]["version"] = 1.into();
        place.keep_whole(header, &inputs);
    }
    let lines = entries.iter().map(|entry| journal::line(entry) + "\n");
    fs::write(journal, lines.collect::<String>()).expect("a journal");
}

#[test]
fn j9a_prompts_of_another_plan_version_are_not_reconstructed() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let journal = list(&state(&place, "journals")).remove(0);
    begun_under_version_1(&place, &journal);
    // Stored ones are as good as ever.
    has(&shown(&place)[0].1, "── system");
    fs::remove_file(stored(&place)).expect("prompts");
    has(
        &shown(&place)[0].1,
        "the debate began under plan version 1, but this rebut uses version 2",
    );
}

#[test]
fn j9a_a_debate_begun_under_another_plan_version_is_not_mixed_with_this_one() {
    let place = with_job(TINY_JOB);
    place.killed_at(Kind::Clerk, &[]);
    let journal = place.running_journal();
    begun_under_version_1(&place, &journal);
    let (asked, begun) = (place.server.chats().len(), read(&journal));
    let ended = place.run_exits(1, &["job.yaml"]);
    let told = "the debate began under plan version 1, but this rebut uses version 2. Start the debate over with --restart --only ";
    has(&ended.stdout, told);
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
    assert_eq!(read(&journal), begun);
    place.run_exits(0, &["job.yaml", "--restart"]);
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(text).expect("memory");
    gz.finish().expect("memory")
}

fn unpacked(path: &Path) -> String {
    let file = fs::File::open(path).expect("prompts");
    std::io::read_to_string(GzDecoder::new(file)).expect("text")
}

#[test]
fn a9_damaged_prompts_are_named_and_made_again() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let (path, before) = (stored(&place), shown(&place));
    let (whole, text) = (fs::read(&path).expect("prompts"), unpacked(&path));
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x55;
    let mut bomb = br#"{"text":""#.to_vec();
    bomb.resize(100 << 20, b'x');
    let other = text.replace("You take part", "You took part");
    assert_ne!(other, text);
    let others = text.replacen("{\"debate\":{\"prompts\":1", "{\"debate\":{\"prompts\":9", 1);
    let numbers =
        text.replace("\"messages\":[[\"system\",[0", "\"messages\":[[\"system\",[4000000000");
    assert_ne!(numbers, text);
    let (call, expected) = &before[0];
    for (bytes, told) in [
        (flipped, "are damaged"),
        (whole[..whole.len() / 2].to_vec(), "are damaged"),
        (Vec::new(), "are damaged"),
        (text.clone().into_bytes(), "are damaged: invalid gzip header"),
        (packed(&bomb), "are damaged: they take more than 32 MB"),
        (packed(b"{\"surprise\":1}\n"), "are damaged: unknown variant `surprise`"),
        (packed(b"\x1b[31m\xff\n"), "are damaged"),
        (packed(others.as_bytes()), "are damaged: they have version 9, but this program reads 1"),
        (packed(other.as_bytes()), "it lacks the request of"),
        (packed(numbers.as_bytes()), ": there is no text 4000000000"),
    ] {
        fs::write(&path, bytes).expect("prompts");
        let ended = place.rebut_exits(0, &["show", &id(&place), call]);
        assert_eq!(&ended.stdout, expected, "{told}");
        has_all(
            &ended.stderr,
            &["warning: output/.rebut/prompts/", told, "; reconstructed from the journal"],
        );
    }
    // What leads elsewhere is not read.
    fs::remove_file(&path).expect("prompts");
    let theirs = place.path().join("theirs");
    fs::write(&theirs, &whole).expect("a file");
    std::os::unix::fs::symlink(theirs, &path).expect("a link");
    let ended = place.rebut_exits(0, &["show", &id(&place), call]);
    has(&ended.stderr, "it is a link");
    assert_eq!(&ended.stdout, expected);
}
