//! Row J3: `--model`, `--all-models`, and debates without a job file.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use mock_ollama::{Answer, Card, MockOllama};
use serde_json::Value;

use crate::formats::FORMATS;
use crate::harness::{
    Kind, Place, TINY_JOB, end_of, good, has, has_all, kind, list, read, shows, with_job,
};

/// A place whose server has these models.
fn with_models<const N: usize>(models: [&str; N]) -> Place {
    Place::with(MockOllama::builder().models(models.map(Card::new)).start())
}

/// The models that were asked for anything but embeddings.
fn asked(place: &Place) -> BTreeSet<String> {
    let chats = place.server.chats();
    chats.iter().map(|call| call.model().to_owned()).collect()
}

fn set(models: &[&str]) -> BTreeSet<String> {
    models.iter().map(|model| (*model).to_owned()).collect()
}

#[test]
fn j3_model_is_that_of_everyone_who_names_none_and_the_others_are_named() {
    let place = with_models(["qwen3", "mistral", "phi4"]);
    let job = "x: {model: mistral}\ny: [{}, {model: phi4, fallback: [mistral]}, {}]\n";
    place.write("job.yaml", &format!("{TINY_JOB}{job}"));
    let ended = place.run_exits(0, &["job.yaml", "-m", "qwen3"]);
    assert_eq!(asked(&place), set(&["mistral", "phi4", "qwen3"]));
    let note = "note: --model qwen3 does not change x.model and y.1.model of job.yaml; --all-models qwen3 does\n";
    assert!(ended.stderr.starts_with(note), "{}", ended.stderr);

    // What it says does what it says.
    let before = place.server.chats().len();
    let ended = place.run(&["job.yaml", "--all-models", "qwen3"]);
    assert!(!ended.stderr.contains("note:"), "{}", ended.stderr);
    let later = &place.server.chats()[before..];
    assert!(later.iter().all(|call| call.model() == "qwen3"));
}

#[test]
fn j3_all_models_replaces_every_model_and_drops_fallbacks() {
    let place = with_models(["qwen3"]);
    let job = "defaults: {fallback: [phi4]}\nx: {model: mistral, fallback: [phi4]}\ny: [{}, {model: phi4}]\ncriteria: {model: {weight: 1}}\n";
    place.write("job.yaml", &format!("{TINY_JOB}{job}"));
    place.reply_by(|call| (kind(call) == Kind::Statement).then(|| Answer::text("")));
    let ended = place.run(&["job.yaml", "--all-models", "qwen3"]);
    assert_eq!(ended.code, 1, "an emergency reply, no fallback: {}", ended.stderr);
    assert_eq!(asked(&place), set(&["qwen3"]));
    assert!(!ended.stderr.contains("note:"), "{}", ended.stderr);
    let trace = place.trace();
    assert!(trace["plan"].to_string().contains("\"model\":{"), "the criterion is still there");

    let one = "dialectic.yaml";
    place.write(
        one,
        "format: dialectic\nquery: Should voting be compulsory?\nskeptic: {model: phi4}\n",
    );
    let checked = place.rebut(&["check", "--rehearse", one, "--all-models", "qwen3"]);
    has(&checked.stdout, "\nSkeptic (qwen3, persona skeptic)\n");
    assert!(!checked.stdout.contains("phi4"), "{}", checked.stdout);
}

#[test]
fn j3_a_matrix_over_models_is_left_alone_or_refused() {
    let place = with_job(&format!("{TINY_JOB}matrix: {{x.model: [mistral, phi4]}}\n"));
    let check = |args: &[&str]| place.rebut(&[&["check", "--rehearse", "job.yaml"], args].concat());
    let model = check(&["-m", "qwen3"]);
    let note = "note: --model qwen3 does not change x.model of job.yaml; the matrix sets x.model\n";
    assert!(model.code == 0 && model.stderr == note, "{}", model.stderr);
    let own = "clerk: {model: phi4}\ny: [{model: phi4}, {model: phi4}]\n";
    place.write("own.yaml", &format!("{TINY_JOB}x: {{model: phi4}}\n{own}"));
    let idle = place.rebut_exits(2, &["check", "--rehearse", "own.yaml", "-m", "lama3"]);
    has(&idle.stderr, "error: --model lama3 changes no debate: ");
    let all = check(&["--all-models", "qwen3"]);
    assert_eq!(all.code, 2);
    has(&all.stderr, "are the same debate with --all-models qwen3");
    place.write("job.yaml", &format!("{TINY_JOB}matrix: {{defaults.model: [mistral, phi4]}}\n"));
    let model = check(&["-m", "qwen3"]);
    shows!(model, {
        "stderr contains": "with --model qwen3: `defaults.model` is set by the job's matrix",
    });
    assert_eq!(check(&["-m", "a", "--all-models", "b"]).code, 2);
}

#[test]
fn j3_the_names_that_flags_give_are_checked_like_those_of_jobs() {
    let place = with_job(&format!("{TINY_JOB}x: {{model: phi4}}\n"));
    for flag in ["--model", "--all-models"] {
        for (name, cause) in [
            ("gpt-oss:120b-cloud", "runs in Ollama's cloud"),
            ("two words", "is not a model name"),
            ("", "`defaults.model`"),
        ] {
            let ended = place.rebut(&["check", "--rehearse", "job.yaml", flag, name]);
            assert_eq!(ended.code, 2, "{flag} {name}");
            let said = ended.stderr;
            has_all(&said, &[format!("with {flag} {name}").trim_end(), cause]);
        }
        let plain = place.rebut(&["check", "--rehearse", "job.yaml", flag, "a: b"]);
        has(&plain.stderr, "`a: b` is not a model name");
    }
}

#[test]
fn j3_where_a_model_is_missing_those_that_are_there_are_named() {
    let place = with_models(["llama3", "mistral:7b"]);
    place.write("job.yaml", TINY_JOB);
    let there = "run `ollama pull gemma3` (models there: llama3 and mistral:7b)";
    for args in [["run", "job.yaml"], ["check", "job.yaml"]] {
        let ended = place.rebut(&[&args[..], &["-m", "gemma3"]].concat());
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(there), "{said}");
    }
    place.write("gemma.yaml", &format!("{TINY_JOB}defaults: {{model: gemma3}}\n"));
    let doctor = place.rebut(&["doctor", "gemma.yaml"]).stdout;
    has(&doctor, "models there: llama3 and mistral:7b");
    let duel = place.rebut(&["duel", "Should zoos be closed?", "-m", "gemma3"]);
    assert!(duel.code == 1 && duel.stderr.contains(there), "{}", duel.stderr);

    let place = with_models([]);
    let none = place.rebut(&["duel", "Should zoos be closed?"]);
    assert!(none.stderr.contains("(no models there)"), "{}", none.stderr);
}

#[test]
fn j3_every_format_debates_a_topic_from_the_command_line() {
    for format in FORMATS {
        let place = with_models(["qwen3", "nomic-embed-text"]);
        let args = [format.name, "Should zoos be closed?", "-m", "qwen3", "-j", "3", "-o", "night"];
        let ended = place.rebut(&[&args[..], &["--seed", "7", "--retry-delay", "1ms"]].concat());
        assert!(ended.code < 2, "{}: {}", format.name, ended.stderr);
        assert_eq!(asked(&place), set(&["qwen3"]));
        let lines: Vec<&str> = ended.stdout.lines().collect();
        has(&lines[0], "\tShould zoos be closed?\t");
        assert_eq!(lines[1], "all debates: night/index.md");
        let days = list(&place.path().join("night"));
        let day = days.iter().find(|path| path.join("index.md").is_file()).expect("a day");
        let debate = list(day).into_iter().find(|path| path.is_dir()).expect("a debate");
        assert!(debate.to_string_lossy().contains("_should-zoos-be-closed_"));
        let trace: Value = serde_json::from_str(&read(&debate.join("trace.json"))).expect("JSON");
        assert_eq!(trace["format"], format.name);
        assert_eq!(trace["plan"]["seed"], 7);
    }
}

#[test]
fn j3_for_and_against_argue_what_a_question_or_a_statement_means() {
    let sides = |format: &str, topic: &str| {
        let place = Place::new();
        place.rebut_exits(0, &[format, topic, "--rehearse"]);
        let people =
            place.trace()["participants"].clone().as_array().expect("participants").clone();
        let contestants = people.iter().filter(|p| p["contestant"] == true);
        let side = |p: &Value| {
            let text = |key: &str| p[key].as_str().expect("text").to_owned();
            assert_eq!(p["persona"], "advocate");
            (text("name"), text("position"))
        };
        contestants.map(side).collect::<Vec<_>>()
    };
    for format in ["moderated", "duel"] {
        assert_eq!(
            sides(format, "Should zoos be closed?"),
            [
                ("Pro".to_owned(), "The answer to “Should zoos be closed?” is yes".to_owned()),
                ("Con".to_owned(), "The answer to “Should zoos be closed?” is no".to_owned()),
            ]
        );
    }
    let long = format!("Is it {}?", "so ".repeat(60).trim());
    assert_eq!(sides("duel", &long)[1].1, "The answer to the question is no");
    let team = sides("knockout", "Zoos should be closed.");
    assert_eq!(team[0], ("Pro".to_owned(), "“Zoos should be closed” is right".to_owned()));
    assert_eq!(team.len(), 5);
    for (n, (name, position)) in team[1..].iter().enumerate() {
        assert_eq!(*name, format!("Con-{}", n + 1));
        assert_eq!(position, "“Zoos should be closed” is wrong");
    }
}

#[test]
fn j9c_a_debate_without_a_file_goes_on_by_the_command_that_is_printed() {
    let place = with_models(["qwen3"]);
    place.reply([("end/verdict*", Answer::status(503, "server busy"))]);
    let args = [
        "duel",
        "Who's right: \"cats\" or dogs?",
        "-m",
        "qwen3",
        "-j1",
        "-o",
        "a night",
        "--set",
        "rounds=2",
    ];
    let first =
        place.rebut_exits(1, &[&args[..], &["--model-timeout", "0s", "--restart"]].concat());
    let line = first
        .stdout
        .lines()
        .find(|line| line.starts_with("next: "))
        .expect("how to go on")
        .trim_start_matches("next: ")
        .to_owned();
    let asked = place.server.chats().len();

    place.server.script(good);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path());
    let second = end_of(shell.env("OLLAMA_HOST", place.server.url()));
    assert_eq!(second.code, 0, "{line}: {}", second.stderr);
    has(&second.stdout, "\nall debates: a night/index.md\n");
    assert_eq!(place.server.chats().len(), asked + 2, "only the judge's two readings were missing");
    assert!(!line.contains("--restart"), "{line}");
}

/// A server that answers in plain HTTP, whatever it is sent; returns its address.
fn plain_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    address
}

#[test]
fn m1_where_no_server_answers_the_hint_fits_the_address_and_the_command() {
    let place = Place::new();
    let (plain, url) = (plain_server(), place.server.url());
    // This one hangs up.
    let mute = url.trim_start_matches("http://");
    let start =
        "start Ollama with `ollama serve`, or name another server with --host or OLLAMA_HOST";
    for (host, cause, remedy) in [
        (
            format!("https://{plain}"),
            format!("https://{plain} did not answer in TLS"),
            format!("write http://{plain} if the server has no TLS"),
        ),
        (
            format!("https://{mute}"),
            format!("https://{mute} did not answer in TLS"),
            format!("write http://{mute} if the server has no TLS"),
        ),
        (
            "127.0.0.1:1".to_owned(),
            "no connection to http://127.0.0.1:1: connection refused".to_owned(),
            start.to_owned(),
        ),
    ] {
        let told = format!("error: {cause}\nhint: {remedy}");
        let doctor = place.rebut_exits(3, &["doctor", "--host", &host]).stderr;
        assert_eq!(doctor, format!("{told}\n"));
        let duel = place.rebut_exits(3, &["duel", "Should zoos be closed?", "--host", &host]);
        assert_eq!(duel.stderr, format!("{told}; --rehearse runs without a server\n"));
    }
}

#[test]
fn j1_a_topic_on_the_command_line_is_checked_like_that_of_a_job() {
    let place = Place::new();
    for (topic, cause) in [
        (
            "Why?",
            "the topic has 4 characters; it must have 10 to 200\n    hint: write a question, such as \"Should zoos be closed?\"",
        ),
        ("", "the topic is empty\n    hint: write a question, such as "),
        (
            "为什么？",
            "the topic has 4 characters; it must have 10 to 200 (full-width ones count as two)\n",
        ),
        ("Two lines\nof a topic", "the topic must be one line\n    hint: put it on one line"),
        ("a: [b, &c", "the topic has 9 characters"),
    ] {
        let ended = place.rebut(&["duel", topic, "--rehearse"]);
        assert_eq!(ended.code, 2, "{topic}");
        assert!(ended.stderr.contains(cause), "{}", ended.stderr);
        assert!(ended.stderr.ends_with("\nnothing was run\n"), "{}", ended.stderr);
    }
    // Elsewhere, keys are keys.
    for (args, cause) in [
        (["dialectic", "topic=foo"], "unknown key `topic`\n"),
        (["duel", "topics=foo.txt"], "`topics` and `topic` both set the topic\n"),
    ] {
        let [format, key] = args;
        let args = [format, "Why is the sky blue today?", "--set", key, "--rehearse"];
        has(&place.rebut_exits(2, &args).stderr, cause);
    }
    let odd = "Is it so: {a}, [b] & *c #d 'e' \"f\"?";
    place.rebut_exits(0, &["duel", odd, "--rehearse"]);
    assert_eq!(place.trace()["topic"], odd);
    let short = "死刑应该废除吗";
    place.rebut_exits(0, &["duel", short, "--rehearse", "-o", "short"]);
    place.rebut_exits(0, &["dialectic", "Why?\nAnd what follows?", "--rehearse", "-o", "other"]);
}

#[test]
fn j3_with_all_models_no_list_names_a_model_that_did_not_play() {
    let place = with_job(&format!(
        "{TINY_JOB}matrix:\n  pair:\n    - {{x.model: mistral, x.name: Ann}}\n    - {{x.model: phi4, x.name: Ben}}\n"
    ));
    let checked =
        place.rebut_exits(0, &["check", "--rehearse", "job.yaml", "--all-models", "qwen3"]);
    assert!(
        checked.stdout.contains("x.name=Ann") && !checked.stdout.contains("mistral"),
        "{}",
        checked.stdout
    );
}
