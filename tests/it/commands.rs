//! Rows J12 and E2, and what every command does with `--help` and bad input.

use std::collections::BTreeSet;
use std::path::Path;

use mock_ollama::{Answer, Card, MockOllama};
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::{
    Kind, Place, SHORT_JOB, TINY_JOB, ballot, end_of, has, has_all, is, json_lines, kind, lacks,
    list, read, shows, with_job,
};

/// Lines of the log of each format's shortest debate.
const STAGES: &[(&str, &[&str])] = &[
    ("knockout", &[" - Round 1\n", "Round 1: getting the ballot of Y-", "Round 1: X against Y-"]),
    (
        "moderated",
        &[
            "Opening: Advocate A's turn (turn #1, llama3)",
            "Round 1: Moderator checks statement ",
            "Round 1: Fact checker checks the claims of statement ",
            "Closing: Advocate B's turn (turn #",
            "After the rounds: Moderator sums up (llama3)",
            "After the rounds: getting the verdict of Moderator (llama3)",
        ],
    ),
    (
        "duel",
        &[
            "Round 1: Scientist's turn (turn #1, llama3)",
            "Round 2: Philosopher opens",
            "After the rounds: getting the verdict of Judge-1 (llama3)",
        ],
    ),
    (
        "roundtable",
        &[
            " - Initial round\n",
            "Initial round: Valuation's turn (turn #1, llama3)",
            "Round 1: getting the stance of Sentiment (llama3)",
            "Stances after round 1: ",
            "After the rounds: Chair writes the answer (llama3)",
        ],
    ),
    (
        "dialectic",
        &[
            "Round 1: Skeptic's turn (turn #1, llama3)",
            "After the rounds: Synthesizer writes the synthesis (llama3)",
            "Synthesizer: synthesis (",
        ],
    ),
];

const COMMANDS: [&str; 19] = [
    "run",
    "check",
    "knockout",
    "moderated",
    "duel",
    "roundtable",
    "dialectic",
    "rate",
    "render",
    "index",
    "show",
    "doctor",
    "export",
    "new",
    "label",
    "schema",
    "stats",
    "report",
    "completions",
];

#[test]
fn j12_every_command_explains_itself() {
    let place = Place::new();
    let top = place.rebut(&["--help"]).stdout;
    has_all(&top, &["Exit codes:", "Getting started:"]);
    for command in COMMANDS {
        assert!(top.contains(command));
        let help = place.rebut(&[command, "--help"]);
        assert!(help.code == 0 && help.stdout.contains("Usage: rebut"), "{command}");
    }
}

#[test]
fn j12_the_help_of_what_counts_names_every_key_and_gives_examples() {
    let place = Place::new();
    for command in ["stats", "report", "export"] {
        let help = place.rebut(&[command, "--help"]).stdout;
        for (_, key, meaning) in &rebut::stats::key::KEYS {
            let line = help.lines().find(|line| {
                let mut words = line.split_whitespace();
                words.next() == Some(*key) && line.ends_with(meaning)
            });
            assert!(line.is_some(), "{key} is not in {help}");
        }
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        let begin = format!("  rebut {command} ");
        assert!(examples.matches(&begin).count() >= 3, "{help}");
        assert!(examples.lines().all(|line| line.starts_with(&begin)));
    }
    let help =
        place.rebut(&["report", "--help"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let own: Vec<String> =
        rebut::stats::report_breakdowns().iter().flatten().map(ToString::to_string).collect();
    assert!(help.contains(&own.join(", ")), "{own:?}: {help}");
    let help = place.rebut(&["export", "--help"]).stdout;
    has(&help, "reference/export-columns.md describes");
}

#[test]
fn j12_a_word_or_flag_that_is_none_is_told_with_what_is_meant() {
    let place = Place::new();
    for (args, tip) in [
        (&["rnu", "job.yaml"][..], "a similar subcommand exists: 'run'"),
        (&["rn", "job.yaml"], "a similar subcommand exists: 'run'"),
        (&["debate", "x"], "'rebut duel TOPIC' runs one"),
        (&["run", "job.yaml", "--yes"], "'rebut run' asks nothing"),
        (&["view", "--port", "8080"], "'--listen 127.0.0.1:8080' chooses the port"),
        (&["mine/exp.yaml"], "tip: 'rebut run mine/exp.yaml' runs a job"),
        (&["compare", "llama3", "mistral"], "'rebut new tournament' writes a job"),
        (&["run"], "tip: for example 'rebut run jobs/mine.yaml'"),
        (&["run", "job.yaml", "--repeat", "3"], "tip: '--set repeat=3' runs each debate"),
        (&["check", "job.yaml", "--seeds", "1,2"], "tip: '--set repeat=3' runs each debate"),
        (&["run", "job.yaml", "--seed", "1,2,3"], "use a whole number; `--set repeat=3` runs"),
        (&["rehearse", "job.yaml"], "'rebut run --rehearse FILE' rehearses a job"),
        (&["ls"], "'rebut status' lists running debates"),
        (&["report", "--format", "md"], "'-o report.md'"),
        (&["stats", "-o", "out"], "'rebut stats DIR'"),
        (&["stats", "--output", "out"], "'rebut stats DIR'"),
        (&["duel", "Should", "zoos", "be", "closed?"], "put the topic in quotes"),
        (&["duel", "Should zoos be closed?", "--rounds", "2"], "'--set rounds=VALUE'"),
        (&["run", "job.yaml", "--round-count", "2"], "'--set round_count=VALUE'"),
        (&["report", "--where"], "a value is required"),
        (
            &["duel", "Should zoos be closed?", "--dry-run"],
            "'rebut new FORMAT FILE' writes its job",
        ),
        (&["run", "job.yaml", "--dry-run", "--json"], "cannot be used with '--json'"),
    ] {
        has(&place.rebut_exits(2, args).stderr, tip);
    }
    for command in ["run", "duel"] {
        let warm = place.rebut_exits(2, &[command, "it", "--temperature", "0.2"]).stderr;
        has(&warm, "tip: '--set defaults.temperature=VALUE' sets it for all participants");
        lacks(&warm, &["similar", "--templates"]);
    }
    let not_its = ["roundtable", "Should zoos be closed?", "--rounds", "2"];
    lacks(&place.rebut_exits(2, &not_its).stderr, &["--set"]);
    let flag = place.rebut_exits(2, &["run", "--nosuch", "job.yaml"]).stderr;
    lacks(&flag, &["as a value"]);
    let far = place.rebut_exits(2, &["nothing-like-it"]).stderr;
    lacks(&far, &["similar"]);
}

#[test]
fn j12_the_help_of_a_debate_without_a_file_is_about_that_debate() {
    let place = Place::new();
    for format in FORMATS {
        let help = place.rebut_exits(0, &[format.name, "--help"]).stdout;
        lacks(&help, &["every job", "in the job", "next to the job file", "overriding the job"]);
        lacks(&help, &["all debates over", "other debates", "more debates", "debates in progress"]);
        let examples = help.split("Examples:\n").nth(1).expect("examples");
        let begin = format!("  rebut {} ", format.name);
        assert_eq!(examples.matches(&begin).count(), 2, "{examples}");
    }
}

#[test]
fn j12_every_job_that_new_writes_checks_and_rehearses_unchanged() {
    let tournament = |names: &[&'static str]| [&["tournament", "--models"], names].concat();
    let formats = FORMATS.iter().map(|format| vec![format.name]);
    let tournaments = [
        tournament(&["llama3,mistral", "--judges", "phi4"]),
        tournament(&["llama3,mistral,qwen3", "--judges", "gemma3,phi4", "--topics", "topics.txt"]),
    ];
    for args in formats.chain(tournaments) {
        let place = Place::new();
        let topics: String = (1..=10).map(|n| format!("Are {n} zoos enough?\n")).collect();
        place.write("topics.txt", &topics);
        let printed = place.rebut_exits(0, &[&["new"], &args[..]].concat());
        let new = [&["new"], &args[..], &["mine.yaml"]].concat();
        place.rebut_exits(0, &new);
        assert_eq!(read(&place.path().join("mine.yaml")).trim_end(), printed.stdout.trim_end());
        assert_eq!(printed.stderr, "", "{args:?}");
        let checked = place.rebut_exits(0, &["check", "--rehearse", "mine.yaml"]);
        lacks(&checked.said(), &["warning"]);
        place.run_exits(0, &["--rehearse", "--limit", "2", "mine.yaml"]);
        let again = place.rebut_exits(2, &new);
        has(&again.stderr, "mine.yaml exists");
    }
}

#[test]
fn j3_check_stands_in_for_run_in_any_command() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    let run = "--all-models mistral --set rounds=2 --until 07:00 --max-time 8h --max-tokens 20k --max-failures 3 \
        -j 2 --max-debates 2 --retry failed --retry-delay 1s --outage-timeout 0 --model-timeout 1s -v --view \
        --notify false -o output";
    let args = ["check", "--rehearse", "job.yaml"].into_iter().chain(run.split(' '));
    place.rebut_exits(0, &args.collect::<Vec<_>>());
    let help = place.rebut_exits(0, &["check", "--help"]).stdout;
    has_all(&help, &["--retry <STATUS>", "--until <HH:MM>", "--max-time <TIME>"]);
    lacks(&help, &["--max-tokens", "--max-debates", "  --json"]);
}

#[test]
fn j12_new_makes_the_directories_on_the_way() {
    let place = Place::new();
    let told = |file| place.rebut_exits(0, &["new", "duel", file]).stdout;
    has(&told("jobs/mine/duel.yaml"), "wrote jobs/mine/duel.yaml in a new directory; to see ");
    has(&told("jobs/mine/other.yaml"), "wrote jobs/mine/other.yaml; to see ");
    has(&told("here.yaml"), "wrote here.yaml; to see ");
    place.rebut_exits(0, &["check", "--rehearse", "jobs"]);
    let ended = place.rebut_exits(2, &["new", "duel", "jobs/mine/duel.yaml/inside.yaml"]);
    has(&ended.stderr, "jobs/mine/duel.yaml");
}

#[test]
fn m2_a_timeout_of_nothing_is_refused() {
    let place = with_job(SHORT_JOB);
    for flag in ["--connect-timeout", "--first-token-timeout", "--idle-timeout"] {
        for command in ["run", "check", "doctor"] {
            let ended = place.rebut(&[command, "job.yaml", flag, "0s"]);
            let said = "use a time longer than 0";
            assert!(
                ended.code == 2 && ended.stderr.contains(flag) && ended.stderr.contains(said),
                "{}",
                ended.stderr
            );
        }
    }
    place.run_exits(0, &["job.yaml", "--model-timeout", "0s"]);
}

#[test]
fn j8_the_log_says_that_a_statement_breaks_off() {
    let place = with_job(TINY_JOB);
    let said = "A whole reason. And both could be done in the same summer, with";
    place.reply_by(move |call| (kind(call) == Kind::Statement).then(|| Answer::text(said)));
    has(&place.run(&["job.yaml", "-v"]).stderr, ", breaks off)");
}

#[test]
fn n_one_of_a_thing_is_said_in_the_singular() {
    let place = with_job(TINY_JOB);
    place.reply_by(|call| {
        (kind(call) == Kind::Statement).then(|| Answer::text("Fair.").tokens(10, 1))
    });
    let run = place.run(&["job.yaml", "-v"]);
    has(&run.stderr, "(1 token)");
    let checked = place.rebut(&["check", "job.yaml", "--seed", "2", "--max-time", "1h"]).stdout;
    has_all(
        &checked,
        &["at the speeds measured here: ", "\nwithin 60 min: about 1 of 1 debate fit\n"],
    );
    let debate = place.debates()[0].display().to_string();
    let shown = place.rebut(&["show", &debate]).stdout;
    has(&shown, "X speaks first. There is one round.");
    assert!(shown.contains("(1 token)"), "{shown}");
    let call = place.rebut(&["show", &debate, "round-1/statement/position_x"]).stdout;
    has(&call, "There is one round, in which each side speaks once.");
    has(&call, "── reply (1 token, ended by the model)");
    for said in [run.stderr, checked, shown, call] {
        for wrong in ["1 minutes", "1 tokens", "1 rounds", "1 debates", "1 calls"] {
            assert!(!said.contains(&format!(" {wrong}")), "{wrong} in {said}");
        }
    }
}

#[test]
fn n_debates_of_a_job_are_told_apart_by_what_differs() {
    let place = with_job(
        "rounds: 1\nallow_explicit: true\nrepeat: 2\nmatrix:\n  topic: [Should the council of the old town on the river spend the surplus on trams?, Should the council of the old town on the river spend the surplus on schools?]\n  x.description: [You have lived in this town for forty years and like trams, You have lived in this town for forty years and hate trams]\n",
    );
    let checked = place.rebut(&["check", "--rehearse", "job.yaml"]).stdout;
    let told = |lines: &[String]| lines.iter().collect::<BTreeSet<_>>().len();
    let rows = checked.lines().filter(|line| line.starts_with("to run"));
    let cells: Vec<String> =
        rows.map(|row| row.splitn(4, '\t').last().expect("cells").to_owned()).collect();
    assert_eq!((cells.len(), told(&cells)), (8, 8), "{checked}");
    assert!(cells[0].contains("…") && cells[0].contains("surplus on trams?"), "{checked}");

    let ended = place.run(&["--rehearse", "job.yaml"]);
    let begun = ended.stderr.lines().filter_map(|line| line.strip_suffix(": round 1 of 1"));
    let titles: Vec<String> =
        begun.map(|title| title.split_once(' ').expect("an id").1.to_owned()).collect();
    assert_eq!((titles.len(), told(&titles)), (8, 8), "{titles:?}");

    let day = place.debates()[0].parent().expect("a day").join("index.md");
    let day = read(&day);
    let rows = day.lines().filter(|line| line.starts_with("| done"));
    let cells: Vec<String> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            format!("{} {}", cells[1], cells[5])
        })
        .collect();
    assert_eq!((cells.len(), told(&cells)), (8, 8), "{day}");
}

#[test]
fn j12_doctor_says_what_is_there_and_what_to_pull() {
    let place = Place::with(
        MockOllama::builder()
            .models([Card::new("llama3").context(8192).parameters("8.0B").quantization("Q4_0")])
            .start(),
    );
    place.write("good.yaml", SHORT_JOB);
    let well = place.rebut_exits(0, &["doctor", "good.yaml"]);
    shows!(well, {"stdout contains": [
        "\nok    llama3: 8.0B parameters, Q4_0",
        "trained for a context of 8192",
    ]});
    place.write("bad.yaml", "topic: Should voting be compulsory?\nx: {model: absent}\ny: [{context_window: 16384}, {}]\n");
    let ill = place.rebut_exits(1, &["doctor", "bad.yaml"]);
    shows!(ill, {
        "stdout contains": ["lacks absent: run `ollama pull absent`", "the jobs need 16384"],
    });
    assert!(place.server.chats().is_empty(), "without --probe no model is asked");
    let probed = place.rebut_exits(0, &["doctor", "--probe", "good.yaml"]);
    has(&probed.stdout, "llama3: --concurrency ");
    // One that loads the model and is not measured, then 1, 2, 4 …
    let asked = place.server.chats().len();
    assert!(asked.is_power_of_two(), "{asked} calls: {}", probed.stdout);
    place.reply_by(|_| Some(Answer::status(400, "it does not chat")));
    let mute = place.rebut_exits(1, &["doctor", "--probe", "good.yaml"]);
    let why = "fails llama3: no reply to a short prompt: the server answered 400: it does not chat";
    has(&mute.stdout, why);
    // Nobody named that model.
    place.rebut_exits(0, &["doctor", "--probe"]);
    place.server.stop();
    place.rebut_exits(3, &["doctor"]);
}

#[test]
fn j12_doctor_reports_a_model_in_memory_with_too_small_a_context() {
    let place = with_job(SHORT_JOB);
    place.server.intercept(|call| {
        let loaded =
            json!({"name": "llama3:latest", "size": 1, "size_vram": 1, "context_length": 512});
        let loaded = json!({"models": [loaded]}).to_string();
        (call.path == "/api/ps").then(|| Answer::raw(200, "application/json", loaded))
    });
    let before = place.rebut_exits(0, &["doctor", "job.yaml"]);
    has(&before.stdout, "short llama3:latest is loaded");
    has(
        &before.stdout,
        "context 512 per slot; the jobs need 8192, with which it should be loaded again",
    );
    let probed = place.rebut_exits(1, &["doctor", "--probe", "job.yaml"]);
    has(
        &probed.stdout,
        "context 512 per slot; the jobs need 8192, but this server loads it with less",
    );
}

#[test]
fn j12_completions_are_made_for_each_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.rebut(&["completions", shell]).stdout;
        let words: BTreeSet<&str> = script
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .map(|word| word.trim_start_matches('-'))
            .collect();
        for word in COMMANDS.iter().chain(&["model", "all-models", "output"]) {
            assert!(words.contains(word), "{word} is not in that of {shell}");
        }
    }
}

#[test]
fn e2_verbose_tells_each_stage() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let log = place.run(&["job.yaml", "-v"]).stderr;
    for wanted in [
        "INFO ",
        "Starting knockout debate with ",
        " - Round 2\n",
        "Round 2: X's turn (turn #2, llama3)",
        "X completed turn 1 (",
        "Y-3 votes on Y-1: keep (4.00)",
        "Debate done: No winner: nobody was voted out; Y-1 debated to the end. Turns: X 2, Y-1 2",
    ] {
        assert!(log.contains(wanted), "{wanted} is not in:\n{log}");
    }
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.reply_by(|call| is(call, "*/ballot*").then(|| ballot(1, false)));
    let log = place.run(&["job.yaml", "-v"]).stderr;
    let fell = " voted out after round 2 (3 of 3 found that ";
    assert!(log.contains(fell) && !log.contains("No rotation"), "{log}");
}

#[test]
fn e2_the_log_names_what_each_format_does() {
    for format in FORMATS {
        let place = Place::new();
        place.write("job.yaml", format.tiny);
        let log = place.run(&["job.yaml", "-v"]).stderr;
        let (_, stages) = STAGES
            .iter()
            .find(|(name, _)| *name == format.name)
            .expect("every format has its lines");
        let is_judged = log.contains("Verdict of ");
        assert_eq!(log.contains("Decided by: "), !is_judged, "told once:\n{log}");
        for wanted in stages.iter().chain(&["Debate done: "]) {
            assert!(log.contains(wanted), "{wanted} is not in:\n{log}");
        }
        let unnamed = log.contains(": asking ") || log.contains("Round 0");
        assert!(!unnamed, "{}: {log}", format.name);
    }
}

#[test]
fn e2_an_interruption_reads_in_its_order() {
    let place = Place::new();
    let job = "format: moderated\ntopic: Should voting be compulsory?\nrepeat: 4\n";
    place.write("job.yaml", job);
    let log = place.run(&["job.yaml", "-v", "--rehearse"]).stderr;
    let (_, after) = log
        .split_once("Moderator interrupts Advocate ")
        .expect("a rehearsed moderator interrupts now and then");
    assert!(after.contains("Broken rule: "), "{after}");
    assert!(!log.contains("Moderator completed turn"), "{log}");
}

#[test]
fn e1_the_tokens_so_far_grow_while_a_reply_arrives() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let ended = place.run(&["job.yaml", "--json"]);
    let live = json_lines(&ended.stdout);
    let of_first = |event: &&Value| event["metadata"]["call"] == "round-1/statement/position_x";
    let first: Vec<&Value> = live.iter().filter(of_first).collect();
    let chunks = first.iter().filter(|e| e["event"] == "statement_chunk");
    let counts: Vec<u64> =
        chunks.map(|e| e["metadata"]["tokens_so_far"].as_u64().expect("a number")).collect();
    let grows = counts.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(grows && counts.last() > Some(&0), "{counts:?}");
    let end = first.iter().find(|e| e["event"] == "call_end").expect("an end");
    assert_eq!(end["metadata"]["tokens_so_far"], end["content"]["tokens"]["reply"]);
}

#[test]
fn n_progress_says_what_is_before_and_after_the_rounds() {
    for (format, wanted) in [
        ("moderated", "before the first round"),
        ("moderated", "after the rounds"),
        ("duel", "after the rounds"),
        ("roundtable", "the initial round"),
        ("roundtable", "after the rounds"),
    ] {
        let place = Place::new();
        let job = FORMATS.iter().find(|f| f.name == format).expect("a format");
        place.write("job.yaml", job.tiny);
        let said = place.run(&["job.yaml", "--rehearse"]).stderr;
        let line = format!("Should voting be compulsory?: {wanted}");
        assert_eq!(said.matches(&line).count(), 1, "{format}: {said}");
    }
}

#[test]
fn j6_a_question_that_neither_yes_nor_no_answers_is_told_unless_positions_are_given() {
    let place = Place::new();
    let warns = |args: &[&str]| {
        let ended = place.rebut(&[args, &["--rehearse"]].concat());
        ended.stderr.contains("not a yes-or-no question")
    };
    let short = ["--set", "rounds=2"];
    assert!(warns(&[&["duel", "Why is the sky blue?"], &short[..]].concat()));
    let first = ["knockout", "Which tea is better?", "--set", "starting_position=Y"];
    assert!(warns(&[&first, &short[..]].concat()), "that is nobody's position");
    let given = ["--set", "a.position=Dust", "--set", "b.position=Water"];
    for other in [["duel", "Is the sky blue?"], ["duel", "Why the sky is blue"]] {
        assert!(!warns(&[&other, &short[..]].concat()), "{other:?}");
    }
    let answered = [&["duel", "Why is the sky blue?"], &given[..], &short[..]].concat();
    assert!(!warns(&answered));
    assert!(!warns(&["roundtable", "Why is the sky blue?", "--set", "max_rounds=1"]));
}

#[test]
fn a6_a_refused_trace_gets_no_hint_to_look_elsewhere() {
    let place = Place::new();
    place.write("trace.json", "{}");
    let refused = place.rebut(&["render", "."]);
    let absent = place.rebut(&["render", "nowhere"]);
    assert_eq!((refused.code, absent.code), (2, 2));
    let rebuild = "hint: there is no journal to rebuild a debate from: restore a copy of the file";
    has(&refused.stderr, rebuild);
    lacks(&refused.stderr, &["name a debate"]);
    has(&absent.stderr, "hint: start with `rebut run JOB.yaml`, or give the directory");
}

#[test]
fn a4_check_prints_no_json_and_says_so() {
    let place = with_job(TINY_JOB);
    let ended = place.rebut_exits(2, &["check", "job.yaml", "--json"]);
    assert_eq!(ended.stdout, "");
    has(&ended.stderr, "error: `rebut check` prints text only, without --json\nhint: leave it out");
}

#[test]
fn a4_what_cannot_be_written_to_is_named_with_the_option_for_another_place() {
    let place = Place::new();
    place.write("job.yaml", TINY_JOB);
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    place.write("afile", "");
    let run = place.run_exits(2, &["job.yaml", "--rehearse", "-o", "afile"]);
    has_all(
        &run.stderr,
        &["error: afile is a file, not a directory", "hint: use another output directory"],
    );
    lacks(&run.stderr, &[".rebut"]);
    if cfg!(target_os = "linux") {
        // Nobody may create a directory there.
        let run = place.run_exits(2, &["job.yaml", "--rehearse", "-o", "/sys/rebut"]);
        let told = "error: no permission to use /sys/rebut\nhint: use another output directory";
        has(&run.stderr, told);
        let run = place.run_exits(2, &["job.yaml", "--rehearse", "-o", "/proc/rebut"]);
        has(&run.stderr, "error: cannot use /proc/rebut: No such file or directory");
        lacks(&run.stderr, &[".rebut"]);
    }
    let count = "--include-rehearsals";
    for (args, hint) in [
        (
            &["export", "--to", "csv", count, "-o", "afile"][..],
            "hint: write to another directory with -o\n",
        ),
        (&["publish", "--to", "afile"], "hint: publish to another folder with --to\n"),
        (
            &["report", count, "--figures", "afile"],
            "hint: write them to another directory with --figures\n",
        ),
    ] {
        has(&place.rebut_exits(2, args).stderr, hint);
    }
    let judged = place.rebut_exits(2, &["judge", "--panel", "nosuch.yaml"]);
    has_all(
        &judged.stderr,
        &[
            "error: --panel: there is no file `nosuch.yaml`\n",
            "`rebut new panel FILE` writes a panel",
        ],
    );
    place.write("panels/house.yaml", "");
    let judged = place.rebut_exits(2, &["judge", "--panel", "panels"]);
    has(&judged.stderr, "error: --panel: `panels` is a directory\nhint: name a file\n");
    let judged = place.rebut_exits(2, &["judge", "--panel", "job.yaml"]);
    has_all(
        &judged.stderr,
        &["job.yaml:1:1: this is a job, not a panel", "`rebut new panel FILE` writes a panel"],
    );
    assert_eq!(judged.stderr.matches("hint:").count(), 1, "{}", judged.stderr);
}

#[test]
fn n_progress_is_plain_lines_where_there_is_no_terminal() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let ended = place.run(&["job.yaml"]);
    has(&ended.stderr, "Should voting be compulsory?: round 2 of 2");
    assert!(!ended.stderr.contains('\r') && !ended.stderr.contains('\u{1b}'));
}

#[test]
fn n_no_call_leaves_for_anything_but_the_server() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let proxy = MockOllama::start();
    let mut command = place.command(&["run", "job.yaml"]);
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        command.env(variable, proxy.url());
    }
    end_of(&mut command).exits(0);
    assert!(proxy.calls().is_empty(), "loopback bypasses proxies");
}

#[test]
fn j3_only_and_limit_narrow_what_runs() {
    let place = Place::new();
    place.write(
        "job.yaml",
        &format!("{SHORT_JOB}matrix: {{rounds: [1, 2, 3]}}\n").replace("rounds: 2\n", ""),
    );
    let count = |args: &[&str]| {
        place
            .rebut(&[&["check", "--rehearse", "job.yaml"], args].concat())
            .stdout
            .lines()
            .filter(|l| l.starts_with("to run"))
            .count()
    };
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&["--limit", "2"]), 2);
    assert_eq!(count(&["--only", "rounds=3"]), 1);
    assert_eq!(count(&["--only", "rounds=3", "--only", "rounds=1"]), 2);
    let one = ["check", "--rehearse", "job.yaml", "--only", "rounds=3", "--only", "f7b"];
    has(&place.rebut(&one).stderr, "--only f7b selects no debate");
    let none = place.run(&["--rehearse", "job.yaml", "--only", "nothing"]);
    assert!(
        none.code == 2
            && none.stderr.contains("no debate was selected by --only nothing")
            && none.stderr.contains("hint: --only takes an id, a directory, a job's name or "),
        "{}",
        none.stderr
    );
}

#[test]
fn the_readmes_first_two_commands_are_what_ci_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (readme, ci) = (read(&root.join("README.md")), read(&root.join(".ci/run")));
    let commands: Vec<&str> = readme
        .lines()
        .filter_map(|line| {
            line.trim().strip_prefix("$ ").or(line.starts_with("cargo ").then_some(line))
        })
        .take(2)
        .collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let words: Vec<&str> =
            command.split_whitespace().filter(|word| *word != "--locked").collect();
        let found = ci.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "`{command}` is not in .ci/run");
    }
}

#[test]
fn j9c_the_flags_of_rebut_0_1_work_and_are_hidden() {
    let place = with_job(TINY_JOB);
    let renamed = [
        ("--at-once", "--concurrency", "1"),
        ("--max-open", "--max-debates", "1"),
        ("--model-wait", "--model-timeout", "1m"),
    ];
    let help = place.rebut(&["run", "--help"]).stdout;
    for (old, new, value) in renamed {
        let ended = place.rebut(&["run", "--rehearse", old, value, "job.yaml"]);
        assert_eq!(ended.code, 0, "{old}: {}", ended.stderr);
        assert!(help.contains(new) && !help.contains(old), "{help}");
    }
}

#[test]
fn j3_a_dry_run_prints_what_check_prints_and_writes_nothing() {
    let place = with_job(TINY_JOB);
    let dry = place.rebut(&["run", "--dry-run", "--rehearse", "job.yaml"]);
    let check = place.rebut(&["check", "--rehearse", "job.yaml"]);
    assert_eq!((dry.code, &dry.stdout), (0, &check.stdout), "{}", dry.stderr);
    assert!(!place.path().join("output").exists());
}

#[test]
fn a9_of_debates_that_started_in_one_second_the_last_is_the_one_written_last() {
    let place = Place::new();
    place.write("job.yaml", "rounds: 1\nmatrix: {topic: [Are cats better?, Are dogs better?]}\n");
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    let mut named: Vec<_> = place
        .debates()
        .iter()
        .map(|dir| {
            let (_, rest) = dir
                .file_name()
                .and_then(|name| name.to_str())
                .and_then(|name| name.split_once('_'))
                .expect("a name");
            let same = dir.with_file_name(format!("2026-11-24T00-00-00_{rest}"));
            std::fs::rename(dir, &same).expect("a new name");
            same
        })
        .collect();
    named.sort();
    for (at, later) in [(0, 1), (1, 0)] {
        let time = |hours: u64| {
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(3600 * hours)
        };
        for (index, hours) in [(at, 2), (later, 1)] {
            let trace = std::fs::File::options().write(true).open(named[index].join("trace.json"));
            trace.and_then(|file| file.set_modified(time(hours))).expect("a time");
        }
        let topic =
            crate::harness::trace_in(&named[at])["topic"].as_str().expect("a topic").to_owned();
        let shown = place.rebut_exits(0, &["show", "last"]).stdout;
        assert!(shown.starts_with(&topic), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn j12_an_output_directory_that_no_line_can_name_is_refused_at_once() {
    use std::os::unix::ffi::OsStrExt;

    let place = with_job(TINY_JOB);
    let refused = |named: &[u8]| {
        let mut command = place.command(&["run", "--rehearse", "job.yaml", "--output"]);
        command.arg(std::ffi::OsStr::from_bytes(named));
        let told = end_of(&mut command).exits(2).stderr;
        let made = list(place.path()).iter().any(|path| path.is_dir());
        assert!(!made, "{told}");
        told
    };
    let cause = "its name has a line break or another control character";
    has(&refused(b"a\nb"), cause);
    has(&refused(b"a\x1bb"), cause);
    has(&refused(b"a\xff"), "invalid UTF-8");
    has(&place.rebut_exits(2, &["status", "a\nb"]).stderr, cause);
    std::fs::create_dir(place.path().join("a\nb")).expect("a directory");
    let mut command = place.command(&["status"]);
    let told = end_of(command.env("REBUT_OUTPUT", "a\nb")).exits(2).stderr;
    has(&told, cause);
}
