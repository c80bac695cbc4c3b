//! Why a debate is not `done`, in words that many debates share, so that a batch can group by them.

use super::Trace;
use crate::event::{Call, Incident, REPLY, Status};
use crate::model::reply_fault::thinking_remedy;
use crate::text;

/// Characters of a cause.
const LONGEST: usize = 160;
/// Hexadecimal digits from which on a word is taken for an id.
const ID_DIGITS: usize = 8;

impl Trace {
    /// What the debate fell short of first; `None` where it is done.
    pub fn shared_cause(&self) -> Option<String> {
        if self.status == Status::Done {
            return None;
        }
        let first = self.incidents.iter().find(|it| it.is_shortfall());
        let call = first.and_then(|incident| self.last_attempt(incident));
        let told = self.cause.as_deref().unwrap_or("no cause is given");
        Some(call.map_or_else(|| shared(told), in_words))
    }

    /// The last attempt of the call that an incident concerns.
    fn last_attempt(&self, incident: &Incident) -> Option<&Call> {
        let name = incident.call.as_deref()?;
        self.calls.iter().rev().find(|call| call.call == name)
    }
}

/// `llama3 gave no usable statement (timeout)`.
fn in_words(call: &Call) -> String {
    let wanted = match call.purpose.as_str() {
        "speak" | "comment" => "statement",
        "judge" => "judgment",
        "clerk" => "notes",
        _ => "reply",
    };
    let why = match call.outcome.as_str() {
        REPLY => "its reply was not in the requested form".to_owned(),
        "unrequested_thinking" => {
            let in_form = wanted != "statement";
            format!("only unrequested thinking: {}", thinking_remedy(in_form))
        }
        fault => fault.replace('_', " "),
    };
    text::shorten(
        &format!("{} gave no usable {wanted} ({why})", call.model),
        LONGEST,
    )
}

/// A cause without the ids in it, which are of one debate only.
pub fn shared(cause: &str) -> String {
    let line = text::one_line(cause);
    let words: Vec<String> = line.split(' ').map(shared_word).collect();
    text::shorten(&words.join(" "), LONGEST)
}

fn shared_word(word: &str) -> String {
    let core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_id = core.len() >= ID_DIGITS && core.bytes().all(|b| b.is_ascii_hexdigit());
    match is_id {
        true => word.replace(core, "…"),
        false => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_cause_is_shared_by_debates_that_differ_in_their_ids_only() {
        let cause = |id: &str| format!("start the debate over with --restart --only {id}.");
        let one = shared(&cause("0123456789ab"));
        assert_eq!(one, shared(&cause("ba9876543210")));
        assert_eq!(one, "start the debate over with --restart --only ….");
        assert_eq!(shared("gave up after 10m"), "gave up after 10m");
    }

    #[test]
    fn b3_a_call_without_a_usable_reply_is_told_by_model_purpose_and_fault() {
        let call = |purpose: &str, outcome: &str| Call {
            model: "llama3".to_owned(),
            purpose: purpose.to_owned(),
            outcome: outcome.to_owned(),
            ..Call::default()
        };
        let told = in_words(&call("speak", "empty_reply"));
        assert_eq!(told, "llama3 gave no usable statement (empty reply)");
        let told = in_words(&call("speak", "unrequested_thinking"));
        let wanted = "llama3 gave no usable statement (only unrequested thinking: set `think: true` with `thinking_tokens`, or \
            use another model)";
        assert_eq!(told, wanted);
        let told = in_words(&call("judge", REPLY));
        let wanted = "llama3 gave no usable judgment (its reply was not in the requested form)";
        assert_eq!(told, wanted);
    }
}
