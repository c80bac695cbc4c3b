//! What becomes of a debate next.

use super::debate::End;
use crate::id::DebateId;
use crate::store::finished::FinishedDebate;

pub(super) enum Step {
    End(End),
    /// It is finished, and its panel may not have read it.
    Judge(FinishedDebate),
    /// It is a finished control, and its debates may say something else by now.
    Recheck(FinishedDebate),
    Defer,
    /// It is a control of a debate that has not ended.
    Await(DebateId),
    Hold,
    Start,
}
