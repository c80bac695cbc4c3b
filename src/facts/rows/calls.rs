//! A row of calls: the model, what they were for, and of each its tokens and its time.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::Purpose;
use crate::facts::Call;

#[derive(Serialize, Deserialize)]
struct Row(u8, Purpose, Vec<(u32, u32)>);

pub(in crate::facts) fn serialize<S: Serializer>(all: &[Call], to: S) -> Result<S::Ok, S::Error> {
    let alike = |a: &Call, b: &Call| (a.model, a.purpose) == (b.model, b.purpose);
    to.collect_seq(all.chunk_by(alike).map(|own| {
        let times = own.iter().map(|call| (call.tokens, call.ms));
        Row(own[0].model, own[0].purpose, times.collect())
    }))
}

pub(in crate::facts) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Box<[Call]>, D::Error> {
    let rows: Vec<Row> = Vec::deserialize(from)?;
    let calls = rows.into_iter().flat_map(|Row(model, purpose, times)| {
        times.into_iter().map(move |(tokens, ms)| Call { model, purpose, tokens, ms })
    });
    Ok(calls.collect())
}
