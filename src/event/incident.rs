//! Incidents: deviations from what was asked.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

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
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
}

impl Incident {
    /// Whether it tells of a missing reply that makes a debate degraded or failed. A context too small does that, too, but its call
    /// was answered, and asking again would not help.
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
    /// The clock was set back: times and durations across that are not to be relied on.
    Clock,
    /// A statement exceeded its token limit and was cut.
    Cut,
    /// A model ended a statement in mid-sentence, or at least without a full stop.
    BreaksOff,
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

impl IncidentKind {
    /// A kind by its word in traces.
    pub fn of(word: &str) -> Self {
        let known = serde_json::from_value(json!(word));
        known.unwrap_or_else(|_| IncidentKind::Other(word.to_owned()))
    }

    /// What happened so many times, as people read it: `calls made again`. Below, `{s}` is for several, as is what stands behind `|`.
    pub fn words(&self, n: usize) -> String {
        let words = match self {
            Self::Retry => "call{s} made again",
            Self::Fallback => "fallback model{s} called",
            Self::GaveUp => "call{s} given up",
            Self::Overrun => "reply not stopped at its limit|replies not stopped at their limit",
            Self::Count => "implausible count{s} of tokens or time",
            Self::Refusal => "refusal{s}",
            Self::Repair => "unusable reply asked for again|unusable replies asked for again",
            Self::Rejection => "statement{s} rejected",
            Self::Compaction => "prompt{s} with parts left out or summarized",
            Self::Context => "context{s} too small",
            Self::Time => "time limit{s} reached",
            Self::Clock => "step{s} back of the clock",
            Self::Cut => "statement{s} cut",
            Self::BreaksOff => "statement{s} ended in mid-sentence or without a full stop",
            Self::Cleaned => "statement{s} with labels removed",
            Self::Voice => "statement{s} with lines in the name of others",
            Self::Marks => "statement{s} with marks of thoughts or a template",
            Self::Thinking => "case{s} of unasked thinking",
            Self::OtherModel => "case{s} of replies by another model",
            Self::ShortPrompt => "case{s} of prompts perhaps cut by the server",
            Self::Emergency => "emergency reply|emergency replies",
            Self::Missing => "important part{s} missing",
            Self::LeftOut => "optional text{s} not obtained",
            Self::Comment => "comment{s} not obtained",
            Self::Invalid => "unusable judgment{s}",
            Self::Abstained => "judgment{s} not obtained",
            Self::Panel => "set{s} of judges asked again",
            Self::Citation => "wrong citation{s}",
            Self::Clerk => "exchange{s} without notes",
            Self::Retrieval => "failed search|failed searches",
            Self::Unanswered => "revision{s} with points left unanswered",
            Self::StaleVerdict => "verdict{s} on an earlier record dropped",
            Self::LostVerdict => "unreadable journal of a panel|unreadable journals of panels",
            Self::StaleLabels => "label sheet{s} on an earlier record dropped",
            Self::Other(word) => return word.replace('_', " "),
        };
        let (one, several) = words.split_once('|').unwrap_or((words, words));
        if n == 1 { one.replace("{s}", "") } else { several.replace("{s}", "s") }
    }
}

impl fmt::Display for IncidentKind {
    /// The word in traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::IncidentKind;

    #[test]
    fn s5_a_kind_of_incident_is_told_in_words() {
        assert_eq!(IncidentKind::of("left_out").words(1), "optional text not obtained");
        assert_eq!(IncidentKind::of("repair").words(2), "unusable replies asked for again");
        // One for each model and debate, however many prompts there were.
        assert_eq!(
            IncidentKind::of("short_prompt").words(40),
            "cases of prompts perhaps cut by the server"
        );
        assert_eq!(IncidentKind::of("not_known_yet").words(2), "not known yet");
    }
}
