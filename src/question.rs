//! Questions with known answers: files of them, what is posed to a debate, and how an answer is read and graded. Pure.

mod answer;
mod draft;
mod explicit;
mod extract;
mod faults;
mod grade;
mod known;
mod layout;
mod number;
mod posed;
mod rows;

pub use self::answer::{AnswerStage, AnswerStatus, Answered, GivenAnswer, Method};
pub use self::extract::{extract, lettered};
pub use self::faults::{Fault, Faults};
pub use self::grade::{grade, plurality, plurality_correct, tally};
pub use self::known::{Expected, Kind, Question, QuestionSet};
pub use self::layout::{Columns, Layout, read};
pub use self::posed::Posed;
pub use self::rows::{Row, rows};

#[cfg(test)]
mod tests;
