//! Row A9: commands take a debate as `rebut run` prints it, and printed commands can be typed as they stand.

use std::path::Path;

use crate::harness::{
    Ended, Kind, Place, TINY_JOB, copy, debates_in, end_of, has, name_of, read, with_job,
};

/// A place with one finished debate in `night one`, and its directory there, as `run` prints it.
fn finished() -> (Place, String) {
    let place = with_job(TINY_JOB);
    let ended = place.run_exits(0, &["--rehearse", "job.yaml", "-o", "night one"]);
    let line = ended.stdout.lines().next().expect("a line");
    let index = line.rsplit('\t').next().expect("a path");
    let dir = index.strip_suffix("/index.md").expect("its index");
    (place, dir.to_owned())
}

fn id_of(dir: &str) -> &str {
    dir.rsplit('_').next().expect("an id")
}

/// Everything that names the debate, with the options that it needs.
fn names(dir: &str) -> Vec<(String, &'static [&'static str])> {
    let name = name_of(Path::new(dir));
    let below = dir.strip_prefix("night one/").expect("a day").to_owned();
    let elsewhere: &[&str] = &["--output", "night one"];
    vec![
        (dir.to_owned(), &[]),
        (format!("{dir}/"), &[]),
        (format!("{dir}/index.md"), &[]),
        (format!("./{dir}/summary.md"), &[]),
        (name.clone(), elsewhere),
        (format!("{name}/index.md"), elsewhere),
        (below, elsewhere),
        (format!("/moved/{dir}/index.md"), elsewhere),
        (id_of(dir).to_owned(), elsewhere),
        (id_of(dir)[..4].to_owned(), elsewhere),
    ]
}

fn ran(place: &Place, args: &[&str], options: &[&str]) -> Ended {
    let ended = place.rebut(&[args, options].concat());
    assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
    ended
}

#[test]
fn a9_of_a_debate_and_its_copy_both_directories_are_told() {
    let (place, dir) = finished();
    let twin = dir.replacen("20", "19", 2);
    copy(&place.path().join(&dir), &place.path().join(&twin));
    let ended = place.rebut_exits(2, &["show", id_of(&dir), "--output", "night one"]);
    has(&ended.stderr, "is in several directories: ");
    has(&ended.stderr, "hint: all but one are copies: name one by its path");
    place.rebut_exits(0, &["show", &twin]);
    let listed = place.rebut_exits(0, &["index", "night one"]);
    has(&listed.stderr, "repeats a debate that is listed before it");
    let again = place.run_exits(0, &["--rehearse", "job.yaml", "-o", "night one"]);
    has(&again.stderr, "listed twice, because these directories repeat debates from others: ");
}

#[test]
fn a9_a_debate_is_named_by_what_run_prints_of_it() {
    let (place, dir) = finished();
    for (name, options) in names(&dir) {
        let shown = ran(&place, &["show", &name], options).stdout;
        assert!(shown.contains(&format!("Debate {}", id_of(&dir))), "{name}");
        let call = "round-1/statement/position_x";
        let shown = ran(&place, &["show", &name, call], options).stdout;
        assert!(shown.starts_with(&format!("── {call}")), "{name}");
        let rated = ran(&place, &["rate", &name, "7"], options).stdout;
        assert!(rated.starts_with("rated 7 out of 10: "), "{rated}");
        if options.is_empty() {
            let counted = ran(&place, &["stats", &name, "--include-rehearsals"], &[]).stdout;
            assert!(counted.contains("1 debate on 1 topic"), "{name}: {counted}");
        }
        let rendered = ran(&place, &["render", &name], options).stdout;
        assert!(rendered.starts_with("rendered "), "{rendered}");
    }
}

#[test]
fn a9_reports_and_exports_take_the_id_too() {
    let (place, dir) = finished();
    let name = &id_of(&dir)[..4];
    for args in [
        &["stats", name, "--include-rehearsals"][..],
        &["report", name, "--include-rehearsals"],
        &["export", name, "--to", "csv", "--include-rehearsals"],
        &["export", name, "--to", "script"],
    ] {
        let mut command = place.command(args);
        let ended = end_of(command.env("REBUT_OUTPUT", "night one"));
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
    }
    let wrong = ran_badly(&place, &["stats", "0123abcd"]);
    has(&wrong, "nothing has been run here yet: output does not exist");
    let lacking = ran_badly(&place, &["export", name]);
    has(&lacking, "--to <csv|jsonl|finetune|script>");
}

#[test]
fn a9_a_job_s_name_means_its_newest_debate_and_last_the_newest_of_all() {
    let (place, dir) = finished();
    let at = |started: &str, job: &str| {
        let name = format!("night one/{}/{started}_{job}_{}", &started[..10], id_of(&dir));
        crate::harness::copy(&place.path().join(&dir), &place.path().join(&name));
        name
    };
    let newest_of_job = at("2998-01-01T00-00-00", "job");
    let newest = at("2999-01-01T00-00-00", "other_job");
    for (name, meant) in [("job", newest_of_job), ("other_job", newest.clone()), ("last", newest)] {
        let rendered = ran(&place, &["render", name], &["--output", "night one"]).stdout;
        assert_eq!(rendered, format!("rendered {meant}\n"), "{name}");
    }
    has(&ran_badly(&place, &["show", "nojob"]), "nothing has been run here yet: output does not");
    has(
        &Place::new().rebut_exits(2, &["show", "last"]).stderr,
        "error: nothing has been run here yet: output does not exist\nhint: start with `rebut run JOB.yaml`",
    );
    for (args, told) in [
        (
            ["show", "last", "-o", "nosuch"],
            "error: nothing has been run there yet: nosuch does not exist",
        ),
        (
            ["show", "12", "-o", "night one"],
            "no finished debate `12` in night one: too short for an id",
        ),
        (["show", "job.yaml", "-o", "night one"], "hint: `job` names this job's newest debate"),
        (["show", "jbo", "-o", "night one"], "hint: did you mean `job`?"),
    ] {
        has(&ran_badly(&place, &args), told);
    }
    let place_of_one = Place::new();
    place_of_one.trace_of("topic: Should zoos be closed?\nrounds: 1\n", &["--rehearse"]);
    for command in ["report", "stats"] {
        let told = place_of_one.rebut_exits(2, &[command, "--include-rehearsals", "job"]).stderr;
        has(
            &told,
            "error: there is no directory or debate `job`\nhint: for the job job: `--where job=job`",
        );
    }
    let id = id_of(&dir);
    let slip = format!("{}{}{}", &id[..6], &id[7..8], &id[6..7])
        + if id.ends_with('0') { "1" } else { "0" };
    let near = ran_badly(&place, &["show", &slip, "-o", "night one"]);
    has(&near, &format!("hint: did you mean `{}`?", &id[..9]));
    let four = &id_of(&dir)[..4];
    let several = ran_badly(&place, &["show", four, "-o", "night one"]);
    has(&several, &format!("debate `{four}` is in several directories: night one/20"));
}

#[test]
fn a9_inside_its_directory_a_debate_is_a_dot_or_a_file() {
    let (place, dir) = finished();
    for name in [".", "index.md"] {
        let mut command = place.command(&["show", name]);
        let shown = end_of(command.current_dir(place.path().join(&dir)));
        assert!(shown.stdout.contains(id_of(&dir)), "{name}: {}", shown.stderr);
    }
    let mut command = place.command(&["show", "0000"]);
    let other = end_of(command.current_dir(place.path().join(&dir)));
    assert_eq!(other.code, 2, "an id is not looked for around the directory");
}

#[test]
fn a9_what_is_no_debate_is_refused_with_what_would_be_one() {
    let (place, dir) = finished();
    let day = Path::new(&dir).parent().expect("a day").display().to_string();
    let wrong =
        [day.as_str(), "night one", "nowhere", "..", "123", "2026-01-01T00-00-00_job_0123456789ab"];
    for name in wrong {
        let mut commands = vec![vec!["show", name], vec!["rate", name, "7"]];
        // Parts of an output directory are all of their debates.
        if name != "night one" && name != day {
            commands.push(vec!["render", name]);
        }
        for args in commands {
            let ended = ran_badly(&place, &args);
            let hints = ["hint: name a debate by its id", "hint: start with `rebut run JOB.yaml`"];
            assert!(hints.iter().any(|hint| ended.contains(hint)), "{args:?}: {ended}");
        }
    }
}

fn ran_badly(place: &Place, args: &[&str]) -> String {
    let ended = place.rebut(args);
    assert_eq!(ended.code, 2, "{args:?}: {}", ended.stdout);
    ended.stderr
}

/// The command that stands between backquotes in a text, as a shell would run it.
fn typed(place: &Place, text: &str) -> Ended {
    let (_, command) = text.split_once("`rebut ").expect("a command");
    let (command, _) = command.split_once('`').expect("its end");
    let line = format!("{} {command}", env!("CARGO_BIN_EXE_rebut"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path());
    end_of(shell.env_remove("REBUT_OUTPUT"))
}

#[cfg(unix)]
#[test]
fn a9_printed_commands_carry_the_output_directory_they_need() {
    let (place, dir) = finished();
    for name in [dir.as_str(), id_of(&dir)] {
        let brief = ran(&place, &["show", name, "--budget", "100"], &["-o", "night one"]).stdout;
        let all = typed(&place, &brief);
        assert_eq!(all.code, 0, "{brief}: {}", all.stderr);
        assert!(all.stdout.contains("Debate "), "{}", all.stdout);
    }

    let place = with_job(TINY_JOB);
    place.killed_at(Kind::Ballot, &["-o", "night two"]);
    let running = place.path().join("night two/.rebut/running");
    let journal =
        std::fs::read_dir(running).expect("journals").next().expect("one").expect("a file").path();
    let id = journal.file_stem().expect("an id").to_string_lossy();
    let said = ran_badly(&place, &["show", &id[..12], "-o", "night two"]);
    let calls = typed(&place, &said);
    assert!(calls.stdout.starts_with("round-1/statement/"), "{said}");
}

#[test]
fn j3_only_takes_a_debate_as_run_prints_it() {
    let place = with_job(&format!("{TINY_JOB}matrix: {{seed: [1, 2]}}\n"));
    let ended = place.run(&["--rehearse", "job.yaml"]);
    let dir = place.debates()[0].display().to_string();
    assert_eq!(place.debates().len(), 2, "{}", ended.stderr);
    for only in [dir.clone(), format!("{dir}/index.md"), name_of(Path::new(&dir))] {
        let checked = ran(&place, &["check", "--rehearse", "job.yaml", "--only", &only], &[]);
        has(&checked.stdout, "1 debate in 1 job");
        assert!(checked.stdout.contains(id_of(&dir)), "{}", checked.stdout);
    }
}

#[test]
fn j12_the_output_directory_may_come_from_the_environment() {
    let place = with_job(TINY_JOB);
    let with = |args: &[&str]| end_of(place.command(args).env("REBUT_OUTPUT", "elsewhere"));
    assert_eq!(with(&["run", "--rehearse", "job.yaml"]).code, 0);
    let debates = debates_in(&place.path().join("elsewhere"));
    assert_eq!(debates.len(), 1);
    assert!(!place.path().join("output").exists());
    let id = name_of(&debates[0]);
    let commands: [&[&str]; 6] = [
        &["check", "--rehearse", "job.yaml"],
        &["show", &id[id.len() - 12..]],
        &["index"],
        &["stats", "--include-rehearsals"],
        &["report", "--include-rehearsals"],
        &["export", "--to", "csv", "--include-rehearsals"],
    ];
    for args in commands {
        let ended = with(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
    }
    assert!(read(&place.path().join("export/debates.csv")).lines().count() > 1);
    // What is said on the command line counts more.
    assert_eq!(with(&["run", "--rehearse", "job.yaml", "-o", "here"]).code, 0);
    assert_eq!(debates_in(&place.path().join("here")).len(), 1);
}

#[test]
fn a9_a_directory_that_is_no_debate_names_none_even_beside_one() {
    let (place, dir) = finished();
    let debate = place.path().join(&dir);
    let other = debate.with_file_name("2026-01-01T00-00-00_job_0123456789ab");
    std::fs::create_dir(&other).expect("a directory");
    let before = read(&debate.join("trace.json"));
    let other = format!("../{}", name_of(&other));
    for named in [other.as_str(), ".."] {
        let mut rate = place.command(&["rate", named, "3"]);
        let ended = end_of(rate.current_dir(&debate));
        assert_eq!(ended.code, 2, "{named}: {}", ended.stdout);
    }
    assert_eq!(read(&debate.join("trace.json")), before, "it is not rated");
    let mut shown = place.command(&["show", "messages"]);
    let shown = end_of(shown.current_dir(&debate)).stdout;
    has(&shown, &format!("Debate {}", id_of(&dir)));
}
