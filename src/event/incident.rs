//! Incidents: deviations from what was asked.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A deviation from what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// The kind.
    pub kind: IncidentKind,
    /// The call, if it concerns one.
    pub call: Option<String>,
    /// The attempt, if it concerns one.
    pub attempt: Option<u32>,
    /// The cause in words.
    pub message: String,
    /// The time.
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
    /// A call failed and was repeated.
    Retry,
    /// A model could not reply, and a fallback took over.
    Fallback,
    /// A call failed for good.
    GaveUp,
    /// The server did not stop a reply at its limit.
    Overrun,
    /// The server reported an implausible number of tokens, or more time than the call took.
    Count,
    /// A model declined its task.
    Refusal,
    /// A structured reply was unusable; the model was shown the errors and asked again.
    Repair,
    /// A statement was rejected; the model was told why and asked again.
    Rejection,
    /// A prompt omits or summarizes part of the debate to fit the context.
    Compaction,
    /// A judge or the author of a final text could not be shown enough of the debate. Retrying would not help, since the
    /// context is too small.
    Context,
    /// A statement was shortened, or the debate ended, because of a time limit.
    Time,
    /// A statement exceeded its token limit and was cut.
    Cut,
    /// Labels or lines that do not belong to a statement were removed.
    Cleaned,
    /// A statement contains lines in the name of others.
    Voice,
    /// A statement contains marks of a model's thoughts or of its template.
    Marks,
    /// A model thought without being asked to, in the room for its words. Reported once per model.
    Thinking,
    /// The server says that another model replied than the one that was asked. Reported once per model.
    OtherModel,
    /// The server counted far fewer tokens for a prompt than it has, and may have cut it short. Reported once per model.
    ShortPrompt,
    /// An emergency reply replaces a statement that no model produced.
    Emergency,
    /// Something important is missing.
    Missing,
    /// An optional text was not obtained.
    LeftOut,
    /// A comment was not obtained.
    Comment,
    /// A judgment was unusable, even after a repair.
    Invalid,
    /// A judgment was not obtained.
    Abstained,
    /// None of several judgments was usable, and all were requested once more.
    Panel,
    /// A judge's reasons cite statements that the contestant did not make.
    Citation,
    /// The clerk gave no notes; first sentences are used instead.
    Clerk,
    /// A search by meaning failed.
    Retrieval,
    /// A revised answer leaves points of the skeptic unanswered.
    Unanswered,
    /// A panel's verdict was dropped because the debate's record has changed.
    StaleVerdict,
    /// The journal of a panel's judging was unreadable.
    LostVerdict,
    /// People's labels were dropped because the debate's record has changed.
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
