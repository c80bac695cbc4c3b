//! Results: the first one of a debate stands, and no second.

use async_nats::jetstream::Message;

use super::error::{Result, unusable};
use super::inputs;
use super::names::{KIND, RunDebate};
use super::nats::Nats;
use super::sequenced_message::{self, Record};
use crate::digest;
use crate::stop::Stop;

/// The files of a finished debate.
const FINISHED: &str = "finished";
/// Nobody tries it any more; the payload says why.
const GIVEN_UP: &str = "given-up";
/// The result is collected.
const COLLECTED: &str = "collected";
/// The header that says which object holds the files, and their digest.
const OBJECT: &str = "Rebut-Object";
const DIGEST: &str = "Rebut-Digest";

/// What stands under the name of a debate that is done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DebateResult {
    /// An archive of its files.
    Finished(Vec<u8>),
    /// Nobody tries it any more, and why.
    GivenUp(String),
    /// It was collected.
    Collected,
}

/// Whether a debate is done.
pub(super) async fn has(nats: &Nats, debate: &RunDebate) -> Result<bool> {
    Ok(sequenced_message::last(&nats.done, &debate.done()).await?.is_some())
}

/// Whether a debate was given up, and why.
pub(super) async fn given_up(nats: &Nats, debate: &RunDebate) -> Result<Option<String>> {
    let last = sequenced_message::last(&nats.done, &debate.done())
        .await?
        .filter(|it| sequenced_message::header(&it.headers, KIND) == Some(GIVEN_UP));
    Ok(last.map(|it| String::from_utf8_lossy(&it.payload).into_owned()))
}

/// Commits a debate's files; false where it is done already.
pub(super) async fn commit(
    nats: &Nats,
    debate: &RunDebate,
    nonce: &str,
    archive: Vec<u8>,
    stop: &Stop,
) -> Result<bool> {
    let mut headers = vec![(DIGEST, digest::of_bytes(&archive))];
    let payload = if archive.len() <= nats.most_bytes() {
        archive
    } else {
        let name = format!("result-{}-{}-{nonce}", debate.run, &*debate.id);
        inputs::put_bytes(nats, &name, &archive).await?;
        headers.push((OBJECT, name));
        Vec::new()
    };
    let record =
        Record { payload, headers, ..Record::new(debate.done(), FINISHED, nonce.to_owned()) };
    Ok(record.publish(nats, &nats.done, 0, Some(stop)).await?.is_some())
}

/// Gives a debate up.
pub(super) async fn give_up(
    nats: &Nats,
    debate: &RunDebate,
    cause: &str,
    stop: &Stop,
) -> Result<()> {
    let record =
        Record { payload: cause.into(), ..Record::new(debate.done(), GIVEN_UP, nats.nonce()) };
    record.publish(nats, &nats.done, 0, Some(stop)).await.map(drop)
}

/// What a message says.
pub(super) async fn read(nats: &Nats, message: &Message) -> Result<DebateResult> {
    let header = |name| sequenced_message::header(message.headers.as_ref()?, name);
    match header(KIND) {
        Some(COLLECTED) => return Ok(DebateResult::Collected),
        Some(GIVEN_UP) => {
            let cause = String::from_utf8_lossy(&message.payload);
            return Ok(DebateResult::GivenUp(cause.into_owned()));
        }
        _ => {}
    }
    let archive = match header(OBJECT) {
        Some(name) => inputs::get_bytes(nats, name).await?,
        None => message.payload.to_vec(),
    };
    if header(DIGEST) == Some(&*digest::of_bytes(&archive)) {
        Ok(DebateResult::Finished(archive))
    } else {
        Err(unusable("a result")("its digest does not match"))
    }
}

/// Puts a word in the place of a result that is on the collector's disk, so that late ones are still refused.
pub(super) async fn collected(nats: &Nats, debate: &RunDebate, message: &Message) -> Result<()> {
    let info = message.info().map_err(unusable("a result"))?;
    let record = Record::new(debate.done(), COLLECTED, nats.nonce()).in_place_of_all();
    let published = record.publish(nats, &nats.done, info.stream_sequence, None);
    if published.await?.is_some()
        && let Some(headers) = &message.headers
        && let Some(object) = sequenced_message::header(headers, OBJECT)
    {
        // What stays takes room and nothing else.
        let _ = nats.objects.delete(object).await;
    }
    Ok(())
}
