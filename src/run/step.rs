//! What a batch does next with a debate: begin, judge, recheck, defer, hold or end it.

use super::debate::End;
use crate::id::DebateId;
use crate::store::finished::FinishedDebate;

pub(super) enum Step {
    End(End),
    /// It is finished, but its panel may not have read it.
    Judge(FinishedDebate),
    /// It is a finished control, but its debates may have changed.
    Recheck(FinishedDebate),
    Defer,
    /// It is a control of a debate that has not ended.
    Await(DebateId),
    /// Neither it nor any after it begins before others have ended.
    Hold,
    /// It begins once others have ended; those after it need not wait.
    Pass,
    /// It begins or goes on; with its directory, if it has one.
    Start(Option<FinishedDebate>),
}
