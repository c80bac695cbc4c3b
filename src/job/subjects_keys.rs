//! The keys of `topics:`, `questions:` and who argues for which choice (row C4).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::reader::Reader;
use super::shape::{Key, Shape, by_name, choice, flag, nullable, text};
use super::tree::{Data, Node};
use crate::question::Layout;

/// The key of whether sides are swapped, and the path of which assignment a cell has.
pub(super) const SWAP: &str = "swap";

/// Who argues for which choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assign {
    /// One side for the correct choice, the other for a drawn one of the others.
    CorrectVsDistractor,
}

/// The keys of the files.
pub(super) fn keys() -> Vec<Key> {
    let file = Key::new(
        "file",
        "A .jsonl, .json or .csv file beside the job",
        text(1..=300),
        (),
    )
    .required();
    let layout = Key::new(
        "layout",
        "How the file is written: auto, rebut, inspect, mallm, gsm8k or mmlu-csv",
        choice::<Layout>(),
        Layout::Auto,
    );
    let doc = "Columns or keys with other names, by ours: question, answer, choices, id, cluster";
    let columns = Key::new(
        "columns",
        doc,
        by_name(Shape::Any).read_by(|reader, _, node| Some(columns(reader, node))),
        json!({}),
    );
    let shuffle = Key::new(
        "shuffle",
        "Whether the choices of each question are shown in a drawn order",
        flag(),
        false,
    );
    let topics =
        "A .csv, .jsonl or .txt file beside the job with a topic per row: each is a debate";
    let questions =
        "A file of questions with known answers: each is a debate that ends in an answer";
    let assign = "Who argues for which choice: correct_vs_distractor (one side for the correct one), or null";
    vec![
        Key::new("topics", topics, nullable(file_of_topics()), Value::Null),
        Key::new(
            "questions",
            questions,
            nullable(Shape::Section(vec![file, layout, columns, shuffle])),
            Value::Null,
        ),
        Key::new("assign", assign, nullable(choice::<Assign>()), Value::Null),
        Key::new(
            SWAP,
            "Whether each question is also debated with the sides assigned the other way round",
            flag(),
            false,
        ),
    ]
}

fn file_of_topics() -> Shape {
    let name = text(1..=300);
    name.clone()
        .read_by(move |reader, at, node| match node.data {
            Data::List(_) => {
                let remedy = "name a file, or list the topics here: `matrix: {topic: [one, two]}`";
                reader.refuse(at, node, "the name of a file", remedy)
            }
            _ => reader.value(at, &name, node),
        })
}

fn columns(reader: &Reader<'_>, node: &Node) -> Value {
    let known = ["question", "answer", "choices", "id", "cluster"];
    let mut all = Map::new();
    for (name, value) in node.entries() {
        if !known.contains(&name.text.as_str()) {
            let cause = format!("`columns` has no `{}`", name.text);
            reader.problems.add(
                &name.place,
                cause,
                format!("known keys here: {}", known.join(", ")),
            );
        }
        let column = |node: &Node| node.text().map(str::to_owned);
        let read = match &value.data {
            Data::List(items) if name.text == "choices" => items
                .iter()
                .map(column)
                .collect::<Option<Vec<_>>>()
                .map(|all| json!(all)),
            _ if name.text == "choices" => column(value).map(|one| json!([one])),
            _ => column(value).map(Value::from),
        };
        match read {
            Some(read) => drop(all.insert(name.text.clone(), read)),
            None => reader.problems.add(
                &value.place,
                "a column is named in text",
                "write `columns: {question: prompt}`",
            ),
        }
    }
    Value::Object(all)
}
