//! Row B3: `rebut status`, which shows a running batch from another terminal and disturbs none.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Gate};
use serde_json::{Value, json};

use crate::harness::{
    Ended, Place, Run, TINY_JOB, copy, end_of, good, has, has_all, is, lacks, list, name_of, read,
    shows, with_job,
};

/// What `rebut status --json` says, which is of the published shape.
fn status(place: &Place) -> Value {
    let printed = place.rebut_exits(0, &["status", "--json"]).stdout;
    let status = serde_json::from_str(&printed).expect("JSON");
    let schema = place.rebut(&["schema", "status"]).stdout;
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    assert!(validator.is_valid(&status), "{status:#}");
    status
}

/// Looks until what the only running batch says of itself is so. It says something new within a second.
fn state_where(place: &Place, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let status = status(place);
        let running = status["running"].as_array().expect("a list");
        assert_eq!(running.len(), 1, "{status:#}");
        if is_so(&running[0]["state"]) {
            return status;
        }
    }
}

/// Three debates, two slots, and every call held.
fn held() -> (Place, Gate, Run) {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &mock_ollama::Call| good(call).after(held.clone());
    place.server.script(script);
    let run = place.start(&["job.yaml", "--concurrency", "2", "--max-debates", "3"]);
    place.server.wait_for_chats(2);
    (place, gate, run)
}

/// Whether two calls are on the server and one waits.
fn is_full(state: &Value) -> bool {
    state["calls"]["in_flight"] == 2 && state["calls"]["waiting"] == 1
}

fn runs(place: &Place) -> PathBuf {
    place.path().join("output/.rebut/runs")
}

/// What the only run says of itself.
fn state_file(place: &Place) -> PathBuf {
    let is_state = |path: &PathBuf| path.extension().is_some_and(|it| it == "state");
    let mut files = list(&runs(place)).into_iter().filter(is_state);
    files.next().expect("a state")
}

#[test]
fn b3_a_running_batch_is_shown_from_elsewhere_and_its_end_afterwards() {
    let (place, gate, run) = held();
    let status = state_where(&place, is_full);
    let state = &status["running"][0]["state"];
    shows!(state, {
        "pid": run.id(), "jobs": ["job"], "debates/chosen": 3, "debates/in_progress": 3,
        "debates/queued": 0, "calls/done": 0, "open count": 3, "more_open": 0, "more_jobs": 0,
        "open/0/format": "knockout", "open/0/asked/0/model": "llama3",
        "open/0/asked/0/doing contains": "'s turn", "command contains": "run --retry-delay 1ms job.yaml",
        "servers/0/name": place.server.url(), "servers/0/in_flight": 2, "servers/0/slots": 2,
        "servers/0/models": ["llama3"], "servers/0/is_out": false,
    });
    let before = list(&runs(&place));
    let shown = place.rebut_exits(0, &["status", "output"]).stdout;
    has_all(
        &shown,
        &[
            &format!("process {} since ", run.id()),
            "debates     0 of 3 ended; 3 in progress, 0 queued\n",
            "calls       0 done, 2 on servers, 1 waiting",
            "\n              Should voting be compulsory? run 1\n",
            ": 2 of 2 slots busy, llama3 loaded\n",
        ],
    );
    let speaking = shown.lines().filter(|line| line.contains("'s turn"));
    let waiting = speaking.clone().filter(|line| line.contains("waiting: "));
    assert_eq!((speaking.count(), waiting.count()), (3, 1), "{shown}");
    assert_eq!(list(&runs(&place)), before, "looking changes nothing");

    gate.open();
    run.ends().exits(0);
    assert!(list(&runs(&place)).is_empty());
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(&shown, &["nothing is running in output\n", "3 done in ", "output/batches/2"]);
    let status = super::status::status(&place);
    shows!(status, {"running": [], "unfinished": 0, "last/summary/debates/done": 3});
    let page = status["last"]["page"].as_str().expect("a page");
    assert!(place.path().join(page).is_file(), "{page}");
}

#[test]
fn b3_while_a_server_fails_what_fails_why_and_its_next_try_are_shown() {
    let place = with_job(&format!("{TINY_JOB}repeat: 9\n"));
    let calls = AtomicUsize::new(0);
    place.server.script(move |call| match calls.fetch_add(1, Ordering::SeqCst) {
        0..12 => good(call),
        _ => Answer::busy(),
    });
    let run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(13);
    let fails = |state: &Value| state["servers"][0]["failing"][0]["next_try"].is_string();
    let status = state_where(&place, |state| fails(state) && state["calls"]["in_flight"] == 0);
    shows!(&status["running"][0]["state"], {"calls/done": 12, "seconds_left": null});
    shows!(&status["running"][0]["state"]["servers"][0], {
        "failing count": 1, "failing/0/model": "llama3",
        "failing/0/is_given_up": false, "failing/0/cause contains": "the server answered 503",
        "is_out": false,
    });
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(
        &shown,
        &["slots busy", "; fails calls to llama3 (for ", ": the server answered 503: server busy"],
    );
    place.server.script(good);
    run.ends().exits(0);
}

#[cfg(unix)]
#[test]
fn e2_what_is_left_is_estimated_before_a_debate_has_ended() {
    let (place, gate, run) = held();
    let status = state_where(&place, |state| state["calls"]["left"].is_u64());
    let state = &status["running"][0]["state"];
    shows!(state, {"debates/done": 0, "calls/done": 0});
    gate.open();
    run.ends().exits(0);
    // Rehearsed as it went: every call was expected.
    let made = place.server.chats().len() as u64;
    assert_eq!(state["calls"]["left"], made);
}

#[cfg(unix)]
#[test]
fn e2_of_a_debate_that_is_resumed_only_what_it_still_needs_is_left() {
    let place = with_job(TINY_JOB);
    interrupted(&place, false);
    let before = place.server.chats().len();
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &mock_ollama::Call| good(call).after(held.clone());
    place.server.script(script);
    let run = place.start(&["job.yaml", "--seed", "2"]);
    place.server.wait_for_chats(before + 1);
    let status = state_where(&place, |state| state["calls"]["left"].is_u64());
    gate.open();
    run.ends().exits(0);
    let made = (place.server.chats().len() - before) as u64;
    assert_eq!(status["running"][0]["state"]["calls"]["left"], made);
}

#[cfg(unix)]
#[test]
fn b3_what_a_killed_batch_said_of_itself_is_not_taken_for_a_running_one() {
    let (place, gate, run) = held();
    state_where(&place, is_full);
    run.kill();
    let left = list(&runs(&place));
    assert_eq!(left.len(), 2, "its announcement and its state: {left:?}");
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(
        &shown,
        &[
            "3 debates unfinished: ",
            "; nothing is running in output\ncut off ",
            "no summary here",
            "was killed, or lost to a power cut",
            "rebut run --retry-delay 1ms job.yaml --concurrency 2 --max-debates 3\n",
        ],
    );
    lacks(&shown, &["command  "]);
    shows!(super::status::status(&place), {"running": [], "unfinished": 3, "cut_off/debates/in_progress": 3});
    assert_eq!(list(&runs(&place)), left, "looking changes nothing");
    gate.open();
    // The next batch sums up what that one could not, so that another one takes no command along.
    place.write("other.yaml", &TINY_JOB.replace("compulsory", "secret"));
    place.run_exits(0, &["other.yaml", "--rehearse"]);
    let command = "rebut run --retry-delay 1ms job.yaml --concurrency 2 --max-debates 3";
    shows!(super::status::status(&place), {"cut_off": null, "unfinished": 3, "continue_with count": 1});
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(&shown, &[command, "(to continue)"]);
    lacks(&shown, &["orphaned"]);
    let batches = list(&place.path().join("output/batches"));
    let page =
        batches.iter().find(|it| it.extension().is_some_and(|it| it == "md")).map(|it| read(it));
    has_all(
        &page.expect("a summary"),
        &["3 unfinished", "; stopped by a kill or a power cut.", command],
    );
    place.run_exits(0, &["job.yaml"]);
    shows!(super::status::status(&place), {"unfinished": 0});
    let named = place.rebut_exits(0, &["status", "output"]).stdout;
    assert_eq!(place.rebut_exits(0, &["status", "-o", "output"]).stdout, named);
    place.rebut_exits(2, &["status", "output", "-o", "output"]);
    assert!(list(&runs(&place)).is_empty());
}

#[test]
fn j9c_the_command_to_run_next_is_that_of_the_readers_shell() {
    let place = with_job(TINY_JOB);
    place.reply_by(|call| is(call, "*/statement/position_x").then(|| Answer::text("")));
    let run = ["run", "--retry-delay", "1ms", "job.yaml"];
    let ended = end_of(place.command(&run).env("REBUT_OUTPUT", "night")).exits(1);
    let next =
        |output| format!("rebut run --retry-delay 1ms job.yaml --output {output} --retry degraded");
    has(&ended.stderr, &format!("{}\n", next("night")));
    has(&place.rebut_exits(0, &["status", "night"]).stdout, &next("night"));
    let page = list(&place.path().join("night/batches")).pop().expect("a page");
    has(&read(&page), &next("night"));

    let elsewhere = place.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a directory");
    let status = |dir: &str| end_of(place.command(&["status", dir]).current_dir(&elsewhere));
    let whole = place.path().canonicalize().expect("a directory");
    let there = format!("cd {} && ", whole.display());
    let shown = status("../night").exits(0).stdout;
    has_all(&shown, &[&there, &next("night")]);
    fs::rename(place.path().join("night"), place.path().join("moved")).expect("it is moved");
    let shown = place.rebut_exits(0, &["status", "moved"]).stdout;
    has(&shown, &next("moved"));
    lacks(&shown, &["cd /"]);
    let moved = whole.join("moved").display().to_string();
    has_all(&status("../moved").exits(0).stdout, &[&there, &next(&moved)]);
}

#[cfg(unix)]
#[test]
fn b3_an_orphan_is_given_up_by_the_command_that_is_printed_and_nothing_else_is() {
    let place = with_job(TINY_JOB);
    let (id, _) = interrupted(&place, false);
    place.write("job.yaml", &TINY_JOB.replace("compulsory", "secret"));
    let ended = place.run_exits(0, &["job.yaml", "--seed", "2"]);
    has(&ended.stderr, "; `rebut clean --unfinished --only ID` gives one up)\n");
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has(&shown, &format!("\norphaned    {id}: can be continued only with the job file"));
    let command = shown.lines().find_map(|line| line.strip_prefix("give up     rebut "));
    assert_eq!(command.expect("a command"), format!("clean --unfinished --only {id}"));
    let hint = place.rebut_exits(2, &["show", &id]).stderr;
    has(&hint, &format!("; `rebut clean --unfinished --only {id}` gives it up"));

    let working = place.path().join("output/.rebut");
    let kept = || ["journals", "prompts"].map(|name| list(&working.join(name)));
    let before = kept();
    let clean = ["clean", "--unfinished", "--only"];
    let unknown = place.rebut_exits(2, &[&clean[..], &["0123abcd"]].concat()).stderr;
    let said = "no debate `0123abcd` is left unfinished in output\nhint: `rebut status` lists those that are\n";
    has(&unknown, said);
    place.rebut_exits(2, &["clean", "--only", &id]);
    let told = place.rebut_exits(0, &[&clean[..], &[&id]].concat()).stdout;
    has(&told, ": 1 unfinished debate");
    assert_eq!(kept(), before);
    lacks(&place.rebut_exits(0, &["status"]).stdout, &["unfinished", "orphaned"]);
    place.rebut_exits(0, &["show", "job", "2"]);
}

#[test]
fn b3_advice_names_the_output_directory() {
    let job = TINY_JOB.replace("rounds: 1", "rounds: 2");
    let place = with_job(&format!("format: duel\n{job}"));
    place.run_exits(0, &["--rehearse", "job.yaml", "-o", "k9"]);
    let finished = list(&place.path().join("k9/.rebut/journals")).pop().expect("a journal");
    let id = &name_of(&finished)[..12];
    place.rebut_exits(0, &["clean", "--older", "0s", "-o", "k9"]);
    for (args, told) in [
        (&["stop", "nosuch"][..], "hint: `rebut status k9` says what is left there"),
        (&["watch", "0123abcd"], "hint: `rebut status k9` lists the debates in progress"),
        (&["show", id, "2"], &format!("`rebut show {id} --output k9` still shows the debate")),
    ] {
        has(&place.rebut_exits(2, &[args, &["-o", "k9"]].concat()).stderr, told);
    }
    let label = ["label", "export", "k9", "--include-rehearsals", "-o", "page.html"];
    let whole = place.path().join("k9").canonicalize().expect("a directory");
    let import = format!("`rebut label import FILE --output {}`", whole.display());
    has(&place.rebut_exits(0, &label).stdout, &import);
    // These name it without a flag.
    for args in [
        &["stats", "0123abcd"][..],
        &["report", "0123abcd"],
        &["export", "0123abcd", "--to", "csv"],
    ] {
        let mut command = place.command(args);
        let told = end_of(command.env("REBUT_OUTPUT", "k9")).exits(2).stderr;
        has_all(&told, &["no finished debate `0123abcd` in k9", "REBUT_OUTPUT names"]);
        lacks(&told, &["--output"]);
    }
    let mut command = place.command(&["status"]);
    let told = end_of(command.env("REBUT_OUTPUT", "")).exits(2).stderr;
    has_all(&told, &["REBUT_OUTPUT is empty", "hint: name a directory, or unset REBUT_OUTPUT\n"]);
}

/// Starts `job.yaml` with a seed and interrupts it after its first reply; returns the debate's id and what was printed.
#[cfg(unix)]
fn interrupted(place: &Place, again: bool) -> (String, Ended) {
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &mock_ollama::Call| good(call).after(held.clone());
    place.server.script(script);
    let before = place.server.chats().len();
    let mut run = place.start(&["job.yaml", "--seed", "2"]);
    place.server.wait_for_chats(before + 1);
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    if again {
        run.signal("-INT");
    } else {
        gate.open();
    }
    let ended = run.ends().exits(130);
    place.server.script(good);
    (name_of(&place.running_journal())[..12].to_owned(), ended)
}

#[cfg(unix)]
#[test]
fn b3_what_an_interrupt_leaves_is_named_with_the_command_that_continues_it() {
    for again in [false, true] {
        let place = with_job(TINY_JOB);
        let (id, ended) = interrupted(&place, again);
        let line = format!(
            "unfinished\t{id}\tShould voting be compulsory?\tstopped before the end by an interrupt\n"
        );
        has(&ended.stdout, &line.replace("\n", ""));
        let command = "rebut run --retry-delay 1ms job.yaml --seed 2";
        let said = format!("1 debate unfinished: {id} (job); nothing is running in output\nnext ");
        let shown = place.rebut_exits(0, &["status"]).stdout;
        has_all(&shown, &[&said, command]);
        let calls = place.rebut(&["show", "job", "calls"]);
        has(&calls.said(), if again { "no call has been answered" } else { "round-1/" });

        // Another batch, which has nothing to do with it.
        let other = place.run_exits(0, &["job.yaml"]);
        has_all(
            &other.stderr,
            &[&format!(
                "1 earlier debate left unfinished with other settings: {id} (`rebut status` says how to continue, if that is possible"
            )],
        );
        has(&other.stdout, "\nall debates: output/index.md\n");
        let shown = place.rebut_exits(0, &["status"]).stdout;
        let continues = shown.lines().rfind(|line| line.starts_with("next    "));
        has(continues.expect("a command"), command);
        shows!(super::status::status(&place), {"begun/0/id": id, "begun/0/job": "job", "continue_with count": 1});

        let calls = place.rebut_exits(0, &["show", "job", "calls"]).stdout;
        has(&calls, "round-1/clerk\n");

        // Its list has the other one only.
        let (_, ended) = interrupted(&place, again);
        has(&ended.stdout, "\nfinished debates: output/index.md\n");
        place.run_exits(0, &["job.yaml", "--seed", "2"]);
        lacks(&place.rebut(&["status"]).stdout, &[command, "unfinished"]);
    }
}

#[cfg(unix)]
#[test]
fn j9c_an_interrupted_restart_says_where_the_earlier_results_are() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let gate = place.hold_clerks();
    let before = place.server.chats().len();
    let mut run = place.start(&["job.yaml", "--restart"]);
    place.server.wait_for_chats(before + 1);
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    gate.open();
    let ended = run.ends().exits(130);
    has(&ended.stderr, "what --restart replaced is kept in output/.rebut/replaced");
    let nothing = ["job.yaml", "--restart", "--max-time", "1ns", "--output", "new"];
    lacks(&place.run_exits(4, &nothing).stderr, &["what --restart replaced"]);
    let id = &name_of(&place.running_journal())[..12];
    let refused = place.rebut_exits(2, &["show", id]);
    let hint =
        format!("rebut run --retry-delay 1ms job.yaml` finishes it; `rebut show {id} calls` lists");
    has(&refused.stderr, &hint);
}

#[test]
fn j10c_debates_on_a_model_that_is_gone_are_not_begun() {
    let place = with_job(&format!("{TINY_JOB}repeat: 8\n"));
    place.server.script(|_| Answer::model_not_found("llama3"));
    let ended = place.run_exits(1, &["job.yaml", "--max-debates", "1"]);
    let cause = "\tthe server has no model llama3: run `ollama pull llama3`";
    assert_eq!(ended.stdout.matches(cause).count(), 8, "{}", ended.stdout);
    has(&ended.stderr, "\n8 unfinished\n");
    assert_eq!(place.server.chats().len(), 1, "the others were not begun");
    let counted = |unfinished: usize| {
        shows!(super::status::status(&place), {"unfinished": unfinished, "begun": []});
        shows!(place.found(&[]), {"counts/unfinished": unfinished, "counts/planned": unfinished});
    };
    counted(8);
    let never_begun = ended.stdout.split('\t').nth(1).expect("an id");
    let refused = place.rebut_exits(2, &["show", never_begun]).stderr;
    has_all(&refused, &["` has not begun", " job.yaml --max-debates 1` to continue"]);
    for named in [never_begun, "job"] {
        let only = ["clean", "--unfinished", "--only", named];
        let refused = place.rebut_exits(2, &only).stderr;
        let said = [
            "` has not begun: there are no replies to remove\n",
            " 1` to continue",
            "` forgets it, and gives up all other unfinished debates as old, once ",
        ];
        has_all(&refused, &said);
    }
    let clean =
        |older: &str| place.rebut_exits(0, &["clean", "--unfinished", "--older", older]).stdout;
    has(&clean("90d"), "; 8 unfinished debates kept: younger");
    counted(8);
    has(&clean("0s"), ": 8 unfinished debates");
    counted(0);
    has(&clean("0s"), "nothing to remove");
    place.server.script(good);
    has(&place.run_exits(0, &["job.yaml"]).stderr, "8 done");
    has(&place.rebut_exits(2, &["watch", never_begun]).stderr, "it is finished");
}

#[cfg(unix)]
#[test]
fn j9b_a_command_that_was_run_since_an_edit_is_not_said_to_continue() {
    let place = with_job(TINY_JOB);
    let gate = place.hold_clerks();
    let mut run = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    gate.open();
    run.ends().exits(130);
    has(&place.rebut(&["status"]).stdout, " job.yaml  (to continue)");
    let id = &name_of(&place.running_journal())[..12];
    // As where the causes are to be dealt with first: that is no orphan.
    let json = list(&place.path().join("output/batches")).remove(0);
    let (kept, other) = (read(&json), "to run the unfinished debates");
    fs::write(&json, kept.replace("\"to continue\"", &format!("\"{other}\""))).expect("written");
    lacks(&place.rebut(&["status"]).stdout, &["orphaned"]);
    let shown = place.rebut_exits(2, &["show", id]).stderr;
    has(&shown, &format!(" job.yaml` {other}"));
    fs::write(&json, kept).expect("written");
    place.server.script(good);
    // Nor after a batch of another job with that name.
    place.write("b/job.yaml", &TINY_JOB.replace("compulsory", "secret"));
    place.run_exits(0, &["b/job.yaml"]);
    has(&place.rebut(&["status"]).stdout, " job.yaml  (to continue)");
    place.write("job.yaml", &format!("{TINY_JOB}seed: 7\n"));
    // Another batch that asks for the same debates in another way.
    place.run_exits(0, &["job.yaml", "--concurrency", "2"]);
    let told = place.rebut_exits(0, &["status"]).stdout;
    let how = "can be continued only with the job file and options as they were at the start";
    has_all(&told, &["1 debate unfinished: ", &format!("orphaned    {id}: {how}")]);
    lacks(&told, &["to continue"]);
    has(&place.rebut_exits(2, &["show", id]).stderr, how);
    // Nor does the command of a run that was killed since, nor one of two.
    let begun = || {
        let begun = status(&place)["begun"].take();
        let ids = begun
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| it["id"].as_str().expect("an id").to_owned());
        ids.collect::<Vec<String>>()
    };
    let killed = |seed: u32| {
        let known = begun();
        place.write("job.yaml", &format!("{TINY_JOB}seed: {seed}\n"));
        let before = place.asked("round-*/clerk").len();
        let gate = place.hold_clerks();
        let run = place.start(&["job.yaml"]);
        place.wait_for_clerks(before + 1);
        while status(&place)["running"][0]["state"]["debates"]["in_progress"] != 1 {}
        run.kill();
        gate.open();
        begun().into_iter().find(|it| !known.contains(it)).expect("begun")
    };
    let first = killed(8);
    has(&place.rebut_exits(2, &["show", id]).stderr, how);
    has(&place.rebut_exits(2, &["show", &first]).stderr, " job.yaml` finishes it");
    killed(9);
    has(&place.rebut_exits(2, &["show", &first]).stderr, how);
    let told = place.rebut_exits(0, &["status"]).stdout;
    let orphaned = told.lines().find(|line| line.starts_with("orphaned    "));
    has(orphaned.expect("those before it are"), &first);
    shows!(status(&place), {"cut_off/debates/in_progress": 1, "continue_with count": 1});
    // Nor once what was killed has been summed up.
    place.rebut_exits(0, &["clean"]);
    has(&place.rebut_exits(2, &["show", &first]).stderr, how);
}

/// What never began counts until all of its own job was run: not a part, another job of the name, or a rehearsal.
#[cfg(unix)]
#[test]
fn b3_what_never_began_is_unfinished_until_its_own_job_is_run_whole() {
    let place = Place::new();
    let other = TINY_JOB.replace("compulsory", "secret");
    place.write("a/duel.yaml", &format!("{TINY_JOB}repeat: 2\n"));
    place.write("b/duel.yaml", &other);
    let counted = |unfinished: usize| {
        shows!(status(&place), {"unfinished": unfinished, "begun": [], "never_begun count": unfinished});
    };
    place.run_exits(1, &["a/duel.yaml", "-m", "absent"]);
    counted(2);
    place.write("a/duel.yaml", &format!("{TINY_JOB}repeat: 2\nseed: 7\n"));
    place.run_exits(1, &["./a/duel.yaml", "-m", "absent"]);
    counted(2);
    place.run_exits(1, &["b/duel.yaml", "-m", "absent"]);
    place.run_exits(0, &["a/duel.yaml", "--rehearse"]);
    place.run_exits(0, &["a/duel.yaml", "--limit", "1"]);
    counted(3);
    let (gate, mut run) =
        place.start_held(&["a/duel.yaml", "--set", "rounds=2", "--max-debates", "1"], 1);
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    gate.open();
    run.ends();
    let left = status(&place);
    shows!(left, {"unfinished": 4, "begun count": 1, "never_begun count": 3});
    let told = place.rebut_exits(0, &["status"]).stdout;
    has_all(
        &told,
        &[
            "4 debates unfinished: ",
            " ./a/duel.yaml -m absent  (to continue)",
            " b/duel.yaml -m absent  (to continue)",
        ],
    );
    has(
        &told,
        &format!(
            "{} (duel: Should voting be ",
            left["never_begun"][0]["id"].as_str().expect("an id")
        ),
    );
    place.server.script(good);
    place.run_exits(0, &["a/duel.yaml", "--set", "rounds=2"]);
    counted(1);
}

#[test]
fn e2_what_is_asked_again_is_not_taken_for_progress() {
    let left = |is_spoilt: bool| {
        let place = with_job(&TINY_JOB.replace("rounds: 1", "rounds: 2"));
        let gate = Gate::new();
        let held = gate.clone();
        place.server.script(move |call| {
            let is_first = call.body["messages"].as_array().is_some_and(|it| it.len() == 2);
            if is_spoilt && is_first && is(call, "round-1/ballot/*") {
                Answer::text("no ballot")
            } else if is(call, "round-2/*") {
                good(call).after(held.clone())
            } else {
                good(call)
            }
        });
        let run = place.start(&["job.yaml"]);
        place.server.wait_until(|calls| calls.iter().any(|it| is(it, "round-2/*")));
        let is_held =
            |state: &Value| state["calls"]["in_flight"] == 1 && state["open"][0]["round"] == 2;
        let status = state_where(&place, is_held);
        gate.open();
        run.ends().exits(0);
        status["running"][0]["state"]["calls"].clone()
    };
    let (plain, again) = (left(false), left(true));
    assert!(again["done"].as_u64() > plain["done"].as_u64(), "{again} {plain}");
    assert_eq!(again["left"], plain["left"]);
}

/// Replaces what a run says of itself.
fn replaced(path: &Path, content: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, content).expect("a file");
}

/// What `status` prints of this in place of what a run says of itself. A run that was still to say something says it first.
fn status_of(place: &Place, content: &str, words: &str) -> String {
    let shown = || {
        replaced(&state_file(place), content.as_bytes());
        place.rebut_exits(0, &["status"]).stdout
    };
    let mut told = shown();
    for _ in 0..10 {
        if told.contains(words) {
            break;
        }
        told = shown();
    }
    told
}

#[cfg(unix)]
#[test]
fn a3_a_damaged_state_is_refused_in_words_and_a_hostile_one_acts_on_nothing() {
    let (place, gate, run) = held();
    let state = state_where(&place, is_full)["running"][0]["state"].take();
    let path = state_file(&place);
    let mut newer = state.clone();
    newer["schema_version"] = json!("9.0");
    let large = format!("{{\"schema_version\": \"{}\"}}", "1".repeat(2 << 20));
    for (content, why) in [
        ("{\"pid\": ", "EOF while parsing"),
        ("[]", "can't be used"),
        (&newer.to_string(), "it has version 9.0, but this rebut reads 3.1"),
        (&large, "; the limit is 1048576"),
    ] {
        let shown = status_of(&place, content, why);
        has_all(&shown, &[&format!("process {} since", run.id()), why]);
        shows!(status(&place), {"running/0/state": null, "running/0/problem contains": why});
    }
    let secret = place.write("secret", &state.to_string());
    fs::remove_file(&path).expect("a file");
    std::os::unix::fs::symlink(secret, &path).expect("a link");
    has(&place.rebut_exits(0, &["status"]).stdout, "it is a link");

    let mut hostile = state;
    for key in ["command", "host"] {
        hostile[key] = json!("\u{1b}[2Jx\ny");
    }
    hostile["open"][0]["topic"] = json!("\u{1b}]0;x\u{7}");
    hostile["open"][0]["asked"][0]["doing"] = json!("\u{1b}[31m\nred");
    hostile["jobs"] = json!(["\u{202e}a"]);
    hostile["seconds_left"] = json!(u64::MAX);
    hostile["calls"]["left"] = json!(u64::MAX);
    hostile["started_at"] = json!("9999-01-01T00:00:00Z");
    replaced(&path, hostile.to_string().as_bytes());
    let shown = place.rebut_exits(0, &["status"]).stdout;
    lacks(&shown, &["\u{1b}", "\u{202e}", "\u{7}"]);
    lacks(&place.rebut_exits(0, &["status", "--json"]).stdout, &["\u{1b}", "\u{202e}"]);

    // Where it can't be written any more, the run goes on.
    fs::remove_file(&path).expect("a file");
    fs::create_dir(&path).expect("a directory");
    gate.open();
    run.ends().exits(0);
    fs::remove_dir(&path).expect("a directory");
}

#[test]
fn a3_a_number_of_jobs_beyond_all_counting_is_shown() {
    let (place, gate, run) = held();
    let state = state_where(&place, is_full)["running"][0]["state"].clone();
    let mut hostile = state;
    hostile["more_jobs"] = json!(u64::MAX);
    hostile["jobs"] = json!(vec!["job"; 20]);
    let many = format!("and {} more", u64::MAX);
    has(&status_of(&place, &hostile.to_string(), &many), &many);
    gate.open();
    drop(run);
}

#[test]
fn b3_a_summary_that_cannot_be_read_is_told_and_no_failure() {
    let place = with_job(TINY_JOB);
    place.rebut_exits(2, &["status"]);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let summary = list(&place.path().join("output/batches")).remove(0);
    let newer = read(&summary).replacen("\"2.2\"", "\"3.0\"", 1);
    fs::write(&summary, &newer).expect("a file");
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has(&shown, "it has version 3.0, but this rebut reads 2.2");
    fs::write(&summary, "{").expect("a file");
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(
        &shown,
        &["nothing is running in output", "cannot read output/batches/", "EOF while parsing"],
    );
}

#[test]
fn b3_a_run_of_many_jobs_lists_some_and_counts_the_others() {
    let place = with_job(TINY_JOB);
    let jobs: Vec<String> = (0..205).map(|n| format!("one-of-many-jobs-{n:03}.yaml")).collect();
    for job in &jobs {
        let text = TINY_JOB.replace("voting", &format!("voting in {job}"));
        fs::write(place.path().join(job), text).expect("a job");
    }
    place.server.script(|_| mock_ollama::Answer::hang());
    let args: Vec<&str> = jobs.iter().map(String::as_str).chain(["--max-debates", "1"]).collect();
    let _run = place.start(&args);
    place.server.wait_for_chats(1);
    let status = state_where(&place, |state| !state["jobs"].is_null());
    let state = &status["running"][0]["state"];
    shows!(state, { "jobs count": 200, "more_jobs": 5 });
    let command = state["command"].as_str().expect("a text");
    assert!(command.chars().count() <= 4000, "{command}");
    has(command, "…");
}

/// What a batch has still to come to may have been begun, or have ended, before it.
#[test]
fn s3_statistics_of_a_batch_that_resumes_count_no_debate_twice() {
    let place = with_job(TINY_JOB);
    place.write("zoos.yaml", &TINY_JOB.replace("voting", "zoos"));
    place.write("cars.yaml", &TINY_JOB.replace("voting", "cars"));
    place.run_exits(0, &["job.yaml"]);
    let gate = place.hold_clerks();
    let run = place.start(&["zoos.yaml"]);
    place.wait_for_clerks(1);
    run.kill();
    let first = place.server.chats().len();
    let jobs = ["cars.yaml", "zoos.yaml", "job.yaml"];
    let run = place.start(&[&jobs[..], &["--max-debates", "1"]].concat());
    place.server.wait_for_chats(first + 1);
    state_where(&place, |state| state["debates"]["queued"] == 2);
    shows!(place.found(&[]), {"counts/counted": 1, "counts/planned": null});
    gate.open();
    run.ends().exits(0);
    shows!(place.found(&[]), {"counts/counted": 3, "counts/planned": 3});
}

#[cfg(unix)]
#[test]
fn s3_a_debate_that_was_continued_in_a_copy_of_its_directory_is_planned_once() {
    let place = with_job(TINY_JOB);
    let gate = place.hold_clerks();
    let run = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    run.signal("-INT");
    gate.open();
    run.ends().exits(130);
    shows!(place.found(&[]), {"counts/planned": 1, "counts/unfinished": 1});
    copy(&place.path().join("output"), &place.path().join("other"));
    place.run_exits(0, &["job.yaml", "--output", "other"]);
    shows!(place.found(&["other"]), {"counts/planned": 1, "counts/unfinished": 0});
    // A batch of another job knows nothing of how many this one has.
    place.write("zoos.yaml", &TINY_JOB.replace("voting", "zoos"));
    place.run_exits(0, &["zoos.yaml"]);
    shows!(place.found(&[]), {
        "counts/planned": null, "counts/unfinished": 1,
        "cautions contains": "Not in these results: at least 1 planned debate that is unfinished.",
    });
    place.rebut_exits(0, &["clean", "--unfinished", "--older", "0s"]);
    shows!(place.found(&[]), {"counts/planned": 1, "counts/unfinished": 0});
}

/// An interim report knows from the running batch how many debates are planned.
#[test]
fn s3_statistics_of_a_running_batch_know_what_it_has_still_to_begin() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    let gate = Gate::new();
    let one = with_job(TINY_JOB);
    one.run_exits(0, &["job.yaml"]);
    let (held, first) = (gate.clone(), one.server.chats().len());
    let asked = AtomicUsize::new(0);
    place.server.script(move |call: &mock_ollama::Call| {
        if asked.fetch_add(1, Ordering::SeqCst) < first {
            good(call)
        } else {
            good(call).after(held.clone())
        }
    });
    let run = place.start(&["job.yaml", "--concurrency", "1", "--max-debates", "1"]);
    place.server.wait_for_chats(first + 1);
    state_where(&place, |state| {
        state["debates"]["done"] == 1 && state["debates"]["in_progress"] == 1
    });
    shows!(place.found(&[]), {"counts/counted": 1, "counts/planned": 3, "counts/unfinished": 1, "counts/not_started": 1});
    gate.open();
    run.ends().exits(0);
    shows!(place.found(&[]), {"counts/counted": 3, "counts/planned": 3, "counts/not_started": 0});
}

#[test]
fn b3_while_a_run_is_active_what_others_left_is_told_with_what_continues_it() {
    let place = with_job(TINY_JOB);
    place.run_exits(4, &["job.yaml", "--max-tokens", "1", "--concurrency", "1"]);
    let id = name_of(&place.running_journal())[..12].to_owned();
    place.write("other.yaml", &TINY_JOB.replace("compulsory", "public"));
    let told = || place.rebut_exits(0, &["status"]).stdout;
    let (gate, run) = place.start_held(&["other.yaml"], 1);
    let left = format!("\n\n1 debate unfinished, not in progress: {id}\nnext        ");
    has_all(&told(), &[&left, " job.yaml --concurrency 1  (to continue"]);
    gate.open();
    run.ends().exits(0);
    // What a run goes on with is not left.
    let (gate, run) = place.start_held(&["job.yaml"], 1);
    state_where(&place, |state| state["debates"]["in_progress"] == 1);
    lacks(&told(), &["unfinished"]);
    gate.open();
    run.ends().exits(0);
}

#[test]
fn b3_while_a_run_is_at_what_one_command_left_only_the_others_is_told() {
    let place = with_job(TINY_JOB);
    place.write("other.yaml", &TINY_JOB.replace("compulsory", "public"));
    for job in ["job.yaml", "other.yaml"] {
        place.run_exits(4, &[job, "--max-tokens", "1", "--concurrency", "1"]);
    }
    // It chooses debates, so that it may not go on with all that its job left.
    let (gate, run) = place.start_held(&["job.yaml", "--limit", "1"], 1);
    state_where(&place, |state| state["debates"]["in_progress"] == 1);
    let told = place.rebut_exits(0, &["status"]).stdout;
    let (_, left) = told.split_once("\n\n1 debate unfinished, not in progress: ").expect("it");
    assert!(left.contains(" other.yaml ") && !left.contains(" job.yaml "), "{told}");
    gate.open();
    run.ends().exits(0);
}

#[test]
fn b3_what_a_missing_model_stops_is_told_once_with_the_number_of_debates() {
    let place = with_job(TINY_JOB);
    place.write("absent.yaml", &format!("{TINY_JOB}repeat: 7\ndefaults: {{model: absent}}\n"));
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &mock_ollama::Call| match call.body["model"].as_str() {
        Some("absent") => Answer::status(404, "model 'absent' not found"),
        _ => good(call).after(held.clone()),
    };
    place.server.script(script);
    let run = place.start(&["absent.yaml", "job.yaml"]);
    place.server.wait_for_chats(1);
    let status = state_where(&place, |state| state["debates"]["parked"] == 7);
    shows!(status["running"][0]["state"], {
        "causes count": 1, "causes/0/standing": "unfinished", "causes/0/debates": 7,
        "causes/0/cause contains": "no model absent", "causes/0/first count": 5, "other_causes": 0,
    });
    let cause = "unfinished  7 debates: the server has no model absent";
    let told = |place: &Place| {
        let shown = place.rebut_exits(0, &["status"]).stdout;
        assert_eq!(shown.matches("7 debates: ").count(), 1, "{shown}");
        has(&shown, cause);
    };
    told(&place);
    gate.open();
    run.ends().exits(1);
    told(&place);
}
