//! What a model or its server does in call after call and should not. It is reported once per model and debate.

use super::Floor;
use super::call::{Deviation, Step};
use crate::event::IncidentKind;
use crate::journal::ReplyEntry;
use crate::model::reply_fault::thinking_remedy;
use crate::model::{DoneReason, Fault};

/// Reports what an attempt of a call shows of that.
pub(super) fn report(floor: &Floor, call: &str, in_form: bool, step: &Step) {
    let (model, found) = match &step.attempted {
        Ok(entry) => {
            let found = [
                other_model(entry),
                short_prompt(floor, step, entry),
                lost_room(step, entry).then(|| thinks(&entry.model, in_form)),
            ];
            (&entry.model, found)
        }
        Err(failure) => {
            let thought = failure.error == Fault::UnrequestedThinking;
            let thinks = thought.then(|| thinks(&failure.model, in_form));
            (&failure.model, [thinks, None, None])
        }
    };
    for (kind, message) in found.into_iter().flatten() {
        floor.report_once(kind, model, call, message);
    }
}

fn other_model(entry: &ReplyEntry) -> Option<Deviation> {
    let (asked, named) = (&entry.model, entry.reply.by_other.as_ref()?);
    let message = format!(
        "the server says that {named} replied, although {asked} was asked: results count as those of {asked}"
    );
    Some((IncidentKind::OtherModel, message))
}

fn short_prompt(floor: &Floor, step: &Step, entry: &ReplyEntry) -> Option<Deviation> {
    let (model, counted) = (&entry.model, entry.reply.tokens.prompt);
    let mut prompts = floor.prompts.lock();
    let least = prompts.counts.take(model, step.characters, counted)?;
    let message = format!(
        "{model}: the server counted {counted} tokens in a prompt that should have {least} at least. Either it cut the prompt \
         short, for want of context (see `rebut doctor --probe`), or it leaves out tokens it had cached"
    );
    Some((IncidentKind::ShortPrompt, message))
}

/// Whether a reply was cut because the model thought without being asked to.
pub(super) fn lost_room(step: &Step, entry: &ReplyEntry) -> bool {
    let thought = entry.reply.thinking.is_some() && !step.think;
    thought && entry.reply.done_reason != DoneReason::Stop
}

fn thinks(model: &str, in_form: bool) -> Deviation {
    let remedy = thinking_remedy(in_form);
    let message =
        format!("{model} thinks without being asked to, in the room for its words: {remedy}");
    (IncidentKind::Thinking, message)
}
