//! The models' cards: read once per debate, and checked before they are journaled.

use serde_json::json;

use super::Floor;
use super::attempts::{Attempts, Next};
use super::halt::{Halt, Result};
use crate::event::ModelCard;
use crate::job::participant::Participant;
use crate::model::{Card, Fault, NoReply};
use crate::text;

/// Participants named who want more context than a model has.
const NAMED: usize = 4;

/// The cards of all models that the plan names.
pub(super) async fn read(floor: &Floor) -> Result<Vec<ModelCard>> {
    let mut models = Vec::new();
    for name in floor.plan.models() {
        models.push(card(floor, name).await?);
    }
    Ok(models)
}

/// A model's card. It pins the rest of the debate to the model's weights.
async fn card(floor: &Floor, name: &str) -> Result<ModelCard> {
    let now = async {
        let card = new_card(floor, name).await?;
        check_context(floor, name, &card)?;
        Ok(json!(card))
    };
    let entry = floor.calls.read(&format!("model/{name}"), now).await?;
    let card: Card = serde_json::from_value(entry.value).unwrap_or_default();
    if let Some(digest) = &card.digest {
        floor.calls.model.pin(name, digest);
    }
    let name = name.to_owned();
    Ok(ModelCard { name, card })
}

/// Asks for a card. It may be missing for a model that is only a fallback, and for all if the server has no cards.
async fn new_card(floor: &Floor, name: &str) -> Result<Card> {
    let needed = floor.plan.participants.iter().any(|p| p.model == name);
    match ask_for(floor, name).await {
        Ok(card) => Ok(card),
        Err(NoReply::Stopped) => Err(Halt::Stopped),
        Err(NoReply::Failed(error)) if error.fault == Fault::Unsupported => Ok(Card::default()),
        Err(error) if needed => Err(error.into()),
        Err(_) => Ok(Card::default()),
    }
}

/// Asks for a card, up to three times if that may help, as with any call; a pool of servers waits longer by itself.
async fn ask_for(floor: &Floor, name: &str) -> Result<Card, NoReply> {
    let mut attempts = Attempts::new(&Participant::default());
    loop {
        let pause = attempts.pause(floor.retry_delay, &floor.plan.id, name);
        tokio::time::sleep(pause).await;
        match floor.calls.model.card(name).await {
            Err(NoReply::Failed(error)) if attempts.failed(error.fault) == Next::Again => {}
            other => return other,
        }
    }
}

/// Refuses a model trained for less context than a participant wants, before its first call (row M3a).
fn check_context(floor: &Floor, name: &str, card: &Card) -> Result<()> {
    let Some(trained) = card.context_length else {
        return Ok(());
    };
    let short = |p: &&Participant| {
        p.models().any(|model| model == name) && trained < u64::from(p.context_window)
    };
    let all: Vec<&Participant> = floor.plan.participants.iter().filter(short).collect();
    let Some(largest) = all.iter().map(|p| p.context_window).max() else {
        return Ok(());
    };
    let have = if all.len() == 1 { "has" } else { "have" };
    let up_to = if all.iter().all(|p| p.context_window == largest) { "" } else { "up to " };
    let who = text::first_of(all.iter().map(|p| p.name.as_str()), NAMED);
    Err(Halt::Unfit(format!(
        "{name} was trained for a context of {trained} tokens, but {who} {have} a context_window of {up_to}{largest}: lower it to {trained}, or use another model"
    )))
}
