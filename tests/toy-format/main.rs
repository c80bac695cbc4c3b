//! A program with a sixth format: one file for it, one line here. It is right in everything that people see.

mod haiku;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use rebut::formats::Playable;

const PLAYS: &str = "REBUT_WITH_HAIKU";

fn main() -> ExitCode {
    if env::var_os(PLAYS).is_some() {
        return rebut::cli::main(&[Playable::new::<haiku::Haiku>()]);
    }
    if !env::args().any(|arg| arg == "--list") {
        let dir = tempfile::tempdir().expect("a directory");
        a_format_of_its_own_is_right_everywhere(dir.path());
    }
    ExitCode::SUCCESS
}

fn a_format_of_its_own_is_right_everywhere(dir: &Path) {
    let job = "format: haiku\nallow_explicit: true\npoets:\n- {name: Basho, model: llama3}\n- {name: Issa, model: mistral}\n\
        topic: The sea at night\nmatrix:\n  topic: [The sea at night, A frog jumps in, Snow on the cedar, First cherry blossom, The old pond again]\n";
    fs::write(dir.join("poems.yaml"), job).expect("a job");

    shows(
        dir,
        &["run", "poems.yaml", "--rehearse", "-v"],
        &[
            "Starting haiku debate with Basho (poet_1), Clerk (clerk), Issa (poet_2)",
            "Round 1: Issa counts syllables (mistral)",
            "wrote most. Turns: Basho 2, Issa 2",
            "5 done",
        ],
    );
    shows(dir, &["show", &one_debate(dir)], &["haiku", " wrote most"]);
    let all = ["--include-rehearsals", "--by", "format"];
    let found = ["Haiku: 2.00 haiku from each poet", "Draws", "Strength by model"];
    shows(dir, &[&["stats", "output"], &all[..]].concat(), &found[..2]);
    shows(dir, &[&["stats", "output", "--full"], &all[..]].concat(), &found);
    rebut(dir, &[&["report", "output", "-o", "report.md"], &all[..]].concat());
    let report = fs::read_to_string(dir.join("report.md")).expect("a report");
    assert!(report.contains(found[0]), "{report}");

    shows(dir, &["new", "haiku"], &["format: haiku"]);
    shows(dir, &["new", "--help"], &["haiku", "Poets who write haiku in turn"]);
    shows(dir, &["schema", "job"], &["Haiku per poet"]);
    shows(dir, &["haiku", "Rain on the roof", "--rehearse", "--json"], &["\"haiku\""]);
}

/// The directory of a debate on the sea.
fn one_debate(dir: &Path) -> String {
    let index = fs::read_to_string(dir.join("output/index.jsonl")).expect("an index");
    let lines = index.lines().filter(|line| line.contains("The sea at night"));
    let row: serde_json::Value =
        lines.map(|line| serde_json::from_str(line).expect("a row")).next().expect("the debate");
    row["id"].as_str().expect("an id").to_owned()
}

fn shows(dir: &Path, args: &[&str], wanted: &[&str]) {
    let said = rebut(dir, args);
    for words in wanted {
        assert!(said.contains(words), "{args:?} lacks {words:?}:\n{said}");
    }
}

/// What the program prints.
fn rebut(dir: &Path, args: &[&str]) -> String {
    let mut program = Command::new(env::current_exe().expect("this program"));
    let done =
        program.args(args).current_dir(dir).env(PLAYS, "").output().expect("the program runs");
    let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(done.status.success(), "{args:?}: {said:?}");
    said.concat()
}
