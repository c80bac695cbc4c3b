//! Events of a debate. Everything that people and tools see is rendered from them.

pub mod alias;
mod audience;
mod ballot;
mod clerk_notes;
mod control_budget;
mod cost;
mod ending;
mod how_read;
mod incident;
mod judgments;
mod kind;
mod model_card;
mod panel_judging;
mod phase;
mod preference;
mod results;
mod score_aggregation;
mod spoken;
mod verdict;
mod winner;

pub use self::audience::{AudienceVote, Tally, VoteWindow};
pub use self::ballot::{Answered, Ballot, BallotChecks, Rotation};
pub use self::clerk_notes::{How, Move, Notes, Point, StatementNotes, UnusableEntry};
pub use self::control_budget::{Allotted, Budget, DEBATE, DebateAnswer};
pub use self::cost::{Call, CallSums, Gaps, MOST_COUNT, Purpose, REPLY, TokenCount, Usage, Use};
pub(crate) use self::cost::{count, perhaps};
pub use self::ending::{Complete, Outcome, Status, is_none_because, none_because};
pub use self::how_read::{
    CUT_OFF, IDLE_CREDIT, IN_THOUGHTS, LOOPS, PROSE, SHORTENED, SPELT, THOUGHT, how_read, how_said,
};
pub use self::incident::{Incident, IncidentKind};
pub use self::judgments::{
    AUDIENCE, Claim, FactCheck, Interjection, InterjectionCause, Judge, Reading, ReadingStatus,
    Reason, Stance, StanceTime, of_score,
};
pub use self::kind::{DebateStart, Event, EventKind, Likeness, Metadata, Retrieval};
pub use self::model_card::ModelCard;
pub use self::panel_judging::{
    Candidate, Judging, PanelReading, PanelRef, Recusal, RecusalReason, Rule, Seat, SeatStatus,
    Side, Sight, Vote, VoteReason, Votes, WinnerReason,
};
pub use self::phase::Phase;
pub use self::preference::{Frame, Order, Preference, Sampling, SamplingMethod};
pub use self::results::{
    AnswersCompared, AnswersComparedBy, AutoScore, BetterAnswer, EndReason, Results, RoundWinner,
};
pub use self::score_aggregation::{OrderEffect, Score, hundredths, mean, means, rounded};
pub use self::spoken::{
    BY_CLERK, Memory, MemoryUpdate, Origin, Rejection, RoundNotes, Statement, rebutted,
};
pub use self::verdict::{Rubric, Verdict, VerdictJudge};
pub use self::winner::Winner;
