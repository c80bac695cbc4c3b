//! Rows A8 and N: text that tries to act on every place it is written to stays text, whoever wrote it.
//!
//! A file in `tests/hostile` is named after what is hostile in it; what cannot be seen stands there as `\u{…}`. One batch
//! debates them all: each text is name, position, topic, rule… of a job, and whatever a model or its server may say.
//!
//! `HOSTILE_SEED=2 HOSTILE_CASES=50000 cargo test --test it arbitrary` tries other arbitrary texts than the usual 1500, and
//! more; one in 300 of them is debated.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;

use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use proptest::{collection, prop_oneof};
use rebut::templates::{block, inline};

use mock_ollama::{Answer, Call, Card, MockOllama};
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::properties::properties;
use crate::harness::{
    Ended, Kind, Place, TINY_JOB, ballot_value, debates_in, end_of, good, json_lines, keys, kind,
    lacks, list, name_of, note, notes, read, trace_in,
};
use crate::markdown::{front_matter, stray_links, structure};
use crate::pages::{check_page, check_site};

/// What the others are compared with.
const HARMLESS: &str = "Plain words and nothing else.";

/// What arbitrary texts are made of: everything that opens, closes or joins something somewhere.
const PIECES: [&str; 60] = [
    " ", "  ", "\n", "\n\n", "\t", "\r\n", "\r", "a", "b c", "1.", "2)", "-", "--", "---", "- ",
    "+ ", "* ", "*", "**", "_", "__", "=", "===", "#", "# ", "## ", ">", "> ", "|", "| ", "|-|",
    ":-:", ": ", "`", "```", "~~~", "~~", "[", "]", "](", "]: ", "[^1]", "(x)", "!", "<", "<b>",
    "<!--", "-->", "&lt;", "&#35;", "\\", "://", "http", "www.", "\"", "'", "{{", "%}", "\x1b[1m",
    "\u{2028}",
];

/// Places of our templates in which a value stands on one line.
const LINES: [&str; 8] = [
    "# VALUE\n\nnext\n",
    "## 3. VALUE (VALUE), round 2\n\nnext\n",
    "VALUE: VALUE\n\nnext\n",
    "**Outcome:** VALUE. See [x](x.md).\n\n- VALUE\n- VALUE\n\nnext\n",
    "- **VALUE**: VALUE (VALUE)\n- [001](x.md) round 1, **VALUE**: VALUE (4)\n",
    "1. VALUE against VALUE. VALUE\n2. VALUE against VALUE. VALUE\n",
    "> **Failed.** VALUE\n\n# next\n",
    "| VALUE | b |\n|---|---|\n| VALUE | VALUE |\n| c: VALUE | d |\n\nnext\n",
];

/// The texts of `tests/hostile` by name, and some that are too large for a file.
fn corpus() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let named = |path: PathBuf| {
        let written = read(&path);
        let text = unescaped(written.strip_suffix('\n').expect("a line end"));
        (name_of(&path.with_extension("")), text)
    };
    let mut texts: Vec<(String, String)> = list(&dir).into_iter().map(named).collect();
    let numbered = |what: &str| (0..600).map(|n| format!("{what} {n}")).collect::<Vec<_>>();
    texts.push(("many-lines".to_owned(), numbered("# line").join("\n")));
    texts.push(("long-line".to_owned(), numbered("word").join("|")));
    texts
}

/// The texts that a night debates: a harmless one and those of the corpus.
fn texts() -> Vec<String> {
    let texts = corpus().into_iter().map(|(_, text)| text);
    [HARMLESS.to_owned()].into_iter().chain(texts).collect()
}

/// A text with its `\u{…}` replaced by the characters they name.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('}').expect("a closing brace");
        let number = u32::from_str_radix(digits, 16).expect("a number");
        whole.push(char::from_u32(number).expect("a character's number"));
        whole.push_str(rest);
    }
    whole
}

/// Characters that act on a terminal or turn the order of what is read.
fn acts_on_terminals(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_lines = matches!(c, '\u{2028}' | '\u{2029}');
    turns || ends_lines || (c.is_control() && !matches!(c, '\n' | '\t'))
}

fn assert_tame(what: &str, text: &str) {
    if let Some(at) = text.find(acts_on_terminals) {
        let mut before = text[..at].char_indices().rev();
        let start = before.nth(60).map_or(0, |(i, _)| i);
        let acting = text[at..].chars().next();
        panic!("{what} holds {acting:?} behind {:?}", &text[start..at]);
    }
}

/// What is wrong with a text where our templates print it, if anything.
fn fault_in_templates(text: &str) -> Option<String> {
    let line = LINES.iter().find_map(|place| {
        let [found, wanted] = [text, HARMLESS].map(|value| place.replace("VALUE", &inline(value)));
        difference(&found, &wanted, false)
    });
    let read_again = structure(&inline(text), false).text;
    let altered =
        (seen(&read_again) != seen(text)).then(|| format!("{text:?} is read as {read_again:?}"));
    line.or(altered).or_else(|| {
        let [found, wanted] = [text, HARMLESS].map(|value| {
            let value = block(value);
            format!("# Name\n\n{value}\n\n## Thoughts\n\n{value}\n\n---\n\n[x](x.md)\n")
        });
        difference(&found, &wanted, true)
    })
}

/// The characters of a text that can be seen.
fn seen(text: &str) -> String {
    let is_seen = |c: &char| !c.is_whitespace() && *c != '\u{fffd}' && !rebut::text::acts(*c);
    rebut::text::visible(text).chars().filter(is_seen).collect()
}

/// How the structure of two Markdown texts differs, if it does.
fn difference(found: &str, wanted: &str, prose: bool) -> Option<String> {
    let [a, b] = [found, wanted].map(|text| structure(text, prose).marks);
    // In a fence nothing is a link.
    let outside: String = found.split("```").step_by(2).collect();
    let autolink = outside.contains("://") || outside.to_lowercase().contains("www.");
    (a != b || autolink).then(|| {
        let at = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        format!("{:?} where {:?} belongs in\n{found}", a.get(at), b.get(at))
    })
}

#[test]
fn a8_no_corpus_text_is_markup_where_templates_print_it() {
    for (name, text) in corpus() {
        assert_eq!(fault_in_templates(&text), None, "{name}");
    }
}

#[test]
fn a8_no_arbitrary_text_is_markup_where_templates_print_it() {
    let tried = TestRunner::new(config()).run(&any_text(), |text| {
        fault_in_templates(&text).map_or(Ok(()), |fault| Err(TestCaseError::fail(fault)))
    });
    assert!(tried.is_ok(), "{}", tried.unwrap_err());
}

fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(asked_for("HOSTILE_SEED", 1)),
        max_shrink_iters: 2000,
        ..properties(cases())
    }
}

/// How many arbitrary texts are tried where our templates print them.
fn cases() -> u32 {
    asked_for("HOSTILE_CASES", 1500)
}

/// The number in a variable of the environment.
fn asked_for<N: FromStr>(variable: &str, otherwise: N) -> N {
    let number = |text: String| text.parse().ok().expect("a number");
    std::env::var(variable).map_or(otherwise, number)
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(PIECES.as_slice()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from)
    ];
    collection::vec(piece, 1..24)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("a name is never empty", |text| !text.trim().is_empty())
}

/// A batch in which each text is debated to the end in one of the formats, every fourth also in a knockout until a server's error
/// ends it; the first text, which is harmless, in all these ways. A debate's number says which text and how.
struct Night {
    place: Place,
    texts: Vec<String>,
}

/// How a text is debated, by the multiples of the number of texts in a debate's number: to the end in a knockout…
const WHOLE: usize = 0;
/// …or until an error; behind it come the other formats.
const FAILING: usize = 1;

/// The numbers of the debates of the text `i` of so many.
fn numbers(i: usize, texts: usize) -> Vec<usize> {
    let ways = 0..=FORMATS.len();
    let own = [WHOLE, FAILING + 1, FAILING + 2, FAILING + 3, FAILING + 4][i % FORMATS.len()];
    let chosen = ways.filter(|way| i == 0 || *way == own || *way == FAILING && i % 4 == 1);
    chosen.map(|way| way * texts + i).collect()
}

impl Night {
    /// Writes the jobs of these texts, the first of which is harmless, into `work/jobs`; the server knows their models.
    fn of(texts: Vec<String>) -> Self {
        let plain = Card::new("llama3").context(1_000_000);
        let cards = texts.iter().enumerate().map(|(i, text)| card(i, text));
        let server = MockOllama::builder().models(cards.chain([plain])).start();
        let place = Place::with(server);
        for (i, text) in texts.iter().enumerate() {
            // A file with a zero byte is refused.
            let file = text.replace('\0', "");
            place.write(&format!("work/jobs/facts-{i}.md"), &file);
            place.write(&format!("work/jobs/personas/p{i}.md"), &file);
            for number in numbers(i, texts.len()) {
                let job = job(number, i, number / texts.len(), text);
                place.write(&format!("work/jobs/{number}.json"), &job.to_string());
            }
        }
        let (said, told) = (texts.clone(), Mutex::default());
        place.server.script(move |call| reply(call, &said, &told));
        let version = texts.iter().flat_map(|text| text.chars().take(200));
        let version = json!({"version": version.collect::<String>()}).to_string();
        place.server.intercept(move |call| {
            let answer = || Answer::raw(200, "application/json", &*version);
            (call.path == "/api/version").then(answer)
        });
        Self { place, texts }
    }

    fn work(&self) -> PathBuf {
        self.place.path().join("work")
    }

    /// Runs a command, whose every output must be tame.
    fn tame(&self, args: &[&str]) -> Ended {
        let mut command = self.place.command(args);
        command.current_dir(self.work());
        let ended = end_of(&mut command);
        // Lines of CSV end with both.
        let line_end = if args.contains(&"csv") { "\r\n" } else { "\n" };
        let stdout = ended.stdout.replace(line_end, "\n");
        assert_tame(&format!("the stdout of {args:?}"), &stdout);
        assert_tame(&format!("the stderr of {args:?}"), &ended.stderr);
        lacks(&ended.stderr, &["panicked"]);
        ended
    }

    /// The same, of a command that has nothing to complain of.
    fn done(&self, args: &[&str]) -> Ended {
        self.tame(args).exits(0)
    }

    /// Runs all jobs, some into a state that is not done.
    fn run(&self, args: &[&str]) -> Ended {
        let args = [&["run", "--retry-delay", "1ms", "jobs"], args].concat();
        self.tame(&args).exits(1)
    }

    /// The finished debates by the number of their job.
    fn debates(&self) -> BTreeMap<usize, PathBuf> {
        let dirs = debates_in(&self.work().join("output")).into_iter();
        let rules = |dir: &Path| trace_in(dir)["plan"]["rules"].to_string();
        dirs.map(|dir| (number(&rules(&dir)), dir)).collect()
    }
}

/// A model whose card and name are the text; the name without white space.
fn card(i: usize, text: &str) -> Card {
    let first: String = text.chars().take(300).collect();
    Card::new(&model(i, text))
        .context(1_000_000)
        .family(&first)
        .parameters(&first)
        .quantization(&first)
        .digest(&first)
        .capabilities(["completion", "thinking"])
}

fn model(i: usize, text: &str) -> String {
    let name: String = line_of(text, 60).split_whitespace().collect();
    format!("{name}-{i}:x")
}

/// A job that has the text wherever a job has text.
fn job(number: usize, i: usize, way: usize, text: &str) -> Value {
    let (line, lines) = (|most| line_of(text, most), lines_of(text, 3900));
    let mut job = json!({
        "allow_explicit": true,
        "name": line(60),
        "on_failure": if way == FAILING { "abort" } else { "emergency" },
        "rules": [format!("{MARK}{number}."), line(500)],
        "tags": {line(100): line(200)},
        "background": [{line(100): [lines, line(300)]}, format!("facts-{i}.md")],
        "defaults": {"context_window": 500_000, "max_tokens": 100_000},
        "output": {"formats": ["json", "text"], "transcript": true},
    });
    let format = FORMATS[way.saturating_sub(FAILING)].name;
    job["format"] = json!(format);
    let speaker = json!({"name": line(50), "description": lines, "persona": format!("p{i}"), "model": model(i, text), "think": true});
    let all = job.as_object_mut().expect("a mapping");
    let own = own(format, text, &speaker);
    all.extend(own.as_object().expect("a mapping").clone());
    job
}

/// The part of a job that is its format's own.
fn own(format: &str, text: &str, speaker: &Value) -> Value {
    let (line, lines) = (|most| line_of(text, most), lines_of(text, 3900));
    let topic = format!("{} Or should it not?", line(150));
    let named =
        |letter: &str| json!({"name": format!("{letter} {}", line(40)), "description": line(200)});
    match format {
        "knockout" => json!({
            "topic": topic, "rounds": 2, "max_statement_tokens": 100_000, "time_limit_seconds": 36_000,
            "x": speaker, "commentator": named("C"), "matrix": {"x.position": [line(200)]},
            "y": [{"name": format!("B {}", line(40)), "position": line(200)}, {"name": "The third", "description": line(200)}],
        }),
        "duel" => json!({
            "topic": topic, "rounds": 2, "coherence_threshold": 0, "max_tokens_per_response": 100_000, "a": speaker, "b": named("B"),
            "judges": [named("J")], "matrix": {"b.position": [line(200)]},
        }),
        "moderated" => json!({
            "topic": topic, "round_count": 1, "advocates": [speaker, named("B")], "moderator": named("M"),
            "fact_checker": named("F"), "judges": [named("J")], "opening_max_tokens": 100_000,
            "argument_max_tokens": 100_000, "closing_max_tokens": 100_000, "summary_max_tokens": 100_000,
            "interjection_max_tokens": 100_000, "round_summary_max_tokens": 100_000,
        }),
        "roundtable" => json!({
            "query": lines, "max_rounds": 1, "specialists": [speaker, named("B")], "chair": named("C"),
            "stances": [line(30), "another one"], "challenge": false, "max_statement_tokens": 100_000, "timeout_seconds": 604_800,
        }),
        _ => json!({
            "query": lines, "min_rounds": 1, "max_rounds": 2, "proposer": speaker, "skeptic": named("S"),
            "synthesizer": named("T"), "judges": [named("J")],
        }),
    }
}

/// What the rule says by which a call is known to belong to a text.
const MARK: &str = "This is the rule of text number ";

fn number(text: &str) -> usize {
    let (_, rest) = text.split_once(MARK).expect("the rule");
    let (digits, _) = rest.split_once('.').expect("its end");
    digits.parse().expect("a text's number")
}

/// The text as a job takes it on one line: what is refused there left out.
fn line_of(text: &str, most: usize) -> String {
    let shown = |c| if rebut::text::acts(c) { ' ' } else { c };
    let shown: String = text.chars().map(shown).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(most).collect();
    match line.trim() {
        "" => "Nothing".to_owned(),
        line => line.to_owned(),
    }
}

/// The text as a job takes it on several lines.
fn lines_of(text: &str, most: usize) -> String {
    let shown: String = text.chars().filter(|c| !rebut::text::acts(*c)).take(most).collect();
    format!("Lines: {shown}").trim().to_owned()
}

/// Says the text in every way a server and its models can.
fn reply(call: &Call, texts: &[String], told: &Mutex<BTreeSet<String>>) -> Answer {
    let number = number(call.system());
    let text = &texts[number % texts.len()];
    let excerpt: String = format!("{text} It is so.").chars().take(200).collect();
    let way = number / texts.len();
    let first = |what: &str| told.lock().expect("no panic").insert(format!("{what} {number}"));
    let mut ballot = ballot_value(2, false);
    ballot["comments"] = json!(excerpt);
    match kind(call) {
        Kind::Statement if way == FAILING => Answer::status(400, text),
        Kind::Statement if first("error") => Answer::status(500, text),
        Kind::Statement if first("break") => Answer::text("Half of it").error_after(1, text),
        Kind::Statement if call.body["think"] == true => {
            Answer::text(text).thinking(text).chunks(9)
        }
        Kind::Statement => Answer::text(text).chunks(9),
        Kind::Ballot if first("ballot") => Answer::text(excerpt),
        Kind::Ballot if first("good ballot") => Answer::json(&ballot),
        Kind::Ballot => {
            ballot[excerpt.clone()] = json!(excerpt);
            Answer::json(&ballot)
        }
        Kind::Comment => Answer::text(text).chunks(9),
        Kind::Clerk => noted(call, &excerpt),
        _ => good(call),
    }
}

/// The clerk's notes that say the same everywhere; whoever speaks second answers the first.
fn noted(call: &Call, line: &str) -> Answer {
    notes(call, line, |place| {
        let moves = [&[][..], &["1.1 full 2.1"]];
        note(line, &[line], moves[usize::from(place == 2)])
    })
}

#[test]
fn a8_no_corpus_text_of_a_job_a_model_or_a_server_is_more_than_text() {
    check_night(&Night::of(texts()));
}

#[test]
fn a8_no_arbitrary_text_of_a_job_a_model_or_a_server_is_more_than_text() {
    let mut runner = TestRunner::new(config());
    let text = |_| any_text().new_tree(&mut runner).expect("a text").current();
    let texts = (0..cases().div_ceil(300)).map(text);
    let texts = [HARMLESS.to_owned()].into_iter().chain(texts);
    check_night(&Night::of(texts.collect()));
}

fn check_night(night: &Night) {
    let before = files_below(night.place.path());
    night.done(&["check", "--limit", "3", "jobs"]);
    night.run(&["-v"]);
    check_files(night, &before);
    check_lists(night);
    check_terminal(night);
}

/// Every file below a directory, hidden ones too.
fn files_below(dir: &Path) -> BTreeSet<PathBuf> {
    let (dirs, files): (Vec<PathBuf>, Vec<PathBuf>) =
        list(dir).into_iter().partition(|path| path.is_dir());
    let below = dirs.iter().flat_map(|dir| files_below(dir));
    below.chain(files).collect()
}

/// The Markdown files among some.
fn markdown_in<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> impl Iterator<Item = &'p PathBuf> {
    let is_markdown = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "md");
    paths.into_iter().filter(is_markdown)
}

/// Checks what every debate left on disk: the same files as a harmless one, in which only the text differs.
fn check_files(night: &Night, before: &BTreeSet<PathBuf>) {
    let output = night.work().join("output");
    for path in files_below(night.place.path()).difference(before) {
        let below =
            path.strip_prefix(&output).unwrap_or_else(|_| panic!("{} is written", path.display()));
        let parts = below.iter().map(|part| part.to_string_lossy());
        parts.for_each(|part| check_name(&part));
    }
    let (debates, texts) = (night.debates(), night.texts.len());
    let all = (0..texts).flat_map(|i| numbers(i, texts));
    let found: BTreeSet<usize> = debates.keys().copied().collect();
    assert_eq!(found, all.collect());
    for (number, dir) in &debates {
        let harmless = &debates[&(number / texts * texts)];
        let (files, wanted) = (by_plain_name(dir), by_plain_name(harmless));
        assert!(files.keys().eq(wanted.keys()), "{}", dir.display());
        for (name, path) in &files {
            check_file(path, &wanted[name]);
        }
        check_trace(dir, &night.texts[number % texts], number / texts);
    }
}

/// A name that every file system takes.
fn check_name(name: &str) {
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default().to_lowercase();
    let device = ["con", "prn", "aux", "nul"].contains(&&*stem)
        || stem.starts_with("com") && stem.len() == 4;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    assert!(
        name.chars().all(is_plain) && name.len() < 100 && !device && !name.ends_with('.'),
        "{name:?} names a file"
    );
}

/// The files of a debate by their names without the digits that follow from their text.
fn by_plain_name(debate: &Path) -> BTreeMap<String, PathBuf> {
    let plain = |path: PathBuf| {
        let below = path.strip_prefix(debate).expect("below");
        let name = below.to_string_lossy().into_owned();
        let stem = name.split('.').next().unwrap_or_default();
        let digits = if stem.starts_with("messages/") {
            name.replacen(&stem[stem.len() - 8..], "", 1)
        } else {
            name.clone()
        };
        (digits, path)
    };
    files_below(debate).into_iter().map(plain).collect()
}

/// Checks a file against the same file of a harmless debate.
fn check_file(path: &Path, harmless: &Path) {
    let what = path.display().to_string();
    let [text, wanted] = [path, harmless].map(read);
    assert_tame(&what, &text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => check_markdown(path, &text, &wanted),
        Some("html") => drop(check_page(path)),
        Some("json") => assert!(serde_json::from_str::<Value>(&text).is_ok(), "{what}"),
        Some("jsonl") => assert_eq!(events(&text), events(&wanted), "{what}"),
        _ if what.ends_with("transcript.txt") => assert_eq!(heads(&text), heads(&wanted), "{what}"),
        _ => {}
    }
}

fn check_markdown(path: &Path, text: &str, wanted: &str) {
    let name = path.to_string_lossy();
    // Some hold a text as it was given: the query, an answer, a summary of the debate.
    let given = ["The query\n", "In short\n", "Answer by "];
    let is_given = |heading: &&str| wanted.contains(&format!("\n## {heading}"));
    let holds_text =
        ["summary.md", "metadata.md"].contains(&&*name_of(path)) && given.iter().any(is_given);
    let prose = name.contains("/messages/") || name.ends_with("transcript.md") || holds_text;
    let text_and_wanted = [text, wanted];
    // What was done to a hostile text is told in a row of its own, and a comment is cut at its allowance.
    let body = |text: &str| {
        let body = text.starts_with("---\n").then(|| text.split_once("\n---\n"));
        let body = body.flatten().map_or(text, |(_, body)| body);
        let cut = "> Note: cut at the limit. “[Time limit reached]” means that it was too long; no time had run out.\n";
        let body = body.replace(cut, "");
        // A query of one line stands in the title alone.
        let query = ["\n## Given with the question\n", "\n## The question in full\n"];
        let body = query.iter().fold(body, |body, heading| without(&body, heading));
        let body = without_lines(
            &body,
            &[
                "**Given with the question:** ",
                "**The question in full:** ",
                "**The question begins:** ",
            ],
        );
        // Only hostile texts have thoughts in them.
        let thought = "\n## What the model thought first (not part of the statement)\n";
        let body = match body.split_once(thought) {
            Some((before, rest)) => {
                let behind = rest.find("\n---\n").map_or("", |at| &rest[at..]);
                format!("{before}{behind}")
            }
            None => body,
        };
        // Clerk's summaries without a full stop name a subject and are left out.
        let course = "\n## The course\n";
        let body = if text_and_wanted.iter().all(|it| it.contains(course)) {
            body
        } else {
            without(&body, course)
        };
        // How an answer begins is left out where the outcome says it.
        let is_answer = |line: &&str| line.starts_with("**[Answer](");
        let lines = body.split_inclusive('\n');
        let body: String = lines.filter(|line| !is_answer(line)).collect();
        let told = ["\n## Incidents\n", "\n## Problems\n"]
            .iter()
            .find_map(|heading| body.find(heading))
            .unwrap_or(body.len());
        body[..told].to_owned()
    };
    if let Some(difference) = difference(&body(text), &body(wanted), prose) {
        panic!("{name}: {difference}\nWANTED\n{}", body(wanted));
    }
    let stray = stray_links(path, &structure(text, prose));
    assert!(stray.is_empty(), "{name} links to {stray:?}");
    if wanted.starts_with("---\n") {
        let [found, wanted] = [text, wanted].map(front_matter);
        assert_eq!(keys(&found), keys(&wanted), "{name}");
    }
}

/// A text without the section under a heading.
fn without(text: &str, heading: &str) -> String {
    match text.split_once(heading) {
        Some((before, section)) => {
            let rest = section.find("\n## ").map_or("", |at| &section[at..]);
            format!("{before}{rest}")
        }
        None => text.to_owned(),
    }
}

/// A text without the lines that begin so, each with the empty one behind it.
fn without_lines(text: &str, begins: &[&str]) -> String {
    let paragraphs = text.split("\n\n");
    let kept = paragraphs.filter(|it| !begins.iter().any(|begin| it.starts_with(begin)));
    kept.collect::<Vec<_>>().join("\n\n")
}

/// The events of a file by their kinds, but for incidents: what was done to a hostile text is told in these.
fn events(lines: &str) -> Vec<Value> {
    let events = json_lines(lines).into_iter().map(|mut event| event["event"].take());
    events.filter(|event| event != "incident").collect()
}

/// How many lines of a plain transcript name a speaker.
fn heads(text: &str) -> usize {
    let is_head =
        |line: &&str| line.ends_with(':') && line.contains(", ") && !line.starts_with(' ');
    text.lines().filter(is_head).count()
}

/// Checks that the trace has the text as it was said, and that front matters repeat the trace.
fn check_trace(debate: &Path, text: &str, way: usize) {
    let (trace, at) = (trace_in(debate), debate.display());
    let index = front_matter(&read(&debate.join("index.md")));
    for key in ["id", "status", "cause", "topic", "job", "tags", "format"] {
        assert_eq!(index[key], trace[key], "{key} of {at}");
    }
    let said = trace["statements"].as_array().into_iter().flatten();
    let own = |s: &&Value| s["origin"] == "model" && s["phase"] != "comment" && s["by"] != "clerk";
    let said: Vec<&Value> = said.filter(own).collect();
    match way {
        WHOLE => assert_eq!(said.len(), 4),
        FAILING => assert_eq!(said.len(), 0),
        _ => assert!(said.len() >= 2),
    }
    // A rule before or behind a statement is no part of it.
    let is_rule = |c: char| c.is_whitespace() || "-*_".contains(c);
    let seen = rebut::text::without_hidden(text.trim());
    // Nor are thoughts, and marks of templates at its ends.
    let has_marks = seen.contains("<think>");
    for statement in said {
        let said = statement["text"].as_str().expect("a text");
        let (said, seen) = (said.trim_matches(is_rule), seen.trim_matches(is_rule));
        if has_marks {
            assert!(seen.contains(said), "{said} of {at}");
        } else {
            assert_eq!(said, seen, "{at}");
        }
    }
    for path in markdown_in(&list(&debate.join("messages"))) {
        let head = front_matter(&read(path));
        let statement = &trace["statements"][head["n"].as_u64().expect("a number") as usize - 1];
        assert_eq!(head["claim"], statement["gist"]);
        assert_eq!(head["by"], statement["by"]);
    }
}

/// Checks the lists: a line and a row a debate, whatever stands in them.
fn check_lists(night: &Night) {
    let output = night.work().join("output");
    let debates = night.debates();
    let lines = json_lines(&read(&output.join("index.jsonl")));
    assert_eq!(lines.len(), debates.len());
    for line in lines {
        let debate = output.join(line["path"].as_str().expect("a path"));
        assert_eq!(front_matter(&read(&debate.join("index.md"))), line);
    }
    let days = list(&output).into_iter();
    let is_day = |path: &PathBuf| !path.ends_with(".rebut") && !path.ends_with("batches");
    let days = days.filter(|path| path.is_dir() && is_day(path));
    let mut rows = 0;
    for page in days.flat_map(|day| list(&day)).filter(|path| path.is_file()) {
        let found = structure(&read(&page), false);
        let cells = found.marks.iter().filter(|mark| mark.starts_with("TableCell"));
        let is_debate = |link: &&String| link.contains('_') && link.ends_with("/index.md");
        let own = found.links.iter().filter(is_debate).count();
        assert_eq!(cells.count(), 8 * (own + 1), "{}", page.display());
        assert_tame("a list", &read(&page));
        assert!(stray_links(&page, &found).is_empty());
        rows += own;
    }
    assert_eq!(rows, debates.len());
}

/// Checks what the commands that print debates print.
fn check_terminal(night: &Night) {
    // Votes and scores have heads too, as many as were cast.
    let is_head = |line: &&str| {
        let rest = line.strip_prefix("── ").unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("Outcome")
    };
    for (number, dir) in night.debates() {
        let trace = trace_in(&dir);
        let id = &trace["id"].as_str().expect("an id")[..12];
        let shown = night.done(&["show", id]).stdout;
        let statements = trace["statements"].as_array().map_or(0, Vec::len);
        let outcome = usize::from(trace["outcome"].is_object());
        let heads = shown.lines().filter(is_head).count();
        assert_eq!(heads, statements + outcome, "{shown}");
        if number < night.texts.len() && number.is_multiple_of(6) {
            night.done(&["show", id, "round-1/statement/position_x"]);
            night.done(&["show", id, "round-2/ballot/position_y_1"]);
        }
    }
    check_numbers(night);
}

/// Checks what is printed and written of all debates together.
fn check_numbers(night: &Night) {
    let by = "job,model,format,status,topic,persona,participant,judge";
    for format in ["text", "md", "json", "csv"] {
        let stats = night.done(&["stats", "--by", by, "--format", format]);
        let read = || serde_json::from_str::<Value>(&stats.stdout);
        assert!(format != "json" || read().is_ok(), "{}", stats.stdout);
    }
    for file in ["report.html", "report.md", "report.json"] {
        night.done(&["report", "--by", by, "-o", file]);
        assert_tame(file, &read(&night.work().join(file)));
    }
    night.done(&["publish", "--to", "site"]);
    assert_eq!(check_site(&night.work().join("site")), night.debates().len() + 2);
    night.done(&["export", "--to", "csv"]);
    night.done(&["export", "--to", "jsonl"]);
    // CSV has texts as they were said.
    let files = list(&night.work().join("export")).into_iter();
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")) {
        assert_tame(&file.display().to_string(), &read(&file));
    }
}

#[test]
fn e1_no_text_breaks_a_line_of_the_live_events() {
    // All texts are played elsewhere; how an event is written depends on none of them.
    let night = Night::of(texts().into_iter().step_by(12).collect());
    let ended = night.run(&["--json"]);
    ended.stdout.lines().for_each(|line| assert_tame("an event", line));
    let events = json_lines(&ended.stdout);
    assert!(events.iter().all(|event| event["type"] == "debate_event"));
    let told: BTreeSet<_> = events.iter().map(|event| event["debate"].to_string()).collect();
    let all = (0..night.texts.len()).flat_map(|i| numbers(i, night.texts.len()));
    assert_eq!(told.len(), all.count());
}

#[test]
fn a8_a_trace_that_others_wrote_reaches_no_terminal_unescaped() {
    let night = Night::of(vec![HARMLESS.to_owned()]);
    night.run(&[]);
    let dir = &night.debates()[&0];
    let mut trace = trace_in(dir);
    put_everywhere(&mut trace, "\u{1b}]0;x\u{7}\u{7f}\u{9b}31m\u{202e}");
    fs::write(dir.join("trace.json"), trace.to_string()).expect("a file");
    let path = dir.to_string_lossy();
    for args in [&["show", &*path][..], &["render", &path], &["index"]] {
        night.done(args);
    }
    check_numbers(&night);
    assert_eq!(night.tame(&["run", "--only", "jobs"]).code, 2);
    for path in markdown_in(&files_below(dir)) {
        assert_tame(&path.display().to_string(), &read(path));
    }
}

/// What acts on a terminal, as a part of a file's name.
#[cfg(unix)]
const ACTS: &str = "x\u{1b}]0;owned\u{7}\u{1b}[5my\u{9b}2J\u{202e}\u{1b}[31m";

/// A line of a journal, sound for all that can be known, whose call is one that acts.
#[cfg(unix)]
fn acting_call(line: &str) -> String {
    let acts = json!(format!("round-1/{ACTS}\nhint: run this")).to_string();
    let line = line.replace("\"round-1/statement/position_x\"", &acts);
    let mut entry: Value = serde_json::from_str(&line).expect("JSON");
    entry.as_object_mut().expect("an object").remove("sum");
    entry["sum"] = json!(rebut::digest::of_json(&entry)[..16]);
    format!("{entry}\n")
}

/// Lets one of a debate's call names and its directory's name act on a terminal; returns the directory.
#[cfg(unix)]
fn act_everywhere(place: &Place) -> PathBuf {
    let journal = &list(&place.path().join("output/.rebut/journals"))[0];
    let acting = read(journal).lines().map(acting_call).collect::<String>();
    assert!(acting.contains("owned"));
    fs::write(journal, acting).expect("written");
    let debate = place.debates().remove(0);
    let name = name_of(&debate).replace("_job_", &format!("_{ACTS}_"));
    let acting = debate.with_file_name(name);
    fs::rename(&debate, &acting).expect("renamed");
    acting
}

#[cfg(unix)]
#[test]
fn a8_no_name_in_an_output_directory_of_others_reaches_a_terminal_unescaped() {
    let place = crate::harness::with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let acting = act_everywhere(&place);
    let unreadable = acting.with_file_name(format!("unreadable_{ACTS}_aaaaaaaaaaaa"));
    fs::create_dir(&unreadable).expect("a directory");
    fs::write(unreadable.join("trace.json"), "{").expect("written");
    let (dir, damaged) = (acting.to_string_lossy(), unreadable.to_string_lossy());
    let whole = trace_in(&acting)["id"].as_str().expect("an id").to_owned();
    // What is told of in each, so that it is known to have been tried.
    for (args, told) in [
        (&["show", &*whole, "nosuch"][..], "its calls are"),
        (&["show", &whole, "calls"], "owned"),
        (&["index"], "is not listed"),
        (&["render", &dir], "rendered"),
        (&["render", &damaged], "error: "),
        (&["rate", &dir, "7"], "rated 7"),
        (&["publish", "output", "--to", "site"], "published"),
        (&["status"], "nothing is running in output"),
    ] {
        for colour in ["never", "always"] {
            let ended = place.rebut(&[args, &["--color", colour]].concat());
            let shown = format!("{}{}", ended.stdout, ended.stderr);
            // Our own colours.
            let shown = ["0", "1", "2", "32", "33", "35"]
                .iter()
                .fold(shown, |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
            assert!(
                !shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
                "{args:?}: {shown:?}"
            );
            assert!(!shown.contains("\nhint: run this"), "{args:?}: {shown}");
            assert!(shown.contains(told), "{args:?}: {shown}");
        }
    }
}

/// Puts a text behind every text that is no word of the schema and no part of a file's name.
fn put_everywhere(value: &mut Value, hostile: &str) {
    const NAMED: [&str; 6] = ["job", "phase", "name", "format", "headline", "outcome"];
    match value {
        Value::String(text) if text.contains(' ') || text.contains(':') => text.push_str(hostile),
        Value::Array(items) => items.iter_mut().for_each(|item| put_everywhere(item, hostile)),
        Value::Object(fields) => {
            let free = |(key, _): &(&String, &mut Value)| !key.ends_with("_at") && *key != "at";
            for (key, value) in fields.iter_mut().filter(free) {
                match value {
                    Value::String(text) if NAMED.contains(&&**key) => text.push_str(hostile),
                    value => put_everywhere(value, hostile),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn k8b_a_reply_of_a_megabyte_is_cut_at_its_allowance_and_breaks_nothing() {
    let card = Card::new("llama3").context(2_000_000);
    let place = Place::with(MockOllama::builder().models([card]).start());
    let huge: String = (0..80_000).map(|n| format!("|**{n}** <b>")).collect();
    let said = Answer::text(&huge).tokens(100, 500).chunks(9);
    place.reply([("*/statement/position_x", said)]);
    let job = format!("{TINY_JOB}defaults: {{context_window: 2000000}}\n");
    let trace = place.trace_of(&job, &[]);
    let text = trace["statements"][1]["text"].as_str().expect("a text");
    let kept = text.strip_suffix("\n\n[Time limit reached]").expect("a cut");
    let is_so_long = (5_000..20_000).contains(&kept.len());
    assert!(huge.starts_with(kept) && is_so_long, "{}", kept.len());
    let debate = place.debates().remove(0);
    let message = list(&debate.join("messages")).remove(1);
    let marks = structure(&read(&message), true).marks;
    let headings = marks.iter().filter(|mark| mark.starts_with("heading"));
    assert_eq!(headings.count(), 1);
    assert!(!marks.iter().any(|mark| mark.contains("Html")), "{marks:?}");
    let shown = place.rebut(&["show", &debate.to_string_lossy()]).stdout;
    assert!(shown.contains(kept));
    assert!(read(&debate.join("index.md")).len() < 12_000);
}

#[test]
fn j1_what_cannot_be_seen_is_refused_wherever_a_job_has_text() {
    let place = Place::new();
    let corpus = corpus();
    for (name, text) in &corpus {
        let job = json!({"topic": format!("Is it so? {text}"), "rules": [text], "tags": {"a": text}, "x": {"position": text}});
        place.write(&format!("jobs/{name}.json"), &job.to_string());
    }
    let ended = place.rebut_exits(2, &["check", "jobs"]);
    assert_tame("the refusal", &ended.stderr);
    let hidden = |text: &str| text.contains(|c| acts_on_terminals(c) || c == '\n');
    for (name, text) in corpus.iter().filter(|(_, text)| hidden(text)) {
        for key in ["topic", "rules.0", "tags.a", "x.position"] {
            let parts = [format!("/{name}.json:1:"), format!("`{key}` ")];
            let told = |line: &str| parts.iter().all(|part| line.contains(part));
            assert!(ended.stderr.lines().any(told), "{key} of {name}, {text:?}: {}", ended.stderr);
        }
    }
}
