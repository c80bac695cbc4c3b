//! The models' cards: read once per debate, and checked before they are written down.

use serde_json::json;

use super::attempts::{Attempts, Next};
use super::desk::Desk;
use super::halt::Halt;
use crate::event::ModelCard;
use crate::job::participant::Participant;
use crate::model::{Card, Fault, NoReply};

/// The cards of all models that the plan names.
pub(super) async fn read(desk: &Desk) -> Result<Vec<ModelCard>, Halt> {
    let mut models = Vec::new();
    for name in desk.plan.models() {
        models.push(card(desk, name).await?);
    }
    Ok(models)
}

/// A model's card. That of a model which only stands in for others may be missing, and all where the server has none.
async fn card(desk: &Desk, name: &str) -> Result<ModelCard, Halt> {
    let reading = format!("model/{name}");
    let name = name.to_owned();
    if let Some(entry) = desk.calls.reading(&reading) {
        let card = serde_json::from_value(entry.value.clone()).unwrap_or_default();
        return Ok(pinned(desk, ModelCard { name, card }));
    }
    let needed = desk.plan.participants.iter().any(|p| p.model == name);
    let card = match ask_for(desk, &name).await {
        Ok(card) => card,
        Err(NoReply::Stopped) => return Err(Halt::Stopped),
        Err(NoReply::Failed(error)) if error.fault == Fault::Unsupported => Card::default(),
        Err(error) if needed => return Err(error.into()),
        Err(_) => Card::default(),
    };
    let model = ModelCard { name, card };
    check_context(desk, &model)?;
    desk.calls.keep(&reading, json!(model.card)).await?;
    Ok(pinned(desk, model))
}

/// The rest of the debate is for these weights.
fn pinned(desk: &Desk, model: ModelCard) -> ModelCard {
    if let Some(digest) = &model.card.digest {
        desk.calls.model.pin(&model.name, digest);
    }
    model
}

/// Asks for a card, like any call three times where that may help.
async fn ask_for(desk: &Desk, name: &str) -> Result<Card, NoReply> {
    let mut attempts = Attempts::new(&Participant::default());
    loop {
        let pause = attempts.pause(desk.retry_delay, &desk.plan.id, name);
        tokio::time::sleep(pause).await;
        match desk.calls.model.card(name).await {
            Err(NoReply::Failed(error)) if attempts.failed(error.fault) == Next::Again => {}
            other => return other,
        }
    }
}

/// A model that was trained for less context than a participant wants is refused before its first call (row M3a).
fn check_context(desk: &Desk, model: &ModelCard) -> Result<(), Halt> {
    let Some(trained) = model.card.context_length else {
        return Ok(());
    };
    let short = |p: &&Participant| {
        p.models().any(|name| name == model.name) && trained < u64::from(p.context_window)
    };
    match desk.plan.participants.iter().find(short) {
        None => Ok(()),
        Some(p) => Err(Halt::Parked(format!(
            "{} was trained for {trained} tokens of context, but {} wants a context_window of {}: lower it, or take another model",
            model.name, p.name, p.context_window
        ))),
    }
}
