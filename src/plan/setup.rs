//! What determines the size of a debate.

use crate::job::background::Background;
use crate::job::participant::Participant;

/// Debates of one setup take about as much as each other, whatever their topics, positions and seeds. It is made for each of
/// up to a million plans, so it is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Setup(String);

impl Setup {
    /// That of a debate with these participants and this background; `others` is what else counts. Texts count by their
    /// length.
    pub(super) fn new(who: &[Participant], background: &[Background], others: &str) -> Self {
        let who = who.iter().map(participant).collect::<String>();
        let background = serde_json::json!(background).to_string().len();
        Self(format!("{others} {who} {background}"))
    }
}

fn participant(p: &Participant) -> String {
    let room = (p.max_tokens, p.context_window, p.think, p.thinking_tokens);
    let persona = p.persona.as_ref().map(|it| it.text.len());
    let words = (persona, p.description.len());
    format!("{:?}", (&p.id, &p.model, room, words))
}
