//! The settings of a knockout debate (rows K1, K2, K5, K6, K8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::keys::Keys;
use super::participant::{self, Library, Participant, Persona};
use super::problem::Place;
use super::shape::Shape;
use super::tree::{Data, Node};
use super::words;

/// Who speaks first in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// Position X, in every round.
    X,
    /// Position Y, in every round.
    Y,
    /// X in odd rounds, Y in even ones.
    #[serde(rename = "alternate")]
    Alternate,
}

/// One thing that a ballot scores from 1 to 5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Its share of the total; the weights of a job sum to 1.
    pub weight: f64,
    /// What a score means, by score.
    pub guide: BTreeMap<String, String>,
}

/// When a Y agent is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Negative votes that replace the debater.
    pub threshold: u32,
    /// The most replacements in a debate.
    pub limit: u32,
}

/// The settings of a knockout debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knockout {
    /// Exchanges of both sides.
    pub rounds: u32,
    /// Who speaks first.
    pub starting_position: Start,
    /// Simulated speaking time of a statement, in seconds.
    pub time_limit_seconds: u32,
    /// The most tokens of a statement.
    pub max_statement_tokens: u32,
    /// Rounds are kept to so many seconds of model time, by shorter statements; `None` for no such limit.
    #[serde(default)]
    pub enforce_round_seconds: Option<u32>,
    /// What ballots score, by name.
    pub criteria: BTreeMap<String, Criterion>,
    /// When a Y agent is replaced.
    pub rotation: Rotation,
}

impl Default for Knockout {
    fn default() -> Self {
        Self {
            rounds: 6,
            starting_position: Start::X,
            time_limit_seconds: 300,
            max_statement_tokens: 800,
            enforce_round_seconds: None,
            criteria: default_criteria(),
            rotation: Rotation {
                threshold: 2,
                limit: 3,
            },
        }
    }
}

/// The criteria of the source, with its weights and guides.
pub fn default_criteria() -> BTreeMap<String, Criterion> {
    let rows = [
        (
            "argument_strength",
            0.4,
            [
                "No substantial arguments or evidence presented",
                "Some valid points but weak supporting evidence",
                "Strong arguments with compelling evidence",
            ],
        ),
        (
            "relevance",
            0.2,
            [
                "Arguments mostly off-topic or tangential",
                "Arguments somewhat related to the debate topic",
                "Arguments directly address the central question",
            ],
        ),
        (
            "persuasiveness",
            0.3,
            [
                "Unconvincing presentation of arguments",
                "Moderately persuasive delivery",
                "Highly compelling and convincing rhetoric",
            ],
        ),
        (
            "clarity",
            0.1,
            [
                "Confusing or poorly structured arguments",
                "Reasonably clear but some disorganization",
                "Exceptionally clear, well-organized arguments",
            ],
        ),
    ];
    rows.into_iter()
        .map(|(name, weight, guide)| {
            let guide = ["1", "3", "5"]
                .into_iter()
                .map(str::to_owned)
                .zip(guide.map(str::to_owned))
                .collect();
            (name.to_owned(), Criterion { weight, guide })
        })
        .collect()
}

/// Reads the participants `x`, `y`, `clerk` and `commentator` and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Knockout) {
    let mut participants = read_sides(keys, defaults, library);
    let judges = participants.len().saturating_sub(2) as u32;
    participants.push(keys.section(
        "clerk",
        "Keeps the notes between rounds: summaries, key points, gists",
        |keys| participant::read(keys, &named(defaults, "clerk", "Clerk", ""), library),
    ));
    participants.extend(keys.optional_section(
        "commentator",
        "Comments on each round for readers; nobody in the debate sees it. `{}` for one with the defaults",
        |keys| participant::read(keys, &named(defaults, "commentator", "Commentator", ""), library),
    ));
    (participants, read_settings(keys, judges))
}

fn read_settings(keys: &mut Keys<'_>, judges: u32) -> Knockout {
    let defaults = Knockout::default();
    let whole = |keys: &mut Keys<'_>, key: &str, default: u32, range, doc: &str| {
        keys.whole(key, default.into(), range, doc) as u32
    };
    let starts = [
        ("X", Start::X),
        ("Y", Start::Y),
        ("alternate", Start::Alternate),
    ];
    Knockout {
        rounds: whole(
            keys,
            "rounds",
            defaults.rounds,
            1..=100,
            "Exchanges of both sides",
        ),
        starting_position: keys.choice("starting_position", &starts, "Who speaks first in a round"),
        time_limit_seconds: whole(
            keys,
            "time_limit_seconds",
            defaults.time_limit_seconds,
            5..=36_000,
            "Simulated speaking time of a statement, in seconds; 3.75 tokens are spoken a second",
        ),
        max_statement_tokens: whole(
            keys,
            "max_statement_tokens",
            defaults.max_statement_tokens,
            16..=100_000,
            "The most tokens of a statement",
        ),
        enforce_round_seconds: keys
            .optional_whole(
                "enforce_round_seconds",
                5..=36_000,
                "Keep rounds to so many seconds of model time: statements get shorter as the debate's measured speed demands",
            )
            .map(|seconds| seconds as u32),
        criteria: read_criteria(keys),
        rotation: read_rotation(keys, judges),
    }
}

fn read_sides(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> Vec<Participant> {
    let persona = library.default_persona(keys.place(), keys.problems);
    let x = keys.section("x", "The side that stays throughout", |keys| {
        participant::read(
            keys,
            &with_persona(
                named(defaults, "position_x", "X", "For the motion"),
                persona.as_ref(),
            ),
            library,
        )
    });
    let first = with_persona(
        named(defaults, "position_y_1", "Y-1", "Against the motion"),
        persona.as_ref(),
    );
    let mut lead: Option<Participant> = None;
    let doc = "The side of two or more of whom one debates and the others judge; the first listed begins, the others take over its position and persona unless they have their own";
    let ys = keys.sections("y", 4, 2..=20, doc, |i, keys| {
        let mut base = named(
            &first,
            &format!("position_y_{}", i + 1),
            &format!("Y-{}", i + 1),
            &first.position,
        );
        if let Some(lead) = &lead {
            base = Participant {
                position: lead.position.clone(),
                persona: lead.persona.clone(),
                ..base
            };
        }
        let y = participant::read(keys, &base, library);
        lead.get_or_insert_with(|| y.clone());
        y
    });
    let sides: Vec<Participant> = std::iter::once(x).chain(ys).collect();
    check_names(keys, &sides);
    sides
}

fn named(base: &Participant, id: &str, name: &str, position: &str) -> Participant {
    Participant {
        id: id.to_owned(),
        name: name.to_owned(),
        position: position.to_owned(),
        ..base.clone()
    }
}

fn with_persona(participant: Participant, persona: Option<&Persona>) -> Participant {
    Participant {
        persona: persona.cloned(),
        ..participant
    }
}

/// Reports names that two participants share, at the second, and the moderator's.
fn check_names(keys: &Keys<'_>, sides: &[Participant]) {
    let folded = |p: &Participant| p.name.to_lowercase();
    for (i, participant) in sides.iter().enumerate() {
        let name = folded(participant);
        let first = sides[..i].iter().position(|other| folded(other) == name);
        let by = match first {
            _ if name == "moderator" => " by the moderator".to_owned(),
            Some(first) => name_place(keys, first)
                .filter(|_| name_place(keys, i).is_some())
                .map_or_else(String::new, |place| format!("; first {}", place.in_words())),
            None => continue,
        };
        let place = name_place(keys, i).or_else(|| name_place(keys, first?));
        keys.problems.add(
            place.unwrap_or(keys.place_of_key("y")),
            format!("the name \"{}\" is taken{by}", participant.name),
            "give every participant a name of its own",
        );
    }
}

/// Where the name of a side is written: X has the number 0, Y's list begins at 1.
fn name_place<'a>(keys: &Keys<'a>, side: usize) -> Option<&'a Place> {
    let node = match side.checked_sub(1) {
        None => keys.node().get("x")?,
        Some(i) => keys.node().get("y")?.items().get(i)?,
    };
    node.get("name").map(|name| &name.place)
}

fn read_rotation(keys: &mut Keys<'_>, judges: u32) -> Rotation {
    keys.section("rotation", "When the debating Y is replaced", |keys| {
        let doc = "Negative votes that replace the debater; by default a majority of the judges";
        let threshold = keys
            .optional_whole("threshold", 1..=20, doc)
            .map(|n| n as u32);
        let limit = keys.whole("limit", 3, 0..=20, "The most replacements in a debate") as u32;
        if let Some(threshold) = threshold.filter(|&n| n > judges) {
            let cause =
                format!("`rotation.threshold` is {threshold}, but only {judges} judge a round");
            keys.problems.add(
                keys.place_of("threshold"),
                cause,
                "lower it, or list more participants under `y`",
            );
        }
        Rotation {
            threshold: threshold.unwrap_or(judges / 2 + 1),
            limit,
        }
    })
}

fn read_criteria(keys: &mut Keys<'_>) -> BTreeMap<String, Criterion> {
    let built_in = default_criteria();
    let doc = "What ballots score from 1 to 5; those listed replace the default ones (argument_strength 0.4, relevance 0.2, persuasiveness 0.3, clarity 0.1)";
    let listed = keys.table("criteria", doc, |name, keys| {
        read_criterion(keys, built_in.get(name))
    });
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else {
        return built_in;
    };
    check_criteria_names(keys);
    let weights: Option<Vec<f64>> = listed.iter().map(|(_, (weight, _))| *weight).collect();
    let sum = weights.map_or(1.0, |weights| weights.iter().sum());
    if (sum - 1.0_f64).abs() > 1e-6 {
        let sum = (sum * 1e6).round() / 1e6;
        keys.problems.add(
            keys.place_of_key("criteria"),
            format!("the weights of `criteria` sum to {sum}"),
            "list every criterion that counts, with weights that sum to 1",
        );
    }
    let criterion = |(name, (weight, guide)): (String, (Option<f64>, _))| {
        let weight = weight.unwrap_or_default();
        (name, Criterion { weight, guide })
    };
    listed.into_iter().map(criterion).collect()
}

fn check_criteria_names(keys: &Keys<'_>) {
    let entries = keys.node().get("criteria").map_or(&[][..], Node::entries);
    for (name, _) in entries
        .iter()
        .filter(|(name, _)| !is_identifier(&name.text))
    {
        let cause = format!("`{}` cannot name a criterion", name.text);
        let remedy = "begin with a lower-case letter and go on with such letters, digits and underscores, 40 at most";
        keys.problems.add(&name.place, cause, remedy);
    }
}

fn is_identifier(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(valid)
}

/// The weight, if it is valid, and the guide.
fn read_criterion(
    keys: &mut Keys<'_>,
    built_in: Option<&Criterion>,
) -> (Option<f64>, BTreeMap<String, String>) {
    let weight = built_in.map_or(0.0, |criterion| criterion.weight);
    let weight = keys.valid_number("weight", weight, 0.0..=1.0, "Its share of the total");
    let weight = weight.filter(|_| matches!(keys.node().data, Data::Map(_)));
    let text = Shape::Text {
        length: 1..=300,
        lines: false,
    };
    let doc = "What the scores mean, by score from 1 to 5";
    let guide = keys
        .raw("guide", Shape::Table(Box::new(text)), json!({}), doc)
        .map(|node| read_guide(keys, node));
    let plain = || {
        [("1", "Poor"), ("3", "Fair"), ("5", "Excellent")]
            .map(|(n, text)| (n.to_owned(), text.to_owned()))
            .into()
    };
    let guide = guide.unwrap_or_else(|| built_in.map_or_else(plain, |c| c.guide.clone()));
    (weight, guide)
}

fn read_guide(keys: &Keys<'_>, node: &Node) -> BTreeMap<String, String> {
    let mut guide = BTreeMap::new();
    if !matches!(node.data, Data::Map(_)) {
        let cause = format!(
            "a guide is a mapping from scores to texts, not {}",
            node.kind()
        );
        let remedy = "write `guide: {1: …, 3: …, 5: …}`";
        keys.problems.add(&node.place, cause, remedy);
    }
    for (name, value) in node.entries() {
        if !matches!(name.text.as_str(), "1" | "2" | "3" | "4" | "5") {
            let cause = format!("`{}` is no score", name.text);
            keys.problems
                .add(&name.place, cause, "scores go from 1 to 5");
            continue;
        }
        let text = value.text().map(str::trim).unwrap_or_default();
        match words::check_text(text, &(1..=300), false) {
            Ok(()) => drop(guide.insert(name.text.clone(), text.to_owned())),
            Err((_, _)) if value.text().is_none() => {
                let cause = format!("a guide's text must be text, not {}", words::shown(value));
                keys.problems
                    .add(&value.place, cause, "say in quotes what the score means");
            }
            Err((cause, remedy)) => {
                keys.problems
                    .add(&value.place, format!("a guide's text {cause}"), remedy);
            }
        }
    }
    guide
}
