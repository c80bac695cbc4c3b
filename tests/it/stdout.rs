//! Rows J11 and N: what becomes of a command whose standard output is full, or whose reader has gone.

use std::fs::File;
#[cfg(unix)]
use std::io::{PipeReader, PipeWriter, Read, Write};
#[cfg(unix)]
use std::path::PathBuf;
use std::process::{Output, Stdio};

#[cfg(unix)]
use mock_ollama::Answer;

use crate::harness::{Place, TINY_JOB, ended, with_job};
#[cfg(unix)]
use crate::harness::{Run, has_all, json_lines, lacks, read};

/// Every command, with arguments that make it print.
const COMMANDS: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["run", "--help"],
    &["run", "job.yaml"],
    &["run", "--rehearse", "job.yaml", "--json", "--restart"],
    &["check", "job.yaml"],
    &["knockout", "Should zoos be closed?", "--rehearse"],
    &["moderated", "Should zoos be closed?", "--rehearse"],
    &["duel", "Should zoos be closed?", "--rehearse"],
    &["roundtable", "Should zoos be closed?", "--rehearse"],
    &["dialectic", "Should zoos be closed?", "--rehearse"],
    &["render", "DEBATE"],
    &["index"],
    &["status"],
    &["status", "--json"],
    &["view", "--help"],
    &["watch", "--help"],
    &["enqueue", "--help"],
    &["worker", "--help"],
    &["collect", "--help"],
    &["cancel", "--help"],
    &["stop"],
    &["clean"],
    &["show", "DEBATE"],
    &["show", "DEBATE", "--budget", "500"],
    &["show", "DEBATE", "calls"],
    &["show", "DEBATE", "round-1/statement/position_x"],
    &["judge", "--dry-run", "--include-rehearsals", "--panel", "panel.yaml", "DEBATE"],
    &["label", "export", "DEBATE", "--include-rehearsals"],
    &["rate", "DEBATE", "7"],
    &["doctor", "job.yaml"],
    &["new", "duel"],
    &["schema", "job"],
    &["schema", "trace"],
    &["stats"],
    &["stats", "--format", "md"],
    &["stats", "--format", "json"],
    &["stats", "--format", "csv", "--by", "model"],
    &["report"],
    &["export", "--to", "csv"],
    &["publish", "--to", "site"],
    &["merge", "output", "-o", "merged"],
    &["grade", "output", "--questions", "q.jsonl"],
    &["completions", "bash"],
];

/// Runs a command with this standard output.
fn into(place: &Place, args: &[&str], stdout: impl Into<Stdio>) -> Output {
    let debate = place.debates()[0].display().to_string();
    let args: Vec<&str> =
        args.iter().map(|arg| if *arg == "DEBATE" { &debate } else { *arg }).collect();
    let mut command = place.command(&args);
    command.stdout(stdout).output().expect("it runs")
}

fn finished() -> Place {
    let place = with_job(TINY_JOB);
    place.write("panel.yaml", "judges: [{model: mistral}]\n");
    place.run_exits(0, &["job.yaml"]);
    place.write("q.jsonl", "{\"question\":\"Who?\",\"answer\":\"Ada\"}\n");
    place
}

#[test]
fn j11_the_table_has_every_command() {
    let place = Place::new();
    let help = place.rebut(&["--help"]).stdout;
    let (_, listed) = help.split_once("Commands:\n").expect("a list of commands");
    let (listed, _) = listed.split_once("\n\n").expect("an end of the list");
    let names = listed.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then_some(name)
    });
    for name in names {
        let is_tried = COMMANDS.iter().any(|args| args[0] == name);
        assert!(is_tried, "`rebut {name}` is not in the table");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn j11_a_full_stdout_is_exit_2_and_said_once_in_every_command() {
    let place = finished();
    for args in COMMANDS {
        let full = File::create("/dev/full").expect("a full device");
        let ended = ended(&into(&place, args, full));
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        let said = "error: cannot write to stdout: No space left on device";
        assert_eq!(ended.stderr.matches(said).count(), 1, "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn n_a_reader_that_goes_away_is_no_error_in_any_command() {
    let place = finished();
    for args in COMMANDS {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = ended(&into(&place, args, writer));
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("error"), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn e1_data_for_programs_keep_characters_that_are_hidden_from_people() {
    let name = "a\u{200d}b";
    let place = with_job(&TINY_JOB.replace("voting", name));
    let printed = |args: &[&str]| place.rebut_exits(0, args).stdout;
    let run = ["run", "--rehearse", "job.yaml", "--json", "-o", name];
    assert!(printed(&run).contains("Should a\u{200d}b be"));
    assert!(printed(&["status", "--json", "-o", name]).contains(name));
    let shown = printed(&["status", "-o", name]);
    assert!(shown.contains("a\u{fffd}b") && !shown.contains(name), "{shown}");
}

/// A pipe that is full, so that whoever writes to it waits for its reader.
#[cfg(unix)]
fn full_pipe() -> (PipeReader, PipeWriter) {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let flags = fcntl_getfl(&writer).expect("flags");
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).expect("flags");
    while writer.write(&[b'.'; 4096]).is_ok() {}
    while writer.write(b".").is_ok() {}
    fcntl_setfl(&writer, flags).expect("flags");
    (reader, writer)
}

#[cfg(unix)]
#[test]
fn n_messages_that_nobody_reads_hold_up_no_run() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    let (_unread, stderr) = full_pipe();
    let mut command = place.command(&["run", "job.yaml", "-v"]);
    let ended = ended(&command.stderr(stderr).output().expect("it runs")).exits(0);
    assert_eq!(ended.stdout.matches("done\t").count(), 3, "{}", ended.stdout);
}

#[cfg(unix)]
#[test]
fn n_results_wait_for_a_reader_that_is_late_and_the_run_does_not() {
    let place = with_job(&format!("{TINY_JOB}repeat: 8\n"));
    let (mut late, stdout) = full_pipe();
    let mut command = place.command(&["run", "job.yaml", "--json"]);
    command.stdout(stdout);
    let mut run = Run::over(place.spawn_command(command));
    run.hears("8 done");
    let mut printed = String::new();
    late.read_to_string(&mut printed).expect("text");
    run.ends().exits(0);
    let printed = printed.trim_start_matches('.');
    let events = json_lines(printed);
    let logged = events.iter().filter(|it| it["seq"].is_u64()).count();
    let log = |dir: &PathBuf| read(&dir.join("events.jsonl")).lines().count();
    assert_eq!(logged, place.debates().iter().map(log).sum::<usize>());
}

/// A reader that takes a little at a time, until nobody writes; returns how much it took.
#[cfg(unix)]
fn slowly(mut reader: PipeReader) -> std::thread::JoinHandle<usize> {
    std::thread::spawn(move || {
        let (_never, pause) = std::sync::mpsc::channel::<()>();
        let (mut taken, mut part) = (0, [0; 4096]);
        loop {
            match reader.read(&mut part).expect("text") {
                0 => return taken,
                n => taken += n,
            }
            let _ = pause.recv_timeout(std::time::Duration::from_millis(100));
        }
    })
}

#[cfg(unix)]
#[test]
fn n_a_signal_after_the_run_waits_for_no_slow_reader() {
    let place = with_job(&format!("{TINY_JOB}repeat: 8\n"));
    let (slow, stdout) = full_pipe();
    let mut command = place.command(&["run", "job.yaml", "--json"]);
    command.stdout(stdout);
    let mut run = Run::over(place.spawn_command(command));
    run.hears("8 done");
    let reader = slowly(slow);
    run.signal("-INT");
    let said = run.ends().exits(130).stderr;
    let told = ["leaving out what is not printed yet", " for stdout not printed"];
    has_all(&said, &told);
    lacks(&said, &["calls in flight"]);
    assert!(reader.join().expect("a reader") > 0);
}

#[cfg(unix)]
#[test]
fn j11_results_that_nobody_reads_are_exit_2() {
    let place = with_job(TINY_JOB);
    let (_unread, stdout) = full_pipe();
    let mut command = place.command(&["run", "job.yaml", "--json"]);
    let ended = ended(&command.stdout(stdout).output().expect("it runs")).exits(2);
    has_all(&ended.stderr, &["1 done", "error: nobody read stdout: "]);
}

#[cfg(unix)]
#[test]
fn n_a_second_signal_ends_a_run_that_nobody_reads() {
    let place = with_job(TINY_JOB);
    place.server.script(|_| Answer::hang());
    let ((_unread, stdout), (_unheard, stderr)) = (full_pipe(), full_pipe());
    let mut command = place.command(&["run", "job.yaml", "-v"]);
    command.stdout(stdout).stderr(stderr);
    let mut run = place.spawn_command(command);
    place.server.wait_for_chats(1);
    let code = loop {
        if let Some(status) = run.try_wait().expect("a status") {
            break status.code();
        }
        let mut kill = std::process::Command::new("kill");
        let sent = kill.args(["-TERM", &run.id().to_string()]);
        sent.stderr(Stdio::null()).status().expect("a signal");
    };
    assert_eq!(code, Some(130));
}
