//! Rows U1 to U4: the duel, played with scripted replies.

use std::path::{Path, PathBuf};

use mock_ollama::{Answer, Call};
use rebut::event::Statement;
use rebut::trace::Trace;
use serde_json::{Value, json};

use crate::harness::{
    Place, Played, blanked, cap, has, has_all, is, json_lines, keys, lacks, list, modest, note,
    notes, read, round_of, row, shows, trace_in, with_job,
};

const JOB: &str = "format: duel\ntopic: Should voting be compulsory?\nallow_explicit: true\n";
const TWO: &str = "rounds: 2\n";
const THREE: &str = "rounds: 3\n";
const FOUR: &str = "rounds: 4\n";

const TURNS_OF_ALL: &str = "*/statement/*";
const VERDICTS: &str = "end/verdict*";
const DOUBTS: &str = "*/doubt-*";

/// What an agent says in a round where nothing else is asked of it: on the topic, and new.
const TURNS: [&str; 8] = [
    "Compulsory voting makes parliaments listen to everyone.",
    "Whoever is forced learns to resent voting.",
    "Turnout rises where voting is compulsory, and surveys show it.",
    "Compulsory ballots hide who has nothing to choose.",
    "Voting costs an hour, which a compulsory holiday gives back.",
    "History knows compulsory votes without any freedom.",
    "Countries with compulsory voting spend less on mobilisation.",
    "A duty of voting presumes a choice worth voting for.",
];

/// A reply about something else.
const ASTRAY: &str = "Melt the butter, soften the onions and stir in the rice.";

/// Turns on the topic, notes that say which round they are on, a verdict for the first.
fn fair(call: &Call) -> Option<Answer> {
    let round = round_of(call);
    if is(call, DOUBTS) {
        Some(decides(call, call.last_message().contains("onions")))
    } else if is(call, TURNS_OF_ALL) {
        Some(Answer::text(TURNS[(round as usize - 1) % 8]))
    } else if is(call, "round-*/clerk") {
        Some(noted(call, round))
    } else {
        is(call, VERDICTS).then(|| verdict(call, 8, 6))
    }
}

/// The clerk's notes on the exchange that ends with a round: a point a turn.
fn noted(call: &Call, round: u64) -> Answer {
    let first = round - 1 + round % 2;
    let each = |place: usize| {
        let round = first + place as u64 - 1;
        let point = format!("The point of round {round}");
        note(&format!("The claim of round {round}."), &[&point], &[])
    };
    let summary = format!("This came of round {round}. More was said of it.");
    notes(call, &summary, each)
}

/// A verdict with the same score on every criterion for each agent.
fn verdict(call: &Call, a: u64, b: u64) -> Answer {
    let mut verdict = modest(call.schema().expect("a schema"));
    verdict["reasons"]["agent_a"] = json!({"reason": "It gave more reasons.", "statements": [2]});
    verdict["reasons"]["agent_b"] = json!({"reason": "It gave fewer.", "statements": []});
    verdict["summary"] = json!("They met on turnout.");
    for (id, score) in [("agent_a", a), ("agent_b", b)] {
        let scores = verdict["scores"][id].as_object_mut().expect("scores");
        scores.values_mut().for_each(|it| *it = json!(score));
    }
    Answer::json(&verdict)
}

/// What the clerk says of a doubt about a turn: this, to everything it is asked.
fn decides(call: &Call, yes: bool) -> Answer {
    let mut decision = modest(call.schema().expect("a schema"));
    decision["because"] = json!("It says nothing new on the question.");
    for value in decision.as_object_mut().expect("an object").values_mut() {
        if value.is_boolean() {
            *value = json!(yes);
        }
    }
    Answer::json(&decision)
}

/// Plays [`JOB`] with more in it, where `reply` goes before what is fair.
fn played_by(
    more: &str,
    reply: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static,
) -> Played {
    let place = Place::new();
    place.reply_by(move |call| reply(call).or_else(|| fair(call)));
    place.played(&format!("{JOB}{more}"))
}

/// A duel in which the listed rounds go through these replies, one an attempt, the last of which stays.
fn played(more: &str, rounds: &'static [(u64, &'static [&'static str])]) -> Played {
    played_by(more, move |call| {
        let (_, replies) = rounds.iter().find(|(round, _)| *round == round_of(call))?;
        let attempt = call.name().split_once('#')?.1.parse::<usize>().ok()?;
        let reply = replies.get(attempt - 1).or(replies.last())?;
        (is(call, TURNS_OF_ALL) && !is(call, DOUBTS)).then(|| Answer::text(*reply))
    })
}

/// The turns of a duel, of all its parts.
fn turns(debate: &Played) -> Vec<&Statement> {
    let all = debate.statements.iter();
    all.filter(|it| it.by.starts_with("agent_")).collect()
}

/// The prompts of a round's turn, one an attempt.
fn asked(debate: &Played, round: u64) -> Vec<Call> {
    let asked = debate.asked(&format!("round-{round}/statement/*"));
    let turns = asked.into_iter().filter(|call| !is(call, DOUBTS));
    turns.collect()
}

/// The task of a round's first attempt.
fn task(debate: &Played, round: u64) -> String {
    asked(debate, round)[0].last_message().to_owned()
}

/// Rounds and reasons of what was rejected.
fn rejected(debate: &Trace) -> Vec<(u32, &[String])> {
    let rejections = debate.rejections.iter();
    rejections.map(|it| (it.round, &*it.reasons)).collect()
}

/// The rounds in which something was rejected.
fn rejected_in(debate: &Trace) -> Vec<u32> {
    debate.rejections.iter().map(|it| it.round).collect()
}

fn turn(debate: &Played, round: usize) -> &Value {
    &debate.record["memory"]["turns"][round - 1]
}

#[test]
fn u1_two_agents_alternate_for_eight_rounds_of_one_turn() {
    let debate = played("", &[]);
    let turns: Vec<(u32, &str)> = turns(&debate).iter().map(|s| (s.round, s.by.as_str())).collect();
    let agents = ["agent_a", "agent_b"].into_iter().cycle();
    assert_eq!(turns, (1..=8).zip(agents).collect::<Vec<_>>());
    shows!(debate, {"status": "done"});
    assert_eq!(cap(&asked(&debate, 1)[0]), 200);
    for (i, id, name, persona) in [
        (0, "agent_a", "Scientist", "scientist"),
        (1, "agent_b", "Philosopher", "philosopher"),
        (2, "judge_1", "Judge-1", "judge"),
    ] {
        shows!(debate.participants[i], {"id": id, "name": name, "persona": persona, "position": ""});
    }
}

#[test]
fn u1_the_personas_carry_the_sources_traits_into_the_prompts() {
    let debate = played(TWO, &[]);
    has_all(
        &task(&debate, 1),
        &[
            "scientific terminology",
            "empirical data",
            "structured arguments",
            "observable phenomena",
        ],
    );
    has_all(
        &task(&debate, 2),
        &[
            "moral implications",
            "underlying assumptions",
            "thought experiments",
            "historical context",
        ],
    );
}

/// A duel of two rounds whose turns say this and end at their cap of 60 tokens.
fn cut(said: &str) -> Played {
    let said = Answer::text(said).done_reason("length").tokens(100, 60);
    played_by("rounds: 2\nmax_tokens_per_response: 60\n", move |call| {
        row(&[(TURNS_OF_ALL, said.clone())], call).filter(|_| !is(call, DOUBTS))
    })
}

#[test]
fn u1_a_turn_at_its_cap_is_cut_at_its_last_sentence_and_marked() {
    let debate = cut("Voting is a duty. Compulsory voting is");
    shows!(turns(&debate)[0], {
        "text": "Voting is a duty.\n\n[Time limit reached]", "cut": true,
    });
    assert_eq!(cap(&asked(&debate, 1)[0]), 60);
}

#[test]
fn u1_a_trace_with_a_turn_out_of_turn_is_refused() {
    let place = played(THREE, &[]).place;
    let debate = place.debates().remove(0);
    let (path, show) = (debate.join("trace.json"), ["show", &debate.to_string_lossy()]);
    let whole = trace_in(&debate);
    for (at, key, value, reason) in [
        (
            2,
            "by",
            json!("agent_a"),
            "statement 3 is a turn of agent_a in round 2, but agent_b was due in round 2",
        ),
        (2, "round", json!(4), "statement 3 is a turn of"),
        (
            1,
            "round",
            json!(3),
            "statement 2 is a turn of agent_a in round 3, but agent_a was due in round 1",
        ),
    ] {
        let mut trace = whole.clone();
        trace["statements"][at][key] = value;
        std::fs::write(&path, trace.to_string()).expect("a trace");
        let shown = place.rebut(&show);
        assert_eq!(shown.code, 2, "{}", shown.stdout);
        has_all(&shown.stderr, &["trace.json: not a trace: ", reason]);
        let stats = place.rebut(&["stats", "output"]);
        has(&(stats.stdout + &stats.stderr), reason);
    }
    std::fs::write(&path, whole.to_string()).expect("a trace");
    assert_eq!(place.rebut(&show).code, 0);
}

#[test]
fn u1_the_shipped_duel_takes_any_topic_and_the_readme_says_how() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Place::new();
    let shipped = |job: &str| root.join(job).to_string_lossy().into_owned();
    let topic = "Should zoos be closed?";
    let set = format!("topic={topic}");
    let ended = place.run(&["--rehearse", &shipped("jobs/duel.yaml"), "--set", &set]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(place.trace()["topic"], topic);
    assert!(read(&root.join("README.md")).contains("rebut run jobs/duel.yaml --set topic=\""));
    for job in ["jobs/duel.yaml", "jobs/carbon-tax.yaml", "templates/jobs/duel.yaml"] {
        let ended = place.rebut(&["check", &shipped(job)]);
        assert_eq!(ended.code, 0, "{job}: {}", ended.stderr);
    }
    let sided = ["duel", "carbon-tax", "known-answers", "tournament", "voting-age"];
    for job in sided.map(|name| shipped(&format!("jobs/{name}.yaml"))) {
        let told = place.rebut_exits(0, &["check", "--rehearse", &job]).stderr;
        lacks(&told, &["has a position", "an even number"]);
    }
}

/// What `check` and `run` tell on stderr of sides on unequal terms.
fn unequal(place: &Place) -> [Vec<String>; 2] {
    ["check", "run"].map(|command| {
        let told = place.rebut_exits(0, &[command, "--rehearse", "job.yaml"]).stderr;
        let kinds = ["has a position", "an even number", "the same position"];
        let told = told.lines().filter(|line| kinds.iter().any(|it| line.contains(it)));
        told.map(str::to_owned).collect()
    })
}

#[test]
fn u1_sides_without_a_position_or_with_a_turn_less_are_told_of_once_before_the_run() {
    let job = "format: duel\nmatrix: {topic: [Should zoos be closed?, Should parks be open?]}\n";
    let idle = "neither Scientist nor Philosopher has a position, so neither is told which side to argue: give both a `position`, such as `The answer is yes`";
    let odd = "with 3 rounds, Scientist gets one turn more than Philosopher: use an even number";
    let same = "Scientist and Philosopher argue for the same position, \"Zoos are good\": give one of them another `position`";
    for (more, told) in [
        (TWO.to_owned(), vec![idle.to_owned()]),
        (format!("{TWO}a: {{position: The answer is yes}}\n"), Vec::new()),
        (THREE.to_owned(), vec![idle.to_owned(), odd.to_owned()]),
        (
            format!("{TWO}a: {{position: Zoos are good}}\nb: {{position: zoos are good}}\n"),
            vec![same.to_owned()],
        ),
    ] {
        let place = with_job(&format!("{job}{more}"));
        let told: Vec<String> =
            told.iter().map(|it: &String| format!("warning: job.yaml: {it}")).collect();
        assert_eq!(unequal(&place), [told.clone(), told], "{more}");
    }
    // However many repetitions the first cell has, the others are looked at.
    let sides = "a: {position: It is}\nb: {position: It is not}\nrepeat: 250\n";
    let sided = format!("format: duel\ntopic: Should zoos be closed?\n{sides}");
    let place = with_job(&format!("{sided}matrix: {{rounds: [4, 3]}}\n"));
    let checked = place.rebut_exits(0, &["check", "--rehearse", "job.yaml"]).stderr;
    has(&checked, odd);
    let page = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/start.md"));
    let example = page.split("```yaml\n").nth(1).and_then(|it| it.split("```").next());
    let place = with_job(example.expect("an example"));
    place.write("topics.txt", "Should zoos be closed?\n");
    assert_eq!(unequal(&place), [[""; 0]; 2]);
}

/// A job whose commented settings, but for the background, are no comments any more.
fn uncommented(job: &str) -> String {
    let is_key = |line: &str| {
        let (word, rest) = line.split_once(':').unwrap_or((line, "-"));
        let named = word.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
        (named && (rest.is_empty() || rest.starts_with(' '))) || line.starts_with("- {")
    };
    let (mut lines, mut open) = (Vec::new(), false);
    for line in job.lines() {
        let nested = |rest: &str| rest.starts_with(' ');
        let setting =
            line.strip_prefix("# ").filter(|rest| if nested(rest) { open } else { is_key(rest) });
        open = setting.is_some_and(|rest| !rest.starts_with("background"));
        lines.push(setting.filter(|_| open).unwrap_or(line));
    }
    lines.join("\n") + "\n"
}

#[test]
fn j9_the_commented_settings_of_shipped_jobs_are_the_defaults() {
    let mut seen = 0;
    let jobs_at = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs");
    for path in list(&jobs_at).iter().filter(|path| path.is_file()) {
        let job = read(path);
        if !job.contains("are the defaults") {
            continue;
        }
        seen += 1;
        let place = Place::new();
        for file in list(&jobs_at.join("background")) {
            let name = file.file_name().expect("a name").to_string_lossy();
            place.write(&format!("background/{name}"), &read(&file));
        }
        let ids = |name: &str, job: &str| {
            let file = place.write(name, job);
            let ended = place.run(&["--rehearse", &file.to_string_lossy()]);
            assert_eq!(ended.code, 0, "{job}\n{}", ended.stderr);
            let ids: Vec<Value> =
                place.debates().iter().map(|dir| trace_in(dir)["id"].clone()).collect();
            std::fs::remove_dir_all(place.path().join("output")).expect("no output");
            ids
        };
        let whole = uncommented(&job);
        assert!(
            whole.lines().count() > 20
                && whole.matches("\n#").count() < job.matches("\n#").count() - 4,
            "{whole}"
        );
        assert_eq!(ids("job.yaml", &job), ids("job.yaml", &whole), "{}", path.display());
    }
    assert_eq!(seen, 5);
}

#[test]
fn u2a_a_repetition_is_asked_again_with_the_reason_and_another_reply_is_taken() {
    let debate = played(THREE, &[(3, &[TURNS[0], TURNS[2]])]);
    let reason =
        "it repeats the turn of Scientist in round 1 (similarity 1.000, and it must be below 0.95)";
    assert_eq!(rejected(&debate), [(3, &[reason.to_owned()][..])]);
    let prompts = asked(&debate, 3);
    assert_eq!(prompts.len(), 2);
    let told = format!("That reply was not taken: {reason}. Do the same task again");
    has(&prompts[1].last_message(), &told);
    let second = prompts[1].text();
    assert!(
        second.matches(TURNS[0]).count() == 2 && second.contains(TURNS[1]),
        "the record is whole where there is room"
    );
    shows!(turn(&debate, 3), {"text": TURNS[2], "objections": [], "rejected_replies": 1});
    shows!(debate, {"rejections/0/text": TURNS[0], "status": "done"});
    assert_eq!(debate.incidents("rejection").len(), 1);

    let output = debate.place.path().join("output");
    let batch = list(&output.join("batches")).remove(0);
    let batch: Value = serde_json::from_str(&read(&batch)).expect("JSON");
    shows!(batch, {"calls/repairs": 0, "calls/rejections": 1});
    let messages = list(&debate.place.debates()[0].join("messages"));
    let told = "> Note: first reply discarded: it repeats the turn of Scientist in round 1.";
    let tells = |path: &&PathBuf| read(path).replace('\\', "").contains(told);
    assert_eq!(messages.iter().filter(tells).count(), 1, "{told}");
}

#[test]
fn u2a_the_turns_of_both_agents_count_and_case_and_punctuation_do_not_hide_one() {
    const LOUD: &str = "COMPULSORY voting — makes parliaments listen to everyone!";
    let debate = played(TWO, &[(2, &[LOUD, TURNS[1]])]);
    let (round, reasons) = rejected(&debate)[0];
    assert_eq!(round, 2);
    has(&reasons[0], "the turn of Scientist in round 1");
}

#[test]
fn u2c_after_two_rejections_the_third_reply_stands_marked() {
    let debate = played(FOUR, &[(3, &[TURNS[0]])]);
    assert_eq!((asked(&debate, 3).len(), rejected(&debate).len()), (3, 2));
    let stands = turn(&debate, 3);
    shows!(stands, {
        "text": TURNS[0], "objections/0 starts": "it repeats the turn of Scientist",
    });
    let facts = r#"["Turns that stand with an objection","Scientist in round 3"]"#;
    shows!(debate, {
        "statements/3/objections": stands["objections"], "outcome/details/objected": [4],
        "outcome/facts contains": facts, "status": "done",
    });
    has(&debate.json["outcome"]["facts"], r#"["Rejected replies","2"]"#);
}

#[test]
fn u2c_the_second_rejection_may_have_another_reason_and_the_third_reply_be_taken() {
    let debate = played(THREE, &[(3, &[TURNS[0], ASTRAY, TURNS[2]])]);
    shows!(debate, {
        "rejections count": 2,
        "rejections/0/reasons/0 starts": "it repeats the turn",
        "rejections/1/reasons/0 starts": "it is off the topic",
    });
    assert_eq!(turn(&debate, 3)["text"], TURNS[2]);
}

#[test]
fn u2c_a_rejected_reply_stands_where_no_other_can_be_had() {
    let debate = played(THREE, &[(3, &[TURNS[0], ""])]);
    shows!(turn(&debate, 3), {"text": TURNS[0], "objections count": 1});
    assert_eq!(rejected(&debate), [], "what stands was not left out");
    assert_eq!(debate.incidents("rejection").len(), 1);
    shows!(debate, {"status": "done"});
}

#[test]
fn u2b_a_reply_off_the_topic_is_told_why() {
    let debate = played(TWO, &[(1, &[ASTRAY, TURNS[0]])]);
    let reason =
        "it is off the topic, by the clerk's check: “It says nothing new on the question.”";
    assert_eq!(rejected(&debate)[0].1, [reason]);
    has(&asked(&debate, 1)[1].last_message(), reason);
}

#[test]
fn u2b_background_and_positions_are_on_the_topic() {
    for more in
        ["background: {kitchen: [onions and rice]}\n", "b: {position: Butter and onions first}\n"]
    {
        let debate = played(&format!("{TWO}{more}"), &[(1, &[ASTRAY])]);
        assert_eq!(rejected(&debate), [], "{more}");
    }
}

#[test]
fn u2b_taken_turns_widen_the_topic_and_turns_with_an_objection_do_not() {
    const WIDE: &str = "Compulsory voting works in Belgium and Australia.";
    const ON: &str = "Australia and Belgium prosper.";
    let debate = played(TWO, &[(1, &[WIDE]), (2, &[ON])]);
    assert_eq!(rejected(&debate), []);
    const AWAY: &str = "Onions and rice, onions and butter.";
    let debate = played(TWO, &[(1, &[ASTRAY]), (2, &[AWAY, TURNS[1]])]);
    shows!(turn(&debate, 1), {"objections count": 1});
    assert_eq!(rejected_in(&debate), [1, 1, 2]);
    assert_eq!(turn(&debate, 2)["text"], TURNS[1]);
}

#[test]
fn u2_what_surely_repeats_is_sent_back_without_asking_the_clerk() {
    let debate = played(TWO, &[(1, &[ASTRAY]), (2, &[ASTRAY, TURNS[1]])]);
    shows!(debate.rejections.last(), {
        "round": 2, "reasons count": 1,
        "reasons/0 starts": "it repeats the turn of Scientist in round 1",
    });
    assert_eq!(debate.count("round-1/statement/*/doubt-*"), 3);
    assert_eq!(debate.count("round-2/statement/*/doubt-*"), 0);
}

#[test]
fn u2_of_what_is_only_alike_the_clerk_decides_and_its_reason_is_told() {
    const NEAR: &str = "Compulsory voting makes parliaments listen to all.";
    for repeats in [true, false] {
        let debate = played_by(THREE, move |call| {
            if is(call, DOUBTS) {
                Some(decides(call, repeats))
            } else {
                row(&[("round-3/statement/*#1", Answer::text(NEAR))], call)
            }
        });
        let reason = "it says again what was said, by the clerk's check: “It says nothing new on the question.”";
        let reasons = [reason.to_owned()];
        let expected = [(3, &reasons[..])];
        assert_eq!(rejected(&debate), expected[usize::from(!repeats)..]);
        assert_eq!(debate.count("round-3/statement/*/doubt-1"), 1);
        has_all(
            &debate.task("round-3/statement/*/doubt-1"),
            &[
                NEAR,
                "An earlier turn, by Scientist (turn 1):",
                TURNS[0],
                "an answer, or, as a closing turn, weighs what was said, even in similar words.",
                "one short sentence to Scientist, 40 words at most, with your reason.\n",
            ],
        );
    }
}

#[test]
fn u2_the_thresholds_are_the_jobs() {
    let near: &[(u64, &[&str])] = &[(3, &["Compulsory voting makes parliaments listen to all."])];
    let rounds = |more: &str, turns| rejected_in(&played(more, turns));
    let nothing_is_off_the_topic = rounds("rounds: 2\ncoherence_threshold: 0\n", &[(1, &[ASTRAY])]);
    assert!(nothing_is_off_the_topic.is_empty());
    let nearly_everything_is = played("rounds: 2\ncoherence_threshold: 1\n", &[]);
    assert_eq!(nearly_everything_is.count(DOUBTS), 2);
    assert!(rounds(THREE, near).is_empty());
    assert_eq!(rounds("rounds: 3\nsimilarity_threshold: 0.8\n", near).len(), 2);
    let same_words = rounds("rounds: 3\nsimilarity_threshold: 1\n", &[(3, &[TURNS[0]])]);
    assert_eq!(same_words.len(), 2, "the same words in the same order");
    let every = rounds("rounds: 2\nsimilarity_threshold: 0\n", &[]);
    assert_eq!(every, [2, 2], "every turn that has one before it");
}

#[test]
fn u2a_a_turn_that_was_cut_is_compared_as_it_stands() {
    let debate = cut("Voting is a duty. Compulsory voting is what I would want to defend");
    shows!(turn(&debate, 2), {"similarity": 1.0});
    shows!(debate, {"rejections count": 2, "rejections/0/text": "Voting is a duty."});
}

#[test]
fn u2_an_empty_reply_is_a_failure_and_no_rejection() {
    let debate = played(TWO, &[(1, &["", TURNS[0]])]);
    shows!(debate, {"rejections": [], "status": "done"});
    assert_eq!(debate.incidents("retry").len(), 1);
}

#[test]
fn m2_an_emergency_reply_is_answered_and_measured_by_nobody() {
    let debate = played(FOUR, &[(2, &[""])]);
    shows!(turn(&debate, 2), {"origin": "emergency", "coherence": null, "similarity": null});
    lacks(&task(&debate, 3), &["what matters most in Philosopher"]);
    has(
        &task(&debate, 4),
        "First answer what Scientist said in turn 3 where it matters most. Then weigh",
    );
    assert_eq!(turn(&debate, 3)["closest_turn"], 2, "the turn of round 1");
    // Both argued.
    shows!(debate, {"status": "degraded", "verdicts count": 1});
}

#[test]
fn m2_a_duel_in_which_one_never_argued_is_not_judged() {
    let debate = played(TWO, &[(2, &[""])]);
    shows!(debate, {
        "status": "degraded", "outcome/winner": null, "record/winner": null, "verdicts": [],
        "outcome/decided_by":
            "Philosopher never made an argument, so there was nothing to compare.",
    });
    assert_eq!(debate.count(VERDICTS), 0);
}

#[test]
fn m2_a_duel_in_which_nobody_argued_names_neither_alone() {
    let debate = played(TWO, &[(1, &[""]), (2, &[""])]);
    shows!(debate, {
        "status": "degraded",
        "outcome/line": "Not judged: neither Scientist nor Philosopher made an argument",
        "outcome/decided_by": "Neither side ever made an argument, so there was nothing to compare.",
    });
}

/// A duel of two rounds before judges who score so, by their number; the others say nothing of use.
fn judged(judges: usize, scores: &'static [(u64, u64)]) -> Played {
    let list = vec!["{}"; judges].join(", ");
    played_by(&format!("rounds: 2\njudges: [{list}]\n"), move |call| {
        let name = call.name();
        let (_, number) = name.split_once("/judge_")?;
        let number: usize = number.split('#').next()?.parse().ok()?;
        let scored = scores.get(number - 1).map(|(a, b)| verdict(call, *a, *b));
        Some(scored.unwrap_or_else(|| Answer::text("I cannot say.")))
    })
}

fn summary(debate: &Played) -> String {
    read(&debate.place.debates()[0].join("summary.md"))
}

/// A duel of two rounds before one judge who gives these scores in one order and these in the reverse; nothing of use where
/// none are listed.
fn read_twice(first: Option<(u64, u64)>, reversed: Option<(u64, u64)>) -> Played {
    played_by(TWO, move |call| {
        let scores = if is(call, "end/verdict-reversed*") { reversed } else { first };
        is(call, VERDICTS).then(|| match scores {
            Some((a, b)) => verdict(call, a, b),
            None => Answer::text("I cannot say."),
        })
    })
}

#[test]
fn u3_a_judge_scores_both_and_totals_and_winner_are_ours() {
    let said = json!({
        "reasons": {
            "agent_a": {"reason": "Its first turn had no reasons.", "statements": [2]},
            "agent_b": {"reason": "It was clearer.", "turns": [3]},
        },
        "scores": {
            "agent_a": {"argument_quality": 10, "coherence": 0, "relevance": 5},
            "agent_b": {"argument_quality": 6, "coherence": 7, "relevance": 8},
        },
        "summary": "They met on turnout.",
    });
    let debate = played_by(TWO, move |call| row(&[(VERDICTS, Answer::json(&said))], call));
    shows!(debate.outcome, {
        "points": {"agent_a": 5.5, "agent_b": 6.9}, "winner": "agent_b", "rests_on": "own",
        "line": "Philosopher beats Scientist, 6.90 to 5.50 (1 judge)",
        "decided_by": "Judge-1 put Philosopher ahead in both orders of naming, by 1.40.",
        "details/winner": "agent_b", "details/summary": "They met on turnout.",
        "details/reasoning":
            "Scientist: Its first turn had no reasons. Philosopher: It was clearer.",
        "details/margin": 1.4, "details/changed_sides": [],
        "details/scores/agent_a/total": 5.5,
        "details/scores/agent_a/breakdown":
            {"argument_quality": 10.0, "coherence": 0.0, "relevance": 5.0},
    });
    shows!(debate, {"record/winner": "agent_b", "verdicts/0/judges/0/readings count": 2});
    let readings = &debate.json["verdicts"][0]["judges"][0]["readings"];
    shows!(readings, {
        "0/totals/agent_b": 6.9, "0/reasons/agent_b": {"text": "It was clearer.", "turns": [3]},
        "1/call": "end/verdict-reversed/judge_1",
    });
}

#[test]
fn u3_of_several_judges_the_means_decide_and_an_invalid_one_is_left_out() {
    let three = judged(3, &[(9, 2), (3, 5)]);
    shows!(three, {
        "outcome/points": {"agent_a": 6.0, "agent_b": 3.5}, "outcome/winner": "agent_a",
        "outcome/line": "Scientist beats Philosopher, 6.00 to 3.50 (2 judges, split 1 to 1)",
        "outcome/details/reasoning": "Scientist: It gave more reasons. Philosopher: It gave fewer.",
        "status": "done", "outcome/facts contains": r#"["Valid verdicts","2 of 3"]"#,
        "verdicts/0/judges/0/readings/0/status": "valid",
        "verdicts/0/judges/1/readings/0/status": "valid",
        "verdicts/0/judges/2/readings/0/status": "invalid",
    });
}

#[test]
fn u3_equal_means_are_a_draw_and_no_valid_judge_leaves_no_winner() {
    shows!(judged(2, &[(9, 2), (2, 9)]), {
        "outcome/winner": "draw",
        "outcome/line":
            "A draw between Scientist and Philosopher, 5.50 to 5.50 (2 judges, split 1 to 1)",
    });
    shows!(judged(2, &[]), {
        "status": "degraded", "outcome/winner": null, "outcome/rests_on": null,
        "outcome/line": "No winner: no valid verdict", "outcome/decided_by": "",
        "record/winner": null, "record/status": "degraded",
        "outcome/facts contains": "none (no valid verdict)",
    });
}

#[test]
fn o1_a_judge_whose_pick_changes_with_the_order_has_no_margin_and_it_is_told() {
    let debate = read_twice(Some((9, 6)), Some((5, 6)));
    shows!(debate, {
        "outcome/winner": "draw", "outcome/details/margin": 0.0,
        "outcome/details/changed_sides": ["judge_1"],
        "outcome/points": {"agent_a": 7.0, "agent_b": 6.0}, "status": "done",
    });
    let line = "A draw between Scientist and Philosopher: the judge contradicted itself (1 judge)";
    assert_eq!(debate.json["outcome"]["line"], line);
    let told = "Judge-1 put Scientist ahead by 3.00 in one order of naming and Philosopher ahead by 1.00 in the other: no preference, so its margin counts as 0. By the totals, Scientist would be ahead by 1.00, but margins decide.";
    has(&debate.json["outcome"]["decided_by"], told);
    let summary = summary(&debate);
    let reasons = "**Judge-1**, who preferred whichever side was named last, when asked about";
    has(&summary, "\nThe judge read the debate twice, with the sides named in opposite orders.\n");
    assert_eq!(summary.matches(reasons).count(), 2, "both are shown: {summary}");
    has_all(
        &summary,
        &[
            " | preferred whichever side was named last |",
            "** Weak evidence: one judge, who preferred whichever side was named last. Judge-1 put ",
        ],
    );
    assert_eq!(summary.matches(told).count(), 1, "{summary}");
    let report = debate.place.rebut_exits(0, &["stats", "output", "--format", "md"]).stdout;
    let distrust =
        "- In the only judgment of duel debates, the order of naming decided who is ahead: ";
    has(&report, distrust);
}

#[test]
fn o1_each_reading_names_the_model_that_gave_it() {
    let place = Place::new();
    place.reply_by(|call| {
        let lost = call.model() == "llama3" && is(call, "end/verdict-reversed*");
        match (lost, is(call, VERDICTS)) {
            (true, _) => Some(Answer::status(400, "no")),
            (_, true) => Some(verdict(call, 7, 5)),
            _ => fair(call),
        }
    });
    let debate = place.played(&format!("{JOB}{TWO}judges: [{{fallback: [mistral]}}]\n"));
    shows!(debate, {
        "verdicts/0/judges/0/model": "llama3",
        "verdicts/0/judges/0/readings/0/model": "llama3",
        "verdicts/0/judges/0/readings/1/model": "mistral",
    });
    has(&summary(&debate), "Judged by Judge-1 (llama3) and Judge-1 (mistral)");
}

#[test]
fn o1_nobody_ahead_in_one_order_is_nobody_ahead() {
    let debate = read_twice(Some((9, 6)), Some((6, 6)));
    shows!(debate, {
        "outcome/winner": "draw", "outcome/details/changed_sides": [],
        "outcome/details/level_in_one_order": ["judge_1"],
        "outcome/line contains": ": the judge's two readings disagree (1 judge)",
        "outcome/decided_by contains": "Judge-1 put Scientist ahead by 3.00 in one order of naming and nobody ahead in the other: no preference",
    });
    let summary = summary(&debate);
    has_all(
        &summary,
        &[
            "Weak evidence: one judge, who had a side ahead in one order of naming only. Judge-1 put ",
            "**Judge-1**, who had a side ahead in one order of naming only, when asked about",
            " | had a side ahead in one order of naming only |",
        ],
    );
    lacks(&summary, &["preferred"]);
    let shown = debate.place.rebut_exits(0, &["show", "job"]).stdout;
    has(&shown, "- Judge-1, who had a side ahead in one order of naming only, when asked about ");
}

/// A debate that its second judge decides: the first changes sides with the order.
fn with_one_turned() -> Played {
    played_by("rounds: 2\njudges: [{}, {}]\n", |call| {
        let scores = if is(call, "end/verdict*/judge_2") {
            (7, 4)
        } else if is(call, "end/verdict-reversed/*") {
            (2, 9)
        } else {
            (8, 7)
        };
        is(call, VERDICTS).then(|| verdict(call, scores.0, scores.1))
    })
}

#[test]
fn o1_where_judges_disagree_with_themselves_the_others_decide_narrowly() {
    let debate = with_one_turned();
    shows!(debate, {
        "outcome/winner": "agent_a", "outcome/details/margin": 1.5,
        "outcome/points": {"agent_a": 6.0, "agent_b": 6.0},
        "outcome/line":
            "Scientist beats Philosopher by 1.50 (2 judges, 1 undecided)",
        "outcome/decided_by contains": "The totals have nobody ahead, but margins decide.",
    });
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(&index, "\nmargin: 1.5\nweak: true\nsplit: null\n");
    has(
        &summary(&debate),
        "** Weak evidence: one judge alone decides. Mean margin of 2 judges: Scientist ahead by 1.50. Judge-1 put ",
    );
    has(
        &summary(&debate),
        "\n- Judge-1: no preference (Scientist by 1.00 and Philosopher by 7.00)\n- Judge-2: Scientist by 3.00 in both readings\n",
    );
}

#[test]
fn o1_a_winner_by_margins_whose_total_is_lower_is_told_with_both_wherever_it_is_told() {
    let debate = played_by("rounds: 2\njudges: [{}, {}]\n", |call| {
        let scores = if is(call, "*/judge_1") {
            (7, 8)
        } else if is(call, "end/verdict-reversed/*") {
            (5, 6)
        } else {
            (9, 3)
        };
        is(call, VERDICTS).then(|| verdict(call, scores.0, scores.1))
    });
    let line = "Philosopher beats Scientist by 0.50 (2 judges, 1 undecided)";
    let differ = "The totals point the other way, Scientist ahead by 0.75, but margins decide.";
    shows!(debate, {
        "outcome/winner": "agent_b", "outcome/line": line,
        "outcome/decided_by starts": "Mean margin of 2 judges: Philosopher ahead by 0.50. Judge-2 put ",
        "outcome/decided_by ends": differ,
    });
    let dir = debate.place.debates()[0].clone();
    let path = dir.to_string_lossy().into_owned();
    let shown = |more: &[&str]| {
        let args = [&["show", &path], more].concat();
        debate.place.rebut_exits(0, &args).stdout
    };
    let texts = [
        read(&dir.join("summary.md")),
        read(&dir.join("index.md")),
        read(&dir.join("debate.html")),
        shown(&[]),
        shown(&["--budget", "500"]),
    ];
    for told in &texts {
        has(told, line);
        assert!(told.matches(differ).count() < 2, "{told}");
    }
    for file in ["summary.md", "debate.html"] {
        has(&read(&dir.join(file)), differ);
    }
    has(&read(&dir.with_file_name("index.md")), line);
    // The first reasons are one of each judge, and both of the one that changed sides.
    let brief = shown(&["--budget", "2000"]);
    let (_, reasons) = brief.split_once("\nReasons:\n").expect("reasons");
    let reasons = reasons.lines().take_while(|line| line.starts_with("Judge-"));
    let reasons = reasons.filter(|line| line.contains(" (asked about "));
    let judges: Vec<&str> =
        reasons.filter_map(|line| line.split(" (asked about ").next()).collect();
    assert_eq!(judges, ["Judge-1", "Judge-2", "Judge-2"], "{brief}");
}

#[test]
fn o1_a_draw_of_judges_who_contradict_themselves_is_weak_evidence_however_many_they_are() {
    let debate = played_by("rounds: 2\njudges: [{}, {model: mistral}]\n", |call| {
        let reversed = is(call, "end/verdict-reversed/*");
        is(call, VERDICTS).then(|| if reversed { verdict(call, 5, 8) } else { verdict(call, 8, 5) })
    });
    shows!(debate, {"outcome/winner": "draw", "outcome/details/changed_sides count": 2});
    has(
        &summary(&debate),
        ": each judge contradicted itself (2 judges).** This result is weak evidence. ",
    );
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(&index, "\nweak: true\n");
    shows!(debate.place.found(&[]), {"counts/decided": 1, "counts/weak": 1});
}

#[test]
fn o1_seats_of_one_model_are_one_judge_and_weak_evidence() {
    let of_judges = |judges: &str| {
        played_by(&format!("rounds: 2\njudges: {judges}\n"), |call| {
            is(call, VERDICTS).then(|| verdict(call, 8, 6))
        })
    };
    let told = "(2 judges).** Weak evidence: judges on one model count as one.";
    has(&summary(&of_judges("[{}, {}]")), told);
    lacks(&summary(&of_judges("[{}, {model: mistral}]")), &["Weak evidence", "weak evidence"]);
}

#[test]
fn a4_what_a_judge_says_in_either_reading_is_told() {
    let debate = played_by(TWO, |call| {
        let reversed = is(call, "end/verdict-reversed*");
        let said =
            if reversed { "Ann, on the whole, was better." } else { "It gave more reasons." };
        is(call, VERDICTS).then(|| {
            let mut verdict = modest(call.schema().expect("a schema"));
            verdict["reasons"]["agent_a"] = json!({"reason": said, "statements": []});
            Answer::json(&verdict)
        })
    });
    let dir = debate.place.debates()[0].clone();
    let id = debate.json["id"].as_str().expect("an id");
    let texts = [
        read(&dir.join("summary.md")),
        read(&dir.join("debate.html")),
        debate.place.rebut_exits(0, &["show", id]).stdout,
        debate.place.rebut_exits(0, &["show", id, "--budget", "2000"]).stdout,
    ];
    for told in texts {
        has_all(&told, &["It gave more reasons.", "Ann, on the whole, was better."]);
    }
}

#[test]
fn o1_a_margin_that_judges_who_disagree_leave_is_called_weak_evidence() {
    let debate = played_by("rounds: 2\njudges: [{}, {}]\n", |call| {
        let scores = if is(call, "*/judge_2") { (5, 6) } else { (8, 6) };
        is(call, VERDICTS).then(|| verdict(call, scores.0, scores.1))
    });
    shows!(debate, {"outcome/winner": "agent_a", "outcome/details/margin": 0.5});
    let told = summary(&debate);
    has(
        &told,
        "6.50 to 6.00 (2 judges, split 1 to 1).** Weak evidence: as many judges are against the winner as for it (1.00 against, 2.00 for).",
    );
    // That is the difference of these totals.
    lacks(&told, &["Mean margin"]);
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(&index, "\nmargin: 0.5\nweak: true\nsplit: [1,1]\n");
    let found = debate.place.found(&["--by", "format"]);
    let told = debate.place.rebut_exits(0, &["stats", "output"]).stdout;
    has(&told, ", weak evidence in the only one that judges decided");
    shows!(found, {
        "counts/decided": 1, "counts/weak": 1,
        "breakdowns/0/groups/0/counts/weak": 1,
    });
}

#[test]
fn o1_judges_who_split_and_whose_readings_differ_by_more_than_the_margin_are_told() {
    let debate = played_by("rounds: 2\njudges: [{}, {}]\n", |call| {
        let own = if is(call, "*/judge_2") { (6, 7) } else { (9, 6) };
        let more = u64::from(is(call, "end/verdict-reversed/*"));
        is(call, VERDICTS).then(|| verdict(call, own.0 - more, own.1))
    });
    let line = "Scientist beats Philosopher, 7.00 to 6.50 (2 judges, split 1 to 1; a judge's two readings differ by 1.00 on average, more than the margin)";
    shows!(debate, {"outcome/line": line});
    let dir = debate.place.debates()[0].clone();
    let id = debate.json["id"].as_str().expect("an id");
    let shown = |budget: u32| {
        let args = ["show", id, "--budget", &budget.to_string()];
        debate.place.rebut_exits(0, &args).stdout
    };
    let texts = [
        read(&dir.join("summary.md")),
        read(&dir.join("index.md")),
        read(&dir.join("debate.html")).replace("&#39;", "'"),
        read(&dir.with_file_name("index.md")),
        shown(100),
        shown(2000),
    ];
    for told in &texts {
        has(told, line);
        lacks(told, &[" leads by "]);
    }
    has_all(
        &texts[0],
        &[
            "** Weak evidence: as many judges are against the winner as for it (1.50 against, 2.50 for).",
            "## What decided it\n\nEach judge read the debate twice, with the sides named in opposite orders.\n\n- Judge-1: Scientist by 2.50 (3.00 and 2.00)\n- Judge-2: Philosopher by 1.50 (1.00 and 2.00)\n\n",
        ],
    );
    // What judges gave stands behind the means.
    for (told, row) in [
        (&texts[0], "and what each gave, averaged"),
        (&texts[2], ">Philosopher by Judge-1<"),
        (&texts[0], "| Scientist by Judge-2 | "),
        (&texts[5], "\nScientist (mean) | "),
        (&texts[5], "\nScientist by Judge-2 | "),
    ] {
        has(told, row);
    }
    let put = "\nJudge-1: Scientist by 2.50 (3.00 and 2.00); Judge-2: Philosopher by 1.50 (1.00 and 2.00)\n";
    has(&shown(300), put);
    // Neither is heard without the other.
    for budget in (100..1500).step_by(50) {
        let told = shown(budget);
        let words = ["\nJudge-N (asked"];
        let is_heard = |n: &str| words.iter().any(|it| told.contains(&it.replace('N', n)));
        assert_eq!(is_heard("1"), is_heard("2"), "{told}");
    }
}

#[test]
fn o1_of_one_judge_whose_readings_differ_by_more_than_the_margin_it_is_told() {
    let debate = read_twice(Some((9, 5)), Some((7, 6)));
    shows!(debate, {"outcome/line": "Scientist beats Philosopher, 8.00 to 5.50 (1 judge; the judge's two readings differ by 3.00, more than the margin)"});
    has(&summary(&debate), "** Weak evidence: one judge. Judge-1 put ");
}

#[test]
fn o1_a_score_that_was_rounded_is_told_under_its_reading_and_totals_shown_give_the_margin() {
    let debate = played_by(TWO, |call| {
        is(call, VERDICTS).then(|| {
            let mut verdict = modest(call.schema().expect("a schema"));
            if is(call, "end/verdict/*") {
                verdict["scores"]["agent_b"]["argument_quality"] = json!(7.5);
            }
            Answer::json(&verdict)
        })
    });
    let readings = &debate.json["verdicts"][0]["judges"][0]["readings"];
    shows!(readings, {
        "0/rounded": {"agent_b.argument_quality": 7.5},
        "0/scores/agent_b.argument_quality": 8.0,
    });
    assert!(readings[1].get("rounded").is_none(), "{readings}");
    let told =
        "\n  - Argument quality of Philosopher: 7.5, counted as 8 (halves go to the even number)\n";
    assert_eq!(summary(&debate).matches(told).count(), 1, "{}", summary(&debate));
    let page = read(&debate.place.debates()[0].join("debate.html"));
    has(
        &page,
        "</summary>\n<p class=\"intro\">Argument quality of Philosopher: 7.5, counted as 8 (",
    );
    debate.is_of_the_published_shape();
}

#[test]
fn o1_a_judge_with_the_persona_of_one_side_is_told() {
    let persona = "a: {persona: engineer}\njudges: [{persona: engineer}, {}]\nrounds: 2\n";
    let debate = played_by(persona, |_| None);
    let told = "Judge-1 has the same persona as Scientist (engineer) and may favour that side";
    has(&summary(&debate), &format!("\n> {told}.\n"));
    let check = |more: &str| {
        debate.place.write("checked.yaml", &format!("{JOB}{more}"));
        debate.place.rebut_exits(0, &["check", "--rehearse", "checked.yaml"]).stdout
    };
    let checked = check(persona);
    has_all(&checked, &["warning: checked: ", told]);
    let seats = "2 judges run on 1 model: those on one model count as one";
    has(&checked, seats);
    lacks(&check("judges: [{}, {model: mistral}]\nrounds: 2\n"), &[seats]);
    // Of both sides, it favours neither.
    lacks(&check(&format!("b: {{persona: engineer}}\n{persona}")), &["has the same persona"]);
}

#[test]
fn o1_of_a_judge_with_one_valid_reading_that_one_counts_and_it_is_told() {
    let debate = read_twice(Some((8, 6)), None);
    shows!(debate, {
        "outcome/winner": "agent_a", "outcome/points": {"agent_a": 8.0, "agent_b": 6.0},
        "status": "done", "verdicts/0/judges/0/readings/1/status": "invalid",
        "outcome/decided_by contains":
            "Only one reading of Judge-1 counts: the other was unusable.",
        "outcome/line contains": "(1 judge, one reading)",
    });
    let summary = summary(&debate);
    has(&summary, "not valid | one reading counts |");
    has(
        &summary,
        "One judge's scores, in one order only, from 0 to 10; the total is the weighted mean.",
    );
    assert_eq!(summary.matches("It gave more reasons.").count(), 1, "quoted once: {summary}");
}

#[test]
fn a9_a_brief_tells_reasons_of_both_readings_that_disagree_or_of_neither() {
    let debate = read_twice(Some((8, 5)), Some((5, 8)));
    let id = debate.json["id"].as_str().expect("an id");
    let mut are_told = false;
    for budget in (150..850).step_by(100) {
        let args = ["show", id, "--budget", &budget.to_string()];
        let brief = debate.place.rebut_exits(0, &args).stdout;
        let told = ["Scientist", "Philosopher"]
            .map(|first| brief.contains(&format!("\nJudge-1 (asked about {first} first; ")));
        assert_eq!(told[0], told[1], "{brief}");
        are_told |= told[0];
    }
    assert!(are_told);
}

#[test]
fn o1_a_draw_by_a_single_reading_is_told_as_one() {
    let debate = played_by("judges: [{}, {}]\nrounds: 2\n", |call| {
        let is_lost = is(call, "end/verdict-reversed/judge_2");
        let unusable = || Answer::text("I cannot say.");
        is(call, VERDICTS).then(|| if is_lost { unusable() } else { verdict(call, 6, 6) })
    });
    shows!(debate, {"outcome/line contains": "6.00 to 6.00 (2 judges, 1 with one reading)"});
    let told =
        "\n- Judge-1: nobody ahead in both readings\n- Judge-2: nobody ahead (one reading)\n";
    has(&summary(&debate), told);
}

#[test]
fn u3_judges_see_names_and_never_models_and_credit_no_late_arguments() {
    let late = "reasons in reply to others count; a wholly new line of argument counts neither for nor against its side.";
    let short = played("rounds: 2\n", &[]);
    lacks(&short.asked(VERDICTS)[0].text(), &[late]);
    let debate = played("rounds: 4\nb: {model: mistral}\n", &[]);
    for call in debate.asked(VERDICTS) {
        let text = call.text();
        assert!(!text.contains("mistral") && !text.contains("llama3"), "{text}");
        has_all(&text, &["Scientist", late]);
    }
}

#[test]
fn u3_with_one_order_each_judge_reads_once() {
    let debate = played("rounds: 2\nboth_orders: false\n", &[]);
    assert_eq!(debate.count(VERDICTS), 1);
    shows!(debate, {"verdicts/0/judges/0/readings count": 1});
}

#[test]
fn u3_judges_are_told_the_numbers_of_turns_and_cite_no_others() {
    let debate = played_by(&format!("{TWO}rules: [Be brief.]\n"), |call| {
        let mut value = modest(call.schema().filter(|_| is(call, VERDICTS))?);
        value["reasons"]["agent_a"]["statements"] = json!([3, 2, 2, 99]);
        value["reasons"]["agent_b"]["reason"] = json!("It answers statement 2, not statement 7.");
        value["summary"] = json!("It turned on what statement 2 says of fines.");
        Some(Answer::json(&value))
    });
    let task = debate.task("end/verdict/*");
    let breach = "A breach of the rules counts under argument quality, less if it was taken back.";
    has_all(&task, &["Scientist's is 2", "Philosopher's is 3", breach]);
    lacks(&task, &["4 at most"]);
    has(debate.asked("end/verdict/*")[0].last_message(), ", statement 2]\n");
    for key in ["reasons", "scores", "summary"] {
        has(&task, &format!("\n- \"{key}\": "));
    }
    shows!(debate, {
        "verdicts/0/judges/0/readings/0/reasons/agent_a/turns": [2],
        "verdicts/0/judges/0/readings/0/reasons/agent_b/text": "It answers [002], not statement 7.",
        "verdicts/0/judges/0/readings/0/summary": "It turned on what [002] says of fines.",
    });
    let left_out = debate.incidents("citation");
    assert_eq!(left_out.len(), 2, "of each reading: {left_out:?}");
    for first in ["Scientist", "Philosopher"] {
        let told = format!(
            "Judge-1's reason on Scientist, when asked about {first} first, cites [003] and [099], which are not Scientist's: left out of the statements it cites"
        );
        assert!(left_out.iter().any(|it| it.message == told), "{left_out:?}");
        // Not escaped in Markdown.
        has(&read(&debate.place.debates()[0].join("metadata.md")), &format!("| {told} |"));
    }
    let summary = summary(&debate);
    has_all(&summary, &["\n- 2 wrong citations.\n", ": It answers [002], not statement 7."]);
    has(
        &read(&debate.place.debates()[0].join("debate.html")),
        "It answers <a href=\"#m002\">002</a>, not",
    );
}

#[test]
fn u3_criteria_weights_and_guides_are_the_jobs_and_the_judge_reads_them() {
    let criteria = "criteria:\n  wit: {weight: 1, guide: {0: Dull, 5: Dry, 10: Brilliant}}\n";
    let debate = played(&format!("{TWO}{criteria}"), &[]);
    has(
        &debate.task(VERDICTS),
        "- wit: 0 = Dull; 5 = Dry; 10 = Brilliant.\n\nScientist could answer nothing, so leave out what these say of “the opponent” when you score Scientist.\n\nThe totals decide: whoever argued better in your view should get the higher scores.\n",
    );
    shows!(debate, {"outcome/points": {"agent_a": 8.0, "agent_b": 6.0}});
}

#[test]
fn u4_a_prompt_holds_own_points_the_opponents_last_turn_and_nothing_twice() {
    let debate = played("rounds: 6\n", &[]);
    let prompt = task(&debate, 4);
    let (record, task_of_4) = prompt.split_once("# Your task").expect("a task");
    has_all(
        &task_of_4,
        &[
            "The clerk's notes as of the end of turn 2; what was said since may have changed this:\n\nYour points that stood then:\n- The point of round 2\n",
            "Your opponent's points that stood then:\n- The point of round 1\n",
            "First answer what matters most in Scientist's last turn (turn 3).",
        ],
    );
    // While the record has whole rounds, it is summary enough.
    lacks(&prompt, &["This came of round 2."]);
    let last = format!("## Turn 3\n\n[Scientist]\n{}", TURNS[2]);
    assert!(
        record.trim_end().ends_with(&last),
        "the opponent's last turn ends the record: {record}"
    );
    has(&task(&debate, 1), "Open the debate: say where you stand");
}

#[test]
fn u4_prompts_read_well_with_and_without_a_position() {
    let first = task(&played(TWO, &[]), 1);
    has(&first, "You are Scientist.\nYour opponent is Philosopher.\n");
    let end = "Now answer, in your own words, this question: Should voting be compulsory?";
    assert!(first.ends_with(end), "{first}");
    let debate = played("rounds: 2\na: {position: Yes to it}\nb: {position: No to it}\n", &[]);
    let first = &asked(&debate, 1)[0];
    has(
        &first.last_message(),
        "You are Scientist. You argue for this position: Yes to it\nYour opponent is Philosopher.\n",
    );
    assert!(first.last_message().ends_with("for this position: Yes to it"));
    has(&first.system(), "- Philosopher argues for this position: No to it");
}

/// A duel of five turns in which Ben narrows its position in its first turn, and Ann gives its own up in its second.
fn yielding() -> Played {
    let cast = "a: {name: Ann, position: All should have to vote.}\nb: {name: Ben, position: Nobody should be made to vote}\n";
    played_by(&format!("rounds: 5\n{cast}"), |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("round-2/clerk#1", 1) => note("It is fair.", &["It is fair"], &[]),
            ("round-2/clerk#1", 2) => note("Force.", &["Nobody but mayors"], &["B0 limit 2.1"]),
            ("round-4/clerk#1", 1) => note("Not all.", &[], &["A0 drop"]),
            _ => note("A claim.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    })
}

#[test]
fn m7_a_position_that_is_narrowed_or_given_up_is_told_wherever_its_side_is() {
    let debate = yielding();
    shows!(debate, {"flow/points count": 2, "flow/edges": [], "flow/positions/0/with": "B1"});
    let dir = debate.place.debates()[0].clone();
    let gone = "All should have to vote. – as the clerk noted it, given up in [004]\n";
    let left = "Nobody should be made to vote – as the clerk noted it, narrowed in [003] to: Nobody but mayors";
    has_all(
        &read(&dir.join("summary.md")),
        &[
            &format!("): {gone}- Ben ("),
            &format!("): {left}\n"),
            "- As the clerk noted it, Ann gave up its position; it argued “It is fair” (",
            "- Ben argued “Nobody but mayors” (what is left of its position).\n",
            "\n### Ann, position given up\n",
            "\n### Ben, position narrowed to “Nobody but mayors” (B1)\n\n1 point (what is left of its position: 1).\n",
            "- B1: Nobody but mayors – **what is left of its position** (",
            "\n[003]: messages/",
        ],
    );
    let messages: Vec<String> = list(&dir.join("messages")).iter().map(|it| read(it)).collect();
    let narrowed = "position: {\"became\":\"narrowed\",\"narrowed_to\":\"B1\"}\n";
    has_all(
        &messages[2],
        &["answers: {\"B0\":\"narrows\"}\n", narrowed, &format!("\n# Ben ({left}): ")],
    );
    has(&messages[3], "position: {\"became\":\"given up\",\"narrowed_to\":null}\n");
    has(&messages[1], "\n# Ann (All should have to vote.): ");
    has(&messages[3], "\n# Ann: ");
    has(&messages[4], &format!("\n# Ben ({left}): "));
    lacks(&messages[4], &["\nposition: "]);
    let index = read(&dir.join("index.md"));
    has_all(
        &index,
        &[
            &format!("- **Ann**: {} (", gone.trim_end()),
            &format!("- **Ben**: {left} ("),
            "\"became\":\"given up\",\"narrowed_to\":null}",
            "\"became\":\"narrowed\",\"narrowed_to\":\"Nobody but mayors\"}]",
        ],
    );
    has_all(
        &read(&dir.join("debate.html")),
        &[
            "given up in <a href=\"#m004\">004</a></li>",
            "</a> · narrows its position to <a href=\"#p-B1\" title=\"Nobody but mayors\">B1</a></p>",
            "gives its position up</p>",
            "narrowed in <a href=\"#m003\">003</a> to: Nobody but mayors</li>",
            "Ben, position narrowed to “Nobody but mayors” (B1)</h3>",
        ],
    );
    let shown = |more: &[&str]| {
        let show = ["show", &debate.id[..12]];
        debate.place.rebut_exits(0, &[&show[..], more].concat())
    };
    has(&shown(&[]).stdout, left);
    for budget in ["300", "600", "2000"] {
        let brief = shown(&["--budget", budget]).stdout;
        has_all(&brief, &[&format!("): {gone}Ben ("), &format!("): {left}\n")]);
        // A point among others is not the head again.
        lacks(&brief, &["narrowed its position"]);
    }
}

#[test]
fn m7_if_both_sides_narrowed_their_positions_the_outcome_has_what_they_held_side_by_side() {
    let cast = "a: {name: Ann, position: All should have to vote.}\nb: {name: Ben, position: Nobody should be made to vote}\n";
    let told = "In the end, as the clerk noted it, Ann held “All but the sick”; Ben held “Nobody but mayors”.";
    for both in [true, false] {
        let debate = played_by(&format!("rounds: 4\n{cast}"), move |call| {
            let noted = |place: usize| match (call.name().as_str(), place) {
                ("round-4/clerk#1", 1) if both => {
                    note("Not the sick.", &["All but the sick"], &["A0 limit 1.1"])
                }
                ("round-4/clerk#1", 2) => {
                    note("Mayors.", &["Nobody but mayors"], &["B0 limit 2.1"])
                }
                _ => note("A claim.", &["A reason"], &[]),
            };
            is(call, "*/clerk").then(|| notes(call, "They met.", noted))
        });
        let dir = debate.place.debates().remove(0);
        for name in ["summary.md", "index.md", "debate.html"] {
            assert_eq!(read(&dir.join(name)).contains(told), both, "{name}");
        }
    }
}

#[test]
fn m7_clerk_speakers_and_judges_are_told_what_giving_up_part_of_a_position_means() {
    let debate = yielding();
    let clerk = "\n  \"M0 limit 1.2\" or \"M0 drop\": it openly takes back part of its own position, or more than before (1.2 is all of the position that is left), or gives up all of it. A0 is the position of Ann, B0 is that of Ben.\n  After ";
    has(&debate.task("round-2/clerk"), clerk);
    let speakers = "\n- A speaker that cannot hold part of its position says openly which part it gives up.\n- Every turn ";
    has(asked(&debate, 1)[0].system(), speakers);
    let judges = " Giving up a position openly, or part of it, is no fault in itself and no contradiction: judge what is still defended, and whether that grants the question to the other side. A turn that is missing";
    has(&debate.task(VERDICTS), judges);
    // The opponent is told, in its next task with notes on that turn.
    let told = "Your opponent is Ben.\nBen has narrowed its position to: Nobody but mayors.\n";
    has(&task(&debate, 5), told);
    lacks(&task(&debate, 4), &["Ben has narrowed"]);
    // The last words of a task do not ask for what was given up.
    let (narrowed, gone) = (task(&debate, 4), task(&debate, 5));
    let left = "for what is left of your position: Nobody but mayors";
    assert!(narrowed.trim_end().ends_with(left), "{narrowed}");
    has_all(
        &narrowed,
        &[
            "\nYou are Ben. You argued for this position: Nobody should be made to vote\nYou have narrowed it to: Nobody but mayors. (That is the clerk's wording; your own words in the record count for more.)\nYour opponent is Ann.\n",
            "\nYour points that stood then:\n",
        ],
    );
    has(&gone, " All should have to vote.\nYou have given it up.\n");
    let nothing = "without arguing for your position again: say what your case still shows";
    assert!(gone.trim_end().ends_with(nothing), "{gone}");
    has(
        &debate.task("round-4/clerk"),
        " A0 is the position of Ann, B0 is that of Ben (narrowed to B1).\n",
    );
    let without = played("rounds: 2\n", &[]);
    let said = [without.task("round-2/clerk"), without.task(VERDICTS)].concat();
    let said = format!("{said}{}", asked(&without, 1)[0].system());
    lacks(&said, &["M0", "Giving up a position", "hold part of its position"]);
}

#[test]
fn u2b_a_duels_turns_open_rebut_and_close_and_the_clerk_notes_every_exchange() {
    let parts = |rounds: u32| -> Vec<String> {
        let debate = played(&format!("rounds: {rounds}\n"), &[]);
        turns(&debate).iter().map(|it| it.phase.name().to_owned()).collect()
    };
    assert_eq!(parts(2), ["opening"; 2]);
    assert_eq!(parts(3), ["opening", "opening", "closing"]);
    let debate = played("rounds: 7\n", &[]);
    let all = turns(&debate).into_iter().map(|it| it.phase.name());
    let (opening, closing) = (["opening"; 2], ["closing"; 2]);
    let expected = [&opening[..], &["rebuttal"; 3], &closing].concat();
    assert_eq!(all.collect::<Vec<_>>(), expected);
    let noted: Vec<u64> = debate.asked("round-*/clerk").iter().map(round_of).collect();
    assert_eq!(noted, [2, 4, 6, 7]);
    let noted = debate.notes.iter().map(|it| it.statements.len());
    assert_eq!(noted.collect::<Vec<_>>(), [2, 2, 2, 1]);
    for (round, told) in [
        (1, "Open the debate: say where you stand"),
        (2, "Open your case: say where you stand"),
        (3, " replied to in its last turn in the record, if any, or add one new argument."),
        (4, " replied to in its last turn in the record, if any, or add one new argument."),
        (6, "Then weigh the debate: say which points decide the question"),
        (7, "This is turn 7 of 7, your last."),
    ] {
        has(&task(&debate, round), told);
    }
    lacks(&task(&debate, 5), &["your last", "weigh the debate: say"]);
    // The system text says what counts in it, once.
    lacks(&task(&debate, 6), &["wholly new line"]);
}

#[test]
fn m7_both_agents_are_asked_what_their_opponent_asked_last() {
    const FIRST: &str = "Compulsory voting costs freedom. Who gains by compulsory voting?";
    const SECOND: &str = "Compulsory voting serves the poor. Who speaks for the poor now?";
    let debate = played("rounds: 6\n", &[(2, &[FIRST]), (3, &[SECOND])]);
    let asked = |question: &str| {
        format!(
            " asked you: \"{question}\" Answer this, or what is still open of it, unless it is rhetorical.\n"
        )
    };
    has(&task(&debate, 3), &asked("Who gains by compulsory voting?"));
    has(&task(&debate, 4), &asked("Who speaks for the poor now?"));
    // Notes on its own only turn would tell a speaker nothing.
    lacks(&task(&debate, 3), &["The clerk's notes"]);
    has(
        &task(&debate, 4),
        "The clerk's notes as of the end of turn 2; what was said since may have changed this:",
    );
}

#[test]
fn u2b_a_paraphrased_repetition_is_noted_and_the_next_task_names_what_was_answered() {
    let debate = played_by("rounds: 6\n", |call| {
        is(call, "round-2/clerk").then(|| {
            notes(call, "They met on turnout.", |place| match place {
                1 => note("It listens.", &["Parliaments listen to everyone"], &[]),
                _ => note("It breeds resent.", &["Force breeds resentment"], &["1.1 full 2.1"]),
            })
        })
    });
    lacks(&task(&debate, 3), &["(replied to by Philosopher"]);
    let next = task(&debate, 5);
    has(
        &next,
        "Parliaments listen to everyone (replied to by Philosopher: Force breeds resentment)",
    );
    // What stands of the opponent's is listed, though an own point names it as the answer.
    has(&next, "\n- Force breeds resentment\n");
    let repeats = played_by("rounds: 7\n", |call| {
        is(call, "round-4/clerk").then(|| {
            notes(call, "The first said it again.", |place| match place {
                1 => note("Turnout, once more.", &[], &["A1 repeated"]),
                _ => note("No choice.", &["Nobody has a choice"], &[]),
            })
        })
    });
    shows!(repeats.flow.edges, {"0/how": "repeated", "0/at": "A1", "0/statement": 4});
    assert_eq!(rejected(&repeats), [], "it is counted, not sent back");
    let told = "You said this again and added nothing; add something to it next time, or leave it:\n- The point of round 1\n";
    has(&task(&repeats, 5), told);
    lacks(&task(&repeats, 6), &["said this again"]);
}

#[test]
fn u2_apt_thought_experiments_are_not_sent_back() {
    let debate = played(
        "rounds: 4\n",
        &[
            (
                1,
                &[
                    "Imagine a ferry that sails wherever its passengers shout, and half of them stay in their cabins. Nobody would call its course the will of those aboard.",
                ],
            ),
            (
                2,
                &[
                    "Suppose a choir in which all must sing, those too who have no ear for it. The song grows louder. Does it grow truer?",
                ],
            ),
            (
                3,
                &[
                    "Picture a village well that anyone may drink from and nobody must dig. After ten dry summers, who still trusts the word free?",
                ],
            ),
            (
                4,
                &[
                    "Think of a jury drawn by force that shrugs at the evidence. I would rather be judged by six who listen than by twelve who were fetched.",
                ],
            ),
        ],
    );
    assert_eq!(rejected(&debate), []);
    assert!(debate.count("*/doubt*") > 0, "words of their own raise the question");
}

#[test]
fn u4_the_record_has_its_sources_keys() {
    let debate = played(THREE, &[]);
    let mut found = keys(&debate.record);
    found.sort_unstable();
    assert_eq!(
        found,
        ["current_round", "memory", "next_agent", "rounds_completed", "status", "topic", "winner"]
    );
    shows!(debate.record, {
        "topic": "Should voting be compulsory?", "current_round": 3, "rounds_completed": 3,
        "next_agent": null, "status": "done",
        "memory/current_round": 3, "memory/next_agent": null,
        "memory/summary":
            "Rounds 1 and 2: This came of round 2. Round 3: This came of round 3.",
        "memory/turns/1/agent": "agent_b", "memory/turns/1/text": TURNS[1],
    });
    let second = keys(turn(&debate, 2));
    let wanted = "n round agent name text tokens cut origin model at coherence similarity \
        closest_turn rejected_replies objections";
    for key in wanted.split_whitespace() {
        assert!(second.iter().any(|known| *known == key), "{key}");
    }
    shows!(debate.memories["agent_b"], {
        "debate_history": [2, 3, 4],
        "key_points_made": ["The point of round 2"],
        "opponent_points": ["The point of round 1", "The point of round 3"],
    });
}

#[test]
fn u4_a_failed_duel_says_how_far_it_came() {
    let debate = played("rounds: 4\non_failure: abort\n", &[(2, &[""])]);
    shows!(debate.record, {
        "current_round": 2, "rounds_completed": 1, "next_agent": "agent_b", "status": "failed",
    });
}

#[test]
fn u4_what_the_source_logs_are_events() {
    let debate = played(THREE, &[(3, &[TURNS[0], TURNS[2]])]);
    let events = json_lines(&read(&debate.place.debates()[0].join("events.jsonl")));
    let of = |name: &str| events.iter().filter(move |e| e["event"] == name).collect::<Vec<_>>();
    let counts =
        ["round_start", "statement", "memory", "rejection", "verdict"].map(|name| of(name).len());
    assert_eq!(counts, [3, 4, 2, 1, 1]);
    let starts = of("round_start").into_iter();
    let speakers: Vec<&Value> = starts.map(|e| &e["content"]["speakers"][0]).collect();
    assert_eq!(speakers, ["agent_a", "agent_b", "agent_a"]);
}

#[test]
fn u_rehearsals_go_through_all_paths() {
    // A seed by which the rehearsals come to all of these.
    let place = crate::harness::with_job(&format!("{JOB}seed: 7\nrepeat: 12\n"));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let traces: Vec<Value> = place.debates().iter().map(|dir| trace_in(dir)).collect();
    assert!(traces.iter().all(|t| t["status"] == "done"));
    let rejections: String = traces.iter().map(|t| t["rejections"].to_string()).collect();
    has_all(&rejections, &["it repeats the turn", "it is off the topic"]);
    let winner = |id: &str| traces.iter().any(|t| t["outcome"]["winner"] == id);
    assert!(winner("agent_a") && winner("agent_b"));
}

#[test]
fn a7_a_duels_trace_validates_against_the_printed_schema() {
    played(THREE, &[(3, &[TURNS[0]])]).is_of_the_published_shape();
}

/// A turn that is rejected once: what it says depends on nothing but the prompt.
fn repeats_once(call: &Call) -> Option<Answer> {
    let repeats = row(&[("round-3/statement/*#1", Answer::text(TURNS[0]))], call)
        .filter(|_| !is(call, DOUBTS));
    repeats.or_else(|| fair(call))
}

#[test]
fn j4_a_duel_killed_between_a_rejection_and_the_next_reply_asks_nothing_twice() {
    const AGAIN: &str = "round-3/statement/*#2";
    let whole = Place::new();
    whole.reply_by(repeats_once);
    let whole = whole.played(&format!("{JOB}{FOUR}"));
    assert_eq!(rejected_in(&whole), [3]);
    let expected = blanked(&whole.place.debates()[0]);

    let place = crate::harness::with_job(&format!("{JOB}{FOUR}"));
    place.reply_by(|call| if is(call, AGAIN) { Some(Answer::hang()) } else { repeats_once(call) });
    place.killed_while(AGAIN, &[]);
    place.reply_by(repeats_once);
    let ended = place.run(&["job.yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(blanked(&place.debates()[0]), expected);
    let answered: Vec<String> = place
        .server
        .chats()
        .into_iter()
        .filter(|call| call.completed)
        .map(|call| call.body.to_string())
        .collect();
    let mut once = answered.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), answered.len());
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
}

/// A duel of three exchanges with points, moves and questions.
fn argued() -> Played {
    played_by("rounds: 6\n", |call| {
        let round = round_of(call);
        let asks = match round {
            2 | 4 => "Who pays the fine?",
            6 => "Who counts the votes?",
            _ => "",
        };
        if is(call, TURNS_OF_ALL) && !is(call, DOUBTS) {
            let turn = TURNS[round as usize - 1];
            return Some(Answer::text(format!("{turn} {asks}")));
        }
        let of = |place: usize| match (round, place) {
            (2, 1) => note("Laws become fair.", &["Turnout makes laws fair"], &[]),
            (2, _) => note("It is force.", &["Force is wrong"], &["1.q part"]),
            (4, 1) => note("A duty.", &["It costs an hour"], &["Q1 part"]),
            (4, _) => note("No duty.", &[], &["A1 full"]),
            (6, 1) => note("The state.", &[], &["A2 drop", "Q1 full"]),
            _ => note("So it is.", &[], &["B1 limit 2.4"]),
        };
        is(call, "round-*/clerk").then(|| {
            notes(call, "They met.", |place| {
                let mut noted = of(place);
                noted["asks"] = json!(place == 2 && !asks.is_empty());
                noted
            })
        })
    })
}

#[test]
fn m7_of_many_points_the_map_has_what_is_left_of_positions_and_what_was_argued_last() {
    let cast = "a: {name: Ann, position: All should have to vote.}\nb: {name: Ben, position: Nobody should be made to vote}\n";
    for (rounds, left_out) in [(22, "B9 ("), (28, "B9, A10, B10, A11, B11, A12, B12 and A13.")] {
        let debate = played_by(&format!("rounds: {rounds}\n{cast}"), move |call| {
            let name = call.name();
            let noted = |place: usize| match (round_of(call), place) {
                (2, 1) => note("A claim.", &["A first reason"], &[]),
                (n, 1) => {
                    let met = format!("B{} part 1.1", n / 2 - 1);
                    note("A claim.", &[&*format!("A reason of {name}")], &[&*met])
                }
                (n, _) if n == rounds => note("Force.", &["Nobody but mayors"], &["B0 limit 2.1"]),
                _ => note("A claim.", &[&*format!("Another reason of {name}")], &[]),
            };
            is(call, "*/clerk").then(|| notes(call, "They met.", noted))
        });
        let index = read(&debate.place.debates()[0].join("index.md"));
        let [last, met, left] = [0, 1, 0].map(|back| rounds / 2 - back);
        has_all(
            &index,
            &[
                &format!(" Not drawn: {left_out}"),
                &format!("[\"Ben, position narrowed to B{left}\"]"),
                &format!(
                    "    B{left}[\"B{left}, what is left of its position: Nobody but mayors\"]"
                ),
                &format!("  A{last} -- replies in part to --> B{met}\n"),
            ],
        );
    }
}

#[test]
fn m7_what_a_reader_is_told_of_the_notes_on_a_duel_is_so() {
    let debate = argued();
    let told = summary(&debate);
    has(
        &told,
        "\n- 2 notes of the clerk left out: on [003] (there is no such point or question); on [007], about B1 (the narrower argument was not noted).\n",
    );
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(&index, " Not drawn: A2 (withdrawn).");
    let messages = list(&debate.place.debates()[0].join("messages"));
    has(&read(&messages[4]), "\nanswers: {\"A1\":\"replies to\",\"Q1\":\"repeats\"}\n");
    has_all(
        &told,
        &[
            "Who pays the fine? (answered in part by ",
            " in [004]; put again in [005]; answered by ",
            "Who counts the votes? (no turn left to answer)",
        ],
    );
}

#[test]
fn a4_in_short_a_case_is_told_by_how_it_began_before_what_was_granted_later() {
    let debate = played_by("rounds: 6\n", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("round-2/clerk#1", 1) => note("A duty.", &["Turnout makes laws fair"], &[]),
            ("round-2/clerk#1", _) => note("No duty.", &["Force is wrong"], &["1.1 part"]),
            ("round-4/clerk#1", 1) => note("It is.", &["It costs an hour"], &[]),
            ("round-4/clerk#1", _) => note("It is not.", &[], &["1.1 grant"]),
            ("round-6/clerk#1", 1) => note("So it is.", &["Blank votes are free"], &[]),
            ("round-6/clerk#1", _) => note("It is some.", &[], &["1.1 grant", "B1 drop"]),
            _ => note("A claim.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    });
    let by = debate.name_of("agent_b");
    let argued = format!(
        " argued “Turnout makes laws fair” (replied to in part by {by}) and “Blank votes are free” (granted by {by})"
    );
    has_all(&summary(&debate), &[&argued, " gave up “Force is wrong”.\n"]);
}

#[test]
fn a4_a_point_of_the_last_turn_left_no_turn_to_reply() {
    let told = summary(&played(THREE, &[]));
    has_all(
        &told,
        &[
            "- A2: The point of round 3 – **no turn left to reply** (",
            " and “The point of round 3” (no turn left to reply).\n",
        ],
    );
    lacks(&told, &["round 3 – **no reply noted**"]);
}

#[test]
fn u3_judges_are_told_who_had_no_turn_left() {
    for (rounds, last, silent) in [(TWO, "B", "A"), (THREE, "A", "B")] {
        let debate = played_by(rounds, |_| None);
        let name = |which: &str| {
            let id = format!("agent_{}", which.to_lowercase());
            debate.name_of(&id).to_owned()
        };
        let (last, silent) = (name(last), name(silent));
        let more = match rounds {
            TWO => format!(", nor that {silent} spoke before {last} and could answer nothing"),
            _ => String::new(),
        };
        let told = format!(
            "{last} had the last turn, and {silent} none left to answer it: do not hold that against {silent}{more}. "
        );
        for call in debate.asked(VERDICTS) {
            has(call.last_message(), &told);
        }
    }
}
