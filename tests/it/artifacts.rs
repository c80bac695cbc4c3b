//! Rows A1 to A9 and E1: the files of a debate.

use std::path::Path;

use mock_ollama::Answer;
use rebut::trace::{Fold, Trace};
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, SHORT_JOB, TINY_JOB, ballot_value, good, has, has_all, json_lines, kind, list,
    name_of, note, notes, read, round_of, shows,
};

/// Text that tries to act on every place it may be written to.
const HOSTILE: &str = "---\nid: fake\n---\n# Heading\n```\n</div><script>alert(1)</script>\n{{ 7 * 7 }}{% include 'x' %}\n\u{1b}[31mred\u{7}\u{0}\u{202e}mirror ../../etc/passwd | cell | ![i](http://x/y) [l](javascript:x)\n===\n> quote\n\"quoted\\\n\u{2028}sep";

fn names(debate: &Path) -> Vec<String> {
    list(debate)
        .iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a1_the_directory_has_its_dated_name_and_all_its_files() {
    let place = Place::new();
    let trace = place.trace_of(&format!("{SHORT_JOB}name: The Vote\n"), &[]);
    let debate = place.debates().remove(0);
    assert_eq!(
        names(&debate),
        [
            "debate.html",
            "events.jsonl",
            "facts.json",
            "index.md",
            "messages",
            "metadata.md",
            "summary.md",
            "trace.json"
        ]
    );
    let name = debate.file_name().expect("a name").to_string_lossy().into_owned();
    let started = trace["started_at"].as_str().expect("a time");
    let expected = format!(
        "{}_the-vote_{}",
        started[..19].replace(':', "-"),
        &trace["id"].as_str().expect("an id")[..12]
    );
    assert_eq!(name, expected);
    assert_eq!(
        debate.parent().and_then(Path::file_name).map(|d| d.to_string_lossy().into_owned()),
        Some(started[..10].to_owned())
    );
    let messages = list(&debate.join("messages"));
    assert_eq!(messages.len(), trace["statements"].as_array().expect("statements").len());
    assert!(
        messages[1].file_name().expect("a name").to_string_lossy().starts_with("002_position_x_")
    );
}

#[test]
fn a1_further_forms_and_the_transcript_are_written_where_asked_for() {
    let place = Place::new();
    let trace = place.trace_of(
        &format!("{SHORT_JOB}output: {{formats: [json, text, json], transcript: true}}\n"),
        &[],
    );
    let forms = &trace["plan"]["output"]["formats"];
    assert_eq!(forms, &json!(["md", "json", "text"]), "each once");
    let debate = place.debates().remove(0);
    for name in ["transcript.md", "transcript.json", "transcript.txt"] {
        assert!(debate.join(name).is_file(), "{name}");
    }
    let messages = list(&debate.join("messages"));
    let ending =
        |e: &str| messages.iter().filter(|p| p.extension().is_some_and(|x| x == e)).count();
    assert_eq!((ending("md"), ending("json"), ending("txt")), (8, 8, 8));
    let message: Value = serde_json::from_str(&read(
        messages.iter().find(|p| p.extension().is_some_and(|x| x == "json")).expect("a message"),
    ))
    .expect("JSON");
    assert_eq!(message["n"], 1);
}

#[test]
fn a2_the_index_stays_under_3000_tokens_and_its_links_lead_somewhere() {
    for rounds in [6, 31, 50] {
        let place = Place::new();
        place.trace_of(
            &format!("topic: Should voting be compulsory?\nrounds: {rounds}\n"),
            &["--rehearse"],
        );
        let debate = place.debates().remove(0);
        let index = read(&debate.join("index.md"));
        let tokens = rebut::text::estimate_tokens(&index);
        assert!(tokens < 3000, "{rounds} rounds: {tokens} tokens");
        for link in index.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or(link);
            assert!(debate.join(file).is_file(), "{link}");
        }
        let links = index.matches("](messages/").count();
        let listed = index.lines().filter(|line| line.contains(", argument, **")).count();
        match rounds {
            // Of nearly a hundred messages, each has its line; the last are the last vote and the clerk's story.
            6 | 31 => assert_eq!((links, listed), (rounds * 3 + 2, rounds * 2), "{index}"),
            // Beyond, the newest do, and one link leads to each earlier round.
            _ => assert!(listed >= 10 && links >= rounds, "{links} links\n{index}"),
        }
        // The map is left out before any message loses its line.
        let map = index.contains("\n## Map of the arguments\n");
        assert!(map || rounds > 6, "{rounds} rounds\n{index}");
    }
}

#[test]
fn a2_the_front_matter_is_the_line_of_the_list() {
    let place = Place::new();
    place.trace_of(&format!("{SHORT_JOB}tags: {{series: civics}}\n"), &[]);
    let index = read(&place.debates()[0].join("index.md"));
    let front = rebut::artifacts::front::parse(&index).expect("front matter");
    let line: Value = serde_json::from_str(read(&place.path().join("output/index.jsonl")).trim())
        .expect("a line of JSON");
    assert_eq!(Value::Object(front), line);
    assert_eq!(line["status"], "done");
    shows!(line, {"tags/series": "civics", "messages": 8, "job": "job"});
    assert!(
        place
            .path()
            .join("output")
            .join(line["path"].as_str().expect("a path"))
            .join("index.md")
            .is_file()
    );
}

#[test]
fn a3_metadata_names_models_settings_counts_and_incidents() {
    let place = Place::new();
    place.reply_by(|call| {
        (kind(call) == Kind::Statement)
            .then(|| Answer::text("A reason. Another cut o").done_reason("length").tokens(100, 800))
    });
    place.trace_of(&format!("{SHORT_JOB}matrix: {{x.temperature: [0.3]}}\n"), &[]);
    let text = read(&place.debates()[0].join("metadata.md"));
    for wanted in [
        "| varies: x.temperature | 0.3 |",
        "| rounds | 2 |",
        "| llama3 |",
        "8192",
        // What was sent: 0.2 for notes and ballots, 0.7 for the story and the statements.
        "| X | position\\_x | For the motion | advocate | llama3 |  | 0.3 | 1024 |",
        "| Clerk | clerk |  |  | llama3 |  | 0.7, in JSON replies 0.2 | 1024 |",
        "| Y-3 | position\\_y\\_3 | Against the motion | advocate | llama3 |  | 0.2 | 1024 |",
        "| statements | 4 | 0 | 400 | 3200 |",
        "| ballots | 6 |",
        "| notes | 2 |",
        "| the story | 1 |",
        "| cut | round-1/statement/position\\_x |",
        "## Votes by round",
    ] {
        assert!(
            text.contains(wanted) || text.contains(&wanted.replace("\\_", "_")),
            "{wanted} is not in:\n{text}"
        );
    }
}

#[test]
fn a4_the_summary_has_scores_reasons_points_and_what_decided_it_and_run_prints_the_table() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let ended = place.run(&["job.yaml"]);
    assert!(
        ended.stdout.lines().next().is_some_and(|line| line.starts_with("done\t")
            && line.contains("\tNo winner: nobody was voted out; Y-1 debated to the end\toutput/")),
        "{}",
        ended.stdout
    );
    assert_eq!(ended.stdout.lines().last(), Some("all debates: output/index.md"));
    has_all(&ended.stderr, &["Standing at the end", "round 2: X against Y-1"]);
    let text = read(&place.debates()[0].join("summary.md"));
    for wanted in [
        "**No winner: nobody was voted out; Y-1 debated to the end.**",
        "## Why the team voted so",
        "| 1 | Y-1 | 4.00 |",
        " | 4.00 | 0 of 3 voted to replace |\n| 2 | Y-1 | 4.00 |",
        " | 4.00 | 3 of 3 found that Y-1 upheld the position |\n",
        "- **Y-2** (4.00 of 5, keep): A fair try, well argued.",
        "- **Y-2** (4.00 of 5, position upheld): A fair try, well argued.",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
    assert!(!text.contains("Strongest points"), "nobody chose any:\n{text}");
    let page = read(&place.debates()[0].join("debate.html"));
    let y_2 = r#"<th scope="row">Y-2</th><td class="votes">votes keep</td><td class="votes">votes: position upheld</td>"#;
    has(&page, y_2);
}

#[test]
fn a5_the_lists_are_rebuilt_from_the_directories() {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 3\n"));
    assert_eq!(place.run(&["--rehearse", "job.yaml"]).code, 0);
    let lists = ["output/index.md", "output/index.jsonl"].map(|name| place.path().join(name));
    let before = lists.each_ref().map(|path| read(path));
    lists.iter().for_each(|path| std::fs::remove_file(path).expect("a list"));
    let ended = place.rebut(&["index"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(lists.each_ref().map(|path| read(path)), before);
    assert_eq!(before[1].lines().count(), 3);
    let debate = place.debates().remove(0);
    std::fs::remove_file(debate.join("index.md")).expect("an index");
    assert_eq!(place.rebut(&["index"]).code, 0, "the trace says what the debate is");
    assert_eq!(read(&lists[1]), before[1]);
    std::fs::remove_file(debate.join("trace.json")).expect("a trace");
    let broken = place.rebut(&["index"]);
    assert_eq!(broken.code, 1);
    assert!(broken.stderr.contains("is not listed"), "{}", broken.stderr);
    place.debates().iter().for_each(|path| std::fs::remove_dir_all(path).expect("a directory"));
    assert_eq!(place.rebut(&["index"]).code, 0);
    assert!(
        !debate.parent().expect("a day").join("index.md").exists(),
        "a day without debates has no page"
    );
}

#[cfg(unix)]
#[test]
fn a5_a_day_that_was_moved_and_linked_is_named_by_whoever_would_read_it() {
    let place = Place::new();
    place.write("job.yaml", TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let day = place.debates()[0].parent().expect("a day").to_path_buf();
    let moved = place.path().join("moved");
    std::fs::rename(&day, &moved).expect("a rename");
    std::os::unix::fs::symlink(&moved, &day).expect("a link");
    let name = format!("output/{}", name_of(&day));
    let told = format!("warning: {name} is a link and is not followed: its debates are not read");
    let index = place.rebut_exits(1, &["index"]);
    has(&index.stderr, &told);
    has(&index.stdout, "0 debates listed");
    has(&place.run(&["job.yaml"]).stderr, &told);
    has(&place.rebut(&["stats"]).stderr, &told);
}

#[test]
fn a5_nothing_half_written_has_a_dated_name() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &["--rehearse"]);
    assert!(list(&place.path().join("output/.rebut/staging")).is_empty());
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
    assert_eq!(list(&place.path().join("output/.rebut/journals")).len(), 1);
}

#[test]
fn a6_all_debates_below_a_directory_are_rendered_but_for_damaged_ones() {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 3\n"));
    place.run_exits(0, &["job.yaml"]);
    let debates = place.debates();
    let summaries: Vec<_> = debates.iter().map(|dir| dir.join("summary.md")).collect();
    for summary in &summaries {
        std::fs::remove_file(summary).expect("a summary");
    }
    std::fs::write(debates[0].join("trace.json"), "{}").expect("a file");
    let ended = place.rebut_exits(2, &["render", "output"]);
    assert_eq!(ended.stdout.lines().count(), 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("trace.json: not a trace"), "{}", ended.stderr);
    let are_there: Vec<bool> = summaries.iter().map(|it| it.exists()).collect();
    assert_eq!(are_there, [false, true, true]);
}

#[test]
fn a6_render_writes_the_same_files_again_and_templates_can_be_overridden() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let all = |dir: &Path| -> Vec<(std::path::PathBuf, String)> {
        list(dir)
            .into_iter()
            .chain(list(&dir.join("messages")))
            .filter(|p| p.is_file())
            .map(|p| (p.clone(), read(&p)))
            .collect()
    };
    let before = all(&debate);
    let path = debate.to_string_lossy().into_owned();
    assert_eq!(place.rebut(&["render", &path]).code, 0);
    assert_eq!(all(&debate), before);
    place.write("mine/artifacts/summary.md.j2", "My own summary of {{ topic }}\n");
    assert_eq!(place.rebut(&["render", &path, "--templates", "mine"]).code, 0);
    assert_eq!(
        read(&debate.join("summary.md")),
        "My own summary of Should voting be compulsory?\n"
    );
    place.write("mine/artifacts/sumary.md.j2", "misspelt");
    let ended = place.rebut(&["render", &path, "--templates", "mine"]);
    assert!(
        ended.code == 2 && ended.stderr.contains("there is no built-in artifacts/sumary.md.j2"),
        "{}",
        ended.stderr
    );
}

#[test]
fn j9c_render_changes_the_output_options_of_a_finished_debate() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let path = debate.to_string_lossy().into_owned();
    assert_eq!(place.rebut(&["render", &path, "--formats", "md,text", "--transcript"]).code, 0);
    assert!(debate.join("transcript.md").is_file() && debate.join("transcript.txt").is_file());
    assert_eq!(place.rebut(&["render", &path, "--formats", "md"]).code, 0);
    assert!(!debate.join("transcript.txt").exists() && debate.join("transcript.md").is_file());
    assert_eq!(list(&debate.join("messages")).len(), 8);
}

#[test]
fn a7_every_trace_validates_against_the_printed_schema() {
    let place = Place::new();
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "trace"]).stdout).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let mut traces = vec![place.trace_of(SHORT_JOB, &[])];
    let degraded = Place::new();
    degraded.server.script(
        |call| {
            if kind(call) == Kind::Clerk { good(call) } else { Answer::text("") }
        },
    );
    traces.push(degraded.trace_of(SHORT_JOB, &[]));
    let failed = Place::new();
    failed.server.script(|_| Answer::text(""));
    traces.push(failed.trace_of(&format!("{SHORT_JOB}on_failure: abort\n"), &[]));
    for trace in &traces {
        let errors: Vec<String> = validator.iter_errors(trace).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    for key in ["verdicts", "answers", "labels"] {
        assert!(traces[0][key].is_array(), "{key} is there from the start");
    }
    assert!(traces[0]["plan"].get("expected").is_some());
}

#[test]
fn a7_the_events_fold_into_the_trace() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let events: Vec<rebut::event::Event> = read(&debate.join("events.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let trace: Trace = serde_json::from_str(&read(&debate.join("trace.json"))).expect("a trace");
    let mut folded = Trace::fold(&events).expect("a whole debate");
    folded.record = trace.record.clone();
    assert_eq!(folded, trace);

    // As it grows, with everything before still held.
    let at_once = |events: &[rebut::event::Event]| {
        let mut fold = Fold::begin(&events[0]).expect("a start");
        events[1..].iter().for_each(|event| fold.add(event));
        fold.so_far()
    };
    let mut growing = Fold::begin(&events[0]).expect("a start");
    let mut so_far = vec![growing.so_far()];
    for event in &events[1..] {
        growing.add(event);
        so_far.push(growing.so_far());
    }
    for (n, so_far) in so_far.iter().enumerate() {
        assert_eq!(*so_far, at_once(&events[..=n]), "after {} events", n + 1);
    }
    let last = so_far.pop().expect("one");
    (folded.record, folded.record_digest) = (last.record.clone(), None);
    assert_eq!(*last, folded);
}

#[test]
fn a8_hostile_text_changes_no_structure_and_reaches_no_terminal() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement | Kind::Comment => {
            Answer::text(format!("{HOSTILE}\nIs <b>it</b> | [x](javascript:y) ``` \"so\"?"))
        }
        Kind::Ballot => {
            let mut ballot = ballot_value(4, true);
            ballot["comments"] = json!(HOSTILE.chars().take(500).collect::<String>());
            Answer::json(&ballot)
        }
        Kind::Clerk => notes(call, &HOSTILE.replace('\n', " "), |place| {
            let moves = [&[][..], &["1.1 full 2.1"]];
            let point = piece(place + 2 * round_of(call) as usize);
            let mut note = note(&piece(place), &[&point], moves[usize::from(place == 2)]);
            note["asks"] = json!(true);
            note
        }),
        _ => Answer::text("no notes"),
    });
    let job = json!({"topic": "Is <b>this</b> | a `topic` --- [x](y) # or not?", "rounds": 2, "x": {"name": "X | <i>", "position": "../../up"}, "tags": {"a: b": "c\" d"}, "output": {"transcript": true, "formats": ["text", "json"]}});
    place.write("job.yaml", &job.to_string());
    let ended = place.run(&["job.yaml", "-v"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let debate = place.debates().remove(0);
    for path in
        list(&debate).into_iter().chain(list(&debate.join("messages"))).filter(|p| p.is_file())
    {
        check_file(&path);
    }
    let trace: Trace = serde_json::from_str(&read(&debate.join("trace.json"))).expect("a trace");
    // Each side asks the same twice.
    assert_eq!((trace.flow.points.len(), trace.flow.questions.len()), (4, 2));
    check_map(&read(&debate.join("index.md")), 4);
    has(&read(&debate.join("debate.html")), "asks <a href=\"#p-Q1\" title=\"");
    let message = read(
        &list(&debate.join("messages"))
            .into_iter()
            .find(|p| {
                p.to_string_lossy().contains("002_position_x")
                    && p.extension().is_some_and(|e| e == "md")
            })
            .expect("a message"),
    );
    assert!(message.contains("{{ 7 * 7 }}"), "a template in a reply is text: {message}");
    for text in [
        &ended.stdout,
        &ended.stderr,
        &place.rebut(&["show", &debate.to_string_lossy()]).stdout,
        &place.rebut(&["show", &debate.to_string_lossy(), "round-1/statement/position_x"]).stdout,
    ] {
        assert!(
            !text.chars().any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}'),
            "a control character reaches the terminal"
        );
    }
}

/// A part of the hostile text that is no longer than a point may be.
fn piece(place: usize) -> String {
    HOSTILE.chars().cycle().skip(37 * place).take(70).collect()
}

/// Checks that the map of arguments has so many points and nothing else than points, their sides and arrows.
fn check_map(index: &str, points: usize) {
    let (_, map) = index.split_once("```mermaid\nflowchart LR\n").expect("a map");
    let (map, _) = map.split_once("\n```\n").expect("the map's end");
    let is_label = |label: &str| !label.contains(['"', '<', '>', '#', '`', '[', ']', '{', ';']);
    let is_id = |id: &str| id.len() >= 2 && id.chars().all(|c| c.is_ascii_alphanumeric());
    let mut nodes = 0;
    for line in map.lines() {
        let labelled = line.trim().split_once("[\"").and_then(|(id, rest)| {
            let label = rest.strip_suffix("\"]")?;
            let id = id.strip_prefix("subgraph ").unwrap_or(id);
            Some(is_id(id) && is_label(label))
        });
        let arrow = line
            .trim()
            .split_once(" -- replies to --> ")
            .map(|(from, to)| is_id(from) && is_id(to));
        nodes += usize::from(line.starts_with("    "));
        assert_eq!(
            labelled.or(arrow).or((line == "  end").then_some(true)),
            Some(true),
            "{line}\n{index}"
        );
    }
    assert_eq!(nodes, points, "{index}");
}

#[test]
fn a8_points_of_a_trace_that_others_wrote_break_nothing_and_ids_that_are_none_are_refused() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let path = debate.to_string_lossy().into_owned();
    let trace = crate::harness::trace_in(&debate);
    let points = trace["flow"]["points"].as_array().map_or(0, Vec::len);
    assert!(points > 1, "{}", trace["flow"]);
    let change = |changed: &dyn Fn(&mut Value)| {
        let mut trace = trace.clone();
        changed(&mut trace["flow"]);
        std::fs::write(debate.join("trace.json"), trace.to_string()).expect("a trace");
    };
    let breaks =
        "x\"] --> B1\n```\n# Heading\n\u{1b}[31m<script>alert(1)</script> [l](javascript:x); end";
    change(&|flow| {
        let (one, other) = (flow["points"][0]["id"].clone(), flow["points"][1]["id"].clone());
        let answer =
            json!({"statement": 3, "by": "position_y_1", "at": one, "how": "full", "with": other});
        flow["edges"] = json!([answer]);
        for point in flow["points"].as_array_mut().expect("points") {
            point["text"] = json!(breaks);
        }
    });
    for args in [["render", &path], ["show", &path]] {
        let ended = place.rebut(&args);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let printed = ended.stdout + &ended.stderr;
        assert!(!printed.contains('\u{1b}'), "{printed}");
    }
    for name in ["index.md", "summary.md"] {
        check_file(&debate.join(name));
    }
    check_map(&read(&debate.join("index.md")), points);
    for id in ["A1\"] --> X", "", "A", "a1", "A1\n", "AB1", "A0000001", "../A1", "A1é"] {
        change(&|flow| flow["points"][0]["id"] = json!(id));
        let ended = place.rebut(&["render", &path]);
        assert_eq!(ended.code, 2, "{id}: {}", ended.stderr);
        has_all(&ended.stderr, &["trace.json: not a trace: ", "is not part of a debate"]);
        let stats = place.rebut(&["stats", "output", "--full"]);
        has_all(&(stats.stdout + &stats.stderr), &["is not part of a debate"]);
    }
}

fn check_file(path: &Path) {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(
        name.is_ascii()
            && name.len() < 100
            && !name.contains(['<', '>', ':', '"', '\\', '|', '?', '*']),
        "{name}"
    );
    let text = read(path);
    if path.extension().is_some_and(|e| e == "md") {
        assert!(
            !text.contains("<script")
                && !text.contains("<b>")
                && !text.contains("<i>")
                && !text.contains('\u{1b}')
                && !text.contains('\u{202e}'),
            "{}",
            path.display()
        );
        let links = text.replace("\\]", "");
        assert!(!links.contains("](http") && !links.contains("](javascript"), "{}", path.display());
        if let Some(front) = rebut::artifacts::front::parse(&text) {
            assert_ne!(front.get("id"), Some(&json!("fake")));
        }
        let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
        assert_eq!(fences, if name == "index.md" { 2 } else { 0 }, "{}", path.display());
        assert!(
            !text.lines().any(|line| line == "# Heading" || line == "==="),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a9_show_prints_the_debate_and_any_call_of_it() {
    let place = Place::new();
    let trace = place.trace_of(SHORT_JOB, &[]);
    let id = &trace["id"].as_str().expect("an id")[..6];
    let shown = place.rebut(&["show", id]).stdout;
    has_all(
        &shown,
        &[
            "X (llama3): For the motion\n",
            "Votes by teammates: Y-2, Y-3 and Y-4\n",
            "── 002 X, round 1, argument",
            "  - Y-3 (4.00 of 5, keep): A fair try, well argued.\n",
            "── Outcome: No winner: nobody was voted out; Y-1 debated to the end",
        ],
    );
    let call = place.rebut(&["show", id, "round-2/ballot/position_y_3"]);
    let asked = place
        .server
        .chats()
        .into_iter()
        .find(|c| {
            kind(c) == Kind::Ballot
                && c.last_message().contains("You are Y-3. ")
                && crate::harness::round_of(c) == 2
        })
        .expect("a call");
    has_all(&call.stdout, &[asked.last_message(), asked.system()]);
    has_all(
        &call.stdout,
        &[&format!("seed {}", asked.option("seed").expect("a seed")), "A fair try, well argued."],
    );
    assert_eq!(place.rebut(&["show", id, "calls"]).stdout.lines().count(), 13);
    let wrong = place.rebut(&["show", id, "round-9/ballot/nobody"]);
    assert!(
        wrong.code == 2
            && wrong.stderr.contains("hint: its calls are\n  round-1/statement/position_x\n"),
        "{}",
        wrong.stderr
    );
    let message = place.rebut(&["show", id, "2"]).stdout;
    crate::harness::has(&message, "── round-1/statement/position_x attempt 1");
    let by_rebut = place.rebut(&["show", id, "1"]);
    let said = &trace["statements"][0]["text"];
    let said = said.as_str().expect("a text").lines().next();
    crate::harness::has_all(&by_rebut.stdout, &["── 001 ", said.expect("a line")]);
    let none = place.rebut(&["show", id, "99"]);
    crate::harness::has_all(
        &none.stderr,
        &["no message 99 in this debate", "hint: its messages are 1 to "],
    );
}

#[test]
fn e1_events_have_the_contracts_shape_and_chunks_are_live_only() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let ended = place.run(&["job.yaml", "--json"]);
    let live = json_lines(&ended.stdout);
    let logged = json_lines(&read(&place.debates()[0].join("events.jsonl")));
    for event in &live {
        assert_eq!(event["type"], "debate_event");
        assert!(
            event["debate"].is_string()
                && event["time"].is_string()
                && event["content"].is_object()
                && event["metadata"]["tokens_so_far"].is_u64(),
            "{event}"
        );
    }
    let seqs: Vec<u64> = logged.iter().filter_map(|e| e["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=logged.len() as u64).collect::<Vec<_>>());
    let names = |events: &[Value]| {
        events
            .iter()
            .filter_map(|e| e["event"].as_str().map(str::to_owned))
            // Moves that the mock's clerk draws can be about no point.
            .filter(|event| event != "incident")
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(
        names(&logged).into_iter().collect::<Vec<_>>(),
        [
            "ballot",
            "complete",
            "debate_start",
            "memory",
            "notes",
            "rotation",
            "round_start",
            "statement",
            "summary"
        ]
    );
    assert!(
        names(&live).contains("statement_chunk")
            && names(&live).contains("call_start")
            && names(&live).contains("call_end")
    );
    let numbered: Vec<&Value> = live.iter().filter(|e| e.get("seq").is_some()).collect();
    assert_eq!(numbered.len(), logged.len());
    let chunk = live.iter().find(|e| e["event"] == "statement_chunk").expect("a chunk");
    assert_eq!(chunk["content"]["from"], 0);
    shows!(chunk, {"metadata/call": "round-1/statement/position_x", "metadata/attempt": 1});
}

#[test]
fn e1_a_rounds_events_come_in_declared_order() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &["--concurrency", "8"]);
    let order: Vec<String> = read(&place.debates()[0].join("events.jsonl"))
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an event"))
        .filter(|e| e["round"] == 1 && e["event"] != "incident")
        .map(|e| {
            e["metadata"]["role"].as_str().map_or_else(
                || e["event"].as_str().unwrap_or("").to_owned(),
                |role| format!("{}:{role}", e["event"].as_str().unwrap_or("")),
            )
        })
        .collect();
    let expected = [
        "round_start",
        "statement:position_x",
        "statement:position_y_1",
        "ballot:position_y_2",
        "ballot:position_y_3",
        "ballot:position_y_4",
        "notes:clerk",
        "rotation",
        "memory",
        "summary:clerk",
        "statement:moderator",
    ];
    assert_eq!(order, expected);
}

#[test]
fn a6_a_users_index_template_does_not_make_a_debate_forgotten() {
    let place = Place::new();
    place.write("mine/artifacts/index.md.j2", "My own index of {{ topic }}\n");
    place.trace_of(SHORT_JOB, &["--templates", "mine"]);
    let asked = place.server.chats().len();
    assert_eq!(place.run(&["job.yaml", "--templates", "mine"]).code, 0);
    assert_eq!(place.server.chats().len(), asked);
    assert_eq!(place.debates().len(), 1);
    let absent = place.run(&["job.yaml", "--templates", "absent"]);
    assert!(
        absent.code == 2 && absent.stderr.contains("cannot read the templates in absent"),
        "{}",
        absent.stderr
    );
}

#[test]
fn a6_render_leaves_other_files_alone_and_refuses_other_versions() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    std::fs::write(debate.join("messages/my-notes.md"), "mine").expect("a file");
    let path = debate.to_string_lossy().into_owned();
    assert_eq!(place.rebut(&["render", &path]).code, 0);
    assert_eq!(read(&debate.join("messages/my-notes.md")), "mine");
    let trace = read(&debate.join("trace.json"));
    for (from, to) in [
        ("\"schema_version\": \"1.3\"", "\"schema_version\": \"2.0\""),
        ("\"by\": \"moderator\"", "\"by\": \"../../up\""),
    ] {
        std::fs::write(debate.join("trace.json"), trace.replacen(from, to, 1)).expect("a file");
        let ended = place.rebut(&["render", &path]);
        assert_eq!(ended.code, 2, "{to}: {}", ended.stderr);
    }
}

#[test]
fn a9_show_takes_any_text_for_an_id() {
    let place = Place::new();
    let trace = place.trace_of(SHORT_JOB, &[]);
    let id = trace["id"].as_str().expect("an id");
    assert_eq!(place.rebut(&["show", id]).code, 0);
    for wrong in ["aéééééééé", &format!("{}ffff", &id[..12]), "ab", ""] {
        assert_eq!(place.rebut(&["show", wrong]).code, 2, "{wrong}");
    }
}
