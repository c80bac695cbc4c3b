//! A row of scores: the judgment, who was scored, the weighted total, and a score by each criterion; `null` where there is none.

use std::iter::once;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::facts::Score;

#[derive(Serialize, Deserialize)]
struct Row(u16, u8, Vec<Option<f64>>);

pub(in crate::facts) fn serialize<S: Serializer>(all: &[Score], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.chunk_by(goes_on).map(|own| {
        let at = |place| own.iter().find(|score| score.criterion == place);
        let last = own.last().map(|score| score.criterion);
        let columns = columns().take_while(|place| Some(*place) <= last);
        Row(own[0].reading, own[0].about, columns.map(|place| Some(at(place)?.value)).collect())
    }))
}

/// Whether a score stands in the row of the one before it, in a later column.
fn goes_on(before: &Score, next: &Score) -> bool {
    (before.reading, before.about) == (next.reading, next.about)
        && before.criterion < next.criterion
}

/// The criteria of the columns: the total has none, and is in the first.
fn columns() -> impl Iterator<Item = Option<u8>> {
    once(None).chain((0..=u8::MAX).map(Some))
}

pub(in crate::facts) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Box<[Score]>, D::Error> {
    let rows: Vec<Row> = Vec::deserialize(from)?;
    let scores = rows.into_iter().flat_map(|Row(reading, about, values)| {
        columns().zip(values).filter_map(move |(criterion, value)| {
            Some(Score { reading, about, criterion, value: value? })
        })
    });
    Ok(scores.collect())
}
