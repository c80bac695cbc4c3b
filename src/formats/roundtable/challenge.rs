//! The challenge: arguing against everyone's first answer, since untested agreement shows little (row R2).

use serde_json::json;

use super::session::Session;
use crate::event::Phase;
use crate::floor::{Floor, Halt};
use crate::job::participant::Participant;

/// The stance to argue against in this round: only in the first debate round, and if all first answers are the same.
pub(super) fn against(session: &Session<'_>, round: u32) -> Option<String> {
    let wanted = session.settings.challenge && round == 1;
    let count = session.count();
    let unanimous = count.unanimous().filter(|_| wanted);
    unanimous.map(str::to_owned)
}

/// Tells everyone that the next speaker argues against the others because the format requires it.
pub(super) fn announce(floor: &Floor, by: &Participant, stance: Option<&str>) -> Result<(), Halt> {
    let gist = format!("All agree at first; {} argues against it", by.name);
    let context = json!({"name": by.name, "stance": stance});
    let template = "record/roundtable/challenge.md.j2";
    floor.announce(Phase::TRANSITION, gist, template, &context)
}
