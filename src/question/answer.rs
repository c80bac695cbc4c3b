//! An answer as given, and as read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of an answer.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GivenAnswer {
    /// A choice, counted from 0 in the order of the file.
    Choice(usize),
    /// A number: a decimal, or a fraction such as `1/3`.
    Number(String),
    /// A text.
    Text(String),
}

/// Whether an answer can be graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// It has exactly one value that the question allows.
    Valid,
    /// It has none, or several.
    Invalid,
    /// There was no reply.
    #[default]
    Missing,
}

/// How an answer was found in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The reply had the requested structure.
    Schema,
    /// In the text of the reply.
    Pattern,
}

/// What an answer counts as.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStage {
    /// One of several, of which the most frequent one counts.
    #[default]
    Sample,
    /// The one that counts.
    Final,
    /// One that another version of the program knows.
    #[serde(untagged)]
    Other(String),
}

/// One answer to the question of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// A participant's id, or `debate` if several answers were counted.
    pub by: String,
    /// The call it came from; `null` if several answers were counted.
    pub call: Option<String>,
    /// `final`, or `sample` for one of several answers to be counted.
    #[schemars(with = "String")]
    pub stage: AnswerStage,
    /// The round, if it was given in one.
    pub round: Option<u32>,
    /// The number of the sample, from 1.
    pub sample: Option<u32>,
    /// The answer, verbatim.
    pub raw: Option<String>,
    /// Its value; `null` unless valid.
    pub value: Option<GivenAnswer>,
    /// How the value was found; `null` if none was.
    pub method: Option<Method>,
    /// Whether it can be graded.
    pub status: AnswerStatus,
    /// Whether it is correct; an invalid answer is not.
    pub correct: bool,
    /// Whether a tie between the most frequent answers was decided by lot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s1_a_stage_that_another_version_knows_is_read_and_kept() {
        for (word, stage) in
            [("final", AnswerStage::Final), ("draft", AnswerStage::Other("draft".to_owned()))]
        {
            let given = json!({"by": "debate", "stage": word, "status": "valid", "correct": true});
            let read: Answered = serde_json::from_value(given).expect("an answer");
            assert_eq!(read.stage, stage);
            assert_eq!(json!(read)["stage"], word);
        }
    }
}
