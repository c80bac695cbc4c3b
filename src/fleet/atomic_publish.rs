//! Many first messages at once, all of them or none. The server syncs its disk once for all, where otherwise it does for each.

use async_nats::header::{NATS_BATCH_COMMIT, NATS_BATCH_ID, NATS_BATCH_SEQUENCE};
use async_nats::jetstream::message::PublishMessage;

use super::nats::Nats;
use super::sequenced_message::Record;

/// Messages in a batch; the server takes no more than 1,000.
pub(super) const MOST: usize = 500;

/// Publishes messages, each as the first under its subject. False if it is not known that all of them are there: the server is older
/// than 2.12, one of the subjects has a message already, or the answer was lost. Each can be published by itself then.
pub(super) async fn publish(nats: &Nats, records: &[Record]) -> bool {
    let Some((last, others)) = records.split_last() else { return true };
    if !nats.work.cached_info().config.allow_atomic_publish {
        return false;
    }
    let (client, id) = (nats.jetstream.client(), nats.nonce());
    for (record, number) in others.iter().zip(1_usize..) {
        let message = numbered(record, &id, number).outbound_message(record.subject.clone());
        let headers = message.headers.unwrap_or_default();
        // It is answered only with the last of its batch.
        let sent = client.publish_with_headers(message.subject, headers, message.payload);
        if sent.await.is_err() {
            return false;
        }
    }
    let (subject, commit) = (last.subject.clone(), numbered(last, &id, records.len()));
    let commit = commit.header(NATS_BATCH_COMMIT, "1");
    match nats.jetstream.send_publish(subject, commit).await {
        Ok(answer) => answer.await.is_ok(),
        Err(_) => false,
    }
}

fn numbered(record: &Record, id: &str, number: usize) -> PublishMessage {
    let message = record.message(0).header(NATS_BATCH_ID, id);
    message.header(NATS_BATCH_SEQUENCE, number.to_string())
}
