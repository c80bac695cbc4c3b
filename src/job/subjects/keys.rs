//! The keys `topics:`, `questions:`, `assign:`, `swap:` and those of controls (rows C3 and C4).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::job::arms::{Arm, Matching};
use crate::job::reader::Reader;
use crate::job::settings_macro::{SettingsGroup, section, settings};
use crate::job::shape::{Key, Shape, by_name, choice, flag, list, nullable, text};
use crate::job::tree::{Data, Node};
use crate::question::{Columns, Layout};

/// The key of whether sides are swapped, and the path of which assignment a cell has.
pub(in crate::job) const SWAP: &str = "swap";

/// Who argues for which choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assign {
    /// One side for the correct choice, the other for a drawn one of the others.
    CorrectVsDistractor,
}

settings! {
    /// The files that say what is debated, and what becomes of their questions.
    pub struct SubjectSettings {
        /// A .csv, .jsonl or .txt file next to the job, with one topic per row; each topic is a debate
        topics: Option<String> = None, nullable(file_of_topics());
        /// A file of questions with known answers; each question is a debate that ends with an answer
        questions: Option<QuestionFile> = None, nullable(file_of_questions());
        /// Assignment of choices to sides: correct_vs_distractor (one side gets the correct choice, the other a wrong one) or null
        assign: Option<Assign> = None, nullable(choice::<Assign>());
        /// Whether to debate each question a second time with the choices swapped between the sides
        swap: bool = false, flag();
        /// Controls to run on the same questions: single, self_consistency, vote, consultancy; on topics without known answers: compare
        arms: Vec<Arm> = Vec::new(), list(choice::<Arm>(), 0..=4);
        /// How to match the tokens of self_consistency, vote and compare to those of their debates
        r#match: Matching = Matching::default(), section::<Matching>();
    }
}

settings! {
    /// A file of questions.
    pub struct QuestionFile {
        /// A .jsonl, .json or .csv file next to the job
        file: Option<String> = None, text(1..=300);
        /// Format of the file: auto, rebut, inspect, mallm, gsm8k or mmlu-csv
        layout: Layout = Layout::Auto, choice::<Layout>();
        /// The file's own column or key names for our question, answer, choices, id and cluster
        columns: Columns = Columns::new(), by_name(Shape::Any).read_by(|reader, _, node| Some(columns(reader, node)));
        /// Whether to shuffle the choices of each question
        shuffle: bool = false, flag();
    }
}

fn file_of_questions() -> Shape {
    let own = |key: Key| if key.name == "file" { key.required() } else { key };
    Shape::Section(QuestionFile::default().keys().into_iter().map(own).collect())
}

fn file_of_topics() -> Shape {
    let name = text(1..=300);
    name.clone().read_by(move |reader, at, node| match node.data {
        Data::List(_) => {
            let remedy = "name a file, or list the topics here: `matrix: {topic: [one, two]}`";
            reader.refuse(at, node, "the name of a file", remedy)
        }
        _ => reader.value(at, &name, node),
    })
}

/// Each of our names with the columns that it stands for: several for choices alone.
fn columns(reader: &Reader<'_>, node: &Node) -> Value {
    let known = ["question", "answer", "choices", "id", "cluster"];
    let mut all = Map::new();
    for (name, value) in node.entries() {
        let is_known = known.contains(&name.text.as_str());
        if !is_known {
            let cause = format!("`columns` has no `{}`", name.text);
            let remedy = format!("known keys here: {}", known.join(", "));
            reader.problems.add(&name.place, cause, remedy);
        }
        let columns = match name.text.as_str() {
            "choices" => value.items(),
            _ => std::slice::from_ref(value),
        };
        let columns: Option<Vec<&str>> = columns.iter().map(Node::text).collect();
        if let Some(columns) = columns.as_ref().filter(|_| is_known) {
            all.insert(name.text.clone(), json!(columns));
        }
        if columns.is_none() {
            let remedy = "write `columns: {question: prompt}`";
            reader.problems.add(&value.place, "a column is named in text", remedy);
        }
    }
    Value::Object(all)
}
