//! Answers to questions with known answers, by arm, and those on open topics against a model alone.

use schemars::JsonSchema;
use serde::Serialize;

use statistics::estimate::Estimate;
use statistics::paired::Difference;

/// How often answers were correct.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answers {
    /// The share of correct answers that guessing comes to: 1 / choices; `null` unless all questions have equally many.
    pub chance: Option<f64>,
    /// The arms, debates first.
    pub arms: Vec<ArmAccuracy>,
    /// Debates against each control, on the same questions.
    pub compared: Vec<ArmDifference>,
}

/// How often the answers of an arm were correct. Intervals are clustered by the question's cluster, or by question.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmAccuracy {
    /// `debate`, or the kind of control run.
    pub arm: String,
    /// The format.
    pub format: String,
    /// Distinct questions among the answers that count.
    pub questions: usize,
    /// The share of correct answers; invalid ones count as wrong.
    pub strict: Estimate,
    /// The share of correct answers among valid ones.
    pub answered: Estimate,
    /// The share of invalid answers.
    pub invalid: Estimate,
    /// Tokens of the replies that an answer depends on.
    pub tokens: Estimate,
    /// If several samples are counted: what the first of them come to.
    pub curve: Vec<CurvePoint>,
    /// Debates without an answer because no model replied. They are in no share.
    pub missing: usize,
    /// Answers matched to debates that have changed since, because they were retried or run again. They are in no share.
    pub stale: usize,
    /// Whether the tokens of every cell are as close to those of its debates as the job requires; `null` for arms that are not matched.
    pub matched: Option<bool>,
    /// The tokens of each cell, for arms that are matched to debates.
    pub cells: Vec<CellMatch>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// The accuracy of the first so many samples of a control, counted alone.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// The number of samples. Answers with fewer count with all of theirs.
    pub samples: usize,
    /// The share of correct answers; equals are decided by lot, and count with the chance of a correct one.
    pub strict: Estimate,
    /// The tokens of their replies.
    pub tokens: Estimate,
}

/// How many samples of a control are as accurate as debates on the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SampleWorth {
    /// The smallest number that is at least as accurate; 0 if one sample is more accurate, `null` if more than `of` are needed.
    pub samples: Option<usize>,
    /// The smallest number for which debates are not clearly better; 0 if one sample may be more accurate, `null` if more than `of`
    /// are needed.
    pub least: Option<usize>,
    /// The largest number for which debates are not clearly worse; 0 if one sample is clearly better, `null` if it may be more than `of`.
    pub most: Option<usize>,
    /// The largest number of samples that half of the answers have.
    pub of: usize,
}

/// The tokens of a matched control compared with those of its debates, in one cell of a job.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CellMatch {
    /// The job.
    pub job: String,
    /// The values from the matrix, without the question; empty if the matrix varies nothing else.
    pub cell: String,
    /// Answers.
    pub answers: usize,
    /// The mean of tokens spent divided by tokens allotted.
    pub ratio: f64,
    /// Whether the ratio is as close to 1 as the job requires.
    pub matched: bool,
}

/// Debates against a control on the same questions. A pair is a question in a cell of the matrix: its debates and its control runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct ArmDifference {
    /// The control.
    pub arm: String,
    /// Accuracy of debates minus that of the control, over pairs: each the mean over its runs.
    #[serde(flatten)]
    pub found: Difference,
    /// Distinct questions among the pairs.
    pub questions: usize,
    /// Pairs that only the debate answered correctly; `null` if a side ran more than once.
    pub debate_only: Option<usize>,
    /// Pairs that only the control answered correctly; `null` if a side ran more than once.
    pub arm_only: Option<usize>,
    /// McNemar's exact p of these two; `null` if a side ran more than once or pairs share a cluster.
    pub mcnemar_p: Option<f64>,
    /// How many samples of the control debates are worth; `null` if it does not count several.
    pub worth: Option<SampleWorth>,
    /// Pairs without an answer of this control, of jobs that have it.
    pub unmatched: usize,
    /// Pairs whose control is matched to debates that have changed since.
    pub stale: usize,
    /// Whether the two used equal numbers of tokens, as closely as the job requires; `null` for a control that is not matched.
    pub matched: Option<bool>,
}

/// How a debate's answers fare against those of one model alone, which had as many tokens, by the verdicts of a panel or of people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgainstAlone {
    /// The verdicts: `panel:NAME` or `human`; `any panel` if nobody has read a comparison.
    pub verdicts: String,
    /// The share of comparisons in which the debate's answer is better; neither counts half. Clustered by topic.
    pub preferred: Estimate,
    /// `preferred` minus one half, which is what two equal answers would have.
    #[serde(flatten)]
    pub found: Difference,
    /// Comparisons in which the debate's answer is better.
    pub better: usize,
    /// Comparisons in which neither is.
    pub even: usize,
    /// Comparisons in which the answer of the model alone is.
    pub worse: usize,
    /// Comparisons without a verdict: too few votes, or not read.
    pub undecided: usize,
    /// Comparisons in which a fallback model or an emergency reply spoke for someone, on either side. They are in no other number.
    pub replaced: usize,
    /// Comparisons with a debate that has changed since. They are in no other number.
    pub stale: usize,
    /// Whether the tokens of every cell are as close to those of its debates as the job requires.
    pub matched: bool,
    /// The tokens of each cell.
    pub cells: Vec<CellMatch>,
    /// Words of the debates' answers.
    pub words: Estimate,
    /// Words of the answers of the model alone.
    pub words_alone: Estimate,
    /// The underlying comparisons.
    pub debates: Vec<usize>,
}
