//! Answers to questions with known answers, by arm.

use schemars::JsonSchema;
use serde::Serialize;

use statistics::estimate::Estimate;
use statistics::paired::Difference;

/// How often answers were correct.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answers {
    /// The arms, debates first.
    pub arms: Vec<ArmAccuracy>,
    /// Debates against each control, on the same questions.
    pub compared: Vec<ArmDifference>,
}

/// How often the answers of an arm were correct. Intervals are clustered by the question's cluster, else by the question.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmAccuracy {
    /// `debate`, or the kind of control run.
    pub arm: String,
    /// The format.
    pub format: String,
    /// Distinct questions.
    pub questions: usize,
    /// The share of correct answers; invalid ones count as wrong.
    pub strict: Estimate,
    /// The share of correct answers among valid ones.
    pub answered: Estimate,
    /// The share of invalid answers.
    pub invalid: Estimate,
    /// Debates without an answer, for want of a reply. They are in no share.
    pub missing: usize,
    /// The mean of tokens spent over tokens allotted, in arms that are matched to debates.
    pub ratio: Option<f64>,
    /// Whether that is as near to 1 as the job asks; `null` in arms that are not matched.
    pub matched: Option<bool>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Debates against a control on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmDifference {
    /// The control.
    pub arm: String,
    /// Accuracy of debates minus that of the control, over questions: each the mean over its runs.
    #[serde(flatten)]
    pub found: Difference,
    /// Questions that only the debate answered correctly, where each side ran once.
    pub debate_only: usize,
    /// Questions that only the control answered correctly, where each side ran once.
    pub arm_only: usize,
    /// McNemar's exact p of these two; `null` where a side ran more than once.
    pub mcnemar_p: Option<f64>,
    /// Questions of debates that this control has no answer to.
    pub unmatched: usize,
    /// Whether the two took as many tokens as the job asks; `null` for a control that is not matched.
    pub matched: Option<bool>,
}
