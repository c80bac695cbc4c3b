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

/// What happened, once and several times, as people read it.
static WORDS: [(IncidentKind, &str, &str); 32] = [
    (IncidentKind::Retry, "call made again", "calls made again"),
    (IncidentKind::Fallback, "fallback model called", "fallback models called"),
    (IncidentKind::GaveUp, "call given up", "calls given up"),
    (IncidentKind::Overrun, "reply not stopped at its limit", "replies not stopped at their limit"),
    (
        IncidentKind::Count,
        "implausible count of tokens or time",
        "implausible counts of tokens or time",
    ),
    (IncidentKind::Refusal, "refusal", "refusals"),
    (IncidentKind::Repair, "unusable reply asked for again", "unusable replies asked for again"),
    (IncidentKind::Rejection, "statement rejected", "statements rejected"),
    (
        IncidentKind::Compaction,
        "prompt with parts left out or summarized",
        "prompts with parts left out or summarized",
    ),
    (IncidentKind::Context, "context too small", "contexts too small"),
    (IncidentKind::Time, "time limit reached", "time limits reached"),
    (IncidentKind::Cut, "statement cut", "statements cut"),
    (IncidentKind::Cleaned, "statement with labels removed", "statements with labels removed"),
    (
        IncidentKind::Voice,
        "statement with lines in the name of others",
        "statements with lines in the name of others",
    ),
    (
        IncidentKind::Marks,
        "statement with marks of thoughts or a template",
        "statements with marks of thoughts or a template",
    ),
    (IncidentKind::Thinking, "case of unasked thinking", "cases of unasked thinking"),
    (
        IncidentKind::OtherModel,
        "case of replies by another model",
        "cases of replies by another model",
    ),
    (
        IncidentKind::ShortPrompt,
        "case of prompts perhaps cut by the server",
        "cases of prompts perhaps cut by the server",
    ),
    (IncidentKind::Emergency, "emergency reply", "emergency replies"),
    (IncidentKind::Missing, "important part missing", "important parts missing"),
    (IncidentKind::LeftOut, "optional text not obtained", "optional texts not obtained"),
    (IncidentKind::Comment, "comment not obtained", "comments not obtained"),
    (IncidentKind::Invalid, "unusable judgment", "unusable judgments"),
    (IncidentKind::Abstained, "judgment not obtained", "judgments not obtained"),
    (IncidentKind::Panel, "set of judges asked again", "sets of judges asked again"),
    (IncidentKind::Citation, "wrong citation", "wrong citations"),
    (IncidentKind::Clerk, "exchange without notes", "exchanges without notes"),
    (IncidentKind::Retrieval, "failed search", "failed searches"),
    (
        IncidentKind::Unanswered,
        "revision with points left unanswered",
        "revisions with points left unanswered",
    ),
    (
        IncidentKind::StaleVerdict,
        "verdict on an earlier record dropped",
        "verdicts on an earlier record dropped",
    ),
    (IncidentKind::LostVerdict, "unreadable journal of a panel", "unreadable journals of panels"),
    (
        IncidentKind::StaleLabels,
        "label sheet on an earlier record dropped",
        "label sheets on an earlier record dropped",
    ),
];

impl IncidentKind {
    /// A kind by its word in traces.
    pub fn of(word: &str) -> Self {
        let known = serde_json::from_value(json!(word));
        known.unwrap_or_else(|_| IncidentKind::Other(word.to_owned()))
    }

    /// What happened so many times, as people read it: `calls made again`.
    pub fn words(&self, n: usize) -> String {
        match WORDS.iter().find(|(kind, ..)| kind == self) {
            Some((_, one, _)) if n == 1 => (*one).to_owned(),
            Some((.., several)) => (*several).to_owned(),
            None => self.to_string().replace('_', " "),
        }
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
