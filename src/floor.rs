//! The operations of a format: speak, ask, announce, draw, remember, conclude. Retries, fallbacks, budgets, repairs and the
//! journal are handled below, in one place, so that a format reads like the minutes of a debate. Each operation is in the
//! module of its part: statements in `speech`, judgments in `structured`, notes in `clerk`, rounds and ends in `course`.

mod allowance;
mod asking;
mod attempts;
mod audience;
mod audience_vote;
mod call;
mod calls;
mod cards;
mod clerk;
mod conduct;
mod control_spending;
mod course;
mod echo;
mod facade;
mod halt;
mod live;
mod log;
mod lookup;
mod memory;
mod nearest;
mod open_points;
mod plausible_counts;
mod prompt_budget;
mod prompt_counts;
mod prompts;
mod recorded_times;
mod retrieval;
mod round_clock;
mod said_question;
mod speaker_labels;
mod speech;
mod structured;
mod transcript;
mod usage_ledger;

pub(crate) use self::allowance::words_within;
pub use self::allowance::{TOKENS_A_SECOND, spoken_seconds};
pub use self::audience::{Audience, opening_of};
pub use self::facade::{Floor, FloorParts};
pub use self::halt::{Halt, Result};
pub use self::log::Watch;
pub use self::retrieval::Retrieve;
pub use self::speech::{Demand, Doubt, Doubts, Form, Speech};
pub use self::structured::{Answer, Question, line, object};
pub(crate) use self::usage_ledger::calls_of_entry;
