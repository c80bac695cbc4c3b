//! What did not go as asked.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that did not go as asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// Of what kind.
    pub kind: IncidentKind,
    /// The call it concerns, if it concerns one.
    pub call: Option<String>,
    /// The attempt it concerns.
    pub attempt: Option<u32>,
    /// The cause in words.
    pub message: String,
    /// When.
    pub at: DateTime<Utc>,
}

impl Incident {
    /// Whether it is one of those that make a debate degraded or failed.
    pub fn is_shortfall(&self) -> bool {
        [IncidentKind::Emergency, IncidentKind::Missing].contains(&self.kind)
    }
}

/// The kind of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IncidentKind {
    /// A call failed and was made again.
    Retry,
    /// A model could not reply, and a fallback took over.
    Fallback,
    /// A call failed, and nothing was left to try.
    GaveUp,
    /// The server did not stop a reply at its limit.
    Overrun,
    /// The server's count of tokens cannot be right.
    Count,
    /// A model declined its task.
    Refusal,
    /// A structured reply could not be used; the model was shown why and asked again.
    Repair,
    /// A statement was not taken; the model was told why and asked again.
    Rejection,
    /// A prompt leaves out or sums up a part of the debate, for want of room.
    Compaction,
    /// A judge or the writer of a final text could not be shown enough of the debate. Asking again would show no more, so it
    /// is nothing to retry.
    Context,
    /// A statement had to be shorter, or the debate had to end, for want of time.
    Time,
    /// A statement ran over its allowance and was cut.
    Cut,
    /// Labels or lines that are no part of a statement were taken off it.
    Cleaned,
    /// A statement has lines in the name of others.
    Voice,
    /// An emergency reply stands in for a statement that could not be had.
    Emergency,
    /// Something that matters is missing.
    Missing,
    /// A text that the debate can do without could not be had.
    LeftOut,
    /// A comment could not be had.
    Comment,
    /// A judgment could not be used, even after a repair.
    Invalid,
    /// A judgment could not be had.
    Abstained,
    /// None of several judgments could be used, and all were asked for once more.
    Panel,
    /// A judge's reasons on a contestant cite statements that it did not make.
    Citation,
    /// The clerk gave no notes, and first sentences stand in for them.
    Clerk,
    /// Texts could not be looked for by meaning.
    Retrieval,
    /// A revised answer leaves points of the skeptic without an answer.
    Unanswered,
    /// A panel's verdict was dropped because the debate's record is another now.
    StaleVerdict,
    /// The journal of a panel's judging could not be read.
    LostVerdict,
    /// People's labels were dropped because the debate's record is another now.
    StaleLabels,
    /// One that another version of the program knows.
    #[serde(untagged)]
    #[schemars(!untagged, skip)]
    Other(String),
}

impl fmt::Display for IncidentKind {
    /// The word in traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
