//! Requested texts, one or several in parallel, before they are accounted for.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::cut::Kept;
use super::listener::{Listener, Refused};
use super::wanted::{Kind, Speech};
use crate::event::{IncidentKind, Purpose};
use crate::floor::Floor;
use crate::floor::call::{Ask, Called, End, Prepared};
use crate::floor::halt::Result;
use crate::floor::structured::most_tokens;
use crate::floor::{allowance, asking, open_points};
use crate::job::participant::Participant;

/// The result of asking for a text.
pub(super) struct Requested<'a> {
    pub(super) speech: &'a Speech<'a>,
    pub(super) kind: Kind,
    /// Maximum tokens of the text.
    pub(super) most: u32,
    pub(super) called: Called<'a, Kept>,
    pub(super) refused: Refused<'a>,
}

/// Asks for texts in parallel. All are prepared, with the same view of the transcript, before any is asked for.
pub(super) async fn request<'a>(
    floor: &'a Floor,
    speeches: &'a [Speech<'a>],
    kind: Kind,
) -> Result<Vec<Requested<'a>>> {
    let asks = speeches.iter().map(|speech| asked(floor, speech, kind));
    let prepared = asking::prepare_all(floor, asks.collect::<Result<_, _>>()?)?;
    let calls = prepared
        .iter()
        .zip(speeches)
        .map(|(prepared, speech)| ask_prepared(floor, prepared, speech, kind));
    // All calls end before any error counts: a stop must not drop a call in flight.
    join_all(calls).await.into_iter().collect()
}

fn asked<'a>(floor: &'a Floor, speech: &Speech<'_>, kind: Kind) -> Result<Ask<'a>> {
    let by = floor.participant(speech.by)?;
    let most = allowance::most_tokens(by, speech.most_tokens, speech.seconds);
    let cap = floor.pace.lock().cap(by, most, speech.round_seconds);
    if let Some(message) = cap.shortened {
        let call = speech.call.to_string();
        floor.report(IncidentKind::Time, Some(&call), None, message);
    }
    let schema = speech.form.map(|form| form.schema);
    let known = known(floor, by, cap.tokens);
    Ok(Ask {
        call: speech.call.clone(),
        by,
        purpose: match kind {
            Kind::Turn | Kind::Final => Purpose::Speak,
            Kind::Comment => Purpose::Comment,
        },
        given: json!([known["flow"], known["memory"], speech.context]),
        task: floor.task(speech.template, known, &speech.context)?,
        schema: schema.cloned(),
        most_tokens: schema.map_or(cap.tokens, |schema| most_tokens(by, cap.tokens, schema)),
        last: kind == Kind::Final,
        longest_task: 0,
        blind: speech.blind,
        repairs: match (schema, speech.demand) {
            (Some(_), _) => 1,
            (None, demand) => demand.map_or(0, |demand| demand.again),
        },
    })
}

async fn ask_prepared<'a>(
    floor: &'a Floor,
    prepared: &Prepared<'a>,
    speech: &'a Speech<'a>,
    kind: Kind,
) -> Result<Requested<'a>> {
    let most = prepared.ask.most_tokens;
    let listener = Listener::new(floor, speech, prepared.ask.by, most);
    let mut called = asking::ask(floor, prepared, &listener).await?;
    let refused = listener.refused.into_inner();
    // A rejected reply is better than none.
    if let End::Exhausted(_) | End::Unusable(_) = &called.end
        && let Some((kept, entry)) = refused.last_usable(&called)
    {
        called.end = End::Taken(kept, Box::new(entry));
    }
    Ok(Requested { speech, kind, most, called, refused })
}

/// What a task shows of its speaker.
fn known(floor: &Floor, by: &Participant, most: u32) -> Value {
    json!({
        "me": by,
        "flow": open_points::shown(floor, by),
        "words": allowance::words_within(most),
        "last_turn": floor.speakers.lock().long_turns.get(&by.id),
        "memory": floor.memory(&by.id),
    })
}
