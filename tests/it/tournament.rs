//! Row J12: `rebut new tournament` writes a job in which nothing but the model decides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rebut::plan::{Plan, cells};
use rebut::templates::Templates;

use crate::harness::{Ended, Place, has, parsed_job, read};

const THREE: &str = "llama3,mistral,qwen3";

fn new(place: &Place, args: &[&str]) -> Ended {
    place.rebut(&[&["new", "tournament"], args].concat())
}

/// What a job that was printed gives.
fn plans(ended: &Ended) -> Vec<Plan> {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let templates = Templates::load(None).expect("the built-in templates");
    let path = Path::new("tournament.yaml");
    let job = parsed_job(path, &ended.stdout, &templates)
        .unwrap_or_else(|problems| panic!("{problems:#?}\n{}", ended.stdout));
    cells::debates(&job, &templates, false).collect()
}

/// A model's seat in a debate: `first` or `second`, what it argues for, and its persona.
type Seat = [String; 3];
/// A topic, a pair, and one of the two.
type Who = (String, BTreeSet<String>, String);

fn seats(plan: &Plan) -> [(String, Seat); 2] {
    let seat = |at: usize| {
        let who = &plan.participants[at];
        let persona = who.persona.as_ref().expect("a persona").name.clone();
        let turn = ["first", "second"][at].to_owned();
        (who.model.clone(), [turn, who.position.clone(), persona])
    };
    [seat(0), seat(1)]
}

#[test]
fn j12_everyone_meets_everyone_and_neither_side_nor_persona_nor_turn_decides() {
    let place = Place::new();
    place.write("topics.txt", "Should zoos be closed?\nShould cash be abolished?\n");
    let args = ["--models", THREE, "--judges", "gemma3,phi4", "--topics", "topics.txt"];
    let written = new(&place, &args);
    has(&written.stderr, "warning: 2 topics: with fewer than 10, ");
    let all = plans(&written);
    let mut met: BTreeMap<Who, Vec<Seat>> = BTreeMap::new();
    for plan in &all {
        let seats = seats(plan);
        let pair: BTreeSet<String> = seats.iter().map(|(model, _)| model.clone()).collect();
        for (model, seat) in seats {
            let key = (plan.topic.clone(), pair.clone(), model);
            met.entry(key).or_default().push(seat);
        }
    }
    assert_eq!(all.len(), 24, "two topics, three pairs, two of each");
    assert_eq!(met.len(), 12, "two topics, three pairs, two of each");
    for (who, seats) in met {
        assert_eq!(seats.len(), 4, "{who:?}");
        // Of turn, side and persona, each of any two comes with each of the other once.
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let both = seats.iter().map(|seat| (&seat[one], &seat[other]));
            let distinct: BTreeSet<_> = both.collect();
            assert_eq!(distinct.len(), 4, "{who:?}: {seats:?}");
        }
    }
    for plan in &all {
        let [pro, con] = seats(plan);
        let positions = BTreeSet::from([&pro.1[1], &con.1[1]]);
        assert_eq!(positions.len(), 2, "one argues for yes, the other for no");
        // The second judge reads in the other order.
        assert_eq!(plan.judges().len() % 2, 0);
    }
}

#[test]
fn j12_who_judges_or_keeps_the_notes_of_a_tournament_does_not_compete() {
    let place = Place::new();
    let ended = new(&place, &["--models", THREE, "--judges", "gemma3,phi4:latest"]);
    place.write("job.yaml", &ended.stdout);
    for plan in plans(&ended) {
        let others = plan.participants.iter().filter(|p| !plan.format.profile.argues(p));
        let models: Vec<&str> = others.map(|p| p.model.as_str()).collect();
        assert_eq!(models, ["gemma3", "phi4", "gemma3"]);
    }
    let checked = place.rebut(&["check", "--rehearse", "--limit", "8", "job.yaml"]);
    assert!(checked.code == 0 && !checked.stdout.contains("warning"), "{}", checked.stdout);

    for judges in ["mistral", "gemma3,mistral:latest"] {
        let ended = new(&place, &["--models", THREE, "--judges", judges]);
        let told = "mistral can't both compete and judge";
        assert!(ended.code == 2 && ended.stderr.contains(told), "{}", ended.stderr);
    }
}

#[test]
fn j12_the_tournament_that_is_shipped_is_what_the_command_writes() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/tournament.yaml");
    let written = new(&Place::new(), &["--models", THREE, "--judges", "gemma3,phi4"]);
    let shipped = read(&shipped);
    let (_, job) = shipped.split_once('\n').expect("a line for editors, and the job");
    assert_eq!(job.trim_end(), written.stdout.trim_end());
}

#[test]
fn j12_topics_are_taken_from_a_file_as_they_stand_there() {
    let place = Place::new();
    let topics = [
        "Should zoos be closed?",
        "Is it so: should we say \"no\"?",
        "- Should lists begin like this?",
        "Sollten Städte autofrei werden?",
        "Is C# better than C++?",
        "2 of 3, should that be enough?",
    ];
    let lines = topics.join("\n\n");
    let source = format!("\u{feff}# Mine.\n  # Still mine.\n{lines}\n");
    place.write("topics.txt", &source);
    let args = ["--models", "llama3:8b,mistral", "--judges", "phi4", "--topics", "topics.txt"];
    let found: BTreeSet<String> = plans(&new(&place, &args)).into_iter().map(|p| p.topic).collect();
    assert_eq!(found, topics.map(str::to_owned).into());
}

#[test]
fn j12_topics_are_taken_from_rows_with_what_else_is_said_of_them() {
    let place = Place::new();
    place.write(
        "topics.csv",
        "topic,area\nShould zoos be closed?,ethics\n\"Cash, should it be abolished?\",\"money, now\"\nShould bread be free?,\n",
    );
    place.write(
        "topics.jsonl",
        "{\"question\": \"Should zoos be closed?\", \"area\": \"ethics\"}\n{\"question\": \"Cash, should it be abolished?\", \"area\": \"money, now\"}\n{\"question\": \"Should bread be free?\"}\n",
    );
    for file in ["topics.csv", "topics.jsonl"] {
        let models = ["--models", "llama3,mistral", "--judges", "phi4"];
        let written = new(&place, &[&models[..], &["--topics", file]].concat());
        has(&written.stdout, "duels on 3 topics, 12 debates in all");
        let found: BTreeSet<(String, Option<String>)> = plans(&written)
            .into_iter()
            .map(|p| (p.topic, p.tags.get("area").filter(|it| !it.is_empty()).cloned()))
            .collect();
        let expected = [
            ("Should zoos be closed?", Some("ethics")),
            ("Cash, should it be abolished?", Some("money, now")),
            ("Should bread be free?", None),
        ]
        .map(|(topic, area)| (topic.to_owned(), area.map(str::to_owned)));
        assert_eq!(found, expected.into(), "{file}");
    }
    // The second has eight characters, which are as wide as sixteen.
    for (header, topic) in [
        ("topic\n", "Should zoos be closed?"),
        ("Topic\n", "Should zoos be closed?"),
        ("", "Should zoos be closed?"),
        ("", "動物園は必要か？"),
    ] {
        place.write("plain.csv", &format!("{header}{topic}\n"));
        let args = ["--models", "llama3,mistral", "--judges", "phi4", "--topics", "plain.csv"];
        let written = new(&place, &args);
        let topics: BTreeSet<String> = plans(&written).into_iter().map(|plan| plan.topic).collect();
        assert_eq!(topics, [topic.to_owned()].into(), "{}", written.stderr);
    }
}

#[test]
fn j12_what_is_wrong_with_a_tournament_is_said() {
    let place = Place::new();
    place.write("short.txt", "Should zoos be closed?\nWhy?\n");
    place.write("twice.txt", "Should zoos be closed?\n\n Should zoos be closed? \n");
    place.write("none.txt", "# nothing\n");
    place.write("rows.csv", "subject\nShould zoos be closed?\n");
    for (args, told) in [
        (&["--models", "llama3"][..], "a tournament needs two or more models"),
        (&["--models", "llama3,llama3:latest"], "--models names llama3 twice"),
        (&["--models", "llama3,,mistral"], "`` in --models is not a model name"),
        (&["--models", "llama3,a b"], "`a b` in --models is not a model name"),
        (&["--models", THREE, "--topics", "short.txt"], "short.txt:2: "),
        (
            &["--models", THREE, "--topics", "twice.txt"],
            "twice.txt:3: this topic is the same as on line 1",
        ),
        (&["--models", THREE, "--topics", "none.txt"], "none.txt:1: the file has no topics"),
        (&["--models", THREE, "--topics", "rows.csv"], "rows.csv:1: there is no `topic`"),
        (&["--models", THREE, "--topics", "gone.txt"], "cannot read gone.txt"),
    ] {
        let ended = new(&place, &[args, &["--judges", "phi4"]].concat());
        assert!(ended.code == 2 && ended.stdout.is_empty(), "{args:?}: {}", ended.stdout);
        assert!(ended.stderr.contains(told), "{args:?}: {}", ended.stderr);
    }
    for (args, told) in
        [(&[][..], "--models <MODEL,…>"), (&["--models", THREE], "--judges <MODEL,…>")]
    {
        has(&new(&place, args).exits(2).stderr, told);
    }
    let other = place.rebut(&["new", "duel", "--models", THREE]);
    assert!(other.code == 2 && other.stderr.contains("are for `rebut new tournament`"));
}
